//! Frames in other programs' formats: extended XYZ for OVITO, VTP for ParaView and its relatives, OBJ for renderers, CSV
//! for everything.
//!
//! VTP has the walls and the surfaces of asteroids too, in files of their own beside each frame: they are cells with other data.
//!
//! Input is a frame, a checkpoint or a run directory; XYZ puts all frames of a run into one trajectory file, the
//! others write one file per frame.

mod asteroids;
mod csv;
mod deformable;
mod envelope;
mod obj;
mod surface;
pub(crate) mod vtp;
mod walls;
mod xyz;

pub use csv::COLUMNS as BODY_COLUMNS;
pub use deformable::{COLUMNS as NODE_COLUMNS, FELT as FELT_COLUMNS};
pub use envelope::{SurfaceRequest, export_surface};

use std::{
    io::Write,
    path::{Path, PathBuf},
    sync::Arc,
};

use rubblepile_core::{Mesh, Shape};

use crate::{
    atomic, checkpoint,
    error::{FileError, Result},
    frame::{self, FrameData},
    input,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Xyz,
    Csv,
    Vtp,
    /// `spheres`: how often an icosahedron is divided to stand for one; `None`: they are left out.
    Obj {
        spheres: Option<u32>,
    },
}

impl Format {
    pub fn extension(self) -> &'static str {
        match self {
            Format::Xyz => "xyz",
            Format::Csv => "csv",
            Format::Vtp => "vtp",
            Format::Obj { .. } => "obj",
        }
    }

    /// Whether the shapes of rocks are drawn.
    fn draws_shapes(self) -> bool {
        matches!(self, Format::Vtp | Format::Obj { .. })
    }
}

/// Writes one frame in a format to any stream.
pub fn write_frame(out: &mut dyn Write, frame: &FrameData, format: Format) -> std::io::Result<()> {
    match (format, &frame.deformable) {
        (Format::Csv, Some(nodes)) => return deformable::csv(out, nodes),
        (Format::Vtp, Some(nodes)) => return deformable::vtp(out, frame, nodes),
        _ => {}
    }
    match format {
        Format::Xyz => xyz::write(out, frame),
        Format::Csv => csv::write(out, frame),
        Format::Vtp => vtp::write(out, frame),
        Format::Obj { spheres } => obj::write(out, frame, spheres),
    }
}

/// The input, format and output of an export.
#[derive(Debug, Clone)]
pub struct ExportRequest {
    /// A frame, a checkpoint, or a run directory.
    pub input: PathBuf,
    pub format: Format,
    /// A file (one frame, or XYZ) or a directory (many frames). `None`: beside the input.
    pub output: Option<PathBuf>,
    /// Of a run's frames, every so many.
    pub every: u64,
    /// Of a run's frames, only this one.
    pub frame: Option<u64>,
    /// Whether files that are there may be replaced.
    pub overwrite: bool,
}

/// The files written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exported {
    pub frames: u64,
    /// The file, or the directory of the files.
    pub written: PathBuf,
}

/// One frame from a frame file or a checkpoint, whichever it is. The shapes of a frame's rocks are not read.
pub fn load(path: &Path) -> Result<FrameData> {
    if path.extension().is_some_and(|e| e == "rpk") {
        let (meta, world) = checkpoint::read(path)?;
        return Ok(FrameData::of_checkpoint(&world).with_wall_styles(&world, &meta.wall_styles));
    }
    frame::read(path)
}

/// Loads frames, and the shapes and asteroids' surfaces of their run once.
struct Loader {
    format: Format,
    shapes: Option<Vec<Shape>>,
    surfaces: Vec<Arc<Mesh>>,
}

