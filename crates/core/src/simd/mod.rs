//! Eight lanes of `f64`, the one place where kernels meet the processor.
//!
//! A kernel is written once against [`Lanes`] and run by [`dispatch`] with the widest instructions the machine
//! has. Every operation is exact IEEE arithmetic (no fused multiply-add, no approximate reciprocals), so all
//! implementations give the same bits. Kernels avoid closures that make or take lanes: a closure is compiled for
//! the plain processor and would call every instruction as a function.
//!
//! This is one of three modules with unsafe code: vector instructions behind a check that the processor has them, here and in
//! `gravity/src/simd.rs`, and rows of bodies shared between threads in `nonsmooth/src/colours.rs`.

mod instructions;
mod vector;

use std::ops::{Add, Div, Mul, Neg, Sub};

pub use instructions::{Instructions, LanesError, VARIABLE, instructions};
pub use vector::V3;

/// Number of lanes.
pub const LANES: usize = 8;

pub trait Lanes:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Neg<Output = Self>
{
    type Mask: Copy;
    fn splat(x: f64) -> Self;
    fn load(x: &[f64; LANES]) -> Self;
    fn store(self) -> [f64; LANES];
    fn sqrt(self) -> Self;
    /// `a < b ? a : b`
    fn min(self, other: Self) -> Self;
    /// `a > b ? a : b`
    fn max(self, other: Self) -> Self;
    fn abs(self) -> Self;
    fn less(self, other: Self) -> Self::Mask;
    /// `mask ? a : b`
    fn select(mask: Self::Mask, a: Self, b: Self) -> Self;
    /// Nearest integer, ties to even.
    fn round(self) -> Self;

    /// Each of eight numbers in all lanes.
    #[inline(always)]
    fn splat8(x: &[f64; 8]) -> [Self; 8] {
        [
            Self::splat(x[0]),
            Self::splat(x[1]),
            Self::splat(x[2]),
            Self::splat(x[3]),
            Self::splat(x[4]),
            Self::splat(x[5]),
            Self::splat(x[6]),
            Self::splat(x[7]),
        ]
    }

    /// Column k of the eight rows.
    fn columns8(rows: [&[f64; 8]; LANES]) -> [Self; 8];
    /// The reverse of `columns8`, into rows that lie anywhere.
    #[inline(always)]
    fn store_rows8(columns: [Self; 8], rows: [&mut [f64; 8]; LANES]) {
        let mut stored = [[0.0; LANES]; 8];
        for (to, column) in stored.iter_mut().zip(columns) {
            *to = column.store();
        }
        for (r, row) in rows.into_iter().enumerate() {
            for c in 0..8 {
                row[c] = stored[c][r];
            }
        }
    }
    fn columns4(rows: [&[f64; 4]; LANES]) -> [Self; 4];
    /// Rows of four from columns.
    fn rows4(columns: [Self; 4]) -> [[f64; 4]; LANES];
}

/// Something to run with the widest lanes there are.
pub trait Kernel {
    type Output;
    fn run<L: Lanes>(self) -> Self::Output;
}

/// Runs the kernel with the widest instructions, or those that were asked for. Kernels must be `#[inline(always)]` all the
/// way down to be compiled for the lanes.
#[inline]
pub fn dispatch<K: Kernel>(kernel: K) -> K::Output {
    // SAFETY: `instructions` gives only what the processor has.
    unsafe { run_with(instructions(), kernel) }
}

/// # Safety
/// The instructions must be available.
#[inline(always)]
unsafe fn run_with<K: Kernel>(instructions: Instructions, kernel: K) -> K::Output {
    match instructions {
        // SAFETY: the caller answers for it.
        #[cfg(all(target_arch = "x86_64", not(feature = "portable")))]
        Instructions::Avx512 => unsafe { x86::run_avx512(kernel) },
        // SAFETY: the caller answers for it.
        #[cfg(all(target_arch = "x86_64", not(feature = "portable")))]
        Instructions::Avx2 => unsafe { x86::run_avx2(kernel) },
        _ => kernel.run::<Fallback>(),
    }
}

/// Asks for an element that will be read soon; past the end nothing happens.
#[inline(always)]
pub fn prefetch<T>(data: &[T], index: usize) {
    #[cfg(all(target_arch = "x86_64", not(feature = "portable")))]
    if let Some(element) = data.get(index) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch of an address inside a slice; it reads nothing.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(element).cast()) };
    }
    #[cfg(not(all(target_arch = "x86_64", not(feature = "portable"))))]
    let _ = (data, index);
}

