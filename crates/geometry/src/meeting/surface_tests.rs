//! Spheres that fly at rough bodies, held against a march in small steps.

use glam::{DQuat, DVec3};
use rubblepile_core::{Mesh, Rng};

use super::*;
use crate::mesh::{
    SurfaceTree,
    make::{Form, Relief, block, body},
};

/// Steps of the march where it is finest, over the radius; a touch that is not deeper may be passed.
const FINE: f64 = 1e-6;

fn bumpy() -> Mesh {
    let relief = Relief {
        craters: 30,
        crater_radius: [10.0, 80.0],
        boulders: 40,
        boulder_radius: [5.0, 20.0],
        roughness: 3.0,
    };
    body(Form::Top { equator: 250.0, pole: 220.0, ridge: 0.4 }, &relief, 2000, 7)
}

struct Approach<'a> {
    tree: &'a SurfaceTree,
    ride: BodyPath,
    path: Path,
    fastest: f64,
}

impl Approach<'_> {
    fn gap(&self, t: f64) -> f64 {
        let x = self.ride.pose(t).to_local(self.path.at(t));
        self.tree.nearest(x).expect("a surface").distance - self.path.radius
    }

    fn march(&self) -> Option<f64> {
        let (mut t, mut last) = (0.0, self.gap(0.0));
        while t <= self.path.within {
            let next = t + (last / self.fastest).max(FINE * self.path.radius / self.fastest);
            let gap = self.gap(next);
            if gap < 0.0 && gap < last {
                return (next <= self.path.within).then_some(next);
            }
            (t, last) = (next, gap);
        }
        None
    }

    fn deepest(&self, from: f64, to: f64) -> f64 {
        let at = |k: u32| self.gap(from + (to - from) * f64::from(k) / 400.0) / self.path.radius;
        -(0..=400).map(at).fold(f64::INFINITY, f64::min)
    }
}

fn random_approach<'a>(tree: &'a SurfaceTree, size: f64, turns: bool, rng: &mut Rng) -> Approach<'a> {
    loop {
        let radius = [0.7, 5.0, 40.0][(3.0 * rng.uniform()) as usize];
        let from = rng.range(0.8, 1.6) * size * rng.direction();
        // At the body, past it, or along its ground.
        let aim = rng.range(0.0, 1.2) * size * rng.direction();
        let within = rng.range(0.5, 20.0);
        let far = DVec3::new(1e3, -2e3, 5e2);
        let velocity = rng.range(-5.0, 5.0) * rng.direction();
        let path = Path {
            position: far + from,
            velocity: velocity + rng.range(0.2, 40.0) * (aim - from).normalize(),
            acceleration: if rng.uniform() < 0.5 {
                -rng.range(0.0, 3.0) * from.normalize()
            } else {
                DVec3::ZERO
            },
            radius,
            within,
        };
        let ride = BodyPath {
            position: far,
            velocity,
            acceleration: if turns { rng.range(0.0, 0.3) * rng.direction() } else { DVec3::ZERO },
            rotation: DQuat::from_axis_angle(rng.direction(), rng.range(0.0, 3.0)),
            spin: if turns { rng.range(0.0, 0.3) * rng.direction() } else { DVec3::ZERO },
        };
        let quickest = (path.velocity - ride.velocity).length()
            + within * (path.acceleration.length() + ride.acceleration.length());
        let fastest = quickest + ride.spin.length() * (from.length() + quickest * within);
        let approach = Approach { tree, ride, path, fastest };
        if approach.gap(0.0) >= 1e-5 * radius {
            return approach;
        }
    }
}

