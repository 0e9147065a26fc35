//! How many pairs of boulders a second one core brings into contact:
//! `cargo run --release -p rubblepile-geometry --example polyhedron_pairs [VERTICES]...`

use std::{hint::black_box, time::Instant};

use rubblepile_geometry::contact::{Touch, sample_pairs};

fn main() {
    let asked: Vec<u32> = std::env::args().skip(1).filter_map(|a| a.parse().ok()).collect();
    for vertices in if asked.is_empty() { vec![12, 40, 70] } else { asked } {
        let sample = sample_pairs(5000, vertices, 1);
        let (mut near, mut points) = (0, 0);
        let mut seconds = f64::INFINITY;
        for _ in 0..9 {
            let start = Instant::now();
            (near, points) = (0, 0);
            for &[i, j] in &sample.pairs {
                if let Touch::Near(m) = black_box(sample.touch(i, j)) {
                    near += 1;
                    points += m.points.len();
                }
            }
            seconds = seconds.min(start.elapsed().as_secs_f64());
        }
        let n = sample.pairs.len() as f64;
        println!(
            "{vertices} vertices: {:.0} pairs/s, {:.0} % near, {:.2} points each",
            n / seconds,
            100.0 * f64::from(near) / n,
            points as f64 / f64::from(near)
        );
    }
}
