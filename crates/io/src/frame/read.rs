//! Reading a frame back. Only frames of this program are meant: columns with other names are left alone.
//!
//! The HDF5 library is asked in a way that cannot take the program down: sizes are held against the length of the
//! file before anything is read, and a panic of the library on a damaged file becomes an error.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
};

use glam::{DQuat, DVec3};
use rubblepile_core::Shape;
use rust_hdf5::{H5File, H5Type, Hdf5Error};

use super::{FrameData, FrameInfo, deformable};
use crate::{
    error::{FileError, Result},
    input,
};

/// An error while reading: the place in the file, and the reason.
pub(super) type ReadFault = (String, String);

/// Reads a frame. Its shapes are in a file of their own: see `shapes`.
pub fn read(path: &Path) -> Result<FrameData> {
    let help = "remove it: `rubblepile resume` writes the frames after the checkpoint again, and \
                `rubblepile run` all of them";
    guarded(path, help, parse)
}

const FRAMES: &str = "frames are the files frames/*.vtkhdf in the directory of a run";

/// Opens an HDF5 file and lets `parse` read from it; what goes wrong in it, panics too, becomes an error.
pub(super) fn guarded<T>(
    path: &Path,
    help: &str,
    parse: impl FnOnce(&Reader) -> std::result::Result<T, ReadFault>,
) -> Result<T> {
    let length = std::fs::metadata(path).map_err(FileError::io("open", path))?.len();
    let mut signature = [0u8; 8];
    let opened = input::open(path).map_err(FileError::input("open", path, "frame", FRAMES))?;
    let read = std::io::Read::read(&mut &opened, &mut signature).map_err(FileError::io("read", path))?;
    if signature[..read] != *b"\x89HDF\r\n\x1a\n" {
        return Err(FileError::Foreign {
            path: path.to_path_buf(),
            expected: "frame",
            what: "it is not an HDF5 file".into(),
            help: FRAMES.into(),
        });
    }
    let outcome = crate::quiet::without_panic_message(|| {
        catch_unwind(AssertUnwindSafe(|| {
            let structure = |e: Hdf5Error| ("the HDF5 structure".to_string(), e.to_string());
            let file = H5File::options().no_locking().open(path).map_err(structure)?;
            parse(&Reader { file, length })
        }))
    });
    let (place, what) = match outcome {
        Ok(Ok(value)) => return Ok(value),
        Ok(Err(fault)) => fault,
        Err(_) => ("the HDF5 structure".into(), "the HDF5 library gave up on it".into()),
    };
    Err(FileError::Damaged { path: path.to_path_buf(), place, what, help: help.into() })
}

fn parse(reader: &Reader) -> std::result::Result<FrameData, ReadFault> {
    let kind = reader
        .file
        .root_group()
        .group("VTKHDF")
        .and_then(|g| g.attr_string("Type"))
        .map_err(|e| ("/VTKHDF".to_string(), e.to_string()))?;
    if kind.trim_end_matches('\0') != "PolyData" {
        return Err(("/VTKHDF".into(), format!("it holds `{}`, not points", kind.escape_debug())));
    }
    let about = reader.about()?;
    let time = reader.column::<f64>("VTKHDF/FieldData/time", Some(1), 1)?[0];
    if reader.has("VTKHDF/PointData/displacement") {
        return deformable::parse(reader, time, about);
    }
    let position = reader.vectors("VTKHDF/Points", None)?;
    let n = Some(position.len());
    // Frames from before there were shapes are of spheres.
    let old = !reader.has("VTKHDF/PointData/shape");
    let (orientation, shape) = if old {
        (vec![DQuat::IDENTITY; position.len()], vec![0; position.len()])
    } else {
        let turns = reader.column::<f64>("VTKHDF/PointData/orientation", n, 4)?;
        let turns = turns.chunks_exact(4).map(|q| DQuat::from_xyzw(q[1], q[2], q[3], q[0]));
        (turns.collect(), reader.column("VTKHDF/PointData/shape", n, 1)?)
    };
    Ok(FrameData {
        surfaces: Vec::new(),
        body: None,
        deformable: None,
        time,
        about,
        orientation,
        shape,
        shapes: vec![Shape::Sphere],
        velocity: reader.vectors("VTKHDF/PointData/velocity", n)?,
        spin: reader.vectors("VTKHDF/PointData/spin", n)?,
        radius: reader.column("VTKHDF/PointData/radius", n, 1)?,
        mass: reader.column("VTKHDF/PointData/mass", n, 1)?,
        id: reader.column("VTKHDF/PointData/id", n, 1)?,
        group: reader.column("VTKHDF/PointData/group", n, 1)?,
        material: reader.column("VTKHDF/PointData/material", n, 1)?,
        contacts: reader.column("VTKHDF/PointData/contacts", n, 1)?,
        position,
    })
}

pub(super) struct Reader {
    file: H5File,
    length: u64,
}

impl Reader {
    pub fn has(&self, name: &str) -> bool {
        self.file.dataset(name).is_ok()
    }

    /// A column of `rows` rows (any number if `None`) of `width` numbers.
    pub fn column<T: H5Type>(
        &self,
        name: &str,
        rows: Option<usize>,
        width: usize,
    ) -> std::result::Result<Vec<T>, ReadFault> {
        let fault = |what: String| (format!("/{name}"), what);
        let data = self.file.dataset(name).map_err(|e| fault(e.to_string()))?;
        let shape = data.shape();
        let count = shape.iter().try_fold(1usize, |a, &b| a.checked_mul(b));
        let expected = rows.or(shape.first().copied()).and_then(|r| r.checked_mul(width));
        if count.is_none() || count != expected || shape.len() != if width == 1 { 1 } else { 2 } {
            return Err(fault(format!("its shape is {shape:?}")));
        }
        // Frames are not compressed, so no column is longer than its file.
        let bytes = count.and_then(|c| c.checked_mul(T::element_size())).unwrap_or(usize::MAX);
        if bytes as u64 > self.length {
            return Err(fault(format!("it claims {bytes} bytes in a file of {}", self.length)));
        }
        if count == Some(0) {
            return Ok(Vec::new());
        }
        let values = data.read_raw::<T>().map_err(|e| fault(e.to_string()))?;
        if Some(values.len()) != count {
            return Err(fault(format!("{} values came for the shape {shape:?}", values.len())));
        }
        Ok(values)
    }

    pub fn vectors(&self, name: &str, rows: Option<usize>) -> std::result::Result<Vec<DVec3>, ReadFault> {
        let values = self.column::<f64>(name, rows, 3)?;
        Ok(values.chunks_exact(3).map(DVec3::from_slice).collect())
    }

    fn about(&self) -> std::result::Result<FrameInfo, ReadFault> {
        const NAME: &str = "Rubblepile/about";
        let fault = |what: String| (format!("/{NAME}"), what);
        let data = self.file.dataset(NAME).map_err(|e| fault(format!("{e}: not a frame of rubblepile?")))?;
        if data.element_size() as u64 > self.length {
            return Err(fault("it is longer than the file".into()));
        }
        let bytes = data.read_raw_bytes().map_err(|e| fault(e.to_string()))?;
        serde_json::from_slice(&bytes).map_err(|e| fault(e.to_string()))
    }
}
