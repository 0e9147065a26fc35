//! The rigid bodies: one row per body, one column per property.

use glam::{DQuat, DVec3};

use crate::{
    error::{Error, Result},
    shape::{ShapeId, Solid},
};

/// Index into [`crate::World::materials`].
pub type MaterialId = u32;
/// Index into [`crate::World::groups`].
pub type GroupId = u32;

/// Structure of arrays. Rows move when grains are sorted in space; `id` never changes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Bodies {
    pub id: Vec<u64>,
    pub position: Vec<DVec3>,
    pub velocity: Vec<DVec3>,
    /// Of the body frame in the world. Stays the identity for spheres: nothing reads it for them, and no method turns it.
    pub orientation: Vec<DQuat>,
    /// Angular velocity in the world frame, rad/s.
    pub spin: Vec<DVec3>,
    pub mass: Vec<f64>,
    /// Principal moments of inertia in the body frame.
    pub inertia: Vec<DVec3>,
    /// Radius of the bounding sphere: of the sphere itself, for spheres.
    pub radius: Vec<f64>,
    pub shape: Vec<ShapeId>,
    pub material: Vec<MaterialId>,
    pub group: Vec<GroupId>,
}

crate::archive_struct!(Bodies {
    id,
    position,
    velocity,
    orientation,
    spin,
    mass,
    inertia,
    radius,
    shape,
    material,
    group,
});

impl Bodies {
    pub fn len(&self) -> usize {
        self.id.len()
    }

    pub fn is_empty(&self) -> bool {
        self.id.is_empty()
    }

    /// Adds a homogeneous sphere at rest and returns its row. Its id is the number of bodies before it.
    pub fn push_sphere(
        &mut self,
        position: DVec3,
        radius: f64,
        density: f64,
        material: MaterialId,
        group: GroupId,
    ) -> usize {
        let row = self.len();
        let mass = 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3) * density;
        self.id.push(row as u64);
        self.position.push(position);
        self.velocity.push(DVec3::ZERO);
        self.orientation.push(DQuat::IDENTITY);
        self.spin.push(DVec3::ZERO);
        self.mass.push(mass);
        self.inertia.push(DVec3::splat(0.4 * mass * radius * radius));
        self.radius.push(radius);
        self.shape.push(0);
        self.material.push(material);
        self.group.push(group);
        row
    }

    /// Adds a homogeneous solid at rest and returns its row. Its id is the number of bodies before it.
    #[allow(clippy::too_many_arguments)]
    pub fn push_solid(
        &mut self,
        position: DVec3,
        orientation: DQuat,
        (shape, solid): (ShapeId, &Solid),
        density: f64,
        material: MaterialId,
        group: GroupId,
    ) -> usize {
        let row = self.push_sphere(position, solid.radius, density, material, group);
        self.orientation[row] = orientation;
        self.mass[row] = density * solid.volume;
        self.inertia[row] = density * solid.inertia;
        self.shape[row] = shape;
        row
    }

    /// Reorders the rows: new row `k` is old row `order[k]`.
    pub fn permute(&mut self, order: &[u32]) {
        fn take<T: Copy>(column: &mut Vec<T>, order: &[u32]) {
            *column = order.iter().map(|&k| column[k as usize]).collect();
        }
        take(&mut self.id, order);
        take(&mut self.position, order);
        take(&mut self.velocity, order);
        take(&mut self.orientation, order);
        take(&mut self.spin, order);
        take(&mut self.mass, order);
        take(&mut self.inertia, order);
        take(&mut self.radius, order);
        take(&mut self.shape, order);
        take(&mut self.material, order);
        take(&mut self.group, order);
    }

    /// Rows in the order of their ids: how bodies are written to files.
    pub fn rows_by_id(&self) -> Vec<u32> {
        let mut rows: Vec<u32> = (0..self.len() as u32).collect();
        rows.sort_unstable_by_key(|&k| self.id[k as usize]);
        rows
    }

    pub fn total_mass(&self) -> f64 {
        self.mass.iter().sum()
    }

    /// Centre of mass and its velocity. Zero for an empty world.
    pub fn centre_of_mass(&self) -> (DVec3, DVec3) {
        let (mut m, mut x, mut v) = (0.0, DVec3::ZERO, DVec3::ZERO);
        for k in 0..self.len() {
            m += self.mass[k];
            x += self.mass[k] * self.position[k];
            v += self.mass[k] * self.velocity[k];
        }
        if m > 0.0 { (x / m, v / m) } else { (DVec3::ZERO, DVec3::ZERO) }
    }

    /// Kinetic energy of translation and of rotation, J.
    pub fn kinetic_energy(&self) -> (f64, f64) {
        let (mut t, mut r) = (0.0, 0.0);
        for k in 0..self.len() {
            t += 0.5 * self.mass[k] * self.velocity[k].length_squared();
            let w = self.orientation[k].inverse() * self.spin[k];
            r += 0.5 * (self.inertia[k] * w * w).element_sum();
        }
        (t, r)
    }

    /// The first body with a number that is not finite, as an error that names it.
    pub fn check_finite(&self, time: f64) -> Result<()> {
        for k in 0..self.len() {
            let what = if !self.position[k].is_finite() {
                "position"
            } else if !self.velocity[k].is_finite() {
                "velocity"
            } else if !self.spin[k].is_finite() {
                "spin"
            } else {
                continue;
            };
            return Err(Error::NotFinite { what, id: self.id[k], time });
        }
        Ok(())
    }
}
