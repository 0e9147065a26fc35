//! Principal moments and axes of a symmetric 3 x 3 tensor, by Jacobi's rotations: slower than the closed formula,
//! but accurate to the last bits for moments that are equal or nearly so, where the formula loses half the digits.

use glam::{DMat3, DVec3};

/// Sweeps after which it ends whatever is left off the diagonal; five are usual.
const SWEEPS: usize = 32;

/// Moments, smallest first, and the axes as columns of a rotation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Principal {
    pub moments: DVec3,
    pub axes: DMat3,
}

/// Of a symmetric tensor given by xx, yy, zz, xy, yz, zx. Equal moments leave axes where they are in the world.
pub fn principal([xx, yy, zz, xy, yz, zx]: [f64; 6]) -> Principal {
    let mut a = [[xx, xy, zx], [xy, yy, yz], [zx, yz, zz]];
    let mut v = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    for _ in 0..SWEEPS {
        let off = a[0][1].abs() + a[0][2].abs() + a[1][2].abs();
        if off == 0.0 || !off.is_finite() {
            break;
        }
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            // What is lost in the rounding of both diagonal terms is as good as zero.
            if a[p][q].abs() <= f64::EPSILON * 1e-3 * a[p][p].abs().min(a[q][q].abs()) {
                (a[p][q], a[q][p]) = (0.0, 0.0);
                continue;
            }
            let theta = 0.5 * (a[q][q] - a[p][p]) / a[p][q];
            let t = if theta == 0.0 { 1.0 } else { theta.signum() / (theta.abs() + theta.hypot(1.0)) };
            let c = 1.0 / t.hypot(1.0);
            let s = t * c;
            let r = 3 - p - q;
            (a[p][p], a[q][q]) = (a[p][p] - t * a[p][q], a[q][q] + t * a[p][q]);
            (a[p][q], a[q][p]) = (0.0, 0.0);
            let (rp, rq) = (a[r][p], a[r][q]);
            (a[r][p], a[r][q]) = (c * rp - s * rq, s * rp + c * rq);
            (a[p][r], a[q][r]) = (a[r][p], a[r][q]);
            for row in &mut v {
                (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
            }
        }
    }
    let mut order = [0, 1, 2];
    order.sort_by(|&i, &j| a[i][i].total_cmp(&a[j][j]));
    let axis = |k: usize| DVec3::new(v[0][k], v[1][k], v[2][k]);
    let (x, y) = (axis(order[0]), axis(order[1]));
    Principal {
        moments: DVec3::from_array(order.map(|k| a[k][k])),
        // The third from the other two: right-handed whatever the order.
        axes: DMat3::from_cols(x, y, x.cross(y)),
    }
}

#[cfg(test)]
mod tests {
    use glam::DQuat;

    use super::*;

    fn tensor(m: DMat3) -> [f64; 6] {
        [m.x_axis.x, m.y_axis.y, m.z_axis.z, m.x_axis.y, m.y_axis.z, m.z_axis.x]
    }

    #[test]
    fn turned_tensors_come_back() {
        for (k, moments) in [
            DVec3::new(1.0, 2.0, 3.0),
            DVec3::new(1.0, 1.0 + 1e-9, 5.0),
            DVec3::splat(2.0),
            DVec3::new(0.0, 4.0, 4.0),
        ]
        .into_iter()
        .enumerate()
        {
            let r = DMat3::from_quat(DQuat::from_scaled_axis(DVec3::new(1.0, -0.4, 0.3 + k as f64)));
            let whole = r * DMat3::from_diagonal(moments) * r.transpose();
            let found = principal(tensor(whole));
            assert!((found.moments - moments).length() < 1e-14, "{:?}", found.moments - moments);
            let back = found.axes * DMat3::from_diagonal(found.moments) * found.axes.transpose();
            assert!(back.abs_diff_eq(whole, 1e-14));
            assert!((found.axes.determinant() - 1.0).abs() < 1e-14);
        }
    }

    #[test]
    fn scales_far_apart_and_what_is_no_number() {
        let found = principal([1e-30, 3e-30, 2e-30, 0.0, 0.0, 0.0]);
        assert_eq!(found.moments, DVec3::new(1e-30, 2e-30, 3e-30));
        assert!(principal([f64::NAN; 6]).moments.is_nan());
    }
}
