//! Free rotation of a rigid body over a time `h`: Euler's equation without torque (eq. 1 of contact-dynamics-2021).
//!
//! In the body frame the angular momentum turns as `dP/dt = P x J^-1 P`. The implicit midpoint rule keeps every
//! quadratic invariant, hence both `|P|` and the energy, and it is itself a rotation: with `W = J^-1 (P + P')/2`,
//! `P' = R(h W)^-1 P`, where R is the rotation by the angle `2 atan(h |W| / 2)` about W. Turning the body by that same
//! rotation leaves the angular momentum in the world frame as it is, to rounding. So, unlike the linearised
//! eqs (14)-(16), it neither gains nor loses energy at any step. R is the exponential map of nbody-polyhedra-2017
//! (after its eq. 13) with the angle that makes this exact.

use glam::{DQuat, DVec3};

/// Radians that a body may turn in one solve: beyond that the step is cut.
const MOST_TURN: f64 = 0.25;
const MOST_CUTS: f64 = 1e6;
/// Sine of the angle between spin and angular momentum that counts as none.
const STEADY: f64 = 1e-12;

/// Turns a body freely for a time `h`: its orientation, and its spin in the world frame with it.
pub fn turn_freely(orientation: &mut DQuat, spin: &mut DVec3, inertia: DVec3, h: f64) {
    let speed = spin.length();
    if speed == 0.0 || h == 0.0 {
        return;
    }
    let cuts = (speed * h / MOST_TURN).ceil().clamp(1.0, MOST_CUTS);
    let dt = h / cuts;
    // The angular momentum in the world frame does not change: taken once, it cannot drift.
    let momentum = turned(*orientation, inertia * turned(orientation.inverse(), *spin));
    for _ in 0..cuts as u64 {
        let start = turned(orientation.inverse(), momentum);
        *orientation = (*orientation * midpoint_turn(start, inertia, dt)).normalize();
    }
    *spin = turned(*orientation, turned(orientation.inverse(), momentum) / inertia);
}

/// Spin, in the world frame, of a body that has this angular momentum.
pub fn spin_of(orientation: DQuat, momentum: DVec3, inertia: DVec3) -> DVec3 {
    turned(orientation, turned(orientation.inverse(), momentum) / inertia)
}

/// Whether a body turns about one of its axes, where its spin stays as it is.
pub fn turns_steadily(orientation: DQuat, momentum: DVec3, inertia: DVec3) -> bool {
    let spin = spin_of(orientation, momentum, inertia);
    spin.cross(momentum).length() <= STEADY * spin.length() * momentum.length()
}

/// The even rate, in the world frame, that turns a body in a time `h` to where it gets freely, to second order: W of
/// the midpoint rule, with the angle `h |W|`. That rule keeps `|P|` and the energy with any angle, since neither changes when P turns
/// about W; with this one a body that turns steadily is where it should be all the time. For turns of less than a radian.
pub fn even_rate(orientation: DQuat, momentum: DVec3, inertia: DVec3, h: f64) -> DVec3 {
    let start = turned(orientation.inverse(), momentum);
    let turn = |rate: DVec3| DQuat::from_scaled_axis(h * rate);
    turned(orientation, midpoint_rate(start, inertia, turn))
}

/// A vector turned, with its length as it was. A quaternion's length is off by a rounding error that stays the same for
/// many steps: scaled by it each time, energy would drift.
fn turned(q: DQuat, v: DVec3) -> DVec3 {
    let out = q * v;
    let length = out.length();
    if length > 0.0 { out * (v.length() / length) } else { out }
}

/// The rotation (body frame) of one implicit midpoint step from the body-frame momentum `start`.
fn midpoint_turn(start: DVec3, inertia: DVec3, h: f64) -> DQuat {
    rotation(midpoint_rate(start, inertia, |rate| rotation(rate, h)), h)
}

