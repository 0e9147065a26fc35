//! The surface of the largest aggregate of a checkpoint: its alpha shape (nbody-polyhedra-2017, section 4.2), as OBJ or VTP.

use std::{
    io::Write,
    path::{Path, PathBuf},
};

use rubblepile_core::World;
use rubblepile_probe::{AlphaSurface, Envelope, aggregates, remembered_contacts};

use crate::{
    atomic, checkpoint,
    error::{FileError, Result},
    table::push_number,
};

/// The input, format and output of an export.
#[derive(Debug, Clone)]
pub struct SurfaceRequest {
    /// A checkpoint, or a run directory.
    pub input: PathBuf,
    /// VTP instead of OBJ.
    pub vtp: bool,
    /// Radius of the ball that rolls over the bodies, m; `None`: from their sizes.
    pub alpha: Option<f64>,
    /// `None`: `surface.obj` or `surface.vtp` beside the checkpoint.
    pub output: Option<PathBuf>,
    pub overwrite: bool,
}

/// Writes the surface, and gives it with the file it is in.
pub fn export_surface(request: &SurfaceRequest) -> Result<(Envelope, PathBuf)> {
    let (path, world) = if request.input.is_dir() {
        let found = checkpoint::find(&request.input)?;
        (found.path, found.world)
    } else {
        (request.input.clone(), checkpoint::read(&request.input)?.1)
    };
    let envelope = largest(&path, &world, request.alpha)?;
    let name = if request.vtp { "surface.vtp" } else { "surface.obj" };
    let written = request.output.clone().unwrap_or_else(|| path.with_file_name(name));
    super::refuse_overwriting(request.overwrite, &written)?;
    atomic::write(&written, |out| {
        let text = if request.vtp { vtp(&envelope.surface) } else { obj(&envelope) };
        out.write_all(text.as_bytes()).map_err(FileError::io("write", &written))
    })?;
    Ok((envelope, written))
}

fn largest(path: &Path, world: &World, alpha: Option<f64>) -> Result<Envelope> {
    let refuse = |what: String| FileError::NoRun {
        path: path.to_path_buf(),
        what,
        help: "a surface needs a cluster of touching bodies; see `rubblepile info`".into(),
    };
    let contacts = remembered_contacts(world);
    let all = aggregates(world, &contacts).map_err(|e| refuse(e.to_string()))?;
    let rows = &all.first().ok_or_else(|| refuse("no two bodies touch in it".into()))?.rows;
    Envelope::of_rows(world, rows, alpha).map_err(|e| refuse(e.to_string()))
}

fn obj(envelope: &Envelope) -> String {
    let mut text = format!("# alpha shape, alpha = {} m, volume {:e} m3\n", envelope.alpha, envelope.volume);
    for v in &envelope.surface.vertices {
        text.push('v');
        for x in v.to_array() {
            text.push(' ');
            push_number(&mut text, x);
        }
        text.push('\n');
    }
    for [a, b, c] in &envelope.surface.triangles {
        text.push_str(&format!("f {} {} {}\n", a + 1, b + 1, c + 1));
    }
    text
}

fn vtp(surface: &AlphaSurface) -> String {
    let list = |values: &mut dyn Iterator<Item = String>| values.collect::<Vec<_>>().join(" ");
    let points = list(&mut surface.vertices.iter().map(|v| format!("{:?} {:?} {:?}", v.x, v.y, v.z)));
    let corners = list(&mut surface.triangles.iter().map(|[a, b, c]| format!("{a} {b} {c}")));
    let ends = list(&mut (1..=surface.triangles.len()).map(|k| (3 * k).to_string()));
    format!(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\">\n<PolyData>\n\
         <Piece NumberOfPoints=\"{}\" NumberOfVerts=\"0\" NumberOfLines=\"0\" NumberOfStrips=\"0\" NumberOfPolys=\"{}\">\n\
         <Points>\n<DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"ascii\">\n{points}\n</DataArray>\n</Points>\n\
         <Polys>\n<DataArray type=\"Int64\" Name=\"connectivity\" format=\"ascii\">\n{corners}\n</DataArray>\n\
         <DataArray type=\"Int64\" Name=\"offsets\" format=\"ascii\">\n{ends}\n</DataArray>\n</Polys>\n\
         </Piece>\n</PolyData>\n</VTKFile>\n",
        surface.vertices.len(),
        surface.triangles.len()
    )
}
