//! The standard normal distribution between two limits, drawn by inverting a tabulated integral: narrow limits far out in a
//! tail cost no more than others.

use rubblepile_core::Rng;

use crate::generate::GenerateFault;

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
    pub fn new(low: f64, high: f64) -> Result<Bell, GenerateFault> {
        // Past 9 deviations there is 1e-19: nothing that would ever be drawn.
        let (low, high) = (low.max(-9.0), high.min(9.0));
        if low.is_nan() || high.is_nan() || low > high {
            return Err(GenerateFault::new(
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

    pub fn draw(&self, rng: &mut Rng) -> f64 {
        let u = rng.uniform();
        let k = self.integral.partition_point(|&v| v <= u).min(CELLS - 1);
        let before = if k == 0 { 0.0 } else { self.integral[k - 1] };
        let part = (u - before) / (self.integral[k] - before).max(f64::MIN_POSITIVE);
        self.low + self.width * (k as f64 + part.min(1.0))
    }
}
