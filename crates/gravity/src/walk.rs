//! The walk: for every target node, which sources act on it as a whole, and which must be opened.
//!
//! A source A (mass M, radius a) acts on a target B (radius b) at distance R through an expansion of order p when
//!
//! ```text
//! (a + b) / R < opening      and      M / R^2 * ((a + b) / R)^p < tolerance of B
//! ```
//!
//! and b / R is below a bound of its own: the far bodies of a wide target feel the same error from every one of many
//! small sources at one place, each of which is within the tolerance.
//!
//! The left side of the second is the size of the first term that the expansion leaves out (Dehnen 2014, A Fast
//! Multipole Method for stellar dynamics, section 4); the tolerance is a fraction of the acceleration at B. Where
//! that fails, the larger of the two is opened; two leaves that fail act body by body.
//!
//! Every target node is worked on once, by one thread, from what its parent passes down; nothing is summed across
//! threads, so the result does not know their number.

use std::marker::PhantomData;

use glam::DVec3;
use rayon::prelude::*;

use crate::{
    cells::{NodeBlock, TreeCells, offsets},
    expansion::{Expansion, MOST_LOCALS, MOST_RECORD, RECORD_HEAD},
    near::{LeafField, Out, sum_again},
    simd::{Kernel, Lanes, Real, WIDTH},
    topology::{BLOCK, LEAF, NONE},
};

/// A target with more bodies than this gives its children to other threads.
const PARALLEL: usize = 4096;
/// A source is opened rather than its target when its radius is more than this times the target's.
const LARGER: f64 = 1.0;
/// Nearer than this (tree units) an expansion in single precision could overflow.
const NEAREST: f64 = 1e-3;

/// Some nodes of one block: bits of the places.
#[derive(Clone, Copy)]
pub struct NodeSet {
    block: u32,
    places: u32,
}

/// Scratch of a thread.
#[derive(Default)]
struct Scratch {
    work: Vec<NodeSet>,
    far: Vec<u32>,
    near: Vec<u32>,
    again: Vec<u32>,
    /// What is passed down, one list per level of the recursion.
    passed: Vec<Vec<NodeSet>>,
}

/// The acceptance criterion of a source.
#[derive(Debug, Clone, Copy)]
pub struct Acceptance {
    pub opening: f64,
    /// Largest radius of the target over the distance.
    pub reach: f64,
    /// Close pairs in single precision: see `near.rs`.
    pub close: f64,
}

pub struct Walk<'a, S> {
    pub cells: &'a TreeCells<S>,
    pub positions: &'a [DVec3],
    pub masses: &'a [f64],
    pub acceptance: Acceptance,
    /// Square of the acceptable error a node and a source; empty: the opening angle decides alone.
    pub tolerance: &'a [S],
}

#[derive(Clone, Copy)]
struct Target<S> {
    centre: [f64; 3],
    radius: S,
    tolerance: S,
    last: bool,
}

