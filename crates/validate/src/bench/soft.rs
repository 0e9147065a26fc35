//! How fast soft spheres step: a settled bed, and a drum in which neighbours change.

use std::{collections::BTreeMap, path::Path, time::Instant};

use glam::DVec3;
use rubblepile_core::{
    Domain, Extent, Fields, Material, Method, Report, Rng, Surface, Wall, WallMotion, World,
    run::is_due,
    wall::{Cylinder, Plane},
};
use rubblepile_gravity::Uniform;
use rubblepile_io::generate::{GrainTable, table};
use rubblepile_soft::{STEPS_PER_CONTACT, Settings, SoftSpheres, shortest_contact_time};

use super::BenchRow;
use crate::cases::{Case, CaseError, Options, Rows};

/// The settled bed: 32,000 unit spheres (diameter, mass and gravity 1) on a floor, 30 x 30 periodic.
pub struct Bed {
    pub name: &'static str,
    pub rolls: bool,
}

/// A half-filled drum that turns.
pub struct Drum;

/// Beds of grains of one size, and of grains with some twenty times as large among them.
pub struct Sizes;

pub(super) const SIDE: f64 = 30.0;
const GRAINS: usize = 32_000;
const STEP: f64 = 3e-4;
/// So that a sphere of diameter 1 weighs 1.
pub(super) const DENSITY: f64 = 6.0 / std::f64::consts::PI;

fn material(rolls: bool) -> Material {
    // The torque limits are those of the peers' benchmark, 0.1 R_e F_N and 0.1 F_N, in our parameters.
    Material {
        name: "unit".into(),
        density: DENSITY,
        restitution_normal: 0.5,
        friction_sliding: 0.5,
        friction_rolling: if rolls { 0.2 } else { 0.0 },
        friction_twisting: if rolls { 1.6 } else { 0.0 },
        shape: if rolls { 0.5 } else { 0.0 },
        stiffness: Some(2e4),
        ..Material::default()
    }
}

fn gravity() -> Fields {
    Fields { list: vec![Box::new(Uniform { acceleration: -DVec3::Z })] }
}

fn steps(
    world: &mut World,
    method: &mut SoftSpheres,
    fields: &mut Fields,
    n: u64,
) -> Result<Report, CaseError> {
    let mut report = Report::default();
    let until = world.time() + n as f64 * world.clock.timestep;
    method.advance(world, fields, until, &mut report)?;
    debug_assert!(is_due(&world.clock, until));
    Ok(report)
}

/// A bed with its floor and periodic sides, without grains.
fn empty_bed(copies: usize, rolls: bool) -> World {
    let mut world = World::new(STEP);
    world.materials = vec![material(rolls)];
    world.groups = vec!["bed".into()];
    let side = SIDE * copies as f64;
    world.domain =
        Domain::Periodic { min: DVec3::ZERO, max: DVec3::new(side, side, 1.0), axes: [true, true, false] };
    let floor = Surface::Plane(Plane { point: DVec3::ZERO, normal: DVec3::Z });
    world.walls = vec![Wall::new(0, "floor", 0, floor)];
    world
}

/// Position, velocity and spin of every grain of the 30 x 30 bed.
pub(super) type BedState = Vec<[DVec3; 3]>;

/// Grains from a CSV file.
pub(super) fn read_grains(path: &Path) -> Result<GrainTable, CaseError> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    Ok(table::read(&text).map_err(|fault| format!("{}: {}", path.display(), fault.message))?)
}

/// Reads columns `x`, `y`, `z`, `vx`, ... and `wx`, ...
fn read_state(path: &Path) -> Result<BedState, CaseError> {
    let GrainTable { position, velocity, spin, .. } = read_grains(path)?;
    let missing = |what: &str| format!("{}: there are no columns of the {what}", path.display());
    let (v, w) = (velocity.ok_or_else(|| missing("velocity"))?, spin.ok_or_else(|| missing("spin"))?);
    Ok(position.into_iter().zip(v).zip(w).map(|((x, v), w)| [x, v, w]).collect())
}

/// Rains grains on the floor in a loose lattice and lets them settle.
pub(super) fn make_state() -> Result<BedState, CaseError> {
    let mut world = empty_bed(1, false);
    let mut rng = Rng::stream(1, "bench bed");
    // A little room, and a random push sideways, so that it packs at random.
    let (across, spacing) = (28, SIDE / 28.0);
    for k in 0..GRAINS {
        let cell = DVec3::new(
            (k % across) as f64 + 0.5,
            (k / across % across) as f64 + 0.5,
            (k / across / across) as f64 + 0.5,
        );
        let row = world.bodies.push_sphere(spacing * cell, 0.5, DENSITY, 0, 0);
        world.bodies.velocity[row] = 1.5 * rng.direction();
    }
    let mut method = SoftSpheres::new(Settings::default());
    steps(&mut world, &mut method, &mut gravity(), 15_000)?;
    let b = &world.bodies;
    Ok((0..b.len()).map(|k| [world.domain.wrap(b.position[k]), b.velocity[k], b.spin[k]]).collect())
}

