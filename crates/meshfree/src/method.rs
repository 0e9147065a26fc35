//! Deformable grains as a method: steps of the solver (`step.rs`) between worlds. All that decides the next step is in the world; the
//! solver's state is made from it at every step, shape functions and the pattern of the matrix when there are none.

use std::time::Instant;

use glam::{DVec2, DVec3};
use rubblepile_core::{
    Advice, Citation, Contact, Deformation, Error, Extent, Fields, Method, Pulls, Report, Result, World,
    settings::{Checked, MethodSettings},
};

use crate::{
    Deformable, Settings, deformation, grains,
    law::ElasticLaw,
    losses::Losses,
    scene::{self, PreparedSample},
    step::{Scheme, StepError, Stepper, Times},
    timestep,
};

pub struct DeformableGrains {
    settings: Settings,
    scene: Option<PreparedSample>,
    stepper: Option<Stepper>,
}

impl DeformableGrains {
    pub fn new(settings: Settings) -> Self {
        DeformableGrains { settings, scene: None, stepper: None }
    }

    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Makes what is missing of the scratch.
    fn prepare(&mut self, world: &World) -> Result<(&mut PreparedSample, &mut Stepper)> {
        if self.stepper.is_none() {
            let settings = self.settings.resolve(world);
            self.scene = Some(PreparedSample::new(world, &self.settings, self.scene.take())?);
            // Events may have put in walls.
            if let Some((_, text)) = scene::behind(world, settings.reach) {
                return Err(Error::Unsupported(text));
            }
            self.stepper = Some(Stepper::new(settings));
        }
        match (&mut self.scene, &mut self.stepper) {
            (Some(scene), Some(stepper)) => Ok((scene, stepper)),
            _ => Err(Error::Unsupported("there are no deformable grains".into())),
        }
    }
}

/// The acceleration of all fields, which must be the same everywhere, in the plane.
fn gravity(fields: &Fields) -> Result<DVec2> {
    if let Some(other) = fields.list.iter().find(|f| f.uniform().is_none()) {
        let text = format!("deformable grains support uniform gravity only, and there is {}", other.name());
        return Err(Error::Unsupported(text));
    }
    let sum: DVec3 = fields.uniform();
    if sum.z != 0.0 {
        return Err(Error::Unsupported(
            "gravity of deformable grains must lie in the plane of x and y".into(),
        ));
    }
    Ok(sum.truncate())
}

/// What went wrong in a step, with the grain that is most likely the cause.
fn failed(error: StepError, world: &World) -> Error {
    // The smallest triangle over its area at the start tells which grain is worst off.
    let squeezed = |g: &Deformable| {
        let (now, then) = (g.positions(), &g.reference.nodes);
        let area = |x: &[DVec2], t: &[u32; 3]| {
            let [a, b, c] = t.map(|k| x[k as usize]);
            (b - a).perp_dot(c - a)
        };
        g.reference.triangles.iter().map(|t| area(&now, t) / area(then, t)).fold(f64::INFINITY, f64::min)
    };
    let most = grains(world).iter().map(|g| (squeezed(g), g.id)).min_by(|a, b| a.0.total_cmp(&b.0));
    let mut of = match error.grain().and_then(|g| grains(world).get(g)) {
        Some(grain) => format!(" (worst in grain {}", grain.id),
        None => " (".into(),
    };
    if let Some((share, id)) = most {
        of += &format!("; grain {id} is deformed most: a part of it has {:.0} % of its area)", 100.0 * share);
    }
    Error::Deformation { what: error.to_string(), of, time: world.time() }
}

