//! Names and defaults that the tables of a scenario share.

use glam::DVec3;

use crate::{Material, PairOverride};

/// The context of settings that refer to other tables of a scenario: names to look up, and the defaults that
/// depend on other keys.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ScenarioContext {
    /// End of the run, s.
    pub end: f64,
    /// Name of the method, as in `[method.soft]`.
    pub method: &'static str,
    /// Whether its walls may hold or absorb grains.
    pub walls_catch: bool,
    /// Whether grains meet walls in collisions, which are counted.
    pub counts_collisions: bool,
    /// The materials, in the order of their tables, and whether grains are made of them.
    pub materials: Vec<Material>,
    pub material_has_grains: Vec<bool>,
    pub pairs: Vec<PairOverride>,
    /// Names of the groups of rigid grains.
    pub groups: Vec<String>,
    /// Names of all walls by their ids: those of the scenario, then those that its events add.
    pub walls: Vec<String>,
    /// Names of the asteroids by their ids.
    pub asteroids: Vec<String>,
    /// Against uniform gravity; z without it. A unit vector.
    pub up: DVec3,
}

impl ScenarioContext {
    /// The names of all walls, each once.
    pub fn wall_names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for name in &self.walls {
            if !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
        names
    }

    /// Ids of the walls of this name.
    pub fn wall_ids(&self, name: &str) -> Vec<u32> {
        (0..).zip(&self.walls).filter(|(_, w)| *w == name).map(|(id, _)| id).collect()
    }
}
