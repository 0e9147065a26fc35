//! Grains and walls together: where nodes are, which of them may touch what, and what all of it pushes with.

use std::collections::HashMap;

use glam::DVec2;
use rayon::prelude::*;

use crate::{
    bulk::{Bulk, Flow},
    element::{self, Element, Friction, NODES, Pressure},
    fill::Filling,
    spline::{self, Projection},
};

/// A grain with its damping.
#[derive(Debug, Clone)]
pub struct SampleGrain {
    pub filling: Filling,
    pub bulk: Bulk,
    pub damping: Damping,
    /// Which of the sample's materials it is.
    pub material: usize,
}

/// What takes energy out of a grain.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Damping {
    /// Rayleigh's α, eq. (24), 1/s: slows everything that moves.
    pub mass: f64,
    /// Rayleigh's β, s: by the tangent of the grain as it was made, so that turning is slowed too.
    pub stiffness: f64,
    /// Time of a viscous stress beside the elastic one, s, by the rate of the Green-Lagrange strain: rigid motion is left alone.
    pub viscous: f64,
}

/// How all nodes move at a moment, for damping.
#[derive(Debug, Clone, Default)]
pub struct Flows {
    pub velocity: Vec<DVec2>,
    /// Of the strain's rate: what goes with strain, 1/s, and what is added at every Gauss point of every grain.
    pub rate: f64,
    pub constant: Vec<Vec<[f64; 3]>>,
}

/// A straight wall without end, solid behind its normal.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StraightWall {
    pub point: DVec2,
    pub normal: DVec2,
    pub material: usize,
    /// How far it has moved since the sub-step began, m.
    pub moved: DVec2,
}

impl StraightWall {
    /// At rest, of the first material.
    pub fn new(point: DVec2, normal: DVec2) -> Self {
        StraightWall { point, normal, material: 0, moved: DVec2::ZERO }
    }
}

/// How two materials hold on to each other.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Grip {
    /// Coulomb's coefficient of friction.
    pub friction: f64,
    /// The tension that parts what has touched, Pa.
    pub adhesion: f64,
}

/// All grains and walls. Nodes of all grains are counted through, grain after grain.
#[derive(Debug, Clone)]
pub struct Sample {
    pub grains: Vec<SampleGrain>,
    pub walls: Vec<StraightWall>,
    /// Force on every node from outside, N per metre of depth: their weight, and what is added.
    pub load: Vec<DVec2>,
    /// Fixed degrees of freedom: twice the number of a node for x, one more for y.
    pub held: Vec<usize>,
    /// For every pair of materials, row by row; none: all slide and part freely.
    pub grips: Vec<Grip>,
    /// Number of the first node of every grain, and at the end of all.
    first: Vec<usize>,
    /// Tangents of the grains as they were made, for eq. (24): lower triangles.
    rest: Vec<Vec<f64>>,
}

/// The contact partner of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum NodePartner {
    Grain(u32),
    Wall(u32),
}

/// Multipliers of a node and its partner at the last equilibrium.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ContactMultipliers {
    /// -λ of eq. (21), Pa: below 0 only where they are bonded.
    pub pressure: f64,
    /// Along the outline of the partner, Pa: its multiplier.
    pub traction: f64,
    /// They have touched, and stick together.
    pub bonded: bool,
}

/// A boundary node and something that it may touch.
#[derive(Debug, Clone, PartialEq)]
pub struct Watch {
    /// Which grain, and which of its boundary nodes.
    pub grain: u32,
    pub node: u32,
    pub partner: NodePartner,
    pub hold: ContactMultipliers,
    /// Pieces of the partner's outline that are near, by their first node.
    pieces: Vec<u32>,
}

/// Of the distance that is watched: what touches may be this much inside without having moved.
const SLACK: f64 = 1e-3;

/// The contact of a watched node in the current configuration.
#[derive(Debug, Clone, Copy)]
pub struct NodeContact {
    pub gap: f64,
    kind: Where,
}

