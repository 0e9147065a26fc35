//! A team of threads that stays awake for many passes over the same batches.
//!
//! This is the only module of the crate with unsafe code (vector instructions are in `core/src/simd` and `gravity/src/simd.rs`): it
//! hands the rows of a batch to the thread that works on it. That is sound because [`Colours::new`] makes sure that no row is in a
//! colour twice, and because the rows of [`Colours`] are private to it and to this module.

use std::{
    cell::UnsafeCell,
    sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
};

use rubblepile_core::simd::{Kernel, LANES, Lanes, dispatch};

use super::{Colours, SolverBody, Work};

/// Shares of a stage per thread: where one comes late, the others take what is left.
const SHARES: usize = 2;
/// Problems with fewer batches than this are not worth waking a thread.
const WORTH_A_THREAD: usize = 192;
/// Stages with fewer items than this are left to the leader.
const WORTH_SHARING: usize = 8;
const ROWS_PER_BLOCK: usize = 64;
/// What is gathered from blocks of this size is the same on any number of threads.
const EXTRAS_PER_BLOCK: usize = 64;

impl Colours {
    /// Gives `lead` a team of threads that stays awake until it returns: for many passes over the same batches.
    pub fn team<D: Send, E: Send, W: Work<D, E>, O>(
        &self,
        work: &W,
        slices: Slices<D, E>,
        lead: impl FnOnce(&mut Leader<D, E, W>) -> O,
    ) -> O {
        let Slices { rows, spare, data, extra } = slices;
        assert!(rows.len() >= self.limit && data.len() == self.rows.len() && extra.len() == self.rows.len());
        assert!(spare.is_empty() || spare.len() == rows.len());
        let threads = match rayon::current_num_threads() {
            threads if self.rows.len() >= WORTH_A_THREAD => threads,
            _ => 1,
        };
        let team = Team {
            colours: self,
            work,
            rows: Shared::new(rows),
            spare: Shared::new(spare),
            data: Shared::new(data),
            extra: Shared::new(extra),
            stage: AtomicU64::new(0),
            order: UnsafeCell::new(None),
            taken: (0..SHARES * threads).map(|_| Padded(AtomicU64::new(0))).collect(),
            left: AtomicUsize::new(0),
            over: AtomicBool::new(false),
        };
        let run = || {
            let _guard = Guard { over: &team.over };
            lead(&mut Leader { team: &team })
        };
        if threads == 1 {
            return run();
        }
        rayon::in_place_scope(|scope| {
            let team = &team;
            (1..threads).for_each(|k| scope.spawn(move |_| dispatch(Helper { team, place: k })));
            run()
        })
    }
}

/// What a team works on.
pub struct Slices<'a, D, E> {
    pub rows: &'a mut [SolverBody],
    /// As many rows again, or none: see [`Work::rows`].
    pub spare: &'a mut [SolverBody],
    /// One per batch.
    pub data: &'a mut [D],
    pub extra: &'a mut [E],
}

/// The order of the colours in a pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    Forwards,
    Backwards,
}

/// What is cut into the shares of a stage.
#[derive(Debug, Clone, Copy)]
enum Domain {
    /// The batches of one colour.
    Batches,
    /// Blocks of [`ROWS_PER_BLOCK`] rows.
    Rows,
    /// Blocks of [`EXTRAS_PER_BLOCK`] extras.
    Extras,
}

/// One stage of a pass: a colour, or all rows.
#[derive(Debug, Clone, Copy)]
struct Order<P> {
    pass: P,
    domain: Domain,
    from: usize,
    to: usize,
}

/// Work that is shared by several threads. The leader gives one order after the other; its shares are claimed, each thread taking
/// those of its own place first, so that it meets the same batches in every pass; the next order is given when all shares are done.
/// Helpers may come late or not at all.
struct Team<'a, D, E, W: Work<D, E>> {
    colours: &'a Colours,
    work: &'a W,
    rows: Shared<SolverBody>,
    spare: Shared<SolverBody>,
    data: Shared<D>,
    extra: Shared<E>,
    /// Number of the last order, from 1.
    stage: AtomicU64,
    /// The last order. Written by the leader while no share is left; read by who has claimed a share of it.
    order: UnsafeCell<Option<Order<W::Pass>>>,
    /// The last stage in which each share was claimed.
    taken: Vec<Padded>,
    /// Shares of the stage that are not done.
    left: AtomicUsize,
    /// The leader is done, or a thread has panicked and shares that were claimed will never be done: all stop, and the scope resumes
    /// the panic.
    over: AtomicBool,
}

