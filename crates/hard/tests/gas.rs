//! A gas of hard spheres.

use rubblepile_core::{Fields, Method, Report, World};
use rubblepile_hard::{HardSpheres, Settings, workload::gas};

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
        let mut world = gas(500, fraction, (1.0, 1.0), 1);
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
        let mut world = gas(200, 0.3, (0.9, 0.5), 2);
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
