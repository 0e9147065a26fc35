//! The list of frames with their times, in the form that ParaView opens as one time series
//! (`frames.vtkhdf.series`, JSON). It is extended in place, and rewritten on resume.

use std::{
    fs::{File, OpenOptions},
    io::{Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use serde::Deserialize;

use super::file_name;
use crate::{
    atomic,
    error::{FileError, Result},
};

/// Its name in a run directory.
pub const NAME: &str = "frames.vtkhdf.series";

const HEAD: &str = "{\n\"file-series-version\": \"1.0\",\n\"files\": [";
const TAIL: &str = "\n]\n}\n";

#[derive(Debug)]
pub struct FrameIndex {
    path: PathBuf,
    file: File,
    entries: u64,
}

#[derive(Deserialize)]
struct Stored {
    files: Vec<FrameEntry>,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct FrameEntry {
    pub name: String,
    pub time: f64,
}

impl FrameIndex {
    /// A new index with the first `frames` frames of the directory in it.
    pub fn create(directory: &Path, frames: u64) -> Result<Self> {
        let path = directory.join(NAME);
        let times = known_times(directory, frames);
        atomic::write_text(&path, &format!("{HEAD}{TAIL}"))?;
        let file = OpenOptions::new().write(true).open(&path).map_err(FileError::io("open", &path))?;
        let mut index = FrameIndex { path, file, entries: 0 };
        for (number, time) in times {
            index.push(number, time)?;
        }
        Ok(index)
    }

    pub fn push(&mut self, number: u64, time: f64) -> Result<()> {
        let comma = if self.entries == 0 { "" } else { "," };
        // `{:?}` writes the shortest digits that give the same number, and is JSON for finite ones.
        let entry =
            format!("{comma}\n{{\"name\": \"frames/{}\", \"time\": {time:?}}}{TAIL}", file_name(number));
        let write = |file: &mut File| {
            file.seek(SeekFrom::End(-(TAIL.len() as i64)))?;
            file.write_all(entry.as_bytes())
        };
        write(&mut self.file).map_err(FileError::io("write", &self.path))?;
        self.entries += 1;
        Ok(())
    }
}

/// The entries of the index of a directory; `None` if it is missing or incomplete.
pub fn entries(directory: &Path) -> Option<Vec<FrameEntry>> {
    let text = std::fs::read_to_string(directory.join(NAME)).ok()?;
    serde_json::from_str::<Stored>(&text).ok().map(|s| s.files)
}

/// Numbers and times of the frames before `frames`: from the old index, or from the frames themselves.
fn known_times(directory: &Path, frames: u64) -> Vec<(u64, f64)> {
    let listed = entries(directory).unwrap_or_default();
    let mut times = Vec::new();
    for number in 0..frames {
        let name = file_name(number);
        let path = directory.join("frames").join(&name);
        if !path.exists() {
            continue;
        }
        let wanted = format!("frames/{name}");
        // Entries lie in the order of their numbers, so look where this one should be first.
        let entry = listed
            .get(number as usize)
            .filter(|e| e.name == wanted)
            .or_else(|| listed.iter().find(|e| e.name == wanted));
        let time = entry.map(|e| e.time).or_else(|| super::read(&path).ok().map(|f| f.time));
        times.extend(time.map(|t| (number, t)));
    }
    times
}
