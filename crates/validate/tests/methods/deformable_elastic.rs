//! Grains at rest and swinging against the theory of elasticity.

use rubblepile_meshfree::shape::Interpolation;
use rubblepile_validate::workload::deformable as workload;

#[test]
fn an_even_stress_balances() {
    for kind in [Interpolation::Radial, Interpolation::LeastSquares] {
        let off = workload::patch(0.1, kind).unwrap();
        assert!(off < 1e-9, "{kind:?}: {off:e}");
    }
}

#[test]
fn beams_and_rings_are_those_of_theory() {
    for kind in [Interpolation::Radial, Interpolation::LeastSquares] {
        let (beam, ring) = (workload::beam(2.0, kind).unwrap(), workload::ring(0.1, kind).unwrap());
        assert!(beam < 2e-3 && ring < 1e-3, "{kind:?}: {beam:e} {ring:e}");
    }
}

#[test]
fn a_bar_swings_at_the_speed_of_sound() {
    let period = workload::bar(100).unwrap();
    assert!((period - 1.0).abs() < 2e-3, "{period}");
}

#[test]
fn a_pressed_disc_is_that_of_hertz() {
    let found = workload::pressed_disc(0.05, 0.01).unwrap();
    let near = |x: f64| (x - 1.0).abs() < 0.05;
    assert!(near(found.peak) && near(found.approach) && found.ellipse < 0.06, "{found:?}");
}