/// Lanes of plain arrays, with operations that are compiled into the kernel or called.
macro_rules! arrays {
    ($name:ident, $inline:meta) => {
        impl Add for $name {
            type Output = Self;
            #[$inline]
            fn add(self, o: Self) -> Self {
                $name(std::array::from_fn(|k| self.0[k] + o.0[k]))
            }
        }
        impl Sub for $name {
            type Output = Self;
            #[$inline]
            fn sub(self, o: Self) -> Self {
                $name(std::array::from_fn(|k| self.0[k] - o.0[k]))
            }
        }
        impl Mul for $name {
            type Output = Self;
            #[$inline]
            fn mul(self, o: Self) -> Self {
                $name(std::array::from_fn(|k| self.0[k] * o.0[k]))
            }
        }
        impl Div for $name {
            type Output = Self;
            #[$inline]
            fn div(self, o: Self) -> Self {
                $name(std::array::from_fn(|k| self.0[k] / o.0[k]))
            }
        }
        impl Neg for $name {
            type Output = Self;
            #[$inline]
            fn neg(self) -> Self {
                $name(self.0.map(|x| -x))
            }
        }
        impl Lanes for $name {
            type Mask = [bool; LANES];
            #[$inline]
            fn splat(x: f64) -> Self {
                $name([x; LANES])
            }
            #[$inline]
            fn load(x: &[f64; LANES]) -> Self {
                $name(*x)
            }
            #[$inline]
            fn store(self) -> [f64; LANES] {
                self.0
            }
            #[$inline]
            fn sqrt(self) -> Self {
                $name(self.0.map(f64::sqrt))
            }
            #[$inline]
            fn min(self, o: Self) -> Self {
                $name(std::array::from_fn(|k| if self.0[k] < o.0[k] { self.0[k] } else { o.0[k] }))
            }
            #[$inline]
            fn max(self, o: Self) -> Self {
                $name(std::array::from_fn(|k| if self.0[k] > o.0[k] { self.0[k] } else { o.0[k] }))
            }
            #[$inline]
            fn abs(self) -> Self {
                $name(self.0.map(f64::abs))
            }
            #[$inline]
            fn less(self, o: Self) -> Self::Mask {
                std::array::from_fn(|k| self.0[k] < o.0[k])
            }
            #[$inline]
            fn select(mask: Self::Mask, a: Self, b: Self) -> Self {
                $name(std::array::from_fn(|k| if mask[k] { a.0[k] } else { b.0[k] }))
            }
            #[$inline]
            fn round(self) -> Self {
                $name(self.0.map(f64::round_ties_even))
            }
            #[$inline]
            fn columns8(rows: [&[f64; 8]; LANES]) -> [Self; 8] {
                std::array::from_fn(|c| $name(std::array::from_fn(|r| rows[r][c])))
            }
            #[$inline]
            fn columns4(rows: [&[f64; 4]; LANES]) -> [Self; 4] {
                std::array::from_fn(|c| $name(std::array::from_fn(|r| rows[r][c])))
            }
            #[$inline]
            fn rows4(columns: [Self; 4]) -> [[f64; 4]; LANES] {
                std::array::from_fn(|r| std::array::from_fn(|c| columns[c].0[r]))
            }
        }
    };
}

/// Plain arrays: what runs where nothing better does, and what the tests compare with.
#[derive(Debug, Clone, Copy)]
pub struct Portable(pub [f64; LANES]);
arrays!(Portable, inline(always));

/// What [`dispatch`] falls back to. Nearly every x86-64 processor in use takes AVX2 or AVX-512: there the same operations
/// are called. Unrolled into every kernel they would be most of the machine code, and of the time to compile it.
#[cfg(all(target_arch = "x86_64", not(feature = "portable")))]
#[derive(Debug, Clone, Copy)]
struct Fallback([f64; LANES]);
#[cfg(all(target_arch = "x86_64", not(feature = "portable")))]
arrays!(Fallback, inline(never));
#[cfg(not(all(target_arch = "x86_64", not(feature = "portable"))))]
use Portable as Fallback;

#[cfg(all(target_arch = "x86_64", not(feature = "portable")))]
#[allow(clippy::needless_range_loop)]
mod x86;

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Copy)]
    struct Everything([[f64; 8]; 8]);

    impl Kernel for Everything {
        type Output = Vec<[f64; 8]>;
        fn run<L: Lanes>(self) -> Self::Output {
            let m = self.0;
            let c = L::columns8(std::array::from_fn(|k| &m[k]));
            let four: [[f64; 4]; 8] = std::array::from_fn(|k| [m[k][0], m[k][1], m[k][2], m[k][3]]);
            let d = L::columns4(std::array::from_fn(|k| &four[k]));
            let (a, b) = (c[0], c[1]);
            let ops = [
                a + b,
                a - b,
                a * b,
                a / b,
                -a,
                a.abs().sqrt(),
                a.min(b),
                a.max(b),
                L::select(a.less(b), a, b),
                a.round(),
            ];
            let mut out: Vec<[f64; 8]> = ops.into_iter().chain(c).chain(d).map(|x| x.store()).collect();
            let mut back = [[0.0; 8]; 8];
            let [r0, r1, r2, r3, r4, r5, r6, r7] = &mut back;
            L::store_rows8(c, [r0, r1, r2, r3, r4, r5, r6, r7]);
            out.extend(back);
            out.extend(L::rows4(d).map(|r| [r[0], r[1], r[2], r[3], 0.0, 0.0, 0.0, 0.0]));
            out
        }
    }

    #[test]
    fn all_lanes_give_the_same_bits() {
        let mut rng = crate::Rng::new(3);
        for _ in 0..100 {
            let m: [[f64; 8]; 8] = std::array::from_fn(|_| std::array::from_fn(|_| 9.0 * rng.normal()));
            let plain = Everything(m).run::<Portable>();
            assert_eq!(dispatch(Everything(m)), plain);
            for which in Instructions::ALL.into_iter().filter(|i| i.available()) {
                // SAFETY: they are available.
                assert_eq!(unsafe { run_with(which, Everything(m)) }, plain, "{which}");
            }
            assert_eq!(plain[plain.len() - 16..plain.len() - 8], m, "whole rows come back");
            for (row, m) in plain[plain.len() - 8..].iter().zip(&m) {
                assert_eq!(row[..4], m[..4], "rows come back");
            }
        }
    }
}
