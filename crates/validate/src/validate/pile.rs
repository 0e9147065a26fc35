//! Piles that accrete under contact dynamics, and their measurements: shared by the cases of accretion and spin-up.

use std::{collections::BTreeMap, f64::consts::PI, path::PathBuf, time::Instant};

use glam::{DQuat, DVec3};
use rubblepile_core::{
    Contact, Extent, Fields, Measure, Method, Report, World, event,
    method::{Moment, edit},
    run::Engine,
};
use rubblepile_io::checkpoint::{self, Meta};
use rubblepile_nonsmooth::UNSOLVED_STEPS;
use rubblepile_probe::{
    Aggregate, Cluster,
    aggregate::equivalent_axes,
    contact_forces::{ForceDistribution, normal_forces},
    momentum::Momenta,
    profile::{RadialProfile, Shell},
    stress::moment_tensor,
    touching::{TouchSearch, bearing_pairs, coordination, pairs},
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::{ValidateRow, wrong_field::wrong_field};
use crate::{
    cases::{CaseError, Options, Rows, Wrong},
    scenario::simulation,
};

/// Section 3.1 of contact-dynamics-2021: `side`^3 grains of 7.5 to 10 m on a cubic grid of 10 m.
#[derive(Debug, Clone, Copy)]
pub struct PileSetup {
    pub seed: u64,
    pub side: u32,
    pub polyhedra: bool,
    pub friction: f64,
    /// s
    pub timestep: f64,
    /// Steps between two evaluations of gravity.
    pub every: u32,
    /// Residual to which each step is solved.
    pub tolerance: f64,
}

impl PileSetup {
    pub fn grains(&self) -> u32 {
        self.side.pow(3)
    }

    /// "1000 polyhedra at 0.5 s", with the friction if there is any.
    pub fn name(&self) -> String {
        let kind = if self.polyhedra { "polyhedra" } else { "spheres" };
        let rough = if self.friction > 0.0 { format!(", friction {}", self.friction) } else { String::new() };
        let seed = if self.seed > 1 { format!(", seed {}", self.seed) } else { String::new() };
        format!("{} {kind} at {} s{rough}{seed}", self.grains(), self.timestep)
    }

    /// The pile before it falls. Deliberate errors: `gravity`, `gravity_on_first`, `friction`, `spacing`, `restitution`.
    pub fn make(&self, wrong: &Wrong) -> Result<Pile, CaseError> {
        let PileSetup { seed, side, timestep, every, tolerance, .. } = *self;
        let friction = self.friction * wrong.factor("friction");
        let restitution = wrong.factor("restitution") - 1.0;
        let n = self.grains();
        let spacing = 10.0 * wrong.factor("spacing");
        let half = 0.5 * spacing * f64::from(side);
        let gravity = match n {
            0..5000 => format!("direct = {{ every = {every} }}"),
            _ => format!("tree = {{ error = 1e-3, every = {every} }}"),
        };
        let iterations = if tolerance < 1e-3 { 10_000 } else { 1000 };
        let shape = if self.polyhedra { "shape = { polyhedron = { vertices = [10, 70] } }" } else { "" };
        let text = format!(
            r#"
            run = {{ end = "1000 h", seed = {seed} }}
            [method.nonsmooth]
            timestep = {timestep}
            tolerance = {tolerance}
            iterations = {iterations}
            unsolved_steps = 0
            [[gravity]]
            {gravity}
            [[material]]
            name = "rock"
            density = "5164 kg/m3"
            restitution = {{ normal = {restitution} }}
            friction = {{ sliding = {friction} }}
            cohesion_range = "1 cm"
            [[grains]]
            name = "pile"
            count = {n}
            {shape}
            size = {{ uniform_volume = {{ min = "3.75 m", max = "5 m" }} }}
            place = {{ lattice = {{ kind = "cubic", spacing = {spacing},
                region = {{ box = {{ min = [-{half}, -{half}, -{half}], max = [{half}, {half}, {half}] }} }} }} }}
            "#
        );
        let Engine { world, method, fields, .. } = simulation("the accretion", &text, &[])?;
        let fields =
            Fields { list: fields.list.into_iter().map(|field| wrong_field(field, wrong)).collect() };
        let (report, gap) = (Report::new(Measure::ALL), wrong.factor("gap"));
        Ok(Pile { world, method, fields, report, search: TouchSearch::default(), gap })
    }
}

/// A pile on its way.
pub struct Pile {
    pub world: World,
    pub method: Box<dyn Method>,
    pub fields: Fields,
    pub report: Report,
    search: TouchSearch,
    /// Factor on the gaps of [`GAPS`].
    gap: f64,
}

/// Gaps over the smaller radius up to which neighbours are counted.
pub const GAPS: [f64; 4] = [1e-6, 1e-5, 1e-4, 1e-3];
/// Which of them is [`rubblepile_probe::touching::GAP`].
const TOUCH: usize = 2;

/// A pile at one moment.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub struct PileState {
    /// s
    pub time: f64,
    /// Kinetic energy over the number of bodies, J.
    pub kinetic: f64,
    /// Mean number of contacts that bear.
    pub bearing: f64,
    /// Mean number of neighbours within [`GAPS`].
    pub within: [f64; 4],
    /// Of the sphere that encloses all bodies.
    pub packing: f64,
    pub diameter: f64,
    /// Eqs (19), (20): a third of the trace, in that sphere, Pa.
    pub pressure: f64,
    /// Deepest overlap over the smaller radius.
    pub overlap: f64,
}

