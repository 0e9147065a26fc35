//! What every field must get right whatever its speed: two bodies, shells, momentum, energies, threads, odd inputs.

use glam::DVec3;
use rubblepile_core::{Actions, Domain, Field, Fields, Frame, G, REUSE_ERROR, Report, Rng, Severity, World};
use rubblepile_gravity::{Accuracy, Centrifugal, Direct, Tree, Uniform, rms_relative_error};
use rubblepile_validate::workload::gravity::{rubble, uniform};

fn world(positions: &[DVec3], masses: &[f64]) -> World {
    let mut world = World::new(1.0);
    for (&x, &m) in positions.iter().zip(masses) {
        let row = world.bodies.push_sphere(x, 1.0, 1.0, 0, 0);
        world.bodies.mass[row] = m;
    }
    world
}

fn accelerations(field: &mut dyn Field, world: &World) -> Vec<DVec3> {
    let mut out = vec![DVec3::ZERO; world.bodies.len()];
    assert!(field.act(world, &mut Actions::on_bodies(&mut out)).is_ok());
    out
}

fn energy(field: &mut dyn Field, world: &World) -> f64 {
    field.potential_energy(world).unwrap_or(f64::NAN)
}

fn tree(error: f64) -> Tree {
    Tree::new(Accuracy::Error(error), 1, G)
}

#[test]
fn two_bodies_attract_by_newton() {
    let x = [DVec3::new(1.0, 2.0, 3.0), DVec3::new(4.0, 6.0, 3.0)];
    let w = world(&x, &[5e10, 2e11]);
    let exact = [G * 2e11 / 125.0 * (x[1] - x[0]), G * 5e10 / 125.0 * (x[0] - x[1])];
    let potential = -G * 5e10 * 2e11 / 5.0;
    assert!(rms_relative_error(&accelerations(&mut Direct::default(), &w), &exact) < 1e-15);
    assert!((energy(&mut Direct::default(), &w) / potential - 1.0).abs() < 1e-15);
    assert!(rms_relative_error(&accelerations(&mut tree(1e-3), &w), &exact) < 1e-6);
    assert!((energy(&mut tree(1e-3), &w) / potential - 1.0).abs() < 1e-6);
}

/// Outside a shell the field is that of its mass at the centre; inside there is none (Newton, Principia, I.XII).
#[test]
fn shell_theorem() {
    // A Fibonacci sphere is even enough for a per mille.
    let n = 20_000;
    let golden = std::f64::consts::PI * (3.0 - 5f64.sqrt());
    let mut x: Vec<DVec3> = (0..n)
        .map(|k| {
            let z = 1.0 - (2.0 * k as f64 + 1.0) / n as f64;
            let (r, phi) = ((1.0 - z * z).sqrt(), golden * k as f64);
            DVec3::new(r * phi.cos(), r * phi.sin(), z)
        })
        .collect();
    let mut m = vec![1.0 / n as f64; n];
    for test in [DVec3::new(2.0, 0.0, 0.0), DVec3::new(0.0, -3.0, 4.0), DVec3::new(0.3, 0.1, -0.5)] {
        x.push(test);
        m.push(1e-12);
    }
    let w = world(&x, &m);
    let a = accelerations(&mut Tree::new(Accuracy::Error(1e-4), 1, 1.0), &w);
    assert!((a[n] + DVec3::X / 4.0).length() < 1e-4 * 0.25, "{}", a[n]);
    assert!((a[n + 1] + DVec3::new(0.0, -0.6, 0.8) / 25.0).length() < 1e-4 / 25.0, "{}", a[n + 1]);
    assert!(a[n + 2].length() < 1e-3, "{}", a[n + 2]);
}

#[test]
fn direct_sum_keeps_momentum_and_angular_momentum() {
    let mut rng = Rng::new(2);
    let x = uniform(1500);
    let m: Vec<f64> = x.iter().map(|_| rng.range(1.0, 8000.0)).collect();
    let w = world(&x, &m);
    let a = accelerations(&mut Direct::new(1.0, 1), &w);
    let (mut force, mut torque, mut scale) = (DVec3::ZERO, DVec3::ZERO, 0.0);
    for k in 0..x.len() {
        force += m[k] * a[k];
        torque += m[k] * x[k].cross(a[k]);
        scale += m[k] * a[k].length();
    }
    assert!(force.length() < 1e-14 * scale, "{}", force.length() / scale);
    assert!(torque.length() < 1e-14 * scale, "{}", torque.length() / scale);
}

