//! Contact detection: the contact points of a configuration, with gaps and normals.

use glam::DVec3;
use rayon::prelude::*;
use rubblepile_core::{PairValues, Poses, SurfaceRef, Wall, World, wall::Pose};
use rubblepile_geometry::{
    contact::{Manifold, Placed, PlacedWall, Proximity, hull_ground, hull_sphere, hull_wall, hulls},
    mesh::Surfaces,
};

use crate::{Settings, candidates::Candidates, parts::PlacedParts};

/// Rows a task: fixed, so that the list does not depend on the number of threads.
const BLOCK: usize = 32;

/// Closest points of triangles that are nearer to each other than this part of a radius are one.
const SAME_PLACE: f64 = 1e-6;

/// The partner of a body in a contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Counterpart {
    /// Another body, in a higher row; `image`: from its position to that of its nearest periodic image.
    Body { row: u32, image: DVec3 },
    /// A wall or an asteroid, whose facets are its faces (for a solid, of a flat stretch the lowest); and its velocity at
    /// the contact point.
    Surface { surface: SurfaceRef, face: u32, velocity: DVec3 },
}

/// One contact point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactPoint {
    pub row: u32,
    pub partner: Counterpart,
    /// Name of the point among those of the pair.
    pub feature: u32,
    /// Midway between the two surfaces.
    pub point: DVec3,
    /// From the body to its partner.
    pub normal: DVec3,
    /// Distance of the surfaces along the normal; negative: overlap.
    pub gap: f64,
    /// Row of the table of laws.
    pub law: u32,
    /// Effective radius, for rolling.
    pub lever: f64,
}

impl Default for ContactPoint {
    fn default() -> Self {
        ContactPoint {
            row: 0,
            partner: Counterpart::Surface { surface: SurfaceRef::Wall(0), face: 0, velocity: DVec3::ZERO },
            feature: 0,
            point: DVec3::ZERO,
            normal: DVec3::ZERO,
            gap: 0.0,
            law: 0,
            lever: 0.0,
        }
    }
}

impl ContactPoint {
    pub fn partner_row(&self) -> Option<u32> {
        match self.partner {
            Counterpart::Body { row, .. } => Some(row),
            Counterpart::Surface { .. } => None,
        }
    }
}

/// The contact parameters of two materials.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ContactParameters {
    pub restitution: f64,
    pub friction: f64,
    /// Torque over normal force and effective radius: mu beta, as in the soft method.
    pub rolling: f64,
    pub twisting: f64,
    pub cohesion_force: f64,
    pub cohesion_range: f64,
}

impl ContactParameters {
    pub fn new(pair: &PairValues) -> Self {
        ContactParameters {
            restitution: pair.restitution_normal,
            friction: pair.friction_sliding,
            rolling: pair.friction_rolling * pair.shape,
            twisting: pair.friction_twisting * pair.shape,
            cohesion_force: pair.cohesion_force,
            cohesion_range: if pair.cohesion_force > 0.0 { pair.cohesion_range } else { 0.0 },
        }
    }

    /// The pull of cohesion across a contact, N: eq. (18), as long as the gap is no wider than its range. Without a range
    /// that is what counts as near at any speed: a body at rest would otherwise be held at one step and not at the next.
    pub fn pull(&self, contact: &ContactPoint) -> f64 {
        let range =
            if self.cohesion_range > 0.0 { self.cohesion_range } else { 2.0 * ALWAYS * contact.lever };
        if contact.gap <= range { self.cohesion_force } else { 0.0 }
    }

    pub fn rolls(&self) -> bool {
        self.rolling > 0.0 || self.twisting > 0.0
    }
}

/// The gaps up to which contacts are detected.
#[derive(Debug, Clone, Copy)]
pub enum DetectionRange {
    /// Given by the user, m.
    Fixed(f64),
    /// A part of the smaller radius and what speeds close in this time, s.
    Ahead(f64),
    /// This part of the smaller radius, whatever acts across wider gaps.
    Touching(f64),
}

