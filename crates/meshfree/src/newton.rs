//! The balance of all forces at the end of a sub-step, eq. (14) of meshfree-2016, by Newton-Raphson.

use std::time::Instant;

use glam::DVec2;
use rayon::prelude::*;

use crate::{
    element::Element,
    motion::Kinematics,
    sample::{ContactMultipliers, Flows, NodeContact, Sample, Watch},
    step::{Effort, Settings, StepError},
    system::{Joint, System},
};

/// Residuals below this that do not fall any more are left to rounding.
const ROUNDED: f64 = 1e-9;

/// Displacements that are tried, and everything there but contact.
pub struct Trial {
    /// Since the sub-step began.
    pub d: Vec<DVec2>,
    pub displacement: Vec<DVec2>,
    pub flows: Flows,
    /// How far from each other nodes and outlines are watched, m.
    reach: f64,
    positions: Vec<DVec2>,
    touches: Vec<Option<NodeContact>>,
    /// Eq. (A.2) without contact.
    force: Vec<DVec2>,
    /// Size of the forces that balance in it.
    size: f64,
}

fn size(x: &[DVec2]) -> f64 {
    x.iter().map(|x| x.length_squared()).sum::<f64>().sqrt()
}

impl Trial {
    pub fn new(
        sample: &Sample,
        motion: &Kinematics,
        watches: &[Watch],
        reach: f64,
        d: Vec<DVec2>,
    ) -> Result<Self, StepError> {
        let displacement = motion.displacement(&d);
        let positions = sample.positions(&displacement);
        let touches = watches.par_iter().map(|watch| sample.touch(watch, &positions, &d, reach)).collect();
        let flows = motion.flows(&d);
        let (mut force, _) = sample.inner_forces(&displacement, &flows).map_err(StepError::InsideOut)?;
        let (inertia, momentum) = sample.mass_times(&motion.acceleration(&d), &flows.velocity);
        let slowed = sample.slowed(&momentum);
        // In free flight there are no forces: a thousandth of what would stop all within the step stands for them.
        let flight = 1e-3 * motion.rate * size(&momentum);
        let size =
            motion.weight * (size(&force) + size(&inertia) + size(&slowed) + flight + size(&sample.load));
        for (k, force) in force.iter_mut().enumerate() {
            *force = motion.weight * (*force + sample.load[k] - inertia[k] - slowed[k]);
        }
        Ok(Trial { d, displacement, flows, reach, positions, touches, force, size })
    }
}

/// The result of a Newton-Raphson loop.
pub struct NewtonResult {
    /// Largest distance of what pushes, m, and the grain that has it.
    pub gap: (f64, usize),
    /// Whether nothing is left of the residual.
    pub exact: bool,
    /// Current multipliers of every watched node.
    pub holds: Vec<ContactMultipliers>,
}

/// All contacts that push, with multipliers as they are.
struct Contacts {
    joints: Vec<Joint>,
    holds: Vec<ContactMultipliers>,
    /// Largest distance, m, and the grain that has it.
    gap: (f64, usize),
    /// What the next augmentation brings, N.
    jump: f64,
}

impl Contacts {
    fn new(sample: &Sample, trial: &Trial, watches: &[Watch], stiffness: f64) -> Self {
        let of_watch = |(watch, touch): (&Watch, &Option<NodeContact>)| {
            let touch = touch.as_ref()?;
            let pressure = sample.pressure(watch, touch, stiffness)?;
            let element = sample.element(watch, touch, (pressure, stiffness), &trial.positions, &trial.d);
            let (nodes, count) = sample.element_nodes(watch, touch);
            Some((touch.gap, pressure, Joint { nodes, count, element }))
        };
        let found: Vec<_> = watches.par_iter().zip(&trial.touches).map(of_watch).collect();
        let mut holds = vec![ContactMultipliers::default(); watches.len()];
        let (mut joints, mut gap, mut jump) = (Vec::new(), (0.0, 0), 0.0);
        for ((watch, found), hold) in watches.iter().zip(found).zip(&mut holds) {
            let Some((distance, pressure, joint)) = found else { continue };
            let Element { traction, slip, length, .. } = joint.element;
            *hold = ContactMultipliers { pressure, traction, bonded: watch.hold.bonded };
            let open = distance.abs().max(slip.abs());
            if open > gap.0 {
                gap = (open, watch.grain as usize);
            }
            jump += (stiffness * open * length).powi(2);
            joints.push(joint);
        }
        Contacts { joints, holds, gap, jump: jump.sqrt() }
    }

