//! `export`.

use rubblepile_core::units;
use rubblepile_io::export::{self, ExportRequest, SurfaceRequest};

use crate::{args, failure::Failure, print, quantity};

pub fn export(args: args::Export) -> Result<(), Failure> {
    if args.surface {
        return surface(args);
    }
    let request = ExportRequest {
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

fn surface(args: args::Export) -> Result<(), Failure> {
    let vtp = match args.format {
        args::Format::Obj => false,
        args::Format::Vtp => true,
        args::Format::Xyz | args::Format::Csv => {
            let help = "give --format obj or --format vtp";
            return Err(Failure::bad_input("a surface cannot be written in this format", help));
        }
    };
    let alpha = args.alpha.as_deref().map(length).transpose()?;
    let request = SurfaceRequest { input: args.path, vtp, alpha, output: args.output, overwrite: args.force };
    let (envelope, written) = export::export_surface(&request)?;
    print(&format!(
        "{} triangles in {}: volume {:.4e} m3, bulk density {:.0} kg/m3, porosity {:.3} (alpha {:.4} m)\n",
        envelope.surface.triangles.len(),
        written.display(),
        envelope.volume,
        envelope.bulk_density(),
        envelope.porosity(),
        envelope.alpha
    ));
    Ok(())
}

/// A length from the command line, m.
fn length(text: &str) -> Result<f64, Failure> {
    let metres = quantity::quantity("--alpha", text, units::LENGTH, "60 m")?;
    let help = "give metres, or a number with a unit: --alpha \"60 m\"";
    let sound = (metres > 0.0).then_some(metres);
    sound.ok_or_else(|| Failure::bad_input(format!("--alpha: `{text}` is not a radius"), help))
}
