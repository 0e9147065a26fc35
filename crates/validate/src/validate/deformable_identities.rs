//! `deformable-identities`: identities of deformable grains: shape functions, forces and tangents.

use rubblepile_meshfree::{
    law::{ElasticLaw, Elasticity, PlaneCondition},
    shape,
};

use super::ValidateRow;
use crate::{
    cases::{Case, CaseError, Options, Rows},
    workload::deformable::identities::{self, NodeMeeting, Opposite},
};

pub struct DeformableIdentities;

/// What a central difference may be off.
const TANGENT: f64 = 1e-6;

impl Case for DeformableIdentities {
    type Row = ValidateRow;

    fn name(&self) -> &'static str {
        "deformable-identities"
    }

    fn about(&self) -> &'static str {
        "shape functions of deformable grains, tangents against finite differences, rigid rotation without stress"
    }

    fn run(&self, _: &Options, rows: &Rows<ValidateRow>) -> Result<(), CaseError> {
        let push = |what: String, ours: f64, tolerance: f64, source: &str| {
            rows.push(ValidateRow::new(self.name(), what, 0.0, ours, tolerance, source));
        };
        for (kind, name) in
            [(shape::Interpolation::Radial, "radial"), (shape::Interpolation::LeastSquares, "least squares")]
        {
            let found = identities::shape_functions(kind)?;
            push(format!("{name}: sum of shape functions less 1"), found.unity, 1e-11, "eq. (9)");
            push(format!("{name}: a quadratic field"), found.quadratic, 1e-11, "exact");
            push(format!("{name}: the slope of a quadratic field"), found.slope, 1e-9, "exact");
            push(format!("{name}: slopes against differences"), found.difference, TANGENT, "differences");
            if kind == shape::Interpolation::Radial {
                push(format!("{name}: 1 at the own node, 0 at others"), found.delta, 1e-10, "eq. (10)");
            }
        }
        let laws = [
            (ElasticLaw::SaintVenantKirchhoff, "Saint Venant-Kirchhoff"),
            (ElasticLaw::NeoHookean, "neo-Hookean"),
        ];
        for (kind, name) in laws {
            for (plane, state) in
                [(PlaneCondition::Strain, "plane strain"), (PlaneCondition::Stress, "plane stress")]
            {
                let law = Elasticity::new(kind, plane, 1e6, 0.4)?;
                let found = identities::bulk(law, 0.0)?;
                let head = format!("{name}, {state}");
                push(
                    format!("{head}: forces against differences of energy"),
                    found.force,
                    TANGENT,
                    "eq. (A.4)",
                );
                push(format!("{head}: tangent against differences"), found.tangent, TANGENT, "eq. (A.3)");
                push(format!("{head}: forces after a turn by 2.5 rad"), found.turned, 1e-12, "none");
                let viscous = identities::bulk(law, 0.05)?.tangent;
                push(format!("{head}, viscous: tangent against differences"), viscous, TANGENT, "eq. (A.3)");
            }
        }
        let opposites = [
            (Opposite::Grain, "grain on grain", "appendix B"),
            (Opposite::Wall, "grain on wall", "appendix C"),
        ];
        for (opposite, name, source) in opposites {
            for (friction, how) in [(0.0, "without friction"), (0.01, "sliding"), (10.0, "sticking")] {
                for (height, place) in [(-0.03, "inside"), (0.04, "outside")] {
                    let meeting = NodeMeeting { opposite, friction, height };
                    let error = meeting.tangent_error().ok_or("there is no closest point")?;
                    push(
                        format!("{name}, {how}, {place}: tangent against differences"),
                        error,
                        TANGENT,
                        source,
                    );
                }
            }
        }
        Ok(())
    }
}
