//! A scenario written in Rust instead of TOML.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use glam::DVec3;
use rubblepile_core::settings::{LengthKind, Quantity, Vector};
use rubblepile_io::{
    atomic,
    error::FileError,
    generate::GrainTable,
    scenario::{
        grains::{FilePlace, Grains, Place},
        tables,
    },
};

use crate::{Error, Result, Scenario, Simulation};

/// Describes a simulation without a scenario file. Numbers are SI.
///
/// The tables are those of the scenario file, with the same names and defaults, and are checked in the same way: what is
/// built here and written with [`Builder::write`] is the same run, bit for bit.
///
/// ```
/// use rubblepile::{DVec3, Simulation, Spheres, gravity, soft, Material};
///
/// # fn main() -> rubblepile::Result<()> {
/// // A small cloud that falls together.
/// let position: Vec<DVec3> =
///     (0..27).map(|k| 2.5 * DVec3::new((k % 3) as f64, (k / 3 % 3) as f64, (k / 9) as f64)).collect();
/// let mut sim = Simulation::builder()
///     .title("A small cloud")
///     .end(3600.0)
///     .method(soft::Settings { max_speed: Some(0.05.into()), ..Default::default() })
///     .gravity(gravity::DirectGravity::default())
///     .material(Material { name: "rock".into(), density: 2500.0, ..Default::default() })
///     .spheres(Spheres { radius: vec![1.0; 27], position, ..Default::default() })
///     .build()?;
/// sim.run_until(10.0)?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default)]
pub struct Builder {
    title: String,
    end: f64,
    seed: Option<u64>,
    threads: Option<u32>,
    method: tables::Method,
    gravity: Vec<tables::Gravity>,
    frame: tables::FrameTable,
    domain: tables::DomainTable,
    material: Vec<tables::MaterialTable>,
    pair: Vec<tables::Pair>,
    asteroid: Vec<tables::AsteroidTable>,
    grains: Vec<Grains>,
    deformable: Vec<tables::DeformableTable>,
    wall: Vec<tables::WallTable>,
    event: Vec<tables::EventTable>,
    probe: Vec<tables::ProbeTable>,
    output: tables::Output,
    given: BTreeMap<String, GrainTable>,
    base: Option<PathBuf>,
}

/// Spheres given one by one.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Spheres {
    /// Name of their group; empty: `grains`, `grains-2`, ...
    pub name: String,
    /// Name of their material; empty: the only one there is.
    pub material: String,
    /// m
    pub position: Vec<DVec3>,
    /// m
    pub radius: Vec<f64>,
    /// m/s; empty: at rest.
    pub velocity: Vec<DVec3>,
    /// Angular velocity, rad/s; empty: not rotating.
    pub spin: Vec<DVec3>,
    /// kg/m3; empty: that of the material.
    pub density: Vec<f64>,
}

