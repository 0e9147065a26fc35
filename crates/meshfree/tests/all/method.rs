//! Deformable grains as a method: the same steps as the solver's own, the same bits however a run is cut, and what it refuses.

use std::f64::consts::TAU;

use glam::{DVec2, DVec3};
use rubblepile_core::{
    Actions, Domain, Fields, Material, Method, Report, Severity, Surface, Wall, WallMotion, World,
    method::Field,
    wall::{self, Disk},
};
use rubblepile_meshfree::{
    Deformable, DeformableGrains, DeformableState, Reference, Settings,
    fill::{Density, fill},
    grains,
    internals::{self, Damping, Grip, Sample},
    law::{ElasticLaw, Elasticity, PlaneCondition},
    outline::Outline,
    step::{Scheme, Stepper},
};

use crate::common::{disc, settings};

fn state_of(world: &mut World) -> &mut DeformableState {
    world.part_or_default()
}

/// Gravity without the crate that has it.
struct Pull(DVec3);

impl Field for Pull {
    fn name(&self) -> &'static str {
        "pull"
    }
    fn act(&mut self, _: &World, _: &mut Actions) -> rubblepile_core::Result<()> {
        Ok(())
    }
    fn potential_energy(&mut self, _: &World) -> rubblepile_core::Result<f64> {
        Ok(0.0)
    }
    fn uniform(&self) -> Option<DVec3> {
        (self.0 != DVec3::ONE).then_some(self.0)
    }
}

fn fields() -> Fields {
    Fields { list: vec![Box::new(Pull(DVec3::new(0.0, -9.81, 0.0)))] }
}

fn rubber(poisson: f64) -> Material {
    Material { name: "rubber".into(), density: 1000.0, young: Some(1e6), poisson, ..Material::default() }
}

fn plane(id: u32, point: DVec3, normal: DVec3) -> Wall {
    Wall::new(id, format!("wall-{id}"), 0, Surface::Plane(wall::Plane { point, normal }))
}

fn reference(centre: DVec2, radius: f64) -> Reference {
    let outline = Outline::ellipse(centre, DVec2::splat(radius), 360).unwrap();
    let filling = fill(&outline, Density { spacing: radius * TAU / 24.0, grading: 0.0 }).unwrap();
    Reference { nodes: filling.nodes, boundary: filling.boundary, triangles: filling.triangles }
}

/// Two discs that fall on a floor that shakes, one on the other, beside a wall that comes closer.
fn pile() -> World {
    let mut world = World::new(0.01);
    world.materials.push(rubber(0.3));
    world.groups.push("discs".into());
    world.walls.push(plane(0, DVec3::ZERO, DVec3::Y));
    world.walls.push(plane(1, DVec3::new(0.8, 0.0, 0.0), -DVec3::X));
    world.walls[0].motion =
        WallMotion::Oscillation { amplitude: DVec3::new(0.0, 0.05, 0.0), frequency: 2.0, phase: 0.0 };
    world.walls[1].motion = WallMotion::Reciprocal { size: DVec3::new(0.3, 0.0, 0.0), rate: 1.0 };
    for (k, centre) in [DVec2::new(0.0, 0.55), DVec2::new(0.1, 1.6)].into_iter().enumerate() {
        state_of(&mut world).grains.push(Deformable::new(k as u64, 0, 0, reference(centre, 0.5)));
    }
    world
}

fn damped() -> Settings {
    Settings { stiffness_damping: 0.01.into(), ..Settings::default() }
}

