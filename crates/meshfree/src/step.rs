//! One step in time: section 4 of meshfree-2016. Two sub-steps, Newmark's and Euler's (eqs 25-28), each solved by
//! Newton-Raphson inside loops that augment the multipliers of contact (figure 6).

use glam::DVec2;
use rayon::prelude::*;

use crate::{
    element::{Element, NODES},
    sample::{Sample, Touch, Watch},
    sparse::{Singular, Symmetric},
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
    #[error("Newton-Raphson does not converge: residuals {}", list(.0))]
    Newton(Vec<f64>),
    #[error("contacts do not close: gaps {} m", list(.0))]
    Contact(Vec<f64>),
    #[error("a grain is inside out")]
    InsideOut,
    #[error(transparent)]
    Singular(#[from] Singular),
}

/// Residuals below this that do not fall any more are left to rounding.
const ROUNDED: f64 = 1e-9;

/// Residual of the first loop of a sub-step.
const FIRST_RESIDUAL: f64 = 1e-4;

/// The smallest part of a step that is tried.
const SHORTEST: f64 = 1.0 / 1024.0;

fn list(numbers: &[f64]) -> String {
    numbers.iter().map(|x| format!("{x:.1e}")).collect::<Vec<_>>().join(", ")
}

/// What a step took.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Effort {
    pub newton: usize,
    pub augmentations: usize,
    /// How often a piece of the step did not converge and was halved.
    pub halvings: usize,
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
}

impl Motion {
    /// Eqs (25), (26), over a time h.
    fn newmark(from: &State, h: f64) -> Self {
        let rate = 2.0 / h;
        let velocity = from.velocity.iter().map(|v| -*v).collect();
        let rest = from.velocity.iter().zip(&from.acceleration);
        Motion {
            from: from.displacement.clone(),
            rate,
            velocity,
            acceleration: rest.map(|(v, a)| -2.0 * rate * *v - *a).collect(),
        }
    }

    /// Eqs (27), (28), over the second half of a step h; d is from its middle.
    fn euler(from: &State, middle: &State, h: f64) -> Self {
        let rate = 3.0 / h;
        let velocity: Vec<DVec2> =
            from.displacement.iter().zip(&middle.displacement).map(|(u, m)| (*u - *m) / h).collect();
        let acceleration = (from.velocity.iter().zip(&middle.velocity).zip(&velocity))
            .map(|((v, m), w)| (*v - 4.0 * *m) / h + rate * *w)
            .collect();
        Motion { from: middle.displacement.clone(), rate, velocity, acceleration }
    }

    /// Nothing moves: what is looked for is at rest.
    fn still(from: &State) -> Self {
        let zero = vec![DVec2::ZERO; from.displacement.len()];
        Motion { from: from.displacement.clone(), rate: 0.0, velocity: zero.clone(), acceleration: zero }
    }

    fn displacement(&self, d: &[DVec2]) -> Vec<DVec2> {
        self.from.iter().zip(d).map(|(u, d)| *u + *d).collect()
    }

    fn velocity(&self, d: &[DVec2]) -> Vec<DVec2> {
        d.iter().zip(&self.velocity).map(|(d, w)| self.rate * *d + *w).collect()
    }

    fn acceleration(&self, d: &[DVec2]) -> Vec<DVec2> {
        d.iter().zip(&self.acceleration).map(|(d, b)| self.rate * self.rate * *d + *b).collect()
    }
}

/// The solver, with what it keeps from step to step.
pub struct Stepper {
    pub settings: Settings,
    system: Option<System>,
}

/// The matrix of all grains and watched contacts.
struct System {
    matrix: Symmetric,
    /// For every grain: where in the matrix the entries of its own go.
    places: Vec<Vec<(u32, u32)>>,
    joined: Vec<Vec<usize>>,
}

