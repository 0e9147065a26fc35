//! Samples of sand-like grains in a box, without contact: cells of a Voronoi diagram, each with an outline of Fourier
//! descriptors in it, after the idea of Mollon and Zhao (2012), which the paper takes ([39] there).

use std::f64::consts::TAU;

use glam::DVec2;
use rubblepile_core::Rng;
use spade::{DelaunayTriangulation, Point2, Triangulation};

use crate::outline::{Outline, OutlineError};

/// What the grains of a sample are like.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sand {
    pub count: usize,
    /// The box, from the origin, m.
    pub size: DVec2,
    /// Area of grains over that of the box.
    pub solid: f64,
    /// Second descriptor: half the excess of length over width.
    pub elongation: f64,
    /// Third descriptor; those up to the seventh fall with the square of their number. 0: round.
    pub angularity: f64,
    /// Eighth descriptor; higher ones fall likewise. 0: smooth.
    pub roughness: f64,
    /// How often cells are made even: the more, the more alike are the grains' sizes.
    pub evenness: u32,
    pub seed: u64,
}

#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum PackingError {
    #[error("a sample needs grains and a box with an area")]
    Empty,
    #[error("grains of this shape cannot fill {wanted:.3} of the box without contact; at most {most:.3}")]
    TooDense { wanted: f64, most: f64 },
    #[error("the cells of the grains could not be found")]
    Cells,
    #[error(transparent)]
    Outline(#[from] OutlineError),
}

/// Points of an outline that is made.
const POINTS: usize = 180;
/// Between grains, and to walls, of a cell's radius: they do not touch.
const CLEARANCE: f64 = 0.02;

/// Outlines of grains, one in each cell.
pub fn sand(sand: &Sand) -> Result<Vec<Outline>, PackingError> {
    if sand.count == 0 || !(sand.size.min_element() > 0.0 && sand.size.is_finite() && sand.solid > 0.0) {
        return Err(PackingError::Empty);
    }
    let mut rng = Rng::new(sand.seed);
    let mut seeds: Vec<DVec2> =
        (0..sand.count).map(|_| sand.size * DVec2::new(rng.range(0.0, 1.0), rng.range(0.0, 1.0))).collect();
    let mut cells = voronoi(&seeds, sand.size).ok_or(PackingError::Cells)?;
    for _ in 0..sand.evenness {
        seeds = cells.iter().map(|c| centroid(c)).collect();
        cells = voronoi(&seeds, sand.size).ok_or(PackingError::Cells)?;
    }
    // Radius in every direction of the wanted shape, as large as it fits, and of the cell.
    let shapes: Vec<Shape> = cells.iter().map(|cell| Shape::new(cell, sand, &mut rng)).collect();
    let wanted = sand.solid * sand.size.x * sand.size.y;
    let area = |fullness: f64| shapes.iter().map(|s| s.area(fullness)).sum::<f64>();
    // From 0, a dot, over 1, the wanted shape, to 2, the whole cell.
    let most = area(2.0);
    if wanted > most {
        return Err(PackingError::TooDense { wanted: sand.solid, most: sand.solid * most / wanted });
    }
    let (mut low, mut high) = (0.0, 2.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if area(middle) < wanted { low = middle } else { high = middle }
    }
    shapes.iter().map(|s| Ok(Outline::new(&s.points(high))?)).collect()
}

struct Shape {
    centre: DVec2,
    own: Vec<f64>,
    cell: Vec<f64>,
}

fn direction(k: usize) -> DVec2 {
    DVec2::from_angle(TAU * k as f64 / POINTS as f64)
}

impl Shape {
    fn new(cell: &[DVec2], sand: &Sand, rng: &mut Rng) -> Self {
        let centre = centroid(cell);
        let reach: Vec<f64> =
            (0..POINTS).map(|k| (1.0 - CLEARANCE) * ray(cell, centre, direction(k))).collect();
        // A long grain lies along its cell.
        let (mut c2, mut s2) = (0.0, 0.0);
        for (k, r) in reach.iter().enumerate() {
            let (s, c) = (2.0 * TAU * k as f64 / POINTS as f64).sin_cos();
            (c2, s2) = (c2 + r * c, s2 + r * s);
        }
        let along = -f64::atan2(s2, c2);
        let mut descriptors = vec![(2, sand.elongation, along)];
        for n in 3..20 {
            let from = if n < 8 { (3, sand.angularity) } else { (8, sand.roughness) };
            let fall = (f64::from(from.0) / f64::from(n)).powi(2);
            descriptors.push((n, from.1 * fall, rng.range(0.0, TAU)));
        }
        let radius = |k: usize| {
            let angle = TAU * k as f64 / POINTS as f64;
            let waves: f64 =
                descriptors.iter().map(|(n, d, phase)| d * (f64::from(*n) * angle + phase).cos()).sum();
            (1.0 + waves).max(0.1)
        };
        let own: Vec<f64> = (0..POINTS).map(radius).collect();
        let fits = own.iter().zip(&reach).map(|(r, room)| room / r).fold(f64::INFINITY, f64::min);
        Shape { centre, own: own.iter().map(|r| fits * r).collect(), cell: rounded(&reach) }
    }

    fn radius(&self, k: usize, fullness: f64) -> f64 {
        let blend = (fullness - 1.0).max(0.0);
        fullness.min(1.0) * ((1.0 - blend) * self.own[k] + blend * self.cell[k].max(self.own[k]))
    }

