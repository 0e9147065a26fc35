//! What a boundary node and the outline of another grain, or a wall, push each other with, and how that changes as they move:
//! eqs (21)-(23) and appendices B and C of meshfree-2016.

use glam::DVec2;

use crate::spline::{self, Closest};

/// Nodes of an element: the slave node between its two neighbours, then four of the master, which a wall has not.
pub const NODES: usize = 7;
const SIZE: usize = 2 * NODES;

/// A contact without friction: force on every node, and minus its change with their places.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Element {
    pub force: [DVec2; NODES],
    /// Row by row.
    pub tangent: [[f64; SIZE]; SIZE],
    /// What the node stands for of the outline, m.
    pub length: f64,
}

/// Eq. (B.11): what the node stands for of its grain's outline, and how that changes with the places of the three.
fn length([before, node, after]: [DVec2; 3]) -> (f64, [f64; SIZE]) {
    let (first, second) = (node - before, after - node);
    let (l0, l1) = (first.length(), second.length());
    let (t0, t1) = (first / l0, second / l1);
    let mut slope = [0.0; SIZE];
    for (k, change) in [-t0, t0 - t1, t1].into_iter().enumerate() {
        slope[2 * k] = 0.5 * change.x;
        slope[2 * k + 1] = 0.5 * change.y;
    }
    (0.5 * (l0 + l1), slope)
}

fn set(row: &mut [f64; SIZE], node: usize, value: DVec2) {
    (row[2 * node], row[2 * node + 1]) = (value.x, value.y);
}

/// `pressure` is T_C of eq. (21), `stiffness` its change with the gap, k.
fn element(
    pressure: f64,
    stiffness: f64,
    (length, length_slope): (f64, [f64; SIZE]),
    gap_slope: [f64; SIZE],
    gap_curvature: impl Fn(usize, usize) -> f64,
) -> Element {
    let tangent = std::array::from_fn(|i| {
        std::array::from_fn(|j| {
            length * (stiffness * gap_slope[i] * gap_slope[j] - pressure * gap_curvature(i, j))
                - pressure * gap_slope[i] * length_slope[j]
        })
    });
    let force =
        std::array::from_fn(|k| pressure * length * DVec2::new(gap_slope[2 * k], gap_slope[2 * k + 1]));
    Element { force, tangent, length }
}

/// Appendix B: a node (between its neighbours) and a piece of another outline, of which the closest point is known.
pub fn on_grain(slave: [DVec2; 3], at: &Closest, pressure: f64, stiffness: f64) -> Element {
    let [n, d, _] = spline::functions(at.xi);
    let Closest { normal, gap, first, second, .. } = *at;
    // Eqs (B.6)-(B.8); the slave node comes first.
    let (mut b_n, mut b_t, mut b_turn) = ([0.0; SIZE], [0.0; SIZE], [0.0; SIZE]);
    set(&mut b_n, 1, normal);
    set(&mut b_t, 1, first);
    for k in 0..4 {
        set(&mut b_n, 3 + k, -n[k] * normal);
        set(&mut b_t, 3 + k, -n[k] * first);
        set(&mut b_turn, 3 + k, d[k] * normal);
    }
    let square = first.length_squared();
    let bend = normal.dot(second);
    // Eq. (B.5): how the closest point slides.
    let slide: [f64; SIZE] = std::array::from_fn(|i| (b_t[i] + gap * b_turn[i]) / (square - gap * bend));
    let turn: [f64; SIZE] = std::array::from_fn(|i| bend * slide[i] + b_turn[i]);
    // Eqs (B.1), (B.2) are this, the second derivative of the gap, times -T A.
    let curvature = |i: usize, j: usize| {
        gap / square * turn[i] * turn[j]
            - b_turn[i] * slide[j]
            - slide[i] * b_turn[j]
            - bend * slide[i] * slide[j]
    };
    element(pressure, stiffness, length(slave), b_n, curvature)
}

/// Appendix C: a node and a straight wall. The four nodes of a master are not there.
pub fn on_wall(slave: [DVec2; 3], normal: DVec2, pressure: f64, stiffness: f64) -> Element {
    let mut b_n = [0.0; SIZE];
    set(&mut b_n, 1, normal);
    element(pressure, stiffness, length(slave), b_n, |_, _| 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const STIFFNESS: f64 = 50.0;
    const MULTIPLIER: f64 = -3.0;

    /// Seven nodes of a contact, and the force on each by the gap.
    fn contact(nodes: [DVec2; NODES], wall: bool) -> Element {
        let [a, b, c, m0, m1, m2, m3] = nodes;
        let pressure = |gap: f64| -MULTIPLIER - STIFFNESS * gap;
        if wall {
            let normal = DVec2::new(0.6, 0.8);
            return on_wall([a, b, c], normal, pressure(b.dot(normal)), STIFFNESS);
        }
        let at = spline::closest([m0, m1, m2, m3], b).unwrap();
        on_grain([a, b, c], &at, pressure(at.gap), STIFFNESS)
    }

    #[test]
    fn the_tangent_is_the_change_of_the_forces() {
        // A node that has come into a bent outline, and one above it.
        for height in [-0.03, 0.04] {
            let nodes = [
                [0.9, 0.5 + height],
                [0.6, 0.16 + height],
                [0.1, 0.4 + height],
                [2.0, -0.4],
                [1.0, 0.0],
                [0.2, 0.25],
                [-0.9, -0.1],
            ]
            .map(DVec2::from_array);
            for wall in [false, true] {
                let here = contact(nodes, wall);
                let size = here.tangent.iter().flatten().fold(0.0_f64, |a, b| a.max(b.abs()));
                for j in 0..SIZE {
                    let h = 1e-6;
                    let moved = |by: f64| {
                        let mut nodes = nodes;
                        nodes[j / 2][j % 2] += by;
                        contact(nodes, wall).force
                    };
                    let (plus, minus) = (moved(h), moved(-h));
                    for i in 0..SIZE {
                        let slope = -(plus[i / 2][i % 2] - minus[i / 2][i % 2]) / (2.0 * h);
                        let ours = here.tangent[i][j];
                        assert!(
                            (slope - ours).abs() < 1e-7 * size,
                            "{wall} {height} {i} {j}: {slope} {ours}"
                        );
                    }
                }
                if !wall {
                    // What pushes the one pushes back the other.
                    let sum: DVec2 = here.force.iter().sum();
                    let torque: f64 = nodes.iter().zip(&here.force).map(|(x, f)| x.perp_dot(*f)).sum();
                    assert!(sum.length() < 1e-14 && torque.abs() < 1e-13, "{sum} {torque}");
                }
            }
        }
    }
}
