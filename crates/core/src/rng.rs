//! Random numbers from one seed.
//!
//! Our own few lines rather than a library's: a scenario and its seed must give the same grains forever, and
//! libraries only promise that within a version. The generator is xoshiro256++ seeded by SplitMix64 (Blackman
//! and Vigna 2019), whose reference outputs the tests quote.

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rng {
    pub state: [u64; 4],
}

crate::archive_struct!(Rng { state });

/// One step of SplitMix64.
fn splitmix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

impl Rng {
    pub fn new(seed: u64) -> Self {
        let mut s = seed;
        Rng { state: std::array::from_fn(|_| splitmix(&mut s)) }
    }

    /// An independent generator for one named purpose, so that adding grains to one group does not change
    /// another.
    pub fn stream(seed: u64, name: &str) -> Self {
        // FNV-1a of the name, mixed with the seed.
        let hash = name
            .bytes()
            .fold(0xCBF2_9CE4_8422_2325u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01B3));
        let mut s = seed;
        Rng::new(splitmix(&mut s) ^ hash)
    }

    pub fn next_u64(&mut self) -> u64 {
        let s = &mut self.state;
        let result = s[0].wrapping_add(s[3]).rotate_left(23).wrapping_add(s[0]);
        let t = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = s[3].rotate_left(45);
        result
    }

    /// Uniform in [0, 1), 53 bits.
    pub fn uniform(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * 2f64.powi(-53)
    }

    pub fn range(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.uniform()
    }

    /// Standard normal, by the polar method of Marsaglia.
    pub fn normal(&mut self) -> f64 {
        loop {
            let (x, y) = (self.range(-1.0, 1.0), self.range(-1.0, 1.0));
            let s = x * x + y * y;
            if s > 0.0 && s < 1.0 {
                return x * (-2.0 * s.ln() / s).sqrt();
            }
        }
    }

    /// Uniform on the unit sphere.
    pub fn direction(&mut self) -> glam::DVec3 {
        let z = self.range(-1.0, 1.0);
        let phi = self.range(0.0, std::f64::consts::TAU);
        let s = (1.0 - z * z).sqrt();
        glam::DVec3::new(s * phi.cos(), s * phi.sin(), z)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SplitMix64 with seed 1234567, from the reference implementation's published outputs.
    #[test]
    fn splitmix_gives_the_published_numbers() {
        let mut s = 1234567;
        assert_eq!(splitmix(&mut s), 6457827717110365317);
        assert_eq!(splitmix(&mut s), 3203168211198807973);
    }

    #[test]
    fn moments_are_right() {
        let mut rng = Rng::stream(7, "test");
        let n = 200_000;
        let (mut u, mut g, mut g2) = (0.0, 0.0, 0.0);
        for _ in 0..n {
            u += rng.uniform();
            let x = rng.normal();
            g += x;
            g2 += x * x;
        }
        let n = n as f64;
        assert!((u / n - 0.5).abs() < 3e-3 && (g / n).abs() < 1e-2 && (g2 / n - 1.0).abs() < 2e-2);
    }
}
