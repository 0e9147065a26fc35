//! Projected gradient with Nesterov's acceleration (nbody-polyhedra-2017, [34]): steps from a point ahead of the last
//! one, step length by backtracking, and a fresh start when the objective turns up again.

use crate::{
    batch::Eight3,
    solver::descent::{Descent, combine_all, dot},
};

/// The step grows by this when it was not cut.
const GROWTH: f64 = 1.1;

/// Some iterations with `s` frozen. The velocities are those of `p` before and after.
pub fn stretch(descent: &mut Descent, p: &mut Vec<Eight3>, mut step: f64, iterations: u32) -> f64 {
    let mut ahead = p.clone();
    let mut t = 1.0f64;
    for _ in 0..iterations {
        let g = descent.gradient();
        let (next, next_g) = loop {
            let next = descent.project(&ahead, &g, step);
            let d = combine_all(&next, &ahead, -1.0);
            descent.shift(&ahead, &next);
            let next_g = descent.gradient();
            // f is quadratic: d.N d is the change of the gradient along d.
            let curvature = dot(&d, &next_g) - dot(&d, &g);
            if curvature <= descent.length_squared(&d) / step || step < 1e-12 {
                break (next, next_g);
            }
            descent.shift(&next, &ahead);
            step *= 0.6;
        };
        let moved = combine_all(&next, p, -1.0);
        let uphill = dot(&next_g, &moved) > 0.0;
        let next_t = 0.5 * (1.0 + (1.0 + 4.0 * t * t).sqrt());
        let momentum = if uphill { 0.0 } else { (t - 1.0) / next_t };
        t = if uphill { 1.0 } else { next_t };
        ahead = combine_all(&next, &moved, momentum);
        descent.shift(&next, &ahead);
        *p = next;
        step *= GROWTH;
    }
    descent.shift(&ahead, p);
    step
}