impl NodeContact {
    /// Out of the partner.
    pub fn normal(&self) -> DVec2 {
        match self.kind {
            Where::Wall(normal) => normal,
            Where::Grain(_, at) => at.normal,
        }
    }

    /// What the four nodes of the partner's piece count for; those of a wall for nothing.
    pub fn shares(&self) -> [f64; 4] {
        match self.kind {
            Where::Wall(_) => [0.0; 4],
            Where::Grain(_, at) => spline::functions(at.xi)[0],
        }
    }
}

#[derive(Debug, Clone, Copy)]
enum Where {
    Wall(DVec2),
    Grain(u32, Projection),
}

impl Sample {
    /// `gravity` in N/kg. `None`: a grain has no tangent as it was made.
    pub fn new(grains: Vec<SampleGrain>, walls: Vec<StraightWall>, gravity: DVec2) -> Option<Self> {
        let mut first = vec![0];
        for grain in &grains {
            first.push(first[first.len() - 1] + grain.bulk.nodes());
        }
        let rest = grains
            .par_iter()
            .map(|grain| {
                let n = grain.bulk.nodes();
                let mut matrix = vec![0.0; 4 * n * n];
                grain.bulk.stiffen(&vec![DVec2::ZERO; n], &Flow::default(), &mut matrix)?;
                Some(matrix)
            })
            .collect::<Option<Vec<_>>>()?;
        let load = grains.iter().flat_map(|g| g.bulk.body_force(gravity)).collect();
        Some(Sample { grains, walls, load, held: Vec::new(), grips: Vec::new(), first, rest })
    }

    pub fn nodes(&self) -> usize {
        self.first[self.grains.len()]
    }

    pub fn nodes_of(&self, grain: usize) -> std::ops::Range<usize> {
        self.first[grain]..self.first[grain + 1]
    }

