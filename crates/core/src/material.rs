//! Materials: what grains and walls are made of, and what two of them give at a contact.
//!
//! Every property is one entry of the list below. From it come [`Material`], the `[[material]]` table ([`MaterialTable`])
//! and the `[[pair]]` table ([`Pair`]) of a scenario, the values at a contact ([`PairValues`]), the checks, what an event may
//! change ([`PROPERTIES`]) and the fields of a checkpoint. A method reads the values of a contact from
//! [`World::pair_table`](crate::World::pair_table).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    settings::{Check, quantity::*},
    units::{self, Dimension},
};

/// A property, as it is written in a table.
trait Setting: Copy {
    type Si;
    fn si(self) -> Self::Si;
    fn of(si: Self::Si) -> Self;
    /// The number to check; `None`: not given.
    fn given(self) -> Option<f64>;
}

impl<K> Setting for Quantity<K> {
    type Si = f64;
    fn si(self) -> f64 {
        self.0
    }
    fn of(si: f64) -> Self {
        Quantity::new(si)
    }
    fn given(self) -> Option<f64> {
        Some(self.0)
    }
}

impl<K> Setting for Option<Quantity<K>> {
    type Si = Option<f64>;
    fn si(self) -> Option<f64> {
        self.map(|q| q.0)
    }
    fn of(si: Option<f64>) -> Self {
        si.map(Quantity::new)
    }
    fn given(self) -> Option<f64> {
        self.si()
    }
}

/// The constraint on a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// The method knows the bounds.
    Coefficient,
    Positive,
    /// Above -1 and at most 0.5.
    Poisson,
}

/// A value that a table gives, under the path of its key in the table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Given {
    pub key: &'static str,
    pub value: f64,
    pub rule: Rule,
}

impl Given {
    /// Checks what does not depend on the method.
    pub fn check(&self, c: &mut Check, at: &str) {
        match self.rule {
            Rule::Coefficient => {}
            Rule::Positive => c.positive(Number::new(self.value), at, self.key),
            Rule::Poisson => {
                let nu = self.value;
                c.check(nu > -1.0 && nu <= 0.5, at, self.key, || {
                    format!("Poisson's ratio must be above -1 and at most 0.5, it is {nu}")
                });
            }
        }
    }
}

/// A value of a material that an event may change.
#[derive(Debug, Clone, Copy)]
pub struct Property {
    /// Path of its key in the `[[material]]` table.
    pub key: &'static str,
    pub dimension: Dimension,
    pub of: fn(&mut Material) -> &mut f64,
}

/// The property of this key, if an event may change it.
pub fn property(key: &str) -> Option<&'static Property> {
    PROPERTIES.iter().find(|p| p.key == key)
}

