//! Surfaces from nothing: a sphere of nearly equal triangles whose points are moved along their own directions. What comes out
//! is closed, outward, and cannot cross itself.

use glam::DVec3;
use rubblepile_core::Rng;

use super::Mesh;

/// Depth over diameter of a fresh crater, and height of its rim over its depth.
const CRATER_DEPTH: f64 = 0.15;
const CRATER_RIM: f64 = 0.2;
/// Height of a boulder over its radius.
const BOULDER_HEIGHT: f64 = 0.8;
/// Bumps of half the size are lower by 2^-0.9: rough ground of asteroids is nearly self-similar.
const HURST: f64 = 0.9;
const OCTAVES: u32 = 8;

/// The smooth form.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Form {
    /// Semi-axes along x, y and z, m. A sphere has equal ones.
    Ellipsoid { axes: DVec3 },
    /// A spinning top: radius at the equator and at the poles, m, and how sharp the ridge is, from 0 (an ellipsoid) to 1
    /// (a double cone).
    Top { equator: f64, pole: f64, ridge: f64 },
}

/// What is put on it.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Relief {
    /// Craters, of radii between these (m), with numbers falling as the square of the size.
    pub craters: u32,
    pub crater_radius: [f64; 2],
    pub boulders: u32,
    pub boulder_radius: [f64; 2],
    /// Root mean square height of the roughness, m.
    pub roughness: f64,
}

/// The number of parts that each edge of an icosahedron is cut into for at least so many facets.
pub fn frequency(facets: usize) -> usize {
    ((facets as f64 / 20.0).sqrt().ceil() as usize).max(1)
}

/// A body of about `facets` triangles (the next number of the form 20 f^2).
pub fn body(form: Form, relief: &Relief, facets: usize, seed: u64) -> Mesh {
    let Mesh { vertices, triangles } = geodesic(frequency(facets));
    let ground = Ground::new(form, relief, seed);
    let vertices = vertices.into_iter().map(|u| ground.radius(u) * u).collect();
    Mesh { vertices, triangles }
}

/// A block whose top, a square of this half width about the z axis, has a height over each of its `cells`^2 cells' corners (two
/// triangles each); below it is a pyramid down to `tip`. For tests and measurements.
pub fn terrain(half: f64, cells: u32, tip: f64, height: impl Fn(f64, f64) -> f64) -> Mesh {
    let n = cells;
    let mut mesh = Mesh::default();
    let at = |i: u32, j: u32| i * (n + 1) + j;
    let place = |k: u32| half * (2.0 * f64::from(k) / f64::from(n) - 1.0);
    for (x, i) in (0..=n).map(|i| (place(i), i)) {
        mesh.vertices.extend((0..=n).map(|j| DVec3::new(x, place(j), height(x, place(j)))));
        if i < n {
            let cell = |j: u32| [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            mesh.triangles.extend((0..n).map(cell).flat_map(|[a, b, c, d]| [[a, b, c], [a, c, d]]));
        }
    }
    let bottom = mesh.vertices.len() as u32;
    mesh.vertices.push(DVec3::new(0.0, 0.0, tip));
    for k in 0..n {
        let rim = [
            [at(k + 1, 0), at(k, 0)],
            [at(n, k + 1), at(n, k)],
            [at(k, n), at(k + 1, n)],
            [at(0, k), at(0, k + 1)],
        ];
        mesh.triangles.extend(rim.map(|[a, b]| [a, b, bottom]));
    }
    mesh
}

/// A block about the origin, each of its faces cut into `parts`^2 squares of two triangles. For tests and measurements.
pub fn block(half: DVec3, parts: usize) -> Mesh {
    let mut mesh = Mesh::default();
    let mut known = std::collections::HashMap::new();
    for axis in 0..3 {
        for side in [-1.0, 1.0] {
            let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
            let mut corner = |i: usize, j: usize| {
                let mut key = [0i64; 3];
                let whole = parts as i64;
                key[axis] = if side > 0.0 { whole } else { -whole };
                (key[u], key[v]) = (2 * i as i64 - whole, 2 * j as i64 - whole);
                *known.entry(key).or_insert_with(|| {
                    let x = DVec3::from_array(key.map(|k| k as f64)) / parts as f64;
                    mesh.vertices.push(half * x);
                    mesh.vertices.len() as u32 - 1
                })
            };
            let mut squares = Vec::new();
            for i in 0..parts {
                for j in 0..parts {
                    squares.push([corner(i, j), corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1)]);
                }
            }
            for [a, b, c, d] in squares {
                let triangles = if side > 0.0 { [[a, b, c], [a, c, d]] } else { [[a, c, b], [a, d, c]] };
                mesh.triangles.extend(triangles);
            }
        }
    }
    mesh
}

