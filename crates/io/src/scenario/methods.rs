//! The list of methods. A new one is its own crate, with settings that implement [`MethodSettings`], and a line in
//! [`methods!`] below.

use rubblepile_core::{Citation, settings::MethodSettings};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Makes the `[method]` enum of `Name: settings` lines; the key in a scenario is the name in snake case.
macro_rules! methods {
    ($($name:ident: $settings:ty,)*) => {
        /// How contact is resolved: exactly one method.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "snake_case")]
        pub enum Method {
            $(
                #[schemars(description = <$settings>::ABOUT)]
                $name($settings),
            )*
        }

        impl Method {
            pub fn settings(&self) -> &dyn MethodSettings {
                match self {
                    $(Method::$name(settings) => settings,)*
                }
            }
        }

        $(
            impl From<$settings> for Method {
                fn from(settings: $settings) -> Self {
                    Method::$name(settings)
                }
            }
        )*

        /// Every paper that a method may cite.
        pub fn papers() -> Vec<Citation> {
            [$(<$settings as MethodSettings>::papers(),)*].concat()
        }
    };
}

methods! {
    Soft: rubblepile_soft::Settings,
    Nonsmooth: rubblepile_nonsmooth::Settings,
    Hard: rubblepile_hard::Settings,
    Meshfree: rubblepile_meshfree::Settings,
}

impl Default for Method {
    fn default() -> Self {
        Method::Soft(Default::default())
    }
}
