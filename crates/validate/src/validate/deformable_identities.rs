//! `deformable-identities`: identities of deformable grains: shape functions, forces and tangents.

use rubblepile_meshfree::{
    law::{ElasticLaw, Elasticity, PlaneCondition},
    shape,
};

use super::ValidateRow;
use crate::{
    cases::{Case, CaseError, Options, Rows},
    claims::{Claim, Paper},
    workload::deformable::identities::{self, NodeMeeting, Opposite},
};

pub struct DeformableIdentities;

/// What a central difference may be off.
const TANGENT: f64 = 1e-6;

const PAPER: Paper = Paper::Meshfree2016;

const DOMAINS: Claim = PAPER.reproduced(
    "figure 1",
    "a domain of influence encloses exactly 20 other field nodes",
    "exact: a count",
);
const SHAPES: Claim = PAPER.reproduced(
    "figure 2; eqs (1)-(10)",
    "shape functions interpolate, and reproduce quadratic fields and their gradients",
    "rounding: 1e-11, gradients 1e-9; differences 1e-6",
);
const QUADRATURE: Claim = PAPER.reproduced(
    "figure 3",
    "six Gauss points per triangle",
    "rounding: 1e-12; a polynomial of the fourth degree over the disc of figures 1 to 3",
);
const CLOSEST: Claim = PAPER.reproduced(
    "figure 4; eqs (15)-(20)",
    "the closest point of the smooth outline, to a residual of 1e-16",
    "two ulp of a length of 1: 5e-16",
);
const BULK: Claim = PAPER.reproduced(
    "appendix A",
    "forces and consistent tangent of a grain",
    "central differences: 1e-6; no force after a rotation: rounding, 1e-12",
);
const ELEMENTS: Claim = PAPER.reproduced(
    "appendices B and C",
    "contact elements and their consistent tangents",
    "central differences: 1e-6",
);
const CLAIMS: [Claim; 6] = [DOMAINS, SHAPES, QUADRATURE, CLOSEST, BULK, ELEMENTS];

impl Case for DeformableIdentities {
    type Row = ValidateRow;

    fn name(&self) -> &'static str {
        "deformable-identities"
    }

    fn about(&self) -> &'static str {
        "shape functions of deformable grains, tangents against finite differences, rigid rotation without stress"
    }

    fn claims(&self) -> &'static [Claim] {
        &CLAIMS
    }

    fn wrongs(&self) -> &'static [&'static str] {
        &["value", "slope", "radius", "weight", "force", "tangent", "turn", "closest"]
    }

    fn run(&self, options: &Options, rows: &Rows<ValidateRow>) -> Result<(), CaseError> {
        let wrong = &options.wrong;
        let push = |claim: &Claim, what: String, ours: f64, tolerance: f64| {
            rows.push(claim.row(self.name(), what, 0.0, ours, tolerance));
        };
        for (kind, name) in
            [(shape::Interpolation::Radial, "radial"), (shape::Interpolation::LeastSquares, "least squares")]
        {
            let found = identities::shape_functions(kind, wrong)?;
            push(&SHAPES, format!("{name}: sum of shape functions less 1"), found.unity, 1e-11);
            push(&SHAPES, format!("{name}: a quadratic field"), found.quadratic, 1e-11);
            push(&SHAPES, format!("{name}: the slope of a quadratic field"), found.slope, 1e-9);
            push(&SHAPES, format!("{name}: slopes against differences"), found.difference, TANGENT);
            if kind == shape::Interpolation::Radial {
                push(&SHAPES, format!("{name}: 1 at the own node, 0 at others"), found.delta, 1e-10);
                push(
                    &DOMAINS,
                    "nodes in a domain of influence less 20, at most".into(),
                    found.neighbours,
                    0.0,
                );
                let what = "integral of a quartic over the disc, relative error";
                push(&QUADRATURE, what.into(), found.quadrature, 1e-12);
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
                let found = identities::bulk(law, 0.0, wrong)?;
                let head = format!("{name}, {state}");
                push(&BULK, format!("{head}: forces against differences of energy"), found.force, TANGENT);
                push(&BULK, format!("{head}: tangent against differences"), found.tangent, TANGENT);
                push(&BULK, format!("{head}: forces after a turn by 2.5 rad"), found.turned, 1e-12);
                let viscous = identities::bulk(law, 0.05, wrong)?.tangent;
                push(&BULK, format!("{head}, viscous: tangent against differences"), viscous, TANGENT);
            }
        }
        for (opposite, name) in [(Opposite::Grain, "grain on grain"), (Opposite::Wall, "grain on wall")] {
            for (friction, how) in [(0.0, "without friction"), (0.01, "sliding"), (10.0, "sticking")] {
                for (height, place) in [(-0.03, "inside"), (0.04, "outside")] {
                    let meeting = NodeMeeting { opposite, friction, height };
                    let none = "there is no closest point";
                    let error = meeting.tangent_error(wrong).ok_or(none)?;
                    push(
                        &ELEMENTS,
                        format!("{name}, {how}, {place}: tangent against differences"),
                        error,
                        TANGENT,
                    );
                    if opposite == Opposite::Grain && friction == 0.0 {
                        let error = meeting.closest_point_error(wrong).ok_or(none)?;
                        push(&CLOSEST, format!("residual of the closest point, {place}, m2"), error, 5e-16);
                    }
                }
            }
        }
        Ok(())
    }
}
