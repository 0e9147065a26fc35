//! The lanes of AVX-512 and of AVX2.

use std::arch::x86_64::*;
use std::ops::{Add, Div, Mul, Neg, Sub};

use super::{Kernel, LANES, Lanes};

#[target_feature(enable = "avx512f,avx512dq,avx512vl")]
pub unsafe fn run_avx512<K: Kernel>(kernel: K) -> K::Output {
    kernel.run::<Avx512>()
}

#[target_feature(enable = "avx2")]
pub unsafe fn run_avx2<K: Kernel>(kernel: K) -> K::Output {
    kernel.run::<Avx2>()
}

// Both types are private to this module and made only inside `run_avx512` and `run_avx2`.

#[derive(Debug, Clone, Copy)]
pub struct Avx512(__m512d);

macro_rules! avx512_op {
    ($trait:ident, $name:ident, $intrinsic:ident) => {
        impl $trait for Avx512 {
            type Output = Self;
            #[inline(always)]
            fn $name(self, o: Self) -> Self {
                // SAFETY: values of this type exist only below `run_avx512`.
                Avx512(unsafe { $intrinsic(self.0, o.0) })
            }
        }
    };
}
avx512_op!(Add, add, _mm512_add_pd);
avx512_op!(Sub, sub, _mm512_sub_pd);
avx512_op!(Mul, mul, _mm512_mul_pd);
avx512_op!(Div, div, _mm512_div_pd);

impl Neg for Avx512 {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        // SAFETY: values of this type exist only below `run_avx512`.
        Avx512(unsafe { _mm512_xor_pd(self.0, _mm512_set1_pd(-0.0)) })
    }
}

/// Transposes a 4 x 4 block of pairs of lanes.
///
/// # Safety
/// Needs avx512f.
#[inline(always)]
unsafe fn quarters(t0: __m512d, t1: __m512d, t2: __m512d, t3: __m512d) -> [__m512d; 4] {
    // SAFETY: the caller has avx512f.
    unsafe {
        let a = _mm512_shuffle_f64x2::<0x88>(t0, t1);
        let b = _mm512_shuffle_f64x2::<0xdd>(t0, t1);
        let c = _mm512_shuffle_f64x2::<0x88>(t2, t3);
        let d = _mm512_shuffle_f64x2::<0xdd>(t2, t3);
        [
            _mm512_shuffle_f64x2::<0x88>(a, c),
            _mm512_shuffle_f64x2::<0x88>(b, d),
            _mm512_shuffle_f64x2::<0xdd>(a, c),
            _mm512_shuffle_f64x2::<0xdd>(b, d),
        ]
    }
}

/// Transposes an 8 x 8 block.
///
/// # Safety
/// Needs avx512f.
#[inline(always)]
unsafe fn transpose(r: [__m512d; 8]) -> [__m512d; 8] {
    // SAFETY: the caller has avx512f.
    unsafe {
        // Written out: a closure would not be compiled for these instructions.
        let l0 = _mm512_unpacklo_pd(r[0], r[1]);
        let l1 = _mm512_unpacklo_pd(r[2], r[3]);
        let l2 = _mm512_unpacklo_pd(r[4], r[5]);
        let l3 = _mm512_unpacklo_pd(r[6], r[7]);
        let h0 = _mm512_unpackhi_pd(r[0], r[1]);
        let h1 = _mm512_unpackhi_pd(r[2], r[3]);
        let h2 = _mm512_unpackhi_pd(r[4], r[5]);
        let h3 = _mm512_unpackhi_pd(r[6], r[7]);
        let e = quarters(l0, l1, l2, l3);
        let o = quarters(h0, h1, h2, h3);
        [e[0], o[0], e[1], o[1], e[2], o[2], e[3], o[3]]
    }
}

/// Two rows of four beside each other.
///
/// # Safety
/// Needs avx512f.
#[inline(always)]
unsafe fn beside(a: &[f64; 4], b: &[f64; 4]) -> __m512d {
    // SAFETY: the caller has avx512f; the rows have four elements.
    unsafe {
        let low = _mm512_castpd256_pd512(_mm256_loadu_pd(a.as_ptr()));
        _mm512_insertf64x4::<1>(low, _mm256_loadu_pd(b.as_ptr()))
    }
}

