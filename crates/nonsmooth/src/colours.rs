//! Contacts in groups of eight that can be worked on at once.
//!
//! Contacts get colours so that no two of one colour share a body. Eight of a colour make a batch, solved in the
//! lanes of one vector; batches of a colour go to any thread in any order, and colours follow one after the other: the
//! result is the same bits on any number of threads.
//!
//! This is the only module of the crate with unsafe code (vector instructions are in `core/src/simd` and `gravity/src/simd.rs`): it
//! hands the rows of a batch to the thread that works on it. That is sound because [`Colours::new`] makes sure that no row is in a
//! colour twice, and because rows and batches are private to it.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use rubblepile_core::simd::{Kernel, LANES, Lanes, dispatch};

/// A body as the solver sees it: velocity, spin, inverse mass, inverse moment of inertia (spheres).
pub type SolverBody = [f64; 8];

/// Batches that a thread takes at once.
const BATCHES_A_CLAIM: usize = 16;
/// Fewer batches than this, in all passes together, are not worth waking a thread.
const WORTH_A_THREAD: usize = 1024;
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

/// What is done with a batch.
pub trait Work<D, E>: Sync {
    fn batch<L: Lanes>(
        &self,
        a: [&mut SolverBody; LANES],
        b: [&mut SolverBody; LANES],
        data: &mut D,
        extra: &mut E,
    );
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

    /// Works on all batches, colour after colour, once for each of `passes`; `true`: the last colour first.
    pub fn work<D: Send, E: Send, W: Work<D, E>>(
        &self,
        work: &W,
        rows: &mut [SolverBody],
        data: &mut [D],
        extra: &mut [E],
        passes: &[bool],
    ) {
        assert!(rows.len() >= self.limit && data.len() == self.rows.len() && extra.len() == self.rows.len());
        let colours = self.ends.len();
        if colours == 0 || passes.is_empty() {
            return;
        }
        let round = Round {
            colours: self,
            passes,
            work,
            rows: Shared(rows.as_mut_ptr()),
            data: Shared(data.as_mut_ptr()),
            extra: Shared(extra.as_mut_ptr()),
            state: AtomicU64::new(0),
            left: AtomicUsize::new(self.ends[0]),
            poisoned: AtomicBool::new(false),
        };
        // Set for the first stage, which may run backwards.
        round.left.store(round.batches(0).len(), Ordering::Relaxed);
        let threads = rayon::current_num_threads();
        if threads > 1 && self.rows.len() * passes.len() >= WORTH_A_THREAD {
            let round = &round;
            rayon::in_place_scope(|scope| {
                (1..threads).for_each(|_| scope.spawn(move |_| dispatch(Helper(round))));
                dispatch(Leader(round));
            });
        } else {
            dispatch(Leader(&round));
        }
    }
}

/// All passes over all colours, to be shared by any thread. A stage is one colour in one pass; its batches are
/// claimed a few at a time, and the next begins when all are done. Helpers may come late or not at all.
struct Round<'a, D, E, W> {
    colours: &'a Colours,
    passes: &'a [bool],
    work: &'a W,
    rows: Shared<SolverBody>,
    data: Shared<D>,
    extra: Shared<E>,
    /// Number of the stage (upper half) and of its next batch (lower half), so that a claim is for one stage.
    state: AtomicU64,
    /// Batches of the stage that are not done.
    left: AtomicUsize,
    /// Somebody panicked, and batches that were claimed will never be done: all stop, and the scope resumes the panic.
    poisoned: AtomicBool,
}

/// Poisons the round when its thread unwinds.
struct Guard<'a>(&'a AtomicBool);

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.store(true, Ordering::Release);
        }
    }
}