/// Gap that counts as near at any speed, over the smaller radius.
const ALWAYS: f64 = 1e-3;
/// How much faster than now two bodies may close once contacts have pushed them.
const FASTER: f64 = 1.5;

impl DetectionRange {
    /// Of a step: the margin that the user gave, or what may close in it.
    pub fn of_step(settings: &Settings, timestep: f64) -> Self {
        settings.margin.value().map_or(DetectionRange::Ahead(timestep), DetectionRange::Fixed)
    }

    pub fn of(&self, smaller_radius: f64, closing: f64, law: &ContactParameters) -> f64 {
        match *self {
            DetectionRange::Fixed(margin) => margin.max(law.cohesion_range),
            DetectionRange::Ahead(time) => {
                (ALWAYS * smaller_radius + FASTER * time * closing).max(law.cohesion_range)
            }
            DetectionRange::Touching(part) => part * smaller_radius,
        }
    }
}

/// The input of contact detection.
pub struct DetectionInput<'a> {
    pub world: &'a World,
    pub laws: &'a [ContactParameters],
    pub reach: DetectionRange,
    pub parts: &'a PlacedParts,
    /// At the time of the configuration.
    pub poses: &'a Poses,
    pub surfaces: &'a Surfaces,
}

impl DetectionInput<'_> {
    fn law(&self, row: usize, material: u32) -> u32 {
        self.world.bodies.material[row] * self.world.materials.len() as u32 + material
    }
}

/// Contact points of some rows, and pairs of the list that were found apart, with their distances.
type Detected = (Vec<ContactPoint>, Vec<(usize, f64)>);

/// All contact points, in the order of rows, partners (walls last) and features.
pub fn find(input: &DetectionInput, candidates: &mut Candidates) -> Vec<ContactPoint> {
    let n = input.world.bodies.len();
    let walls: Vec<Vec<PlacedWall>> = if input.world.only_spheres() {
        Vec::new()
    } else {
        let faces = |(w, pose): (&Wall, &Pose)| {
            (0..w.surface.faces()).map(|face| PlacedWall::new(&w.surface, face, pose)).collect()
        };
        input.world.walls.iter().zip(&input.poses.walls).map(faces).collect()
    };
    let list = &*candidates;
    // Pairs of spheres are quick: a task must be many to be worth a thread.
    let least = if input.world.only_spheres() { 64 } else { 1 };
    let blocks: Vec<Detected> = (0..n.div_ceil(BLOCK))
        .into_par_iter()
        .with_min_len(least)
        .map(|b| {
            let (mut contacts, mut clear) = (Vec::new(), Vec::new());
            for i in b * BLOCK..((b + 1) * BLOCK).min(n) {
                of_row(input, list, i, &mut contacts, &mut clear);
                for wall in 0..input.world.walls.len() {
                    match (input.parts.of(i), walls.get(wall)) {
                        ([], _) | (_, None) => sphere_wall(input, i, wall, &mut contacts),
                        (parts, Some(faces)) => rock_wall(input, i, parts, wall, faces, &mut contacts),
                    }
                }
                for asteroid in 0..input.world.asteroids.len() {
                    match input.parts.of(i) {
                        [] => sphere_asteroid(input, i, asteroid, &mut contacts),
                        parts => rock_asteroid(input, i, parts, asteroid, &mut contacts),
                    }
                }
            }
            (contacts, clear)
        })
        .collect();
    for (_, clear) in &blocks {
        clear.iter().for_each(|&(slot, distance)| candidates.clear[slot] = distance);
    }
    let mut all = Vec::with_capacity(blocks.iter().map(|b| b.0.len()).sum());
    blocks.into_iter().for_each(|b| all.extend(b.0));
    all
}

