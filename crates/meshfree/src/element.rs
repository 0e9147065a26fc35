//! What a boundary node and the outline of another grain, or a wall, push each other with, and how that changes as they move:
//! eqs (21)-(23) and appendices B and C of meshfree-2016, and Coulomb's friction,
//! which the paper leaves for later.

use glam::DVec2;

use crate::spline::{self, Projection};

/// Nodes of an element: the slave node between its two neighbours, then four of the master, which a wall has not.
pub const NODES: usize = 7;
const SIZE: usize = 2 * NODES;

/// A contact: force on every node, and minus its change with their places.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Element {
    pub force: [DVec2; NODES],
    /// Row by row: a symmetric part, and what is missing to the whole.
    pub symmetric: [[f64; SIZE]; SIZE],
    pub rest: [[f64; SIZE]; SIZE],
    /// What the node stands for of the outline, m.
    pub length: f64,
    /// Along the outline of the partner, Pa, and by how much a node that should stick has slipped, m.
    pub traction: f64,
    pub slip: f64,
}

/// What presses a node: T_C of eq. (21), and its change with the gap, k.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pressure {
    pub pressure: f64,
    pub stiffness: f64,
}

/// What resists slip.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Friction {
    pub coefficient: f64,
    /// Additional pressure of bonded contacts, Pa.
    pub bond: f64,
    /// The multiplier of slip, Pa.
    pub traction: f64,
    /// How far the nodes of the element have moved since the sub-step began, and the wall.
    pub moves: [DVec2; NODES],
    pub wall: DVec2,
}

/// Eq. (B.11): what the node stands for of its grain's outline, and how that changes with the places of the three.
fn length([before, node, after]: [DVec2; 3]) -> (f64, ElementRow) {
    let (first, second) = (node - before, after - node);
    let (l0, l1) = (first.length(), second.length());
    let (t0, t1) = (first / l0, second / l1);
    let mut slope = [0.0; SIZE];
    for (k, change) in [-t0, t0 - t1, t1].into_iter().enumerate() {
        slope[2 * k] = 0.5 * change.x;
        slope[2 * k + 1] = 0.5 * change.y;
    }
    (0.5 * (l0 + l1), slope)
}

type ElementRow = [f64; SIZE];

fn set(row: &mut ElementRow, node: usize, value: DVec2) {
    (row[2 * node], row[2 * node + 1]) = (value.x, value.y);
}

/// The partner's outline at the closest point, and how things there change with the places of the nodes.
struct MasterPoint {
    normal: DVec2,
    tangent: DVec2,
    /// Shape functions of the master nodes and their slopes; of a wall there are none.
    functions: [f64; 4],
    slopes: [f64; 4],
    /// Eq. (B.6): of the gap.
    gap: ElementRow,
    /// Of the local coordinate, eq. (B.5).
    slide: ElementRow,
    /// Of the direction of the tangent, rad.
    turn: ElementRow,
}

/// Appendix B: a node (between its neighbours) and a piece of another outline, of which the closest point is known.
pub fn on_grain(slave: [DVec2; 3], at: &Projection, push: Pressure, friction: Option<&Friction>) -> Element {
    let [n, d, _] = spline::functions(at.xi);
    let Projection { normal, gap, first, second, .. } = *at;
    // Eqs (B.6)-(B.8); the slave node comes first.
    let (mut b_n, mut b_t, mut b_turn) = ([0.0; SIZE], [0.0; SIZE], [0.0; SIZE]);
    set(&mut b_n, 1, normal);
    set(&mut b_t, 1, first);
    for k in 0..4 {
        set(&mut b_n, 3 + k, -n[k] * normal);
        set(&mut b_t, 3 + k, -n[k] * first);
        set(&mut b_turn, 3 + k, d[k] * normal);
    }
    let square = first.length_squared();
    let bend = normal.dot(second);
    let slide: ElementRow = std::array::from_fn(|i| (b_t[i] + gap * b_turn[i]) / (square - gap * bend));
    let turn: ElementRow = std::array::from_fn(|i| bend * slide[i] + b_turn[i]);
    // Eqs (B.1), (B.2) are this, the second derivative of the gap, times -T A.
    let curvature = |i: usize, j: usize| {
        gap / square * turn[i] * turn[j]
            - b_turn[i] * slide[j]
            - slide[i] * b_turn[j]
            - bend * slide[i] * slide[j]
    };
    let place = MasterPoint {
        normal,
        tangent: first / square.sqrt(),
        functions: n,
        slopes: d,
        gap: b_n,
        slide,
        turn: turn.map(|x| x / square.sqrt()),
    };
    element(slave, &place, push, curvature, friction)
}

