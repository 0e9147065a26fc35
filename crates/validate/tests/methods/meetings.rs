//! Times at which flying spheres meet walls, compared with a march along the path in small steps.

use rubblepile_core::Rng;
use rubblepile_validate::workload::march::{Approach, FINE, Primitive, Verdict};

/// Judges `n` approaches to each kind of wall; gives the number of touches.
fn compare(n: u32, moves: bool, seed: u64) -> u32 {
    let mut rng = Rng::new(seed);
    let mut touches = 0;
    for primitive in Primitive::ALL {
        for _ in 0..n {
            let approach = Approach::random(primitive, moves, &mut rng);
            match approach.judge() {
                Verdict::Meets { late } => {
                    touches += 1;
                    assert!(late <= 2.0 * FINE, "{late} {approach:?}");
                }
                Verdict::Passes | Verdict::Grazes => {}
                wrong => panic!("{wrong:?} {approach:?}"),
            }
        }
    }
    touches
}

#[test]
fn two_thousand_approaches_to_walls_at_rest() {
    let touches = compare(200, false, 1);
    assert!(touches > 400, "{touches}");
}

#[test]
fn two_thousand_approaches_to_walls_that_move() {
    let touches = compare(200, true, 2);
    assert!(touches > 400, "{touches}");
}
