//! Times of meeting against a march along the path in small steps.

use glam::{DQuat, DVec3};
use rubblepile_core::{Motion, Rng, Surface, Wall};

use super::*;
use crate::walls::nearest_at;

fn below(rng: &mut Rng, n: u64) -> u64 {
    (rng.uniform() * n as f64) as u64
}

fn gap(wall: &Wall, now: f64, path: &Path, t: f64) -> f64 {
    let pose = wall.pose(now + t);
    (0..wall.surface.faces())
        .map(|face| nearest_at(&wall.surface, face, &pose, path.at(t)).distance)
        .fold(f64::INFINITY, f64::min)
        - path.radius
}

/// The first time at which the gap is used up, by steps that cannot jump over a touch deeper than 1e-6 of the radius.
fn march(wall: &Wall, now: f64, path: &Path, fastest: f64) -> Option<f64> {
    let fine = 1e-6 * path.radius;
    let (mut t, mut last) = (0.0, gap(wall, now, path, 0.0));
    while t <= path.within {
        let next = t + last.max(fine) / fastest;
        let g = gap(wall, now, path, next);
        if g < 0.0 && g < last {
            return (next <= path.within).then_some(next);
        }
        (t, last) = (next, g);
    }
    None
}

fn surfaces(rng: &mut Rng) -> Surface {
    let axis = match below(rng, 3) {
        0 => DVec3::Z,
        _ => rng.direction(),
    };
    let centre = rng.range(0.0, 2.0) * rng.direction();
    let radius = [0.3, 1.0, 1.0, 4.0][below(rng, 4) as usize];
    match below(rng, 10) {
        0 => Surface::Plane { point: centre, normal: axis },
        1 => Surface::Disk { centre, normal: axis, radius, hole: 0.0 },
        2 => Surface::Disk { centre, normal: axis, radius, hole: 0.4 * radius },
        3 => {
            let u = axis.any_orthonormal_vector();
            Surface::Rectangle { centre, half_u: radius * u, half_v: rng.range(0.1, 3.0) * axis.cross(u) }
        }
        4 => Surface::Cylinder { centre, axis, radius, length: None },
        5 => Surface::Cylinder { centre, axis, radius, length: Some(rng.range(0.1, 5.0)) },
        6 => Surface::Cylinder { centre, axis, radius, length: Some(0.0) },
        7 => Surface::Cylinder { centre, axis, radius: 0.0, length: Some(rng.range(0.1, 5.0)) },
        8 => Surface::Cylinder { centre, axis, radius: 0.0, length: Some(0.0) },
        _ => Surface::Box { min: centre - DVec3::splat(6.0), max: centre + DVec3::splat(5.0) },
    }
}

/// Random paths, and those that are hard: along the axis, through it, in the plane of the surface, grazing.
fn path(surface: &Surface, rng: &mut Rng) -> Path {
    let radius = [0.2, 0.5, 1.5][below(rng, 3) as usize];
    let (centre, axis) = (surface.centre(), surface.axis());
    let side = axis.any_orthonormal_vector();
    let position = centre + rng.range(0.0, 6.0) * rng.direction();
    // Roughly towards the middle.
    let velocity = rng.range(0.1, 2.0) * (rng.direction() - (position - centre).normalize()).normalize();
    let (position, velocity) = match below(rng, 8) {
        0 => (centre + rng.range(-5.0, 5.0) * axis, rng.range(-2.0, 2.0) * axis),
        1 => (centre + rng.range(-5.0, 5.0) * axis, velocity),
        2 => (centre + rng.range(-5.0, 5.0) * side, rng.range(-2.0, 2.0) * axis.cross(side)),
        3 => (centre + rng.range(-5.0, 5.0) * side, rng.range(-2.0, 2.0) * side),
        // Along the axis, a hair beside it.
        4 => (centre + rng.range(-5.0, 5.0) * axis + 1e-7 * side, rng.range(0.5, 2.0) * axis + 1e-9 * side),
        // As far from the middle as a tube of the sphere's radius around an edge is: grazing, within a hair.
        5 => {
            let reach = match *surface {
                Surface::Disk { radius, .. } | Surface::Cylinder { radius, .. } => radius,
                _ => 1.0,
            };
            let hair = [-1e-4, -1e-7, 1e-7, 1e-4][below(rng, 4) as usize];
            (centre + (reach + radius + hair) * side - 4.0 * axis.cross(side), axis.cross(side))
        }
        _ => (position, velocity),
    };
    let acceleration = match below(rng, 3) {
        0 => rng.range(0.0, 1.0) * rng.direction(),
        1 => -0.5 * axis,
        _ => DVec3::ZERO,
    };
    Path { position, velocity, acceleration, radius, within: rng.range(0.5, 8.0) }
}

fn motion(surface: &Surface, kind: u64, rng: &mut Rng) -> Motion {
    match kind {
        0 => Motion::None,
        1 => Motion::Translation { velocity: rng.range(0.0, 1.0) * rng.direction() },
        2 => Motion::Oscillation {
            amplitude: rng.range(0.0, 1.0) * rng.direction(),
            frequency: rng.range(0.1, 1.0),
            phase: rng.range(0.0, 6.0),
        },
        3 => Motion::Rotation { centre: surface.centre(), axis: surface.axis(), rate: rng.range(-2.0, 2.0) },
        _ => Motion::Rotation { centre: rng.direction(), axis: rng.direction(), rate: rng.range(-1.0, 1.0) },
    }
}

