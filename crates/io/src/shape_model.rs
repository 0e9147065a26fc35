//! Shape models from users' files: read, repaired on request, and checked.

use std::path::Path;

use rubblepile_geometry::mesh::{self, Flaw, Mesh};

use crate::{generate::surface, input, scenario::ScenarioError};

/// A surface from a file.
#[derive(Debug, Clone, PartialEq)]
pub struct ShapeModel {
    /// m
    pub mesh: Mesh,
    /// What was done to it, in sentences.
    pub repairs: Vec<String>,
    /// What is wrong with it, still.
    pub flaws: Vec<Flaw>,
}

impl ShapeModel {
    /// From the text of a file; `name` is how it is called in messages, `unit` its unit of length in m.
    pub fn read(name: &str, text: &str, unit: f64, heal: bool) -> Result<Self, ScenarioError> {
        let mut mesh = surface::read(text)
            .map_err(|f| ScenarioError::at(f.message, name, text, f.span).with_help(f.help))?;
        mesh.vertices.iter_mut().for_each(|v| *v *= unit);
        let (mesh, repairs) = if heal { mesh::heal(mesh) } else { (mesh, Vec::new()) };
        let flaws = mesh::flaws(&mesh);
        Ok(ShapeModel { mesh, repairs, flaws })
    }
}

/// The text of a file, or an error with what to try.
pub fn text(path: &Path) -> Result<String, (String, &'static str)> {
    input::text(path, "it must be OBJ or a PDS plate model")
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPEN: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 4 3 2\n";

    #[test]
    fn a_model_is_scaled_looked_over_and_healed() {
        let as_given = ShapeModel::read("a.obj", OPEN, 1000.0, false).expect("a model");
        assert!(matches!(as_given.flaws[..], [Flaw::Twisted { .. }]), "{:?}", as_given.flaws);
        assert_eq!(as_given.mesh.vertices[1].x, 1000.0);
        let healed = ShapeModel::read("a.obj", OPEN, 1000.0, true).expect("a model");
        assert_eq!((healed.flaws.len(), healed.repairs.len()), (0, 1));
        assert!((mesh::mass(&healed.mesh).volume / (1e9 / 6.0) - 1.0).abs() < 1e-12);
        let error = ShapeModel::read("a.obj", "v 1 x 3", 1.0, false).expect_err("no number");
        assert_eq!(error.position(), Some((1, 1)));
    }
}
