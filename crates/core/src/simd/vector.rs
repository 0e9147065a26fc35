//! Eight vectors at once.

use std::ops::{Add, Mul, Neg, Sub};

use super::Lanes;

#[derive(Debug, Clone, Copy)]
pub struct V3<L>(pub L, pub L, pub L);

impl<L: Lanes> V3<L> {
    #[inline(always)]
    pub fn zero() -> Self {
        V3(L::splat(0.0), L::splat(0.0), L::splat(0.0))
    }
    #[inline(always)]
    pub fn dot(self, o: Self) -> L {
        self.0 * o.0 + self.1 * o.1 + self.2 * o.2
    }
    #[inline(always)]
    pub fn cross(self, o: Self) -> Self {
        V3(self.1 * o.2 - self.2 * o.1, self.2 * o.0 - self.0 * o.2, self.0 * o.1 - self.1 * o.0)
    }
    /// The part at right angles to the unit vector `n`.
    #[inline(always)]
    pub fn across(self, n: Self) -> Self {
        self - n * self.dot(n)
    }
}

impl<L: Lanes> Add for V3<L> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        V3(self.0 + o.0, self.1 + o.1, self.2 + o.2)
    }
}

impl<L: Lanes> Sub for V3<L> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        V3(self.0 - o.0, self.1 - o.1, self.2 - o.2)
    }
}

impl<L: Lanes> Mul<L> for V3<L> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, s: L) -> Self {
        V3(self.0 * s, self.1 * s, self.2 * s)
    }
}

impl<L: Lanes> Neg for V3<L> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        V3(-self.0, -self.1, -self.2)
    }
}
