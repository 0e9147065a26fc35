//! `compaction`: example 2 of meshfree-2016, sand-like grains that fall together, are pressed and sheared.

use glam::DVec2;
use rubblepile_core::{Deformation, GrainState, World, run::Engine};
use rubblepile_meshfree::{
    Settings, grains,
    scene::PreparedSample,
    step::{self, Stepper},
};

use super::{ValidateRow, hopper::Alone};
use crate::{
    cases::{Case, CaseError, Options, Rows},
    scenario::simulation,
};

pub struct Compaction;

/// A scenario of this experiment: its name and text, when grains lie, when they are pressed, when the box has its last shape, and when all
/// ends, s.
struct Phases {
    name: &'static str,
    text: &'static str,
    ends: [f64; 4],
    /// Largest distance of what touches, m.
    gap: f64,
}

const SMALL: Phases = Phases {
    name: "scenarios/sand-compaction.toml",
    text: include_str!("../../scenarios/sand-compaction.toml"),
    ends: [16.0, 36.0, 56.0, 60.0],
    gap: 1e-5,
};
const WHOLE: Phases = Phases {
    name: "scenarios/compaction.toml",
    text: include_str!("../../scenarios/compaction.toml"),
    ends: [120.0, 180.0, 320.0, 360.0],
    gap: 1e-6,
};

const PAPER: &str = "meshfree-2016, figure 10";

/// Runs on to a time; gives the stresses of the grains there.
fn follow(run: &mut Engine, until: f64) -> Result<Deformation, CaseError> {
    run.end = until;
    run.run(&mut Alone)?;
    run.method.deformation(&run.world)?.ok_or_else(|| "there are no deformable grains".into())
}

/// Of the nodes on outlines, those that bear a pressure.
fn share(world: &World, felt: &Deformation) -> f64 {
    let outlines: usize = grains(world).iter().map(|g| g.reference.boundary).sum();
    felt.touching.iter().filter(|t| **t).count() as f64 / outlines as f64
}

/// Energy of the grains, with heat and without what walls have brought in, J.
fn energy(run: &Engine, felt: &Deformation) -> f64 {
    let pull = run.fields.uniform().truncate();
    let of_grain = |g: &GrainState| g.kinetic + g.elastic - g.mass * pull.dot(g.centre);
    let lost = &run.world.dissipation;
    felt.grains.iter().map(of_grain).sum::<f64>() + lost.total() - lost.wall_work
}

/// The energy missing at the end, over the work of walls, with half the time step.
fn missing_at_half_the_step(plan: &Phases, timestep: f64) -> Result<f64, CaseError> {
    let shorter = format!("method.meshfree.timestep=\"{} s\"", 0.5 * timestep);
    let mut run = simulation(plan.name, plan.text, &[shorter])?;
    let felt = follow(&mut run, 0.0)?;
    let at_start = energy(&run, &felt);
    let felt = follow(&mut run, plan.ends[3])?;
    Ok((energy(&run, &felt) - at_start) / run.world.dissipation.wall_work)
}

/// The next step from here with every loop of Newton-Raphson driven to its end and every tangent made anew, as the paper does: orders of
/// convergence, of three changes of displacements in a row. (Residuals tell less: contacts are stiffer than grains by powers of ten, and rounding
/// of places leaves residuals of 1e-10 in them.)
fn orders(
    world: &World,
    settings: &Settings,
    gravity: DVec2,
    log: &Rows<ValidateRow>,
) -> Result<Vec<f64>, CaseError> {
    let mut scene = PreparedSample::new(world, settings, None)?;
    scene.set_gravity(gravity);
    scene.place_walls(world, world.time());
    let solver = step::Settings { slack: 0.0, stale: 0.0, newton: 40, ..settings.resolve(world) };
    let state = scene.state(world, solver.reach);
    let mut stepper = Stepper::new(solver);
    let effort = stepper.advance(&mut scene.sample, &state, world.clock.timestep, |_, _| {})?.1;
    let mut found = Vec::new();
    for (residuals, steps) in effort.residuals.iter().zip(&effort.steps) {
        let list = |all: &[f64]| all.iter().map(|x| format!("{x:.1e}")).collect::<Vec<_>>().join(", ");
        log.note(format!("residuals {}; steps, m: {}", list(residuals), list(steps)));
        for w in steps.windows(3) {
            // Before, who touches is not settled; behind is rounding.
            if w[0] < 0.1 && w[1] < 0.1 * w[0] && w[2] < 0.1 * w[1] && w[2] > 1e-12 {
                found.push((w[2] / w[1]).ln() / (w[1] / w[0]).ln());
            }
        }
    }
    Ok(found)
}

