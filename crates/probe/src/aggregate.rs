//! What a cluster of touching bodies is as one body: its size, packing, load, shape and rotation.
//!
//! - Enclosing sphere, packing fraction and coordination number: section 3.2.2 of contact-dynamics-2021.
//! - Mean stress and pressure: eqs (19) and (20) there, over the enclosing sphere; see [`crate::stress`] for the sign.
//! - Moments of inertia are of the bodies where they are, each with its own moments about its centre. The inertial
//!   elongation is the largest over the smallest (section 4.2 of nbody-polyhedra-2017).
//! - Dynamically equivalent ellipsoid (section 3.3 of contact-dynamics-2021): with the principal moments A <= B <= C
//!   and the mass M, `a^2 = 5 (B + C - A) / (2 M)` and so on. These `dynamic_axes` have the mass and the moments of
//!   the cluster; for a homogeneous pile, porous or not, they are its true semi-axes. The paper does not say which
//!   volume its equal-volume ellipsoid equals. `semi_axes` are scaled to the volume of the solid matter, which
//!   stays the same while the pile changes its shape; [`crate::porosity`] scales them to that of the alpha shape.
//! - Rotation: angular velocity `I^-1 L`, L the angular momentum about the cluster's centre, which is that of the
//!   centres of the bodies (eq. (15) of nbody-polyhedra-2017, about the centre) and of their spins together. In a
//!   cluster that does not turn as one piece it is the mean that has the same L.
//!
//! Velocities are those of an inertial frame, also where the world is written in a rotating one.

use glam::{DMat3, DVec3};
use rubblepile_core::{Contact, Frame, Result, World};
use rubblepile_geometry::principal::principal_axes;

use crate::{
    clusters::{Cluster, Clusters, TOLERANCE, clusters},
    momentum::spin_of,
    sphere::{EnclosingSphere, enclosing_sphere},
    stress::moment_tensor,
    sum::reduce,
    touching::{GAP, TouchSearch, coordination, pairs},
    volume::outline,
};

#[derive(Debug, Clone, PartialEq)]
pub struct Aggregate {
    /// Members, by their ids.
    pub rows: Vec<u32>,
    /// kg
    pub mass: f64,
    /// Of the solid matter, m^3.
    pub volume: f64,
    /// Centre of mass, m.
    pub centre: DVec3,
    /// Of the centre, in an inertial frame, m/s.
    pub velocity: DVec3,
    pub sphere: EnclosingSphere,
    /// Volume of the bodies over that of the enclosing sphere.
    pub packing_fraction: f64,
    /// Mean number of contacts of a body, see [`crate::touching`].
    pub coordination: f64,
    /// Mean stress, compression positive: xx, yy, zz, xy, yz, zx, Pa.
    pub stress: [f64; 6],
    /// Pa
    pub pressure: f64,
    /// Principal moments of inertia about the centre, rising, kg m^2.
    pub moments: DVec3,
    /// Their axes, as columns.
    pub axes: DMat3,
    /// Semi-axes a >= b >= c of the ellipsoid of the same mass and moments, m.
    pub dynamic_axes: DVec3,
    /// The same, scaled to the volume of the solid matter, m.
    pub semi_axes: DVec3,
    /// Largest over smallest moment of inertia.
    pub elongation: f64,
    /// Of the bodies' centres about the centre of the cluster, kg m^2/s.
    pub orbital_angular_momentum: DVec3,
    /// Of the bodies about their own centres, kg m^2/s.
    pub spin_angular_momentum: DVec3,
    /// rad/s
    pub angular_velocity: DVec3,
}

impl Aggregate {
    /// About the centre of the cluster, kg m^2/s.
    pub fn angular_momentum(&self) -> DVec3 {
        self.orbital_angular_momentum + self.spin_angular_momentum
    }

    /// s; infinite without rotation.
    pub fn rotation_period(&self) -> f64 {
        std::f64::consts::TAU / self.angular_velocity.length()
    }

    /// Radius of the sphere as large as the dynamic ellipsoid, m.
    pub fn mean_radius(&self) -> f64 {
        self.dynamic_axes.element_product().cbrt()
    }

