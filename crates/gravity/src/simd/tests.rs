//! Every kind of lanes that this processor can run gives the plain answer.

use super::{plain::Plain, *};

/// One of each operation, as `f64`, with what it should be.
struct Every;

impl<S: Real> Kernel<S> for Every {
    type Output = Vec<(f64, f64)>;

    #[inline(always)]
    fn run<V: Lanes<S>>(self) -> Self::Output {
        let mut rows = [[S::of(0.0); WIDTH]; WIDTH];
        for (i, row) in rows.iter_mut().enumerate() {
            for (k, value) in row.iter_mut().enumerate() {
                // Powers of ten from 1e-6 to 1e6, none of them exact.
                *value = S::of(1.37 * 10f64.powf((i * WIDTH + k) as f64 / 256.0 * 12.0 - 6.0));
            }
        }
        let mut checks = Vec::new();
        for i in 0..WIDTH - 1 {
            let (a, b) = (V::load(&rows[i]), V::load(&rows[i + 1]));
            let results = [
                a.add(b),
                a.sub(b),
                a.mul(b),
                a.mul_add(b, a),
                a.min(b),
                a.max(b),
                a.inverse_root(),
                a.inverse_cube(),
                a.where_positive(b.sub(a.mul(V::splat(S::of(1.5))))),
            ]
            .map(V::array);
            for k in 0..WIDTH {
                let (x, y) = (rows[i][k].wide(), rows[i + 1][k].wide());
                let kept = if y - 1.5 * x > 0.0 { x } else { 0.0 };
                let root = x.sqrt();
                let expected =
                    [x + y, x - y, x * y, x * y + x, x.min(y), x.max(y), 1.0 / root, 1.0 / (x * root), kept];
                checks.extend(results.iter().zip(expected).map(|(r, e)| (r[k].wide(), e)));
            }
            checks.push((a.sum().wide(), rows[i].iter().map(|x| x.wide()).sum()));
            checks.push((a.least().wide(), rows[i][0].wide()));
            checks.push((a.greatest().wide(), rows[i][WIDTH - 1].wide()));
            checks.push((f64::from(b.greater(a)), f64::from(0xffff)));
            checks.push((f64::from(a.greater(V::splat(rows[i][4]))), f64::from(0xffe0)));
        }
        let mut columns = [V::zero(); WIDTH];
        V::transpose(&std::array::from_fn(|i| &rows[i]), &mut columns);
        for (k, column) in columns.map(V::array).iter().enumerate() {
            checks.extend((0..WIDTH).map(|i| (column[i].wide(), rows[i][k].wide())));
        }
        if let (Some(low), Some(high)) = (rows[3].first_chunk(), rows[5].first_chunk()) {
            let both = V::load_halves(low, high).array();
            checks.extend((0..8).map(|k| (both[k].wide(), rows[3][k].wide())));
            checks.extend((0..8).map(|k| (both[8 + k].wide(), rows[5][k].wide())));
        }
        let mut packed = [0; WIDTH];
        V::pack_lanes(100, 200, 0b1000_0001_1010_0010, &mut packed);
        checks
            .extend([101.0, 105.0, 107.0, 200.0, 207.0].iter().zip(packed).map(|(e, p)| (f64::from(p), *e)));
        checks
    }
}

fn agrees(kind: &str, checks: Vec<(f64, f64)>, rounding: f64) {
    assert!(checks.len() > 2000);
    for (found, expected) in checks {
        assert!(
            (found - expected).abs() <= 12.0 * rounding * expected.abs(),
            "{kind}: {found} is not {expected}"
        );
    }
}

#[test]
fn every_kind_of_lanes_gives_the_plain_answer() {
    agrees("plain f32", Kernel::<f32>::run::<Plain<f32>>(Every), f32::ROUNDING);
    agrees("plain f64", Kernel::<f64>::run::<Plain<f64>>(Every), f64::ROUNDING);
    #[cfg(all(target_arch = "x86_64", not(feature = "portable")))]
    {
        let same = |kind: &str, found: Vec<(f64, f64)>, plain: Vec<(f64, f64)>| {
            for (found, plain) in found.iter().zip(&plain) {
                assert_eq!(found.0.to_bits(), plain.0.to_bits(), "{kind}: not the bits of plain arrays");
            }
        };
        same("sse2 f32", Kernel::<f32>::run::<x86::Sse2F32>(Every), Kernel::<f32>::run::<Plain<f32>>(Every));
        same("sse2 f64", Kernel::<f64>::run::<x86::Sse2F64>(Every), Kernel::<f64>::run::<Plain<f64>>(Every));
        if x86::has_avx2() {
            // SAFETY: the processor has the features.
            agrees("avx2 f32", unsafe { x86::avx2_f32(Every) }, f32::ROUNDING);
            // SAFETY: the processor has the features.
            agrees("avx2 f64", unsafe { x86::avx2_f64(Every) }, f64::ROUNDING);
        }
        if x86::has_avx512() {
            // SAFETY: the processor has the features.
            agrees("avx512 f32", unsafe { x86::avx512_f32(Every) }, f32::ROUNDING);
            // SAFETY: the processor has the features.
            agrees("avx512 f64", unsafe { x86::avx512_f64(Every) }, f64::ROUNDING);
        }
    }
}
