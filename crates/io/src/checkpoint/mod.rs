//! Checkpoints: the whole world and what is needed to go on writing its files, in one file.
//!
//! A checkpoint is written whole or not at all, and the one before it is kept (`checkpoint.prev.rpk`), so that a
//! disk that loses the newest still leaves one to resume from. What is read back is the same world, bit for bit.
//! The layout of the file is described in `core/src/archive/stream.rs`; every type lists its fields beside its definition.
//!
//! It does not hold what a method or a field can make again from the world, nor the wall-clock history of the run.

#[cfg(test)]
mod tests;
mod validate;

use std::{
    fs,
    io::{self, BufReader},
    path::{Path, PathBuf},
};

use rubblepile_core::{
    Part, World,
    archive::{Archive, ArchiveReader, ArchiveWriter, Damage, Opening, Read},
    archive_struct,
};

use crate::{
    atomic,
    error::{FileError, Result},
    frame::WallStyles,
    input,
    scenario::methods,
};
pub use validate::check;
pub(crate) use validate::is_sound_solid;

/// The first byte is no text, the last two show a transfer that changes line ends.
const MAGIC: &[u8; 8] = b"\x8aRUBBLE\n";
/// Version of the format that is written and read.
pub const VERSION: u32 = 11;

/// Names in a run directory.
pub const NEWEST: &str = "checkpoint.rpk";
pub const PREVIOUS: &str = "checkpoint.prev.rpk";

/// What is needed besides the world to resume a run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Meta {
    /// Version of the program that wrote it.
    pub program_version: String,
    /// The scenario with every default written out.
    pub scenario: String,
    /// Folder that relative paths of the scenario start at.
    pub base_directory: String,
    /// Name of the method.
    pub method: String,
    /// Length of `series.csv`, bytes, and its rows without the header.
    pub series_bytes: u64,
    pub series_rows: u64,
    /// Number of times each probe has been due.
    pub series_ticks: Vec<u64>,
    /// Number of the next frame and of the next contact table.
    pub next_frame: u64,
    pub next_contact_table: u64,
    /// Appearance of walls, for frames made from the checkpoint.
    pub wall_styles: WallStyles,
}

archive_struct!(Meta {
    program_version,
    scenario,
    base_directory,
    method,
    series_bytes,
    series_rows,
    series_ticks,
    next_frame,
    next_contact_table,
    wall_styles,
});

fn read_part(method: &str, from: &mut ArchiveReader) -> Read<Box<dyn Part>> {
    #[cfg(test)]
    if method == "drift" {
        return rubblepile_core::part::read::<crate::testing::DriftState>(from);
    }
    methods::read_part(method, from)
}

/// Each field of the world is a section of the same name. The method's part comes last, under the method's name.
macro_rules! world_sections {
    ($($field:ident),+ $(,)?) => {
        fn write_world(world: &World, to: &mut ArchiveWriter) -> io::Result<()> {
            let World { $($field,)+ part } = world;
            $(to.section(stringify!($field), |to| $field.write(to))?;)+
            to.section("part", |to| {
                part.as_deref().map(|part| part.method().to_string()).write(to)?;
                part.as_deref().map_or(Ok(()), |part| part.write(to))
            })
        }

        fn read_world(from: &mut ArchiveReader) -> Read<World> {
            Ok(World {
                $($field: from.section(stringify!($field), Archive::read)?,)+
                part: from.section("part", |from| match Option::<String>::read(from)? {
                    Some(method) => read_part(&method, from).map(Some),
                    None => Ok(None),
                })?,
            })
        }
    };
}

world_sections!(
    clock,
    bodies,
    rates,
    shapes,
    materials,
    pairs,
    groups,
    walls,
    caught,
    asteroids,
    domain,
    frame,
    ended,
    events,
    departed,
    dissipation,
    rng,
);

/// Writes a checkpoint to any stream.
pub fn write_to(out: &mut dyn io::Write, meta: &Meta, world: &World) -> io::Result<()> {
    let mut to = ArchiveWriter::new(out, MAGIC, VERSION)?;
    to.section("meta", |to| meta.write(to))?;
    write_world(world, &mut to)?;
    to.finish()
}

/// Writes a checkpoint file, whole or not at all.
pub fn write(path: &Path, meta: &Meta, world: &World) -> Result<()> {
    atomic::write(path, |out| write_to(out, meta, world).map_err(FileError::io("write", path)))
}

