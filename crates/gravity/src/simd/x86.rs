//! The x86-64 kinds of lanes: AVX-512, AVX2 with FMA, and SSE2, which every x86-64 has. The types below are only made inside
//! the functions at the end, which are called only after the processor was asked for their features.

use std::arch::x86_64::*;

use super::{Kernel, Lanes, Register, WIDTH};

pub fn has_avx512() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512bw")
        && has_avx2()
}

pub fn has_avx2() -> bool {
    is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") && is_x86_feature_detected!("bmi2")
}

/// Sixteen lanes as registers `$register` of `$part` numbers.
macro_rules! lanes {
    ($name:ident, $register:ident, $s:ty, $reg:ty, [$($k:literal)*], $part:literal,
     $set1:ident, $load:ident, $store:ident, $add:ident, $sub:ident, $mul:ident, $fma:ident, $min:ident, $max:ident,
     $positive:ident, $root:ident, $cube:ident $(, $more:item)*) => {
        #[derive(Clone, Copy)]
        pub struct $name([$reg; WIDTH / $part]);

        #[derive(Clone, Copy)]
        pub struct $register($reg);

        impl Register<$s> for $register {
            #[inline(always)]
            fn splat(value: $s) -> Self {
                // SAFETY: see the head of the module.
                Self(unsafe { $set1(value) })
            }
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                // SAFETY: see the head of the module.
                Self(unsafe { $add(self.0, other.0) })
            }
            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                // SAFETY: see the head of the module.
                Self(unsafe { $sub(self.0, other.0) })
            }
            #[inline(always)]
            fn mul(self, other: Self) -> Self {
                // SAFETY: see the head of the module.
                Self(unsafe { $mul(self.0, other.0) })
            }
            #[inline(always)]
            fn mul_add(self, factor: Self, term: Self) -> Self {
                // SAFETY: see the head of the module.
                Self(unsafe { $fma(self.0, factor.0, term.0) })
            }
            #[inline(always)]
            fn inverse_root(self) -> Self {
                // SAFETY: see the head of the module.
                Self(unsafe { $root(self.0) })
            }
        }

        impl Lanes<$s> for $name {
            type Register = $register;
            const REGISTERS: usize = WIDTH / $part;
            #[inline(always)]
            fn register(&self, k: usize) -> $register {
                $register(self.0[k])
            }
            #[inline(always)]
            fn set_register(&mut self, k: usize, register: $register) {
                self.0[k] = register.0;
            }
            #[inline(always)]
            fn splat(value: $s) -> Self {
                // SAFETY: see the head of the module.
                Self([unsafe { $set1(value) }; WIDTH / $part])
            }
            #[inline(always)]
            fn load(from: &[$s; WIDTH]) -> Self {
                // SAFETY: part `k` lies inside the array of 16; unaligned load. Features: head of the module.
                Self([$(unsafe { $load(from.as_ptr().add($k * $part)) }),*])
            }
            #[inline(always)]
            fn store(self, to: &mut [$s; WIDTH]) {
                // SAFETY: part `k` lies inside the array of 16; unaligned store. Features: head of the module.
                $(unsafe { $store(to.as_mut_ptr().add($k * $part), self.0[$k]) })*
            }
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                // SAFETY: see the head of the module.
                Self([$(unsafe { $add(self.0[$k], other.0[$k]) }),*])
            }
            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                // SAFETY: see the head of the module.
                Self([$(unsafe { $sub(self.0[$k], other.0[$k]) }),*])
            }
            #[inline(always)]
            fn mul(self, other: Self) -> Self {
                // SAFETY: see the head of the module.
                Self([$(unsafe { $mul(self.0[$k], other.0[$k]) }),*])
            }
            #[inline(always)]
            fn mul_add(self, factor: Self, term: Self) -> Self {
                // SAFETY: see the head of the module.
                Self([$(unsafe { $fma(self.0[$k], factor.0[$k], term.0[$k]) }),*])
            }
            #[inline(always)]
            fn min(self, other: Self) -> Self {
                // SAFETY: see the head of the module.
                Self([$(unsafe { $min(self.0[$k], other.0[$k]) }),*])
            }
            #[inline(always)]
            fn max(self, other: Self) -> Self {
                // SAFETY: see the head of the module.
                Self([$(unsafe { $max(self.0[$k], other.0[$k]) }),*])
            }
            #[inline(always)]
            fn inverse_root(self) -> Self {
                // SAFETY: see the head of the module.
                Self([$(unsafe { $root(self.0[$k]) }),*])
            }
            #[inline(always)]
            fn inverse_cube(self) -> Self {
                // SAFETY: see the head of the module.
                Self([$(unsafe { $cube(self.0[$k]) }),*])
            }
            #[inline(always)]
            fn where_positive(self, condition: Self) -> Self {
                // SAFETY: see the head of the module.
                Self([$(unsafe { $positive(self.0[$k], condition.0[$k]) }),*])
            }
            $($more)*
        }
    };
}