impl<D, E, W: Work<D, E>> Round<'_, D, E, W> {
    fn stages(&self) -> usize {
        self.passes.len() * self.colours.ends.len()
    }

    /// The batches of a stage; none after the last.
    #[inline(always)]
    fn batches(&self, stage: usize) -> std::ops::Range<usize> {
        let ends = &self.colours.ends;
        let Some(&backwards) = self.passes.get(stage / ends.len()) else { return 0..0 };
        let step = stage % ends.len();
        let c = if backwards { ends.len() - 1 - step } else { step };
        (if c == 0 { 0 } else { ends[c - 1] })..ends[c]
    }

    /// Claims batches and works on them until there are none left in the stage; says which stage that was.
    #[inline(always)]
    fn help<L: Lanes>(&self) -> usize {
        loop {
            let (stage, next) = split(self.state.load(Ordering::Acquire));
            if next >= self.batches(stage).len() {
                return stage;
            }
            let (stage, next) = split(self.state.fetch_add(BATCHES_A_CLAIM as u64, Ordering::AcqRel));
            let batches = self.batches(stage);
            let from = batches.start + next;
            let end = (from + BATCHES_A_CLAIM).min(batches.end);
            for k in from..end {
                let at = &self.colours.rows[k];
                // SAFETY: `Colours::new` has made sure that the rows of a colour are distinct, `work` that they and the
                // batches are inside their slices; only one colour is worked on at a time, and batch k is claimed once.
                let (a, b, data, extra) = unsafe {
                    (self.rows.rows_of(&at.a), self.rows.rows_of(&at.b), self.data.at(k), self.extra.at(k))
                };
                self.work.batch::<L>(a, b, data, extra);
            }
            if end > from {
                self.left.fetch_sub(end - from, Ordering::Release);
            }
        }
    }
}

fn split(state: u64) -> (usize, usize) {
    ((state >> 32) as usize, (state & 0xffff_ffff) as usize)
}

/// Whoever opened the round: works, and moves on to the next stage when one is done.
struct Leader<'a, D, E, W>(&'a Round<'a, D, E, W>);

impl<D, E, W: Work<D, E>> Kernel for Leader<'_, D, E, W> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let round = self.0;
        let _guard = Guard(&round.poisoned);
        for stage in 0..round.stages() {
            round.help::<L>();
            while round.left.load(Ordering::Acquire) > 0 {
                if round.poisoned.load(Ordering::Acquire) {
                    return;
                }
                std::hint::spin_loop();
            }
            round.left.store(round.batches(stage + 1).len(), Ordering::Relaxed);
            round.state.store((stage as u64 + 1) << 32, Ordering::Release);
        }
    }
}

/// Another thread: works as long as the round lasts.
struct Helper<'a, D, E, W>(&'a Round<'a, D, E, W>);

impl<D, E, W: Work<D, E>> Kernel for Helper<'_, D, E, W> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let round = self.0;
        let _guard = Guard(&round.poisoned);
        let mut idle = 0u32;
        let mut last = usize::MAX;
        loop {
            let stage = round.help::<L>();
            if stage >= round.stages() || round.poisoned.load(Ordering::Acquire) {
                return;
            }
            idle = if stage == last { idle + 1 } else { 0 };
            last = stage;
            // On a busy machine the leader may have lost its core: let it have this one.
            if idle > 2000 {
                std::thread::yield_now();
            } else {
                std::hint::spin_loop();
            }
        }
    }
}

/// A slice, to be cut up among threads.
struct Shared<T>(*mut T);
// SAFETY: the pointer is only followed in `rows_of` and `at`, for elements that no other thread has at the time.
unsafe impl<T: Send> Sync for Shared<T> {}

impl<T> Shared<T> {
    /// # Safety
    /// The element is inside the slice, and not borrowed elsewhere while the result lives.
    #[inline(always)]
    #[allow(clippy::mut_from_ref)]
    unsafe fn at(&self, index: usize) -> &mut T {
        // SAFETY: the caller's promise.
        unsafe { &mut *self.0.add(index) }
    }
}

