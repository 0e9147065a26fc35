//! What the tests of this crate share: scratch directories, random worlds, a method that only drifts.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use glam::{DQuat, DVec2, DVec3};
use rubblepile_core::{
    Action, Advice, Contact, Convex, Dissipation, Domain, Event, Extent, Fields, Frame, Material, Method,
    PairOverride, Part, Partner, Report, Rng, Shape, Solid, Surface, Trigger, Wall, WallMotion, WallResponse,
    World, archive_struct,
    event::{AddSpin, AddWall, RemoveBeyond, RemoveWall, SetMaterial, SetMotion, SpinUp, Stop},
    wall::{
        Cuboid, Cylinder, Disk, Plane, Rectangle,
        catch::{Held, WallTally},
    },
};
use rubblepile_hard::HardState;
use rubblepile_meshfree::{Deformable, DeformableState, PressedNode, Reference};
use rubblepile_nonsmooth::{ImpulseHistory, NonsmoothState, SolverRecord};
use rubblepile_soft::{SoftState, SpringHistory};

use crate::{
    checkpoint::Meta,
    frame::{WallStyle, WallStyles},
};

/// A directory that is gone when it is dropped.
pub struct Scratch(PathBuf);

impl Scratch {
    pub fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("rubblepile-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Scratch(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn vector(rng: &mut Rng) -> DVec3 {
    DVec3::new(rng.normal(), rng.normal(), rng.normal()) * 10f64.powf(rng.range(-9.0, 9.0))
}

fn maybe(rng: &mut Rng) -> Option<f64> {
    (rng.uniform() < 0.5).then(|| rng.range(0.0, 1e9))
}

fn word(rng: &mut Rng) -> String {
    ["", "grain", "a, \"b\"", "Körner", "wall 1"][(rng.next_u64() % 5) as usize].into()
}

fn wall(rng: &mut Rng, id: u32) -> Wall {
    let surface = match rng.next_u64() % 5 {
        0 => Surface::Plane(Plane { point: vector(rng), normal: DVec3::Z }),
        1 => Surface::Disk(Disk { centre: vector(rng), normal: DVec3::X, radius: rng.uniform(), hole: 0.0 }),
        2 => Surface::Rectangle(Rectangle { centre: vector(rng), half_u: DVec3::X, half_v: DVec3::Y }),
        3 => Surface::Box(Cuboid { min: vector(rng), max: vector(rng) }),
        _ => Surface::Cylinder(Cylinder {
            centre: vector(rng),
            axis: DVec3::Z,
            radius: 2.0,
            length: maybe(rng),
        }),
    };
    let mut wall = Wall::new(id, word(rng), (rng.next_u64() % 3) as u32, surface);
    wall.motion = match rng.next_u64() % 5 {
        0 => WallMotion::None,
        1 => WallMotion::Translation { velocity: vector(rng) },
        2 => {
            WallMotion::Oscillation { amplitude: vector(rng), frequency: rng.uniform(), phase: rng.normal() }
        }
        3 => WallMotion::Reciprocal { size: vector(rng), rate: rng.uniform() },
        _ => WallMotion::Rotation { centre: vector(rng), axis: DVec3::Y, rate: rng.normal() },
    };
    wall.rotation = DQuat::from_rotation_x(rng.normal());
    wall.since = rng.uniform();
    wall.touch =
        [WallResponse::Bounce, WallResponse::Stick, WallResponse::Absorb][(rng.next_u64() % 3) as usize];
    wall
}

fn event(rng: &mut Rng, id: u32) -> Event {
    let trigger = match rng.next_u64() % 2 {
        0 => Trigger::At(rng.uniform()),
        _ => Trigger::Every { start: rng.uniform(), interval: 0.5, end: 9.0 },
    };
    let action = match rng.next_u64() % 8 {
        0 => Action::from(AddWall { wall: Box::new(wall(rng, id)) }),
        1 => RemoveWall { name: word(rng) }.into(),
        2 => SetMotion { wall: word(rng), motion: wall(rng, id).motion.into() }.into(),
        3 => AddSpin { group: (rng.uniform() < 0.5).then(|| word(rng)), spin: vector(rng).into() }.into(),
        4 => SetMaterial { material: word(rng), key: "cohesion".into(), value: rng.uniform().into() }.into(),
        5 => SpinUp { asteroid: word(rng), period: rng.uniform().into() }.into(),
        6 => RemoveBeyond { distance: rng.uniform().into() }.into(),
        _ => Stop { kinetic_energy_below: maybe(rng).map(Into::into) }.into(),
    };
    Event { trigger, action, fired: rng.next_u64() % 9 }
}

fn deformable(rng: &mut Rng, id: u64) -> Deformable {
    let nodes: Vec<DVec2> = (0..5).map(|_| vector(rng).truncate()).collect();
    let reference = Reference { nodes, boundary: 4, triangles: vec![[0, 1, 4], [1, 2, 4], [2, 3, 4]] };
    let mut grain = Deformable::new(id, 1, 2, reference);
    grain.displacement = (0..5).map(|_| vector(rng).truncate()).collect();
    if rng.uniform() < 0.5 {
        grain.acceleration = (0..5).map(|_| vector(rng).truncate()).collect();
    }
    grain
}

/// A partner of contact `k`.
fn partner(rng: &mut Rng, k: usize) -> Partner {
    match k % 2 {
        0 => Partner::Body(rng.next_u64()),
        _ => Partner::Wall { wall: k as u32, face: 5 },
    }
}

fn springs(rng: &mut Rng, contacts: usize) -> Vec<SpringHistory> {
    let one = |k| SpringHistory {
        body: k as u64,
        partner: partner(rng, k),
        sliding: vector(rng),
        rolling: vector(rng),
        twisting: rng.normal(),
        share: rng.uniform(),
    };
    (0..contacts).map(one).collect()
}

/// Another method's part in place of that of soft spheres.
pub fn change_part(world: &mut World, rng: &mut Rng, method: &str) {
    let contacts = world.bodies.len();
    match method {
        "soft" => world.part = Some(Box::new(SoftState { contacts: springs(rng, contacts) })),
        "drift" => world.part = Some(Box::new(DriftState { contacts: springs(rng, contacts) })),
        "nonsmooth" => {
            let one = |k| ImpulseHistory {
                body: k as u64,
                partner: partner(rng, k),
                feature: (rng.next_u64() % 4) as u32,
                impulse: vector(rng),
                angular_impulse: vector(rng),
            };
            let solver =
                SolverRecord { steps: 1 << 40, unsolved: 7, worst_residual: 0.25, ..Default::default() };
            world.part =
                Some(Box::new(NonsmoothState { contacts: (0..contacts).map(one).collect(), solver }));
        }
        "hard" => {
            world.part = Some(Box::new(HardState { grain_collisions: rng.next_u64() }));
        }
        "meshfree" => {
            world.part = None;
            add_deformables(world, rng);
        }
        other => panic!("{other}"),
    }
}

/// Puts deformable grains in, which share no world with bodies but in a checkpoint.
pub fn add_deformables(world: &mut World, rng: &mut Rng) {
    let state = world.part_or_default::<DeformableState>();
    for k in 0..rng.next_u64() % 3 {
        let grain = deformable(rng, k);
        state.grains.push(grain);
        state.pressed.push(PressedNode {
            grain: k,
            node: 2,
            partner: Partner::Wall { wall: 1, face: 3 },
            pressure: rng.uniform(),
            traction: rng.normal(),
            bonded: rng.uniform() < 0.5,
        });
    }
}

/// A world with something in every field but deformable grains, rows out of the order of their ids.
pub fn random_world(rng: &mut Rng, bodies: usize) -> World {
    let mut world = World::new(10f64.powf(rng.range(-6.0, 0.0)));
    world.clock.step = rng.next_u64() % 1_000_000;
    world.clock.epoch_step = world.clock.step / 2;
    world.clock.epoch_time = rng.uniform();
    for k in 0..3 {
        world.materials.push(Material {
            name: format!("material {k}"),
            density: rng.range(100.0, 5000.0),
            young: maybe(rng),
            stiffness: maybe(rng),
            ..Material::default()
        });
    }
    let corners = (0..6).map(|_| vector(rng)).collect();
    let faces = vec![vec![0, 1, 2], vec![3, 4, 5, 0], vec![1, 2, 3], vec![5, 4, 0]];
    let part = Convex { vertices: corners, faces };
    world.shapes.push(Shape::Solid(Arc::new(Solid {
        parts: vec![part],
        volume: rng.uniform() + 0.1,
        inertia: DVec3::new(1.0, 2.0, 2.5),
        radius: 1.5,
    })));
    world.pairs.push(PairOverride {
        a: 0,
        b: 2,
        cohesion: maybe(rng),
        shape: maybe(rng),
        ..Default::default()
    });
    world.groups = vec!["pile".into(), word(rng)];
    for k in 0..bodies {
        let radius = rng.range(0.1, 1.0);
        let (material, group) = ((rng.next_u64() % 3) as u32, (rng.next_u64() % 2) as u32);
        let position = vector(rng);
        world.bodies.push_sphere(position, radius, 1000.0, material, group);
        world.bodies.velocity[k] = vector(rng);
        world.bodies.spin[k] = vector(rng);
        world.bodies.orientation[k] = DQuat::from_rotation_y(rng.normal());
        world.bodies.shape[k] = (rng.next_u64() % 2) as u32;
        world.bodies.id[k] = (bodies - k) as u64 * 3;
    }
    change_part(&mut world, rng, "soft");
    if rng.uniform() < 0.7 {
        world.rates.acceleration = (0..bodies).map(|_| vector(rng)).collect();
        world.rates.spin_rate = (0..bodies).map(|_| vector(rng)).collect();
    }
    if rng.uniform() < 0.5 {
        world.rates.field = (0..bodies).map(|_| vector(rng)).collect();
        world.rates.held = (0..bodies).map(|_| vector(rng)).collect();
    }
    for k in 0..rng.next_u64() % 6 {
        let wall = wall(rng, k as u32);
        world.walls.push(wall);
    }
    let orientation = DQuat::from_rotation_z(rng.normal());
    world.caught.held = vec![Held { body: 3, wall: 1, place: vector(rng), orientation }];
    *world.caught.tally_of(2) =
        WallTally { wall: 2, collisions: 7, impulse: vector(rng), energy: 0.5, ..Default::default() };
    for k in 0..rng.next_u64() % 8 {
        let event = event(rng, 100 + k as u32);
        world.events.push(event);
    }
    if rng.uniform() < 0.5 {
        let (min, max) = (DVec3::splat(-2.0), DVec3::new(1.0, 2.0, 3.0));
        world.domain = Domain::Periodic { min, max, axes: [true, rng.uniform() < 0.5, false] };
    }
    if rng.uniform() < 0.5 {
        world.frame = Frame::Rotating { angular_velocity: vector(rng) };
    }
    world.ended = rng.uniform() < 0.3;
    world.dissipation = Dissipation { sliding: rng.uniform(), wall_work: -3.0, ..Default::default() };
    world.rng = Rng::new(rng.next_u64());
    world
}

pub fn random_meta(rng: &mut Rng) -> Meta {
    Meta {
        program_version: "0.1.0".into(),
        scenario: "title = \"ü\"\n".repeat((rng.next_u64() % 40) as usize),
        base_directory: "/somewhere".into(),
        method: "soft".into(),
        series_bytes: rng.next_u64(),
        series_rows: rng.next_u64(),
        series_ticks: (0..rng.next_u64() % 4).collect(),
        next_frame: rng.next_u64() % 1000,
        next_contact_table: rng.next_u64() % 1000,
        wall_styles: (0..(rng.next_u64() % 4) as u32)
            .map(|k| (3 * k, WallStyle { colour: [k as u8, 7, 255], transparency: rng.uniform() }))
            .collect::<WallStyles>(),
    }
}

/// Moves bodies on straight lines and lets their spins decay at random: its next step depends on the position, the
/// random numbers and the contact history, so a restart that loses one of them shows.
#[derive(Default)]
pub struct RandomDrift {
    memory: Option<Vec<SpringHistory>>,
}

/// What [`RandomDrift`] keeps in the world.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DriftState {
    pub contacts: Vec<SpringHistory>,
}

