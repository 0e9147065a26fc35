//! What the user chooses of contact dynamics.

/// How the contact problem of a step is solved. All three solve the same problem to the same residual.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Solver {
    /// Contact by contact: non-smooth Gauss-Seidel, eqs (8), (12), (13) and Table 1 of contact-dynamics-2021.
    GaussSeidel,
    /// All contacts at once: projected gradient with Nesterov's acceleration (nbody-polyhedra-2017, [34]).
    AcceleratedGradient,
    /// All contacts at once: spectral projected gradient with Barzilai-Borwein steps (nbody-polyhedra-2017, [33]).
    SpectralGradient,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    pub solver: Solver,
    /// Theta of eqs (4) and (5), from 0.5 (second order between contacts, no numerical damping) to 1.
    pub theta: f64,
    /// The residual of the contact problem, relative to its load, at which a step counts as solved.
    pub tolerance: f64,
    /// Most iterations of a step.
    pub iterations: u32,
    /// The run stops after so many steps in a row whose problem was not solved; 0: never.
    pub unsolved_steps: u64,
    /// Gap below which two bodies may come to touch within a step, m; `None`: from sizes and speeds.
    pub margin: Option<f64>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            solver: Solver::GaussSeidel,
            theta: 0.5,
            tolerance: 1e-3,
            iterations: 200,
            unsolved_steps: 1000,
            margin: None,
        }
    }
}
