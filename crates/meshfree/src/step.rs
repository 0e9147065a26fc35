//! One step in time: section 4 of meshfree-2016. Two sub-steps, Newmark's and Euler's (eqs 25-28), each solved by
//! Newton-Raphson inside loops that augment the multipliers of contact (figure 6).

use std::time::{Duration, Instant};

use glam::DVec2;
use rayon::prelude::*;

use crate::{
    condense::Condensed,
    sample::{Flows, Hold, Sample, Touch, Watch},
    sparse::Singular,
    system::{Joint, System},
};

/// How time is cut.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Scheme {
    /// Newmark's rule to the middle of the step, Euler's backward one with three points to its end.
    #[default]
    Composite,
    /// Newmark's rule alone, to compare with.
    Newmark,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    pub scheme: Scheme,
    /// Residual over the forces that balance in it, at which Newton-Raphson is done.
    pub residual: f64,
    /// Largest distance of what touches, m.
    pub gap: f64,
    /// k_0 of eq. (21), Pa/m, and by how much it grows from one augmentation to the next.
    pub stiffness: f64,
    pub growth: f64,
    /// A loop ends when its residual is below this part of what the next augmentation brings; 0: each is solved to its end, as in the paper.
    pub slack: f64,
    pub newton: usize,
    pub augmentations: usize,
    /// How far from each other nodes and outlines are watched, m.
    pub reach: f64,
}

/// Where all nodes are and how they move.
#[derive(Debug, Clone, PartialEq)]
pub struct State {
    pub displacement: Vec<DVec2>,
    pub velocity: Vec<DVec2>,
    pub acceleration: Vec<DVec2>,
    pub watches: Vec<Watch>,
}

#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum StepError {
    #[error("Newton-Raphson does not converge, worst in grain {grain}: residuals {}", list(history))]
    Newton { grain: usize, history: Vec<f64> },
    #[error("contacts do not close, worst at grain {grain}: gaps {} m", list(gaps))]
    Contact { grain: usize, gaps: Vec<f64> },
    #[error("grain {0} is inside out")]
    InsideOut(usize),
    #[error(transparent)]
    Singular(#[from] Singular),
}

/// Residuals below this that do not fall any more are left to rounding.
const ROUNDED: f64 = 1e-9;

/// The smallest part of a step that is tried.
const SHORTEST: f64 = 1.0 / 1024.0;

fn list(numbers: &[f64]) -> String {
    numbers.iter().map(|x| format!("{x:.1e}")).collect::<Vec<_>>().join(", ")
}

/// Time by phase.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Times {
    /// Who may touch whom, and the order of elimination.
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
    /// Residuals of the last sub-step's Newton-Raphson loops, one list a loop.
    pub residuals: Vec<Vec<f64>>,
}

/// Velocity and acceleration at the end of a sub-step as they depend on the displacement d within it: v = rate d + ..., a = rate² d
/// + ... (Of displacements since the start, which may be large, the digits that count would be lost.)
struct Motion {
    /// Displacements where the sub-step begins.
    from: Vec<DVec2>,
    rate: f64,
    velocity: Vec<DVec2>,
    acceleration: Vec<DVec2>,
    /// The rate of strain is the same rate times strain, and this, at every Gauss point of every grain: the same rules, for strains.
    strain_rate: Vec<Vec<[f64; 3]>>,
}

impl Motion {
    /// Eqs (25), (26), over a time h.
    fn newmark(sample: &Sample, from: &State, h: f64) -> Self {
        let rate = 2.0 / h;
        let velocity = from.velocity.iter().map(|v| -*v).collect();
        let rest = from.velocity.iter().zip(&from.acceleration);
        Motion {
            from: from.displacement.clone(),
            rate,
            velocity,
            acceleration: rest.map(|(v, a)| -2.0 * rate * *v - *a).collect(),
            strain_rate: strains(sample, from, |strain, now| -rate * strain - now),
        }
    }

    /// Eqs (27), (28), over the second half of a step h; d is from its middle.
    fn euler(sample: &Sample, from: &State, middle: &State, h: f64) -> Self {
        let rate = 3.0 / h;
        let velocity: Vec<DVec2> =
            from.displacement.iter().zip(&middle.displacement).map(|(u, m)| (*u - *m) / h).collect();
        let acceleration = (from.velocity.iter().zip(&middle.velocity).zip(&velocity))
            .map(|((v, m), w)| (*v - 4.0 * *m) / h + rate * *w)
            .collect();
        let mut strain_rate = strains(sample, from, |strain, _| strain / h);
        let later = strains(sample, middle, |strain, _| -4.0 * strain / h);
        for (sum, more) in strain_rate.iter_mut().flatten().zip(later.iter().flatten()) {
            *sum = std::array::from_fn(|k| sum[k] + more[k]);
        }
        Motion { from: middle.displacement.clone(), rate, velocity, acceleration, strain_rate }
    }

