//! Spectral projected gradient (nbody-polyhedra-2017, [33]): steps of Barzilai and Borwein, and a line search that
//! lets the objective rise for a while (Grippo, Lampariello and Lucidi).

use crate::{
    batch::Eight3,
    solver::descent::{Descent, combine_all, dot},
};

/// The objective may be as high as the highest of so many iterations before.
const MEMORY: usize = 8;
const ENOUGH: f64 = 1e-4;

/// Some iterations with `s` frozen. The velocities are those of `p` before and after.
pub fn stretch(descent: &mut Descent, p: &mut Vec<Eight3>, mut step: f64, iterations: u32) -> f64 {
    // Objectives relative to the first: only differences count.
    let mut height = vec![0.0f64];
    let mut g = descent.gradient();
    for _ in 0..iterations {
        let full = descent.project(p, &g, step);
        let d = combine_all(&full, p, -1.0);
        let slope = dot(&g, &d);
        if slope >= 0.0 {
            break;
        }
        descent.shift(p, &full);
        let full_g = descent.gradient();
        let change = combine_all(&full_g, &g, -1.0);
        let curvature = dot(&d, &change);
        let now = height[height.len() - 1];
        let bar = height.iter().rev().take(MEMORY).copied().fold(f64::NEG_INFINITY, f64::max);
        // f along d is exactly now + a slope + a^2 curvature / 2.
        let at = |a: f64| now + a * slope + 0.5 * a * a * curvature;
        let mut a = 1.0;
        while at(a) > bar + ENOUGH * a * slope && a > 1e-10 {
            a = (-slope / curvature).min(0.5 * a);
        }
        let next = combine_all(p, &d, a);
        if a < 1.0 {
            descent.shift(&full, &next);
        }
        g = combine_all(&g, &change, a);
        height.push(at(a));
        step = if curvature > 0.0 { descent.length_squared(&d) / curvature } else { 1.0 };
        step = step.clamp(1e-8, 1e8);
        *p = next;
    }
    step
}
