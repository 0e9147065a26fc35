//! Linear momentum, angular momentum about the centre of mass (of the orbits and of the spins together), and the
//! centre of mass, of grains and asteroids.
//!
//! Two columns give the scale against which a drift is to be judged: the sum of the magnitudes of the terms. The
//! sums are good to about 1e-15 of it. In a rotating frame all this is of the velocities in that frame, and so
//! not conserved; in a periodic domain the angular momentum and the centre of mass jump when a grain crosses the
//! side of the box.

use glam::DVec3;
use rubblepile_core::{
    Asteroid, Bodies, Column, GrainState, Probe, Result, World,
    method::Moment,
    settings::{Sampling, ScenarioContext, Time},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    settings::{GrainSelection, ProbeSettings},
    sum::reduce,
};

/// Sampling interval.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct MomentumSampling(pub Sampling);

impl ProbeSettings for MomentumSampling {
    fn about() -> &'static str {
        "Momentum, angular momentum, centre of mass."
    }

    fn example() -> Self {
        MomentumSampling(Sampling { every: Time::new(1.0) })
    }

    fn every(&self) -> Time {
        self.0.every
    }

    fn grains(&self) -> GrainSelection {
        GrainSelection::Both
    }

    fn probe(&self, _: &ScenarioContext) -> Box<dyn Probe> {
        Box::new(Momentum)
    }
}

/// Momentum, angular momentum and centre of mass, component by component.
#[derive(Debug, Clone, Copy, Default)]
pub struct Momentum;

/// What [`Momentum`] measures.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Momenta {
    /// kg m/s
    pub linear: DVec3,
    /// Sum of m |v|, kg m/s.
    pub linear_scale: f64,
    /// About the centre of mass, kg m^2/s.
    pub angular: DVec3,
    /// Sum of m |x| |v| + |I w|, seen from the centre of mass, kg m^2/s.
    pub angular_scale: f64,
    /// m; zero for an empty world.
    pub centre: DVec3,
    /// kg
    pub mass: f64,
}

impl Momenta {
    pub fn of(bodies: &Bodies) -> Self {
        Momenta::with(bodies, Vec::new())
    }

    /// Of bodies and asteroids.
    pub fn of_world(world: &World) -> Self {
        Momenta::with(&world.bodies, world.asteroids.iter().map(of_asteroid).collect())
    }

    fn with(bodies: &Bodies, others: Vec<Item>) -> Self {
        let (n, all) = (bodies.len(), bodies.len() + others.len());
        let item = |k: usize| {
            if k < n {
                (bodies.mass[k], bodies.position[k], bodies.velocity[k], spin_momentum(bodies, k))
            } else {
                others[k - n]
            }
        };
        if all == 0 {
            return Momenta::default();
        }
        let origin = item(0).1;
        // Positions from a body's own place: far from the origin the centre would lose digits otherwise.
        let [mass, x, y, z, px, py, pz, linear_scale] = reduce(all, |k| {
            let (m, x, v, _) = item(k);
            let (d, p) = (m * (x - origin), m * v);
            [m, d.x, d.y, d.z, p.x, p.y, p.z, p.length()]
        });
        let linear = DVec3::new(px, py, pz);
        let (centre, drift) = if mass > 0.0 {
            (origin + DVec3::new(x, y, z) / mass, linear / mass)
        } else {
            (DVec3::ZERO, DVec3::ZERO)
        };
        let [lx, ly, lz, angular_scale] = reduce(all, |k| {
            let (m, x, v, spin) = item(k);
            let (d, p) = (x - centre, m * (v - drift));
            let l = d.cross(p) + spin;
            [l.x, l.y, l.z, d.length() * p.length() + spin.length()]
        });
        Momenta { linear, linear_scale, angular: DVec3::new(lx, ly, lz), angular_scale, centre, mass }
    }
}

/// Mass, position, velocity and I w.
type Item = (f64, DVec3, DVec3, DVec3);

fn of_asteroid(a: &Asteroid) -> Item {
    (a.mass, a.position, a.velocity, a.spin_momentum())
}

/// A deformable grain; per metre of depth.
fn of_grain(g: &GrainState) -> Item {
    let own = g.angular_momentum - g.centre.perp_dot(g.momentum);
    (g.mass, g.centre.extend(0.0), (g.momentum / g.mass).extend(0.0), own * DVec3::Z)
}

/// I w of one body, `R I R^T w` in the world frame.
fn spin_momentum(bodies: &Bodies, k: usize) -> DVec3 {
    spin_of(bodies, k, bodies.spin[k])
}

/// The same for another angular velocity: that of an inertial frame, if the world's is not.
pub(crate) fn spin_of(bodies: &Bodies, k: usize, spin: DVec3) -> DVec3 {
    let inertia = bodies.inertia[k];
    if inertia.x == inertia.y && inertia.y == inertia.z {
        return inertia.x * spin;
    }
    let q = bodies.orientation[k];
    q * (inertia * (q.inverse() * spin))
}

