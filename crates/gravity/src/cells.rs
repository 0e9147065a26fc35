//! The tree with its contents: bodies in leaves, centres, radii and multipoles of the nodes.
//!
//! Inside, lengths are in a unit of 1e-5 of the extent (a power of two), masses in the total mass, so that single
//! precision has room for every power that the expansions take. A node's centre is its centre of mass, its radius the
//! distance of its farthest body. Bodies are kept as offsets from their leaf's centre.

use glam::DVec3;
use rayon::prelude::*;

use crate::{
    expansion::{Expansion, MOST_MULTIPOLES, MOST_RECORD, RECORD_HEAD},
    simd::{Kernel, Lanes, Real, WIDTH},
    sort::{self, Item},
    topology::{BLOCK, LEAF, NONE, Topology},
};

/// Where empty lanes of the last leaf are put: far from every body, and without mass.
const NOWHERE: f64 = 3e5;
/// Blocks or leaves handed to a thread at a time.
const GRAIN: usize = 32;

/// Eight siblings, as the search for interactions reads them.
#[derive(Clone, Copy, Default)]
#[repr(C, align(64))]
pub struct NodeBlock<S> {
    pub x: [f64; BLOCK],
    pub y: [f64; BLOCK],
    pub z: [f64; BLOCK],
    /// The same centres as `x`, `y`, `z`: rounded, and what rounding left.
    pub high: [[S; BLOCK]; 3],
    pub low: [[S; BLOCK]; 3],
    pub radius: [S; BLOCK],
    pub mass: [S; BLOCK],
    /// Block of the children; of a leaf, its place in the order of the bodies.
    pub children: [u32; BLOCK],
    /// One bit per place: in use, a leaf, a leaf or a parent of leaves only.
    pub used: u32,
    pub leaf: u32,
    pub group: u32,
}

/// Sixteen bodies, relative to the centre of their leaf.
#[derive(Clone, Copy, Default)]
#[repr(C, align(64))]
pub struct Leaf<S> {
    pub x: [S; LEAF],
    pub y: [S; LEAF],
    pub z: [S; LEAF],
    pub mass: [S; LEAF],
}

/// Centre and radius of a leaf.
#[derive(Clone, Copy, Default)]
pub struct Ball {
    pub centre: [f64; 3],
    pub radius: f64,
}

/// From SI to the tree's units and back.
#[derive(Debug, Clone, Copy)]
pub struct TreeUnits {
    pub origin: DVec3,
    /// The unit of length, m.
    pub length: f64,
    /// The unit of mass, kg.
    pub mass: f64,
}

pub struct TreeCells<S> {
    pub topology: Topology,
    pub items: Vec<Item>,
    pub leaves: Vec<Leaf<S>>,
    pub balls: Vec<Ball>,
    pub blocks: Vec<NodeBlock<S>>,
    /// `record_rows` rows per node, and one record without mass at the end.
    pub records: Vec<[S; WIDTH]>,
    pub record_rows: usize,
    pub scale: TreeUnits,
}

impl<S> Default for TreeCells<S> {
    fn default() -> Self {
        TreeCells {
            topology: Topology::default(),
            items: Vec::new(),
            leaves: Vec::new(),
            balls: Vec::new(),
            blocks: Vec::new(),
            records: Vec::new(),
            record_rows: 1,
            scale: TreeUnits { origin: DVec3::ZERO, length: 1.0, mass: 1.0 },
        }
    }
}

impl<S: Real> TreeCells<S> {
    /// Sorts the bodies and fills the tree. Positions and masses must be finite, the total mass above zero.
    pub fn build<E: Expansion>(
        &mut self,
        positions: &[DVec3],
        masses: &[f64],
        bounds: (DVec3, DVec3),
        mass: f64,
    ) {
        let extent = (bounds.1 - bounds.0).max_element();
        let unit = if extent > 0.0 { (1e-5 * extent).log2().ceil().exp2() } else { 1.0 };
        self.scale = TreeUnits { origin: 0.5 * (bounds.0 + bounds.1), length: unit, mass };
        self.topology.prepare(positions.len());
        sort::sort(positions, bounds.0, extent, &mut self.items);
        self.fill_leaves(positions, masses);
        self.fill_blocks::<E>();
    }

    /// Row of the record of a node in `records`; the node after the last is the record without mass.
    #[inline(always)]
    pub fn record(&self, node: usize) -> usize {
        node * self.record_rows
    }

