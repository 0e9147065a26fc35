//! Perceptually uniform colour maps, also for most colour-blind readers.

/// From dark to bright: nine colours of viridis (van der Walt and Smith 2015, public domain).
pub(crate) const RISING: [[f64; 3]; 9] = [
    [68.0, 1.0, 84.0],
    [71.0, 45.0, 123.0],
    [59.0, 82.0, 139.0],
    [44.0, 114.0, 142.0],
    [33.0, 145.0, 140.0],
    [40.0, 174.0, 128.0],
    [94.0, 201.0, 98.0],
    [173.0, 220.0, 48.0],
    [253.0, 231.0, 37.0],
];

/// From blue over grey to red, for what has a sign (Moreland 2009).
pub(crate) const SIGNED: [[f64; 3]; 9] = [
    [59.0, 76.0, 192.0],
    [98.0, 130.0, 234.0],
    [141.0, 176.0, 254.0],
    [184.0, 208.0, 249.0],
    [221.0, 221.0, 221.0],
    [245.0, 196.0, 173.0],
    [244.0, 154.0, 123.0],
    [222.0, 96.0, 77.0],
    [180.0, 4.0, 38.0],
];

/// Colours that are told apart (Okabe and Ito 2008).
pub(crate) const APART: [&str; 7] =
    ["#e69f00", "#56b4e9", "#009e73", "#f0e442", "#0072b2", "#d55e00", "#cc79a7"];

/// The colour at `t`, from 0 to 1.
pub(crate) fn mixed(colours: &[[f64; 3]; 9], t: f64) -> String {
    let t = t.clamp(0.0, 1.0) * (colours.len() - 1) as f64;
    let k = (t as usize).min(colours.len() - 2);
    let mix = |c: usize| (colours[k][c] + (t - k as f64) * (colours[k + 1][c] - colours[k][c])).round() as u8;
    format!("#{:02x}{:02x}{:02x}", mix(0), mix(1), mix(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_and_middles_are_as_given() {
        assert_eq!(mixed(&RISING, 0.0), "#440154");
        assert_eq!(mixed(&RISING, 2.0), "#fde725");
        assert_eq!(mixed(&SIGNED, 0.5), "#dddddd");
    }
}
