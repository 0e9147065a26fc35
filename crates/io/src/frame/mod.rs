//! Frames: all bodies at one time, in the order of their ids, in a file that ParaView, h5py and this program open.
//!
//! The file is VTKHDF 2.0 `PolyData`: points are the centres, every one a vertex cell, with `velocity` (m/s), `spin`
//! (rad/s), `orientation` (quaternion, w first), `radius` (m, of the circumscribed sphere), `mass` (kg), `id`, `group`,
//! `material`, `shape` and `contacts` (how many) as point data, and the time in the field data. The polygons of rocks
//! are not among the cells: VTK wants point data of one length, so that the corners would have to stand among the bodies,
//! and every reader of the columns would have to part them again. They are in `shapes.h5` beside the frames, once per run,
//! and `export` places them (VTP, OBJ).
//! With an asteroid, the frame may be written as seen from it, or with `body_position` and `body_velocity` besides; its
//! surface is an OBJ file beside the frames, and where it is, in the field data.
//! Of deformable grains the points are nodes and the cells triangles: see `deformable.rs`.
//! What VTK has no place for (names, the periodic box, the walls, the frame of reference, the step) is a JSON text in
//! `/Rubblepile/about`. The same world gives the same bytes.
//!
//! A frame shows a run; it cannot restart one: see `checkpoint`.

mod asteroids;
pub mod deformable;
pub mod fields;
mod index;
mod observer;
mod read;
pub mod shapes;
mod wall_styles;
mod walls;
mod write;

use std::sync::Arc;

use glam::{DQuat, DVec3};
use rubblepile_core::{Deformation, Domain, Mesh, Shape, ShapeId, Solid, World};
use serde::{Deserialize, Serialize};

use asteroids::relative_to;

#[cfg(test)]
pub(crate) use asteroids::write_surfaces;
pub use asteroids::{FrameAsteroid, View};
pub use deformable::Nodes;
pub use index::{FrameIndex, NAME as INDEX_NAME};
pub use observer::{FrameWriter, file_name};
pub use read::read;
pub use wall_styles::{WallStyle, WallStyles};
pub use walls::FrameWall;
pub use write::write;

/// Metadata of a frame.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FrameInfo {
    /// Version of the program that wrote it.
    pub version: String,
    pub step: u64,
    /// Names that the columns `group` and `material` count in.
    pub groups: Vec<String>,
    pub materials: Vec<String>,
    /// The periodic box, if there is one.
    pub periodic: Option<Periodic>,
    /// The walls, where they are at the time of the frame.
    #[serde(default)]
    pub walls: Vec<FrameWall>,
    /// The frame of reference of the columns.
    #[serde(default)]
    pub frame: View,
    #[serde(default)]
    pub asteroids: Vec<FrameAsteroid>,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Periodic {
    pub min: [f64; 3],
    pub max: [f64; 3],
    /// Which axes are periodic.
    pub axes: [bool; 3],
}

/// All bodies at one time, in the order of their ids.
#[derive(Debug, Clone, PartialEq)]
pub struct FrameData {
    /// s
    pub time: f64,
    pub about: FrameInfo,
    pub id: Vec<u64>,
    pub position: Vec<DVec3>,
    pub velocity: Vec<DVec3>,
    pub orientation: Vec<DQuat>,
    pub spin: Vec<DVec3>,
    pub radius: Vec<f64>,
    pub mass: Vec<f64>,
    pub group: Vec<u32>,
    pub material: Vec<u32>,
    /// Contacts of each body with bodies and walls.
    pub contacts: Vec<u32>,
    /// Which of `shapes` each body has; 0 is the sphere.
    pub shape: Vec<ShapeId>,
    /// The sphere alone where the others were not read.
    pub shapes: Vec<Shape>,
    /// Surfaces of the asteroids, in their own frames; none where they were not read.
    pub surfaces: Vec<Arc<Mesh>>,
    /// Positions and velocities in the frame of the first asteroid, where both frames were asked for. Not read back.
    pub body: Option<(Vec<DVec3>, Vec<DVec3>)>,
    /// Deformable grains. Then there are no bodies.
    pub deformable: Option<Nodes>,
}

