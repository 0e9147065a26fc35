//! The contact problem of one step: eq. (7) of contact-dynamics-2021, kept as bodies and contact points; the Delassus
//! operator is never formed.

use glam::{DMat3, DVec3};
use rayon::prelude::*;
use rubblepile_core::{World, simd::LANES, wall::catch::HeldRows};

use crate::{
    batch::{Batch, Eight3, LeverArms, Rolling, SolidArms, SphereArms},
    colours::{Colours, Placing, SolverBody},
    detection::{ContactParameters, ContactPoint, Counterpart},
    kernel::{Apply, ApplyTorque},
    warm_start::WarmStart,
};

/// Part of an overlap that is taken back in a step.
const BAUMGARTE: f64 = 0.2;

/// Speeds below this part of those of the bodies are rounding errors, which no solver takes away.
const ROUNDING: f64 = 1e-12;

/// The contact points of a problem, all of one kind.
pub enum ContactBatches {
    /// All bodies are spheres.
    Spheres(Vec<Batch<SphereArms>>),
    Solids(Vec<Batch<SolidArms>>),
}

/// Runs a body of code with the batches, of whichever kind they are.
macro_rules! with_points {
    ($points:expr, $batches:ident => $body:expr) => {
        match $points {
            $crate::problem::ContactBatches::Spheres($batches) => $body,
            $crate::problem::ContactBatches::Solids($batches) => $body,
        }
    };
}
pub(crate) use with_points;

pub struct ContactProblem {
    pub colours: Colours,
    pub placing: Placing,
    /// Velocities: free ones at first, those of the solution in the end.
    pub rows: Vec<SolverBody>,
    pub points: ContactBatches,
    /// Rolling and twisting, a batch each; empty: none.
    pub rolling: Vec<Rolling>,
    /// What residuals are measured by, as twice an energy, J: see [`load`].
    pub load: f64,
    pub contacts: usize,
    /// Attraction by cohesion at each contact over the step, N s; empty: none.
    pub attraction: Vec<f64>,
}

/// What the free motion of a step is.
pub struct Free<'a> {
    pub world: &'a World,
    /// Velocities at the start of the step are those of the world; these are without contacts, at its end.
    pub velocity: &'a [DVec3],
    /// Inverse inertia in the world frame; empty if all bodies are spheres.
    pub inverse_inertia: &'a [DMat3],
    /// h: also the time between two contact detections.
    pub timestep: f64,
    /// What walls hold is as heavy as they are.
    pub held: &'a HeldRows,
}

impl Free<'_> {
    /// 1 / m and 1 / I of a sphere.
    fn inverse(&self, row: usize) -> (f64, f64) {
        match self.held.holds(row) {
            true => (0.0, 0.0),
            false => (1.0 / self.world.bodies.mass[row], 1.0 / self.world.bodies.inertia[row].x),
        }
    }
}

/// The numbers of one contact before they are put into lanes.
#[derive(Clone, Copy, Default)]
struct ContactTerms {
    arm_a: DVec3,
    arm_b: DVec3,
    bias: f64,
    inverse_normal: f64,
    inverse_tangent: f64,
    inverse_roll: f64,
    /// What impacts and cohesion bring, as twice an energy, J.
    load: f64,
    /// Attraction by cohesion over the step, N s.
    attraction: f64,
}

impl ContactProblem {
    pub fn new(
        free: &Free,
        contacts: &[ContactPoint],
        laws: &[ContactParameters],
        warm: &[WarmStart],
    ) -> Self {
        let world = free.world;
        let pairs: Vec<(u32, Option<u32>)> = contacts.iter().map(|s| (s.row, s.partner_row())).collect();
        let (colours, placing) = Colours::new(world.bodies.len(), &pairs);
        let entries: Vec<ContactTerms> =
            contacts.par_iter().with_min_len(2048).map(|s| entry(free, s, &laws[s.law as usize])).collect();
        let points = if free.inverse_inertia.is_empty() {
            ContactBatches::Spheres(fill(&placing, contacts, laws, &entries, warm, balls))
        } else {
            let arms = |arms: &mut SolidArms, lane: usize, contact: &ContactPoint, e: &ContactTerms| {
                rocks(free, arms, lane, contact, e)
            };
            ContactBatches::Solids(fill(&placing, contacts, laws, &entries, warm, arms))
        };
        let rolling = if contacts.iter().any(|s| laws[s.law as usize].rolls()) {
            rolling(&placing, contacts, laws, &entries, warm)
        } else {
            Vec::new()
        };
        let mut problem = ContactProblem {
            rows: rows(free, contacts, &placing),
            load: load(free, contacts, &entries),
            contacts: contacts.len(),
            attraction: Vec::new(),
            colours,
            placing,
            points,
            rolling,
        };
        problem.attract(&entries);
        problem.start_warm();
        problem
    }

