//! The inputs of the gravity benchmark G1: unit spheres of bodies that any program can make again, bit for bit where
//! its square and cube roots round as ours do.
//!
//! Random numbers are SplitMix64 used as a hash of a counter.

use glam::DVec3;

/// Uniform in [0, 1): number `index` of the stream `seed`.
pub fn hash_uniform(seed: u64, index: u64) -> f64 {
    let mut z = seed.wrapping_add((index + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^= z >> 31;
    (z >> 11) as f64 * 2f64.powi(-53)
}

/// Independent bodies, uniform in the unit sphere. Every mass is 1/n.
pub fn uniform(n: usize) -> Vec<DVec3> {
    let u = |k: usize| hash_uniform(12345, k as u64);
    (0..n)
        .map(|k| {
            let (r, c) = (u(3 * k).cbrt(), 2.0 * u(3 * k + 1) - 1.0);
            let (s, p) = ((1.0 - c * c).sqrt(), std::f64::consts::TAU * u(3 * k + 2));
            DVec3::new(r * s * p.cos(), r * s * p.sin(), r * c)
        })
        .collect()
}

/// A face-centred cubic lattice, shaken by 5 % of its cell, cut to the unit sphere: like packed grains.
pub fn rubble(n: usize) -> Vec<DVec3> {
    let m = ((n as f64 * 3.0 / (16.0 * std::f64::consts::PI)).cbrt()).ceil() as i64 + 2;
    let base = [[0.0, 0.0, 0.0], [0.5, 0.5, 0.0], [0.5, 0.0, 0.5], [0.0, 0.5, 0.5]];
    let centre = DVec3::new(0.131, 0.217, 0.071);
    let mut sites = Vec::with_capacity((8 * m * m * m * 4) as usize);
    let mut count = 0;
    for i in -m..m {
        for j in -m..m {
            for k in -m..m {
                for b in base {
                    let cell = DVec3::new(i as f64, j as f64, k as f64) + DVec3::from_array(b);
                    let shake: [f64; 3] =
                        std::array::from_fn(|a| 0.1 * (hash_uniform(777, count + a as u64) - 0.5));
                    count += 3;
                    sites.push(cell + DVec3::from_array(shake) - centre);
                }
            }
        }
    }
    let mut order: Vec<u32> = (0..sites.len() as u32).collect();
    order.sort_by(|&a, &b| sites[a as usize].length_squared().total_cmp(&sites[b as usize].length_squared()));
    order.truncate(n);
    let outermost = order.last().map_or(1.0, |&k| sites[k as usize].length());
    order.sort_unstable();
    order.iter().map(|&k| sites[k as usize] / outermost).collect()
}
