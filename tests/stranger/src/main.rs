//! What a user writes from docs/ and rustdoc alone: a contact law, a probe and a force of their own, in one program.

mod force;
mod law;
mod probe;

use rubblepile::{Result, Simulation, soft};

const SCENARIO: &str = r#"
title = "A ball bounces on a plate"
run = { end = "2 s" }
method.soft.max_speed = "3 m/s"
material = [{ name = "rubber", density = "1000 kg/m3", stiffness = "20 kN/m", restitution = { normal = 0.8 } }]
[[grains]]
radius = "5 cm"
place = { points = { positions = [[0, 0, 0.45]] } }
[[wall]]
shape = { plane = { point = [0, 0, 0], normal = [0, 0, 1] } }
"#;

fn main() -> Result<()> {
    let mut sim = Simulation::from_toml(SCENARIO)?;
    let settings = soft::Settings { max_speed: Some(3.0.into()), ..soft::Settings::default() };
    sim.set_method(soft::SoftSpheres::with_law(settings, law::Stiffening))?;
    sim.add_field(force::Pull { g: 2.0 })?;

    // It falls 0.4 m and comes back to e^2 of that.
    let mut apex = probe::Apex::default();
    let fall = (2.0 * 0.4 / 2.0f64).sqrt();
    while sim.time() < fall + 0.8 * fall {
        sim.step(20)?;
        let height = sim.measure(&mut apex)?[0].1;
        if sim.time() < fall * 1.05 {
            apex.forget();
        } else if sim.time() > fall * 1.7 {
            assert!(height > 0.05);
        }
    }
    let height = sim.measure(&mut apex)?[0].1 - 0.05;
    println!("back to {:.4} m of 0.4 m: restitution {:.4}", height, (height / 0.4f64).sqrt());
    assert!(((height / 0.4f64).sqrt() - 0.8).abs() < 0.01);
    Ok(())
}