    fn points(&self, fullness: f64) -> Vec<DVec2> {
        (0..POINTS).map(|k| self.centre + self.radius(k, fullness) * direction(k)).collect()
    }

    fn area(&self, fullness: f64) -> f64 {
        let points = self.points(fullness);
        (0..POINTS)
            .map(|k| 0.5 * (points[k] - self.centre).perp_dot(points[(k + 1) % POINTS] - self.centre))
            .sum()
    }
}

/// The cell without its corners: the mean over some directions, nowhere beyond the cell.
fn rounded(reach: &[f64]) -> Vec<f64> {
    let width = POINTS as i64 / 24;
    let mean = |k: i64| -> f64 {
        let around = (-width..=width).map(|d| reach[(k + d).rem_euclid(POINTS as i64) as usize]);
        around.sum::<f64>() / (2 * width + 1) as f64
    };
    reach.iter().zip(0..).map(|(room, k)| mean(k).min(*room)).collect()
}

fn centroid(polygon: &[DVec2]) -> DVec2 {
    let origin = polygon[0];
    let mut sum = DVec2::ZERO;
    let mut area = 0.0;
    for k in 1..polygon.len() - 1 {
        let (a, b) = (polygon[k] - origin, polygon[k + 1] - origin);
        let twice = a.perp_dot(b);
        sum += twice * (a + b) / 3.0;
        area += twice;
    }
    origin + sum / area
}

/// How far a convex polygon reaches from a point inside.
fn ray(polygon: &[DVec2], from: DVec2, direction: DVec2) -> f64 {
    let n = polygon.len();
    (0..n)
        .filter_map(|k| {
            let (a, b) = (polygon[k], polygon[(k + 1) % n]);
            let outwards = -(b - a).perp();
            let speed = outwards.dot(direction);
            (speed > 0.0).then(|| outwards.dot(a - from) / speed)
        })
        .fold(f64::INFINITY, f64::min)
}

/// Cells within the box, counterclockwise: seeds are mirrored at its sides, so that these are sides of cells.
fn voronoi(seeds: &[DVec2], size: DVec2) -> Option<Vec<Vec<DVec2>>> {
    let mut all = DelaunayTriangulation::<Point2<f64>>::new();
    let mut handles = Vec::with_capacity(seeds.len());
    for x in seeds {
        handles.push(all.insert(Point2::new(x.x, x.y)).ok()?);
    }
    for x in seeds {
        for mirrored in [
            DVec2::new(-x.x, x.y),
            DVec2::new(2.0 * size.x - x.x, x.y),
            DVec2::new(x.x, -x.y),
            DVec2::new(x.x, 2.0 * size.y - x.y),
        ] {
            all.insert(Point2::new(mirrored.x, mirrored.y)).ok()?;
        }
    }
    handles
        .into_iter()
        .map(|handle| {
            let middle = all.vertex(handle).position();
            let middle = DVec2::new(middle.x, middle.y);
            let mut corners = Vec::new();
            for edge in all.vertex(handle).out_edges() {
                let centre = edge.face().as_inner()?.circumcenter();
                corners.push(DVec2::new(centre.x, centre.y));
            }
            corners.sort_by(|a, b| (*a - middle).to_angle().total_cmp(&(*b - middle).to_angle()));
            corners.dedup_by(|a, b| a.distance(*b) < 1e-9 * size.max_element());
            (corners.len() >= 3).then_some(corners)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some(solid: f64) -> Sand {
        Sand {
            count: 60,
            size: DVec2::new(100.0, 80.0),
            solid,
            elongation: 0.1,
            angularity: 0.05,
            roughness: 0.01,
            evenness: 3,
            seed: 7,
        }
    }

    #[test]
    fn grains_fill_what_they_should_and_touch_nobody() {
        for solid in [0.3, 0.6, 0.8] {
            let outlines = sand(&some(solid)).unwrap();
            assert_eq!(outlines.len(), 60);
            let area: f64 = outlines.iter().map(|o| o.area()).sum();
            assert!((area / 8000.0 / solid - 1.0).abs() < 1e-9, "{area}");
            for (k, a) in outlines.iter().enumerate() {
                for x in a.points() {
                    assert!(x.cmpgt(DVec2::ZERO).all() && x.cmplt(DVec2::new(100.0, 80.0)).all());
                    assert!(
                        outlines.iter().enumerate().all(|(j, b)| j == k || !b.holds(*x)),
                        "{k} is in another"
                    );
                }
            }
        }
    }

    #[test]
    fn too_much_sand_and_none_are_refused() {
        assert!(matches!(sand(&some(0.99)), Err(PackingError::TooDense { .. })));
        assert_eq!(sand(&Sand { count: 0, ..some(0.5) }), Err(PackingError::Empty));
        assert_eq!(sand(&Sand { size: DVec2::new(0.0, 1.0), ..some(0.5) }), Err(PackingError::Empty));
    }

    #[test]
    fn evenness_makes_sizes_alike() {
        let spread = |evenness| {
            let areas: Vec<f64> =
                sand(&Sand { evenness, ..some(0.5) }).unwrap().iter().map(|o| o.area()).collect();
            let mean = areas.iter().sum::<f64>() / 60.0;
            (areas.iter().map(|a| (a - mean).powi(2)).sum::<f64>() / 60.0).sqrt() / mean
        };
        assert!(spread(20) < 0.7 * spread(1), "{} {}", spread(20), spread(1));
    }
}
