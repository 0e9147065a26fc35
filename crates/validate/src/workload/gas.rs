//! A gas of equal spheres in a periodic cube, for benchmarks and tests of kinetic theory.

use glam::DVec3;
use rubblepile_core::{Domain, Material, Rng, World};

/// `n` spheres of unit diameter and unit mass at a volume fraction, with the velocities of a gas of unit temperature and no
/// momentum, on a face-centred lattice with places left out at random.
pub fn equal_spheres(n: usize, fraction: f64, restitution: (f64, f64), seed: u64) -> World {
    let mut world = World::new(1.0);
    let side = (n as f64 * std::f64::consts::PI / 6.0 / fraction).cbrt();
    world.domain = Domain::Periodic { min: DVec3::ZERO, max: DVec3::splat(side), axes: [true; 3] };
    world.groups.push("gas".into());
    world.materials.push(Material {
        name: "sphere".into(),
        density: 6.0 / std::f64::consts::PI,
        restitution_normal: restitution.0,
        restitution_tangential: restitution.1,
        ..Material::default()
    });
    let mut rng = Rng::stream(seed, "gas");
    let cells = (n as f64 / 4.0).cbrt().ceil() as usize;
    let unit = side / cells as f64;
    let basis =
        [DVec3::ZERO, DVec3::new(0.5, 0.5, 0.0), DVec3::new(0.5, 0.0, 0.5), DVec3::new(0.0, 0.5, 0.5)];
    let mut places: Vec<DVec3> = (0..4 * cells.pow(3))
        .map(|k| {
            let (c, b) = (k / 4, k % 4);
            let corner =
                DVec3::new((c % cells) as f64, (c / cells % cells) as f64, (c / cells / cells) as f64);
            unit * (corner + basis[b] + DVec3::splat(0.25))
        })
        .collect();
    while places.len() > n {
        let out = (rng.uniform() * places.len() as f64) as usize;
        places.swap_remove(out);
    }
    for x in places {
        let row = world.bodies.push_sphere(x, 0.5, 6.0 / std::f64::consts::PI, 0, 0);
        world.bodies.velocity[row] = DVec3::new(rng.normal(), rng.normal(), rng.normal());
    }
    let mean = world.bodies.velocity.iter().sum::<DVec3>() / n as f64;
    world.bodies.velocity.iter_mut().for_each(|v| *v -= mean);
    let square = world.bodies.velocity.iter().map(|v| v.length_squared()).sum::<f64>() / (3.0 * n as f64);
    world.bodies.velocity.iter_mut().for_each(|v| *v /= square.sqrt());
    world
}
