//! Command-line arguments.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

#[derive(Debug, Parser)]
#[command(
    name = "rubblepile",
    version,
    about = "Simulates small solar-system bodies as what they are: piles of rubble",
    after_help = "Examples:
  rubblepile check pile.toml                    read a scenario and describe it
  rubblepile run pile.toml --out runs/first     run it
  rubblepile run pile.toml --set run.end=\"2 h\"  run it to another end time
  rubblepile resume runs/first                  continue after Ctrl-C, a crash or a power cut
  rubblepile export runs/first --format xyz     for OVITO
  rubblepile map asteroid.toml                  map slopes and where regolith fails

Exit codes: 0 done, 1 the run failed, 2 bad input, 130 interrupted.",
    arg_required_else_help = true
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run a scenario
    #[command(after_help = "Examples:
  rubblepile run pile.toml
  rubblepile run pile.toml --out runs/loose --threads 8 --set material[0].cohesion=\"10 Pa\"
  rubblepile run pile.toml --until \"10 min\"

Ctrl-C leaves a checkpoint; `rubblepile resume DIR` continues from it and ends exactly as an uninterrupted run.")]
    Run(Run),

    /// Continue a run that was stopped, or extend one past its end
    #[command(after_help = "Examples:
  rubblepile resume runs/pile
  rubblepile resume runs/pile --until \"20 h\"")]
    Resume(Resume),

    /// Run a campaign: a scenario with a [sweep] table
    #[command(after_help = "Examples:
  rubblepile sweep campaign.toml --list                 list the runs and their states
  rubblepile sweep campaign.toml --jobs 4               four runs at a time
  rubblepile sweep campaign.toml --task $SLURM_ARRAY_TASK_ID   one run, in a cluster's job array

Finished runs are kept and stopped ones resume, so the same command continues a campaign. sweep.csv has one row \
per run: what was set, how it ended, and the last value of every column of its series.")]
    Sweep(Sweep),

    /// Read a scenario, describe it and warn of doubtful values
    Check(Check),

    /// Describe a run directory, a frame, a checkpoint, a scenario or a shape model
    #[command(after_help = "Examples:
  rubblepile info runs/pile
  rubblepile info bennu.obj --unit km --density \"1194 kg/m3\"
  rubblepile info broken.obj --unit m --heal             what `heal = true` would do to it")]
    Info(Info),

    /// Map the surface of an asteroid: slope, acceleration, potential, escape and lift-off speeds, regolith failure
    #[command(after_help = "Examples:
  rubblepile map landslide.toml
  rubblepile map landslide.toml --period \"2.6 h\" --cohesion \"1 Pa\" --thickness \"5 m\" --out maps/fast

Writes map.vtp (facets for ParaView), map.csv (one row per facet) and a longitude-latitude map of each quantity (SVG). \
Unless the options say otherwise, the properties of the layer are those of the first [[grains]] and its material.")]
    Map(Map),

    /// Draw the deformable grains of a frame
    #[command(after_help = "Examples:
  rubblepile picture runs/bouncing-disc                       the last frame, coloured by pressure
  rubblepile picture runs/bouncing-disc --frame 5 --by shear
  rubblepile picture runs/sand-compaction/frames/frame-000010.vtkhdf --by grain --out grains.svg")]
    Picture(Picture),

    /// Write frames for other programs
    #[command(after_help = "Examples:
  rubblepile export runs/pile --format xyz                  one trajectory for OVITO
  rubblepile export runs/pile --format vtp --every 10       a file for every tenth frame
  rubblepile export runs/pile/checkpoint.rpk --format csv   the newest state
  rubblepile export runs/rocks --format obj --frame 40      rocks for a renderer")]
    Export(Export),

    /// Print the JSON schema of scenario files, for editors, or what a run writes
    Schema {
        /// Print Markdown instead of JSON
        #[arg(long)]
        markdown: bool,
        /// Describe the output instead: every column, field and entry with its unit and definition
        #[arg(long)]
        output: bool,
    },

    /// Print what to cite for a run, as BibTeX
    Cite {
        /// Run directory
        directory: PathBuf,
    },

    /// Measure how fast this machine runs
    Bench(Bench),

    /// Compare with published results and exact solutions
    #[command(after_help = "Examples:
  rubblepile validate impact
  rubblepile validate --all --jobs 4              four cases at a time, with a summary table
  rubblepile validate --all --json > rows.jsonl   one JSON object per line

