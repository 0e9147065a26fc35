//! Grains and walls together: where nodes are, which of them may touch what, and what all of it pushes with.

use std::collections::HashMap;

use glam::DVec2;
use rayon::prelude::*;

use crate::{
    bulk::Bulk,
    element::{self, Element, NODES},
    fill::Filling,
    spline::{self, Closest},
};

/// A grain with its damping.
#[derive(Debug, Clone)]
pub struct Grain {
    pub filling: Filling,
    pub bulk: Bulk,
    /// Rayleigh's α and β, eq. (24): 1/s and s.
    pub damping: (f64, f64),
}

/// A straight wall without end, solid behind its normal.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wall {
    pub point: DVec2,
    pub normal: DVec2,
}

/// All grains and walls. Nodes of all grains are counted through, grain after grain.
#[derive(Debug, Clone)]
pub struct Sample {
    pub grains: Vec<Grain>,
    pub walls: Vec<Wall>,
    /// Force on every node from outside, N per metre of depth: their weight, and what is added.
    pub load: Vec<DVec2>,
    /// What stays where it is: twice the number of a node for x, one more for y.
    pub held: Vec<usize>,
    /// Number of the first node of every grain, and at the end of all.
    first: Vec<usize>,
    /// Tangents of the grains as they were made, for eq. (24): lower triangles.
    rest: Vec<Vec<f64>>,
}

/// What a node touches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Partner {
    Grain(u32),
    Wall(u32),
}

/// A boundary node and something that it may touch.
#[derive(Debug, Clone, PartialEq)]
pub struct Watch {
    /// Which grain, and which of its boundary nodes.
    pub grain: u32,
    pub node: u32,
    pub partner: Partner,
    /// λ of eq. (21), Pa: not above 0.
    pub multiplier: f64,
    /// Pieces of the partner's outline that are near, by their first node.
    pieces: Vec<u32>,
}

/// A watched node where it is.
#[derive(Debug, Clone, Copy)]
pub struct Touch {
    pub gap: f64,
    kind: Where,
}

#[derive(Debug, Clone, Copy)]
enum Where {
    Wall(DVec2),
    Grain(u32, Closest),
}

impl Sample {
    /// `gravity` in N/kg. `None`: a grain has no tangent as it was made.
    pub fn new(grains: Vec<Grain>, walls: Vec<Wall>, gravity: DVec2) -> Option<Self> {
        let mut first = vec![0];
        for grain in &grains {
            first.push(first[first.len() - 1] + grain.bulk.nodes());
        }
        let rest = grains
            .par_iter()
            .map(|grain| {
                let n = grain.bulk.nodes();
                let mut matrix = vec![0.0; 4 * n * n];
                grain.bulk.stiffen(&vec![DVec2::ZERO; n], &mut matrix)?;
                Some(matrix)
            })
            .collect::<Option<Vec<_>>>()?;
        let load = grains.iter().flat_map(|g| g.bulk.body_force(gravity)).collect();
        Some(Sample { grains, walls, load, held: Vec::new(), first, rest })
    }

    pub fn nodes(&self) -> usize {
        self.first[self.grains.len()]
    }

    pub fn nodes_of(&self, grain: usize) -> std::ops::Range<usize> {
        self.first[grain]..self.first[grain + 1]
    }

    pub fn positions(&self, displacement: &[DVec2]) -> Vec<DVec2> {
        let reference = self.grains.iter().flat_map(|g| &g.filling.nodes);
        reference.zip(displacement).map(|(x, u)| *x + *u).collect()
    }

    /// The boundary node after `by` others of the same grain.
    fn along(&self, grain: u32, node: u32, by: u32) -> usize {
        let boundary = self.grains[grain as usize].filling.boundary as u32;
        self.first[grain as usize] + ((node + boundary + by) % boundary) as usize
    }

    /// A node between its neighbours.
    fn slave(&self, watch: &Watch) -> [usize; 3] {
        let boundary = self.grains[watch.grain as usize].filling.boundary as u32;
        [boundary - 1, 0, 1].map(|by| self.along(watch.grain, watch.node, by))
    }

    /// The nodes of an element, as they are counted.
    pub fn element_nodes(&self, watch: &Watch, touch: &Touch) -> ([usize; NODES], usize) {
        let [a, b, c] = self.slave(watch);
        match (watch.partner, touch.kind) {
            (Partner::Grain(master), Where::Grain(piece, _)) => {
                let [m0, m1, m2, m3] = self.piece(master, piece);
                ([a, b, c, m0, m1, m2, m3], NODES)
            }
            // What follows the three is not used.
            _ => ([a, b, c, a, a, a, a], 3),
        }
    }

