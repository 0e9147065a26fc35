//! Materials and what two of them give at a contact.

/// What a grain or a wall is made of. Symbols are those of asteroid-surface-2024, section 2.1.
#[derive(Debug, Clone, PartialEq)]
pub struct Material {
    pub name: String,
    /// kg/m^3
    pub density: f64,
    /// Normal coefficient of restitution, epsilon_N.
    pub restitution_normal: f64,
    /// Tangential coefficient of restitution, epsilon_S.
    pub restitution_tangential: f64,
    /// mu_S
    pub friction_sliding: f64,
    /// mu_R
    pub friction_rolling: f64,
    /// mu_T
    pub friction_twisting: f64,
    /// Shape parameter, beta: rolling, twisting and cohesion act through it.
    pub shape: f64,
    /// Cohesive strength c between grains, Pa.
    pub cohesion: f64,
    /// Force that parts two touching bodies, r_0 of eq. (18) of contact-dynamics-2021, N. Contact dynamics alone.
    pub cohesion_force: f64,
    /// Gap up to which that force acts, d_0 of eq. (18), m; 0: a thousandth of the radius.
    pub cohesion_range: f64,
    /// Normal spring stiffness k_N of the linear law, N/m. `None`: from the method's largest expected speed.
    pub stiffness: Option<f64>,
    /// Tangential over normal stiffness, k_S / k_N.
    pub stiffness_ratio: f64,
    /// Young's modulus, Pa, for the Hertz-Mindlin law.
    pub young: Option<f64>,
    /// Poisson's ratio, for the Hertz-Mindlin law.
    pub poisson: f64,
}

crate::archive_struct!(Material {
    name,
    density,
    restitution_normal,
    restitution_tangential,
    friction_sliding,
    friction_rolling,
    friction_twisting,
    shape,
    cohesion,
    cohesion_force,
    cohesion_range,
    stiffness,
    stiffness_ratio,
    young,
    poisson,
});

impl Default for Material {
    fn default() -> Self {
        Material {
            name: String::new(),
            density: 0.0,
            restitution_normal: 0.5,
            restitution_tangential: 0.5,
            friction_sliding: 0.5,
            friction_rolling: 0.0,
            friction_twisting: 0.0,
            shape: 0.0,
            cohesion: 0.0,
            cohesion_force: 0.0,
            cohesion_range: 0.0,
            stiffness: None,
            stiffness_ratio: 2.0 / 7.0,
            young: None,
            poisson: 0.25,
        }
    }
}

/// The values at a contact of two materials, after mixing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairValues {
    pub restitution_normal: f64,
    pub restitution_tangential: f64,
    pub friction_sliding: f64,
    pub friction_rolling: f64,
    pub friction_twisting: f64,
    pub shape: f64,
    pub cohesion: f64,
    /// N
    pub cohesion_force: f64,
    /// m
    pub cohesion_range: f64,
    /// k_N, N/m; `None`: from the largest expected speed.
    pub stiffness: Option<f64>,
    pub stiffness_ratio: f64,
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
    pub restitution_normal: Option<f64>,
    pub restitution_tangential: Option<f64>,
    pub friction_sliding: Option<f64>,
    pub friction_rolling: Option<f64>,
    pub friction_twisting: Option<f64>,
    pub shape: Option<f64>,
    pub cohesion: Option<f64>,
    pub cohesion_force: Option<f64>,
    pub cohesion_range: Option<f64>,
    pub stiffness: Option<f64>,
    pub stiffness_ratio: Option<f64>,
}

crate::archive_struct!(PairOverride {
    a,
    b,
    restitution_normal,
    restitution_tangential,
    friction_sliding,
    friction_rolling,
    friction_twisting,
    shape,
    cohesion,
    cohesion_force,
    cohesion_range,
    stiffness,
    stiffness_ratio,
});

impl PairValues {
    /// The mixing rule: geometric mean of every dimensionless coefficient and of the cohesion (a surface that
    /// does not stick sticks to nothing); stiffnesses and moduli act as springs in series, so that equal
    /// materials keep their value. E* and G* as in Hertz and Mindlin.
    pub fn mix(a: &Material, b: &Material) -> Self {
        let mean = |x: f64, y: f64| if x == y { x } else { (x * y).sqrt() };
        // Hard spheres may turn back along the surface too: what has two signs has no geometric mean.
        let signed = |x: f64, y: f64| match (x < 0.0, y < 0.0) {
            (false, false) => mean(x, y),
            (true, true) => -mean(-x, -y),
            _ => 0.5 * (x + y),
        };
        let series = |x: f64, y: f64| if x == y { x } else { 2.0 * x * y / (x + y) };
        let (modulus, shear_modulus) = match (a.young, b.young) {
            (Some(ya), Some(yb)) => {
                let star = 1.0 / ((1.0 - a.poisson.powi(2)) / ya + (1.0 - b.poisson.powi(2)) / yb);
                // G = E / (2 (1 + nu));  1 / G* = (2 - nu_a) / G_a + (2 - nu_b) / G_b
                let compliance = |y: f64, nu: f64| (2.0 - nu) * 2.0 * (1.0 + nu) / y;
                (star, 1.0 / (compliance(ya, a.poisson) + compliance(yb, b.poisson)))
            }
            _ => (0.0, 0.0),
        };
        PairValues {
            restitution_normal: mean(a.restitution_normal, b.restitution_normal),
            restitution_tangential: signed(a.restitution_tangential, b.restitution_tangential),
            friction_sliding: mean(a.friction_sliding, b.friction_sliding),
            friction_rolling: mean(a.friction_rolling, b.friction_rolling),
            friction_twisting: mean(a.friction_twisting, b.friction_twisting),
            shape: mean(a.shape, b.shape),
            cohesion: mean(a.cohesion, b.cohesion),
            cohesion_force: mean(a.cohesion_force, b.cohesion_force),
            cohesion_range: mean(a.cohesion_range, b.cohesion_range),
            stiffness: match (a.stiffness, b.stiffness) {
                (Some(x), Some(y)) => Some(series(x, y)),
                // One of the two is given: it is the only stiffness known for this pair.
                (x, y) => x.or(y),
            },
            stiffness_ratio: mean(a.stiffness_ratio, b.stiffness_ratio),
            modulus,
            shear_modulus,
        }
    }

    fn apply(&mut self, o: &PairOverride) {
        fn set(value: &mut f64, given: Option<f64>) {
            if let Some(g) = given {
                *value = g;
            }
        }
        set(&mut self.restitution_normal, o.restitution_normal);
        set(&mut self.restitution_tangential, o.restitution_tangential);
        set(&mut self.friction_sliding, o.friction_sliding);
        set(&mut self.friction_rolling, o.friction_rolling);
        set(&mut self.friction_twisting, o.friction_twisting);
        set(&mut self.shape, o.shape);
        set(&mut self.cohesion, o.cohesion);
        set(&mut self.cohesion_force, o.cohesion_force);
        set(&mut self.cohesion_range, o.cohesion_range);
        set(&mut self.stiffness_ratio, o.stiffness_ratio);
        self.stiffness = o.stiffness.or(self.stiffness);
    }
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
