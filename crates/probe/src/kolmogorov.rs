//! The test of Kolmogorov and Smirnov: how likely a sample this far from a distribution is, if it was drawn from it.

/// Probability of a deviation at least as large as that of the sorted `sample` from the cumulative distribution `law`.
pub fn probability(sample: &[f64], law: impl Fn(f64) -> f64) -> f64 {
    let n = sample.len() as f64;
    let deviation = sample
        .iter()
        .enumerate()
        .map(|(k, &x)| {
            let p = law(x);
            (p - k as f64 / n).max((k + 1) as f64 / n - p)
        })
        .fold(0.0, f64::max);
    // Stephens' form for samples that are not large.
    tail((n.sqrt() + 0.12 + 0.11 / n.sqrt()) * deviation)
}

/// 2 sum (-1)^(j-1) exp(-2 j^2 x^2), and its other form for small x, where that sum converges slowly.
fn tail(x: f64) -> f64 {
    use std::f64::consts::PI;
    if x <= 0.0 {
        return 1.0;
    }
    if x < 1.0 {
        let below: f64 = (1..=4).map(|j| (-(f64::from(2 * j - 1) * PI / x).powi(2) / 8.0).exp()).sum();
        return 1.0 - (2.0 * PI).sqrt() / x * below;
    }
    let sign = |j: i32| if j % 2 == 1 { 1.0 } else { -1.0 };
    2.0 * (1..=6).map(|j| sign(j) * (-2.0 * (f64::from(j) * x).powi(2)).exp()).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rubblepile_core::Rng;

    #[test]
    fn known_values() {
        // Tables of the limiting distribution.
        for (x, p) in [(0.5, 0.963_945), (0.828, 0.499_7), (1.0, 0.269_999_7), (1.358, 0.05), (1.628, 0.01)] {
            assert!((tail(x) - p).abs() < 5e-4, "{x}: {}", tail(x));
        }
    }

    #[test]
    fn probabilities_of_true_samples_are_even_and_of_others_small() {
        let mut rng = Rng::new(7);
        let mut low = 0;
        for _ in 0..500 {
            let mut sample: Vec<f64> = (0..200).map(|_| rng.uniform()).collect();
            sample.sort_unstable_by(f64::total_cmp);
            let p = probability(&sample, |x| x);
            low += u32::from(p < 0.25);
            assert!(probability(&sample, |x| x * x) < 1e-3);
        }
        assert!((95..=155).contains(&low), "{low}");
    }
}
