//! `landslide` and `fission`: how boulders leave the slope of a spinning top, without cohesion and with it.

use std::f64::consts::TAU;

use glam::{DQuat, DVec3};
use rubblepile_core::{Asteroid, G, Measure, run::Engine};
use rubblepile_geometry::mesh::SurfaceTree;
use rubblepile_gravity::polyhedron::{Polyhedron, PolyhedronTree};

use super::{ValidateRow, figure_11, hopper::Alone, wrong_field::wrong_field};
use crate::{
    cases::{Case, CaseError, Options, Rows, Wrong},
    claims::{Claim, Paper, Verdict},
    scenario::simulation,
};

pub struct Landslide;
pub struct Fission;

const PAPER: Paper = Paper::AsteroidSurface2024;
/// When the asteroid begins to turn fast, s.
const SPIN_UP: f64 = 3600.0;
/// Grains higher than this over the ground have left it, in radii of a grain.
const HIGH: f64 = 10.0;
const FULL_SIZE: &str =
    "25,088 and 77,312 grains of 10 cm on Bennu for 12 h: 25 million steps each, for a graphics card";

const FLOW: Claim = Claim {
    paper: PAPER,
    item: "figure 12",
    what: "without cohesion, at 3.4 h, sand-pile 1 flows to the equator, leaves there and stays in orbit",
    verdict: Verdict::Partly {
        tolerance: "600 boulders of 1 m on a top: they leave within 5 degrees of the equator; 2 % of them unbound",
        missing: FULL_SIZE,
    },
};
const DEFLECTION: Claim = Claim {
    paper: PAPER,
    item: "figures 12a and 12b",
    what: "the flow is deflected by the Coriolis effect",
    verdict: Verdict::Reproduced {
        tolerance: "2 degrees of longitude, half of the pile's own half-width, from the path of a sliding block",
    },
};
const SPIN_RATE: Claim = Claim {
    paper: PAPER,
    item: "figure 16a",
    what: "the asteroid spins down as grains move outwards",
    verdict: Verdict::Reproduced {
        tolerance: "10 %: what grains need to turn with the ground at the equator; some still drift westwards",
    },
};
const ENERGY: Claim = Claim {
    paper: PAPER,
    item: "figure 16b",
    what: "friction and collisions take mechanical energy",
    verdict: Verdict::Reproduced {
        tolerance: "5 % between heat and the energy lost: gravity is kept for 100 steps",
    },
};
const NOT_RUN: [Claim; 6] = [
    Claim {
        paper: PAPER,
        item: "figure 13",
        what: "sand-pile 2 without cohesion: it fills a crater and flows over",
        verdict: Verdict::NotAttempted { why: FULL_SIZE },
    },
    Claim {
        paper: PAPER,
        item: "figure 10",
        what: "two sand-piles at rest on Bennu",
        verdict: Verdict::NotAttempted {
            why: "the heaps start on shape models, at full number; to let them settle takes 2 million steps",
        },
    },
    Claim {
        paper: PAPER,
        item: "table 3 and section 3.2.1",
        what: "parameters of the four runs",
        verdict: Verdict::NotAttempted {
            why: "settings: scenarios/landslide.toml and fission.toml have those of table 3 (section 3.2.1 has a sliding \
                  friction of 0.5, the table 0.55)",
        },
    },
    Claim {
        paper: PAPER,
        item: "section 3.2, mass",
        what: "of the order of 1e6 kg moves",
        verdict: Verdict::NotAttempted { why: "it follows from the settings: 77,312 grains of 14.0 kg" },
    },
    Claim {
        paper: PAPER,
        item: "figures 12 to 15, cost",
        what: "12 h in 320,819, 609,882, 301,967 and 478,129 s",
        verdict: Verdict::NotAttempted { why: "no method uses a graphics card yet" },
    },
    Claim {
        paper: PAPER,
        item: "section 2.2, figures 1 to 5",
        what: "memory of a cell list in a large domain; time of contact detection against the size of its hash table",
        verdict: Verdict::NotAttempted {
            why: "bodies are sorted in space and only cells with bodies exist: there is no hash table of a chosen size",
        },
    },
];
const LANDSLIDE_CLAIMS: &[Claim] = &[
    figure_11::SLIDES,
    FLOW,
    DEFLECTION,
    SPIN_RATE,
    ENERGY,
    NOT_RUN[0],
    NOT_RUN[1],
    NOT_RUN[2],
    NOT_RUN[3],
    NOT_RUN[4],
    NOT_RUN[5],
];