/// Contacts of a row with higher rows; slots of the list whose bodies were found apart, and by how much.
fn of_row(
    input: &DetectionInput,
    candidates: &Candidates,
    i: usize,
    contacts: &mut Vec<ContactPoint>,
    clear: &mut Vec<(usize, f64)>,
) {
    let b = &input.world.bodies;
    let first = candidates.list.start[i] as usize;
    for (k, &j) in candidates.list.of(i).iter().enumerate() {
        let j = j as usize;
        let (own, other) = (input.parts.of(i), input.parts.of(j));
        if own.is_empty() && other.is_empty() {
            spheres(input, i, j, contacts);
            continue;
        }
        let law = input.law(i, b.material[j]);
        let turning = |k: usize| if b.shape[k] == 0 { 0.0 } else { b.spin[k].length() * b.radius[k] };
        let closing = (b.velocity[j] - b.velocity[i]).length() + turning(i) + turning(j);
        let margin = input.reach.of(b.radius[i].min(b.radius[j]), closing, &input.laws[law as usize]);
        let ways = candidates.travel[i] + candidates.travel[j];
        // Far enough when last seen, and not come candidates since.
        if candidates.clear[first + k] - ways > 1.000001 * margin {
            continue;
        }
        let apart = b.position[j] - b.position[i];
        let image = input.world.domain.shortest(apart) - apart;
        let new = ContactPoint {
            row: i as u32,
            partner: Counterpart::Body { row: j as u32, image },
            law,
            lever: b.radius[i] * b.radius[j] / (b.radius[i] + b.radius[j]),
            ..ContactPoint::default()
        };
        if let Some(distance) = rocks(input, (i, own), (j, other), margin, &new, contacts) {
            clear.push((first + k, distance + ways));
        }
    }
}

/// Contact points of two bodies of which one at least is a solid; a lower bound of the distance if there are none.
fn rocks(
    input: &DetectionInput,
    (i, own): (usize, &[Placed]),
    (j, other): (usize, &[Placed]),
    margin: f64,
    new: &ContactPoint,
    contacts: &mut Vec<ContactPoint>,
) -> Option<f64> {
    let b = &input.world.bodies;
    let Counterpart::Body { image, .. } = new.partner else { return None };
    let first = contacts.len();
    let mut nearest = f64::INFINITY;
    let mut add = |touch: Proximity, sign: f64, parts: u32| match touch {
        Proximity::Apart(distance) => nearest = nearest.min(distance),
        Proximity::Near(manifold) => push(contacts, new, &manifold, sign, parts),
    };
    match (own, other) {
        ([], parts) => {
            for (k, part) in parts.iter().enumerate() {
                add(hull_sphere(part, b.position[i] - image, b.radius[i], margin), -1.0, k as u32);
            }
            // Found where the partner is, wanted where its image is.
            contacts[first..].iter_mut().for_each(|s| s.point += image);
        }
        (parts, []) => {
            for (k, part) in parts.iter().enumerate() {
                add(hull_sphere(part, b.position[j] + image, b.radius[j], margin), 1.0, k as u32);
            }
        }
        (own, other) => {
            for (q, theirs) in other.iter().enumerate() {
                let moved;
                let theirs = if image == DVec3::ZERO {
                    theirs
                } else {
                    let mut copy = theirs.clone();
                    copy.place(b.position[j] + image, b.orientation[j]);
                    moved = copy;
                    &moved
                };
                for (p, ours) in own.iter().enumerate() {
                    add(hulls(ours, theirs, margin), 1.0, (p * other.len() + q) as u32);
                }
            }
        }
    }
    contacts[first..].sort_unstable_by_key(|s| s.feature);
    (contacts.len() == first).then_some(nearest)
}

/// Names of points are told apart by part; the multiplier spreads them over all bits.
fn part_name(part: u32) -> u32 {
    part.wrapping_mul(0x9e37_79b9)
}