impl FrameData {
    /// The world as it is; `contacts` counts by row (see `Method::contact_counts`).
    pub fn of(world: &World, contacts: &[u32]) -> Self {
        fn gather<T: Copy>(column: &[T], rows: &[u32]) -> Vec<T> {
            rows.iter().map(|&k| column[k as usize]).collect()
        }
        let b = &world.bodies;
        let rows = b.rows_by_id();
        FrameData {
            time: world.time(),
            about: FrameInfo {
                version: env!("CARGO_PKG_VERSION").into(),
                step: world.clock.step,
                groups: world.groups.clone(),
                materials: world.materials.iter().map(|m| m.name.clone()).collect(),
                periodic: match world.domain {
                    Domain::Open => None,
                    Domain::Periodic { min, max, axes } => {
                        Some(Periodic { min: min.to_array(), max: max.to_array(), axes })
                    }
                },
                walls: world.walls.iter().map(|w| FrameWall::of(w, world.time())).collect(),
                frame: View::Inertial,
                asteroids: world.asteroids.iter().map(FrameAsteroid::of).collect(),
            },
            id: gather(&b.id, &rows),
            position: gather(&b.position, &rows),
            velocity: gather(&b.velocity, &rows),
            orientation: gather(&b.orientation, &rows),
            spin: gather(&b.spin, &rows),
            radius: gather(&b.radius, &rows),
            mass: gather(&b.mass, &rows),
            group: gather(&b.group, &rows),
            material: gather(&b.material, &rows),
            shape: gather(&b.shape, &rows),
            shapes: world.shapes.clone(),
            surfaces: world.asteroids.iter().map(|a| a.mesh.clone()).collect(),
            body: None,
            deformable: Nodes::of(world, None),
            contacts: rows.iter().map(|&k| contacts.get(k as usize).copied().unwrap_or(0)).collect(),
        }
    }

    /// Without bodies.
    pub(super) fn empty(time: f64, about: FrameInfo) -> Self {
        FrameData {
            time,
            about,
            id: Vec::new(),
            position: Vec::new(),
            velocity: Vec::new(),
            orientation: Vec::new(),
            spin: Vec::new(),
            radius: Vec::new(),
            mass: Vec::new(),
            group: Vec::new(),
            material: Vec::new(),
            contacts: Vec::new(),
            shape: Vec::new(),
            shapes: vec![Shape::Sphere],
            surfaces: Vec::new(),
            body: None,
            deformable: None,
        }
    }

    /// With what deformable grains feel.
    pub fn with_deformation(mut self, world: &World, felt: Option<&Deformation>) -> Self {
        self.deformable = Nodes::of(world, felt);
        self
    }

    /// With the appearance of its walls, which are those of this world.
    pub fn with_wall_styles(mut self, world: &World, wall_styles: &WallStyles) -> Self {
        for (drawn, wall) in self.about.walls.iter_mut().zip(&world.walls) {
            WallStyle { colour: drawn.colour, transparency: drawn.transparency } = wall_styles.of(wall.id);
        }
        self
    }

    /// The same bodies in another frame of reference. Without an asteroid there is none but that of the world.
    pub fn in_view(mut self, world: &World, view: View) -> Self {
        let Some(pose) = world.asteroids.first().map(|a| a.pose()) else { return self };
        self.about.frame = view;
        let place = |x: &DVec3| pose.to_local(*x);
        let velocity = |(x, v): (&DVec3, &DVec3)| relative_to(&pose, *x, *v);
        let positions = self.position.iter().map(place).collect();
        let velocities = self.position.iter().zip(&self.velocity).map(velocity).collect();
        match view {
            View::Inertial => {}
            View::Body => {
                (self.position, self.velocity) = (positions, velocities);
                let back = pose.rotation.inverse();
                self.orientation.iter_mut().for_each(|q| *q = back * *q);
                self.spin.iter_mut().for_each(|w| *w = back * (*w - pose.spin));
            }
            View::Both => self.body = Some((positions, velocities)),
        }
        self
    }

    /// The world of a checkpoint: contacts are those that were remembered.
    pub fn of_checkpoint(world: &World) -> Self {
        let row: std::collections::HashMap<u64, usize> =
            world.bodies.id.iter().enumerate().map(|(k, &id)| (id, k)).collect();
        let mut contacts = vec![0u32; world.bodies.len()];
        let mut touch = |id: u64| {
            if let Some(&k) = row.get(&id) {
                contacts[k] += 1;
            }
        };
        for history in world.remembered() {
            touch(history.body);
            if let rubblepile_core::Partner::Body(id) = history.partner {
                touch(id);
            }
        }
        FrameData::of(world, &contacts)
    }

    pub fn len(&self) -> usize {
        self.id.len()
    }

    pub fn is_empty(&self) -> bool {
        self.id.is_empty()
    }

    /// Whether all bodies are spheres.
    pub fn only_spheres(&self) -> bool {
        self.shape.iter().all(|&s| s == 0)
    }

    /// The solid of body `k`; `None` for a sphere.
    pub fn solid(&self, k: usize) -> Option<&Solid> {
        self.shapes.get(self.shape[k] as usize)?.solid().map(|s| &**s)
    }

    /// Name of the group of body `k` of this frame; its number if it has none.
    pub fn group_name(&self, k: usize) -> String {
        name(&self.about.groups, self.group[k])
    }

    pub fn material_name(&self, k: usize) -> String {
        name(&self.about.materials, self.material[k])
    }
}

fn name(names: &[String], index: u32) -> String {
    names.get(index as usize).filter(|n| !n.is_empty()).cloned().unwrap_or_else(|| index.to_string())
}

#[cfg(test)]
pub(crate) mod tests;
