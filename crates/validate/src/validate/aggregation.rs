//! `aggregation`: the campaign of nbody-polyhedra-2017 (section 3.2, Tables 1-3; section 4), some seeds at each point.

use std::{collections::BTreeMap, f64::consts::PI, time::Instant};

use glam::DVec3;
use rayon::prelude::*;
use rubblepile_core::{G, Report, Rng, World, run::Engine};
use rubblepile_nonsmooth::UNSOLVED_STEPS;
use rubblepile_probe::{Aggregate, Envelope, aggregates, touching::bearing_pairs};
use serde::{Deserialize, Serialize};

use super::{ValidateRow, wrong_field::wrong_field};
use crate::{
    cases::{Case, CaseError, Options, Rows, Wrong},
    claims::{Claim, Paper, Verdict},
    scenario::simulation,
};

pub struct Aggregation;

const CASE: &str = "aggregation";
const SCENARIO: &str = include_str!("../../scenarios/aggregation.toml");
const HOUR: f64 = 3600.0;
const HOURS: f64 = 40.0;
/// A second aggregate has at least so many bodies.
const SECOND: usize = 10;

/// Speed, spin, and rotation of the cloud at the start.
type Motion = [f64; 3];

const REST: Motion = [0.0; 3];
/// Table 2: the largest values at which aggregates form, and a third more.
const LIMITS: [(Motion, Motion, &str); 3] = [
    ([0.15, 0.0, 0.0], [0.2, 0.0, 0.0], "speed"),
    ([0.0, 1e-2, 0.0], [0.0, 1.33e-2, 0.0], "spin"),
    ([0.0, 0.0, 5e-5], [0.0, 0.0, 6.67e-5], "rotation"),
];
/// Each motion at 0.4 of its limit, in the same order.
const PARTS: [Motion; 3] = [[0.06, 0.0, 0.0], [0.0, 4e-3, 0.0], [0.0, 0.0, 2e-5]];
/// Figures 3(b) and 4(b).
const TURNING: Motion = [0.0, 0.0, 1.5e-5];
const BOTH: Motion = [0.0, 7e-3, 1.5e-5];

const PAPER: Paper = Paper::NbodyPolyhedra2017;

