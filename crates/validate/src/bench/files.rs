//! How fast the world is saved and read back.

use std::{collections::BTreeMap, path::PathBuf, time::Instant};

use glam::DVec3;
use rubblepile_core::{Material, Partner, Rng, World};
use rubblepile_io::{checkpoint, frame};
use rubblepile_soft::{SoftState, SpringHistory};

use super::BenchRow;
use crate::cases::{Case, CaseError, Options, Rows};

pub struct WriteCheckpoint;
pub struct WriteFrame;

/// A world of `n` grains at random with three contacts each, as a settled pile has.
fn world(n: usize) -> World {
    let mut rng = Rng::stream(1, "bench files");
    let mut world = World::new(1e-4);
    world.materials.push(Material { name: "rock".into(), density: 2500.0, ..Material::default() });
    world.groups.push("grains".into());
    let mut contacts = Vec::with_capacity(3 * n);
    for k in 0..n {
        let x = DVec3::new(rng.uniform(), rng.uniform(), rng.uniform());
        world.bodies.push_sphere(x, 1e-3, 2500.0, 0, 0);
        world.bodies.velocity[k] = rng.direction();
        for j in 1..=3 {
            contacts.push(SpringHistory {
                body: k as u64,
                partner: Partner::Body((k + j) as u64),
                sliding: rng.direction(),
                rolling: rng.direction(),
                twisting: rng.normal(),
                share: 0.0,
            });
        }
    }
    world.part = Some(Box::new(SoftState { contacts }));
    world.rates.acceleration = world.bodies.velocity.clone();
    world.rates.spin_rate = world.bodies.velocity.clone();
    world
}

fn scratch(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("rubblepile-bench-{}-{name}", std::process::id()))
}

fn row(case: &str, n: usize, bytes: u64, write: f64, read: f64) -> BenchRow {
    BenchRow {
        case: case.into(),
        size: n as u64,
        threads: rayon::current_num_threads(),
        seconds: write,
        rate: bytes as f64 / write,
        unit: "B/s".into(),
        phases: BTreeMap::from([
            ("write".into(), write),
            ("read".into(), read),
            ("bytes".into(), bytes as f64),
        ]),
    }
}

impl Case for WriteCheckpoint {
    type Row = BenchRow;

    fn name(&self) -> &'static str {
        "checkpoint"
    }

    fn about(&self) -> &'static str {
        "writes a checkpoint and reads it back (--n bodies, default 200000)"
    }

    fn run(&self, options: &Options, rows: &Rows<BenchRow>) -> Result<(), CaseError> {
        let n = options.n.unwrap_or(200_000);
        let (world, path) = (world(n), scratch("checkpoint.rpk"));
        let start = Instant::now();
        let meta = checkpoint::Meta { method: "soft".into(), ..Default::default() };
        checkpoint::write(&path, &meta, &world)?;
        let write = start.elapsed().as_secs_f64();
        let start = Instant::now();
        let again = checkpoint::read(&path);
        let read = start.elapsed().as_secs_f64();
        let bytes = std::fs::metadata(&path)?.len();
        std::fs::remove_file(&path)?;
        if again?.1 != world {
            return Err("what was read is not what was written".into());
        }
        rows.push(row("checkpoint", n, bytes, write, read));
        Ok(())
    }
}

impl Case for WriteFrame {
    type Row = BenchRow;

    fn name(&self) -> &'static str {
        "frame"
    }

    fn about(&self) -> &'static str {
        "writes a frame and reads it back (--n bodies, default 200000)"
    }

    fn run(&self, options: &Options, rows: &Rows<BenchRow>) -> Result<(), CaseError> {
        let n = options.n.unwrap_or(200_000);
        let (world, path) = (world(n), scratch("frame.vtkhdf"));
        let start = Instant::now();
        let data = frame::FrameData::of(&world, &[]);
        frame::write(&path, &data)?;
        let write = start.elapsed().as_secs_f64();
        let start = Instant::now();
        let again = frame::read(&path);
        let read = start.elapsed().as_secs_f64();
        let bytes = std::fs::metadata(&path)?.len();
        std::fs::remove_file(&path)?;
        if again? != data {
            return Err("what was read is not what was written".into());
        }
        rows.push(row("frame", n, bytes, write, read));
        Ok(())
    }
}