    /// Nothing moves: what is looked for is at rest.
    fn still(from: &State) -> Self {
        let zero = vec![DVec2::ZERO; from.displacement.len()];
        Motion {
            from: from.displacement.clone(),
            rate: 0.0,
            velocity: zero.clone(),
            acceleration: zero,
            strain_rate: Vec::new(),
        }
    }

    fn displacement(&self, d: &[DVec2]) -> Vec<DVec2> {
        self.from.iter().zip(d).map(|(u, d)| *u + *d).collect()
    }

    fn velocity(&self, d: &[DVec2]) -> Vec<DVec2> {
        d.iter().zip(&self.velocity).map(|(d, w)| self.rate * *d + *w).collect()
    }

    fn flows(&self, d: &[DVec2]) -> Flows {
        Flows { velocity: self.velocity(d), rate: self.rate, constant: self.strain_rate.clone() }
    }

    fn acceleration(&self, d: &[DVec2]) -> Vec<DVec2> {
        d.iter().zip(&self.acceleration).map(|(d, b)| self.rate * self.rate * *d + *b).collect()
    }
}

/// Something of the strain and its rate at every Gauss point of grains with a viscous stress; nothing for the others.
fn strains(sample: &Sample, state: &State, of: impl Fn(f64, f64) -> f64 + Sync) -> Vec<Vec<[f64; 3]>> {
    if sample.grains.iter().all(|g| g.damping.viscous == 0.0) {
        return Vec::new();
    }
    let of_grain = |g: usize| {
        let nodes = sample.nodes_of(g);
        let grain = &sample.grains[g];
        if grain.damping.viscous == 0.0 {
            return Vec::new();
        }
        let both = grain.bulk.strain_rates(&state.displacement[nodes.clone()], &state.velocity[nodes]);
        both.into_iter().map(|(strain, rate)| std::array::from_fn(|k| of(strain[k], rate[k]))).collect()
    };
    (0..sample.grains.len()).into_par_iter().map(of_grain).collect()
}

/// The solver, with what it keeps from step to step.
pub struct Stepper {
    pub settings: Settings,
    system: Option<System>,
}

/// Where a loop of Newton-Raphson has ended.
struct Balance {
    /// Largest distance of what pushes, m, and the grain that has it.
    gap: (f64, usize),
    /// Whether nothing is left of the residual.
    exact: bool,
    /// What every watched node is held with now.
    holds: Vec<Hold>,
}

impl Stepper {
    pub fn new(settings: Settings) -> Self {
        Stepper { settings, system: None }
    }

    /// Accelerations at the start follow from the forces there.
    pub fn start(
        &mut self,
        sample: &Sample,
        displacement: Vec<DVec2>,
        velocity: Vec<DVec2>,
    ) -> Result<State, StepError> {
        let watches = sample.watch(&sample.positions(&displacement), self.settings.reach, &[]);
        let n = sample.nodes();
        let mut state = State { displacement, velocity, acceleration: vec![DVec2::ZERO; n], watches };
        let flows = Flows {
            velocity: state.velocity.clone(),
            rate: 0.0,
            constant: strains(sample, &state, |_, rate| rate),
        };
        let (inner, _) = sample.inner_forces(&state.displacement, &flows).map_err(StepError::InsideOut)?;
        let (momentum, _) = sample.mass_times(&state.velocity, &state.velocity);
        let slowed = sample.slowed(&momentum);
        let mut force: Vec<f64> =
            (0..n).flat_map(|k| (inner[k] + sample.load[k] - slowed[k]).to_array()).collect();
        let mut rest = &mut force[..];
        for (g, grain) in sample.grains.iter().enumerate() {
            let (part, after) = rest.split_at_mut(2 * grain.bulk.nodes());
            // All nodes are inner ones: nothing joins them to others.
            let mass = Condensed::new(sample.grain_mass(g), 0)?;
            mass.forward(part);
            mass.backward(part);
            rest = after;
        }
        state.acceleration = force.chunks_exact(2).map(DVec2::from_slice).collect();
        Ok(state)
    }

