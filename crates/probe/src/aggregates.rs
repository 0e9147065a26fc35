//! The series of the aggregates: how many clusters there are, what the largest ones are like (see
//! [`crate::aggregate`]), and whether the two largest are a binary (see [`crate::binary`]).
//!
//! The angular momentum of the system is eq. (15) of nbody-polyhedra-2017, `H = sum m r x v` of the centres of all
//! bodies about the origin of the inertial frame, and beside it that of the spins, which eq. (15) leaves out: their
//! sum is what collisions conserve.
//!
//! What does not exist (a second cluster, the orbit of no binary) is NaN, its bodies and mass 0.

use glam::DVec3;
use rubblepile_core::{
    Column, Probe, Result, World,
    method::Moment,
    settings::{Check, ScenarioContext, Time},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Aggregate, Binary,
    aggregate::{contacts_by_cluster, frame_rate},
    clusters::{TOLERANCE, clusters},
    momentum::spin_of,
    settings::ProbeSettings,
    sum::reduce,
    touching::{GAP, TouchSearch},
};

/// The sampling interval, and how many clusters to report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AggregateSampling {
    /// Interval of simulated time; the first measurement is at the start.
    pub every: Time,
    /// Number of the largest clusters that have their own columns.
    #[serde(default = "one_cluster")]
    pub follow: u32,
}

fn one_cluster() -> u32 {
    1
}

impl ProbeSettings for AggregateSampling {
    fn about() -> &'static str {
        "Clusters of touching grains: how many, and size, shape, load and rotation of the largest; binaries."
    }

    fn example() -> Self {
        AggregateSampling { every: Time::new(1.0), follow: one_cluster() }
    }

    fn every(&self) -> Time {
        self.every
    }

    fn check(&self, c: &mut Check, at: &str) {
        let follow = self.follow;
        c.check((1..=20).contains(&follow), at, "follow", || {
            format!("`follow` must be between 1 and 20, it is {follow}")
        });
    }

    fn probe(&self, _: &ScenarioContext) -> Box<dyn Probe> {
        Box::new(Aggregates { follow: self.follow as usize, ..Aggregates::default() })
    }
}

/// Clusters, and what the largest is like.
#[derive(Debug)]
pub struct Aggregates {
    /// How many of the largest clusters have columns of their own: `aggregate_..`, `aggregate2_..` and so on.
    pub follow: usize,
    /// Gap over the smaller radius up to which spheres count as touching.
    pub tolerance: f64,
    touching: TouchSearch,
}

impl Default for Aggregates {
    fn default() -> Self {
        Aggregates { follow: 1, tolerance: TOLERANCE, touching: TouchSearch::default() }
    }
}

/// How many columns a cluster has.
const WIDTH: usize = 35;

