//! The shape of the tree, which depends on the number of bodies alone.
//!
//! Bodies are halved again and again at a multiple of [`LEAF`] bodies, until sixteen are left: every leaf is full but
//! the last, so the lanes of the near field are too. Three halvings or so make one step of the tree: a node has up to
//! eight children. Siblings share a block of eight places, and a node's number is `8 * block + place`.

use crate::simd::WIDTH;

/// Bodies in a leaf.
pub const LEAF: usize = WIDTH;
/// Places in a block of siblings.
pub const BLOCK: usize = 8;
/// No children.
pub const NONE: u32 = u32::MAX;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TreeNode {
    /// Leaves under it: `first..first + leaves` in the order of the bodies. No leaves: an empty place.
    pub first: u32,
    pub leaves: u32,
    /// Block of its children, or [`NONE`] for a leaf.
    pub children: u32,
}

const EMPTY: TreeNode = TreeNode { first: 0, leaves: 0, children: NONE };

#[derive(Debug, Default)]
pub struct Topology {
    pub bodies: usize,
    /// `8 * block + place`; parents before children.
    pub nodes: Vec<TreeNode>,
    /// Ranges of blocks, root first: a level's children lie in the next level.
    pub levels: Vec<std::ops::Range<usize>>,
}

/// Leaves in the left half.
pub fn left_leaves(leaves: usize) -> usize {
    leaves / 2
}

impl Topology {
    pub fn leaves(&self) -> usize {
        self.bodies.div_ceil(LEAF)
    }

    /// Makes the shape for this many bodies, unless it is there already.
    pub fn prepare(&mut self, bodies: usize) {
        if self.bodies == bodies && !self.nodes.is_empty() {
            return;
        }
        self.bodies = bodies;
        self.nodes.clear();
        self.levels.clear();
        let mut root = [EMPTY; BLOCK];
        root[0].leaves = self.leaves() as u32;
        self.nodes.extend(root);
        self.levels.push(0..1);
        loop {
            let level = self.levels[self.levels.len() - 1].clone();
            let first_child = level.end;
            for k in level.start * BLOCK..level.end * BLOCK {
                let node = self.nodes[k];
                if node.leaves > 1 {
                    self.nodes[k].children = (self.nodes.len() / BLOCK) as u32;
                    self.nodes.extend(children(node));
                }
            }
            let end = self.nodes.len() / BLOCK;
            if end == first_child {
                return;
            }
            self.levels.push(first_child..end);
        }
    }
}

/// Halves the largest part until there are eight. Parts of up to eight leaves are kept whole, so that blocks of leaves
/// are well filled, unless the node itself is so small: then its children are its leaves.
fn children(node: TreeNode) -> [TreeNode; BLOCK] {
    let keep = if node.leaves as usize <= BLOCK { 1 } else { BLOCK as u32 };
    let mut parts = vec![(node.first, node.leaves)];
    while parts.len() < BLOCK {
        let mut largest = 0;
        for k in 1..parts.len() {
            if parts[k].1 > parts[largest].1 {
                largest = k;
            }
        }
        let (first, leaves) = parts[largest];
        if leaves <= keep {
            break;
        }
        let left = left_leaves(leaves as usize) as u32;
        parts[largest].1 = left;
        parts.insert(largest + 1, (first + left, leaves - left));
    }
    let mut block = [EMPTY; BLOCK];
    for (place, (first, leaves)) in block.iter_mut().zip(parts) {
        (place.first, place.leaves) = (first, leaves);
    }
    block
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_leaf_is_reached_once_and_in_order() {
        for bodies in [1, 15, 16, 17, 100, 129, 1000, 4096, 12345, 100_000] {
            let mut t = Topology::default();
            t.prepare(bodies);
            let mut found = Vec::new();
            let mut stack = vec![0usize];
            while let Some(k) = stack.pop() {
                let node = t.nodes[k];
                if node.children == NONE {
                    assert_eq!(node.leaves, 1);
                    found.push(node.first as usize);
                } else {
                    let block = node.children as usize * BLOCK;
                    let kids = (block..block + BLOCK).filter(|&j| t.nodes[j].leaves > 0);
                    assert_eq!(kids.clone().map(|j| t.nodes[j].leaves).sum::<u32>(), node.leaves);
                    stack.extend(kids.rev());
                }
            }
            assert_eq!(found, (0..bodies.div_ceil(LEAF)).collect::<Vec<_>>());
        }
    }
}