impl Case for Compaction {
    type Row = ValidateRow;

    fn name(&self) -> &'static str {
        "compaction"
    }

    fn about(&self) -> &'static str {
        "deformable sand settles, is compressed and sheared: nodes in contact (--full: a hundred grains, an hour)"
    }

    fn run(&self, options: &Options, rows: &Rows<ValidateRow>) -> Result<(), CaseError> {
        let plan = if options.full { WHOLE } else { SMALL };
        let push = |what: &str, reference: f64, ours: f64, tolerance: f64, source: &str| {
            rows.push(ValidateRow::new(self.name(), what.to_string(), reference, ours, tolerance, source));
        };
        let mut run = simulation(plan.name, plan.text, &[])?;
        let [lie, pressed, sheared, end] = plan.ends;
        // Without `full` the run is made again with half the step.
        let whole = if options.full { 1.0 / end } else { 1.0 / (3.0 * end) };
        let at_start = follow(&mut run, 0.0)?;
        let energy_at_start = energy(&run, &at_start);
        let felt = follow(&mut run, lie)?;
        rows.progress(whole * lie);
        let deposited = share(&run.world, &felt);
        if options.full {
            // It goes with the weight of what lies above, so that twelve grains have less.
            push("share of nodes in contact, deposited", 0.13, deposited, 0.03, PAPER);
        }
        let area = |felt: &Deformation| felt.grains.iter().map(|g| g.area).sum::<f64>();
        let before = area(&felt);
        let felt = follow(&mut run, pressed)?;
        let compressed = share(&run.world, &felt);
        let mut gap = felt.largest_gap;
        let kept = area(&felt) / before;
        rows.progress(whole * pressed);
        push("share of nodes in contact, pressed", 0.37, compressed, 0.03, PAPER);
        push("area of the grains pressed, over that before", 1.0, kept, 0.05, "Poisson's ratio is 0.49");
        let settings = Settings {
            residual: 1e-12.into(),
            gap: plan.gap.into(),
            contact_stiffness: 1e4.into(),
            watch_distance: 1.5.into(),
            mass_damping: 0.01.into(),
            stiffness_damping: 0.1.into(),
            ..Settings::default()
        };
        let orders = orders(&run.world, &settings, run.fields.uniform().truncate(), rows)?;
        let order = orders.iter().sum::<f64>() / orders.len() as f64;
        push("order of convergence of Newton-Raphson", 2.0, order, 0.4, "meshfree-2016: quadratic");
        rows.note(format!("nodes in contact: {deposited:.3} deposited, {compressed:.3} pressed"));
        let mut in_shear = Vec::new();
        for k in 1..=10 {
            let felt = follow(&mut run, pressed + f64::from(k) * (sheared - pressed) / 10.0)?;
            rows.progress(whole * run.end);
            in_shear.push(share(&run.world, &felt));
            gap = gap.max(felt.largest_gap);
        }
        let felt = follow(&mut run, end)?;
        rows.note(format!("in shear {in_shear:.3?}, at the end {:.3}", share(&run.world, &felt)));
        rows.progress(whole * end);
        let mean = in_shear.iter().sum::<f64>() / in_shear.len() as f64;
        let missing = (energy(&run, &felt) - energy_at_start) / run.world.dissipation.wall_work;
        push("share of nodes in contact, mean in shear", 0.375, mean, 0.025, PAPER);
        push("largest distance of what touches, over that asked for", 0.0, gap / plan.gap, 1.0, "ours");
        push("energy missing at the end, over the work of walls", 0.0, missing, 0.03, "conservation");
        if !options.full {
            let half = missing_at_half_the_step(&plan, run.world.clock.timestep)?;
            let what = "energy missing with half the step, over that with the whole";
            push(what, 0.5, half / missing, 0.25, "the error of the step");
        }
        Ok(())
    }
}