// The guess y of 1/sqrt(a) has 14 bits (12 without AVX-512). With e = 1 - a y^2 the exact values are
// y (1-e)^(-1/2) = y (1 + e/2 + 3/8 e^2 + ...) and y^3 (1-e)^(-3/2) = y^3 (1 + 3/2 e + 15/8 e^2 + ...);
// the series stop where the rest is below rounding.

#[inline(always)]
unsafe fn root_512(a: __m512) -> __m512 {
    // SAFETY: features as in the head of the module.
    unsafe {
        let y = _mm512_rsqrt14_ps(a);
        let e = _mm512_fnmadd_ps(_mm512_mul_ps(a, y), y, _mm512_set1_ps(1.0));
        _mm512_fmadd_ps(_mm512_mul_ps(y, e), _mm512_set1_ps(0.5), y)
    }
}

#[inline(always)]
unsafe fn cube_512(a: __m512) -> __m512 {
    // SAFETY: features as in the head of the module.
    unsafe {
        let y = _mm512_rsqrt14_ps(a);
        let y2 = _mm512_mul_ps(y, y);
        let e = _mm512_fnmadd_ps(a, y2, _mm512_set1_ps(1.0));
        let c = _mm512_fmadd_ps(e, _mm512_set1_ps(1.5), _mm512_set1_ps(1.0));
        _mm512_mul_ps(_mm512_mul_ps(y, y2), c)
    }
}

#[inline(always)]
unsafe fn root_512d(a: __m512d) -> __m512d {
    // SAFETY: features as in the head of the module.
    unsafe {
        let y = _mm512_rsqrt14_pd(a);
        let e = _mm512_fnmadd_pd(_mm512_mul_pd(a, y), y, _mm512_set1_pd(1.0));
        let c = _mm512_fmadd_pd(e, _mm512_set1_pd(35.0 / 128.0), _mm512_set1_pd(0.3125));
        let c = _mm512_fmadd_pd(e, c, _mm512_set1_pd(0.375));
        let c = _mm512_fmadd_pd(e, c, _mm512_set1_pd(0.5));
        _mm512_fmadd_pd(_mm512_mul_pd(y, e), c, y)
    }
}

#[inline(always)]
unsafe fn cube_512d(a: __m512d) -> __m512d {
    // SAFETY: features as in the head of the module.
    unsafe {
        let y = _mm512_rsqrt14_pd(a);
        let y2 = _mm512_mul_pd(y, y);
        let e = _mm512_fnmadd_pd(a, y2, _mm512_set1_pd(1.0));
        let c = _mm512_fmadd_pd(e, _mm512_set1_pd(315.0 / 128.0), _mm512_set1_pd(2.1875));
        let c = _mm512_fmadd_pd(e, c, _mm512_set1_pd(1.875));
        let c = _mm512_fmadd_pd(e, c, _mm512_set1_pd(1.5));
        let y3 = _mm512_mul_pd(y, y2);
        _mm512_fmadd_pd(_mm512_mul_pd(y3, e), c, y3)
    }
}

#[inline(always)]
unsafe fn root_256(a: __m256) -> __m256 {
    // SAFETY: features as in the head of the module.
    unsafe {
        let y = _mm256_rsqrt_ps(a);
        let e = _mm256_fnmadd_ps(_mm256_mul_ps(a, y), y, _mm256_set1_ps(1.0));
        let c = _mm256_fmadd_ps(e, _mm256_set1_ps(0.375), _mm256_set1_ps(0.5));
        _mm256_fmadd_ps(_mm256_mul_ps(y, e), c, y)
    }
}

