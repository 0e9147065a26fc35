//! Maps of an asteroid's surface: gravity, slopes and the stability of a regolith layer, facet by facet.
//!
//! | quantity | how |
//! |---|---|
//! | effective acceleration | gravity of all asteroids and the centrifugal term, at the middle of the facet |
//! | slope | its angle with the inward normal |
//! | potential | whose slope it is: gravity and centrifugal |
//! | escape speed | along the normal, Scheeres et al. 1996 (Icarus 121, 67) |
//! | lift-off speed | along the surface, `lift_off.rs` |
//! | factor of safety | against a landslide, eq. (16) of asteroid-surface-2024 |
//! | fission | the left side of eq. (17) and (B7) there: a layer flies off where it is not negative |
//!
//! The field is that of the polyhedron itself, on the facet (potential and acceleration are continuous there). In a binary, what the asteroid itself falls with is taken off: the rest is the tide.

mod curvature;
mod lift_off;
mod quantities;
#[cfg(test)]
mod tests;

pub use quantities::{MapQuantity, QUANTITIES, Range, part};

use std::f64::consts::PI;

use glam::DVec3;
use rayon::prelude::*;
use rubblepile_core::{Actions, Asteroid, Error, Field, G, Result, World, Wrench};
use rubblepile_gravity::{
    AsteroidField,
    polyhedron::{Polyhedron, PolyhedronTree},
};

/// The layer on the surface.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Regolith {
    /// phi, rad
    pub friction_angle: f64,
    /// C, of the layer as a whole, Pa.
    pub cohesion: f64,
    /// Of the layer with its voids: times the effective acceleration it is the unit weight gamma_r. kg/m^3
    pub bulk_density: f64,
    /// T, m
    pub thickness: f64,
    pub grain: RegolithGrain,
}

/// What the layer is made of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RegolithGrain {
    /// R, m
    pub radius: f64,
    /// kg/m^3
    pub density: f64,
    /// c, between two grains, Pa.
    pub cohesion: f64,
    /// beta
    pub shape: f64,
}

impl RegolithGrain {
    pub fn mass(&self) -> f64 {
        4.0 / 3.0 * PI * self.radius.powi(3) * self.density
    }

    /// Eq. (4) for two of them, N.
    pub fn cohesion_force(&self) -> f64 {
        4.0 * self.cohesion * self.shape * (0.5 * self.radius).powi(2)
    }
}

impl Regolith {
    /// Eq. (16), for a slope (rad) and an effective acceleration. Infinite on level ground. Beyond a right angle, where the
    /// ground pulls, friction counts against.
    pub fn factor_of_safety(&self, slope: f64, acceleration: f64) -> f64 {
        let weight = self.bulk_density * acceleration;
        let held = self.friction_angle.tan() * slope.cos() + self.cohesion / (weight * self.thickness);
        // Without any weight nothing slides.
        if held.is_nan() { f64::INFINITY } else { held / slope.sin() }
    }

    /// The left side of eq. (17), N: cohesion holds a grain down, and the layers above it pull with the component of the
    /// effective acceleration along the outward normal.
    pub fn fission(&self, outward: f64) -> f64 {
        let layers = self.thickness / (2.0 * self.grain.radius);
        layers * self.grain.mass() * outward - self.grain.cohesion_force()
    }
}

/// One facet. Vectors are in the frame of the asteroid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FacetValues {
    pub centre: DVec3,
    pub normal: DVec3,
    /// m^2
    pub area: f64,
    /// Effective, m/s^2.
    pub acceleration: DVec3,
    /// rad, from 0 (level) to pi (the ground pulls straight away from it).
    pub slope: f64,
    /// J/kg, negative.
    pub potential: f64,
    /// m/s; 0 where it is fast enough by the spin alone.
    pub escape_speed: f64,
    /// m/s; 0 where nothing stays even at rest, infinite where the surface is hollow every way.
    pub lift_off_speed: f64,
    pub factor_of_safety: f64,
    /// N; not negative: it flies off.
    pub fission: f64,
}

impl FacetValues {
    /// Whether the layer slides.
    pub fn slides(&self) -> bool {
        self.factor_of_safety < 1.0
    }

    /// Whether the layer flies off.
    pub fn flies_off(&self) -> bool {
        self.fission >= 0.0
    }

    /// Degrees, north of the equator.
    pub fn latitude(&self) -> f64 {
        self.centre.z.atan2(self.centre.x.hypot(self.centre.y)).to_degrees()
    }

    /// Degrees, from -180 to 180, eastwards.
    pub fn longitude(&self) -> f64 {
        self.centre.y.atan2(self.centre.x).to_degrees()
    }
}

