//! Sticky and absorbing walls: what they hold and what they have taken, the same for every method.
//!
//! Hard spheres meet walls at a moment and hand over what they find. Methods with steps look at the end of each ([`touches`]):
//! a sphere that has got into such a wall is caught there ([`catch`]) with its velocity of that time, and put back until it
//! just touches. The wall itself exerts no force. What a wall holds goes where the wall goes ([`HeldRows::carry`]), as heavy as
//! the wall.

use std::collections::HashMap;

use glam::{DQuat, DVec3};

use crate::{Report, Wall, WallResponse, World, wall::Pose};

/// A body that is held by a wall.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Held {
    /// Id of the body.
    pub body: u64,
    /// Id of the wall.
    pub wall: u32,
    /// In the wall's frame.
    pub place: DVec3,
    pub orientation: DQuat,
}

/// Total exchange of a wall with grains. Methods with steps count what it has caught; hard spheres every collision.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct WallTally {
    pub wall: u32,
    pub collisions: u64,
    /// Of all impulses on the wall, kg m/s.
    pub impulse: DVec3,
    /// Energy that grains have lost to it, or got from it (negative), J.
    pub energy: f64,
    /// Grains that were absorbed, their mass and their momentum.
    pub absorbed: u64,
    pub absorbed_mass: f64,
    pub absorbed_momentum: DVec3,
}

crate::archive_struct!(Held { body, wall, place, orientation });
crate::archive_struct!(WallTally {
    wall,
    collisions,
    impulse,
    energy,
    absorbed,
    absorbed_mass,
    absorbed_momentum
});

/// What the walls of a world hold now, and what they have exchanged with grains.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Caught {
    pub held: Vec<Held>,
    pub tallies: Vec<WallTally>,
}

crate::archive_struct!(Caught { held, tallies });

impl Caught {
    /// The exchange of the wall of this id, to add to.
    pub fn tally_of(&mut self, wall: u32) -> &mut WallTally {
        let k = match self.tallies.iter().position(|t| t.wall == wall) {
            Some(k) => k,
            None => {
                self.tallies.push(WallTally { wall, ..WallTally::default() });
                self.tallies.len() - 1
            }
        };
        &mut self.tallies[k]
    }
}

/// Names in the report of a run.
const STUCK: &str = "grains stuck to walls";
const ABSORBED: &str = "grains absorbed by walls";

/// Counts what walls have caught.
pub fn count(report: &mut Report, stuck: u64, absorbed: u64) {
    report.count(STUCK, stuck);
    report.count(ABSORBED, absorbed);
}

/// Whether any wall holds or absorbs grains.
pub fn any(walls: &[Wall]) -> bool {
    walls.iter().any(|w| w.touch != WallResponse::Bounce)
}

/// Gap over radius that counts as touching at the start.
const TOUCHING: f64 = 1e-6;

/// Spheres that touch a sticky wall from the start are held, whether they move or not.
pub fn hold_at_start(world: &mut World) {
    let time = world.time();
    let mut all = std::mem::take(&mut world.caught.held);
    for wall in world.walls.iter().filter(|w| w.touch == WallResponse::Stick) {
        let pose = wall.pose(time);
        for row in 0..world.bodies.len() {
            let b = &world.bodies;
            let (x, radius, body) = (b.position[row], b.radius[row], b.id[row]);
            let touches =
                |face| wall.surface.nearest_at(face, &pose, x).distance <= (1.0 + TOUCHING) * radius;
            if b.shape[row] == 0
                && (0..wall.surface.faces()).any(touches)
                && all.iter().all(|h| h.body != body)
            {
                all.push(held(world, row, wall, &pose, x));
            }
        }
    }
    world.caught.held = all;
}

fn held(world: &World, row: usize, wall: &Wall, pose: &Pose, position: DVec3) -> Held {
    let orientation = pose.rotation.inverse() * world.bodies.orientation[row];
    Held { body: world.bodies.id[row], wall: wall.id, place: pose.to_local(position), orientation }
}

/// A body in a wall that holds or absorbs it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WallTouch {
    pub row: u32,
    /// Index of the wall.
    pub wall: u32,
    /// Where the body just touches the wall.
    pub position: DVec3,
}

/// The free spheres that are in such walls now, by row; each once.
pub fn touches(world: &World, rows: &HeldRows) -> Vec<WallTouch> {
    let time = world.time();
    let walls: Vec<(u32, &Wall, Pose)> = (0..)
        .zip(&world.walls)
        .filter(|(_, w)| w.touch != WallResponse::Bounce)
        .map(|(k, w)| (k, w, w.pose(time)))
        .collect();
    let b = &world.bodies;
    let of = |row: usize| {
        walls.iter().find_map(|(index, wall, pose)| {
            let (x, radius) = (b.position[row], b.radius[row]);
            (0..wall.surface.faces()).find_map(|face| {
                let near = wall.surface.nearest_at(face, pose, x);
                let inside = radius - near.distance;
                (inside >= 0.0).then(|| WallTouch {
                    row: row as u32,
                    wall: *index,
                    position: x - inside * near.normal,
                })
            })
        })
    };
    (0..b.len()).filter(|&row| b.shape[row] == 0 && !rows.holds(row)).filter_map(of).collect()
}

/// Angular momentum of a spin, kg m2/s.
fn momentum(world: &World, row: usize, spin: DVec3) -> DVec3 {
    let (q, inertia) = (world.bodies.orientation[row], world.bodies.inertia[row]);
    q * (inertia * (q.inverse() * spin))
}

fn kinetic(world: &World, row: usize, velocity: DVec3, spin: DVec3) -> f64 {
    0.5 * (world.bodies.mass[row] * velocity.length_squared() + momentum(world, row, spin).dot(spin))
}