/// W of the midpoint rule for a turn by some angle about it.
fn midpoint_rate(start: DVec3, inertia: DVec3, turn: impl Fn(DVec3) -> DQuat) -> DVec3 {
    let mut rate = start / inertia;
    // A fixed-point iteration gains a factor h |W| each time; what is left after it is below rounding.
    for _ in 0..60 {
        let end = turn(rate).inverse() * start;
        let next = 0.5 * (start + end) / inertia;
        let change = (next - rate).length_squared();
        rate = next;
        if change <= 1e-32 * rate.length_squared() {
            break;
        }
    }
    rate
}

/// Rotation about `rate` by the angle `2 atan(h |rate| / 2)`: as a quaternion, simply (1, h rate / 2) normalised.
fn rotation(rate: DVec3, h: f64) -> DQuat {
    let half = 0.5 * h * rate;
    DQuat::from_xyzw(half.x, half.y, half.z, 1.0).normalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn energy(q: DQuat, w: DVec3, inertia: DVec3) -> f64 {
        let b = q.inverse() * w;
        0.5 * (inertia * b * b).element_sum()
    }

    #[test]
    fn an_asymmetric_body_keeps_energy_and_momentum() {
        let inertia = DVec3::new(1.0, 1.6, 2.2);
        for h in [0.01, 0.3, 5.0] {
            let mut q = DQuat::from_rotation_x(0.3);
            // Near the unstable axis: it tumbles.
            let mut w = DVec3::new(0.02, 1.0, 0.03);
            let momentum = |q: DQuat, w: DVec3| q * (inertia * (q.inverse() * w));
            let (e, l) = (energy(q, w, inertia), momentum(q, w));
            let mut flipped = false;
            for _ in 0..2000 {
                turn_freely(&mut q, &mut w, inertia, h);
                flipped |= (q.inverse() * w).y < -0.5;
            }
            assert!((energy(q, w, inertia) / e - 1.0).abs() < 1e-11, "{h}");
            assert!((momentum(q, w) - l).length() < 1e-11 * l.length());
            assert!(flipped || h < 0.02);
        }
    }

    #[test]
    fn turning_evenly_for_a_step_keeps_energy_and_momentum_too() {
        let inertia = DVec3::new(1.0, 1.6, 2.2);
        let (mut q, mut w) = (DQuat::from_rotation_x(0.3), DVec3::new(0.02, 1.0, 0.03));
        let (mut free, mut free_spin) = (q, w);
        let l = q * (inertia * (q.inverse() * w));
        let e = energy(q, w, inertia);
        let h = 0.01;
        for _ in 0..5000 {
            q = (DQuat::from_scaled_axis(h * even_rate(q, l, inertia, h)) * q).normalize();
            w = spin_of(q, l, inertia);
            turn_freely(&mut free, &mut free_spin, inertia, h);
        }
        assert!((energy(q, w, inertia) / e - 1.0).abs() < 1e-11);
        assert!(!turns_steadily(q, l, inertia));
        // Both are right to second order.
        assert!((w - free_spin).length() < 5e-3, "{w} {free_spin}");
        // About an axis it is exact, whatever the time.
        let axis = DVec3::new(0.0, 0.0, 0.7);
        let rate = even_rate(DQuat::IDENTITY, inertia * axis, inertia, 2.0);
        assert!(turns_steadily(DQuat::IDENTITY, inertia * axis, inertia));
        assert!((rate - axis).length() < 1e-15, "{rate}");
    }

    #[test]
    fn a_body_on_its_axis_turns_at_its_rate_to_second_order() {
        let inertia = DVec3::new(1.0, 2.0, 3.0);
        let angle = |steps: u32| {
            let (mut q, mut w) = (DQuat::IDENTITY, DVec3::new(0.0, 0.0, 0.7));
            for _ in 0..steps {
                turn_freely(&mut q, &mut w, inertia, 2.0 / f64::from(steps));
            }
            2.0 * q.z.atan2(q.w)
        };
        let (coarse, fine) = ((angle(10) - 1.4).abs(), (angle(20) - 1.4).abs());
        assert!(fine < 1e-3 && (coarse / fine - 4.0).abs() < 0.1);
    }
}
