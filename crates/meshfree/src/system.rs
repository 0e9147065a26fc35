//! The equations of a Newton step, eq. (14): grains condensed to their outlines, joined by contacts.

use glam::DVec2;
use rayon::prelude::*;

use crate::{
    condense::Condensed,
    element::{Element, NODES},
    gmres,
    sample::{Flows, Sample},
    sparse::{Singular, Symmetric},
    step::StepError,
};

/// A grain's tangent is made anew when its nodes have moved by more than this of their distance since, other than all alike: below it Newton's
/// steps are as good.
const STALE: f64 = 1e-4;

/// A contact that pushes: its nodes, how many of them there are, and what it pushes with.
pub struct Joint {
    pub nodes: [usize; NODES],
    pub count: usize,
    pub element: Element,
}

pub struct System {
    /// Nodes that contacts may join: the pattern of the matrix.
    joined: Vec<Vec<usize>>,
    /// Of all nodes on outlines, counted through.
    matrix: Symmetric,
    /// Number of every node among those on outlines.
    rim: Vec<usize>,
    grains: Vec<Kept>,
}

/// What is kept of a grain.
#[derive(Default)]
struct Kept {
    condensed: Condensed,
    /// Displacements for which it was made; none: it is to be made.
    made: Vec<DVec2>,
}

impl System {
    pub fn new(sample: &Sample, joined: Vec<Vec<usize>>) -> Result<Self, Singular> {
        let mut rim = vec![usize::MAX; sample.nodes()];
        let mut ends = Vec::new();
        for (g, grain) in sample.grains.iter().enumerate() {
            let (first, start) = (sample.nodes_of(g).start, ends.len());
            let end = start + grain.filling.boundary;
            (0..grain.filling.boundary).for_each(|k| rim[first + k] = start + k);
            ends.resize(end, end);
        }
        // A grain's own outline is full; of other grains those after it.
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
        let matrix = Symmetric::new(&columns)?;
        let grains = sample.grains.iter().map(|_| Kept::default()).collect();
        Ok(System { joined, matrix, rim, grains })
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
        rate: f64,
    ) -> Result<(), StepError> {
        self.grains.par_iter_mut().enumerate().try_for_each(|(g, kept)| {
            let nodes = sample.nodes_of(g);
            let now = &displacement[nodes.clone()];
            let grain = &sample.grains[g];
            if !kept.made.is_empty() && moved(&kept.made, now) < STALE * grain.bulk.spacing() {
                return Ok(());
            }
            let mut matrix =
                sample.grain_tangent(g, now, flows, (rate * rate, rate)).ok_or(StepError::InsideOut(g))?;
            let size = 2 * nodes.len();
            for held in sample.held.iter().filter(|h| nodes.contains(&(*h / 2))).map(|h| h - 2 * nodes.start)
            {
                (0..held).for_each(|column| matrix[column * size + held] = 0.0);
                matrix[held * size..(held + 1) * size].fill(0.0);
                matrix[held * size + held] = 1.0;
            }
            kept.condensed = Condensed::new(matrix, 2 * grain.filling.boundary)?;
            kept.made = now.to_vec();
            Ok(())
        })
    }

    /// K δU = R. What is not symmetric in the tangent, eq. (B.4) and sliding, is brought in by going back to it with the factors of the
    /// symmetric part.
    pub fn solve(&mut self, sample: &Sample, joints: &[Joint], side: &mut [f64]) -> Result<(), Singular> {
        let mut column = 0;
        for (grain, kept) in sample.grains.iter().zip(&self.grains) {
            for k in 0..2 * grain.filling.boundary {
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
        let mut parts = Vec::new();
        let mut rest = side;
        for g in 0..sample.grains.len() {
            let (part, after) = rest.split_at_mut(2 * sample.nodes_of(g).len());
            parts.push(part);
            rest = after;
        }
        parts.par_iter_mut().zip(&self.grains).for_each(|(part, kept)| kept.condensed.forward(part));
        let outer = |g: usize| 2 * sample.grains[g].filling.boundary;
        let mut change: Vec<f64> =
            parts.iter().enumerate().flat_map(|(g, part)| part[..outer(g)].to_vec()).collect();
        self.matrix.solve(&mut change);
        self.skew(joints, &unknowns, &mut change);
        let mut from = 0;
        for (g, part) in parts.iter_mut().enumerate() {
            part[..outer(g)].copy_from_slice(&change[from..from + outer(g)]);
            from += outer(g);
        }
        parts.par_iter_mut().zip(&self.grains).for_each(|(part, kept)| kept.condensed.backward(part));
        Ok(())
    }

    /// From S⁻¹ R to (S + N)⁻¹ R, N being what is left out of the symmetric part: generalised minimal residuals, with S⁻¹ before the matrix.
    fn skew(&mut self, joints: &[Joint], unknowns: &[Vec<Option<usize>>], change: &mut [f64]) {
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
        gmres::solve(change, |x| {
            let mut out = rest(x);
            self.matrix.solve(&mut out);
            out.iter_mut().zip(x).for_each(|(out, x)| *out += x);
            out
        });
    }
}

/// How far nodes have moved at most, less the mean of all.
fn moved(from: &[DVec2], to: &[DVec2]) -> f64 {
    let mean = from.iter().zip(to).map(|(a, b)| *b - *a).sum::<DVec2>() / from.len() as f64;
    from.iter().zip(to).map(|(a, b)| (*b - *a - mean).length_squared()).fold(0.0, f64::max).sqrt()
}