#[test]
fn the_same_bits_on_any_number_of_threads() {
    let x = rubble(30_000);
    let m: Vec<f64> = (0..x.len()).map(|k| 1.0 + (k % 7) as f64).collect();
    let w = world(&x, &m);
    let small = world(&x[..3000], &m[..3000]);
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.map(|pool| {
            pool.install(|| {
                let mut bits = Vec::new();
                for error in [1e-2, 1e-3, 1e-4] {
                    bits.push(accelerations(&mut tree(error), &w));
                }
                bits.push(accelerations(&mut Direct::default(), &small));
                (bits, energy(&mut tree(1e-3), &w), energy(&mut Direct::default(), &small))
            })
        })
        .ok()
    };
    let one = run(1);
    assert!(one.is_some());
    for threads in [2, 3, 4] {
        assert!(run(threads) == one, "{threads} threads differ from one");
    }
}

/// What a field keeps between calls is memory, not state.
#[test]
fn a_used_tree_gives_the_bits_of_a_fresh_one() {
    let mut used = tree(1e-3);
    for n in [5000, 17, 20_000, 0, 3000] {
        let x = uniform(n);
        let w = world(&x, &vec![1.0; n]);
        energy(&mut used, &w);
        assert!(accelerations(&mut used, &w) == accelerations(&mut tree(1e-3), &w), "{n} bodies");
    }
}

#[test]
fn potential_energy_agrees_with_the_direct_sum() {
    for (x, error) in [(uniform(4000), 1e-3), (rubble(4000), 1e-4), (rubble(3000), 1e-6)] {
        let w = world(&x, &vec![2.0; x.len()]);
        let exact = energy(&mut Direct::default(), &w);
        let found = energy(&mut tree(error), &w);
        assert!((found / exact - 1.0).abs() < error, "{error}: {}", found / exact - 1.0);
    }
}

#[test]
fn smaller_opening_angles_are_better() {
    let x = rubble(5000);
    let w = world(&x, &vec![1.0; x.len()]);
    let exact = accelerations(&mut Direct::default(), &w);
    let error = |angle: f64| {
        let found = accelerations(&mut Tree::new(Accuracy::Opening(angle), 1, G), &w);
        rms_relative_error(&found, &exact)
    };
    let errors = [0.9, 0.6, 0.4].map(error);
    assert!(errors[0] < 0.1 && errors[1] < 0.3 * errors[0] && errors[2] < 0.3 * errors[1], "{errors:?}");
}

#[test]
fn few_bodies_and_no_mass() {
    for n in 0..4 {
        let x: Vec<DVec3> = (0..n).map(|k| DVec3::new(k as f64, 0.5, -1.0)).collect();
        let massless = world(&x, &vec![0.0; n]);
        assert!(accelerations(&mut tree(1e-3), &massless).iter().all(|a| *a == DVec3::ZERO));
        let w = world(&x, &vec![1e9; n]);
        let exact = accelerations(&mut Direct::default(), &w);
        let found = accelerations(&mut tree(1e-3), &w);
        for (f, e) in found.iter().zip(&exact) {
            assert!((*f - *e).length() <= 1e-6 * e.length().max(G * 1e9), "{n}: {f} {e}");
        }
    }
}

/// Bodies at one point do not pull on each other, and still feel all the others.
#[test]
fn coincident_bodies_are_skipped() {
    let mut x = uniform(2000);
    x[..40].fill(DVec3::new(0.25, 0.5, -0.125));
    // Nearly at one point: the pair must come out in double precision.
    x[41] = x[42] + DVec3::new(1e-9, 0.0, 0.0);
    let w = world(&x, &vec![1.0; x.len()]);
    let exact = accelerations(&mut Direct::default(), &w);
    assert!(exact.iter().all(|a| a.is_finite()));
    for error in [1e-2, 1e-3, 1e-4, 1e-6] {
        let found = accelerations(&mut tree(error), &w);
        assert!(found.iter().all(|a| a.is_finite()));
        assert!(rms_relative_error(&found, &exact) < error, "{}", rms_relative_error(&found, &exact));
        assert!(energy(&mut tree(error), &w).is_finite());
    }
    let all_at_once = world(&[DVec3::ONE; 100], &[1.0; 100]);
    assert!(accelerations(&mut tree(1e-3), &all_at_once).iter().all(|a| *a == DVec3::ZERO));
    assert_eq!(energy(&mut tree(1e-3), &all_at_once), 0.0);
    assert_eq!(energy(&mut Direct::default(), &all_at_once), 0.0);
}

