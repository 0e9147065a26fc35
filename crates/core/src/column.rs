//! Columns of output: names, units and definitions.

use serde::Serialize;

/// A column of the series. The unit is the end of its name: `kinetic_translation_J`, `momentum_x_kg_m_per_s`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Column {
    pub name: String,
    /// As in a scenario: `kg m/s`, `1/s`; empty for a pure number.
    pub unit: &'static str,
    /// What it is, with its formula where that is not obvious; no full stop at the end.
    pub definition: String,
}

impl Column {
    /// `stem` is the name without its unit.
    pub fn new(stem: impl Into<String>, unit: &'static str, definition: impl Into<String>) -> Self {
        let mut name = stem.into();
        if !unit.is_empty() {
            name.push('_');
            name += &suffix(unit);
        }
        Column { name, unit, definition: definition.into() }
    }

    /// One column per component: `stem_x_unit` and so on.
    pub fn components<const N: usize>(
        stem: &str,
        components: [&str; N],
        unit: &'static str,
        definition: &str,
    ) -> [Self; N] {
        components.map(|c| Column::new(format!("{stem}_{c}"), unit, format!("{definition}: {c} component")))
    }

    /// The components x, y and z of a vector.
    pub fn vector(stem: &str, unit: &'static str, definition: &str) -> [Self; 3] {
        Column::components(stem, ["x", "y", "z"], unit, definition)
    }

    /// The six components of a symmetric tensor.
    pub fn tensor(stem: &str, unit: &'static str, definition: &str) -> [Self; 6] {
        Column::components(stem, ["xx", "yy", "zz", "xy", "yz", "zx"], unit, definition)
    }
}

/// A unit as the end of a name: `kg m2/s` as `kg_m2_per_s`.
fn suffix(unit: &str) -> String {
    match unit.strip_prefix("1/") {
        Some(below) => format!("per_{}", below.replace(' ', "_")),
        None => unit.replace('/', "_per_").replace(' ', "_"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_end_in_their_units() {
        let name = |unit| Column::new("a", unit, "").name;
        assert_eq!(name(""), "a");
        assert_eq!(name("Pa"), "a_Pa");
        assert_eq!(name("1/s"), "a_per_s");
        assert_eq!(name("kg m2/s"), "a_kg_m2_per_s");
        assert_eq!(Column::vector("v", "m/s", "Velocity")[2].name, "v_z_m_per_s");
        assert_eq!(Column::tensor("stress", "Pa", "Stress")[5].definition, "Stress: zx component");
    }
}
