//! Where grains are. Each place is one file with its settings, their check, the number of grains that it gives at most, and
//! the positions.

use std::{collections::BTreeMap, path::Path};

use glam::DVec3;
use rubblepile_core::{
    Rng, World,
    settings::{Check, Checked, join},
};

use super::{GenerateError, GenerateFault, GrainTable, Region, SphereGrid, insertion, size::SizeSettings};

choices! {
    /// Where grains are.
    Place: PlaceSettings {
        lattice: Lattice(Lattice),
        random: Random(RandomPlace),
        file: File(FilePlace),
        points: Points(Points),
        heap: Heap(Heap),
    }
}

pub use lattice::LatticeName;

/// The settings of a place, as they are in a scenario.
pub trait PlaceSettings {
    /// Writes out the defaults that depend on the largest radius of the group, m.
    fn fill_defaults(&mut self, _largest: f64) {}

    /// Adds what is wrong with them; `at` is the path of their table.
    fn check(&self, c: &mut Check, count: GroupCount, at: &str);

    /// At most how many grains there will be, if more than `count`; or that they are too many. Checked before.
    fn at_most(&self, count: Option<u64>, _at: &str) -> Checked<u64> {
        Ok(count.unwrap_or(0))
    }

    /// Whether grains keep clear of those of the groups before.
    fn avoids_others(&self) -> bool {
        false
    }

    /// Whether radii and densities may come with the positions, so that the group need not give them.
    fn brings_radii(&self) -> bool {
        false
    }

    /// Name of the asteroid that grains move with at the start.
    fn carrier(&self) -> Option<&str> {
        None
    }

    /// The positions, and what else is known of each grain. Radii that are not given are drawn from the group's sizes. `at`
    /// is the path of the settings, which have been checked.
    fn grains(&self, context: &mut PlaceContext, at: &str) -> Result<GrainTable, GenerateError>;
}

/// `count` of a group, for the checks of its place.
#[derive(Debug, Clone, Copy)]
pub struct GroupCount<'a> {
    pub given: Option<u64>,
    /// Path of the table of the group.
    pub at: &'a str,
}

impl GroupCount<'_> {
    /// The path of the key.
    pub fn path(&self) -> String {
        join(self.at, "count")
    }

    /// Adds that it is missing.
    pub fn require(&self, c: &mut Check) {
        if self.given.is_none() {
            c.add_help(self.at, "`count` is missing: how many grains?", "add `count = ...`");
        }
    }
}

/// What grains are placed with: their group, and what is there already.
pub struct PlaceContext<'a> {
    pub world: &'a World,
    /// `count` of the group.
    pub count: Option<u64>,
    /// The radii of the group; `None`: the place must bring them.
    pub sizes: Option<&'a dyn SizeSettings>,
    /// The key of the group that gives its radii: `radius` or `size`.
    pub size_key: Option<&'static str>,
    /// Density of the group or of its material, kg/m3.
    pub density: Option<f64>,
    /// Path of the table of the group.
    pub group: &'a str,
    /// The grains of the groups before, if a place of the scenario avoids them.
    pub taken: &'a mut SphereGrid,
    /// A stream of random numbers of the group's own.
    pub stream: &'a dyn Fn(&str) -> Rng,
    /// Folder that relative paths start at.
    pub base: &'a Path,
    /// Grains that a program gives, by the name of the file that they stand for.
    pub given: &'a BTreeMap<String, GrainTable>,
}

impl PlaceContext<'_> {
    /// No grain is larger, m; 0 without radii.
    pub fn largest(&self) -> f64 {
        self.sizes.map_or(0.0, |sizes| sizes.largest())
    }

    /// Radii of `n` grains, m: the same ones whenever it is asked.
    pub fn radii(&self, n: usize) -> Checked<Vec<f64>> {
        let Some(sizes) = self.sizes else { return Ok(vec![0.0; n]) };
        let sampler = sizes.sampler().map_err(|fault| fault.at(join(self.group, "size")))?;
        let mut rng = (self.stream)("size");
        Ok((0..n).map(|_| sampler(&mut rng)).collect())
    }

    /// Random positions for these radii in a region, clear of each other and of the groups before by `gap`.
    pub fn insert(
        &mut self,
        region: &dyn Region,
        radii: &[f64],
        gap: f64,
    ) -> Result<Vec<DVec3>, GenerateFault> {
        let first = self.world.bodies.len() as u32;
        let mut rng = (self.stream)("place");
        insertion::positions(region, radii, gap, &self.world.domain, self.taken, first, &mut rng)
    }
}
