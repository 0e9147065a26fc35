//! Figures, tables and numbers of the five papers, and how far each is reproduced.
//!
//! A case lists the claims that it judges ([`crate::Case::claims`]) and makes its rows from them ([`Claim::row`]). From the claims of
//! all cases comes `validation/README.md`: [`table`] writes it, and a test compares. What is not judged is a claim as well, with
//! the reason, in the case that is nearest to it.
//!
//! A row whose disagreement is understood stays red ([`ValidateRow::red`]): it is printed with its reason and does not make
//! `validate` fail. A row that no longer needs its reason passes like any other.

use std::fmt::Write;

use crate::validate::{ValidateRow, cases};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paper {
    ContactDynamics2021,
    NbodyPolyhedra2017,
    HardSphere2011,
    Meshfree2016,
    AsteroidSurface2024,
}

impl Paper {
    pub const ALL: [Paper; 5] = [
        Paper::ContactDynamics2021,
        Paper::NbodyPolyhedra2017,
        Paper::HardSphere2011,
        Paper::Meshfree2016,
        Paper::AsteroidSurface2024,
    ];

    pub const fn claim(self, item: &'static str, what: &'static str, verdict: Verdict) -> Claim {
        Claim { paper: self, item, what, verdict }
    }

    /// A claim that holds within a tolerance, which says where it comes from.
    pub const fn reproduced(self, item: &'static str, what: &'static str, tolerance: &'static str) -> Claim {
        self.claim(item, what, Verdict::Reproduced { tolerance })
    }

    /// As in the sources of rows.
    pub fn name(self) -> &'static str {
        match self {
            Paper::ContactDynamics2021 => "contact-dynamics-2021",
            Paper::NbodyPolyhedra2017 => "nbody-polyhedra-2017",
            Paper::HardSphere2011 => "hard-sphere-2011",
            Paper::Meshfree2016 => "meshfree-2016",
            Paper::AsteroidSurface2024 => "asteroid-surface-2024",
        }
    }

    fn reference(self) -> &'static str {
        match self {
            Paper::ContactDynamics2021 => {
                "Sánchez, Renouf, Azéma, Mozul and Dubois, *Icarus* 363, 114441 (2021)"
            }
            Paper::NbodyPolyhedra2017 => {
                "Ferrari, Tasora, Masarati and Lavagna, *Multibody System Dynamics* 39, 3 (2017)"
            }
            Paper::HardSphere2011 => "Richardson, Walsh, Murdoch and Michel, *Icarus* 212, 427 (2011)",
            Paper::Meshfree2016 => {
                "Mollon, *International Journal for Numerical Methods in Engineering* 108, 1477 (2016)"
            }
            Paper::AsteroidSurface2024 => {
                "Song, Yu, Soldini, Cheng and Michel, *Monthly Notices of the Royal Astronomical Society* 532, 1307 (2024)"
            }
        }
    }
}

/// How far a claim is reproduced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Within the tolerance, which says where it comes from.
    Reproduced {
        tolerance: &'static str,
    },
    /// Some rows agree; why the others do not.
    Partly {
        tolerance: &'static str,
        missing: &'static str,
    },
    NotReproduced {
        why: &'static str,
    },
    NotAttempted {
        why: &'static str,
    },
}

impl Verdict {
    fn cells(self) -> (&'static str, String) {
        match self {
            Verdict::Reproduced { tolerance } => ("reproduced", tolerance.into()),
            Verdict::Partly { tolerance, missing } => ("partly", format!("{tolerance}. Missing: {missing}")),
            Verdict::NotReproduced { why } => ("**not reproduced**", why.into()),
            Verdict::NotAttempted { why } => ("not attempted", why.into()),
        }
    }
}

/// A figure, a table or a number of a paper, and how far it is reproduced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Claim {
    pub paper: Paper,
    /// "figure 8", "table 2", "section 4.1".
    pub item: &'static str,
    /// What the paper has there.
    pub what: &'static str,
    pub verdict: Verdict,
}

impl Claim {
    /// A row that judges this claim.
    pub fn row(
        &self,
        case: &str,
        quantity: impl Into<String>,
        reference: f64,
        ours: f64,
        tolerance: f64,
    ) -> ValidateRow {
        let source = format!("{}, {}", self.paper.name(), self.item);
        ValidateRow::new(case, quantity, reference, ours, tolerance, source)
    }
}

/// `validation/README.md`.
pub fn table() -> String {
    let cases = cases();
    let mut out = String::from(
        "# Validation: what is reproduced of the five papers\n\n\
         Every figure, table and number of the papers on which Rubblepile builds, and how far it is reproduced. Each case is a folder\n\
         here, with its physics, set-up, tolerances and last results.\n\n\
         ```\n\
         rubblepile validate atmosphere\n\
         rubblepile validate --all --jobs 2\n\
         rubblepile validate --claims > validation/README.md\n\
         ```\n\n\
         The last line writes this page from the cases themselves; a test fails when the two differ. `--full` runs a case at the paper's\n\
         size where the default is smaller. A row that is known not to agree is printed as `red` with its reason.\n",
    );
    for paper in Paper::ALL {
        let claims: Vec<(&str, &Claim)> = cases
            .iter()
            .flat_map(|case| case.claims().iter().map(|claim| (case.name(), claim)))
            .filter(|(_, claim)| claim.paper == paper)
            .collect();
        let count = |is: fn(&Verdict) -> bool| claims.iter().filter(|c| is(&c.1.verdict)).count();
        let _ = write!(
            out,
            "\n## {}\n\n{}: {} reproduced, {} partly, {} not reproduced, {} not attempted.\n\n\
             | item | what | | tolerance and why, or reason | case |\n|---|---|---|---|---|\n",
            paper.name(),
            paper.reference(),
            count(|v| matches!(v, Verdict::Reproduced { .. })),
            count(|v| matches!(v, Verdict::Partly { .. })),
            count(|v| matches!(v, Verdict::NotReproduced { .. })),
            count(|v| matches!(v, Verdict::NotAttempted { .. })),
        );
        for (case, claim) in claims {
            let (verdict, why) = claim.verdict.cells();
            let _ = writeln!(
                out,
                "| {} | {} | {verdict} | {why} | [{case}]({case}/README.md) |",
                claim.item, claim.what
            );
        }
    }
    let others: Vec<String> = cases
        .iter()
        .filter(|case| case.claims().is_empty())
        .map(|case| format!("[{0}]({0}/README.md) ({1})", case.name(), case.about()))
        .collect();
    let _ = write!(
        out,
        "\n## Exact solutions and other sources\n\nCases that judge no figure of the five papers: {}.\n",
        others.join("; ")
    );
    out
}