const MOST: Claim = PAPER.claim(
    "section 4.1, figure 2",
    "at rest at the start: 193 of 200 boulders in one aggregate, most collisions between 5 and 10 h",
    Verdict::Reproduced {
        tolerance: "10 bodies: five seeds leave 200, and the paper's seven are few bodies; most: more than half",
    },
);
const SLOW: Claim = PAPER.claim(
    "figure 3(a)",
    "the aggregate of a cloud at rest turns in about 1,000 h",
    Verdict::NotReproduced {
        why: "a cloud at rest has no angular momentum, and ours gains none: periods are beyond 1e12 h",
    },
);
const FAST: Claim = PAPER.claim(
    "figure 3(b)",
    "rotation of 1.5e-5 rad/s: a period of a few hours, orbital angular momentum becomes spin of the aggregate",
    Verdict::Reproduced {
        tolerance: "a few hours: 2 to 9; angular momentum of the orbits: 0.15, what boulders' own spins can take",
    },
);
const SPUN: Claim = PAPER.claim(
    "figure 4(a)",
    "spins of 4e-3 rad/s: a period of some tens of hours",
    Verdict::Partly {
        tolerance: "some tens of hours: 20 to 100, mean of the seeds",
        missing: "seven draws give 62 to 225 h: spins about random axes cancel, and one draw, as in the paper, says little",
    },
);
const BALANCED: Claim = PAPER.claim(
    "figure 4(b)",
    "spins of 7e-3 and rotation of 1.5e-5 rad/s: a fast rotator, orbital angular momentum ends near where it began",
    Verdict::Reproduced { tolerance: "as figure 3(b)" },
);
const BREAKUP: Claim = PAPER.claim(
    "table 2",
    "aggregates form up to 0.15 m/s, 1e-2 rad/s and 5e-5 rad/s, and not above",
    Verdict::Partly {
        tolerance: "a quarter of the bodies in one aggregate, at the limit and a third above it, mean of the seeds",
        missing: "at 6.67e-5 rad/s a third of the bodies still aggregate: the middle of the cube is denser than its mean",
    },
);
const ESCAPE: Claim = PAPER.claim(
    "section 4.1",
    "escape speed of 0.4 to 0.8 m/s from the surface of aggregates",
    Verdict::Reproduced { tolerance: "the paper's range" },
);
const BINARY: Claim = PAPER.claim(
    "figure 5",
    "two aggregates near the limits, some of them binaries",
    Verdict::Reproduced {
        tolerance: "half of the seeds have a second aggregate of ten bodies or more at the limit of rotation",
    },
);
const PERIOD: Claim = PAPER.claim(
    "figure 6, period",
    "the period falls with each motion; rotation acts most, spin least",
    Verdict::Partly {
        tolerance: "order of the means over seeds",
        missing: "between 0.4 and 1 of the largest rotation: aggregates are at their spin limit at both, and shed what is too much; \
                  with rotation neither speed nor spins make the period shorter (sets 2 and 3 of the sweep)",
    },
);
const NUMBER: Claim = PAPER.claim(
    "figure 6, number",
    "fewer bodies aggregate the faster they move; spin acts most",
    Verdict::Partly {
        tolerance: "order of the means over seeds",
        missing: "beyond 0.7 of the limits rotation leaves fewer bodies than spin (the sweep)",
    },
);
const ELONGATION: Claim = PAPER.claim(
    "section 4.2, figures 6 and 8",
    "elongations from 1.15 to 2.7, high where the rotation is",
    Verdict::Partly {
        tolerance: "the paper's range",
        missing: "above 2e-5 rad/s of rotation clusters of touching bodies reach 6, once 16: two aggregates in contact count as one",
    },
);
const POROSITY: Claim = PAPER.claim(
    "section 4.2",
    "porosity of 34 to 40 % of large aggregates, bulk density near 1,900 kg/m3",
    Verdict::Reproduced {
        tolerance: "the paper's range; alpha, which it does not give, is the radius of a body of mean volume, fixed on heaps of spheres",
    },
);
const SMALL: Claim = PAPER.claim(
    "section 4.2, figure 9(b)",
    "a small aggregate is less porous: 14 % (25 bodies)",
    Verdict::Partly {
        tolerance: "less than the aggregates of clouds at rest have, by twice their scatter of 4 %",
        missing: "14 % itself: aggregates of 4 to 11 bodies have 16 to 30 %, mean 25 %",
    },
);

const AT_SPIN_LIMIT: &str = "aggregates of clouds that rotate turn as fast as they hold together, whatever their mass: in the sweep the \
     correlation is 0.65 +- 0.11 without rotation (80 runs), -0.08 +- 0.10 with it (95), 0.20 +- 0.08 in all";
const MASSIVE: Claim = PAPER.claim(
    "figure 7, right",
    "small aggregates rotate faster than massive ones",
    Verdict::Partly {
        tolerance: "rank correlation of period and mass: two standard errors of that of unrelated numbers",
        missing: AT_SPIN_LIMIT,
    },
);
const BARRIER: Claim = PAPER.claim(
    "section 4.1, reference [9]",
    "no aggregate turns faster than in 2.2 h",
    Verdict::Reproduced { tolerance: "an inequality: shortest period of all runs of the case" },
);

const CLAIMS: [Claim; 20] = [
    PAPER.claim(
        "table 1",
        "200 boulders of 40 to 130 m, 3,000 kg/m3, cube of 5 km, steps of 10 s",
        Verdict::Partly {
            tolerance: "set-up",
            missing: "what the size of a boulder is: read as the cube root of its volume (130 m on average, 1.3e12 kg in all), \
                      which is what four statements of the paper ask for",
        },
    ),
    PAPER.claim(
        "table 3",
        "simulation sets of one, two and three motions",
        Verdict::Reproduced { tolerance: "scenarios/aggregation-sweep.toml: 35 points, five seeds each" },
    ),
    MOST,
    SLOW,
    FAST,
    SPUN,
    BALANCED,
    BREAKUP,
    ESCAPE,
    BINARY,
    PERIOD,
    NUMBER,
    ELONGATION,
    POROSITY,
    SMALL,
    MASSIVE,
    PAPER.claim(
        "figure 7, left",
        "period against elongation",
        Verdict::NotAttempted {
            why: "a cloud of dots, and the text sees no trend in it; drawn by the sweep of scenarios/aggregation-sweep.toml",
        },
    ),
    PAPER.claim(
        "figure 9(a)",
        "the aggregate of least bulk density",
        Verdict::NotAttempted { why: "a picture; the porosity is a row of section 4.2" },
    ),
    BARRIER,
    PAPER.claim(
        "section 3.2",
        "a few minutes of computing",
        Verdict::Reproduced { tolerance: "half a minute of one core" },
    ),
];

