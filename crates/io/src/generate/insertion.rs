//! Random positions without overlap: random sequential insertion, the largest grains first.
//!
//! Each grain tries uniformly distributed places until one is free. Equal spheres jam at about 38 % of the volume,
//! and trying gets slow well before; denser piles are made by letting loose ones settle.

use glam::DVec3;
use rubblepile_core::{Domain, Rng};

use super::{GenerateFault, Region, SphereGrid};

/// Tries of one grain before giving up.
const TRIES: u64 = 20_000;
/// Tries of all grains together, per grain: bounds the time.
const TRIES_PER_GRAIN: u64 = 300;

/// A position for every radius, in their order, clear of each other and of what is in `grid` by `gap`. They are
/// added to the grid under the keys `first_key`, `first_key + 1`, ...
pub fn positions(
    region: &dyn Region,
    radii: &[f64],
    gap: f64,
    domain: &Domain,
    grid: &mut SphereGrid,
    first_key: u32,
    rng: &mut Rng,
) -> Result<Vec<DVec3>, GenerateFault> {
    let mut order: Vec<u32> = (0..radii.len() as u32).collect();
    // Stable: grains of one size stay in their order.
    order.sort_by(|&a, &b| radii[b as usize].total_cmp(&radii[a as usize]));
    let volume = |r: f64| 4.0 / 3.0 * std::f64::consts::PI * r.powi(3);
    let wanted: f64 = radii.iter().map(|&r| volume(r)).sum::<f64>() / region.volume();
    if wanted > 0.75 {
        return Err(GenerateFault::new(
            format!(
                "the grains would fill {:.0} % of the region, and spheres cannot fill more than 74 %",
                100.0 * wanted
            ),
            "make the region larger, or the grains fewer or smaller",
        ));
    }
    let mut result = vec![DVec3::ZERO; radii.len()];
    let mut filled = 0.0;
    let budget = 1_000_000 + TRIES_PER_GRAIN * radii.len() as u64;
    let mut spent = 0;
    for (done, &k) in order.iter().enumerate() {
        let r = radii[k as usize];
        if !region.has_room(r, domain) {
            let message = format!("a grain of radius {r} m does not fit into the region");
            return Err(GenerateFault::new(message, "make the region larger or the grains smaller"));
        }
        let mut tries = 0;
        let x = loop {
            let x = region.draw(r, domain, rng);
            tries += 1;
            spent += 1;
            if !grid.is_taken(x, r, gap) && region.is_free(x, r) {
                break x;
            }
            if tries >= TRIES || spent >= budget {
                let percent = 100.0 * filled / region.volume();
                return Err(GenerateFault::new(
                    format!(
                        "no place was found for grain {} of {}: the region is {percent:.1} % full, and these would \
                         fill {:.1} %",
                        done + 1,
                        radii.len(),
                        100.0 * wanted
                    ),
                    "random placing seldom gets beyond a third: make the region larger, use fewer grains, or place \
                     them on a lattice and let them settle",
                ));
            }
        };
        grid.insert(x, r, first_key + k);
        filled += volume(r);
        result[k as usize] = x;
    }
    Ok(result)
}

#[cfg(test)]
mod tests {
    use rubblepile_core::{settings::Vector, wall::BoxShape};

    use super::*;
    use crate::generate::region::{BoxRegion, CylinderVolume, SphereRegion};

    fn cuboid(min: DVec3, max: DVec3) -> BoxRegion {
        let corner = |x: DVec3| Vector::new(x.x, x.y, x.z);
        BoxRegion(BoxShape { min: corner(min), max: corner(max) })
    }

    fn check(region: &dyn Region, domain: Domain, radii: &[f64]) -> Vec<DVec3> {
        let mut grid = SphereGrid::new(domain, radii[0]);
        let mut rng = Rng::stream(5, "random");
        let x = positions(region, radii, 1e-3, &domain, &mut grid, 0, &mut rng).expect("positions");
        for i in 0..x.len() {
            for j in 0..i {
                let gap = domain.shortest(x[i] - x[j]).length() - radii[i] - radii[j];
                assert!(gap >= 1e-3 * (1.0 - 1e-9), "{i} {j}: {gap}");
            }
        }
        x
    }

    #[test]
    fn grains_are_inside_and_apart() {
        let radii: Vec<f64> = (0..300).map(|k| 0.1 + 0.001 * k as f64).collect();
        let regions: [&dyn Region; 3] = [
            &cuboid(DVec3::splat(-4.0), DVec3::splat(4.0)),
            &SphereRegion { centre: Vector::new(1.0, 0.0, 0.0), radius: 5.0.into() },
            &CylinderVolume {
                centre: DVec3::Y,
                axis: DVec3::new(1.0, 1.0, 0.0).normalize(),
                radius: 4.0,
                length: 9.0,
            },
        ];
        for region in regions {
            let x = check(region, Domain::Open, &radii);
            assert!(x.iter().zip(&radii).all(|(x, r)| region.holds(*x, *r)), "{region:?}");
        }
    }

    #[test]
    fn grains_cross_the_sides_of_a_periodic_box() {
        let (min, max) = (DVec3::ZERO, DVec3::splat(6.0));
        let domain = Domain::Periodic { min, max, axes: [true, true, false] };
        let radii = vec![0.4; 150];
        let x = check(&cuboid(min, max), domain, &radii);
        assert!(x.iter().any(|x| x.x < 0.4) && x.iter().all(|x| x.z >= 0.4 && x.z <= 5.6));
    }

    #[test]
    fn what_does_not_fit_says_how_far_it_got() {
        let region = cuboid(DVec3::ZERO, DVec3::splat(10.0));
        let mut rng = Rng::new(1);
        let mut go = |radii: &[f64]| {
            let mut grid = SphereGrid::new(Domain::Open, 0.5);
            positions(&region, radii, 0.0, &Domain::Open, &mut grid, 0, &mut rng).expect_err("full").message
        };
        let message = go(&vec![0.5; 1200]);
        assert!(message.contains("% full"), "{message}");
        assert!(go(&vec![0.5; 5000]).contains("cannot fill more than 74 %"));
        assert!(go(&[6.0]).contains("does not fit") || go(&[6.0]).contains("74 %"));
        assert!(go(&[5.1]).contains("does not fit"));
    }
}
