//! Generated from the list of fields in `lib.rs`: the `[[gravity]]` tables, and checks across them.

use std::collections::HashSet;

use rubblepile_core::settings::{Check, field::Source};

use crate::Gravity;

/// Declares the modules of `module: Name(Settings)` lines and the enum of `[[gravity]]` tables, whose keys are the names in
/// snake case.
macro_rules! fields {
    ($($module:ident: $name:ident($settings:ident),)*) => {
        $(
            pub mod $module;
            pub use $module::$settings;
        )*

        /// A force that acts at a distance.
        #[derive(Debug, Clone, PartialEq, ::serde::Serialize, ::serde::Deserialize, ::schemars::JsonSchema)]
        #[serde(rename_all = "snake_case")]
        pub enum Gravity {
            $(
                #[schemars(description = $settings::ABOUT)]
                $name($settings),
            )*
        }

        impl Gravity {
            pub fn settings(&self) -> &dyn ::rubblepile_core::settings::FieldSettings {
                match self {
                    $(Gravity::$name(settings) => settings,)*
                }
            }

            pub fn settings_mut(&mut self) -> &mut dyn ::rubblepile_core::settings::FieldSettings {
                match self {
                    $(Gravity::$name(settings) => settings,)*
                }
            }

            /// The key in a scenario.
            fn key(&self) -> String {
                match self {
                    $(Gravity::$name(_) => ::rubblepile_core::settings::names::snake_case(stringify!($name)),)*
                }
            }
        }

        $(
            impl From<$settings> for Gravity {
                fn from(settings: $settings) -> Self {
                    Gravity::$name(settings)
                }
            }
        )*

        /// Every paper that a field may cite.
        pub fn papers() -> Vec<::rubblepile_core::Citation> {
            [$(<$settings as ::rubblepile_core::settings::FieldSettings>::papers(),)*].concat()
        }
    };
}

/// Updated at every step: the default of `every`.
pub(crate) fn every_step() -> u64 {
    1
}

/// Adds what is wrong with the `[[gravity]]` tables, alone and together.
pub fn check(gravity: &[Gravity], check: &mut Check) {
    let mut own = false;
    let mut pulled = HashSet::new();
    for (k, entry) in gravity.iter().enumerate() {
        let at = format!("gravity[{k}].{}", entry.key());
        let settings = entry.settings();
        settings.check(check, &at);
        let twice = match settings.source() {
            Some(Source::Bodies) => std::mem::replace(&mut own, true).then_some("self-gravity is"),
            Some(Source::Asteroid(body)) => {
                let again = !pulled.insert(body) || pulled.len() > 1 && pulled.contains(&None);
                again.then_some("the gravity of an asteroid is")
            }
            None => None,
        };
        if let Some(what) = twice {
            check.add(at, format!("{what} given twice: its forces would count double"));
        }
    }
}
