//! Impulses of a collision between two spheres, or of a sphere with an immovable surface (eqs (4), (6), (7)).

use glam::DVec3;

/// Restitution at a contact.
#[derive(Debug, Clone, Copy)]
pub struct Restitution {
    /// epsilon_n, 0 to 1.
    pub normal: f64,
    /// epsilon_t, -1 to 1: 1 is a smooth surface.
    pub tangential: f64,
}

/// Impulse on the second of two spheres over their reduced mass: eq. (4) makes the relative velocity `u` at the contact point
/// -epsilon_n u_n + epsilon_t u_t. `normal` is the unit vector from the first to the second, `rebound` the speed along it
/// afterwards, epsilon_n |u_n|.
///
/// Of a tangential impulse 2/7 moves the centres' relative velocity and 5/7 the spins (homogeneous spheres).
pub fn impulse(u: DVec3, normal: DVec3, rebound: f64, tangential: f64) -> DVec3 {
    let un = u.dot(normal);
    (rebound - un) * normal - 2.0 / 7.0 * (1.0 - tangential) * (u - un * normal)
}

/// The outcome of a collision of a sphere with a movable body.
#[derive(Debug, Clone, Copy)]
pub struct Exchange {
    /// On the sphere.
    pub impulse: DVec3,
    /// Kinetic energy of both that is lost along the surface, and then along the normal, J.
    pub lost_tangential: f64,
    pub lost_normal: f64,
}

/// Eq. (4) for a sphere and a body of any shape: `yields` is what an impulse on the sphere, and its opposite on the body, does to
/// the relative velocity `u` at the contact point. `normal` is the unit vector from the body to the sphere; `rebound` gives the speed
/// along it afterwards, for the speed of approach.
///
/// Off its centre a body gives way sideways, too. So eq. (4) holds for one part after the other: first the impulse along the surface that
/// would make u_t epsilon_t u_t, then the one along the normal for what u_n is then. Neither ever adds energy, and neither pulls; both
/// together are eqs (4), (6) and (7) where the body is a sphere or heavy.
pub fn exchange(
    u: DVec3,
    normal: DVec3,
    tangential: f64,
    rebound: impl Fn(f64) -> f64,
    yields: impl Fn(DVec3) -> DVec3,
) -> Exchange {
    let un = u.dot(normal);
    // Two directions along the surface, not that of slipping, which rounding may leave anywhere; and what impulses along them do along it.
    let (first, second) = normal.any_orthonormal_pair();
    let (k_first, k_second) = (yields(first), yields(second));
    let (a, b, c) = (k_first.dot(first), k_first.dot(second), k_second.dot(second));
    let slip = (u.dot(first), u.dot(second));
    // The impulse that would give this slip.
    let stop = ((c * slip.0 - b * slip.1) * first + (a * slip.1 - b * slip.0) * second) / (a * c - b * b);
    let rub = -(1.0 - tangential) * stop;
    let un = un + yields(rub).dot(normal);
    let k = yields(normal).dot(normal);
    let push = ((rebound(-un) - un) / k).max(0.0);
    let after = un + k * push;
    Exchange {
        impulse: rub + push * normal,
        lost_tangential: 0.5 * (1.0 - tangential * tangential) * stop.dot(u),
        lost_normal: 0.5 * (un * un - after * after) / k,
    }
}

