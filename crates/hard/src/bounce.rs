//! What two spheres, or a sphere and something that does not give way, exchange when they meet (eqs (4), (6), (7)).

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
        }
    }
}