    fn piece(&self, grain: u32, first: u32) -> [usize; 4] {
        let boundary = self.grains[grain as usize].filling.boundary as u32;
        [boundary - 1, 0, 1, 2].map(|by| self.along(grain, first, by))
    }

    /// All nodes that a watch may come to join.
    pub fn reach(&self, watch: &Watch) -> Vec<usize> {
        let mut nodes = self.slave(watch).to_vec();
        if let Partner::Grain(master) = watch.partner {
            nodes.extend(watch.pieces.iter().flat_map(|&p| self.piece(master, p)));
        }
        nodes.sort_unstable();
        nodes.dedup();
        nodes
    }

    /// Boundary nodes that are nearer than `reach` to a wall or to the outline of another grain; multipliers are taken over
    /// from `old`. Broad phase by the boxes of grains, sorted along x; then boxes of pieces.
    pub fn watch(&self, positions: &[DVec2], reach: f64, old: &[Watch]) -> Vec<Watch> {
        let kept: HashMap<(u32, u32, Partner), f64> =
            old.iter().map(|w| ((w.grain, w.node, w.partner), w.multiplier)).collect();
        let outline = |g: usize| {
            let first = self.first[g];
            &positions[first..first + self.grains[g].filling.boundary]
        };
        let boxes: Vec<(DVec2, DVec2)> = (0..self.grains.len())
            .map(|g| {
                let fold = outline(g)
                    .iter()
                    .fold((DVec2::INFINITY, DVec2::NEG_INFINITY), |(l, h), p| (l.min(*p), h.max(*p)));
                (fold.0 - reach, fold.1 + reach)
            })
            .collect();
        let mut order: Vec<usize> = (0..boxes.len()).collect();
        order.sort_by(|a, b| boxes[*a].0.x.total_cmp(&boxes[*b].0.x));
        let mut near: Vec<Vec<usize>> = vec![Vec::new(); boxes.len()];
        for (k, &a) in order.iter().enumerate() {
            for &b in order[k + 1..].iter().take_while(|b| boxes[**b].0.x <= boxes[a].1.x) {
                if boxes[a].0.y <= boxes[b].1.y && boxes[b].0.y <= boxes[a].1.y {
                    near[a].push(b);
                    near[b].push(a);
                }
            }
        }
        let of_grain = |g: usize| {
            let mut found = Vec::new();
            let mut masters = near[g].clone();
            masters.sort_unstable();
            for (node, x) in outline(g).iter().enumerate() {
                let mut push = |partner: Partner, pieces: Vec<u32>| {
                    let (grain, node) = (g as u32, node as u32);
                    let multiplier = kept.get(&(grain, node, partner)).copied().unwrap_or(0.0);
                    found.push(Watch { grain, node, partner, multiplier, pieces });
                };
                for (w, wall) in self.walls.iter().enumerate() {
                    if (*x - wall.point).dot(wall.normal) < reach {
                        push(Partner::Wall(w as u32), Vec::new());
                    }
                }
                for &master in &masters {
                    let (low, high) = boxes[master];
                    if !(x.cmpge(low).all() && x.cmple(high).all()) {
                        continue;
                    }
                    let points = outline(master);
                    let n = points.len();
                    let pieces: Vec<u32> = (0..n)
                        .filter(|&p| {
                            let (a, b) = (points[p], points[(p + 1) % n]);
                            // The cubic bulges out of its chord by an eighth of the bend.
                            let room = reach + 0.3 * a.distance(b);
                            x.cmpge(a.min(b) - room).all() && x.cmple(a.max(b) + room).all()
                        })
                        .map(|p| p as u32)
                        .collect();
                    if !pieces.is_empty() {
                        push(Partner::Grain(master as u32), pieces);
                    }
                }
            }
            found
        };
        (0..self.grains.len()).into_par_iter().flat_map_iter(of_grain).collect()
    }

    /// How far a watched node is from its partner now; `None` where none of the pieces is opposite.
    pub fn touch(&self, watch: &Watch, positions: &[DVec2], reach: f64) -> Option<Touch> {
        let x = positions[self.along(watch.grain, watch.node, 0)];
        match watch.partner {
            Partner::Wall(w) => {
                let Wall { point, normal } = self.walls[w as usize];
                Some(Touch { gap: (x - point).dot(normal), kind: Where::Wall(normal) })
            }
            Partner::Grain(master) => watch
                .pieces
                .iter()
                .filter_map(|&p| {
                    let at = spline::closest(self.piece(master, p).map(|k| positions[k]), x)?;
                    Some(Touch { gap: at.gap, kind: Where::Grain(p, at) })
                })
                .min_by(|a, b| a.gap.abs().total_cmp(&b.gap.abs()))
                // What is farther in has come through from the other side.
                .filter(|t| t.gap.abs() < reach),
        }
    }