    /// Cohesion: the shift of eq. (18) is a pull of r_0 at every contact, besides an impulse that only pushes.
    fn attract(&mut self, entries: &[ContactTerms]) {
        if entries.iter().all(|e| e.attraction == 0.0) {
            return;
        }
        self.attraction = entries.iter().map(|e| e.attraction).collect();
        let mut pull: Vec<Eight3> = with_points!(&self.points, batches => batches
            .iter()
            .zip(&self.placing.contact)
            .map(|(b, at)| {
                let mut pull = b.normal;
                for (lane, &k) in at.iter().enumerate() {
                    let r = entries.get(k as usize).map_or(0.0, |e| -e.attraction);
                    pull.iter_mut().for_each(|axis| axis[lane] *= r);
                }
                pull
            })
            .collect());
        self.apply(&mut pull);
    }

    /// Puts the impulses of the last step into the velocities.
    fn start_warm(&mut self) {
        let mut impulses: Vec<Eight3> =
            with_points!(&self.points, batches => batches.iter().map(|b| b.impulse).collect());
        self.apply(&mut impulses);
        let mut torques: Vec<Eight3> = self.rolling.iter().map(|r| r.torque).collect();
        self.apply_torques(&mut torques);
    }

    /// Adds impulses to the velocities.
    pub fn apply(&mut self, impulses: &mut [Eight3]) {
        with_points!(&mut self.points, batches =>
            self.colours.work(&Apply, &mut self.rows, batches, impulses));
    }

    /// Adds torque impulses to the spins; none where nothing rolls.
    pub fn apply_torques(&mut self, torques: &mut [Eight3]) {
        if !torques.is_empty() {
            with_points!(&mut self.points, batches =>
                self.colours.work(&ApplyTorque, &mut self.rows, batches, torques));
        }
    }

    /// The solution, contact by contact: impulse and torque impulse on the partner.
    pub fn solution(&self) -> Vec<(DVec3, DVec3)> {
        let mut out = vec![(DVec3::ZERO, DVec3::ZERO); self.contacts];
        for (batch, at) in self.placing.contact.iter().enumerate() {
            let p = with_points!(&self.points, batches => batches[batch].impulse);
            for (lane, &k) in at.iter().enumerate().filter(|(_, k)| **k != u32::MAX) {
                let torque = self.rolling.get(batch).map_or(DVec3::ZERO, |r| lane_of(&r.torque, lane));
                out[k as usize] = (lane_of(&p, lane), torque);
            }
        }
        out
    }

    pub fn velocity(&self, row: usize) -> (DVec3, DVec3) {
        let r = &self.rows[row];
        (DVec3::new(r[0], r[1], r[2]), DVec3::new(r[3], r[4], r[5]))
    }
}

pub fn lane_of(x: &Eight3, lane: usize) -> DVec3 {
    DVec3::new(x[0][lane], x[1][lane], x[2][lane])
}

fn put(x: &mut Eight3, lane: usize, v: DVec3) {
    for axis in 0..3 {
        x[axis][lane] = v[axis];
    }
}

