//! One step in time: section 4 of meshfree-2016. Two sub-steps, Newmark's and Euler's (eqs 25-28), each solved by
//! Newton-Raphson inside loops that augment the multipliers of contact (figure 6).

use std::time::{Duration, Instant};

use glam::DVec2;
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    condense::Condensed,
    losses::Losses,
    motion::{Kinematics, strains},
    newton::{Trial, newton},
    pace::Paces,
    sample::{ContactMultipliers, Flows, Sample, Watch},
    sparse::Singular,
    system::System,
};

/// The time integration scheme.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "SchemeName")]
pub enum Scheme {
    /// Newmark's rule to the middle of a step, a three-point backward rule to its end.
    #[default]
    Composite,
    // Kane et al. 1999.
    /// As composite, but that contacts push during the first half with what they push with at its end: they bring no energy in, however short the step.
    ContactImplicit,
    /// Newmark's rule alone: contacts at rest chatter.
    Newmark,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    pub scheme: Scheme,
    /// Residual, relative to the balancing forces, at which Newton-Raphson has converged.
    pub residual: f64,
    /// Largest distance of what touches, m.
    pub gap: f64,
    /// k_0 of eq. (21), Pa/m, and by how much it grows from one augmentation to the next.
    pub stiffness: f64,
    pub growth: f64,
    /// A loop ends when its residual is below this part of what the next augmentation brings; 0: each is solved to its end, as in the paper.
    pub slack: f64,
    /// A grain's tangent is updated within a sub-step when its nodes have moved by more than this of their distance since, other than all
    /// alike: below it Newton's steps are as good. 0: always.
    pub stale: f64,
    pub newton: usize,
    pub augmentations: usize,
    /// How far from each other nodes and outlines are watched at most, m.
    pub reach: f64,
}

/// Positions, velocities and accelerations of all nodes.
#[derive(Debug, Clone, PartialEq)]
pub struct NodalState {
    pub displacement: Vec<DVec2>,
    pub velocity: Vec<DVec2>,
    pub acceleration: Vec<DVec2>,
    pub watches: Vec<Watch>,
}

#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum StepError {
    #[error("Newton-Raphson does not converge: residuals {}", list(history))]
    Newton { grain: usize, history: Vec<f64> },
    #[error("contacts do not close: gaps {} m", list(gaps))]
    Contact { grain: usize, gaps: Vec<f64> },
    #[error("a grain is inside out")]
    InsideOut(usize),
    #[error(transparent)]
    Singular(#[from] Singular),
}

impl StepError {
    /// Which grain is worst off, by its place.
    pub fn grain(&self) -> Option<usize> {
        match self {
            StepError::Newton { grain, .. }
            | StepError::Contact { grain, .. }
            | StepError::InsideOut(grain) => Some(*grain),
            StepError::Singular(_) => None,
        }
    }
}

/// How far the stiffness of contact grows at most, over that of a node in its grain: beyond, who touches and who does not goes to and fro.
const STIFFEST: f64 = 5e3;

/// Nodes are watched at least this near, over the distance that the settings have.
const LEAST_WATCHED: f64 = 0.1;

/// The smallest part of a step that is tried.
const SHORTEST: f64 = 1.0 / 1024.0;

fn list(numbers: &[f64]) -> String {
    let all = |part: &[f64]| part.iter().map(|x| format!("{x:.1e}")).collect::<Vec<_>>().join(", ");
    match numbers {
        [first @ .., a, b, c] if first.len() > 12 => {
            format!("{}, ..., {}", all(&first[..9]), all(&[*a, *b, *c]))
        }
        _ => all(numbers),
    }
}

/// Time by phase.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Times {
    /// Possible contacts, and the order of elimination.
    pub search: Duration,
    /// Closest points, forces, residual.
    pub forces: Duration,
    /// Tangents of grains, condensed to their outlines.
    pub tangents: Duration,
    /// The system of all outlines.
    pub solution: Duration,
}

impl std::ops::AddAssign for Times {
    fn add_assign(&mut self, other: Times) {
        self.search += other.search;
        self.forces += other.forces;
        self.tangents += other.tangents;
        self.solution += other.solution;
    }
}

/// What a step took.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Effort {
    pub newton: usize,
    pub augmentations: usize,
    /// How often a piece of the step did not converge and was halved.
    pub halvings: usize,
    pub times: Times,
    /// Where energy went, if it was asked for.
    pub losses: Losses,
    /// Residuals of the last sub-step's Newton-Raphson loops, one list a loop.
    pub residuals: Vec<Vec<f64>>,
    /// Largest changes of a displacement in their iterations, m.
    pub steps: Vec<Vec<f64>>,
}

/// The solver, with what it keeps from step to step.
pub struct Stepper {
    pub settings: Settings,
    /// Whether to find out where energy goes.
    pub keep_losses: bool,
    system: Option<System>,
    /// Of every grain, factored; none before they are asked for.
    masses: Vec<Condensed>,
}

