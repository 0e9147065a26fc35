//! What a scenario will be, before it runs: for `rubblepile check`.

use std::{fmt, ops::ControlFlow};

use glam::DVec3;
use rubblepile_core::{
    Advice, Asteroid, Bodies, Convex, Domain, Fields, G, Severity, Shape, ShapeId, Solid, World, text,
};
use rubblepile_meshfree::{Deformable, grains};

use super::{build::Built, grains::BYTES_PER_GRAIN};
use crate::generate::SphereGrid;

/// Overlaps at the start.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Overlaps {
    pub count: usize,
    /// Deepest overlap, in m and over the smaller radius.
    pub deepest: f64,
    pub deepest_part: f64,
    /// Ids of the two grains of the deepest; with a wall, the grain twice.
    pub between: Option<(u64, u64)>,
}

/// Polyhedra and their shapes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Solids {
    pub bodies: usize,
    /// Number of different shapes.
    pub shapes: usize,
    /// Fewest and most vertices of a shape, all parts together.
    pub corners: (usize, usize),
    /// Largest number of parts of a shape.
    pub parts: usize,
}

impl Solids {
    /// `None` where all bodies are spheres.
    pub fn of(shape: &[ShapeId], shapes: &[Shape]) -> Option<Self> {
        let bodies = shape.iter().filter(|&&s| s != 0).count();
        let solids: Vec<_> = shapes.iter().filter_map(Shape::solid).collect();
        let corners = solids.iter().map(|s| s.parts.iter().map(|p| p.vertices.len()).sum::<usize>());
        (bodies > 0).then(|| Solids {
            bodies,
            shapes: solids.len(),
            corners: (corners.clone().min().unwrap_or(0), corners.max().unwrap_or(0)),
            parts: solids.iter().map(|s| s.parts.len()).max().unwrap_or(0),
        })
    }
}

impl fmt::Display for Solids {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (few, most) = self.corners;
        let vertices = if few == most { few.to_string() } else { format!("{few}-{most}") };
        let of = |n: usize, one: &str, many: &str| format!("{n} {}", if n == 1 { one } else { many });
        let each = if self.shapes == 1 { "" } else { " each" };
        let bodies = of(self.bodies, "polyhedron", "polyhedra");
        write!(f, "{bodies} ({}, {vertices} vertices{each}", of(self.shapes, "shape", "shapes"))?;
        if self.parts > 1 {
            write!(f, ", up to {} parts", self.parts)?;
        }
        f.write_str(")")
    }
}

/// Bytes that the shapes take, rough.
fn shape_bytes(shapes: &[Shape]) -> f64 {
    let part = |p: &Convex| 24 * p.vertices.len() + p.faces.iter().map(|f| 40 + 4 * f.len()).sum::<usize>();
    let solid = |s: &std::sync::Arc<Solid>| 200 + s.parts.iter().map(part).sum::<usize>();
    shapes.iter().filter_map(Shape::solid).map(|s| solid(s) as f64).sum()
}

#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    pub title: String,
    pub grains: usize,
    pub groups: Vec<(String, usize)>,
    pub walls: usize,
    /// One line each.
    pub asteroids: Vec<String>,
    /// kg
    pub mass: f64,
    /// Smallest and largest, m.
    pub radii: (f64, f64),
    /// Polyhedra.
    pub solids: Option<Solids>,
    /// Of deformable grains, in words.
    pub deformable: Option<String>,
    /// Radius of the sphere about the centre of mass that holds all grains, m.
    pub extent: f64,
    /// Mass over the volume of that sphere, kg/m^3, where there is self-gravity.
    pub bulk_density: Option<f64>,
    /// From the surface of that sphere, m/s, where there is self-gravity.
    pub escape_speed: Option<f64>,
    /// Of a sphere of that density at rest, s, where there is self-gravity.
    pub free_fall_time: Option<f64>,
    /// Rough, bytes.
    pub memory: f64,
    pub overlaps: Overlaps,
    pub wall_overlaps: Overlaps,
    /// s
    pub end: f64,
    pub advice: Vec<Advice>,
}