#[inline(always)]
unsafe fn cube_256(a: __m256) -> __m256 {
    // SAFETY: features as in the head of the module.
    unsafe {
        let y = _mm256_rsqrt_ps(a);
        let y2 = _mm256_mul_ps(y, y);
        let e = _mm256_fnmadd_ps(a, y2, _mm256_set1_ps(1.0));
        let c = _mm256_fmadd_ps(e, _mm256_set1_ps(1.875), _mm256_set1_ps(1.5));
        let y3 = _mm256_mul_ps(y, y2);
        _mm256_fmadd_ps(_mm256_mul_ps(y3, e), c, y3)
    }
}

#[inline(always)]
unsafe fn root_256d(a: __m256d) -> __m256d {
    // SAFETY: features as in the head of the module.
    unsafe { _mm256_div_pd(_mm256_set1_pd(1.0), _mm256_sqrt_pd(a)) }
}

#[inline(always)]
unsafe fn cube_256d(a: __m256d) -> __m256d {
    // SAFETY: features as in the head of the module.
    unsafe { _mm256_div_pd(_mm256_set1_pd(1.0), _mm256_mul_pd(a, _mm256_sqrt_pd(a))) }
}

#[inline(always)]
unsafe fn positive_512(a: __m512, c: __m512) -> __m512 {
    // SAFETY: features as in the head of the module.
    unsafe { _mm512_maskz_mov_ps(_mm512_cmp_ps_mask::<_CMP_GT_OQ>(c, _mm512_setzero_ps()), a) }
}

#[inline(always)]
unsafe fn positive_512d(a: __m512d, c: __m512d) -> __m512d {
    // SAFETY: features as in the head of the module.
    unsafe { _mm512_maskz_mov_pd(_mm512_cmp_pd_mask::<_CMP_GT_OQ>(c, _mm512_setzero_pd()), a) }
}

#[inline(always)]
unsafe fn positive_256(a: __m256, c: __m256) -> __m256 {
    // SAFETY: features as in the head of the module.
    unsafe { _mm256_and_ps(_mm256_cmp_ps::<_CMP_GT_OQ>(c, _mm256_setzero_ps()), a) }
}

#[inline(always)]
unsafe fn positive_256d(a: __m256d, c: __m256d) -> __m256d {
    // SAFETY: features as in the head of the module.
    unsafe { _mm256_and_pd(_mm256_cmp_pd::<_CMP_GT_OQ>(c, _mm256_setzero_pd()), a) }
}

/// What SSE2 has no instruction for, as in `plain.rs`.
macro_rules! sse2 {
    ($reg:ty, $set1:ident, $zero:ident, $add:ident, $mul:ident, $div:ident, $sqrt:ident, $and:ident, $greater:ident,
     $min:ident = $low:ident, $max:ident = $high:ident, $fma:ident, $positive:ident, $root:ident, $cube:ident) => {
        #[inline(always)]
        unsafe fn $fma(a: $reg, factor: $reg, term: $reg) -> $reg {
            // SAFETY: every x86-64 has SSE2; so for all of this block.
            unsafe { $add($mul(a, factor), term) }
        }
        #[inline(always)]
        unsafe fn $min(a: $reg, b: $reg) -> $reg {
            // SAFETY: as above. The second operand is what comes back of two that are equal.
            unsafe { $low(b, a) }
        }
        #[inline(always)]
        unsafe fn $max(a: $reg, b: $reg) -> $reg {
            // SAFETY: as above.
            unsafe { $high(b, a) }
        }
        #[inline(always)]
        unsafe fn $positive(a: $reg, condition: $reg) -> $reg {
            // SAFETY: as above.
            unsafe { $and($greater(condition, $zero()), a) }
        }
        #[inline(always)]
        unsafe fn $root(a: $reg) -> $reg {
            // SAFETY: as above.
            unsafe { $div($set1(1.0), $sqrt(a)) }
        }
        #[inline(always)]
        unsafe fn $cube(a: $reg) -> $reg {
            // SAFETY: as above.
            unsafe { $div($set1(1.0), $mul(a, $sqrt(a))) }
        }
    };
}
sse2!(
    __m128,
    _mm_set1_ps,
    _mm_setzero_ps,
    _mm_add_ps,
    _mm_mul_ps,
    _mm_div_ps,
    _mm_sqrt_ps,
    _mm_and_ps,
    _mm_cmpgt_ps,
    min_128 = _mm_min_ps,
    max_128 = _mm_max_ps,
    mul_add_128,
    positive_128,
    root_128,
    cube_128
);
sse2!(
    __m128d,
    _mm_set1_pd,
    _mm_setzero_pd,
    _mm_add_pd,
    _mm_mul_pd,
    _mm_div_pd,
    _mm_sqrt_pd,
    _mm_and_pd,
    _mm_cmpgt_pd,
    min_128d = _mm_min_pd,
    max_128d = _mm_max_pd,
    mul_add_128d,
    positive_128d,
    root_128d,
    cube_128d
);

