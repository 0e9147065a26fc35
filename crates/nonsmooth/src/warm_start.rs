//! Warm starts: the impulses of the last step. They are saved with the world, so that a resumed run starts its solver
//! from the same numbers.

use std::collections::HashMap;

use glam::DVec3;
use rubblepile_core::{PackedSurface, Partner, SurfaceRef, World};

use crate::{
    detection::{ContactPoint, Counterpart},
    history::{ImpulseHistory, NonsmoothState},
};

/// An impulse to start from.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct WarmStart {
    pub impulse: DVec3,
    pub torque: DVec3,
}

/// One contact of the last step: the impulse on the partner. For bodies `row` is the lower row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PreviousContact {
    pub row: u32,
    /// Row of the partner, or surface and face: see [`key`].
    pub partner: u64,
    pub feature: u32,
    pub warm: WarmStart,
}

/// Bodies by row, surfaces after all bodies.
pub fn key(side: &Counterpart) -> u64 {
    match *side {
        Counterpart::Body { row, .. } => u64::from(row),
        Counterpart::Surface { surface, face, .. } => surface_key(surface, face),
    }
}

fn surface_key(surface: SurfaceRef, face: u32) -> u64 {
    1 << 63 | u64::from(surface.pack().bits()) << 32 | u64::from(face)
}

/// The surface and the face of a key; `None`: it is a body's.
fn surface_of(key: u64) -> Option<(SurfaceRef, u32)> {
    let packed = PackedSurface::from_bits((key >> 32 & 0x7fff_ffff) as u32);
    (key >> 63 == 1).then(|| (packed.get(), key as u32))
}

/// The contacts of the last step, sorted by row, partner and feature.
#[derive(Debug, Default, PartialEq)]
pub struct PreviousContacts(pub Vec<PreviousContact>);

impl PreviousContacts {
    pub fn of(contacts: &[ContactPoint], solution: &[(DVec3, DVec3)]) -> Self {
        let remembered = |(contact, &(impulse, torque)): (&ContactPoint, &(DVec3, DVec3))| PreviousContact {
            row: contact.row,
            partner: key(&contact.partner),
            feature: contact.feature,
            warm: WarmStart { impulse, torque },
        };
        // What bears nothing is nothing to start from.
        PreviousContacts(
            contacts
                .iter()
                .zip(solution)
                .map(remembered)
                .filter(|r| r.warm != WarmStart::default())
                .collect(),
        )
    }

    fn sort(&mut self) {
        self.0.sort_by_key(|r| (r.row, r.partner, r.feature));
    }

    /// From what the world has saved. Contacts of bodies or walls that are gone are forgotten.
    pub fn from_history(world: &World) -> Self {
        let row: HashMap<u64, u32> =
            world.bodies.id.iter().enumerate().map(|(k, &id)| (id, k as u32)).collect();
        let places = |ids: &mut dyn Iterator<Item = u32>| ids.zip(0..).collect::<HashMap<u32, u32>>();
        let wall = places(&mut world.walls.iter().map(|w| w.id));
        let asteroid = places(&mut world.asteroids.iter().map(|a| a.id));
        let mut memory = PreviousContacts::default();
        for h in world.part::<NonsmoothState>().into_iter().flat_map(|part| &part.contacts) {
            let Some(&body) = row.get(&h.body) else { continue };
            let warm = WarmStart { impulse: h.impulse, torque: h.angular_impulse };
            let at = |surface: Option<SurfaceRef>, face| surface.map(|s| (body, surface_key(s, face), warm));
            let found = match h.partner {
                Partner::Body(id) => row.get(&id).map(|&other| match other > body {
                    true => (body, u64::from(other), warm),
                    // Saved under the smaller id, kept under the lower row.
                    false => {
                        (other, u64::from(body), WarmStart { impulse: -warm.impulse, torque: -warm.torque })
                    }
                }),
                Partner::Wall { wall: id, face } => at(wall.get(&id).copied().map(SurfaceRef::Wall), face),
                Partner::Asteroid { asteroid: id, facet } => {
                    at(asteroid.get(&id).copied().map(SurfaceRef::Asteroid), facet)
                }
            };
            let Some((row, partner, warm)) = found else { continue };
            memory.0.push(PreviousContact { row, partner, feature: h.feature, warm });
        }
        memory.sort();
        memory
    }

    pub fn to_history(&self, world: &World) -> Vec<ImpulseHistory> {
        let id = |row: u64| world.bodies.id[row as usize];
        let history = |r: &PreviousContact| {
            let (own, WarmStart { impulse, torque }) = (id(u64::from(r.row)), r.warm);
            let (body, partner, sign) = if let Some((surface, face)) = surface_of(r.partner) {
                (own, world.partner_at(surface, face), 1.0)
            } else if own < id(r.partner) {
                (own, Partner::Body(id(r.partner)), 1.0)
            } else {
                (id(r.partner), Partner::Body(own), -1.0)
            };
            ImpulseHistory {
                body,
                partner,
                feature: r.feature,
                impulse: sign * impulse,
                angular_impulse: sign * torque,
            }
        };
        self.0.iter().map(history).collect()
    }

