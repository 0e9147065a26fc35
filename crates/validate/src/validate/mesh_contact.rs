//! `mesh-contact`: spheres on surfaces of triangles, against planes and against themselves at half the step.

use glam::DVec3;
use rubblepile_core::{Fields, Material, Measure, Method, Report, Surface, Wall, World, wall::Plane};
use rubblepile_geometry::mesh::{
    Axes, SurfaceTree, asteroid,
    make::{Form, Relief, body, terrain},
};
use rubblepile_gravity::Uniform;
use rubblepile_soft::{STEPS_PER_CONTACT, Settings, SoftSpheres, shortest_contact_time};

use super::ValidateRow;
use crate::{
    cases::{Case, CaseError, Options, Rows, Wrong},
    claims::{Claim, Paper, Verdict},
};

pub struct MeshContact;

const CASE: &str = "mesh-contact";

const PAPER: Paper = Paper::AsteroidSurface2024;
const SHARES: Claim = Claim {
    paper: PAPER,
    item: "eq. (6) and figure 7",
    what: "contact with triangles by their share of the contact circle: a plane of triangles is a plane",
    verdict: Verdict::Reproduced { tolerance: "1e-9 and 1e-8: shares sum to 1, summed with rounding" },
};
const CONTINUOUS: Claim = Claim {
    paper: PAPER,
    item: "section 2.3, edges",
    what: "the force stays smooth as a grain crosses the edge of a triangle",
    verdict: Verdict::Reproduced {
        tolerance: "0.1 around 1/4: jumps at a quarter of the step, where a discontinuous force gives 1",
    },
};
const DETECTION: Claim = Claim {
    paper: PAPER,
    item: "eq. (5) and figure 6",
    what: "which triangles a grain may touch, by a grid in longitude and latitude, for convex bodies",
    verdict: Verdict::NotAttempted { why: "a tree of boxes finds them for any closed surface" },
};

fn material() -> Material {
    Material {
        name: "rock".into(),
        density: 2500.0,
        restitution_normal: 0.55,
        restitution_tangential: 0.55,
        friction_sliding: 0.5,
        friction_rolling: 1.05,
        friction_twisting: 1.3,
        shape: 0.1,
        ..Material::default()
    }
}

fn settings() -> Settings {
    Settings { max_speed: Some(1.0.into()), ..Settings::default() }
}

fn world(radius: f64) -> Result<World, CaseError> {
    let mut world = World::new(1.0);
    world.materials = vec![material()];
    world.groups = vec!["ball".into()];
    world.bodies.push_sphere(DVec3::ZERO, radius, 2500.0, 0, 0);
    let shortest = shortest_contact_time(&world, &settings()).ok_or("no contact time")?;
    world.clock.timestep = shortest.seconds / STEPS_PER_CONTACT;
    Ok(world)
}

/// A ball that is thrown at a slant onto a wall, or onto a block with so many triangles, bounces, slides and rolls.
fn thrown(triangles: Option<u32>, seconds: f64, wrong: &Wrong) -> Result<World, CaseError> {
    let mut world = world(0.2)?;
    match triangles {
        None => {
            let floor = Surface::Plane(Plane { point: DVec3::ZERO, normal: DVec3::Z });
            world.walls.push(Wall::new(0, "floor", 0, floor));
        }
        Some(n) => {
            let mut block = asteroid(terrain(10.0, n, -5.0, |_, _| 0.0), 3000.0, Axes::Given);
            block.fixed = true;
            world.asteroids.push(block);
            world.materials[0].friction_sliding *= wrong.factor("friction");
        }
    }
    world.bodies.position[0] = DVec3::new(-1.03, -0.77, 0.3);
    world.bodies.velocity[0] = DVec3::new(0.5, 0.31, -0.4);
    world.bodies.spin[0] = DVec3::new(1.0, -2.0, 3.0);
    let mut fields = Fields { list: vec![Box::new(Uniform { acceleration: -0.8 * DVec3::Z })] };
    let mut method = SoftSpheres::new(settings());
    method.advance(&mut world, &mut fields, seconds, &mut Report::new(Measure::ALL))?;
    Ok(world)
}