impl Case for Bed {
    type Row = BenchRow;

    fn name(&self) -> &'static str {
        self.name
    }

    fn about(&self) -> &'static str {
        if self.rolls {
            "the same bed with rolling and twisting"
        } else {
            "a settled bed of 32,000 grains, sliding friction with history (--state FILE.csv, --n for copies of it)"
        }
    }

    fn run(&self, options: &Options, rows: &Rows<BenchRow>) -> Result<(), CaseError> {
        let state = match &options.state {
            Some(path) => read_state(path)?,
            None => make_state()?,
        };
        let wanted = options.n.unwrap_or(state.len()) as f64 / state.len().max(1) as f64;
        let copies = (wanted.sqrt().round() as usize).max(1);
        let mut world = empty_bed(copies, self.rolls);
        for a in 0..copies * copies {
            let shift = SIDE * DVec3::new((a % copies) as f64, (a / copies) as f64, 0.0);
            for [x, v, w] in &state {
                let row = world.bodies.push_sphere(*x + shift, 0.5, DENSITY, 0, 0);
                world.bodies.velocity[row] = *v;
                world.bodies.spin[row] = *w;
            }
        }
        drop(state);
        let n = world.bodies.len();
        let (warm, timed) = if n > 200_000 { (20, 40) } else { (1000, 500) };
        let (mut method, mut fields) = (SoftSpheres::new(Settings::default()), gravity());
        steps(&mut world, &mut method, &mut fields, warm)?;
        let mut row = best(self.name, &mut world, &mut method, &mut fields, timed)?;
        // With the history where a checkpoint has it, and before the contact table that only this bench wants.
        method.sync(&mut world, Extent::Whole)?;
        if let Some(peak) = peak_memory() {
            row.phases.insert("peak MiB".into(), peak);
        }
        let pairs = method.contacts(&world)?.iter().filter(|c| c.partner_row.is_some()).count();
        row.phases.insert("coordination".into(), 2.0 * pairs as f64 / n as f64);
        rows.push(row);
        Ok(())
    }
}

/// The most memory this process has had, MiB; known on Linux.
fn peak_memory() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|l| l.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse::<f64>().ok().map(|kib| kib / 1024.0)
}

/// The best of five stretches.
fn best(
    case: &str,
    world: &mut World,
    method: &mut SoftSpheres,
    fields: &mut Fields,
    timed: u64,
) -> Result<BenchRow, CaseError> {
    let n = world.bodies.len();
    let mut best: Option<(f64, Report)> = None;
    for _ in 0..5 {
        let start = Instant::now();
        let report = steps(world, method, fields, timed)?;
        let seconds = start.elapsed().as_secs_f64();
        if best.as_ref().is_none_or(|b| seconds < b.0) {
            best = Some((seconds, report));
        }
    }
    let (seconds, report) = best.ok_or("nothing was timed")?;
    let mut phases: BTreeMap<String, f64> =
        report.phases.iter().map(|(name, t)| (name.to_string(), t.as_secs_f64())).collect();
    for (name, count) in &report.counts {
        phases.insert((*name).to_string(), *count as f64);
    }
    Ok(BenchRow {
        case: case.into(),
        size: n as u64,
        threads: rayon::current_num_threads(),
        seconds,
        rate: n as f64 * timed as f64 / seconds,
        unit: "grain-steps/s".into(),
        phases,
    })
}

impl Case for Drum {
    type Row = BenchRow;

