//! What is made of a list of generators: the enum of a scenario, with the settings behind it.

/// Declares the modules of `file: Variant(Settings)` lines and makes the enum of a scenario of them: externally tagged, with
/// the variants' names in snake case as keys. Each file has its settings, with what they are for in `ABOUT`, and implements
/// the trait that is named.
macro_rules! choices {
    (
        $(#[$doc:meta])*
        $Choice:ident: $Trait:ident {$($file:ident: $Variant:ident($Settings:ident),)*}
    ) => {
        $(
            mod $file;
            pub use $file::$Settings;
        )*

        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, ::serde::Serialize, ::serde::Deserialize, ::schemars::JsonSchema)]
        #[serde(rename_all = "snake_case")]
        pub enum $Choice {
            $(
                #[schemars(description = $Settings::ABOUT)]
                $Variant($Settings),
            )*
        }

        impl $Choice {
            /// Its key in a scenario.
            pub fn key(&self) -> String {
                match self {
                    $($Choice::$Variant(_) => ::rubblepile_core::settings::names::snake_case(stringify!($Variant)),)*
                }
            }

            pub fn settings(&self) -> &dyn $Trait {
                match self {
                    $($Choice::$Variant(settings) => settings,)*
                }
            }

            pub fn settings_mut(&mut self) -> &mut dyn $Trait {
                match self {
                    $($Choice::$Variant(settings) => settings,)*
                }
            }
        }

        $(
            impl From<$Settings> for $Choice {
                fn from(settings: $Settings) -> Self {
                    $Choice::$Variant(settings)
                }
            }
        )*
    };
}

/// Settings that are, in a scenario, the table of another type.
macro_rules! schema_of {
    ($Settings:ident: $Table:ty) => {
        impl ::schemars::JsonSchema for $Settings {
            fn schema_name() -> ::std::borrow::Cow<'static, str> {
                <$Table>::schema_name()
            }

            fn schema_id() -> ::std::borrow::Cow<'static, str> {
                <$Table>::schema_id()
            }

            fn json_schema(generator: &mut ::schemars::SchemaGenerator) -> ::schemars::Schema {
                <$Table>::json_schema(generator)
            }
        }
    };
}
