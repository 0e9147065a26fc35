//! What can be typed.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

#[derive(Debug, Parser)]
#[command(
    name = "rubblepile",
    version,
    about = "Simulates small solar-system bodies as what they are: piles of rubble",
    after_help = "Examples:
  rubblepile check pile.toml                    read a scenario and say what it is
  rubblepile run pile.toml --out runs/first     run it
  rubblepile run pile.toml --set run.end=\"2 h\"  run it with another end
  rubblepile resume runs/first                  go on after Ctrl-C, a crash or a power cut
  rubblepile export runs/first --format xyz     for OVITO
  rubblepile map asteroid.toml                  slopes and where regolith fails

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

Ctrl-C leaves a checkpoint; `rubblepile resume DIR` goes on from it and ends where an unbroken run ends.")]
    Run(Run),

    /// Go on with a run that was stopped, or further than its end
    #[command(after_help = "Examples:
  rubblepile resume runs/pile
  rubblepile resume runs/pile --until \"20 h\"")]
    Resume(Resume),

    /// Run a campaign: a scenario with a [sweep] table
    #[command(after_help = "Examples:
  rubblepile sweep campaign.toml --list                 what there is to do, and how far it is
  rubblepile sweep campaign.toml --jobs 4               four runs at a time
  rubblepile sweep campaign.toml --task $SLURM_ARRAY_TASK_ID   one run, in a cluster's job array

Finished runs are left alone and stopped ones go on, so the same command continues a campaign. sweep.csv has a row a \
run: what was set, how it ended, and the last value of every column of its series.")]
    Sweep(Sweep),

    /// Read a scenario, and say what it is and what is doubtful in it
    Check(Check),

    /// Say what is in a run directory, a frame, a checkpoint, a scenario or a shape model
    #[command(after_help = "Examples:
  rubblepile info runs/pile
  rubblepile info bennu.obj --unit km --density \"1194 kg/m3\"
  rubblepile info broken.obj --unit m --heal             what `heal = true` would do to it")]
    Info(Info),

    /// Map the surface of an asteroid: slope, acceleration, potential, speeds to leave, and where regolith fails
    #[command(after_help = "Examples:
  rubblepile map landslide.toml
  rubblepile map landslide.toml --period \"2.6 h\" --cohesion \"1 Pa\" --thickness \"5 m\" --out maps/fast

Writes map.vtp (facets for ParaView), map.csv (a row a facet) and a picture of longitude and latitude for each quantity. \
What the layer is made of comes from the first [[grains]] and its material, where the options do not say otherwise.")]
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
        /// As a page in Markdown instead of JSON
        #[arg(long)]
        markdown: bool,
        /// What a run writes: every column, field and entry with its unit and definition
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
  rubblepile validate --all --jobs 4              four cases at a time, and a table at the end
  rubblepile validate --all --json > rows.jsonl   one JSON object per line

Exit code 1 if a number is off by more than its tolerance, or a case cannot be run.")]
    Validate(Validate),
}

#[derive(Debug, Args)]
pub struct Run {
    /// Scenario file (TOML)
    pub scenario: PathBuf,
    /// Directory for the output [default: runs/<name of the scenario>]
    #[arg(long, short, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Put a value in place of the scenario's, as often as needed: run.seed=7
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
    /// Threads to compute with; the result does not depend on it [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub threads: Option<u32>,
    /// End at this simulated time instead of the scenario's: seconds, or with a unit ("2 h")
    #[arg(long, value_name = "TIME")]
    pub until: Option<String>,
    /// No progress, no summary: only errors
    #[arg(long, short)]
    pub quiet: bool,
}

#[derive(Debug, Args)]
pub struct Sweep {
    /// Scenario file (TOML) with a [sweep] table
    pub scenario: PathBuf,
    /// Runs at a time
    #[arg(long, short, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub jobs: u32,
    /// Only the run of this number, from 0
    #[arg(long, value_name = "I")]
    pub task: Option<usize>,
    /// Directory for the runs [default: runs/<name of the scenario>]
    #[arg(long, short, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Threads of each run; the results do not depend on it [default: the cores divided by --jobs]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub threads: Option<u32>,
    /// Put a value in place of the scenario's, in all runs
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub sets: Vec<String>,
    /// Try again what failed before, from its last checkpoint
    #[arg(long)]
    pub retry: bool,
    /// Say what there is to do and how far it is, write sweep.csv anew, and run nothing
    #[arg(long)]
    pub list: bool,
    /// Only errors
    #[arg(long, short)]
    pub quiet: bool,
}

