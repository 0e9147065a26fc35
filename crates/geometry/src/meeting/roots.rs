//! First roots that cannot be lost: a function is cut where its slope changes sign, and each piece has one root or none.

/// The smallest t in (`from`, `to`] at which `f` falls through zero, or `from` itself if `f` is zero or less there and falling.
/// `f` gives value and slope; it must be monotone between neighbouring `cuts` (in any order, those outside are left out).
pub fn first_fall(f: impl Fn(f64) -> (f64, f64), from: f64, to: f64, cuts: &mut [f64]) -> Option<f64> {
    let (mut left, mut value) = (from, f(from));
    if value.0 <= 0.0 && value.1 < 0.0 {
        return Some(from);
    }
    cuts.sort_unstable_by(f64::total_cmp);
    for &cut in cuts.iter().filter(|&&t| t > from && t < to).chain([&to]) {
        let next = f(cut);
        if value.0 > 0.0 && next.0 <= 0.0 {
            return Some(falling_root(&f, left, cut));
        }
        (left, value) = (cut, next);
    }
    None
}

/// The root in [a, b] with f(a) > 0 >= f(b): Newton's steps as long as they stay inside and shrink it, else halves.
pub fn falling_root(f: impl Fn(f64) -> (f64, f64), mut a: f64, mut b: f64) -> f64 {
    let mut t = 0.5 * (a + b);
    for _ in 0..200 {
        let (value, slope) = f(t);
        if value > 0.0 {
            a = t;
        } else {
            b = t;
        }
        if value == 0.0 {
            break;
        }
        let newton = t - value / slope;
        let next = if newton > a && newton < b { newton } else { 0.5 * (a + b) };
        if (next - t).abs() <= 4.0 * f64::EPSILON * (t.abs() + next.abs()) || next <= a || next >= b {
            return next;
        }
        t = next;
    }
    t
}

/// Root of a monotone function in [a, b], if it has one.
pub fn monotone_root(f: impl Fn(f64) -> (f64, f64), a: f64, b: f64) -> Option<f64> {
    let (fa, fb) = (f(a).0, f(b).0);
    if fa > 0.0 && fb <= 0.0 {
        Some(falling_root(f, a, b))
    } else if fa < 0.0 && fb >= 0.0 {
        Some(falling_root(
            |t| {
                let (value, slope) = f(t);
                (-value, -slope)
            },
            a,
            b,
        ))
    } else {
        None
    }
}
