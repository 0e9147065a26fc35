//! `impact`: one contact against exact solutions and the tests of Chung and Ooi (2011). validation/impact/README.md has
//! the derivations; letters below are its sections.

use std::f64::consts::PI;

use rubblepile_core::{Material, PairValues, World};
use rubblepile_soft::{Law, Settings};

use super::{
    ValidateRow,
    collision::{Collision, SetUp, first},
};
use crate::{
    cases::{Case, CaseError, Options, Rows, Wrong},
    claims::{Claim, Paper, Verdict},
};

pub struct Impact;

const CASE: &str = "impact";
/// Steps per contact: the tolerances follow from it.
const STEPS: f64 = 400.0;
const CHUNG_OOI: &str = "Chung & Ooi 2011";

const PAPER: Paper = Paper::AsteroidSurface2024;

const LINEAR_NORMAL: Claim = Claim {
    paper: PAPER,
    item: "eq. (1) and table 2",
    what: "normal force: stiffness, damping from the restitution, contact time",
    verdict: Verdict::Reproduced {
        tolerance: "1e-3: the step, a 400th of a contact, against the exact solution",
    },
};
const LINEAR_TANGENTIAL: Claim = Claim {
    paper: PAPER,
    item: "eq. (1) and table 2, tangential",
    what: "sliding at friction x normal force, sticking as a damped spring with 2/7 of the stiffness",
    verdict: Verdict::Reproduced { tolerance: "2e-3 and 3e-3: overlap over radius, and the step" },
};
const TIMESTEP: Claim = Claim {
    paper: PAPER,
    item: "section 3.2.2, time step",
    what: "k_N = 10,103 N/m and 1.7 ms: 2 % of the contact of two grains of 10 cm",
    verdict: Verdict::Reproduced { tolerance: "0.05 ms: half of the last digit printed" },
};
const CLAIMS: &[Claim] = &[LINEAR_NORMAL, LINEAR_TANGENTIAL, TIMESTEP];

impl Case for Impact {
    type Row = ValidateRow;

    fn name(&self) -> &'static str {
        CASE
    }

    fn about(&self) -> &'static str {
        "one collision: restitution, duration, overlap, force, sliding, sticking, rebound spin"
    }

    fn claims(&self) -> &'static [Claim] {
        CLAIMS
    }

    fn wrongs(&self) -> &'static [&'static str] {
        &["stiffness", "restitution", "friction", "second_radius"]
    }

    fn run(&self, options: &Options, rows: &Rows<ValidateRow>) -> Result<(), CaseError> {
        let wrong = &options.wrong;
        linear_normal(wrong, rows)?;
        linear_oblique(wrong, rows)?;
        timestep(wrong, rows)?;
        hertz_normal(wrong, rows)?;
        restitution(wrong, rows)?;
        oblique_elastic(wrong, rows)?;
        sliding(wrong, rows)?;
        gears(wrong, rows)?;
        Ok(())
    }
}

/// The collision with what is to be wrong: references are of the set-up as it should be.
fn collide(set_up: &SetUp, wrong: &Wrong) -> Result<(World, Collision), CaseError> {
    let mut set_up = set_up.clone();
    for material in &mut set_up.materials {
        let stiffness = wrong.factor("stiffness");
        material.stiffness = material.stiffness.map(|k| stiffness * k);
        material.young = material.young.map(|young| stiffness * young);
        material.restitution_normal *= wrong.factor("restitution");
        material.restitution_tangential *= wrong.factor("restitution");
        material.friction_sliding *= wrong.factor("friction");
    }
    set_up.second = set_up.second.map(|radius| wrong.factor("second_radius") * radius);
    set_up.collide()
}

fn row(rows: &Rows<ValidateRow>, quantity: String, reference: f64, ours: f64, relative: f64, source: &str) {
    rows.push(ValidateRow::new(CASE, quantity, reference, ours, relative * reference.abs(), source));
}

/// Section A's constants: (damping rate over undamped frequency, |F| impulse factor 1 + 2 exp(-g t_f) - e).
fn damped(e: f64) -> (f64, f64) {
    let l = -e.ln();
    let zeta = l / (PI * PI + l * l).sqrt();
    // g / w = l / pi
    let a = (l / PI).atan();
    let impulse = 1.0 + 2.0 * (-(l / PI) * (PI - 2.0 * a)).exp() - e;
    (zeta, impulse)
}

fn linear(e_n: f64, e_s: f64, mu: f64) -> (Vec<Material>, f64) {
    let material = Material {
        name: "linear".into(),
        density: 2500.0,
        restitution_normal: e_n,
        restitution_tangential: e_s,
        friction_sliding: mu,
        stiffness: Some(1e7),
        ..Material::default()
    };
    (vec![material.clone(), material], 1e7)
}

