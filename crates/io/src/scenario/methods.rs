//! The list of methods. A new one is its own crate, with settings that implement [`MethodSettings`], and a line in
//! [`methods!`] below.

use rubblepile_core::{
    Citation, Part,
    archive::{ArchiveReader, Damage, Read},
    part,
    settings::MethodSettings,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Makes the `[method]` enum. A line is `key: Variant(Settings), keeps State`: the key in a scenario, and the method's part of
/// the world if it has one.
macro_rules! methods {
    ($($key:ident: $name:ident($settings:ty) $(, keeps $state:ty)?;)*) => {
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

        /// Reads a method's part of the world from a checkpoint.
        pub fn read_part(method: &str, from: &mut ArchiveReader) -> Read<Box<dyn Part>> {
            $($(
                if method == stringify!($key) {
                    return part::read::<$state>(from);
                }
            )?)*
            Err(Damage::new(format!("no method is called `{}`", method.escape_debug())))
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
    soft: Soft(rubblepile_soft::Settings), keeps rubblepile_soft::SoftState;
    nonsmooth: Nonsmooth(rubblepile_nonsmooth::Settings), keeps rubblepile_nonsmooth::NonsmoothState;
    hard: Hard(rubblepile_hard::Settings), keeps rubblepile_hard::HardState;
    meshfree: Meshfree(rubblepile_meshfree::Settings), keeps rubblepile_meshfree::DeformableState;
}

impl Default for Method {
    fn default() -> Self {
        Method::Soft(Default::default())
    }
}
