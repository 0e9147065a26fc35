//! Friction, adhesion, and damping that leaves rigid motion alone.

use glam::DVec2;
use rubblepile_meshfree::{
    bulk::Bulk,
    fill::{Density, fill},
    internals::{Damping, Flows, Grip, Sample, SampleGrain, StraightWall},
    law::{ElasticLaw, Elasticity, PlaneCondition},
    outline::Outline,
    shape,
    step::{NodalState, Settings, Stepper},
};

use crate::common::{disc, settings};

const MODULUS: f64 = 1e6;
const DENSITY: f64 = 1000.0;

/// A block, 1 by 0.5, that stands on a floor under a weight that leans by `slope`.
fn block(slope: f64, grip: Grip) -> (Sample, Stepper, NodalState) {
    let outline =
        Outline::new(&[[0.0, 0.0], [1.0, 0.0], [1.0, 0.5], [0.0, 0.5]].map(DVec2::from_array)).unwrap();
    let filling = fill(&outline, Density { spacing: 0.1, grading: 0.0 }).unwrap();
    let law =
        Elasticity::new(ElasticLaw::SaintVenantKirchhoff, PlaneCondition::Strain, MODULUS, 0.3).unwrap();
    let bulk = Bulk::new(&filling, law, DENSITY, shape::Interpolation::Radial).unwrap();
    let grain =
        SampleGrain { filling, bulk, damping: Damping { viscous: 0.02, ..Damping::default() }, material: 0 };
    let gravity = 9.81 * DVec2::new(slope.sin(), -slope.cos());
    let mut sample =
        Sample::new(vec![grain], vec![StraightWall::new(DVec2::ZERO, DVec2::Y)], gravity).unwrap();
    sample.grips = vec![grip];
    let n = sample.nodes();
    let mut stepper = Stepper::new(Settings { residual: 1e-9, gap: 1e-9, stiffness: 1e8, ..settings() });
    let state = stepper.start(&sample, vec![DVec2::ZERO; n], vec![DVec2::ZERO; n]).unwrap();
    (sample, stepper, state)
}

/// Mean displacement and velocity.
fn mean(sample: &Sample, state: &NodalState) -> (DVec2, DVec2) {
    let (p, m) = sample.mass_times(&state.velocity, &state.displacement);
    let mass: f64 = sample.grains.iter().map(|g| g.bulk.area() * DENSITY).sum();
    (m.iter().sum::<DVec2>() / mass, p.iter().sum::<DVec2>() / mass)
}

fn follow(
    sample: &mut Sample,
    stepper: &mut Stepper,
    mut state: NodalState,
    h: f64,
    steps: usize,
) -> NodalState {
    for _ in 0..steps {
        state = stepper.advance(sample, &state, h, |_, _| {}).unwrap().0;
    }
    state
}

#[test]
fn a_block_sticks_below_the_angle_of_friction_and_slides_above_it() {
    let slope = 0.4_f64;
    let (mut sample, mut stepper, state) = block(slope, Grip { friction: 0.6, adhesion: 0.0 });
    let state = follow(&mut sample, &mut stepper, state, 0.01, 60);
    let (_, v) = mean(&sample, &state);
    assert!(v.length() < 1e-4, "{v}");
    // The nodes that bear it are where they were.
    let slipped = (state.watches.iter().filter(|w| w.hold.pressure > 0.0))
        .map(|w| state.displacement[w.node as usize].x.abs())
        .fold(0.0, f64::max);
    assert!(slipped < 1e-4, "{slipped}");

    let (mut sample, mut stepper, state) = block(slope, Grip { friction: 0.2, adhesion: 0.0 });
    let state = follow(&mut sample, &mut stepper, state, 0.01, 60);
    let (_, early) = mean(&sample, &state);
    let state = follow(&mut sample, &mut stepper, state, 0.01, 40);
    let (_, late) = mean(&sample, &state);
    let expected = 9.81 * (slope.sin() - 0.2 * slope.cos());
    let found = (late.x - early.x) / 0.4;
    assert!((found / expected - 1.0).abs() < 1e-3, "{found} {expected}");
}

