//! Looks at a run while it goes on, ends it on a condition of one's own, and measures with a probe of one's own.
//!
//! `cargo run --release -p rubblepile --example observers`

use std::sync::{Arc, Mutex};

use rubblepile::{Ending, Moment, Probe, Simulation, core::Column};

/// Height of the highest grain.
struct Highest;

impl Probe for Highest {
    fn columns(&self) -> Vec<Column> {
        vec![Column::new("highest", "m", "height of the highest point of any grain")]
    }

    fn measure(&mut self, moment: &mut Moment, row: &mut Vec<f64>) -> rubblepile::core::Result<()> {
        let bodies = &moment.world.bodies;
        let tops = bodies.position.iter().zip(&bodies.radius).map(|(x, r)| x.z + r);
        row.push(tops.fold(f64::NEG_INFINITY, f64::max));
        Ok(())
    }
}

fn main() -> rubblepile::Result<()> {
    let mut sim = Simulation::from_toml(
        r#"
        title = "Grains fall into a box"
        run = { end = "20 s" }
        method.soft.max_speed = "3 m/s"
        gravity = [{ uniform = { acceleration = [0, 0, -1.6] } }]
        material = [{ name = "glass", density = "2500 kg/m3", restitution = { normal = 0.4 } }]
        [[grains]]
        count = 100
        radius = "2 cm"
        place = { random = { region = { box = { min = [-0.1, -0.1, 0.05], max = [0.1, 0.1, 1] } } } }
        [[wall]]
        shape = { box = { min = [-0.12, -0.12, 0], max = [0.12, 0.12, 2] } }
        "#,
    )?;

    // A series in memory.
    let series = Arc::new(Mutex::new(Vec::new()));
    let rows = series.clone();
    sim.observe_every(0.25, move |moment| {
        let (translation, rotation) = moment.world.bodies.kinetic_energy();
        let row = (moment.world.time(), moment.contacts()?.len(), translation + rotation);
        rows.lock().map_err(|_| "the series is lost")?.push(row);
        Ok(())
    })?;

    // It is over when hardly anything moves.
    sim.stop_when(0.25, |world| {
        let (translation, rotation) = world.bodies.kinetic_energy();
        let mean = (translation + rotation) / world.bodies.len() as f64;
        (world.time() > 1.0 && mean < 1e-6).then(|| "the grains have come to rest".into())
    })?;

    let ending = sim.run()?;
    for (time, contacts, energy) in series.lock().expect("nothing panicked").iter().step_by(4) {
        println!("{time:5.2} s {contacts:5} contacts {energy:10.3e} J");
    }
    let highest = sim.measure(&mut Highest)?[0].1;
    println!("{ending:?} at t = {:.2} s, filled to {:.0} cm", sim.time(), 100.0 * highest);
    assert!(matches!(ending, Ending::Event(_)) && highest < 0.5);
    Ok(())
}