// SAFETY: `order` is written and read as its comment says, everything else is shared by atomics or through `Shared`.
unsafe impl<D: Send, E: Send, W: Work<D, E>> Sync for Team<'_, D, E, W> {}

/// On a cache line of its own.
#[repr(align(128))]
struct Padded(AtomicU64);

/// Ends the work of a team when its thread unwinds, or when it is the leader's.
struct Guard<'a> {
    over: &'a AtomicBool,
}

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Release);
    }
}

impl<D: Send, E: Send, W: Work<D, E>> Team<'_, D, E, W> {
    /// Claims shares of the stage and works on them until there are none left, own ones first.
    #[inline(always)]
    fn help<L: Lanes>(&self, stage: u64, place: usize) {
        let shares = self.taken.len();
        for k in 0..shares {
            let share = (place * SHARES + k) % shares;
            let taken = &self.taken[share].0;
            // Of a stage that is over all shares have been taken, so one that is claimed here belongs to the last order.
            if taken.load(Ordering::Relaxed) < stage && taken.fetch_max(stage, Ordering::AcqRel) < stage {
                // SAFETY: the leader writes no order before this share is done.
                if let Some(order) = unsafe { *self.order.get() } {
                    let count = order.to - order.from;
                    let part = |k: usize| order.from + count * k / shares;
                    // SAFETY: only who has claimed a share works on it, and shares do not overlap.
                    unsafe { self.share::<L>(order, part(share), part(share + 1)) };
                }
                self.left.fetch_sub(1, Ordering::Release);
            }
        }
    }

    /// # Safety
    /// Nobody else works on these items of this order, or on another order.
    #[inline(always)]
    unsafe fn share<L: Lanes>(&self, order: Order<W::Pass>, from: usize, to: usize) {
        for k in from..to {
            // SAFETY: `Colours::new` has made sure that the rows of a colour are distinct, `team` that they and the batches are inside
            // their slices; blocks do not overlap.
            unsafe {
                match order.domain {
                    Domain::Batches => {
                        let at = &self.colours.rows[k];
                        let (a, b) = (self.rows.rows_of(&at.a), self.rows.rows_of(&at.b));
                        self.work.batch::<L>(order.pass, a, b, self.data.at(k), self.extra.at(k));
                    }
                    Domain::Rows => {
                        let (rows, spare) =
                            (self.rows.block(k, ROWS_PER_BLOCK), self.spare.block(k, ROWS_PER_BLOCK));
                        self.work.rows(order.pass, rows, spare);
                    }
                    Domain::Extras => self.work.extras(order.pass, self.extra.block(k, EXTRAS_PER_BLOCK)),
                }
            }
        }
    }
}

/// Whoever opened the team.
pub struct Leader<'t, 'a, D, E, W: Work<D, E>> {
    team: &'t Team<'a, D, E, W>,
}

impl<D: Send, E: Send, W: Work<D, E>> Leader<'_, '_, D, E, W> {
    /// A pass over all batches, colour after colour.
    pub fn sweep(&mut self, pass: W::Pass, direction: Direction) {
        dispatch(Sweep { team: self.team, pass, direction });
    }

    /// A pass over all rows and their spare rows.
    pub fn rows(&mut self, pass: W::Pass) {
        let to = self.team.rows.1.div_ceil(ROWS_PER_BLOCK);
        dispatch(Stage { team: self.team, order: Order { pass, domain: Domain::Rows, from: 0, to } });
    }

    /// A pass over the extras of all batches.
    pub fn extras(&mut self, pass: W::Pass) {
        let to = self.team.extra.1.div_ceil(EXTRAS_PER_BLOCK);
        dispatch(Stage { team: self.team, order: Order { pass, domain: Domain::Extras, from: 0, to } });
    }

    /// The first extra of every block: where [`Work::extras`] leaves what it gathers.
    pub fn gathered(&mut self) -> impl Iterator<Item = &E> {
        // SAFETY: between two passes only the leader touches the slices.
        let all = unsafe { std::slice::from_raw_parts(self.team.extra.0, self.team.extra.1) };
        all.iter().step_by(EXTRAS_PER_BLOCK)
    }
}