/// Makes everything from one list. A property is: its field of [`Material`]; its key in the `[[material]]` table, with the type
/// there and the default; its [`Rule`]; its key in the `[[pair]]` table, with the type there and how it is mixed ([`Mix`]);
/// its dimension if an event may change it. Those of a `group` are in a table of their own within the two tables, those of
/// `single` are in no pair.
macro_rules! properties {
    (
        $(
            $(#[$group_doc:meta])*
            group $group:ident {
                $(#[$table_doc:meta])* $table:ident;
                $(#[$pair_table_doc:meta])* $pair_table:ident;
                $({
                    $(#[$g_doc:meta])* $g:ident: $g_si:ty;
                    $(#[$g_attr:meta])* $g_key:ident: $g_type:ty = $g_default:expr, $g_rule:ident;
                    $(#[$g_pair_doc:meta])* pair: $g_pair:ty, $g_mix:ident;
                    $(event: $g_dimension:ident;)?
                })*
            }
        )*
        paired {$({
            $(#[$p_doc:meta])* $p:ident: $p_si:ty;
            $(#[$p_attr:meta])* $p_key:ident: $p_type:ty = $p_default:expr, $p_rule:ident;
            $(#[$p_pair_doc:meta])* pair: $p_pair:ty, $p_mix:ident;
            $(event: $p_dimension:ident;)?
        })*}
        single {$({
            $(#[$s_doc:meta])* $s:ident: $s_si:ty;
            $(#[$s_attr:meta])* $s_key:ident: $s_type:ty = $s_default:expr, $s_rule:ident;
        })*}
    ) => {
        /// A material of grains and walls. Symbols are those of asteroid-surface-2024, section 2.1.
        ///
        /// ```
        /// use rubblepile_core::Material;
        ///
        /// let rock = Material { name: "rock".into(), density: 2500.0, friction_sliding: 0.6, ..Material::default() };
        /// ```
        #[derive(Debug, Clone, PartialEq)]
        pub struct Material {
            pub name: String,
            /// kg/m^3
            pub density: f64,
            $($($(#[$g_doc])* pub $g: $g_si,)*)*
            $($(#[$p_doc])* pub $p: $p_si,)*
            $($(#[$s_doc])* pub $s: $s_si,)*
        }

        impl Default for Material {
            fn default() -> Self {
                Material {
                    name: String::new(),
                    density: 0.0,
                    $($($g: <$g_type as Setting>::si($g_default),)*)*
                    $($p: <$p_type as Setting>::si($p_default),)*
                    $($s: <$s_type as Setting>::si($s_default),)*
                }
            }
        }

        /// The values at a contact of two materials, after mixing.
        #[derive(Debug, Clone, Copy, PartialEq)]
        pub struct PairValues {
            $($($(#[$g_doc])* pub $g: $g_si,)*)*
            $($(#[$p_doc])* pub $p: $p_si,)*
            /// Effective modulus E* of Hertz, Pa; 0 when a material has no Young's modulus.
            pub modulus: f64,
            /// Effective shear modulus G* of Mindlin, Pa.
            pub shear_modulus: f64,
        }

        /// Values given for one pair of materials instead of the mixing rule.
        #[derive(Debug, Clone, Default, PartialEq)]
        pub struct PairOverride {
            pub a: u32,
            pub b: u32,
            $($(pub $g: Option<f64>,)*)*
            $(pub $p: Option<f64>,)*
        }

        impl PairValues {
            /// The mixing rule: geometric mean of every dimensionless coefficient and of the cohesion (a surface that
            /// does not stick sticks to nothing); stiffnesses and moduli act as springs in series, so that equal
            /// materials keep their value. E* and G* as in Hertz and Mindlin.
            pub fn mix(a: &Material, b: &Material) -> Self {
                let (modulus, shear_modulus) = moduli(a, b);
                PairValues {
                    $($($g: $g_mix::mix(a.$g, b.$g),)*)*
                    $($p: $p_mix::mix(a.$p, b.$p),)*
                    modulus,
                    shear_modulus,
                }
            }

            fn apply(&mut self, o: &PairOverride) {
                $($($g_mix::set(&mut self.$g, o.$g);)*)*
                $($p_mix::set(&mut self.$p, o.$p);)*
            }
        }

        /// A material of grains and walls.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub struct MaterialTable {
            /// The name that grains and walls refer to.
            pub name: String,
            /// Density of a solid grain. Required if grains have this material.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub density: Option<Density>,
            $($(#[$group_doc])* #[serde(default)] pub $group: $table,)*
            $($(#[$p_attr])* pub $p_key: $p_type,)*
            $($(#[$s_attr])* pub $s_key: $s_type,)*
        }

        /// Values for two materials in contact; those not given are mixed from the materials.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub struct Pair {
            /// The two materials; the same twice for grains of one material.
            pub between: [String; 2],
            $($(#[$group_doc])* #[serde(default)] pub $group: $pair_table,)*
            $(
                $(#[$p_pair_doc])*
                #[serde(default, skip_serializing_if = "Option::is_none")]
                pub $p_key: Option<$p_pair>,
            )*
        }

        $(
            $(#[$table_doc])*
            #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
            #[serde(deny_unknown_fields, default)]
            pub struct $table {
                $($(#[$g_attr])* pub $g_key: $g_type,)*
            }

            impl Default for $table {
                fn default() -> Self {
                    $table { $($g_key: $g_default,)* }
                }
            }

            $(#[$pair_table_doc])*
            #[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
            #[serde(deny_unknown_fields, default)]
            pub struct $pair_table {
                $(
                    $(#[$g_pair_doc])*
                    #[serde(skip_serializing_if = "Option::is_none")]
                    pub $g_key: Option<$g_pair>,
                )*
            }
        )*

        impl From<Material> for MaterialTable {
            fn from(material: Material) -> Self {
                MaterialTable {
                    density: (material.density != 0.0).then(|| Quantity::new(material.density)),
                    $($group: $table { $($g_key: <$g_type as Setting>::of(material.$g),)* },)*
                    $($p_key: <$p_type as Setting>::of(material.$p),)*
                    $($s_key: <$s_type as Setting>::of(material.$s),)*
                    name: material.name,
                }
            }
        }

        impl MaterialTable {
            /// The material, in SI.
            pub fn material(&self) -> Material {
                Material {
                    name: self.name.clone(),
                    density: self.density.map_or(0.0, |d| d.0),
                    $($($g: self.$group.$g_key.si(),)*)*
                    $($p: self.$p_key.si(),)*
                    $($s: self.$s_key.si(),)*
                }
            }

            /// All values that are given.
            pub fn given(&self) -> Vec<Given> {
                let all = [
                    $($((concat!(stringify!($group), ".", stringify!($g_key)), self.$group.$g_key.given(), Rule::$g_rule),)*)*
                    $((stringify!($p_key), self.$p_key.given(), Rule::$p_rule),)*
                    $((stringify!($s_key), self.$s_key.given(), Rule::$s_rule),)*
                ];
                only_given(all)
            }
        }

        impl Pair {
            /// For the materials of these rows.
            pub fn values(&self, a: u32, b: u32) -> PairOverride {
                PairOverride {
                    a,
                    b,
                    $($($g: self.$group.$g_key.si(),)*)*
                    $($p: self.$p_key.si(),)*
                }
            }

            /// All values that are given.
            pub fn given(&self) -> Vec<Given> {
                let all = [
                    $($((concat!(stringify!($group), ".", stringify!($g_key)), self.$group.$g_key.given(), Rule::$g_rule),)*)*
                    $((stringify!($p_key), self.$p_key.given(), Rule::$p_rule),)*
                ];
                only_given(all)
            }
        }

        /// A property that an event may change.
        pub const PROPERTIES: &[Property] = &[
            $($($(Property {
                key: concat!(stringify!($group), ".", stringify!($g_key)),
                dimension: units::$g_dimension,
                of: |m| &mut m.$g,
            },)?)*)*
            $($(Property {
                key: stringify!($p_key),
                dimension: units::$p_dimension,
                of: |m| &mut m.$p,
            },)?)*
        ];

        crate::archive_struct!(Material { name, density, $($($g,)*)* $($p,)* $($s,)* });
        crate::archive_struct!(PairOverride { a, b, $($($g,)*)* $($p,)* });
    };
}

properties! {
    /// Coefficients of restitution.
    group restitution {
        /// Coefficients of restitution: the fraction of the speed that remains after an impact, above 0 and up to 1.
        Restitution;
        /// Coefficients of restitution of a pair; those not given are mixed.
        PairRestitution;
        {
            /// Normal coefficient of restitution, epsilon_N.
            restitution_normal: f64;
            /// Along the normal.
            normal: Number = Quantity::new(0.5), Coefficient;
            /// Along the normal.
            pair: Number, Mean;
            event: NUMBER;
        }
        {
            /// Tangential coefficient of restitution, epsilon_S.
            restitution_tangential: f64;
            /// Along the contact plane.
            tangential: Number = Quantity::new(0.5), Coefficient;
            /// Along the contact plane.
            pair: Number, Signed;
            event: NUMBER;
        }
    }
    /// Coefficients of friction.
    group friction {
        /// Coefficients of friction. Rolling and twisting friction scale with `shape`: 0 disables both.
        Friction;
        /// Coefficients of friction of a pair; those not given are mixed.
        PairFriction;
        {
            /// mu_S
            friction_sliding: f64;
            /// Sliding (Coulomb).
            sliding: Number = Quantity::new(0.5), Coefficient;
            /// Sliding (Coulomb).
            pair: Number, Mean;
            event: NUMBER;
        }
        {
            /// mu_R
            friction_rolling: f64;
            /// Rolling.
            rolling: Number = zero(), Coefficient;
            /// Rolling.
            pair: Number, Mean;
            event: NUMBER;
        }
        {
            /// mu_T
            friction_twisting: f64;
            /// Twisting about the normal.
            twisting: Number = zero(), Coefficient;
            /// Twisting about the normal.
            pair: Number, Mean;
            event: NUMBER;
        }
        {
            /// Shape parameter, beta: rolling, twisting and cohesion act through it.
            shape: f64;
            /// Shape parameter beta: deviation of grains from spheres, as the width of a contact over the radius.
            shape: Number = zero(), Coefficient;
            /// Shape parameter beta.
            pair: Number, Mean;
            event: NUMBER;
        }
    }
    paired {
        {
            /// Cohesive strength c between grains, Pa.
            cohesion: f64;
            /// Cohesive strength between grains.
            #[serde(default = "zero::<PressureKind>")]
            cohesion: Pressure = zero(), Coefficient;
            /// Cohesive strength.
            pair: Pressure, Mean;
            event: PRESSURE;
        }
        {
            /// Force that parts two touching bodies, r_0 of eq. (18) of contact-dynamics-2021, N. Contact dynamics alone.
            cohesion_force: f64;
            /// Force needed to separate two bodies in contact. Contact dynamics only.
            #[serde(default = "zero::<ForceKind>")]
            cohesion_force: Force = zero(), Coefficient;
            /// Force needed to separate two bodies in contact.
            pair: Force, Mean;
            event: FORCE;
        }
        {
            /// Gap up to which that force acts, d_0 of eq. (18), m; 0: a thousandth of the radius.
            cohesion_range: f64;
            /// Gap up to which `cohesion_force` acts; 0: a thousandth of the radius. Contact dynamics only.
            #[serde(default = "zero::<LengthKind>")]
            cohesion_range: Length = zero(), Coefficient;
            /// Gap up to which it acts.
            pair: Length, Mean;
            event: LENGTH;
        }
        {
            /// Normal spring stiffness k_N of the linear law, N/m. `None`: from the method's largest expected speed.
            stiffness: Option<f64>;
            /// Normal spring stiffness of the linear law. Default: from `max_speed` of the method.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            stiffness: Option<Stiffness> = None, Positive;
            /// Normal spring stiffness of the linear law.
            pair: Stiffness, Series;
        }
        {
            /// Tangential over normal stiffness, k_S / k_N.
            stiffness_ratio: f64;
            /// Tangential over normal stiffness.
            #[serde(default = "two_sevenths")]
            stiffness_ratio: Number = two_sevenths(), Positive;
            /// Tangential over normal stiffness.
            pair: Number, Mean;
        }
    }
    single {
        {
            /// Young's modulus, Pa, for the Hertz-Mindlin law.
            young: Option<f64>;
            /// Young's modulus, for the Hertz-Mindlin law and for deformable grains.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            young: Option<Pressure> = None, Positive;
        }
        {
            /// Poisson's ratio, for the Hertz-Mindlin law.
            poisson: f64;
            /// Poisson's ratio, for the Hertz-Mindlin law and for deformable grains.
            #[serde(default = "quarter")]
            poisson: Number = quarter(), Poisson;
        }
    }
}

fn zero<K>() -> Quantity<K> {
    Quantity::new(0.0)
}

fn two_sevenths() -> Number {
    Quantity::new(2.0 / 7.0)
}

fn quarter() -> Number {
    Quantity::new(0.25)
}

/// The mixing rule for the values of two materials.
trait Mix {
    type Value;
    fn mix(a: Self::Value, b: Self::Value) -> Self::Value;
    /// Takes the value of the pair, if there is one.
    fn set(value: &mut Self::Value, given: Option<f64>);
}

/// Geometric mean.
enum Mean {}

/// Geometric mean of values that may be negative.
enum Signed {}

/// Springs in series.
enum Series {}

impl Mix for Mean {
    type Value = f64;

    fn mix(x: f64, y: f64) -> f64 {
        if x == y { x } else { (x * y).sqrt() }
    }

    fn set(value: &mut f64, given: Option<f64>) {
        *value = given.unwrap_or(*value);
    }
}

impl Mix for Signed {
    type Value = f64;

    /// Hard spheres may rebound along the surface too: what has two signs has no geometric mean.
    fn mix(x: f64, y: f64) -> f64 {
        match (x < 0.0, y < 0.0) {
            (false, false) => Mean::mix(x, y),
            (true, true) => -Mean::mix(-x, -y),
            _ => 0.5 * (x + y),
        }
    }

    fn set(value: &mut f64, given: Option<f64>) {
        Mean::set(value, given);
    }
}

impl Mix for Series {
    type Value = Option<f64>;

    fn mix(x: Option<f64>, y: Option<f64>) -> Option<f64> {
        match (x, y) {
            (Some(x), Some(y)) => Some(if x == y { x } else { 2.0 * x * y / (x + y) }),
            // One of the two is given: it is the only stiffness known for this pair.
            (x, y) => x.or(y),
        }
    }

    fn set(value: &mut Option<f64>, given: Option<f64>) {
        *value = given.or(*value);
    }
}

/// E* and G*.
fn moduli(a: &Material, b: &Material) -> (f64, f64) {
    let (Some(ya), Some(yb)) = (a.young, b.young) else { return (0.0, 0.0) };
    let star = 1.0 / ((1.0 - a.poisson.powi(2)) / ya + (1.0 - b.poisson.powi(2)) / yb);
    // G = E / (2 (1 + nu));  1 / G* = (2 - nu_a) / G_a + (2 - nu_b) / G_b
    let compliance = |y: f64, nu: f64| (2.0 - nu) * 2.0 * (1.0 + nu) / y;
    (star, 1.0 / (compliance(ya, a.poisson) + compliance(yb, b.poisson)))
}

fn only_given<const N: usize>(all: [(&'static str, Option<f64>, Rule); N]) -> Vec<Given> {
    let given = |(key, value, rule): (_, Option<f64>, _)| value.map(|value| Given { key, value, rule });
    all.into_iter().filter_map(given).collect()
}

/// The n x n table of pair values, row by row.
pub fn pair_table(materials: &[Material], overrides: &[PairOverride]) -> Vec<PairValues> {
    let n = materials.len();
    let mut table = Vec::with_capacity(n * n);
    for (i, a) in materials.iter().enumerate() {
        for (j, b) in materials.iter().enumerate() {
            // Mixed in one order, so that the table is symmetric to the last bit.
            let (a, b) = if i <= j { (a, b) } else { (b, a) };
            let mut pair = PairValues::mix(a, b);
            for o in overrides {
                let (oa, ob) = (o.a as usize, o.b as usize);
                if (oa, ob) == (i, j) || (ob, oa) == (i, j) {
                    pair.apply(o);
                }
            }
            table.push(pair);
        }
    }
    table
}
