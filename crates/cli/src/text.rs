//! Numbers and times as people read them, and tables.

use std::time::Duration;

pub use rubblepile_core::text::{number, time};

/// `12.3 s`, `4 min 05 s`, `3 h 12 min`, `2 d 4 h`.
pub fn duration(d: Duration) -> String {
    let s = d.as_secs();
    match s {
        0..60 => format!("{:.1} s", d.as_secs_f64()),
        60..3600 => format!("{} min {:02} s", s / 60, s % 60),
        3600..86_400 => format!("{} h {:02} min", s / 3600, s / 60 % 60),
        _ => format!("{} d {} h", s / 86_400, s / 3600 % 24),
    }
}

/// A rate with a prefix: `1.23 M`.
pub fn rate(x: f64) -> String {
    let (unit, prefix) = match x {
        x if x >= 1e9 => (1e9, " G"),
        x if x >= 1e6 => (1e6, " M"),
        x if x >= 1e3 => (1e3, " k"),
        _ => (1.0, ""),
    };
    format!("{}{prefix}", number((x / unit * 100.0).round() / 100.0))
}

/// How many steps of contact dynamics were not solved, if any were not: `12 of 7200 steps unsolved (0.17 %), worst residual
/// 0.031`.
pub fn unsolved(unsolved: u64, steps: u64, worst: f64) -> Option<String> {
    let share = number(100.0 * unsolved as f64 / steps.max(1) as f64);
    let words = format!("{unsolved} of {steps} steps unsolved ({share} %), worst residual {}", number(worst));
    (unsolved > 0).then_some(words)
}

/// Columns one under the other; the first row is the header.
pub fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |c: usize| rows.iter().filter_map(|r| r.get(c)).map(|s| s.chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut out = String::new();
    for row in rows {
        let cells: Vec<String> = row.iter().zip(&widths).map(|(cell, &w)| format!("{cell:<w$}")).collect();
        out.push_str(cells.join("  ").trim_end());
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_and_durations_are_short() {
        assert_eq!(rate(1_234_567.0), "1.23 M");
        assert_eq!(duration(Duration::from_secs(245)), "4 min 05 s");
    }
}
