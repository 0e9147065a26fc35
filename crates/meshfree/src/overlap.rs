//! Whether outlines overlap, and whether they are on the right side of walls: asked once, before a run.

use glam::DVec2;

/// Whether two closed outlines share any point of their insides, or touch.
pub fn overlapping(a: &[DVec2], b: &[DVec2]) -> bool {
    let inside = |points: &[DVec2], of: &[DVec2]| points.first().is_some_and(|p| holds(of, *p));
    let cross = || sides(a).any(|s| sides(b).any(|t| meet(s, t)));
    inside(a, b) || inside(b, a) || cross()
}

/// The first two of several outlines that overlap.
pub fn first_overlap(outlines: &[Vec<DVec2>]) -> Option<(usize, usize)> {
    let bounds = |points: &Vec<DVec2>| {
        let first = (DVec2::INFINITY, DVec2::NEG_INFINITY);
        points.iter().fold(first, |(low, high), p| (low.min(*p), high.max(*p)))
    };
    let boxes: Vec<(DVec2, DVec2)> = outlines.iter().map(bounds).collect();
    let near = |a: usize, b: usize| boxes[a].0.cmple(boxes[b].1).all() && boxes[b].0.cmple(boxes[a].1).all();
    (0..outlines.len()).find_map(|a| {
        let mut others = a + 1..outlines.len();
        others.find(|b| near(a, *b) && overlapping(&outlines[a], &outlines[*b])).map(|b| (a, b))
    })
}

fn sides(points: &[DVec2]) -> impl Iterator<Item = (DVec2, DVec2)> + '_ {
    let n = points.len();
    (0..n).map(move |k| (points[k], points[(k + 1) % n]))
}

fn holds(points: &[DVec2], x: DVec2) -> bool {
    sides(points)
        .filter(|(a, b)| (a.y > x.y) != (b.y > x.y))
        .fold(false, |inside, (a, b)| inside ^ (x.x < a.x + (x.y - a.y) / (b.y - a.y) * (b.x - a.x)))
}

fn meet((a, b): (DVec2, DVec2), (c, d): (DVec2, DVec2)) -> bool {
    let turns = |p: DVec2, q: DVec2, r: DVec2| (q - p).perp_dot(r - p);
    a.min(b).cmple(c.max(d)).all()
        && c.min(d).cmple(a.max(b)).all()
        && turns(a, b, c) * turns(a, b, d) <= 0.0
        && turns(c, d, a) * turns(c, d, b) <= 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square(x: f64, y: f64, size: f64) -> Vec<DVec2> {
        [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]
            .map(|c| DVec2::new(x, y) + size * DVec2::from_array(c))
            .to_vec()
    }

    #[test]
    fn squares_that_cross_touch_hold_each_other_or_do_not() {
        let one = square(0.0, 0.0, 2.0);
        assert!(overlapping(&one, &square(1.0, 1.0, 2.0)));
        assert!(overlapping(&one, &square(2.0, 0.5, 1.0)));
        assert!(overlapping(&one, &square(0.5, 0.5, 1.0)) && overlapping(&square(0.5, 0.5, 1.0), &one));
        // A cross: no corner of one is in the other.
        let (long, tall) = ([(-1.0, 0.9), (3.0, 1.1)], [(0.9, -1.0), (1.1, 3.0)]);
        let bar = |[(x, y), (z, w)]: [(f64, f64); 2]| {
            vec![DVec2::new(x, y), DVec2::new(z, y), DVec2::new(z, w), DVec2::new(x, w)]
        };
        assert!(overlapping(&bar(long), &bar(tall)));
        assert!(!overlapping(&one, &square(2.1, 0.5, 1.0)));
        assert_eq!(first_overlap(&[one.clone(), square(5.0, 0.0, 1.0), square(5.5, 0.5, 1.0)]), Some((1, 2)));
    }
}
