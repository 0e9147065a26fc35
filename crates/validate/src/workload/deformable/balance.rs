//! What is conserved: energy with heat and the work of walls, momentum, angular momentum.

use glam::DVec2;
use rubblepile_meshfree::{
    bulk::Flow,
    internals::{Damping, Flows, Grip, Losses, Sample, StraightWall},
    law::{ElasticLaw, Elasticity, PlaneCondition},
    step::{NodalState, Scheme, Settings, StepError, Stepper},
};

use super::{Result, WorkloadError, disc, settings};
use crate::cases::Wrong;

/// Sums over all grains, per metre of depth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sums {
    pub momentum: DVec2,
    pub angular_momentum: f64,
    pub kinetic: f64,
    /// Stored in deformation, and in height.
    pub elastic: f64,
    pub potential: f64,
}

fn sums(sample: &Sample, state: &NodalState) -> Result<Sums> {
    let (p, _) = sample.mass_times(&state.velocity, &state.velocity);
    let x = sample.positions(&state.displacement);
    let (_, elastic) =
        sample.inner_forces(&state.displacement, &Flows::default()).map_err(StepError::InsideOut)?;
    Ok(Sums {
        momentum: p.iter().sum(),
        angular_momentum: x.iter().zip(&p).map(|(x, p)| x.perp_dot(*p)).sum(),
        kinetic: 0.5 * state.velocity.iter().zip(&p).map(|(v, p)| v.dot(*p)).sum::<f64>(),
        elastic,
        potential: -sample.load.iter().zip(&x).map(|(f, x)| f.dot(*x)).sum::<f64>(),
    })
}

/// An experiment from its start to its end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Balance {
    pub start: Sums,
    pub end: Sums,
    pub losses: Losses,
}

impl Balance {
    /// Energy that is there at the end and came from nowhere, J.
    pub fn created(&self) -> f64 {
        let Losses { inside, sliding, wall_work } = self.losses;
        let all = |s: &Sums| s.kinetic + s.elastic + s.potential;
        all(&self.end) - all(&self.start) + inside + sliding - wall_work
    }
}

/// How an experiment is made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Conditions {
    pub scheme: Scheme,
    /// Length of a step, s.
    pub step: f64,
    /// Distance of nodes, m.
    pub spacing: f64,
    pub damping: Damping,
    pub friction: f64,
}

const DENSITY: f64 = 1000.0;

impl Conditions {
    /// Discs of radius 1.
    fn discs(&self, centres: &[DVec2], walls: Vec<StraightWall>, gravity: DVec2) -> Result<Sample> {
        let law = Elasticity::new(ElasticLaw::NeoHookean, PlaneCondition::Strain, 1e6, 0.3)?;
        let made = |centre: &DVec2| disc(*centre, self.spacing, 0.1, law, DENSITY, self.damping);
        let grains = centres.iter().map(made).collect::<Result<Vec<_>>>()?;
        let mut sample = Sample::new(grains, walls, gravity).ok_or(WorkloadError::NoTangent)?;
        sample.grips = vec![Grip { friction: self.friction, adhesion: 0.0 }];
        Ok(sample)
    }

    /// Follows them until a time; `walls` puts walls where they are at a time.
    fn follow(
        &self,
        mut sample: Sample,
        velocity: Vec<DVec2>,
        until: f64,
        wrong: &Wrong,
        walls: impl Fn(&mut Sample, f64),
    ) -> Result<Balance> {
        let h = self.step;
        let solver = Settings { scheme: self.scheme, gap: 1e-9, stiffness: 1e7, ..settings() };
        let mut stepper = Stepper::new(solver);
        stepper.keep_losses = true;
        let mut state = stepper.start(&sample, vec![DVec2::ZERO; sample.nodes()], velocity)?;
        let start = sums(&sample, &state)?;
        let mut losses = Losses::default();
        for k in 0..(until / h).round() as u32 {
            let at = |part: f64| h * (f64::from(k) + part);
            let (next, effort) = stepper.advance(&mut sample, &state, h, |s, part| walls(s, at(part)))?;
            state = next;
            losses += effort.losses;
        }
        state.velocity.iter_mut().for_each(|v| *v *= wrong.factor("velocity"));
        losses.inside *= wrong.factor("heat");
        losses.sliding *= wrong.factor("heat");
        Ok(Balance { start, end: sums(&sample, &state)?, losses })
    }

