//! Quantities on the command line.

use rubblepile_core::units;

use crate::failure::Failure;

/// A time from the command line, s: a number, or one with a unit.
pub fn time(text: &str) -> Result<f64, Failure> {
    quantity("--until", text, units::TIME, "2 h").and_then(|seconds| {
        let help = "give seconds, or a number with a unit: --until \"2 h\"";
        let sound = seconds.is_finite() && seconds > 0.0;
        sound
            .then_some(seconds)
            .ok_or_else(|| Failure::bad_input(format!("--until: `{text}` is not a positive time"), help))
    })
}

/// A quantity from the command line: a number in SI units, or one with a unit.
pub fn quantity(option: &str, text: &str, kind: units::Dimension, example: &str) -> Result<f64, Failure> {
    let help = || {
        let unit = kind.unit();
        format!("give a number in {unit}, or one with a unit: {option} \"{example}\"")
    };
    match text.trim().parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(value),
        Ok(_) => Err(Failure::bad_input(format!("{option}: `{text}` is not a finite number"), help())),
        Err(_) => {
            units::parse_as(text, kind).map_err(|e| Failure::bad_input(format!("{option}: {e}"), help()))
        }
    }
}
