//! The rules that cut time, section 4 of meshfree-2016: what velocities and accelerations are where displacements are known.

use glam::DVec2;
use rayon::prelude::*;

use crate::{
    sample::{Flows, Sample},
    step::NodalState,
};

/// Velocity and acceleration at the end of a sub-step as they depend on the displacement d within it: v = rate d + ..., a = rate² d
/// + ... (Of displacements since the start, which may be large, the digits that count would be lost.)
pub struct Kinematics {
    /// Displacements where the sub-step begins.
    pub from: Vec<DVec2>,
    pub rate: f64,
    /// What forces other than those of contact count for against these.
    pub weight: f64,
    velocity: Vec<DVec2>,
    acceleration: Vec<DVec2>,
    /// The rate of strain is the same rate times strain, and this, at every Gauss point of every grain: the same rules, for strains.
    strain_rate: Vec<Vec<[f64; 3]>>,
}

impl Kinematics {
    /// Eqs (25), (26), over a time h.
    pub fn newmark(sample: &Sample, from: &NodalState, h: f64) -> Self {
        let rate = 2.0 / h;
        let velocity = from.velocity.iter().map(|v| -*v).collect();
        let rest = from.velocity.iter().zip(&from.acceleration);
        Kinematics {
            from: from.displacement.clone(),
            rate,
            weight: 1.0,
            velocity,
            acceleration: rest.map(|(v, a)| -2.0 * rate * *v - *a).collect(),
            strain_rate: strains(sample, from, |strain, now| -rate * strain - now),
        }
    }

    /// As [`Kinematics::newmark`], but that contacts push all the time with what they push with at the end. `free`: accelerations without them.
    pub fn contact_implicit(sample: &Sample, from: &NodalState, free: &[DVec2], h: f64) -> Self {
        let mut motion = Kinematics::newmark(sample, from, h);
        for ((sum, now), free) in motion.acceleration.iter_mut().zip(&from.acceleration).zip(free) {
            *sum += *now - *free;
        }
        Kinematics { weight: 0.5, ..motion }
    }

    /// Eqs (27), (28), over the second half of a step h; d is from its middle.
    pub fn euler(sample: &Sample, from: &NodalState, middle: &NodalState, h: f64) -> Self {
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
        Kinematics {
            from: middle.displacement.clone(),
            rate,
            weight: 1.0,
            velocity,
            acceleration,
            strain_rate,
        }
    }

    /// Nothing moves: what is looked for is at rest.
    pub fn still(from: &NodalState) -> Self {
        let zero = vec![DVec2::ZERO; from.displacement.len()];
        Kinematics {
            from: from.displacement.clone(),
            rate: 0.0,
            weight: 1.0,
            velocity: zero.clone(),
            acceleration: zero,
            strain_rate: Vec::new(),
        }
    }

    /// How far nodes go in the sub-step if they go on as they do, m; none where there is no time.
    pub fn expected_way(&self, velocity: &[DVec2]) -> Option<f64> {
        let fastest = velocity.iter().map(|v| v.length_squared()).fold(0.0, f64::max).sqrt();
        // A sub-step takes 2 or 1.5 over the rate.
        (self.rate > 0.0).then(|| 2.0 * fastest / self.rate)
    }

    pub fn displacement(&self, d: &[DVec2]) -> Vec<DVec2> {
        self.from.iter().zip(d).map(|(u, d)| *u + *d).collect()
    }

    pub fn velocity(&self, d: &[DVec2]) -> Vec<DVec2> {
        d.iter().zip(&self.velocity).map(|(d, w)| self.rate * *d + *w).collect()
    }

    pub fn flows(&self, d: &[DVec2]) -> Flows {
        Flows { velocity: self.velocity(d), rate: self.rate, constant: self.strain_rate.clone() }
    }

    pub fn acceleration(&self, d: &[DVec2]) -> Vec<DVec2> {
        d.iter().zip(&self.acceleration).map(|(d, b)| self.rate * self.rate * *d + *b).collect()
    }
}

/// Something of the strain and its rate at every Gauss point of grains with a viscous stress; nothing for the others.
pub fn strains(
    sample: &Sample,
    state: &NodalState,
    of: impl Fn(f64, f64) -> f64 + Sync,
) -> Vec<Vec<[f64; 3]>> {
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
