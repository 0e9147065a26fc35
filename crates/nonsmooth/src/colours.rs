//! Contacts in groups of eight that can be worked on at once.
//!
//! Contacts get colours so that no two of one colour share a body. Eight of a colour make a batch, solved in the
//! lanes of one vector; batches of a colour go to any thread in any order, and colours follow one after the other: the
//! result is the same bits on any number of threads. This module holds the crate's only unsafe code: handing the rows
//! of a batch to the thread that works on it. It is sound because [`Colours::new`] makes sure that no row is in a
//! colour twice, and because rows and batches are private to it.

use rayon::prelude::*;
use rubblepile_core::simd::{Kernel, LANES, Lanes, dispatch};

/// A body as the solver sees it: velocity, spin, inverse mass, inverse moment of inertia (spheres).
pub type Row = [f64; 8];

/// Batches handed to a thread at once.
const BATCHES_A_TASK: usize = 64;
/// Fewer batches than this in a colour are not worth a second thread.
const WORTH_A_THREAD: usize = 128;
/// Contacts of bodies with more contacts than this are solved one after the other.
const MOST_COLOURS: usize = 64;

#[derive(Debug, Clone, Copy)]
struct Rows {
    a: [u32; LANES],
    b: [u32; LANES],
}

/// Which contacts are solved together.
#[derive(Debug, Default)]
pub struct Colours {
    rows: Vec<Rows>,
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

/// What is done with a batch.
pub trait Work<D, E>: Sync {
    fn batch<L: Lanes>(&self, a: [&mut Row; LANES], b: [&mut Row; LANES], data: &mut D, extra: &mut E);
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
                let mut rows = Rows { a: [0; LANES], b: [0; LANES] };
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

    /// What the unsafe code below stands on.
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

    /// Works on all batches, colour after colour; `backwards`: the last colour first.
    pub fn work<D: Send, E: Send, W: Work<D, E>>(
        &self,
        work: &W,
        rows: &mut [Row],
        data: &mut [D],
        extra: &mut [E],
        backwards: bool,
    ) {
        assert!(rows.len() >= self.limit && data.len() == self.rows.len() && extra.len() == self.rows.len());
        let shared = Shared(rows.as_mut_ptr());
        let threads = rayon::current_num_threads() > 1;
        let colours = self.ends.len();
        for step in 0..colours {
            let c = if backwards { colours - 1 - step } else { step };
            let (start, end) = (if c == 0 { 0 } else { self.ends[c - 1] }, self.ends[c]);
            let (batches, data, extra) =
                (&self.rows[start..end], &mut data[start..end], &mut extra[start..end]);
            if threads && batches.len() >= WORTH_A_THREAD {
                (
                    batches.par_chunks(BATCHES_A_TASK),
                    data.par_chunks_mut(BATCHES_A_TASK),
                    extra.par_chunks_mut(BATCHES_A_TASK),
                )
                    .into_par_iter()
                    .for_each(|(batches, data, extra)| dispatch(Part { work, shared, batches, data, extra }));
            } else {
                dispatch(Part { work, shared, batches, data, extra });
            }
        }
    }
}

/// The rows, to be cut up among threads.
#[derive(Clone, Copy)]
struct Shared(*mut Row);
// SAFETY: the pointer is only followed in `rows_of`, for rows that no other thread has at the time.
unsafe impl Send for Shared {}
// SAFETY: as above.
unsafe impl Sync for Shared {}

impl Shared {
    /// # Safety
    /// The rows are inside the slice, distinct, and nobody else's while the result lives.
    #[inline(always)]
    unsafe fn rows_of<'a>(self, index: &[u32; LANES]) -> [&'a mut Row; LANES] {
        let p = self.0;
        // SAFETY: the caller's promise; written out because a closure would not be compiled for the lanes.
        unsafe {
            [
                &mut *p.add(index[0] as usize),
                &mut *p.add(index[1] as usize),
                &mut *p.add(index[2] as usize),
                &mut *p.add(index[3] as usize),
                &mut *p.add(index[4] as usize),
                &mut *p.add(index[5] as usize),
                &mut *p.add(index[6] as usize),
                &mut *p.add(index[7] as usize),
            ]
        }
    }
}

/// Some batches of one colour.
struct Part<'a, D, E, W> {
    work: &'a W,
    shared: Shared,
    batches: &'a [Rows],
    data: &'a mut [D],
    extra: &'a mut [E],
}

impl<D, E, W: Work<D, E>> Kernel for Part<'_, D, E, W> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        for k in 0..self.batches.len() {
            let batch = &self.batches[k];
            // SAFETY: `Colours::new` has made sure that the rows of a colour are distinct, `work` that they are inside
            // the slice; only one colour is worked on at a time, and each of its batches by one thread.
            let (a, b) = unsafe { (self.shared.rows_of(&batch.a), self.shared.rows_of(&batch.b)) };
            self.work.batch::<L>(a, b, &mut self.data[k], &mut self.extra[k]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rubblepile_core::Rng;

    struct Count;
    impl Work<[u32; LANES], ()> for Count {
        fn batch<L: Lanes>(
            &self,
            a: [&mut Row; LANES],
            b: [&mut Row; LANES],
            _: &mut [u32; LANES],
            _: &mut (),
        ) {
            for row in a.into_iter().chain(b) {
                row[0] += 1.0;
            }
        }
    }

    #[test]
    fn every_contact_is_visited_once_by_its_two_bodies() {
        let mut rng = Rng::new(4);
        let n = 300;
        let mut contacts = Vec::new();
        for k in 0..2000u32 {
            let a = (rng.next_u64() % (n - 1)) as u32;
            let b = a + 1 + (rng.next_u64() % (n - 1 - u64::from(a))) as u32;
            contacts.push((a, (k % 7 != 0).then_some(b)));
        }
        // One body that everything touches.
        contacts.extend((1..200).map(|b| (0, Some(b))));
        let (colours, placing) = Colours::new(n as usize, &contacts);
        let mut rows = vec![[0.0; 8]; placing.rows];
        let mut data = placing.contact.clone();
        colours.work(&Count, &mut rows, &mut data, &mut vec![(); placing.contact.len()], false);
        let mut expected = vec![0.0; n as usize];
        for (a, b) in &contacts {
            expected[*a as usize] += 1.0;
            if let Some(b) = b {
                expected[*b as usize] += 1.0;
            }
        }
        assert_eq!(rows[..n as usize].iter().map(|r| r[0]).collect::<Vec<_>>(), expected);
        assert!(
            rows.iter().skip(n as usize).all(|r| r[0] <= 1.0),
            "walls and empty lanes have rows of their own"
        );
        let mut met: Vec<u32> =
            placing.contact.iter().flatten().copied().filter(|&c| c != u32::MAX).collect();
        met.sort_unstable();
        assert_eq!(met, (0..contacts.len() as u32).collect::<Vec<_>>());
    }
}