/// Points of the unit sphere: each face of an icosahedron cut into `parts`^2 triangles.
pub fn geodesic(parts: usize) -> Mesh {
    let golden = (1.0 + 5f64.sqrt()) / 2.0;
    let mut corners = Vec::new();
    for (a, b) in [(1.0, 1.0), (-1.0, 1.0), (1.0, -1.0), (-1.0, -1.0)] {
        let (one, long) = (a, b * golden);
        corners.extend([DVec3::new(0.0, one, long), DVec3::new(one, long, 0.0), DVec3::new(long, 0.0, one)]);
    }
    // Faces: all triples of corners that are neighbours (2 apart), outwards.
    let near = |i: usize, j: usize| (corners[i].distance(corners[j]) - 2.0).abs() < 1e-9;
    let mut faces = Vec::new();
    for i in 0..12 {
        for j in i + 1..12 {
            for k in j + 1..12 {
                if near(i, j) && near(j, k) && near(i, k) {
                    let out = corners[i].dot(corners[j].cross(corners[k])) > 0.0;
                    faces.push(if out { [i, j, k] } else { [i, k, j] });
                }
            }
        }
    }
    let mut mesh = Mesh::default();
    // A point by the weights of the corners that it lies between: shared ones are the same point.
    let mut known = std::collections::HashMap::new();
    let f = parts;
    for face in faces {
        let mut point = |i: usize, j: usize| {
            let weights = [(face[0], f - i - j), (face[1], i), (face[2], j)];
            let mut key: Vec<(usize, usize)> = weights.into_iter().filter(|w| w.1 > 0).collect();
            key.sort_unstable();
            *known.entry(key).or_insert_with_key(|key| {
                let sum: DVec3 = key.iter().map(|&(c, w)| w as f64 * corners[c]).sum();
                mesh.vertices.push(sum.normalize());
                mesh.vertices.len() as u32 - 1
            })
        };
        let mut triangles = Vec::with_capacity(f * f);
        for i in 0..f {
            for j in 0..f - i {
                triangles.push([point(i, j), point(i + 1, j), point(i, j + 1)]);
                if i + j + 1 < f {
                    triangles.push([point(i + 1, j), point(i + 1, j + 1), point(i, j + 1)]);
                }
            }
        }
        mesh.triangles.extend(triangles);
    }
    mesh
}

/// A form with its relief.
struct Ground {
    form: Form,
    /// Direction of the middle, radius.
    craters: Vec<(DVec3, f64)>,
    boulders: Vec<(DVec3, f64)>,
    roughness: f64,
    /// Mean radius: waves of the roughness are as long as that, and shorter.
    size: f64,
    seed: u64,
}

