//! Packing, stress and motion against the distance from the centre of the most massive cluster.
//!
//! The space around its centre of mass is cut into shells of equal thickness. A grain belongs to a shell with that part of
//! its volume that lies in it (polyhedra as spheres of equal volume), and with the same part of its moment tensor, eq.
//! (19) of contact-dynamics-2021; the sum over the volume of the shell is eq. (20). All grains count, those that touch
//! nothing too. A homogeneous pile in hydrostatic equilibrium has `P(r) = 2/3 pi G rho^2 (R^2 - r^2)`.

use std::f64::consts::PI;

use rubblepile_core::{
    Column, Probe, Result,
    method::Moment,
    settings::{Auto, Check, LengthKind, ScenarioContext, Time},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    aggregate::{contacts_by_cluster, frame_rate},
    clusters::{TOLERANCE, clusters},
    settings::ProbeSettings,
    sphere::enclosing_sphere,
    stress::moments_by_row,
};

/// The sampling interval, and the shells.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProfileSampling {
    /// Interval of simulated time; the first measurement is at the start.
    pub every: Time,
    /// Number of shells, of equal thickness.
    #[serde(default = "ten")]
    pub shells: u32,
    /// Outer radius of the last shell; `"auto"`: of the smallest sphere about the centre of mass that encloses the most
    /// massive cluster, at each time.
    #[serde(default = "automatic")]
    pub radius: Auto<LengthKind>,
}

fn ten() -> u32 {
    10
}

fn automatic() -> Auto<LengthKind> {
    Auto::Auto
}

impl ProbeSettings for ProfileSampling {
    fn about() -> &'static str {
        "Packing fraction, stress and motion in shells about the centre of the largest cluster."
    }

    fn example() -> Self {
        ProfileSampling { every: Time::new(1.0), shells: 1, radius: Auto::Auto }
    }

    fn every(&self) -> Time {
        self.every
    }

    fn check(&self, c: &mut Check, at: &str) {
        let shells = self.shells;
        c.check((1..=1000).contains(&shells), at, "shells", || {
            format!("`shells` must be between 1 and 1000, it is {shells}")
        });
        if let Auto::Value(radius) = self.radius {
            c.positive(radius, at, "radius");
        }
    }

    fn probe(&self, _: &ScenarioContext) -> Box<dyn Probe> {
        Box::new(RadialProfile { shells: self.shells as usize, radius: self.radius.value() })
    }
}

/// Shells about the centre of the most massive cluster.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RadialProfile {
    pub shells: usize,
    /// Outer radius of the last shell, m; `None`: of the cluster.
    pub radius: Option<f64>,
}

/// What is in one shell.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Shell {
    /// Outer radius, m.
    pub radius: f64,
    pub packing: f64,
    /// Pa, compression positive.
    pub radial_stress: f64,
    /// Mean of the two other principal directions of the shell, Pa.
    pub tangential_stress: f64,
    /// Outwards, mean over the mass, m/s; NaN in an empty shell.
    pub radial_velocity: f64,
    /// Rate of rotation about the cluster's axis of angular momentum, `sum L / sum I`, rad/s; NaN in an empty shell.
    pub rotation: f64,
}

