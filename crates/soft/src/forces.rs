//! The forces of one block: contact detection, the law for eight contacts at a time, sums by row.

use rubblepile_core::{
    Asteroid, Poses, Wall,
    simd::{Kernel, LANES, Lanes, Portable, V3, prefetch},
};

use crate::{
    blocks::{Block, PackedBody, Spin, SpringRow},
    contact::{ContactEnergy, ContactWrench, Displacement, RelativeMotion, resolve},
    law::{Coefficients, ContactLaw, ContactPair},
    walls::walls,
};

/// Data that all blocks read during a step.
pub struct Shared<'a> {
    pub motion: &'a [PackedBody],
    pub spin: &'a [Spin],
    /// n x n, row by row.
    pub coefficients: &'a [Coefficients],
    pub materials: usize,
    /// Period along each axis; 0 where open.
    pub period: [f64; 3],
    pub inverse_period: [f64; 3],
    pub walls: &'a [Wall],
    pub asteroids: &'a [Asteroid],
    pub poses: &'a Poses,
    pub dt: f64,
    pub deepest: f64,
}

impl Shared<'_> {
    pub fn pair(&self, a: f64, b: f64) -> &Coefficients {
        &self.coefficients[a as usize * self.materials + b as usize]
    }
}

/// Sums the forces of a block's contacts and moves their memory on.
pub struct Forces<'a, C, const ROLLS: bool, const ENERGY: bool> {
    shared: &'a Shared<'a>,
    block: &'a mut Block,
    law: std::marker::PhantomData<C>,
}

impl<'a, C: ContactLaw, const ROLLS: bool, const ENERGY: bool> Forces<'a, C, ROLLS, ENERGY> {
    pub fn new(shared: &'a Shared<'a>, block: &'a mut Block) -> Self {
        Forces { shared, block, law: std::marker::PhantomData }
    }
}

impl<C: ContactLaw, const ROLLS: bool, const ENERGY: bool> Kernel for Forces<'_, C, ROLLS, ENERGY> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let (shared, block) = (self.shared, self.block);
        block.sum.fill([[0.0; 4]; 2]);
        block.lost = [0.0; 5];
        let mut tally = LaneSums::<L>::new();
        let found = find_touching(shared, block);
        for batch in found.touching.chunks(LANES) {
            pairs::<L, C, ROLLS, ENERGY>(shared, block, batch, &mut tally);
        }
        part::<C, ROLLS, ENERGY>(shared, block, &found.parted);
        walls::<L, C, ROLLS, ENERGY>(shared, block, &mut tally);
        tally.into_block(block);
    }
}

/// Sums over lanes that a block keeps.
pub struct LaneSums<L> {
    pub lost: [L; 4],
    pub too_deep: L,
}

impl<L: Lanes> LaneSums<L> {
    #[inline(always)]
    fn new() -> Self {
        LaneSums { lost: [L::splat(0.0); 4], too_deep: L::splat(0.0) }
    }

    /// Adds the lanes that count: those below `count`.
    #[inline(always)]
    pub fn add<const ENERGY: bool>(&mut self, energy: &ContactEnergy<L>, depth: L, count: usize) {
        self.too_deep = self.too_deep.max(depth);
        if ENERGY {
            let weight = L::load(&std::array::from_fn(|k| if k < count { 1.0 } else { 0.0 }));
            let e = [energy.normal, energy.sliding, energy.rolling, energy.twisting];
            for k in 0..4 {
                self.lost[k] = self.lost[k] + e[k] * weight;
            }
        }
    }

    #[inline(always)]
    fn into_block(self, block: &mut Block) {
        for k in 0..4 {
            block.lost[k] += self.lost[k].store().iter().sum::<f64>();
        }
        block.too_deep = self.too_deep.store().iter().copied().fold(0.0, f64::max);
    }
}

/// Difference of positions to the nearest image. The period may be 0, with an inverse of 0: no images.
#[inline(always)]
fn shortest(d: f64, period: f64, inverse: f64) -> f64 {
    d - period * (d * inverse).round_ties_even()
}

#[inline(always)]
fn nearest_image<L: Lanes>(d: L, period: f64, inverse: f64) -> L {
    d - L::splat(period) * (d * L::splat(inverse)).round()
}

/// How many pairs before it is read a partner is asked for. Partners of other blocks are far away in memory.
const AHEAD: usize = 24;

/// Slots and their local rows: those that touch, and those that have just come apart.
pub struct TouchingPairs {
    pub touching: Vec<(u32, u32)>,
    pub parted: Vec<(u32, u32)>,
}