    /// Of one cluster: `contacts` with their forces and where bodies touch, both of all its members and of no others.
    pub fn of(world: &World, cluster: &Cluster, contacts: &[Contact], touching: &[Contact]) -> Result<Self> {
        let b = &world.bodies;
        let Cluster { rows, position, centre, mass, .. } = cluster;
        let (centre, mass, n) = (*centre, *mass, rows.len());
        let frame = frame_rate(world);
        let velocity = cluster.velocity + frame.cross(centre);
        let [volume] = reduce(n, |k| [world.volume(rows[k] as usize)]);
        let place: std::collections::HashMap<u32, usize> =
            if world.only_spheres() { Default::default() } else { rows.iter().copied().zip(0..).collect() };
        let (centres, radii) = if place.is_empty() {
            (position.clone(), rows.iter().map(|&row| b.radius[row as usize]).collect())
        } else {
            outline(world, rows.iter().map(|&row| row as usize), |row| position[place[&(row as u32)]])
        };
        // No members, no sphere; places that are no numbers were refused when clusters were looked for.
        let sphere = enclosing_sphere(&centres, &radii).unwrap_or(EnclosingSphere { centre, radius: 0.0 });
        let per_volume = if sphere.radius > 0.0 { 1.0 / sphere.volume() } else { 0.0 };
        let stress = moment_tensor(contacts).map(|x| x * per_volume);

        let tensor = reduce(n, |k| {
            let (own, d) = (inertia_of(world, rows[k] as usize), position[k] - centre);
            let (m, s) = (b.mass[rows[k] as usize], d * d);
            [
                own[0] + m * (s.y + s.z),
                own[1] + m * (s.z + s.x),
                own[2] + m * (s.x + s.y),
                own[3] - m * d.x * d.y,
                own[4] - m * d.y * d.z,
                own[5] - m * d.z * d.x,
            ]
        });
        let [ox, oy, oz, sx, sy, sz] = reduce(n, |k| {
            let row = rows[k] as usize;
            let d = position[k] - centre;
            let o = b.mass[row] * d.cross(b.velocity[row] - cluster.velocity + frame.cross(d));
            let s = spin_of(b, row, b.spin[row] + frame);
            [o.x, o.y, o.z, s.x, s.y, s.z]
        });
        let (orbital, spin) = (DVec3::new(ox, oy, oz), DVec3::new(sx, sy, sz));
        let [xx, yy, zz, xy, yz, zx] = tensor;
        let symmetric =
            DMat3::from_cols(DVec3::new(xx, xy, zx), DVec3::new(xy, yy, yz), DVec3::new(zx, yz, zz));
        let (moments, turn) = principal_axes(symmetric);
        let axes = DMat3::from_quat(turn);
        let l = axes.transpose() * (orbital + spin);
        let w =
            DVec3::from_array(std::array::from_fn(
                |k| {
                    if moments[k] > 0.0 { l[k] / moments[k] } else { 0.0 }
                },
            ));
        let dynamic_axes = equivalent_axes(moments, mass);
        Ok(Aggregate {
            rows: rows.clone(),
            mass,
            volume,
            centre,
            velocity,
            sphere,
            packing_fraction: volume * per_volume,
            coordination: coordination(&pairs(world, touching)?, n),
            stress,
            pressure: (stress[0] + stress[1] + stress[2]) / 3.0,
            moments,
            axes,
            dynamic_axes,
            semi_axes: scaled_to(dynamic_axes, volume),
            elongation: moments.z / moments.x,
            orbital_angular_momentum: orbital,
            spin_angular_momentum: spin,
            angular_velocity: axes * w,
        })
    }
}

/// Every cluster of two bodies or more, the most massive first.
pub fn aggregates(world: &World, contacts: &[Contact]) -> Result<Vec<Aggregate>> {
    let found = clusters(world, contacts, TOLERANCE)?;
    let many: Vec<&Cluster> = found.list.iter().filter(|c| c.len() > 1).collect();
    // Single bodies may be heavier than clusters: ranks have gaps.
    let tables = contacts_by_cluster(&found, contacts, found.list.len());
    let touching = TouchSearch::default().find(world, GAP)?;
    let touching = contacts_by_cluster(&found, &touching, found.list.len());
    many.into_iter()
        .map(|c| {
            let rank = c.rows.first().map_or(0, |&row| found.of_row[row as usize] as usize);
            Aggregate::of(world, c, &tables[rank], &touching[rank])
        })
        .collect()
}