const LIFT_OFF: Claim = Claim {
    paper: PAPER,
    item: "figure 14",
    what: "with cohesion, at 2.6 h, sand-pile 1 leaves from near where it is, soon, into orbit",
    verdict: Verdict::Partly {
        tolerance: "600 boulders of 1 m on a top: within the pile's radius; 5 % of the free flight from the first moment on",
        missing: FULL_SIZE,
    },
};
const WHOLE_PILE: Claim = Claim {
    paper: PAPER,
    item: "eq. (17) for a pile",
    what: "beside the region of fission the pile flies off; much stronger, it stays",
    verdict: Verdict::Partly {
        tolerance: "most of it at the paper's 1 Pa, 1.2 times the limit of eq. (17) there; a twentieth at most at 88 times",
        missing: "the limit itself: at twelve times two thirds still leave. Most of the pull is along the ground, and eq. (17) \
                  leaves it out",
    },
};
const SLIDES_FIRST: Claim = Claim {
    paper: PAPER,
    item: "figure 15",
    what: "sand-pile 2 with cohesion: it slides a little, then leaves",
    verdict: Verdict::NotAttempted { why: FULL_SIZE },
};
const FISSION_CLAIMS: &[Claim] = &[figure_11::FLIES, LIFT_OFF, WHOLE_PILE, SLIDES_FIRST];

/// Degrees.
fn latitude(x: DVec3) -> f64 {
    x.z.atan2(x.x.hypot(x.y)).to_degrees()
}

