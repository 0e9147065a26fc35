//! The series of the aggregates: how many clusters there are, what the largest ones are like (see
//! [`crate::aggregate`]), and whether the two largest are a binary (see [`crate::binary`]).
//!
//! The angular momentum of the system is eq. (15) of nbody-polyhedra-2017, `H = sum m r x v` of the centres of all
//! bodies about the origin of the inertial frame, and beside it that of the spins, which eq. (15) leaves out: their
//! sum is what collisions conserve.
//!
//! What does not exist (a second cluster, the orbit of no binary) is NaN, its bodies and mass 0.

use glam::DVec3;
use rubblepile_core::{Probe, Result, World, method::Moment};

use crate::{
    Aggregate, Binary,
    aggregate::{contacts_by_cluster, frame_rate},
    clusters::{TOLERANCE, clusters},
    momentum::spin_of,
    sum::reduce,
};

/// Clusters, and what the largest is like.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Aggregates {
    /// How many of the largest clusters have columns of their own: `aggregate_..`, `aggregate2_..` and so on.
    pub follow: usize,
    /// Gap over the smaller radius up to which spheres count as touching.
    pub tolerance: f64,
}

impl Default for Aggregates {
    fn default() -> Self {
        Aggregates { follow: 1, tolerance: TOLERANCE }
    }
}

const OF_EACH: [&str; 35] = [
    "bodies",
    "mass_kg",
    "mass_fraction",
    "enclosing_radius_m",
    "packing_fraction",
    "coordination",
    "stress_xx_Pa",
    "stress_yy_Pa",
    "stress_zz_Pa",
    "stress_xy_Pa",
    "stress_yz_Pa",
    "stress_zx_Pa",
    "pressure_Pa",
    "semi_axis_a_m",
    "semi_axis_b_m",
    "semi_axis_c_m",
    "dynamic_axis_a_m",
    "dynamic_axis_b_m",
    "dynamic_axis_c_m",
    "inertial_elongation",
    "rotation_period_s",
    "angular_velocity_x_rad_per_s",
    "angular_velocity_y_rad_per_s",
    "angular_velocity_z_rad_per_s",
    "orbital_angular_momentum_x_kg_m2_per_s",
    "orbital_angular_momentum_y_kg_m2_per_s",
    "orbital_angular_momentum_z_kg_m2_per_s",
    "spin_angular_momentum_x_kg_m2_per_s",
    "spin_angular_momentum_y_kg_m2_per_s",
    "spin_angular_momentum_z_kg_m2_per_s",
    "angular_momentum_x_kg_m2_per_s",
    "angular_momentum_y_kg_m2_per_s",
    "angular_momentum_z_kg_m2_per_s",
    "enclosing_sphere_volume_m3",
    "solid_volume_m3",
];

const OF_ALL: [&str; 17] = [
    "clusters",
    "single_bodies",
    "second_cluster_bodies",
    "second_cluster_mass_kg",
    "binary",
    "binary_separation_m",
    "binary_eccentricity",
    "binary_period_s",
    "system_orbital_angular_momentum_x_kg_m2_per_s",
    "system_orbital_angular_momentum_y_kg_m2_per_s",
    "system_orbital_angular_momentum_z_kg_m2_per_s",
    "system_spin_angular_momentum_x_kg_m2_per_s",
    "system_spin_angular_momentum_y_kg_m2_per_s",
    "system_spin_angular_momentum_z_kg_m2_per_s",
    "system_angular_momentum_x_kg_m2_per_s",
    "system_angular_momentum_y_kg_m2_per_s",
    "system_angular_momentum_z_kg_m2_per_s",
];

impl Probe for Aggregates {
    fn columns(&self) -> Vec<String> {
        let each = (0..self.follow).flat_map(|k| {
            let number = if k == 0 { String::new() } else { (k + 1).to_string() };
            OF_EACH.iter().map(move |name| format!("aggregate{number}_{name}"))
        });
        OF_ALL.iter().map(|name| name.to_string()).chain(each).collect()
    }

    fn measure(&mut self, moment: &mut Moment, row: &mut Vec<f64>) -> Result<()> {
        let world = moment.world;
        let contacts = moment.contacts()?;
        let found = clusters(world, contacts, self.tolerance)?;
        let count = found.list.len();
        let tables = contacts_by_cluster(&found, contacts, count);
        let describe = |rank: usize| Aggregate::of(world, &found.list[rank], &tables[rank]);
        let followed = (0..self.follow.min(count)).map(describe).collect::<Result<Vec<_>>>()?;
        let [mass] = reduce(world.bodies.len(), |k| [world.bodies.mass[k]]);
        let single = found.list.iter().filter(|c| c.len() == 1).count();
        let second = found.list.get(1);
        // A single body, however heavy, is no cluster.
        let mut many = (0..count).filter(|&rank| found.list[rank].len() > 1);
        let binary = match (many.next(), many.next()) {
            (Some(a), Some(b)) => Binary::of(&describe(a)?, &describe(b)?, mass, &world.domain),
            _ => None,
        };
        row.extend([
            (found.list.len() - single) as f64,
            single as f64,
            second.map_or(0.0, |c| c.len() as f64),
            second.map_or(0.0, |c| c.mass),
            f64::from(u8::from(binary.is_some())),
            binary.map_or(f64::NAN, |b| b.separation),
            binary.map_or(f64::NAN, |b| b.eccentricity),
            binary.map_or(f64::NAN, |b| b.period),
        ]);
        let (orbital, spin) = system_angular_momentum(world);
        [orbital, spin, orbital + spin].iter().for_each(|v| row.extend(v.to_array()));
        for k in 0..self.follow {
            match followed.get(k) {
                Some(a) => push(a, mass, row),
                None => row.extend([0.0, 0.0, 0.0].into_iter().chain([f64::NAN; OF_EACH.len() - 3])),
            }
        }
        Ok(())
    }
}