archive_struct!(DriftState { contacts });

impl Part for DriftState {
    fn method(&self) -> &'static str {
        "drift"
    }
}

fn contacts(world: &World) -> &[SpringHistory] {
    world.part::<DriftState>().map_or(&[], |part| &part.contacts)
}

impl Method for RandomDrift {
    fn name(&self) -> &'static str {
        "drift"
    }

    fn check(&self, _world: &World) -> Vec<Advice> {
        Vec::new()
    }

    fn advance(
        &mut self,
        world: &mut World,
        fields: &mut Fields,
        until: f64,
        report: &mut Report,
    ) -> rubblepile_core::Result<()> {
        let memory = self.memory.get_or_insert_with(|| contacts(world).to_vec());
        for _ in 0..world.clock.steps_until(until) {
            fields.update(world, true, report)?;
            let (dt, push) = (world.clock.timestep, world.rates.field.clone());
            for k in 0..world.bodies.len() {
                let field = push.get(k).copied().unwrap_or(DVec3::ZERO);
                let kick = field + memory.get(k).map_or(DVec3::ZERO, |h| h.sliding);
                world.bodies.velocity[k] += dt * kick;
                let step = dt * world.bodies.velocity[k];
                world.bodies.position[k] += step;
                world.bodies.spin[k] *= 1.0 - dt * world.rng.uniform();
            }
            memory.iter_mut().for_each(|h| h.sliding *= 0.999);
            world.clock.tick();
            report.count("steps", 1);
        }
        world.bodies.check_finite(world.time())
    }

    fn contacts(&mut self, world: &World) -> rubblepile_core::Result<Vec<Contact>> {
        let memory = self.memory.as_deref().unwrap_or(contacts(world));
        let rows = memory.iter().enumerate().take(world.bodies.len());
        Ok(rows
            .map(|(k, h)| Contact {
                row: k as u32,
                partner_row: None,
                body: world.bodies.id[k],
                partner: h.partner,
                feature: 0,
                point: world.bodies.position[k],
                normal: DVec3::Z,
                overlap: 1e-3,
                force: h.sliding,
                torque: h.rolling,
                branch: DVec3::Z,
                elastic: 0.0,
            })
            .collect())
    }

    fn sync(&mut self, world: &mut World, extent: Extent) -> rubblepile_core::Result<()> {
        if let (Some(memory), Extent::Whole) = (&self.memory, extent) {
            world.part_or_default::<DriftState>().contacts.clone_from(memory);
        }
        Ok(())
    }

    fn forget(&mut self) {
        self.memory = None;
    }
}