/// What fields add to its velocity, as last evaluated, m/s2.
fn field(world: &World, row: usize) -> DVec3 {
    world.rates.field.get(row).copied().unwrap_or(DVec3::ZERO)
}

/// What became of the bodies that were in walls.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Outcome {
    pub stuck: u64,
    pub absorbed: u64,
    /// The rows that are left, if some were absorbed: they are the world's rows now.
    pub left: Option<Vec<u32>>,
}

/// Sticky walls hold these bodies from now on, absorbing ones take them out of the world. `account`: whether the balance of
/// energy is kept.
pub fn catch(world: &mut World, touches: &[WallTouch], account: bool) -> Outcome {
    let time = world.time();
    let mut outcome = Outcome::default();
    let mut gone = vec![false; world.bodies.len()];
    for touch in touches {
        let (row, wall) = (touch.row as usize, &world.walls[touch.wall as usize]);
        let (id, pose) = (wall.id, wall.pose(time));
        let b = &world.bodies;
        let (m, velocity, spin) = (b.mass[row], b.velocity[row], b.spin[row]);
        if wall.touch == WallResponse::Absorb {
            let energy = kinetic(world, row, velocity, spin);
            let tally = world.caught.tally_of(id);
            tally.energy += energy;
            tally.absorbed += 1;
            tally.absorbed_mass += m;
            tally.absorbed_momentum += m * velocity;
            if account {
                world.dissipation.normal += energy;
            }
            outcome.absorbed += 1;
            gone[row] = true;
            continue;
        }
        let (held, back) = (held(world, row, wall, &pose, touch.position), touch.position - b.position[row]);
        let (now, turning) = (pose.velocity_at(touch.position), pose.spin);
        let (change, turned) = (now - velocity, turning - spin);
        // What the wall does with its motion, and what is lost in between.
        let work = m * change.dot(now) + momentum(world, row, turned).dot(turning);
        let heat = kinetic(world, row, change, turned);
        let tally = world.caught.tally_of(id);
        tally.impulse -= m * change;
        tally.energy += heat - work;
        if account {
            world.dissipation.normal += heat;
            world.dissipation.wall_work += work - m * field(world, row).dot(back);
        }
        let b = &mut world.bodies;
        (b.position[row], b.velocity[row], b.spin[row]) = (touch.position, now, turning);
        world.caught.held.push(held);
        outcome.stuck += 1;
    }
    if outcome.absorbed > 0 {
        let left: Vec<u32> = (0..gone.len() as u32).filter(|&k| !gone[k as usize]).collect();
        world.permute(&left);
        outcome.left = Some(left);
    }
    outcome
}

/// A body as its wall moves it.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Carried {
    row: u32,
    held: Held,
    position: DVec3,
    velocity: DVec3,
    spin: DVec3,
}

/// The rows of the bodies that walls hold, and how they move: scratch of a method.
#[derive(Debug, Clone, Default)]
pub struct HeldRows {
    list: Vec<Carried>,
    /// Of all rows; empty if none is held.
    holds: Vec<bool>,
}

impl HeldRows {
    /// Of the world as it is; made again whenever rows or what is held have changed.
    pub fn new(world: &World) -> Self {
        let all = &world.caught.held;
        if all.is_empty() {
            return HeldRows::default();
        }
        let b = &world.bodies;
        let rows: HashMap<u64, u32> = b.id.iter().zip(0..).map(|(&id, row)| (id, row)).collect();
        let carried = |held: &Held| {
            let row = *rows.get(&held.body)?;
            let k = row as usize;
            let (position, velocity, spin) = (b.position[k], b.velocity[k], b.spin[k]);
            Some(Carried { row, held: *held, position, velocity, spin })
        };
        let list: Vec<Carried> = all.iter().filter_map(carried).collect();
        let mut holds = vec![false; b.len()];
        list.iter().for_each(|c| holds[c.row as usize] = true);
        HeldRows { list, holds }
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub fn holds(&self, row: usize) -> bool {
        self.holds.get(row).is_some_and(|h| *h)
    }

    pub fn rows(&self) -> impl Iterator<Item = usize> + '_ {
        self.list.iter().map(|c| c.row as usize)
    }

    /// Puts all to where their walls have them at this time, with their velocities, and adds what that took to the work of walls
    /// if `account`. Gives the longest way.
    pub fn carry(&mut self, world: &mut World, time: f64, account: bool) -> f64 {
        if self.list.is_empty() {
            return 0.0;
        }
        let poses: HashMap<u32, Pose> = world.walls.iter().map(|w| (w.id, w.pose(time))).collect();
        let mut longest = 0.0f64;
        for c in &mut self.list {
            let Some(pose) = poses.get(&c.held.wall) else { continue };
            let row = c.row as usize;
            let position = pose.to_world(c.held.place);
            let (velocity, spin) = (pose.velocity_at(position), pose.spin);
            let way = position - c.position;
            longest = longest.max(way.length());
            if account {
                let gained = kinetic(world, row, velocity, spin) - kinetic(world, row, c.velocity, c.spin);
                world.dissipation.wall_work += gained - world.bodies.mass[row] * field(world, row).dot(way);
            }
            (c.position, c.velocity, c.spin) = (position, velocity, spin);
            world.bodies.orientation[row] = pose.rotation * c.held.orientation;
        }
        self.restore(world);
        longest
    }

    /// Gives them the motion that their walls gave them last.
    pub fn restore(&self, world: &mut World) {
        let b = &mut world.bodies;
        for c in &self.list {
            let row = c.row as usize;
            (b.position[row], b.velocity[row], b.spin[row]) = (c.position, c.velocity, c.spin);
        }
    }
}