/// Adds the points of a manifold; `sign`: -1 if it is seen from the partner, `part`: which of the pairs of parts.
fn push(contacts: &mut Vec<ContactPoint>, new: &ContactPoint, manifold: &Manifold, sign: f64, part: u32) {
    for p in manifold.points.iter() {
        contacts.push(ContactPoint {
            feature: p.feature ^ part_name(part),
            point: p.position,
            normal: sign * p.normal,
            gap: p.gap,
            ..*new
        });
    }
}

fn rock_wall(
    input: &DetectionInput,
    i: usize,
    parts: &[Placed],
    wall: usize,
    faces: &[PlacedWall],
    contacts: &mut Vec<ContactPoint>,
) {
    let b = &input.world.bodies;
    let (w, pose) = (&input.world.walls[wall], &input.poses.walls[wall]);
    let law = input.law(i, w.material);
    for (face, placed) in faces.iter().enumerate() {
        let first = contacts.len();
        let near = w.surface.nearest_at(face as u32, pose, b.position[i]);
        let closing = (pose.velocity_at(near.point) - b.velocity[i]).length()
            + b.radius[i] * (b.spin[i].length() + pose.spin.length());
        let margin = input.reach.of(b.radius[i], closing, &input.laws[law as usize]);
        if near.distance > b.radius[i] + margin {
            continue;
        }
        let new = ContactPoint { row: i as u32, law, lever: b.radius[i], ..ContactPoint::default() };
        for (k, part) in parts.iter().enumerate() {
            if let Proximity::Near(manifold) = hull_wall(part, placed, margin) {
                push(contacts, &new, &manifold, 1.0, k as u32);
            }
        }
        for s in &mut contacts[first..] {
            s.partner = Counterpart::Surface {
                surface: SurfaceRef::Wall(wall as u32),
                face: face as u32,
                velocity: pose.velocity_at(s.point),
            };
        }
        contacts[first..].sort_unstable_by_key(|s| s.feature);
    }
}

fn spheres(input: &DetectionInput, i: usize, j: usize, contacts: &mut Vec<ContactPoint>) {
    let b = &input.world.bodies;
    let apart = b.position[j] - b.position[i];
    let d = input.world.domain.shortest(apart);
    let (ri, rj) = (b.radius[i], b.radius[j]);
    let distance = d.length();
    let gap = distance - ri - rj;
    let law = input.law(i, b.material[j]);
    let closing = (b.velocity[j] - b.velocity[i]).length();
    if gap > input.reach.of(ri.min(rj), closing, &input.laws[law as usize]) {
        return;
    }
    // Two spheres in one place have no normal of their own: any will do to part them.
    let normal = if distance > 0.0 { d / distance } else { DVec3::X };
    contacts.push(ContactPoint {
        row: i as u32,
        partner: Counterpart::Body { row: j as u32, image: d - apart },
        feature: 0,
        point: b.position[i] + (ri + 0.5 * gap) * normal,
        normal,
        gap,
        law,
        lever: ri * rj / (ri + rj),
    });
}

/// Every triangle in reach is touched at its closest point; one that several share counts once. Of a flat stretch only the
/// nearest bears anything: the others are as far beside it as they are farther away.
fn sphere_asteroid(input: &DetectionInput, i: usize, asteroid: usize, contacts: &mut Vec<ContactPoint>) {
    let b = &input.world.bodies;
    let (r, body) = (b.radius[i], &input.world.asteroids[asteroid]);
    let surface = SurfaceRef::Asteroid(asteroid as u32);
    let pose = &input.poses[surface];
    let x = pose.to_local(b.position[i]);
    let law = input.law(i, body.material);
    let closing = (pose.velocity_at(b.position[i]) - b.velocity[i]).length();
    let reach = r + input.reach.of(r, closing, &input.laws[law as usize]);
    if x.length() > body.radius + reach {
        return;
    }
    let mut found: Vec<(u32, DVec3)> = Vec::new();
    input.surfaces.tree(asteroid).within(x, reach, |facet, point| found.push((facet, point)));
    found.sort_unstable_by_key(|f| f.0);
    let mut seen: Vec<DVec3> = Vec::new();
    for (facet, point) in found {
        let way = point - x;
        let distance = way.length();
        if distance == 0.0 || seen.iter().any(|p| p.distance(point) < SAME_PLACE * r) {
            continue;
        }
        seen.push(point);
        let (normal, gap) = (pose.rotation * (way / distance), distance - r);
        contacts.push(ContactPoint {
            row: i as u32,
            partner: Counterpart::Surface {
                surface,
                face: facet,
                velocity: pose.velocity_at(pose.to_world(point)),
            },
            feature: 0,
            point: b.position[i] + (r + 0.5 * gap) * normal,
            normal,
            gap,
            law,
            lever: r,
        });
    }
}

