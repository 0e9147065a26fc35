//! Closed outlines: checked, and walked along in even paces.

use std::f64::consts::TAU;

use glam::DVec2;

/// A simple polygon, counterclockwise.
#[derive(Debug, Clone, PartialEq)]
pub struct Outline {
    points: Vec<DVec2>,
}

#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum OutlineError {
    #[error("an outline needs at least three different points; this one has {0}")]
    TooFew(usize),
    #[error("point {0} of the outline is not a number")]
    NotFinite(usize),
    #[error("the outline crosses itself: the side after point {0} meets the side after point {1}")]
    Crosses(usize, usize),
    #[error("the outline encloses no area")]
    Empty,
}

impl Outline {
    /// Points in order, either way around; points at the same place in a row count once.
    pub fn new(points: &[DVec2]) -> Result<Self, OutlineError> {
        if let Some(k) = points.iter().position(|p| !p.is_finite()) {
            return Err(OutlineError::NotFinite(k));
        }
        let mut points: Vec<DVec2> = points.to_vec();
        points.dedup();
        if points.len() > 1 && points.first() == points.last() {
            points.pop();
        }
        if points.len() < 3 {
            return Err(OutlineError::TooFew(points.len()));
        }
        if let Some((a, b)) = crossing(&points) {
            return Err(OutlineError::Crosses(a, b));
        }
        let mut outline = Outline { points };
        let (area, length) = (outline.area(), outline.length());
        if area.abs() <= 1e-12 * length * length {
            return Err(OutlineError::Empty);
        }
        if area < 0.0 {
            outline.points.reverse();
        }
        Ok(outline)
    }

    /// An ellipse of so many points; a disc where the semi-axes are equal.
    pub fn ellipse(centre: DVec2, semi_axes: DVec2, points: usize) -> Result<Self, OutlineError> {
        let at = |k: usize| {
            let (sine, cosine) = (TAU * k as f64 / points as f64).sin_cos();
            centre + semi_axes * DVec2::new(cosine, sine)
        };
        Outline::new(&(0..points).map(at).collect::<Vec<_>>())
    }

    pub fn points(&self) -> &[DVec2] {
        &self.points
    }

    fn sides(&self) -> impl Iterator<Item = (DVec2, DVec2)> + '_ {
        let n = self.points.len();
        (0..n).map(move |k| (self.points[k], self.points[(k + 1) % n]))
    }

    pub fn area(&self) -> f64 {
        self.sides().map(|(a, b)| 0.5 * a.perp_dot(b)).sum()
    }

    pub fn length(&self) -> f64 {
        self.sides().map(|(a, b)| a.distance(b)).sum()
    }

    pub fn holds(&self, x: DVec2) -> bool {
        self.sides()
            .filter(|(a, b)| (a.y > x.y) != (b.y > x.y))
            .fold(false, |inside, (a, b)| inside ^ (x.x < a.x + (x.y - a.y) / (b.y - a.y) * (b.x - a.x)))
    }

    /// The nearest point of it.
    pub fn nearest(&self, x: DVec2) -> DVec2 {
        let on = |(a, b): (DVec2, DVec2)| {
            let along = ((x - a).dot(b - a) / (b - a).length_squared()).clamp(0.0, 1.0);
            a + along * (b - a)
        };
        let nearer = |p: &DVec2, q: &DVec2| p.distance_squared(x).total_cmp(&q.distance_squared(x));
        self.sides().map(on).min_by(nearer).unwrap_or(x)
    }

    /// Nodes along it about `spacing` apart. Corners of more than 30 degrees stay where they are.
    pub fn walk(&self, spacing: f64) -> Vec<DVec2> {
        let n = self.points.len();
        let turn = |k: usize| {
            let (before, here, after) =
                (self.points[(k + n - 1) % n], self.points[k], self.points[(k + 1) % n]);
            (here - before).angle_to(after - here).abs()
        };
        let mut corners: Vec<usize> = (0..n).filter(|&k| turn(k) > 30f64.to_radians()).collect();
        if corners.is_empty() {
            corners.push(0);
        }
        let mut nodes = Vec::new();
        for (c, &start) in corners.iter().enumerate() {
            let end = corners.get(c + 1).copied().unwrap_or(corners[0] + n);
            let stretch: Vec<DVec2> = (start..=end).map(|k| self.points[k % n]).collect();
            let length: f64 = stretch.windows(2).map(|w| w[0].distance(w[1])).sum();
            let least = if corners.len() == 1 { 8.0 } else { 1.0 };
            let paces = (length / spacing).round().max(least);
            let (mut side, mut passed) = (0, 0.0);
            for k in 0..paces as usize {
                let wanted = length * k as f64 / paces;
                while side + 2 < stretch.len() && passed + stretch[side].distance(stretch[side + 1]) < wanted
                {
                    passed += stretch[side].distance(stretch[side + 1]);
                    side += 1;
                }
                let (a, b) = (stretch[side], stretch[side + 1]);
                nodes.push(a.lerp(b, (wanted - passed) / a.distance(b)));
            }
        }
        nodes
    }
}