impl System {
    fn new(sample: &Sample, joined: Vec<Vec<usize>>) -> Result<Self, Singular> {
        let mut columns: Vec<Vec<usize>> = vec![Vec::new(); sample.nodes()];
        let grain_rows: Vec<Vec<Vec<u32>>> = sample.grains.iter().map(|g| g.bulk.neighbours()).collect();
        for (g, rows) in grain_rows.iter().enumerate() {
            let first = sample.nodes_of(g).start;
            for (a, row) in rows.iter().enumerate() {
                columns[first + a]
                    .extend(row.iter().map(|b| first + *b as usize).filter(|b| *b >= first + a));
            }
        }
        for nodes in &joined {
            for (k, &a) in nodes.iter().enumerate() {
                // Sorted: what follows is below.
                columns[a].extend_from_slice(&nodes[k..]);
            }
        }
        let mut entries = Vec::with_capacity(2 * columns.len());
        for (a, column) in columns.iter_mut().enumerate() {
            column.sort_unstable();
            column.dedup();
            let both: Vec<usize> = column.iter().flat_map(|b| [2 * b, 2 * b + 1]).collect();
            entries.push(both.clone());
            entries.push(both.into_iter().filter(|row| *row > 2 * a).collect());
        }
        let matrix = Symmetric::new(&entries)?;
        let places = (grain_rows.iter().enumerate())
            .map(|(g, rows)| {
                let (first, size) = (2 * sample.nodes_of(g).start, 2 * rows.len());
                let mut places = Vec::new();
                for (a, row) in rows.iter().enumerate() {
                    for b in row.iter().map(|b| *b as usize).filter(|b| *b <= a) {
                        for (i, j) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                            let (row, column) = (2 * a + i, 2 * b + j);
                            if let Some(at) =
                                (row >= column).then(|| matrix.place(first + row, first + column)).flatten()
                            {
                                places.push((at as u32, (row * size + column) as u32));
                            }
                        }
                    }
                }
                places
            })
            .collect();
        Ok(System { matrix, places, joined })
    }
}

