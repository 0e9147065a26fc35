//! Six points in a triangle (section 2): exact for polynomials of the fourth degree.

use glam::DVec2;

/// Weight, and share of the corner that stands out; the other two have half of the rest each.
const GROUPS: [(f64, f64); 2] =
    [(0.223_381_589_678_011, 0.108_103_018_168_070), (0.109_951_743_655_322, 0.816_847_572_980_459)];

/// Places and their areas.
pub fn points([a, b, c]: [DVec2; 3]) -> [(DVec2, f64); 6] {
    let area = 0.5 * (b - a).perp_dot(c - a);
    let of = |(weight, own): (f64, f64)| {
        let rest = 0.5 * (1.0 - own);
        [(a, b, c), (b, c, a), (c, a, b)].map(|(p, q, r)| (own * p + rest * (q + r), weight * area))
    };
    let [first, second] = GROUPS.map(of);
    [first[0], first[1], first[2], second[0], second[1], second[2]]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fourth_degree_is_exact() {
        let triangle = [DVec2::ZERO, DVec2::X, DVec2::Y];
        let factorial = |n: i32| (1..=n).map(f64::from).product::<f64>();
        for i in 0..=4 {
            for j in 0..=4 - i {
                let sum: f64 = points(triangle).iter().map(|(x, w)| w * x.x.powi(i) * x.y.powi(j)).sum();
                let exact = factorial(i) * factorial(j) / factorial(i + j + 2);
                assert!((sum - exact).abs() < 1e-14, "{i} {j}: {sum} {exact}");
            }
        }
    }
}