/// What became of a cloud.
#[derive(Clone, Serialize, Deserialize)]
struct Outcome {
    /// The largest; `None`: no two boulders touch.
    aggregate: Option<Largest>,
    /// Bodies of the second largest cluster.
    second: f64,
    /// Part of the first touches that fell between 5 and 10 hours.
    between: f64,
    /// Angular momentum of the orbits (eq. 15) at the end over that at the start, if there was any.
    orbital: Option<f64>,
    unsolved: f64,
}

#[derive(Clone, Serialize, Deserialize)]
struct Largest {
    bodies: f64,
    elongation: f64,
    /// h
    period: f64,
    porosity: f64,
    /// From the surface of a ball of its bulk volume, m/s.
    escape_speed: f64,
}

impl Outcome {
    fn bodies(&self) -> f64 {
        self.aggregate.as_ref().map_or(0.0, |a| a.bodies)
    }

    fn largest(&self, of: impl Fn(&Largest) -> f64) -> f64 {
        self.aggregate.as_ref().map_or(f64::NAN, of)
    }
}

impl Largest {
    /// Over a constant: of the escape speed v, v^2 = 2 G M / r, and the bulk density, rho (1 - P).
    fn mass(&self) -> f64 {
        self.escape_speed.powi(3) / (1.0 - self.porosity).sqrt()
    }
}

/// With the deliberate errors: of speeds, of all motions, of those at 0.4 of their limits and of those above.
fn actual(motion: Motion, wrong: &Wrong) -> Motion {
    let part = if PARTS.contains(&motion) {
        wrong.factor("part")
    } else if LIMITS.iter().any(|(_, above, _)| *above == motion) {
        wrong.factor("above")
    } else {
        1.0
    };
    let [speed, spin, rotation] = motion.map(|x| x * part * wrong.factor("motion"));
    [speed * wrong.factor("speed"), spin, rotation]
}

fn follow(options: &Options, seed: u64, motion: Motion) -> Result<Outcome, CaseError> {
    let wrong = &options.wrong;
    let density = 3000.0 * wrong.factor("density");
    let size = wrong.factor("size");
    let sets = [
        format!("run.seed={seed}"),
        format!("material.0.density={density}"),
        format!("material.0.friction.sliding={}", 0.6 * wrong.factor("friction")),
        format!("grains.0.size={{ uniform = {{ min = {}, max = {} }} }}", 35.0 * size, 192.0 * size),
        format!("method.nonsmooth.iterations={}", (1000.0 * wrong.factor("iterations")).round()),
    ];
    let Engine { mut world, mut method, mut fields, .. } =
        simulation("scenarios/aggregation.toml", SCENARIO, &sets)?;
    fields.list = fields.list.drain(..).map(|field| wrong_field(field, wrong)).collect();
    set_in_motion(&mut world, seed, actual(motion, wrong));
    let start = orbital(&world);
    let mut report = Report::default();
    let mut met = BTreeMap::new();
    let quarters = (4.0 * HOURS * wrong.factor("hours")).round() as u32;
    for quarter in 1..=quarters {
        let time = 0.25 * HOUR * f64::from(quarter);
        method.advance(&mut world, &mut fields, time, &mut report)?;
        for pair in bearing_pairs(&world, &method.contacts(&world)?)? {
            let id = |row: u32| world.bodies.id[row as usize];
            if let Some(partner) = pair.partner_row {
                let (a, b) = (id(pair.row), id(partner));
                met.entry((a.min(b), a.max(b))).or_insert(time);
            }
        }
    }
    let clusters = aggregates(&world, &method.contacts(&world)?)?;
    let largest = |a: &Aggregate| -> Result<Largest, CaseError> {
        let porosity = Envelope::of_rows(&world, &a.rows, None)?.porosity();
        let radius = (3.0 * a.mass / (4.0 * PI * density * (1.0 - porosity))).cbrt();
        Ok(Largest {
            bodies: a.rows.len() as f64,
            elongation: a.elongation,
            period: a.rotation_period() / HOUR,
            porosity,
            escape_speed: (2.0 * G * a.mass / radius).sqrt(),
        })
    };
    let inside = met.values().filter(|&&t| (5.0 * HOUR..=10.0 * HOUR).contains(&t)).count();
    Ok(Outcome {
        aggregate: clusters.first().map(largest).transpose()?,
        second: clusters.get(1).map_or(0, |a| a.rows.len()) as f64,
        between: inside as f64 / met.len().max(1) as f64,
        orbital: (start > 0.0).then(|| orbital(&world) / start),
        unsolved: report
            .counts
            .iter()
            .find(|(what, _)| *what == UNSOLVED_STEPS)
            .map_or(0.0, |(_, n)| *n as f64),
    })
}

