//! The distributions have the means, medians and limits that they are given.

use rubblepile_core::Rng;

use super::*;

fn limits(min: f64, max: f64) -> Limits {
    Limits { min: min.into(), max: max.into() }
}

fn normal(mean: f64, deviation: f64, min: f64, max: f64) -> NormalSize {
    NormalSize { mean: mean.into(), deviation: deviation.into(), min: min.into(), max: max.into() }
}

fn log_normal(median: f64, sigma: f64, min: f64, max: f64) -> LogNormalSize {
    LogNormalSize { median: median.into(), sigma: sigma.into(), min: min.into(), max: max.into() }
}

fn power_law(exponent: f64, min: f64, max: f64) -> PowerLawSize {
    PowerLawSize { exponent: exponent.into(), min: min.into(), max: max.into() }
}

fn draws(size: &dyn SizeSettings, n: usize) -> Vec<f64> {
    let sampler = size.sampler().expect("a sampler");
    let mut rng = Rng::stream(3, "size");
    (0..n).map(|_| sampler(&mut rng)).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

#[test]
fn uniform_volume_puts_the_same_volume_in_every_interval() {
    let radii = draws(&UniformVolumeSize(limits(3.75, 5.0)), 200_000);
    let mut volume = [0.0; 5];
    for r in radii {
        volume[(((r - 3.75) / 0.25) as usize).min(4)] += r.powi(3);
    }
    let total: f64 = volume.iter().sum();
    for v in volume {
        assert!((v / total - 0.2).abs() < 3e-3, "{volume:?}");
    }
}

#[test]
fn normal_has_its_mean_and_deviation() {
    let radii = draws(&normal(10.0, 2.0, 0.1, 20.0), 100_000);
    let m = mean(&radii);
    let s = mean(&radii.iter().map(|r| (r - m).powi(2)).collect::<Vec<_>>()).sqrt();
    assert!((m - 10.0).abs() < 0.03 && (s - 2.0).abs() < 0.03, "{m} {s}");
    // Cut at one deviation: the deviation of what is left is 0.5396 of the whole.
    let radii = draws(&normal(10.0, 2.0, 8.0, 12.0), 100_000);
    let s = mean(&radii.iter().map(|r| (r - 10.0).powi(2)).collect::<Vec<_>>()).sqrt();
    assert!((s / 2.0 - 0.5396).abs() < 0.005, "{s}");
}

#[test]
fn power_law_and_log_normal_have_their_medians() {
    let mut r = draws(&power_law(3.0, 1.0, 10.0), 100_001);
    r.sort_by(f64::total_cmp);
    // 1 - 1/r^2 = (1 - 1/100) / 2
    assert!((r[50_000] - (1.0f64 / (1.0 - 0.495)).sqrt()).abs() < 0.01);
    let mut r = draws(&log_normal(2.0, 0.5, 0.01, 100.0), 100_001);
    r.sort_by(f64::total_cmp);
    assert!((r[50_000] - 2.0).abs() < 0.02);
}

#[test]
fn extremes_stay_within_the_limits() {
    let cases: [Size; 6] = [
        power_law(30.0, 1e-3, 1e9).into(),
        power_law(-30.0, 1e-3, 1e9).into(),
        power_law(1.0, 1.0, 1.0).into(),
        normal(1.0, 1e-9, 0.5, 2.0).into(),
        normal(1.0, 1e9, 0.5, 2.0).into(),
        log_normal(1.0, 1e-9, 1.0, 1.0).into(),
    ];
    for case in cases {
        for r in draws(case.settings(), 1000) {
            assert!(r >= 1e-3 && r <= case.settings().largest(), "{case:?} {r}");
        }
    }
    assert!(normal(1.0, 1e-3, 5.0, 6.0).sampler().is_err());
}
