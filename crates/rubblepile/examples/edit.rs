//! Changes a world between steps: a projectile is added to a settled pile, and a change that makes no sense is refused.
//!
//! `cargo run --release -p rubblepile --example edit`

use rubblepile::{DVec3, Simulation};

fn main() -> rubblepile::Result<()> {
    let mut sim = Simulation::from_toml(
        r#"
        title = "A grain hits a small pile"
        run = { end = "30 min" }
        method.soft.max_speed = "20 cm/s"
        gravity = [{ direct = {} }]
        material = [{ name = "rock", density = "2500 kg/m3" }]
        [[grains]]
        name = "pile"
        radius = "1 m"
        place = { lattice = { region = { sphere = { radius = "4 m" } } } }
        [[grains]]
        name = "projectile"
        radius = "50 cm"
        place = { points = { positions = [[0, 0, 40]] } }
        "#,
    )?;
    sim.run_until(60.0)?;

    // The second group is given its speed now.
    sim.edit(|world| {
        let group = world.groups.iter().position(|name| name == "projectile").unwrap_or(0) as u32;
        for row in (0..world.bodies.len()).filter(|&k| world.bodies.group[k] == group).collect::<Vec<_>>() {
            world.bodies.velocity[row] = DVec3::new(0.0, 0.0, -0.2);
        }
        Ok(())
    })?;

    // Two bodies in one place: refused, and the world is as it was.
    let before = sim.bodies()?.clone();
    let refused = sim.edit(|world| {
        world.bodies.position[1] = world.bodies.position[0];
        Ok(())
    });
    println!("{}", refused.expect_err("bodies overlap"));
    assert_eq!(*sim.bodies()?, before);

    let speed = |sim: &mut Simulation| -> rubblepile::Result<f64> {
        Ok(sim.bodies()?.velocity.iter().map(|v| v.length()).fold(0.0, f64::max))
    };
    println!("fastest before the impact {:.3} m/s", speed(&mut sim)?);
    sim.run_until(300.0)?;
    println!("fastest after the impact  {:.3} m/s", speed(&mut sim)?);
    Ok(())
}
