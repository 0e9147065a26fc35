//! The walls of a frame as VTP: cells with `colour` (red, green, blue), `opacity` and `wall` (its number in the frame).
//!
//! What has no end is cut to the extent of the grains and of the other walls. Rings and lines are drawn as lines, points as
//! vertices.

use std::{
    f64::consts::TAU,
    io::{self, Write},
};

use glam::DVec3;

use super::vtp::{Cells, PolyData, array};
use crate::frame::{FrameData, FrameSurface};

/// Corners of a circle.
const CORNERS: i64 = 64;

/// Cells of all walls, and whose they are.
#[derive(Default)]
struct Drawing {
    points: Vec<DVec3>,
    /// Vertices, lines and polygons.
    cells: [Cells; 3],
    owner: [Vec<u32>; 3],
}

const VERTEX: usize = 0;
const LINE: usize = 1;
const POLYGON: usize = 2;

/// A ball that holds what is seen.
struct Extent {
    centre: DVec3,
    radius: f64,
}

impl Drawing {
    fn cell(&mut self, kind: usize, wall: u32, corners: impl IntoIterator<Item = i64>) {
        self.cells[kind].push(corners);
        self.owner[kind].push(wall);
    }

    fn add(&mut self, wall: u32, kind: usize, points: impl IntoIterator<Item = DVec3>) {
        let first = self.points.len() as i64;
        self.points.extend(points);
        self.cell(kind, wall, first..self.points.len() as i64);
    }

    /// The surface between two circles about one axis.
    fn band(&mut self, wall: u32, a: impl Iterator<Item = DVec3>, b: impl Iterator<Item = DVec3>) {
        let first = self.points.len() as i64;
        self.points.extend(a);
        self.points.extend(b);
        for k in 0..CORNERS {
            let next = (k + 1) % CORNERS;
            self.cell(POLYGON, wall, [k, next, CORNERS + next, CORNERS + k].map(|c| first + c));
        }
    }

    fn quad(&mut self, wall: u32, centre: DVec3, u: DVec3, v: DVec3) {
        self.add(wall, POLYGON, [centre - u - v, centre + u - v, centre + u + v, centre - u + v]);
    }

    fn surface(&mut self, wall: u32, surface: &FrameSurface, extent: &Extent) {
        let vector = DVec3::from_array;
        match *surface {
            FrameSurface::Plane { point, normal } => {
                let normal = vector(normal);
                let (u, v) = normal.any_orthonormal_pair();
                let centre = extent.centre - (extent.centre - vector(point)).dot(normal) * normal;
                self.quad(wall, centre, extent.radius * u, extent.radius * v);
            }
            FrameSurface::Disk { centre, normal, radius, hole } => {
                let (centre, normal) = (vector(centre), vector(normal));
                if hole > 0.0 {
                    self.band(wall, circle(centre, normal, radius), circle(centre, normal, hole));
                } else {
                    self.add(wall, POLYGON, circle(centre, normal, radius));
                }
            }
            FrameSurface::Rectangle { centre, half_u, half_v } => {
                self.quad(wall, vector(centre), vector(half_u), vector(half_v));
            }
            FrameSurface::Box { centre, halves } => {
                let (centre, [x, y, z]) = (vector(centre), halves.map(vector));
                for (out, u, v) in [(x, y, z), (y, z, x), (z, x, y)] {
                    self.quad(wall, centre - out, u, v);
                    self.quad(wall, centre + out, u, v);
                }
            }
            FrameSurface::Cylinder { centre, axis, radius, length } => {
                let (centre, axis) = (vector(centre), vector(axis));
                let (middle, half) = match length {
                    Some(length) => (centre, 0.5 * length),
                    None => (centre + (extent.centre - centre).dot(axis) * axis, extent.radius),
                };
                let ends = [middle - half * axis, middle + half * axis];
                match (radius > 0.0, half > 0.0) {
                    (true, true) => {
                        let [a, b] = ends.map(|end| circle(end, axis, radius));
                        self.band(wall, a, b);
                    }
                    (true, false) => {
                        let first = self.points.len() as i64;
                        self.points.extend(circle(middle, axis, radius));
                        self.cell(LINE, wall, (0..=CORNERS).map(|k| first + k % CORNERS));
                    }
                    (false, true) => self.add(wall, LINE, ends),
                    (false, false) => self.add(wall, VERTEX, [middle]),
                }
            }
        }
    }
}

fn circle(centre: DVec3, axis: DVec3, radius: f64) -> impl Iterator<Item = DVec3> {
    let (u, v) = axis.any_orthonormal_pair();
    (0..CORNERS).map(move |k| {
        let (sine, cosine) = (TAU * k as f64 / CORNERS as f64).sin_cos();
        centre + radius * (cosine * u + sine * v)
    })
}

fn is_finite(surface: &FrameSurface) -> bool {
    !matches!(surface, FrameSurface::Plane { .. } | FrameSurface::Cylinder { length: None, .. })
}

/// Around the grains and what is drawn already.
fn extent(frame: &FrameData, drawn: &[DVec3]) -> Extent {
    let grains = frame.position.iter().zip(&frame.radius).flat_map(|(x, r)| [*x - *r, *x + *r]);
    let nodes = frame.deformable.iter().flat_map(|n| &n.position).map(|x| x.extend(0.0));
    let all = || grains.clone().chain(nodes.clone()).chain(drawn.iter().copied());
    match (all().reduce(DVec3::min), all().reduce(DVec3::max)) {
        (Some(low), Some(high)) => Extent { centre: 0.5 * (low + high), radius: 0.5 * low.distance(high) },
        _ => Extent { centre: DVec3::ZERO, radius: 1.0 },
    }
}

pub(super) fn write(out: &mut dyn Write, frame: &FrameData) -> io::Result<()> {
    let walls = &frame.about.walls;
    let mut drawing = Drawing::default();
    // First what has ends: the others are cut to it.
    for finite in [true, false] {
        let extent = extent(frame, &drawing.points);
        for (k, wall) in (0..).zip(walls).filter(|(_, w)| is_finite(&w.surface) == finite) {
            drawing.surface(k, &wall.surface, &extent);
        }
    }
    let owner = drawing.owner.concat();
    let of = |k: &u32| &walls[*k as usize];
    let colour: Vec<[u8; 3]> = owner.iter().map(|k| of(k).colour).collect();
    let opacity: Vec<f64> = owner.iter().map(|k| 1.0 - of(k).transparency).collect();
    let [vertices, lines, polygons] = drawing.cells;
    PolyData {
        time: frame.time,
        points: drawing.points,
        vertices,
        lines,
        polygons,
        point_data: Vec::new(),
        cell_data: vec![
            array("colour", "UInt8", 3, &colour),
            array("opacity", "Float64", 1, &opacity),
            array("wall", "UInt32", 1, &owner),
        ],
    }
    .write(out)
}
