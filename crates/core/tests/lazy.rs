//! A method whose state is elsewhere, as on a graphics card: it comes into the world only when somebody asks. It must give
//! the same events, observations, checkpoints and worlds as one that writes every step into the world, and must not be
//! asked more often than something happens.

use std::sync::{Arc, Mutex};

use glam::DVec3;
use rubblepile_core::{
    Advice, Contact, Event, Extent, Fields, Method, Observer, Part, Report, Result, Trigger, World,
    archive_struct,
    event::{AddSpin, RemoveBeyond},
    method::Moment,
    run::{Control, Ending, Engine, Progress, Signal, Ticker},
};

/// What every body has felt of late: the next step depends on it.
#[derive(Debug, Clone, Default, PartialEq)]
struct AccumulatedForce {
    of_body: Vec<f64>,
}

archive_struct!(AccumulatedForce { of_body });

impl Part for AccumulatedForce {
    fn method(&self) -> &'static str {
        "springs"
    }
}

/// How often each kind of sync was asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Syncs {
    visible: usize,
    whole: usize,
}

#[derive(Debug, Clone)]
struct Own {
    position: Vec<DVec3>,
    velocity: Vec<DVec3>,
    memory: Vec<f64>,
}

/// Bodies on springs that tire.
struct Springs {
    lazy: bool,
    own: Option<Own>,
    syncs: Arc<Mutex<Syncs>>,
}

impl Springs {
    fn new(lazy: bool) -> Self {
        Springs { lazy, own: None, syncs: Arc::default() }
    }

    fn load(world: &World) -> Own {
        let b = &world.bodies;
        let mut memory = world.part::<AccumulatedForce>().map_or(Vec::new(), |part| part.of_body.clone());
        memory.resize(b.len(), 0.0);
        Own { position: b.position.clone(), velocity: b.velocity.clone(), memory }
    }

    fn write(own: &Own, world: &mut World, extent: Extent) {
        world.bodies.position.clone_from(&own.position);
        world.bodies.velocity.clone_from(&own.velocity);
        if extent == Extent::Whole {
            world.part_or_default::<AccumulatedForce>().of_body.clone_from(&own.memory);
        }
    }
}

impl Method for Springs {
    fn name(&self) -> &'static str {
        "springs"
    }

    fn check(&self, _: &World) -> Vec<Advice> {
        Vec::new()
    }

    fn advance(&mut self, world: &mut World, _: &mut Fields, until: f64, report: &mut Report) -> Result<()> {
        let own = self.own.get_or_insert_with(|| Springs::load(world));
        let h = world.clock.timestep;
        for _ in 0..world.clock.steps_until(until) {
            for k in 0..own.position.len() {
                own.velocity[k] -= h * (1.0 + own.memory[k]) * own.position[k];
                own.position[k] += h * own.velocity[k];
                own.memory[k] += h * (own.position[k].length() - own.memory[k]);
            }
            world.clock.tick();
            report.count("steps", 1);
            if !self.lazy {
                Springs::write(own, world, Extent::Whole);
            }
        }
        Ok(())
    }

    fn contacts(&mut self, _: &World) -> Result<Vec<Contact>> {
        Ok(Vec::new())
    }

    fn sync(&mut self, world: &mut World, extent: Extent) -> Result<()> {
        let mut syncs = self.syncs.lock().unwrap();
        match extent {
            Extent::Visible => syncs.visible += 1,
            Extent::Whole => syncs.whole += 1,
        }
        if let Some(own) = &self.own {
            Springs::write(own, world, extent);
        }
        Ok(())
    }

    fn forget(&mut self) {
        self.own = None;
    }
}

type Seen = Arc<Mutex<Vec<(u64, Vec<DVec3>)>>>;

/// Writes down where the bodies are.
struct Recorder {
    ticker: Ticker,
    seen: Seen,
}

impl Observer for Recorder {
    fn next(&self) -> Option<f64> {
        Some(self.ticker.next())
    }

    fn observe(&mut self, moment: &mut Moment) -> Result<()> {
        let world = moment.world;
        self.seen.lock().unwrap().push((world.clock.step, world.bodies.position.clone()));
        self.ticker.advance();
        Ok(())
    }
}

fn world() -> World {
    let mut world = World::new(1e-3);
    for k in 0..5 {
        let x = f64::from(k);
        world.bodies.push_sphere(DVec3::new(0.5 * x, 1.0 - 0.3 * x, 0.1), 0.1, 1000.0, 0, 0);
        world.bodies.velocity[k as usize] = DVec3::new(0.0, 0.4 * x, 0.2);
    }
    world.events = vec![
        Event::new(Trigger::At(0.7), AddSpin { group: None, spin: DVec3::Z.into() }),
        Event::new(
            Trigger::Every { start: 0.9, interval: 0.45, end: 2.5 },
            RemoveBeyond { distance: 1.3.into() },
        ),
    ];
    world
}

