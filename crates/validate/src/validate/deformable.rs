//! `patch`, `hertz-disc` and `bouncing-disc`: deformable grains against the theory of elasticity and example 1 of meshfree-2016.

use rayon::prelude::*;
use rubblepile_meshfree::{shape::Interpolation, step::Scheme};

use super::ValidateRow;
use crate::{
    cases::{Case, CaseError, Options, Rows},
    claims::{Claim, Paper, Verdict},
    workload::deformable::{self as workload, NodeRecord, WorkloadError},
};

pub struct Patch;
pub struct HertzDisc;
pub struct BouncingDisc;

fn row(case: &dyn Case<Row = ValidateRow>, what: String, numbers: [f64; 3], source: &str) -> ValidateRow {
    let [reference, ours, tolerance] = numbers;
    ValidateRow::new(case.name(), what, reference, ours, tolerance, source)
}

const PAPER: Paper = Paper::Meshfree2016;

/// Name, coarsest spacing, relative error of displacements with a factor on the modulus, source.
type Experiment =
    (&'static str, f64, fn(f64, Interpolation, f64) -> Result<f64, WorkloadError>, &'static str);

const INTERPOLATIONS: [(Interpolation, &str); 2] =
    [(Interpolation::Radial, "radial"), (Interpolation::LeastSquares, "least squares")];

const QUADRATURE: Claim = PAPER.claim(
    "section 2",
    "six points per triangle; their number and order are \"an open topic\"",
    Verdict::Reproduced {
        tolerance: "uniform and linear stresses balance to 1e-9 and 1e-6, rounding and the square of strains; they do with a correction of gradients that the paper does not have",
    },
);
const DENSITY: Claim = PAPER.claim(
    "section 6",
    "convergence in nodal density, which the paper leaves for later",
    Verdict::Reproduced {
        tolerance: "order 3, that of quadratic fields, of the errors of a bent beam and a thick ring: 0.7, the spread from one spacing to the next on irregular nodes",
    },
);
const SCHEME: Claim = PAPER.claim(
    "section 4, eqs (25)-(28)",
    "the composite scheme",
    Verdict::Reproduced { tolerance: "period of a bar: 2e-3 with 100 steps per period" },
);
const PATCH: [Claim; 3] = [QUADRATURE, DENSITY, SCHEME];

impl Case for Patch {
    type Row = ValidateRow;

    fn name(&self) -> &'static str {
        "patch"
    }

    fn about(&self) -> &'static str {
        "deformable grains under uniform stress, a bent beam, a thick ring, a vibrating bar"
    }

    fn claims(&self) -> &'static [Claim] {
        &PATCH
    }

    fn wrongs(&self) -> &'static [&'static str] {
        &["modulus"]
    }

    fn run(&self, options: &Options, rows: &Rows<ValidateRow>) -> Result<(), CaseError> {
        let finest = if options.full { 4 } else { 3 };
        let stiffer = options.wrong.factor("modulus");
        for (kind, name) in INTERPOLATIONS {
            for spacing in [0.2, 0.1, 0.05] {
                let what =
                    format!("{name}, spacing {spacing}: displacements under an even stress, relative error");
                let off = workload::patch(spacing, kind, stiffer)?;
                rows.push(QUADRATURE.row(self.name(), what, 0.0, off, 1e-9));
                let what =
                    format!("{name}, spacing {spacing}: displacements in pure bending, relative error");
                let off = workload::bending(spacing, kind, stiffer)?;
                rows.push(QUADRATURE.row(self.name(), what, 0.0, off, 1e-6));
            }
            let theory: [Experiment; 2] = [
                ("beam", 4.0, workload::beam, "Timoshenko and Goodier (1970)"),
                ("ring", 0.2, workload::ring, "Lame"),
            ];
            for (shape, coarsest, experiment, source) in theory {
                let errors = (0..finest)
                    .into_par_iter()
                    .map(|k| experiment(coarsest / f64::from(1 << k), kind, stiffer))
                    .collect::<Result<Vec<f64>, _>>()?;
                for (k, error) in errors.iter().enumerate() {
                    let spacing = coarsest / f64::from(1 << k);
                    rows.note(format!("{name}, {shape}, spacing {spacing}: {error:.2e}"));
                }
                let last = errors[errors.len() - 1];
                let what = format!("{name}, {shape}: relative error of displacements at the finest spacing");
                rows.push(row(self, what, [0.0, last, 1e-4], source));
                let rate = (errors[0] / last).log2() / (errors.len() - 1) as f64;
                let what = format!("{name}, {shape}: order of convergence");
                rows.push(DENSITY.row(self.name(), what, 3.0, rate, 0.7));
            }
        }
        let period = workload::bar(if options.full { 400 } else { 100 }, stiffer)?;
        let what = "period of a bar over twice its length by the speed of sound";
        rows.push(SCHEME.row(self.name(), what, 1.0, period, 2e-3));
        Ok(())
    }
}

const WALL_CONTACT: Claim = PAPER.claim(
    "appendix C; section 6",
    "contact with a wall; comparisons of accuracy, which the paper leaves for later",
    Verdict::Reproduced { tolerance: "5 % of Hertz, whose contact is small: here it is 7.5 % of the radius" },
);

impl Case for HertzDisc {
    type Row = ValidateRow;