fn of_asteroid(asteroid: &Asteroid) -> String {
    let spin = asteroid.spin.length();
    let turns = if spin > 0.0 {
        format!("period {}", text::time(std::f64::consts::TAU / spin))
    } else {
        "not rotating".into()
    };
    format!(
        "`{}`: {} facets, radius {} m, mass {} kg, {turns}",
        asteroid.name,
        asteroid.mesh.triangles.len(),
        text::number(asteroid.radius),
        text::number(asteroid.mass)
    )
}

fn of_deformable(world: &World) -> String {
    let nodes: usize = grains(world).iter().map(|g| g.reference.nodes.len()).sum();
    let outline: usize = grains(world).iter().map(|g| g.reference.boundary).sum();
    let area: f64 = grains(world).iter().map(|g| g.reference.area()).sum();
    format!("{nodes} nodes ({outline} on outlines), area {} m2, depth 1 m", text::number(area))
}

/// Mass, stiffness and tangent of a grain are full matrices; shape functions are some ten thousand numbers.
fn deformable_bytes(grain: &Deformable) -> f64 {
    let n = grain.reference.nodes.len() as f64;
    8.0 * (9.0 * n * n + 1000.0 * n)
}

/// Summarises a world that was built.
pub fn summary(built: &Built) -> Summary {
    let (world, bodies) = (&built.world, &built.world.bodies);
    let mass = bodies.total_mass();
    let area_density = |g: &Deformable| world.materials[g.material as usize].density * g.reference.area();
    let deformable_mass: f64 = grains(world).iter().map(area_density).sum();
    let (centre, _) = bodies.centre_of_mass();
    let extent =
        (0..bodies.len()).map(|k| bodies.position[k].distance(centre) + bodies.radius[k]).fold(0.0, f64::max);
    let fields = built.fields();
    let own = fields.pulls(world).own;
    // Grains on an asteroid are no body of their own.
    let own_gravity = own && extent > 0.0 && world.asteroids.is_empty();
    let bulk = mass / (4.0 / 3.0 * std::f64::consts::PI * extent.powi(3));
    let mut counts = vec![0; world.groups.len()];
    for g in bodies.group.iter().chain(grains(world).iter().map(|g| &g.group)) {
        if let Some(n) = counts.get_mut(*g as usize) {
            *n += 1;
        }
    }
    let radii =
        bodies.radius.iter().fold((f64::INFINITY, 0.0), |(a, b), &r| (f64::min(a, r), f64::max(b, r)));
    let mut advice = built.advice.clone();
    let overlaps = overlaps(bodies, &world.domain);
    let wall_overlaps = wall_overlaps(world, &mut advice);
    warnings(built, &fields, &overlaps, &wall_overlaps, &mut advice);
    Summary {
        title: built.title.clone(),
        grains: world.grain_count(),
        groups: world.groups.iter().cloned().zip(counts).collect(),
        walls: world.walls.len(),
        asteroids: world.asteroids.iter().map(of_asteroid).collect(),
        mass: mass + deformable_mass,
        radii: if bodies.is_empty() { (0.0, 0.0) } else { radii },
        solids: Solids::of(&bodies.shape, &world.shapes),
        deformable: (!grains(world).is_empty()).then(|| of_deformable(world)),
        extent,
        bulk_density: own_gravity.then_some(bulk),
        escape_speed: own_gravity.then(|| (2.0 * G * mass / extent).sqrt()),
        free_fall_time: own_gravity.then(|| (3.0 * std::f64::consts::PI / (32.0 * G * bulk)).sqrt()),
        memory: bodies.len() as f64 * BYTES_PER_GRAIN
            + fields.list.iter().map(|f| f.memory(bodies.len())).sum::<f64>()
            + shape_bytes(&world.shapes)
            + grains(world).iter().map(deformable_bytes).sum::<f64>(),
        overlaps,
        wall_overlaps,
        end: built.end,
        advice,
    }
}

/// Contacts by less than this part of the smaller radius are grains that touch, to rounding.
const TOUCH: f64 = 1e-9;

impl Overlaps {
    fn add(&mut self, depth: f64, radius: f64, between: (u64, u64)) {
        let part = depth / radius;
        if part <= TOUCH {
            return;
        }
        self.count += 1;
        if part > self.deepest_part {
            (self.deepest, self.deepest_part, self.between) = (depth, part, Some(between));
        }
    }
}