/// Norm of eq. (15).
fn orbital(world: &World) -> f64 {
    let b = &world.bodies;
    (0..b.len()).map(|k| b.mass[k] * b.position[k].cross(b.velocity[k])).sum::<DVec3>().length()
}

/// Random directions of one speed and one spin, and a rotation of the cloud about z (section 3.2).
fn set_in_motion(world: &mut World, seed: u64, [speed, spin, rotation]: Motion) {
    let mut rng = Rng::stream(seed, CASE);
    let b = &mut world.bodies;
    for k in 0..b.len() {
        b.velocity[k] = speed * rng.direction() + (rotation * DVec3::Z).cross(b.position[k]);
        b.spin[k] = spin * rng.direction();
    }
}

impl Case for Aggregation {
    type Row = ValidateRow;

    fn name(&self) -> &'static str {
        CASE
    }

    fn about(&self) -> &'static str {
        "two hundred boulders fall together: size, porosity, elongation and rotation of the aggregate"
    }

    fn claims(&self) -> &'static [Claim] {
        &CLAIMS
    }

    fn wrongs(&self) -> &'static [&'static str] {
        &[
            "density",
            "size",
            "friction",
            "motion",
            "speed",
            "part",
            "above",
            "hours",
            "iterations",
            "gravity_x",
        ]
    }

    fn run(&self, options: &Options, rows: &Rows<ValidateRow>) -> Result<(), CaseError> {
        let seeds = if options.full { 5 } else { 2 };
        let plans: Vec<(Motion, u64)> =
            motions().flat_map(|motion| (1..=seeds).map(move |seed| (motion, seed))).collect();
        let outcomes = plans
            .par_iter()
            .map(|&(motion, seed)| {
                let [v, w, turn] = motion;
                let start = Instant::now();
                let name = format!("v {v} m s, w {w} rad s, W {turn} rad s, seed {seed}");
                let o = options.piece(CASE, &name, || follow(options, seed, motion))?;
                rows.note(format!(
                    "{name}: {} bodies, second {}, porosity {:.3}, elongation {:.2}, period {:.3} h, {} of 14400 steps unsolved; {:.0} s",
                    o.bodies(), o.second, o.largest(|a| a.porosity), o.largest(|a| a.elongation), o.largest(|a| a.period), o.unsolved, start.elapsed().as_secs_f64()
                ));
                Ok(o)
            })
            .collect::<Result<Vec<Outcome>, CaseError>>()?;
        let of = |motion: Motion| -> Vec<&Outcome> {
            plans.iter().zip(&outcomes).filter(|(plan, _)| plan.0 == motion).map(|(_, o)| o).collect()
        };
        judge(&of, rows);
        Ok(())
    }
}

fn mean(outcomes: &[&Outcome], of: impl Fn(&Outcome) -> f64) -> f64 {
    outcomes.iter().map(|o| of(o)).sum::<f64>() / outcomes.len() as f64
}