impl PileState {
    /// Mean number of bodies that a body touches.
    pub fn touching(&self) -> f64 {
        self.within[TOUCH]
    }
}

impl Pile {
    /// With the bodies of another pile of this setup.
    pub fn of(self, world: World) -> Self {
        Pile { world, ..self }
    }

    pub fn advance(&mut self, until: f64) -> Result<(), CaseError> {
        self.method.advance(&mut self.world, &mut self.fields, until, &mut self.report)?;
        Ok(())
    }

    pub fn sample(&mut self) -> Result<PileState, CaseError> {
        let contacts = self.method.contacts(&self.world)?;
        let w = &self.world;
        let (n, grains) = (w.bodies.len(), w.bodies.len() as f64);
        let (t, r) = w.bodies.kinetic_energy();
        let sphere = rubblepile_probe::volume::sphere_of(w)?.ok_or("no bodies")?;
        let solid: f64 = (0..n).map(|k| w.volume(k)).sum();
        let tensor = moment_tensor(&contacts);
        let radius = |row: u32| w.bodies.radius[row as usize];
        let smaller = |c: &Contact| c.partner_row.map_or(radius(c.row), |p| radius(p).min(radius(c.row)));
        let overlap = contacts.iter().map(|c| c.overlap / smaller(c)).fold(0.0, f64::max);
        let near = self.search.find(w, self.gap * GAPS[GAPS.len() - 1])?;
        let mut within = [0.0; GAPS.len()];
        for (count, gap) in within.iter_mut().zip(GAPS) {
            let those = near.iter().filter(|c| -c.overlap <= self.gap * gap * smaller(c));
            *count = coordination(&pairs(w, &those.copied().collect::<Vec<_>>())?, n);
        }
        Ok(PileState {
            time: w.time(),
            kinetic: (t + r) / grains,
            bearing: coordination(&bearing_pairs(w, &contacts)?, n),
            within,
            packing: solid / sphere.volume(),
            diameter: 2.0 * sphere.radius,
            pressure: (tensor[0] + tensor[1] + tensor[2]) / (3.0 * sphere.volume()),
            overlap,
        })
    }