impl<S: Real> Walk<'_, S> {
    /// Gradient (and potential) of all bodies, leaf by leaf.
    pub fn evaluate<E: Expansion, const POTENTIAL: bool>(&self, out: &mut [Out<S>]) {
        let locals = [S::default(); MOST_LOCALS];
        self.descend::<E, POTENTIAL>(
            0,
            &locals,
            &[NodeSet { block: 0, places: 1 }],
            &mut Scratch::default(),
            out,
        );
    }

    /// A rough size of the acceleration at the centre of every leaf, from groups of leaves.
    pub fn estimate<E: Expansion>(&self, out: &mut [S]) {
        let locals = [S::default(); MOST_LOCALS];
        self.guess::<E>(0, &locals, &[NodeSet { block: 0, places: 1 }], &mut Scratch::default(), out);
    }

    fn target(&self, node: usize, last: bool) -> Target<S> {
        let (block, place) = (&self.cells.blocks[node / BLOCK], node % BLOCK);
        Target {
            centre: [block.x[place], block.y[place], block.z[place]],
            radius: block.radius[place],
            tolerance: self.tolerance.get(node).copied().unwrap_or(S::of(S::FAR)),
            last,
        }
    }

    fn descend<E: Expansion, const POTENTIAL: bool>(
        &self,
        node: usize,
        locals: &[S; MOST_LOCALS],
        entries: &[NodeSet],
        scratch: &mut Scratch,
        out: &mut [Out<S>],
    ) {
        let shape = self.cells.topology.nodes[node];
        let target = self.target(node, shape.children == NONE);
        let mut passed = scratch.passed.pop().unwrap_or_default();
        passed.clear();
        S::launch(Search::<S, E> {
            walk: self,
            target,
            groups: false,
            entries,
            scratch,
            passed: &mut passed,
            e: PhantomData,
        });
        let mut locals = *locals;
        S::launch(Far::<S, E, POTENTIAL> {
            cells: self.cells,
            centre: target.centre,
            sources: &scratch.far,
            locals: &mut locals,
            e: PhantomData,
        });
        if target.last {
            let Some(out) = out.first_mut() else { return };
            scratch.again.clear();
            S::launch(LeafField::<S, E, POTENTIAL> {
                leaves: &self.cells.leaves,
                balls: &self.cells.balls,
                target: shape.first as usize,
                sources: &scratch.near,
                locals: &locals,
                close: self.acceptance.close,
                out,
                again: &mut scratch.again,
                expansion: PhantomData,
            });
            if !scratch.again.is_empty() {
                let leaf = shape.first as usize;
                sum_again(self.cells, self.positions, self.masses, leaf, &scratch.again, out);
            }
        } else {
            let block = &self.cells.blocks[shape.children as usize];
            let below =
                S::launch(Down::<S, E> { block, centre: target.centre, locals: &locals, e: PhantomData });
            self.for_children(node, out, 1, scratch, |child, place, out, scratch| {
                let locals = std::array::from_fn(|k| below[k][place]);
                self.descend::<E, POTENTIAL>(child, &locals, &passed, scratch, out);
            });
        }
        scratch.passed.push(passed);
    }

    fn guess<E: Expansion>(
        &self,
        node: usize,
        locals: &[S; MOST_LOCALS],
        entries: &[NodeSet],
        scratch: &mut Scratch,
        out: &mut [S],
    ) {
        let shape = self.cells.topology.nodes[node];
        let last = self.cells.blocks[node / BLOCK].group >> (node % BLOCK) & 1 == 1;
        let target = self.target(node, last);
        let mut passed = scratch.passed.pop().unwrap_or_default();
        passed.clear();
        S::launch(Search::<S, E> {
            walk: self,
            target,
            groups: true,
            entries,
            scratch,
            passed: &mut passed,
            e: PhantomData,
        });
        let mut locals = *locals;
        S::launch(Far::<S, E, false> {
            cells: self.cells,
            centre: target.centre,
            sources: &scratch.far,
            locals: &mut locals,
            e: PhantomData,
        });
        if last {
            // Neighbouring groups overlap: each pulls as a cloud of its own size, and only at the centre.
            for &source in scratch.near.iter().filter(|&&s| s as usize != node) {
                let other = self.target(source as usize, last);
                let (block, place) = (&self.cells.blocks[source as usize / BLOCK], source as usize % BLOCK);
                let d: [f64; 3] = std::array::from_fn(|a| other.centre[a] - target.centre[a]);
                let soft = target.radius.wide().powi(2) + other.radius.wide().powi(2);
                let w = block.mass[place].wide() / (d.iter().map(|d| d * d).sum::<f64>() + soft).powf(1.5);
                for a in 0..3 {
                    locals[1 + a] = locals[1 + a] + S::of(w * d[a]);
                }
            }
        }
        let size = |l: &dyn Fn(usize) -> S| S::of((1..=3).map(|k| l(k).wide().powi(2)).sum::<f64>().sqrt());
        if shape.children == NONE {
            if let Some(out) = out.first_mut() {
                *out = size(&|k| locals[k]);
            }
        } else {
            let block = &self.cells.blocks[shape.children as usize];
            let below =
                S::launch(Down::<S, E> { block, centre: target.centre, locals: &locals, e: PhantomData });
            if last {
                for (place, out) in out.iter_mut().enumerate() {
                    *out = size(&|k| below[k][place]);
                }
            } else {
                self.for_children(node, out, 1, scratch, |child, place, out, scratch| {
                    let locals = std::array::from_fn(|k| below[k][place]);
                    self.guess::<E>(child, &locals, &passed, scratch, out);
                });
            }
        }
        scratch.passed.push(passed);
    }

    /// Calls `work` for each child with its share of `out`, on several threads where there is enough to do.
    fn for_children<T: Send>(
        &self,
        node: usize,
        out: &mut [T],
        per_leaf: usize,
        scratch: &mut Scratch,
        work: impl Fn(usize, usize, &mut [T], &mut Scratch) + Sync,
    ) {
        let nodes = &self.cells.topology.nodes;
        let first = nodes[node].children as usize * BLOCK;
        let mut rest = out;
        let mut shares = Vec::with_capacity(BLOCK);
        for place in 0..BLOCK {
            let leaves = nodes[first + place].leaves as usize;
            if leaves > 0 {
                let (share, others) = std::mem::take(&mut rest).split_at_mut(leaves * per_leaf);
                shares.push((place, share));
                rest = others;
            }
        }
        if nodes[node].leaves as usize * LEAF > PARALLEL {
            shares.into_par_iter().for_each(|(place, share)| {
                work(first + place, place, share, &mut Scratch::default());
            });
        } else {
            for (place, share) in shares {
                work(first + place, place, share, scratch);
            }
        }
    }
}

