//! The equations of a Newton step, eq. (14): grains condensed to their outlines, joined by contacts.

use glam::DVec2;
use rayon::prelude::*;

use crate::{
    condense::Condensed,
    element::{Element, NODES},
    gmres,
    motion::Kinematics,
    sample::{Flows, Sample},
    sparse::{Singular, Symmetric},
    step::StepError,
};

/// A contact that pushes: its nodes, how many of them there are, and what it pushes with.
pub struct Joint {
    pub nodes: [usize; NODES],
    pub count: usize,
    pub element: Element,
}

pub struct System {
    /// Nodes that contacts may join: the pattern of the matrix.
    joined: Vec<Vec<usize>>,
    /// Of all nodes that may be joined, counted through.
    matrix: Symmetric,
    /// Number of every node among these.
    rim: Vec<usize>,
    grains: Vec<Kept>,
}

/// What is kept of a grain.
#[derive(Default)]
struct Kept {
    /// Its nodes, those that may be joined first, and how many these are.
    order: Vec<usize>,
    outer: usize,
    condensed: Condensed,
    /// Displacements for which it was made; none: it is to be made.
    made: Vec<DVec2>,
}

impl System {
    pub fn new(sample: &Sample, joined: Vec<Vec<usize>>) -> Result<Self, Singular> {
        let mut met = vec![false; sample.nodes()];
        joined.iter().flatten().for_each(|node| met[*node] = true);
        let mut rim = vec![usize::MAX; sample.nodes()];
        let (mut grains, mut ends) = (Vec::new(), Vec::new());
        for g in 0..sample.grains.len() {
            let (mut order, rest): (Vec<usize>, Vec<usize>) = sample.nodes_of(g).partition(|k| met[*k]);
            let (start, outer) = (ends.len(), order.len());
            order.iter().enumerate().for_each(|(k, node)| rim[*node] = start + k);
            ends.resize(start + outer, start + outer);
            order.extend(rest);
            grains.push(Kept { order, outer, ..Kept::default() });
        }
        // A grain's own nodes are all coupled; of other grains those after it.
        let mut others: Vec<Vec<usize>> = vec![Vec::new(); ends.len()];
        for nodes in &joined {
            for (k, a) in nodes.iter().map(|a| rim[*a]).enumerate() {
                // Sorted: what follows is below.
                others[a].extend(nodes[k..].iter().map(|b| rim[*b]).filter(|b| *b >= ends[a]));
            }
        }
        let mut columns = Vec::with_capacity(2 * ends.len());
        for (a, others) in others.iter_mut().enumerate() {
            others.sort_unstable();
            others.dedup();
            let other = others.iter().flat_map(|b| [2 * b, 2 * b + 1]);
            for unknown in [2 * a, 2 * a + 1] {
                columns.push((unknown..2 * ends[a]).chain(other.clone()).collect());
            }
        }
        Ok(System { joined, matrix: Symmetric::new(&columns)?, rim, grains })
    }

    /// Changes the contacts that may be, and forgets all tangents.
    pub fn renew(&mut self, sample: &Sample, joined: Vec<Vec<usize>>) -> Result<(), Singular> {
        if self.joined == joined && self.rim.len() == sample.nodes() {
            self.grains.iter_mut().for_each(|kept| kept.made.clear());
        } else {
            *self = System::new(sample, joined)?;
        }
        Ok(())
    }

    /// Makes the tangents of all grains that have deformed, K_i + rate² M + rate C (eqs D.3, D.6).
    pub fn stiffen(
        &mut self,
        sample: &Sample,
        displacement: &[DVec2],
        flows: &Flows,
        motion: &Kinematics,
        stale: f64,
    ) -> Result<(), StepError> {
        let Kinematics { rate, weight, .. } = *motion;
        self.grains.par_iter_mut().enumerate().try_for_each(|(g, kept)| {
            let nodes = sample.nodes_of(g);
            let now = &displacement[nodes.clone()];
            if !kept.made.is_empty() && moved(&kept.made, now) < stale * sample.grains[g].bulk.spacing() {
                return Ok(());
            }
            let mut matrix =
                sample.grain_tangent(g, now, flows, (rate * rate, rate)).ok_or(StepError::InsideOut(g))?;
            if weight != 1.0 {
                matrix.iter_mut().for_each(|entry| *entry *= weight);
            }
            let size = 2 * nodes.len();
            for held in sample.held.iter().filter(|h| nodes.contains(&(*h / 2))).map(|h| h - 2 * nodes.start)
            {
                (0..held).for_each(|column| matrix[column * size + held] = 0.0);
                matrix[held * size..(held + 1) * size].fill(0.0);
                matrix[held * size + held] = 1.0;
            }
            let order: Vec<usize> = kept.order.iter().map(|k| k - nodes.start).collect();
            kept.condensed = Condensed::new(permuted(&matrix, &order), 2 * kept.outer)?;
            kept.made = now.to_vec();
            Ok(())
        })
    }

