//! Field nodes inside an outline and the triangles to integrate over: a lattice, thinned, whose nodes are moved to the middle of
//! what is around them until they lie evenly. (The paper lets them push each other apart, [40] there; nodes can then stay
//! locked together.)

use glam::DVec2;
use spade::{ConstrainedDelaunayTriangulation, Point2, Triangulation};

use crate::outline::Outline;

/// Nodes of a grain on its outline, then inside, and triangles between them.
#[derive(Debug, Clone, PartialEq)]
pub struct Filling {
    pub nodes: Vec<DVec2>,
    /// How many of the nodes, the first ones, are on the outline, in order, counterclockwise.
    pub boundary: usize,
    pub triangles: Vec<[u32; 3]>,
}

/// How close nodes lie.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Density {
    /// On the outline, m.
    pub spacing: f64,
    /// By how much it grows inwards, for every unit of distance from the outline.
    pub grading: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum FillError {
    #[error("the spacing of nodes must be above 0, not {0}")]
    Spacing(f64),
    #[error("a node spacing of {0} is too coarse for this outline")]
    TooCoarse(f64),
}

const ROUNDS: usize = 100;
/// Distance of inner nodes from the outline, spacings.
const NEAREST: f64 = 0.6;
/// Places to choose nodes from, spacings apart.
const FINE: f64 = 0.25;
/// How close nodes are put, of what is wanted: those that find no closer place leave gaps.
const CLOSE: f64 = 0.9;

pub fn fill(outline: &Outline, density: Density) -> Result<Filling, FillError> {
    let Density { spacing, grading } = density;
    if !(spacing > 0.0 && spacing.is_finite()) {
        return Err(FillError::Spacing(spacing));
    }
    let mut nodes = outline.walk(spacing);
    let boundary = nodes.len();
    // The outline that is left of the given one.
    let coarse = Outline::new(&nodes).map_err(|_| FillError::TooCoarse(spacing))?;
    let wanted = |x: DVec2| spacing + grading * coarse.nearest(x).distance(x);
    nodes.extend(lattice(&coarse, spacing, wanted));
    for _ in 0..ROUNDS {
        relax(&mut nodes, boundary, &coarse, wanted).ok_or(FillError::TooCoarse(spacing))?;
    }
    let triangles = triangulate(&nodes, boundary, &coarse).ok_or(FillError::TooCoarse(spacing))?;
    Ok(Filling { nodes, boundary, triangles })
}

/// Places of a fine lattice of equilateral triangles, row after row, each where it is far enough from the outline and from those
/// before it.
fn lattice(outline: &Outline, spacing: f64, wanted: impl Fn(DVec2) -> f64) -> Vec<DVec2> {
    let (low, high) = outline
        .points()
        .iter()
        .fold((DVec2::INFINITY, DVec2::NEG_INFINITY), |(low, high), p| (low.min(*p), high.max(*p)));
    let middle = 0.5 * (low + high);
    let fine = FINE * spacing;
    let row_height = fine * 0.75f64.sqrt();
    let rows = ((high.y - low.y) / row_height / 2.0).ceil() as i64;
    let columns = ((high.x - low.x) / fine / 2.0).ceil() as i64 + 1;
    let mut kept: Vec<DVec2> = Vec::new();
    for row in -rows..=rows {
        for column in -columns..=columns {
            let shift = if row.rem_euclid(2) == 0 { 0.0 } else { 0.5 };
            let x = middle + DVec2::new((column as f64 + shift) * fine, row as f64 * row_height);
            if !outline.holds(x) || outline.nearest(x).distance(x) < NEAREST * spacing {
                continue;
            }
            let room = CLOSE * wanted(x);
            if kept.iter().rev().all(|other| other.distance(x) >= room) {
                kept.push(x);
            }
        }
    }
    kept
}

/// Moves every inner node to the middle of the triangles around it, small ones counting for more where nodes are to be dense.
fn relax(
    nodes: &mut [DVec2],
    boundary: usize,
    outline: &Outline,
    wanted: impl Fn(DVec2) -> f64,
) -> Option<()> {
    let mut sums = vec![(DVec2::ZERO, 0.0); nodes.len()];
    for corners in triangulate(nodes, boundary, outline)? {
        let [a, b, c] = corners.map(|k| nodes[k as usize]);
        let middle = (a + b + c) / 3.0;
        let weight = (b - a).perp_dot(c - a) / wanted(middle).powi(4);
        for corner in corners {
            let sum = &mut sums[corner as usize];
            *sum = (sum.0 + weight * middle, sum.1 + weight);
        }
    }
    for (node, (sum, weight)) in nodes.iter_mut().zip(&sums).skip(boundary) {
        let middle = *sum / *weight;
        // Of a ring of triangles that is hollow the middle may be outside.
        if outline.holds(middle) {
            *node = middle;
        }
    }
    Some(())
}

