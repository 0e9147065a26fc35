//! `picture`: deformable grains of a frame, as SVG.

use std::path::{Path, PathBuf};

use rubblepile_io::{FileError, atomic, export, picture, report::RunReport, rundir};

use crate::{args, failure::Failure, print};

pub fn picture(args: args::Picture) -> Result<(), Failure> {
    let frame_path = frame_path(&args)?;
    let frame = export::load(&frame_path)?;
    let by = match args.by {
        args::ColourBy::Pressure => picture::ColourBy::Pressure,
        args::ColourBy::Shear => picture::ColourBy::Shear,
        args::ColourBy::Speed => picture::ColourBy::Speed,
        args::ColourBy::Grain => picture::ColourBy::Grain,
    };
    if frame.deformable.is_none() {
        return Err(Failure::bad_input(
            format!("{} has no deformable grains", frame_path.display()),
            "pictures show runs with [method.meshfree]; for others use `rubblepile export --format vtp` and ParaView",
        ));
    }
    let title = title(&args.path);
    let svg = picture::svg(&frame, &title, by).ok_or_else(|| {
        Failure::bad_input(
            format!("{} has no stresses", frame_path.display()),
            "checkpoints have no stresses: use a frame, or --by speed or --by grain",
        )
    })?;
    let out = args.out.clone().unwrap_or_else(|| frame_path.with_extension("svg"));
    if out.exists() && !args.force {
        let words = "already exists: use --force to replace it, or another --out";
        return Err(FileError::Invalid(format!("{} {words}", out.display())).into());
    }
    atomic::write_text(&out, &svg)?;
    print(&format!("{}\n", out.display()));
    Ok(())
}

/// Of a run the last frame, or that which was asked for.
fn frame_path(args: &args::Picture) -> Result<PathBuf, Failure> {
    if !args.path.is_dir() {
        if args.frame.is_some() {
            return Err(Failure::bad_input(
                format!("--frame chooses from a run, and {} is a file", args.path.display()),
                "leave it out",
            ));
        }
        return Ok(args.path.clone());
    }
    let frames = export::frames_of(&args.path)?;
    let found = match args.frame {
        Some(wanted) => frames.iter().find(|(n, _)| *n == wanted),
        None => frames.last(),
    };
    found.map(|(_, path)| path.clone()).ok_or_else(|| {
        let last = frames.last().map_or("it has none".to_string(), |(n, _)| format!("the last is {n}"));
        Failure::bad_input(format!("{} has no such frame", args.path.display()), last)
    })
}

/// That of the run, or the name of the file.
fn title(path: &Path) -> String {
    let directory = if path.is_dir() { Some(path) } else { path.parent().and_then(Path::parent) };
    let of_run = directory.filter(|d| rundir::is_run(d)).and_then(|d| RunReport::read(d).ok());
    match of_run {
        Some(report) if !report.title.is_empty() => report.title,
        _ => path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
    }
}
