//! Changes a value of a material. What may be changed is marked `event` in the list of `material.rs`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Act, Outcome};
use crate::{
    Error, Result, World,
    material::{PROPERTIES, property},
    settings::{Check, join, quantity::AnyQuantity, suggestion},
    units,
};

/// Changes a value of a material.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SetMaterial {
    /// Name of the material.
    pub material: String,
    #[schemars(description = keys())]
    pub key: String,
    /// The new value.
    pub value: AnyQuantity,
}

crate::archive_struct!(SetMaterial { material, key, value });

fn keys() -> String {
    let mut keys: Vec<String> = PROPERTIES.iter().map(|p| format!("`{}`", p.key)).collect();
    let last = keys.pop().unwrap_or_default();
    format!("Which value: {} or {last}.", keys.join(", "))
}

impl Act for SetMaterial {
    const DEFORMABLE: bool = false;

    /// Bounds of the value depend on the method, and are checked with it.
    fn check(&self, c: &mut Check, at: &str) {
        c.material(Some(&self.material), at);
        match property(&self.key) {
            None => {
                let help = suggestion(&self.key, PROPERTIES.iter().map(|p| p.key));
                c.add_help(join(at, "key"), format!("an event cannot change `{}`", self.key), help);
            }
            Some(property) => {
                if let Some(found) = self.value.dimension
                    && found != property.dimension
                {
                    let e = units::mismatch(&self.key, found, property.dimension);
                    c.add(join(at, "value"), e.message);
                }
            }
        }
    }

    fn apply(&self, world: &mut World) -> Result<Outcome> {
        let time = world.time();
        let materials = &mut world.materials;
        let Some(k) = materials.iter().position(|m| m.name == self.material) else {
            let known = materials.iter().map(|m| m.name.as_str());
            return Err(Error::no_such("material", &self.material, known, time));
        };
        let Some(property) = property(&self.key) else {
            let known = PROPERTIES.iter().map(|p| p.key);
            return Err(Error::no_such("property of a material", &self.key, known, time));
        };
        *(property.of)(&mut materials[k]) = self.value.value;
        Ok(Outcome::Continue)
    }
}