The exit code is 1 if a number is outside its tolerance or a case cannot be run.")]
    Validate(Validate),
}

#[derive(Debug, Args)]
pub struct Run {
    /// Scenario file (TOML)
    pub scenario: PathBuf,
    /// Directory for the output [default: runs/<name of the scenario>]
    #[arg(long, short, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Override a value of the scenario; may be repeated: run.seed=7
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub sets: Vec<String>,
    /// If there is a run in the directory, move it aside (to DIR.old-1) instead of refusing
    #[arg(long)]
    pub force: bool,
    #[command(flatten)]
    pub how: How,
}

#[derive(Debug, Args)]
pub struct Resume {
    /// Run directory
    pub directory: PathBuf,
    #[command(flatten)]
    pub how: How,
}

/// Options of `run` and `resume`.
#[derive(Debug, Args)]
pub struct How {
    /// Number of threads; the result does not depend on it [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub threads: Option<u32>,
    /// End at this simulated time instead of the scenario's: seconds, or with a unit ("2 h")
    #[arg(long, value_name = "TIME")]
    pub until: Option<String>,
    /// Print errors only: no progress, no summary
    #[arg(long, short)]
    pub quiet: bool,
}

#[derive(Debug, Args)]
pub struct Sweep {
    /// Scenario file (TOML) with a [sweep] table
    pub scenario: PathBuf,
    /// Number of runs at the same time
    #[arg(long, short, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub jobs: u32,
    /// Run only this one, counted from 0
    #[arg(long, value_name = "I")]
    pub task: Option<usize>,
    /// Directory for the runs [default: runs/<name of the scenario>]
    #[arg(long, short, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Threads per run; the results do not depend on it [default: the cores divided by --jobs]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub threads: Option<u32>,
    /// Override a value of the scenario, in all runs
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub sets: Vec<String>,
    /// Retry failed runs from their last checkpoint
    #[arg(long)]
    pub retry: bool,
    /// List the runs and their states and rewrite sweep.csv, without running anything
    #[arg(long)]
    pub list: bool,
    /// Print errors only
    #[arg(long, short)]
    pub quiet: bool,
}

#[derive(Debug, Args)]
pub struct Info {
    /// Run directory, *.vtkhdf, *.rpk, *.toml, or a shape model (*.obj, *.tab)
    pub path: PathBuf,
    /// Print one JSON object instead of text
    #[arg(long)]
    pub json: bool,
    /// List the columns of a run's series, with their units and definitions
    #[arg(long)]
    pub columns: bool,
    /// Unit of length of a shape model: m, km
    #[arg(long, value_name = "UNIT")]
    pub unit: Option<String>,
    /// Repair a shape model first and report the repairs; the file is not changed
    #[arg(long)]
    pub heal: bool,
    /// Density of a shape model, for its mass and moments: kg/m3, or with a unit
    #[arg(long, value_name = "DENSITY", allow_negative_numbers = true)]
    pub density: Option<String>,
}

#[derive(Debug, Args)]
pub struct Picture {
    /// Run directory, or a frame
    pub path: PathBuf,
    /// Quantity to colour by
    #[arg(long, value_enum, default_value_t = ColourBy::Pressure)]
    pub by: ColourBy,
    /// Frame number, for a run [default: the last]
    #[arg(long, value_name = "N")]
    pub frame: Option<u64>,
    /// File to write [default: beside the frame]
    #[arg(long, short, value_name = "FILE.svg")]
    pub out: Option<PathBuf>,
    /// Replace an existing picture
    #[arg(long)]
    pub force: bool,
}

