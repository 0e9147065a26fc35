//! Writing a frame as VTKHDF.

use std::path::Path;

use glam::DVec3;
use rust_hdf5::{DatatypeMessage, H5File, H5Group, H5Type, Hdf5Error};

use super::{
    FrameData, FrameInfo, deformable,
    fields::{bodies, world},
};
use crate::{
    atomic,
    error::{FileError, Result},
};

pub(super) type Hdf<T> = std::result::Result<T, Hdf5Error>;

/// Writes a frame, whole or not at all.
pub fn write(path: &Path, frame: &FrameData) -> Result<()> {
    atomic::replace(path, |temporary| fill(temporary, frame).map_err(|e| failed(path, e)))
}

/// A full disk must be recognised as such behind the library's own error.
pub(super) fn failed(path: &Path, error: Hdf5Error) -> FileError {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(&error);
    while let Some(e) = cause {
        if let Some(code) = e.downcast_ref::<std::io::Error>().and_then(|io| io.raw_os_error()) {
            let source = std::io::Error::from_raw_os_error(code);
            return FileError::Io { doing: "write", path: path.to_path_buf(), source };
        }
        cause = e.source();
    }
    let source = std::io::Error::other(error.to_string());
    FileError::Io { doing: "write", path: path.to_path_buf(), source }
}

fn fill(path: &Path, frame: &FrameData) -> Hdf<()> {
    // The name is temporary and unique: no lock is needed, and some network disks have none.
    let file = H5File::options().no_locking().create(path)?;
    match &frame.deformable {
        Some(nodes) => deformable::fill(&file, frame, nodes)?,
        None => spheres_and_rocks(&file, frame)?,
    }
    file.close()
}

/// The group that VTK reads, with its points.
pub(super) fn polydata(file: &H5File, points: &[DVec3]) -> Hdf<H5Group> {
    let n = points.len();
    let vtk = file.create_group("VTKHDF")?;
    vtk.set_attr_array_numeric::<i64>("Version", &[2, 0])?;
    // VTK reads nothing but a fixed-length ASCII string here.
    vtk.set_attr_typed("Type", text_type(8), b"PolyData".to_vec())?;
    column::<i64>(&vtk, "NumberOfPoints", &[1], &[n as i64])?;
    column::<f64>(&vtk, bodies::POINTS, &[n, 3], bytemuck::cast_slice(points))?;
    Ok(vtk)
}

fn spheres_and_rocks(file: &H5File, frame: &FrameData) -> Hdf<()> {
    let n = frame.len();
    let vtk = polydata(file, &frame.position)?;
    let numbers: Vec<i64> = (0..=n as i64).collect();
    cells(&vtk, "Vertices", &numbers[..n], &numbers)?;
    for empty in ["Lines", "Polygons", "Strips"] {
        cells(&vtk, empty, &[], &[0])?;
    }

    let data = vtk.create_group("PointData")?;
    column::<f64>(&data, bodies::VELOCITY, &[n, 3], bytemuck::cast_slice(&frame.velocity))?;
    column::<f64>(&data, bodies::SPIN, &[n, 3], bytemuck::cast_slice(&frame.spin))?;
    // The order that VTK's glyphs take.
    let turns: Vec<[f64; 4]> = frame.orientation.iter().map(|q| [q.w, q.x, q.y, q.z]).collect();
    column::<f64>(&data, bodies::ORIENTATION, &[n, 4], turns.as_flattened())?;
    column(&data, bodies::SHAPE, &[n], &frame.shape)?;
    column(&data, bodies::RADIUS, &[n], &frame.radius)?;
    column(&data, bodies::MASS, &[n], &frame.mass)?;
    column(&data, bodies::ID, &[n], &frame.id)?;
    column(&data, bodies::GROUP, &[n], &frame.group)?;
    column(&data, bodies::MATERIAL, &[n], &frame.material)?;
    column(&data, bodies::CONTACTS, &[n], &frame.contacts)?;

    if let Some((position, velocity)) = &frame.body {
        column::<f64>(&data, bodies::BODY_POSITION, &[n, 3], bytemuck::cast_slice(position))?;
        column::<f64>(&data, bodies::BODY_VELOCITY, &[n, 3], bytemuck::cast_slice(velocity))?;
    }

    let field = vtk.create_group("FieldData")?;
    column(&field, world::TIME, &[1], &[frame.time])?;
    column(&field, world::STEP, &[1], &[frame.about.step])?;

    let asteroids = &frame.about.asteroids;
    if !asteroids.is_empty() {
        let m = asteroids.len();
        let places: Vec<[f64; 3]> = asteroids.iter().map(|a| a.position).collect();
        let turns: Vec<[f64; 4]> = asteroids.iter().map(|a| a.orientation).collect();
        let spins: Vec<[f64; 3]> = asteroids.iter().map(|a| a.spin).collect();
        column::<f64>(&field, world::ASTEROID_POSITION, &[m, 3], places.as_flattened())?;
        column::<f64>(&field, world::ASTEROID_ORIENTATION, &[m, 4], turns.as_flattened())?;
        column::<f64>(&field, world::ASTEROID_SPIN, &[m, 3], spins.as_flattened())?;
    }

    about(file, &frame.about)
}

/// Metadata that VTK has no place for.
pub(super) fn about(file: &H5File, about: &FrameInfo) -> Hdf<()> {
    let about = serde_json::to_string(about).map_err(|e| Hdf5Error::InvalidState(e.to_string()))?;
    let own = file.create_group("Rubblepile")?;
    own.new_dataset::<u8>()
        .datatype(text_type(about.len()))
        .scalar()
        .create("about")?
        .write_raw_bytes(about.as_bytes())
}

/// Fixed-length text, padded with zeros.
fn text_type(size: usize) -> DatatypeMessage {
    DatatypeMessage::FixedString { size: size as u32, padding: 1, charset: 0 }
}

pub(super) fn column<T: H5Type>(group: &H5Group, name: &str, shape: &[usize], values: &[T]) -> Hdf<()> {
    let data = group.new_dataset::<T>().shape(shape).create(name)?;
    // The library gives an empty dataset no storage, and so refuses to write nothing to it.
    if values.is_empty() { Ok(()) } else { data.write_raw(values) }
}

pub(super) fn cells(vtk: &H5Group, name: &str, connectivity: &[i64], offsets: &[i64]) -> Hdf<()> {
    let group = vtk.create_group(name)?;
    column(&group, "NumberOfCells", &[1], &[offsets.len() as i64 - 1])?;
    column(&group, "NumberOfConnectivityIds", &[1], &[connectivity.len() as i64])?;
    column(&group, "Connectivity", &[connectivity.len()], connectivity)?;
    column(&group, "Offsets", &[offsets.len()], offsets)
}