fn entry(free: &Free, contact: &ContactPoint, law: &ContactParameters) -> ContactTerms {
    let b = &free.world.bodies;
    let (i, n) = (contact.row as usize, contact.normal);
    let arm_a = contact.point - b.position[i];
    let (before_a, after_a) =
        (b.velocity[i] + b.spin[i].cross(arm_a), free.velocity[i] + b.spin[i].cross(arm_a));
    let (before, after, arm_b, field);
    match contact.partner {
        Counterpart::Body { row, image } => {
            let j = row as usize;
            arm_b = contact.point - (b.position[j] + image);
            let turn = b.spin[j].cross(arm_b);
            before = b.velocity[j] + turn - before_a;
            after = free.velocity[j] + turn - after_a;
            field =
                (free.velocity[i] - b.velocity[i]).length().max((free.velocity[j] - b.velocity[j]).length());
        }
        Counterpart::Surface { velocity, .. } => {
            arm_b = DVec3::ZERO;
            before = velocity - before_a;
            after = velocity - after_a;
            field = (free.velocity[i] - b.velocity[i]).length();
        }
    }
    let (normal, tangent, roll) = resistance(free, contact, arm_a, arm_b);
    let closing = after.dot(n);
    let mut bias = if contact.gap > 0.0 {
        contact.gap / free.timestep
    } else {
        // An overlap is taken back no faster than half the speed that a fall through it would give, so that it returns
        // less energy than it had set free; a step's own force and what the contact has to stop anyway come on top.
        let fall = (2.0 * field / free.timestep * -contact.gap).sqrt();
        -(BAUMGARTE * -contact.gap / free.timestep).min(0.5 * (fall + field + (-closing).max(0.0)))
    };
    // Eq. (10): a contact that closes within the step parts with e times the speed that it met with.
    let met = before.dot(n);
    if law.restitution > 0.0 && met < 0.0 && contact.gap + free.timestep * closing <= 0.0 {
        bias = bias.min(law.restitution * met);
    }
    let attraction = free.timestep * law.pull(contact);
    // What has to be stopped: what closes, what opens as far as the attraction can hold it, and what the attraction would close of
    // a gap, which the rest of a pile may have to hold.
    let pulled = attraction * normal;
    let stopped =
        (-(closing + bias)).max(closing.min(pulled)).max(bias.min(pulled)).max(0.0) + ROUNDING * pulled;
    ContactTerms {
        arm_a,
        arm_b,
        bias,
        inverse_normal: 1.0 / normal,
        inverse_tangent: 1.0 / tangent,
        inverse_roll: 1.0 / roll,
        load: stopped * stopped / normal,
        attraction,
    }
}

/// W_nn, the larger W_tt, and the largest resistance to relative spin.
fn resistance(free: &Free, contact: &ContactPoint, arm_a: DVec3, arm_b: DVec3) -> (f64, f64, f64) {
    let (i, n) = (contact.row as usize, contact.normal);
    let partner = contact.partner_row().map(|j| j as usize);
    let mass = free.inverse(i).0 + partner.map_or(0.0, |j| free.inverse(j).0);
    if free.inverse_inertia.is_empty() {
        let inertia = &free.world.bodies.inertia;
        let turn = |k: usize, arm: DVec3| match free.held.holds(k) {
            true => 0.0,
            false => arm.length_squared() / inertia[k].x,
        };
        let tangent = mass + turn(i, arm_a) + partner.map_or(0.0, |j| turn(j, arm_b));
        let roll = free.inverse(i).1 + partner.map_or(0.0, |j| free.inverse(j).1);
        return (mass, tangent, roll);
    }
    let t = n.any_orthonormal_vector();
    let s = n.cross(t);
    // The quadratic form of J^-1 along arm x d and arm x e.
    let form =
        |k: usize, arm: DVec3, d: DVec3, e: DVec3| arm.cross(d).dot(free.inverse_inertia[k] * arm.cross(e));
    let both = |d: DVec3, e: DVec3| form(i, arm_a, d, e) + partner.map_or(0.0, |j| form(j, arm_b, d, e));
    let (tt, ss, ts) = (both(t, t), both(s, s), both(t, s));
    let tangent = mass + 0.5 * (tt + ss) + (0.25 * (tt - ss).powi(2) + ts * ts).sqrt();
    let inertia = &free.world.bodies.inertia;
    let largest = |k: usize| if free.held.holds(k) { 0.0 } else { 1.0 / inertia[k].min_element() };
    (mass + both(n, n), tangent, largest(i) + partner.map_or(0.0, largest))
}

fn rows(free: &Free, contacts: &[ContactPoint], placing: &Placing) -> Vec<SolverBody> {
    let b = &free.world.bodies;
    let mut rows = Vec::with_capacity(placing.rows);
    for k in 0..b.len() {
        let (v, w) = (free.velocity[k], b.spin[k]);
        let (mass, inertia) = free.inverse(k);
        rows.push([v.x, v.y, v.z, w.x, w.y, w.z, mass, inertia]);
    }
    for contact in contacts {
        if let Counterpart::Surface { velocity: v, .. } = contact.partner {
            rows.push([v.x, v.y, v.z, 0.0, 0.0, 0.0, 0.0, 0.0]);
        }
    }
    rows.resize(placing.rows, [0.0; 8]);
    rows
}