fn judge<'a>(of: &impl Fn(Motion) -> Vec<&'a Outcome>, rows: &Rows<ValidateRow>) {
    let row = |claim: &Claim, what: &str, reference: f64, ours: f64, tolerance: f64| {
        claim.row(CASE, what, reference, ours, tolerance)
    };
    let rest = of(REST);
    rows.push(row(&MOST, "at rest: bodies in the aggregate", 193.0, mean(&rest, |o| o.bodies()), 10.0));
    rows.push(row(
        &MOST,
        "at rest: first touches between 5 and 10 h",
        0.75,
        mean(&rest, |o| o.between),
        0.25,
    ));
    rows.push(row(&POROSITY, "at rest: porosity", 0.37, mean(&rest, |o| o.largest(|a| a.porosity)), 0.03));
    rows.push(row(
        &ESCAPE,
        "at rest: escape speed, m/s",
        0.6,
        mean(&rest, |o| o.largest(|a| a.escape_speed)),
        0.2,
    ));
    for (k, o) in rest.iter().enumerate() {
        let what = format!("at rest, seed {}: elongation", k + 1);
        rows.push(row(&ELONGATION, &what, 1.925, o.largest(|a| a.elongation), 0.775));
    }
    let slow = row(
        &SLOW,
        "at rest: log10 of the period in h",
        3.0,
        mean(&rest, |o| o.largest(|a| a.period.log10())),
        1.0,
    );
    rows.push(slow.red("a cloud without angular momentum makes an aggregate without"));

    for (claim, motion, what) in
        [(&FAST, TURNING, "rotation 1.5e-5 rad/s"), (&BALANCED, BOTH, "spin and rotation")]
    {
        let found = of(motion);
        rows.push(row(
            claim,
            &format!("{what}: period, h"),
            5.5,
            mean(&found, |o| o.largest(|a| a.period)),
            3.5,
        ));
        let what = format!("{what}: angular momentum of the orbits, end over start");
        rows.push(row(claim, &what, 1.0, mean(&found, |o| o.orbital.unwrap_or(f64::NAN)), 0.15));
    }
    let spun = row(
        &SPUN,
        "spin 4e-3 rad/s: period, h",
        60.0,
        mean(&of(PARTS[1]), |o| o.largest(|a| a.period)),
        40.0,
    );
    rows.push(spun.red("one draw of random axes in the paper; seven of ours give 62 to 225 h"));

    for (at, above, what) in LIMITS {
        let part = |motion| mean(&of(motion), |o| o.bodies() / 200.0);
        rows.push(row(
            &BREAKUP,
            &format!("{what} at its limit: part of the bodies in one aggregate"),
            1.0,
            part(at),
            0.75,
        ));
        let over = row(
            &BREAKUP,
            &format!("{what} a third above: part of the bodies in one aggregate"),
            0.0,
            part(above),
            0.25,
        );
        rows.push(if what == "rotation" {
            over.red("the middle of the cube, denser than its mean, aggregates")
        } else {
            over
        });
    }
    let fast = of(LIMITS[2].0);
    let two = mean(&fast, |o| f64::from(u8::from(o.second >= SECOND as f64)));
    rows.push(row(&BINARY, "rotation at its limit: seeds with a second aggregate", 1.0, two, 0.5));

    // Ratios below 1 are in order.
    let ordered = |claim: &Claim, what: &str, ours: f64| row(claim, what, 0.5, ours, 0.5);
    let period = |motion| mean(&of(motion), |o| o.largest(|a| a.period));
    let number = |motion| mean(&of(motion), |o| o.bodies());
    let [speed, spin, rotation] = PARTS;
    rows.push(ordered(&PERIOD, "0.4 of the limits: period, speed over spin", period(speed) / period(spin)));
    rows.push(ordered(
        &PERIOD,
        "0.4 of the limits: period, rotation over speed",
        period(rotation) / period(speed),
    ));
    rows.push(ordered(&NUMBER, "0.4 of the limits: bodies, spin over speed", number(spin) / number(speed)));
    rows.push(ordered(
        &NUMBER,
        "0.4 of the limits: bodies, spin over rotation",
        number(spin) / number(rotation),
    ));
    for (part, (at, _, what)) in PARTS.into_iter().zip(LIMITS) {
        let less = ordered(
            &PERIOD,
            &format!("{what}: period at the limit over that at 0.4 of it"),
            period(at) / period(part),
        );
        rows.push(if what == "rotation" {
            less.red("at the spin limit at both; the aggregate of a faster cloud is smaller or longer")
        } else {
            less
        });
        rows.push(ordered(
            &NUMBER,
            &format!("{what}: bodies at the limit over those at 0.4 of it"),
            number(at) / number(part),
        ));
    }
    let small = mean(&of(LIMITS[0].1), |o| o.largest(|a| a.porosity));
    // Below 0.92: those of clouds at rest scatter by 4 %, and this is twice as much.
    rows.push(row(
        &SMALL,
        "porosity, fewer than 25 bodies over 200",
        0.46,
        small / mean(&rest, |o| o.largest(|a| a.porosity)),
        0.46,
    ));
    rows.push(
        row(&SMALL, "porosity, fewer than 25 bodies", 0.14, small, 0.03).red("theirs are looser: 16 to 30 %"),
    );
    for (what, with_rotation) in [("clouds that do not rotate", false), ("all clouds", true)] {
        let found: Vec<&Largest> = motions()
            .filter(|&motion| motion != REST && (with_rotation || motion[2] == 0.0))
            .flat_map(of)
            .filter_map(|o| o.aggregate.as_ref())
            .collect();
        let related = rank_correlation(&found.iter().map(|a| [a.period, a.mass()]).collect::<Vec<_>>());
        let tolerance = 1.0 - 2.0 / (found.len() as f64 - 1.0).sqrt();
        let what = format!("{what}: rank correlation of period and mass");
        let row = row(&MASSIVE, &what, 1.0, related, tolerance);
        rows.push(if with_rotation { row.red(AT_SPIN_LIMIT) } else { row });
    }
    let shortest = outcomes_of(of).map(|o| o.largest(|a| a.period)).fold(f64::INFINITY, f64::min);
    rows.push(row(&BARRIER, "2.2 h over the shortest period", 0.5, 2.2 / shortest, 0.5));
    let unsolved = outcomes_of(of).map(|o| o.unsolved).sum::<f64>();
    let runs = outcomes_of(of).count() as f64;
    let source = "the solver's tolerance of 1e-3";
    rows.push(ValidateRow::new(
        CASE,
        "part of the steps that were not solved",
        0.0,
        unsolved / (14_400.0 * runs),
        0.01,
        source,
    ));
}

