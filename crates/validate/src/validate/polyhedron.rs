//! `polyhedron`: the gravity of homogeneous polyhedra, against closed forms and a sum in higher precision; and by groups of
//! facets against the exact sum.

use std::{f64::consts::PI, path::Path};

use glam::DVec3;
use rubblepile_core::Rng;
use rubblepile_geometry::mesh::{Mesh, SurfaceTree, make::geodesic, mass};
use rubblepile_gravity::polyhedron::{Polyhedron, PolyhedronTree};
use rubblepile_io::generate::surface;

use super::ValidateRow;
use crate::{
    cases::{Case, CaseError, Options, Rows},
    claims::{Claim, Paper, Verdict},
};

pub struct Gravity;

const CASE: &str = "polyhedron";
/// From the folder of the project.
pub const SHAPES: &str = "../shared/shapes";

const PAPER: Paper = Paper::AsteroidSurface2024;
const SUM: Claim = Claim {
    paper: PAPER,
    item: "eqs (7)-(12), appendix A",
    what: "potential and acceleration of a polyhedron, summed over edges and facets",
    verdict: Verdict::Reproduced { tolerance: "1e-11, against the same sums with 80 bits" },
};
const GROUPS: Claim = Claim {
    paper: PAPER,
    item: "section 2.4, speed",
    what: "the sum on a graphics card, tile by tile",
    verdict: Verdict::Partly {
        tolerance: "groups of facets instead, within the error that is asked for",
        missing: "a graphics card: the paper gives no times for this part",
    },
};
const OVERLAP: Claim = Claim {
    paper: PAPER,
    item: "figure 8 and abstract",
    what: "gravity of the asteroid on a graphics card while contacts are on the processor: nearly twice as fast",
    verdict: Verdict::NotAttempted { why: "no method uses a graphics card yet" },
};

/// A bumpy body of 20 f^2 facets and unit size; the workload of `bench polyhedron-exact`.
pub fn bumpy(parts: usize) -> Mesh {
    let mut mesh = geodesic(parts);
    for u in &mut mesh.vertices {
        *u *= radius(*u);
    }
    mesh
}

pub fn radius(u: DVec3) -> f64 {
    let DVec3 { x, y, z } = u;
    1.0 + 0.10 * x * y + 0.06 * (3.0 * z * z - 1.0) / 2.0 + 0.05 * x * z * (x * x - y * y) + 0.04 * x * x * x
}

pub fn polyhedron(mesh: &Mesh) -> Result<Polyhedron, CaseError> {
    Polyhedron::new(&mesh.vertices, &mesh.triangles).map_err(|e| format!("{e:?}").into())
}

/// Parts, point, potential and acceleration of the bumpy body, summed with 80 bits.
const REFERENCE: [(usize, DVec3, f64, DVec3); 6] = [
    (
        7,
        DVec3::new(0.04747987432137503, 0.0, 1.0608858378123887),
        4.049795389241658,
        DVec3::new(-0.13358489826066847, 0.01056331322516842, -4.059332337690267),
    ),
    (
        7,
        DVec3::new(0.25825405339943414, 1.0647716846917392, -0.9150095771863543),
        2.9380759497912305,
        DVec3::new(-0.3192181507340118, -1.5915143593582737, 1.308396389324105),
    ),
    (
        22,
        DVec3::new(0.04747987432137503, 0.0, 1.0608858378123887),
        4.094521159409765,
        DVec3::new(-0.1359524253767993, 0.01157576915052648, -4.115437138954821),
    ),
    (
        22,
        DVec3::new(0.6471168464633634, -0.7027544636152643, 0.3215442026614113),
        4.0719766522823075,
        DVec3::new(-2.3878369721228285, 2.7359775037163274, -1.0593796268470614),
    ),
    (
        71,
        DVec3::new(0.6471168464633634, -0.7027544636152643, 0.3215442026614113),
        4.076041388433139,
        DVec3::new(-2.3898055323004392, 2.7385519354043417, -1.0599435946070728),
    ),
    (
        71,
        DVec3::new(0.25825405339943414, 1.0647716846917392, -0.9150095771863543),
        2.9720535509004735,
        DVec3::new(-0.3220983593196784, -1.6107536255574144, 1.3233518928029695),
    ),
];

impl Case for Gravity {
    type Row = ValidateRow;

