//! The time step of soft spheres.

use std::time::Instant;

use rayon::prelude::*;
use rubblepile_core::{
    Advice, Citation, Contact, Error, Extent, Fields, Method, Partner, Poses, Pulls, Report, Result, World,
    Wrench,
    settings::Checked,
    wall::catch::{self, HeldRows, WallTouch},
};
use rubblepile_geometry::order;

use crate::{
    Settings,
    blocks::{Blocks, PackedBody, Remember, Spin},
    forces::Shared,
    ground::Ground,
    history::SoftState,
    integrate::{Halves, kick_and_drift, pack},
    law::{Coefficients, ContactLaw, Springy},
    settings::SONG,
    table, timestep,
    walls::poses,
};

/// Grains are sorted in space at steps that are multiples of this. The step number decides and not the state of
/// the neighbour list, so that the order of the rows, and with it every sum, survives a restart.
const SORT_EVERY: u64 = 1024;

/// Mass of a grain that a wall holds over that of the grain.
const HEAVY: f64 = 1e12;

/// Margin of the neighbour list over the smallest diameter, unless given.
const SKIN: f64 = 0.1;

/// Soft spheres.
pub struct SoftSpheres {
    settings: Settings,
    law: Box<dyn Springy>,
    live: Option<Workspace>,
    /// Kept when the rest of the scratch goes: it takes long to make and depends on shapes alone.
    ground: Ground,
}

/// Scratch that the world can rebuild: neighbours, the kernel's copy of the bodies, material constants.
struct Workspace {
    blocks: Blocks,
    motion: Vec<PackedBody>,
    spin: Vec<Spin>,
    constants: Constants,
    /// What contacts do to the asteroids.
    on_asteroids: Vec<Wrench>,
    /// What walls hold, and whether there are walls that do or that absorb.
    held: HeldRows,
    catches: bool,
}

/// Material constants and what they ask of the kernel.
pub(crate) struct Constants {
    pub coefficients: Vec<Coefficients>,
    pub materials: usize,
    pub rolls: bool,
    pub period: [f64; 3],
}

impl Constants {
    pub fn new(world: &World, law: &dyn Springy, settings: &Settings) -> Self {
        let coefficients: Vec<Coefficients> =
            world.pair_table().iter().map(|p| Coefficients::new(p, law, settings)).collect();
        Constants {
            rolls: coefficients.iter().any(|c| c.rolls()),
            coefficients,
            materials: world.materials.len(),
            period: world.domain.period().to_array().map(|l| if l.is_finite() { l } else { 0.0 }),
        }
    }

    pub fn shared<'a>(
        &'a self,
        world: &'a World,
        motion: &'a [PackedBody],
        spin: &'a [Spin],
        poses: &'a Poses,
        dt: f64,
        deepest: f64,
    ) -> Shared<'a> {
        Shared {
            motion,
            spin,
            coefficients: &self.coefficients,
            materials: self.materials,
            period: self.period,
            inverse_period: self.period.map(|l| if l > 0.0 { 1.0 / l } else { 0.0 }),
            walls: &world.walls,
            asteroids: &world.asteroids,
            poses,
            dt,
            deepest,
        }
    }
}

impl SoftSpheres {
    pub fn new(settings: Settings) -> Self {
        let law = settings.law.springs();
        SoftSpheres { settings, law, live: None, ground: Ground::default() }
    }

    /// Soft spheres with a law of your own, in place of that of the settings; as fast as those of this crate.
    pub fn with_law(settings: Settings, law: impl ContactLaw) -> Self {
        SoftSpheres { settings, law: Box::new(law), live: None, ground: Ground::default() }
    }

    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    fn skin(&self, world: &World) -> f64 {
        let smallest = world.bodies.radius.iter().copied().fold(f64::INFINITY, f64::min);
        self.settings.skin.value().unwrap_or(2.0 * SKIN * smallest)
    }

    /// Makes the scratch from the world.
    fn load(&mut self, world: &World) -> Result<Workspace> {
        self.load_with(world, &Remember::from_history(world))
    }

