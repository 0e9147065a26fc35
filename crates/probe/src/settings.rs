//! The `[[probe]]` tables: what the settings of a probe can do, and the list of all probes.

use std::collections::HashSet;

use rubblepile_core::{
    Probe,
    settings::{Check, NumberKind, ScenarioContext, Time, Vector, join},
};

/// The settings of a probe, as they stand in a scenario: a plain serde struct whose comments are the reference.
pub trait ProbeSettings {
    /// What is measured, for the reference.
    fn about() -> &'static str
    where
        Self: Sized;

    /// A table as it may stand in a scenario, before [`ProbeSettings::fill`]: the output reference is made from it.
    fn example() -> Self
    where
        Self: Sized;

    /// Interval of simulated time.
    fn every(&self) -> Time;

    fn grains(&self) -> GrainSelection {
        GrainSelection::Rigid
    }

    /// Fills in the defaults that depend on other tables.
    fn fill_defaults(&mut self, _scene: &ScenarioContext) {}

    /// Checks the values; `at` is the path of the table. The interval is checked for all probes.
    fn check(&self, _check: &mut Check, _at: &str) {}

    /// The probe. The settings are filled in and checked.
    fn probe(&self, scene: &ScenarioContext) -> Box<dyn Probe>;
}

/// The grains a probe measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GrainSelection {
    /// Bodies that keep their shape.
    Rigid,
    /// Those of `[method.meshfree]`.
    Deformable,
    Both,
}

/// Declares the modules of the probes and makes [`ProbeTable`] of them. A line is `file: Variant(Settings)`; the file has the
/// name of the probe in a scenario.
macro_rules! probes {
    ($($file:ident: $Variant:ident($Settings:ident),)*) => {
        $(pub mod $file;)*

        /// Something that is measured again and again: one `[[probe]]` table.
        #[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum ProbeTable {
            $($Variant($file::$Settings),)*
        }

        impl ProbeTable {
            /// Its name in a scenario.
            pub fn name(&self) -> &'static str {
                match self {
                    $(ProbeTable::$Variant(_) => stringify!($file),)*
                }
            }

            pub fn settings(&self) -> &dyn $crate::ProbeSettings {
                match self {
                    $(ProbeTable::$Variant(settings) => settings,)*
                }
            }

            pub fn settings_mut(&mut self) -> &mut dyn $crate::ProbeSettings {
                match self {
                    $(ProbeTable::$Variant(settings) => settings,)*
                }
            }

            /// One of each, with what it measures, in the order of the reference.
            pub fn examples() -> Vec<(Self, &'static str)> {
                use $crate::ProbeSettings;
                vec![$((
                    ProbeTable::$Variant($file::$Settings::example()),
                    $file::$Settings::about(),
                )),*]
            }
        }

        impl schemars::JsonSchema for ProbeTable {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                "Probe".into()
            }

            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                use $crate::ProbeSettings;
                $crate::settings::schema(vec![$((
                    stringify!($file),
                    generator.subschema_for::<$file::$Settings>(),
                    $file::$Settings::about(),
                )),*])
            }
        }
    };
}
pub(crate) use probes;

use crate::ProbeTable;

/// One of several tables with a name: an externally tagged enum, as serde reads it.
pub(crate) fn schema(choices: Vec<(&str, schemars::Schema, &str)>) -> schemars::Schema {
    let choice = |(name, inside, about): (&str, schemars::Schema, &str)| {
        schemars::json_schema!({
            "type": "object",
            "properties": { name: inside },
            "required": [name],
            "additionalProperties": false,
            "description": about,
        })
    };
    schemars::json_schema!({
        "oneOf": choices.into_iter().map(choice).collect::<Vec<_>>(),
        "description": "A measurement at regular intervals.",
    })
}

/// Checks the `[[probe]]` tables of a scenario.
pub fn check(tables: &[ProbeTable], c: &mut Check) {
    let meshfree = c.scene.method == "meshfree";
    for (k, table) in tables.iter().enumerate() {
        let (name, settings) = (table.name(), table.settings());
        match settings.grains() {
            GrainSelection::Rigid if meshfree => {
                let message = format!("`{name}` does not measure deformable grains");
                c.add_help(format!("probe[{k}]"), message, format!("use {}", of_deformable_grains()));
            }
            GrainSelection::Deformable if !meshfree => {
                let help = "remove it, or use [method.meshfree]";
                c.add_help(format!("probe[{k}]"), "there are no deformable grains to measure", help);
            }
            _ => {}
        }
        settings.check(c, &format!("probe[{k}].{name}"));
    }
}

