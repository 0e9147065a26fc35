//! What happens at given times: walls come and go, groups are spun up, materials change, the run ends.

use glam::DVec3;

use crate::{
    Error, Result, World,
    wall::{Motion, Wall},
};

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Trigger {
    /// Once.
    At(f64),
    /// At `start`, `start + interval`, ... up to and with `end`.
    Every { start: f64, interval: f64, end: f64 },
}

crate::archive_enum!(Trigger { 0 => At { 0: time }, 1 => Every { start, interval, end } });

#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    AddWall(Box<Wall>),
    RemoveWall {
        name: String,
    },
    SetMotion {
        wall: String,
        motion: Motion,
    },
    /// Adds a rigid rotation about the centre of mass of a group (`None`: of all bodies): to the velocities and to
    /// the spins, rad/s.
    AddSpin {
        group: Option<u32>,
        spin: DVec3,
    },
    SetMaterial {
        material: u32,
        property: Property,
        value: f64,
    },
    /// Ends the run when the kinetic energy (translation and rotation, all bodies) is below this, J.
    StopWhenKineticBelow {
        energy: f64,
    },
    Stop,
    /// Takes out, and counts, the bodies that are farther away than this, m.
    RemoveBeyond {
        distance: f64,
    },
    /// Makes an asteroid turn at this rate (rad/s) about its own z axis, with all bodies carried along.
    SpinUp {
        asteroid: u32,
        rate: f64,
    },
}

crate::archive_enum!(Action {
    0 => AddWall { 0: wall },
    1 => RemoveWall { name },
    2 => SetMotion { wall, motion },
    3 => AddSpin { group, spin },
    4 => SetMaterial { material, property, value },
    5 => StopWhenKineticBelow { energy },
    6 => Stop {},
    7 => RemoveBeyond { distance },
    8 => SpinUp { asteroid, rate },
});

/// A material's value that an event may change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Property {
    RestitutionNormal,
    RestitutionTangential,
    FrictionSliding,
    FrictionRolling,
    FrictionTwisting,
    Shape,
    Cohesion,
    CohesionForce,
    CohesionRange,
}

crate::archive_enum!(Property {
    0 => RestitutionNormal {},
    1 => RestitutionTangential {},
    2 => FrictionSliding {},
    3 => FrictionRolling {},
    4 => FrictionTwisting {},
    5 => Shape {},
    6 => Cohesion {},
    7 => CohesionForce {},
    8 => CohesionRange {},
});

#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    pub trigger: Trigger,
    pub action: Action,
    /// How often it has happened.
    pub fired: u64,
}

crate::archive_struct!(Event { trigger, action, fired });

impl Event {
    pub fn new(trigger: Trigger, action: Action) -> Self {
        Event { trigger, action, fired: 0 }
    }

    /// When it happens next; `None`: never again.
    pub fn next(&self) -> Option<f64> {
        match self.trigger {
            Trigger::At(t) => (self.fired == 0).then_some(t),
            Trigger::Every { start, interval, end } => {
                let t = start + self.fired as f64 * interval;
                // Half a millionth of an interval of grace, so that `end` itself counts.
                (t <= end + 5e-7 * interval).then_some(t)
            }
        }
    }
}

/// What an event asks of the run loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    Continue,
    Stop { reason: String },
}

