//! How fast contact dynamics solves: one contact problem of spheres (workload N1), and pairs of polyhedra.

use std::{collections::BTreeMap, hint::black_box, path::Path, time::Instant};

use glam::DVec3;
use rubblepile_core::{Domain, Material, Surface, Wall, World, wall::Plane};
use rubblepile_geometry::{contact::Proximity, order::along_hilbert_curve};
use rubblepile_nonsmooth::{Settings, internals::IsolatedProblem};

use super::{
    BenchRow,
    soft::{DENSITY, SIDE, make_state, read_grains},
};
use crate::{
    cases::{Case, CaseError, Options, Rows},
    workload::pairs::sample_pairs,
};

/// One step from rest on the settled bed of `soft-s1`: its lowest layers, and all of it.
pub struct OneStep;

/// Pairs of boulders from bounding spheres that overlap to contact points.
pub struct Pairs;

const STEP: f64 = 0.01;
/// Pairs nearer than this are in contact; diameters are 1.
const REACH: f64 = 5e-4;
/// Spheres with their centre below this are the small problem.
const LOW: f64 = 4.0;
/// Sweeps after which the solution is evaluated.
const LOOKS: [u32; 4] = [50, 200, 500, 1000];
/// Floor impulses over weight that other programs were timed to, on the small problem.
const LOADS: [f64; 2] = [0.83, 0.95];
const MOST_SWEEPS: u32 = 3000;

/// Positions from a CSV file. A radius, where there is one, must be 0.5.
fn read_positions(path: &Path) -> Result<Vec<DVec3>, CaseError> {
    let table = read_grains(path)?;
    match table.radius.iter().flatten().find(|r| (**r - 0.5).abs() > 1e-9) {
        Some(r) => Err(format!("{}: a radius is {r}, not 0.5", path.display()).into()),
        None => Ok(table.position),
    }
}

fn problem(positions: &[DVec3], below: f64) -> Result<(IsolatedProblem, usize), CaseError> {
    let mut world = World::new(STEP);
    world.materials = vec![Material {
        name: "unit".into(),
        density: DENSITY,
        friction_sliding: 0.5,
        restitution_normal: 0.0,
        ..Material::default()
    }];
    world.groups = vec!["bed".into()];
    for x in positions.iter().filter(|x| x.z < below) {
        world.bodies.push_sphere(*x, 0.5, DENSITY, 0, 0);
    }
    let max = DVec3::new(SIDE, SIDE, 1.0);
    world.domain = Domain::Periodic { min: DVec3::ZERO, max, axes: [true, true, false] };
    let floor = Surface::Plane(Plane { point: DVec3::ZERO, normal: DVec3::Z });
    world.walls = vec![Wall::new(0, "floor", 0, floor)];
    // As a run sorts them.
    let order = along_hilbert_curve(&world.bodies.position, &world.bodies.id, 1.0);
    world.permute(&order);
    let bodies = world.bodies.len();
    if bodies == 0 {
        return Err(format!("there is no sphere below {below}").into());
    }
    Ok((IsolatedProblem::new(world, -DVec3::Z, REACH)?, bodies))
}

/// Seconds of `work` from a cold start: the best of `tries`.
fn best_time(problem: &mut IsolatedProblem, tries: usize, work: impl Fn(&mut IsolatedProblem)) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..tries {
        problem.restart();
        let start = Instant::now();
        work(problem);
        best = best.min(start.elapsed().as_secs_f64());
    }
    best
}

/// What a run does in a step, with so many sweeps as its limit.
fn solve(problem: &mut IsolatedProblem, sweeps: u32) {
    problem.solve(&Settings { tolerance: 0.0.into(), iterations: sweeps, ..Settings::default() });
}