#[test]
fn a_wall_that_moves_carries_what_sticks_to_it() {
    let (mut sample, mut stepper, mut state) = block(0.0, Grip { friction: 0.8, adhesion: 0.0 });
    let h = 0.01;
    state = follow(&mut sample, &mut stepper, state, h, 20);
    let at = mean(&sample, &state).0;
    for k in 0..40 {
        let walls = |s: &mut Sample, part: f64| s.walls[0].point.x = 0.1 * h * (f64::from(k) + part);
        state = stepper.advance(&mut sample, &state, h, walls).unwrap().0;
    }
    let gone = mean(&sample, &state).0.x - at.x;
    assert!((gone - 0.04).abs() < 1e-3, "{gone}");
}

#[test]
fn what_has_touched_hangs_until_its_weight_is_more_than_it_can_bear() {
    // The block weighs 4905 N on a metre: on average 4905 Pa pull at its lower side when the weight is turned.
    for (adhesion, hangs) in [(3000.0, false), (30_000.0, true)] {
        let (mut sample, mut stepper, state) = block(0.0, Grip { friction: 0.5, adhesion });
        let state = follow(&mut sample, &mut stepper, state, 0.01, 20);
        assert!(state.watches.iter().any(|w| w.hold.bonded));
        sample.load.iter_mut().for_each(|f| *f = -*f);
        let state = follow(&mut sample, &mut stepper, state, 0.01, 40);
        let (x, _) = mean(&sample, &state);
        assert_eq!(x.y < 0.01, hangs, "{adhesion}: {x}");
    }
}

#[test]
fn viscous_damping_stops_what_swings_and_leaves_what_turns() {
    let spin = |damping: Damping| {
        let law = Elasticity::new(ElasticLaw::NeoHookean, PlaneCondition::Strain, MODULUS, 0.3).unwrap();
        let grain = disc(DVec2::ZERO, 0.25, 0.1, law, DENSITY, damping);
        let nodes = grain.filling.nodes.clone();
        let mut sample = Sample::new(vec![grain], Vec::new(), DVec2::ZERO).unwrap();
        let mut stepper = Stepper::new(Settings { residual: 1e-10, ..settings() });
        let velocity = nodes.iter().map(|x| 5.0 * x.perp() + DVec2::new(1.0, 0.5)).collect();
        let state = stepper.start(&sample, vec![DVec2::ZERO; nodes.len()], velocity).unwrap();
        let measure = |sample: &Sample, state: &NodalState| {
            let (p, _) = sample.mass_times(&state.velocity, &state.velocity);
            let x = sample.positions(&state.displacement);
            let angular: f64 = x.iter().zip(&p).map(|(x, p)| x.perp_dot(*p)).sum();
            (angular, sample.inner_forces(&state.displacement, &Flows::default()).unwrap().1)
        };
        let (start, _) = measure(&sample, &state);
        let state = follow(&mut sample, &mut stepper, state, 0.005, 100);
        let (half, swinging) = measure(&sample, &state);
        let state = follow(&mut sample, &mut stepper, state, 0.005, 100);
        let (end, later) = measure(&sample, &state);
        (half / start, end / start, (later / swinging - 1.0).abs())
    };
    // Rayleigh's takes what turns; the other one does not, and what is left is at rest within.
    let (half, _, _) = spin(Damping { stiffness: 0.01, ..Damping::default() });
    assert!(half < 0.7, "{half}");
    let (half, end, change) = spin(Damping { viscous: 0.01, ..Damping::default() });
    assert!((half - 1.0).abs() < 2e-3 && (end - half).abs() < 2e-3, "{half} {end}");
    assert!(change < 1e-2, "{change}");
}
