//! Grains at rest and swinging against the theory of elasticity.

use rubblepile_meshfree::shape::Interpolation;
use rubblepile_validate::workload::deformable as workload;

#[test]
fn an_even_stress_balances() {
    for kind in [Interpolation::Radial, Interpolation::LeastSquares] {
        let off = workload::patch(0.1, kind, 1.0).unwrap();
        assert!(off < 1e-9, "{kind:?}: {off:e}");
    }
}

/// Without linear stresses in the correction of gradients, radial functions are off by some 1e-3, and a beam converges with order 1.2.
#[test]
fn a_stress_that_is_linear_in_space_balances() {
    for kind in [Interpolation::Radial, Interpolation::LeastSquares] {
        let off = workload::bending(0.1, kind, 1.0).unwrap();
        assert!(off < 1e-6, "{kind:?}: {off:e}");
    }
}

#[test]
fn beams_and_rings_are_those_of_theory() {
    for kind in [Interpolation::Radial, Interpolation::LeastSquares] {
        let (beam, ring) = (workload::beam(2.0, kind, 1.0).unwrap(), workload::ring(0.1, kind, 1.0).unwrap());
        assert!(beam < 2e-3 && ring < 1e-3, "{kind:?}: {beam:e} {ring:e}");
    }
}

#[test]
fn a_bar_swings_at_the_speed_of_sound() {
    let period = workload::bar(100, 1.0).unwrap();
    assert!((period - 1.0).abs() < 2e-3, "{period}");
}

#[test]
fn a_pressed_disc_is_that_of_hertz() {
    let found = workload::pressed_disc(0.05, 0.01, 1.0).unwrap();
    let near = |x: f64| (x - 1.0).abs() < 0.05;
    assert!(near(found.peak) && near(found.approach) && found.ellipse < 0.06, "{found:?}");
}