/// The rows of the table by cluster, for the first `count` clusters.
pub fn contacts_by_cluster(clusters: &Clusters, contacts: &[Contact], count: usize) -> Vec<Vec<Contact>> {
    let mut tables = vec![Vec::new(); count];
    for c in contacts {
        let rank = clusters.of_row.get(c.row as usize).map_or(usize::MAX, |&k| k as usize);
        if let Some(table) = tables.get_mut(rank) {
            table.push(*c);
        }
    }
    tables
}

/// Semi-axes a >= b >= c of the homogeneous ellipsoid with these principal moments (rising) and this mass. Moments
/// that no body has (a rod thinner than nothing) give an axis of 0.
pub fn equivalent_axes(moments: DVec3, mass: f64) -> DVec3 {
    if mass <= 0.0 {
        return DVec3::ZERO;
    }
    let sum = moments.element_sum();
    (2.5 / mass * (DVec3::splat(sum) - 2.0 * moments)).max(DVec3::ZERO).map(f64::sqrt)
}

/// The ellipsoid of the same form and this volume; as it is if it is flat.
pub fn scaled_to(axes: DVec3, volume: f64) -> DVec3 {
    let own = 4.0 / 3.0 * std::f64::consts::PI * axes.element_product();
    if own > 0.0 { axes * (volume / own).cbrt() } else { axes }
}

/// Angular velocity of the frame, rad/s.
pub fn frame_rate(world: &World) -> DVec3 {
    match world.frame {
        Frame::Inertial => DVec3::ZERO,
        Frame::Rotating { angular_velocity } => angular_velocity,
    }
}

/// R I R^T of one body: xx, yy, zz, xy, yz, zx.
fn inertia_of(world: &World, row: usize) -> [f64; 6] {
    let i = world.bodies.inertia[row];
    if i.x == i.y && i.y == i.z {
        return [i.x, i.y, i.z, 0.0, 0.0, 0.0];
    }
    let r = DMat3::from_quat(world.bodies.orientation[row]);
    let m = r * DMat3::from_diagonal(i) * r.transpose();
    [m.x_axis.x, m.y_axis.y, m.z_axis.z, m.x_axis.y, m.y_axis.z, m.z_axis.x]
}

#[cfg(test)]
mod tests {
    use glam::DQuat;

    use super::*;
    use crate::testing::{boxes, cloud, contact, world};

    /// Two cubes of side 2 face to face along a turned x axis, that turn together about a turned z axis.
    fn bar(turn: DQuat, rate: f64) -> (World, Vec<Contact>) {
        let mut w = boxes(&[(DVec3::ZERO, 0.0), (DVec3::ZERO, 0.0)]);
        let spin = turn * DVec3::Z * rate;
        for (k, x) in [-1.0, 1.0].into_iter().enumerate() {
            let d = turn * DVec3::new(x, 0.0, 0.0);
            w.bodies.position[k] = DVec3::new(1e3, 5.0, -7.0) + d;
            w.bodies.velocity[k] = DVec3::new(3.0, 2.0, 1.0) + spin.cross(d);
            w.bodies.spin[k] = spin;
            w.bodies.orientation[k] = turn;
        }
        let mut c = contact(0, Some(1), turn * DVec3::X, 0.0);
        (c.force, c.branch) = (turn * DVec3::X * -1.5, turn * DVec3::X * -2.0);
        (w, vec![c; 4])
    }

