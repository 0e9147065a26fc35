//! A gas of hard spheres.

use glam::DVec3;
use rubblepile_core::{Fields, Method, Report, Rng, World};
use rubblepile_hard::{HardSpheres, Settings};
use rubblepile_validate::workload::gas::equal_spheres;

fn run(world: &mut World, until: f64) -> Report {
    let mut report = Report::default();
    HardSpheres::new(Settings::default())
        .advance(world, &mut Fields::default(), until, &mut report)
        .expect("a run");
    report
}

fn count(report: &Report, what: &str) -> u64 {
    report.counts.iter().find(|(name, _)| *name == what).map_or(0, |c| c.1)
}

#[test]
fn an_elastic_gas_keeps_energy_and_momentum_and_no_two_overlap() {
    for fraction in [0.1, 0.3, 0.5] {
        let mut world = equal_spheres(500, fraction, (1.0, 1.0), 1);
        world.clock.timestep = 0.7;
        let report = run(&mut world, 21.0);
        let b = &world.bodies;
        let (energy, _) = b.kinetic_energy();
        assert!((energy / 750.0 - 1.0).abs() < 1e-12, "{energy}");
        assert!(b.velocity.iter().sum::<glam::DVec3>().length() < 1e-11);
        let mut closest = f64::INFINITY;
        for i in 0..b.len() {
            for j in 0..i {
                closest = closest.min(world.domain.shortest(b.position[i] - b.position[j]).length());
            }
        }
        assert!(closest > 1.0 - 1e-12, "{closest}");
        assert!(count(&report, "collisions of grains") > 5000);
    }
}

#[test]
fn the_same_collisions_whatever_the_steps_of_the_drift() {
    // Drifts of different length see the same collisions as long as rounding has not grown to a difference.
    let collide = |h: f64| {
        let mut world = equal_spheres(200, 0.3, (0.9, 0.5), 2);
        world.clock.timestep = h;
        let report = run(&mut world, 1.0);
        let mut found: Vec<_> =
            world.bodies.id.iter().copied().zip(world.bodies.position.iter().copied()).collect();
        found.sort_by_key(|p| p.0);
        (count(&report, "collisions of grains"), found, world.domain)
    };
    let (n, once, domain) = collide(1.0);
    assert!(n > 300, "{n}");
    for h in [0.5, 0.1, 0.01] {
        let (m, many, _) = collide(h);
        assert_eq!(n, m);
        let off =
            once.iter().zip(&many).map(|(a, b)| domain.shortest(a.1 - b.1).length()).fold(0.0, f64::max);
        assert!(off < 1e-6, "{off}");
    }
}

#[test]
fn small_ones_among_large_ones_crowd_the_cells_and_nobody_is_lost() {
    // Cells have the size of the largest: a hundred of the small ones share one.
    let mut w = equal_spheres(500, 0.3, (1.0, 1.0), 3);
    let side = w.domain.period().x;
    for k in 0..w.bodies.len() {
        if k >= 20 {
            w.bodies.radius[k] = 0.1;
            w.bodies.mass[k] = 0.2f64.powi(3);
        }
    }
    // And many more small ones wherever there is room.
    let mut rng = Rng::new(8);
    while w.bodies.len() < 3000 {
        let x = DVec3::new(rng.uniform(), rng.uniform(), rng.uniform()) * side;
        let free = (0..w.bodies.len())
            .all(|k| w.domain.shortest(w.bodies.position[k] - x).length() > w.bodies.radius[k] + 0.101);
        if free {
            let row = w.bodies.push_sphere(x, 0.1, 6.0 / std::f64::consts::PI, 0, 0);
            w.bodies.velocity[row] = 2.0 * rng.direction();
        }
    }
    let before = w.bodies.kinetic_energy().0;
    w.clock.set_timestep(0.25);
    let report = run(&mut w, 2.0);
    assert!(count(&report, "collisions of grains") > 3000);
    assert!((w.bodies.kinetic_energy().0 / before - 1.0).abs() < 1e-12);
    for i in 0..w.bodies.len() {
        for j in 0..i {
            let gap = w.domain.shortest(w.bodies.position[i] - w.bodies.position[j]).length()
                - w.bodies.radius[i]
                - w.bodies.radius[j];
            assert!(gap > -1e-12, "{gap}");
        }
    }
}
