//! The walk of eight points through the tree of a polyhedron: which groups of facets, to which order, and which single facets.
//!
//! Of an expansion of order p about a centre, the norms N of the next two degrees (`harmonics.rs`) say what is left out at a
//! distance d, with later degrees falling at least as the powers of radius / d:
//!
//! ```text
//! error = max(N_(p+1) / d^(p+2), N_(p+2) / d^(p+3)) / (1 - radius / d)
//! ```
//!
//! The distance at which this is a tolerance of one part of the body's own pull is kept for each order ([`ValidityRadii`]). For another
//! tolerance it goes as its power -1 / (p + 2). A group is taken to the lowest order that reaches the nearest of
//! the eight points. The tolerance is a share of the target times the least acceleration of the eight, of which a first walk, which
//! opens little, has an estimate. Where the outcome is less than was assumed, as deep inside, it is done again.

use glam::DVec3;
use rubblepile_core::simd::{Kernel, LANES, Lanes, V3, dispatch};

use super::{
    harmonics::ORDER,
    layer::vector,
    sums::{Interactions, Places},
    tree::{FACET_ORDER, PolyhedronTree},
};

/// How much of the error, over the whole acceleration, one group of facets may make: there are hundreds, of either sign, and most
/// are far better than asked.
pub const SHARE: f64 = 0.05;
/// The same in the first walk, over the acceleration at the distance of the body's size.
const COARSE: f64 = 0.02;
/// Of the estimate, what is counted on.
const SAFE: f64 = 0.8;
/// Accelerations below this, over those near the surface, are known to an error of this times the target: at the centre of a
/// sphere there is none.
const LEAST: f64 = 1e-4;
/// An expansion is not used nearer than this many radii.
const OUTSIDE: f64 = 1.1;

/// The distances from which each order is good enough for the reference tolerance; they fall with the order.
pub type ValidityRadii<const ORDERS: usize> = [f32; ORDERS];

/// The reach of the orders up to `highest`.
pub fn reach<const ORDERS: usize>(
    norms: &[f64],
    highest: usize,
    radius: f64,
    tolerance: f64,
) -> ValidityRadii<ORDERS> {
    let mut out = [f32::MAX; ORDERS];
    let mut least = f32::MAX;
    for (p, out) in out.iter_mut().enumerate().take(highest + 1) {
        let mut d = OUTSIDE * radius;
        // From below, so that the first factor is not zero; each step is closer by the power of it.
        for _ in 0..4 {
            let allowed = tolerance * (1.0 - radius / d);
            let one = (norms[p + 1] / allowed).powf(1.0 / (p + 2) as f64);
            let two = (norms[p + 2] / allowed).powf(1.0 / (p + 3) as f64);
            d = one.max(two).max(OUTSIDE * radius);
        }
        // Upward in single precision.
        least = least.min(d as f32 * (1.0 + 2.0 * f32::EPSILON));
        *out = least;
    }
    out
}

/// One walk.
struct TreeWalk<'a> {
    tree: &'a PolyhedronTree,
    at: &'a Places,
    /// Of the reaches of each order.
    factors: [f64; ORDER + 1],
    /// Whether leaves are to be evaluated roughly rather than opened.
    roughly: bool,
    stack: &'a mut Vec<u32>,
    seen: &'a mut Interactions,
}

impl TreeWalk<'_> {
    /// The lowest order that reaches the nearest of the points, if any does.
    #[inline(always)]
    fn order<L: Lanes>(&self, at: V3<L>, centre: DVec3, reach: &[f32], kept: usize) -> Option<usize> {
        let x = at - vector(&centre.to_array());
        let square = least_of(x.dot(x).store());
        let mut order = None;
        for p in (0..=kept).rev() {
            let from = f64::from(reach[p]) * self.factors[p];
            if square > from * from {
                order = Some(p);
            } else {
                break;
            }
        }
        order
    }
}

impl Kernel for TreeWalk<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let at = V3(L::load(&self.at[0]), L::load(&self.at[1]), L::load(&self.at[2]));
        self.seen.clear();
        self.stack.push(0);
        while let Some(k) = self.stack.pop() {
            let node = &self.tree.nodes[k as usize];
            if let Some(order) = self.order(at, node.centre, &node.reach, node.order as usize) {
                self.seen.nodes[order].push(k);
            } else if node.second != 0 {
                self.stack.push(node.second);
                self.stack.push(k + 1);
            } else if self.roughly {
                self.seen.blobs.push(k);
            } else {
                for f in node.facets[0]..node.facets[1] {
                    let patch = &self.tree.patches[f as usize];
                    match self.order(at, patch.centre, &patch.reach, FACET_ORDER) {
                        Some(order) => self.seen.patches[order].push(f),
                        None => self.seen.layers.push(f),
                    }
                }
            }
        }
    }
}

#[inline(always)]
fn least_of(x: [f64; LANES]) -> f64 {
    let mut four = [0.0; LANES / 2];
    for k in 0..LANES / 2 {
        four[k] = if x[k] < x[k + LANES / 2] { x[k] } else { x[k + LANES / 2] };
    }
    let a = if four[0] < four[2] { four[0] } else { four[2] };
    let b = if four[1] < four[3] { four[1] } else { four[3] };
    if a < b { a } else { b }
}

/// Room for walks.
#[derive(Debug, Default)]
pub struct Walker {
    stack: Vec<u32>,
    seen: Interactions,
}

impl Walker {
    /// The fields of the first `N` strengths at eight points.
    pub fn fields<const N: usize>(
        &mut self,
        tree: &PolyhedronTree,
        points: &[DVec3; LANES],
    ) -> [[f64; LANES]; N] {
        let mut at = [[0.0; LANES]; 3];
        for (lane, x) in points.iter().enumerate() {
            (at[0][lane], at[1][lane], at[2][lane]) = (x.x, x.y, x.z);
        }
        let farthest = points.iter().map(|x| x.length()).fold(1.0, f64::max);
        let scale = tree.volume / (farthest * farthest);
        self.walk_tree(tree, &at, COARSE * scale, true);
        let mut assumed = (SAFE * least(&self.seen.sum::<N>(tree, &at))).max(LEAST * scale);
        loop {
            self.walk_tree(tree, &at, tree.share * assumed, false);
            let sums = self.seen.sum(tree, &at);
            let found = least(&sums);
            if found < assumed && assumed > LEAST * scale {
                assumed = (SAFE * found).max(LEAST * scale);
                continue;
            }
            return sums;
        }
    }

    fn walk_tree(&mut self, tree: &PolyhedronTree, at: &Places, tolerance: f64, roughly: bool) {
        let ratio = tree.tolerance / tolerance;
        let factors = std::array::from_fn(|p| ratio.powf(1.0 / (p + 2) as f64));
        dispatch(TreeWalk { tree, at, factors, roughly, stack: &mut self.stack, seen: &mut self.seen });
    }
}

/// The least of the eight accelerations.
fn least<const N: usize>(sums: &[[f64; LANES]; N]) -> f64 {
    (0..LANES)
        .map(|lane| sums[..3].iter().map(|row| row[lane] * row[lane]).sum::<f64>())
        .fold(f64::INFINITY, f64::min)
        .sqrt()
}
