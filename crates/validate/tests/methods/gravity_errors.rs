//! The tree keeps its promise: the rms relative error against the direct sum is at or below the target, for bodies that
//! lie in many ways. Not covered, because it does not always hold: bodies without mass inside a hollow shell, where
//! the field cancels and a few bodies make the whole rms. Over 12 seeds at four targets, 3 of 48 exceeded the
//! target, by a third at most.

use glam::DVec3;
use rubblepile_core::{Actions, Field, Rng, World};
use rubblepile_gravity::{Accuracy, Tree, direct_sample, rms_relative_error};
use rubblepile_validate::workload::gravity::{rubble, uniform};

fn world(positions: &[DVec3], masses: &[f64]) -> World {
    let mut world = World::new(1.0);
    for (&x, &m) in positions.iter().zip(masses) {
        let row = world.bodies.push_sphere(x, 1.0, 1.0, 0, 0);
        world.bodies.mass[row] = m;
    }
    world
}

fn equal(n: usize) -> Vec<f64> {
    vec![1.0 / n as f64; n]
}

/// Measured error of the tree over its target.
fn ratio(positions: &[DVec3], masses: &[f64], target: f64) -> f64 {
    let rows: Vec<usize> = (0..positions.len()).collect();
    let exact = direct_sample(positions, masses, &rows, 1.0);
    let mut found = vec![DVec3::ZERO; positions.len()];
    let result = Tree::new(Accuracy::Error(target), 1, 1.0)
        .act(&world(positions, masses), &mut Actions::on_bodies(&mut found));
    assert!(result.is_ok());
    assert!(found.iter().all(|a| a.is_finite()));
    rms_relative_error(&found, &exact) / target
}

/// Each target on one distribution; `least` guards against giving speed away where the distribution is ordinary.
fn holds(name: &str, positions: &[DVec3], masses: &[f64], least: f64) {
    let ratios = [1e-2, 1e-3, 1e-4, 1e-6].map(|target| (target, ratio(positions, masses, target)));
    println!("{name}: {ratios:?}");
    for (target, ratio) in ratios {
        assert!(ratio <= 1.0, "{name}: error {ratio} times the target {target}");
        // At one per cent the opening angle decides, not the tolerance.
        let least = if target > 5e-3 { 0.5 * least } else { least };
        assert!(ratio >= least, "{name}: error only {ratio} of the target {target}");
    }
}

const N: usize = 6000;

#[test]
fn uniform_sphere() {
    holds("uniform", &uniform(N), &equal(N), 0.2);
}

#[test]
fn packed_rubble() {
    holds("rubble", &rubble(N), &equal(N), 0.2);
}

/// A dense core and a thin halo (Plummer 1911): densities over eight decades.
#[test]
fn strong_cluster() {
    let mut rng = Rng::new(3);
    let x: Vec<DVec3> =
        (0..N).map(|_| rng.direction() / (rng.range(1e-6, 0.999).powf(-2.0 / 3.0) - 1.0).sqrt()).collect();
    holds("plummer", &x, &equal(N), 0.0);
}

/// Density rising to the centre as r^-2.5, without a core: the innermost bodies are 1e7 times nearer than the outer.
#[test]
fn cusp() {
    let mut rng = Rng::new(4);
    let x: Vec<DVec3> = (0..N).map(|_| rng.direction() * rng.uniform().powi(2)).collect();
    holds("cusp", &x, &equal(N), 0.0);
}

/// Nothing in the middle, where the field nearly cancels.
#[test]
fn hollow_core() {
    for seed in [1, 6, 9] {
        let mut rng = Rng::new(seed);
        let x: Vec<DVec3> = (0..N).map(|_| (0.05 + 0.95 * rng.uniform()) * rng.direction()).collect();
        holds("hollow core", &x, &equal(N), 0.0);
    }
}

#[test]
fn two_clumps() {
    let x: Vec<DVec3> = uniform(N)
        .iter()
        .enumerate()
        .map(|(k, x)| *x + DVec3::X * if k % 3 == 0 { 30.0 } else { 0.0 })
        .collect();
    holds("two clumps", &x, &equal(N), 0.0);
}

/// Many small clumps with empty space between.
#[test]
fn many_clumps() {
    let mut rng = Rng::new(5);
    let centres: Vec<DVec3> = (0..100).map(|_| rng.direction() * rng.uniform().cbrt()).collect();
    let x: Vec<DVec3> =
        (0..N).map(|k| centres[k % 100] + 0.003 * rng.direction() * rng.uniform().cbrt()).collect();
    holds("many clumps", &x, &equal(N), 0.0);
}

/// Sizes 1:20 with equal density.
#[test]
fn masses_of_one_to_eight_thousand() {
    let mut rng = Rng::new(7);
    let m: Vec<f64> = (0..N).map(|_| 10f64.powf(rng.range(0.0, 8000f64.log10()))).collect();
    holds("rubble with many masses", &rubble(N), &m, 0.0);
    let m: Vec<f64> = (0..N).map(|k| if k % 100 == 0 { 8000.0 } else { 1.0 }).collect();
    holds("uniform with two masses", &uniform(N), &m, 0.0);
}

#[test]
fn one_body_far_away() {
    for distance in [1e4, 1e9] {
        let mut x = rubble(N);
        x[N / 2] = DVec3::new(0.6, -0.64, 0.48) * distance;
        holds("far body", &x, &equal(N), 0.0);
    }
}

#[test]
fn on_a_line_and_on_a_plane() {
    let mut rng = Rng::new(11);
    let line: Vec<DVec3> = (0..N).map(|_| DVec3::new(1.0, 2.0, -0.5) * rng.uniform()).collect();
    holds("line", &line, &equal(N), 0.0);
    let plane: Vec<DVec3> = (0..N).map(|_| DVec3::new(rng.uniform(), 0.25, rng.uniform())).collect();
    holds("plane", &plane, &equal(N), 0.0);
}

#[test]
fn far_from_the_origin_and_turned() {
    let turn = glam::DQuat::from_axis_angle(DVec3::new(1.0, 2.0, 3.0).normalize(), 0.7);
    let x: Vec<DVec3> = rubble(N).iter().map(|x| 1e-3 * (turn * *x) + DVec3::new(1e5, -2e5, 3e4)).collect();
    let ratio = ratio(&x, &equal(N), 1e-3);
    assert!(ratio <= 1.0, "{ratio}");
}

#[test]
fn small_numbers_of_bodies() {
    for n in [2, 3, 15, 16, 17, 33, 100, 300, 1000] {
        let x = uniform(n);
        for target in [1e-3, 1e-4] {
            let ratio = ratio(&x, &equal(n), target);
            assert!(ratio <= 1.0, "{n} bodies: {ratio} times {target}");
        }
    }
}
