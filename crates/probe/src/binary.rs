//! Binaries: two clusters in orbit around each other.
//!
//! The two most massive clusters of several bodies are a binary (section 4.1 of nbody-polyhedra-2017 shows some) if
//! - each has at least three bodies and 1 % of the mass of all bodies,
//! - they are bound as two points are: `v^2 / 2 < G (M_1 + M_2) / d`,
//! - the nearest point of that orbit is farther than the sum of their mean radii (of the dynamically equivalent
//!   ellipsoids). Otherwise they are about to fall together: in a cloud that collapses many clusters are bound.
//!
//! Gravity is taken as Newton's of the two masses, whatever fields the run has; third bodies and the shapes are not
//! seen, so that near the limit the answer may change from one moment to the next.

use rubblepile_core::{Domain, G};

use crate::Aggregate;

/// Fewest bodies of a component.
pub const BODIES: usize = 3;
/// Least part of the mass of all bodies.
pub const MASS: f64 = 0.01;

/// The orbit of two clusters about each other, as of two points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Binary {
    /// Of the centres, m.
    pub separation: f64,
    /// m
    pub semi_major_axis: f64,
    pub eccentricity: f64,
    /// s
    pub period: f64,
}

impl Binary {
    /// The orbit of the two if they are a binary; `mass` is that of all bodies.
    pub fn of(first: &Aggregate, second: &Aggregate, mass: f64, domain: &Domain) -> Option<Self> {
        if [first, second].iter().any(|a| a.rows.len() < BODIES || a.mass < MASS * mass) {
            return None;
        }
        let d = domain.shortest(second.centre - first.centre);
        let v = second.velocity - first.velocity;
        let mu = G * (first.mass + second.mass);
        let energy = 0.5 * v.length_squared() - mu / d.length();
        // Not a number: two centres in one place.
        if energy >= 0.0 || !energy.is_finite() {
            return None;
        }
        let semi_major_axis = -0.5 * mu / energy;
        let eccentricity = (1.0 + 2.0 * energy * d.cross(v).length_squared() / (mu * mu)).max(0.0).sqrt();
        let nearest = semi_major_axis * (1.0 - eccentricity);
        (nearest > first.mean_radius() + second.mean_radius()).then(|| Binary {
            separation: d.length(),
            semi_major_axis,
            eccentricity,
            period: std::f64::consts::TAU * (semi_major_axis.powi(3) / mu).sqrt(),
        })
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec3;
    use rubblepile_core::World;

    use super::*;
    use crate::{aggregates, testing::world};

    /// Two triangles of spheres of 1 m, 20 m apart; the second at `fraction` of the circular speed.
    fn pair(fraction: f64) -> World {
        let at = |x: f64, y: f64| (DVec3::new(x, y, 0.0), 1.0);
        let mut w = world(&[at(0.0, 0.0), at(2.0, 0.0), at(1.0, 3f64.sqrt()), at(20.0, 0.0), at(22.0, 0.0)]);
        w.bodies.push_sphere(DVec3::new(21.0, 3f64.sqrt(), 0.0), 1.0, 1.0, 0, 0);
        let speed = fraction * (G * w.bodies.total_mass() / 20.0).sqrt();
        w.bodies.velocity[3..].fill(DVec3::Z * speed);
        w
    }

    fn orbit(w: &World) -> Option<Binary> {
        let all = aggregates(w, &[]).expect("aggregates");
        assert_eq!(all.len(), 2);
        Binary::of(&all[0], &all[1], w.bodies.total_mass(), &w.domain)
    }

    #[test]
    fn a_circle_is_one_and_neither_a_fall_nor_a_flight() {
        let w = pair(1.0);
        let circle = orbit(&w).expect("a binary");
        assert!((circle.separation - 20.0).abs() < 1e-12 && circle.eccentricity < 1e-6);
        let kepler = std::f64::consts::TAU * (8000.0 / (G * w.bodies.total_mass())).sqrt();
        assert!((circle.period / kepler - 1.0).abs() < 1e-12);
        assert_eq!(orbit(&pair(0.0)), None);
        assert_eq!(orbit(&pair(0.3)), None);
        assert_eq!(orbit(&pair(1.5)), None);
        let ellipse = orbit(&pair(0.8)).expect("a binary");
        assert!((ellipse.eccentricity - 0.36).abs() < 1e-9);
    }

    #[test]
    fn small_companions_do_not_count() {
        let mut w = pair(1.0);
        let mass = w.bodies.mass[0] * 1e3;
        w.bodies.mass[..3].fill(mass);
        w.bodies.velocity[3..].fill(DVec3::Z * (G * 3.0 * mass / 20.0).sqrt());
        assert_eq!(orbit(&w), None);
    }
}
