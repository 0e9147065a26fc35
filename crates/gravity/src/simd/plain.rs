//! Plain arrays: what processors other than x86-64 use, and what the tests compare with.

use super::{Lanes, Register, WIDTH};

#[derive(Clone, Copy)]
pub struct Plain<S>([S; WIDTH]);

impl<S: Copy> Plain<S> {
    #[inline(always)]
    fn each(lane: impl Fn(usize) -> S) -> Self {
        Plain(std::array::from_fn(lane))
    }
}

macro_rules! plain {
    ($s:ty) => {
        // Whole, so that the compiler chooses the registers.
        impl Register<$s> for Plain<$s> {
            #[inline(always)]
            fn splat(value: $s) -> Self {
                Lanes::splat(value)
            }
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                Lanes::add(self, other)
            }
            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                Lanes::sub(self, other)
            }
            #[inline(always)]
            fn mul(self, other: Self) -> Self {
                Lanes::mul(self, other)
            }
            #[inline(always)]
            fn mul_add(self, factor: Self, term: Self) -> Self {
                Lanes::mul_add(self, factor, term)
            }
            #[inline(always)]
            fn inverse_root(self) -> Self {
                Lanes::inverse_root(self)
            }
        }

        impl Lanes<$s> for Plain<$s> {
            type Register = Self;
            const REGISTERS: usize = 1;
            #[inline(always)]
            fn register(&self, _: usize) -> Self {
                *self
            }
            #[inline(always)]
            fn set_register(&mut self, _: usize, register: Self) {
                *self = register;
            }
            #[inline(always)]
            fn splat(value: $s) -> Self {
                Plain([value; WIDTH])
            }
            #[inline(always)]
            fn load(from: &[$s; WIDTH]) -> Self {
                Plain(*from)
            }
            #[inline(always)]
            fn store(self, to: &mut [$s; WIDTH]) {
                *to = self.0;
            }
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                Plain::each(|k| self.0[k] + other.0[k])
            }
            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                Plain::each(|k| self.0[k] - other.0[k])
            }
            #[inline(always)]
            fn mul(self, other: Self) -> Self {
                Plain::each(|k| self.0[k] * other.0[k])
            }
            #[inline(always)]
            fn mul_add(self, factor: Self, term: Self) -> Self {
                // Without FMA hardware a fused product is a slow call: round twice there.
                Plain::each(|k| {
                    if cfg!(target_arch = "aarch64") {
                        self.0[k].mul_add(factor.0[k], term.0[k])
                    } else {
                        self.0[k] * factor.0[k] + term.0[k]
                    }
                })
            }
            #[inline(always)]
            fn min(self, other: Self) -> Self {
                Plain::each(|k| if other.0[k] < self.0[k] { other.0[k] } else { self.0[k] })
            }
            #[inline(always)]
            fn max(self, other: Self) -> Self {
                Plain::each(|k| if other.0[k] > self.0[k] { other.0[k] } else { self.0[k] })
            }
            #[inline(always)]
            fn inverse_root(self) -> Self {
                Plain::each(|k| 1.0 / self.0[k].sqrt())
            }
            #[inline(always)]
            fn inverse_cube(self) -> Self {
                Plain::each(|k| 1.0 / (self.0[k] * self.0[k].sqrt()))
            }
            #[inline(always)]
            fn where_positive(self, condition: Self) -> Self {
                Plain::each(|k| if condition.0[k] > 0.0 { self.0[k] } else { 0.0 })
            }
        }
    };
}
plain!(f32);
plain!(f64);
