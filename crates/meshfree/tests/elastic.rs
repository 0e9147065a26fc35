//! Grains at rest against the theory of elasticity.

use glam::DVec2;
use rubblepile_meshfree::{
    bulk::{Bulk, edge_load},
    fill::{Density, Filling, fill},
    law::{Kind, Law, Plane},
    outline::Outline,
    sample::{Grain, Sample},
    shape,
    step::{Scheme, Settings, State, Stepper},
};

fn settings() -> Settings {
    Settings {
        scheme: Scheme::Composite,
        residual: 1e-11,
        gap: 1e-9,
        stiffness: 1e8,
        growth: 2.0,
        newton: 30,
        augmentations: 5,
        reach: 0.1,
    }
}

fn sample(filling: &Filling, law: Law, kind: shape::Kind) -> Sample {
    let bulk = Bulk::new(filling, law, 1.0, kind).unwrap();
    let grain = Grain { filling: filling.clone(), bulk, damping: (0.0, 0.0) };
    Sample::new(vec![grain], Vec::new(), DVec2::ZERO).unwrap()
}

fn rest(sample: &Sample, displacement: Vec<DVec2>) -> Vec<DVec2> {
    let zero = vec![DVec2::ZERO; displacement.len()];
    let state = State { displacement, velocity: zero.clone(), acceleration: zero, watches: Vec::new() };
    Stepper::new(settings()).rest(sample, &state).unwrap().0.displacement
}

fn filled(corners: &[[f64; 2]], spacing: f64) -> Filling {
    let corners: Vec<DVec2> = corners.iter().map(|c| DVec2::from_array(*c)).collect();
    fill(&Outline::new(&corners).unwrap(), Density { spacing, grading: 0.0 }).unwrap()
}

/// A grain under the tractions of a stress that is the same everywhere: how far its nodes are from the linear field that belongs
/// to it, over its size. Three of their coordinates are held.
fn patch(spacing: f64, kind: shape::Kind) -> f64 {
    let filling = filled(&[[0.0, 0.0], [1.0, 0.0], [1.1, 0.9], [0.2, 1.0]], spacing);
    let (modulus, ratio) = (1000.0, 0.3);
    let law = Law::new(Kind::SaintVenantKirchhoff, Plane::Stress, modulus, ratio).unwrap();
    let mut sample = sample(&filling, law, kind);
    // The gradient of deformation, and the stress that its law has for it.
    let f = [1.01, 0.02, -0.005, 0.98];
    let p = law.respond(f).unwrap().stress;
    let field = |x: &DVec2| DVec2::new((f[0] - 1.0) * x.x + f[1] * x.y, f[2] * x.x + (f[3] - 1.0) * x.y);
    let traction = |_: DVec2, n: DVec2| DVec2::new(p[0] * n.x + p[1] * n.y, p[2] * n.x + p[3] * n.y);
    sample.load = edge_load(&filling, kind, traction).unwrap();
    let far =
        (1..filling.boundary).max_by(|a, b| filling.nodes[*a].x.total_cmp(&filling.nodes[*b].x)).unwrap();
    sample.held = vec![0, 1, 2 * far + 1];
    let mut start = vec![DVec2::ZERO; filling.nodes.len()];
    start[far].y = field(&filling.nodes[far]).y;
    let found = rest(&sample, start);
    // Least squares do not pass through the values at nodes, but a linear field is its own values.
    let off = found.iter().zip(&filling.nodes).map(|(u, x)| u.distance(field(x))).fold(0.0, f64::max);
    off / 0.02
}

#[test]
fn patch_test() {
    for kind in [shape::Kind::Radial, shape::Kind::LeastSquares] {
        for spacing in [0.2, 0.1, 0.05] {
            let off = patch(spacing, kind);
            assert!(off < 1e-9, "{kind:?} {spacing}: {off:e}");
        }
    }
}

/// A beam of Timoshenko: length 48, height 12, at its end a parabola of shear; relative error of the deflection there.
fn beam(spacing: f64) -> f64 {
    let (length, height, load, modulus, ratio) = (48.0, 12.0, -100.0, 3e7, 0.3);
    let inertia = height * height * height / 12.0;
    let filling = filled(&[[0.0, -6.0], [length, -6.0], [length, 6.0], [0.0, 6.0]], spacing);
    let law = Law::new(Kind::SaintVenantKirchhoff, Plane::Stress, modulus, ratio).unwrap();
    let mut sample = sample(&filling, law, shape::Kind::Radial);
    // Timoshenko and Goodier (1970), section 21.
    let exact = |x: DVec2| {
        let (x, y) = (x.x, x.y);
        let c = load / (6.0 * modulus * inertia);
        let h = height * height / 4.0;
        DVec2::new(
            -c * y * ((6.0 * length - 3.0 * x) * x + (2.0 + ratio) * (y * y - h)),
            c * (3.0 * ratio * y * y * (length - x)
                + (4.0 + 5.0 * ratio) * h * x
                + (3.0 * length - x) * x * x),
        )
    };
    // Stresses of that solution: bending, and a parabola of shear.
    let traction = |x: DVec2, normal: DVec2| {
        let bending = load * (length - x.x) * x.y / inertia;
        let shear = load / (2.0 * inertia) * (x.y * x.y - height * height / 4.0);
        DVec2::new(-bending * normal.x - shear * normal.y, -shear * normal.x)
    };
    sample.load = edge_load(&filling, shape::Kind::Radial, traction).unwrap();
    // Three coordinates are held where they are to be.
    let near = |place: DVec2| {
        let distance = |k: usize| filling.nodes[k].distance(place);
        (0..filling.boundary).min_by(|a, b| distance(*a).total_cmp(&distance(*b))).unwrap()
    };
    let (low, high) = (near(DVec2::new(0.0, -6.0)), near(DVec2::new(0.0, 6.0)));
    sample.held = vec![2 * low, 2 * low + 1, 2 * high];
    let mut start = vec![DVec2::ZERO; filling.nodes.len()];
    start[low] = exact(filling.nodes[low]);
    start[high].x = exact(filling.nodes[high]).x;
    let found = rest(&sample, start);
    let square = |pairs: &mut dyn Iterator<Item = (DVec2, DVec2)>| {
        pairs.map(|(a, b)| a.distance_squared(b)).sum::<f64>().sqrt()
    };
    let off = square(&mut found.iter().zip(&filling.nodes).map(|(u, x)| (*u, exact(*x))));
    off / square(&mut filling.nodes.iter().map(|x| (DVec2::ZERO, exact(*x))))
}

#[test]
fn cantilever() {
    // The functions begin with a small step at the edge of their domains (eq. 2), which does not become less with the spacing.
    for (spacing, most) in [(4.0, 1e-2), (2.0, 3e-3), (1.0, 2e-3)] {
        let off = beam(spacing);
        assert!(off < most, "{spacing}: {off:e}");
    }
}
