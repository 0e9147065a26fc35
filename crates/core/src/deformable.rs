//! Deformable grains in the plane: nodes that move, and what presses on them. How they are filled with nodes, and what their
//! deformation costs, is the business of the method; here is only what a world must hold and a checkpoint must save.

use std::sync::Arc;

use glam::{DVec2, DVec3};

use crate::{GroupId, MaterialId, Partner, Surface, Wall};

/// A grain as it was made, free of stress.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Reference {
    /// m. The first ones are on the outline, in order, counterclockwise.
    pub nodes: Vec<DVec2>,
    /// How many are on the outline.
    pub boundary: usize,
    /// What is integrated over; corners go round against the clock.
    pub triangles: Vec<[u32; 3]>,
}

impl Reference {
    /// m^2
    pub fn area(&self) -> f64 {
        self.triangles.iter().map(|t| area(t.map(|k| self.nodes[k as usize]))).sum()
    }

    /// Mean distance of neighbours on the outline, m.
    pub fn spacing(&self) -> f64 {
        let n = self.boundary;
        let sides = (0..n).map(|k| self.nodes[k].distance(self.nodes[(k + 1) % n]));
        sides.sum::<f64>() / n.max(1) as f64
    }
}

fn area([a, b, c]: [DVec2; 3]) -> f64 {
    0.5 * (b - a).perp_dot(c - a)
}

/// A grain that deforms.
#[derive(Debug, Clone, PartialEq)]
pub struct Deformable {
    /// Never reused in a world.
    pub id: u64,
    pub group: GroupId,
    pub material: MaterialId,
    pub reference: Arc<Reference>,
    /// Of every node from where it is in the reference, m.
    pub displacement: Vec<DVec2>,
    /// m/s
    pub velocity: Vec<DVec2>,
    /// At the end of the last step, m/s^2. Empty before the first.
    pub acceleration: Vec<DVec2>,
}

impl Deformable {
    /// At rest in its reference.
    pub fn new(id: u64, group: GroupId, material: MaterialId, reference: Reference) -> Self {
        let still = vec![DVec2::ZERO; reference.nodes.len()];
        Deformable {
            id,
            group,
            material,
            displacement: still.clone(),
            velocity: still,
            acceleration: Vec::new(),
            reference: Arc::new(reference),
        }
    }

    /// Where the nodes are, m.
    pub fn positions(&self) -> Vec<DVec2> {
        self.reference.nodes.iter().zip(&self.displacement).map(|(x, u)| *x + *u).collect()
    }

    /// Where the nodes of the outline are, m.
    pub fn outline(&self) -> Vec<DVec2> {
        let nodes = self.reference.nodes.iter().zip(&self.displacement);
        nodes.take(self.reference.boundary).map(|(x, u)| *x + *u).collect()
    }

    /// Of its triangles as they are now, m^2.
    pub fn area(&self) -> f64 {
        let x = self.positions();
        self.reference.triangles.iter().map(|t| area(t.map(|k| x[k as usize]))).sum()
    }

    /// J per metre of depth, of velocities that are linear in each triangle: near enough to tell whether a grain rests.
    pub fn kinetic_energy(&self, density: f64) -> f64 {
        let of_triangle = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|k| self.velocity[k as usize]);
            let squares = a.length_squared() + b.length_squared() + c.length_squared();
            let mean = a.dot(b) + b.dot(c) + c.dot(a);
            area(t.map(|k| self.reference.nodes[k as usize])) * (squares + mean) / 12.0
        };
        density * self.reference.triangles.iter().map(of_triangle).sum::<f64>()
    }
}

/// Faces of a wall that grains in the plane can touch: of planes the one that the normal points to, of boxes the four in the plane.
pub fn faces(wall: &Wall) -> std::ops::Range<u32> {
    if matches!(wall.surface, Surface::Box { .. }) { 0..4 } else { 0..1 }
}