    fn name(&self) -> &'static str {
        CASE
    }

    fn about(&self) -> &'static str {
        "gravity of a polyhedron: a sphere, a sum in higher precision, Laplace's equation, the tree of facets"
    }

    fn claims(&self) -> &'static [Claim] {
        &[SUM, GROUPS, OVERLAP]
    }

    fn wrongs(&self) -> &'static [&'static str] {
        &["size", "acceleration", "target", "points"]
    }

    fn run(&self, options: &Options, rows: &Rows<ValidateRow>) -> Result<(), CaseError> {
        let wrong = &options.wrong;
        // References, and which side of the surface a point is on, are of the body as it should be.
        let polyhedron = |mesh: &Mesh| {
            let mut wrong_size = mesh.clone();
            wrong_size.vertices.iter_mut().for_each(|v| *v *= wrong.factor("size"));
            polyhedron(&wrong_size)
        };
        let push = |what: String, reference: f64, ours: f64, tolerance: f64, source: &str| {
            rows.push(ValidateRow::new(CASE, what, reference, ours, tolerance, source));
        };
        for parts in [7, 22, 71] {
            let body = polyhedron(&bumpy(parts))?;
            let (mut potential, mut acceleration) = (0.0f64, 0.0f64);
            for (_, at, u, a) in REFERENCE.iter().filter(|r| r.0 == parts) {
                let pull = body.pull(&[*at])[0];
                potential = potential.max((pull.potential / u - 1.0).abs());
                acceleration = acceleration.max(pull.acceleration.distance(*a) / a.length());
            }
            for (what, error) in [("potential", potential), ("acceleration", acceleration)] {
                let quantity = format!("{} facets: {what}, relative error", body.facets());
                rows.push(SUM.row(CASE, quantity, 0.0, error, 1e-11));
            }
        }
        // A sphere of facets has less volume than its own; scaled to the same it is a sphere to second order in the size
        // of a facet.
        for (parts, tolerance) in [(8, 2e-3), (32, 1.3e-4)] {
            let mesh = geodesic(parts);
            let volume = mass(&mesh).volume;
            let at = [DVec3::new(1.2, -0.4, 0.7), DVec3::new(0.1, 0.3, -0.2)];
            let pulls = polyhedron(&mesh)?.pull(&at);
            let outside = pulls[0].acceleration.length() * at[0].length_squared() / volume;
            push(
                format!("sphere of {} facets, outside", mesh.triangles.len()),
                1.0,
                outside,
                tolerance,
                "Newton",
            );
            let inside = wrong.factor("acceleration") * pulls[1].acceleration.length()
                / (4.0 / 3.0 * PI * at[1].length());
            push(
                format!("sphere of {} facets, inside", mesh.triangles.len()),
                1.0,
                inside,
                tolerance,
                "Newton",
            );
        }
        // Random points near and far, inside and outside: Laplace and Poisson, no curl, and the acceleration is the gradient
        // of the potential.
        let mesh = bumpy(if options.full { 71 } else { 22 });
        let (body, tree) = (polyhedron(&mesh)?, SurfaceTree::new(&mesh));
        let mut rng = Rng::new(1);
        let points: Vec<DVec3> = (0..1000).map(|_| rng.range(0.2, 2.0) * rng.direction()).collect();
        let (mut laplacian, mut trace, mut slope) = (0.0f64, 0.0f64, 0.0f64);
        const H: f64 = 1e-5;
        for (at, pull) in points.iter().zip(body.pull(&points)) {
            let gap = tree.nearest(*at).map_or(f64::NAN, |near| near.distance);
            let expected = if gap < 0.0 { -4.0 * PI } else { 0.0 };
            laplacian = laplacian.max((pull.laplacian - expected).abs());
            trace = trace.max(((0..3).map(|k| pull.gradient.col(k)[k]).sum::<f64>() - expected).abs());
            if gap.abs() > 0.02 {
                let around: Vec<DVec3> =
                    DVec3::AXES.iter().flat_map(|e| [*at + H * *e, *at - H * *e]).collect();
                let pulls = body.pull(&around);
                let difference = |k: usize| (pulls[2 * k].potential - pulls[2 * k + 1].potential) / (2.0 * H);
                let found = DVec3::new(difference(0), difference(1), difference(2));
                slope = slope.max(found.distance(wrong.factor("acceleration") * pull.acceleration));
            }
        }
        push("Laplacian, largest error at 1000 points".into(), 0.0, laplacian, 1e-10, "Poisson's equation");
        push("trace of the gradient, largest error".into(), 0.0, trace, 1e-10, "Poisson's equation");
        // Differences over 2e-5 of a potential known to 1e-14: 1e-9, and h^2 times a third derivative.
        push("acceleration less the slope of the potential".into(), 0.0, slope, 1e-7, "a = grad U");
        // On vertices, edges and facets themselves: finite, and what it is on either side.
        let mut places: Vec<DVec3> = mesh.vertices.clone();
        for k in 0..mesh.triangles.len() {
            let [a, b, c] = mesh.corners(k);
            places.extend([0.5 * (a + b), (a + b + c) / 3.0]);
        }
        let pull = |by: f64| body.pull(&places.iter().map(|x| by * *x).collect::<Vec<_>>());
        let (on, above, below) = (pull(wrong.factor("points")), pull(1.0 + 1e-9), pull(1.0 - 1e-9));
        let step = on.iter().zip(above.iter().zip(&below)).map(|(on, (above, below))| {
            let mean = 0.5 * (above.acceleration + below.acceleration);
            let step = on.acceleration.distance(mean) / mean.length();
            if step.is_finite() && on.potential.is_finite() && on.gradient.is_finite() {
                step
            } else {
                f64::INFINITY
            }
        });
        // Its gradient jumps by 4 pi, and is infinite at edges as a logarithm.
        let what = format!("{} points of the surface: acceleration less the mean beside them", places.len());
        rows.push(SUM.row(CASE, what, 0.0, step.fold(0.0, f64::max), 1e-7));
        let compare = |name: &str, mesh: &Mesh, points: usize, target: f64| -> Result<(), CaseError> {
            let body = polyhedron(mesh)?;
            let points = everywhere(mesh, points);
            let (a, u) = grouped_errors(&body, wrong.factor("target") * target, &points);
            let facets = body.facets();
            let what = format!("{name}, {facets} facets, {} points, in groups", points.len());
            for (quantity, error) in [("acceleration", a), ("potential", u)] {
                let quantity = format!("{what}: {quantity}, largest relative error");
                rows.push(GROUPS.row(CASE, quantity, 0.0, error, target));
            }
            Ok(())
        };
        compare("bumpy body", &bumpy(22), 20_000, 1e-6)?;
        compare("bumpy body", &bumpy(22), 5_000, 1e-4)?;
        compare("bumpy body", &bumpy(71), 2_000, 1e-6)?;
        if options.full {
            // Shape models are data that users bring; without them there are no rows.
            for (name, file) in
                [("Eros", "eros-14744.obj"), ("Itokawa", "itokawa-16220.obj"), ("67P", "67p-18294.obj")]
            {
                let Ok(text) = std::fs::read_to_string(Path::new(SHAPES).join(file)) else { continue };
                let mesh = surface::read(&text).map_err(|fault| format!("{file}: {}", fault.message))?;
                compare(name, &mesh, 100_000, 1e-6)?;
            }
        }
        Ok(())
    }
}

