//! Files that are given from outside: read only if they are regular files, and not if they are absurdly large. Pipes and
//! devices (`/dev/zero`) may have no end or never begin; a scenario is also read twice.

use std::{
    fs::{self, File},
    io::{self, Read},
    path::Path,
};

/// Larger than any scenario that a person or a script writes: grains belong in CSV files.
pub const SCENARIO_LIMIT: u64 = 64 << 20;
/// Larger than ten million grains, or a shape model of as many facets.
pub const DATA_LIMIT: u64 = 1 << 30;

/// Opens a regular file. Its type is checked before it is opened, because opening a pipe waits for its other end.
pub fn open(path: &Path) -> io::Result<File> {
    let kind = fs::metadata(path)?.file_type();
    if kind.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a directory"));
    }
    if !kind.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
    }
    File::open(path)
}

/// The bytes of a regular file of at most `limit` bytes.
pub fn read(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    // One byte more than is allowed is enough to know; the length that the system tells may be out of date.
    open(path)?.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        let message = format!("it is larger than {} MiB", limit >> 20);
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
    }
    Ok(bytes)
}

/// The text of a data file, or why it cannot be read and what to try. `format` says what the file must be.
pub fn text(path: &Path, format: &'static str) -> Result<String, (String, &'static str)> {
    let name = path.display();
    let bytes = read(path, DATA_LIMIT)
        .map_err(|e| (format!("cannot read {name}: {e}"), "paths start at the scenario's folder"))?;
    String::from_utf8(bytes).map_err(|_| (format!("{name} is not a text file"), format))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Scratch;

    #[test]
    fn only_regular_files_up_to_the_limit_are_read() {
        let scratch = Scratch::new("input");
        let file = scratch.path().join("file");
        fs::write(&file, "four").unwrap();
        assert_eq!(read(&file, 4).unwrap(), b"four");
        assert_eq!(read(&file, 3).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        assert_eq!(read(scratch.path(), 4).unwrap_err().kind(), io::ErrorKind::IsADirectory);
        assert_eq!(read(&scratch.path().join("none"), 4).unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    #[cfg(unix)]
    #[test]
    fn devices_and_pipes_without_an_end_are_refused() {
        let scratch = Scratch::new("input-pipe");
        let pipe = scratch.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        // Neither the device's endless zeros nor a writer that never comes.
        for path in [Path::new("/dev/zero"), &pipe] {
            assert_eq!(
                read(path, 1 << 40).unwrap_err().kind(),
                io::ErrorKind::InvalidInput,
                "{}",
                path.display()
            );
        }
    }
}