impl RadialProfile {
    /// The shells from the inside out; none without grains.
    pub fn of(&self, moment: &mut Moment) -> Result<Vec<Shell>> {
        let world = moment.world;
        let contacts = moment.contacts()?;
        let found = clusters(world, contacts, TOLERANCE)?;
        let Some(largest) = found.list.first() else { return Ok(Vec::new()) };
        let own = contacts_by_cluster(&found, contacts, 1);
        let (b, frame) = (&world.bodies, frame_rate(world));
        let tensors = moments_by_row(world, contacts);
        let whole = crate::Aggregate::of(world, largest, &own[0], &[])?;
        let axis = whole.angular_momentum().normalize_or_zero();
        let radius = self.radius.unwrap_or_else(|| {
            let far = |s: crate::EnclosingSphere| s.radius + s.centre.distance(largest.centre);
            let radii: Vec<f64> = largest.rows.iter().map(|&k| b.radius[k as usize]).collect();
            enclosing_sphere(&largest.position, &radii).map_or(0.0, far)
        });
        let volume = |k: usize| 4.0 / 3.0 * PI * (radius * k as f64 / self.shells as f64).powi(3);
        let mut shells = vec![Shell::default(); self.shells];
        let mut mass = vec![0.0; self.shells];
        let mut inertia = vec![0.0; self.shells];
        for (k, t) in tensors.iter().enumerate() {
            let d = world.domain.shortest(b.position[k] - largest.centre);
            let (distance, solid) = (d.length(), world.volume(k));
            let own_radius = (0.75 / PI * solid).cbrt();
            if distance - own_radius >= radius || solid <= 0.0 {
                continue;
            }
            let out = d.normalize_or_zero();
            let trace = t[0] + t[1] + t[2];
            let along = t[0] * out.x * out.x
                + t[1] * out.y * out.y
                + t[2] * out.z * out.z
                + 2.0 * (t[3] * out.x * out.y + t[4] * out.y * out.z + t[5] * out.z * out.x);
            // A grain in the very centre has no direction outwards.
            let radial = if distance > 0.0 { along } else { trace / 3.0 };
            let velocity = b.velocity[k] - largest.velocity + frame.cross(d);
            let arm = d - d.dot(axis) * axis;
            let mut inside = 0.0;
            for (n, shell) in shells.iter_mut().enumerate() {
                let within = overlap(distance, own_radius, radius * (n + 1) as f64 / self.shells as f64);
                let part = (within - inside) / solid;
                inside = within;
                let m = part * b.mass[k];
                shell.packing += part * solid;
                shell.radial_stress += part * radial;
                shell.tangential_stress += part * 0.5 * (trace - radial);
                shell.radial_velocity += m * velocity.dot(out);
                shell.rotation += m * arm.cross(velocity).dot(axis);
                mass[n] += m;
                inertia[n] += m * arm.length_squared();
            }
        }
        for (n, shell) in shells.iter_mut().enumerate() {
            let per_volume = 1.0 / (volume(n + 1) - volume(n));
            shell.radius = radius * (n + 1) as f64 / self.shells as f64;
            shell.packing *= per_volume;
            shell.radial_stress *= per_volume;
            shell.tangential_stress *= per_volume;
            // An empty shell has neither: 0 over 0.
            shell.radial_velocity /= mass[n];
            shell.rotation /= inertia[n];
        }
        Ok(shells)
    }
}

/// Volume that a ball of this radius at this distance has in common with the ball of radius `all` about the origin.
fn overlap(distance: f64, radius: f64, all: f64) -> f64 {
    let ball = |r: f64| 4.0 / 3.0 * PI * r.powi(3);
    if distance >= all + radius {
        0.0
    } else if distance <= (all - radius).abs() {
        ball(radius.min(all))
    } else {
        let (d, r, a) = (distance, radius, all);
        let lens = d * d + 2.0 * d * (a + r) - 3.0 * (a - r).powi(2);
        PI * (a + r - d).powi(2) * lens / (12.0 * d)
    }
}