#[test]
fn a_lost_body_is_named() {
    let mut w = world(&uniform(100), &[1.0; 100]);
    for bad in [f64::NAN, f64::INFINITY] {
        w.bodies.position[42].y = bad;
        let mut out = vec![DVec3::ZERO; 100];
        for field in [&mut tree(1e-3) as &mut dyn Field, &mut Direct::default()] {
            let message = field.act(&w, &mut Actions::on_bodies(&mut out)).map_err(|e| e.to_string());
            assert!(message.is_err_and(|m| m.contains("body 42")));
        }
    }
}

#[test]
fn uniform_and_centrifugal_are_minus_the_slope_of_their_energy() {
    let x = DVec3::new(1.0, -2.0, 0.5);
    let rotation = DVec3::new(0.3, 0.1, -0.2);
    let mut fields: [Box<dyn Field>; 2] = [
        Box::new(Uniform { acceleration: DVec3::new(0.1, 0.2, -9.81) }),
        Box::new(Centrifugal { angular_velocity: rotation }),
    ];
    let h = 1e-4;
    for field in &mut fields {
        let a = accelerations(field.as_mut(), &world(&[x], &[3.0]))[0];
        for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
            let up = energy(field.as_mut(), &world(&[x + h * axis], &[3.0]));
            let down = energy(field.as_mut(), &world(&[x - h * axis], &[3.0]));
            assert!(((down - up) / (2.0 * h) - 3.0 * a.dot(axis)).abs() < 1e-8);
        }
    }
    let outward =
        accelerations(&mut Centrifugal { angular_velocity: DVec3::Z * 2.0 }, &world(&[DVec3::X], &[1.0]));
    assert_eq!(outward[0], DVec3::X * 4.0);
}

#[test]
fn advice() {
    let mut w = world(&uniform(10), &[1.0; 10]);
    assert!(tree(1e-3).check(&w).is_empty() && Direct::default().check(&w).is_empty());
    assert!(tree(-1.0).check(&w).iter().any(|a| a.severity == Severity::Fatal));
    assert!(tree(f64::NAN).check(&w).iter().any(|a| a.severity == Severity::Fatal));
    assert_eq!(Centrifugal { angular_velocity: DVec3::Z }.check(&w).len(), 1);
    w.frame = Frame::Rotating { angular_velocity: DVec3::Z };
    assert!(Centrifugal { angular_velocity: DVec3::Z }.check(&w).is_empty());
    w.domain = Domain::Periodic { min: -DVec3::ONE, max: DVec3::ONE, axes: [true; 3] };
    let warned = |a: Vec<rubblepile_core::Advice>| a.iter().any(|a| a.text.contains("periodic"));
    assert!(warned(tree(1e-3).check(&w)) && warned(Direct::default().check(&w)));
}

/// A pair that turns by 0.1 rad between two evaluations: the acceleration that is kept is off by half of that at either end.
#[test]
fn keeping_a_field_says_how_far_it_is_off() {
    let spin = 0.01;
    let turned = |angle: f64| {
        let at = DVec3::new(angle.cos(), angle.sin(), 0.0);
        [at, -at]
    };
    let mut world = world(&turned(0.0), &[1.0, 1.0]);
    let mut fields = Fields { list: vec![Box::new(Direct::new(G, 10))] };
    let mut report = Report::default();
    for step in 0..=10 {
        world.clock.step = step;
        world.bodies.position = turned(spin * step as f64).to_vec();
        world.bodies.velocity = world.bodies.position.iter().map(|x| (spin * DVec3::Z).cross(*x)).collect();
        fields.update(&mut world, step == 0, &mut report).unwrap();
    }
    let [(name, off)] = report.largest[..] else { panic!("{:?}", report.largest) };
    assert_eq!(name, REUSE_ERROR);
    assert!((off - 0.05_f64.sin()).abs() < 1e-12, "{off}");
}
