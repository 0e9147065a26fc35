//! What a user can choose.

/// Settings of the method.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Settings {
    /// Collisions slower than this along the normal part with this speed (see `drift`), m/s; `None`: from gravity and the step.
    pub rest_speed: Option<f64>,
    /// Whether grains that walls hold are met on their true paths, not on the chord of a step.
    pub curvilinear: bool,
}
