//! One contact law for eight contacts at once: eqs (1)-(4), Tables 1 and 2 of asteroid-surface-2024, on the springs
//! of a [`ContactLaw`].
//!
//! What the equations leave open is settled so: a displacement follows the contact plane by projection (the
//! length lost is of second order in the rotation per step, which is negligible over the life of a contact); where a limit is reached, the displacement is cut to what the spring alone holds at the limit,
//! so that a slider does not wind up; the dashpot may pull at the end of a contact, as eq. (1) has it, which is
//! what makes the restitution come out exactly.

use rubblepile_core::simd::{Lanes, V3};

use crate::law::{ContactLaw, ContactPair};

/// Geometry and relative motion of eight contacts (Table 1). For a wall the partner's radius is infinite.
#[derive(Debug, Clone, Copy)]
pub struct RelativeMotion<L> {
    /// n, from the body to its partner.
    pub normal: V3<L>,
    /// delta_N, R_e, m_ij
    pub touch: ContactPair<L>,
    /// (v_j - v_i) . n
    pub approach: L,
    /// u_S
    pub slip: V3<L>,
    /// omega_j - omega_i
    pub spin: V3<L>,
    /// 0.5 (l_j - l_i) / (l_i l_j): how slip enters the rolling velocity.
    pub lever: L,
}

/// The displacements delta_S, delta_R, delta_T. What is kept is ahead by half a step: displacement is the integral of
/// velocity, and with velocities at whole steps its second-order sum lives at half steps. The force takes
/// the mean of the two about it. (With the sum itself, the spring would run ahead and damp like a dashpot of k h / 2.)
#[derive(Debug, Clone, Copy)]
pub struct Displacement<L> {
    pub sliding: V3<L>,
    pub rolling: V3<L>,
    pub twisting: L,
}

/// Forces and torques on the body; its partner feels the opposite.
#[derive(Debug, Clone, Copy)]
pub struct ContactWrench<L> {
    /// F_N and F_C along n.
    pub normal: L,
    /// F_S
    pub sliding: V3<L>,
    /// M_R + M_T
    pub torque: V3<L>,
}

impl<L: Lanes> ContactWrench<L> {
    /// The part that a facet has of it, eq. (6).
    #[inline(always)]
    pub fn scaled(self, share: L) -> Self {
        ContactWrench {
            normal: self.normal * share,
            sliding: self.sliding * share,
            torque: self.torque * share,
        }
    }
}

/// Energy of eight contacts: stored, and lost in this step by cause.
#[derive(Debug, Clone, Copy)]
pub struct ContactEnergy<L> {
    pub stored: L,
    pub normal: L,
    pub sliding: L,
    pub rolling: L,
    pub twisting: L,
}

/// What the springs of eight contacts hold, by cause: normal, with cohesion, sliding, rolling and twisting.
#[inline(always)]
pub fn stored<L: Lanes, C: ContactLaw>(
    touch: &ContactPair<L>,
    law: &[L; 8],
    friction: &[L; 8],
    held: &Displacement<L>,
) -> [L; 4] {
    let [_, _, _, beta2, stick, ..] = *friction;
    let k = C::springs(law, touch);
    let (half, square) = (L::splat(0.5), touch.radius * touch.radius);
    let arm2 = beta2 * square;
    [
        (L::splat(C::ENERGY) * k.normal * touch.overlap - stick * square) * touch.overlap,
        half * k.sliding * held.sliding.dot(held.sliding),
        half * k.normal * arm2 * held.rolling.dot(held.rolling),
        k.sliding * arm2 * held.twisting * held.twisting,
    ]
}