impl Lanes for Avx512 {
    type Mask = __mmask8;
    #[inline(always)]
    fn splat(x: f64) -> Self {
        // SAFETY: called only below `run_avx512`; so for all of this block.
        Avx512(unsafe { _mm512_set1_pd(x) })
    }
    #[inline(always)]
    fn load(x: &[f64; LANES]) -> Self {
        // SAFETY: as above; the array has eight elements and needs no alignment.
        Avx512(unsafe { _mm512_loadu_pd(x.as_ptr()) })
    }
    #[inline(always)]
    fn store(self) -> [f64; LANES] {
        let mut out = [0.0; LANES];
        // SAFETY: as above.
        unsafe { _mm512_storeu_pd(out.as_mut_ptr(), self.0) };
        out
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        // SAFETY: as above.
        Avx512(unsafe { _mm512_sqrt_pd(self.0) })
    }
    #[inline(always)]
    fn min(self, o: Self) -> Self {
        // SAFETY: as above.
        Avx512(unsafe { _mm512_min_pd(self.0, o.0) })
    }
    #[inline(always)]
    fn max(self, o: Self) -> Self {
        // SAFETY: as above.
        Avx512(unsafe { _mm512_max_pd(self.0, o.0) })
    }
    #[inline(always)]
    fn abs(self) -> Self {
        // SAFETY: as above.
        Avx512(unsafe { _mm512_andnot_pd(_mm512_set1_pd(-0.0), self.0) })
    }
    #[inline(always)]
    fn less(self, o: Self) -> Self::Mask {
        // SAFETY: as above.
        unsafe { _mm512_cmp_pd_mask::<_CMP_LT_OQ>(self.0, o.0) }
    }
    #[inline(always)]
    fn select(mask: Self::Mask, a: Self, b: Self) -> Self {
        // SAFETY: as above.
        Avx512(unsafe { _mm512_mask_blend_pd(mask, b.0, a.0) })
    }
    #[inline(always)]
    fn round(self) -> Self {
        // SAFETY: as above.
        Avx512(unsafe { _mm512_roundscale_pd::<{ _MM_FROUND_TO_NEAREST_INT }>(self.0) })
    }
    #[inline(always)]
    fn columns8(rows: [&[f64; 8]; LANES]) -> [Self; 8] {
        // SAFETY: as above.
        unsafe {
            let t = transpose([
                _mm512_loadu_pd(rows[0].as_ptr()),
                _mm512_loadu_pd(rows[1].as_ptr()),
                _mm512_loadu_pd(rows[2].as_ptr()),
                _mm512_loadu_pd(rows[3].as_ptr()),
                _mm512_loadu_pd(rows[4].as_ptr()),
                _mm512_loadu_pd(rows[5].as_ptr()),
                _mm512_loadu_pd(rows[6].as_ptr()),
                _mm512_loadu_pd(rows[7].as_ptr()),
            ]);
            [
                Avx512(t[0]),
                Avx512(t[1]),
                Avx512(t[2]),
                Avx512(t[3]),
                Avx512(t[4]),
                Avx512(t[5]),
                Avx512(t[6]),
                Avx512(t[7]),
            ]
        }
    }
    #[inline(always)]
    fn store_rows8(columns: [Self; 8], rows: [&mut [f64; 8]; LANES]) {
        let [c0, c1, c2, c3, c4, c5, c6, c7] = columns;
        // SAFETY: as above; each row has room for eight.
        unsafe {
            let t = transpose([c0.0, c1.0, c2.0, c3.0, c4.0, c5.0, c6.0, c7.0]);
            let [r0, r1, r2, r3, r4, r5, r6, r7] = rows;
            _mm512_storeu_pd(r0.as_mut_ptr(), t[0]);
            _mm512_storeu_pd(r1.as_mut_ptr(), t[1]);
            _mm512_storeu_pd(r2.as_mut_ptr(), t[2]);
            _mm512_storeu_pd(r3.as_mut_ptr(), t[3]);
            _mm512_storeu_pd(r4.as_mut_ptr(), t[4]);
            _mm512_storeu_pd(r5.as_mut_ptr(), t[5]);
            _mm512_storeu_pd(r6.as_mut_ptr(), t[6]);
            _mm512_storeu_pd(r7.as_mut_ptr(), t[7]);
        }
    }
    #[inline(always)]
    fn columns4(rows: [&[f64; 4]; LANES]) -> [Self; 4] {
        // SAFETY: as above.
        unsafe {
            let z0 = beside(rows[0], rows[2]);
            let z1 = beside(rows[1], rows[3]);
            let z2 = beside(rows[4], rows[6]);
            let z3 = beside(rows[5], rows[7]);
            let (al, ah) = (_mm512_unpacklo_pd(z0, z1), _mm512_unpackhi_pd(z0, z1));
            let (bl, bh) = (_mm512_unpacklo_pd(z2, z3), _mm512_unpackhi_pd(z2, z3));
            [
                Avx512(_mm512_shuffle_f64x2::<0x88>(al, bl)),
                Avx512(_mm512_shuffle_f64x2::<0x88>(ah, bh)),
                Avx512(_mm512_shuffle_f64x2::<0xdd>(al, bl)),
                Avx512(_mm512_shuffle_f64x2::<0xdd>(ah, bh)),
            ]
        }
    }
    #[inline(always)]
    fn rows4(columns: [Self; 4]) -> [[f64; 4]; LANES] {
        let [c0, c1, c2, c3] = columns;
        let mut out = [[0.0; 4]; LANES];
        // SAFETY: as above; each row has room for four.
        unsafe {
            let even = [_mm512_unpacklo_pd(c0.0, c1.0), _mm512_unpacklo_pd(c2.0, c3.0)];
            let odd = [_mm512_unpackhi_pd(c0.0, c1.0), _mm512_unpackhi_pd(c2.0, c3.0)];
            let first = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13);
            let second = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
            let r04 = _mm512_permutex2var_pd(even[0], first, even[1]);
            let r26 = _mm512_permutex2var_pd(even[0], second, even[1]);
            let r15 = _mm512_permutex2var_pd(odd[0], first, odd[1]);
            let r37 = _mm512_permutex2var_pd(odd[0], second, odd[1]);
            _mm256_storeu_pd(out[0].as_mut_ptr(), _mm512_castpd512_pd256(r04));
            _mm256_storeu_pd(out[1].as_mut_ptr(), _mm512_castpd512_pd256(r15));
            _mm256_storeu_pd(out[2].as_mut_ptr(), _mm512_castpd512_pd256(r26));
            _mm256_storeu_pd(out[3].as_mut_ptr(), _mm512_castpd512_pd256(r37));
            _mm256_storeu_pd(out[4].as_mut_ptr(), _mm512_extractf64x4_pd::<1>(r04));
            _mm256_storeu_pd(out[5].as_mut_ptr(), _mm512_extractf64x4_pd::<1>(r15));
            _mm256_storeu_pd(out[6].as_mut_ptr(), _mm512_extractf64x4_pd::<1>(r26));
            _mm256_storeu_pd(out[7].as_mut_ptr(), _mm512_extractf64x4_pd::<1>(r37));
        }
        out
    }
}