lanes!(
    Avx512F32,
    Avx512Register32,
    f32,
    __m512,
    [0],
    16,
    _mm512_set1_ps,
    _mm512_loadu_ps,
    _mm512_storeu_ps,
    _mm512_add_ps,
    _mm512_sub_ps,
    _mm512_mul_ps,
    _mm512_fmadd_ps,
    _mm512_min_ps,
    _mm512_max_ps,
    positive_512,
    root_512,
    cube_512,
    #[inline(always)]
    fn transpose(rows: &[&[f32; WIDTH]; WIDTH], columns: &mut [Self; WIDTH]) {
        transpose_512(rows, columns);
    },
    #[inline(always)]
    fn load_halves(low: &[f32; WIDTH / 2], high: &[f32; WIDTH / 2]) -> Self {
        // SAFETY: two loads of 8 from arrays of 8. Features: head of the module.
        unsafe {
            let low = _mm512_castps256_ps512(_mm256_loadu_ps(low.as_ptr()));
            Self([_mm512_insertf32x8::<1>(low, _mm256_loadu_ps(high.as_ptr()))])
        }
    },
    #[inline(always)]
    fn greater(self, other: Self) -> u32 {
        // SAFETY: see the head of the module.
        u32::from(unsafe { _mm512_cmp_ps_mask::<_CMP_GT_OQ>(self.0[0], other.0[0]) })
    },
    #[inline(always)]
    fn pack_lanes(low: u32, high: u32, bits: u32, to: &mut [u32; WIDTH]) {
        // SAFETY: one store of 16 into an array of 16. Features: head of the module.
        unsafe {
            let lanes = _mm512_set_epi32(7, 6, 5, 4, 3, 2, 1, 0, 7, 6, 5, 4, 3, 2, 1, 0);
            let base = _mm512_mask_set1_epi32(_mm512_set1_epi32(low as i32), 0xff00, high as i32);
            let packed = _mm512_maskz_compress_epi32(bits as u16, _mm512_add_epi32(base, lanes));
            _mm512_storeu_si512(to.as_mut_ptr().cast(), packed);
        }
    }
);
lanes!(
    Avx512F64, Avx512Register64,
    f64, __m512d, [0 1], 8,
    _mm512_set1_pd, _mm512_loadu_pd, _mm512_storeu_pd, _mm512_add_pd, _mm512_sub_pd, _mm512_mul_pd,
    _mm512_fmadd_pd, _mm512_min_pd, _mm512_max_pd,
    positive_512d, root_512d, cube_512d
);
lanes!(
    Avx2F32, Avx2Register32,
    f32, __m256, [0 1], 8,
    _mm256_set1_ps, _mm256_loadu_ps, _mm256_storeu_ps, _mm256_add_ps, _mm256_sub_ps, _mm256_mul_ps,
    _mm256_fmadd_ps, _mm256_min_ps, _mm256_max_ps,
    positive_256, root_256, cube_256
);
lanes!(
    Avx2F64, Avx2Register64,
    f64, __m256d, [0 1 2 3], 4,
    _mm256_set1_pd, _mm256_loadu_pd, _mm256_storeu_pd, _mm256_add_pd, _mm256_sub_pd, _mm256_mul_pd,
    _mm256_fmadd_pd, _mm256_min_pd, _mm256_max_pd,
    positive_256d, root_256d, cube_256d
);

