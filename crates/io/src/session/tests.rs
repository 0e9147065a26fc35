use super::*;
use crate::testing::{DriftState, RandomDrift, Scratch, change_part, random_world};
use rubblepile_core::{Column, Fields, Rng, method::Moment};
use std::{fs, sync::Arc};

struct EnergyProbe;

impl Probe for EnergyProbe {
    fn columns(&self) -> Vec<Column> {
        ["translation", "rotation"].map(|kind| Column::new(kind, "J", "Kinetic energy")).to_vec()
    }

    fn measure(&mut self, moment: &mut Moment, row: &mut Vec<f64>) -> rubblepile_core::Result<()> {
        let (t, r) = moment.world.bodies.kinetic_energy();
        row.extend([t, r]);
        Ok(())
    }
}

/// Number of contacts, and the time since the last look, which it must know again after a restart.
#[derive(Default)]
struct Mean {
    last: Option<f64>,
}

impl Probe for Mean {
    fn columns(&self) -> Vec<Column> {
        let since = Column::new("since", "s", "Time since the last row");
        vec![Column::new("contacts", "", "Number of contacts"), since]
    }

    fn measure(&mut self, moment: &mut Moment, row: &mut Vec<f64>) -> rubblepile_core::Result<()> {
        let time = moment.world.time();
        let since = self.last.replace(time).map_or(f64::NAN, |last| time - last);
        row.extend([moment.contacts()?.len() as f64, since]);
        Ok(())
    }

    fn recall(&mut self, time: f64, row: &[f64]) {
        assert_eq!((row.len(), row[0]), (2, 6.0));
        self.last = Some(time);
    }
}

fn world() -> World {
    let mut world = random_world(&mut Rng::new(11), 6);
    world.clock = rubblepile_core::Clock::new(1e-3);
    world.events.clear();
    world.ended = false;
    world.bodies.velocity.iter_mut().for_each(|v| *v = v.normalize_or_zero());
    change_part(&mut world, &mut Rng::new(12), "drift");
    let contacts = &mut world.part_or_default::<DriftState>().contacts;
    contacts.iter_mut().for_each(|c| c.sliding = c.sliding.normalize_or_zero());
    world
}

fn plan(world: World, end: f64) -> Plan {
    Plan {
        title: "drifting".into(),
        engine: Engine {
            world,
            method: Box::new(RandomDrift::default()),
            fields: Fields::default(),
            observers: Vec::new(),
            end,
            report: Report::default(),
        },
        probes: vec![(Box::new(EnergyProbe), 0.05), (Box::new(Mean::default()), 0.12)],
        frames: Some(0.1),
        view: View::Inertial,
        wall_styles: WallStyles::default(),
        contact_tables: Some(0.25),
        checkpoint: CheckpointEvery::Simulated(0.13),
        seed: 11,
        scenario: "title = \"drifting\"\n".into(),
        base_directory: String::new(),
        given: Default::default(),
    }
}

/// An engine with its recorder, as a simulation has them.
struct Session {
    engine: Engine,
    recorder: Recorder,
}

impl Session {
    fn start(mut plan: Plan, directory: RunDir) -> Result<Self, SessionError> {
        let recorder = Recorder::start(&mut plan, directory)?;
        Ok(Session { engine: plan.engine, recorder })
    }

    fn resume(found: LatestCheckpoint, directory: RunDir, mut plan: Plan) -> Result<Self, SessionError> {
        let recorder = Recorder::resume(found, directory, &mut plan)?;
        Ok(Session { engine: plan.engine, recorder })
    }

    fn run(&mut self, stop: &AtomicBool, watcher: &mut dyn Watcher) -> Result<Ending, SessionError> {
        self.recorder.run(&mut self.engine, None, stop, watcher)
    }
}

/// Asks to stop after so many ticks.
struct Patience {
    ticks: u64,
    stop: Arc<AtomicBool>,
}

impl Watcher for Patience {
    fn progress(&mut self, _: &mut Progress) {
        self.ticks = self.ticks.saturating_sub(1);
        if self.ticks == 0 {
            self.stop.store(true, Ordering::Relaxed);
        }
    }
}

fn go(mut session: Session, ticks: u64) -> Result<(Ending, usize), SessionError> {
    let stop = Arc::new(AtomicBool::new(false));
    let ending = session.run(&stop.clone(), &mut Patience { ticks, stop })?;
    Ok((ending, session.recorder.report().sessions.len()))
}

