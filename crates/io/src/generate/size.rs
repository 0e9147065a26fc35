//! How large grains are: distributions of radii, all cut at stated limits.
//!
//! `UniformVolume` is that of contact-dynamics-2021, section 3.1: every interval of sizes of one width holds the
//! same volume, so numbers go as the inverse third power of the size. Normal and log-normal are drawn by
//! inverting a tabulated integral, so that narrow limits far out in a tail cost no more than others.

use rubblepile_core::Rng;

use super::Fault;

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SizeDistribution {
    Single(f64),
    Uniform {
        min: f64,
        max: f64,
    },
    UniformVolume {
        min: f64,
        max: f64,
    },
    Normal {
        mean: f64,
        deviation: f64,
        min: f64,
        max: f64,
    },
    LogNormal {
        median: f64,
        sigma: f64,
        min: f64,
        max: f64,
    },
    /// Number of grains a width of radius goes as radius to the power of minus `exponent`.
    PowerLaw {
        exponent: f64,
        min: f64,
        max: f64,
    },
}

impl SizeDistribution {
    /// No grain is larger.
    pub fn largest(&self) -> f64 {
        match *self {
            SizeDistribution::Single(r) => r,
            SizeDistribution::Uniform { max, .. }
            | SizeDistribution::UniformVolume { max, .. }
            | SizeDistribution::Normal { max, .. }
            | SizeDistribution::LogNormal { max, .. }
            | SizeDistribution::PowerLaw { max, .. } => max,
        }
    }

    pub fn sampler(&self) -> Result<Sampler, Fault> {
        Ok(match *self {
            SizeDistribution::Single(r) => Sampler::Single(r),
            SizeDistribution::Uniform { min, max } => Sampler::Power { exponent: 0.0, min, max },
            SizeDistribution::UniformVolume { min, max } => Sampler::Power { exponent: 3.0, min, max },
            SizeDistribution::PowerLaw { exponent, min, max } => Sampler::Power { exponent, min, max },
            SizeDistribution::Normal { mean, deviation, min, max } => {
                let bell = Bell::new((min - mean) / deviation, (max - mean) / deviation)?;
                Sampler::Normal { mean, deviation, min, max, bell }
            }
            SizeDistribution::LogNormal { median, sigma, min, max } => {
                let bell = Bell::new((min / median).ln() / sigma, (max / median).ln() / sigma)?;
                Sampler::LogNormal { median, sigma, min, max, bell }
            }
        })
    }
}

/// Ready to draw.
#[derive(Debug, Clone, PartialEq)]
pub enum Sampler {
    Single(f64),
    Power { exponent: f64, min: f64, max: f64 },
    Normal { mean: f64, deviation: f64, min: f64, max: f64, bell: Bell },
    LogNormal { median: f64, sigma: f64, min: f64, max: f64, bell: Bell },
}

impl Sampler {
    pub fn draw(&self, rng: &mut Rng) -> f64 {
        match self {
            Sampler::Single(r) => *r,
            Sampler::Power { exponent, min, max } => {
                // Inverse of the integral of r^-p from min to r, over that to max, with q = 1 - p; in units of
                // the smallest radius, so that no power leaves the range of numbers.
                let (q, top, u) = (1.0 - exponent, max / min, rng.uniform());
                let r = if q.abs() < 1e-9 {
                    min * top.powf(u)
                } else {
                    min * (1.0 + u * (top.powf(q) - 1.0)).powf(1.0 / q)
                };
                within(r, *min, *max)
            }
            Sampler::Normal { mean, deviation, min, max, bell } => {
                within(mean + deviation * bell.draw(rng), *min, *max)
            }
            Sampler::LogNormal { median, sigma, min, max, bell } => {
                within(median * (sigma * bell.draw(rng)).exp(), *min, *max)
            }
        }
    }
}

/// Clamped without the panic of `f64::clamp`; what is not a number becomes the smallest.
fn within(r: f64, min: f64, max: f64) -> f64 {
    if r >= min { r.min(max) } else { min }
}

/// The standard normal distribution between two limits, tabulated.
#[derive(Debug, Clone, PartialEq)]
pub struct Bell {
    low: f64,
    width: f64,
    /// Integral up to the end of each cell; the last is 1.
    integral: Vec<f64>,
}

const CELLS: usize = 2048;

