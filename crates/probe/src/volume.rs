//! The volume that a mean over space is taken in. For a pile in free space there is no natural one:
//! contact-dynamics-2021 (section 3.2.3) takes the sphere that encloses the grains, at every instant.

use glam::DVec3;
use rubblepile_core::{Domain, Error, Result, World};

use crate::sphere::{EnclosingSphere, enclosing_sphere};

#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub enum Volume {
    /// The periodic box if all three axes are periodic, otherwise the enclosing sphere.
    #[default]
    Automatic,
    /// The smallest sphere around all grains.
    EnclosingSphere,
    /// The periodic box; all three axes must be periodic.
    PeriodicBox,
    /// m^3
    Given(f64),
}

impl Volume {
    /// m^3; 0 without grains.
    pub fn of(&self, world: &World) -> Result<f64> {
        match *self {
            Volume::Given(v) => Ok(v),
            Volume::EnclosingSphere => Ok(sphere_of(world)?.map_or(0.0, |s| s.volume())),
            Volume::PeriodicBox => periodic_box(world).ok_or_else(|| {
                Error::Unsupported(
                    "the periodic box has a volume only if all three axes are periodic; \
                     measure in the enclosing sphere instead"
                        .into(),
                )
            }),
            Volume::Automatic => match periodic_box(world) {
                Some(v) => Ok(v),
                None => Volume::EnclosingSphere.of(world),
            },
        }
    }
}

/// The enclosing sphere of all bodies, of solids by their vertices; `None` without bodies, an error that names the
/// body if a position is not finite.
pub fn sphere_of(world: &World) -> Result<Option<EnclosingSphere>> {
    let bodies = &world.bodies;
    let sphere = if world.only_spheres() {
        enclosing_sphere(&bodies.position, &bodies.radius)
    } else {
        let (centres, radii) = outline(world, 0..bodies.len(), |k| bodies.position[k]);
        enclosing_sphere(&centres, &radii)
    };
    if sphere.is_none() && !bodies.is_empty() {
        bodies.check_finite(world.time())?;
    }
    Ok(sphere)
}

/// What bounds some bodies: spheres as they are, and the vertices of solids as spheres without size. `place` says
/// where a row's centre is (in a periodic box, which of its images).
pub fn outline(
    world: &World,
    rows: impl Iterator<Item = usize>,
    place: impl Fn(usize) -> DVec3,
) -> (Vec<DVec3>, Vec<f64>) {
    let (mut centres, mut radii) = (Vec::new(), Vec::new());
    for k in rows {
        match world.solid(k) {
            Some(solid) => {
                centres.extend(solid.vertices_at(place(k), world.bodies.orientation[k]));
                radii.resize(centres.len(), 0.0);
            }
            None => {
                centres.push(place(k));
                radii.push(world.bodies.radius[k]);
            }
        }
    }
    (centres, radii)
}

fn periodic_box(world: &World) -> Option<f64> {
    match world.domain {
        Domain::Periodic { min, max, axes: [true, true, true] } => Some((max - min).element_product()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::world;

    #[test]
    fn each_kind() {
        let mut w = world(&[(DVec3::ZERO, 1.0), (DVec3::new(2.0, 0.0, 0.0), 1.0)]);
        let ball = 4.0 / 3.0 * std::f64::consts::PI * 8.0;
        assert!((Volume::Automatic.of(&w).expect("a volume") - ball).abs() < 1e-12 * ball);
        assert!(Volume::PeriodicBox.of(&w).is_err());
        assert_eq!(Volume::Given(7.0).of(&w).expect("a volume"), 7.0);
        w.domain =
            Domain::Periodic { min: DVec3::ZERO, max: DVec3::new(1.0, 2.0, 3.0), axes: [true, true, true] };
        assert_eq!(Volume::Automatic.of(&w).expect("a volume"), 6.0);
        w.domain =
            Domain::Periodic { min: DVec3::ZERO, max: DVec3::new(1.0, 2.0, 3.0), axes: [true, true, false] };
        assert!((Volume::Automatic.of(&w).expect("a volume") - ball).abs() < 1e-12 * ball);
    }

    #[test]
    fn a_lost_grain_is_named() {
        let mut w = world(&[(DVec3::ZERO, 1.0), (DVec3::X, 1.0)]);
        w.bodies.position[1].y = f64::NAN;
        assert!(Volume::EnclosingSphere.of(&w).is_err_and(|e| e.to_string().contains("body 1")));
        assert_eq!(Volume::EnclosingSphere.of(&world(&[])).expect("a volume"), 0.0);
    }
}