/// Sorts the sources that the parent passed down: far, near, or passed to the children.
struct Search<'a, 'b, S, E> {
    walk: &'a Walk<'b, S>,
    target: Target<S>,
    /// Stop at groups of leaves instead of leaves.
    groups: bool,
    entries: &'a [NodeSet],
    scratch: &'a mut Scratch,
    passed: &'a mut Vec<NodeSet>,
    e: PhantomData<E>,
}

impl<S: Real, E: Expansion> Kernel<S> for Search<'_, '_, S, E> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes<S>>(self) {
        let Scratch { work, far, near, .. } = self.scratch;
        let blocks = &self.walk.cells.blocks;
        work.clear();
        far.clear();
        near.clear();
        work.extend_from_slice(self.entries);
        let judge = Judge::<S, V>::new(&self.target, &self.walk.acceptance);
        let none = NodeSet { block: 0, places: 0 };
        let mut ids = [0; WIDTH];
        while let Some(first) = work.pop() {
            let second = work.pop().unwrap_or(none);
            let pair = [&blocks[first.block as usize], &blocks[second.block as usize]];
            let places = first.places | second.places << BLOCK;
            let (accepted, larger) = judge.decide::<E>(pair);
            let yes = accepted & places;
            V::pack_lanes(first.block * BLOCK as u32, second.block * BLOCK as u32, yes, &mut ids);
            far.extend_from_slice(&ids);
            far.truncate(far.len() - WIDTH + yes.count_ones() as usize);
            for (entry, block, shift) in [(first, pair[0], 0), (second, pair[1], BLOCK)] {
                let no = entry.places & !(accepted >> shift);
                let last = if self.groups { block.group } else { block.leaf };
                let ends = no & last;
                let mut open = no & !last;
                if self.target.last {
                    let mut ends = ends;
                    while ends != 0 {
                        let place = ends.trailing_zeros();
                        let leaf = block.children[place as usize];
                        near.push(if self.groups { entry.block * BLOCK as u32 + place } else { leaf });
                        ends &= ends - 1;
                    }
                } else {
                    let pass = ends | (open & !(larger >> shift));
                    open &= larger >> shift;
                    if pass != 0 {
                        self.passed.push(NodeSet { block: entry.block, places: pass });
                    }
                }
                while open != 0 {
                    let child = block.children[open.trailing_zeros() as usize];
                    work.push(NodeSet { block: child, places: blocks[child as usize].used });
                    open &= open - 1;
                }
            }
        }
    }
}

/// The target's side of the decision, in all lanes.
struct Judge<S, V> {
    high: [V; 3],
    low: [V; 3],
    radius: V,
    larger: V,
    tolerance: V,
    opening: V,
    nearest: V,
    scalar: PhantomData<S>,
}

impl<S: Real, V: Lanes<S>> Judge<S, V> {
    #[inline(always)]
    fn new(target: &Target<S>, acceptance: &Acceptance) -> Self {
        let opening = acceptance.opening;
        let nearest = NEAREST.max(target.radius.wide() / acceptance.reach);
        let (mut high, mut low) = ([V::zero(); 3], [V::zero(); 3]);
        for a in 0..3 {
            let rounded = S::of(target.centre[a]);
            (high[a], low[a]) = (V::splat(rounded), V::splat(S::of(target.centre[a] - rounded.wide())));
        }
        Judge {
            high,
            low,
            radius: V::splat(target.radius),
            larger: V::splat(target.radius * S::of(LARGER)),
            tolerance: V::splat(target.tolerance),
            opening: V::splat(S::of(opening * opening)),
            nearest: V::splat(S::of(nearest * nearest)),
            scalar: PhantomData,
        }
    }