/// Contact points of a solid with the surface of an asteroid, found in the asteroid's frame. Those of a flat stretch are on one
/// face, whichever of its facets they are over: what they bear is remembered while the body slides.
fn rock_asteroid(
    input: &DetectionInput,
    i: usize,
    parts: &[Placed],
    asteroid: usize,
    contacts: &mut Vec<ContactPoint>,
) {
    let b = &input.world.bodies;
    let (r, body) = (b.radius[i], &input.world.asteroids[asteroid]);
    let surface = SurfaceRef::Asteroid(asteroid as u32);
    let pose = &input.poses[surface];
    let x = pose.to_local(b.position[i]);
    let law = input.law(i, body.material);
    let closing = (pose.velocity_at(b.position[i]) - b.velocity[i]).length()
        + r * (b.spin[i].length() + pose.spin.length());
    let margin = input.reach.of(r, closing, &input.laws[law as usize]);
    let Some(facets) = input.surfaces.facets(asteroid) else { return };
    if x.length() > body.radius + r + margin {
        return;
    }
    let (first, turn) = (contacts.len(), pose.rotation.inverse() * b.orientation[i]);
    let mut found = Vec::new();
    for (k, part) in parts.iter().enumerate() {
        let mut local = part.clone();
        local.place(x, turn);
        found.clear();
        hull_ground(&local, facets, input.surfaces.tree(asteroid), margin, &mut found);
        for p in &found {
            let point = pose.to_world(p.point.position);
            contacts.push(ContactPoint {
                row: i as u32,
                partner: Counterpart::Surface { surface, face: p.facet, velocity: pose.velocity_at(point) },
                feature: p.point.feature ^ part_name(k as u32),
                point,
                normal: pose.rotation * p.point.normal,
                gap: p.point.gap,
                law,
                lever: r,
            });
        }
    }
    contacts[first..].sort_by_key(|s| match s.partner {
        Counterpart::Surface { face, .. } => (face, s.feature),
        Counterpart::Body { .. } => (0, s.feature),
    });
}

fn sphere_wall(input: &DetectionInput, i: usize, wall: usize, contacts: &mut Vec<ContactPoint>) {
    let b = &input.world.bodies;
    let (x, r, w) = (b.position[i], b.radius[i], &input.world.walls[wall]);
    let law = input.law(i, w.material);
    for face in 0..w.surface.faces() {
        let pose = &input.poses.walls[wall];
        let near = w.surface.nearest_at(face, pose, x);
        let gap = near.distance - r;
        let velocity = pose.velocity_at(near.point);
        let closing = (velocity - b.velocity[i]).length();
        if gap > input.reach.of(r, closing, &input.laws[law as usize]) {
            continue;
        }
        contacts.push(ContactPoint {
            row: i as u32,
            partner: Counterpart::Surface { surface: SurfaceRef::Wall(wall as u32), face, velocity },
            feature: 0,
            point: x + (r + 0.5 * gap) * near.normal,
            normal: near.normal,
            gap,
            law,
            lever: r,
        });
    }
}