    /// Eq. (A.2), and the size of the forces that balance in it.
    fn residual(&self, sample: &Sample, trial: &Trial) -> (Vec<f64>, f64) {
        let mut contact = vec![DVec2::ZERO; trial.force.len()];
        for joint in &self.joints {
            for (node, force) in joint.nodes[..joint.count].iter().zip(&joint.element.force) {
                contact[*node] += *force;
            }
        }
        let mut residual: Vec<f64> =
            trial.force.iter().zip(&contact).flat_map(|(a, b)| (*a + *b).to_array()).collect();
        sample.held.iter().for_each(|&held| residual[held] = 0.0);
        (residual, (trial.size + size(&contact)).max(f64::MIN_POSITIVE))
    }
}

/// Newton-Raphson with multipliers as they are, until what is left is small against what the next augmentation brings.
pub fn newton(
    system: &mut System,
    settings: &Settings,
    sample: &Sample,
    motion: &Kinematics,
    (watches, stiffness): (&[Watch], f64),
    trial: &mut Trial,
    effort: &mut Effort,
) -> Result<NewtonResult, StepError> {
    let (mut history, mut steps): (Vec<f64>, Vec<f64>) = Default::default();
    let best = |part: &[f64]| part.iter().copied().fold(f64::INFINITY, f64::min);
    loop {
        let start = Instant::now();
        let contacts = Contacts::new(sample, trial, watches, stiffness);
        let (mut residual, size) = contacts.residual(sample, trial);
        let norm = residual.iter().map(|r| r * r).sum::<f64>().sqrt() / size;
        effort.times.forces += start.elapsed();
        // Where rounding leaves no better: forces that cancel (of a grain that is carried along and damped) may be far larger than
        // those that are left.
        let noise = noise(&trial.positions, &contacts.joints, stiffness) / size;
        let rounded = norm < ROUNDED.max(30.0 * noise) && norm > 0.5 * best(&history);
        history.push(norm);
        let exact = norm <= settings.residual.max(noise) || rounded;
        let enough = contacts.gap.0 > settings.gap && norm <= settings.slack * contacts.jump / size;
        if exact || enough {
            effort.residuals.push(history);
            effort.steps.push(steps);
            return Ok(NewtonResult { gap: contacts.gap, exact, holds: contacts.holds });
        }
        if history.len() > settings.newton || !norm.is_finite() {
            return Err(StepError::Newton { grain: worst(sample, &residual), history });
        }
        effort.newton += 1;
        let start = Instant::now();
        system.stiffen(sample, &trial.displacement, &trial.flows, motion, settings.stale)?;
        effort.times.tangents += start.elapsed();
        let start = Instant::now();
        let left = (0.01 * settings.stale).max(1e-13);
        system.solve(sample, &contacts.joints, &mut residual, left)?;
        effort.times.solution += start.elapsed();
        // Steps that go to and fro between who touches and who does not, who sticks and who slides, are made shorter.
        let recent = history.len().saturating_sub(3);
        let stalled = recent > 1 && best(&history[recent..]) > 0.9 * best(&history[..recent]);
        let part = if stalled { 0.5 } else { 1.0 };
        let start = Instant::now();
        let changes = residual.chunks_exact(2).map(DVec2::from_slice);
        steps.push(residual.iter().fold(0.0, |most: f64, change| most.max(change.abs())));
        let d = trial.d.iter().zip(changes).map(|(d, change)| *d + part * change).collect();
        *trial = Trial::new(sample, motion, watches, trial.reach, d)?;
        effort.times.forces += start.elapsed();
    }
}

/// The grain with the largest residual.
fn worst(sample: &Sample, residual: &[f64]) -> usize {
    let of = |g: usize| {
        let nodes = sample.nodes_of(g);
        residual[2 * nodes.start..2 * nodes.end].iter().map(|r| r * r).sum::<f64>()
    };
    (0..sample.grains.len()).max_by(|a, b| of(*a).total_cmp(&of(*b))).unwrap_or(0)
}

/// What rounding of places does to the forces of contact, which are stiff.
fn noise(positions: &[DVec2], joints: &[Joint], stiffness: f64) -> f64 {
    let far = positions.iter().map(|x| x.abs().max_element()).fold(0.0, f64::max);
    let lengths = joints.iter().map(|j| j.element.length * j.element.length).sum::<f64>().sqrt();
    0.3 * f64::EPSILON * far * stiffness * lengths
}
