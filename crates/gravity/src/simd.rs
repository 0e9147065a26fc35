//! Sixteen numbers at a time, and the choice of instructions at run time.
//!
//! The trait [`Lanes`] is sixteen `f32` or `f64`. There are four kinds: AVX-512, AVX2 with FMA, SSE2 for every other x86-64,
//! and plain arrays for every other processor; SSE2 and plain arrays give the same bits. [`Real::launch`] runs a [`Kernel`]
//! with the widest kind that the processor has and `RUBBLEPILE_LANES` allows (see `core/src/simd/instructions.rs`). The feature
//! `portable` compiles plain arrays only.
//! Kernels are written once, generic over the kind, and must be `#[inline(always)]` down to the last call, so that
//! they are compiled inside the function that carries the instruction set.
//!
//! Why its own: reciprocal square roots are half the cost of gravity, and only `std::arch` has the fast ones.
//! Results differ in the last bits between kinds of processor (the first guess of the root differs, fused products
//! are everywhere the same), never between numbers of threads.
//!
//! This is the only module of the crate with unsafe code: instructions behind a check that the processor has them.

#![allow(unsafe_code)]

#[cfg(all(target_arch = "x86_64", not(feature = "portable")))]
use rubblepile_core::simd::{Instructions, instructions};

/// Numbers in one group of lanes.
pub const WIDTH: usize = 16;

/// As many of the sixteen numbers as one instruction works on.
pub trait Register<S: Real>: Copy {
    fn splat(value: S) -> Self;
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    /// `self * factor + term`, rounded once.
    fn mul_add(self, factor: Self, term: Self) -> Self;
    /// 1 / sqrt(self), to rounding.
    fn inverse_root(self) -> Self;

    #[inline(always)]
    fn zero() -> Self {
        Self::splat(S::of(0.0))
    }
}

/// Sixteen numbers.
pub trait Lanes<S: Real>: Copy {
    /// What long straight-line code loops over: one register, or all lanes where the compiler chooses registers.
    type Register: Register<S>;
    const REGISTERS: usize;
    fn register(&self, k: usize) -> Self::Register;
    fn set_register(&mut self, k: usize, register: Self::Register);

    fn splat(value: S) -> Self;
    fn load(from: &[S; WIDTH]) -> Self;
    fn store(self, to: &mut [S; WIDTH]);
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    /// `self * factor + term`, rounded once.
    fn mul_add(self, factor: Self, term: Self) -> Self;
    fn min(self, other: Self) -> Self;
    fn max(self, other: Self) -> Self;
    /// 1 / sqrt(self), to rounding.
    fn inverse_root(self) -> Self;
    /// `self` where `condition` is above zero, else zero.
    fn where_positive(self, condition: Self) -> Self;
    /// 1 / sqrt(self)^3, to rounding.
    fn inverse_cube(self) -> Self;

    /// Two halves side by side.
    #[inline(always)]
    fn load_halves(low: &[S; WIDTH / 2], high: &[S; WIDTH / 2]) -> Self {
        let mut a = [S::of(0.0); WIDTH];
        a[..WIDTH / 2].copy_from_slice(low);
        a[WIDTH / 2..].copy_from_slice(high);
        Self::load(&a)
    }

    /// One bit a lane: `self > other`.
    #[inline(always)]
    fn greater(self, other: Self) -> u32 {
        let (a, b) = (self.array(), other.array());
        let mut bits = 0;
        for k in 0..WIDTH {
            bits |= u32::from(a[k] > b[k]) << k;
        }
        bits
    }

    /// Writes `low + lane` (lanes 0 to 7) or `high + lane - 8` of the lanes in `bits`, packed to the front of `to`;
    /// what is after them has no meaning.
    #[inline(always)]
    fn pack_lanes(low: u32, high: u32, mut bits: u32, to: &mut [u32; WIDTH]) {
        let mut n = 0;
        while bits != 0 && n < WIDTH {
            let lane = bits.trailing_zeros();
            to[n] = if lane < 8 { low + lane } else { high + lane - 8 };
            n += 1;
            bits &= bits - 1;
        }
    }

    #[inline(always)]
    fn zero() -> Self {
        Self::splat(S::of(0.0))
    }

    #[inline(always)]
    fn array(self) -> [S; WIDTH] {
        let mut a = [S::of(0.0); WIDTH];
        self.store(&mut a);
        a
    }

