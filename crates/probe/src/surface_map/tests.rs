use std::{f64::consts::PI, sync::Arc};

use glam::{DQuat, DVec3};
use rubblepile_core::{Asteroid, G, Rng, World};
use rubblepile_geometry::mesh::{
    self, Axes,
    make::{Form, Relief, body},
};

use super::{FacetValues, Regolith, RegolithGrain, surface_map};

const RADIUS: f64 = 250.0;
const DENSITY: f64 = 1200.0;

fn regolith() -> Regolith {
    Regolith {
        friction_angle: 40f64.to_radians(),
        cohesion: 0.5,
        bulk_density: 1500.0,
        thickness: 3.0,
        grain: RegolithGrain { radius: 0.1, density: 3000.0, cohesion: 2.0, shape: 0.5 },
    }
}

fn sphere(facets: usize, spin: f64) -> World {
    let form = Form::Ellipsoid { axes: DVec3::splat(RADIUS) };
    let mesh = body(form, &Relief::default(), facets, 0);
    let mut asteroid = mesh::asteroid(mesh, DENSITY, Axes::Given);
    asteroid.spin = spin * DVec3::Z;
    let mut world = World::new(1.0);
    world.asteroids.push(asteroid);
    world
}

fn map(world: &World) -> Vec<FacetValues> {
    surface_map(world, 0, &regolith(), 0.0).expect("a map")
}

/// A sphere's own values at its surface: acceleration, escape speed.
fn of_sphere(asteroid: &Asteroid) -> (f64, f64) {
    let gm = G * asteroid.mass;
    (gm / RADIUS.powi(2), (2.0 * gm / RADIUS).sqrt())
}

#[test]
fn a_sphere_at_rest_is_level_everywhere() {
    let world = sphere(5000, 0.0);
    let (g, escape) = of_sphere(&world.asteroids[0]);
    let area: f64 = map(&world).iter().map(|f| f.area).sum();
    assert!((area / (4.0 * PI * RADIUS.powi(2)) - 1.0).abs() < 2e-3);
    for f in map(&world) {
        // Facets are not quite normal to the radius through their middle.
        assert!(f.slope < 0.3f64.to_radians(), "{}", f.slope.to_degrees());
        assert!((f.acceleration.length() / g - 1.0).abs() < 2e-3);
        assert!((f.escape_speed / escape - 1.0).abs() < 2e-3);
        assert!((f.potential / (-g * RADIUS) - 1.0).abs() < 2e-3);
        // Without spin the speed of a circular orbit.
        assert!((f.lift_off_speed / (g * RADIUS).sqrt() - 1.0).abs() < 0.03, "{}", f.lift_off_speed);
        assert!(f.factor_of_safety > 100.0 && f.fission < 0.0);
    }
}

#[test]
fn finer_spheres_are_more_level() {
    let steepest = |facets| map(&sphere(facets, 0.0)).iter().map(|f| f.slope).fold(0.0, f64::max);
    assert!((1.8..2.2).contains(&(steepest(2000) / steepest(8000))));
}

#[test]
fn a_spinning_sphere_has_the_slopes_of_the_closed_formula() {
    let g = of_sphere(&sphere(5000, 0.0).asteroids[0]).0;
    // A third of the spin at which the equator flies off, and a little more than it.
    for part in [0.3, 0.6, 1.05] {
        let w = (part * g / RADIUS).sqrt();
        let world = sphere(5000, w);
        let r = regolith();
        for f in map(&world) {
            let (n, lat) = (f.centre.normalize(), f.latitude().to_radians());
            let (up, south) =
                (g - w * w * RADIUS * lat.cos().powi(2), w * w * RADIUS * lat.sin().abs() * lat.cos());
            let slope = south.atan2(up);
            assert!((f.slope - slope).abs() < 0.006 * g / up.hypot(south), "{} {slope}", f.slope);
            assert!((f.acceleration.length() - up.hypot(south)).abs() < 3e-3 * g);
            let potential = -g * RADIUS - 0.5 * (w * RADIUS * lat.cos()).powi(2);
            assert!((f.potential / potential - 1.0).abs() < 3e-3);
            // The ground moves along itself: what it has already need not be given.
            let escape = (2.0 * g * RADIUS - (w * RADIUS * lat.cos()).powi(2)).sqrt();
            // (But for the tilt of the facet.)
            assert!((f.escape_speed - escape).abs() < 4e-3 * escape + 0.006 * w * RADIUS);
            if part < 1.0 {
                // East is the easiest way off: the circular orbit's speed less the ground's, at the equator.
                let (k, c, up) = (1.0 / RADIUS, -w * lat.cos(), -f.acceleration.dot(n));
                let lift_off = (c + (c * c + k * up).sqrt()) / k;
                assert!((f.lift_off_speed / lift_off - 1.0).abs() < 0.03, "{} {lift_off}", f.lift_off_speed);
                if lat.abs() < 0.02 {
                    let orbit = (g * RADIUS).sqrt() - w * RADIUS;
                    assert!((f.lift_off_speed / orbit - 1.0).abs() < 0.03);
                }
            }
            // Eqs (16) and (17) by hand.
            let (a, s) = (f.acceleration.length(), f.slope);
            let safety = 40f64.to_radians().tan() / s.tan() + 0.5 / (1500.0 * a * 3.0 * s.sin());
            assert!((f.factor_of_safety / safety - 1.0).abs() < 1e-9, "{} {safety}", f.factor_of_safety);
            let grain = 4.0 / 3.0 * PI * 0.001 * 3000.0;
            let force = 4.0 * 2.0 * 0.5 * 0.05f64.powi(2);
            let fission = 15.0 * grain * f.acceleration.dot(f.normal) - force;
            assert!((f.fission - fission).abs() < 1e-12 * force, "{} {fission}", f.fission);
            assert_eq!(r.grain.cohesion_force(), force);
        }
        // Nothing stays at rest at the equator of the fastest.
        let lost = map(&world).iter().filter(|f| f.lift_off_speed == 0.0).count();
        assert_eq!(lost > 0, part > 1.0);
        let mut loose = regolith();
        loose.grain.cohesion = 0.0;
        let map = surface_map(&world, 0, &loose, 0.0).expect("a map");
        assert_eq!(map.iter().filter(|f| f.fission >= 0.0).count(), lost);
    }
}