    fn name(&self) -> &'static str {
        "hertz-disc"
    }

    fn about(&self) -> &'static str {
        "a deformable disc between two plates: pressure and approach of Hertz"
    }

    fn claims(&self) -> &'static [Claim] {
        &[WALL_CONTACT]
    }

    fn wrongs(&self) -> &'static [&'static str] {
        &["modulus"]
    }

    fn run(&self, options: &Options, rows: &Rows<ValidateRow>) -> Result<(), CaseError> {
        let spacing = if options.full { 0.0125 } else { 0.025 };
        let found = workload::pressed_disc(spacing, 0.01, options.wrong.factor("modulus"))?;
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

const EXAMPLE_1: Claim = PAPER.claim(
    "table I, example 1",
    "105 nodes, 172 cells, 1,032 Gauss points",
    Verdict::Reproduced {
        tolerance: "36 nodes on the outline follow from the table exactly; inner nodes 5 %: their generator is another",
    },
);
const EXAMPLE_1_TIME: Claim = PAPER.claim(
    "table I, example 1",
    "computation time: a few minutes",
    Verdict::NotAttempted { why: "Matlab on another machine; here it takes half a second" },
);
const FIGURE_7: Claim = PAPER.claim(
    "figure 7",
    "heights of the lowest and the highest node while the disc bounces, and velocity fields",
    Verdict::Partly {
        tolerance: "at rest after 3 s where statics have it, 1e-5 m; the same motion at half the step, 2 cm",
        missing: "the curves: neither the drop height nor the steps are in the text or Table I",
    },
);
const NEWMARK: Claim = PAPER.claim(
    "figure 8 (a)-(c)",
    "Newmark's rule: the lowest node locally exceeds 1e-5 m, contact is lost; strong oscillations",
    Verdict::Reproduced {
        tolerance: "exceeds 1e-5 m at the larger step; trembles a thousand times as fast as the composite scheme may. Steps are ours: the paper's are in the picture only",
    },
);
const COMPOSITE: Claim = PAPER.claim(
    "figure 8 (d)-(f)",
    "the composite scheme: the lowest node stays within 1e-12 m, 2e-10 m/s, 3e-7 m/s2 after 2 s",
    Verdict::Reproduced { tolerance: "the paper's bounds themselves" },
);
const BOUNCING: [Claim; 5] = [EXAMPLE_1, EXAMPLE_1_TIME, FIGURE_7, NEWMARK, COMPOSITE];

impl Case for BouncingDisc {
    type Row = ValidateRow;

    fn name(&self) -> &'static str {
        "bouncing-disc"
    }

    fn about(&self) -> &'static str {
        "a deformable disc falls, bounces and rests: the composite scheme against Newmark's"
    }

    fn claims(&self) -> &'static [Claim] {
        &BOUNCING
    }

    fn wrongs(&self) -> &'static [&'static str] {
        &["gap", "gravity", "damping", "step", "spacing"]
    }

    fn run(&self, options: &Options, rows: &Rows<ValidateRow>) -> Result<(), CaseError> {
        let wrong = &options.wrong;
        let counts = workload::counts_of_the_falling_disc(wrong)?.map(|n| n as f64);
        let paper = [
            ("nodes", 105.0, 5.0),
            ("boundary nodes", 36.0, 0.0),
            ("cells", 172.0, 10.0),
            ("Gauss points", 1032.0, 60.0),
        ];
        for ((what, reference, tolerance), ours) in paper.into_iter().zip(counts) {
            rows.push(EXAMPLE_1.row(self.name(), what, reference, ours, tolerance));
        }
        // The paper's steps are in its figure only. By eq. (27) a gap of 1e-12 m is a speed of 3e-12 m over the step: 2e-10 m/s
        // belong to about 0.02 s. Those of Newmark's rule are half of the composite scheme's.
        let runs = [
            (Scheme::Composite, 0.08),
            (Scheme::Composite, 0.04),
            (Scheme::Composite, 0.02),
            (Scheme::ContactImplicit, 0.02),
            (Scheme::Newmark, 0.04),
            (Scheme::Newmark, 0.02),
            (Scheme::Newmark, 0.01),
        ];
        let all = rows.in_order(runs.into_par_iter().enumerate(), |(scheme, h), own| {
            let all = workload::bouncing_disc(scheme, h, 3.0, wrong)?;
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
                        own.push(COMPOSITE.row(self.name(), what, 0.0, found, most));
                    }
                }
                Scheme::Newmark => {
                    if h == 0.04 {
                        let what = "Newmark, 0.04 s: the lowest node rises by more than 1e-5 m (1: yes)";
                        let rises = f64::from(u8::from(found[0] > 1e-5));
                        own.push(NEWMARK.row(self.name(), what, 1.0, rises, 0.0));
                    }
                    // Whether it trembles a thousand times as much as the composite scheme may.
                    let trembles = f64::from(u8::from(found[1] > 2e-7));
                    let what = format!("Newmark, {h} s: trembles at rest (1: yes)");
                    own.push(NEWMARK.row(self.name(), what, 1.0, trembles, 0.0));
                }
            }
            Ok(all)
        })?;
        // Two steps of time give one motion: where the highest node is while it bounces.
        let (coarse, fine) = (&all[1], &all[2]);
        let apart = (coarse.iter().zip(fine.iter().skip(1).step_by(2)))
            .map(|([_, a], [_, b])| (a.height - b.height).abs())
            .fold(0.0, f64::max);
        let what = "highest node at 0.04 s less that at 0.02 s, m";
        rows.push(FIGURE_7.row(self.name(), what, 0.0, apart, 0.02));
        let lies = workload::lying_disc()?;
        let end = fine.last().map_or(f64::NAN, |[_, highest]| highest.height);
        rows.push(FIGURE_7.row(self.name(), "height of the highest node after 3 s, m", lies, end, 1e-5));
        Ok(())
    }
}