/// Appendix C: a node and a straight wall. The four nodes of a master are not there.
pub fn on_wall(slave: [DVec2; 3], normal: DVec2, push: Pressure, friction: Option<&Friction>) -> Element {
    let mut b_n = [0.0; SIZE];
    set(&mut b_n, 1, normal);
    let place = MasterPoint {
        normal,
        tangent: -normal.perp(),
        functions: [0.0; 4],
        slopes: [0.0; 4],
        gap: b_n,
        slide: [0.0; SIZE],
        turn: [0.0; SIZE],
    };
    element(slave, &place, push, |_, _| 0.0, friction)
}

fn element(
    slave: [DVec2; 3],
    place: &MasterPoint,
    push: Pressure,
    gap_curvature: impl Fn(usize, usize) -> f64,
    friction: Option<&Friction>,
) -> Element {
    let (length, length_slope) = length(slave);
    let Pressure { pressure, stiffness } = push;
    let gap = &place.gap;
    // Eqs (B.1)-(B.3), and (B.4), which is not symmetric.
    let mut symmetric: [ElementRow; SIZE] = std::array::from_fn(|i| {
        std::array::from_fn(|j| length * (stiffness * gap[i] * gap[j] - pressure * gap_curvature(i, j)))
    });
    let mut whole = symmetric;
    for (row, g) in whole.iter_mut().zip(gap) {
        row.iter_mut().zip(&length_slope).for_each(|(entry, slope)| *entry -= pressure * g * slope);
    }
    let mut force: [DVec2; NODES] =
        std::array::from_fn(|k| pressure * length * DVec2::new(gap[2 * k], gap[2 * k + 1]));
    let (mut traction, mut slip) = (0.0, 0.0);
    if let Some(friction) = friction {
        let rubbing = Rubbing::new(place, push, friction);
        (traction, slip) = (rubbing.traction, rubbing.slip);
        rubbing.add(place, (length, length_slope), &mut force, &mut symmetric, &mut whole);
    }
    let rest = std::array::from_fn(|i| std::array::from_fn(|j| whole[i][j] - symmetric[i][j]));
    Element { force, symmetric, rest, length, traction, slip }
}

/// Coulomb's friction: a traction along the outline that keeps the node from slipping, as far as the pressure allows.
struct Rubbing {
    traction: f64,
    /// By how much the node has slipped although it should not have, m, and what holds it, Pa/m: both 0 where it slides.
    slip: f64,
    hold: f64,
    /// Changes of the traction with the places of the nodes.
    change: ElementRow,
    /// What the traction acts along: the slave one way, the masters the other.
    along: ElementRow,
}

impl Rubbing {
    fn new(place: &MasterPoint, push: Pressure, friction: &Friction) -> Self {
        let MasterPoint { normal, tangent, functions, slopes, .. } = *place;
        let mut along = [0.0; SIZE];
        set(&mut along, 1, tangent);
        let (mut relative, mut passed) = (friction.moves[1] - friction.wall, DVec2::ZERO);
        for k in 0..4 {
            set(&mut along, 3 + k, -functions[k] * tangent);
            relative -= functions[k] * friction.moves[3 + k];
            passed += slopes[k] * friction.moves[3 + k];
        }
        let slip = tangent.dot(relative);
        let trial = friction.traction - push.stiffness * slip;
        let most = friction.coefficient * (push.pressure + friction.bond).max(0.0);
        if trial.abs() < most {
            let change = std::array::from_fn(|j| {
                let slip =
                    along[j] + normal.dot(relative) * place.turn[j] - tangent.dot(passed) * place.slide[j];
                -push.stiffness * slip
            });
            return Rubbing { traction: trial, slip, hold: push.stiffness, change, along };
        }
        let change =
            std::array::from_fn(|j| -trial.signum() * friction.coefficient * push.stiffness * place.gap[j]);
        Rubbing { traction: most * trial.signum(), slip: 0.0, hold: 0.0, change, along }
    }

    /// Its part of forces and tangents. The symmetric part has only what holds a node that sticks.
    fn add(
        &self,
        place: &MasterPoint,
        (length, length_slope): (f64, ElementRow),
        force: &mut [DVec2; NODES],
        symmetric: &mut [ElementRow; SIZE],
        whole: &mut [ElementRow; SIZE],
    ) {
        let Rubbing { traction, change, along, .. } = self;
        for (k, force) in force.iter_mut().enumerate() {
            *force += traction * length * DVec2::new(along[2 * k], along[2 * k + 1]);
        }
        for i in 0..SIZE {
            let (node, axis) = (i / 2, i % 2);
            // How the direction that the node is pushed in changes.
            let (share, slope) = match node {
                1 => (1.0, 0.0),
                3.. => (-place.functions[node - 3], -place.slopes[node - 3]),
                _ => (0.0, 0.0),
            };
            for j in 0..SIZE {
                let direction =
                    share * place.normal[axis] * place.turn[j] + slope * place.tangent[axis] * place.slide[j];
                whole[i][j] -= length * (change[j] * along[i] + traction * direction)
                    + traction * along[i] * length_slope[j];
                symmetric[i][j] += length * self.hold * along[i] * along[j];
            }
        }
    }
}
