//! Deformable grains: fraction of the outlines in contact, solid fraction, pressures.
//!
//! The box is what the sides of all walls leave between them, if they close it. Pressures are means of the two normal stresses in the
//! plane, with their sign turned.

use glam::DVec2;
use rubblepile_core::{
    Column, Probe, Result, World,
    method::Moment,
    settings::{Sampling, ScenarioContext, Time},
};
use rubblepile_meshfree::{grain::sides, grains};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::settings::{GrainSelection, ProbeSettings};

/// Sampling interval.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct DeformableSampling(pub Sampling);

impl ProbeSettings for DeformableSampling {
    fn about() -> &'static str {
        "Of deformable grains: fraction of the outlines in contact, solid fraction between walls, mean pressure and shear, largest pressure \
         and gap of contacts, areas."
    }

    fn example() -> Self {
        DeformableSampling(Sampling { every: Time::new(1.0) })
    }

    fn every(&self) -> Time {
        self.0.every
    }

    fn grains(&self) -> GrainSelection {
        GrainSelection::Deformable
    }

    fn probe(&self, _: &ScenarioContext) -> Box<dyn Probe> {
        Box::new(Deformable)
    }
}

#[derive(Debug, Clone, Copy, Default)]
pub struct Deformable;

impl Probe for Deformable {
    fn columns(&self) -> Vec<Column> {
        vec![
            Column::new(
                "touching_share",
                "",
                "Nodes of outlines that touch something, over all nodes of outlines",
            ),
            Column::new(
                "solid_fraction",
                "",
                "Area of the grains over the area that the walls enclose; NaN if it is open",
            ),
            Column::new("mean_pressure", "Pa", "Mean over the area of the grains of `-(s_xx + s_yy) / 2`"),
            Column::new(
                "mean_shear",
                "Pa",
                "Mean over the area of the grains of the largest shear stress in the plane, from their mean stresses",
            ),
            Column::new("largest_contact_pressure", "Pa", "Largest pressure of a contact"),
            Column::new("largest_gap", "m", "Largest gap or overlap of nodes in contact"),
            Column::new("total_area", "m2", "Area of all grains"),
            Column::new("mean_area", "m2", "Mean area of a grain"),
        ]
    }

    fn measure(&mut self, moment: &mut Moment, row: &mut Vec<f64>) -> Result<()> {
        let world = moment.world;
        let Some(felt) = moment.deformation()? else {
            row.extend([f64::NAN; 8]);
            return Ok(());
        };
        let outline: usize = grains(world).iter().map(|g| g.reference.boundary).sum();
        let touching = felt.touching.iter().filter(|t| **t).count();
        let area: f64 = felt.grains.iter().map(|g| g.area).sum();
        // By area, so that it is the mean over all material.
        let mean =
            |of: fn([f64; 3]) -> f64| felt.grains.iter().map(|g| g.area * of(g.stress)).sum::<f64>() / area;
        row.extend([
            touching as f64 / outline as f64,
            enclosed_area(world).map_or(f64::NAN, |all| area / all),
            mean(|[xx, yy, _]| -0.5 * (xx + yy)),
            mean(|[xx, yy, xy]| (0.5 * (xx - yy)).hypot(xy)),
            felt.largest_pressure,
            felt.largest_gap,
            area,
            area / felt.grains.len() as f64,
        ]);
        Ok(())
    }
}

/// The area that all sides of walls leave between them, m^2; `None`: it is open.
fn enclosed_area(world: &World) -> Option<f64> {
    let far = 1e3 * grains(world).iter().flat_map(|g| g.outline()).map(|x| x.length()).fold(1.0, f64::max);
    let corner = |x: f64, y: f64| far * DVec2::new(x, y);
    let mut polygon = vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
    for (point, normal) in world.walls.iter().flat_map(|w| sides(w, world.time())) {
        polygon = cut(&polygon, point, normal);
    }
    let n = polygon.len();
    let open = polygon.iter().any(|x| x.abs().max_element() >= 0.999 * far);
    let twice: f64 = (0..n).map(|k| polygon[k].perp_dot(polygon[(k + 1) % n])).sum();
    (!open && n > 2).then_some(0.5 * twice)
}

/// What is left of a convex polygon in front of a line.
fn cut(polygon: &[DVec2], point: DVec2, normal: DVec2) -> Vec<DVec2> {
    let n = polygon.len();
    let height = |x: DVec2| (x - point).dot(normal);
    let mut left = Vec::with_capacity(n + 1);
    for k in 0..n {
        let (a, b) = (polygon[k], polygon[(k + 1) % n]);
        let (ha, hb) = (height(a), height(b));
        if ha >= 0.0 {
            left.push(a);
        }
        if (ha >= 0.0) != (hb >= 0.0) {
            left.push(a.lerp(b, ha / (ha - hb)));
        }
    }
    left
}

