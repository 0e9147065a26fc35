//! A contact law from outside the crate. The part between the two lines of dashes is the example of
//! docs/add-a-contact-law.md.

use glam::DVec3;
use rubblepile_core::{Extent, Fields, Material, Method, Pulls, Report, World};
use rubblepile_soft::{Law, STEPS_PER_CONTACT, SoftSpheres, law::linear::Linear};

// ---
use rubblepile_core::{PairValues, simd::Lanes};
use rubblepile_soft::{
    ContactLaw, Settings,
    law::{ContactPair, Springs, damping},
};

/// A spring that hardens as a Hertzian contact does, F = k sqrt(delta / R) delta, with k from the material's `stiffness`.
pub struct Hardening;

impl ContactLaw for Hardening {
    const ABOUT: &'static str = "Hardens with the square root of the overlap.";

    /// The integral of delta^(3/2) is 2/5 delta^(5/2): stored energy over k_N delta^2.
    const ENERGY: f64 = 0.4;

    /// Up to eight numbers per pair of materials, computed once: k, k_S / k_N, and the damping, which gives the restitution
    /// that was asked for at any speed (Antypov and Elliott 2011).
    fn constants(&self, pair: &PairValues, _settings: &Settings) -> [f64; 8] {
        let damping = (5.0f64 / 4.0).sqrt() * damping(pair.restitution_normal);
        [pair.stiffness.unwrap_or(1e6), pair.stiffness_ratio, damping, 0.0, 0.0, 0.0, 0.0, 0.0]
    }

    /// Springs and dashpots of eight contacts at once: `c` are the constants.
    #[inline(always)]
    fn springs<L: Lanes>(c: &[L; 8], touch: &ContactPair<L>) -> Springs<L> {
        let normal = c[0] * (touch.overlap.max(L::splat(0.0)) / touch.radius).sqrt();
        let sliding = c[1] * normal;
        Springs {
            normal,
            normal_damping: c[2] * (normal * touch.mass).sqrt(),
            sliding,
            sliding_damping: c[2] * (sliding * touch.mass).sqrt(),
        }
    }

    /// 2.94 times the largest overlap over the speed, without damping: the automatic time step follows from it.
    fn contact_time(&self, pair: &PairValues, settings: &Settings, radius: f64, mass: f64) -> Option<f64> {
        let speed = settings.max_speed?.0;
        let k = pair.stiffness.unwrap_or(1e6) / radius.sqrt();
        let overlap = (1.25 * mass * speed * speed / k).powf(0.4);
        Some(2.94 * overlap / speed)
    }
}
// ---

/// Two spheres of material 0 that meet at 0.5 m/s.
fn pair(restitution: f64) -> World {
    let mut world = World::new(1.0);
    world.materials = vec![Material {
        name: "rock".into(),
        density: 2500.0,
        restitution_normal: restitution,
        stiffness: Some(3e6),
        ..Material::default()
    }];
    world.groups = vec!["all".into()];
    world.bodies.push_sphere(DVec3::ZERO, 0.1, 2500.0, 0, 0);
    world.bodies.push_sphere(DVec3::new(0.21, 0.004, 0.0), 0.1, 2500.0, 0, 0);
    world.bodies.velocity[0].x = 0.5;
    world
}

fn run(world: &mut World, method: &mut SoftSpheres, steps: u64) {
    let until = world.time() + steps as f64 * world.clock.timestep;
    method.advance(world, &mut Fields::default(), until, &mut Report::default()).unwrap();
}

#[test]
fn a_law_of_ones_own_gives_the_restitution_asked_for() {
    let settings = Settings { max_speed: Some(0.5.into()), ..Settings::default() };
    for e in [0.3, 0.8, 1.0] {
        let mut world = pair(e);
        world.bodies.position[1].y = 0.0;
        let mut method = SoftSpheres::with_law(settings.clone(), Hardening);
        let step = method.automatic_timestep(&world, &Pulls::default()).unwrap();
        world.clock.set_timestep(0.2 * step);
        let longest = method.check(&world).iter().any(|a| a.text.contains("shortest contact"));
        assert!(longest, "the law's contact time is not used");
        let steps = (0.1 / world.clock.timestep) as u64;
        run(&mut world, &mut method, steps);
        let rebound = (world.bodies.velocity[1] - world.bodies.velocity[0]).x / 0.5;
        assert!((rebound - e).abs() < 5e-3, "asked {e}, got {rebound}");
    }
}

/// The time that the law says is the time that a contact takes.
#[test]
fn the_contact_lasts_as_long_as_the_law_says() {
    let settings = Settings { max_speed: Some(0.5.into()), ..Settings::default() };
    let mut world = pair(1.0);
    world.bodies.position[1] = DVec3::X * 0.2;
    let mut method = SoftSpheres::with_law(settings, Hardening);
    let lasts = STEPS_PER_CONTACT * method.automatic_timestep(&world, &Pulls::default()).unwrap();
    world.clock.set_timestep(lasts / 1000.0);
    run(&mut world, &mut method, 990);
    assert_eq!(method.contacts(&world).unwrap().len(), 1);
    run(&mut world, &mut method, 20);
    assert_eq!(method.contacts(&world).unwrap().len(), 0);
}

#[test]
fn a_law_given_from_outside_has_the_bits_of_the_same_law_by_name() {
    let settings = Settings { law: Law::Linear, ..Settings::default() };
    let (mut named, mut given) = (pair(0.6), pair(0.6));
    let mut by_name = SoftSpheres::new(settings.clone());
    let mut by_value = SoftSpheres::with_law(settings, Linear);
    for (world, method) in [(&mut named, &mut by_name), (&mut given, &mut by_value)] {
        world.clock.set_timestep(method.automatic_timestep(world, &Pulls::default()).unwrap());
        run(world, method, 400);
        method.sync(world, Extent::Whole).unwrap();
    }
    assert!(named == given);
    assert!(named.bodies.velocity[1].x > 0.1, "they did not meet");
}

#[test]
fn the_page_in_docs_shows_this_law() {
    let page = include_str!("../../../../docs/add-a-contact-law.md");
    let example = include_str!("own_law.rs").split("// ---\n").nth(1).unwrap();
    assert!(
        page.contains(example.trim()),
        "docs/add-a-contact-law.md does not show the example of this file"
    );
}
