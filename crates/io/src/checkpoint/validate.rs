//! Validates a world read from a checkpoint: what the rest of the program takes for granted. Positions and velocities may be anything: a run that failed leaves a checkpoint too.

use rubblepile_core::{Action, Convex, Shape, Solid, Wall, World};

/// The section and what is wrong with it.
pub type Inconsistency = (&'static str, String);

/// Whether the rest of the program can take this world for granted.
pub fn check(world: &World) -> Result<(), Inconsistency> {
    clock(world)?;
    bodies(world)?;
    walls(world)?;
    asteroids(world)?;
    part(world)?;
    events(world)
}

fn clock(world: &World) -> Result<(), Inconsistency> {
    let c = &world.clock;
    let sound =
        c.timestep.is_finite() && c.timestep > 0.0 && c.epoch_time.is_finite() && c.step >= c.epoch_step;
    if sound { Ok(()) } else { Err(("section `clock`", "the time or the time step is impossible".into())) }
}

fn bodies(world: &World) -> Result<(), Inconsistency> {
    const SECTION: &str = "section `bodies`";
    let b = &world.bodies;
    let n = b.id.len();
    let columns = [
        ("position", b.position.len()),
        ("velocity", b.velocity.len()),
        ("orientation", b.orientation.len()),
        ("spin", b.spin.len()),
        ("mass", b.mass.len()),
        ("inertia", b.inertia.len()),
        ("radius", b.radius.len()),
        ("shape", b.shape.len()),
        ("material", b.material.len()),
        ("group", b.group.len()),
    ];
    for (name, length) in columns {
        if length != n {
            return Err((SECTION, format!("there are {n} ids, but {length} rows of {name}")));
        }
    }
    // Rows are counted in 32 bits everywhere.
    if n > u32::MAX as usize {
        return Err((SECTION, format!("{n} bodies are more than this program supports")));
    }
    let mut ids = b.id.clone();
    ids.sort_unstable();
    if let Some(pair) = ids.windows(2).find(|w| w[0] == w[1]) {
        return Err((SECTION, format!("two bodies have the id {}", pair[0])));
    }
    let index =
        |section, what, column: &[u32], limit: usize| match column.iter().find(|&&m| m as usize >= limit) {
            Some(m) => Err((section, format!("a body has {what} {m}, but there are only {limit}"))),
            None => Ok(()),
        };
    index(SECTION, "material", &b.material, world.materials.len())?;
    index(SECTION, "group", &b.group, world.groups.len())?;
    index(SECTION, "shape", &b.shape, world.shapes.len())?;
    shapes(world)?;
    for (k, (&r, &m)) in b.radius.iter().zip(&b.mass).enumerate() {
        if !(r.is_finite() && r > 0.0 && m.is_finite() && m > 0.0) {
            return Err((SECTION, format!("body {} has radius {r:.3e} m and mass {m:.3e} kg", b.id[k])));
        }
    }
    let r = &world.rates;
    for (name, length) in [
        ("acceleration", r.acceleration.len()),
        ("spin_rate", r.spin_rate.len()),
        ("field", r.field.len()),
        ("held", r.held.len()),
    ] {
        if length != 0 && length != n {
            return Err(("section `rates`", format!("there are {n} bodies, but {length} rows of {name}")));
        }
    }
    Ok(())
}

fn shapes(world: &World) -> Result<(), Inconsistency> {
    const SECTION: &str = "section `shapes`";
    if !matches!(world.shapes.first(), Some(Shape::Sphere)) {
        return Err((SECTION, "the first shape is not the sphere".into()));
    }
    for (k, solid) in world.shapes.iter().enumerate().filter_map(|(k, s)| Some((k, s.solid()?))) {
        if !is_sound_solid(solid) {
            return Err((SECTION, format!("shape {k} is not a solid")));
        }
    }
    Ok(())
}

/// Whether a solid that was read has corners, faces that name them, and a size.
pub(crate) fn is_sound_solid(solid: &Solid) -> bool {
    let sound = |c: &Convex| {
        let n = c.vertices.len();
        n >= 4
            && c.vertices.iter().all(|v| v.is_finite())
            && c.faces.len() >= 4
            && c.faces.iter().all(|f| f.len() >= 3 && f.iter().all(|&v| (v as usize) < n))
    };
    let positive = |x: f64| x.is_finite() && x > 0.0;
    !solid.parts.is_empty()
        && solid.parts.iter().all(sound)
        && [solid.volume, solid.radius, solid.inertia.min_element()].into_iter().all(positive)
}

fn wall(section: &'static str, world: &World, wall: &Wall) -> Result<(), Inconsistency> {
    if wall.material as usize >= world.materials.len() {
        return Err((section, format!("wall `{}` has material {}", wall.name.escape_debug(), wall.material)));
    }
    Ok(())
}

fn walls(world: &World) -> Result<(), Inconsistency> {
    let n = world.materials.len();
    for pair in &world.pairs {
        if pair.a as usize >= n || pair.b as usize >= n {
            return Err(("section `pairs`", format!("a pair has materials {} and {}", pair.a, pair.b)));
        }
    }
    world.walls.iter().try_for_each(|w| wall("section `walls`", world, w))
}

fn asteroids(world: &World) -> Result<(), Inconsistency> {
    const SECTION: &str = "section `asteroids`";
    for a in &world.asteroids {
        let positive = |x: f64| x.is_finite() && x > 0.0;
        let n = a.mesh.vertices.len();
        let sound = (a.material as usize) < world.materials.len()
            && [a.density, a.mass, a.radius, a.inertia.min_element()].into_iter().all(positive)
            && a.mesh.triangles.len() >= 4
            && a.mesh.triangles.iter().flatten().all(|&v| (v as usize) < n);
        if !sound {
            return Err((SECTION, format!("asteroid `{}` is impossible", a.name.escape_debug())));
        }
    }
    let r = &world.rates;
    for column in [&r.on_asteroids, &r.field_on_asteroids, &r.held_on_asteroids] {
        if !column.is_empty() && column.len() != world.asteroids.len() {
            return Err(("section `rates`", "not every asteroid has its forces".into()));
        }
    }
    Ok(())
}

/// The part checks itself.
fn part(world: &World) -> Result<(), Inconsistency> {
    let Some(part) = &world.part else { return Ok(()) };
    part.check(world).map_err(|what| ("section `part`", what))
}

fn events(world: &World) -> Result<(), Inconsistency> {
    const SECTION: &str = "section `events`";
    for event in &world.events {
        // What other actions name is looked up when they happen.
        if let Action::AddWall(added) = &event.action {
            wall(SECTION, world, &added.wall)?;
        }
    }
    Ok(())
}