lanes!(
    Sse2F32, Sse2Register32,
    f32, __m128, [0 1 2 3], 4,
    _mm_set1_ps, _mm_loadu_ps, _mm_storeu_ps, _mm_add_ps, _mm_sub_ps, _mm_mul_ps,
    mul_add_128, min_128, max_128, positive_128, root_128, cube_128
);
lanes!(
    Sse2F64, Sse2Register64,
    f64, __m128d, [0 1 2 3 4 5 6 7], 2,
    _mm_set1_pd, _mm_loadu_pd, _mm_storeu_pd, _mm_add_pd, _mm_sub_pd, _mm_mul_pd,
    mul_add_128d, min_128d, max_128d, positive_128d, root_128d, cube_128d
);

/// Four rounds: pairs and fours inside the quarters of a register, then the quarters among registers.
#[inline(always)]
fn transpose_512(rows: &[&[f32; WIDTH]; WIDTH], columns: &mut [Avx512F32; WIDTH]) {
    // SAFETY: loads of 16 floats from arrays of 16. Features: head of the module.
    unsafe {
        let mut r = [_mm512_setzero_ps(); WIDTH];
        for i in 0..WIDTH {
            r[i] = _mm512_loadu_ps(rows[i].as_ptr());
        }
        // a[4g + j]: numbers (4q + j) of rows 4g..4g+4, for each quarter q.
        let mut a = r;
        for g in 0..4 {
            let (r0, r1, r2, r3) = (r[4 * g], r[4 * g + 1], r[4 * g + 2], r[4 * g + 3]);
            let lo01 = _mm512_castps_pd(_mm512_unpacklo_ps(r0, r1));
            let hi01 = _mm512_castps_pd(_mm512_unpackhi_ps(r0, r1));
            let lo23 = _mm512_castps_pd(_mm512_unpacklo_ps(r2, r3));
            let hi23 = _mm512_castps_pd(_mm512_unpackhi_ps(r2, r3));
            a[4 * g] = _mm512_castpd_ps(_mm512_unpacklo_pd(lo01, lo23));
            a[4 * g + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(lo01, lo23));
            a[4 * g + 2] = _mm512_castpd_ps(_mm512_unpacklo_pd(hi01, hi23));
            a[4 * g + 3] = _mm512_castpd_ps(_mm512_unpackhi_pd(hi01, hi23));
        }
        for j in 0..4 {
            let (g0, g1, g2, g3) = (a[j], a[4 + j], a[8 + j], a[12 + j]);
            let even01 = _mm512_shuffle_f32x4::<0b10_00_10_00>(g0, g1);
            let odd01 = _mm512_shuffle_f32x4::<0b11_01_11_01>(g0, g1);
            let even23 = _mm512_shuffle_f32x4::<0b10_00_10_00>(g2, g3);
            let odd23 = _mm512_shuffle_f32x4::<0b11_01_11_01>(g2, g3);
            columns[j] = Avx512F32([_mm512_shuffle_f32x4::<0b10_00_10_00>(even01, even23)]);
            columns[8 + j] = Avx512F32([_mm512_shuffle_f32x4::<0b11_01_11_01>(even01, even23)]);
            columns[4 + j] = Avx512F32([_mm512_shuffle_f32x4::<0b10_00_10_00>(odd01, odd23)]);
            columns[12 + j] = Avx512F32([_mm512_shuffle_f32x4::<0b11_01_11_01>(odd01, odd23)]);
        }
    }
}

/// # Safety
/// The processor must have the features named here ([`has_avx512`]).
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
pub unsafe fn avx512_f32<K: Kernel<f32>>(kernel: K) -> K::Output {
    kernel.run::<Avx512F32>()
}

/// # Safety
/// The processor must have the features named here ([`has_avx512`]).
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi2")]
pub unsafe fn avx512_f64<K: Kernel<f64>>(kernel: K) -> K::Output {
    kernel.run::<Avx512F64>()
}

/// # Safety
/// The processor must have the features named here ([`has_avx2`]).
#[target_feature(enable = "avx2,fma,bmi2")]
pub unsafe fn avx2_f32<K: Kernel<f32>>(kernel: K) -> K::Output {
    kernel.run::<Avx2F32>()
}

/// # Safety
/// The processor must have the features named here ([`has_avx2`]).
#[target_feature(enable = "avx2,fma,bmi2")]
pub unsafe fn avx2_f64<K: Kernel<f64>>(kernel: K) -> K::Output {
    kernel.run::<Avx2F64>()
}