/// The triangles inside; `None` where a side of the outline is not among their edges.
fn triangulate(nodes: &[DVec2], boundary: usize, outline: &Outline) -> Option<Vec<[u32; 3]>> {
    let mut all = ConstrainedDelaunayTriangulation::<Point2<f64>>::new();
    let mut handles = Vec::with_capacity(nodes.len());
    for node in nodes {
        handles.push(all.insert(Point2::new(node.x, node.y)).ok()?);
    }
    for k in 0..boundary {
        let next = (k + 1) % boundary;
        if !all.can_add_constraint(handles[k], handles[next]) {
            return None;
        }
        all.add_constraint(handles[k], handles[next]);
    }
    if all.num_vertices() != nodes.len() {
        return None;
    }
    let triangles: Vec<[u32; 3]> = all
        .inner_faces()
        .map(|face| face.vertices().map(|v| v.fix().index() as u32))
        .filter(|corners| {
            // Three nodes on a straight side make a degenerate triangle.
            let [a, b, c] = corners.map(|k| nodes[k as usize]);
            let size = (b - a).length_squared().max((c - a).length_squared());
            (b - a).perp_dot(c - a) > 1e-9 * size && outline.holds((a + b + c) / 3.0)
        })
        .collect();
    let area: f64 = triangles
        .iter()
        .map(|t| {
            let [a, b, c] = t.map(|k| nodes[k as usize]);
            0.5 * (b - a).perp_dot(c - a)
        })
        .sum();
    ((area / outline.area() - 1.0).abs() < 1e-9).then_some(triangles)
}

#[cfg(test)]
mod tests {
    use std::f64::consts::{PI, TAU};

    use super::*;

    /// Radii of inscribed over half of those of circumscribed circles: 1 for equilateral triangles.
    fn qualities(filling: &Filling) -> Vec<f64> {
        let sides = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|k| filling.nodes[k as usize]);
            [a.distance(b), b.distance(c), c.distance(a)]
        };
        filling
            .triangles
            .iter()
            .map(sides)
            .map(|[a, b, c]| (b + c - a) * (c + a - b) * (a + b - c) / (a * b * c))
            .collect()
    }

    #[test]
    fn a_disc_has_the_nodes_of_table_1() {
        let disc = Outline::ellipse(DVec2::ZERO, DVec2::ONE, 720).unwrap();
        let filling = fill(&disc, Density { spacing: TAU / 36.0, grading: 0.1 }).unwrap();
        assert_eq!(filling.boundary, 36);
        let (nodes, cells) = (filling.nodes.len(), filling.triangles.len());
        // Table I has 105 and 172. Of any triangles inside, two per node except on the outline.
        assert!((90..120).contains(&nodes), "{nodes}");
        assert_eq!(cells, 2 * nodes - 36 - 2);
        let quality = qualities(&filling);
        let worst = quality.iter().copied().fold(1.0, f64::min);
        let mean = quality.iter().sum::<f64>() / cells as f64;
        assert!(worst > 0.5 && mean > 0.9, "{worst} {mean}");
    }

    #[test]
    fn grains_of_all_shapes_are_filled_wholly() {
        let star = |k: i32| {
            let (sine, cosine) = (TAU * f64::from(k) / 400.0).sin_cos();
            (1.0 + 0.3 * (5.0 * TAU * f64::from(k) / 400.0).cos()) * DVec2::new(cosine, sine)
        };
        let corners = [[0.0, 0.0], [3.0, 0.0], [3.0, 1.0], [1.0, 1.0], [1.0, 3.0], [0.0, 3.0]];
        let outlines = [
            Outline::new(&(0..400).map(star).collect::<Vec<_>>()).unwrap(),
            Outline::new(&corners.map(DVec2::from_array)).unwrap(),
            Outline::ellipse(DVec2::ZERO, DVec2::new(2.0, 0.5), 500).unwrap(),
        ];
        for outline in &outlines {
            for spacing in [0.1, 0.2] {
                let filling = fill(outline, Density { spacing, grading: 0.1 }).unwrap();
                let worst = qualities(&filling).into_iter().fold(1.0, f64::min);
                assert!(worst > 0.4, "{spacing} {worst}");
                let of_grain = filling.nodes.len() as f64 * spacing * spacing / outline.area();
                assert!((0.5..2.0).contains(&of_grain), "{of_grain}");
            }
        }
        let wave = Outline::ellipse(DVec2::ZERO, DVec2::ONE, 100).unwrap();
        assert_eq!(fill(&wave, Density { spacing: 0.0, grading: 0.0 }), Err(FillError::Spacing(0.0)));
        assert!((wave.area() / PI - 1.0).abs() < 1e-3);
    }
}
