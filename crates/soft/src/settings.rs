//! What the user chooses of the soft method.

/// Which springs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Law {
    /// Linear spring and dashpot: eqs (1)-(4), Tables 1 and 2 of asteroid-surface-2024.
    Linear,
    /// Hertz in the normal and Mindlin in the tangential direction, with the rolling, twisting and cohesion
    /// of the linear law.
    HertzMindlin,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    pub law: Law,
    /// Largest speed expected, m/s: gives the stiffness of the linear law, at an overlap of 1 % of the radius,
    /// for pairs of materials that have none of their own.
    pub max_speed: Option<f64>,
    /// Margin of the neighbour list, m; `None`: chosen from the radii.
    pub skin: Option<f64>,
    /// The run stops when a grain overlaps something by more than this part of its radius.
    pub deepest_overlap: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { law: Law::Linear, max_speed: None, skin: None, deepest_overlap: 0.5 }
    }
}
