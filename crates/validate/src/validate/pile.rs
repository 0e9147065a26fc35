//! Piles that accrete under contact dynamics, and their measurements: shared by the cases of accretion and spin-up.

use std::time::Instant;

use glam::DVec3;
use rubblepile_core::{Fields, Measure, Method, Report, World, event, method::edit, run::Engine};
use rubblepile_probe::{momentum::Momenta, stress::moment_tensor, touching::pairs};

use super::ValidateRow;
use crate::{
    cases::{CaseError, Rows},
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

    pub fn make(&self) -> Result<Pile, CaseError> {
        let PileSetup { seed, side, friction, timestep, every, tolerance, .. } = *self;
        let n = self.grains();
        let half = 5 * side;
        let gravity = match n {
            0..5000 => format!("direct = {{ every = {every} }}"),
            _ => format!("tree = {{ error = 1e-3, every = {every} }}"),
        };
        let iterations = if tolerance < 1e-3 { 10_000 } else { 100 };
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
            restitution = {{ normal = 0 }}
            friction = {{ sliding = {friction} }}
            cohesion_range = "1 cm"
            [[grains]]
            name = "pile"
            count = {n}
            {shape}
            size = {{ uniform_volume = {{ min = "3.75 m", max = "5 m" }} }}
            place = {{ lattice = {{ kind = "cubic", spacing = "10 m",
                region = {{ box = {{ min = [-{half}, -{half}, -{half}], max = [{half}, {half}, {half}] }} }} }} }}
            "#
        );
        let Engine { world, method, fields, .. } = simulation("the accretion", &text, &[])?;
        Ok(Pile { world, method, fields, report: Report::new(Measure::ALL) })
    }
}

/// A pile on its way.
pub struct Pile {
    pub world: World,
    pub method: Box<dyn Method>,
    pub fields: Fields,
    pub report: Report,
}

/// A pile at one moment.
#[derive(Debug, Clone, Copy, Default)]
pub struct PileState {
    /// s
    pub time: f64,
    /// Kinetic energy over the number of bodies, J.
    pub kinetic: f64,
    pub coordination: f64,
    /// Of the sphere that encloses all bodies.
    pub packing: f64,
    pub diameter: f64,
    /// Eqs (19), (20): a third of the trace, in that sphere, Pa.
    pub pressure: f64,
    /// Deepest overlap over the smaller radius.
    pub overlap: f64,
}

impl Pile {
    pub fn advance(&mut self, until: f64) -> Result<(), CaseError> {
        self.method.advance(&mut self.world, &mut self.fields, until, &mut self.report)?;
        Ok(())
    }

    pub fn sample(&mut self) -> Result<PileState, CaseError> {
        let contacts = self.method.contacts(&self.world)?;
        let w = &self.world;
        let n = w.bodies.len() as f64;
        let (t, r) = w.bodies.kinetic_energy();
        let sphere = rubblepile_probe::volume::sphere_of(w)?.ok_or("no bodies")?;
        let solid: f64 = (0..w.bodies.len()).map(|k| w.volume(k)).sum();
        let tensor = moment_tensor(&contacts);
        let radius = |row: u32| w.bodies.radius[row as usize];
        let overlap = contacts
            .iter()
            .map(|c| c.overlap / c.partner_row.map_or(radius(c.row), |p| radius(p).min(radius(c.row))))
            .fold(0.0, f64::max);
        Ok(PileState {
            time: w.time(),
            kinetic: (t + r) / n,
            coordination: 2.0 * pairs(w, &contacts)?.iter().map(|p| f64::from(p.constraints)).sum::<f64>()
                / n,
            packing: solid / sphere.volume(),
            diameter: 2.0 * sphere.radius,
            pressure: (tensor[0] + tensor[1] + tensor[2]) / (3.0 * sphere.volume()),
            overlap,
        })
    }

    pub fn momenta(&self) -> Momenta {
        Momenta::of(&self.world.bodies)
    }

    pub fn add_spin(&mut self, spin: DVec3) -> Result<(), CaseError> {
        self.change(&rubblepile_core::event::AddSpin { group: None, spin: spin.into() }.into())
    }

    /// An event, as the run loop carries it out.
    pub fn change(&mut self, action: &rubblepile_core::Action) -> Result<(), CaseError> {
        edit(self.method.as_mut(), &mut self.world, |world| event::apply(action, world))?;
        Ok(())
    }
}

/// A pile that has come to rest, with its samples.
pub struct Settled {
    pub pile: Pile,
    pub samples: Vec<PileState>,
    /// Mean over the samples past 125 minutes.
    pub rest: PileState,
}

pub const MINUTE: f64 = 60.0;

/// Lets a pile fall together for `minutes`, with a sample each minute.
pub fn settle(plan: PileSetup, minutes: u32, rows: &Rows<ValidateRow>) -> Result<Settled, CaseError> {
    let start = Instant::now();
    let mut pile = plan.make()?;
    let mut samples = Vec::new();
    for minute in 1..=minutes {
        pile.advance(f64::from(minute) * MINUTE)?;
        samples.push(pile.sample()?);
    }
    let late: Vec<&PileState> = samples.iter().filter(|s| s.time > 124.5 * MINUTE).collect();
    let mean = |of: fn(&PileState) -> f64| late.iter().map(|s| of(s)).sum::<f64>() / late.len() as f64;
    let rest = PileState {
        time: samples.last().map_or(0.0, |s| s.time),
        kinetic: mean(|s| s.kinetic),
        coordination: mean(|s| s.coordination),
        packing: mean(|s| s.packing),
        diameter: mean(|s| s.diameter),
        pressure: mean(|s| s.pressure),
        overlap: late.iter().map(|s| s.overlap).fold(0.0, f64::max),
    };
    let seconds = start.elapsed().as_secs_f64();
    rows.note(format!(
        "{} {} with friction {}: Z {:.2}, packing {:.3}; {seconds:.0} s, {:.1} ms per step",
        plan.grains(),
        if plan.polyhedra { "polyhedra" } else { "spheres" },
        plan.friction,
        rest.coordination,
        rest.packing,
        1e3 * seconds / pile.world.clock.step as f64
    ));
    Ok(Settled { pile, samples, rest })
}
