//! The gravity of a homogeneous polyhedron of many facets, within a relative error.
//!
//! Each facet is a layer. With n its normal and p any point of its plane,
//!
//! ```text
//! a(x) = -G rho sum_f n_f phi_f(x)      U(x) = (G rho / 2) (sum_f (n_f . p_f) phi_f(x) + x . a / (G rho))
//! phi_f(x) = integral over the facet of dS / |x - y|
//! ```
//!
//! which is eqs (7)-(12) of asteroid-surface-2024 before the edges of neighbouring facets are put together. All four sums are of
//! 1 / r with a strength that is constant on a facet, so groups of facets have moments (`harmonics.rs`), exact and shifted up a
//! tree that halves the facets again and again. A walk (`walk.rs`) takes for each group the lowest order that its norms allow, or
//! opens it; facets of open leaves are taken by their own moments, or exactly (`layer.rs`).
//!
//! Inside, the body has its middle at the origin and a size near one, by a power of two: its scale and place do not matter.
//!
//! Not here: the gradient of the acceleration and the Laplacian, which the exact sum has.

use glam::DVec3;
use rayon::prelude::*;
use rubblepile_core::simd::{LANES, dispatch};

use super::{
    Polyhedron,
    harmonics::{DEGREE, Integrate, Moments, ORDER, STRENGTHS, Shift, TERMS, norms, pack, rule},
    layer::Layer,
    walk::{SHARE, ValidityRadii, Walker, reach},
};

/// Facets of a leaf, at most.
const LEAF: usize = 16;

/// Groups keep moments of as many degrees as are needed at this many radii.
const OPENED: f64 = 2.0;

/// The highest order of a facet's own expansion.
pub const FACET_ORDER: usize = 4;
/// Numbers of a facet's moments.
pub const FACET_TERMS: usize = (FACET_ORDER + 1) * (FACET_ORDER + 1);
/// Points are taken so many at a time.
const GROUP: usize = LANES;

/// A group of facets. Its first half follows it in the list; its second is `second`, none for a leaf.
#[derive(Debug, Clone, Copy)]
pub struct FacetGroup {
    pub centre: DVec3,
    pub radius: f64,
    pub reach: ValidityRadii<{ ORDER + 1 }>,
    /// Degrees kept.
    pub order: u32,
    pub second: u32,
    pub facets: [u32; 2],
    pub moments: usize,
}

/// A facet with its own expansion about its middle.
#[derive(Debug, Clone)]
pub struct FacetExpansion {
    pub centre: DVec3,
    pub reach: ValidityRadii<{ FACET_ORDER + 1 }>,
    /// Normal, and distance of the plane from the middle of the body.
    pub strengths: [f64; STRENGTHS],
    pub moments: [f64; FACET_TERMS],
}

/// A polyhedron whose far facets are taken in groups.
#[derive(Debug, Clone)]
pub struct PolyhedronTree {
    pub(super) nodes: Vec<FacetGroup>,
    pub(super) moments: Vec<f64>,
    pub(super) patches: Vec<FacetExpansion>,
    pub(super) layers: Vec<Layer>,
    /// Of the scaled body.
    pub(super) volume: f64,
    pub(super) share: f64,
    /// For which reaches are kept.
    pub(super) tolerance: f64,
    middle: DVec3,
    /// m, a power of two.
    scale: f64,
}