/// A face as a line in the plane at a time: a point of it, and the normal to where grains are.
pub fn side(wall: &Wall, face: u32, time: f64) -> (DVec2, DVec2) {
    let (point, normal) = match wall.surface {
        Surface::Box { min, max } => {
            // Faces are counted as everywhere: lower x, upper x, lower y, upper y.
            let inwards = if face < 2 { DVec3::X } else { DVec3::Y };
            if face.is_multiple_of(2) { (min, inwards) } else { (max, -inwards) }
        }
        surface => (surface.centre(), surface.axis()),
    };
    let pose = wall.pose(time);
    (pose.to_world(point).truncate(), (pose.rotation * normal).truncate().normalize_or(DVec2::Y))
}

/// All sides of a wall.
pub fn sides(wall: &Wall, time: f64) -> impl Iterator<Item = (DVec2, DVec2)> + '_ {
    faces(wall).map(move |face| side(wall, face, time))
}

/// A node of an outline that something presses on: the memory of contact, eq. (21) of meshfree-2016.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pressed {
    /// Id of the grain, and which of its nodes.
    pub grain: u64,
    pub node: u32,
    /// Another grain, by id, or a wall and which of its faces.
    pub partner: Partner,
    /// Multiplier of eq. (21) with its sign turned, Pa: not below 0.
    pub pressure: f64,
    /// Along the outline, Pa.
    pub traction: f64,
    /// Whether the two stick to each other.
    pub bonded: bool,
}

/// What deformable grains feel at a moment: of the nodes of all grains, one grain after the other, and of every grain.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Deformation {
    /// Cauchy stress xx, yy, xy, Pa.
    pub stress: Vec<[f64; 3]>,
    /// Green-Lagrange strain xx, yy, xy.
    pub strain: Vec<[f64; 3]>,
    /// What others and walls push a node with, N per metre of depth.
    pub contact_force: Vec<DVec2>,
    pub touching: Vec<bool>,
    pub grains: Vec<GrainState>,
    /// Largest distance of what touches, m.
    pub largest_gap: f64,
    /// Largest pressure of a contact, Pa.
    pub largest_pressure: f64,
}

/// A deformable grain as a whole. Masses, momenta and energies are per metre of depth.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct GrainState {
    /// kg/m
    pub mass: f64,
    /// As it is now, m^2.
    pub area: f64,
    /// Centre of mass, m.
    pub centre: DVec2,
    /// By how much it has turned since it was made, rad, from -pi to pi.
    pub orientation: f64,
    /// kg/s
    pub momentum: DVec2,
    /// About the origin, kg m/s.
    pub angular_momentum: f64,
    /// J/m
    pub kinetic: f64,
    /// J/m
    pub elastic: f64,
    /// Cauchy stress xx, yy, xy, the mean over its area, Pa.
    pub stress: [f64; 3],
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square() -> Deformable {
        let nodes = [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]].map(DVec2::from_array).to_vec();
        let reference = Reference { nodes, boundary: 4, triangles: vec![[0, 1, 2], [0, 2, 3]] };
        Deformable::new(7, 0, 0, reference)
    }

    #[test]
    fn a_grain_that_is_stretched_has_more_area_and_keeps_its_reference() {
        let mut grain = square();
        assert_eq!((grain.area(), grain.reference.area(), grain.reference.spacing()), (4.0, 4.0, 2.0));
        for (u, x) in grain.displacement.iter_mut().zip(&grain.reference.nodes) {
            u.x = 0.5 * x.x;
        }
        assert_eq!((grain.area(), grain.reference.area()), (6.0, 4.0));
        assert_eq!(grain.outline()[1], DVec2::new(3.0, 0.0));
    }

    #[test]
    fn a_grain_that_turns_has_the_energy_of_its_inertia() {
        let mut grain = square();
        grain.velocity.fill(DVec2::new(3.0, 0.0));
        assert!((grain.kinetic_energy(2.0) - 0.5 * 8.0 * 9.0).abs() < 1e-12);
        let centre = DVec2::ONE;
        let turning = grain.reference.nodes.iter().map(|x| (*x - centre).perp()).collect();
        grain.velocity = turning;
        // m (a² + b²) / 12 of a plate.
        assert!((grain.kinetic_energy(2.0) - 0.5 * 8.0 * 8.0 / 12.0).abs() < 1e-12);
    }
}