/// Columns of the cluster of this rank by mass, from 0.
fn of_cluster(rank: usize) -> Vec<Column> {
    let (number, whose) = match rank {
        0 => (String::new(), "most massive cluster".to_string()),
        k => ((k + 1).to_string(), format!("cluster {} by mass", k + 1)),
    };
    let stem = |name: &str| format!("aggregate{number}_{name}");
    let define = |what: &str| format!("Of the {whose}: {what}");
    let column = |name: &str, unit, what: &str| Column::new(stem(name), unit, define(what));
    let vector = |name: &str, unit, what: &str| Column::vector(&stem(name), unit, &define(what));
    let mut all = vec![
        column("bodies", "", "number of bodies"),
        column("mass", "kg", "mass"),
        column("mass_fraction", "", "mass over that of all bodies"),
        column("enclosing_radius", "m", "radius of the smallest sphere around it"),
        column("packing_fraction", "", "volume of its bodies over that of the enclosing sphere"),
        column(
            "coordination",
            "",
            "mean number of contacts of a body, `(2 N_gg + N_gw) / N`, gaps up to 1e-4 of the smaller radius",
        ),
    ];
    all.extend(Column::tensor(
        &stem("stress"),
        "Pa",
        &define("mean stress of its contacts over the enclosing sphere, compression positive"),
    ));
    all.push(column("pressure", "Pa", "a third of the trace of its mean stress"));
    for axis in ["a", "b", "c"] {
        let what = format!(
            "semi-axis {axis} (a >= b >= c) of the ellipsoid with the proportions of the dynamic axes and the volume of its \
             solid matter"
        );
        all.push(column(&format!("semi_axis_{axis}"), "m", &what));
    }
    for (axis, formula) in [("a", "B + C - A"), ("b", "C + A - B"), ("c", "A + B - C")] {
        let what = format!(
            "semi-axis {axis} of the homogeneous ellipsoid of the same mass M and principal moments A <= B <= C, \
             `{axis}^2 = 5 ({formula}) / (2 M)`"
        );
        all.push(column(&format!("dynamic_axis_{axis}"), "m", &what));
    }
    all.push(column("inertial_elongation", "", "largest over smallest principal moment of inertia, `C / A`"));
    all.push(column("rotation_period", "s", "`2 pi / |w|`, w its angular velocity; inf without rotation"));
    all.extend(vector(
        "angular_velocity",
        "rad/s",
        "`w = I^-1 L`, L its angular momentum, in an inertial frame",
    ));
    all.extend(vector(
        "orbital_angular_momentum",
        "kg m2/s",
        "angular momentum of the centres of its bodies about its centre of mass",
    ));
    all.extend(vector(
        "spin_angular_momentum",
        "kg m2/s",
        "angular momentum of its bodies about their own centres",
    ));
    all.extend(vector("angular_momentum", "kg m2/s", "orbital and spin angular momentum together"));
    all.push(column("enclosing_sphere_volume", "m3", "volume of the smallest sphere around it"));
    all.push(column("solid_volume", "m3", "volume of its bodies"));
    all
}

/// Columns of the whole system.
fn of_all() -> Vec<Column> {
    let binary = "of the orbit of the binary, as of two points; NaN without one";
    let mut all = vec![
        Column::new("clusters", "", "Clusters of two touching bodies or more"),
        Column::new("single_bodies", "", "Bodies that touch no other"),
        Column::new("second_cluster_bodies", "", "Bodies of the second most massive cluster or single body"),
        Column::new("second_cluster_mass", "kg", "Mass of the second most massive cluster or single body"),
        Column::new(
            "binary",
            "",
            "1 if the two most massive clusters are bound and do not meet on their orbit (at least three bodies and 1 % \
             of the mass each), otherwise 0",
        ),
        Column::new("binary_separation", "m", "Distance between the centres of the binary; NaN without one"),
        Column::new("binary_eccentricity", "", format!("Eccentricity {binary}")),
        Column::new("binary_period", "s", format!("Period {binary}")),
    ];
    let about = "of all bodies about the origin of the inertial frame";
    all.extend(Column::vector(
        "system_orbital_angular_momentum",
        "kg m2/s",
        &format!("Angular momentum of the centres, `sum m r cross v`, {about}"),
    ));
    all.extend(Column::vector(
        "system_spin_angular_momentum",
        "kg m2/s",
        "Sum of the angular momenta of the spins, `sum I w`",
    ));
    all.extend(Column::vector(
        "system_angular_momentum",
        "kg m2/s",
        &format!("Orbital and spin angular momentum together, {about}"),
    ));
    all
}

impl Probe for Aggregates {
    fn columns(&self) -> Vec<Column> {
        let each = (0..self.follow).flat_map(of_cluster);
        of_all().into_iter().chain(each).collect()
    }

    fn measure(&mut self, moment: &mut Moment, row: &mut Vec<f64>) -> Result<()> {
        let world = moment.world;
        let contacts = moment.contacts()?;
        let found = clusters(world, contacts, self.tolerance)?;
        let count = found.list.len();
        let tables = contacts_by_cluster(&found, contacts, count);
        let touching = contacts_by_cluster(&found, &self.touching.find(world, GAP)?, count);
        let describe = |rank: usize| Aggregate::of(world, &found.list[rank], &tables[rank], &touching[rank]);
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
                None => row.extend([0.0, 0.0, 0.0].into_iter().chain([f64::NAN; WIDTH - 3])),
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