#[test]
fn the_method_takes_the_steps_of_the_solver() {
    let law = Elasticity::new(ElasticLaw::SaintVenantKirchhoff, PlaneCondition::Strain, 1e6, 0.49).unwrap();
    let grain = disc(
        DVec2::new(0.0, 1.5),
        TAU / 36.0,
        0.1,
        law,
        1000.0,
        Damping { mass: 0.01, stiffness: 0.1, viscous: 0.0 },
    );
    let filling = grain.filling.clone();
    let floor = internals::StraightWall::new(DVec2::ZERO, DVec2::Y);
    let mut sample = Sample::new(vec![grain], vec![floor], DVec2::new(0.0, -9.81)).unwrap();
    sample.grips = vec![Grip { friction: 0.5, adhesion: 0.0 }];
    let n = sample.nodes();
    let mut stepper = Stepper::new(settings());
    let mut state = stepper.start(&sample, vec![DVec2::ZERO; n], vec![DVec2::ZERO; n]).unwrap();

    let mut world = World::new(0.02);
    world.materials.push(rubber(0.49));
    world.groups.push(String::new());
    world.walls.push(plane(0, DVec3::ZERO, DVec3::Y));
    let rubblepile_meshfree::fill::Filling { nodes, boundary, triangles } = filling;
    state_of(&mut world).grains.push(Deformable::new(0, 0, 0, Reference { nodes, boundary, triangles }));
    let chosen = Settings {
        residual: 1e-12.into(),
        gap: 1e-12.into(),
        contact_stiffness: 1e8.into(),
        watch_distance: 0.2.into(),
        mass_damping: 0.01.into(),
        stiffness_damping: 0.1.into(),
        ..Settings::default()
    };
    let mut method = DeformableGrains::new(chosen);
    assert!(method.check(&world).iter().all(|a| a.severity == Severity::Note), "{:?}", method.check(&world));
    for step in 1..=30 {
        state = stepper.advance(&mut sample, &state, 0.02, |_, _| {}).unwrap().0;
        method.advance(&mut world, &mut fields(), 0.02 * f64::from(step), &mut Report::default()).unwrap();
        assert_eq!(grains(&world)[0].displacement, state.displacement, "step {step}");
        assert_eq!(grains(&world)[0].acceleration, state.acceleration, "step {step}");
    }
    assert!(!state_of(&mut world).pressed.is_empty(), "it has not landed");
    let felt = method.deformation(&world).unwrap().unwrap();
    // The weight is borne when it rests, on the way more or less.
    let up: f64 = felt.contact_force.iter().map(|f| f.y).sum();
    let grain = &felt.grains[0];
    assert!(up > 0.0 && felt.largest_gap < 1e-11, "{up} {}", felt.largest_gap);
    assert!((grain.mass / 3125.7 - 1.0).abs() < 1e-3 && grain.orientation.abs() < 1e-3);
    assert_eq!(felt.touching.iter().filter(|t| **t).count(), state_of(&mut world).pressed.len());
    let table = method.contacts(&world).unwrap();
    let sum: f64 = table.iter().map(|c| c.force.y).sum();
    assert!((sum / up - 1.0).abs() < 1e-12, "{sum} {up}");
}

#[test]
fn a_run_that_is_cut_has_the_same_bits_on_any_number_of_threads() {
    let on = |threads: usize, work: &(dyn Fn() -> World + Sync)| {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
    };
    let whole = || {
        let (mut world, mut method) = (pile(), DeformableGrains::new(damped()));
        method.advance(&mut world, &mut fields(), 0.6, &mut Report::default()).unwrap();
        world
    };
    let cut = || {
        let (mut world, mut method) = (pile(), DeformableGrains::new(damped()));
        for k in 1..=12 {
            method.advance(&mut world, &mut fields(), 0.05 * f64::from(k), &mut Report::default()).unwrap();
            method.deformation(&world).unwrap();
            match k % 3 {
                0 => method = DeformableGrains::new(damped()),
                1 => method.forget(),
                _ => {}
            }
        }
        world
    };
    let reference = on(1, &whole);
    let pressed = &reference.part::<DeformableState>().unwrap().pressed;
    assert!(pressed.len() > 2 && reference.clock.step == 60, "{pressed:?}");
    assert!(on(2, &whole) == reference && on(2, &cut) == reference && on(1, &cut) == reference);
}

/// What is done to a world that is sound.
type Change<'a> = &'a dyn Fn(&mut World);

#[test]
fn what_it_cannot_do_is_refused() {
    let fatal = |change: Change| {
        let mut world = pile();
        change(&mut world);
        let advice = DeformableGrains::new(Settings::default()).check(&world);
        let texts = advice.into_iter().filter(|a| a.severity == Severity::Fatal).map(|a| a.text);
        texts.collect::<Vec<_>>().join("; ")
    };
    assert_eq!(fatal(&|_| ()), "");
    let cases: [(Change, &str); 9] = [
        (&|w| state_of(w).grains.clear(), "no deformable grains"),
        (
            &|w| {
                w.bodies.push_sphere(DVec3::ZERO, 1.0, 1.0, 0, 0);
            },
            "cannot be combined with spheres",
        ),
        (
            &|w| {
                w.domain = Domain::Periodic { min: DVec3::ZERO, max: DVec3::ONE, axes: [true, false, false] }
            },
            "periodic",
        ),
        (&|w| w.walls.push(plane(2, DVec3::ZERO, DVec3::Z)), "leaves the plane"),
        (
            &|w| {
                w.walls[0].motion = WallMotion::Rotation { centre: DVec3::ZERO, axis: DVec3::X, rate: 1.0 };
            },
            "rotates out of the plane",
        ),
        (
            &|w| {
                w.walls[0].surface =
                    Surface::Disk(Disk { centre: DVec3::ZERO, normal: DVec3::Y, radius: 1.0, hole: 0.0 })
            },
            "only planes and boxes",
        ),
        (&|w| w.materials[0].poisson = 0.5, "Poisson ratio of 0.5"),
        (
            &|w| state_of(w).grains[1] = Deformable::new(1, 0, 0, reference(DVec2::new(0.2, 1.0), 0.5)),
            "grains 0 and 1 overlap",
        ),
        (
            &|w| w.walls[0].surface = Surface::Plane(wall::Plane { point: DVec3::ZERO, normal: -DVec3::Y }),
            "behind wall `wall-0`",
        ),
    ];
    for (change, expected) in cases {
        let found = fatal(change);
        assert!(found.contains(expected), "{expected}: {found}");
    }
    // Fields that are not the same everywhere, and those out of the plane.
    for (pull, expected) in [(DVec3::ONE, "uniform gravity only"), (DVec3::Z, "in the plane")] {
        let mut fields = Fields { list: vec![Box::new(Pull(pull))] };
        let mut method = DeformableGrains::new(Settings::default());
        let error = method.advance(&mut pile(), &mut fields, 0.1, &mut Report::default()).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
    }
}

