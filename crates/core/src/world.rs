//! The world: everything that decides the next step, and nothing else. What is here is saved; what a method or
//! a field keeps in addition can be rebuilt from it, bit for bit.

use glam::DVec3;

use crate::{
    Asteroid, Bodies, Material, PairOverride, PairValues, Part, Rng, Shape, Solid, Wall, Wrench,
    event::Event, material::pair_table, wall::catch::Caught,
};

/// The time. With a fixed step, `time` is a product and not a sum, so that it does not drift.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Clock {
    pub step: u64,
    /// s
    pub timestep: f64,
    /// Step and time from which `timestep` has been in force.
    pub epoch_step: u64,
    pub epoch_time: f64,
}

crate::archive_struct!(Clock { step, timestep, epoch_step, epoch_time });

impl Clock {
    pub fn new(timestep: f64) -> Self {
        Clock { step: 0, timestep, epoch_step: 0, epoch_time: 0.0 }
    }

    pub fn time(&self) -> f64 {
        self.epoch_time + (self.step - self.epoch_step) as f64 * self.timestep
    }

    pub fn tick(&mut self) {
        self.step += 1;
    }

    /// Changes the step from now on.
    pub fn set_timestep(&mut self, timestep: f64) {
        if timestep != self.timestep {
            (self.epoch_time, self.epoch_step) = (self.time(), self.step);
            self.timestep = timestep;
        }
    }

    /// Number of steps that bring the clock nearest to `time`.
    pub fn steps_until(&self, time: f64) -> u64 {
        let n = (time - self.epoch_time) / self.timestep;
        // Past 2^53 steps the run is longer than any machine lives; the cast saturates.
        ((n.round().max(0.0) as u64) + self.epoch_step).saturating_sub(self.step)
    }
}

/// Open space, or a periodic box.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Domain {
    Open,
    /// `axes[k]`: periodic along that axis.
    Periodic {
        min: DVec3,
        max: DVec3,
        axes: [bool; 3],
    },
}

crate::archive_enum!(Domain { 0 => Open {}, 1 => Periodic { min, max, axes } });

impl Domain {
    /// Period along each axis; infinite where open.
    pub fn period(&self) -> DVec3 {
        match *self {
            Domain::Open => DVec3::INFINITY,
            Domain::Periodic { min, max, axes } => {
                let l = max - min;
                DVec3::from_array(std::array::from_fn(|k| if axes[k] { l[k] } else { f64::INFINITY }))
            }
        }
    }

    /// The shortest of the periodic images of a difference of positions.
    pub fn shortest(&self, d: DVec3) -> DVec3 {
        match self {
            Domain::Open => d,
            Domain::Periodic { .. } => {
                let l = self.period();
                DVec3::from_array(std::array::from_fn(|k| {
                    if l[k].is_finite() { d[k] - l[k] * (d[k] / l[k]).round() } else { d[k] }
                }))
            }
        }
    }

    /// The position inside the box.
    pub fn wrap(&self, mut x: DVec3) -> DVec3 {
        if let Domain::Periodic { min, max, axes } = *self {
            for k in 0..3 {
                if axes[k] {
                    let l = max[k] - min[k];
                    x[k] -= l * ((x[k] - min[k]) / l).floor();
                }
            }
        }
        x
    }
}

/// The reference frame of positions and velocities.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Frame {
    Inertial,
    /// Turns about the origin with this angular velocity, rad/s.
    Rotating {
        angular_velocity: DVec3,
    },
}

crate::archive_enum!(Frame { 0 => Inertial {}, 1 => Rotating { angular_velocity } });

/// Accelerations at the end of the last step: the leapfrog's next half kick uses them, and the velocity that
/// damping sees is predicted from them. Empty before the first step.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Rates {
    /// From contacts and fields together, m/s^2.
    pub acceleration: Vec<DVec3>,
    /// rad/s^2
    pub spin_rate: Vec<DVec3>,
    /// From fields alone as last evaluated (they may be kept for several steps), m/s^2. Empty: none.
    pub field: Vec<DVec3>,
    /// The part of `field` from fields that are kept for several steps, where there are others too. Empty: none.
    pub held: Vec<DVec3>,
    /// What acted on the asteroids at the end of the last step, from contacts and fields together; from fields alone; and from
    /// fields that are kept for several steps. Empty without asteroids.
    pub on_asteroids: Vec<Wrench>,
    pub field_on_asteroids: Vec<Wrench>,
    pub held_on_asteroids: Vec<Wrench>,
}