impl PolyhedronTree {
    /// `target` is the relative error of the acceleration that is not to be passed.
    pub fn new(body: &Polyhedron, target: f64) -> Self {
        let (low, high) = body
            .vertices
            .iter()
            .fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), v| (low.min(*v), high.max(*v)));
        let middle = 0.5 * (low + high);
        let scale = (0.5 * (high - low).length()).log2().round().exp2();
        let vertices: Vec<DVec3> = body.vertices.iter().map(|v| (*v - middle) / scale).collect();
        let mut corners: Vec<[DVec3; 3]> =
            body.facets.iter().map(|f| f.corners.map(|c| vertices[c as usize])).collect();
        let centres: Vec<DVec3> = corners.iter().map(|[a, b, c]| (a + b + c) / 3.0).collect();
        let order = order(&centres, LEAF);
        corners = order.iter().map(|&k| corners[k as usize]).collect();
        let volume = corners.iter().map(|[a, b, c]| a.dot(b.cross(*c))).sum::<f64>() / 6.0;
        let share = SHARE * target;
        let tolerance = share * volume;
        let layers: Vec<Layer> = corners.par_iter().map(|&corners| Layer::new(corners)).collect();
        let patches: Vec<FacetExpansion> = {
            let rule = rule(FACET_ORDER + 3);
            let blocks: Vec<Vec<FacetExpansion>> =
                corners.par_chunks(LANES).map(|corners| patches(corners, &rule, tolerance)).collect();
            blocks.into_iter().flatten().collect()
        };
        let build = Build { corners: &corners, patches: &patches, rule: rule(DEGREE + 1), tolerance };
        let Branch { mut nodes, moments, .. } = build.branch(0, corners.len(), true);
        let mut start = 0;
        for (node, moments) in nodes.iter_mut().zip(&moments) {
            node.moments = start;
            start += moments.len();
        }
        let moments = moments.concat();
        PolyhedronTree { nodes, moments, patches, layers, volume, share, tolerance, middle, scale }
    }

    pub fn facets(&self) -> usize {
        self.layers.len()
    }

    /// The acceleration at points, for G times density 1, m.
    pub fn accelerations(&self, points: &[DVec3]) -> Vec<DVec3> {
        self.fields::<3>(points).iter().map(|f| self.scale * -DVec3::new(f[0], f[1], f[2])).collect()
    }

    /// The potential (positive, m^2) and the acceleration (m) at points, for G times density 1.
    pub fn potentials(&self, points: &[DVec3]) -> Vec<(f64, DVec3)> {
        let fields = self.fields::<4>(points);
        fields
            .iter()
            .zip(points)
            .map(|(f, x)| {
                let a = -DVec3::new(f[0], f[1], f[2]);
                let x = (*x - self.middle) / self.scale;
                (0.5 * self.scale * self.scale * (f[3] + x.dot(a)), self.scale * a)
            })
            .collect()
    }

    /// The sums of the first `N` strengths times phi, of the scaled body.
    fn fields<const N: usize>(&self, points: &[DVec3]) -> Vec<[f64; N]> {
        let scaled: Vec<DVec3> = points.iter().map(|x| (*x - self.middle) / self.scale).collect();
        let order = order(&scaled, GROUP);
        let groups: Vec<[[f64; LANES]; N]> = order
            .par_chunks(GROUP)
            .map_init(Walker::default, |walker, rows| {
                let last = rows[rows.len() - 1];
                let points: [DVec3; LANES] =
                    std::array::from_fn(|k| scaled[*rows.get(k).unwrap_or(&last) as usize]);
                walker.fields(self, &points)
            })
            .collect();
        let mut out = vec![[0.0; N]; points.len()];
        for (rows, group) in order.chunks(GROUP).zip(&groups) {
            for (lane, row) in rows.iter().enumerate() {
                out[*row as usize] = group.map(|field| field[lane]);
            }
        }
        out
    }
}

/// The facets as expansions of their own.
fn patches(corners: &[[DVec3; 3]], rule: &[[f64; 3]], tolerance: f64) -> Vec<FacetExpansion> {
    let centres: Vec<DVec3> = corners.iter().map(|[a, b, c]| (a + b + c) / 3.0).collect();
    let around: Vec<[DVec3; 3]> = corners.iter().zip(&centres).map(|(c, m)| c.map(|x| x - *m)).collect();
    let integrals = dispatch(Integrate { corners: &around, degree: FACET_ORDER + 2, rule });
    (0..corners.len())
        .map(|lane| {
            // As strengths of one component only.
            let moments: Moments =
                integrals.iter().map(|[re, im]| [re[lane], 0.0, 0.0, 0.0, im[lane], 0.0, 0.0, 0.0]).collect();
            let normal = normal(&corners[lane]);
            let radius = around[lane].iter().map(|c| c.length()).fold(0.0, f64::max);
            let mut packed = Vec::with_capacity(FACET_TERMS);
            pack::<1>(&moments, FACET_ORDER, &mut packed);
            FacetExpansion {
                centre: centres[lane],
                reach: reach(&norms(&moments), FACET_ORDER, radius, tolerance),
                strengths: [normal.x, normal.y, normal.z, normal.dot(centres[lane])],
                moments: std::array::from_fn(|k| packed[k]),
            }
        })
        .collect()
}

fn normal([a, b, c]: &[DVec3; 3]) -> DVec3 {
    (b - a).cross(c - a).normalize()
}

struct Build<'a> {
    corners: &'a [[DVec3; 3]],
    patches: &'a [FacetExpansion],
    rule: Vec<[f64; 3]>,
    tolerance: f64,
}

/// A part of the tree, with the places of its nodes counted from its own start, the moments that each keeps, and all of its root.
struct Branch {
    nodes: Vec<FacetGroup>,
    moments: Vec<Vec<f64>>,
    top: Moments,
}