    /// K δU = R. What is not symmetric in the tangent, eq. (B.4) and sliding, is brought in by going back to it with the factors of the
    /// symmetric part, until no more than `left` of the whole is left out.
    pub fn solve(
        &mut self,
        sample: &Sample,
        joints: &[Joint],
        side: &mut [f64],
        left: f64,
    ) -> Result<(), Singular> {
        let mut column = 0;
        for kept in &self.grains {
            for k in 0..2 * kept.outer {
                self.matrix.set_column(column, kept.condensed.column(k));
                column += 1;
            }
        }
        // Held unknowns are joined to nothing.
        let free = |joint: &Joint| -> Vec<Option<usize>> {
            (joint.nodes[..joint.count].iter().flat_map(|k| [2 * k, 2 * k + 1]))
                .map(|u| (!sample.held.contains(&u)).then(|| 2 * self.rim[u / 2] + u % 2))
                .collect()
        };
        let unknowns: Vec<Vec<Option<usize>>> = joints.iter().map(free).collect();
        for (joint, unknowns) in joints.iter().zip(&unknowns) {
            let t = &joint.element.symmetric;
            for (i, row) in unknowns.iter().enumerate().filter_map(|(i, u)| Some((i, (*u)?))) {
                for (j, column) in unknowns.iter().enumerate().filter_map(|(j, u)| Some((j, (*u)?))) {
                    if row >= column {
                        self.matrix.add(row, column, t[i][j]);
                    }
                }
            }
        }
        self.matrix.factorise()?;
        let mut parts: Vec<Vec<f64>> = (self.grains.par_iter())
            .map(|kept| {
                let of_node = |k: &usize| [side[2 * k], side[2 * k + 1]];
                let mut part: Vec<f64> = kept.order.iter().flat_map(of_node).collect();
                kept.condensed.forward(&mut part);
                part
            })
            .collect();
        let mut change: Vec<f64> = (parts.iter().zip(&self.grains))
            .flat_map(|(part, kept)| part[..2 * kept.outer].iter().copied())
            .collect();
        self.matrix.solve(&mut change);
        self.skew(joints, &unknowns, &mut change, left);
        let mut from = 0;
        for (part, kept) in parts.iter_mut().zip(&self.grains) {
            part[..2 * kept.outer].copy_from_slice(&change[from..from + 2 * kept.outer]);
            from += 2 * kept.outer;
        }
        parts.par_iter_mut().zip(&self.grains).for_each(|(part, kept)| kept.condensed.backward(part));
        for (part, kept) in parts.iter().zip(&self.grains) {
            for (k, x) in kept.order.iter().zip(part.chunks_exact(2)) {
                side[2 * k..2 * k + 2].copy_from_slice(x);
            }
        }
        Ok(())
    }

    /// From S⁻¹ R to (S + N)⁻¹ R, N being what is left out of the symmetric part: generalised minimal residuals, with S⁻¹ before the matrix.
    fn skew(&mut self, joints: &[Joint], unknowns: &[Vec<Option<usize>>], change: &mut [f64], left: f64) {
        let rest = |x: &[f64]| {
            let mut out = vec![0.0; x.len()];
            for (joint, unknowns) in joints.iter().zip(unknowns) {
                let t = &joint.element.rest;
                for (i, row) in unknowns.iter().enumerate().filter_map(|(i, u)| Some((i, (*u)?))) {
                    let columns = unknowns.iter().enumerate().filter_map(|(j, u)| Some((j, (*u)?)));
                    out[row] += columns.map(|(j, u)| t[i][j] * x[u]).sum::<f64>();
                }
            }
            out
        };
        gmres::solve(change, left, |x| {
            let mut out = rest(x);
            self.matrix.solve(&mut out);
            out.iter_mut().zip(x).for_each(|(out, x)| *out += x);
            out
        });
    }
}

/// The lower triangle of a symmetric matrix with two columns a node, nodes in another order.
fn permuted(matrix: &[f64], order: &[usize]) -> Vec<f64> {
    let size = 2 * order.len();
    let mut out = vec![0.0; matrix.len()];
    for (a, &from) in order.iter().enumerate() {
        for (b, &to) in order.iter().enumerate().skip(a) {
            for (i, j) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                let (row, column) = (2 * to + i, 2 * from + j);
                out[(2 * a + j) * size + 2 * b + i] = matrix[row.min(column) * size + row.max(column)];
            }
        }
    }
    out
}

/// How far nodes have moved at most, less the mean of all.
fn moved(from: &[DVec2], to: &[DVec2]) -> f64 {
    let mean = from.iter().zip(to).map(|(a, b)| *b - *a).sum::<DVec2>() / from.len() as f64;
    from.iter().zip(to).map(|(a, b)| (*b - *a - mean).length_squared()).fold(0.0, f64::max).sqrt()
}