    /// The sum, always in the same tree of additions.
    #[inline(always)]
    fn sum(self) -> S {
        let mut a = self.array();
        let mut n = WIDTH / 2;
        while n > 0 {
            for k in 0..n {
                a[k] = a[k] + a[k + n];
            }
            n /= 2;
        }
        a[0]
    }

    #[inline(always)]
    fn least(self) -> S {
        self.array().into_iter().reduce(|a, b| if b < a { b } else { a }).unwrap_or(S::of(0.0))
    }

    #[inline(always)]
    fn greatest(self) -> S {
        self.array().into_iter().reduce(|a, b| if b > a { b } else { a }).unwrap_or(S::of(0.0))
    }

    /// Rows to columns: lane `i` of result `k` is number `k` of row `i`.
    #[inline(always)]
    fn transpose(rows: &[&[S; WIDTH]; WIDTH], columns: &mut [Self; WIDTH]) {
        for (k, column) in columns.iter_mut().enumerate() {
            let mut a = [S::of(0.0); WIDTH];
            for i in 0..WIDTH {
                a[i] = rows[i][k];
            }
            *column = Self::load(&a);
        }
    }
}

/// `f32` or `f64`.
pub trait Real:
    Copy
    + PartialOrd
    + Default
    + Send
    + Sync
    + std::fmt::Debug
    + std::ops::Add<Output = Self>
    + std::ops::Sub<Output = Self>
    + std::ops::Mul<Output = Self>
    + std::ops::Div<Output = Self>
    + 'static
{
    /// Unit in the last place of 1, halved.
    const ROUNDING: f64;
    /// A square of a distance beyond all others whose inverse cube is still a normal number.
    const FAR: f64;
    fn of(value: f64) -> Self;
    fn wide(self) -> f64;
    /// Runs the kernel with the best instructions there are.
    fn launch<K: Kernel<Self>>(kernel: K) -> K::Output;
}

/// A piece of work that is written for any kind of lanes.
pub trait Kernel<S: Real> {
    type Output;
    /// Must be `#[inline(always)]`.
    fn run<V: Lanes<S>>(self) -> Self::Output;
}

impl Real for f32 {
    const ROUNDING: f64 = f32::EPSILON as f64 / 2.0;
    const FAR: f64 = 1e24;
    #[inline(always)]
    fn of(value: f64) -> Self {
        value as f32
    }
    #[inline(always)]
    fn wide(self) -> f64 {
        f64::from(self)
    }
    #[inline]
    fn launch<K: Kernel<f32>>(kernel: K) -> K::Output {
        #[cfg(all(target_arch = "x86_64", not(feature = "portable")))]
        {
            let allowed = instructions();
            if allowed >= Instructions::Avx512 && x86::has_avx512() {
                // SAFETY: the processor has the features of `avx512_f32`.
                return unsafe { x86::avx512_f32(kernel) };
            }
            if allowed >= Instructions::Avx2 && x86::has_avx2() {
                // SAFETY: the processor has the features of `avx2_f32`.
                return unsafe { x86::avx2_f32(kernel) };
            }
            kernel.run::<x86::Sse2F32>()
        }
        #[cfg(not(all(target_arch = "x86_64", not(feature = "portable"))))]
        kernel.run::<plain::Plain<f32>>()
    }
}

impl Real for f64 {
    const ROUNDING: f64 = f64::EPSILON / 2.0;
    const FAR: f64 = 1e60;
    #[inline(always)]
    fn of(value: f64) -> Self {
        value
    }
    #[inline(always)]
    fn wide(self) -> f64 {
        self
    }
    #[inline]
    fn launch<K: Kernel<f64>>(kernel: K) -> K::Output {
        #[cfg(all(target_arch = "x86_64", not(feature = "portable")))]
        {
            let allowed = instructions();
            if allowed >= Instructions::Avx512 && x86::has_avx512() {
                // SAFETY: the processor has the features of `avx512_f64`.
                return unsafe { x86::avx512_f64(kernel) };
            }
            if allowed >= Instructions::Avx2 && x86::has_avx2() {
                // SAFETY: the processor has the features of `avx2_f64`.
                return unsafe { x86::avx2_f64(kernel) };
            }
            kernel.run::<x86::Sse2F64>()
        }
        #[cfg(not(all(target_arch = "x86_64", not(feature = "portable"))))]
        kernel.run::<plain::Plain<f64>>()
    }
}

#[cfg(any(test, not(all(target_arch = "x86_64", not(feature = "portable")))))]
mod plain;
#[cfg(all(target_arch = "x86_64", not(feature = "portable")))]
mod x86;

#[cfg(test)]
mod tests;
