//! Experiments with deformable grains.

pub mod balance;
pub mod identities;

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use glam::DVec2;
use rayon::prelude::*;

use rubblepile_meshfree::{
    bulk::{Bulk, edge_load},
    fill::{Density, FillError, Filling, fill},
    internals::{Damping, NodePartner, Sample, SampleGrain, StraightWall, quadrature_points},
    law::{ElasticLaw, Elasticity, LawError, PlaneCondition},
    outline::{Outline, OutlineError},
    packing::{self, PackingError, Sand},
    shape::{self, Domains, ShapeError},
    step::{NodalState, Scheme, Settings, StepError, Stepper},
};

use crate::cases::Wrong;

/// Why an experiment could not be made.
#[derive(Debug, thiserror::Error)]
pub enum WorkloadError {
    #[error(transparent)]
    Outline(#[from] OutlineError),
    #[error(transparent)]
    Fill(#[from] FillError),
    #[error(transparent)]
    Shape(#[from] ShapeError),
    #[error(transparent)]
    Law(#[from] LawError),
    #[error(transparent)]
    Step(#[from] StepError),
    #[error(transparent)]
    Packing(#[from] PackingError),
    #[error("the material has no tangent")]
    NoTangent,
}

type Result<T> = std::result::Result<T, WorkloadError>;

/// As in example 1 of the paper, Table I; nothing touches in most of the others.
pub fn settings() -> Settings {
    Settings {
        scheme: Scheme::Composite,
        residual: 1e-12,
        gap: 1e-12,
        stiffness: 1e8,
        growth: 2.0,
        slack: 0.03,
        stale: 1e-3,
        newton: 20,
        augmentations: 400,
        reach: 0.2,
    }
}

fn filled(points: &[DVec2], spacing: f64, grading: f64) -> Result<Filling> {
    Ok(fill(&Outline::new(points)?, Density { spacing, grading })?)
}

/// One grain, without walls and weight.
fn alone(filling: &Filling, law: Elasticity, density: f64, kind: shape::Interpolation) -> Result<Sample> {
    let bulk = Bulk::new(filling, law, density, kind)?;
    let grain = SampleGrain { filling: filling.clone(), bulk, damping: Damping::default(), material: 0 };
    Sample::new(vec![grain], Vec::new(), DVec2::ZERO).ok_or(WorkloadError::NoTangent)
}

fn rest(sample: &Sample, displacement: Vec<DVec2>) -> Result<Vec<DVec2>> {
    let zero = vec![DVec2::ZERO; displacement.len()];
    let state = NodalState { displacement, velocity: zero.clone(), acceleration: zero, watches: Vec::new() };
    let settings = Settings { residual: 1e-11, ..settings() };
    Ok(Stepper::new(settings).rest(sample, &state)?.0.displacement)
}

/// A grain under tractions on all sides (of the first Piola-Kirchhoff stress, row by row, at every place), with three of its
/// coordinates held where `exact` has them: displacements found, less `exact`, root mean square over the grain, over that of `exact`.
fn against(
    filling: &Filling,
    law: Elasticity,
    kind: shape::Interpolation,
    exact: impl Fn(DVec2) -> DVec2,
    stress: impl Fn(DVec2) -> [f64; 4],
) -> Result<f64> {
    let mut sample = alone(filling, law, 1.0, kind)?;
    sample.load = edge_load(filling, kind, |x, n| {
        let [xx, xy, yx, yy] = stress(x);
        DVec2::new(xx * n.x + xy * n.y, yx * n.x + yy * n.y)
    })?;
    let first = filling.nodes[0];
    let away = |k: &usize| filling.nodes[*k].distance(first);
    let far = (1..filling.boundary).max_by(|a, b| away(a).total_cmp(&away(b))).unwrap_or(0);
    // Of the two the coordinate across the line between them, so that nothing can turn.
    let across = filling.nodes[far] - first;
    let direction = usize::from(across.x.abs() > across.y.abs());
    sample.held = vec![0, 1, 2 * far + direction];
    let mut start = vec![DVec2::ZERO; filling.nodes.len()];
    start[0] = exact(first);
    start[far][direction] = exact(filling.nodes[far])[direction];
    let found = rest(&sample, start)?;
    let domains = Domains::new(&filling.nodes, kind)?;
    let (mut off, mut size) = (0.0, 0.0);
    for corners in &filling.triangles {
        for (x, area) in quadrature_points(corners.map(|k| filling.nodes[k as usize])) {
            let shapes = domains.at(x)?;
            let at: DVec2 =
                shapes.nodes.iter().zip(&shapes.value).map(|(k, v)| *v * found[*k as usize]).sum();
            off += area * at.distance_squared(exact(x));
            size += area * exact(x).length_squared();
        }
    }
    Ok((off / size).sqrt())
}

const QUADRILATERAL: [[f64; 2]; 4] = [[0.0, 0.0], [1.0, 0.0], [1.1, 0.9], [0.2, 1.0]];

/// A patch test at large strain: the gradient of deformation is the same everywhere. Here and below `stiffer` is a factor on the modulus
/// that the exact solution does not have: 1, unless something is to be wrong.
pub fn patch(spacing: f64, kind: shape::Interpolation, stiffer: f64) -> Result<f64> {
    let filling = filled(&QUADRILATERAL.map(DVec2::from_array), spacing, 0.0)?;
    let law = Elasticity::new(ElasticLaw::NeoHookean, PlaneCondition::Strain, 1000.0, 0.3)?;
    // Without turning: tractions that do not follow would have a torque on the way.
    let f = [1.04, 0.02, 0.02, 0.97];
    let p = law.respond(f).ok_or(WorkloadError::NoTangent)?.stress;
    let law = Elasticity::new(ElasticLaw::NeoHookean, PlaneCondition::Strain, stiffer * 1000.0, 0.3)?;
    let exact = |x: DVec2| DVec2::new((f[0] - 1.0) * x.x + f[1] * x.y, f[2] * x.x + (f[3] - 1.0) * x.y);
    against(&filling, law, kind, exact, |_| p)
}

/// A patch test of the next order: bending with the same curvature everywhere, small enough for linear elasticity. Displacements are
/// quadratic and stresses linear in space.
pub fn bending(spacing: f64, kind: shape::Interpolation, stiffer: f64) -> Result<f64> {
    let (modulus, ratio, curvature) = (1000.0, 0.3, 1e-7);
    let filling = filled(&QUADRILATERAL.map(DVec2::from_array), spacing, 0.0)?;
    let law =
        Elasticity::new(ElasticLaw::SaintVenantKirchhoff, PlaneCondition::Stress, stiffer * modulus, ratio)?;
    let exact = |DVec2 { x, y }: DVec2| curvature * DVec2::new(x * y, -0.5 * (x * x + ratio * y * y));
    against(&filling, law, kind, exact, |x| [modulus * curvature * x.y, 0.0, 0.0, 0.0])
}

/// A beam, 48 by 12, that is bent by a parabola of shear at its end: Timoshenko and Goodier (1970), section 21.
pub fn beam(spacing: f64, kind: shape::Interpolation, stiffer: f64) -> Result<f64> {
    // A load small enough that the square of strains does not show, and large enough that their rounding does not.
    let (length, height, load, modulus, ratio) = (48.0, 12.0, -5.0, 3e7, 0.3);
    let inertia = height * height * height / 12.0;
    let corners = [[0.0, -6.0], [length, -6.0], [length, 6.0], [0.0, 6.0]].map(DVec2::from_array);
    let filling = filled(&corners, spacing, 0.0)?;
    let law =
        Elasticity::new(ElasticLaw::SaintVenantKirchhoff, PlaneCondition::Stress, stiffer * modulus, ratio)?;
    let square = height * height / 4.0;
    let exact = |DVec2 { x, y }: DVec2| {
        let c = load / (6.0 * modulus * inertia);
        DVec2::new(
            -c * y * ((6.0 * length - 3.0 * x) * x + (2.0 + ratio) * (y * y - square)),
            c * (3.0 * ratio * y * y * (length - x)
                + (4.0 + 5.0 * ratio) * square * x
                + (3.0 * length - x) * x * x),
        )
    };
    let stress = |DVec2 { x, y }: DVec2| {
        let (bending, shear) =
            (-load * (length - x) * y / inertia, load / (2.0 * inertia) * (square - y * y));
        [bending, shear, shear, 0.0]
    };
    against(&filling, law, kind, exact, stress)
}

/// A quarter of a thick ring, radii 1 and 2, with a pressure inside: Lamé's solution in plane strain.
pub fn ring(spacing: f64, kind: shape::Interpolation, stiffer: f64) -> Result<f64> {
    let (inner, outer, pressure, modulus, ratio) = (1.0_f64, 2.0_f64, 1e-3, 1000.0, 0.3);
    let turn = |k: i32, of: i32| FRAC_PI_2 * f64::from(k) / f64::from(of);
    let out = (0..=200).map(|k| outer * DVec2::from_angle(turn(k, 200)));
    let back = (0..=100).rev().map(|k| inner * DVec2::from_angle(turn(k, 100)));
    let filling = filled(&out.chain(back).collect::<Vec<_>>(), spacing, 0.0)?;
    let law =
        Elasticity::new(ElasticLaw::SaintVenantKirchhoff, PlaneCondition::Strain, stiffer * modulus, ratio)?;
    let a = pressure * inner * inner / (outer * outer - inner * inner);
    let b = a * outer * outer;
    let exact = |x: DVec2| {
        let r = x.length();
        (1.0 + ratio) / modulus * ((1.0 - 2.0 * ratio) * a + b / (r * r)) * x
    };
    let stress = |x: DVec2| {
        let (r, n) = (x.length(), x.normalize());
        let (radial, hoop) = (a - b / (r * r), a + b / (r * r));
        let shear = (radial - hoop) * n.x * n.y;
        [radial * n.x * n.x + hoop * n.y * n.y, shear, shear, radial * n.y * n.y + hoop * n.x * n.x]
    };
    against(&filling, law, kind, exact, stress)
}

/// Period of a bar that swings lengthwise, over twice its length by the speed of sound in it.
pub fn bar(steps: u32, stiffer: f64) -> Result<f64> {
    let (length, modulus, density) = (4.0, 1000.0, 10.0);
    let corners = [[0.0, 0.0], [length, 0.0], [length, 0.4], [0.0, 0.4]].map(DVec2::from_array);
    let filling = filled(&corners, 0.1, 0.0)?;
    // Without a Poisson ratio nothing happens across.
    let law = |stiffer: f64| {
        Elasticity::new(ElasticLaw::SaintVenantKirchhoff, PlaneCondition::Stress, stiffer * modulus, 0.0)
    };
    let mut sample = alone(&filling, law(stiffer)?, density, shape::Interpolation::Radial)?;
    let mode = |x: &DVec2| (PI * x.x / length).cos();
    let start = filling.nodes.iter().map(|x| DVec2::new(1e-6 * mode(x), 0.0)).collect();
    let mut stepper = Stepper::new(Settings { residual: 1e-9, ..settings() });
    let mut state = stepper.start(&sample, start, vec![DVec2::ZERO; filling.nodes.len()])?;
    let period = 2.0 * length / law(1.0)?.wave_speed(density);
    let h = period / f64::from(steps);
    let part = |state: &NodalState| -> f64 {
        state.displacement.iter().zip(&filling.nodes).map(|(u, x)| u.x * mode(x)).sum()
    };
    // From one upward pass through zero to the next is three quarters of a period to seven quarters.
    let (mut passes, mut before) = (Vec::new(), part(&state));
    for k in 1..=2 * steps {
        state = stepper.advance(&mut sample, &state, h, |_, _| {})?.0;
        let now = part(&state);
        if before < 0.0 && now >= 0.0 {
            passes.push((f64::from(k) - now / (now - before)) * h);
        }
        before = now;
    }
    Ok(match passes[..] {
        [first, second, ..] => (second - first) / period,
        _ => f64::NAN,
    })
}

/// Table I, both examples.
const PAPER_DAMPING: Damping = Damping { mass: 0.01, stiffness: 0.1, viscous: 0.0 };

/// A disc whose first node is its lowest.
pub fn disc(
    centre: DVec2,
    spacing: f64,
    grading: f64,
    law: Elasticity,
    density: f64,
    damping: Damping,
) -> Result<SampleGrain> {
    let points: Vec<DVec2> =
        (0..7200).map(|k| centre + DVec2::from_angle(TAU * (f64::from(k) / 7200.0 - 0.25))).collect();
    let filling = filled(&points, spacing, grading)?;
    let bulk = Bulk::new(&filling, law, density, shape::Interpolation::Radial)?;
    Ok(SampleGrain { filling, bulk, damping, material: 0 })
}

/// Height, speed and acceleration of a node at a time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NodeRecord {
    pub time: f64,
    pub height: f64,
    pub speed: f64,
    pub acceleration: f64,
}

/// Example 1 of the paper (Table I): a disc of radius 1 whose middle is at a height, over a floor; `wrong` may have `gravity`, `damping` and
/// `spacing`.
fn falling_disc(height: f64, wrong: &Wrong) -> Result<Sample> {
    let law = Elasticity::new(ElasticLaw::SaintVenantKirchhoff, PlaneCondition::Strain, 1e6, 0.49)?;
    let factor = wrong.factor("damping");
    let damping = Damping {
        mass: factor * PAPER_DAMPING.mass,
        stiffness: factor * PAPER_DAMPING.stiffness,
        ..PAPER_DAMPING
    };
    let spacing = TAU / 36.0 * wrong.factor("spacing");
    let grain = disc(DVec2::new(0.0, height), spacing, 0.1, law, 1000.0, damping)?;
    let floor = StraightWall::new(DVec2::ZERO, DVec2::Y);
    let gravity = DVec2::new(0.0, -9.81 * wrong.factor("gravity"));
    Sample::new(vec![grain], vec![floor], gravity).ok_or(WorkloadError::NoTangent)
}

/// Its nodes, those on the outline, triangles and Gauss points.
pub fn counts_of_the_falling_disc(wrong: &Wrong) -> Result<[usize; 4]> {
    let sample = falling_disc(1.5, wrong)?;
    let filling = &sample.grains[0].filling;
    let points =
        filling.triangles.iter().map(|t| quadrature_points(t.map(|k| filling.nodes[k as usize])).len());
    Ok([filling.nodes.len(), filling.boundary, filling.triangles.len(), points.sum()])
}

/// Height of the highest node where the disc is in balance on the floor: no time passes.
pub fn lying_disc() -> Result<f64> {
    // It begins a little inside the floor, which then has something to push.
    let mut sample = falling_disc(0.999, &Wrong::default())?;
    let top = sample.grains[0].filling.boundary / 2;
    // The lowest and the highest node stay in the middle: nothing else keeps the disc from rolling away.
    sample.held = vec![0, 2 * top];
    let still = vec![DVec2::ZERO; sample.nodes()];
    let state = NodalState {
        displacement: still.clone(),
        velocity: still.clone(),
        acceleration: still,
        watches: Vec::new(),
    };
    let (state, _) = Stepper::new(Settings { residual: 1e-11, ..settings() }).rest(&sample, &state)?;
    Ok(1.999 + state.displacement[top].y)
}

/// The disc falls by half its radius, bounces and comes to rest. Its lowest node (B) and its highest (A). `wrong` may also have `gap` and
/// `step`.
pub fn bouncing_disc(scheme: Scheme, h: f64, until: f64, wrong: &Wrong) -> Result<Vec<[NodeRecord; 2]>> {
    let mut sample = falling_disc(1.5, wrong)?;
    let top = sample.grains[0].filling.boundary / 2;
    let n = sample.nodes();
    let h = h * wrong.factor("step");
    let gap = settings().gap * wrong.factor("gap");
    let mut stepper = Stepper::new(Settings { scheme, gap, ..settings() });
    let mut state = stepper.start(&sample, vec![DVec2::ZERO; n], vec![DVec2::ZERO; n])?;
    let mut all = Vec::new();
    for k in 1..=(until / h).round() as u32 {
        state = stepper.advance(&mut sample, &state, h, |_, _| {})?.0;
        let node = |node: usize, at: f64| NodeRecord {
            time: f64::from(k) * h,
            height: at + state.displacement[node].y,
            speed: state.velocity[node].y,
            acceleration: state.acceleration[node].y,
        };
        all.push([node(0, 0.5), node(top, 2.5)]);
    }
    Ok(all)
}

/// What a disc that is pressed between two plates has, over what Hertz has for the force found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PressedDisc {
    /// Largest pressure over 2 F / π a.
    pub peak: f64,
    /// Approach of a plate to the middle, over (1 - ν²) F / π E (2 ln(4 R / a) - 1): Johnson (1985), eq. (5.57).
    pub approach: f64,
    /// Root mean square of pressures less those of the ellipse, over the largest.
    pub ellipse: f64,
    /// Half of the width of contact, over the radius.
    pub width: f64,
}

/// A disc of radius 1 between two plates that come closer by `depth` each.
pub fn pressed_disc(spacing: f64, depth: f64, stiffer: f64) -> Result<PressedDisc> {
    let (modulus, ratio) = (1e6, 0.3);
    let law =
        Elasticity::new(ElasticLaw::SaintVenantKirchhoff, PlaneCondition::Strain, stiffer * modulus, ratio)?;
    let grain = disc(DVec2::ZERO, spacing, 0.1, law, 1000.0, Damping::default())?;
    let wall = |side: f64| StraightWall::new(DVec2::new(0.0, side * (1.0 - depth)), DVec2::new(0.0, -side));
    let mut sample =
        Sample::new(vec![grain], vec![wall(-1.0), wall(1.0)], DVec2::ZERO).ok_or(WorkloadError::NoTangent)?;
    let n = sample.nodes();
    // The lowest and the highest node stay in the middle: nothing else keeps the disc from rolling away.
    let top = sample.grains[0].filling.boundary / 2;
    sample.held = vec![0, 2 * top];
    let zero = vec![DVec2::ZERO; n];
    let state = NodalState {
        displacement: zero.clone(),
        velocity: zero.clone(),
        acceleration: zero,
        watches: Vec::new(),
    };
    let settings = Settings { residual: 1e-11, gap: 1e-9, stiffness: 1e7, reach: 0.3, ..settings() };
    let (state, _) = Stepper::new(settings).rest(&sample, &state)?;
    let positions = sample.positions(&state.displacement);
    // Pressures on the lower plate, and the length that each stands for.
    let boundary = sample.grains[0].filling.boundary;
    let mut pressures = Vec::new();
    let mut force = 0.0;
    for watch in state.watches.iter().filter(|w| w.partner == NodePartner::Wall(0) && w.hold.pressure > 0.0) {
        let at = watch.node as usize;
        let (before, after) = (positions[(at + boundary - 1) % boundary], positions[(at + 1) % boundary]);
        let x = positions[at];
        force += watch.hold.pressure * 0.5 * (x.distance(before) + after.distance(x));
        pressures.push((x.x, watch.hold.pressure));
    }
    // Half of the width by Hertz, a² = 4 F R / π E*.
    let plane = modulus / (1.0 - ratio * ratio);
    let half = (4.0 * force / (PI * plane)).sqrt();
    let peak = 2.0 * force / (PI * half);
    let largest = pressures.iter().map(|p| p.1).fold(0.0, f64::max);
    let hertz = |x: f64| peak * (1.0 - (x / half).powi(2)).max(0.0).sqrt();
    let off: f64 = pressures.iter().map(|(x, p)| (p - hertz(*x)).powi(2)).sum();
    Ok(PressedDisc {
        peak: largest / peak,
        approach: depth / (force / (PI * plane) * (2.0 * (4.0 / half).ln() - 1.0)),
        ellipse: (off / pressures.len() as f64).sqrt() / peak,
        width: half,
    })
}

/// The grains of example 2 of the paper (Table I) in a box of four walls, as they are at the start: sand-like, `count` of them, mean
/// diameter 17.6 m, about 97 nodes each. The paper gives neither the box nor gravity: half of the box is filled, and the weight of
/// as many grains as lie above each other presses with some per cent of the modulus.
pub fn sand_box(count: usize, seed: u64) -> Result<(Sample, Settings)> {
    // The root of the mean square of diameters: their mean is 17.6 m with a spread of 3.3.
    let (diameter, solid, gravity) = (17.93, 0.5, 0.13);
    let side = (count as f64 * PI * diameter * diameter / (4.0 * solid)).sqrt();
    let sand = Sand {
        count,
        size: DVec2::splat(side),
        solid,
        elongation: 0.1,
        angularity: 0.05,
        roughness: 0.01,
        evenness: 2,
        seed,
    };
    let law = Elasticity::new(ElasticLaw::SaintVenantKirchhoff, PlaneCondition::Strain, 1e3, 0.49)?;
    let grains = packing::sand(&sand)?
        .par_iter()
        .map(|outline| {
            // The nodes and triangles of Table I leave 2,878 nodes for the outlines of a hundred grains: inside they are closer.
            let filling = fill(outline, Density { spacing: outline.length() / 28.8, grading: -0.07 })?;
            let bulk = Bulk::new(&filling, law, 1.0, shape::Interpolation::Radial)?;
            Ok(SampleGrain { filling, bulk, damping: PAPER_DAMPING, material: 0 })
        })
        .collect::<Result<Vec<_>>>()?;
    let wall = |x: f64, y: f64, normal: DVec2| StraightWall::new(DVec2::new(x, y), normal);
    let walls = vec![
        wall(0.0, 0.0, DVec2::Y),
        wall(0.0, 0.0, DVec2::X),
        wall(side, 0.0, -DVec2::X),
        wall(0.0, side, -DVec2::Y),
    ];
    let sample = Sample::new(grains, walls, DVec2::new(0.0, -gravity)).ok_or(WorkloadError::NoTangent)?;
    let settings = Settings { gap: 1e-6, stiffness: 1e4, reach: 1.5, ..settings() };
    Ok((sample, settings))
}