    /// The same, with contact memory that is not in the world.
    fn load_with(&mut self, world: &World, remember: &Remember) -> Result<Workspace> {
        let (mut motion, spin) = pack(world);
        let held = HeldRows::new(world);
        // As heavy as its wall, to rounding: the mass enters damping and what a force does.
        held.rows().for_each(|row| motion[row][7] *= HEAVY);
        let constants = Constants::new(world, self.law.as_ref(), &self.settings);
        let skin = self.skin(world);
        self.ground.forget_rows();
        let near = self.ground.near(world, skin)?;
        let blocks = Blocks::new(world, skin, constants.rolls, remember, &near);
        let catches = catch::any(&world.walls);
        Ok(Workspace { blocks, motion, spin, constants, on_asteroids: Vec::new(), held, catches })
    }

    /// Sorts the rows along a curve through space, and what is kept a row each with them.
    fn sort(&mut self, world: &mut World) -> Result<()> {
        let mut remember = match self.live.take() {
            Some(live) => live.blocks.remember(world),
            None => Remember::from_history(world),
        };
        match order::sort_bodies(world) {
            Some(order) => remember.permute(&order),
            None => remember.sort_walls(),
        }
        self.reload(world, &remember)
    }

    fn reload(&mut self, world: &mut World, remember: &Remember) -> Result<()> {
        match self.load_with(world, remember) {
            Ok(live) => self.live = Some(live),
            Err(error) => {
                // The memory must not be lost with the scratch: what the world has is older.
                world.part = Some(Box::new(SoftState { contacts: remember.history(world) }));
                return Err(error);
            }
        }
        Ok(())
    }

    /// Forces of all contacts into the blocks' sums; with `energy`, what is lost into the world.
    fn contacts_push(&self, live: &mut Workspace, world: &mut World, dt: f64, energy: bool) -> Result<()> {
        // Damping sees velocities of the end of the step.
        let poses = poses(world, 0.5 * dt);
        let Workspace { blocks, motion, spin, constants, on_asteroids, held, .. } = live;
        let shared = constants.shared(world, motion, spin, &poses, dt, self.settings.deepest_overlap.0);
        blocks.list.par_iter_mut().for_each(|block| {
            self.law.push(&shared, block, constants.rolls, energy);
        });
        on_asteroids.clear();
        on_asteroids.resize(world.asteroids.len(), Wrench::default());
        for block in &blocks.list {
            on_asteroids.iter_mut().zip(&block.on_asteroids).for_each(|(sum, part)| *sum += *part);
        }
        if energy && dt > 0.0 {
            let lost = &mut world.dissipation;
            for block in &blocks.list {
                lost.normal += block.lost[0];
                lost.sliding += block.lost[1];
                lost.rolling += block.lost[2];
                lost.twisting += block.lost[3];
                lost.wall_work += block.lost[4];
            }
            // Walls work through what they hold.
            for (row, [force, torque]) in blocks.forces_on(held.rows()) {
                let work = force.dot(world.bodies.velocity[row]) + torque.dot(world.bodies.spin[row]);
                lost.wall_work -= work * dt;
            }
        }
        if blocks.list.iter().any(|b| b.too_deep > 0.0) {
            return Err(self.deepest(live, world));
        }
        Ok(())
    }

    /// The error for the deepest contact.
    fn deepest(&self, live: &mut Workspace, world: &World) -> Error {
        let contacts = table::contacts(world, &mut live.blocks, &live.constants, self.law.as_ref());
        let radius = |c: &Contact| {
            let own = world.bodies.radius[c.row as usize];
            c.partner_row.map_or(own, |p| own.min(world.bodies.radius[p as usize]))
        };
        let deepest =
            contacts.iter().max_by(|a, b| (a.overlap / radius(a)).total_cmp(&(b.overlap / radius(b))));
        match deepest {
            Some(c) => Error::TooDeep {
                id: c.body,
                partner: match c.partner {
                    Partner::Body(id) => format!("body {id}"),
                    Partner::Wall { wall, .. } => {
                        let name = world.walls.iter().find(|w| w.id == wall).map(|w| w.name.as_str());
                        format!("wall `{}`", name.unwrap_or("?"))
                    }
                    Partner::Asteroid { asteroid, facet } => {
                        let name = world.asteroids.iter().find(|a| a.id == asteroid).map(|a| a.name.as_str());
                        format!("facet {facet} of asteroid `{}`", name.unwrap_or("?"))
                    }
                },
                percent: 100.0 * c.overlap / radius(c),
                time: world.time(),
            },
            // Only reached if a number is not finite: then that is the error.
            None => match world.bodies.check_finite(world.time()) {
                Err(e) => e,
                Ok(()) => Error::Unsupported("an overlap is too deep".into()),
            },
        }
    }