/// With eq. (13) alone the run stops when the press has lowered the disc by little more than a third: its tangent is singular.
#[test]
fn a_grain_that_is_pressed_to_a_film_does_not_stop_the_run() {
    let mut world = World::new(0.05);
    world.materials.push(rubber(0.3));
    world.groups.push("disc".into());
    world.walls.push(plane(0, DVec3::ZERO, DVec3::Y));
    world.walls.push(plane(1, DVec3::Y, -DVec3::Y));
    // To a twentieth of its height in 2 s.
    world.walls[1].motion = WallMotion::Translation { velocity: DVec3::new(0.0, -0.475, 0.0) };
    state_of(&mut world).grains.push(Deformable::new(0, 0, 0, reference(DVec2::new(0.0, 0.5), 0.5)));
    let settings = Settings { viscous_damping: 0.01.into(), ..Settings::default() };

    let (mut pressed, mut report) = (world.clone(), Report::default());
    let mut method = DeformableGrains::new(settings.clone());
    let mut pressures = Vec::new();
    for k in 1..=4 {
        method.advance(&mut pressed, &mut fields(), 0.5 * f64::from(k), &mut report).unwrap();
        pressures.push(method.deformation(&pressed).unwrap().unwrap().largest_pressure);
    }
    assert!(pressures.is_sorted() && pressures[3] > 10.0 * pressures[1], "{pressures:?}");
    assert!(report.warnings.iter().any(|w| w.contains("compression_limit")), "{:?}", report.warnings);

    let bare = Settings { compression_limit: 0.0.into(), ..settings };
    let stopped = DeformableGrains::new(bare).advance(&mut world, &mut fields(), 2.0, &mut Report::default());
    assert!(stopped.is_err() && world.time() < 1.0);
}

#[test]
fn a_step_that_cannot_be_solved_says_why_and_where() {
    let mut world = pile();
    // A press that leaves no room at all.
    world.walls.push(plane(2, DVec3::new(0.0, 2.2, 0.0), -DVec3::Y));
    world.walls[2].motion = WallMotion::Translation { velocity: DVec3::new(0.0, -40.0, 0.0) };
    let settings = Settings { augmentations: 3, iterations: 8, ..Settings::default() };
    let error = DeformableGrains::new(settings)
        .advance(&mut world, &mut fields(), 0.2, &mut Report::default())
        .unwrap_err()
        .to_string();
    assert!(error.contains("shorter `timestep`") && error.contains("is deformed most"), "{error}");
}

#[test]
fn the_step_follows_gravity_waves_and_speeds() {
    let mut world = pile();
    let step = |world: &World, pull: f64| {
        let pulls = rubblepile_core::Pulls { uniform: DVec3::new(0.0, -pull, 0.0), ..Default::default() };
        DeformableGrains::new(Settings::default()).automatic_timestep(world, &pulls).unwrap()
    };
    world.walls.clear();
    let wave = step(&world, 0.0);
    // A metre at the speed of pressure waves.
    assert!((wave / (1.0 / (1.346e6_f64 / 1000.0).sqrt()) - 1.0).abs() < 0.02, "{wave}");
    assert!(step(&world, 9.81) < wave && step(&world, 981.0) < 0.11 * step(&world, 9.81));
    state_of(&mut world).grains[0].velocity.fill(DVec2::new(100.0, 0.0));
    assert!((step(&world, 0.0) - 0.25 * grains(&world)[0].reference.spacing() / 100.0).abs() < 1e-9);
    let newmark = Settings { scheme: Scheme::Newmark, ..Settings::default() };
    assert_eq!(newmark.resolve(&world).scheme, Scheme::Newmark);
}
