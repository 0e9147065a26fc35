//! What the two gradient solvers share: the cone-complementarity form of the problem (eqs 9-11 of nbody-polyhedra-2017),
//! `min f(p) = p.(N p)/2 + p.(q + s)` over Coulomb's cones, with `N p + q` the velocities at the contacts.
//!
//! The paper drops the term `s = mu |u_t| n` of eq. (9), which makes the problem convex and lets sliding contacts open.
//! Here it is kept, frozen for some iterations at a time, so that the fixed point is the same problem that
//! Gauss-Seidel solves. Rolling and twisting torques belong to p, relative spins to the velocities: the cone has
//! `|t_t| <= roll p_n` and `|t_n| <= twist p_n` too, and `s = (mu |u_t| + roll |w_t| + twist |w_n|) n`. Steps are scaled contact
//! by contact with the diagonal of N, so that small and large bodies converge together.

use rubblepile_core::simd::{LANES, Lanes, Portable, V3};

use crate::{
    batch::{Eight, Eight3, load3, store3},
    kernel::{Limits, RelativeSpin, RelativeVelocity, onto_cone, onto_rolling_cone},
    problem::{ContactProblem, with_points},
    solver::residual,
};

/// Iterations between two settings of `s`.
const FREEZE: u32 = 10;

/// Solves by stretches of iterations with `s` frozen; `stretch` is given the impulses, the length of the last step and a
/// number of iterations, and returns the length of its last step. The velocities are those of the impulses before and
/// after it.
pub fn solve(
    problem: &mut ContactProblem,
    tolerance: f64,
    most: u32,
    stretch: fn(&mut Descent, &mut Vec<Eight3>, f64, u32) -> f64,
) -> (u32, f64) {
    let mut left = residual(problem);
    let mut descent = Descent::new(problem);
    let mut p = descent.impulses();
    let (mut step, mut done) = (1.0, 0);
    while left > tolerance && done < most {
        descent.set_slide();
        let some = FREEZE.min(most - done);
        step = stretch(&mut descent, &mut p, step, some);
        done += some;
        descent.set_impulses(&p);
        left = residual(descent.problem);
    }
    (done, left)
}

/// A vector of the problem has the impulses of all batches and, where contacts roll, their torques after them.
pub struct Descent<'a> {
    pub problem: &'a mut ContactProblem,
    /// `s`: what eq. (9) adds to the normal velocity.
    slide: Vec<Eight>,
    /// Scale of a step at each contact, and its inverse: 1 / W.
    rho: Vec<Eight>,
    /// Of the contacts, and their spins.
    velocity: Vec<Eight3>,
}

impl<'a> Descent<'a> {
    pub fn new(problem: &'a mut ContactProblem) -> Self {
        let mut rho: Vec<Eight> = with_points!(&problem.points, batches => batches
            .iter()
            .map(|b| std::array::from_fn(|k| b.inverse_normal[k].min(b.inverse_tangent[k])))
            .collect());
        // Empty lanes have none.
        rho.extend(problem.rolling.iter().map(|r| r.inverse.map(|i| i.max(f64::MIN_POSITIVE))));
        let (batches, all) = (problem.colours.batches(), rho.len());
        Descent { problem, slide: vec![[0.0; LANES]; batches], rho, velocity: vec![[[0.0; LANES]; 3]; all] }
    }

    pub fn impulses(&self) -> Vec<Eight3> {
        let mut all: Vec<Eight3> =
            with_points!(&self.problem.points, batches => batches.iter().map(|b| b.impulse).collect());
        all.extend(self.problem.rolling.iter().map(|r| r.torque));
        all
    }

    pub fn set_impulses(&mut self, p: &[Eight3]) {
        let (p, torques) = p.split_at(self.problem.colours.batches());
        with_points!(&mut self.problem.points, batches =>
            batches.iter_mut().zip(p).for_each(|(b, p)| b.impulse = *p));
        self.problem.rolling.iter_mut().zip(torques).for_each(|(r, t)| r.torque = *t);
    }

    /// Moves the velocities from impulses `from` to impulses `to`.
    pub fn shift(&mut self, from: &[Eight3], to: &[Eight3]) {
        let mut change = combine_all(to, from, -1.0);
        let (impulses, torques) = change.split_at_mut(self.problem.colours.batches());
        self.problem.apply(impulses);
        self.problem.apply_torques(torques);
    }