    /// Accelerations at the very start, before any step has made them.
    fn first_rates(
        &self,
        live: &mut Workspace,
        world: &mut World,
        fields: &mut Fields,
        report: &mut Report,
    ) -> Result<()> {
        self.contacts_push(live, world, 0.0, report.measure.dissipation)?;
        let n = world.bodies.len();
        world.rates.acceleration = vec![glam::DVec3::ZERO; n];
        world.rates.spin_rate = vec![glam::DVec3::ZERO; n];
        fields.update(world, true, report)?;
        // A step of no length sums the forces and kicks nothing.
        let timestep = std::mem::replace(&mut world.clock.timestep, 0.0);
        let halves = Halves { finish: true, start: false };
        kick_and_drift(world, &live.blocks, &mut live.motion, &mut live.spin, halves);
        world.clock.timestep = timestep;
        sum_on_asteroids(live, world);
        Ok(())
    }

    /// Makes the neighbour list again where everything is now.
    fn relist(&mut self, live: &mut Workspace, world: &World, report: &mut Report) -> Result<()> {
        let start = Instant::now();
        // What can fail comes first: contact memory lives in the blocks.
        world.bodies.check_finite(world.time())?;
        let skin = self.skin(world);
        let near = self.ground.near(world, skin)?;
        let old = std::mem::take(&mut live.blocks);
        let mut remember = old.remember(world);
        drop(old);
        remember.sort_walls();
        live.blocks = Blocks::new(world, skin, live.constants.rolls, &remember, &near);
        report.count("neighbour lists", 1);
        report.add_time("neighbours", start);
        Ok(())
    }

    /// `steps` steps without sorting, or up to one in which walls have caught something: how many there were, and what was
    /// caught.
    fn stretch(
        &mut self,
        live: &mut Workspace,
        world: &mut World,
        fields: &mut Fields,
        steps: u64,
        report: &mut Report,
    ) -> Result<(u64, Vec<WallTouch>)> {
        let rates = &world.rates;
        if rates.acceleration.len() != world.bodies.len() || rates.on_asteroids.len() != world.asteroids.len()
        {
            self.first_rates(live, world, fields, report)?;
        }
        let mut halves = Halves { finish: false, start: true };
        let account = report.measure.dissipation;
        let (mut done, mut caught) = (0, Vec::new());
        loop {
            halves.start = done < steps && caught.is_empty();
            let start = Instant::now();
            let distance = kick_and_drift(world, &live.blocks, &mut live.motion, &mut live.spin, halves);
            move_asteroids(world, halves);
            report.add_time("kick and drift", start);
            if !halves.start {
                // Kicks are not for what walls hold.
                live.held.restore(world);
                break;
            }
            world.clock.tick();
            done += 1;
            self.ground.check_apart(world)?;
            let distance = distance.max(carry(live, world, account));
            if live.catches {
                caught = catch::touches(world, &live.held);
            }
            if live.blocks.used_up(distance, world) || live.blocks.walls_moved(world, &poses(world, 0.0)) {
                self.relist(live, world, report)?;
            }
            let start = Instant::now();
            self.contacts_push(live, world, world.clock.timestep, account)?;
            report.add_time("contacts", start);
            fields.update(world, false, report)?;
            sum_on_asteroids(live, world);
            halves.finish = true;
        }
        report.count("steps", done);
        Ok((done, caught))
    }

    /// What has got into sticky and absorbing walls is held or taken out; rows and what is made from them change.
    fn catch(&mut self, world: &mut World, touches: &[WallTouch], report: &mut Report) -> Result<()> {
        let Some(live) = self.live.take() else { return Ok(()) };
        let mut remember = live.blocks.remember(world);
        let outcome = catch::catch(world, touches, report.measure.dissipation);
        catch::count(report, outcome.stuck, outcome.absorbed);
        match &outcome.left {
            Some(left) => remember.keep(left),
            None => remember.sort_walls(),
        }
        self.reload(world, &remember)
    }
}