impl Method for DeformableGrains {
    fn name(&self) -> &'static str {
        "meshfree"
    }

    fn check(&self, world: &World) -> Vec<Advice> {
        let mut advice = scene::faults(world, &self.settings);
        if !advice.is_empty() {
            return advice;
        }
        let solver = self.settings.resolve(world);
        let nodes: usize = grains(world).iter().map(|g| g.reference.nodes.len()).sum();
        let outline: usize = grains(world).iter().map(|g| g.reference.boundary).sum();
        advice.push(Advice::note(format!(
            "{nodes} nodes, {outline} of them on outlines; gaps are closed to {:.1e} m, contacts start at {:.1e} Pa/m, and nodes are \
             watched within {:.3} m",
            solver.gap, solver.stiffness, solver.reach
        )));
        let Settings { mass_damping, stiffness_damping, viscous_damping, scheme, .. } = self.settings;
        if [mass_damping.0, stiffness_damping.0, viscous_damping.0] == [0.0; 3]
            && scheme != Scheme::ContactImplicit
        {
            advice.push(Advice::warning(
                "nothing damps the grains: with short steps contacts may bring energy in; use `scheme = \"contact-implicit\"`, or some \
                 `viscous_damping`",
            ));
        }
        let way = fastest(world) * world.clock.timestep;
        if way > solver.reach {
            advice.push(Advice::warning(format!(
                "the fastest node covers {way:.3e} m in a step and contacts are watched within {:.3e} m: shorten `timestep`, or grains \
                 may pass into each other",
                solver.reach
            )));
        }
        advice
    }

    fn automatic_timestep(&self, world: &World, pulls: &Pulls) -> Checked<f64> {
        timestep::automatic(world, &self.settings, pulls)
    }

    fn citations(&self) -> Vec<Citation> {
        Settings::papers()
    }

    fn advance(
        &mut self,
        world: &mut World,
        fields: &mut Fields,
        until: f64,
        report: &mut Report,
    ) -> Result<()> {
        let gravity = gravity(fields)?;
        let start = Instant::now();
        let limit = match self.settings.law {
            ElasticLaw::SaintVenantKirchhoff => self.settings.compression_limit.0,
            ElasticLaw::NeoHookean => 0.0,
        };
        let (scene, stepper) = self.prepare(world)?;
        scene.set_gravity(gravity);
        stepper.keep_losses = report.measure.dissipation;
        report.add_time("shape functions", start);
        for _ in 0..world.clock.steps_until(until) {
            let start = Instant::now();
            let (time, h, reach) = (world.time(), world.clock.timestep, stepper.settings.reach);
            scene.place_walls(world, time);
            let mut state = scene.state(world, reach);
            let fail = |error: StepError| failed(error, world);
            if grains(world).iter().any(|g| g.acceleration.is_empty()) {
                state = stepper.start(&scene.sample, state.displacement, state.velocity).map_err(fail)?;
            }
            let lines = scene.sides.clone();
            let (next, effort) = stepper
                .advance(&mut scene.sample, &state, h, |sample, part| {
                    for (wall, side) in sample.walls.iter_mut().zip(&lines) {
                        *wall = scene::line(world, *side, time + part * h);
                    }
                })
                .map_err(fail)?;
            scene.store(&next, world);
            let Losses { inside, sliding, wall_work } = effort.losses;
            world.dissipation.inside += inside;
            world.dissipation.sliding += sliding;
            world.dissipation.wall_work += wall_work;
            world.clock.tick();
            check_finite(world)?;
            let Times { search, forces, tangents, solution } = effort.times;
            for (phase, time) in
                [("search", search), ("forces", forces), ("tangents", tangents), ("solution", solution)]
            {
                report.add_duration(phase, time);
            }
            report
                .add_duration("rest", start.elapsed().saturating_sub(search + forces + tangents + solution));
            report.count("steps", 1);
            report.count("newton iterations", effort.newton as u64);
            report.count("augmentations", effort.augmentations as u64);
            report.count("halvings", effort.halvings as u64);
            report.largest("way of a node in a step over the watch distance", fastest(world) * h / reach);
            let mut areas = scene.sample.grains.iter().zip(grains(world));
            if limit > 0.0 && areas.any(|(g, d)| g.bulk.smallest_area(&d.displacement) < limit) {
                report.warn(format!(
                    "some material is compressed to less than {limit} of its area, where the Saint Venant-Kirchhoff law would give way: it is \
                     stiffened there (`compression_limit`)"
                ));
            }
        }
        Ok(())
    }

    fn contacts(&mut self, world: &World) -> Result<Vec<Contact>> {
        let (scene, stepper) = self.prepare(world)?;
        scene.place_walls(world, world.time());
        Ok(deformation::contacts(scene, world, stepper.settings.reach))
    }

    /// Rows are those of bodies, of which there are none.
    fn contact_counts(&mut self, world: &World) -> Result<Vec<u32>> {
        Ok(vec![0; world.bodies.len()])
    }

    fn deformation(&mut self, world: &World) -> Result<Option<Deformation>> {
        let (scene, stepper) = self.prepare(world)?;
        scene.place_walls(world, world.time());
        deformation::of(scene, world, stepper.settings.reach).map(Some)
    }

    /// The world has it all after every step.
    fn sync(&mut self, _world: &mut World, _extent: Extent) -> Result<()> {
        Ok(())
    }

    fn forget(&mut self) {
        // Shape functions stay: they depend on what grains were made of, which is compared before they are used again.
        self.stepper = None;
    }
}

/// m/s, of all nodes.
fn fastest(world: &World) -> f64 {
    grains(world).iter().flat_map(|g| &g.velocity).map(|v| v.length()).fold(0.0, f64::max)
}

fn check_finite(world: &World) -> Result<()> {
    let sound = |g: &&Deformable| g.displacement.iter().chain(&g.velocity).all(|x| x.is_finite());
    match grains(world).iter().find(|g| !sound(g)) {
        Some(g) => Err(Error::NotFinite { what: "motion", id: g.id, time: world.time() }),
        None => Ok(()),
    }
}