impl OneStep {
    fn row(&self, problem: &mut IsolatedProblem, bodies: usize, low: bool) -> BenchRow {
        let weight = STEP * bodies as f64;
        let contacts = problem.contacts();
        let sweeps = LOOKS[0];
        let seconds = best_time(problem, 7, |p| p.sweep(sweeps));
        let start = Instant::now();
        problem.restart();
        let build = start.elapsed().as_secs_f64();
        let mut phases = BTreeMap::from([("bodies".into(), bodies as f64), ("build".into(), build)]);
        for look in LOOKS {
            problem.restart();
            solve(problem, look);
            phases.insert(format!("floor/weight after {look:4}"), problem.on_walls() / weight);
            phases.insert(format!("residual after {look:4}"), problem.residual());
        }
        for load in LOADS.into_iter().filter(|_| low) {
            // How many sweeps it takes is looked up first, so that looking is not timed.
            let needed = (2..MOST_SWEEPS).step_by(2).find(|&sweeps| {
                problem.restart();
                solve(problem, sweeps);
                problem.on_walls() >= load * weight
            });
            if let Some(needed) = needed {
                phases.insert(format!("sweeps to floor {load}"), f64::from(needed));
                phases
                    .insert(format!("seconds to floor {load}"), best_time(problem, 5, |p| solve(p, needed)));
            }
        }
        BenchRow {
            case: self.name().into(),
            size: contacts as u64,
            threads: rayon::current_num_threads(),
            seconds,
            rate: contacts as f64 * f64::from(sweeps) / seconds,
            unit: "contact updates/s".into(),
            phases,
        }
    }
}

impl Case for OneStep {
    type Row = BenchRow;

    fn name(&self) -> &'static str {
        "contact-n1"
    }

    fn about(&self) -> &'static str {
        "one step of contact dynamics on the settled bed: rate of plain sweeps, load on the floor as solved (--state FILE.csv: x, y, z)"
    }

    fn run(&self, options: &Options, rows: &Rows<BenchRow>) -> Result<(), CaseError> {
        let positions = match &options.state {
            Some(path) => read_positions(path)?,
            None => make_state()?.into_iter().map(|[x, ..]| x).collect(),
        };
        let one = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
        for below in [LOW, f64::INFINITY] {
            let (mut problem, bodies) = problem(&positions, below)?;
            rows.push(one.install(|| self.row(&mut problem, bodies, below.is_finite())));
            if rayon::current_num_threads() > 1 {
                rows.push(self.row(&mut problem, bodies, below.is_finite()));
            }
        }
        Ok(())
    }
}

impl Case for Pairs {
    type Row = BenchRow;

    fn name(&self) -> &'static str {
        "polyhedron-pairs"
    }

    fn about(&self) -> &'static str {
        "contact points of pairs of boulders with 12 and 40 vertices, one thread (--n pairs, default 5000)"
    }

    fn run(&self, options: &Options, rows: &Rows<BenchRow>) -> Result<(), CaseError> {
        let count = options.n.unwrap_or(5000).max(1);
        for vertices in [12, 40] {
            let sample = sample_pairs(count, vertices, 1);
            let (mut seconds, mut near, mut points) = (f64::INFINITY, 0u32, 0);
            for _ in 0..9 {
                let start = Instant::now();
                (near, points) = (0, 0);
                for &[i, j] in &sample.pairs {
                    if let Proximity::Near(m) = black_box(sample.touch(i, j)) {
                        near += 1;
                        points += m.points.len();
                    }
                }
                seconds = seconds.min(start.elapsed().as_secs_f64());
            }
            let phases = BTreeMap::from([
                ("corners".into(), f64::from(vertices)),
                ("part in contact".into(), f64::from(near) / count as f64),
                ("points a contact".into(), points as f64 / f64::from(near.max(1))),
            ]);
            rows.push(BenchRow {
                case: self.name().into(),
                size: count as u64,
                threads: 1,
                seconds,
                rate: count as f64 / seconds,
                unit: "pairs/s".into(),
                phases,
            });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_found_by_name_and_bad_tables_are_refused() -> Result<(), CaseError> {
        let path = std::env::temp_dir().join(format!("rubblepile-n1-{}.csv", std::process::id()));
        let read = |text: &str| {
            std::fs::write(&path, text)?;
            read_positions(&path)
        };
        assert_eq!(read("id,z,x,y\n7,3,1,2\n\n")?, [DVec3::new(1.0, 2.0, 3.0)]);
        assert_eq!(read("x,y,z,radius\n1,2,3,0.5\n")?.len(), 1);
        for (bad, part) in [
            ("x,y\n1,2\n", "`z`"),
            ("x,y,z\n1,2\n", "line 2"),
            ("x,y,z\n1,2,nan\n", "line 2"),
            ("x,y,z,radius\n1,2,3,0.4\n", "radius"),
        ] {
            assert!(read(bad).is_err_and(|e| e.to_string().contains(part)), "{bad}");
        }
        std::fs::remove_file(&path)?;
        Ok(())
    }
}
