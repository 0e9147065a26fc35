//! Drawings of walls: polygons, lines and vertices.

use std::f64::consts::TAU;

use glam::DVec3;

/// Vertices of a circle.
pub const VERTICES: u32 = 64;

/// Points, and the cells between them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Drawing {
    pub points: Vec<DVec3>,
    /// Each cell as the indices of its points.
    pub vertices: Vec<Vec<u32>>,
    pub lines: Vec<Vec<u32>>,
    pub polygons: Vec<Vec<u32>>,
}

/// A sphere around everything that is drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BoundingSphere {
    pub centre: DVec3,
    pub radius: f64,
}

impl Drawing {
    fn add(&mut self, points: impl IntoIterator<Item = DVec3>) -> std::ops::Range<u32> {
        let first = self.points.len() as u32;
        self.points.extend(points);
        first..self.points.len() as u32
    }

    pub fn vertex(&mut self, point: DVec3) {
        let cell = self.add([point]).collect();
        self.vertices.push(cell);
    }

    pub fn line(&mut self, points: impl IntoIterator<Item = DVec3>) {
        let cell = self.add(points).collect();
        self.lines.push(cell);
    }

    /// A line that ends where it starts.
    pub fn closed_line(&mut self, points: impl IntoIterator<Item = DVec3>) {
        let points = self.add(points);
        let first = points.start;
        self.lines.push(points.chain([first]).collect());
    }

    pub fn polygon(&mut self, points: impl IntoIterator<Item = DVec3>) {
        let cell = self.add(points).collect();
        self.polygons.push(cell);
    }

    /// A parallelogram: `centre` +- `u` +- `v`.
    pub fn quad(&mut self, centre: DVec3, u: DVec3, v: DVec3) {
        self.polygon([centre - u - v, centre + u - v, centre + u + v, centre - u + v]);
    }

    /// The surface between two [`circle`]s about one axis.
    pub fn band(&mut self, a: impl Iterator<Item = DVec3>, b: impl Iterator<Item = DVec3>) {
        let first = self.add(a).start;
        self.add(b);
        for k in 0..VERTICES {
            let next = (k + 1) % VERTICES;
            let cell = [k, next, VERTICES + next, VERTICES + k].map(|c| first + c);
            self.polygons.push(cell.to_vec());
        }
    }
}

/// A circle, as a polygon of [`VERTICES`] vertices.
pub fn circle(centre: DVec3, axis: DVec3, radius: f64) -> impl Iterator<Item = DVec3> {
    let (u, v) = axis.any_orthonormal_pair();
    (0..VERTICES).map(move |k| {
        let (sine, cosine) = (TAU * f64::from(k) / f64::from(VERTICES)).sin_cos();
        centre + radius * (cosine * u + sine * v)
    })
}
