//! Principal axes of a symmetric 3 x 3 matrix by Jacobi rotations: slower than a closed form and exact to rounding,
//! also where moments are equal.

use glam::{DMat3, DQuat, DVec3};

/// Eigenvalues in rising order, and the rotation whose columns are the axes, in the same order and right-handed.
/// The strict lower triangle is not read. Numbers that are not finite give the diagonal and the identity.
pub fn principal_axes(symmetric: DMat3) -> (DVec3, DQuat) {
    let m = symmetric;
    let mut a = [
        [m.x_axis.x, m.y_axis.x, m.z_axis.x],
        [m.y_axis.x, m.y_axis.y, m.z_axis.y],
        [m.z_axis.x, m.z_axis.y, m.z_axis.z],
    ];
    let size = a.iter().flatten().fold(0.0f64, |s, x| s.max(x.abs()));
    if !m.is_finite() || size == 0.0 {
        return (DVec3::new(a[0][0], a[1][1], a[2][2]), DQuat::IDENTITY);
    }
    // Scaled, so that squares neither overflow nor vanish.
    a.iter_mut().flatten().for_each(|x| *x /= size);
    let mut axes = [DVec3::X, DVec3::Y, DVec3::Z];
    // Each sweep squares the rest; six are plenty, and the bound keeps the loop finite.
    for _ in 0..30 {
        let rest = a[0][1].abs() + a[0][2].abs() + a[1][2].abs();
        if rest < 1e-40 {
            break;
        }
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            rotate(&mut a, &mut axes, p, q);
        }
    }
    let mut order = [0, 1, 2];
    order.sort_by(|&i, &j| a[i][i].total_cmp(&a[j][j]));
    let moments = size * DVec3::from_array(order.map(|k| a[k][k]));
    let (x, y) = (axes[order[0]].normalize(), axes[order[1]].normalize());
    (moments, DQuat::from_mat3(&DMat3::from_cols(x, y, x.cross(y))).normalize())
}

/// Turns axes `p` and `q` in their plane so that `a[p][q]` vanishes.
fn rotate(a: &mut [[f64; 3]; 3], axes: &mut [DVec3; 3], p: usize, q: usize) {
    if a[p][q] == 0.0 {
        return;
    }
    // The smaller of the two angles: tan t of t^2 + 2 theta t - 1 = 0.
    let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
    let t = theta.signum() / (theta.abs() + theta.hypot(1.0));
    let c = 1.0 / t.hypot(1.0);
    let s = t * c;
    let off = a[p][q];
    a[p][p] -= t * off;
    a[q][q] += t * off;
    a[p][q] = 0.0;
    a[q][p] = 0.0;
    let r = 3 - p - q;
    let (x, y) = (a[r][p], a[r][q]);
    a[r][p] = c * x - s * y;
    a[p][r] = a[r][p];
    a[r][q] = s * x + c * y;
    a[q][r] = a[r][q];
    let (u, v) = (axes[p], axes[q]);
    axes[p] = c * u - s * v;
    axes[q] = s * u + c * v;
}

#[cfg(test)]
mod tests {
    use super::*;
    use rubblepile_core::Rng;

    #[test]
    fn the_axes_make_the_matrix_again() {
        let mut rng = Rng::new(3);
        for k in 0..2000 {
            let q = DQuat::from_axis_angle(rng.direction(), rng.range(0.0, 6.0));
            let scale = 10f64.powf(rng.range(-30.0, 30.0));
            let mut d = DVec3::new(rng.range(-1.0, 1.0), rng.uniform(), rng.uniform());
            if k % 3 == 0 {
                d.y = d.x;
            }
            if k % 6 == 0 {
                d.z = d.x;
            }
            let turn = DMat3::from_quat(q);
            let m = turn * DMat3::from_diagonal(scale * d) * turn.transpose();
            let (moments, axes) = principal_axes(m);
            assert!(moments.x <= moments.y && moments.y <= moments.z);
            let r = DMat3::from_quat(axes);
            let again = r * DMat3::from_diagonal(moments) * r.transpose();
            assert!(again.abs_diff_eq(m, 1e-14 * scale), "{m} {again}");
        }
    }

    #[test]
    fn what_is_not_finite_gives_no_endless_loop() {
        let (_, q) = principal_axes(DMat3::from_diagonal(DVec3::new(f64::NAN, 1.0, f64::INFINITY)));
        assert_eq!(q, DQuat::IDENTITY);
        assert_eq!(principal_axes(DMat3::ZERO).0, DVec3::ZERO);
    }
}
