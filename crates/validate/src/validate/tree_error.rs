//! `tree-error`: the error of the tree against its target.

use glam::DVec3;
use rubblepile_core::{Actions, Field};
use rubblepile_gravity::{Accuracy, Tree};

use super::ValidateRow;
use crate::{
    bench::gravity::{measured_error, world},
    cases::{Case, CaseError, Options, Rows},
    claims::{Claim, Paper, Verdict},
};

pub struct TreeError;

const TREE: Claim = Claim {
    paper: Paper::AsteroidSurface2024,
    item: "section 2.1, self-gravity",
    what: "by the tree of Barnes and Hut (1986)",
    verdict: Verdict::Reproduced { tolerance: "the error that is asked for" },
};

impl Case for TreeError {
    type Row = ValidateRow;

    fn name(&self) -> &'static str {
        "tree-error"
    }

    fn about(&self) -> &'static str {
        "the tree's rms force error against a direct sum, at several targets"
    }

    fn claims(&self) -> &'static [Claim] {
        &[TREE]
    }

    fn wrongs(&self) -> &'static [&'static str] {
        &["target", "gravity"]
    }

    fn run(&self, options: &Options, rows: &Rows<ValidateRow>) -> Result<(), CaseError> {
        let wrong = &options.wrong;
        let sizes: &[usize] = if options.full { &[10_000, 100_000, 1_000_000] } else { &[10_000, 100_000] };
        for &n in sizes {
            for kind in ["uniform", "rubble"] {
                let mut world = world(kind, n)?;
                for target in [1e-3, 1e-4, 1e-6] {
                    let mut tree = Tree::new(
                        Accuracy::Error(wrong.factor("target") * target),
                        1,
                        wrong.factor("gravity"),
                    );
                    world.rates.field.clear();
                    // As in a run: the first evaluation knows nothing, the next ones the last accelerations.
                    for evaluation in ["first", "second"] {
                        let mut found = vec![DVec3::ZERO; n];
                        tree.act(&world, &mut Actions::on_bodies(&mut found))?;
                        let error = measured_error(&world, &found);
                        let quantity =
                            format!("{kind}, N {n}, target {target:e}, {evaluation} evaluation: rms error");
                        rows.push(TREE.row("tree-error", quantity, 0.0, error, target));
                        world.rates.field = found;
                    }
                }
            }
        }
        Ok(())
    }
}