/// Below this many facets a half is not given to another thread.
const SERIAL: usize = 512;

impl Build<'_> {
    fn branch(&self, start: usize, end: usize, whole: bool) -> Branch {
        let corners = &self.corners[start..end];
        let (low, high) = corners
            .as_flattened()
            .iter()
            .fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), v| (low.min(*v), high.max(*v)));
        let centre = 0.5 * (low + high);
        let radius = corners.as_flattened().iter().map(|v| v.distance(centre)).fold(0.0, f64::max);
        let mut top: Moments = vec![[0.0; 2 * STRENGTHS]; TERMS];
        let mut halves = None;
        if end - start <= LEAF {
            self.integrate(start, end, centre, &mut top);
        } else {
            let middle = start + first_half(end - start, LEAF);
            let (first, second) = if end - start > SERIAL {
                rayon::join(|| self.branch(start, middle, false), || self.branch(middle, end, false))
            } else {
                (self.branch(start, middle, false), self.branch(middle, end, false))
            };
            for half in [&first, &second] {
                dispatch(Shift { part: &half.top, by: half.nodes[0].centre - centre, whole: &mut top });
            }
            halves = Some((first, second));
        }
        if whole {
            // The normals of a closed surface add up to nothing; far away only that is left of rounding.
            top[0][..3].fill(0.0);
        }
        let reach = reach(&norms(&top), ORDER, radius, self.tolerance);
        // As many degrees as are needed where the group is first taken as one.
        let first = OPENED * radius;
        let order = reach.iter().position(|&d| f64::from(d) <= first).unwrap_or(ORDER);
        let mut kept = Vec::new();
        pack::<STRENGTHS>(&top, order, &mut kept);
        let mut moments = vec![kept];
        let mut nodes = vec![FacetGroup {
            centre,
            radius,
            reach,
            order: order as u32,
            second: 0,
            facets: [start as u32, end as u32],
            moments: 0,
        }];
        if let Some((first, second)) = halves {
            nodes[0].second = 1 + first.nodes.len() as u32;
            for half in [first, second] {
                let node = nodes.len() as u32;
                nodes.extend(half.nodes.into_iter().map(|mut n| {
                    n.second += if n.second == 0 { 0 } else { node };
                    n
                }));
                moments.extend(half.moments);
            }
        }
        Branch { nodes, moments, top }
    }

    /// The moments of a leaf.
    fn integrate(&self, start: usize, end: usize, centre: DVec3, to: &mut Moments) {
        for first in (start..end).step_by(LANES) {
            let last = end.min(first + LANES);
            let corners: Vec<[DVec3; 3]> =
                self.corners[first..last].iter().map(|c| c.map(|x| x - centre)).collect();
            let integrals = dispatch(Integrate { corners: &corners, degree: DEGREE, rule: &self.rule });
            for (sum, [re, im]) in to.iter_mut().zip(&integrals) {
                for (lane, patch) in self.patches[first..last].iter().enumerate() {
                    for (k, strength) in patch.strengths.iter().enumerate() {
                        sum[k] += strength * re[lane];
                        sum[k + STRENGTHS] += strength * im[lane];
                    }
                }
            }
        }
    }
}

/// How many of `count` things are in the first half: a multiple of `unit`.
fn first_half(count: usize, unit: usize) -> usize {
    unit * (count.div_ceil(unit) / 2).max(1)
}

/// The places in the order of the tree's leaves: halves along the longest side of their box, again and again. There is one right
/// answer, whatever the number of threads or the way to select.
fn order(places: &[DVec3], unit: usize) -> Vec<u32> {
    let mut rows: Vec<u32> = (0..places.len() as u32).collect();
    halve(places, unit, &mut rows);
    rows
}

fn halve(places: &[DVec3], unit: usize, rows: &mut [u32]) {
    if rows.len() <= unit {
        rows.sort_unstable();
        return;
    }
    let (low, high) = rows.iter().fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), &r| {
        (low.min(places[r as usize]), high.max(places[r as usize]))
    });
    let axis = (high - low).max_position();
    let middle = first_half(rows.len(), unit);
    rows.select_nth_unstable_by(middle, |&a, &b| {
        places[a as usize][axis].total_cmp(&places[b as usize][axis]).then(a.cmp(&b))
    });
    let (first, second) = rows.split_at_mut(middle);
    if first.len() > SERIAL {
        rayon::join(|| halve(places, unit, first), || halve(places, unit, second));
    } else {
        halve(places, unit, first);
        halve(places, unit, second);
    }
}