    /// The gradient of f at the impulses that the velocities stand for: `u + (bias + s) n`, and the spins.
    pub fn gradient(&mut self) -> Vec<Eight3> {
        self.measure();
        let mut gradient = self.velocity.clone();
        let slide = &self.slide;
        with_points!(&self.problem.points, batches => {
            for ((b, slide), g) in batches.iter().zip(slide).zip(&mut gradient) {
                for (g, n) in g.iter_mut().zip(&b.normal) {
                    for lane in 0..LANES {
                        g[lane] += (b.bias[lane] + slide[lane]) * n[lane];
                    }
                }
            }
        });
        gradient
    }

    fn measure(&mut self) {
        let ContactProblem { colours, rows, points, .. } = &mut *self.problem;
        let (velocity, spin) = self.velocity.split_at_mut(colours.batches());
        with_points!(points, batches => {
            colours.work(&RelativeVelocity, rows, batches, velocity);
            if !spin.is_empty() {
                colours.work(&RelativeSpin, rows, batches, spin);
            }
        });
    }

    /// Sets `s` from the velocities as they are.
    pub fn set_slide(&mut self) {
        self.measure();
        let (velocity, spin) = self.velocity.split_at(self.slide.len());
        let rolling = &self.problem.rolling;
        self.slide = with_points!(&self.problem.points, batches => batches
            .iter()
            .zip(velocity)
            .enumerate()
            .map(|(k, (b, u))| {
                let (u, n): (V3<Portable>, V3<Portable>) = (load3(u), load3(&b.normal));
                let t = u.across(n);
                let mut slide = Portable(b.friction) * t.dot(t).sqrt();
                if let (Some(rolling), Some(w)) = (rolling.get(k), spin.get(k)) {
                    let w: V3<Portable> = load3(w);
                    let (about, across) = (w.dot(n), w.across(n));
                    slide = slide
                        + Portable(rolling.roll) * across.dot(across).sqrt()
                        + Portable(rolling.twist) * about.max(-about);
                }
                slide.store()
            })
            .collect());
    }

    /// `P_K(p - step rho g)`.
    pub fn project(&self, p: &[Eight3], g: &[Eight3], step: f64) -> Vec<Eight3> {
        let batches = self.slide.len();
        let free = |k: usize| -> V3<Portable> {
            load3::<Portable>(&p[k]) - load3::<Portable>(&g[k]) * Portable(self.rho[k].map(|r| r * step))
        };
        let (rolling, rho) = (&self.problem.rolling, &self.rho);
        let mut torques = Vec::with_capacity(rolling.len());
        let mut all: Vec<Eight3> = with_points!(&self.problem.points, points => points
            .iter()
            .enumerate()
            .map(|(k, b)| {
                let (n, friction) = (load3(&b.normal), Portable(b.friction));
                let Some(r) = rolling.get(k) else { return store3(onto_cone(free(k), n, friction)) };
                let limits = Limits {
                    friction,
                    roll: Portable(r.roll),
                    twist: Portable(r.twist),
                    weight: Portable(std::array::from_fn(|lane| rho[k][lane] / rho[batches + k][lane])),
                };
                let (impulse, torque) = onto_rolling_cone(free(k), free(batches + k), n, &limits);
                torques.push(store3(torque));
                store3(impulse)
            })
            .collect());
        all.extend(torques);
        all
    }

    /// Square of the length of an impulse in the metric of the steps, `sum |d|^2 / rho`.
    pub fn length_squared(&self, d: &[Eight3]) -> f64 {
        let one = |(d, rho): (&Eight3, &Eight)| -> f64 {
            (0..LANES).map(|k| (d[0][k] * d[0][k] + d[1][k] * d[1][k] + d[2][k] * d[2][k]) / rho[k]).sum()
        };
        d.iter().zip(&self.rho).map(one).sum()
    }
}

/// `a + c b`
pub fn combine(a: &Eight3, b: &Eight3, c: f64) -> Eight3 {
    std::array::from_fn(|axis| std::array::from_fn(|lane| a[axis][lane] + c * b[axis][lane]))
}

pub fn combine_all(a: &[Eight3], b: &[Eight3], c: f64) -> Vec<Eight3> {
    a.iter().zip(b).map(|(a, b)| combine(a, b, c)).collect()
}

pub fn dot(a: &[Eight3], b: &[Eight3]) -> f64 {
    let one = |(a, b): (&Eight3, &Eight3)| -> f64 {
        (0..LANES).map(|k| a[0][k] * b[0][k] + a[1][k] * b[1][k] + a[2][k] * b[2][k]).sum()
    };
    a.iter().zip(b).map(one).sum()
}