fn sphere_mass(radius: f64, density: f64) -> f64 {
    4.0 / 3.0 * PI * radius.powi(3) * density
}

fn linear_set_up(e_n: f64, e_s: f64, mu: f64, tangential: f64, pair: bool) -> (SetUp, f64) {
    let (materials, k) = linear(e_n, e_s, mu);
    let radius = 0.1;
    let m = sphere_mass(radius, 2500.0);
    let omega = (k / if pair { 0.5 * m } else { m }).sqrt();
    let set_up = SetUp {
        materials,
        radius,
        second: pair.then_some(radius),
        // Overlaps of a few 1e-4 of the radius, so that the lever arms stay what theory has.
        approach: if pair { 0.01 } else { 0.02 },
        tangential,
        spin: 0.0,
        mirrored: pair,
        settings: Settings::default(),
        step: PI / omega / STEPS,
    };
    (set_up, omega)
}

/// A: time, overlap and restitution of the damped oscillator, at a plane and between two spheres.
fn linear_normal(wrong: &Wrong, rows: &Rows<ValidateRow>) -> Result<(), CaseError> {
    for pair in [false, true] {
        for e in [0.2, 0.55, 0.9] {
            let (set_up, omega) = linear_set_up(e, e, 0.5, 0.0, pair);
            let (world, seen) = collide(&set_up, wrong)?;
            let (zeta, _) = damped(e);
            let w = omega * (1.0 - zeta * zeta).sqrt();
            let v = 0.02;
            let a = (zeta / (1.0 - zeta * zeta).sqrt()).atan();
            let deepest = v / omega * (-(zeta * omega / w) * (PI / 2.0 - a)).exp();
            let which = if pair { "two spheres" } else { "sphere and plane" };
            let push = |what: &str, reference: f64, ours: f64, tolerance: f64| {
                let quantity = format!("linear, {which}, e {e}: {what}");
                rows.push(LINEAR_NORMAL.row(CASE, quantity, reference, ours, tolerance));
            };
            push("contact time, s", PI / w, seen.time, 1e-3 * PI / w);
            push("overlap, m", deepest, seen.overlap, 1e-3 * deepest);
            let k = first(&world);
            let rebound = world.bodies.velocity[k].z / set_up.approach;
            // Parting falls between two steps, where the force jumps: 1e-3 of the speed of impact.
            push("restitution", e, rebound, 1e-3);
        }
    }
    Ok(())
}

/// B: gross sliding, and full sticking.
fn linear_oblique(wrong: &Wrong, rows: &Rows<ValidateRow>) -> Result<(), CaseError> {
    for e in [1.0, 0.55] {
        let (mu, tangential) = (0.3, 0.1);
        let (set_up, _) = linear_set_up(e, e, mu, tangential, false);
        let (world, _) = collide(&set_up, wrong)?;
        let (_, factor) = damped(e);
        let impulse = mu * factor * set_up.approach;
        let push = |what: &str, reference: f64, ours: f64| {
            let quantity = format!("linear, sliding, e {e}: {what}");
            rows.push(LINEAR_TANGENTIAL.row(CASE, quantity, reference, ours, 2e-3 * reference));
        };
        // A rigid sphere with the impulse of eq. (1).
        push("tangential speed, m/s", tangential - impulse, world.bodies.velocity[0].x);
        push("rebound spin, rad/s", 2.5 * impulse / set_up.radius, world.bodies.spin[0].y);
    }
    for (e_n, e_s, expected) in [(0.9, 0.9, 0.821319), (0.55, 0.55, 0.341026), (0.7099, 0.5217, 0.321066)] {
        let (set_up, _) = linear_set_up(e_n, e_s, 1e9, 0.001, false);
        let (world, _) = collide(&set_up, wrong)?;
        let slip = world.bodies.velocity[0].x - set_up.radius * world.bodies.spin[0].y;
        let quantity = format!("linear, sticking, {e_n} and {e_s}: slip reversed");
        let ours = -slip / set_up.tangential;
        rows.push(LINEAR_TANGENTIAL.row(CASE, quantity, expected, ours, 3e-3 * expected));
    }
    Ok(())
}

/// Two grains of table 3: the paper's step is a fiftieth of their contact.
fn timestep(wrong: &Wrong, rows: &Rows<ValidateRow>) -> Result<(), CaseError> {
    let (mut set_up, _) = linear_set_up(0.55, 0.55, 0.55, 0.0, true);
    for material in &mut set_up.materials {
        (material.density, material.stiffness) = (3350.0, Some(10_103.0));
    }
    set_up.step = 0.08 / STEPS;
    let (_, seen) = collide(&set_up, wrong)?;
    let quantity = "a fiftieth of the contact of two grains of table 3, s";
    rows.push(TIMESTEP.row(CASE, quantity, 1.7e-3, seen.time / 50.0, 5e-5));
    Ok(())
}