fn compare(n: u32, turns: bool, seed: u64) {
    let mesh = bumpy();
    let (tree, size) = (SurfaceTree::new(&mesh), mesh.radius());
    let mut rng = Rng::new(seed);
    let (mut touches, mut passes) = (0, 0);
    for k in 0..n {
        let approach = random_approach(&tree, size, turns, &mut rng);
        let Approach { ride, path, fastest, .. } = &approach;
        let mut clear = Clear::UNKNOWN;
        let found = first_touch_of_surface(&tree, size, ride, path, &mut clear);
        // What is known of the surface changes nothing.
        assert_eq!(found, first_touch_of_surface(&tree, size, ride, path, &mut clear));
        let instant = FINE * path.radius / fastest;
        match (found, approach.march()) {
            (Meeting::Inside, _) => panic!("{k}: inside {path:?} {ride:?}"),
            (Meeting::Never, None) => passes += 1,
            (Meeting::At(t, _), march) => {
                let gap = approach.gap(t) / path.radius;
                assert!(gap.abs() < 1e-11, "{k}: at a gap of {gap:e} {path:?} {ride:?}");
                let other = march.unwrap_or(t + 100.0 * instant).min(path.within);
                // The march may pass what is shallow, and is late by a step.
                if other > t + 2.0 * instant {
                    let deep = approach.deepest(t, other);
                    assert!(deep < 3.0 * FINE, "{k}: a touch before that is {deep:e} deep {path:?} {ride:?}");
                }
                assert!(other >= t - instant, "{k}: {t} after {other} {path:?} {ride:?}");
                touches += 1;
            }
            (Meeting::Never, Some(m)) => {
                let deep = approach.deepest(m, (m + 100.0 * instant).min(path.within));
                assert!(deep < 3.0 * FINE, "{k}: missed at {m}, {deep:e} deep {path:?} {ride:?}");
            }
        }
    }
    assert!(touches > n / 4 && passes > n / 20, "{touches} {passes} of {n}");
}

#[test]
fn thousands_of_approaches_to_a_rough_body_at_rest() {
    compare(3000, false, 1);
}

#[test]
fn thousands_of_approaches_to_a_rough_body_that_turns() {
    compare(3000, true, 2);
}

#[test]
fn a_plane_of_triangles_is_met_when_the_plane_is_and_not_by_what_slides_along_it() {
    let half = DVec3::new(5.0, 5.0, 1.0);
    let mesh = block(half, 14);
    assert_eq!(crate::mesh::flaws(&mesh), []);
    let (tree, size) = (SurfaceTree::new(&mesh), mesh.radius());
    let ride = BodyPath {
        position: DVec3::ZERO,
        velocity: DVec3::ZERO,
        acceleration: DVec3::ZERO,
        rotation: DQuat::IDENTITY,
        spin: DVec3::ZERO,
    };
    let meet = |path: &Path| {
        let mut clear = Clear::UNKNOWN;
        first_touch_of_surface(&tree, size, &ride, path, &mut clear)
    };
    let mut rng = Rng::new(8);
    for k in 0..2000 {
        // Straight down onto faces, edges and corners, and ever flatter.
        let flat = 10f64.powi(-(k % 8));
        let start = DVec3::new(rng.range(-3.0, 3.0), 5.0 / 7.0 * f64::from(k % 5 - 2), 1.0);
        let height = rng.range(0.3, 1.0) * flat.min(0.5);
        let path = Path {
            position: start + (0.5 + height) * DVec3::Z,
            velocity: DVec3::new(rng.range(-1.0, 1.0), rng.range(-1.0, 1.0), -flat),
            acceleration: if k % 3 == 0 { DVec3::new(0.0, 0.1, -0.3 * flat) } else { DVec3::ZERO },
            radius: 0.5,
            within: 1.0,
        };
        let expected = fall(height, path.velocity.z, path.acceleration.z, path.within);
        match (meet(&path), expected) {
            (Meeting::Never, None) => {}
            // What is left of the height then, at this slope.
            (Meeting::At(t, facet), Some(s)) => {
                assert!((t - s).abs() * flat < 2e-11, "{k}: {t} {s}");
                let over = mesh.corners(facet as usize);
                assert!(over.iter().all(|v| v.z == 1.0));
                // It is the one below, but for the last bit of the way.
                let beside = (closest(over, path.at(t)) - path.at(t)).truncate().length();
                assert!(beside * flat < 2e-12, "{k}: {beside}");
            }
            other => panic!("{k}: {other:?}"),
        }
        // Touching: it slides along, falls on, or goes away.
        let touching = Path { position: start + 0.5 * DVec3::Z, acceleration: DVec3::ZERO, ..path };
        let along = DVec3::new(path.velocity.x, path.velocity.y, 0.0);
        assert_eq!(meet(&Path { velocity: along, ..touching }), Meeting::Never, "{k}");
        assert_eq!(meet(&Path { velocity: along + flat * DVec3::Z, ..touching }), Meeting::Never, "{k}");
        let on = meet(&Path { velocity: along - flat * DVec3::Z, ..touching });
        assert!(matches!(on, Meeting::At(t, _) if t * flat < 1e-14), "{k} {on:?}");
    }
}

fn closest(corners: [DVec3; 3], x: DVec3) -> DVec3 {
    crate::mesh::closest_point(&corners, x)
}