/// One method per table of the scenario: `set` replaces, `add` makes a list grow.
macro_rules! tables {
    (@change $self:ident set $name:ident $value:ident) => { $self.$name = $value.into() };
    (@change $self:ident add $name:ident $value:ident) => { $self.$name.push($value.into()) };
    ($($(#[$doc:meta])* $how:ident $name:ident: $type:ty;)*) => {$(
        $(#[$doc])*
        pub fn $name(mut self, value: impl Into<$type>) -> Self {
            tables!(@change self $how $name value);
            self
        }
    )*};
}

impl Builder {
    tables! {
        /// A one-line description.
        set title: String;
        /// The method that resolves contacts. Default: soft spheres.
        set method: tables::Method;
        /// Adds a force that acts at a distance.
        add gravity: tables::Gravity;
        /// The reference frame of positions and velocities.
        set frame: tables::FrameTable;
        /// Open space, or a periodic box.
        set domain: tables::DomainTable;
        /// Adds a material.
        add material: tables::MaterialTable;
        /// Adds values for two materials in contact.
        add pair: tables::Pair;
        /// Adds an asteroid.
        add asteroid: tables::AsteroidTable;
        /// Adds a group of grains that is made by a generator.
        add grains: Grains;
        /// Adds deformable grains.
        add deformable: tables::DeformableTable;
        /// Adds a wall.
        add wall: tables::WallTable;
        /// Adds an event.
        add event: tables::EventTable;
        /// Adds a probe: columns of the series.
        add probe: tables::ProbeTable;
        /// What a recorded run writes.
        set output: tables::Output;
    }

    /// End of the run, s.
    pub fn end(mut self, seconds: f64) -> Self {
        self.end = seconds;
        self
    }

    /// Seed of all random numbers of the run. Default: 1.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = Some(seed);
        self
    }

    /// The number of threads that `rubblepile run` uses for the file this writes. Default: all cores. A program chooses with
    /// [`on_threads`](crate::on_threads).
    pub fn threads(mut self, threads: u32) -> Self {
        self.threads = Some(threads);
        self
    }

    /// Folder that relative paths start at. Default: the current directory.
    pub fn base(mut self, folder: impl Into<PathBuf>) -> Self {
        self.base = Some(folder.into());
        self
    }

    /// Adds spheres that are given one by one.
    pub fn spheres(mut self, spheres: Spheres) -> Self {
        let Spheres { name, material, position, radius, velocity, spin, density } = spheres;
        fn given<T>(column: Vec<T>) -> Option<Vec<T>> {
            (!column.is_empty()).then_some(column)
        }
        // The radius is no default of the group: a sphere without one is a mistake.
        let table = GrainTable {
            radius: Some(radius),
            velocity: given(velocity),
            spin: given(spin),
            density: given(density),
            position,
        };
        let file = format!("grains-{}.csv", self.given.len() + 1);
        let place = Place::File(FilePlace { path: file.clone() });
        let text = |s: String| (!s.is_empty()).then_some(s);
        self.grains.push(Grains { name: text(name), material: text(material), ..Grains::at(place) });
        self.given.insert(file, table);
        self
    }

    /// Checks what was described, as a scenario file is checked: mistakes are shown in the TOML that this would be.
    pub fn scenario(self) -> Result<Scenario> {
        for (k, table) in self.given.values().enumerate() {
            table.check().map_err(|what| {
                Error::bad_input(format!("spheres of group {}: {what}", k + 1), "check the arrays")
            })?;
        }
        let scenario = tables::Scenario {
            title: self.title,
            run: tables::Run {
                end: Quantity::new(self.end),
                seed: self.seed.unwrap_or(1),
                threads: self.threads,
            },
            method: self.method,
            gravity: self.gravity,
            frame: self.frame,
            domain: self.domain,
            material: self.material,
            pair: self.pair,
            asteroid: self.asteroid,
            grains: self.grains,
            deformable: self.deformable,
            wall: self.wall,
            event: self.event,
            probe: self.probe,
            output: self.output,
        };
        let text = scenario.to_toml()?;
        let mut loaded = tables::Scenario::load("the scenario as built", &text, &[])?;
        loaded.given = self.given;
        Scenario::of(loaded, self.base.unwrap_or_else(|| PathBuf::from(".")))
    }

    /// Checks and builds.
    pub fn build(self) -> Result<Simulation> {
        self.scenario()?.simulation()
    }

    /// Writes the scenario file, and the spheres given one by one as CSV files beside it. Running it gives the same bits.
    pub fn write(self, path: impl AsRef<Path>) -> Result<()> {
        let path = path.as_ref();
        let scenario = self.scenario()?;
        let folder = path.parent().unwrap_or(Path::new(""));
        for (name, table) in &scenario.loaded.given {
            let file = folder.join(name);
            if file.exists() {
                return Err(FileError::Invalid(format!("{} is already there", file.display())).into());
            }
            atomic::write_text(&file, &table.to_csv())?;
        }
        Ok(atomic::write_text(path, scenario.text())?)
    }
}

/// A position from three numbers, m.
pub fn metres(x: f64, y: f64, z: f64) -> Vector<LengthKind> {
    Vector::new(x, y, z)
}