#[derive(Debug, Clone, Copy)]
pub struct Avx2(__m256d, __m256d);

macro_rules! avx2_op {
    ($trait:ident, $name:ident, $intrinsic:ident) => {
        impl $trait for Avx2 {
            type Output = Self;
            #[inline(always)]
            fn $name(self, o: Self) -> Self {
                // SAFETY: values of this type exist only below `run_avx2`.
                unsafe { Avx2($intrinsic(self.0, o.0), $intrinsic(self.1, o.1)) }
            }
        }
    };
}
avx2_op!(Add, add, _mm256_add_pd);
avx2_op!(Sub, sub, _mm256_sub_pd);
avx2_op!(Mul, mul, _mm256_mul_pd);
avx2_op!(Div, div, _mm256_div_pd);

impl Neg for Avx2 {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        // SAFETY: values of this type exist only below `run_avx2`.
        unsafe {
            let sign = _mm256_set1_pd(-0.0);
            Avx2(_mm256_xor_pd(self.0, sign), _mm256_xor_pd(self.1, sign))
        }
    }
}

impl Lanes for Avx2 {
    type Mask = (__m256d, __m256d);
    #[inline(always)]
    fn splat(x: f64) -> Self {
        // SAFETY: called only below `run_avx2`; so for all of this block.
        unsafe { Avx2(_mm256_set1_pd(x), _mm256_set1_pd(x)) }
    }
    #[inline(always)]
    fn load(x: &[f64; LANES]) -> Self {
        // SAFETY: as above; eight elements, no alignment needed.
        unsafe { Avx2(_mm256_loadu_pd(x.as_ptr()), _mm256_loadu_pd(x.as_ptr().add(4))) }
    }
    #[inline(always)]
    fn store(self) -> [f64; LANES] {
        let mut out = [0.0; LANES];
        // SAFETY: as above.
        unsafe {
            _mm256_storeu_pd(out.as_mut_ptr(), self.0);
            _mm256_storeu_pd(out.as_mut_ptr().add(4), self.1);
        }
        out
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        // SAFETY: as above.
        unsafe { Avx2(_mm256_sqrt_pd(self.0), _mm256_sqrt_pd(self.1)) }
    }
    #[inline(always)]
    fn min(self, o: Self) -> Self {
        // SAFETY: as above.
        unsafe { Avx2(_mm256_min_pd(self.0, o.0), _mm256_min_pd(self.1, o.1)) }
    }
    #[inline(always)]
    fn max(self, o: Self) -> Self {
        // SAFETY: as above.
        unsafe { Avx2(_mm256_max_pd(self.0, o.0), _mm256_max_pd(self.1, o.1)) }
    }
    #[inline(always)]
    fn abs(self) -> Self {
        // SAFETY: as above.
        unsafe {
            let sign = _mm256_set1_pd(-0.0);
            Avx2(_mm256_andnot_pd(sign, self.0), _mm256_andnot_pd(sign, self.1))
        }
    }
    #[inline(always)]
    fn less(self, o: Self) -> Self::Mask {
        // SAFETY: as above.
        unsafe { (_mm256_cmp_pd::<_CMP_LT_OQ>(self.0, o.0), _mm256_cmp_pd::<_CMP_LT_OQ>(self.1, o.1)) }
    }
    #[inline(always)]
    fn select(mask: Self::Mask, a: Self, b: Self) -> Self {
        // SAFETY: as above.
        unsafe { Avx2(_mm256_blendv_pd(b.0, a.0, mask.0), _mm256_blendv_pd(b.1, a.1, mask.1)) }
    }
    #[inline(always)]
    fn round(self) -> Self {
        // SAFETY: as above.
        unsafe {
            const NEAREST: i32 = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;
            Avx2(_mm256_round_pd::<NEAREST>(self.0), _mm256_round_pd::<NEAREST>(self.1))
        }
    }
    #[inline(always)]
    fn columns8(rows: [&[f64; 8]; LANES]) -> [Self; 8] {
        let mut out = [Self::splat(0.0); 8];
        for c in 0..8 {
            let mut column = [0.0; LANES];
            for r in 0..LANES {
                column[r] = rows[r][c];
            }
            out[c] = Self::load(&column);
        }
        out
    }
    #[inline(always)]
    fn columns4(rows: [&[f64; 4]; LANES]) -> [Self; 4] {
        let mut out = [Self::splat(0.0); 4];
        for c in 0..4 {
            let mut column = [0.0; LANES];
            for r in 0..LANES {
                column[r] = rows[r][c];
            }
            out[c] = Self::load(&column);
        }
        out
    }
    #[inline(always)]
    fn rows4(columns: [Self; 4]) -> [[f64; 4]; LANES] {
        let mut out = [[0.0; 4]; LANES];
        for k in 0..4 {
            let column = columns[k].store();
            for r in 0..LANES {
                out[r][k] = column[r];
            }
        }
        out
    }
}