    pub fn moment(&mut self) -> Moment<'_> {
        Moment::new(&self.world, self.method.as_mut(), &mut self.fields, &self.report)
    }

    pub fn add_spin(&mut self, spin: DVec3) -> Result<(), CaseError> {
        self.change(&event::AddSpin { group: None, spin: spin.into() }.into())
    }

    /// An event, as the run loop carries it out.
    pub fn change(&mut self, action: &rubblepile_core::Action) -> Result<(), CaseError> {
        edit(self.method.as_mut(), &mut self.world, |world| event::apply(action, world))?;
        Ok(())
    }

    /// The ellipsoid with the moments and the mass of all bodies together: semi-axes, longest first, and how it is turned.
    pub fn equivalent_ellipsoid(&self) -> Result<(DVec3, DQuat), CaseError> {
        let b = &self.world.bodies;
        let cluster = Cluster::of(&self.world, (0..b.len() as u32).collect(), b.position.clone());
        let whole = Aggregate::of(&self.world, &cluster, &[], &[])?;
        Ok((equivalent_axes(whole.moments, whole.mass), DQuat::from_mat3(&whole.axes)))
    }
}

/// The history of a pile that has fallen together.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct History {
    pub grains: usize,
    pub friction: f64,
    /// One a minute.
    pub samples: Vec<PileState>,
    /// Mean over those past 125 minutes.
    pub rest: PileState,
    /// kg
    pub mass: f64,
    /// Mean diameters, of the circumscribed spheres and of spheres as large as the grains, m.
    pub diameter: f64,
    pub equal_diameter: f64,
    /// Of matter in the lattice at the start, kg/m3.
    pub lattice_density: f64,
    /// Volume of matter in the lattice over that of the lattice.
    pub lattice_packing: f64,
    /// At the end, J.
    pub potential: f64,
    /// Change of momentum over m v at the peak, and of angular momentum over m v R.
    pub drift: [f64; 2],
    /// At the end, longest first, m.
    pub axes: [f64; 3],
    /// Mean over the last 25 minutes.
    pub shells: Vec<Shell>,
    pub force_density: Vec<f64>,
    /// Seconds of each phase of a step.
    pub phases: BTreeMap<String, f64>,
}

impl History {
    /// The sample with the most kinetic energy.
    pub fn peak(&self) -> PileState {
        self.samples.iter().max_by(|a, b| a.kinetic.total_cmp(&b.kinetic)).copied().unwrap_or_default()
    }

    /// Minutes from the start until the kinetic energy is a tenth of its peak again.
    pub fn fallen_off(&self) -> f64 {
        let peak = self.peak();
        let low = |s: &&PileState| s.time > peak.time && s.kinetic < 0.1 * peak.kinetic;
        self.samples.iter().find(low).map_or(f64::NAN, |s| s.time / MINUTE)
    }

    /// Of a pile that has not fallen yet.
    fn of(pile: &Pile, setup: &PileSetup) -> Self {
        let w = &pile.world;
        let (n, mass) = (w.bodies.len(), w.bodies.total_mass());
        let mean = |of: &dyn Fn(usize) -> f64| (0..n).map(of).sum::<f64>() / n as f64;
        let lattice = 1000.0 * n as f64;
        History {
            grains: n,
            friction: setup.friction,
            mass,
            diameter: mean(&|k| 2.0 * w.bodies.radius[k]),
            equal_diameter: mean(&|k| 2.0 * (0.75 / PI * w.volume(k)).cbrt()),
            lattice_density: mass / lattice,
            lattice_packing: (0..n).map(|k| w.volume(k)).sum::<f64>() / lattice,
            shells: vec![Shell::default(); SHELLS],
            force_density: vec![0.0; FORCES.bins],
            ..History::default()
        }
    }

