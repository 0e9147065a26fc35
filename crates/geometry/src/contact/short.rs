//! A list that needs no heap while it is short.

#[derive(Debug, Clone)]
pub struct Short<T, const ROOM: usize> {
    near: [T; ROOM],
    len: usize,
    /// All of them, once there are more than `ROOM`.
    far: Vec<T>,
}

impl<T: Copy, const ROOM: usize> Short<T, ROOM> {
    /// Empty; the value only fills the room.
    #[inline(always)]
    pub fn new(filling: T) -> Self {
        Short { near: [filling; ROOM], len: 0, far: Vec::new() }
    }

    #[inline(always)]
    pub fn push(&mut self, x: T) {
        if self.len < ROOM {
            self.near[self.len] = x;
        } else {
            if self.len == ROOM {
                self.far.clear();
                self.far.extend_from_slice(&self.near);
            }
            self.far.push(x);
        }
        self.len += 1;
    }

    #[inline(always)]
    pub fn clear(&mut self) {
        self.len = 0;
    }

    #[inline(always)]
    pub fn all(&self) -> &[T] {
        if self.len <= ROOM { &self.near[..self.len] } else { &self.far }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_keeps_the_order_past_its_room_and_after_clearing() {
        let mut list = Short::<u32, 3>::new(0);
        for round in [10, 2, 5] {
            list.clear();
            (0..round).for_each(|k| list.push(k));
            assert_eq!(list.all(), (0..round).collect::<Vec<_>>());
        }
    }
}
