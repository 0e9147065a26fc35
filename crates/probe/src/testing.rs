//! Hand-made worlds, and a method and a field that only answer what a test told them.

use std::sync::Arc;

use glam::{DQuat, DVec3};
use rubblepile_core::{
    Actions, Advice, Contact, Convex, Deformation, Extent, Field, Fields, Measure, Method, Partner, Probe,
    Report, Result, Rng, Shape, Solid, World, method::Moment,
};

struct FakeMethod(Vec<Contact>, Option<Deformation>);

impl Method for FakeMethod {
    fn name(&self) -> &'static str {
        "fake"
    }
    fn check(&self, _: &World) -> Vec<Advice> {
        Vec::new()
    }
    fn advance(&mut self, _: &mut World, _: &mut Fields, _: f64, _: &mut Report) -> Result<()> {
        Ok(())
    }
    fn contacts(&mut self, _: &World) -> Result<Vec<Contact>> {
        Ok(self.0.clone())
    }
    fn deformation(&mut self, _: &World) -> Result<Option<Deformation>> {
        Ok(self.1.clone())
    }
    fn sync(&mut self, _: &mut World, _: Extent) -> Result<()> {
        Ok(())
    }
    fn forget(&mut self) {}
}

/// Potential energy 10 J a kilogram.
struct FakeField;

impl Field for FakeField {
    fn name(&self) -> &'static str {
        "fake"
    }
    fn act(&mut self, _: &World, _: &mut Actions) -> Result<()> {
        Ok(())
    }
    fn potential_energy(&mut self, world: &World) -> Result<f64> {
        Ok(10.0 * world.bodies.total_mass())
    }
    fn uniform(&self) -> Option<DVec3> {
        Some(DVec3::new(0.0, -10.0, 0.0))
    }
}

pub fn try_measure(probe: &mut dyn Probe, world: &World, contacts: Vec<Contact>) -> Result<Vec<f64>> {
    measure_with(probe, world, FakeMethod(contacts, None), Measure::ALL)
}

/// Of deformable grains that feel this, with nothing kept during the steps.
pub fn measure_felt(probe: &mut dyn Probe, world: &World, felt: Deformation) -> Vec<f64> {
    measure_with(probe, world, FakeMethod(Vec::new(), Some(felt)), Measure::default())
        .expect("a probe that measures")
}

fn measure_with(
    probe: &mut dyn Probe,
    world: &World,
    mut method: FakeMethod,
    measure: Measure,
) -> Result<Vec<f64>> {
    let mut fields = Fields { list: vec![Box::new(FakeField)] };
    let report = Report::new(measure);
    let mut moment = Moment::new(world, &mut method, &mut fields, &report);
    let mut row = Vec::new();
    probe.measure(&mut moment, &mut row)?;
    assert_eq!(row.len(), probe.columns().len(), "one value per column");
    Ok(row)
}

pub fn measure(probe: &mut dyn Probe, world: &World, contacts: Vec<Contact>) -> Vec<f64> {
    try_measure(probe, world, contacts).expect("a probe that measures")
}

/// The value in a column.
pub fn value(probe: &dyn Probe, row: &[f64], column: &str) -> f64 {
    let k = probe.columns().iter().position(|c| c.name == column).expect("a column of this name");
    row[k]
}

/// Spheres of density 1 at rest, given by centre and radius.
pub fn world(spheres: &[(DVec3, f64)]) -> World {
    let mut world = World::new(1.0);
    for &(position, radius) in spheres {
        world.bodies.push_sphere(position, radius, 1.0, 0, 0);
    }
    world
}

/// A box of these half sides.
pub fn cuboid(half: DVec3) -> Solid {
    let vertices = (0..8u32)
        .map(|k| half * DVec3::from_array(std::array::from_fn(|axis| f64::from(k >> axis & 1) * 2.0 - 1.0)))
        .collect();
    let faces = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let volume = 8.0 * half.element_product();
    let s = half * half;
    Solid {
        parts: vec![Convex { vertices, faces: faces.map(|f| f.to_vec()).to_vec() }],
        volume,
        inertia: volume / 3.0 * DVec3::new(s.y + s.z, s.z + s.x, s.x + s.y),
        radius: half.length(),
    }
}

/// Cubes of side 2 and density 1, given by centre and angle about z.
pub fn boxes(places: &[(DVec3, f64)]) -> World {
    let mut world = World::new(1.0);
    let solid = Arc::new(cuboid(DVec3::ONE));
    world.shapes.push(Shape::Solid(solid.clone()));
    for &(position, angle) in places {
        world.bodies.push_solid(position, DQuat::from_rotation_z(angle), (1, &solid), 1.0, 0, 0);
    }
    world
}

/// Random spheres that move and spin, in the cube of side 2 about the origin.
pub fn cloud(n: usize, seed: u64) -> World {
    let mut rng = Rng::new(seed);
    let mut vector =
        |scale: f64| scale * DVec3::from_array(std::array::from_fn(|_| 2.0 * rng.uniform() - 1.0));
    let mut world = World::new(1.0);
    for k in 0..n {
        world.bodies.push_sphere(vector(1.0), 0.01 + 0.04 * (k % 7) as f64 / 7.0, 1000.0, 0, 0);
        world.bodies.velocity[k] = vector(3.0);
        world.bodies.spin[k] = vector(10.0);
    }
    world
}

/// A contact without force between two rows, or of a row with a wall.
pub fn contact(row: u32, partner_row: Option<u32>, normal: DVec3, overlap: f64) -> Contact {
    Contact {
        row,
        partner_row,
        body: u64::from(row),
        partner: match partner_row {
            Some(k) => Partner::Body(u64::from(k)),
            None => Partner::Wall { wall: 0, face: 0 },
        },
        feature: 0,
        point: DVec3::ZERO,
        normal,
        overlap,
        force: DVec3::ZERO,
        torque: DVec3::ZERO,
        branch: -normal,
        elastic: 0.0,
    }
}