/// Overlaps of spheres with each other.
pub fn overlaps(bodies: &Bodies, domain: &Domain) -> Overlaps {
    let largest = bodies.radius.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    // The largest first: a grain then looks only among those of its size and larger. Of one size, neighbours
    // follow each other, so that the cells they search are still in the cache.
    let key = |k: u32| {
        let (x, r) = (bodies.position[k as usize], bodies.radius[k as usize]);
        let class = (largest / r).log2().floor();
        let cell = 2.0 * largest * (-class).exp2();
        (class as i32, (x.z / cell) as i64, (x.y / cell) as i64, (x.x / cell) as i64, k)
    };
    let mut order: Vec<u32> = (0..bodies.len() as u32).collect();
    order.sort_by_cached_key(|&k| key(k));
    let mut grid = SphereGrid::new(*domain, largest);
    let mut overlaps = Overlaps::default();
    for &k in &order {
        let (x, r) = (bodies.position[k as usize], bodies.radius[k as usize]);
        let _ = grid.near(x, r, 0.0, |other, gap| {
            // Circumscribed spheres that overlap say nothing of what is inside.
            if bodies.shape[k as usize] != 0 || bodies.shape[other as usize] != 0 {
                return ControlFlow::Continue(());
            }
            let (a, b) = (bodies.id[k as usize], bodies.id[other as usize]);
            overlaps.add(-gap, r.min(bodies.radius[other as usize]), (a.min(b), a.max(b)));
            ControlFlow::Continue(())
        });
        grid.insert(x, r, k);
    }
    overlaps
}

/// Past this many pairs of a grain and a wall the check would take longer than a minute's patience.
const MOST_WALL_PAIRS: usize = 500_000_000;

fn wall_overlaps(world: &World, advice: &mut Vec<Advice>) -> Overlaps {
    let mut overlaps = Overlaps::default();
    let bodies = &world.bodies;
    if world.walls.len().saturating_mul(bodies.len()) > MOST_WALL_PAIRS {
        advice.push(Advice::note("initial overlaps were not checked: there are too many grains and walls"));
        return overlaps;
    }
    for wall in &world.walls {
        let pose = wall.pose(0.0);
        let mut outside: Option<(u64, usize)> = None;
        for k in 0..bodies.len() {
            let distance = wall.surface.distance(pose.to_local(bodies.position[k]));
            if distance < 0.0 {
                let (_, n) = outside.get_or_insert((bodies.id[k], 0));
                *n += 1;
            } else {
                let depth = match world.solid(k) {
                    None => bodies.radius[k] - distance,
                    Some(_) if bodies.radius[k] <= distance => continue,
                    Some(solid) => {
                        let corners = solid.vertices_at(bodies.position[k], bodies.orientation[k]);
                        wall.surface.depth(&mut corners.map(|x| pose.to_local(x)))
                    }
                };
                overlaps.add(depth, bodies.radius[k], (bodies.id[k], bodies.id[k]));
            }
        }
        if let Some((id, n)) = outside {
            let text = format!("{n} grains (the first has id {id}) are outside of the box `{}`", wall.name);
            advice.push(Advice::fatal(text));
        }
    }
    overlaps
}

