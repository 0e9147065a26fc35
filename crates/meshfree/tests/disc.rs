//! Discs that fall, bounce and meet.

use std::f64::consts::TAU;

use glam::DVec2;
use rubblepile_meshfree::{
    law::{Kind, Law, Plane},
    sample::{Damping, Flows, Sample},
    step::{Scheme, Settings, State, Stepper},
    workload::{bouncing_disc, disc, settings},
};

/// Largest height, speed and acceleration of the lowest node from 2 to 2.3 s, when it rests.
fn rest_of_the_bouncing_disc(scheme: Scheme, h: f64) -> [f64; 3] {
    bouncing_disc(scheme, h, 2.3)
        .unwrap()
        .iter()
        .filter(|[lowest, _]| lowest.time > 2.0)
        .map(|[b, _]| [b.height, b.speed, b.acceleration].map(f64::abs))
        .fold([0.0; 3], |a, b| std::array::from_fn(|k| a[k].max(b[k])))
}

#[test]
fn a_disc_bounces_and_rests_with_the_composite_scheme_and_trembles_with_newmarks() {
    let [height, speed, acceleration] = rest_of_the_bouncing_disc(Scheme::Composite, 0.02);
    assert!(height < 1e-12 && speed < 2e-10 && acceleration < 3e-7, "{height:e} {speed:e} {acceleration:e}");
    let [_, speed, acceleration] = rest_of_the_bouncing_disc(Scheme::Newmark, 0.01);
    assert!(speed > 1e-7 && acceleration > 1e-4, "{speed:e} {acceleration:e}");
}

#[test]
fn two_discs_that_meet_keep_their_momentum() {
    let law = Law::new(Kind::NeoHookean, Plane::Strain, 1e6, 0.3).unwrap();
    let grains = vec![
        disc(DVec2::new(0.0, 0.0), TAU / 36.0, 0.1, law, 1000.0, Damping::default()).unwrap(),
        disc(DVec2::new(1.8, 1.0), TAU / 36.0, 0.1, law, 1000.0, Damping::default()).unwrap(),
    ];
    let sample = Sample::new(grains, Vec::new(), DVec2::ZERO).unwrap();
    let n = sample.nodes();
    let velocity: Vec<DVec2> =
        (0..n).map(|k| if sample.nodes_of(0).contains(&k) { 3.0 * DVec2::X } else { -DVec2::X }).collect();
    let mut stepper = Stepper::new(Settings { gap: 1e-8, stiffness: 1e6, ..settings() });
    let mut state = stepper.start(&sample, vec![DVec2::ZERO; n], velocity).unwrap();
    let measure = |state: &State| {
        let (p, _) = sample.mass_times(&state.velocity, &state.velocity);
        let x = sample.positions(&state.displacement);
        let linear: DVec2 = p.iter().sum();
        let angular: f64 = x.iter().zip(&p).map(|(x, p)| x.perp_dot(*p)).sum();
        let kinetic: f64 = 0.5 * state.velocity.iter().zip(&p).map(|(v, p)| v.dot(*p)).sum::<f64>();
        (linear, angular, kinetic + sample.inner_forces(&state.displacement, &Flows::default()).unwrap().1)
    };
    let start = measure(&state);
    let mut moved = sample.clone();
    let mut pressed = 0;
    for _ in 0..60 {
        state = stepper.advance(&mut moved, &state, 0.002, |_, _| {}).unwrap().0;
        pressed += state.watches.iter().filter(|w| w.hold.pressure > 0.0).count();
    }
    let end = measure(&state);
    assert!(pressed > 100, "they have not met");
    let scale = 3.0 * 1000.0 * 3.1;
    assert!(end.0.distance(start.0) < 1e-8 * scale, "{} {}", start.0, end.0);
    println!("angular {} {}, energy {} {}", start.1, end.1, start.2, end.2);
    assert!((end.1 - start.1).abs() < 1e-2 * scale, "{} {}", start.1, end.1);
    // The scheme takes some of what it cannot follow.
    assert!(end.2 < 1.001 * start.2 && end.2 > 0.9 * start.2, "{} {}", start.2, end.2);
}