/// Writes the newest checkpoint of a run directory and keeps the one before it.
pub fn save(directory: &Path, meta: &Meta, world: &World) -> Result<()> {
    let (newest, previous) = (directory.join(NEWEST), directory.join(PREVIOUS));
    let fresh = directory.join("checkpoint.next.rpk");
    // Nothing that is there is touched until the new one is complete and durable.
    write(&fresh, meta, world)?;
    if newest.exists() {
        fs::rename(&newest, &previous).map_err(FileError::io("rename", &newest))?;
    }
    fs::rename(&fresh, &newest).map_err(FileError::io("rename into place", &newest))?;
    atomic::sync_directory(&newest)
}

/// Reads a checkpoint file.
pub fn read(path: &Path) -> Result<(Meta, World)> {
    let help = "give a file named checkpoint.rpk, or the directory of a run";
    let file = input::open(path).map_err(FileError::input("open", path, "checkpoint", help))?;
    let length = file.metadata().map_err(FileError::io("open", path))?.len();
    read_from(&mut BufReader::with_capacity(1 << 18, file), length, path)
}

/// Reads a checkpoint of `length` bytes; `path` is for messages.
pub fn read_from(input: &mut dyn io::Read, length: u64, path: &Path) -> Result<(Meta, World)> {
    let damaged = |d: Damage| match d.source {
        Some(source) => FileError::Io { doing: "read", path: path.to_path_buf(), source },
        None => FileError::Damaged {
            path: path.to_path_buf(),
            place: d.section,
            what: d.what,
            help: format!("the checkpoint before it may be whole: look for {PREVIOUS} beside it"),
        },
    };
    let mut from = match ArchiveReader::open(input, length, MAGIC, VERSION).map_err(damaged)? {
        Opening::Ours(source) => source,
        Opening::OtherVersion(version) => {
            return Err(FileError::OtherVersion { path: path.to_path_buf(), version, supported: VERSION });
        }
        Opening::Foreign(what) => {
            return Err(FileError::Foreign {
                path: path.to_path_buf(),
                expected: "checkpoint",
                what,
                help: "checkpoints are the files named checkpoint.rpk in the directory of a run".into(),
            });
        }
    };
    let meta = from.section("meta", Meta::read).map_err(damaged)?;
    let world = read_world(&mut from).map_err(damaged)?;
    from.finish().map_err(damaged)?;
    own_part(&meta, &world)
        .and_then(|()| check(&world))
        .map_err(|(section, what)| damaged(Damage { section: section.into(), what, source: None }))?;
    Ok((meta, world))
}

/// The part must be of the method of the run.
fn own_part(meta: &Meta, world: &World) -> std::result::Result<(), validate::Inconsistency> {
    match world.part.as_deref().map(Part::method) {
        Some(other) if other != meta.method => {
            let run = meta.method.escape_debug();
            Err(("section `part`", format!("it belongs to the method `{other}`, and the run is of `{run}`")))
        }
        _ => Ok(()),
    }
}

/// A checkpoint found in a run directory.
#[derive(Debug)]
pub struct LatestCheckpoint {
    pub path: PathBuf,
    pub meta: Meta,
    pub world: World,
    /// Why the newest one was not used, if it was not.
    pub passed_over: Option<FileError>,
}

/// The newest checkpoint of a run directory that can be read.
pub fn find(directory: &Path) -> Result<LatestCheckpoint> {
    let (newest, previous) = (directory.join(NEWEST), directory.join(PREVIOUS));
    let first = match read(&newest) {
        Ok((meta, world)) => return Ok(LatestCheckpoint { path: newest, meta, world, passed_over: None }),
        // Another version's checkpoint is no damage: falling back would throw its work away.
        Err(error @ FileError::OtherVersion { .. }) => return Err(error),
        Err(error) => error,
    };
    let missing =
        |e: &FileError| matches!(e, FileError::Io { source, .. } if source.kind() == io::ErrorKind::NotFound);
    match read(&previous) {
        Ok((meta, world)) => Ok(LatestCheckpoint { path: previous, meta, world, passed_over: Some(first) }),
        Err(second) if missing(&first) && missing(&second) => Err(FileError::NoRun {
            path: directory.to_path_buf(),
            what: format!("neither {NEWEST} nor {PREVIOUS} is there"),
            help: "it may have been stopped before its first checkpoint: start it again with \
                   `rubblepile run --force`"
                .into(),
        }),
        Err(second) => Err(if missing(&first) { second } else { first }),
    }
}