#[test]
fn the_factor_of_safety_at_its_ends() {
    let r = regolith();
    assert_eq!(r.factor_of_safety(0.0, 1e-4), f64::INFINITY);
    assert_eq!(r.factor_of_safety(0.0, 0.0), f64::INFINITY);
    assert_eq!(r.factor_of_safety(0.3, 0.0), f64::INFINITY);
    let loose = Regolith { cohesion: 0.0, ..r };
    assert_eq!(loose.factor_of_safety(1.0, 0.0), f64::INFINITY);
    // At the friction angle.
    assert!((loose.factor_of_safety(40f64.to_radians(), 1e-4) - 1.0).abs() < 1e-12);
    // The ground pulls: without cohesion nothing holds.
    assert!(loose.factor_of_safety(2.0, 1e-4) < 0.0);
}

#[test]
fn where_it_is_and_how_it_is_turned_does_not_matter() {
    let relief = Relief { roughness: 4.0, ..Relief::default() };
    let mesh = body(Form::Top { equator: 250.0, pole: 220.0, ridge: 0.4 }, &relief, 500, 1);
    let mut asteroid = mesh::asteroid(mesh, DENSITY, Axes::Given);
    asteroid.spin = DVec3::new(0.0, 0.0, 4e-4);
    let mut world = World::new(1.0);
    world.asteroids.push(asteroid);
    let here = map(&world);
    // Groups of facets give the same to their error.
    for (p, q) in here.iter().zip(surface_map(&world, 0, &regolith(), 1e-6).expect("a map")) {
        assert!((p.slope - q.slope).abs() < 1e-5 && (p.potential / q.potential - 1.0).abs() < 1e-6);
    }
    let turn = DQuat::from_axis_angle(Rng::new(3).direction(), 1.0);
    let a = &mut world.asteroids[0];
    (a.position, a.velocity) = (DVec3::new(1e5, -2e5, 3e4), DVec3::new(1.0, 2.0, 3.0));
    a.orientation = turn * a.orientation;
    a.spin = turn * a.spin;
    for (p, q) in here.iter().zip(map(&world)) {
        assert!((p.slope - q.slope).abs() < 1e-9 && (p.escape_speed - q.escape_speed).abs() < 1e-9);
        assert!((p.lift_off_speed / q.lift_off_speed - 1.0).abs() < 1e-6);
    }
    assert!(surface_map(&world, 1, &regolith(), 0.0).is_err());
}

#[test]
fn the_tide_of_a_second_body_is_its_difference_only() {
    let mut world = sphere(2000, 0.0);
    let mut far = world.asteroids[0].clone();
    let alone = map(&world);
    (far.id, far.position, far.mesh) = (1, DVec3::new(2000.0, 0.0, 0.0), Arc::clone(&far.mesh));
    let gm = G * far.mass;
    world.asteroids.push(far);
    for (p, q) in alone.iter().zip(map(&world)) {
        let tide = q.acceleration - p.acceleration;
        let to = DVec3::new(2000.0, 0.0, 0.0) - p.centre;
        let expected = gm * to / to.length().powi(3) - DVec3::X * gm / 2000f64.powi(2);
        assert!((tide - expected).length() < 0.03 * expected.length() + 1e-4 * gm / 4e6, "{tide} {expected}");
        // Out of the pits of both.
        assert!(q.escape_speed > p.escape_speed);
    }
    world.asteroids[0].fixed = true;
    let held = map(&world)[0].acceleration - alone[0].acceleration;
    assert!(held.length() > 0.5 * gm / 4e6);
}
