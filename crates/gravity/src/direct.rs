//! Direct summation over all pairs: exact, and the reference for the other fields.
//!
//! a_i = G sum_j m_j d_ij / |d_ij|^3, d_ij = x_j - x_i. Targets are taken sixteen at a time, sources one by one in the
//! order of their rows, so the sum of a body never depends on the threads. Each pair is met twice, but with
//! the same distance and the same 1/r^3 to the last bit, so the two forces are opposite to rounding and momentum and
//! angular momentum are kept.
//!
//! Two bodies at the same point are skipped: the direction of their force is undefined.

use glam::DVec3;
use rayon::prelude::*;
use rubblepile_core::{
    Actions, Advice, Field, G, Pulls, Result, World,
    settings::{Check, FieldSettings, ScenarioContext, field::Source},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    check_finite,
    list::every_step,
    self_gravity_advice,
    simd::{Kernel, Lanes, Real, WIDTH},
};

/// Self-gravity by direct summation over all pairs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DirectGravity {
    /// Number of steps between updates.
    #[serde(default = "every_step")]
    pub every: u64,
}

impl Default for DirectGravity {
    fn default() -> Self {
        DirectGravity { every: every_step() }
    }
}

impl DirectGravity {
    pub const ABOUT: &str = "Self-gravity by direct summation: exact, for up to a few thousand grains.";
}

impl FieldSettings for DirectGravity {
    fn check(&self, check: &mut Check, at: &str) {
        check.every_steps(self.every, at);
    }

    fn source(&self) -> Option<Source<'_>> {
        Some(Source::Bodies)
    }

    fn field(&self, _scene: &ScenarioContext) -> Box<dyn Field> {
        Box::new(Direct::new(G, self.every))
    }
}

/// Sources that a thread sums at a time for a sample.
const PART: usize = 8192;

/// Exact self-gravity of all bodies, with a cost of N^2.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Direct {
    /// Newton's constant, m^3 kg^-1 s^-2.
    pub constant: f64,
    /// Re-evaluated every so many steps.
    pub every: u64,
}

impl Default for Direct {
    fn default() -> Self {
        Direct::new(G, 1)
    }
}

impl Direct {
    pub fn new(constant: f64, every: u64) -> Self {
        Direct { constant, every: every.max(1) }
    }
}

impl Field for Direct {
    fn name(&self) -> &'static str {
        "direct self-gravity"
    }

    fn act(&mut self, world: &World, on: &mut Actions) -> Result<()> {
        check_finite(world)?;
        let out = &mut *on.accelerations;
        let (positions, masses) = (&world.bodies.position, &world.bodies.mass);
        let constant = self.constant;
        positions.par_chunks(WIDTH).zip(out.par_chunks_mut(WIDTH)).with_min_len(4).for_each(
            |(targets, out)| {
                let sum = f64::launch(PairSum { positions, masses, targets });
                for (k, out) in out.iter_mut().enumerate() {
                    *out += DVec3::new(sum[0][k], sum[1][k], sum[2][k]) * constant;
                }
            },
        );
        Ok(())
    }

    fn potential_energy(&mut self, world: &World) -> Result<f64> {
        check_finite(world)?;
        let (positions, masses) = (&world.bodies.position, &world.bodies.mass);
        let parts: Vec<f64> = positions
            .par_chunks(WIDTH)
            .zip(masses.par_chunks(WIDTH))
            .map(|(targets, m)| {
                let sum = f64::launch(PairSum { positions, masses, targets });
                m.iter().zip(sum[3]).map(|(m, p)| m * p).sum::<f64>()
            })
            .collect();
        Ok(-0.5 * self.constant * parts.iter().sum::<f64>())
    }

    fn pulls<'a>(&self, _world: &'a World, pulls: &mut Pulls<'a>) {
        pulls.own = true;
    }

    fn every(&self) -> u64 {
        self.every
    }

    fn check(&self, world: &World) -> Vec<Advice> {
        self_gravity_advice(world)
    }
}

/// Exact accelerations of the bodies in these rows, for benchmarks and validation.
pub fn direct_sample(positions: &[DVec3], masses: &[f64], rows: &[usize], constant: f64) -> Vec<DVec3> {
    let targets: Vec<DVec3> = rows.iter().filter_map(|&k| positions.get(k).copied()).collect();
    // Few targets and many sources: threads share the sources too, in fixed parts that are added in order.
    let groups: Vec<&[DVec3]> = targets.chunks(WIDTH).collect();
    let parts = positions.len().min(masses.len()).div_ceil(PART).max(1);
    let sums: Vec<[[f64; WIDTH]; 4]> = (0..groups.len() * parts)
        .into_par_iter()
        .map(|k| {
            let (group, part) = (k / parts, k % parts);
            let range = part * PART..((part + 1) * PART).min(positions.len()).min(masses.len());
            f64::launch(PairSum {
                positions: &positions[range.clone()],
                masses: &masses[range],
                targets: groups[group],
            })
        })
        .collect();
    (0..targets.len())
        .map(|k| {
            let (group, lane) = (k / WIDTH, k % WIDTH);
            let mut a = DVec3::ZERO;
            for sum in &sums[group * parts..(group + 1) * parts] {
                a += DVec3::new(sum[0][lane], sum[1][lane], sum[2][lane]);
            }
            a * constant
        })
        .collect()
}

/// Root of the mean over bodies of |found - exact|^2 / |exact|^2. A body with no acceleration counts if it was given
/// one, as an error of 1.
pub fn rms_relative_error(found: &[DVec3], exact: &[DVec3]) -> f64 {
    let n = found.len().min(exact.len());
    if n == 0 {
        return 0.0;
    }
    let square = |(f, e): (&DVec3, &DVec3)| {
        let (d, a) = ((*f - *e).length_squared(), e.length_squared());
        if a > 0.0 { d / a } else { f64::from(d > 0.0) }
    };
    (found.iter().zip(exact).map(square).sum::<f64>() / n as f64).sqrt()
}

/// Gradient and potential at up to sixteen points.
struct PairSum<'a> {
    positions: &'a [DVec3],
    masses: &'a [f64],
    targets: &'a [DVec3],
}

impl Kernel<f64> for PairSum<'_> {
    type Output = [[f64; WIDTH]; 4];

    #[inline(always)]
    fn run<V: Lanes<f64>>(self) -> Self::Output {
        let axis = |a: usize| {
            let mut t = [0.0; WIDTH];
            for (t, x) in t.iter_mut().zip(self.targets) {
                *t = x[a];
            }
            V::load(&t)
        };
        let (tx, ty, tz) = (axis(0), axis(1), axis(2));
        let mut s = [V::zero(); 4];
        for (x, &m) in self.positions.iter().zip(self.masses) {
            let (dx, dy, dz) = (V::splat(x.x).sub(tx), V::splat(x.y).sub(ty), V::splat(x.z).sub(tz));
            let r2 = dx.mul_add(dx, dy.mul_add(dy, dz.mul(dz)));
            // Zero for a body and itself, and for bodies at the same point.
            let u = r2.inverse_root().where_positive(r2);
            let u3 = u.mul(u).mul(u);
            let m = V::splat(m);
            let w = m.mul(u3);
            s[0] = dx.mul_add(w, s[0]);
            s[1] = dy.mul_add(w, s[1]);
            s[2] = dz.mul_add(w, s[2]);
            s[3] = m.mul_add(u, s[3]);
        }
        [s[0].array(), s[1].array(), s[2].array(), s[3].array()]
    }
}