/// Quantity to colour by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ColourBy {
    /// Minus the mean of the two in-plane normal stresses
    Pressure,
    /// The largest in-plane shear stress
    Shear,
    Speed,
    /// A different colour for each grain
    Grain,
}

#[derive(Debug, Args)]
pub struct Map {
    /// Scenario file (TOML) with an [[asteroid]]
    pub scenario: PathBuf,
    /// Name of the asteroid, if there are several
    #[arg(long, value_name = "NAME")]
    pub asteroid: Option<String>,
    /// Directory for the maps [default: maps/<name of the scenario>]
    #[arg(long, short, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Rotation period, instead of the scenario's: seconds, or with a unit ("3.4 h")
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub period: Option<String>,
    /// Friction angle of the layer: degrees, or with a unit
    #[arg(long, value_name = "ANGLE", allow_negative_numbers = true, default_value = "40")]
    pub friction_angle: String,
    /// Cohesion of the layer, C of eq. (16): Pa, or with a unit [default: the material's]
    #[arg(long, value_name = "PRESSURE", allow_negative_numbers = true)]
    pub cohesion: Option<String>,
    /// Thickness of the layer: metres, or with a unit
    #[arg(long, value_name = "LENGTH", allow_negative_numbers = true, default_value = "3 m")]
    pub thickness: String,
    /// Bulk density of the layer [default: the asteroid's]
    #[arg(long, value_name = "DENSITY", allow_negative_numbers = true)]
    pub regolith_density: Option<String>,
    /// Radius of its grains [default: that of the first [[grains]], otherwise 10 cm]
    #[arg(long, value_name = "LENGTH", allow_negative_numbers = true)]
    pub grain_radius: Option<String>,
    /// Density of its grains [default: the material's]
    #[arg(long, value_name = "DENSITY", allow_negative_numbers = true)]
    pub grain_density: Option<String>,
    /// Cohesion between two grains, c of eq. (4) [default: --cohesion]
    #[arg(long, value_name = "PRESSURE", allow_negative_numbers = true)]
    pub grain_cohesion: Option<String>,
    /// Override a value of the scenario
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub sets: Vec<String>,
    /// Number of threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub threads: Option<u32>,
    /// Replace existing maps
    #[arg(long)]
    pub force: bool,
}

#[derive(Debug, Args)]
pub struct Check {
    /// Scenario file (TOML)
    pub scenario: PathBuf,
    /// Override a value of the scenario
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub sets: Vec<String>,
    /// Print the scenario with every default written out
    #[arg(long)]
    pub print: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Extended XYZ (OVITO): all frames in one file
    Xyz,
    /// One row per body, one file per frame
    Csv,
    /// VTK XML PolyData (ParaView) with the polygons of rocks, one file per frame
    Vtp,
    /// Wavefront OBJ: surfaces of rocks and spheres, one file per frame
    Obj,
}

/// Subdivision of spheres; `None`: spheres are omitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Detail(pub Option<u32>);

fn sphere_detail(text: &str) -> Result<Detail, String> {
    match text.parse() {
        _ if text == "off" => Ok(Detail(None)),
        Ok(level) if level <= 5 => Ok(Detail(Some(level))),
        _ => Err("give `off`, or a number from 0 (20 triangles) to 5 (20480)".into()),
    }
}

