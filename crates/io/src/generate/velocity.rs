//! How grains move at the start. Each function adds to what is there, over a range of rows.

use std::ops::Range;

use glam::DVec3;
use rubblepile_core::{Bodies, Rng};

pub fn add_constant(bodies: &mut Bodies, rows: Range<usize>, velocity: DVec3) {
    for v in &mut bodies.velocity[rows] {
        *v += velocity;
    }
}

pub fn add_spin(bodies: &mut Bodies, rows: Range<usize>, spin: DVec3) {
    for w in &mut bodies.spin[rows] {
        *w += spin;
    }
}

/// Spins of one magnitude about random axes.
pub fn add_random_spin(bodies: &mut Bodies, rows: Range<usize>, rate: f64, rng: &mut Rng) {
    for w in &mut bodies.spin[rows] {
        *w += rate * rng.direction();
    }
}

/// Random velocities, scaled so that the root of the mean squared speed is `rms`. `maxwellian`: every component
/// is normal; otherwise all have one speed. `zero_momentum`: the mean (weighted with mass) is taken out first.
pub fn add_random(
    bodies: &mut Bodies,
    rows: Range<usize>,
    rms: f64,
    maxwellian: bool,
    zero_momentum: bool,
    rng: &mut Rng,
) {
    let mut extra: Vec<DVec3> =
        rows.clone()
            .map(|_| {
                if maxwellian {
                    DVec3::new(rng.normal(), rng.normal(), rng.normal())
                } else {
                    rng.direction()
                }
            })
            .collect();
    if zero_momentum {
        let mass: f64 = bodies.mass[rows.clone()].iter().sum();
        let momentum: DVec3 = extra.iter().zip(&bodies.mass[rows.clone()]).map(|(v, m)| *v * *m).sum();
        if mass > 0.0 {
            extra.iter_mut().for_each(|v| *v -= momentum / mass);
        }
    }
    let mean_square = extra.iter().map(|v| v.length_squared()).sum::<f64>() / extra.len().max(1) as f64;
    // A lone grain without momentum is at rest: what is left of it is rounding.
    let scale = if mean_square > 1e-20 { rms / mean_square.sqrt() } else { 0.0 };
    for (v, extra) in bodies.velocity[rows].iter_mut().zip(extra) {
        *v += scale * extra;
    }
}

/// Rigid rotation about a point; with `spins`, of the bodies about themselves too.
pub fn add_rotation(
    bodies: &mut Bodies,
    rows: Range<usize>,
    angular_velocity: DVec3,
    about: DVec3,
    spins: bool,
) {
    for k in rows {
        bodies.velocity[k] += angular_velocity.cross(bodies.position[k] - about);
        if spins {
            bodies.spin[k] += angular_velocity;
        }
    }
}

pub fn centre_of_mass(bodies: &Bodies, rows: Range<usize>) -> DVec3 {
    let mass: f64 = bodies.mass[rows.clone()].iter().sum();
    let sum: DVec3 = rows.map(|k| bodies.mass[k] * bodies.position[k]).sum();
    if mass > 0.0 { sum / mass } else { DVec3::ZERO }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_velocities_have_no_momentum_and_the_speed_asked_for() {
        let mut rng = Rng::stream(9, "velocity");
        for maxwellian in [true, false] {
            let mut bodies = Bodies::default();
            for k in 0..500 {
                bodies.push_sphere(DVec3::X * k as f64, 0.1 + 1e-3 * k as f64, 1000.0, 0, 0);
            }
            add_random(&mut bodies, 0..500, 2.5, maxwellian, true, &mut rng);
            let momentum: DVec3 = (0..500).map(|k| bodies.mass[k] * bodies.velocity[k]).sum();
            assert!(momentum.length() < 1e-9 * bodies.total_mass());
            let mean = bodies.velocity.iter().map(|v| v.length_squared()).sum::<f64>() / 500.0;
            assert!((mean.sqrt() - 2.5).abs() < 1e-12);
        }
    }

    #[test]
    fn rotation_is_rigid() {
        let mut bodies = Bodies::default();
        bodies.push_sphere(DVec3::X, 0.1, 1000.0, 0, 0);
        bodies.push_sphere(-DVec3::X, 0.1, 1000.0, 0, 0);
        let centre = centre_of_mass(&bodies, 0..2);
        add_rotation(&mut bodies, 0..2, DVec3::Z * 2.0, centre, true);
        assert_eq!(bodies.velocity, [DVec3::Y * 2.0, -DVec3::Y * 2.0]);
        assert_eq!(bodies.spin[0], DVec3::Z * 2.0);
        add_rotation(&mut bodies, 0..2, DVec3::Z, centre, false);
        assert_eq!((bodies.velocity[0], bodies.spin[0]), (DVec3::Y * 3.0, DVec3::Z * 2.0));
        add_random_spin(&mut bodies, 0..2, 0.5, &mut Rng::new(1));
        assert!(((bodies.spin[0] - DVec3::Z * 2.0).length() - 0.5).abs() < 1e-12);
        assert_ne!(bodies.spin[0], bodies.spin[1]);
    }
}
