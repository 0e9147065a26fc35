//! The smooth outline of a deformed grain: a cubic between every two boundary nodes, eqs (15)-(20) of meshfree-2016, which
//! joins the next one without a kink.

use glam::DVec2;

/// Contact shape functions and their first and second derivatives, eq. (16).
pub fn functions(xi: f64) -> [[f64; 4]; 3] {
    let (q, m, p) = (xi * xi - 1.0, xi - 1.0, xi + 1.0);
    // (ξ² - 1)(ξ - 1) and (ξ² - 1)(ξ + 1), each with its derivatives.
    let lower = [q * m, 2.0 * xi * m + q, 6.0 * xi - 2.0];
    let upper = [q * p, 2.0 * xi * p + q, 6.0 * xi + 2.0];
    let straight = [[-m / 2.0, p / 2.0], [-0.5, 0.5], [0.0, 0.0]];
    std::array::from_fn(|k| {
        let (l, u, [s0, s1]) = (lower[k] / 16.0, upper[k] / 16.0, straight[k]);
        [-l, s0 + 2.0 * l + u, s1 - l - 2.0 * u, u]
    })
}

/// The point of a curve that is closest to another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Projection {
    /// Along the piece, -1 to 1.
    pub xi: f64,
    /// Outward normal there.
    pub normal: DVec2,
    /// Signed: negative inside.
    pub gap: f64,
    /// First and second derivative of the curve.
    pub first: DVec2,
    pub second: DVec2,
}

fn sum(nodes: [DVec2; 4], weights: [f64; 4]) -> DVec2 {
    nodes[0] * weights[0] + nodes[1] * weights[1] + nodes[2] * weights[2] + nodes[3] * weights[3]
}

/// On the piece between the second and the third of four nodes in a row, counterclockwise about the grain. `None`: the closest
/// point of the curve is beyond the ends of this piece.
pub fn closest(nodes: [DVec2; 4], point: DVec2) -> Option<Projection> {
    // A little over the ends, or a point above a node could be lost between two pieces by rounding.
    const END: f64 = 1.0 + 1e-9;
    let size = nodes[1].distance(nodes[2]);
    // Start where the straight piece is closest.
    let along = (point - nodes[1]).dot(nodes[2] - nodes[1]) / (size * size);
    let mut xi = (2.0 * along - 1.0).clamp(-1.0, 1.0);
    for _ in 0..50 {
        let [n, d, dd] = functions(xi);
        let (at, first, second) = (sum(nodes, n), sum(nodes, d), sum(nodes, dd));
        let residual = (at - point).dot(first);
        // Where the curve bends away from the point (eq. 17 would run to the farthest one) the slope of the arc does.
        let slope = first.length_squared() + (at - point).dot(second);
        let slope = if slope > 0.1 * first.length_squared() { slope } else { first.length_squared() };
        let step = (residual / slope).clamp(-0.5, 0.5);
        xi -= step;
        if step.abs() < 1e-15 {
            break;
        }
        if xi.abs() > 2.0 {
            return None;
        }
    }
    if xi.is_nan() || xi.abs() > END {
        return None;
    }
    let [n, d, dd] = functions(xi);
    let (at, first, second) = (sum(nodes, n), sum(nodes, d), sum(nodes, dd));
    let normal = -first.perp().normalize();
    Some(Projection { xi, normal, gap: (point - at).dot(normal), first, second })
}

#[cfg(test)]
mod tests {
    use std::f64::consts::TAU;

    use super::*;

    #[test]
    fn derivatives_are_those_of_the_functions_and_sum_to_nothing() {
        for k in -10..=10 {
            let xi = f64::from(k) / 10.0;
            let here = functions(xi);
            let h = 1e-5;
            let (plus, minus) = (functions(xi + h), functions(xi - h));
            assert!((here[0].iter().sum::<f64>() - 1.0).abs() < 1e-15);
            for i in 0..4 {
                for order in 0..2 {
                    let slope = (plus[order][i] - minus[order][i]) / (2.0 * h);
                    assert!((slope - here[order + 1][i]).abs() < 1e-9, "{xi} {i} {order}");
                }
            }
        }
    }

    #[test]
    fn pieces_join_in_place_and_direction() {
        let nodes = [[0.0, 0.0], [1.0, 0.2], [1.7, 1.0], [1.5, 2.0], [0.3, 2.2]].map(DVec2::from_array);
        let end = |k: usize, xi: f64, order: usize| {
            sum([nodes[k], nodes[k + 1], nodes[k + 2], nodes[k + 3]], functions(xi)[order])
        };
        for order in 0..2 {
            assert!(end(0, 1.0, order).distance(end(1, -1.0, order)) < 1e-15);
        }
        assert!(end(0, 1.0, 0).distance(nodes[2]) < 1e-15);
    }

    #[test]
    fn gaps_to_a_disc_are_those_to_a_circle() {
        let node = |k: i32| DVec2::from_angle(TAU * f64::from(k) / 36.0);
        for (point, gap) in [(DVec2::from_angle(0.1) * 1.2, 0.2), (DVec2::from_angle(0.05) * 0.9, -0.1)] {
            let found: Vec<Projection> =
                (0..36).filter_map(|k| closest([k - 1, k, k + 1, k + 2].map(node), point)).collect();
            let nearest = found.iter().min_by(|a, b| a.gap.abs().total_cmp(&b.gap.abs())).unwrap();
            assert!((nearest.gap - gap).abs() < 2e-4, "{nearest:?}");
            assert!(nearest.normal.distance(point.normalize()) < 2e-3);
        }
        // Above a node one of the two pieces has it.
        let above = node(7) * 1.1;
        assert!((6..8).any(|k| closest([k - 1, k, k + 1, k + 2].map(node), above).is_some()));
    }
}