/// Carries out an action on the world at its present time.
pub fn apply(action: &Action, world: &mut World) -> Result<Outcome> {
    let time = world.time();
    match action {
        Action::AddWall(wall) => {
            let mut wall = (**wall).clone();
            wall.since = time;
            world.walls.push(wall);
        }
        Action::RemoveWall { name } => {
            let k = wall_index(world, name)?;
            let gone = world.walls.remove(k).id;
            if let Some(part) = &mut world.part {
                part.wall_removed(gone);
            }
        }
        Action::SetMotion { wall, motion } => {
            let k = wall_index(world, wall)?;
            world.walls[k].set_motion(*motion, time);
        }
        Action::AddSpin { group, spin } => add_spin(world, *group, *spin),
        Action::SetMaterial { material, property, value } => {
            let m = &mut world.materials[*material as usize];
            *match property {
                Property::RestitutionNormal => &mut m.restitution_normal,
                Property::RestitutionTangential => &mut m.restitution_tangential,
                Property::FrictionSliding => &mut m.friction_sliding,
                Property::FrictionRolling => &mut m.friction_rolling,
                Property::FrictionTwisting => &mut m.friction_twisting,
                Property::Shape => &mut m.shape,
                Property::Cohesion => &mut m.cohesion,
                Property::CohesionForce => &mut m.cohesion_force,
                Property::CohesionRange => &mut m.cohesion_range,
            } = *value;
        }
        Action::SpinUp { asteroid, rate } => {
            if let Some(asteroid) = world.asteroids.iter_mut().find(|a| a.id == *asteroid) {
                let spin = asteroid.orientation * (*rate * DVec3::Z);
                let more = spin - asteroid.spin;
                asteroid.spin = spin;
                let bodies = &mut world.bodies;
                for k in 0..bodies.len() {
                    bodies.velocity[k] += more.cross(bodies.position[k] - asteroid.position);
                    bodies.spin[k] += more;
                }
            }
        }
        Action::RemoveBeyond { distance } => remove_beyond(world, *distance),
        Action::StopWhenKineticBelow { energy } => {
            let kinetic = relative_kinetic_energy(world);
            if kinetic < *energy {
                let reason = format!("kinetic energy {kinetic:.3e} J is below {energy:.3e} J");
                return Ok(Outcome::Stop { reason });
            }
        }
        Action::Stop => return Ok(Outcome::Stop { reason: "an event ends the run".into() }),
    }
    Ok(Outcome::Continue)
}

/// Kinetic energy of the bodies, seen from the first asteroid if there is one: grains that rest on it move with it.
fn relative_kinetic_energy(world: &World) -> f64 {
    let bodies = &world.bodies;
    let Some(asteroid) = world.asteroids.first() else {
        return world.kinetic_energy();
    };
    let pose = asteroid.pose();
    let mut sum = 0.0;
    // The rows move when grains are sorted, so sum in the order of the ids.
    for row in bodies.rows_by_id() {
        let k = row as usize;
        let v = bodies.velocity[k] - pose.velocity_at(bodies.position[k]);
        let w = bodies.orientation[k].inverse() * (bodies.spin[k] - pose.spin);
        sum += 0.5 * (bodies.mass[k] * v.length_squared() + (bodies.inertia[k] * w * w).element_sum());
    }
    sum
}

fn wall_index(world: &World, name: &str) -> Result<usize> {
    world.walls.iter().position(|w| w.name == name).ok_or_else(|| Error::NoSuchWall {
        name: name.into(),
        known: world.walls.iter().map(|w| w.name.as_str()).collect::<Vec<_>>().join(", "),
        time: world.time(),
    })
}

/// Takes out the bodies that are farther away than this from the first asteroid, or else from the origin.
fn remove_beyond(world: &mut World, distance: f64) {
    let centre = world.asteroids.first().map_or(DVec3::ZERO, |a| a.position);
    let bodies = &world.bodies;
    let far = |k: usize| (bodies.position[k] - centre).length() > distance;
    let gone: Vec<u32> = bodies.rows_by_id().into_iter().filter(|&k| far(k as usize)).collect();
    for k in gone.iter().map(|&k| k as usize) {
        let momentum = bodies.mass[k] * bodies.velocity[k];
        let q = bodies.orientation[k];
        let own = q * (bodies.inertia[k] * (q.inverse() * bodies.spin[k]));
        world.departed.count += 1;
        world.departed.mass += bodies.mass[k];
        world.departed.momentum += momentum;
        world.departed.angular_momentum += bodies.position[k].cross(momentum) + own;
    }
    if !gone.is_empty() {
        let left: Vec<u32> = (0..bodies.len()).filter(|&k| !far(k)).map(|k| k as u32).collect();
        world.permute(&left);
    }
}

fn add_spin(world: &mut World, group: Option<u32>, spin: DVec3) {
    let bodies = &mut world.bodies;
    let chosen = |k: usize| group.is_none_or(|g| bodies.group[k] == g);
    let rows: Vec<usize> = (0..bodies.len()).filter(|&k| chosen(k)).collect();
    // The rows move when grains are sorted, so sum in the order of the ids.
    let mut rows = rows;
    rows.sort_unstable_by_key(|&k| bodies.id[k]);
    let mass: f64 = rows.iter().map(|&k| bodies.mass[k]).sum();
    if mass == 0.0 {
        return;
    }
    let centre = rows.iter().map(|&k| bodies.mass[k] * bodies.position[k]).sum::<DVec3>() / mass;
    for &k in &rows {
        bodies.velocity[k] += spin.cross(bodies.position[k] - centre);
        bodies.spin[k] += spin;
    }
}