impl Ground {
    fn new(form: Form, relief: &Relief, seed: u64) -> Self {
        let spots = |name: &str, count: u32, [small, large]: [f64; 2]| {
            let mut rng = Rng::stream(seed, name);
            (0..count)
                .map(|_| {
                    let direction = rng.direction();
                    // Numbers above a size fall as its square: 1/r^2 is even between its ends.
                    let inverse = rng.range(large.powi(-2), small.powi(-2));
                    (direction, inverse.sqrt().recip())
                })
                .collect()
        };
        let size = match form {
            Form::Ellipsoid { axes } => (axes.x * axes.y * axes.z).cbrt(),
            Form::Top { equator, pole, .. } => (equator * equator * pole).cbrt(),
        };
        Ground {
            form,
            craters: spots("craters", relief.craters, relief.crater_radius),
            boulders: spots("boulders", relief.boulders, relief.boulder_radius),
            roughness: relief.roughness,
            size,
            seed,
        }
    }

    fn radius(&self, u: DVec3) -> f64 {
        let smooth = self.smooth(u);
        let mut height = self.roughness * noise(u, self.seed);
        for &(v, radius) in &self.craters {
            height += crater(smooth * u.angle_between(v), radius);
        }
        for &(v, radius) in &self.boulders {
            let t = smooth * u.angle_between(v) / radius;
            if t < 1.0 {
                height = height.max(BOULDER_HEIGHT * radius * (1.0 - t * t).sqrt());
            }
        }
        // However wild the wishes, the middle stays inside.
        smooth + height.max(-0.5 * self.size)
    }

    fn smooth(&self, u: DVec3) -> f64 {
        match self.form {
            Form::Ellipsoid { axes } => (u / axes).length().recip(),
            Form::Top { equator, pole, ridge } => {
                // |rho / a|^p + |z / c|^p = 1: p = 2 is an ellipsoid, p = 1 a double cone.
                let p = 2.0 - ridge;
                let (rho, z) = (u.x.hypot(u.y) / equator, u.z.abs() / pole);
                (rho.powf(p) + z.powf(p)).powf(-1.0 / p)
            }
        }
    }
}

/// A bowl with a rim that falls off outside.
fn crater(distance: f64, radius: f64) -> f64 {
    let (t, depth) = (distance / radius, 2.0 * CRATER_DEPTH * radius);
    let rim = CRATER_RIM * depth;
    if t < 1.0 { rim - (depth + rim) * (1.0 - t * t) } else { rim * (-4.0 * (t - 1.0)).exp() }
}

/// Roughness of unit variance: waves over the sphere, ever shorter and lower.
fn noise(u: DVec3, seed: u64) -> f64 {
    let (mut sum, mut squares) = (0.0, 0.0);
    for octave in 0..OCTAVES {
        let (scale, height) = (2f64.powi(octave as i32 + 1), 2f64.powf(-HURST * f64::from(octave)));
        sum += height * smooth_noise(scale * u, seed ^ u64::from(octave).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        squares += height * height;
    }
    // Values even in [-1, 1] have a mean square of 1/3, and a smooth step between two of them leaves 26/35 of it, in each
    // direction.
    sum / ((26.0f64 / 35.0).powi(3) / 3.0 * squares).sqrt()
}

/// Random values between -1 and 1 at whole numbers, and smooth steps in between.
fn smooth_noise(x: DVec3, seed: u64) -> f64 {
    let (cell, t) = (x.floor(), x - x.floor());
    let t = t * t * (3.0 - 2.0 * t);
    let value = |dx: f64, dy: f64, dz: f64| lattice(cell + DVec3::new(dx, dy, dz), seed);
    let mix = |a: f64, b: f64, t: f64| a + (b - a) * t;
    let row = |dy: f64, dz: f64| mix(value(0.0, dy, dz), value(1.0, dy, dz), t.x);
    mix(mix(row(0.0, 0.0), row(1.0, 0.0), t.y), mix(row(0.0, 1.0), row(1.0, 1.0), t.y), t.z)
}

fn lattice(x: DVec3, seed: u64) -> f64 {
    // Mixed by multiplication and shifts (as splitmix64 does).
    let mut h = seed;
    for c in x.to_array() {
        h = (h ^ (c as i64 as u64)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        h = (h ^ (h >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        h ^= h >> 27;
    }
    (h >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}
