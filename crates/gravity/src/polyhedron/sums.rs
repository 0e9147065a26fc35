//! The fields of what a walk has found, at eight points: groups of facets and facets by their moments, facets exactly.

use rubblepile_core::simd::{Kernel, LANES, Lanes, V3, dispatch};

use super::{
    harmonics::{ORDER, STRENGTHS, add_field},
    layer::vector,
    tree::{FACET_ORDER, PolyhedronTree},
};

/// The interactions of eight points.
#[derive(Debug, Default)]
pub struct Interactions {
    /// Groups and facets by the order they are taken to.
    pub nodes: [Vec<u32>; ORDER + 1],
    pub patches: [Vec<u32>; FACET_ORDER + 1],
    /// Facets to be taken exactly.
    pub layers: Vec<u32>,
    /// Leaves that are evaluated roughly.
    pub blobs: Vec<u32>,
}

/// The eight points, a row an axis.
pub type Places = [[f64; LANES]; 3];

impl Interactions {
    pub fn clear(&mut self) {
        self.nodes.iter_mut().chain(&mut self.patches).for_each(Vec::clear);
        self.layers.clear();
        self.blobs.clear();
    }

    /// The fields of the first `N` strengths.
    pub fn sum<const N: usize>(&self, tree: &PolyhedronTree, at: &Places) -> [[f64; LANES]; N] {
        let mut sums = [[0.0; LANES]; N];
        macro_rules! each_order {
            ($list:ident, $how:ident: $($order:literal)*) => {$(
                self.add(&self.$list[$order], $how::<$order>, tree, at, &mut sums);
            )*};
        }
        each_order!(nodes, Groups: 0 1 2 3 4 5 6 7 8 9 10 11 12);
        each_order!(patches, Facets: 0 1 2 3 4);
        self.add(&self.layers, Exactly, tree, at, &mut sums);
        self.add(&self.blobs, Roughly, tree, at, &mut sums);
        sums
    }

    fn add<H: How, const N: usize>(
        &self,
        rows: &[u32],
        how: H,
        tree: &PolyhedronTree,
        at: &Places,
        sums: &mut [[f64; LANES]; N],
    ) {
        if !rows.is_empty() {
            dispatch(Part { how, tree, rows, at, sums });
        }
    }
}

/// Rows of one of the lists.
struct Part<'a, H, const N: usize> {
    how: H,
    tree: &'a PolyhedronTree,
    rows: &'a [u32],
    at: &'a Places,
    sums: &'a mut [[f64; LANES]; N],
}

impl<H: How, const N: usize> Kernel for Part<'_, H, N> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let at = V3(L::load(&self.at[0]), L::load(&self.at[1]), L::load(&self.at[2]));
        let mut sums = [L::splat(0.0); N];
        for (sum, stored) in sums.iter_mut().zip(self.sums.iter()) {
            *sum = L::load(stored);
        }
        for &row in self.rows {
            self.how.add(self.tree, row as usize, at, &mut sums);
        }
        for (sum, stored) in sums.iter().zip(self.sums) {
            *stored = sum.store();
        }
    }
}

/// How rows are taken.
trait How {
    fn add<L: Lanes, const N: usize>(&self, tree: &PolyhedronTree, row: usize, at: V3<L>, sums: &mut [L; N]);
}

struct Groups<const P: usize>;

impl<const P: usize> How for Groups<P> {
    #[inline(always)]
    fn add<L: Lanes, const N: usize>(&self, tree: &PolyhedronTree, row: usize, at: V3<L>, sums: &mut [L; N]) {
        let node = &tree.nodes[row];
        let x = at - vector(&node.centre.to_array());
        add_field::<L, STRENGTHS, N, P>(&tree.moments[node.moments..], node.order as usize, x, sums);
    }
}

struct Facets<const P: usize>;

impl<const P: usize> How for Facets<P> {
    #[inline(always)]
    fn add<L: Lanes, const N: usize>(&self, tree: &PolyhedronTree, row: usize, at: V3<L>, sums: &mut [L; N]) {
        let patch = &tree.patches[row];
        let mut one = [L::splat(0.0); 1];
        let x = at - vector(&patch.centre.to_array());
        add_field::<L, 1, 1, P>(&patch.moments, FACET_ORDER, x, &mut one);
        add(sums, &patch.strengths, one[0]);
    }
}

/// By the integral over the facet.
struct Exactly;

impl How for Exactly {
    #[inline(always)]
    fn add<L: Lanes, const N: usize>(&self, tree: &PolyhedronTree, row: usize, at: V3<L>, sums: &mut [L; N]) {
        add(sums, &tree.patches[row].strengths, tree.layers[row].integral(at));
    }
}

/// A leaf as if it lay at a distance of its radius at least.
struct Roughly;

impl How for Roughly {
    #[inline(always)]
    fn add<L: Lanes, const N: usize>(&self, tree: &PolyhedronTree, row: usize, at: V3<L>, sums: &mut [L; N]) {
        let node = &tree.nodes[row];
        let x = at - vector(&node.centre.to_array());
        let r = (x.dot(x) + L::splat(node.radius * node.radius)).sqrt();
        for (sum, strength) in sums.iter_mut().zip(&tree.moments[node.moments..]) {
            *sum = *sum + L::splat(*strength) / r;
        }
    }
}

#[inline(always)]
fn add<L: Lanes, const N: usize>(sums: &mut [L; N], strengths: &[f64; STRENGTHS], field: L) {
    for n in 0..N {
        sums[n] = sums[n] + L::splat(strengths[n]) * field;
    }
}