fn fill<A: LeverArms>(
    placing: &Placing,
    contacts: &[ContactPoint],
    laws: &[ContactParameters],
    entries: &[ContactTerms],
    warm: &[WarmStart],
    arms: impl Fn(&mut A, usize, &ContactPoint, &ContactTerms) + Sync,
) -> Vec<Batch<A>> {
    placing
        .contact
        .par_iter()
        .with_min_len(256)
        .map(|at| {
            let mut batch = Batch::<A>::empty();
            for (lane, &k) in at.iter().enumerate() {
                let k = k as usize;
                let (Some(contact), Some(e)) = (contacts.get(k), entries.get(k)) else { continue };
                let mu = laws[contact.law as usize].friction;
                put(&mut batch.normal, lane, contact.normal);
                batch.bias[lane] = e.bias;
                batch.friction[lane] = mu;
                batch.inverse_normal[lane] = e.inverse_normal;
                batch.inverse_tangent[lane] = e.inverse_tangent;
                put(&mut batch.impulse, lane, admissible(warm[k].impulse, contact.normal, mu));
                arms(&mut batch.arms, lane, contact, e);
            }
            batch
        })
        .collect()
}

/// The impulse of the last step as far as it is one for this normal.
fn admissible(p: DVec3, n: DVec3, mu: f64) -> DVec3 {
    let normal = p.dot(n);
    if normal <= 0.0 {
        return DVec3::ZERO;
    }
    n * normal + (p - n * normal).clamp_length_max(mu * normal)
}

fn balls(arms: &mut SphereArms, lane: usize, contact: &ContactPoint, e: &ContactTerms) {
    arms.a[lane] = e.arm_a.dot(contact.normal);
    arms.b[lane] = -e.arm_b.dot(contact.normal);
}

fn rocks(free: &Free, arms: &mut SolidArms, lane: usize, contact: &ContactPoint, e: &ContactTerms) {
    put(&mut arms.a, lane, e.arm_a);
    put(&mut arms.b, lane, e.arm_b);
    let set = |to: &mut [[f64; LANES]; 6], m: DMat3| {
        let six = [m.x_axis.x, m.y_axis.y, m.z_axis.z, m.x_axis.y, m.y_axis.z, m.z_axis.x];
        for (axis, value) in to.iter_mut().zip(six) {
            axis[lane] = value;
        }
    };
    set(&mut arms.inverse_a, free.inverse_inertia[contact.row as usize]);
    if let Some(j) = contact.partner_row() {
        set(&mut arms.inverse_b, free.inverse_inertia[j as usize]);
    }
}

fn rolling(
    placing: &Placing,
    contacts: &[ContactPoint],
    laws: &[ContactParameters],
    entries: &[ContactTerms],
    warm: &[WarmStart],
) -> Vec<Rolling> {
    let one = |at: &[u32; LANES]| {
        let mut rolling = Rolling::empty();
        for (lane, &k) in at.iter().enumerate() {
            let k = k as usize;
            let (Some(contact), Some(e)) = (contacts.get(k), entries.get(k)) else { continue };
            let law = &laws[contact.law as usize];
            rolling.roll[lane] = law.rolling * contact.lever;
            rolling.twist[lane] = law.twisting * contact.lever;
            rolling.inverse[lane] = e.inverse_roll;
            if law.rolls() && warm[k].impulse.dot(contact.normal) > 0.0 {
                put(&mut rolling.torque, lane, warm[k].torque);
                put(&mut rolling.last, lane, warm[k].torque);
            }
        }
        rolling
    };
    placing.contact.iter().map(one).collect()
}

/// Twice the energy that a step's forces give to the bodies that have contacts, with what impacts and cohesion bring; at least
/// what rounding makes of the bodies' speeds.
fn load(free: &Free, contacts: &[ContactPoint], entries: &[ContactTerms]) -> f64 {
    let b = &free.world.bodies;
    let mut touched = vec![false; b.len()];
    for contact in contacts {
        touched[contact.row as usize] = true;
        if let Some(row) = contact.partner_row() {
            touched[row as usize] = true;
        }
    }
    let forces: f64 = (0..b.len())
        .filter(|&k| touched[k] && !free.held.holds(k))
        .map(|k| {
            let (gain, speed) = (free.velocity[k] - b.velocity[k], ROUNDING * free.velocity[k].length());
            b.mass[k] * (gain.length_squared() + speed * speed)
        })
        .sum();
    forces + entries.iter().map(|e| e.load).sum::<f64>()
}
