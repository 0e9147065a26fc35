//! From a surface to an asteroid.

use std::sync::Arc;

use glam::{DQuat, DVec3};
use rubblepile_core::{Asteroid, Mesh};

use super::mass;
use crate::principal::principal_axes;

/// The body-fixed frame of an asteroid.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Axes {
    /// Origin and axes of the surface as it is given: the centre of mass may be beside the origin.
    Given,
    /// The origin is moved to the centre of mass, the axes stay.
    Centred,
    /// In addition, the axes are the principal axes of inertia: z has the largest moment, x the smallest.
    #[default]
    Principal,
}

/// A homogeneous asteroid at rest. The surface must be without flaws.
pub fn asteroid(mut mesh: Mesh, density: f64, axes: Axes) -> Asteroid {
    let mass = mass(&mesh);
    let (moments, mut turn) = principal_axes(mass.inertia());
    mesh.vertices.iter_mut().for_each(|v| *v -= mass.centre);
    if axes == Axes::Principal {
        // Of the eight ways to name the axes' ends, the one that turns the body least.
        turn = least_turn(turn);
        let back = turn.inverse();
        mesh.vertices.iter_mut().for_each(|v| *v = back * *v);
        turn = DQuat::IDENTITY;
    }
    Asteroid {
        id: 0,
        name: String::new(),
        material: 0,
        density,
        radius: mesh.radius(),
        mesh: Arc::new(mesh),
        mass: density * mass.volume,
        inertia: density * moments,
        axes: turn,
        position: if axes == Axes::Given { mass.centre } else { DVec3::ZERO },
        velocity: DVec3::ZERO,
        orientation: DQuat::IDENTITY,
        spin: DVec3::ZERO,
        fixed: false,
    }
}

/// Half turns about the axes leave them the axes.
fn least_turn(turn: DQuat) -> DQuat {
    let half_turns = [
        DQuat::IDENTITY,
        DQuat::from_xyzw(1.0, 0.0, 0.0, 0.0),
        DQuat::from_xyzw(0.0, 1.0, 0.0, 0.0),
        DQuat::from_xyzw(0.0, 0.0, 1.0, 0.0),
    ];
    let all = half_turns.map(|half| turn * half);
    all.into_iter().max_by(|a, b| a.w.abs().total_cmp(&b.w.abs())).unwrap_or(turn)
}

#[cfg(test)]
mod tests {
    use rubblepile_core::Rng;

    use super::*;
    use crate::mesh::make::{Form, Relief, body};

    #[test]
    fn an_asteroid_has_the_mass_and_the_moments_of_its_surface() {
        let lengths = DVec3::new(300.0, 200.0, 100.0);
        let mut mesh = body(Form::Ellipsoid { axes: lengths }, &Relief::default(), 20_000, 0);
        let turn = DQuat::from_axis_angle(Rng::new(1).direction(), 0.4);
        let way = DVec3::new(10.0, -20.0, 5.0);
        mesh.vertices.iter_mut().for_each(|v| *v = turn * *v + way);
        for axes in [Axes::Given, Axes::Centred, Axes::Principal] {
            let a = asteroid(mesh.clone(), 2000.0, axes);
            let square = lengths * lengths;
            let expected =
                a.mass / 5.0 * DVec3::new(square.y + square.z, square.x + square.z, square.x + square.y);
            assert!((a.inertia / expected - DVec3::ONE).length() < 0.01, "{}", a.inertia);
            assert!((a.radius - 300.0).abs() < 0.2);
            assert_eq!(a.position == DVec3::ZERO, axes != Axes::Given);
            // Where a corner is: beside a spin, nothing has been lost or turned that was not asked for.
            let corner = a.position + a.mesh.vertices[7];
            let apart = (corner - mesh.vertices[7]).length();
            match axes {
                Axes::Given => assert!(apart < 1e-9),
                Axes::Centred => assert!((apart - way.length()).abs() < 1e-9),
                Axes::Principal => assert!((a.mesh.vertices[7] / lengths).length() > 0.99),
            }
            // The momentum of a spin about the shortest axis is along it.
            let mut a = a;
            a.spin = a.orientation * a.axes * DVec3::Z;
            assert!((a.spin_momentum() - a.inertia.z * a.spin).length() < 1e-9 * a.inertia.z);
        }
    }
}
