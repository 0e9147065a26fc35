//! How far multipliers of contact go in an augmentation.
//!
//! Where two grains lie on each other, nodes of both are watched (two passes), and their conditions may not be independent: then
//! pressures can grow on the one and shrink on the other with nothing else changed. Gaps stay as they are, each augmentation moves
//! pressures by the same, and it ends only when one of them is gone and its node is let go. That can be thousands of augmentations away.
//! So the way is made longer, for each pair of grains by itself, until the first pressure is gone; an augmentation of the usual
//! length then puts right what was not of this kind, and if gaps are still the same, the next way is longer again.

use std::collections::BTreeMap;

use crate::sample::{ContactMultipliers, NodePartner, Watch};

/// Changes that differ by less than this part from those before lead nowhere.
const ALIKE: f64 = 0.3;
/// By how much steps become longer.
const LONGER: f64 = 4.0;

/// Of one pair of grains, in one augmentation.
#[derive(Debug, Clone, Copy)]
struct Pace {
    /// Largest change of a pressure, Pa.
    largest: f64,
    /// Sums of squares: of changes, and of what they differ by from those before.
    changes: f64,
    differences: f64,
    /// In how many such steps the first pressure is gone.
    room: f64,
}

impl Default for Pace {
    fn default() -> Self {
        Pace { largest: 0.0, changes: 0.0, differences: 0.0, room: f64::INFINITY }
    }
}

type Pair = (u32, u32);

fn pair(watch: &Watch) -> Option<Pair> {
    match watch.partner {
        NodePartner::Grain(other) => Some((watch.grain.min(other), watch.grain.max(other))),
        NodePartner::Wall(_) => None,
    }
}

/// Of one pair, from one augmentation to the next.
#[derive(Debug, Clone, Copy)]
struct Stride {
    /// The last that was longer, over the usual one.
    length: f64,
    /// Whether it was just now.
    made: bool,
}

/// Of all pairs.
#[derive(Debug, Default)]
pub struct Paces {
    strides: BTreeMap<Pair, Stride>,
    /// How pressures of all that is watched changed before the last stride that was longer, or else last, Pa.
    before: Vec<f64>,
}

impl Paces {
    /// Lengthens the way of pressures, from what `watches` have to `holds`, where it leads nowhere. `open`: changes above it are too large.
    pub fn lengthen(&mut self, watches: &[Watch], holds: &mut [ContactMultipliers], open: f64) {
        let change = |(watch, hold): (&Watch, &ContactMultipliers)| {
            let pushed = hold.pressure > 0.0 && !hold.bonded;
            if pushed { hold.pressure - watch.hold.pressure } else { 0.0 }
        };
        let changes: Vec<f64> = watches.iter().zip(&*holds).map(change).collect();
        self.before.resize(changes.len(), 0.0);
        let mut paces: BTreeMap<Pair, Pace> = BTreeMap::new();
        for ((watch, now), before) in watches.iter().zip(&changes).zip(&self.before) {
            let Some(pair) = pair(watch) else { continue };
            let pace = paces.entry(pair).or_default();
            pace.largest = pace.largest.max(now.abs());
            pace.changes += now * now;
            pace.differences += (now - before) * (now - before);
            if *now < 0.0 {
                pace.room = pace.room.min(watch.hold.pressure / -now);
            }
        }
        for (pair, pace) in &paces {
            let stride = self.strides.entry(*pair).or_insert(Stride { length: 1.0, made: false });
            let alike = pace.differences < ALIKE * ALIKE * pace.changes;
            let further = !stride.made && pace.largest > open && alike;
            if further {
                stride.length = (LONGER * stride.length).min(pace.room).max(1.0);
            } else if !stride.made {
                stride.length = 1.0;
            }
            stride.made = further;
        }
        for (k, (watch, hold)) in watches.iter().zip(holds).enumerate() {
            let Some(stride) = pair(watch).and_then(|pair| self.strides.get(&pair)) else { continue };
            if stride.made {
                hold.pressure = (hold.pressure + (stride.length - 1.0) * changes[k]).max(0.0);
            }
            // After a longer stride one of the usual length comes; what is alike is then looked for in those before both.
            if stride.made || stride.length == 1.0 {
                self.before[k] = changes[k];
            }
        }
    }
}