impl Bell {
    fn new(low: f64, high: f64) -> Result<Bell, Fault> {
        // Past 9 deviations there is 1e-19: nothing that would ever be drawn.
        let (low, high) = (low.max(-9.0), high.min(9.0));
        if low.is_nan() || high.is_nan() || low > high {
            return Err(Fault::new(
                "the limits leave nothing of this distribution: they are more than 9 standard deviations off",
                "move `min` and `max` around the middle of the distribution",
            ));
        }
        let width = (high - low) / CELLS as f64;
        let density = |x: f64| (-0.5 * x * x).exp();
        let mut sum = 0.0;
        let mut integral = Vec::with_capacity(CELLS);
        for k in 0..CELLS {
            let x = low + width * k as f64;
            // Simpson's rule in the cell.
            sum += density(x) + 4.0 * density(x + 0.5 * width) + density(x + width);
            integral.push(sum);
        }
        for value in &mut integral {
            *value /= sum;
        }
        Ok(Bell { low, width, integral })
    }

    fn draw(&self, rng: &mut Rng) -> f64 {
        let u = rng.uniform();
        let k = self.integral.partition_point(|&v| v <= u).min(CELLS - 1);
        let before = if k == 0 { 0.0 } else { self.integral[k - 1] };
        let part = (u - before) / (self.integral[k] - before).max(f64::MIN_POSITIVE);
        self.low + self.width * (k as f64 + part.min(1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draws(distribution: SizeDistribution, n: usize) -> Vec<f64> {
        let sampler = distribution.sampler().expect("a sampler");
        let mut rng = Rng::stream(3, "size");
        (0..n).map(|_| sampler.draw(&mut rng)).collect()
    }

    fn mean(values: &[f64]) -> f64 {
        values.iter().sum::<f64>() / values.len() as f64
    }

    #[test]
    fn uniform_volume_puts_the_same_volume_in_every_interval() {
        let radii = draws(SizeDistribution::UniformVolume { min: 3.75, max: 5.0 }, 200_000);
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
        let radii =
            draws(SizeDistribution::Normal { mean: 10.0, deviation: 2.0, min: 0.1, max: 20.0 }, 100_000);
        let m = mean(&radii);
        let s = mean(&radii.iter().map(|r| (r - m).powi(2)).collect::<Vec<_>>()).sqrt();
        assert!((m - 10.0).abs() < 0.03 && (s - 2.0).abs() < 0.03, "{m} {s}");
        // Cut at one deviation: the deviation of what is left is 0.5396 of the whole.
        let radii =
            draws(SizeDistribution::Normal { mean: 10.0, deviation: 2.0, min: 8.0, max: 12.0 }, 100_000);
        let s = mean(&radii.iter().map(|r| (r - 10.0).powi(2)).collect::<Vec<_>>()).sqrt();
        assert!((s / 2.0 - 0.5396).abs() < 0.005, "{s}");
    }

    #[test]
    fn power_law_and_log_normal_have_their_medians() {
        let mut r = draws(SizeDistribution::PowerLaw { exponent: 3.0, min: 1.0, max: 10.0 }, 100_001);
        r.sort_by(f64::total_cmp);
        // 1 - 1/r^2 = (1 - 1/100) / 2
        assert!((r[50_000] - (1.0f64 / (1.0 - 0.495)).sqrt()).abs() < 0.01);
        let log_normal = SizeDistribution::LogNormal { median: 2.0, sigma: 0.5, min: 0.01, max: 100.0 };
        let mut r = draws(log_normal, 100_001);
        r.sort_by(f64::total_cmp);
        assert!((r[50_000] - 2.0).abs() < 0.02);
    }

    #[test]
    fn extremes_stay_within_the_limits() {
        let cases = [
            SizeDistribution::PowerLaw { exponent: 30.0, min: 1e-3, max: 1e9 },
            SizeDistribution::PowerLaw { exponent: -30.0, min: 1e-3, max: 1e9 },
            SizeDistribution::PowerLaw { exponent: 1.0, min: 1.0, max: 1.0 },
            SizeDistribution::Normal { mean: 1.0, deviation: 1e-9, min: 0.5, max: 2.0 },
            SizeDistribution::Normal { mean: 1.0, deviation: 1e9, min: 0.5, max: 2.0 },
            SizeDistribution::LogNormal { median: 1.0, sigma: 1e-9, min: 1.0, max: 1.0 },
        ];
        for case in cases {
            for r in draws(case, 1000) {
                assert!(r >= 1e-3 && r <= case.largest(), "{case:?} {r}");
            }
        }
        assert!(
            SizeDistribution::Normal { mean: 1.0, deviation: 1e-3, min: 5.0, max: 6.0 }.sampler().is_err()
        );
    }
}