/// Lists the pairs that touch, and those that have just come apart, without branches.
#[inline(always)]
pub fn find_touching(shared: &Shared, block: &mut Block) -> TouchingPairs {
    // Made each time: one block's worth is cheap and stays in the cache, that of all blocks would not.
    let pairs = block.partner.len();
    let mut found = TouchingPairs { touching: vec![(0, 0); pairs], parted: vec![(0, 0); pairs] };
    let (mut touching, mut parted) = (0, 0);
    let (period, inverse) = (shared.period, shared.inverse_period);
    let periodic = period != [0.0; 3];
    for row in 0..block.rows {
        let [x, y, z, r, ..] = shared.motion[block.first + row];
        for slot in block.start[row] as usize..block.start[row + 1] as usize {
            if let Some(&soon) = block.partner.get(slot + AHEAD) {
                prefetch(shared.motion, soon as usize);
                prefetch(shared.spin, soon as usize);
            }
            let [xj, yj, zj, rj, ..] = shared.motion[block.partner[slot] as usize];
            let (mut dx, mut dy, mut dz) = (xj - x, yj - y, zj - z);
            if periodic {
                dx = shortest(dx, period[0], inverse[0]);
                dy = shortest(dy, period[1], inverse[1]);
                dz = shortest(dz, period[2], inverse[2]);
            }
            let reach = r + rj;
            let touch = dx * dx + dy * dy + dz * dz < reach * reach;
            let lived = block.live[slot];
            block.live[slot] = touch;
            found.touching[touching] = (slot as u32, row as u32);
            touching += usize::from(touch);
            found.parted[parted] = (slot as u32, row as u32);
            parted += usize::from(lived & !touch);
        }
    }
    found.touching.truncate(touching);
    found.parted.truncate(parted);
    found
}

/// Table 1 for eight pairs: what each sees of its partner, and both lever arms.
#[inline(always)]
pub fn kinematics<L: Lanes>(
    shared: &Shared,
    i: [usize; LANES],
    j: [usize; LANES],
) -> (RelativeMotion<L>, L, L, L) {
    let [xi, yi, zi, ri, ui, vi, wi, mi] = L::columns8(std::array::from_fn(|k| &shared.motion[i[k]]));
    let [xj, yj, zj, rj, uj, vj, wj, mj] = L::columns8(std::array::from_fn(|k| &shared.motion[j[k]]));
    let [pi, qi, si, _] = L::columns4(std::array::from_fn(|k| &shared.spin[i[k]]));
    let [pj, qj, sj, _] = L::columns4(std::array::from_fn(|k| &shared.spin[j[k]]));
    let half = L::splat(0.5);
    let mut d = V3(xj - xi, yj - yi, zj - zi);
    if shared.period != [0.0; 3] {
        d = V3(
            nearest_image(d.0, shared.period[0], shared.inverse_period[0]),
            nearest_image(d.1, shared.period[1], shared.inverse_period[1]),
            nearest_image(d.2, shared.period[2], shared.inverse_period[2]),
        );
    }
    let distance = d.dot(d).sqrt();
    let inverse = L::splat(1.0) / distance;
    let n = d * inverse;
    // l_i = (R_i^2 - R_j^2 + d^2) / 2 d
    let li = half * (distance + (ri - rj) * (ri + rj) * inverse);
    let lj = distance - li;
    let dv = V3(uj - ui, vj - vi, wj - wi);
    let approach = dv.dot(n);
    let (wi, wj) = (V3(pi, qi, si), V3(pj, qj, sj));
    let slip = dv - n * approach + n.cross(wi * li + wj * lj);
    let seen = RelativeMotion {
        normal: n,
        touch: ContactPair {
            overlap: ri + rj - distance,
            radius: ri * rj / (ri + rj),
            mass: mi * mj / (mi + mj),
        },
        approach,
        slip,
        spin: wj - wi,
        lever: half * (lj - li) / (li * lj),
    };
    (seen, li, lj, ri.min(rj))
}

/// Constants of the pairs of materials in the lanes.
#[inline(always)]
pub fn constants<L: Lanes>(shared: &Shared, pair: impl Fn(usize) -> (f64, f64)) -> ([L; 8], [L; 8]) {
    if shared.materials == 1 {
        let c = &shared.coefficients[0];
        return (L::splat8(&c.law), L::splat8(&c.friction));
    }
    let rows: [&Coefficients; LANES] = std::array::from_fn(|k| {
        let (a, b) = pair(k);
        shared.pair(a, b)
    });
    (L::columns8(rows.map(|c| &c.law)), L::columns8(rows.map(|c| &c.friction)))
}

/// The memory of eight contacts, from the places where they begin.
#[inline(always)]
pub fn load_memory<L: Lanes, const ROLLS: bool>(memory: [&[SpringRow]; LANES]) -> Displacement<L> {
    let [a, b, c, _] = L::columns4(std::array::from_fn(|k| &memory[k][0]));
    let sliding = V3(a, b, c);
    if ROLLS {
        let [d, e, f, twisting] = L::columns4(std::array::from_fn(|k| &memory[k][1]));
        return Displacement { sliding, rolling: V3(d, e, f), twisting };
    }
    Displacement { sliding, rolling: V3::zero(), twisting: L::splat(0.0) }
}

/// Sliding, and rolling with twisting, one row per contact.
#[inline(always)]
pub fn memory_rows<L: Lanes>(d: &Displacement<L>) -> ([SpringRow; LANES], [SpringRow; LANES]) {
    let (s, r) = (d.sliding, d.rolling);
    (L::rows4([s.0, s.1, s.2, L::splat(0.0)]), L::rows4([r.0, r.1, r.2, d.twisting]))
}

