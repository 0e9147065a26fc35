//! How well contact dynamics has solved its contact problems.

use rubblepile_core::{
    Column, Probe, Result,
    method::Moment,
    settings::{Check, Sampling, ScenarioContext, Time},
};
use rubblepile_nonsmooth::NonsmoothState;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::settings::ProbeSettings;

/// Sampling interval.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct SolverSampling(pub Sampling);

impl ProbeSettings for SolverSampling {
    fn about() -> &'static str {
        "Of contact dynamics: steps that were not solved to the tolerance, their worst residual, and iterations. Every series of \
         contact dynamics has it, at the shortest interval of the other probes unless it is given."
    }

    fn example() -> Self {
        SolverSampling(Sampling { every: Time::new(1.0) })
    }

    fn every(&self) -> Time {
        self.0.every
    }

    fn check(&self, c: &mut Check, at: &str) {
        if c.scene.method != "nonsmooth" {
            c.add_help(at, "only contact dynamics has a solver", "remove it, or use [method.nonsmooth]");
        }
    }

    fn probe(&self, _: &ScenarioContext) -> Box<dyn Probe> {
        Box::new(SolverQuality)
    }
}

/// Totals since the start of the run.
#[derive(Debug, Clone, Copy, Default)]
pub struct SolverQuality;

impl Probe for SolverQuality {
    fn columns(&self) -> Vec<Column> {
        vec![
            Column::new("unsolved_steps", "", "Steps so far whose residual stayed above the tolerance"),
            Column::new("unsolved_share", "", "Unsolved steps over all steps so far"),
            Column::new(
                "worst_residual",
                "",
                "Largest residual of an unsolved step so far; 0: all are solved",
            ),
            Column::new("iterations_per_step", "", "Mean iterations of the solver per step so far"),
        ]
    }

    fn measure(&mut self, moment: &mut Moment, row: &mut Vec<f64>) -> Result<()> {
        let solver = moment.world.part::<NonsmoothState>().map_or_else(Default::default, |part| part.solver);
        let steps = solver.steps.max(1) as f64;
        row.extend([
            solver.unsolved as f64,
            solver.unsolved_share(),
            solver.worst_residual,
            solver.iterations as f64 / steps,
        ]);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{measure, value, world};
    use glam::DVec3;
    use rubblepile_nonsmooth::SolverRecord;

    #[test]
    fn totals_are_those_of_the_world() {
        let mut w = world(&[(DVec3::ZERO, 1.0)]);
        let solver = SolverRecord {
            steps: 50,
            unsolved: 5,
            worst_residual: 0.02,
            iterations: 400,
            ..Default::default()
        };
        w.part_or_default::<NonsmoothState>().solver = solver;
        let row = measure(&mut SolverQuality, &w, Vec::new());
        let of = |name: &str| value(&SolverQuality, &row, name);
        assert_eq!((of("unsolved_steps"), of("unsolved_share")), (5.0, 0.1));
        assert_eq!((of("worst_residual"), of("iterations_per_step")), (0.02, 8.0));
    }
}