    /// What is known at the end. `force`: a deliberate error of the pressure.
    fn finish(&mut self, pile: &mut Pile, force: f64) -> Result<(), CaseError> {
        let late: Vec<&PileState> = self.samples.iter().filter(|s| s.time > 125.5 * MINUTE).collect();
        let mean =
            |of: &dyn Fn(&PileState) -> f64| late.iter().map(|s| of(s)).sum::<f64>() / late.len() as f64;
        self.rest = PileState {
            time: pile.world.time(),
            kinetic: mean(&|s| s.kinetic),
            bearing: mean(&|s| s.bearing),
            within: std::array::from_fn(|k| mean(&|s| s.within[k])),
            packing: mean(&|s| s.packing),
            diameter: mean(&|s| s.diameter),
            pressure: mean(&|s| s.pressure) * force,
            overlap: late.iter().map(|s| s.overlap).fold(0.0, f64::max),
        };
        self.potential = pile.fields.potential_energy(&pile.world)?;
        self.axes = pile.equivalent_ellipsoid()?.0.to_array();
        // It was at rest at the start.
        let momenta = Momenta::of(&pile.world.bodies);
        let scale = (2.0 * self.peak().kinetic * self.grains as f64 * self.mass).sqrt();
        self.drift =
            [momenta.linear.length() / scale, momenta.angular.length() / (scale * 0.5 * self.rest.diameter)];
        let steps = pile.world.clock.step as f64;
        self.phases.values_mut().for_each(|seconds| *seconds /= steps);
        Ok(())
    }
}

/// A pile that has come to rest, with its history.
pub struct Settled {
    pub pile: Pile,
    pub history: History,
}

pub const MINUTE: f64 = 60.0;
/// How long a pile is followed, minutes: the paper's plateau begins at 125.
const MINUTES: u32 = 150;
/// The bins of the distribution of forces, up to six times the mean.
pub const FORCES: ForceDistribution = ForceDistribution { bins: 12, range: 6.0 };
const SHELLS: usize = 8;

/// The history of a pile: computed, or of an earlier run that has kept it.
pub fn history(
    case: &str,
    setup: PileSetup,
    options: &Options,
    rows: &Rows<ValidateRow>,
) -> Result<History, CaseError> {
    let name = setup.name();
    let found = options.piece(case, &name, || Ok(settle(case, setup, options, rows)?.history))?;
    Unfinished { options, case, name: &name }.remove()?;
    Ok(found)
}

/// Lets a pile fall together, with a sample each minute. Goes on where an earlier run with `--keep` was stopped, and leaves the
/// settled pile there.
pub fn settle(
    case: &str,
    setup: PileSetup,
    options: &Options,
    rows: &Rows<ValidateRow>,
) -> Result<Settled, CaseError> {
    let start = Instant::now();
    let unfinished = Unfinished { options, case, name: &setup.name() };
    let mut pile = setup.make(&options.wrong)?;
    let mut h = History::of(&pile, &setup);
    if let Some((world, earlier)) = unfinished.read()? {
        (pile, h) = (pile.of(world), earlier);
    }
    let late = f64::from(MINUTES - 125);
    for minute in h.samples.len() as u32 + 1..=MINUTES {
        pile.advance(f64::from(minute) * MINUTE)?;
        h.samples.push(pile.sample()?);
        if minute > 125 {
            let mut moment = pile.moment();
            let profile = RadialProfile { shells: SHELLS, radius: None }.of(&mut moment)?;
            let density = FORCES.density(&normal_forces(moment.contacts()?));
            for (sum, s) in h.shells.iter_mut().zip(profile) {
                sum.radius += s.radius / late;
                sum.packing += s.packing / late;
                sum.radial_stress += s.radial_stress / late;
                sum.tangential_stress += s.tangential_stress / late;
            }
            h.force_density.iter_mut().zip(density).for_each(|(sum, d)| *sum += d / late);
        }
        for (name, spent) in std::mem::take(&mut pile.report.phases) {
            *h.phases.entry(name.to_string()).or_default() += spent.as_secs_f64();
        }
        if minute % 10 == 0 {
            unfinished.write(&mut pile, &h)?;
        }
    }
    let factor = options.wrong.factor("force");
    h.finish(&mut pile, factor)?;
    // With the contact history, as if it had been read back.
    pile.method.sync(&mut pile.world, Extent::Whole)?;
    let unsolved = pile.report.counts.iter().find(|(name, _)| *name == UNSOLVED_STEPS).map_or(0, |(_, n)| *n);
    rows.note(format!(
        "{}: Z {:.2} bearing, {:.2?} within gaps of {GAPS:?} of the radius, packing {:.3}, {unsolved} steps unsolved; {:.0} s",
        setup.name(),
        h.rest.bearing,
        h.rest.within,
        h.rest.packing,
        start.elapsed().as_secs_f64(),
    ));
    Ok(Settled { pile, history: h })
}