/// Forces and torques of eight contacts, one row per contact.
pub struct ContactForces {
    /// Force on the body; its partner feels the opposite.
    pub force: [[f64; 4]; LANES],
    /// Torque on the body and on its partner.
    pub torque: [[f64; 4]; LANES],
    pub partner_torque: [[f64; 4]; LANES],
}

#[inline(always)]
pub fn rows<L: Lanes>(seen: &RelativeMotion<L>, push: &ContactWrench<L>, li: L, lj: L) -> ContactForces {
    let zero = L::splat(0.0);
    let f = seen.normal * push.normal + push.sliding;
    let moment = seen.normal.cross(push.sliding);
    let ti = moment * li + push.torque;
    let tj = moment * lj - push.torque;
    ContactForces {
        force: L::rows4([f.0, f.1, f.2, zero]),
        torque: L::rows4([ti.0, ti.1, ti.2, zero]),
        partner_torque: L::rows4([tj.0, tj.1, tj.2, zero]),
    }
}

#[inline(always)]
pub fn add(sum: &mut [f64; 4], row: &[f64; 4], sign: f64) {
    for k in 0..4 {
        sum[k] += sign * row[k];
    }
}

#[inline(always)]
fn pairs<L: Lanes, C: ContactLaw, const ROLLS: bool, const ENERGY: bool>(
    shared: &Shared,
    block: &mut Block,
    batch: &[(u32, u32)],
    tally: &mut LaneSums<L>,
) {
    let count = batch.len();
    // Lanes past the end repeat the last contact, and are not written back.
    let (mut slot, mut row) = ([0usize; LANES], [0usize; LANES]);
    let (mut i, mut j) = ([0usize; LANES], [0usize; LANES]);
    for k in 0..LANES {
        let (s, r) = batch[k.min(count - 1)];
        (slot[k], row[k]) = (s as usize, r as usize);
        (i[k], j[k]) = (block.first + row[k], block.partner[slot[k]] as usize);
    }
    let (seen, li, lj, small) = kinematics::<L>(shared, i, j);
    let (law, friction) = constants::<L>(shared, |k| (shared.spin[i[k]][3], shared.spin[j[k]][3]));
    let width = block.width;
    let mut held = load_memory::<L, ROLLS>(std::array::from_fn(|k| &block.memory[slot[k] * width..]));
    let dt = L::splat(shared.dt);
    let (push, energy) = resolve::<L, C, ROLLS, ENERGY>(&seen, &law, &friction, &mut held, dt);
    tally.add::<ENERGY>(&energy, seen.touch.overlap - small * L::splat(shared.deepest), count);
    let (slid, turned) = memory_rows(&held);
    let on = rows(&seen, &push, li, lj);
    for k in 0..count {
        block.memory[slot[k] * width] = slid[k];
        if ROLLS {
            block.memory[slot[k] * width + 1] = turned[k];
        }
        let [force, torque] = &mut block.sum[row[k]];
        add(force, &on.force[k], 1.0);
        add(torque, &on.torque[k], 1.0);
        let [force, torque] = &mut block.sum[block.local[slot[k]] as usize];
        add(force, &on.force[k], -1.0);
        add(torque, &on.partner_torque[k], 1.0);
    }
}

/// Forgets contacts that have come apart; what their springs still held is lost.
#[inline(always)]
fn part<C: ContactLaw, const ROLLS: bool, const ENERGY: bool>(
    shared: &Shared,
    block: &mut Block,
    parted: &[(u32, u32)],
) {
    for &(slot, row) in parted {
        let memory = block.memory_of(slot as usize);
        block.forget(slot as usize);
        if ENERGY {
            let i = block.first + row as usize;
            let j = block.partner[slot as usize] as usize;
            let (a, b) = (shared.motion[i], shared.motion[j]);
            let touch = ContactPair {
                overlap: 0.0,
                radius: a[3] * b[3] / (a[3] + b[3]),
                mass: a[7] * b[7] / (a[7] + b[7]),
            };
            let c = shared.pair(shared.spin[i][3], shared.spin[j][3]);
            release::<C>(c, touch, &memory, &mut block.lost);
        }
    }
}

pub fn release<C: ContactLaw>(
    c: &Coefficients,
    touch: ContactPair<f64>,
    m: &[SpringRow; 2],
    lost: &mut [f64; 5],
) {
    let touch = touch.map(Portable::splat);
    let k = C::springs(&c.law.map(Portable::splat), &touch);
    let arm2 = c.friction[3] * touch.radius.0[0].powi(2);
    let (k_n, k_s) = (k.normal.0[0], k.sliding.0[0]);
    let [s, r] = m;
    lost[1] += 0.5 * k_s * (s[0] * s[0] + s[1] * s[1] + s[2] * s[2]);
    lost[2] += 0.5 * k_n * arm2 * (r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
    lost[3] += k_s * arm2 * r[3] * r[3];
}