fn motions() -> impl Iterator<Item = Motion> {
    let limits = LIMITS.iter().flat_map(|(at, above, _)| [*at, *above]);
    [REST, TURNING, BOTH].into_iter().chain(PARTS).chain(limits)
}

fn outcomes_of<'a>(of: &impl Fn(Motion) -> Vec<&'a Outcome>) -> impl Iterator<Item = &'a Outcome> {
    motions().flat_map(of)
}

/// Spearman's, of pairs without ties.
fn rank_correlation(pairs: &[[f64; 2]]) -> f64 {
    let rank = |k: usize, i: usize| pairs.iter().filter(|p| p[i] < pairs[k][i]).count() as f64;
    let n = pairs.len() as f64;
    let squares: f64 = (0..pairs.len()).map(|k| (rank(k, 0) - rank(k, 1)).powi(2)).sum();
    1.0 - 6.0 * squares / (n * (n * n - 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kept_result_of_a_cloud_at_rest_is_read_back() {
        let aggregate =
            Largest { bodies: 200.0, elongation: 1.2, period: 1e14, porosity: 0.37, escape_speed: 0.57 };
        let outcome =
            Outcome { aggregate: Some(aggregate), second: 0.0, between: 0.7, orbital: None, unsolved: 8.0 };
        let text = serde_json::to_string(&outcome).unwrap();
        assert_eq!(serde_json::from_str::<Outcome>(&text).unwrap().orbital, None);
    }

    #[test]
    fn ranks_are_related_as_by_hand() {
        let pairs = [[1.0, 10.0], [2.0, 30.0], [3.0, 20.0], [4.0, 40.0]];
        assert!((rank_correlation(&pairs) - 0.8).abs() < 1e-12);
    }
}
