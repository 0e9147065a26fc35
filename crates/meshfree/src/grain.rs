//! Deformable grains in the plane: nodes that move, and what presses on them. This is what a world holds of them and a
//! checkpoint saves; how they are filled with nodes and what their deformation costs is in other files.

use std::sync::Arc;

use glam::{DVec2, DVec3};

use rubblepile_core::{
    GroupId, MaterialId, Part, Partner, Surface, Wall, World, archive_struct, wall::Cuboid,
};

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
    if matches!(wall.surface, Surface::Box(_)) { 0..4 } else { 0..1 }
}

/// A face as a line in the plane at a time: a point of it, and the normal to where grains are.
pub fn side(wall: &Wall, face: u32, time: f64) -> (DVec2, DVec2) {
    let (point, normal) = match wall.surface {
        Surface::Box(Cuboid { min, max }) => {
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
pub struct PressedNode {
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

archive_struct!(Reference { nodes, boundary, triangles });
archive_struct!(Deformable { id, group, material, reference, displacement, velocity, acceleration });
archive_struct!(PressedNode { grain, node, partner, pressure, traction, bonded });

/// All deformable grains of a world, in the order of their ids, and what presses on their nodes as of the last step.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DeformableState {
    pub grains: Vec<Deformable>,
    pub pressed: Vec<PressedNode>,
}

archive_struct!(DeformableState { grains, pressed });

/// The deformable grains of a world; none if it is another method's.
pub fn grains(world: &World) -> &[Deformable] {
    world.part::<DeformableState>().map_or(&[], |state| &state.grains)
}

impl Part for DeformableState {
    fn method(&self) -> &'static str {
        "meshfree"
    }

    fn check(&self, world: &World) -> Result<(), String> {
        for g in &self.grains {
            let r = &g.reference;
            let n = r.nodes.len();
            let columns = [g.displacement.len(), g.velocity.len()].into_iter().all(|length| length == n)
                && (g.acceleration.is_empty() || g.acceleration.len() == n);
            let sound = columns
                && (g.material as usize) < world.materials.len()
                && (g.group as usize) < world.groups.len()
                && (3..=n).contains(&r.boundary)
                && r.nodes.iter().all(|x| x.is_finite())
                && r.triangles.iter().flatten().all(|&k| (k as usize) < n);
            if !sound {
                return Err(format!("deformable grain {} is impossible", g.id));
            }
        }
        if let Some(pair) = self.grains.windows(2).find(|w| w[0].id >= w[1].id) {
            return Err(format!("deformable grain {} is out of order", pair[1].id));
        }
        let beside_outline = |p: &&PressedNode| {
            let grain = self.grains.iter().find(|g| g.id == p.grain);
            grain.is_none_or(|g| p.node as usize >= g.reference.boundary)
        };
        match self.pressed.iter().find(beside_outline) {
            Some(p) => Err(format!("grain {} has no node {} on its outline", p.grain, p.node)),
            None => Ok(()),
        }
    }

    fn grains(&self) -> usize {
        self.grains.len()
    }

    fn kinetic_energy(&self, world: &World) -> f64 {
        self.grains.iter().map(|g| g.kinetic_energy(world.materials[g.material as usize].density)).sum()
    }
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