type Active = (usize, Touch, Element);

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
        let (inner, _) = sample.inner_forces(&state.displacement).ok_or(StepError::InsideOut)?;
        let damping = sample.damping_times(&state.velocity, &sample.mass_times(&state.velocity));
        let mut force: Vec<f64> =
            (0..n).flat_map(|k| (inner[k] + sample.load[k] - damping[k]).to_array()).collect();
        // Mass alone: huge against the stiffness, which has the same pattern.
        let mut system = System::new(sample, Vec::new())?;
        for (g, grain) in sample.grains.iter().enumerate() {
            let m = grain.bulk.nodes();
            for &(place, from) in &system.places[g] {
                let (row, column) = (from as usize / (2 * m), from as usize % (2 * m));
                let same = row % 2 == column % 2;
                system.matrix.values[place as usize] =
                    if same { grain.bulk.mass[row / 2 * m + column / 2] } else { 0.0 };
            }
        }
        system.matrix.factorise()?;
        system.matrix.solve(&mut force);
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
        match self.settings.scheme {
            Scheme::Newmark => {
                walls(sample, 1.0);
                let motion = Motion::newmark(state, h);
                let end = self.sub_step(sample, state, &motion, &mut effort)?;
                Ok((end, effort))
            }
            Scheme::Composite => {
                walls(sample, 0.5);
                let middle = self.sub_step(sample, state, &Motion::newmark(state, 0.5 * h), &mut effort)?;
                walls(sample, 1.0);
                let motion = Motion::euler(state, &middle, h);
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
        let mut watches = sample.watch(&sample.positions(&from.displacement), reach, &from.watches);
        let joined: Vec<Vec<usize>> = watches.iter().map(|w| sample.reach(w)).collect();
        if self.system.as_ref().is_none_or(|s| s.joined != joined) {
            self.system = Some(System::new(sample, joined)?);
        }
        let mut d = vec![DVec2::ZERO; from.displacement.len()];
        let mut k = stiffness;
        // While contacts are still open the balance need not be exact either.
        let mut residual = self.settings.residual.max(FIRST_RESIDUAL);
        let mut gaps = Vec::new();
        effort.residuals.clear();
        for _ in 0..augmentations {
            effort.augmentations += 1;
            self.newton(sample, motion, &watches, (k, residual), &mut d, effort)?;
            let u = motion.displacement(&d);
            let positions = sample.positions(&u);
            let mut largest = 0.0_f64;
            for watch in &mut watches {
                let touch = sample.touch(watch, &positions, reach);
                let pressure = touch.map_or(0.0, |t| (-watch.multiplier - k * t.gap).max(0.0));
                if let Some(t) = touch.filter(|_| pressure > 0.0) {
                    largest = largest.max(t.gap.abs());
                }
                watch.multiplier = -pressure;
            }
            gaps.push(largest);
            let exact = residual <= self.settings.residual;
            residual = (1e-3 * residual).max(self.settings.residual);
            if largest <= gap && exact {
                let (velocity, acceleration) = (motion.velocity(&d), motion.acceleration(&d));
                return Ok(State { displacement: u, velocity, acceleration, watches });
            }
            // Contacts that are closed in the rough stay so in the fine.
            if largest > gap {
                k *= growth;
            }
        }
        Err(StepError::Contact(gaps))
    }

    /// Newton-Raphson with multipliers as they are, eq. (14).
    fn newton(
        &mut self,
        sample: &Sample,
        motion: &Motion,
        watches: &[Watch],
        (stiffness, tolerance): (f64, f64),
        d: &mut [DVec2],
        effort: &mut Effort,
    ) -> Result<(), StepError> {
        let mut history = Vec::new();
        loop {
            let u = motion.displacement(d);
            let positions = sample.positions(&u);
            let reach = self.settings.reach;
            let active: Vec<Active> = watches
                .par_iter()
                .enumerate()
                .filter_map(|(k, watch)| {
                    let touch = sample.touch(watch, &positions, reach)?;
                    Some((k, touch, sample.element(watch, &touch, stiffness, &positions)?))
                })
                .collect();
            let (mut residual, size) =
                residual(sample, motion, watches, &active, &u, d).ok_or(StepError::InsideOut)?;
            sample.held.iter().for_each(|&held| residual[held] = 0.0);
            let norm = residual.iter().map(|r| r * r).sum::<f64>().sqrt() / size;
            // Where rounding leaves no better: forces that cancel (of a grain that is carried along and damped) may be far larger than
            // those that are left.
            let best = history.iter().copied().fold(f64::INFINITY, f64::min);
            let rounded =
                norm < ROUNDED.max(noise(&positions, &active, stiffness) / size) && norm > 0.5 * best;
            history.push(norm);
            let done = norm <= tolerance || rounded;
            if done || history.len() > self.settings.newton || !norm.is_finite() {
                effort.residuals.push(history.clone());
                return if done { Ok(()) } else { Err(StepError::Newton(history)) };
            }
            effort.newton += 1;
            let change = self.solve(sample, motion, watches, &active, &u, residual)?;
            for (d, change) in d.iter_mut().zip(change.chunks_exact(2)) {
                *d += DVec2::from_slice(change);
            }
        }
    }

    /// K δU = R. Of the tangent only eq. (B.4) is not symmetric: it is small, and is brought in by going back to it with the factors of
    /// the symmetric part.
    fn solve(
        &mut self,
        sample: &Sample,
        motion: &Motion,
        watches: &[Watch],
        active: &[Active],
        u: &[DVec2],
        residual: Vec<f64>,
    ) -> Result<Vec<f64>, StepError> {
        let Some(system) = &mut self.system else { return Err(Singular.into()) };
        system.matrix.values.fill(0.0);
        let tangents: Vec<Vec<f64>> = (0..sample.grains.len())
            .into_par_iter()
            .map(|g| sample.grain_tangent(g, u, motion.rate * motion.rate, motion.rate))
            .collect::<Option<_>>()
            .ok_or(StepError::InsideOut)?;
        for (places, tangent) in system.places.iter().zip(&tangents) {
            for &(place, from) in places {
                system.matrix.values[place as usize] += tangent[from as usize];
            }
        }
        let mut skew = Vec::with_capacity(active.len());
        for (w, touch, element) in active {
            let (nodes, n) = sample.element_nodes(&watches[*w], touch);
            let unknown: Vec<usize> = nodes[..n].iter().flat_map(|k| [2 * k, 2 * k + 1]).collect();
            let t = &element.tangent;
            for (i, &row) in unknown.iter().enumerate() {
                for (j, &column) in unknown.iter().enumerate().filter(|(_, column)| row >= **column) {
                    // Nodes that are there twice (a short outline) have their entries summed.
                    if let Some(at) = system.matrix.place(row, column) {
                        system.matrix.values[at] += 0.5 * (t[i][j] + t[j][i]);
                    }
                }
            }
            skew.push((nodes, n, t));
        }
        sample.held.iter().for_each(|&held| system.matrix.hold(held));
        system.matrix.factorise()?;
        let mut change = residual;
        system.matrix.solve(&mut change);
        // (S + N)⁻¹ R as a series of S⁻¹ N.
        let mut term = change.clone();
        let size = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>();
        let mut last = size(&term);
        for _ in 0..20 {
            let mut next = vec![0.0; term.len()];
            for (nodes, n, t) in &skew {
                let at = |i: usize| 2 * nodes[i / 2] + i % 2;
                for i in 0..2 * n {
                    next[at(i)] -= (0..2 * n).map(|j| 0.5 * (t[i][j] - t[j][i]) * term[at(j)]).sum::<f64>();
                }
            }
            sample.held.iter().for_each(|&held| next[held] = 0.0);
            system.matrix.solve(&mut next);
            let this = size(&next);
            if this >= last || this == 0.0 {
                break;
            }
            change.iter_mut().zip(&next).for_each(|(c, n)| *c += n);
            (term, last) = (next, this);
            if this < 1e-24 * size(&change) {
                break;
            }
        }
        Ok(change)
    }
}