    /// After the rows have moved: new row `k` is old row `order[k]`.
    pub fn permute(&mut self, order: &[u32]) {
        let mut new = vec![0u32; order.len()];
        order.iter().enumerate().for_each(|(k, &old)| new[old as usize] = k as u32);
        for r in &mut self.0 {
            r.row = new[r.row as usize];
            if surface_of(r.partner).is_none() {
                let partner = new[r.partner as usize];
                if partner < r.row {
                    r.warm = WarmStart { impulse: -r.warm.impulse, torque: -r.warm.torque };
                    (r.row, r.partner) = (partner, u64::from(r.row));
                } else {
                    r.partner = u64::from(partner);
                }
            }
        }
        self.sort();
    }

    /// After rows were taken out: `left[k]` is the old row of new row `k`, ascending. Contacts of what is gone are forgotten.
    pub fn keep(&mut self, left: &[u32]) {
        let new = |old: u32| left.binary_search(&old).ok().map(|k| k as u32);
        let kept = |r: PreviousContact| {
            let partner = match surface_of(r.partner) {
                Some(_) => r.partner,
                None => u64::from(new(r.partner as u32)?),
            };
            Some(PreviousContact { row: new(r.row)?, partner, ..r })
        };
        self.0 = std::mem::take(&mut self.0).into_iter().filter_map(kept).collect();
    }

    /// What each contact starts from: as [`PreviousContacts::matched`], but more even among the points of a pair. On an asteroid
    /// points of one facet may push along different directions.
    pub fn start(&self, contacts: &[ContactPoint]) -> Vec<WarmStart> {
        let mut out = self.matched(contacts);
        let pair = |k: usize| (contacts[k].row, key(&contacts[k].partner));
        let mut at = 0;
        while at < contacts.len() {
            let end = at + (at..contacts.len()).take_while(|&k| pair(k) == pair(at)).count();
            let ground =
                matches!(contacts[at].partner, Counterpart::Surface { surface: SurfaceRef::Asteroid(_), .. });
            let alike = |s: &ContactPoint| (s.normal - contacts[at].normal).length_squared() < 1e-12;
            if !ground || contacts[at..end].iter().all(alike) {
                even_out(&mut out[at..end], contacts[at].normal);
            }
            at = end;
        }
        out
    }

    /// What each contact bore in the last step; where contact points of a pair have changed, an
    /// equal share of what those that are gone bore.
    pub fn matched(&self, contacts: &[ContactPoint]) -> Vec<WarmStart> {
        let mut out = vec![WarmStart::default(); contacts.len()];
        let mut from = 0;
        let mut at = 0;
        while at < contacts.len() {
            let pair = (contacts[at].row, key(&contacts[at].partner));
            let end = at + contacts[at..].iter().take_while(|s| (s.row, key(&s.partner)) == pair).count();
            while self.0.get(from).is_some_and(|r| (r.row, r.partner) < pair) {
                from += 1;
            }
            let old = self.0[from..].iter().take_while(|r| (r.row, r.partner) == pair).count();
            share(&self.0[from..from + old], &contacts[at..end], &mut out[at..end]);
            from += old;
            at = end;
        }
        out
    }
}

/// The points of two faces bear their common load in many ways, and what the solver has left open would pile up in them from
/// step to step until they rock on two corners: a tower of boxes would not come to rest. Half of what normal impulses
/// differ by is forgotten; their sum is kept.
fn even_out(points: &mut [WarmStart], normal: DVec3) {
    if points.len() < 3 {
        return;
    }
    let mean = points.iter().map(|w| w.impulse.dot(normal)).sum::<f64>() / points.len() as f64;
    points.iter_mut().for_each(|w| w.impulse += 0.5 * (mean - w.impulse.dot(normal)) * normal);
}

fn share(old: &[PreviousContact], contacts: &[ContactPoint], out: &mut [WarmStart]) {
    if old.is_empty() {
        return;
    }
    let mut lost = WarmStart::default();
    for r in old {
        match contacts.iter().position(|s| s.feature == r.feature) {
            Some(k) => out[k] = r.warm,
            None => {
                lost.impulse += r.warm.impulse;
                lost.torque += r.warm.torque;
            }
        }
    }
    let fresh = |s: &ContactPoint| old.iter().all(|r| r.feature != s.feature);
    let count = contacts.iter().filter(|s| fresh(s)).count();
    if count > 0 {
        let part = 1.0 / count as f64;
        for (contact, warm) in contacts.iter().zip(out) {
            if fresh(contact) {
                *warm = WarmStart { impulse: part * lost.impulse, torque: part * lost.torque };
            }
        }
    }
}