fn warnings(built: &Built, fields: &Fields, overlaps: &Overlaps, walls: &Overlaps, advice: &mut Vec<Advice>) {
    let (world, bodies) = (&built.world, &built.world.bodies);
    if bodies.is_empty() && grains(world).is_empty() {
        advice.push(Advice::warning("there are no grains: add a [[grains]] table"));
    }
    if fields.pulls(world).own && world.domain != Domain::Open {
        advice.push(Advice::warning("self-gravity in a periodic box: grains do not attract periodic images"));
    }
    let start = built.method.settings().start_overlap();
    for (what, o) in [("each other", overlaps), ("walls", walls)] {
        if o.deepest_part > start.tolerated {
            let text = format!(
                "grains overlap {what} at the start by up to {:.1} % of the radius{}: they will {}",
                100.0 * o.deepest_part,
                o.between.map_or(String::new(), |(a, b)| if a == b {
                    format!(" (grain {a})")
                } else {
                    format!(" (grains {a} and {b})")
                }),
                start.outcome,
            );
            advice.push(Advice { severity: start.severity, text });
        }
    }
    advice.extend(built.method.settings().warnings(world));
    let moving = world.walls.iter().any(|w| w.motion != rubblepile_core::WallMotion::None);
    let still = bodies.velocity.iter().chain(&bodies.spin).all(|v| *v == DVec3::ZERO);
    let forces = !fields.list.is_empty() || overlaps.count + walls.count > 0;
    if !bodies.is_empty() && still && !forces && !moving && world.events.is_empty() {
        advice.push(Advice::warning("nothing moves and there are no forces: there is no [[gravity]] table"));
    }
    let late = world.events.iter().filter(|e| e.next().is_some_and(|t| t > built.end)).count();
    if late > 0 {
        advice.push(Advice::warning(format!("{late} events are after the end of the run")));
    }
    if built.output.frames.is_none() && built.probes.is_empty() {
        advice.push(Advice::note("no frames and no probes: only the final state will be kept"));
    }
}

impl Summary {
    /// Whether the run must be refused.
    pub fn is_fatal(&self) -> bool {
        self.advice.iter().any(|a| a.severity == Severity::Fatal)
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut line = |name: &str, value: String| writeln!(f, "{name:<18} {value}");
        line("title", self.title.clone())?;
        line("grains", self.grains.to_string())?;
        if self.groups.len() > 1 {
            for (name, n) in self.groups.iter().take(20) {
                line("", format!("{n} {name}"))?;
            }
        }
        match &self.deformable {
            Some(words) => line("deformable", words.clone())?,
            None => line(
                "radii",
                match (text::number(self.radii.0), text::number(self.radii.1)) {
                    (a, b) if a == b => format!("{a} m"),
                    (a, b) => format!("{a} to {b} m"),
                },
            )?,
        }
        if let Some(solids) = &self.solids {
            line("shapes", solids.to_string())?;
        }
        line("mass", format!("{} kg", text::number(self.mass)))?;
        if let Some(d) = self.bulk_density {
            line(
                "bulk density",
                format!("{} kg/m3 in a sphere of {} m", text::number(d), text::number(self.extent)),
            )?;
        }
        if let Some(v) = self.escape_speed {
            line("escape speed", format!("{} m/s", text::number(v)))?;
        }
        if let Some(t) = self.free_fall_time {
            line("free-fall time", text::time(t))?;
        }
        line("walls", self.walls.to_string())?;
        for (k, asteroid) in self.asteroids.iter().enumerate() {
            line(if k == 0 { "asteroids" } else { "" }, asteroid.clone())?;
        }
        for (name, o) in [("overlaps", self.overlaps), ("overlaps, walls", self.wall_overlaps)] {
            if o.count > 0 {
                let percent = 100.0 * o.deepest_part;
                line(
                    name,
                    format!("{}, the deepest {:.3e} m ({percent:.2} % of the radius)", o.count, o.deepest),
                )?;
            }
        }
        line("simulated time", text::time(self.end))?;
        line("memory", format!("about {}", text::bytes(self.memory)))?;
        for a in &self.advice {
            let word = match a.severity {
                Severity::Note => "note",
                Severity::Warning => "warning",
                Severity::Fatal => "error",
            };
            writeln!(f, "{word}: {}", a.text)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlaps_are_counted_across_periodic_sides() {
        let mut bodies = Bodies::default();
        bodies.push_sphere(DVec3::new(0.5, 5.0, 5.0), 1.0, 1.0, 0, 0);
        bodies.push_sphere(DVec3::new(9.0, 5.0, 5.0), 1.0, 1.0, 0, 0);
        bodies.push_sphere(DVec3::new(5.0, 5.0, 5.0), 1.0, 1.0, 0, 0);
        assert_eq!(overlaps(&bodies, &Domain::Open).count, 0);
        let box_ = Domain::Periodic { min: DVec3::ZERO, max: DVec3::splat(10.0), axes: [true; 3] };
        let o = overlaps(&bodies, &box_);
        assert!(o.count == 1 && (o.deepest - 0.5).abs() < 1e-12 && o.between == Some((0, 1)));
    }
}
