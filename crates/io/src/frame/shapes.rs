//! The shapes of a run, in one file beside its frames (`frames/shapes.h5`), because they do not change: of polyhedra,
//! corners and faces are many times the rest of a frame. A frame's column `shape` counts in it.
//!
//! Flat columns in `/Rubblepile/shapes`, each list preceded by its offsets: shape `s` has the parts
//! `first_part[s]..first_part[s + 1]`, part `p` the corners `first_vertex[p]..` of `vertices` and the faces
//! `first_face[p]..`, face `f` the entries `first_corner[f]..` of `corners`, which count the part's own vertices.
//! Shape 0 is the sphere and has no parts.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use glam::DVec3;
use rubblepile_core::{Convex, Shape, Solid};
use rust_hdf5::H5File;

use super::{
    read::{ReadFault, Reader, guarded},
    write::{Hdf, column, failed},
};
use crate::{
    atomic,
    checkpoint::is_sound_solid,
    error::{FileError, Result},
};

/// Its name in the folder of the frames.
pub const NAME: &str = "shapes.h5";

/// The file that goes with a frame.
pub fn path_beside(frame: &Path) -> PathBuf {
    frame.with_file_name(NAME)
}

/// Writes the shapes, whole or not at all.
pub fn write(path: &Path, shapes: &[Shape]) -> Result<()> {
    atomic::replace(path, |temporary| fill(temporary, shapes).map_err(|e| failed(path, e)))
}

fn fill(path: &Path, shapes: &[Shape]) -> Hdf<()> {
    let (mut first_part, mut first_vertex, mut first_face, mut first_corner) =
        (vec![0u64], vec![0u64], vec![0u64], vec![0u64]);
    let (mut vertices, mut corners): (Vec<DVec3>, Vec<u32>) = (Vec::new(), Vec::new());
    let (mut volume, mut inertia, mut radius) = (Vec::new(), Vec::new(), Vec::new());
    let sphere = Solid::default();
    for shape in shapes {
        let solid = shape.solid().map_or(&sphere, |s| &**s);
        for part in &solid.parts {
            vertices.extend(&part.vertices);
            first_vertex.push(vertices.len() as u64);
            for face in &part.faces {
                corners.extend(face);
                first_corner.push(corners.len() as u64);
            }
            first_face.push(first_corner.len() as u64 - 1);
        }
        first_part.push(first_vertex.len() as u64 - 1);
        volume.push(solid.volume);
        inertia.push(solid.inertia);
        radius.push(solid.radius);
    }
    let file = H5File::options().no_locking().create(path)?;
    let group = file.create_group("Rubblepile")?.create_group("shapes")?;
    let n = shapes.len();
    column(&group, "first_part", &[n + 1], &first_part)?;
    column(&group, "first_vertex", &[first_vertex.len()], &first_vertex)?;
    column(&group, "first_face", &[first_face.len()], &first_face)?;
    column(&group, "first_corner", &[first_corner.len()], &first_corner)?;
    column(&group, "corners", &[corners.len()], &corners)?;
    column::<f64>(&group, "vertices", &[vertices.len(), 3], bytemuck::cast_slice(&vertices))?;
    column(&group, "volume", &[n], &volume)?;
    column::<f64>(&group, "inertia", &[n, 3], bytemuck::cast_slice(&inertia))?;
    column(&group, "radius", &[n], &radius)?;
    file.close()
}

/// Reads the shapes of a run.
pub fn read(path: &Path) -> Result<Vec<Shape>> {
    let help = "without it spheres stand for the bodies: export as csv or xyz, or from the checkpoint, which has the \
                shapes too";
    let missing = |e: FileError| match e {
        FileError::Io { source, .. } if source.kind() == std::io::ErrorKind::NotFound => FileError::NoRun {
            path: path.parent().unwrap_or(Path::new(".")).to_path_buf(),
            what: format!("the shapes of the bodies are not there ({NAME})"),
            help: help.into(),
        },
        other => other,
    };
    guarded(path, help, parse).map_err(missing)
}

fn parse(reader: &Reader) -> std::result::Result<Vec<Shape>, ReadFault> {
    let at = |name: &str| format!("Rubblepile/shapes/{name}");
    let first_part = reader.column::<u64>(&at("first_part"), None, 1)?;
    let first_vertex = reader.column::<u64>(&at("first_vertex"), None, 1)?;
    let first_face = reader.column::<u64>(&at("first_face"), None, 1)?;
    let first_corner = reader.column::<u64>(&at("first_corner"), None, 1)?;
    let corners = reader.column::<u32>(&at("corners"), None, 1)?;
    let vertices = reader.vectors(&at("vertices"), None)?;
    let n = Some(first_part.len().saturating_sub(1));
    let volume = reader.column::<f64>(&at("volume"), n, 1)?;
    let inertia = reader.vectors(&at("inertia"), n)?;
    let radius = reader.column::<f64>(&at("radius"), n, 1)?;
    let fault = |name: &str| (format!("/{}", at(name)), "its numbers do not fit together".to_string());
    let mut shapes = vec![Shape::Sphere];
    for s in 1..first_part.len().saturating_sub(1) {
        let mut parts = Vec::new();
        for p in range(&first_part, s).ok_or_else(|| fault("first_part"))? {
            let own =
                range(&first_vertex, p).and_then(|r| vertices.get(r)).ok_or_else(|| fault("first_vertex"))?;
            let faces = range(&first_face, p).ok_or_else(|| fault("first_face"))?;
            let faces = faces
                .map(|f| range(&first_corner, f).and_then(|r| corners.get(r)).map(<[u32]>::to_vec))
                .collect::<Option<Vec<_>>>()
                .ok_or_else(|| fault("first_corner"))?;
            parts.push(Convex { vertices: own.to_vec(), faces });
        }
        let solid = Solid { parts, volume: volume[s], inertia: inertia[s], radius: radius[s] };
        if !is_sound_solid(&solid) {
            return Err((format!("/{}", at("")), format!("shape {s} is no solid")));
        }
        shapes.push(Shape::Solid(Arc::new(solid)));
    }
    Ok(shapes)
}

/// What owner `k` has, of a list of offsets.
fn range(first: &[u64], k: usize) -> Option<std::ops::Range<usize>> {
    let (a, b) = (*first.get(k)?, *first.get(k + 1)?);
    // Offsets that go backwards would let a short file claim any number of faces.
    (a <= b).then_some(a as usize..b as usize)
}