/// What rounding of places does to the forces of contact, which are stiff.
fn noise(positions: &[DVec2], active: &[Active], stiffness: f64) -> f64 {
    let far = positions.iter().map(|x| x.abs().max_element()).fold(0.0, f64::max);
    let lengths = active.iter().map(|(_, _, e)| e.length * e.length).sum::<f64>().sqrt();
    10.0 * f64::EPSILON * far * stiffness * lengths
}

/// Eq. (A.2), and the size of the forces that balance in it.
fn residual(
    sample: &Sample,
    motion: &Motion,
    watches: &[Watch],
    active: &[Active],
    u: &[DVec2],
    d: &[DVec2],
) -> Option<(Vec<f64>, f64)> {
    let (inner, _) = sample.inner_forces(u)?;
    let velocity = motion.velocity(d);
    let inertia = sample.mass_times(&motion.acceleration(d));
    let momentum = sample.mass_times(&velocity);
    let damping = sample.damping_times(&velocity, &momentum);
    let mut contact = vec![DVec2::ZERO; u.len()];
    for (w, touch, element) in active {
        let (nodes, n): ([usize; NODES], usize) = sample.element_nodes(&watches[*w], touch);
        for (node, force) in nodes[..n].iter().zip(&element.force) {
            contact[*node] += *force;
        }
    }
    let size = |x: &[DVec2]| x.iter().map(|x| x.length_squared()).sum::<f64>().sqrt();
    // In free flight there are no forces: a thousandth of what would stop all within the step stands for them.
    let flight = 1e-3 * motion.rate * size(&momentum);
    let forces: f64 = [&inner, &inertia, &damping, &contact].map(|x| size(x)).iter().sum();
    let all = forces + flight + size(&sample.load);
    let residual = (0..u.len())
        .flat_map(|k| (inner[k] + sample.load[k] + contact[k] - inertia[k] - damping[k]).to_array())
        .collect();
    Some((residual, all.max(f64::MIN_POSITIVE)))
}
