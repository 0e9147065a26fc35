//! Errors of a simulation: always with the body or the wall, the time, and what to try.

use crate::text;

pub type Result<T, E = Error> = std::result::Result<T, E>;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(
        "the {what} of body {id} is not a finite number at t = {at}; \
         try a shorter time step, or look for bodies that overlap at the start",
        at = text::time(*time)
    )]
    NotFinite { what: &'static str, id: u64, time: f64 },

    #[error(
        "body {id} overlaps {partner} by {percent:.0} % of its radius at t = {at}; \
         the contact is too soft for this speed: raise the stiffness or `max_speed`, or shorten the time step",
        at = text::time(*time)
    )]
    TooDeep { id: u64, partner: String, percent: f64, time: f64 },

    #[error(
        "body {id} is inside asteroid `{asteroid}` at t = {at}; if it was pressed through the surface, raise the stiffness or \
         `max_speed`, or shorten the time step; at the start, place it outside",
        at = text::time(*time)
    )]
    Inside { id: u64, asteroid: String, time: f64 },

    #[error(
        "asteroids `{}` and `{}` touch at t = {at}, and contact between asteroids is not resolved: end the run before, or change \
         their motion; with contact dynamics the smaller one can be a body instead, `shape = {{ file = ... }}` of [[grains]]",
        names[0], names[1], at = text::time(*time)
    )]
    AsteroidsTouch { names: [String; 2], time: f64 },

    #[error(
        "the contact problem was not solved in {steps} steps in a row (residual {residual:.1e}, asked for {tolerance:.1e}) \
         up to t = {at}; try a shorter time step, more `iterations` or a looser `tolerance`",
        at = text::time(*time)
    )]
    NotConverged { steps: u64, residual: f64, tolerance: f64, time: f64 },

    #[error(
        "{collisions} collisions at t = {at} and the clock does not go on: grains are jammed without a gap between them; \
         look for grains that overlap or are wedged between walls at the start, or raise `rest_speed`",
        at = text::time(*time)
    )]
    Standstill { time: f64, collisions: u64 },

    #[error(
        "{what} at t = {at}{of}; try a shorter `timestep`, more nodes (a smaller `spacing`), more `augmentations` or a wider `gap`; \
         grains that are squeezed to nothing need `law = \"neo-hookean\"`, a stiffer material or walls that move less",
        at = text::time(*time)
    )]
    Deformation { what: String, of: String, time: f64 },

    #[error("there is no wall named `{name}` at t = {at}; the walls are: {known}", at = text::time(*time))]
    NoSuchWall { name: String, known: String, time: f64 },

    #[error("there is no {what} `{name}` at t = {at}; known names: {known}", at = text::time(*time))]
    NoSuch { what: &'static str, name: String, known: String, time: f64 },

    #[error("{0}")]
    Unsupported(String),

    /// A force, an observer or a stop condition of the calling program failed.
    #[error("{what} failed at t = {at}: {source}", at = text::time(*time))]
    Callback { what: String, time: f64, source: Box<dyn std::error::Error + Send + Sync> },

    #[error("{context}: {source}")]
    Output { context: String, source: Box<dyn std::error::Error + Send + Sync> },
}

impl Error {
    /// Something is named that is not there.
    pub fn no_such(
        what: &'static str,
        name: &str,
        known: impl IntoIterator<Item = impl AsRef<str>>,
        time: f64,
    ) -> Self {
        let known: Vec<String> = known.into_iter().map(|k| format!("`{}`", k.as_ref())).collect();
        Error::NoSuch { what, name: name.into(), known: known.join(", "), time }
    }
}
