//! The gravity benchmark G1: unit spheres of bodies, accelerations to a target error.
//!
//! `cargo run --release -p rubblepile-validate --example g1 -- [N,N,...] [uniform|rubble|both] [error,error,...] [threads]`
//! prints, for each, the measured rms relative error on 1000 bodies, the best time of several and the rate.

use std::time::Instant;

use glam::DVec3;
use rubblepile_gravity::{
    Accuracy, direct_sample,
    internals::{Settings, TreeSolver},
    rms_relative_error,
};
use rubblepile_validate::workload::gravity::{rubble, uniform};

fn list<T: std::str::FromStr>(text: Option<&String>, default: &str) -> Vec<T> {
    text.map_or(default, |t| t.as_str()).split(',').filter_map(|t| t.parse().ok()).collect()
}

/// Seconds this thread has been on a processor, where the system tells (Linux); else the time since the start.
fn thread_seconds(start: Instant) -> f64 {
    std::fs::read_to_string("/proc/thread-self/schedstat")
        .ok()
        .and_then(|text| text.split_whitespace().next()?.parse::<f64>().ok())
        .map_or(start.elapsed().as_secs_f64(), |ns| 1e-9 * ns)
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let sizes: Vec<f64> = list(arguments.first(), "1e4,1e5,1e6");
    let kinds = arguments.get(1).map_or("both", |s| s.as_str());
    let errors: Vec<f64> = list(arguments.get(2), "1e-3,1e-4");
    let threads: Vec<usize> = list(arguments.get(3), "1,2");
    // Overrides for tuning: order,opening,reach,tolerance.
    let override_: Vec<f64> = list(arguments.get(4), "");
    println!(
        "{:>8} {:>8} {:>8} {:>9} {:>7} {:>10} {:>10} {:>10} {:>10}",
        "n", "kind", "target", "measured", "threads", "seconds", "cpu", "bodies/s", "per cpu"
    );
    for &n in &sizes {
        let n = n as usize;
        for kind in ["uniform", "rubble"].into_iter().filter(|k| kinds == "both" || kinds == *k) {
            let x = if kind == "uniform" { uniform(n) } else { rubble(n) };
            let m = vec![1.0 / n as f64; n];
            let count = n.min(1000);
            let rows: Vec<usize> = (0..count).map(|k| k * n / count).collect();
            let exact = direct_sample(&x, &m, &rows, 1.0);
            for &error in &errors {
                let mut settings = Accuracy::Error(error).settings();
                if let [order, opening, reach, tolerance] = override_[..] {
                    settings = Settings {
                        order: order as usize,
                        opening,
                        reach,
                        tolerance: Some(tolerance),
                        ..settings
                    };
                }
                for &t in &threads {
                    let Ok(pool) = rayon::ThreadPoolBuilder::new().num_threads(t).build() else { continue };
                    let (seconds, cpu, found) = pool.install(|| {
                        let mut solver = TreeSolver::default();
                        let (mut best, mut best_cpu) = (f64::INFINITY, f64::INFINITY);
                        let mut out = vec![DVec3::ZERO; n];
                        let begin = Instant::now();
                        let mut runs = 0;
                        while runs < 3 || (begin.elapsed().as_secs_f64() < 1.0 && runs < 50) {
                            out.fill(DVec3::ZERO);
                            let start = Instant::now();
                            let cpu = thread_seconds(begin);
                            solver.accelerate(&x, &m, 1.0, &settings, &mut out);
                            best = best.min(start.elapsed().as_secs_f64());
                            best_cpu = best_cpu.min(thread_seconds(begin) - cpu);
                            runs += 1;
                        }
                        (best, best_cpu, out)
                    });
                    let sample: Vec<DVec3> = rows.iter().map(|&k| found[k]).collect();
                    let measured = rms_relative_error(&sample, &exact);
                    println!(
                        "{n:>8} {kind:>8} {error:>8.0e} {measured:>9.2e} {t:>7} {seconds:>10.5} {cpu:>10.5} {:>10.0} {:>10.0}",
                        n as f64 / seconds,
                        n as f64 / cpu
                    );
                }
            }
        }
    }
}