/// Compares `n` approaches; gives the number of touches.
fn compare(n: u32, kinds: std::ops::Range<u64>, seed: u64) -> u32 {
    let mut rng = Rng::new(seed);
    let mut touches = 0;
    let mut done = 0;
    while done < n {
        let surface = surfaces(&mut rng);
        let mut wall = Wall::new(0, "", 0, surface);
        wall.rotation = if below(&mut rng, 2) == 0 {
            DQuat::IDENTITY
        } else {
            DQuat::from_axis_angle(rng.direction(), 1.0)
        };
        wall.motion = motion(&surface, kinds.start + below(&mut rng, kinds.end - kinds.start), &mut rng);
        let now = rng.range(0.0, 3.0);
        let mut path = path(&surface, &mut rng);
        path.position = wall.pose(now).to_world(path.position);
        path.velocity = wall.rotation * path.velocity;
        path.acceleration = wall.rotation * path.acceleration;
        if gap(&wall, now, &path, 0.0) < 1e-5 * path.radius {
            continue;
        }
        done += 1;
        let spin = wall.pose(now).spin.length();
        let quickest = path.velocity.length() + path.acceleration.length() * path.within;
        let far = path.position.length() + quickest * path.within + 4.0;
        let swing = match wall.motion {
            Motion::Oscillation { amplitude, frequency, .. } => 6.3 * frequency * amplitude.length(),
            _ => wall.pose(now).velocity.length() + spin * far,
        };
        let fastest = quickest + swing;
        if fastest == 0.0 {
            continue;
        }
        let expected = march(&wall, now, &path, fastest);
        let found = Target::new(&wall).first_touch(now, &path).map(|(t, _)| t);
        // Where they differ, the touch is not deeper than what the march can see.
        let depth = |t: f64| gap(&wall, now, &path, t) / path.radius;
        let what = || format!("{wall:?}\n{path:?} from {now}: {found:?}, march {expected:?}");
        if let Some(t) = found {
            touches += 1;
            assert!(depth(t).abs() < 1e-6, "{} {}", depth(t), what());
            // Nothing before it.
            assert!(expected.is_none_or(|e| e > t - 1e-6 * path.radius / fastest), "{}", what());
        }
        match (found, expected) {
            (Some(t), Some(e)) if e > t + 3e-6 * path.radius / fastest => {
                // The march passes a touch that is too shallow, or slow, to be seen.
                let deepest =
                    (0..200).map(|k| depth(t + (e - t) * f64::from(k) / 200.0)).fold(f64::INFINITY, f64::min);
                assert!(deepest > -3e-6, "{deepest} {}", what());
            }
            (None, Some(e)) => {
                let after =
                    (1..100).map(|k| depth((e + 1e-4 * f64::from(k)).min(path.within))).fold(0.0, f64::min);
                assert!(after > -3e-6, "{after} {}", what());
            }
            (Some(t), None) => {
                let after =
                    (1..100).map(|k| depth((t + 1e-4 * f64::from(k)).min(path.within))).fold(0.0, f64::min);
                assert!(after > -3e-6, "{after} {}", what());
            }
            _ => {}
        }
    }
    touches
}

#[test]
fn ten_thousand_approaches_to_walls_at_rest() {
    let touches = compare(10_000, 0..1, 1);
    assert!(touches > 2000, "{touches}");
}

#[test]
fn ten_thousand_approaches_to_walls_that_move() {
    let touches = compare(10_000, 1..5, 2);
    assert!(touches > 2000, "{touches}");
}

#[test]
fn a_sphere_on_the_axis_of_a_ring_meets_all_of_it_at_once() {
    // Two metres above a ring of 0.6 m, radius 1 m: the centre stops 0.8 m above it.
    let path = Path {
        position: 2.0 * DVec3::Z,
        velocity: -DVec3::Z,
        acceleration: DVec3::ZERO,
        radius: 1.0,
        within: 10.0,
    };
    let t = ring(&path, DVec3::Z, 0.6).expect("a touch");
    assert!((t - 1.2).abs() < 1e-12, "{t}");
    // A smaller one falls through.
    assert_eq!(ring(&Path { radius: 0.5, ..path }, DVec3::Z, 0.6), None);
}

#[test]
fn what_touches_meets_at_once_if_it_comes_nearer_and_not_if_it_leaves() {
    let path = Path {
        position: DVec3::new(0.0, 0.0, 1.0),
        velocity: -DVec3::Z,
        acceleration: DVec3::ZERO,
        radius: 1.0,
        within: 1.0,
    };
    let away = Path { velocity: DVec3::Z, ..path };
    let beside = Path { velocity: DVec3::X, ..path };
    for (surface, can_slide) in [
        (Surface::Plane { point: DVec3::ZERO, normal: DVec3::Z }, true),
        (Surface::Disk { centre: DVec3::ZERO, normal: DVec3::Z, radius: 3.0, hole: 0.0 }, true),
        (
            Surface::Cylinder {
                centre: DVec3::new(0.0, 0.0, 5.0),
                axis: DVec3::X,
                radius: 5.0,
                length: None,
            },
            true,
        ),
        (Surface::Cylinder { centre: DVec3::ZERO, axis: DVec3::X, radius: 0.0, length: Some(0.0) }, true),
    ] {
        assert_eq!(first_touch(&surface, &path).map(|t| t.0), Some(0.0), "{surface:?}");
        assert_eq!(first_touch(&surface, &away), None, "{surface:?}");
        assert!(!can_slide || first_touch(&surface, &beside).is_none(), "{surface:?}");
    }
}
