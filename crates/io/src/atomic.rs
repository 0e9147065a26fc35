//! Atomic files: written under another name in the same directory, made durable, then
//! renamed into place. What was there under the name before stays until then.

use std::{
    ffi::OsString,
    fs::{self, File},
    io::{BufWriter, Write},
    path::{Path, PathBuf},
};

use crate::error::{FileError, Result};

/// The name a file has while it is being written.
pub fn temporary_name(path: &Path) -> PathBuf {
    let mut name = path.file_name().map(OsString::from).unwrap_or_else(|| OsString::from("file"));
    name.push(".tmp");
    path.with_file_name(name)
}

/// Writes a file through `fill`, whole or not at all.
pub fn write<F>(path: &Path, fill: F) -> Result<()>
where
    F: FnOnce(&mut BufWriter<File>) -> Result<()>,
{
    replace(path, |temporary| {
        let file = File::create(temporary).map_err(FileError::io("create", temporary))?;
        let mut out = BufWriter::with_capacity(1 << 18, file);
        fill(&mut out)?;
        let file = out.into_inner().map_err(|e| FileError::io("write", path)(e.into_error()))?;
        file.sync_all().map_err(FileError::io("write", path))
    })
}

/// The same for text that is at hand.
pub fn write_text(path: &Path, text: &str) -> Result<()> {
    write(path, |out| out.write_all(text.as_bytes()).map_err(FileError::io("write", path)))
}

/// Lets `make` write and close a file under a temporary name, and renames it into place if that went well; removes
/// it if not.
pub fn replace<F>(path: &Path, make: F) -> Result<()>
where
    F: FnOnce(&Path) -> Result<()>,
{
    let temporary = temporary_name(path);
    let made = make(&temporary)
        .and_then(|()| fs::rename(&temporary, path).map_err(FileError::io("rename into place", path)));
    match made {
        Ok(()) => sync_directory(path),
        Err(error) => {
            // What is left of it is of no use, and on a full disk it is in the way.
            let _ = fs::remove_file(&temporary);
            Err(error)
        }
    }
}

/// Makes a rename durable: it is the directory that changes. Windows cannot open a directory as a file; NTFS journals the rename.
pub fn sync_directory(of: &Path) -> Result<()> {
    if cfg!(windows) {
        return Ok(());
    }
    let directory = match of.parent() {
        Some(p) if !p.as_os_str().is_empty() => p,
        _ => Path::new("."),
    };
    let handle = File::open(directory).map_err(FileError::io("open", directory))?;
    // Some file systems cannot sync a directory; then there is nothing more that could be done.
    match handle.sync_all() {
        Err(e) if e.kind() != std::io::ErrorKind::InvalidInput => Err(FileError::io("write", directory)(e)),
        _ => Ok(()),
    }
}