/// The law. `friction` is [`crate::law::Coefficients::friction`]. `dt` of 0 gives the forces as they are.
#[inline(always)]
pub fn resolve<L: Lanes, C: ContactLaw, const ROLLS: bool, const ENERGY: bool>(
    seen: &RelativeMotion<L>,
    law: &[L; 8],
    friction: &[L; 8],
    held: &mut Displacement<L>,
    dt: L,
) -> (ContactWrench<L>, ContactEnergy<L>) {
    let zero = L::splat(0.0);
    let n = seen.normal;
    let half_dt = L::splat(0.5) * dt;
    let [mu_s, roll_limit, twist_limit, beta2, stick, ..] = *friction;
    let k = C::springs(law, &seen.touch);
    let radius = seen.touch.radius;

    // Eq. (1), normal; eq. (4), cohesion.
    let f_n = k.normal_damping * seen.approach - k.normal * seen.touch.overlap;
    let f_c = stick * radius * radius;

    // Eq. (1), sliding.
    let limit = mu_s * f_n.abs();
    let turned = held.sliding.across(n);
    let on = seen.slip * half_dt;
    let stretched = turned + on;
    let trial = stretched * k.sliding + seen.slip * k.sliding_damping;
    let slides = (limit * limit).less(trial.dot(trial));
    // Cut to k_S |delta_S| <= mu_S |F_N|; a spring that holds nothing (Hertz at no overlap) is cut to nothing.
    let held_force = k.sliding * stretched.dot(stretched).sqrt();
    let share = L::select(zero.less(held_force), limit / held_force, zero);
    let at_limit = stretched * (share * k.sliding);
    let f_s = V3(
        L::select(slides, at_limit.0, trial.0),
        L::select(slides, at_limit.1, trial.1),
        L::select(slides, at_limit.2, trial.2),
    );
    let one = L::splat(1.0);
    held.sliding = stretched * L::select(slides, share.min(one), one) + on;

    let mut push = ContactWrench { normal: f_n + f_c, sliding: f_s, torque: V3::zero() };
    let half = L::splat(0.5);
    let mut energy =
        ContactEnergy { stored: zero, normal: zero, sliding: zero, rolling: zero, twisting: zero };
    if ENERGY {
        let overlap = seen.touch.overlap;
        let spring = half * k.sliding * held.sliding.dot(held.sliding);
        energy.stored = (L::splat(C::ENERGY) * k.normal * overlap - f_c) * overlap + spring;
        energy.normal = k.normal_damping * seen.approach * seen.approach * dt;
        energy.sliding = f_s.dot(seen.slip) * dt - spring + half * k.sliding * turned.dot(turned);
    }
    if !ROLLS {
        return (push, energy);
    }

    // (beta R_e)^2 of Table 2.
    let arm2 = beta2 * radius * radius;
    let grip = radius * f_n.abs();

    // Eq. (3), rolling: omega_R is the part of the relative spin across n, and what slip adds for unequal arms.
    let across = seen.spin.across(n) + n.cross(seen.slip) * seen.lever;
    let (k_r, c_r) = (k.normal * arm2, k.normal_damping * arm2);
    let m_max = roll_limit * grip;
    let turned_r = held.rolling.across(n);
    let on = across * half_dt;
    let rolled = turned_r + on;
    let held_torque = k_r * rolled.dot(rolled).sqrt();
    let holds = held_torque.less(m_max);
    let spring = rolled * k_r + across * c_r;
    let share = L::select(zero.less(held_torque), m_max / held_torque, zero);
    let at_limit = rolled * (share * k_r);
    let m_r = V3(
        L::select(holds, spring.0, at_limit.0),
        L::select(holds, spring.1, at_limit.1),
        L::select(holds, spring.2, at_limit.2),
    );
    held.rolling = rolled * L::select(holds, one, share) + on;

    // Eq. (2), twisting: a number along n.
    let omega_t = seen.spin.dot(n);
    let (k_t, c_t) = (L::splat(2.0) * k.sliding * arm2, L::splat(2.0) * k.sliding_damping * arm2);
    let m_max = twist_limit * grip;
    let before_t = held.twisting;
    let on = omega_t * half_dt;
    let twisted = before_t + on;
    let holds = (k_t * twisted.abs()).less(m_max);
    let sign = L::select(twisted.less(zero), L::splat(-1.0), L::splat(1.0));
    let m_t = L::select(holds, k_t * twisted + c_t * omega_t, sign * m_max);
    let room = L::select(zero.less(k_t), m_max / k_t, zero);
    held.twisting = L::select(holds, twisted, sign * room.min(twisted.abs())) + on;

    push.torque = m_r + n * m_t;
    if ENERGY {
        let roll = half * k_r * held.rolling.dot(held.rolling);
        let twist = half * k_t * held.twisting * held.twisting;
        energy.stored = energy.stored + roll + twist;
        // What the torque takes from the spins: slip adds to omega_R, but the torque does no work on it.
        energy.rolling = m_r.dot(seen.spin.across(n)) * dt - roll + half * k_r * turned_r.dot(turned_r);
        energy.twisting = m_t * omega_t * dt - twist + half * k_t * before_t * before_t;
    }
    (push, energy)
}