fn push(a: &Aggregate, mass: f64, row: &mut Vec<f64>) {
    row.extend([a.rows.len() as f64, a.mass, a.mass / mass, a.sphere.radius]);
    row.extend([a.packing_fraction, a.coordination]);
    row.extend(a.stress);
    row.push(a.pressure);
    row.extend(a.semi_axes.to_array());
    row.extend(a.dynamic_axes.to_array());
    row.extend([a.elongation, a.rotation_period()]);
    row.extend(a.angular_velocity.to_array());
    row.extend(a.orbital_angular_momentum.to_array());
    row.extend(a.spin_angular_momentum.to_array());
    row.extend(a.angular_momentum().to_array());
    row.extend([a.sphere.volume(), a.volume]);
}

/// Of the orbits, eq. (15) of nbody-polyhedra-2017, and of the spins, kg m^2/s; about the origin, in an inertial frame.
pub fn system_angular_momentum(world: &World) -> (DVec3, DVec3) {
    let b = &world.bodies;
    let frame = frame_rate(world);
    let [ox, oy, oz, sx, sy, sz] = reduce(b.len(), |k| {
        let x = b.position[k];
        let o = b.mass[k] * x.cross(b.velocity[k] + frame.cross(x));
        let s = spin_of(b, k, b.spin[k] + frame);
        [o.x, o.y, o.z, s.x, s.y, s.z]
    });
    (DVec3::new(ox, oy, oz), DVec3::new(sx, sy, sz))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{contact, measure, value, world};

    #[test]
    fn a_pair_a_triangle_and_a_loner() {
        let at = |x: f64, y: f64, r: f64| (DVec3::new(x, y, 0.0), r);
        let mut w = world(&[at(0.0, 0.0, 1.0), at(2.0, 0.0, 1.0), at(9.0, 0.0, 1.0), at(20.0, 0.0, 1.0)]);
        w.bodies.push_sphere(DVec3::new(22.0, 0.0, 0.0), 1.0, 1.0, 0, 0);
        w.bodies.push_sphere(DVec3::new(24.0, 0.0, 0.0), 1.0, 1.0, 0, 0);
        w.bodies.velocity[2] = DVec3::new(0.0, 2.0, 0.0);
        w.bodies.spin[3] = DVec3::new(0.0, 0.0, 5.0);
        let m = w.bodies.mass[0];
        let mut probe = Aggregates { follow: 3, ..Default::default() };
        let table = vec![contact(3, Some(4), DVec3::X, 0.0), contact(4, Some(5), DVec3::X, 0.0)];
        let row = measure(&mut probe, &w, table);
        let at = |name| value(&probe, &row, name);
        assert_eq!((at("clusters"), at("single_bodies")), (2.0, 1.0));
        assert_eq!((at("aggregate_bodies"), at("aggregate_mass_fraction")), (3.0, 0.5));
        assert!((at("aggregate_coordination") - 4.0 / 3.0).abs() < 1e-15);
        assert!((at("aggregate_enclosing_radius_m") - 3.0).abs() < 1e-12);
        assert!((at("aggregate_packing_fraction") - 3.0 / 27.0).abs() < 1e-12);
        assert_eq!(
            (at("second_cluster_bodies"), at("aggregate2_bodies"), at("aggregate3_bodies")),
            (2.0, 2.0, 1.0)
        );
        assert_eq!(at("binary"), 0.0);
        assert!(at("binary_period_s").is_nan());
        assert!((at("system_orbital_angular_momentum_z_kg_m2_per_s") - m * 18.0).abs() < 1e-12);
        assert!((at("system_angular_momentum_z_kg_m2_per_s") - m * 20.0).abs() < 1e-12);
        assert!((at("aggregate_spin_angular_momentum_z_kg_m2_per_s") - 2.0 * m).abs() < 1e-12);
    }

    #[test]
    fn an_empty_world_has_no_clusters() {
        let row = measure(&mut Aggregates::default(), &world(&[]), Vec::new());
        assert_eq!(row[..5], [0.0; 5]);
        assert!(row.iter().all(|x| *x == 0.0 || x.is_nan()));
    }
}
