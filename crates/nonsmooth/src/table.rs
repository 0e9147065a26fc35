//! The contact table: where bodies touch now, with the forces of the last step. It is made from the world and the
//! remembered impulses alone, so that it is the same after a restart.

use glam::DVec3;
use rubblepile_core::{Contact, Partner, Result, SurfaceRef, World};
use rubblepile_geometry::mesh::Surfaces;

use crate::{
    Settings,
    near::Candidates,
    rocks::PlacedParts,
    spots::{self, Counterpart, DetectionInput, DetectionRange, Spot},
    step::{Workspace, poses},
};

/// Contacts that bear a force or whose bodies overlap, in the order of the rows.
pub fn contacts(
    world: &World,
    live: &Workspace,
    surfaces: &Surfaces,
    settings: &Settings,
) -> Result<Vec<Contact>> {
    let h = world.clock.timestep;
    // As far as the step looks: a point that bore an impulse is still within it.
    let reach = DetectionRange { margin: settings.margin.value(), ahead: h };
    let poses = poses(world, world.time());
    let rocks = PlacedParts::new(world)?;
    let mut near = Candidates::default();
    near.update(world, &reach, &live.laws);
    let scene = DetectionInput { world, laws: &live.laws, reach, rocks: &rocks, poses: &poses, surfaces };
    let spots = spots::find(&scene, &mut near);
    let impulses = live.memory.matched(&spots);
    let table = spots
        .iter()
        .zip(impulses)
        .filter(|(spot, warm)| warm.impulse != DVec3::ZERO || spot.gap <= 0.0)
        .map(|(spot, warm)| {
            // The remembered impulse is what the solver gave; cohesion pulls besides.
            let pull = live.laws[spot.law as usize].pull(spot);
            let force = warm.impulse / h - pull * spot.normal;
            contact(world, surfaces, spot, force, warm.torque / h)
        })
        .collect();
    Ok(table)
}

fn contact(world: &World, surfaces: &Surfaces, spot: &Spot, push: DVec3, torque: DVec3) -> Contact {
    let b = &world.bodies;
    let i = spot.row as usize;
    let (partner_row, partner, branch) = match spot.partner {
        Counterpart::Body { row, image } => {
            let j = row as usize;
            (Some(row), Partner::Body(b.id[j]), b.position[i] - (b.position[j] + image))
        }
        Counterpart::Surface { surface, face, .. } => {
            let face = facet_below(world, surfaces, surface, spot).unwrap_or(face);
            (None, world.partner_at(surface, face), b.position[i] - spot.point)
        }
    };
    Contact {
        row: spot.row,
        partner_row,
        body: b.id[i],
        partner,
        feature: spot.feature,
        point: spot.point,
        normal: spot.normal,
        overlap: -spot.gap,
        force: -push,
        torque: -torque,
        branch,
        elastic: 0.0,
    }
}

/// The facet of an asteroid that a solid touches: what is remembered says only which flat stretch it belongs to.
fn facet_below(world: &World, surfaces: &Surfaces, surface: SurfaceRef, spot: &Spot) -> Option<u32> {
    let asteroid = surface.asteroid()?;
    if world.bodies.shape[spot.row as usize] == 0 {
        return None;
    }
    let x = world.asteroids[asteroid].pose().to_local(spot.point);
    surfaces.tree(asteroid).nearest(x).map(|near| near.triangle)
}