    /// Two discs meet, not head on, and part again. `wrong` may have `velocity`, of all nodes at the end, and `heat`.
    pub fn meeting(&self, wrong: &Wrong) -> Result<Balance> {
        let sample = self.discs(&[DVec2::ZERO, DVec2::new(1.8, 1.0)], Vec::new(), DVec2::ZERO)?;
        let first = sample.nodes_of(0);
        let velocity = |k: usize| if first.contains(&k) { 3.0 * DVec2::X } else { -DVec2::X };
        let velocity = (0..sample.nodes()).map(velocity).collect();
        self.follow(sample, velocity, 0.2, wrong, |_, _| {})
    }

    /// A disc lies on a floor, and a lid comes down by a fifth of its height and rubs along it.
    pub fn squeezed(&self, wrong: &Wrong) -> Result<Balance> {
        let walls = vec![
            StraightWall::new(DVec2::ZERO, DVec2::Y),
            StraightWall::new(DVec2::new(0.0, 2.0), -DVec2::Y),
        ];
        let sample = self.discs(&[DVec2::new(0.0, 1.0)], walls, DVec2::new(0.0, -9.81))?;
        let still = vec![DVec2::ZERO; sample.nodes()];
        self.follow(sample, still, 1.0, wrong, |sample, time| {
            sample.walls[1].point = DVec2::new(0.5 * time, 2.0 - 0.4 * time);
        })
    }
}

/// What damping takes from a disc that has turned by an angle and goes on turning at 1 rad/s without any strain, over what eq. (24) says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TurningLosses {
    /// β K: rigid rotation has a strain rate of -sin(angle) in both directions of the undeformed disc, which K knows.
    pub rayleigh: f64,
    /// The same time constant as a viscous stress.
    pub viscous: f64,
}

/// `wrong` may have `damping`, and `turn`: the direction of velocities.
pub fn turning(angle: f64, wrong: &Wrong) -> Result<TurningLosses> {
    let (modulus, ratio, time) = (1e6, 0.3, 2e-3);
    let law = Elasticity::new(ElasticLaw::SaintVenantKirchhoff, PlaneCondition::Strain, modulus, ratio)?;
    let grain = disc(DVec2::ZERO, 0.2, 0.1, law, DENSITY, Damping::default())?;
    let turn = DVec2::from_angle(angle);
    let displacement: Vec<DVec2> = grain.filling.nodes.iter().map(|x| turn.rotate(*x) - *x).collect();
    let across = DVec2::from_angle(0.5 * std::f64::consts::PI * wrong.factor("turn"));
    let velocity: Vec<DVec2> = grain.filling.nodes.iter().map(|x| across.rotate(turn.rotate(*x))).collect();
    let rates = grain.bulk.strain_rates(&displacement, &velocity).into_iter().map(|(_, rate)| rate);
    let rates: Vec<[f64; 3]> = rates.collect();
    let plane = modulus / (2.0 * (1.0 + ratio) * (1.0 - 2.0 * ratio));
    let expected = time * 4.0 * plane * grain.bulk.area() * angle.sin().powi(2);
    let taken = |flow: Flow| {
        let mut force = vec![DVec2::ZERO; velocity.len()];
        grain.bulk.push(&displacement, &flow, &mut force).ok_or(WorkloadError::NoTangent)?;
        Ok::<_, WorkloadError>(-force.iter().zip(&velocity).map(|(f, v)| f.dot(*v)).sum::<f64>() / expected)
    };
    let damping = wrong.factor("damping") * time;
    Ok(TurningLosses {
        rayleigh: taken(Flow { rayleigh: damping, velocity: &velocity, ..Flow::default() })?,
        viscous: taken(Flow { viscous: (damping, 0.0), constant: &rates, ..Flow::default() })?,
    })
}