/// The force on a sphere that is held at places along an arc over a bumpy body, N.
fn dragged(steps: usize, wrong: &Wrong) -> Result<Vec<DVec3>, CaseError> {
    let relief = Relief { boulders: 60, boulder_radius: [0.4, 1.5], roughness: 0.05, ..Relief::default() };
    let mesh = body(Form::Ellipsoid { axes: DVec3::splat(10.0) }, &relief, 5000, 5);
    let tree = SurfaceTree::new(&mesh);
    let radius = 0.3;
    let mut world = world(radius)?;
    let mut ground = asteroid(mesh, 2000.0, Axes::Given);
    ground.fixed = true;
    world.asteroids.push(ground);
    // Some 3 % deep on the smooth path that follows the ground at a distance.
    let mut method = SoftSpheres::new(Settings { deepest_overlap: f64::INFINITY.into(), ..settings() });
    let mut found = Vec::with_capacity(steps);
    let coarse: Vec<f64> = (0..=40).map(|k| ground_height(&tree, angle(k as f64 / 40.0))).collect();
    for k in 0..steps {
        let t = k as f64 / steps as f64;
        let (i, part) = ((40.0 * t) as usize, (40.0 * t).fract());
        let smooth = part * part * (3.0 - 2.0 * part);
        let height = coarse[i] + (coarse[i + 1] - coarse[i]) * smooth;
        world.bodies.position[0] = (height + 0.97 * radius) * angle(t);
        method.forget();
        let force = match method.contacts(&world) {
            Ok(contacts) => {
                let largest = contacts
                    .iter()
                    .map(|c| c.force)
                    .fold(DVec3::ZERO, |a, b| if b.length_squared() > a.length_squared() { b } else { a });
                let all: DVec3 = contacts.iter().map(|c| c.force).sum();
                // A factor of 0 leaves the facet that pushes most.
                largest + wrong.factor("other_facets") * (all - largest)
            }
            // Where a boulder stands in the way the sphere is inside it: no place to look at.
            Err(rubblepile_core::Error::Inside { .. }) => DVec3::NAN,
            Err(e) => return Err(e.into()),
        };
        found.push(force);
    }
    Ok(found)
}

/// A direction along the arc.
fn angle(t: f64) -> DVec3 {
    let a = 2.0 * t;
    DVec3::new(a.cos(), a.sin() * 0.9, 0.3 * a.sin() + 0.2).normalize()
}

fn ground_height(tree: &SurfaceTree, way: DVec3) -> f64 {
    tree.ray(20.0 * way, -way).map_or(10.0, |(distance, _)| 20.0 - distance)
}

impl Case for MeshContact {
    type Row = ValidateRow;

    fn name(&self) -> &'static str {
        CASE
    }

    fn about(&self) -> &'static str {
        "spheres on triangles: a plane of them is a plane, and forces do not jump at edges"
    }

    fn claims(&self) -> &'static [Claim] {
        &[SHARES, CONTINUOUS, DETECTION]
    }

    fn wrongs(&self) -> &'static [&'static str] {
        &["friction", "other_facets"]
    }

    fn run(&self, options: &Options, rows: &Rows<ValidateRow>) -> Result<(), CaseError> {
        let wrong = &options.wrong;
        let seconds = if options.full { 20.0 } else { 6.0 };
        let wall = thrown(None, seconds, wrong)?;
        for n in [1, 70] {
            let mesh = thrown(Some(n), seconds, wrong)?;
            let label = |what: &str| format!("plane of {} triangles: {what}", 2 * n * n);
            let apart = |a: DVec3, b: DVec3| (a - b).length();
            let (own, flat) = (&mesh.bodies, &wall.bodies);
            let place = apart(own.position[0], flat.position[0]);
            rows.push(SHARES.row(CASE, label("place after bounces and rolling, m"), 0.0, place, 1e-9));
            let spin = apart(own.spin[0], flat.spin[0]);
            rows.push(SHARES.row(CASE, label("spin, rad/s"), 0.0, spin, 1e-9));
            let heat = mesh.dissipation.total() / wall.dissipation.total();
            rows.push(SHARES.row(CASE, label("heat over that on a wall"), 1.0, heat, 1e-8));
        }
        // Dragged over edges and corners: a force that jumped would jump as much at half the step.
        let largest = |forces: &[DVec3]| {
            let jumps = forces.windows(2).map(|w| (w[1] - w[0]).length()).filter(|d| d.is_finite());
            jumps.fold(0.0, f64::max)
        };
        let typical = |forces: &[DVec3]| {
            let sizes = forces.iter().map(|f| f.length()).filter(|f| f.is_finite());
            sizes.fold(0.0, f64::max)
        };
        let mut last: Option<f64> = None;
        for steps in if options.full { [20_000, 80_000, 320_000] } else { [5000, 20_000, 80_000] } {
            let forces = dragged(steps, wrong)?;
            let jump = largest(&forces) / typical(&forces);
            if let Some(before) = last {
                let what = format!(
                    "dragged over a bumpy body in {steps} steps: largest jump over that at four times the step"
                );
                rows.push(CONTINUOUS.row(CASE, what, 0.25, jump / before, 0.1));
            }
            last = Some(jump);
        }
        Ok(())
    }
}
