//! `report.json`: what a run was, what it cost and how it ended. It is written at the start, so that a killed run has
//! one too, and at every end; a resumed run adds a session to it.

use std::{collections::BTreeMap, path::Path, process::Command};

use rubblepile_core::{Report, simd::instructions};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::{
    atomic,
    error::{FileError, Result},
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
    pub sessions: Vec<Session>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Session {
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

impl Session {
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
            help: "the report is only read by people and by `info`: the run can go on without it".into(),
        })
    }
}

/// SHA-256 in hexadecimal.
pub fn sha256(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    /// From the standard's examples (FIPS 180-4).
    #[test]
    fn the_hash_is_sha256() {
        assert_eq!(super::sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}