/// A piece of a case that takes long and goes on where it was stopped: beside the file of its result, if `--keep` asks for
/// one, the world and what had been measured by then.
pub struct Unfinished<'a> {
    pub options: &'a Options,
    pub case: &'a str,
    pub name: &'a str,
}

impl Unfinished<'_> {
    /// The files of the measurements and of the world at some step.
    fn paths(&self, step: u64) -> Option<[PathBuf; 2]> {
        let result = self.options.path_of(self.case, self.name)?;
        let with = |end: &str| result.with_extension(end);
        Some([with("unfinished.json"), with(&format!("{step}.rpk"))])
    }

    pub fn read<T: DeserializeOwned>(&self) -> Result<Option<(World, T)>, CaseError> {
        let Some([measured, _]) = self.paths(0) else { return Ok(None) };
        if !measured.exists() {
            return Ok(None);
        }
        let fail = |e: &dyn std::fmt::Display| {
            CaseError::from(format!("{}: {e}; delete the file to start this piece again", measured.display()))
        };
        let text = std::fs::read_to_string(&measured).map_err(|e| fail(&e))?;
        let (step, found): (u64, T) = serde_json::from_str(&text).map_err(|e| fail(&e))?;
        let [_, path] = self.paths(step).unwrap_or_default();
        let (_, world) = checkpoint::read(&path).map_err(|e| fail(&e))?;
        Ok(Some((world, found)))
    }

    /// The world first, under a name of its own: whenever this is stopped, the measurements name a world that is there.
    pub fn write<T: Serialize>(&self, pile: &mut Pile, measured: &T) -> Result<(), CaseError> {
        let step = pile.world.clock.step;
        let Some([list, path]) = self.paths(step) else { return Ok(()) };
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        pile.method.sync(&mut pile.world, Extent::Whole)?;
        let meta = Meta { method: pile.method.name().into(), ..Meta::default() };
        checkpoint::write(&path, &meta, &pile.world)?;
        let before: Option<(u64, serde::de::IgnoredAny)> =
            std::fs::read_to_string(&list).ok().and_then(|text| serde_json::from_str(&text).ok());
        let new = list.with_extension("new");
        std::fs::write(&new, serde_json::to_string(&(step, measured))?)?;
        std::fs::rename(&new, &list)?;
        match before.and_then(|(step, _)| self.paths(step)) {
            Some([_, old]) if old != path => Ok(std::fs::remove_file(old)?),
            _ => Ok(()),
        }
    }

    /// Removes both files: the piece is finished.
    pub fn remove(&self) -> Result<(), CaseError> {
        let Some([list, _]) = self.paths(0) else { return Ok(()) };
        if let Ok(text) = std::fs::read_to_string(&list) {
            let (step, _): (u64, serde::de::IgnoredAny) = serde_json::from_str(&text)?;
            std::fs::remove_file(&list)?;
            if let Some([_, world]) = self.paths(step) {
                std::fs::remove_file(world)?;
            }
        }
        Ok(())
    }
}