impl Shared<SolverBody> {
    /// # Safety
    /// The rows are inside the slice, distinct, and not borrowed elsewhere while the result lives.
    #[inline(always)]
    #[allow(clippy::mut_from_ref)]
    unsafe fn rows_of(&self, index: &[u32; LANES]) -> [&mut SolverBody; LANES] {
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

#[cfg(test)]
mod tests {
    use super::*;
    use rubblepile_core::Rng;

    struct Count;
    impl Work<[u32; LANES], ()> for Count {
        fn batch<L: Lanes>(
            &self,
            a: [&mut SolverBody; LANES],
            b: [&mut SolverBody; LANES],
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
        colours.work(&Count, &mut rows, &mut data, &mut vec![(); placing.contact.len()], &[false]);
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

    #[test]
    fn helpers_do_every_batch_once_a_pass() {
        let mut rng = Rng::new(9);
        let n = 3000;
        let contacts: Vec<(u32, Option<u32>)> = (0..20_000)
            .map(|_| {
                let a = (rng.next_u64() % (n - 1)) as u32;
                (a, Some(a + 1 + (rng.next_u64() % (n - 1 - u64::from(a))) as u32))
            })
            .collect();
        let (colours, placing) = Colours::new(n as usize, &contacts);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(4).build().expect("threads");
        for _ in 0..20 {
            let mut rows = vec![[0.0; 8]; placing.rows];
            let mut data = placing.contact.clone();
            let mut nothing = vec![(); placing.contact.len()];
            pool.install(|| colours.work(&Count, &mut rows, &mut data, &mut nothing, &[false, true, false]));
            let mut expected = vec![0.0; n as usize];
            for (a, b) in &contacts {
                expected[*a as usize] += 3.0;
                b.iter().for_each(|b| expected[*b as usize] += 3.0);
            }
            assert_eq!(rows[..n as usize].iter().map(|r| r[0]).collect::<Vec<_>>(), expected);
        }
    }

    /// Panics in one thread, the leader or a helper, in a batch of some stage.
    struct Fails {
        in_leader: bool,
        leader: std::thread::ThreadId,
    }
    impl Work<[u32; LANES], ()> for Fails {
        fn batch<L: Lanes>(
            &self,
            a: [&mut SolverBody; LANES],
            _: [&mut SolverBody; LANES],
            _: &mut [u32; LANES],
            _: &mut (),
        ) {
            let leading = std::thread::current().id() == self.leader;
            assert!(leading != self.in_leader, "a batch that fails");
            // Leaves the others time to claim some.
            std::thread::sleep(std::time::Duration::from_micros(20));
            a.into_iter().for_each(|row| row[0] += 1.0);
        }
    }

    #[test]
    fn a_panic_in_a_helper_of_the_coloured_solver_does_not_hang_the_leader() {
        for in_leader in [false, true] {
            let (done, waiting) = std::sync::mpsc::channel();
            std::thread::spawn(move || {
                let contacts: Vec<(u32, Option<u32>)> =
                    (0..20_000).map(|k| (2 * k, Some(2 * k + 1))).collect();
                let (colours, placing) = Colours::new(40_000, &contacts);
                let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().expect("threads");
                let caught = pool.install(|| {
                    let mut rows = vec![[0.0; 8]; placing.rows];
                    let mut data = placing.contact.clone();
                    let mut nothing = vec![(); placing.contact.len()];
                    let work = Fails { in_leader, leader: std::thread::current().id() };
                    std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                        colours.work(&work, &mut rows, &mut data, &mut nothing, &[false, true]);
                    }))
                });
                let text = caught.err().and_then(|panic| panic.downcast_ref::<&str>().map(|s| s.to_string()));
                let _ = done.send(text);
            });
            let text = waiting.recv_timeout(std::time::Duration::from_secs(60)).expect("the leader hangs");
            assert_eq!(text.as_deref(), Some("a batch that fails"), "in the leader: {in_leader}");
        }
    }
}
