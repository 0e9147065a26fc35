//! A sphere and a ring (section 2.2.5 of hard-sphere-2011).
//!
//! The distance d of the centre from the ring has d^2 = |rho|^2 + R^2 - 2 R rho_T. The quartic of eq. (13) is
//! F G with F = d^2 - s^2 and G the same for the farthest point of the ring: it has roots that are no contact, and on the
//! axis, where F = G, it only touches zero. F alone has the contacts and no more, and its slope can be known everywhere:
//! F'' = 2 v^2 - 2 R rho_T'', and rho_T'', for a straight path, falls off on both sides of the point nearest to the axis.
//! So F'' has at most one zero on each side, known in closed form; between them and the nearest point F' is monotone,
//! and between the zeros of F' so is F. No root is lost, grazing and on-axis paths included.

use glam::DVec3;

use super::{
    Path, meet,
    roots::{first_fall, monotone_root},
};

/// Time of the first touch of a straight path with a ring about the origin.
pub fn ring(path: &Path, axis: DVec3, radius: f64) -> Option<f64> {
    let v2 = path.velocity.length_squared();
    if v2 == 0.0 {
        return None;
    }
    let x2 = path.position.length_squared();
    let xv = path.position.dot(path.velocity);
    if radius == 0.0 {
        return meet(x2, xv, v2, path.radius, path.within);
    }
    // While it is outside of the ball around ring and sphere there is nothing, and much to lose in precision.
    let reach = radius + path.radius;
    let start = if x2 > reach * reach { meet(x2, xv, v2, reach, path.within)? } else { 0.0 };
    let position = path.position + start * path.velocity;
    let leaving = 2.0 * (reach / v2.sqrt() + (position.dot(path.velocity) / v2).abs());
    let to = (path.within - start).min(leaving);

    let along = |x: DVec3| x.dot(axis);
    let across = |x: DVec3| x - along(x) * axis;
    let (q, w) = (across(position), across(path.velocity));
    let w2 = w.length_squared();
    let (z, u) = (along(position), along(path.velocity));
    let xv = position.dot(path.velocity);
    // Value and slope of F.
    let f = |t: f64| {
        let flat = q + t * w;
        let out = flat.length();
        let (gap, height) = (out - radius, z + t * u);
        let rate = if out > 0.0 { flat.dot(w) / out } else { w2.sqrt() };
        (gap * gap + height * height - path.radius * path.radius, 2.0 * (xv + t * v2 - radius * rate))
    };
    if w2 == 0.0 {
        // Along the axis: a parabola.
        return first_fall(f, 0.0, to, &mut [-xv / v2]).map(|t| start + t);
    }
    let middle = -q.dot(w) / w2;
    let nearest2 = (q + middle * w).length_squared();
    // F'' = 0 where rho_T^3 = R w^2 nearest^2 / v^2
    let turn2 = (radius * w2 * nearest2 / v2).powf(2.0 / 3.0);
    let bend = ((turn2 - nearest2).max(0.0) / w2).sqrt();
    let slope = |t: f64| (f(t).1, 2.0 * (v2 - radius * w2 * nearest2 / (q + t * w).length().powi(3)));
    let mut parts = [0.0, middle - bend, middle, middle + bend, to];
    parts.iter_mut().for_each(|t| *t = t.clamp(0.0, to));
    let mut cuts = [middle; 5];
    for (cut, part) in cuts.iter_mut().zip(parts.windows(2)) {
        // The slope jumps where the path crosses the axis: look a little to the inside of each part.
        let inside = 1e-14 * (part[1] - part[0]);
        if let Some(t) = monotone_root(slope, part[0] + inside, part[1] - inside) {
            *cut = t;
        }
    }
    first_fall(f, 0.0, to, &mut cuts).map(|t| start + t)
}