#[cfg(test)]
mod tests {
    use glam::DVec3;
    use rubblepile_core::{
        Deformation, GrainState, Surface, Wall,
        wall::{Cuboid, Plane},
    };
    use rubblepile_meshfree::{DeformableState, Reference};

    use super::*;
    use crate::{
        Energy, Momentum,
        testing::{measure_felt, value},
    };

    fn triangle() -> World {
        let mut world = World::new(1.0);
        let nodes = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]].map(DVec2::from_array).to_vec();
        let reference = Reference { nodes, boundary: 3, triangles: vec![[0, 1, 2]] };
        let grain = rubblepile_meshfree::Deformable::new(0, 0, 0, reference);
        world.part_or_default::<DeformableState>().grains.push(grain);
        world
    }

    #[test]
    fn sums_over_grains_are_by_area_and_energies_by_kind() {
        let mut world = triangle();
        let (min, max) = (DVec3::new(0.0, 0.0, -1.0), DVec3::new(5.0, 2.0, 1.0));
        world.walls = vec![Wall::new(0, "", 0, Surface::Box(Cuboid { min, max }))];
        let grain = GrainState {
            mass: 2.0,
            area: 1.0,
            centre: DVec2::new(3.0, 4.0),
            orientation: 0.0,
            momentum: DVec2::new(6.0, 0.0),
            // About the origin: -24 of the orbit, 5 of its own.
            angular_momentum: -19.0,
            kinetic: 11.0,
            elastic: 7.0,
            stress: [-2.0, -4.0, 0.0],
        };
        let other = GrainState { area: 3.0, stress: [1.0, 1.0, 2.0], momentum: DVec2::ZERO, ..grain };
        let felt = Deformation {
            touching: vec![true, false, false],
            grains: vec![grain, GrainState { kinetic: 0.0, angular_momentum: 0.0, ..other }],
            largest_gap: 1e-7,
            largest_pressure: 9.0,
            ..Deformation::default()
        };
        let row = measure_felt(&mut Deformable, &world, felt.clone());
        let at = |name| value(&Deformable, &row, name);
        assert_eq!(at("touching_share"), 1.0 / 3.0);
        assert!((at("solid_fraction") - 0.4).abs() < 1e-9);
        assert_eq!(at("mean_pressure_Pa"), (3.0 - 3.0) / 4.0);
        assert_eq!(at("mean_shear_Pa"), (1.0 + 6.0) / 4.0);
        assert_eq!((at("total_area_m2"), at("mean_area_m2")), (4.0, 2.0));
        let row = measure_felt(&mut Energy, &world, felt.clone());
        let at = |name| value(&Energy, &row, name);
        assert_eq!((at("kinetic_translation_J"), at("kinetic_rotation_J")), (9.0, 2.0));
        // Two of 2 kg at a height of 4 m in the field of the tests, 10 m/s2.
        assert_eq!((at("potential_J"), at("elastic_J")), (160.0, 14.0));
        assert!(at("energy_balance_J").is_nan());
        let row = measure_felt(&mut Momentum, &world, felt);
        let at = |name| value(&Momentum, &row, name);
        assert_eq!((at("momentum_x_kg_m_per_s"), at("centre_of_mass_y_m")), (6.0, 4.0));
        // Both at one place: about it there is only what each has of its own.
        assert!((at("angular_momentum_z_kg_m2_per_s") - 5.0).abs() < 1e-12);
    }

    #[test]
    fn walls_that_close_a_box_have_an_area_and_others_none() {
        let mut world = triangle();
        let plane =
            |point: DVec3, normal: DVec3| Wall::new(0, "", 0, Surface::Plane(Plane { point, normal }));
        world.walls.push(plane(DVec3::ZERO, DVec3::X));
        world.walls.push(plane(DVec3::ZERO, DVec3::Y));
        assert_eq!(enclosed_area(&world), None);
        // The third side of a right-angled triangle.
        world.walls.push(plane(DVec3::new(4.0, 0.0, 0.0), DVec3::new(-3.0, -4.0, 0.0) / 5.0));
        assert!((enclosed_area(&world).unwrap() - 0.5 * 4.0 * 3.0).abs() < 1e-9);
        let (min, max) = (DVec3::new(0.0, 0.0, -1.0), DVec3::new(5.0, 2.0, 1.0));
        world.walls = vec![Wall::new(0, "", 0, Surface::Box(Cuboid { min, max }))];
        assert!((enclosed_area(&world).unwrap() - 10.0).abs() < 1e-9);
    }
}
