//! A force of one's own: solar radiation pressure on dust, with a potential energy, so that the energy balance closes.
//!
//! `cargo run --release -p rubblepile --example own_force`

use rubblepile::{
    DVec3, Material, Simulation, Spheres, World,
    core::{Actions, Field},
    gravity, hard,
};

/// Sunlight pushes every grain away from the Sun, with its cross-section.
struct SolarPressure {
    /// From the Sun, a unit vector.
    direction: DVec3,
    /// Of sunlight that is absorbed, Pa: 4.54e-6 at one astronomical unit.
    pressure: f64,
}

impl SolarPressure {
    fn force(&self, world: &World, row: usize) -> f64 {
        self.pressure * std::f64::consts::PI * world.bodies.radius[row].powi(2)
    }
}

impl Field for SolarPressure {
    fn name(&self) -> &str {
        "solar radiation pressure"
    }

    fn act(&mut self, world: &World, on: &mut Actions) -> rubblepile::core::Result<()> {
        for (row, a) in on.accelerations.iter_mut().enumerate() {
            *a += self.force(world, row) / world.bodies.mass[row] * self.direction;
        }
        Ok(())
    }

    fn potential_energy(&mut self, world: &World) -> rubblepile::core::Result<f64> {
        let bodies = &world.bodies;
        Ok((0..bodies.len()).map(|k| -self.force(world, k) * self.direction.dot(bodies.position[k])).sum())
    }
}

fn main() -> rubblepile::Result<()> {
    let mut sim = Simulation::builder()
        .end(3600.0)
        .method(hard::Settings { timestep: 1.0.into(), ..Default::default() })
        .gravity(gravity::DirectGravity::default())
        .material(Material { name: "dust".into(), density: 2000.0, ..Default::default() })
        .spheres(Spheres {
            position: vec![DVec3::ZERO, DVec3::new(5e-3, 0.0, 0.0)],
            radius: vec![1e-3, 50e-6],
            ..Default::default()
        })
        .build()?;
    let pressure = 4.54e-6;
    sim.add_field(SolarPressure { direction: DVec3::X, pressure })?;
    sim.run()?;

    // The small grain has the larger acceleration: 3 p / (4 r rho).
    let small = sim.bodies()?.velocity[1].x;
    let expected = 3.0 * pressure / (4.0 * 50e-6 * 2000.0) * sim.time();
    println!("after {} s: {small:.4} m/s, from the pressure alone {expected:.4} m/s", sim.time());
    assert!((small / expected - 1.0).abs() < 1e-3);
    Ok(())
}