fn start(path: &Path, end: f64) -> Session {
    Session::start(plan(world(), end), RunDir::create(path, false).unwrap().0).unwrap()
}

fn resume(path: &Path, end: f64) -> Session {
    let directory = RunDir::open(path).unwrap();
    Session::resume(checkpoint::find(path).unwrap(), directory, plan(world(), end)).unwrap()
}

/// Every file that must be the same, and the world of the checkpoint.
fn results(path: &Path) -> (Vec<(String, Vec<u8>)>, World) {
    let mut files = Vec::new();
    for folder in ["", "frames", "contacts"] {
        for entry in fs::read_dir(path.join(folder)).unwrap() {
            let entry = entry.unwrap();
            let name = format!("{folder}/{}", entry.file_name().to_string_lossy());
            let differs = ["report.json", "log.txt", ".lock", ".rpk"].iter().any(|end| name.ends_with(end));
            if entry.path().is_file() && !differs {
                files.push((name, fs::read(entry.path()).unwrap()));
            }
        }
    }
    files.sort();
    (files, checkpoint::find(path).unwrap().world)
}

fn assert_same(a: &Path, b: &Path) {
    let (a, b) = (results(a), results(b));
    let names = |r: &[(String, Vec<u8>)]| r.iter().map(|f| f.0.clone()).collect::<Vec<_>>();
    assert_eq!(names(&a.0), names(&b.0));
    for (x, y) in a.0.iter().zip(&b.0) {
        assert!(x.1 == y.1, "{} differs", x.0);
    }
    assert!(a.1 == b.1, "the worlds differ");
}

#[test]
fn an_interrupted_run_ends_as_an_unbroken_one() {
    let scratch = Scratch::new("session-interrupt");
    let (whole, broken) = (scratch.path().join("whole"), scratch.path().join("broken"));
    assert_eq!(go(start(&whole, 2.0), u64::MAX).unwrap().0, Ending::Complete);
    assert!(results(&whole).0.iter().any(|f| f.0 == "frames/frame-000020.vtkhdf"));
    let mut rng = Rng::new(5);
    let mut finished = go(start(&broken, 2.0), 1).unwrap();
    let mut sessions = 1;
    while finished.0 == Ending::Interrupted {
        finished = go(resume(&broken, 2.0), 1 + rng.next_u64() % 12).unwrap();
        sessions += 1;
    }
    assert!(sessions > 5, "it was hardly interrupted");
    assert_eq!(finished.1, sessions);
    assert_same(&whole, &broken);
}

/// A kill leaves files longer than the last checkpoint knows, or torn: they are put right.
#[test]
fn a_killed_run_ends_as_an_unbroken_one() {
    let scratch = Scratch::new("session-kill");
    let (whole, killed) = (scratch.path().join("whole"), scratch.path().join("killed"));
    go(start(&whole, 1.2), u64::MAX).unwrap();
    let mut rng = Rng::new(6);
    drop(start(&killed, 1.2));
    for round in 0..12 {
        let before: Vec<Vec<u8>> = [checkpoint::NEWEST, checkpoint::PREVIOUS]
            .iter()
            .map(|n| fs::read(killed.join(n)).unwrap_or_default())
            .collect();
        let _ = go(resume(&killed, 1.2), 1 + rng.next_u64() % 12);
        // As if the last save had not happened, or had been torn, while the other files went on.
        match round % 3 {
            0 => fs::write(killed.join(checkpoint::NEWEST), &before[0]).unwrap(),
            1 => {
                let bytes = fs::read(killed.join(checkpoint::NEWEST)).unwrap();
                let cut = (rng.next_u64() % bytes.len() as u64) as usize;
                fs::write(killed.join(checkpoint::NEWEST), &bytes[..cut]).unwrap();
            }
            _ => {
                let mut series = fs::read(killed.join("series.csv")).unwrap();
                series.extend(b"0.3,12,4");
                fs::write(killed.join("series.csv"), series).unwrap();
                fs::write(killed.join(crate::frame::INDEX_NAME), "{").unwrap();
            }
        }
    }
    while go(resume(&killed, 1.2), u64::MAX).unwrap().0 != Ending::Complete {}
    assert_same(&whole, &killed);
}

#[test]
fn a_run_that_goes_further_equals_a_longer_one() {
    let scratch = Scratch::new("session-further");
    let (long, short) = (scratch.path().join("long"), scratch.path().join("short"));
    go(start(&long, 1.5), u64::MAX).unwrap();
    go(start(&short, 0.7), u64::MAX).unwrap();
    assert!(checkpoint::find(&short).unwrap().world.ended);
    go(resume(&short, 1.5), u64::MAX).unwrap();
    assert_same(&long, &short);
}

