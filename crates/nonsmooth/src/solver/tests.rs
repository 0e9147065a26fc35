use glam::DVec3;
use rubblepile_core::{Material, Rng, Surface, Wall, World, wall::Plane};

use crate::{Settings, Solver, internals::IsolatedProblem};

/// A loose heap of spheres of mixed size on a floor, pressed from the side and from above.
fn heap(friction: f64, rolling: f64) -> IsolatedProblem {
    let mut world = World::new(0.01);
    world.materials.push(Material {
        friction_sliding: friction,
        friction_rolling: rolling,
        friction_twisting: 0.5 * rolling,
        shape: 1.0,
        restitution_normal: 0.0,
        ..Material::default()
    });
    let mut rng = Rng::new(3);
    for x in 0..5 {
        for y in 0..5 {
            for z in 0..4 {
                let site = DVec3::new(x as f64 + 0.5 * (z % 2) as f64, y as f64, 0.5 + 0.86 * z as f64);
                let jitter = 0.02 * DVec3::new(rng.normal(), rng.normal(), rng.normal());
                world.bodies.push_sphere(site + jitter, 0.5 * rng.range(0.98, 1.02), 1000.0, 0, 0);
            }
        }
    }
    world.walls.push(Wall::new(
        0,
        "floor",
        0,
        Surface::Plane(Plane { point: DVec3::ZERO, normal: DVec3::Z }),
    ));
    IsolatedProblem::new(world, DVec3::new(0.1, 0.05, -1.0), 0.05).expect("spheres")
}

#[test]
fn the_three_solvers_agree() {
    for (friction, rolling, tolerance) in [(0.0, 0.0, 1e-8), (0.5, 0.0, 1e-4), (0.5, 0.1, 1e-4)] {
        let mut heap = heap(friction, rolling);
        let mut solved = Vec::new();
        for solver in [Solver::GaussSeidel, Solver::AcceleratedGradient, Solver::SpectralGradient] {
            heap.restart();
            let settings =
                Settings { solver, tolerance: tolerance.into(), iterations: 50_000, ..Settings::default() };
            let outcome = heap.solve(&settings);
            assert!(outcome.solved, "{solver:?} with friction {friction}, rolling {rolling}: {outcome:?}");
            solved.push(heap.velocities());
        }
        // Impulses in a rigid packing are not unique, velocities are: root mean square of what they differ by, over the
        // speed that the step's force gives.
        let load = 0.01 * DVec3::new(0.1, 0.05, -1.0).length();
        for other in &solved[1..] {
            let squares: f64 = solved[0].iter().zip(other).map(|(a, b)| (*a - *b).length_squared()).sum();
            let apart = (squares / other.len() as f64).sqrt() / load;
            // A residual leaves open what it does not see: soft modes of the heap, a few hundred times softer than one
            // contact.
            assert!(apart < 200.0 * tolerance, "friction {friction}, rolling {rolling}: {apart:e}");
        }
    }
}

#[test]
fn a_solution_obeys_signorini_and_coulomb() {
    let mut heap = heap(0.4, 0.0);
    let settings = Settings { tolerance: 1e-5.into(), iterations: 100_000, ..Settings::default() };
    let outcome = heap.solve(&settings);
    assert!(outcome.solved, "{outcome:?}");
    let (mut pushing, mut sliding) = (0, 0);
    let slack = 0.01 * 1e-3;
    for ((p, u), n) in heap.impulses().iter().zip(heap.relative_velocities()).zip(heap.normals()) {
        let (pn, un) = (p.dot(n), u.dot(n));
        let (pt, ut) = ((*p - n * pn).length(), (u - n * un).length());
        assert!(pn >= 0.0 && un > -slack, "{pn} {un}");
        assert!(pn == 0.0 || un < slack, "pushes only what touches: {un}");
        assert!(pt <= 0.4 * pn * (1.0 + 1e-12));
        if pn > 0.0 && ut > 10.0 * slack {
            assert!(pt > 0.4 * pn * (1.0 - 1e-6), "what slides is at the limit: {}", pt / pn);
            sliding += 1;
        }
        pushing += usize::from(pn > 0.0);
    }
    assert!(pushing > 100 && sliding > 5, "{pushing} {sliding}");
}