    /// The equilibrium that is nearest to a state; held nodes stay where it has them.
    pub fn rest(&mut self, sample: &Sample, state: &State) -> Result<(State, Effort), StepError> {
        let mut effort = Effort::default();
        let end = self.sub_step(sample, state, &Motion::still(state), &mut effort)?;
        Ok((end, effort))
    }

    /// A step of length `h`, in two where it does not converge, and so on; where it converges again the pieces become longer again. `walls`
    /// puts the walls where they are after a part of the step.
    pub fn advance(
        &mut self,
        sample: &mut Sample,
        state: &State,
        h: f64,
        mut walls: impl FnMut(&mut Sample, f64),
    ) -> Result<(State, Effort), StepError> {
        let mut state = state.clone();
        let mut effort = Effort::default();
        // In parts of the whole, powers of two, so that nothing is lost to rounding.
        let (mut done, mut part) = (0.0, 1.0);
        while done < 1.0 {
            match self.step(sample, &state, part * h, |s, f| walls(s, done + part * f)) {
                Ok((next, more)) => {
                    state = next;
                    effort.newton += more.newton;
                    effort.augmentations += more.augmentations;
                    effort.times += more.times;
                    effort.residuals = more.residuals;
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
        state: &State,
        h: f64,
        mut walls: impl FnMut(&mut Sample, f64),
    ) -> Result<(State, Effort), StepError> {
        let mut effort = Effort::default();
        let mut walls = |sample: &mut Sample, part: f64| {
            let before: Vec<DVec2> = sample.walls.iter().map(|w| w.point).collect();
            walls(sample, part);
            sample.walls.iter_mut().zip(before).for_each(|(wall, before)| wall.moved = wall.point - before);
        };
        match self.settings.scheme {
            Scheme::Newmark => {
                walls(sample, 1.0);
                let motion = Motion::newmark(sample, state, h);
                let end = self.sub_step(sample, state, &motion, &mut effort)?;
                Ok((end, effort))
            }
            Scheme::Composite => {
                walls(sample, 0.5);
                let middle =
                    self.sub_step(sample, state, &Motion::newmark(sample, state, 0.5 * h), &mut effort)?;
                walls(sample, 1.0);
                let motion = Motion::euler(sample, state, &middle, h);
                let end = self.sub_step(sample, &middle, &motion, &mut effort)?;
                Ok((end, effort))
            }
        }
    }

    /// Loops of augmentation (figure 6).
    fn sub_step(
        &mut self,
        sample: &Sample,
        from: &State,
        motion: &Motion,
        effort: &mut Effort,
    ) -> Result<State, StepError> {
        let Settings { gap, stiffness, growth, augmentations, reach, .. } = self.settings;
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
        let mut d = vec![DVec2::ZERO; from.displacement.len()];
        let mut k = stiffness;
        let mut gaps = Vec::new();
        effort.residuals.clear();
        for _ in 0..augmentations {
            effort.augmentations += 1;
            let balance = newton(system, &self.settings, sample, motion, (&watches, k), &mut d, effort)?;
            let mut parted = false;
            for (watch, hold) in watches.iter_mut().zip(balance.holds) {
                let adhesion = sample.grip(watch).adhesion;
                if hold.pressure < -adhesion {
                    // The bond breaks, and is not made again before the next sub-step.
                    watch.hold = Hold::default();
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
                let (velocity, acceleration) = (motion.velocity(&d), motion.acceleration(&d));
                return Ok(State { displacement: motion.displacement(&d), velocity, acceleration, watches });
            }
            if balance.gap.0 > gap {
                // Where one iteration was enough, who pushes whom is settled.
                let settled = effort.residuals.last().is_some_and(|r| r.len() <= 2);
                k *= if settled { growth * growth } else { growth };
            }
        }
        let grain = gaps.last().map_or(0, |g| g.1);
        Err(StepError::Contact { grain, gaps: gaps.into_iter().map(|g| g.0).collect() })
    }
}

/// Newton-Raphson with multipliers as they are, eq. (14), until what is left is small against what the next augmentation brings.
fn newton(
    system: &mut System,
    settings: &Settings,
    sample: &Sample,
    motion: &Motion,
    (watches, stiffness): (&[Watch], f64),
    d: &mut [DVec2],
    effort: &mut Effort,
) -> Result<Balance, StepError> {
    let mut history = Vec::new();
    loop {
        let start = Instant::now();
        let u = motion.displacement(d);
        let positions = sample.positions(&u);
        let touches: Vec<Option<Touch>> =
            watches.par_iter().map(|watch| sample.touch(watch, &positions, settings.reach)).collect();
        let mut joints = Vec::new();
        let mut holds = vec![Hold::default(); watches.len()];
        let (mut gap, mut jump) = ((0.0, 0), 0.0);
        for ((watch, touch), hold) in watches.iter().zip(&touches).zip(&mut holds) {
            let Some(touch) = touch else { continue };
            let Some(pressure) = sample.pressure(watch, touch, stiffness) else { continue };
            let Some(element) = sample.element(watch, touch, stiffness, &positions, d) else { continue };
            *hold = Hold { pressure, traction: element.traction, bonded: watch.hold.bonded };
            let open = touch.gap.abs().max(element.slip.abs());
            if open > gap.0 {
                gap = (open, watch.grain as usize);
            }
            jump += (stiffness * open * element.length).powi(2);
            let (nodes, count) = sample.element_nodes(watch, touch);
            joints.push(Joint { nodes, count, element });
        }
        let flows = motion.flows(d);
        let (mut residual, size) = residual(sample, motion, &joints, &u, &flows, d)?;
        sample.held.iter().for_each(|&held| residual[held] = 0.0);
        let norm = residual.iter().map(|r| r * r).sum::<f64>().sqrt() / size;
        effort.times.forces += start.elapsed();
        // Where rounding leaves no better: forces that cancel (of a grain that is carried along and damped) may be far larger than
        // those that are left.
        let best = history.iter().copied().fold(f64::INFINITY, f64::min);
        let noise = noise(&positions, &joints, stiffness) / size;
        let rounded = norm < ROUNDED.max(30.0 * noise) && norm > 0.5 * best;
        history.push(norm);
        let exact = norm <= settings.residual.max(noise) || rounded;
        if exact || (gap.0 > settings.gap && norm <= settings.slack * jump.sqrt() / size) {
            effort.residuals.push(history);
            return Ok(Balance { gap, exact, holds });
        }
        if history.len() > settings.newton || !norm.is_finite() {
            return Err(StepError::Newton { grain: worst(sample, &residual), history });
        }
        effort.newton += 1;
        let start = Instant::now();
        system.stiffen(sample, &u, &flows, motion.rate)?;
        effort.times.tangents += start.elapsed();
        let start = Instant::now();
        system.solve(sample, &joints, &mut residual)?;
        effort.times.solution += start.elapsed();
        // Steps that go to and fro between who touches and who does not, who sticks and who slides, are made shorter.
        let best = |part: &[f64]| part.iter().copied().fold(f64::INFINITY, f64::min);
        let recent = history.len().saturating_sub(3);
        let stalled = recent > 1 && best(&history[recent..]) > 0.9 * best(&history[..recent]);
        let part = if stalled { 0.5 } else { 1.0 };
        for (d, change) in d.iter_mut().zip(residual.chunks_exact(2)) {
            *d += part * DVec2::from_slice(change);
        }
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

/// Eq. (A.2), and the size of the forces that balance in it.
fn residual(
    sample: &Sample,
    motion: &Motion,
    joints: &[Joint],
    u: &[DVec2],
    flows: &Flows,
    d: &[DVec2],
) -> Result<(Vec<f64>, f64), StepError> {
    let (inner, _) = sample.inner_forces(u, flows).map_err(StepError::InsideOut)?;
    let (inertia, momentum) = sample.mass_times(&motion.acceleration(d), &flows.velocity);
    let slowed = sample.slowed(&momentum);
    let mut contact = vec![DVec2::ZERO; u.len()];
    for joint in joints {
        for (node, force) in joint.nodes[..joint.count].iter().zip(&joint.element.force) {
            contact[*node] += *force;
        }
    }
    let size = |x: &[DVec2]| x.iter().map(|x| x.length_squared()).sum::<f64>().sqrt();
    // In free flight there are no forces: a thousandth of what would stop all within the step stands for them.
    let flight = 1e-3 * motion.rate * size(&momentum);
    let forces: f64 = [&inner, &inertia, &slowed, &contact].map(|x| size(x)).iter().sum();
    let all = forces + flight + size(&sample.load);
    let residual = (0..u.len())
        .flat_map(|k| (inner[k] + sample.load[k] + contact[k] - inertia[k] - slowed[k]).to_array())
        .collect();
    Ok((residual, all.max(f64::MIN_POSITIVE)))
}
