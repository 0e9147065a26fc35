//! `export`.

use rubblepile_io::export::{self, Request};

use crate::{args, failure::Failure, print};

pub fn export(args: args::Export) -> Result<(), Failure> {
    let request = Request {
        input: args.path,
        format: match args.format {
            args::Format::Xyz => export::Format::Xyz,
            args::Format::Csv => export::Format::Csv,
            args::Format::Vtp => export::Format::Vtp,
            args::Format::Obj => export::Format::Obj { spheres: args.spheres.0 },
        },
        output: args.output,
        every: args.every,
        frame: args.frame,
        overwrite: args.force,
    };
    let outcome = export::export(&request)?;
    let frames = if outcome.frames == 1 { "1 frame".into() } else { format!("{} frames", outcome.frames) };
    print(&format!("{frames} in {}\n", outcome.written.display()));
    Ok(())
}
