//! Checks of the `[[wall]]` and `[[event]]` tables.

use super::check::Checker;
use rubblepile_core::{event, material::property, settings::join, wall};

impl Checker<'_> {
    pub fn walls(&mut self) {
        wall::check(&self.scenario.wall, self);
    }

    pub fn events(&mut self) {
        event::check(&self.scenario.event, &self.scenario.wall, self);
        for (k, event) in self.scenario.event.iter().enumerate() {
            if self.full() {
                return;
            }
            // What a value may be depends on the method.
            if let Some(m) = &event.set_material
                && property(&m.key).is_some()
            {
                let at = format!("event[{k}].set_material");
                let before = self.problems.len();
                self.coefficient(&m.key, m.value.value, &at);
                for p in &mut self.problems[before..] {
                    p.path = join(&at, "value");
                }
            }
        }
    }
}