/// "`deformable`, `energy` or `momentum`"
fn of_deformable_grains() -> String {
    let all = ProbeTable::examples();
    let those = all.iter().filter(|(table, _)| table.settings().grains() != GrainSelection::Rigid);
    let mut names: Vec<String> = those.map(|(table, _)| format!("`{}`", table.name())).collect();
    names.sort();
    let last = names.pop().unwrap_or_default();
    format!("{} or {last}", names.join(", "))
}

/// Names of groups that exist, each once: they become names of columns.
pub(crate) fn check_groups(c: &mut Check, names: &Option<Vec<String>>, at: &str) {
    let scene = c.scene;
    for (k, name) in names.iter().flatten().enumerate() {
        c.known(name, scene.groups.iter().map(String::as_str), "group", format!("{at}.groups[{k}]"));
    }
    check_once(c, names, join(at, "groups"));
}

/// Names that become names of columns.
pub(crate) fn check_once(c: &mut Check, names: &Option<Vec<String>>, at: String) {
    let mut seen = HashSet::new();
    if let Some(name) = names.iter().flatten().find(|name| !seen.insert(name.as_str())) {
        c.add_help(at, format!("`{name}` is named twice"), "name each once");
    }
}

pub(crate) fn check_up(c: &mut Check, up: Option<Vector<NumberKind>>, at: &str) {
    if let Some(up) = up {
        c.direction(up, at, "up");
    }
}

/// Against uniform gravity.
pub(crate) fn fill_up(up: &mut Option<Vector<NumberKind>>, scene: &ScenarioContext) {
    let against = scene.up;
    up.get_or_insert(Vector::new(against.x, against.y, against.z));
}

/// The unit vector.
pub(crate) fn unit(up: Option<Vector<NumberKind>>) -> glam::DVec3 {
    up.map_or(glam::DVec3::Z, |v| v.0.normalize_or(glam::DVec3::Z))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::testing::{cloud, measure};

    fn scene() -> ScenarioContext {
        let name = || vec!["NAME".to_string()];
        ScenarioContext {
            up: glam::DVec3::Z,
            groups: name(),
            walls: name(),
            asteroids: name(),
            method: "hard",
            walls_catch: true,
            counts_collisions: true,
            ..ScenarioContext::default()
        }
    }

    #[test]
    fn columns_are_distinct_and_all_are_measured_and_explained() {
        let (w, scene) = (cloud(100, 9), scene());
        let mut names = BTreeSet::new();
        for (mut table, about) in ProbeTable::examples() {
            assert!(about.ends_with('.'), "{about}");
            table.settings_mut().fill_defaults(&scene);
            let mut probe = table.settings().probe(&scene);
            measure(probe.as_mut(), &w, Vec::new());
            for column in probe.columns() {
                assert!(names.insert(column.name.clone()), "{} is there twice", column.name);
                let words = column.definition.split_whitespace().count();
                assert!(words >= 3 && !column.definition.ends_with('.'), "{column:?}");
            }
        }
        assert!(names.len() > 100, "{}", names.len());
    }

    #[test]
    fn examples_have_no_problems() {
        for (mut table, _) in ProbeTable::examples() {
            let scene = ScenarioContext {
                method: match table {
                    ProbeTable::Solver(_) => "nonsmooth",
                    _ if table.settings().grains() == GrainSelection::Deformable => "meshfree",
                    _ => "hard",
                },
                ..scene()
            };
            table.settings_mut().fill_defaults(&scene);
            let mut c = Check::new(&scene);
            check(std::slice::from_ref(&table), &mut c);
            assert_eq!(c.problems, [], "{}", table.name());
        }
    }

    #[test]
    fn the_files_have_the_names_of_the_tables() {
        let schema = schemars::schema_for!(ProbeTable).to_value();
        for (k, (table, _)) in ProbeTable::examples().iter().enumerate() {
            let key = schema["oneOf"][k]["required"][0].as_str();
            assert_eq!(key, Some(table.name()));
            // What serde calls it, from the variant's name.
            let debug = format!("{table:?}");
            let variant = debug.split('(').next().unwrap_or_default();
            let mut snake = String::new();
            for c in variant.chars() {
                if c.is_uppercase() && !snake.is_empty() {
                    snake.push('_');
                }
                snake.extend(c.to_lowercase());
            }
            assert_eq!(snake, table.name());
        }
    }
}