impl Stepper {
    pub fn new(settings: Settings) -> Self {
        Stepper { settings, keep_losses: false, system: None, masses: Vec::new() }
    }

    /// Accelerations at the start follow from the forces there.
    pub fn start(
        &mut self,
        sample: &Sample,
        displacement: Vec<DVec2>,
        velocity: Vec<DVec2>,
    ) -> Result<NodalState, StepError> {
        let watches = sample.watch(&sample.positions(&displacement), self.settings.reach, &[]);
        let mut state = NodalState { displacement, velocity, acceleration: Vec::new(), watches };
        state.acceleration = self.free_acceleration(sample, &state)?;
        Ok(state)
    }

    /// Accelerations that all forces but those of contact lead to.
    fn free_acceleration(&mut self, sample: &Sample, state: &NodalState) -> Result<Vec<DVec2>, StepError> {
        if self.masses.is_empty() {
            // All nodes are inner ones: nothing joins them to others.
            let mass = |g: usize| Condensed::new(sample.grain_mass(g), 0);
            self.masses = (0..sample.grains.len()).into_par_iter().map(mass).collect::<Result<_, _>>()?;
        }
        let flows = Flows {
            velocity: state.velocity.clone(),
            rate: 0.0,
            constant: strains(sample, state, |_, rate| rate),
        };
        let (inner, _) = sample.inner_forces(&state.displacement, &flows).map_err(StepError::InsideOut)?;
        let (momentum, _) = sample.mass_times(&state.velocity, &state.velocity);
        let slowed = sample.slowed(&momentum);
        let mut force: Vec<f64> =
            (0..sample.nodes()).flat_map(|k| (inner[k] + sample.load[k] - slowed[k]).to_array()).collect();
        let mut rest = &mut force[..];
        for (grain, mass) in sample.grains.iter().zip(&self.masses) {
            let (part, after) = rest.split_at_mut(2 * grain.bulk.nodes());
            mass.forward(part);
            mass.backward(part);
            rest = after;
        }
        Ok(force.chunks_exact(2).map(DVec2::from_slice).collect())
    }

    /// The equilibrium that is nearest to a state; held nodes stay where it has them.
    pub fn rest(&mut self, sample: &Sample, state: &NodalState) -> Result<(NodalState, Effort), StepError> {
        let mut effort = Effort::default();
        let end = self.sub_step(sample, state, &Kinematics::still(state), &mut effort)?;
        Ok((end, effort))
    }

    /// A step of length `h`, in two where it does not converge, and so on; where it converges again the pieces become longer again. `walls`
    /// puts the walls where they are after a part of the step.
    pub fn advance(
        &mut self,
        sample: &mut Sample,
        state: &NodalState,
        h: f64,
        mut walls: impl FnMut(&mut Sample, f64),
    ) -> Result<(NodalState, Effort), StepError> {
        let mut state = state.clone();
        let mut effort = Effort::default();
        // In parts of the whole, powers of two, so that nothing is lost to rounding.
        let (mut done, mut part) = (0.0, 1.0);
        while done < 1.0 {
            // Where a longer piece did not converge, walls have been ahead.
            walls(sample, done);
            match self.step(sample, &state, part * h, |s, f| walls(s, done + part * f)) {
                Ok((next, more)) => {
                    state = next;
                    effort.newton += more.newton;
                    effort.augmentations += more.augmentations;
                    effort.times += more.times;
                    effort.losses += more.losses;
                    effort.residuals = more.residuals;
                    effort.steps = more.steps;
                    done += part;
                    if done % (2.0 * part) == 0.0 && part < 1.0 {
                        part *= 2.0;
                    }
                }
                Err(error) if part <= SHORTEST => return Err(error),
                Err(_) => {
                    part *= 0.5;
                    effort.halvings += 1;
                }
            }
        }
        Ok((state, effort))
    }