fn solid(name: &str, young: f64, poisson: f64, density: f64, e: f64, mu: f64) -> Material {
    Material {
        name: name.into(),
        density,
        restitution_normal: e,
        restitution_tangential: e,
        friction_sliding: mu,
        young: Some(young),
        poisson,
        ..Material::default()
    }
}

/// A wall that does not give.
fn rigid(of: &Material) -> Material {
    Material { name: "rigid".into(), young: of.young.map(|y| 1e6 * y), ..of.clone() }
}

struct Hertz {
    set_up: SetUp,
    overlap: f64,
    force: f64,
    time: f64,
}

/// C: a Hertz collision and its exact numbers when elastic.
fn hertz(material: Material, radius: f64, second: Option<f64>, approach: f64, mirrored: bool) -> Hertz {
    let m = sphere_mass(radius, material.density);
    let materials = vec![material.clone(), rigid(&material)];
    let pair = PairValues::mix(&materials[0], &materials[if second.is_some() { 0 } else { 1 }]);
    let (mass, r) = match second {
        Some(s) => {
            let ms = sphere_mass(s, material.density);
            (m * ms / (m + ms), radius * s / (radius + s))
        }
        None => (m, radius),
    };
    let v = if mirrored { 2.0 * approach } else { approach };
    let overlap = (15.0 * mass * v * v / (16.0 * pair.modulus * r.sqrt())).powf(0.4);
    let time = 2.943_275_18 * overlap / v;
    let set_up = SetUp {
        materials,
        radius,
        second,
        approach,
        tangential: 0.0,
        spin: 0.0,
        mirrored,
        settings: Settings { law: Law::HertzMindlin, ..Settings::default() },
        step: time / STEPS,
    };
    Hertz { set_up, overlap, force: 4.0 / 3.0 * pair.modulus * r.sqrt() * overlap.powf(1.5), time }
}

/// Tests 1 and 2.
fn hertz_normal(wrong: &Wrong, rows: &Rows<ValidateRow>) -> Result<(), CaseError> {
    let cases = [
        (
            "test 1, glass",
            hertz(solid("glass", 4.8e10, 0.20, 2800.0, 1.0, 0.35), 0.01, Some(0.01), 10.0, true),
        ),
        (
            "test 1, limestone",
            hertz(solid("limestone", 2.0e10, 0.25, 2500.0, 1.0, 0.35), 0.01, Some(0.01), 10.0, true),
        ),
        (
            "test 2, aluminium alloy",
            hertz(solid("Al", 7.0e10, 0.30, 2699.0, 1.0, 0.0), 0.1, None, 0.2, false),
        ),
        (
            "test 2, magnesium alloy",
            hertz(solid("Mg", 4.0e10, 0.35, 1800.0, 1.0, 0.0), 0.1, None, 0.2, false),
        ),
    ];
    for (name, case) in cases {
        let (_, seen) = collide(&case.set_up, wrong)?;
        let source = "Chung & Ooi 2011, Hertz's solution";
        row(rows, format!("{name}: largest overlap, m"), case.overlap, seen.overlap, 1e-3, source);
        row(rows, format!("{name}: largest force, N"), case.force, seen.force, 1e-3, source);
        row(rows, format!("{name}: contact time, s"), case.time, seen.time, 1e-3, source);
    }
    Ok(())
}

/// Test 3.
fn restitution(wrong: &Wrong, rows: &Rows<ValidateRow>) -> Result<(), CaseError> {
    for (name, young, poisson, density) in
        [("aluminium oxide", 3.8e11, 0.23, 4000.0), ("cast iron", 1.0e11, 0.25, 7000.0)]
    {
        for e in [0.2, 0.4, 0.6, 0.8, 1.0] {
            let case = hertz(solid(name, young, poisson, density, e, 0.0), 0.0025, None, 3.9, false);
            let (world, _) = collide(&case.set_up, wrong)?;
            let rebound = world.bodies.velocity[0].z / 3.9;
            row(rows, format!("test 3, {name}, e {e}: restitution"), e, rebound, 3e-3, CHUNG_OOI);
        }
    }
    Ok(())
}

