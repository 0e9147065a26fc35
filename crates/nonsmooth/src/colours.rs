//! Contacts in groups of eight that can be worked on at once.
//!
//! Contacts get colours so that no two of one colour share a body. Eight of a colour make a batch, solved in the
//! lanes of one vector; batches of a colour may be solved by any thread in any order, and colours follow one after the other:
//! the result is the same bits on any number of threads. The threads are in [`team`].

mod team;
#[cfg(test)]
mod tests;

use rubblepile_core::simd::{LANES, Lanes};

pub use team::{Direction, Leader, Slices};

/// A body as the solver sees it: velocity, spin, inverse mass, inverse moment of inertia (spheres).
pub type SolverBody = [f64; 8];

/// Contacts of bodies with more contacts than this are solved one after the other.
const MOST_COLOURS: usize = 64;

#[derive(Debug, Clone, Copy)]
struct LaneBodies {
    a: [u32; LANES],
    b: [u32; LANES],
}

/// Which contacts are solved together.
#[derive(Debug, Default)]
pub struct Colours {
    rows: Vec<LaneBodies>,
    /// Batches of colour `c` are `ends[c - 1]..ends[c]`.
    ends: Vec<usize>,
    /// Rows that batches may name.
    limit: usize,
}

/// Where the contacts went.
#[derive(Debug, Default)]
pub struct Placing {
    /// Contact in each lane of each batch; `u32::MAX`: none.
    pub contact: Vec<[u32; LANES]>,
    /// Rows in use, with the private ones after the bodies.
    pub rows: usize,
}

/// What is done in a pass.
pub trait Work<D, E>: Sync {
    type Pass: Copy + Send;

    /// With a batch and its bodies.
    fn batch<L: Lanes>(
        &self,
        pass: Self::Pass,
        a: [&mut SolverBody; LANES],
        b: [&mut SolverBody; LANES],
        data: &mut D,
        extra: &mut E,
    );

    /// With a block of bodies and its spare rows.
    fn rows(&self, _: Self::Pass, _: &mut [SolverBody], _: &mut [SolverBody]) {}

    /// With a block of extras.
    fn extras(&self, _: Self::Pass, _: &mut [E]) {}
}

impl Colours {
    /// Colours contacts given by the rows of their bodies (`None`: a wall, which gets a row of its own after the
    /// `bodies` rows, in the order of contacts; empty lanes get rows after those).
    pub fn new(bodies: usize, contacts: &[(u32, Option<u32>)]) -> (Colours, Placing) {
        let mut taken = vec![0u64; bodies];
        let mut members: Vec<Vec<u32>> = Vec::new();
        let mut alone = Vec::new();
        for (k, &(a, b)) in contacts.iter().enumerate() {
            let mask = taken[a as usize] | b.map_or(0, |b| taken[b as usize]);
            let colour = mask.trailing_ones() as usize;
            if colour >= MOST_COLOURS {
                alone.push(k as u32);
                continue;
            }
            taken[a as usize] |= 1 << colour;
            if let Some(b) = b {
                taken[b as usize] |= 1 << colour;
            }
            if members.len() <= colour {
                members.resize(colour + 1, Vec::new());
            }
            members[colour].push(k as u32);
        }
        members.extend(alone.into_iter().map(|k| vec![k]));
        let walls = contacts.iter().filter(|c| c.1.is_none()).count();
        let mut wall_row = Vec::with_capacity(contacts.len());
        let mut next = bodies as u32;
        for c in contacts {
            wall_row.push(next);
            next += u32::from(c.1.is_none());
        }
        let mut colours = Colours::default();
        let mut placing = Placing { contact: Vec::new(), rows: bodies + walls };
        for member in &members {
            for eight in member.chunks(LANES) {
                let mut rows = LaneBodies { a: [0; LANES], b: [0; LANES] };
                let mut contact = [u32::MAX; LANES];
                for (lane, held) in contact.iter_mut().enumerate() {
                    let mut spare = || {
                        placing.rows += 1;
                        placing.rows as u32 - 1
                    };
                    match eight.get(lane) {
                        Some(&k) => {
                            let (a, b) = contacts[k as usize];
                            *held = k;
                            rows.a[lane] = a;
                            rows.b[lane] = b.unwrap_or(wall_row[k as usize]);
                        }
                        None => (rows.a[lane], rows.b[lane]) = (spare(), spare()),
                    }
                }
                colours.rows.push(rows);
                placing.contact.push(contact);
            }
            colours.ends.push(colours.rows.len());
        }
        colours.limit = placing.rows;
        colours.assert_disjoint();
        (colours, placing)
    }

    /// What the unsafe code of [`team`] stands on.
    fn assert_disjoint(&self) {
        let mut seen = vec![u32::MAX; self.limit];
        let mut start = 0;
        for (colour, &end) in self.ends.iter().enumerate() {
            for rows in &self.rows[start..end] {
                for &row in rows.a.iter().chain(&rows.b) {
                    let last = &mut seen[row as usize];
                    assert!(*last != colour as u32, "a body is in a colour twice");
                    *last = colour as u32;
                }
            }
            start = end;
        }
        assert_eq!(start, self.rows.len());
    }

    pub fn batches(&self) -> usize {
        self.rows.len()
    }

    /// One pass over all batches, colour after colour.
    pub fn work<D: Send, E: Send, W: Work<D, E, Pass = ()>>(
        &self,
        work: &W,
        rows: &mut [SolverBody],
        data: &mut [D],
        extra: &mut [E],
    ) {
        let problem = Slices { rows, spare: &mut [], data, extra };
        self.team(work, problem, |team| team.sweep((), Direction::Forwards));
    }
}