    fn fill_leaves(&mut self, positions: &[DVec3], masses: &[f64]) {
        let n = self.topology.leaves();
        self.leaves.resize(n, Leaf::default());
        self.balls.resize(n, Ball::default());
        let scale = self.scale;
        let leaves = self.leaves.par_iter_mut().zip(&mut self.balls).with_min_len(GRAIN);
        leaves.zip(self.items.par_chunks(LEAF)).for_each(|((leaf, ball), items)| {
            fill_leaf(leaf, ball, items, positions, masses, &scale);
        });
    }

    fn fill_blocks<E: Expansion>(&mut self) {
        let count = self.topology.nodes.len() / BLOCK;
        self.record_rows = E::RECORD / WIDTH;
        self.blocks.resize(count, NodeBlock::default());
        self.records.resize(self.record_rows * (count * BLOCK + 1), [S::default(); WIDTH]);
        let (topology, leaves, balls, rows) = (&self.topology, &self.leaves, &self.balls, self.record_rows);
        for level in topology.levels.iter().rev() {
            let (blocks, below) = self.blocks.split_at_mut(level.end);
            let (records, records_below) = self.records.split_at_mut(level.end * BLOCK * rows);
            let blocks = blocks[level.start..].par_iter_mut();
            let records = records[level.start * BLOCK * rows..].par_chunks_mut(BLOCK * rows);
            let work = blocks.zip(records).enumerate().with_min_len(GRAIN);
            work.for_each(|(k, (block, records))| {
                let index = level.start + k;
                S::launch(FillBlock::<S, E> {
                    topology,
                    leaves,
                    balls,
                    below,
                    records_below,
                    below_start: level.end,
                    index,
                    block,
                    records,
                    rows,
                    expansion: std::marker::PhantomData,
                });
            });
        }
        let last = self.records.len() - self.record_rows;
        for row in &mut self.records[last..] {
            *row = [S::default(); WIDTH];
        }
        // Not at any node's centre, so that its distance is never zero.
        self.records[last][0] = S::of(NOWHERE);
    }
}

fn fill_leaf<S: Real>(
    leaf: &mut Leaf<S>,
    ball: &mut Ball,
    items: &[Item],
    positions: &[DVec3],
    masses: &[f64],
    scale: &TreeUnits,
) {
    let inverse = 1.0 / scale.length;
    let mut x = [DVec3::ZERO; LEAF];
    let mut m = [0.0; LEAF];
    let (mut sum, mut moment, mut middle) = (0.0, DVec3::ZERO, DVec3::ZERO);
    for (k, item) in items.iter().enumerate() {
        x[k] = (positions[item.row as usize] - scale.origin) * inverse;
        m[k] = masses[item.row as usize] / scale.mass;
        sum += m[k];
        moment += m[k] * x[k];
        middle += x[k];
    }
    let centre = if sum > 0.0 { moment / sum } else { middle / items.len() as f64 };
    let mut radius = 0.0f64;
    *leaf = Leaf { x: [S::of(NOWHERE); LEAF], ..Leaf::default() };
    for k in 0..items.len() {
        let d = x[k] - centre;
        radius = radius.max(d.length_squared());
        (leaf.x[k], leaf.y[k], leaf.z[k], leaf.mass[k]) = (S::of(d.x), S::of(d.y), S::of(d.z), S::of(m[k]));
    }
    // A grain of rounding, so that no body is outside.
    *ball = Ball { centre: centre.to_array(), radius: radius.sqrt() * (1.0 + 4.0 * S::ROUNDING) };
}

struct FillBlock<'a, S, E> {
    topology: &'a Topology,
    leaves: &'a [Leaf<S>],
    balls: &'a [Ball],
    /// Blocks and records from `below_start` on.
    below: &'a [NodeBlock<S>],
    records_below: &'a [[S; WIDTH]],
    below_start: usize,
    index: usize,
    block: &'a mut NodeBlock<S>,
    records: &'a mut [[S; WIDTH]],
    rows: usize,
    expansion: std::marker::PhantomData<E>,
}

