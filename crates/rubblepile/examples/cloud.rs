//! Lets a cloud of grains fall together under its own gravity, described in Rust alone.
//!
//! `cargo run --release -p rubblepile --example cloud`

use rubblepile::{DVec3, Material, Simulation, Spheres, gravity, probe, soft};

fn main() -> rubblepile::Result<()> {
    // Grains on a cubic lattice inside a sphere, turning slowly as one body.
    let spacing = 2.6;
    let mut position = Vec::new();
    for k in 0..13i32.pow(3) {
        let x = spacing * DVec3::new((k % 13 - 6) as f64, (k / 13 % 13 - 6) as f64, (k / 169 - 6) as f64);
        if x.length() < 13.0 {
            position.push(x);
        }
    }
    let spin = DVec3::new(0.0, 0.0, 2e-4);
    let velocity = position.iter().map(|x| spin.cross(*x)).collect();
    let radius = vec![1.0; position.len()];

    let mut sim = Simulation::builder()
        .title("A cloud falls together")
        .end(3600.0)
        .method(soft::Settings { max_speed: Some(0.05.into()), ..Default::default() })
        .gravity(gravity::TreeGravity { error: Some(1e-3.into()), every: 20, ..Default::default() })
        .material(Material { name: "rock".into(), density: 2500.0, ..Default::default() })
        .spheres(Spheres { position, velocity, radius, ..Default::default() })
        .build()?;
    println!("{} grains, time step {:.3} s", sim.bodies()?.len(), sim.timestep());

    println!("{:>8} {:>10} {:>16}", "t (s)", "contacts", "kinetic (J)");
    for minute in (0..=60).step_by(10) {
        sim.run_until(60.0 * minute as f64)?;
        let (translation, rotation) = sim.bodies()?.kinetic_energy();
        println!("{:>8.0} {:>10} {:>16.4e}", sim.time(), sim.contacts()?.len(), translation + rotation);
    }
    for (column, value) in sim.measure(&mut probe::Momentum)? {
        println!("{} = {value:.3e}", column.name);
    }
    Ok(())
}