impl Probe for RadialProfile {
    fn columns(&self) -> Vec<Column> {
        let of = |k: usize| {
            let shell = format!("shell {k} of {} about the centre of the largest cluster", self.shells);
            let column = |name: &str, unit: &'static str, what: &str| {
                Column::new(format!("shell_{k}_{name}"), unit, format!("{what} {shell}"))
            };
            [
                column("radius", "m", "Outer radius of"),
                column("packing_fraction", "", "Volume of grains over that of"),
                column(
                    "radial_stress",
                    "Pa",
                    "Mean stress of the contacts outwards, compression positive, in",
                ),
                column(
                    "tangential_stress",
                    "Pa",
                    "Mean stress of the contacts across, compression positive, in",
                ),
                column("radial_velocity", "m/s", "Mean velocity outwards, by mass, in"),
                column(
                    "rotation_rate",
                    "rad/s",
                    "Rotation about the cluster's angular momentum, `sum L / sum I`, in",
                ),
            ]
        };
        (1..=self.shells).flat_map(of).collect()
    }

    fn measure(&mut self, moment: &mut Moment, row: &mut Vec<f64>) -> Result<()> {
        let shells = self.of(moment)?;
        for k in 0..self.shells {
            let s = shells.get(k).copied().unwrap_or_default();
            row.extend([s.radius, s.packing, s.radial_stress, s.tangential_stress]);
            row.extend([s.radial_velocity, s.rotation]);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use crate::testing::{cloud, contact, measure, value, world};

    #[test]
    fn a_ball_is_shared_out_among_shells() {
        // A ball of radius 1 whose centre is on the border of the inner one of two shells of 3 m, far out.
        let w = world(&[(DVec3::ZERO, 2.0), (DVec3::new(3.0, 0.0, 0.0), 1.0)]);
        let at_centre = 32.0 / 3.0 * PI;
        for (d, r, a, expected) in [
            (0.0, 2.0, 3.0, at_centre),
            (0.0, 2.0, 1.0, 4.0 / 3.0 * PI),
            (5.0, 2.0, 3.0, 0.0),
            (1.0, 1.0, 1.0, 5.0 / 12.0 * PI),
        ] {
            assert!((overlap(d, r, a) - expected).abs() < 1e-13, "{d} {r} {a}");
        }
        let mut probe = RadialProfile { shells: 3, radius: Some(9.0) };
        let row = measure(&mut probe, &w, vec![contact(0, Some(1), DVec3::X, 0.0)]);
        let whole: f64 = (1..=3)
            .map(|k| {
                let (r, inner) = (3.0 * f64::from(k), 3.0 * f64::from(k - 1));
                value(&probe, &row, &format!("shell_{k}_packing_fraction")) * (r.powi(3) - inner.powi(3))
            })
            .sum();
        assert!((whole - 9.0).abs() < 1e-12, "{whole}");
    }

    #[test]
    fn all_stress_is_in_the_shells() {
        let w = cloud(400, 3);
        let table: Vec<_> = (0..399u32)
            .map(|k| {
                let mut c = contact(k, Some(k + 1), DVec3::X, 0.0);
                let [a, b] = [k, k + 1].map(|row| w.bodies.position[row as usize]);
                (c.point, c.branch, c.force) = (0.5 * (a + b), a - b, 3.0 * (a - b));
                c
            })
            .collect();
        let mut probe = RadialProfile { shells: 7, radius: Some(50.0) };
        let row = measure(&mut probe, &w, table.clone());
        let tensor = crate::stress::moment_tensor(&table);
        let sum: f64 = (1..=7)
            .map(|k| {
                let at = |name: &str| value(&probe, &row, &format!("shell_{k}_{name}"));
                let shell = |k: f64| 4.0 / 3.0 * PI * (50.0 * k / 7.0).powi(3);
                let volume = shell(f64::from(k)) - shell(f64::from(k - 1));
                volume * (at("radial_stress_Pa") + 2.0 * at("tangential_stress_Pa"))
            })
            .sum();
        assert!((sum / (tensor[0] + tensor[1] + tensor[2]) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_pile_that_turns_and_grows() {
        let mut w = cloud(3000, 5);
        let (rate, growth) = (DVec3::new(0.0, 0.0, 0.3), 0.02);
        let table: Vec<_> = (0..2999u32).map(|k| contact(k, Some(k + 1), DVec3::X, 0.0)).collect();
        let centre = w.bodies.centre_of_mass().0;
        for k in 0..3000 {
            let d = w.bodies.position[k] - centre;
            w.bodies.velocity[k] = DVec3::X + rate.cross(d) + growth * d;
            w.bodies.spin[k] = DVec3::ZERO;
        }
        let mut probe = RadialProfile { shells: 4, radius: None };
        let row = measure(&mut probe, &w, table);
        // The two outer shells reach beyond the sides of the cube.
        for k in 1..=2 {
            let at = |name: &str| value(&probe, &row, &format!("shell_{k}_{name}"));
            assert!((at("rotation_rate_rad_per_s") - 0.3).abs() < 0.02, "{k}");
            // Mean distance in a shell that is evenly filled.
            let (outer, inner) = (f64::from(k), f64::from(k - 1));
            let unit = at("radius_m") / outer;
            let mean = 0.75 * unit * (outer.powi(4) - inner.powi(4)) / (outer.powi(3) - inner.powi(3));
            assert!((at("radial_velocity_m_per_s") / (growth * mean) - 1.0).abs() < 0.05, "{k}");
        }
    }

    #[test]
    fn an_empty_world_has_empty_shells() {
        let mut probe = RadialProfile { shells: 2, radius: None };
        assert_eq!(measure(&mut probe, &world(&[]), Vec::new()), [0.0; 12]);
    }
}