/// Puts what walls hold to where it belongs now; gives the longest way.
fn carry(live: &mut Workspace, world: &mut World, account: bool) -> f64 {
    let time = world.time();
    let distance = live.held.carry(world, time, account);
    for row in live.held.rows() {
        let b = &world.bodies;
        let (x, v, w) = (b.position[row], b.velocity[row], b.spin[row]);
        live.motion[row][..3].copy_from_slice(&x.to_array());
        live.motion[row][4..7].copy_from_slice(&v.to_array());
        live.spin[row][..3].copy_from_slice(&w.to_array());
    }
    distance
}

/// What contacts and fields do to the asteroids, eqs (13) and (14).
fn sum_on_asteroids(live: &Workspace, world: &mut World) {
    world.rates.on_asteroids.clone_from(&live.on_asteroids);
    let sums = &mut world.rates.on_asteroids;
    sums.iter_mut().zip(&world.rates.field_on_asteroids).for_each(|(sum, field)| *sum += *field);
}

/// The asteroids' part of [`kick_and_drift`].
fn move_asteroids(world: &mut World, halves: Halves) {
    let h = world.clock.timestep;
    for (asteroid, on) in world.asteroids.iter_mut().zip(&world.rates.on_asteroids) {
        if halves.finish {
            asteroid.kick(on, 0.5 * h);
        }
        if halves.start {
            asteroid.kick(on, 0.5 * h);
            asteroid.drift(h);
        }
    }
}

impl Method for SoftSpheres {
    fn name(&self) -> &'static str {
        "soft"
    }

    fn check(&self, world: &World) -> Vec<Advice> {
        timestep::check(world, self.law.as_ref(), &self.settings, self.skin(world))
    }

    fn automatic_timestep(&self, world: &World, _pulls: &Pulls) -> Checked<f64> {
        timestep::automatic(world, self.law.as_ref(), &self.settings)
    }

    fn citations(&self) -> Vec<Citation> {
        let mut papers = vec![SONG];
        papers.extend(self.law.citations().into_iter().filter(|p| *p != SONG));
        papers
    }

    fn advance(
        &mut self,
        world: &mut World,
        fields: &mut Fields,
        until: f64,
        report: &mut Report,
    ) -> Result<()> {
        let mut steps = world.clock.steps_until(until);
        if world.clock.step == 0 {
            catch::hold_at_start(world);
        }
        while steps > 0 {
            if world.bodies.is_empty() && world.asteroids.is_empty() {
                (0..steps).for_each(|_| world.clock.tick());
                return Ok(());
            }
            let past_sort = world.clock.step % SORT_EVERY;
            if past_sort == 0 {
                let start = Instant::now();
                world.bodies.check_finite(world.time())?;
                self.sort(world)?;
                report.add_time("neighbours", start);
            }
            let mut live = match self.live.take() {
                Some(live) => live,
                None => self.load(world)?,
            };
            let stretch = steps.min(SORT_EVERY - past_sort);
            let done = self.stretch(&mut live, world, fields, stretch, report);
            // Also after an error: it holds the contact history.
            self.live = Some(live);
            let (done, caught) = done?;
            if !caught.is_empty() {
                self.catch(world, &caught, report)?;
            }
            steps -= done;
        }
        world.bodies.check_finite(world.time())
    }

    fn contacts(&mut self, world: &World) -> Result<Vec<Contact>> {
        if world.bodies.is_empty() {
            return Ok(Vec::new());
        }
        let mut live = match self.live.take() {
            Some(live) => live,
            None => self.load(world)?,
        };
        let contacts = table::contacts(world, &mut live.blocks, &live.constants, self.law.as_ref());
        self.live = Some(live);
        Ok(contacts)
    }

    fn contact_counts(&mut self, world: &World) -> Result<Vec<u32>> {
        let live = match self.live.take() {
            Some(live) => live,
            None => self.load(world)?,
        };
        let counts = table::counts(world, &live.blocks);
        self.live = Some(live);
        Ok(counts)
    }

    fn sync(&mut self, world: &mut World, extent: Extent) -> Result<()> {
        if let (Some(live), Extent::Whole) = (&self.live, extent) {
            // The old copy goes first: a million grains have room for one.
            world.part = None;
            world.part = Some(Box::new(SoftState { contacts: live.blocks.history(world) }));
        }
        Ok(())
    }

    fn forget(&mut self) {
        self.live = None;
    }
}