/// A run with two observers that now and then look at the same step.
fn engine(lazy: bool) -> (Engine, Seen, Arc<Mutex<Syncs>>) {
    let seen = Seen::default();
    let method = Springs::new(lazy);
    let syncs = method.syncs.clone();
    let look = |interval| Recorder { ticker: Ticker { interval, index: 0 }, seen: seen.clone() };
    let engine = Engine {
        world: world(),
        method: Box::new(method),
        fields: Fields::default(),
        observers: vec![Box::new(look(0.1)), Box::new(look(0.25))],
        end: 3.0,
        report: Report::default(),
    };
    (engine, seen, syncs)
}

/// Counts ticks and saves; stops after some ticks.
struct Owner {
    ticks: usize,
    saved: Vec<World>,
    stop_after: usize,
}

impl Owner {
    fn new(stop_after: usize) -> Self {
        Owner { ticks: 0, saved: Vec::new(), stop_after }
    }
}

impl Control for Owner {
    fn tick(&mut self, progress: &mut Progress) -> Signal {
        self.ticks += 1;
        assert_eq!(progress.time(), progress.clock().time());
        match self.ticks {
            n if n == self.stop_after => Signal::Stop,
            20 => Signal::Checkpoint,
            _ => Signal::Continue,
        }
    }

    fn save(&mut self, world: &World, _: &Report) -> Result<()> {
        self.saved.push(world.clone());
        Ok(())
    }
}

#[test]
fn a_lazy_method_gives_what_its_eager_twin_gives_and_is_synced_only_when_something_happens() {
    let (mut eager, eager_seen, _) = engine(false);
    assert_eq!(eager.run(&mut Owner::new(usize::MAX)).unwrap(), Ending::Complete);
    let (gone, left) = (eager.world.departed.count, eager.world.bodies.len());
    assert!(
        gone > 0 && left > 1,
        "an event should remove some bodies, not all or none: {gone} of {}",
        left + 5
    );

    let (mut lazy, lazy_seen, syncs) = engine(true);
    let mut owner = Owner::new(usize::MAX);
    // Many short slices and pauses.
    for k in 1..300 {
        assert_eq!(lazy.run_until(0.01 * f64::from(k), &mut owner).unwrap(), Ending::Complete);
    }
    assert_eq!(lazy.run(&mut owner).unwrap(), Ending::Complete);
    assert_eq!(lazy.world, eager.world);
    let seen = lazy_seen.lock().unwrap();
    assert_eq!(*seen, *eager_seen.lock().unwrap());
    assert_eq!(owner.saved.last(), Some(&eager.world));

    // One for each moment at which somebody looks, one for each event and one for each save; none for the other slices.
    let mut moments: Vec<u64> = seen.iter().map(|s| s.0).collect();
    moments.dedup();
    assert!(moments.len() < seen.len(), "some moments have two observers");
    let fired: u64 = lazy.world.events.iter().map(|e| e.fired).sum();
    let expected = Syncs { visible: moments.len(), whole: fired as usize + owner.saved.len() };
    assert_eq!((*syncs.lock().unwrap(), owner.saved.len()), (expected, 2));
    assert!(owner.ticks > 2 * (expected.visible + expected.whole), "{} ticks", owner.ticks);
}

#[test]
fn a_lazy_method_is_resumed_from_what_was_saved() {
    let (mut whole, whole_seen, _) = engine(true);
    whole.run(&mut Owner::new(usize::MAX)).unwrap();
    let (mut engine, seen, _) = engine(true);
    for stop_after in [1, 2, 9, 12, usize::MAX] {
        let mut owner = Owner::new(stop_after);
        let ending = engine.run(&mut owner).unwrap();
        assert_eq!(ending == Ending::Complete, stop_after == usize::MAX);
        // What goes on has the saved world and nothing of the method.
        engine.world = owner.saved.pop().unwrap();
        engine.method = Box::new(Springs::new(true));
    }
    assert_eq!(engine.world, whole.world);
    assert_eq!(*seen.lock().unwrap(), *whole_seen.lock().unwrap());
}

/// Looks at the world at every tick.
struct Curious {
    by_step: Vec<Vec<DVec3>>,
}

impl Control for Curious {
    fn tick(&mut self, progress: &mut Progress) -> Signal {
        let step = progress.clock().step as usize;
        let world = progress.world().unwrap();
        assert_eq!(world.bodies.position, self.by_step[step]);
        Signal::Continue
    }

    fn save(&mut self, _: &World, _: &Report) -> Result<()> {
        Ok(())
    }
}

#[test]
fn progress_brings_the_world_when_it_is_asked_to() {
    let (mut engine, ..) = engine(false);
    engine.world.events.clear();
    let start = engine.world.clone();
    let mut by_step = vec![start.bodies.position.clone()];
    while by_step.len() <= 400 {
        let until = by_step.len() as f64 * engine.world.clock.timestep;
        engine.method.advance(&mut engine.world, &mut engine.fields, until, &mut engine.report).unwrap();
        by_step.push(engine.world.bodies.position.clone());
    }
    (engine.world, engine.method, engine.end) = (start, Box::new(Springs::new(true)), 0.4);
    engine.run(&mut Curious { by_step }).unwrap();
}
