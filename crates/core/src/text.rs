//! Numbers, times and sizes of memory as people read them, for messages and summaries. Files have full precision.

/// Four significant digits, with an exponent only where it helps.
pub fn number(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    let magnitude = value.abs().log10().floor();
    if !(-4.0..6.0).contains(&magnitude) {
        return format!("{value:.3e}");
    }
    let digits = (3.0 - magnitude).max(0.0) as usize;
    let text = format!("{value:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').into() } else { text }
}

/// A time in the unit a person would choose: `59.5 s`, `12 h`.
pub fn time(seconds: f64) -> String {
    for (unit, size) in [("yr", 31_557_600.0), ("d", 86_400.0), ("h", 3600.0), ("min", 60.0)] {
        if seconds.abs() >= 2.0 * size {
            return format!("{} {unit}", number(seconds / size));
        }
    }
    format!("{} s", number(seconds))
}

/// `1.5 GB`.
pub fn bytes(bytes: f64) -> String {
    let units = ["B", "kB", "MB", "GB", "TB", "PB", "EB"];
    let mut value = bytes;
    let mut k = 0;
    while value >= 1000.0 && k + 1 < units.len() {
        value /= 1000.0;
        k += 1;
    }
    let digits = if k == 0 || value >= 100.0 { 0 } else { 1 };
    format!("{value:.digits$} {}", units[k])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let cases = [
            (0.0, "0"),
            (3.0, "3"),
            (12.3456, "12.35"),
            (0.049093, "0.04909"),
            (0.00123456, "0.001235"),
            (1e-9, "1.000e-9"),
            (1709.53, "1710"),
            (99_999.0, "99999"),
            (123_456.7, "123457"),
            (3.6254e9, "3.625e9"),
        ];
        for (value, text) in cases {
            assert_eq!(number(value), text);
        }
        assert_eq!(time(14_400.0), "4 h");
        assert_eq!(time(59.5), "59.5 s");
        assert_eq!((bytes(900.0), bytes(1.46e9)), ("900 B".into(), "1.5 GB".into()));
    }
}