impl Loader {
    fn load(&mut self, path: &Path) -> Result<FrameData> {
        let mut frame = load(path)?;
        if frame.deformable.is_some() && !matches!(self.format, Format::Csv | Format::Vtp) {
            let kind = self.format.extension();
            let words =
                format!("{} has deformable grains, which cannot be written as {kind}", path.display());
            return Err(FileError::Invalid(format!("{words}: use --format vtp or --format csv")));
        }
        let unknown = frame.shape.iter().copied().max().unwrap_or(0) as usize >= frame.shapes.len();
        if self.format.draws_shapes() && unknown {
            let beside = frame::shapes::path_beside(path);
            let shapes = match self.shapes.take() {
                Some(shapes) => shapes,
                None => frame::shapes::read(&beside)?,
            };
            if let Some(s) = frame.shape.iter().find(|&&s| s as usize >= shapes.len()) {
                return Err(FileError::Damaged {
                    path: path.to_path_buf(),
                    place: "/VTKHDF/PointData/shape".into(),
                    what: format!("a body has shape {s}, and {} has {}", beside.display(), shapes.len()),
                    help: "the frame and the shapes beside it must be from the same run".into(),
                });
            }
            frame.shapes.clone_from(&shapes);
            self.shapes = Some(shapes);
        }
        if self.format == Format::Vtp && frame.surfaces.len() < frame.about.asteroids.len() {
            for asteroid in &frame.about.asteroids[self.surfaces.len()..] {
                self.surfaces.push(Arc::new(read_surface(&path.with_file_name(&asteroid.surface))?));
            }
            frame.surfaces.clone_from(&self.surfaces);
        }
        Ok(frame)
    }
}

fn read_surface(path: &Path) -> Result<Mesh> {
    let text = input::open(path).and_then(std::io::read_to_string).map_err(FileError::io("read", path))?;
    crate::generate::surface::read(&text).map_err(|f| FileError::Damaged {
        path: path.to_path_buf(),
        place: format!("byte {}", f.span.start),
        what: f.message,
        help: "the surface beside the frames must be as the run wrote it".into(),
    })
}

/// Numbers and paths of a run's frames, in order.
pub fn frames_of(directory: &Path) -> Result<Vec<(u64, PathBuf)>> {
    let folder = directory.join("frames");
    let listing = std::fs::read_dir(&folder).map_err(FileError::io("read", &folder))?;
    let mut frames = Vec::new();
    for entry in listing {
        let entry = entry.map_err(FileError::io("read", &folder))?;
        let name = entry.file_name();
        let number = name
            .to_str()
            .and_then(|n| n.strip_prefix("frame-")?.strip_suffix(".vtkhdf"))
            .and_then(|n| n.parse::<u64>().ok());
        frames.extend(number.map(|n| (n, entry.path())));
    }
    frames.sort_unstable();
    Ok(frames)
}

