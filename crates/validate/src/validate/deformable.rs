//! `patch`, `hertz-disc` and `bouncing-disc`: deformable grains against the theory of elasticity and example 1 of meshfree-2016.

use rayon::prelude::*;
use rubblepile_meshfree::{shape::Interpolation, step::Scheme};

use super::ValidateRow;
use crate::{
    cases::{Case, CaseError, Options, Rows},
    workload::deformable::{self as workload, NodeRecord, WorkloadError},
};

pub struct Patch;
pub struct HertzDisc;
pub struct BouncingDisc;

fn row(case: &dyn Case<Row = ValidateRow>, what: String, numbers: [f64; 3], source: &str) -> ValidateRow {
    let [reference, ours, tolerance] = numbers;
    ValidateRow::new(case.name(), what, reference, ours, tolerance, source)
}

/// Name, coarsest spacing, relative error of displacements, source.
type Experiment = (&'static str, f64, fn(f64, Interpolation) -> Result<f64, WorkloadError>, &'static str);

const INTERPOLATIONS: [(Interpolation, &str); 2] =
    [(Interpolation::Radial, "radial"), (Interpolation::LeastSquares, "least squares")];

impl Case for Patch {
    type Row = ValidateRow;

    fn name(&self) -> &'static str {
        "patch"
    }

    fn about(&self) -> &'static str {
        "deformable grains under uniform stress, a bent beam, a thick ring, a vibrating bar"
    }

    fn run(&self, options: &Options, rows: &Rows<ValidateRow>) -> Result<(), CaseError> {
        let finest = if options.full { 4 } else { 3 };
        for (kind, name) in INTERPOLATIONS {
            for spacing in [0.2, 0.1, 0.05] {
                let what =
                    format!("{name}, spacing {spacing}: displacements under an even stress, relative error");
                rows.push(row(self, what, [0.0, workload::patch(spacing, kind)?, 1e-9], "exact"));
            }
            let theory: [Experiment; 2] = [
                ("beam", 4.0, workload::beam, "Timoshenko and Goodier (1970)"),
                ("ring", 0.2, workload::ring, "Lame"),
            ];
            for (shape, coarsest, experiment, source) in theory {
                let errors = (0..finest)
                    .into_par_iter()
                    .map(|k| experiment(coarsest / f64::from(1 << k), kind))
                    .collect::<Result<Vec<f64>, _>>()?;
                for (k, error) in errors.iter().enumerate() {
                    let spacing = coarsest / f64::from(1 << k);
                    rows.note(format!("{name}, {shape}, spacing {spacing}: {error:.2e}"));
                }
                let last = errors[errors.len() - 1];
                let what = format!("{name}, {shape}: relative error of displacements at the finest spacing");
                rows.push(row(self, what, [0.0, last, 1e-3], source));
                let rate = (errors[0] / last).log2() / (errors.len() - 1) as f64;
                let what = format!("{name}, {shape}: order of convergence, at least 1");
                rows.push(row(self, what, [2.5, rate, 1.5], "quadratic fields are exact"));
            }
        }
        let period = workload::bar(if options.full { 400 } else { 100 })?;
        let what = "period of a bar over twice its length by the speed of sound".into();
        rows.push(row(self, what, [1.0, period, 2e-3], "theory of bars"));
        Ok(())
    }
}

impl Case for HertzDisc {
    type Row = ValidateRow;

    fn name(&self) -> &'static str {
        "hertz-disc"
    }

    fn about(&self) -> &'static str {
        "a deformable disc between two plates: pressure and approach of Hertz"
    }

    fn run(&self, options: &Options, rows: &Rows<ValidateRow>) -> Result<(), CaseError> {
        let spacing = if options.full { 0.0125 } else { 0.025 };
        let found = workload::pressed_disc(spacing, 0.01)?;
        rows.extend([
            row(self, "largest pressure over Hertz's".into(), [1.0, found.peak, 0.05], "Johnson (1985)"),
            row(
                self,
                "pressures less the ellipse, over the largest".into(),
                [0.0, found.ellipse, 0.05],
                "Johnson (1985)",
            ),
            row(
                self,
                "approach over Johnson's".into(),
                [1.0, found.approach, 0.05],
                "Johnson (1985), eq. (5.57)",
            ),
        ]);
        Ok(())
    }
}

/// Largest height, speed and acceleration of the lowest node after two seconds.
fn largest_at_rest(all: &[[NodeRecord; 2]]) -> [f64; 3] {
    all.iter()
        .filter(|[lowest, _]| lowest.time > 2.0)
        .map(|[b, _]| [b.height, b.speed, b.acceleration].map(f64::abs))
        .fold([0.0; 3], |a, b| std::array::from_fn(|k| a[k].max(b[k])))
}

impl Case for BouncingDisc {
    type Row = ValidateRow;

    fn name(&self) -> &'static str {
        "bouncing-disc"
    }

    fn about(&self) -> &'static str {
        "a deformable disc falls, bounces and rests: the composite scheme against Newmark's"
    }

    fn run(&self, _: &Options, rows: &Rows<ValidateRow>) -> Result<(), CaseError> {
        const PAPER: &str = "meshfree-2016, figure 8";
        // The paper's steps are in its figure only. By eq. (27) a gap of 1e-12 m is a speed of 3e-12 m over the step: 2e-10 m/s
        // belong to about 0.02 s.
        let runs = [
            (Scheme::Composite, 0.04),
            (Scheme::Composite, 0.02),
            (Scheme::ContactImplicit, 0.02),
            (Scheme::Newmark, 0.02),
            (Scheme::Newmark, 0.01),
        ];
        let all = rows.in_order(runs.into_par_iter().enumerate(), |(scheme, h), own| {
            let all = workload::bouncing_disc(scheme, h, 3.0)?;
            let found = largest_at_rest(&all);
            rows.note(format!(
                "{scheme:?}, {h} s: at rest {:.1e} m, {:.1e} m/s, {:.1e} m/s2",
                found[0], found[1], found[2]
            ));
            match scheme {
                Scheme::Composite | Scheme::ContactImplicit => {
                    let most = [("height, m", 1e-12), ("speed, m/s", 2e-10), ("acceleration, m/s2", 3e-7)];
                    for ((what, most), found) in most.into_iter().zip(found) {
                        let what = format!("{scheme:?}, {h} s: largest {what} of the lowest node after 2 s");
                        own.push(row(self, what, [0.0, found, most], PAPER));
                    }
                }
                Scheme::Newmark => {
                    // Whether it trembles a thousand times as much as the composite scheme may.
                    let trembles = f64::from(u8::from(found[1] > 2e-7));
                    let what = format!("Newmark, {h} s: trembles at rest (1: yes)");
                    own.push(row(self, what, [1.0, trembles, 0.0], PAPER));
                }
            }
            Ok(all)
        })?;
        // Two steps of time give one motion: where the highest node is while it bounces.
        let (coarse, fine) = (&all[0], &all[1]);
        let apart = (coarse.iter().zip(fine.iter().skip(1).step_by(2)))
            .map(|([_, a], [_, b])| (a.height - b.height).abs())
            .fold(0.0, f64::max);
        rows.push(row(
            self,
            "highest node at 0.04 s less that at 0.02 s, m".into(),
            [0.0, apart, 0.02],
            "ours at half the step",
        ));
        Ok(())
    }
}