/// The facets of an asteroid (its row), in the order of its mesh. `error` is that of gravity, relative; 0: every facet is
/// summed for each.
pub fn surface_map(world: &World, row: usize, regolith: &Regolith, error: f64) -> Result<Vec<FacetValues>> {
    let missing = || Error::Unsupported(format!("there is no asteroid {row} to make a map of"));
    let asteroid = world.asteroids.get(row).ok_or_else(missing)?;
    let mesh = &asteroid.mesh;
    let faces: Vec<(DVec3, DVec3)> = (0..mesh.triangles.len())
        .map(|k| {
            let [a, b, c] = mesh.corners(k);
            ((a + b + c) / 3.0, 0.5 * (b - a).cross(c - a))
        })
        .collect();
    let centres: Vec<DVec3> = faces.iter().map(|f| f.0).collect();
    let field = gravity(world, row, &centres, error)?;
    let bends = curvature::of_facets(mesh);
    let into = asteroid.orientation.inverse();
    let spin = into * asteroid.spin;
    let falls = into * falls_with(world, row, error)?;
    let drift = into * (asteroid.velocity - common_velocity(&world.asteroids));
    let facets = faces.par_iter().enumerate().map(|(k, &(centre, face))| {
        let (area, normal) = (face.length(), face.normalize_or(centre.normalize_or(DVec3::Z)));
        let turning = spin.cross(centre);
        let acceleration = field[k].acceleration - falls - spin.cross(turning);
        // The arc tangent is exact also where it is nearly level.
        let slope = acceleration.cross(normal).length().atan2(-acceleration.dot(normal));
        FacetValues {
            centre,
            normal,
            area,
            acceleration,
            slope,
            potential: falls.dot(centre) - field[k].potential - 0.5 * turning.length_squared(),
            escape_speed: escape_speed(normal, drift + turning, field[k].highest),
            lift_off_speed: lift_off::speed(normal, acceleration, spin, &bends[k]),
            factor_of_safety: regolith.factor_of_safety(slope, acceleration.length()),
            fission: regolith.fission(acceleration.dot(normal)),
        }
    });
    Ok(facets.collect())
}

/// Speed along the normal, relative to the surface, at which something leaves for good: v_esc = -n.u + sqrt((n.u)^2 + 2 U -
/// u^2), with the velocity u of the surface and the larger U of the potential there and of that of a point mass (Scheeres et
/// al. 1996): where the body is hollow below, the flight out still passes its mass.
fn escape_speed(normal: DVec3, surface: DVec3, highest: f64) -> f64 {
    let needed = 2.0 * highest - surface.length_squared();
    if needed <= 0.0 {
        return 0.0;
    }
    let along = normal.dot(surface);
    (along * along + needed).sqrt() - along
}

/// Gravity at a point of the asteroid's frame.
#[derive(Clone, Copy, Default)]
struct Gravity {
    acceleration: DVec3,
    /// Positive, J/kg.
    potential: f64,
    /// The same, with the point mass of the asteroid itself where that is larger.
    highest: f64,
}

fn gravity(world: &World, row: usize, at: &[DVec3], error: f64) -> Result<Vec<Gravity>> {
    let own = world.asteroids[row].pose();
    let mut sum = vec![Gravity::default(); at.len()];
    for (k, body) in world.asteroids.iter().enumerate() {
        let polyhedron = Polyhedron::new(&body.mesh.vertices, &body.mesh.triangles)
            .map_err(|_| Error::Unsupported(format!("asteroid `{}` has no closed surface", body.name)))?;
        let pose = body.pose();
        let from = |x: &DVec3| if k == row { *x } else { pose.to_local(own.to_world(*x)) };
        let points: Vec<DVec3> = at.iter().map(from).collect();
        let (strength, turn) = (G * body.density, own.rotation.inverse() * pose.rotation);
        let pulls: Vec<(f64, DVec3)> = if error > 0.0 {
            PolyhedronTree::new(&polyhedron, error).potentials(&points)
        } else {
            polyhedron.pull(&points).iter().map(|p| (p.potential, p.acceleration)).collect()
        };
        for ((sum, pull), x) in sum.iter_mut().zip(pulls).zip(&points) {
            let (potential, away) = (strength * pull.0, strength * pull.1);
            sum.acceleration += if k == row { away } else { turn * away };
            sum.potential += potential;
            sum.highest += if k == row { potential.max(G * body.mass / x.length()) } else { potential };
        }
    }
    Ok(sum)
}

/// The acceleration of its centre by the other asteroids; none if it is held.
fn falls_with(world: &World, row: usize, error: f64) -> Result<DVec3> {
    let asteroid = &world.asteroids[row];
    if asteroid.fixed || world.asteroids.len() < 2 {
        return Ok(DVec3::ZERO);
    }
    let mut alone = World::new(1.0);
    alone.asteroids.clone_from(&world.asteroids);
    let mut field = AsteroidField::new(Vec::new(), error, 1);
    let mut on = vec![Wrench::default(); alone.asteroids.len()];
    field.act(&alone, &mut Actions { accelerations: &mut [], on_asteroids: &mut on })?;
    Ok(on[row].force / asteroid.mass)
}

/// Of the centre of mass of all asteroids.
fn common_velocity(all: &[Asteroid]) -> DVec3 {
    let mass: f64 = all.iter().map(|a| a.mass).sum();
    all.iter().map(|a| a.mass / mass * a.velocity).sum()
}
