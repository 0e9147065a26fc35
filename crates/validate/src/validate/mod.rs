//! `validate`: comparison with published results and exact solutions, one row per number.

mod accretion;
mod aggregation;
mod asteroid;
mod atmosphere;
mod bed;
mod collapse;
mod collision;
mod compaction;
mod deformable;
mod deformable_balance;
mod deformable_identities;
mod diffusion;
mod figure_11;
mod free_rotation;
mod gas;
mod hopper;
mod impact;
mod kepler;
mod landslide;
mod mesh_contact;
mod methods;
pub(crate) mod pile;
mod plane;
pub(crate) mod polyhedron;
mod rigid;
pub(crate) mod settled;
mod soft_nonsmooth;
mod solvers;
mod spin_up;
mod stick_slip;
mod tree_error;
mod tumbler;
mod walls;
mod wrong_field;

use serde::Serialize;

use crate::cases::{Case, Row};

/// All cases, in the order they are run in.
pub fn cases() -> Vec<Box<dyn Case<Row = ValidateRow>>> {
    vec![
        Box::new(impact::Impact),
        Box::new(plane::SlideRoll),
        Box::new(plane::Slope),
        Box::new(hopper::Hopper),
        Box::new(collapse::Collapse),
        Box::new(accretion::Spheres),
        Box::new(accretion::Polyhedra),
        Box::new(spin_up::SpinUp),
        Box::new(aggregation::Aggregation),
        Box::new(atmosphere::Atmosphere),
        Box::new(tumbler::Tumbler),
        Box::new(gas::Enskog),
        Box::new(gas::Haff),
        Box::new(diffusion::Diffusion),
        Box::new(walls::Walls),
        Box::new(methods::Methods),
        Box::new(kepler::Kepler),
        Box::new(tree_error::TreeError),
        Box::new(polyhedron::Gravity),
        Box::new(mesh_contact::MeshContact),
        Box::new(asteroid::Conservation),
        Box::new(landslide::Landslide),
        Box::new(landslide::Fission),
        Box::new(free_rotation::FreeRotation),
        Box::new(stick_slip::StickSlip),
        Box::new(solvers::Solvers),
        Box::new(soft_nonsmooth::SoftNonsmooth),
        Box::new(deformable::Patch),
        Box::new(deformable::HertzDisc),
        Box::new(deformable::BouncingDisc),
        Box::new(deformable_balance::DeformableBalance),
        Box::new(deformable_identities::DeformableIdentities),
        Box::new(compaction::Compaction),
    ]
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ValidateRow {
    pub case: String,
    pub quantity: String,
    pub reference: f64,
    pub ours: f64,
    /// Largest difference that passes, in the unit of the quantity.
    pub tolerance: f64,
    pub pass: bool,
    /// Where the reference comes from: paper, section, equation or figure.
    pub source: String,
    /// Why it is known not to agree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_reproduced: Option<String>,
}

impl ValidateRow {
    pub fn new(
        case: &str,
        quantity: impl Into<String>,
        reference: f64,
        ours: f64,
        tolerance: f64,
        source: impl Into<String>,
    ) -> Self {
        let (quantity, source) = (quantity.into(), source.into());
        // NaN passes nothing.
        let pass = (ours - reference).abs() <= tolerance;
        ValidateRow {
            case: case.into(),
            quantity,
            reference,
            ours,
            tolerance,
            pass,
            source,
            not_reproduced: None,
        }
    }

    /// A row that is known not to agree: printed red with this reason, and no failure of the case.
    pub fn red(self, why: impl Into<String>) -> Self {
        ValidateRow { not_reproduced: Some(why.into()), ..self }
    }
}

impl Row for ValidateRow {
    fn passed(&self) -> bool {
        self.pass
    }

    fn expected_to_fail(&self) -> bool {
        self.not_reproduced.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::ValidateRow;

    #[test]
    fn nan_does_not_pass() {
        assert!(ValidateRow::new("x", "q", 1.0, 1.1, 0.2, "s").pass);
        assert!(!ValidateRow::new("x", "q", 1.0, 1.3, 0.2, "s").pass);
        assert!(!ValidateRow::new("x", "q", 1.0, f64::NAN, 0.2, "s").pass);
        assert!(!ValidateRow::new("x", "q", f64::NAN, 1.0, f64::INFINITY, "s").pass);
    }
}