    /// One step of length `h`.
    fn step(
        &mut self,
        sample: &mut Sample,
        state: &NodalState,
        h: f64,
        mut walls: impl FnMut(&mut Sample, f64),
    ) -> Result<(NodalState, Effort), StepError> {
        let mut effort = Effort::default();
        let mut walls = |sample: &mut Sample, part: f64| {
            let before: Vec<DVec2> = sample.walls.iter().map(|w| w.point).collect();
            walls(sample, part);
            sample.walls.iter_mut().zip(before).for_each(|(wall, before)| wall.moved = wall.point - before);
        };
        let keep = self.keep_losses.then_some(self.settings.reach);
        let lost = |sample: &Sample, from: &NodalState, to: &NodalState, h: f64| {
            keep.map_or(Losses::default(), |reach| Losses::between(sample, from, to, h, reach))
        };
        match self.settings.scheme {
            Scheme::Newmark => {
                walls(sample, 1.0);
                let motion = Kinematics::newmark(sample, state, h);
                let end = self.sub_step(sample, state, &motion, &mut effort)?;
                effort.losses += lost(sample, state, &end, h);
                Ok((end, effort))
            }
            Scheme::Composite | Scheme::ContactImplicit => {
                walls(sample, 0.5);
                let motion = match self.settings.scheme {
                    Scheme::ContactImplicit => {
                        let free = self.free_acceleration(sample, state)?;
                        Kinematics::contact_implicit(sample, state, &free, 0.5 * h)
                    }
                    _ => Kinematics::newmark(sample, state, 0.5 * h),
                };
                let middle = self.sub_step(sample, state, &motion, &mut effort)?;
                effort.losses += lost(sample, state, &middle, 0.5 * h);
                walls(sample, 1.0);
                let motion = Kinematics::euler(sample, state, &middle, h);
                let end = self.sub_step(sample, &middle, &motion, &mut effort)?;
                effort.losses += lost(sample, &middle, &end, 0.5 * h);
                Ok((end, effort))
            }
        }
    }

    /// A sub-step, with as few nodes watched as their speeds allow: who is not watched is not solved for together with all others. Where
    /// nodes have gone farther than was thought, with more of them.
    fn sub_step(
        &mut self,
        sample: &Sample,
        from: &NodalState,
        motion: &Kinematics,
        effort: &mut Effort,
    ) -> Result<NodalState, StepError> {
        let farthest = self.settings.reach;
        let mut reach = motion.expected_way(&from.velocity).map_or(farthest, |way| {
            // Two that come closer, and half as much again.
            farthest.min(3.0 * way + LEAST_WATCHED * farthest)
        });
        loop {
            let end = self.augment(sample, from, motion, reach, effort)?;
            let ways = end.displacement.iter().zip(&motion.from).map(|(u, from)| u.distance(*from));
            let way = 2.0 * ways.fold(0.0, f64::max);
            if way <= reach || reach >= farthest {
                return Ok(end);
            }
            reach = farthest.min(2.0 * way);
        }
    }

    /// Loops of augmentation (figure 6).
    fn augment(
        &mut self,
        sample: &Sample,
        from: &NodalState,
        motion: &Kinematics,
        reach: f64,
        effort: &mut Effort,
    ) -> Result<NodalState, StepError> {
        let Settings { gap, stiffness, growth, augmentations, .. } = self.settings;
        let start = Instant::now();
        let mut watches = sample.watch(&sample.positions(&from.displacement), reach, &from.watches);
        let joined: Vec<Vec<usize>> = watches.iter().map(|w| sample.reach(w)).collect();
        let system = match self.system.take() {
            Some(mut system) => {
                system.renew(sample, joined)?;
                system
            }
            None => System::new(sample, joined)?,
        };
        let system = self.system.insert(system);
        effort.times.search += start.elapsed();
        let mut trial =
            Trial::new(sample, motion, &watches, reach, vec![DVec2::ZERO; from.displacement.len()])?;
        let mut k = stiffness;
        let stiffest = (STIFFEST * sample.node_stiffness()).max(stiffness);
        let mut paces = Paces::default();
        let mut gaps: Vec<(f64, usize)> = Vec::new();
        effort.residuals.clear();
        effort.steps.clear();
        for _ in 0..augmentations {
            effort.augmentations += 1;
            let balance = newton(system, &self.settings, sample, motion, (&watches, k), &mut trial, effort)?;
            let iterations = effort.residuals.last().map_or(0, |r| r.len() - 1);
            let mut holds = balance.holds;
            if k == stiffest {
                paces.lengthen(&watches, &mut holds, k * gap);
            }
            let mut parted = false;
            for (watch, hold) in watches.iter_mut().zip(holds) {
                let adhesion = sample.grip(watch).adhesion;
                if hold.pressure < -adhesion {
                    // The bond breaks, and is not made again before the next sub-step.
                    watch.hold = ContactMultipliers::default();
                    parted = true;
                } else {
                    watch.hold = hold;
                }
            }
            gaps.push(balance.gap);
            if balance.gap.0 <= gap && balance.exact && !parted {
                for watch in &mut watches {
                    watch.hold.bonded |= watch.hold.pressure > 0.0 && sample.grip(watch).adhesion > 0.0;
                }
                let Trial { d, displacement, flows, .. } = trial;
                let acceleration = motion.acceleration(&d);
                return Ok(NodalState { displacement, velocity: flows.velocity, acceleration, watches });
            }
            if balance.gap.0 > gap {
                // Where one iteration was enough, the active contacts are settled.
                k *= if iterations <= 1 { growth * growth } else { growth };
                k = k.min(stiffest);
            }
        }
        let grain = gaps.last().map_or(0, |g| g.1);
        Err(StepError::Contact { grain, gaps: gaps.into_iter().map(|g| g.0).collect() })
    }
}
