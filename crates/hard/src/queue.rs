//! The next event of all: a tournament. Every grain enters the time of its own next event; each match is won by the earlier
//! time, at equal times by the lower row, so that the order does not depend on how the tree came about.

/// A complete binary tree; node 1 is the final, the leaves are at `size..2 size`.
#[derive(Debug, Default)]
pub struct Queue {
    size: usize,
    nodes: Vec<(f64, u32)>,
}

impl Queue {
    /// With all times at once.
    pub fn fill(&mut self, times: impl ExactSizeIterator<Item = f64>) {
        let n = times.len();
        self.size = n.next_power_of_two();
        self.nodes.clear();
        self.nodes.resize(2 * self.size, (f64::INFINITY, u32::MAX));
        for (k, time) in times.enumerate() {
            self.nodes[self.size + k] = (time, k as u32);
        }
        for node in (1..self.size).rev() {
            self.nodes[node] = winner(self.nodes[2 * node], self.nodes[2 * node + 1]);
        }
    }

    /// Time and row of the next event.
    pub fn first(&self) -> (f64, u32) {
        self.nodes[1]
    }

    pub fn set(&mut self, row: u32, time: f64) {
        let mut node = self.size + row as usize;
        self.nodes[node] = (time, row);
        while node > 1 {
            node /= 2;
            let won = winner(self.nodes[2 * node], self.nodes[2 * node + 1]);
            if won == self.nodes[node] && won.1 != row {
                // Someone else was and stays the winner here: nothing changes further up.
                return;
            }
            self.nodes[node] = won;
        }
    }
}

/// The left one on a tie: it has the lower rows.
fn winner(left: (f64, u32), right: (f64, u32)) -> (f64, u32) {
    if right.0 < left.0 { right } else { left }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rubblepile_core::Rng;

    #[test]
    fn the_first_is_the_first_whatever_was_set() {
        let mut rng = Rng::new(5);
        for n in [1usize, 2, 3, 17, 64, 100] {
            // Few different times, so that there are ties.
            let mut times: Vec<f64> = (0..n).map(|_| (10.0 * rng.uniform()).floor()).collect();
            let mut queue = Queue::default();
            queue.fill(times.iter().copied());
            for _ in 0..1000 {
                let k = (rng.uniform() * n as f64) as usize;
                times[k] = if rng.uniform() < 0.1 { f64::INFINITY } else { (10.0 * rng.uniform()).floor() };
                queue.set(k as u32, times[k]);
                let first =
                    (0..n).min_by(|&a, &b| times[a].total_cmp(&times[b]).then(a.cmp(&b))).expect("some");
                assert_eq!(queue.first().0, times[first]);
                assert!(times[first].is_infinite() || queue.first().1 == first as u32);
            }
        }
    }
}