/// Carries out a request.
pub fn export(request: &ExportRequest) -> Result<Exported> {
    let sources = sources(request)?;
    let single = sources.len() == 1 && !request.input.is_dir();
    let extension = request.format.extension();
    let mut loader = Loader { format: request.format, shapes: None, surfaces: Vec::new() };
    if single || request.format == Format::Xyz {
        let written = match &request.output {
            Some(path) => path.clone(),
            None if request.input.is_dir() => request.input.join(format!("export.{extension}")),
            None => request.input.with_extension(extension),
        };
        refuse_overwriting(request.overwrite, &written)?;
        atomic::write(&written, |out| {
            for (_, path) in &sources {
                let frame = loader.load(path)?;
                write_frame(out, &frame, request.format).map_err(FileError::io("write", &written))?;
                let stem = written.file_stem().unwrap_or_default().to_string_lossy();
                for beside in Beside::ALL {
                    let name = format!("{stem}-{}.vtp", beside.name());
                    beside.write(request, &frame, &written.with_file_name(name))?;
                }
            }
            Ok(())
        })?;
        return Ok(Exported { frames: sources.len() as u64, written });
    }
    let folder = request.output.clone().unwrap_or_else(|| request.input.join(format!("export-{extension}")));
    std::fs::create_dir_all(&folder).map_err(FileError::io("create", &folder))?;
    let mut times = vec![("frames", Vec::new())];
    times.extend(Beside::ALL.map(|beside| (beside.name(), Vec::new())));
    for (number, path) in &sources {
        let name = format!("frame-{number:06}.{extension}");
        let target = folder.join(&name);
        refuse_overwriting(request.overwrite, &target)?;
        let frame = loader.load(path)?;
        atomic::write(&target, |out| {
            write_frame(out, &frame, request.format).map_err(FileError::io("write", &target))
        })?;
        let entry = |name: &str| format!("{{\"name\": \"{name}\", \"time\": {:?}}}", frame.time);
        times[0].1.push(entry(&name));
        for (beside, (kind, times)) in Beside::ALL.iter().zip(&mut times[1..]) {
            let name = format!("{kind}-{number:06}.vtp");
            if beside.write(request, &frame, &folder.join(&name))? {
                times.push(entry(&name));
            }
        }
    }
    if request.format == Format::Vtp {
        // What ParaView opens as one series with its times.
        for (kind, times) in times.iter().filter(|(_, times)| !times.is_empty()) {
            let list = times.join(",\n");
            let text = format!("{{\n\"file-series-version\": \"1.0\",\n\"files\": [\n{list}\n]\n}}\n");
            atomic::write_text(&folder.join(format!("{kind}.vtp.series")), &text)?;
        }
    }
    Ok(Exported { frames: sources.len() as u64, written: folder })
}

/// Additional VTP files beside a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Beside {
    Walls,
    Asteroids,
}

impl Beside {
    const ALL: [Beside; 2] = [Beside::Walls, Beside::Asteroids];

    fn name(self) -> &'static str {
        match self {
            Beside::Walls => "walls",
            Beside::Asteroids => "asteroids",
        }
    }

    /// Writes it in VTP; says whether there is any.
    fn write(self, request: &ExportRequest, frame: &FrameData, path: &Path) -> Result<bool> {
        let none = match self {
            Beside::Walls => frame.about.walls.is_empty(),
            Beside::Asteroids => frame.about.asteroids.is_empty(),
        };
        if request.format != Format::Vtp || none {
            return Ok(false);
        }
        refuse_overwriting(request.overwrite, path)?;
        let write = match self {
            Beside::Walls => walls::write,
            Beside::Asteroids => asteroids::write,
        };
        atomic::write(path, |out| write(out, frame).map_err(FileError::io("write", path)))?;
        Ok(true)
    }
}

fn sources(request: &ExportRequest) -> Result<Vec<(u64, PathBuf)>> {
    if !request.input.is_dir() {
        return Ok(vec![(0, request.input.clone())]);
    }
    let no_frames = |what: String| FileError::NoRun {
        path: request.input.clone(),
        what,
        help: "give a run directory with frames in it, a frame or a checkpoint".into(),
    };
    if !request.input.join("frames").is_dir() {
        return Err(no_frames("it has no folder `frames`".into()));
    }
    let mut frames = frames_of(&request.input)?;
    let last = frames.last().map(|f| f.0);
    match request.frame {
        Some(wanted) => frames.retain(|(n, _)| *n == wanted),
        None => frames.retain(|(n, _)| n % request.every.max(1) == 0),
    }
    match (frames.is_empty(), last) {
        (false, _) => Ok(frames),
        (true, Some(last)) => Err(no_frames(format!("it has no such frame; the last is {last}"))),
        (true, None) => Err(no_frames("its folder `frames` is empty".into())),
    }
}

fn refuse_overwriting(overwrite: bool, path: &Path) -> Result<()> {
    if !overwrite && path.exists() {
        let source = std::io::Error::new(
            std::io::ErrorKind::AlreadyExists,
            "it already exists: use --force to replace it, or another --output",
        );
        return Err(FileError::Io { doing: "write", path: path.to_path_buf(), source });
    }
    Ok(())
}

#[cfg(test)]
mod tests;