    #[test]
    fn a_bar_of_two_cubes_in_any_attitude() {
        for turn in [DQuat::IDENTITY, DQuat::from_scaled_axis(DVec3::new(0.3, 1.2, -0.7))] {
            let (w, table) = bar(turn, 0.25);
            let all = aggregates(&w, &table).expect("aggregates");
            assert_eq!(all.len(), 1);
            let a = &all[0];
            assert_eq!(a.rows, [0, 1]);
            assert!((a.mass - 16.0).abs() < 1e-12 && (a.volume - 16.0).abs() < 1e-12);
            assert!((a.centre - DVec3::new(1e3, 5.0, -7.0)).length() < 1e-10);
            assert!((a.velocity - DVec3::new(3.0, 2.0, 1.0)).length() < 1e-12);
            assert!((a.sphere.radius - 6f64.sqrt()).abs() < 1e-10);
            assert_eq!(a.coordination, 3.0);
            // A homogeneous box of 4 x 2 x 2: moments m/12 (4 + 4), m/12 (16 + 4).
            let moments = DVec3::new(8.0, 20.0, 20.0) * 16.0 / 12.0;
            assert!((a.moments - moments).length() < 1e-9, "{}", a.moments);
            assert!((a.elongation - 2.5).abs() < 1e-9);
            assert!((a.axes.x_axis.dot(turn * DVec3::X).abs() - 1.0).abs() < 1e-9);
            // Half sides h: a^2 = 5 h^2 / 3.
            let axes = DVec3::new(2.0, 1.0, 1.0) * (5.0f64 / 3.0).sqrt();
            assert!((a.dynamic_axes - axes).length() < 1e-9);
            let solid = 4.0 / 3.0 * std::f64::consts::PI * a.semi_axes.element_product();
            assert!((solid - 16.0).abs() < 1e-9 && (a.semi_axes.x / a.semi_axes.y - 2.0).abs() < 1e-9);
            assert!((a.angular_velocity - turn * DVec3::Z * 0.25).length() < 1e-9);
            assert!((a.rotation_period() - 8.0 * std::f64::consts::PI).abs() < 1e-6);
            // Spins: 2 cubes of m/6 s^2; orbits: m r^2.
            assert!((a.spin_angular_momentum.length() - 0.25 * 2.0 * 8.0 * 4.0 / 6.0).abs() < 1e-9);
            assert!((a.orbital_angular_momentum.length() - 0.25 * 16.0).abs() < 1e-9);
            // Four points of 1.5 N over a branch of 2 m.
            assert!((a.pressure - 4.0 * 3.0 / 3.0 / a.sphere.volume()).abs() < 1e-9);
        }
    }

    #[test]
    fn a_rotating_frame_changes_nothing() {
        let turn = DQuat::from_scaled_axis(DVec3::new(0.3, 1.2, -0.7));
        let (mut w, table) = bar(turn, 0.25);
        let before = aggregates(&w, &table).expect("aggregates");
        let rate = DVec3::new(0.01, -0.02, 0.05);
        for k in 0..2 {
            w.bodies.velocity[k] -= rate.cross(w.bodies.position[k]);
            w.bodies.spin[k] -= rate;
        }
        w.frame = Frame::Rotating { angular_velocity: rate };
        let after = aggregates(&w, &table).expect("aggregates");
        assert!((after[0].angular_velocity - before[0].angular_velocity).length() < 1e-10);
        assert!((after[0].velocity - before[0].velocity).length() < 1e-10);
        assert!((after[0].angular_momentum() - before[0].angular_momentum()).length() < 1e-9);
    }

    #[test]
    fn a_sphere_is_its_own_ellipsoid() {
        let w = world(&[(DVec3::ONE, 2.5)]);
        let found = clusters(&w, &[], TOLERANCE).expect("clusters");
        let a = Aggregate::of(&w, &found.list[0], &[], &[]).expect("an aggregate");
        assert!((a.dynamic_axes - 2.5).length() < 1e-12 && (a.semi_axes - 2.5).length() < 1e-12);
        assert_eq!((a.elongation, a.coordination), (1.0, 0.0));
        assert!(a.rotation_period().is_infinite());
        assert!((a.packing_fraction - 1.0).abs() < 1e-12);
    }

    #[test]
    fn angular_momentum_is_that_of_the_whole_world_if_all_hang_together() {
        // A cloud in which everything is told to touch its neighbour in the rows.
        let w = cloud(500, 6);
        let table: Vec<Contact> = (1..500).map(|k| contact(k - 1, Some(k), DVec3::X, 0.0)).collect();
        let all = aggregates(&w, &table).expect("aggregates");
        let whole = crate::momentum::Momenta::of(&w.bodies);
        assert_eq!(all.len(), 1);
        assert!((all[0].angular_momentum() - whole.angular).length() < 1e-12 * whole.angular_scale);
        // I w = L, in the world's axes.
        let a = &all[0];
        let back = a.axes * (a.moments * (a.axes.transpose() * a.angular_velocity));
        assert!((back - whole.angular).length() < 1e-12 * whole.angular_scale);
    }
}