    /// Bits of the nodes of two blocks that may act as a whole, and of those larger than the target.
    #[inline(always)]
    fn decide<E: Expansion>(&self, pair: [&NodeBlock<S>; 2]) -> (u32, u32) {
        let [p, q] = pair;
        let mut r2 = V::zero();
        for a in 0..3 {
            let high = V::load_halves(&p.high[a], &q.high[a]).sub(self.high[a]);
            let d = high.add(V::load_halves(&p.low[a], &q.low[a]).sub(self.low[a]));
            r2 = d.mul_add(d, r2);
        }
        let radius = V::load_halves(&p.radius, &q.radius);
        let u = r2.inverse_root();
        let u2 = u.mul(u);
        let s = radius.add(self.radius);
        let ratio = s.mul(s).mul(u2);
        let pull = V::load_halves(&p.mass, &q.mass).mul(u2);
        let mut error = pull.mul(pull);
        for _ in 0..E::ORDER {
            error = error.mul(ratio);
        }
        // Not a number (zero distance) compares false.
        let accepted = self.opening.greater(ratio) & self.tolerance.greater(error) & r2.greater(self.nearest);
        (accepted, radius.greater(self.larger))
    }
}

/// Adds the local expansions of the listed nodes about a centre.
struct Far<'a, S, E, const POTENTIAL: bool> {
    cells: &'a TreeCells<S>,
    centre: [f64; 3],
    sources: &'a [u32],
    locals: &'a mut [S; MOST_LOCALS],
    e: PhantomData<E>,
}

impl<S: Real, E: Expansion, const POTENTIAL: bool> Kernel<S> for Far<'_, S, E, POTENTIAL> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes<S>>(self) {
        if self.sources.is_empty() {
            return;
        }
        let high: [S; 3] = std::array::from_fn(|a| S::of(self.centre[a]));
        let low: [S; 3] = std::array::from_fn(|a| S::of(self.centre[a] - high[a].wide()));
        let mut columns = [V::zero(); MOST_RECORD];
        let mut sums = [V::zero(); MOST_LOCALS];
        let nothing = self.cells.records.len() - self.cells.record_rows;
        for batch in self.sources.chunks(WIDTH) {
            let mut first = [nothing; WIDTH];
            for (first, &node) in first.iter_mut().zip(batch) {
                *first = self.cells.record(node as usize);
            }
            for r in 0..E::RECORD / WIDTH {
                let mut rows = [&self.cells.records[nothing + r]; WIDTH];
                for k in 0..batch.len() {
                    rows[k] = &self.cells.records[first[k] + r];
                }
                if let Some(columns) = columns[r * WIDTH..].first_chunk_mut() {
                    V::transpose(&rows, columns);
                }
            }
            let mut d = [V::zero(); 3];
            for a in 0..3 {
                d[a] = V::splat(high[a]).sub(columns[a]).add(V::splat(low[a]).sub(columns[3 + a]));
            }
            E::m2l::<S, V, POTENTIAL>(d[0], d[1], d[2], &columns[RECORD_HEAD..], &mut sums);
        }
        for (local, sum) in self.locals.iter_mut().zip(sums).take(E::LOCALS) {
            *local = *local + sum.sum();
        }
    }
}

/// A parent's local expansion about the centres of its children, a column a child.
struct Down<'a, S, E> {
    block: &'a NodeBlock<S>,
    centre: [f64; 3],
    locals: &'a [S; MOST_LOCALS],
    e: PhantomData<E>,
}

impl<S: Real, E: Expansion> Kernel<S> for Down<'_, S, E> {
    type Output = [[S; WIDTH]; MOST_LOCALS];

    #[inline(always)]
    fn run<V: Lanes<S>>(self) -> Self::Output {
        let [x, y, z] = offsets(self.block, self.centre);
        let mut moved = [V::zero(); MOST_LOCALS];
        E::l2l(V::load(&x), V::load(&y), V::load(&z), self.locals, &mut moved);
        let mut out = [[S::default(); WIDTH]; MOST_LOCALS];
        for (out, moved) in out.iter_mut().zip(moved).take(E::LOCALS) {
            moved.store(out);
        }
        out
    }
}
