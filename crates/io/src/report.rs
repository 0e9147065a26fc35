//! `report.json`: what a run was, what it cost and how it ended. It is written at the start, so that a killed run has
//! one too, and at every end; a resumed run adds a session to it.

use std::{collections::BTreeMap, path::Path, process::Command};

use rubblepile_core::{Report, simd::instructions};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::{
    atomic,
    error::{FileError, Result},
    reference::Entry,
};

/// Its name in a run directory.
pub const NAME: &str = "report.json";

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunReport {
    pub program: String,
    pub version: String,
    pub title: String,
    /// `running`, `complete`, `ended by an event`, `interrupted` or `failed`. A run that was killed stays `running`.
    pub status: String,
    /// Why, where that says more.
    pub reason: Option<String>,
    pub method: String,
    pub fields: Vec<String>,
    pub seed: u64,
    pub bodies: u64,
    pub walls: u64,
    /// s of simulated time, at the last word of this report, and where the run ends.
    pub time_s: f64,
    pub end_s: f64,
    pub step: u64,
    pub timestep_s: f64,
    /// SHA-256 of scenario.toml, as `sha256sum` prints it.
    pub scenario_sha256: String,
    /// Keys of what should be cited; `rubblepile cite` prints them in full.
    pub citations: Vec<String>,
    /// One for the run and one for each time it was resumed.
    pub sessions: Vec<SessionRecord>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SessionRecord {
    pub started: String,
    pub version: String,
    pub threads: usize,
    pub machine: Machine,
    pub from_step: u64,
    pub to_step: u64,
    pub wall_s: f64,
    pub phases: Vec<Phase>,
    pub counts: BTreeMap<String, u64>,
    /// Largest values met.
    #[serde(default)]
    pub largest: BTreeMap<String, f64>,
    pub warnings: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Phase {
    pub name: String,
    pub seconds: f64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    pub system: String,
    pub processor: String,
    /// The vector instructions in use: `avx512`, `avx2` or `portable`.
    #[serde(default)]
    pub lanes: String,
    pub cores: usize,
}

/// Every entry of the file by its path.
pub const ENTRIES: &[Entry] = &[
    Entry::new("program", "", "Name of the program"),
    Entry::new("version", "", "Version of the program that last wrote the report"),
    Entry::new("title", "", "Title of the scenario"),
    Entry::new(
        "status",
        "",
        "`running`, `complete`, `ended by an event`, `interrupted` or `failed`; a run that was killed stays `running`",
    ),
    Entry::new("reason", "", "Why the run ended, where that says more than the status; otherwise null"),
    Entry::new("method", "", "Name of the method that resolves contact"),
    Entry::new("fields[]", "", "Names of the force fields"),
    Entry::new("seed", "", "Seed of all random numbers of the run"),
    Entry::new("bodies", "", "Number of grains, rigid or deformable"),
    Entry::new("walls", "", "Number of walls"),
    Entry::new("time_s", "s", "Simulated time at which the report was written"),
    Entry::new("end_s", "s", "Simulated time at which the run ends"),
    Entry::new("step", "", "Number of the step at which the report was written"),
    Entry::new("timestep_s", "s", "Time step of the method"),
    Entry::new("scenario_sha256", "", "SHA-256 of scenario.toml, as `sha256sum` prints it"),
    Entry::new("citations[]", "", "Keys of what should be cited; `rubblepile cite` prints them in full"),
    Entry::new(
        "sessions[].started",
        "",
        "When the session started; there is one session for the run and one per resume",
    ),
    Entry::new("sessions[].version", "", "Version of the program in this session"),
    Entry::new("sessions[].threads", "", "Number of threads"),
    Entry::new("sessions[].machine.system", "", "Operating system and instruction set"),
    Entry::new("sessions[].machine.processor", "", "Name of the processor"),
    Entry::new("sessions[].machine.lanes", "", "Vector instructions in use: `portable`, `avx2` or `avx512`"),
    Entry::new("sessions[].machine.cores", "", "Number of logical cores"),
    Entry::new("sessions[].from_step", "", "Step at which the session started"),
    Entry::new("sessions[].to_step", "", "Step at which it ended, or the last one reported"),
    Entry::new("sessions[].wall_s", "s", "Wall-clock time of the session"),
    Entry::new(
        "sessions[].phases[].name",
        "",
        "What the time was spent on, such as `gravity`, `contacts` or `solver`",
    ),
    Entry::new("sessions[].phases[].seconds", "s", "Wall-clock time spent on it"),
    Entry::new(
        "sessions[].counts.NAME",
        "",
        "How often something happened, such as `steps` or `neighbour lists`",
    ),
    Entry::new(
        "sessions[].largest.NAME",
        "",
        "Largest value met, such as `error of keeping fields`: the relative error of reusing fields between updates",
    ),
    Entry::new("sessions[].warnings[]", "", "Warnings of the session, each once"),
];

impl Machine {
    pub fn this() -> Self {
        Machine {
            system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            processor: processor().unwrap_or_else(|| std::env::consts::ARCH.to_string()),
            lanes: instructions().name().to_string(),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
        }
    }
}

/// The name of the processor, where the system tells.
fn processor() -> Option<String> {
    let name = if cfg!(windows) {
        std::env::var("PROCESSOR_IDENTIFIER").ok()?
    } else if cfg!(target_os = "macos") {
        let told = Command::new("/usr/sbin/sysctl").args(["-n", "machdep.cpu.brand_string"]).output().ok()?;
        String::from_utf8(told.stdout).ok()?
    } else {
        let cpuinfo = std::fs::read_to_string("/proc/cpuinfo").ok()?;
        cpuinfo.lines().find_map(|l| l.strip_prefix("model name")?.split_once(':'))?.1.to_string()
    };
    let name = name.trim();
    (!name.is_empty()).then(|| name.to_string())
}

impl SessionRecord {
    /// Takes over what the run loop has counted so far.
    pub fn update(&mut self, report: &Report, step: u64, wall_s: f64) {
        self.to_step = step;
        self.wall_s = wall_s;
        self.phases = report
            .phases
            .iter()
            .map(|(name, spent)| Phase { name: (*name).into(), seconds: spent.as_secs_f64() })
            .collect();
        self.counts = report.counts.iter().map(|(name, n)| ((*name).into(), *n)).collect();
        self.largest = report.largest.iter().map(|(name, most)| ((*name).into(), *most)).collect();
        for warning in &report.warnings {
            if !self.warnings.contains(warning) {
                self.warnings.push(warning.clone());
            }
        }
    }
}

impl RunReport {
    pub fn write(&self, directory: &Path) -> Result<()> {
        let path = directory.join(NAME);
        let text = serde_json::to_string_pretty(self)
            .map_err(|e| FileError::io("write", &path)(std::io::Error::other(e)))?;
        atomic::write_text(&path, &(text + "\n"))
    }

    pub fn read(directory: &Path) -> Result<Self> {
        let path = directory.join(NAME);
        let text = std::fs::read_to_string(&path).map_err(FileError::io("read", &path))?;
        serde_json::from_str(&text).map_err(|e| FileError::Damaged {
            path,
            place: format!("line {}", e.line()),
            what: e.to_string(),
            help: "the report is for information only; the run continues without it".into(),
        })
    }
}

/// SHA-256 in hexadecimal.
pub fn sha256(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;

    use super::*;

    /// From the standard's examples (FIPS 180-4).
    #[test]
    fn the_hash_is_sha256() {
        assert_eq!(super::sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }

    /// Paths of everything that is neither an object nor a list.
    fn leaves(value: &Value, path: String, out: &mut BTreeSet<String>) {
        match value {
            Value::Object(map) => {
                let dot = if path.is_empty() { "" } else { "." };
                map.iter().for_each(|(key, inside)| leaves(inside, format!("{path}{dot}{key}"), out));
            }
            Value::Array(list) => list.iter().for_each(|inside| leaves(inside, format!("{path}[]"), out)),
            _ => {
                out.insert(path);
            }
        }
    }

    #[test]
    fn the_reference_names_what_is_written_and_nothing_else() {
        let mut session = SessionRecord {
            started: String::new(),
            version: String::new(),
            threads: 1,
            machine: Machine::this(),
            from_step: 0,
            to_step: 0,
            wall_s: 0.0,
            phases: Vec::new(),
            counts: BTreeMap::new(),
            largest: BTreeMap::new(),
            warnings: Vec::new(),
        };
        let mut counted = Report::default();
        counted.add_duration("gravity", std::time::Duration::from_secs(1));
        counted.count("NAME", 1);
        counted.largest("NAME", 1.0);
        counted.warnings.push("a warning".into());
        session.update(&counted, 1, 1.0);
        let report = RunReport {
            program: String::new(),
            version: String::new(),
            title: String::new(),
            status: String::new(),
            reason: None,
            method: String::new(),
            fields: vec![String::new()],
            seed: 1,
            bodies: 1,
            walls: 0,
            time_s: 0.0,
            end_s: 1.0,
            step: 0,
            timestep_s: 1.0,
            scenario_sha256: String::new(),
            citations: vec![String::new()],
            sessions: vec![session],
        };
        let scratch = crate::testing::Scratch::new("report-reference");
        report.write(scratch.path()).unwrap();
        let text = std::fs::read_to_string(scratch.path().join(NAME)).unwrap();
        let mut written = BTreeSet::new();
        leaves(&serde_json::from_str(&text).unwrap(), String::new(), &mut written);
        let named: BTreeSet<String> = ENTRIES.iter().map(|e| e.name.to_string()).collect();
        assert_eq!(written, named);
    }
}