fn longitude(x: DVec3) -> f64 {
    x.y.atan2(x.x).to_degrees()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// A small pile on a top. Its id is that of the row; all places are in the frame of the asteroid.
struct Pile {
    run: Engine,
    tree: SurfaceTree,
    radius: f64,
    /// At the spin-up.
    before: Vec<DVec3>,
    /// Where grains were when they were first seen to have left.
    left: Vec<Option<DVec3>>,
    /// Middle of what is on the ground, minute by minute from the spin-up on.
    track: Vec<DVec3>,
}

impl Pile {
    /// Settles until just before the spin-up.
    fn settle((name, text): (&str, &str), sets: &[String], wrong: &Wrong) -> Result<Self, CaseError> {
        let mut run = simulation(name, text, sets)?;
        run.fields.list = run.fields.list.drain(..).map(|field| wrong_field(field, wrong)).collect();
        run.report.measure = Measure::ALL;
        let tree = SurfaceTree::new(&run.world.asteroids[0].mesh);
        let radius = run.world.bodies.radius[0];
        let (before, left, track) = (Vec::new(), Vec::new(), Vec::new());
        let mut pile = Pile { run, tree, radius, before, left, track };
        pile.advance(SPIN_UP - 1.0)?;
        pile.before = pile.places();
        pile.left = vec![None; pile.before.len()];
        Ok(pile)
    }

    fn advance(&mut self, until: f64) -> Result<(), CaseError> {
        self.run.end = until;
        self.run.world.ended = false;
        self.run.run(&mut Alone)?;
        Ok(())
    }

    fn asteroid(&self) -> &Asteroid {
        &self.run.world.asteroids[0]
    }

    /// By id.
    fn places(&self) -> Vec<DVec3> {
        let (b, pose) = (&self.run.world.bodies, self.asteroid().pose());
        b.rows_by_id().into_iter().map(|k| pose.to_local(b.position[k as usize])).collect()
    }

    /// Goes on and looks every minute.
    fn watch(&mut self, until: f64, progress: impl Fn(f64)) -> Result<(), CaseError> {
        let mut time = SPIN_UP.max(60.0 * (self.run.world.time() / 60.0).round());
        while time < until {
            time += 60.0;
            self.advance(time)?;
            progress(time);
            let (mut middle, mut count) = (DVec3::ZERO, 0.0);
            for (place, left) in self.places().into_iter().zip(&mut self.left) {
                let height = self.tree.nearest(place).map_or(f64::NAN, |n| n.distance);
                if height <= HIGH * self.radius {
                    (middle, count) = (middle + place, count + 1.0);
                } else if left.is_none() {
                    *left = Some(place);
                }
            }
            self.track.push(middle / count);
        }
        Ok(())
    }

    /// Where each grain that has left was before, and where it was seen to have left.
    fn departures(&self) -> Vec<(DVec3, DVec3)> {
        self.before.iter().zip(&self.left).filter_map(|(from, at)| Some((*from, (*at)?))).collect()
    }

    fn part_left(&self) -> f64 {
        self.departures().len() as f64 / self.before.len() as f64
    }

    /// Part of those that have left whose orbits about the asteroid, as a point mass, are bound.
    fn part_bound(&self) -> f64 {
        let (world, asteroid) = (&self.run.world, self.asteroid());
        let b = &world.bodies;
        let bound = |row: usize| {
            let (x, v) = (b.position[row] - asteroid.position, b.velocity[row] - asteroid.velocity);
            0.5 * v.length_squared() < G * asteroid.mass / x.length()
        };
        let rows = b.rows_by_id().into_iter().zip(&self.left).filter(|(_, left)| left.is_some());
        let (mut all, mut held) = (0.0, 0.0);
        for (row, _) in rows {
            (all, held) = (all + 1.0, held + f64::from(u8::from(bound(row as usize))));
        }
        held / all
    }

    /// Kinetic, gravitational and elastic, J.
    fn mechanical_energy(&mut self) -> Result<f64, CaseError> {
        let Engine { world, method, fields, .. } = &mut self.run;
        let (t, r) = world.bodies.kinetic_energy();
        let asteroid: f64 = world.asteroids[0].kinetic_energy().iter().sum();
        let elastic: f64 = method.contacts(world)?.iter().map(|c| c.elastic).sum();
        Ok(t + r + asteroid + elastic + fields.potential_energy(world)?)
    }
}

fn pull_of(asteroid: &Asteroid) -> Result<impl Fn(&[DVec3]) -> Vec<DVec3>, CaseError> {
    let polyhedron = Polyhedron::new(&asteroid.mesh.vertices, &asteroid.mesh.triangles)
        .map_err(|e| format!("no closed surface: {e:?}"))?;
    let (tree, strength) = (PolyhedronTree::new(&polyhedron, 1e-6), G * asteroid.density);
    Ok(move |points: &[DVec3]| tree.accelerations(points).into_iter().map(|a| strength * a).collect())
}

/// The path of a block that slides with a coefficient of friction over the smooth top from a place at rest, until the equator.
/// It follows the ground; what its curvature adds to the pressure is left out.
fn slider(top: &Asteroid, spin: f64, friction: f64, from: DVec3) -> Result<Vec<DVec3>, CaseError> {
    const STEP: f64 = 5.0;
    /// Over which the ground is smooth, m: about two facets.
    const SMOOTH: f64 = 20.0;
    let (pull, tree) = (pull_of(top)?, SurfaceTree::new(&top.mesh));
    let omega = spin * DVec3::Z;
    let ground = |x: DVec3| tree.nearest(x).map_or(x, |n| n.point);
    let (mut x, mut v) = (ground(from), DVec3::ZERO);
    let mut path = vec![x];
    while x.z > 0.0 && path.len() < 20_000 {
        let mut normal = DVec3::ZERO;
        tree.within(x, SMOOTH, |facet, _| {
            let [a, b, c] = top.mesh.corners(facet as usize);
            normal += (b - a).cross(c - a);
        });
        let normal = normal.normalize();
        let a = pull(&[x])[0] - omega.cross(omega.cross(x)) - 2.0 * omega.cross(v);
        let pressure = -a.dot(normal);
        let along = a + pressure * normal;
        let held = friction * pressure.max(0.0);
        let against = if v == DVec3::ZERO { along } else { v };
        if v == DVec3::ZERO && along.length() <= held {
            return Err("the block does not slide".into());
        }
        v += STEP * (along - held * against.normalize());
        v -= v.dot(normal) * normal;
        x = ground(x + STEP * v);
        path.push(x);
    }
    Ok(path)
}

/// Longitude at which a path first reaches a latitude from the north, degrees.
fn crossing(path: &[DVec3], at: f64) -> f64 {
    let pair = path.windows(2).find(|w| latitude(w[0]) >= at && latitude(w[1]) < at);
    pair.map_or(f64::NAN, |w| {
        let part = (latitude(w[0]) - at) / (latitude(w[0]) - latitude(w[1]));
        longitude(w[0].lerp(w[1], part))
    })
}

/// How far from the centre grains are that leave the turning ground at once and fly freely, m.
fn free_flight(asteroid: &Asteroid, spin: f64, from: &[DVec3], seconds: f64) -> Result<Vec<f64>, CaseError> {
    const STEP: f64 = 20.0;
    let pull = pull_of(asteroid)?;
    let omega = spin * DVec3::Z;
    let mut x = from.to_vec();
    let mut v: Vec<DVec3> = x.iter().map(|x| omega.cross(*x)).collect();
    let steps = (seconds / STEP).round() as u32;
    for step in 0..steps {
        // Drift, kick, drift; the body turns meanwhile.
        x.iter_mut().zip(&v).for_each(|(x, v)| *x += 0.5 * STEP * *v);
        let turned = DQuat::from_rotation_z(spin * STEP * (f64::from(step) + 0.5));
        let local: Vec<DVec3> = x.iter().map(|x| turned.inverse() * *x).collect();
        v.iter_mut().zip(pull(&local)).for_each(|(v, a)| *v += STEP * (turned * a));
        x.iter_mut().zip(&v).for_each(|(x, v)| *x += 0.5 * STEP * *v);
    }
    Ok(x.into_iter().map(|x| x.length()).collect())
}

const LANDSLIDE: (&str, &str) =
    ("scenarios/landslide-small.toml", include_str!("../../scenarios/landslide-small.toml"));
const FISSION: (&str, &str) =
    ("scenarios/fission-small.toml", include_str!("../../scenarios/fission-small.toml"));

/// The settings that a deliberate error changes, with the values of the scenarios.
fn settings(period: f64, cohesion: f64, wrong: &Wrong) -> Vec<String> {
    vec![
        format!("material.0.friction.sliding={}", 0.55 * wrong.factor("friction")),
        format!("material.0.density={}", 3350.0 * wrong.factor("density")),
        format!("material.0.cohesion={}", cohesion * wrong.factor("cohesion")),
        format!("event.0.spin_up.period={}", period / wrong.factor("spin")),
    ]
}

impl Case for Landslide {
    type Row = ValidateRow;

    fn name(&self) -> &'static str {
        "landslide"
    }

    fn about(&self) -> &'static str {
        "boulders without cohesion on a top that turns in 3.4 h: they slide to the equator and leave"
    }

    fn claims(&self) -> &'static [Claim] {
        LANDSLIDE_CLAIMS
    }

    fn wrongs(&self) -> &'static [&'static str] {
        &["friction", "density", "spin", "gravity"]
    }

    fn run(&self, options: &Options, rows: &Rows<ValidateRow>) -> Result<(), CaseError> {
        const PERIOD: f64 = 3.4 * 3600.0;
        let (name, wrong) = (self.name(), &options.wrong);
        figure_11::slides(wrong, rows)?;
        let end = if options.full { 10.0 } else { 8.0 } * 3600.0;
        let mut pile = Pile::settle(LANDSLIDE, &settings(PERIOD, 0.0, wrong), wrong)?;
        pile.advance(SPIN_UP + 1.0)?;
        let (spin, moment) = (pile.asteroid().spin.z, pile.asteroid().spin_momentum().z);
        let energy = [pile.mechanical_energy()?, pile.run.world.dissipation.total()];
        pile.watch(end, |time| rows.progress(time / end))?;

        let smooth = [
            settings(PERIOD, 0.0, &Wrong::default()),
            vec![
                "asteroid.0.relief.roughness=0".into(),
                "asteroid.0.shape.top.facets=20000".into(),
                "grains.0.count=1".into(),
            ],
        ];
        let top = simulation(LANDSLIDE.0, LANDSLIDE.1, &smooth.concat())?.world.asteroids.remove(0);
        let start = pile.before.iter().sum::<DVec3>() / pile.before.len() as f64;
        let path = slider(&top, TAU / PERIOD, 0.55, start)?;
        for at in [25.0, 15.0, 5.0] {
            let what = format!("longitude of the pile at a latitude of {at} degrees, degrees");
            rows.push(DEFLECTION.row(name, what, crossing(&path, at), crossing(&pile.track, at), 2.0));
        }

        let departures = pile.departures();
        let sum: f64 = departures.iter().map(|(_, at)| latitude(*at).abs()).sum();
        let what = "mean distance from the equator of where they leave, degrees";
        rows.push(FLOW.row(name, what, 0.0, sum / departures.len() as f64, 5.0));
        rows.push(FLOW.row(name, "part of what left that is bound", 1.0, pile.part_bound(), 0.02));

        // What each needs to turn with the ground where it is now, or where it left.
        let mass = pile.run.world.bodies.mass[0] / wrong.factor("density");
        let across = |x: DVec3| x.x * x.x + x.y * x.y;
        let outwards: f64 = (pile.before.iter().zip(pile.places()).zip(&pile.left))
            .map(|((from, now), left)| across(left.unwrap_or(now)) - across(*from))
            .sum();
        let expected = mass * spin * outwards / moment;
        let ours = (spin - pile.asteroid().spin.z) / spin;
        rows.push(SPIN_RATE.row(
            name,
            "part of its spin that the asteroid loses",
            expected,
            ours,
            0.1 * expected,
        ));
        let heat = pile.run.world.dissipation.total() - energy[1];
        let lost = energy[0] - pile.mechanical_energy()?;
        let what = "heat over the mechanical energy that is lost";
        rows.push(ENERGY.row(name, what, 1.0, heat / lost, 0.05));
        Ok(())
    }
}