struct Sweep<'t, 'a, D, E, W: Work<D, E>> {
    team: &'t Team<'a, D, E, W>,
    pass: W::Pass,
    direction: Direction,
}

impl<D: Send, E: Send, W: Work<D, E>> Kernel for Sweep<'_, '_, D, E, W> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let ends = &self.team.colours.ends;
        for step in 0..ends.len() {
            let c = if self.direction == Direction::Backwards { ends.len() - 1 - step } else { step };
            let from = if c == 0 { 0 } else { ends[c - 1] };
            let order = Order { pass: self.pass, domain: Domain::Batches, from, to: ends[c] };
            stage::<L, D, E, W>(self.team, order);
        }
    }
}

struct Stage<'t, 'a, D, E, W: Work<D, E>> {
    team: &'t Team<'a, D, E, W>,
    order: Order<W::Pass>,
}

impl<D: Send, E: Send, W: Work<D, E>> Kernel for Stage<'_, '_, D, E, W> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        stage::<L, D, E, W>(self.team, self.order);
    }
}

/// The leader's part of a stage.
#[inline(always)]
fn stage<L: Lanes, D: Send, E: Send, W: Work<D, E>>(team: &Team<D, E, W>, order: Order<W::Pass>) {
    if team.over.load(Ordering::Relaxed) {
        return;
    }
    if team.taken.len() == SHARES || order.to - order.from < WORTH_SHARING {
        // SAFETY: no order is open, so nobody else works.
        unsafe { team.share::<L>(order, order.from, order.to) };
        return;
    }
    // SAFETY: all shares of the last order are done, and none of the next can be claimed yet.
    unsafe { *team.order.get() = Some(order) };
    team.left.store(team.taken.len(), Ordering::Relaxed);
    let stage = team.stage.load(Ordering::Relaxed) + 1;
    team.stage.store(stage, Ordering::Release);
    team.help::<L>(stage, 0);
    let mut waited = 0u32;
    while team.left.load(Ordering::Acquire) > 0 {
        if team.over.load(Ordering::Acquire) {
            return;
        }
        pause(&mut waited);
    }
}

/// Waits a little; on a busy machine the thread that is waited for may have lost its core: lets it have this one.
fn pause(waited: &mut u32) {
    *waited += 1;
    if *waited > 4000 {
        std::thread::yield_now();
    } else {
        std::hint::spin_loop();
    }
}

/// Another thread: works as long as the team has its leader.
struct Helper<'t, 'a, D, E, W: Work<D, E>> {
    team: &'t Team<'a, D, E, W>,
    place: usize,
}

impl<D: Send, E: Send, W: Work<D, E>> Kernel for Helper<'_, '_, D, E, W> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        /// Only a panic ends the work of the others.
        struct OnPanic<'a>(&'a AtomicBool);
        impl Drop for OnPanic<'_> {
            fn drop(&mut self) {
                if std::thread::panicking() {
                    self.0.store(true, Ordering::Release);
                }
            }
        }
        let team = self.team;
        let _guard = OnPanic(&team.over);
        let (mut last, mut waited) = (0, 0);
        while !team.over.load(Ordering::Acquire) {
            let stage = team.stage.load(Ordering::Acquire);
            if stage == last {
                pause(&mut waited);
            } else {
                team.help::<L>(stage, self.place);
                (last, waited) = (stage, 0);
            }
        }
    }
}

/// A slice, to be cut up among threads: where it begins and its length.
struct Shared<T>(*mut T, usize);

impl<T> Shared<T> {
    fn new(slice: &mut [T]) -> Self {
        Shared(slice.as_mut_ptr(), slice.len())
    }

    /// Block `k` of so many elements; the last may be shorter, and those of an empty slice are empty.
    ///
    /// # Safety
    /// No element of the block is borrowed elsewhere while the result lives.
    #[inline(always)]
    #[allow(clippy::mut_from_ref)]
    unsafe fn block(&self, k: usize, size: usize) -> &mut [T] {
        let from = (k * size).min(self.1);
        // SAFETY: inside the slice, and the caller's promise.
        unsafe { std::slice::from_raw_parts_mut(self.0.add(from), size.min(self.1 - from)) }
    }

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