    fn name(&self) -> &'static str {
        "soft-flow"
    }

    fn about(&self) -> &'static str {
        "a half-filled turning drum: neighbours change (--n grains, default 20000)"
    }

    fn run(&self, options: &Options, rows: &Rows<BenchRow>) -> Result<(), CaseError> {
        let n = options.n.unwrap_or(20_000).max(100);
        // Half the drum at a packing of 0.55, a quarter as long as it is wide.
        let radius = (n as f64 / (0.55 * 6.0 * 0.5 * 0.5)).cbrt();
        let length = 0.5 * radius;
        let mut world = World::new(STEP);
        world.materials = vec![material(false)];
        world.groups = vec!["drum".into()];
        world.domain = Domain::Periodic {
            min: DVec3::new(-radius, 0.0, -radius),
            max: DVec3::new(radius, length, radius),
            axes: [false, true, false],
        };
        let drum = Surface::Cylinder(Cylinder { centre: DVec3::ZERO, axis: DVec3::Y, radius, length: None });
        let mut wall = Wall::new(0, "drum", 0, drum);
        // Froude number w^2 R / g of 0.05: a steady flow down the surface.
        let rate = (0.05 / radius).sqrt();
        wall.motion = WallMotion::Rotation { centre: DVec3::ZERO, axis: DVec3::Y, rate };
        world.walls = vec![wall];
        fill_drum(&mut world, n, radius, length)?;
        let settings = Settings::default();
        let shortest = shortest_contact_time(&world, &settings).ok_or("no contact time")?;
        world.clock.timestep = shortest.seconds / STEPS_PER_CONTACT;
        let (mut method, mut fields) = (SoftSpheres::new(settings), gravity());
        steps(&mut world, &mut method, &mut fields, 20_000)?;
        rows.push(best(self.name(), &mut world, &mut method, &mut fields, 1000)?);
        Ok(())
    }
}

impl Case for Sizes {
    type Row = BenchRow;

    fn name(&self) -> &'static str {
        "soft-sizes"
    }

    fn about(&self) -> &'static str {
        "beds with size ratios 1:1, 1:5 and 1:20: cost per contact"
    }

    fn run(&self, _options: &Options, rows: &Rows<BenchRow>) -> Result<(), CaseError> {
        for ratio in [1.0, 5.0, 20.0] {
            let mut world = mixed_bed(ratio);
            let (mut method, mut fields) = (SoftSpheres::new(Settings::default()), gravity());
            steps(&mut world, &mut method, &mut fields, 12_000)?;
            let mut row = best(self.name(), &mut world, &mut method, &mut fields, 300)?;
            let contacts = method.contacts(&world)?.len() as f64;
            row.rate = contacts * 300.0 / row.seconds;
            row.unit = "contact-steps/s".into();
            row.phases.insert("size ratio".into(), ratio);
            row.phases.insert("contacts a grain".into(), contacts / world.bodies.len() as f64);
            rows.push(row);
        }
        Ok(())
    }
}

/// About 20,000 small grains in a loose lattice, with large ones in place of some of them.
fn mixed_bed(ratio: f64) -> World {
    let mut world = empty_bed(2, false);
    let side = 2.0 * SIDE;
    let mut rng = Rng::stream(3, "bench sizes");
    let large = 0.5 * ratio;
    let mut centres = Vec::new();
    if ratio > 1.0 {
        let across = (side / (2.5 * large)).floor().min(4.0) as usize;
        for a in 0..across * across {
            let x = DVec3::new((a % across) as f64 + 0.5, (a / across) as f64 + 0.5, 0.0);
            centres.push(x * side / across as f64 + DVec3::Z * (large + 2.0));
        }
    }
    for &x in &centres {
        // Light, so that the large ones do not sink into the small.
        world.bodies.push_sphere(x, large, DENSITY / (ratio * ratio), 0, 0);
    }
    let (across, spacing) = (57, side / 57.0);
    for k in 0..20_000 {
        let cell = DVec3::new(
            (k % across) as f64 + 0.5,
            (k / across % across) as f64 + 0.5,
            (k / across / across) as f64 + 0.5,
        );
        let x = spacing * cell;
        if centres.iter().all(|c| world.domain.shortest(x - *c).length() > large + 0.51) {
            let row = world.bodies.push_sphere(x, 0.5, DENSITY, 0, 0);
            world.bodies.velocity[row] = 0.3 * rng.direction();
        }
    }
    world
}

/// A loose lattice in the lower part of the drum.
fn fill_drum(world: &mut World, n: usize, radius: f64, length: f64) -> Result<(), CaseError> {
    let along = (length / 1.02).floor() as usize;
    let step_y = length / along as f64;
    let mut rng = Rng::stream(2, "bench drum");
    let mut z = -radius;
    while z < radius {
        let half = (radius - 0.55).powi(2) - z * z;
        if half > 0.0 {
            let half = half.sqrt();
            let count = (2.0 * half / 1.03).floor() as usize;
            for a in 0..count {
                let x = -half + (a as f64 + 0.5) * 2.0 * half / count as f64;
                for b in 0..along {
                    if world.bodies.len() == n {
                        return Ok(());
                    }
                    let y = (b as f64 + 0.5) * step_y;
                    let row = world.bodies.push_sphere(DVec3::new(x, y, z), 0.5, DENSITY, 0, 0);
                    world.bodies.velocity[row] = rng.direction();
                }
            }
        }
        z += 1.03;
    }
    Err(format!("the drum holds {} grains, not {n}", world.bodies.len()).into())
}