impl Case for Fission {
    type Row = ValidateRow;

    fn name(&self) -> &'static str {
        "fission"
    }

    fn about(&self) -> &'static str {
        "boulders with cohesion on a top that turns in 2.6 h: they lift off near where they were"
    }

    fn claims(&self) -> &'static [Claim] {
        FISSION_CLAIMS
    }

    fn wrongs(&self) -> &'static [&'static str] {
        &["cohesion", "spin", "gravity"]
    }

    fn run(&self, options: &Options, rows: &Rows<ValidateRow>) -> Result<(), CaseError> {
        const PERIOD: f64 = 2.6 * 3600.0;
        /// Of the place where the pile is dropped, m.
        const HEAP: f64 = 16.0;
        let (name, wrong) = (self.name(), &options.wrong);
        figure_11::flies(wrong, rows)?;
        let end = if options.full { 6.0 } else { 4.0 } * 3600.0;
        let mut pile = Pile::settle(FISSION, &settings(PERIOD, 1.0, wrong), wrong)?;
        pile.watch(SPIN_UP + 3600.0, |time| rows.progress(0.8 * time / end))?;
        let distance: Vec<f64> = pile.places().into_iter().map(|x| x.length()).collect();
        let aloft = |all: &[f64]| {
            median((all.iter().zip(&pile.left)).filter(|d| d.1.is_some()).map(|d| *d.0).collect())
        };
        let free = free_flight(pile.asteroid(), TAU / PERIOD, &pile.before, 3600.0)?;
        let what = "distance of what left, an hour after the spin-up, m";
        rows.push(LIFT_OFF.row(name, what, aloft(&free), aloft(&distance), 0.05 * aloft(&free)));
        pile.watch(end, |time| rows.progress(0.8 * time / end))?;
        // Over the ground: along the sphere between the two directions.
        let way =
            pile.departures().iter().map(|(from, at)| from.length() * at.angle_between(*from)).collect();
        let what = "distance along the ground before it leaves, m";
        rows.push(LIFT_OFF.row(name, what, 0.0, median(way), HEAP));
        rows.push(LIFT_OFF.row(name, "part of what left that is bound", 1.0, pile.part_bound(), 0.02));
        rows.push(WHOLE_PILE.row(name, "1 Pa: part that leaves", 1.0, pile.part_left(), 0.5));

        let mut strong = Pile::settle(FISSION, &settings(PERIOD, 72.0, wrong), wrong)?;
        strong.watch(SPIN_UP + 3600.0, |_| rows.progress(0.9))?;
        rows.push(WHOLE_PILE.row(name, "72 Pa: part that leaves", 0.0, strong.part_left(), 0.05));
        Ok(())
    }
}
