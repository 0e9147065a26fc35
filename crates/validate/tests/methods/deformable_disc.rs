//! Discs that fall, bounce and meet.

use std::f64::consts::TAU;

use rubblepile_meshfree::{
    internals::{Damping, Losses},
    step::Scheme,
};
use rubblepile_validate::{
    Wrong,
    workload::deformable::{
        balance::{Balance, Conditions},
        bouncing_disc,
    },
};

/// Largest height, speed and acceleration of the lowest node from 2 to 2.3 s, when it rests.
fn rest_of_the_bouncing_disc(scheme: Scheme, h: f64) -> [f64; 3] {
    bouncing_disc(scheme, h, 2.3, &Wrong::default())
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

/// Without damping, by Newmark's and Euler's rules of eqs (25)-(28).
const FREE: Conditions = Conditions {
    scheme: Scheme::Composite,
    step: 0.002,
    spacing: TAU / 36.0,
    damping: Damping { mass: 0.0, stiffness: 0.0, viscous: 0.0 },
    friction: 0.0,
};

#[test]
fn two_discs_that_meet_keep_their_momentum_and_most_of_their_energy() {
    let Balance { start, end, .. } = FREE.meeting(&Wrong::default()).unwrap();
    let scale = 3.0 * 1000.0 * 3.1;
    assert!(end.momentum.distance(start.momentum) < 1e-12 * scale, "{start:?} {end:?}");
    assert!((end.angular_momentum - start.angular_momentum).abs() < 1e-4 * scale, "{start:?} {end:?}");
    // They have met: the second one was slower.
    assert!(end.kinetic < 0.9995 * start.kinetic, "{start:?} {end:?}");
    let lost = 1.0 - (end.kinetic + end.elastic) / start.kinetic;
    assert!((0.0..0.01).contains(&lost), "{lost}");
}

#[test]
fn contacts_that_push_implicitly_bring_no_energy_in_where_steps_are_short() {
    // With eqs (25)-(28) it grows: nodes bounce, and what pressed them at the end of a step still accelerates them in the next.
    let short = Conditions { step: 0.001, spacing: TAU / 24.0, ..FREE };
    assert!(short.meeting(&Wrong::default()).unwrap().created() > 0.0);
    let implicit =
        Conditions { scheme: Scheme::ContactImplicit, ..short }.meeting(&Wrong::default()).unwrap();
    let lost = -implicit.created() / implicit.start.kinetic;
    assert!((0.0..0.01).contains(&lost), "{lost}");
}

#[test]
fn heat_and_the_work_of_walls_balance() {
    for damping in [
        Damping { mass: 1.0, stiffness: 2e-3, viscous: 0.0 },
        Damping { mass: 0.0, stiffness: 0.0, viscous: 2e-3 },
    ] {
        let found =
            Conditions { step: 0.01, damping, friction: 0.3, ..FREE }.squeezed(&Wrong::default()).unwrap();
        let Losses { inside, sliding, wall_work } = found.losses;
        assert!(inside > 100.0 && sliding > 100.0 && wall_work > 1e4, "{found:?}");
        assert!(found.created().abs() < 2e-3 * wall_work, "{} of {found:?}", found.created());
    }
}