/// D and test 5: s'/(mu v) against s/(mu v) for an elastic sphere, nu = 0.3. Theory depends on nothing else as long as
/// the overlap is small, so it is run at 0.05 m/s: at the test's 5 m/s the overlap is 0.6 % of the radius, and the
/// lever arm with it.
fn oblique_elastic(wrong: &Wrong, rows: &Rows<ValidateRow>) -> Result<(), CaseError> {
    let (mu, v) = (0.3, 0.05);
    // Below sliding throughout (x < 5.79) the numbers are those of this law, integrated separately; above, exact.
    for (x, expected) in [
        (0.5, 0.475),
        (1.0, 0.667),
        (2.0, -0.276),
        (3.0, -1.001),
        (4.0, -1.398),
        (5.0, -1.436),
        (7.0, 0.0),
        (10.0, 3.0),
    ] {
        let steel = solid("steel", 2.08e11, 0.30, 7850.0, 1.0, mu);
        let mut case = hertz(steel, 1e-5, None, v, false);
        case.set_up.tangential = x * mu * v;
        let (world, _) = collide(&case.set_up, wrong)?;
        let slip = world.bodies.velocity[0].x - 1e-5 * world.bodies.spin[0].y;
        let source = if x > 5.79 {
            "Chung & Ooi 2011, Maw et al. 1976: sliding throughout"
        } else {
            "Chung & Ooi 2011; number by separate integration of the law"
        };
        rows.push(ValidateRow::new(
            CASE,
            format!("test 5, steel, slip in {x} mu v: slip out"),
            expected,
            slip / (mu * v),
            3e-3,
            source,
        ));
    }
    Ok(())
}

/// Tests 4, 6 and 8 where the contact slides throughout.
fn sliding(wrong: &Wrong, rows: &Rows<ValidateRow>) -> Result<(), CaseError> {
    let (e, mu) = (0.98, 0.092);
    let (_, factor) = damped(e);
    for degrees in [40.0f64, 60.0, 80.0] {
        let (sin, cos) = degrees.to_radians().sin_cos();
        let (u, v) = (3.9 * sin, 3.9 * cos);
        let mut case = hertz(solid("aluminium oxide", 3.8e11, 0.23, 4000.0, e, mu), 0.0025, None, v, false);
        case.set_up.tangential = u;
        let (world, _) = collide(&case.set_up, wrong)?;
        let impulse = mu * factor * v;
        let source = "Chung & Ooi 2011, rigid sphere, sliding";
        let ours = world.bodies.velocity[0].x / u;
        row(
            rows,
            format!("test 4, {degrees} degrees: tangential restitution"),
            1.0 - impulse / u,
            ours,
            2e-3,
            source,
        );
        let spin = 2.5 * impulse / 0.0025;
        row(
            rows,
            format!("test 4, {degrees} degrees: rebound spin, rad/s"),
            spin,
            world.bodies.spin[0].y,
            3e-3,
            source,
        );
    }
    let (e, mu, v) = (0.5, 0.4, 0.2);
    let (_, factor) = damped(e);
    for (test, second) in [("test 6", None), ("test 8", Some(0.5))] {
        let spin = 20.0;
        let mut case = hertz(solid("copper", 1.2e11, 0.35, 8900.0, e, mu), 0.1, second, v, false);
        case.set_up.spin = spin;
        let (world, _) = collide(&case.set_up, wrong)?;
        let b = &world.bodies;
        let k = first(&world);
        let mut slip = b.velocity[k].x - b.radius[k] * b.spin[k].y;
        if b.len() == 2 {
            let o = 1 - k;
            slip -= b.velocity[o].x + b.radius[o] * b.spin[o].y;
        }
        let before = -0.1 * spin;
        let after = before + 3.5 * mu * factor * v;
        row(
            rows,
            format!("{test}, copper, {spin} rad/s: slip after over before"),
            after / before,
            slip / before,
            2e-3,
            "Chung & Ooi 2011, rigid spheres, sliding",
        );
    }
    Ok(())
}

/// Test 7: spins that mesh like gears do not slip, so nothing tangential happens.
fn gears(wrong: &Wrong, rows: &Rows<ValidateRow>) -> Result<(), CaseError> {
    let mut case = hertz(solid("Al", 7.0e10, 0.33, 2700.0, 0.5, 0.4), 0.1, Some(0.1), 0.2, true);
    case.set_up.spin = 10.0;
    let (world, _) = collide(&case.set_up, wrong)?;
    let k = first(&world);
    let source = "Chung & Ooi 2011, symmetry";
    rows.push(ValidateRow::new(
        CASE,
        "test 7: spin kept, rad/s",
        10.0,
        world.bodies.spin[k].y,
        1e-11,
        source,
    ));
    rows.push(ValidateRow::new(
        CASE,
        "test 7: tangential speed, m/s",
        0.0,
        world.bodies.velocity[k].x,
        1e-12,
        source,
    ));
    Ok(())
}