#[derive(Debug, Args)]
pub struct Info {
    /// Run directory, *.vtkhdf, *.rpk, *.toml, or a shape model (*.obj, *.tab)
    pub path: PathBuf,
    /// One JSON object instead of text
    #[arg(long)]
    pub json: bool,
    /// List the columns of a run's series, with their units and definitions
    #[arg(long)]
    pub columns: bool,
    /// Unit of length of a shape model: m, km
    #[arg(long, value_name = "UNIT")]
    pub unit: Option<String>,
    /// Repair a shape model first, and say what was done; the file stays as it is
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
    /// What colours stand for
    #[arg(long, value_enum, default_value_t = ColourBy::Pressure)]
    pub by: ColourBy,
    /// Of a run, the number of the frame [default: the last]
    #[arg(long, value_name = "N")]
    pub frame: Option<u64>,
    /// File to write [default: beside the frame]
    #[arg(long, short, value_name = "FILE.svg")]
    pub out: Option<PathBuf>,
    /// Replace a picture that is there
    #[arg(long)]
    pub force: bool,
}

/// What colours stand for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ColourBy {
    /// Minus the mean of the two normal stresses in the plane
    Pressure,
    /// The largest shear stress in the plane
    Shear,
    Speed,
    /// Each grain in a colour of its own
    Grain,
}

#[derive(Debug, Args)]
pub struct Map {
    /// Scenario file (TOML) with an [[asteroid]]
    pub scenario: PathBuf,
    /// Its name, where there are several
    #[arg(long, value_name = "NAME")]
    pub asteroid: Option<String>,
    /// Directory for the maps [default: maps/<name of the scenario>]
    #[arg(long, short, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Time of one turn, instead of the scenario's: seconds, or with a unit ("3.4 h")
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
    /// Density of the layer with its voids [default: the asteroid's]
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
    /// Put a value in place of the scenario's
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub sets: Vec<String>,
    /// Threads to compute with [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub threads: Option<u32>,
    /// Replace maps that are there
    #[arg(long)]
    pub force: bool,
}

#[derive(Debug, Args)]
pub struct Check {
    /// Scenario file (TOML)
    pub scenario: PathBuf,
    /// Put a value in place of the scenario's
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
    /// One row a body, one file a frame
    Csv,
    /// VTK XML PolyData (ParaView) with the polygons of rocks, one file a frame
    Vtp,
    /// Wavefront OBJ: surfaces of rocks and spheres, one file a frame
    Obj,
}

/// How finely spheres are drawn; `None`: not at all.
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
    /// Of a run, every so many frames
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    pub every: u64,
    /// Of a run, only the frame of this number
    #[arg(long, value_name = "N", conflicts_with = "every")]
    pub frame: Option<u64>,
    /// In OBJ files, how often an icosahedron is divided to stand for a sphere (0 to 5), or `off` for no spheres
    #[arg(long, value_name = "N|off", default_value = "1", value_parser = sphere_detail)]
    pub spheres: Detail,
    /// The surface of the largest aggregate in the checkpoint (its alpha shape) instead of bodies; as obj or vtp
    #[arg(long, conflicts_with_all = ["every", "frame", "spheres"])]
    pub surface: bool,
    /// With --surface, radius of the ball that rolls over the bodies: metres, or with a unit [default: from their sizes]
    #[arg(long, value_name = "LENGTH", requires = "surface")]
    pub alpha: Option<String>,
    /// Replace files that are there
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
    /// Threads to compute with [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub threads: Option<u32>,
    /// One JSON object per line
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
    #[arg(required_unless_present_any = ["all", "list"])]
    pub case: Option<String>,
    /// Run all cases, and end with a table of them
    #[arg(long, conflicts_with = "case")]
    pub all: bool,
    /// Cases at a time, of --all
    #[arg(long, short, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub jobs: u32,
    /// List the cases
    #[arg(long)]
    pub list: bool,
    /// At the size of the paper, however long it takes
    #[arg(long)]
    pub full: bool,
    /// Write pictures to this directory, where a case makes any
    #[arg(long, value_name = "DIR")]
    pub pictures: Option<PathBuf>,
    /// Threads of each case [default: the cores divided by --jobs]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub threads: Option<u32>,
    /// One JSON object per line
    #[arg(long)]
    pub json: bool,
    /// Only rows and errors: no progress, no notes
    #[arg(long, short)]
    pub quiet: bool,
}