    /// Eqs (21)-(23); `None` where nothing is pushed.
    pub fn element(
        &self,
        watch: &Watch,
        touch: &Touch,
        stiffness: f64,
        positions: &[DVec2],
    ) -> Option<Element> {
        let pressure = -watch.multiplier - stiffness * touch.gap;
        if pressure <= 0.0 {
            return None;
        }
        let slave = self.slave(watch).map(|k| positions[k]);
        Some(match touch.kind {
            Where::Wall(normal) => element::on_wall(slave, normal, pressure, stiffness),
            Where::Grain(_, at) => element::on_grain(slave, &at, pressure, stiffness),
        })
    }

    /// What the deformation of all grains pushes their nodes with, and its energy.
    pub fn inner_forces(&self, displacement: &[DVec2]) -> Option<(Vec<DVec2>, f64)> {
        let parts: Vec<(Vec<DVec2>, f64)> = (0..self.grains.len())
            .into_par_iter()
            .map(|g| {
                let mut force = vec![DVec2::ZERO; self.grains[g].bulk.nodes()];
                let energy = self.grains[g].bulk.push(&displacement[self.nodes_of(g)], &mut force)?;
                Some((force, energy))
            })
            .collect::<Option<_>>()?;
        let energy = parts.iter().map(|p| p.1).sum();
        Some((parts.into_iter().flat_map(|p| p.0).collect(), energy))
    }

    /// Mass times a rate of every node.
    pub fn mass_times(&self, rate: &[DVec2]) -> Vec<DVec2> {
        let of_grain = |g: usize| {
            let (n, mass) = (self.grains[g].bulk.nodes(), &self.grains[g].bulk.mass);
            let rate = &rate[self.nodes_of(g)];
            (0..n)
                .map(|a| mass[a * n..(a + 1) * n].iter().zip(rate).map(|(m, v)| *m * *v).sum())
                .collect::<Vec<DVec2>>()
        };
        (0..self.grains.len()).into_par_iter().flat_map_iter(of_grain).collect()
    }

    /// Eq. (24) times velocities.
    pub fn damping_times(&self, velocity: &[DVec2], mass_times_velocity: &[DVec2]) -> Vec<DVec2> {
        let of_grain = |g: usize| {
            let (alpha, beta) = self.grains[g].damping;
            let n = self.grains[g].bulk.nodes();
            let (v, mv) = (&velocity[self.nodes_of(g)], &mass_times_velocity[self.nodes_of(g)]);
            let flat: Vec<f64> = v.iter().flat_map(|v| v.to_array()).collect();
            let mut out: Vec<f64> = mv.iter().flat_map(|p| (alpha * *p).to_array()).collect();
            if beta != 0.0 {
                for (row, entries) in self.rest[g].chunks_exact(2 * n).enumerate() {
                    let (left, diagonal) = (&entries[..row], entries[row]);
                    let sum: f64 = left.iter().zip(&flat).map(|(k, v)| k * v).sum();
                    out[row] += beta * (sum + diagonal * flat[row]);
                    for (column, k) in left.iter().enumerate() {
                        out[column] += beta * k * flat[row];
                    }
                }
            }
            out.chunks_exact(2).map(DVec2::from_slice).collect::<Vec<_>>()
        };
        (0..self.grains.len()).into_par_iter().flat_map_iter(of_grain).collect()
    }

    /// The tangent of one grain: K_i + a M + b C (eqs D.3, D.6), lower triangle.
    pub fn grain_tangent(&self, g: usize, displacement: &[DVec2], a: f64, b: f64) -> Option<Vec<f64>> {
        let grain = &self.grains[g];
        let n = grain.bulk.nodes();
        let (alpha, beta) = grain.damping;
        let mut matrix: Vec<f64> = self.rest[g].iter().map(|k| b * beta * k).collect();
        let factor = a + b * alpha;
        for row in 0..n {
            for column in 0..=row {
                let m = factor * grain.bulk.mass[row * n + column];
                matrix[(2 * row) * 2 * n + 2 * column] += m;
                matrix[(2 * row + 1) * 2 * n + 2 * column + 1] += m;
            }
        }
        grain.bulk.stiffen(&displacement[self.nodes_of(g)], &mut matrix)?;
        Some(matrix)
    }
}
