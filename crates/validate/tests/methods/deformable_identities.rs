//! Identities of deformable grains: shape functions, forces and tangents.

use glam::DVec2;
use rubblepile_meshfree::{
    internals::NODES,
    law::{ElasticLaw, Elasticity, PlaneCondition},
    shape,
};
use rubblepile_validate::{
    Wrong,
    workload::deformable::identities::{self, NodeMeeting, Opposite},
};

#[test]
fn the_tangent_is_the_change_of_the_forces() {
    // A node that has come into a bent outline, and one above it; without friction, sliding, sticking.
    for (height, friction) in
        [-0.03, 0.04].into_iter().flat_map(|h| [0.0, 0.01, 10.0].map(|friction| (h, friction)))
    {
        for opposite in [Opposite::Grain, Opposite::Wall] {
            let meeting = NodeMeeting { opposite, friction, height };
            let (nodes, here) = (meeting.places(), meeting.element(meeting.places()).unwrap());
            assert_eq!(here.slip != 0.0, friction > 1.0);
            assert_eq!(here.traction != 0.0, friction > 0.0);
            let error = meeting.tangent_error(&Wrong::default()).unwrap();
            assert!(error < 1e-7, "{meeting:?}: {error}");
            let size = here.symmetric.iter().flatten().fold(0.0_f64, |a, b| a.max(b.abs()));
            for (i, j) in (0..2 * NODES).flat_map(|i| (0..i).map(move |j| (i, j))) {
                assert!((here.symmetric[i][j] - here.symmetric[j][i]).abs() < 1e-14 * size);
            }
            if opposite == Opposite::Grain {
                // What pushes the one pushes back the other; friction has the lever of the gap.
                let sum: DVec2 = here.force.iter().sum();
                let torque: f64 = nodes.iter().zip(&here.force).map(|(x, f)| x.perp_dot(*f)).sum();
                let lever = here.traction.abs() * here.length * 0.1;
                assert!(sum.length() < 1e-13 && torque.abs() < 1e-13 + lever, "{sum} {torque}");
            }
        }
    }
}

#[test]
fn forces_are_the_slope_of_energy_the_tangent_that_of_forces_and_turning_makes_none() {
    for kind in [ElasticLaw::SaintVenantKirchhoff, ElasticLaw::NeoHookean] {
        let law = Elasticity::new(kind, PlaneCondition::Strain, 1e6, 0.4).unwrap();
        for viscous in [0.0, 0.05] {
            let found = identities::bulk(law, viscous, &Wrong::default()).unwrap();
            assert!(found.force < 1e-6 && found.tangent < 1e-6, "{kind:?} {viscous}: {found:?}");
            assert!(found.turned < 1e-12, "{kind:?}: {found:?}");
        }
    }
}

#[test]
fn quadratics_are_exact_slopes_are_those_of_values_and_only_radial_ones_pass_through_the_nodes() {
    for (kind, passes) in [(shape::Interpolation::Radial, true), (shape::Interpolation::LeastSquares, false)]
    {
        let found = identities::shape_functions(kind, &Wrong::default()).unwrap();
        assert!(found.unity < 1e-11 && found.quadratic < 1e-11, "{kind:?}: {found:?}");
        assert!(found.slope < 1e-9 && found.difference < 1e-6, "{kind:?}: {found:?}");
        assert_eq!(found.delta < 1e-10, passes, "{kind:?}: {found:?}");
    }
}