#[derive(Debug, Args)]
pub struct Export {
    /// Run directory, frame (*.vtkhdf) or checkpoint (*.rpk)
    pub path: PathBuf,
    #[arg(long, short, value_enum)]
    pub format: Format,
    /// File, or directory for several files [default: beside the input]
    #[arg(long, short, value_name = "PATH")]
    pub output: Option<PathBuf>,
    /// Every Nth frame of a run
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    pub every: u64,
    /// Only frame N of a run
    #[arg(long, value_name = "N", conflicts_with = "every")]
    pub frame: Option<u64>,
    /// In OBJ files, subdivisions of the icosahedron that represents a sphere (0 to 5), or `off` to omit spheres
    #[arg(long, value_name = "N|off", default_value = "1", value_parser = sphere_detail)]
    pub spheres: Detail,
    /// Export the surface of the largest aggregate in the checkpoint (its alpha shape) instead of bodies; obj or vtp
    #[arg(long, conflicts_with_all = ["every", "frame", "spheres"])]
    pub surface: bool,
    /// With --surface, radius of the ball that rolls over the bodies: metres, or with a unit [default: from their sizes]
    #[arg(long, value_name = "LENGTH", requires = "surface")]
    pub alpha: Option<String>,
    /// Replace existing files
    #[arg(long)]
    pub force: bool,
}

#[derive(Debug, Args)]
pub struct Bench {
    /// Case to run [default: all]
    pub case: Option<String>,
    /// List the cases
    #[arg(long)]
    pub list: bool,
    /// Number of threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub threads: Option<u32>,
    /// Print one JSON object per line
    #[arg(long)]
    pub json: bool,
    /// Number of bodies, or of points
    #[arg(long, value_name = "N", visible_alias = "points")]
    pub n: Option<usize>,
    /// Facets of a polyhedron
    #[arg(long, value_name = "N")]
    pub facets: Option<usize>,
    /// Volume fraction of grains
    #[arg(long)]
    pub fraction: Option<f64>,
    /// Restitution of collisions
    #[arg(long)]
    pub restitution: Option<f64>,
    /// Variant of the set-up, where a case has several
    #[arg(long)]
    pub kind: Option<String>,
    /// Target relative error of gravity
    #[arg(long)]
    pub error: Option<f64>,
    /// Initial state, where a case takes one
    #[arg(long, value_name = "FILE.csv")]
    pub state: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct Validate {
    /// Case to run
    #[arg(required_unless_present_any = ["all", "list", "claims"])]
    pub case: Option<String>,
    /// Run all cases and print a summary table
    #[arg(long, conflicts_with = "case")]
    pub all: bool,
    /// Number of cases at the same time, with --all
    #[arg(long, short, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub jobs: u32,
    /// List the cases
    #[arg(long)]
    pub list: bool,
    /// Print what is reproduced of the papers, as in validation/README.md
    #[arg(long)]
    pub claims: bool,
    /// Use the paper's sizes, however long it takes
    #[arg(long)]
    pub full: bool,
    /// Keep the results of long pieces in this directory, and use those that are there
    #[arg(long, value_name = "DIR")]
    pub keep: Option<PathBuf>,
    /// Get a quantity wrong by this factor: at least one row must notice [example: friction=0.5]
    #[arg(long, value_name = "QUANTITY=FACTOR", value_parser = quantity_and_factor, conflicts_with = "all")]
    pub wrong: Vec<(String, f64)>,
    /// Directory for the figures of cases that draw any
    #[arg(long, value_name = "DIR")]
    pub pictures: Option<PathBuf>,
    /// Threads per case [default: the cores divided by --jobs]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub threads: Option<u32>,
    /// Print one JSON object per line
    #[arg(long)]
    pub json: bool,
    /// Print rows and errors only: no progress, no notes
    #[arg(long, short)]
    pub quiet: bool,
}

fn quantity_and_factor(text: &str) -> Result<(String, f64), String> {
    let (quantity, factor) = text.split_once('=').ok_or("write QUANTITY=FACTOR, for example friction=0.5")?;
    match factor.trim().parse::<f64>() {
        Ok(factor) if factor.is_finite() => Ok((quantity.trim().into(), factor)),
        _ => Err(format!("`{factor}` is not a finite number")),
    }
}
