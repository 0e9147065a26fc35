//! A field that is wrong on purpose: its accelerations by a factor, one component of them, those of one body, or what it does
//! to asteroids.

use glam::DVec3;
use rubblepile_core::{Actions, Field, Pulls, Result, World, Wrench};

use crate::cases::Wrong;

/// Multiplies what a field does, but not its potential energy.
struct WrongField {
    field: Box<dyn Field>,
    all: f64,
    /// Of the component along x.
    along_x: f64,
    /// Of the body with the id 0.
    on_first: f64,
    reaction: f64,
}

/// The field with the errors `gravity`, `gravity_x`, `gravity_on_first` and `reaction` of a case; without them, the field itself.
pub fn wrong_field(field: Box<dyn Field>, wrong: &Wrong) -> Box<dyn Field> {
    let [all, along_x, on_first, reaction] =
        ["gravity", "gravity_x", "gravity_on_first", "reaction"].map(|name| wrong.factor(name));
    if [all, along_x, on_first, reaction] == [1.0; 4] {
        return field;
    }
    Box::new(WrongField { field, all, along_x, on_first, reaction })
}

impl Field for WrongField {
    fn name(&self) -> &str {
        self.field.name()
    }

    fn act(&mut self, world: &World, on: &mut Actions) -> Result<()> {
        let mut accelerations = vec![DVec3::ZERO; on.accelerations.len()];
        let mut on_asteroids = vec![Wrench::default(); on.on_asteroids.len()];
        self.field.act(
            world,
            &mut Actions { accelerations: &mut accelerations, on_asteroids: &mut on_asteroids },
        )?;
        for ((sum, a), id) in on.accelerations.iter_mut().zip(accelerations).zip(&world.bodies.id) {
            let by = self.all * if *id == 0 { self.on_first } else { 1.0 };
            *sum += by * DVec3::new(self.along_x * a.x, a.y, a.z);
        }
        for (sum, wrench) in on.on_asteroids.iter_mut().zip(on_asteroids) {
            let by = self.all * self.reaction;
            *sum += Wrench { force: by * wrench.force, torque: by * wrench.torque };
        }
        Ok(())
    }

    fn potential_energy(&mut self, world: &World) -> Result<f64> {
        self.field.potential_energy(world)
    }

    fn every(&self) -> u64 {
        self.field.every()
    }

    fn pulls<'a>(&self, world: &'a World, pulls: &mut Pulls<'a>) {
        self.field.pulls(world, pulls);
    }
}