#[test]
fn the_series_has_blank_cells_where_a_probe_is_not_due() {
    let scratch = Scratch::new("session-series");
    let run = scratch.path().join("run");
    go(start(&run, 0.3), u64::MAX).unwrap();
    let text = fs::read_to_string(run.join("series.csv")).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "time_s,step,translation_J,rotation_J,contacts,since_s");
    // Due at 0, 0.05, 0.1, 0.12, 0.15, 0.2, 0.24, 0.25, 0.3.
    assert_eq!(lines.len(), 10);
    assert!(lines[1].ends_with(",6,nan") && lines[2].ends_with(",,"));
    assert_eq!(lines[4], "0.12,120,,,6,0.12");
}

// Only Linux has a device that is always full.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_stops_the_run_and_destroys_nothing() {
    let scratch = Scratch::new("session-full");
    for (name, target) in [
        ("frame", "frames/frame-000007.vtkhdf.tmp"),
        ("checkpoint", "checkpoint.next.rpk.tmp"),
        ("contacts", "contacts/contacts-000002.csv.tmp"),
    ] {
        let run = scratch.path().join(name);
        let session = start(&run, 1.0);
        // Whatever is written there ends as on a full disk.
        std::os::unix::fs::symlink("/dev/full", run.join(target)).unwrap();
        let error = go(session, u64::MAX).unwrap_err();
        let help = crate::Diagnostic::help(&error).unwrap();
        assert!(
            !error.is_bad_input() && help.contains("full") && help.contains("resume"),
            "{name}: {error} {help}"
        );
        assert_eq!(RunReport::read(&run).unwrap().status, "failed");
        // With room again, it goes on.
        assert!(!run.join(target).exists());
        go(resume(&run, 1.0), u64::MAX).unwrap();
        let whole = scratch.path().join(format!("{name}-whole"));
        go(start(&whole, 1.0), u64::MAX).unwrap();
        assert_same(&whole, &run);
    }
}

#[test]
fn a_run_that_fails_names_the_body_and_leaves_its_world() {
    let scratch = Scratch::new("session-failed");
    let run = scratch.path().join("run");
    let mut broken = world();
    broken.bodies.velocity[2].x = f64::INFINITY;
    let session = Session::start(plan(broken, 1.0), RunDir::create(&run, false).unwrap().0).unwrap();
    let error = go(session, u64::MAX).unwrap_err();
    assert!(error.to_string().contains("body 12"), "{error}");
    let (_, world) = checkpoint::read(&run.join(rundir::FAILED)).unwrap();
    assert!(!world.bodies.position[2].is_finite());
    assert_eq!(checkpoint::find(&run).unwrap().world.clock.step, 0);
}

#[test]
fn a_series_that_was_cut_is_refused() {
    let scratch = Scratch::new("session-cut");
    let run = scratch.path().join("run");
    go(start(&run, 0.5), u64::MAX).unwrap();
    fs::write(run.join("series.csv"), "time_s,step\n").unwrap();
    let outcome =
        Session::resume(checkpoint::find(&run).unwrap(), RunDir::open(&run).unwrap(), plan(world(), 1.0));
    assert!(matches!(outcome, Err(SessionError::File(FileError::Damaged { .. }))));
}

#[test]
fn an_interval_that_would_never_pass_is_refused() {
    let scratch = Scratch::new("session-interval");
    for (k, interval) in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-9].into_iter().enumerate() {
        let directory = RunDir::create(&scratch.path().join(k.to_string()), false).unwrap().0;
        let mut plan = plan(world(), 1.0);
        plan.probes[1].1 = interval;
        assert!(matches!(Session::start(plan, directory), Err(SessionError::Refused(_))), "{interval}");
    }
}

#[test]
fn a_checkpoint_of_another_method_is_refused() {
    let scratch = Scratch::new("session-method");
    let run = scratch.path().join("run");
    go(start(&run, 0.5), u64::MAX).unwrap();
    let mut found = checkpoint::find(&run).unwrap();
    change_part(&mut found.world, &mut Rng::new(1), "nonsmooth");
    let outcome = Session::resume(found, RunDir::open(&run).unwrap(), plan(world(), 1.0));
    let Err(error) = outcome else { panic!("it was resumed") };
    let text = error.to_string();
    assert!(error.is_bad_input() && text.contains("`nonsmooth`") && text.contains("`drift`"), "{text}");
}