/// Points on corners, edges and facets, close to them on either side, inside, and around to thirty times the size.
fn everywhere(mesh: &Mesh, count: usize) -> Vec<DVec3> {
    let mut rng = Rng::new(2);
    let size = mesh.vertices.iter().map(|v| v.length()).fold(0.0, f64::max);
    (0..count)
        .map(|k| {
            let facet = (rng.uniform() * mesh.triangles.len() as f64) as usize;
            let [a, b, c] = mesh.corners(facet.min(mesh.triangles.len() - 1));
            let (s, t) = (rng.uniform().sqrt(), rng.uniform());
            let on = a + s * ((1.0 - t) * (b - a) + t * (c - a));
            let gap = size * 10f64.powf(rng.range(-9.0, -0.5)) * rng.direction();
            match k % 8 {
                0 => on,
                1 => a,
                2 => a + t * (b - a),
                3 | 4 => on + gap,
                5 => rng.uniform() * on,
                6 => size * rng.range(0.0, 2.0) * rng.direction(),
                _ => size * 10f64.powf(rng.range(0.0, 1.5)) * rng.direction(),
            }
        })
        .collect()
}

/// The largest relative errors of acceleration and potential.
fn grouped_errors(body: &Polyhedron, target: f64, points: &[DVec3]) -> (f64, f64) {
    let found = PolyhedronTree::new(body, target).potentials(points);
    let exact = body.pull(points);
    found.iter().zip(&exact).fold((0.0, 0.0), |(a, u), (found, exact)| {
        let here = found.1.distance(exact.acceleration) / exact.acceleration.length();
        // NaN must not pass.
        let worse = |most: f64, x: f64| if x <= most { most } else { x };
        (worse(a, here), worse(u, (found.0 / exact.potential - 1.0).abs()))
    })
}
