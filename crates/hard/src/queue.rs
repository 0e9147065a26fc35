//! The event queue: a calendar. Every grain enters the time of its own next event; they come out by time, at equal times by
//! row, so that the order does not depend on how the calendar is divided. After Paul (2007), who has a tree for the present day.
//!
//! The drift is cut into days. An entry is put at the end of its day, which costs the same however many grains there are; a day
//! is sorted when it begins. What is entered for a day that has begun goes on a heap, which stays small: days are short against
//! the time from one event of a grain to its next.
//!
//! A grain that enters a new time does not take the old one out: who takes an entry must see whether it still holds. What comes
//! next is known from the sorted day, so that memory can be asked for it in time ([`Queue::soon`]); a tournament would not tell.

use std::{cmp::Reverse, collections::BinaryHeap};

/// Days in the mean time to a grain's next event, and entries that a day should have at least.
const DAYS: f64 = 64.0;
const BUSY: f64 = 128.0;
/// Days in a drift, at most.
const MOST_DAYS: f64 = 65_536.0;

/// A time and a row, in one number that sorts as they do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct QueueEntry(u128);

const SIGN: u64 = 1 << 63;

impl QueueEntry {
    fn new(time: f64, row: u32) -> Self {
        let bits = time.to_bits();
        let ordered = if bits & SIGN == 0 { bits | SIGN } else { !bits };
        QueueEntry(u128::from(ordered) << 32 | u128::from(row))
    }

    fn time(self) -> f64 {
        let ordered = (self.0 >> 32) as u64;
        f64::from_bits(if ordered & SIGN == 0 { !ordered } else { ordered ^ SIGN })
    }

    fn row(self) -> u32 {
        self.0 as u32
    }
}

#[derive(Debug, Default)]
pub struct Queue {
    /// Nothing after this is of interest.
    end: f64,
    /// Days a second.
    scale: f64,
    days: Vec<Vec<QueueEntry>>,
    today: usize,
    /// Entries of today in their order, and the place of the next one.
    sorted: Vec<QueueEntry>,
    next: usize,
    /// Entries of today that came after it had begun.
    late: BinaryHeap<Reverse<QueueEntry>>,
    /// Room that days gone by have left: the last one's is still in the cache.
    spare: Vec<Vec<QueueEntry>>,
}

impl Queue {
    /// With all times at once. Those after `end`, or not a number, never come out.
    pub fn fill(&mut self, times: impl ExactSizeIterator<Item = f64> + Clone, end: f64) {
        let n = times.len().max(1) as f64;
        let mean = times.clone().map(|t| t.min(end)).sum::<f64>() / n;
        let day = mean * (1.0 / DAYS).max(BUSY / n).min(1.0);
        // Zero over zero takes the most days, too.
        let days = (end / day).min(MOST_DAYS);
        let days = days.max(1.0).ceil();
        self.end = end;
        self.scale = days / end;
        self.spare.extend(self.days.drain(..).filter(|day| day.capacity() > 0));
        self.spare.iter_mut().for_each(Vec::clear);
        self.days.resize_with(days as usize, Vec::new);
        self.late.clear();
        for (k, time) in times.enumerate() {
            if time <= end {
                self.enter(QueueEntry::new(time, k as u32), self.day(time));
            }
        }
        self.today = 0;
        self.begin();
    }

    /// Later times never have earlier days, whatever rounding does.
    fn day(&self, time: f64) -> usize {
        ((time * self.scale) as usize).min(self.days.len() - 1)
    }

    fn enter(&mut self, entry: QueueEntry, day: usize) {
        let day = &mut self.days[day];
        if day.capacity() == 0 {
            *day = self.spare.pop().unwrap_or_default();
        }
        day.push(entry);
    }

    /// Sorts the entries of today.
    fn begin(&mut self) {
        let day = std::mem::take(&mut self.days[self.today]);
        let mut past = std::mem::replace(&mut self.sorted, day);
        if past.capacity() > 0 {
            past.clear();
            self.spare.push(past);
        }
        self.sorted.sort_unstable();
        self.next = 0;
    }

    /// Takes out the next entry: time and row.
    pub fn take(&mut self) -> Option<(f64, u32)> {
        loop {
            let entry = match (self.sorted.get(self.next), self.late.peek()) {
                (Some(&entry), Some(&Reverse(late))) if late < entry => {
                    self.late.pop();
                    late
                }
                (Some(&entry), _) => {
                    self.next += 1;
                    entry
                }
                (None, Some(_)) => self.late.pop()?.0,
                (None, None) => {
                    if self.today + 1 >= self.days.len() {
                        return None;
                    }
                    self.today += 1;
                    self.begin();
                    continue;
                }
            };
            return Some((entry.time(), entry.row()));
        }
    }

    /// The entry that comes out after so many others, if it is of today and nothing gets in between.
    #[inline]
    pub fn soon(&self, after: usize) -> Option<(f64, u32)> {
        self.sorted.get(self.next + after).map(|entry| (entry.time(), entry.row()))
    }

    /// Enters the time of a row, which is not before that of the entry taken last.
    pub fn set(&mut self, row: u32, time: f64) {
        if time <= self.end {
            let (day, entry) = (self.day(time), QueueEntry::new(time, row));
            if day > self.today {
                self.enter(entry, day);
            } else {
                self.late.push(Reverse(entry));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rubblepile_core::Rng;

    #[test]
    fn the_first_is_the_first_whatever_was_set() {
        let mut rng = Rng::new(5);
        let mut queue = Queue::default();
        for (n, end) in [(1usize, 5.0), (2, 30.0), (3, 0.0), (17, 5.0), (64, 1e3), (100, 300.0), (1000, 60.0)]
        {
            // Few different times, so that there are ties; some never come.
            let mut later = |now: f64| match rng.uniform() {
                x if x < 0.1 => f64::INFINITY,
                x if x < 0.11 => f64::NAN,
                _ => now + (10.0 * rng.uniform()).floor(),
            };
            let mut times: Vec<f64> = (0..n).map(|_| later(0.0)).collect();
            queue.fill(times.iter().copied(), end);
            for step in 0.. {
                let entry = std::iter::repeat_with(|| queue.take())
                    .find(|e| e.is_none_or(|(time, row)| times[row as usize] == time))
                    .flatten();
                let first = (0..n)
                    .filter(|&k| times[k] <= end)
                    .min_by(|&a, &b| times[a].total_cmp(&times[b]).then(a.cmp(&b)));
                assert_eq!(entry, first.map(|k| (times[k], k as u32)), "{n} rows, step {step}");
                let Some((now, row)) = entry else { break };
                // Its own next event, after the step 3000 always a later one, and that of another.
                let mut new = later(now);
                if step > 3000 {
                    new += 1.0;
                }
                times[row as usize] = new;
                queue.set(row, new);
                let other = step % n;
                if times[other] > now {
                    times[other] = later(now);
                    queue.set(other as u32, times[other]);
                }
            }
        }
    }
}