crate::archive_struct!(Rates {
    acceleration,
    spin_rate,
    field,
    held,
    on_asteroids,
    field_on_asteroids,
    held_on_asteroids,
});

impl Rates {
    pub fn permute(&mut self, order: &[u32]) {
        for column in [&mut self.acceleration, &mut self.spin_rate, &mut self.field, &mut self.held] {
            if !column.is_empty() {
                *column = order.iter().map(|&k| column[k as usize]).collect();
            }
        }
    }
}

/// Grains that were taken out because they had gone too far.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Departed {
    pub count: u64,
    /// kg
    pub mass: f64,
    /// kg m/s
    pub momentum: DVec3,
    /// About the origin, kg m^2/s.
    pub angular_momentum: DVec3,
}

crate::archive_struct!(Departed { count, mass, momentum, angular_momentum });

/// Energy turned to heat so far, by cause, and energy that came in through moving walls, J.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Dissipation {
    pub normal: f64,
    pub sliding: f64,
    pub rolling: f64,
    pub twisting: f64,
    /// By damping inside of deformable grains.
    pub inside: f64,
    /// Work done by walls on grains: not heat, but needed to close the balance.
    pub wall_work: f64,
}

crate::archive_struct!(Dissipation { normal, sliding, rolling, twisting, inside, wall_work });

impl Dissipation {
    pub fn total(&self) -> f64 {
        self.normal + self.sliding + self.rolling + self.twisting + self.inside
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct World {
    pub clock: Clock,
    pub bodies: Bodies,
    pub rates: Rates,
    /// Shapes that bodies have; the first is the sphere.
    pub shapes: Vec<Shape>,
    pub materials: Vec<Material>,
    pub pairs: Vec<PairOverride>,
    /// Names of the groups of bodies.
    pub groups: Vec<String>,
    pub walls: Vec<Wall>,
    /// What walls hold and have taken.
    pub caught: Caught,
    pub asteroids: Vec<Asteroid>,
    pub domain: Domain,
    pub frame: Frame,
    /// The run has come to its end: there is nothing to resume.
    pub ended: bool,
    /// The method's own part, as of the last [`crate::Method::sync`].
    pub part: Option<Box<dyn Part>>,
    /// The events, and how often each has fired.
    pub events: Vec<Event>,
    pub departed: Departed,
    /// Kept while [`crate::Measure::dissipation`] is set.
    pub dissipation: Dissipation,
    pub rng: Rng,
}

impl World {
    pub fn new(timestep: f64) -> Self {
        World {
            clock: Clock::new(timestep),
            bodies: Bodies::default(),
            rates: Rates::default(),
            shapes: vec![Shape::Sphere],
            materials: Vec::new(),
            pairs: Vec::new(),
            groups: Vec::new(),
            walls: Vec::new(),
            caught: Caught::default(),
            asteroids: Vec::new(),
            domain: Domain::Open,
            frame: Frame::Inertial,
            ended: false,
            part: None,
            events: Vec::new(),
            departed: Departed::default(),
            dissipation: Dissipation::default(),
            rng: Rng::new(0),
        }
    }

    pub fn pair_table(&self) -> Vec<PairValues> {
        pair_table(&self.materials, &self.pairs)
    }

    pub fn time(&self) -> f64 {
        self.clock.time()
    }

    /// The solid of a body; `None` for a sphere.
    pub fn solid(&self, row: usize) -> Option<&Solid> {
        self.shapes.get(self.bodies.shape[row] as usize)?.solid().map(|s| &**s)
    }

    /// Whether all bodies are spheres.
    pub fn only_spheres(&self) -> bool {
        self.bodies.shape.iter().all(|&s| s == 0)
    }

    /// Volume of a body, m^3.
    pub fn volume(&self, row: usize) -> f64 {
        match self.solid(row) {
            Some(solid) => solid.volume,
            None => 4.0 / 3.0 * std::f64::consts::PI * self.bodies.radius[row].powi(3),
        }
    }

    /// Of bodies, translation and rotation, and of the grains of the method's part, J. Asteroids are not counted.
    pub fn kinetic_energy(&self) -> f64 {
        let (translation, rotation) = self.bodies.kinetic_energy();
        translation + rotation + self.part.as_deref().map_or(0.0, |part| part.kinetic_energy(self))
    }

    /// Reorders the bodies and everything stored per row.
    pub fn permute(&mut self, order: &[u32]) {
        self.bodies.permute(order);
        self.rates.permute(order);
    }
}