impl Probe for Momentum {
    fn columns(&self) -> Vec<Column> {
        let mut all = Vec::from(Column::vector("momentum", "kg m/s", "Momentum, `sum m v`"));
        all.push(Column::new("momentum_scale", "kg m/s", "Scale for errors of the momentum: `sum m |v|`"));
        all.extend(Column::vector(
            "angular_momentum",
            "kg m2/s",
            "Angular momentum about the centre of mass, of orbits and spins, `sum m x cross v + I w`",
        ));
        all.push(Column::new(
            "angular_momentum_scale",
            "kg m2/s",
            "Scale for errors of the angular momentum: `sum m |x| |v| + |I w|`, relative to the centre of mass",
        ));
        all.extend(Column::vector("centre_of_mass", "m", "Centre of mass"));
        all
    }

    fn measure(&mut self, moment: &mut Moment, row: &mut Vec<f64>) -> Result<()> {
        let world = moment.world;
        let grains = moment.deformation()?.map_or(&[][..], |d| &d.grains);
        let others = world.asteroids.iter().map(of_asteroid).chain(grains.iter().map(of_grain));
        let m = Momenta::with(&world.bodies, others.collect());
        row.extend(m.linear.to_array());
        row.push(m.linear_scale);
        row.extend(m.angular.to_array());
        row.push(m.angular_scale);
        row.extend(m.centre.to_array());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use glam::DQuat;
    use rubblepile_core::Rng;

    use super::*;
    use crate::testing::{cloud, measure, value, world};

    #[test]
    fn a_dumb_bell_that_turns() {
        let mut w = world(&[(DVec3::new(5.0, 0.0, 0.0), 1.0), (DVec3::new(9.0, 0.0, 0.0), 1.0)]);
        w.bodies.mass = vec![3.0, 1.0];
        w.bodies.velocity = vec![DVec3::new(0.0, -1.0, 0.0), DVec3::new(0.0, 3.0, 0.0)];
        w.bodies.inertia = vec![DVec3::splat(2.0), DVec3::new(1.0, 2.0, 3.0)];
        w.bodies.spin = vec![DVec3::new(0.0, 0.0, 0.5), DVec3::new(0.0, 0.0, 1.0)];
        w.bodies.orientation[1] = DQuat::from_rotation_y(std::f64::consts::FRAC_PI_2);
        let row = measure(&mut Momentum, &w, Vec::new());
        let at = |name| value(&Momentum, &row, name);
        assert_eq!(at("momentum_y_kg_m_per_s"), 0.0);
        assert_eq!(at("momentum_scale_kg_m_per_s"), 6.0);
        assert_eq!(at("centre_of_mass_x_m"), 6.0);
        // Orbits: 3 * 1 * 1 + 1 * 3 * 3; spins: 2 * 0.5 + 1 * 1 (the turned body's x axis lies along z).
        assert!((at("angular_momentum_z_kg_m2_per_s") - (12.0 + 2.0)).abs() < 1e-14);
    }

    #[test]
    fn angular_momentum_knows_neither_place_nor_drift() {
        let mut w = cloud(20_000, 1);
        let before = Momenta::of(&w.bodies);
        for k in 0..w.bodies.len() {
            w.bodies.position[k] += DVec3::new(1e3, -2e3, 5e2);
            w.bodies.velocity[k] += DVec3::new(10.0, 20.0, -30.0);
        }
        let after = Momenta::of(&w.bodies);
        assert!(before.angular.length() > 1e-3 * before.angular_scale / (20_000f64).sqrt());
        assert!((after.angular - before.angular).length() < 1e-12 * before.angular_scale);
    }

    #[test]
    fn a_sum_that_vanishes_is_seen_to_1e_15_of_its_scale() {
        let mut w = cloud(50_000, 2);
        // Bodies in opposite pairs, far apart in the rows: the true momentum is exactly zero.
        let n = w.bodies.len() / 2;
        for k in 0..n {
            w.bodies.mass[k + n] = w.bodies.mass[k];
            w.bodies.velocity[k + n] = -w.bodies.velocity[k];
        }
        let m = Momenta::of(&w.bodies);
        assert!(m.linear.length() < 1e-15 * m.linear_scale, "{:e}", m.linear.length() / m.linear_scale);
        assert!(m.linear_scale > 0.0);
    }

    #[test]
    fn the_order_of_rows_changes_the_last_bits_at_most() {
        let mut w = cloud(10_000, 3);
        let before = Momenta::of(&w.bodies);
        let mut order: Vec<u32> = (0..w.bodies.len() as u32).collect();
        let mut rng = Rng::new(5);
        order.sort_by_cached_key(|_| rng.uniform().to_bits());
        w.permute(&order);
        let after = Momenta::of(&w.bodies);
        assert!((after.linear - before.linear).length() < 1e-15 * before.linear_scale);
        assert!((after.angular - before.angular).length() < 1e-14 * before.angular_scale);
    }

    #[test]
    fn an_empty_world_has_none() {
        assert_eq!(Momenta::of(&Bodies::default()), Momenta::default());
    }
}