/// Two sides that meet and are not neighbours, or neighbours that lie on one another.
fn crossing(points: &[DVec2]) -> Option<(usize, usize)> {
    let n = points.len();
    let side = |k: usize| (points[k], points[(k + 1) % n]);
    for i in 0..n {
        let (a, b) = side(i);
        for j in i + 1..n {
            let (c, d) = side(j);
            let neighbours = j == i + 1 || (i == 0 && j == n - 1);
            let meets = if neighbours {
                // The far end of one folds back onto the other.
                let (corner, far, other) = if j == i + 1 { (b, a, d) } else { (a, b, c) };
                (far - corner).perp_dot(other - corner) == 0.0 && (far - corner).dot(other - corner) > 0.0
            } else {
                let turns = |p: DVec2, q: DVec2, r: DVec2| (q - p).perp_dot(r - p);
                let apart = |s: f64, t: f64| s * t > 0.0;
                let boxes = a.min(b).cmple(c.max(d)).all() && c.min(d).cmple(a.max(b)).all();
                boxes && !apart(turns(a, b, c), turns(a, b, d)) && !apart(turns(c, d, a), turns(c, d, b))
            };
            if meets {
                return Some((i, j));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(list: &[[f64; 2]]) -> Vec<DVec2> {
        list.iter().map(|p| DVec2::from_array(*p)).collect()
    }

    #[test]
    fn bad_outlines_are_refused() {
        let new = |list: &[[f64; 2]]| Outline::new(&points(list)).unwrap_err();
        assert_eq!(new(&[[0.0, 0.0], [1.0, 0.0], [0.0, 0.0]]), OutlineError::TooFew(2));
        let bow = [[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]];
        assert_eq!(new(&bow), OutlineError::Crosses(0, 2));
        assert_eq!(new(&[[0.0, 0.0], [1.0, f64::NAN], [0.0, 1.0]]), OutlineError::NotFinite(1));
        // There and back again.
        assert!(matches!(new(&[[0.0, 0.0], [2.0, 0.0], [1.0, 0.0]]), OutlineError::Crosses(..)));
        // One that touches itself in a point.
        let pinched = [[0.0, 0.0], [2.0, 0.0], [1.0, 1.0], [2.0, 2.0], [0.0, 2.0], [1.0, 1.0]];
        assert!(matches!(new(&pinched), OutlineError::Crosses(..)));
    }

    #[test]
    fn either_way_around_is_the_same_outline() {
        let square = points(&[[0.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, 0.0], [0.0, 0.0]]);
        let outline = Outline::new(&square).unwrap();
        assert_eq!((outline.area(), outline.length(), outline.points().len()), (1.0, 4.0, 4));
        assert!(outline.holds(DVec2::splat(0.5)) && !outline.holds(DVec2::new(1.5, 0.5)));
        assert_eq!(outline.nearest(DVec2::new(0.4, 0.2)), DVec2::new(0.4, 0.0));
        // Corners stay, and sides have a whole number of paces.
        let walk = outline.walk(0.3);
        assert_eq!(walk.len(), 12);
        assert!(square.iter().all(|corner| walk.contains(corner)));
    }

    #[test]
    fn a_disc_is_walked_in_even_paces() {
        let disc = Outline::ellipse(DVec2::new(1.0, 2.0), DVec2::ONE, 720).unwrap();
        let nodes = disc.walk(TAU / 36.0);
        assert_eq!(nodes.len(), 36);
        for (k, node) in nodes.iter().enumerate() {
            let next = nodes[(k + 1) % 36];
            assert!((node.distance(next) - 2.0 * (TAU / 72.0).sin()).abs() < 1e-4);
        }
    }
}