impl<S: Real, E: Expansion> Kernel<S> for FillBlock<'_, S, E> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes<S>>(self) {
        let block = self.block;
        *block = NodeBlock { children: [NONE; BLOCK], ..NodeBlock::default() };
        for place in 0..BLOCK {
            let node = self.topology.nodes[self.index * BLOCK + place];
            if node.leaves == 0 {
                // Sums over siblings read empty places too: nothing of an earlier tree may be left there.
                self.records[place * self.rows..(place + 1) * self.rows].fill([S::default(); WIDTH]);
                continue;
            }
            block.used |= 1 << place;
            block.children[place] = if node.children == NONE { node.first } else { node.children };
            let mut record = [S::default(); MOST_RECORD];
            let multipoles = &mut record[RECORD_HEAD..RECORD_HEAD + E::MULTIPOLES];
            let (centre, radius);
            if node.children == NONE {
                let leaf = &self.leaves[node.first as usize];
                let ball = &self.balls[node.first as usize];
                block.leaf |= 1 << place;
                block.group |= 1 << place;
                (centre, radius) = (ball.centre, ball.radius);
                // Empty lanes are far away: without mass, but their powers must not overflow.
                let keep = V::load(&leaf.mass);
                E::p2m(
                    V::load(&leaf.x).where_positive(keep),
                    V::load(&leaf.y),
                    V::load(&leaf.z),
                    keep,
                    multipoles,
                );
            } else {
                let child = node.children as usize - self.below_start;
                let kids = &self.below[child];
                if kids.used == kids.leaf {
                    block.group |= 1 << place;
                }
                centre = centre_of(kids);
                let mut columns = [V::zero(); MOST_RECORD];
                let first = child * BLOCK * self.rows;
                let nothing = [S::default(); WIDTH];
                for r in 0..self.rows {
                    // Eight children fill half of the lanes; the other half has no mass.
                    let rows: [&[S; WIDTH]; WIDTH] = std::array::from_fn(|k| {
                        if k < BLOCK { &self.records_below[first + k * self.rows + r] } else { &nothing }
                    });
                    if let Some(columns) = columns[r * WIDTH..].first_chunk_mut() {
                        V::transpose(&rows, columns);
                    }
                }
                let [dx, dy, dz] = offsets(kids, centre);
                let m = &columns[RECORD_HEAD..RECORD_HEAD + MOST_MULTIPOLES];
                E::m2m(V::load(&dx), V::load(&dy), V::load(&dz), m, multipoles);
                let under = node.first as usize..(node.first + node.leaves) as usize;
                radius = farthest::<S, V>(&self.leaves[under.clone()], &self.balls[under], centre);
            }
            (block.x[place], block.y[place], block.z[place]) = (centre[0], centre[1], centre[2]);
            block.radius[place] = S::of(radius);
            block.mass[place] = multipoles[0];
            for k in 0..3 {
                record[k] = S::of(centre[k]);
                record[3 + k] = S::of(centre[k] - record[k].wide());
                (block.high[k][place], block.low[k][place]) = (record[k], record[3 + k]);
            }
            for r in 0..self.rows {
                if let Some(row) = record[r * WIDTH..].first_chunk() {
                    self.records[place * self.rows + r] = *row;
                }
            }
        }
    }
}

/// Centre of mass of the nodes of a block.
fn centre_of<S: Real>(block: &NodeBlock<S>) -> [f64; 3] {
    let (mut sum, mut moment, mut count, mut middle) = (0.0, [0.0; 3], 0.0, [0.0; 3]);
    for k in (0..BLOCK).filter(|k| block.used >> k & 1 == 1) {
        let m = block.mass[k].wide();
        sum += m;
        count += 1.0;
        for (a, x) in [block.x[k], block.y[k], block.z[k]].into_iter().enumerate() {
            moment[a] += m * x;
            middle[a] += x;
        }
    }
    std::array::from_fn(|a| if sum > 0.0 { moment[a] / sum } else { middle[a] / count })
}

/// Centres of the nodes of a block from a point, as lanes; zero where there is no node.
#[inline(always)]
pub fn offsets<S: Real>(block: &NodeBlock<S>, centre: [f64; 3]) -> [[S; WIDTH]; 3] {
    let mut d = [[S::default(); WIDTH]; 3];
    for k in (0..BLOCK).filter(|k| block.used >> k & 1 == 1) {
        d[0][k] = S::of(block.x[k] - centre[0]);
        d[1][k] = S::of(block.y[k] - centre[1]);
        d[2][k] = S::of(block.z[k] - centre[2]);
    }
    d
}

/// Distance of the farthest body of these leaves from a point.
#[inline(always)]
fn farthest<S: Real, V: Lanes<S>>(leaves: &[Leaf<S>], balls: &[Ball], centre: [f64; 3]) -> f64 {
    let mut most = V::zero();
    for (leaf, ball) in leaves.iter().zip(balls) {
        let shift = |a: usize| V::splat(S::of(ball.centre[a] - centre[a]));
        let (x, y) = (V::load(&leaf.x).add(shift(0)), V::load(&leaf.y).add(shift(1)));
        let z = V::load(&leaf.z).add(shift(2));
        let r2 = x.mul_add(x, y.mul_add(y, z.mul(z)));
        // Bodies without mass feel forces too, so empty lanes are told by their place.
        let there = V::splat(S::of(0.5 * NOWHERE)).sub(V::load(&leaf.x));
        most = most.max(r2.where_positive(there));
    }
    most.greatest().wide().sqrt() * (1.0 + 4.0 * S::ROUNDING)
}