    /// Shear modulus over the distance of nodes, Pa/m, at most.
    pub fn node_stiffness(&self) -> f64 {
        self.grains.iter().map(|g| g.bulk.shear_modulus() / g.bulk.spacing()).fold(0.0, f64::max)
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
    pub fn element_nodes(&self, watch: &Watch, touch: &NodeContact) -> ([usize; NODES], usize) {
        let [a, b, c] = self.slave(watch);
        match (watch.partner, touch.kind) {
            (NodePartner::Grain(master), Where::Grain(piece, _)) => {
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
        if let NodePartner::Grain(master) = watch.partner {
            nodes.extend(watch.pieces.iter().flat_map(|&p| self.piece(master, p)));
        }
        nodes.sort_unstable();
        nodes.dedup();
        nodes
    }

    /// Boundary nodes that are nearer than `reach` to a wall or to the outline of another grain; what holds them is taken over
    /// from `old`. Broad phase by the boxes of grains, sorted along x; then boxes of pieces.
    pub fn watch(&self, positions: &[DVec2], reach: f64, old: &[Watch]) -> Vec<Watch> {
        let kept: HashMap<(u32, u32, NodePartner), ContactMultipliers> =
            old.iter().map(|w| ((w.grain, w.node, w.partner), w.hold)).collect();
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
                let mut push = |partner: NodePartner, pieces: Vec<u32>| {
                    let (grain, node) = (g as u32, node as u32);
                    let hold = kept.get(&(grain, node, partner)).copied().unwrap_or_default();
                    found.push(Watch { grain, node, partner, hold, pieces });
                };
                for (w, wall) in self.walls.iter().enumerate() {
                    if (*x - wall.point).dot(wall.normal) < reach {
                        push(NodePartner::Wall(w as u32), Vec::new());
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
                        push(NodePartner::Grain(master as u32), pieces);
                    }
                }
            }
            found
        };
        (0..self.grains.len()).into_par_iter().flat_map_iter(of_grain).collect()
    }

    /// How far a watched node is from its partner now; `None` where none of the pieces is opposite. `moves`: of all nodes since they were
    /// apart, or in touch.
    pub fn touch(
        &self,
        watch: &Watch,
        positions: &[DVec2],
        moves: &[DVec2],
        reach: f64,
    ) -> Option<NodeContact> {
        let node = self.along(watch.grain, watch.node, 0);
        let x = positions[node];
        match watch.partner {
            NodePartner::Wall(w) => {
                let StraightWall { point, normal, .. } = self.walls[w as usize];
                Some(NodeContact { gap: (x - point).dot(normal), kind: Where::Wall(normal) })
            }
            NodePartner::Grain(master) => watch
                .pieces
                .iter()
                .filter_map(|&p| {
                    let nodes = self.piece(master, p);
                    let at = spline::closest(nodes.map(|k| positions[k]), x)?;
                    // What is farther in than it can have come is behind the outline of the other side, as at a sharp end.
                    let come = nodes.iter().map(|k| moves[*k].length()).fold(0.0, f64::max);
                    let deepest = moves[node].length() + come + SLACK * reach;
                    (at.gap.abs() < reach && at.gap > -deepest)
                        .then_some(NodeContact { gap: at.gap, kind: Where::Grain(p, at) })
                })
                .min_by(|a, b| a.gap.abs().total_cmp(&b.gap.abs())),
        }
    }

    pub fn grip(&self, watch: &Watch) -> Grip {
        let own = self.grains[watch.grain as usize].material;
        let other = match watch.partner {
            NodePartner::Grain(g) => self.grains[g as usize].material,
            NodePartner::Wall(w) => self.walls[w as usize].material,
        };
        let materials = self.grips.len().isqrt();
        self.grips.get(own * materials + other).copied().unwrap_or_default()
    }

    /// T_C of eq. (21), Pa; `None` where nothing is pushed. What is bonded is held from either side: whether it parts is seen when all balances.
    pub fn pressure(&self, watch: &Watch, touch: &NodeContact, stiffness: f64) -> Option<f64> {
        let pressure = watch.hold.pressure - stiffness * touch.gap;
        (pressure > 0.0 || watch.hold.bonded).then_some(pressure)
    }

    /// Eqs (21)-(23), for a pressure and a stiffness. `moves`: of all nodes since the sub-step began.
    pub fn element(
        &self,
        watch: &Watch,
        touch: &NodeContact,
        (pressure, stiffness): (f64, f64),
        positions: &[DVec2],
        moves: &[DVec2],
    ) -> Element {
        let push = Pressure { pressure, stiffness };
        let grip = self.grip(watch);
        let (nodes, _) = self.element_nodes(watch, touch);
        let friction = (grip.friction > 0.0).then(|| Friction {
            coefficient: grip.friction,
            bond: if watch.hold.bonded { grip.adhesion } else { 0.0 },
            traction: watch.hold.traction,
            moves: nodes.map(|k| moves[k]),
            wall: match watch.partner {
                NodePartner::Wall(w) => self.walls[w as usize].moved,
                NodePartner::Grain(_) => DVec2::ZERO,
            },
        });
        let slave = [0, 1, 2].map(|k| positions[nodes[k]]);
        match touch.kind {
            Where::Wall(normal) => element::on_wall(slave, normal, push, friction.as_ref()),
            Where::Grain(_, at) => element::on_grain(slave, &at, push, friction.as_ref()),
        }
    }

    fn flow<'a>(&self, g: usize, flows: &'a Flows) -> Flow<'a> {
        let damping = self.grains[g].damping;
        Flow {
            rayleigh: if flows.velocity.is_empty() { 0.0 } else { damping.stiffness },
            velocity: flows.velocity.get(self.nodes_of(g)).unwrap_or_default(),
            viscous: (damping.viscous, flows.rate),
            constant: flows.constant.get(g).map_or(&[], |c| c),
        }
    }

    /// What the deformation of all grains, and its damping, pushes their nodes with, and its energy; or the grain that is inside out.
    pub fn inner_forces(&self, displacement: &[DVec2], flows: &Flows) -> Result<(Vec<DVec2>, f64), usize> {
        let parts: Vec<(Vec<DVec2>, f64)> = (0..self.grains.len())
            .into_par_iter()
            .map(|g| {
                let bulk = &self.grains[g].bulk;
                let mut force = vec![DVec2::ZERO; bulk.nodes()];
                let energy =
                    bulk.push(&displacement[self.nodes_of(g)], &self.flow(g, flows), &mut force).ok_or(g)?;
                Ok((force, energy))
            })
            .collect::<Result<_, usize>>()?;
        let energy = parts.iter().map(|p| p.1).sum();
        Ok((parts.into_iter().flat_map(|p| p.0).collect(), energy))
    }

    /// Mass times two rates of every node.
    pub fn mass_times(&self, first: &[DVec2], second: &[DVec2]) -> (Vec<DVec2>, Vec<DVec2>) {
        let of_grain = |g: usize| {
            let (n, nodes) = (self.grains[g].bulk.nodes(), self.nodes_of(g));
            // One column after the other, so that sums run along them.
            let mut sums = [const { Vec::new() }; 4].map(|_: Vec<f64>| vec![0.0; n]);
            let [ax, ay, bx, by] = &mut sums;
            let rates = first[nodes.clone()].iter().zip(&second[nodes]);
            for (mass, (a, b)) in self.grains[g].bulk.mass.chunks_exact(n).zip(rates) {
                for (k, m) in mass.iter().enumerate() {
                    ax[k] += m * a.x;
                    ay[k] += m * a.y;
                    bx[k] += m * b.x;
                    by[k] += m * b.y;
                }
            }
            (0..n).map(|k| (DVec2::new(ax[k], ay[k]), DVec2::new(bx[k], by[k]))).collect::<Vec<_>>()
        };
        (0..self.grains.len()).into_par_iter().flat_map_iter(of_grain).unzip()
    }

    /// What Rayleigh's α takes of the momentum of every node, N.
    pub fn slowed(&self, momentum: &[DVec2]) -> Vec<DVec2> {
        let alphas = (0..self.grains.len()).flat_map(|g| self.nodes_of(g).map(move |_| g));
        alphas.zip(momentum).map(|(g, p)| self.grains[g].damping.mass * *p).collect()
    }

    /// The mass of one grain, for both directions of every node: lower triangle, column by column.
    pub fn grain_mass(&self, g: usize) -> Vec<f64> {
        let n = self.grains[g].bulk.nodes();
        let mut matrix = vec![0.0; 4 * n * n];
        self.add_mass(g, 1.0, &mut matrix);
        matrix
    }

    fn add_mass(&self, g: usize, factor: f64, matrix: &mut [f64]) {
        let bulk = &self.grains[g].bulk;
        let n = bulk.nodes();
        for (column, mass) in bulk.mass.chunks_exact(n).enumerate() {
            let (first, second) = matrix[4 * column * n..4 * (column + 1) * n].split_at_mut(2 * n);
            for (row, m) in mass.iter().enumerate().skip(column) {
                first[2 * row] += factor * m;
                second[2 * row + 1] += factor * m;
            }
        }
    }

    /// The tangent of one grain for displacements of its nodes: K_i + a M + b C (eqs D.3, D.6), lower triangle, column by column.
    pub fn grain_tangent(
        &self,
        g: usize,
        displacement: &[DVec2],
        flows: &Flows,
        (a, b): (f64, f64),
    ) -> Option<Vec<f64>> {
        let grain = &self.grains[g];
        let Damping { mass, stiffness, .. } = grain.damping;
        let mut matrix: Vec<f64> = self.rest[g].iter().map(|k| b * stiffness * k).collect();
        self.add_mass(g, a + b * mass, &mut matrix);
        grain.bulk.stiffen(displacement, &self.flow(g, flows), &mut matrix)?;
        Some(matrix)
    }
}