/// Change of the spin of a sphere of radius `s` and mass `m` that gets the impulse `p` at `arm` from its centre.
pub fn spin_change(arm: DVec3, p: DVec3, m: f64, s: f64) -> DVec3 {
    arm.cross(p) / (0.4 * m * s * s)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rubblepile_core::Rng;

    #[test]
    fn relative_velocity_comes_out_as_eq_4_says_and_momenta_are_kept() {
        let mut rng = Rng::new(3);
        for _ in 0..1000 {
            let mut v = || rng.range(0.0, 2.0) * rng.direction();
            let (v1, v2, w1, w2) = (v(), v(), v(), v());
            let n = rng.direction();
            let (m1, m2, s1, s2) =
                (rng.range(0.1, 3.0), rng.range(0.1, 3.0), rng.range(0.1, 2.0), rng.range(0.1, 2.0));
            let e = Restitution { normal: rng.uniform(), tangential: rng.range(-1.0, 1.0) };
            let (a1, a2) = (s1 * n, -s2 * n);
            let u = |v1: DVec3, v2: DVec3, w1: DVec3, w2: DVec3| v2 + w2.cross(a2) - v1 - w1.cross(a1);
            let before = u(v1, v2, w1, w2);
            let rebound = -e.normal * before.dot(n);
            let p = m1 * m2 / (m1 + m2) * impulse(before, n, rebound, e.tangential);
            let after = u(
                v1 - p / m1,
                v2 + p / m2,
                w1 + spin_change(a1, -p, m1, s1),
                w2 + spin_change(a2, p, m2, s2),
            );
            let un = before.dot(n) * n;
            let expected = -e.normal * un + e.tangential * (before - un);
            assert!((after - expected).length() < 1e-12, "{after} {expected}");
            // The same from what the two spheres yield.
            let yields =
                |p: DVec3| u(-p / m1, p / m2, spin_change(a1, -p, m1, s1), spin_change(a2, p, m2, s2));
            if before.dot(n) < 0.0 {
                let met = exchange(before, n, e.tangential, |approach| e.normal * approach, yields);
                assert!((met.impulse - p).length() < 1e-12, "{} {p}", met.impulse);
                let energy = |v: DVec3, w: DVec3, m: f64, s: f64| {
                    0.5 * m * (v.length_squared() + 0.4 * s * s * w.length_squared())
                };
                let lost = energy(v1, w1, m1, s1) + energy(v2, w2, m2, s2)
                    - energy(v1 - p / m1, w1 + spin_change(a1, -p, m1, s1), m1, s1)
                    - energy(v2 + p / m2, w2 + spin_change(a2, p, m2, s2), m2, s2);
                assert!((met.lost_normal + met.lost_tangential - lost).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn a_body_that_gives_way_sideways_gains_no_energy_and_is_left() {
        let mut rng = Rng::new(4);
        for k in 0..2000 {
            // What a body yields is symmetric and positive: a sum of squares.
            let ways: [DVec3; 4] = std::array::from_fn(|_| rng.range(0.0, 1.0) * rng.direction());
            let yields = |p: DVec3| 0.1 * p + ways.iter().map(|w| w.dot(p) * *w).sum::<DVec3>();
            let (n, u) = (rng.direction(), 2.0 * rng.direction());
            let u = if u.dot(n) < 0.0 { u } else { -u };
            let (normal, tangential) = match k % 4 {
                0 => (1.0, 1.0),
                1 => (1.0, -1.0),
                _ => (rng.uniform(), rng.range(-1.0, 1.0)),
            };
            let met = exchange(u, n, tangential, |approach| normal * approach.max(0.0), yields);
            let p = met.impulse;
            let after = u + yields(p);
            let lost = -0.5 * p.dot(u + after);
            assert!((met.lost_normal + met.lost_tangential - lost).abs() < 1e-12);
            assert!(met.lost_normal > -1e-12 && met.lost_tangential > -1e-12);
            assert!(k % 4 > 1 || lost.abs() < 1e-12, "{lost}");
            assert!(after.dot(n) > -1e-12 && p.dot(n) > -1e-12);
        }
    }

    #[test]
    fn slipping_of_no_direction_is_no_trouble() {
        let (normal, yields) = (DVec3::Z, |p: DVec3| p - 2.0 * DVec3::Z.cross(p).cross(DVec3::Z));
        for slip in [DVec3::ZERO, 1e-17 * DVec3::Z, DVec3::new(1e-200, 0.0, 1e-17)] {
            let met = exchange(-DVec3::Z + slip, normal, 0.5, |approach| 0.5 * approach, yields);
            assert!(met.impulse.is_finite() && (met.impulse.z - 1.5).abs() < 1e-12, "{met:?}");
            assert!(met.impulse.truncate().length() < 1e-15 && met.lost_tangential >= 0.0, "{met:?}");
        }
    }
}
