//! The contact table: where bodies touch now, with the forces of the last step. It is made from the world and the
//! remembered impulses alone, so that it is the same after a restart.

use glam::DVec3;
use rubblepile_core::{Contact, Partner, Result, SurfaceRef, World};
use rubblepile_geometry::mesh::Surfaces;

use crate::{
    Settings,
    candidates::Candidates,
    detection::{self, ContactPoint, Counterpart, DetectionInput, DetectionRange},
    parts::PlacedParts,
    step::{Workspace, poses, sift},
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
    let reach = DetectionRange::of_step(settings, h);
    let poses = poses(world, world.time());
    let parts = PlacedParts::new(world)?;
    let mut candidates = Candidates::default();
    candidates.update(world, &reach, &live.laws);
    let input = DetectionInput { world, laws: &live.laws, reach, parts: &parts, poses: &poses, surfaces };
    let mut contacts = detection::find(&input, &mut candidates);
    sift(world, &live.held, &mut contacts, 0.0);
    let impulses = live.previous.matched(&contacts);
    let table = contacts
        .iter()
        .zip(impulses)
        .filter(|(contact, warm)| warm.impulse != DVec3::ZERO || contact.gap <= 0.0)
        .map(|(contact, warm)| {
            // The remembered impulse is what the solver gave; cohesion pulls in addition.
            let pull = live.laws[contact.law as usize].pull(contact);
            let force = warm.impulse / h - pull * contact.normal;
            row_of(world, surfaces, contact, force, warm.torque / h)
        })
        .collect();
    Ok(table)
}

/// The row of the table for a contact point that pushes its partner with this force and this torque.
pub fn row_of(
    world: &World,
    surfaces: &Surfaces,
    contact: &ContactPoint,
    push: DVec3,
    torque: DVec3,
) -> Contact {
    let b = &world.bodies;
    let i = contact.row as usize;
    let (partner_row, partner, branch) = match contact.partner {
        Counterpart::Body { row, image } => {
            let j = row as usize;
            (Some(row), Partner::Body(b.id[j]), b.position[i] - (b.position[j] + image))
        }
        Counterpart::Surface { surface, face, .. } => {
            let face = facet_below(world, surfaces, surface, contact).unwrap_or(face);
            (None, world.partner_at(surface, face), b.position[i] - contact.point)
        }
    };
    Contact {
        row: contact.row,
        partner_row,
        body: b.id[i],
        partner,
        feature: contact.feature,
        point: contact.point,
        normal: contact.normal,
        overlap: -contact.gap,
        force: -push,
        torque: -torque,
        branch,
        elastic: 0.0,
    }
}

/// The facet of an asteroid that a solid touches: what is remembered says only which flat stretch it belongs to.
fn facet_below(
    world: &World,
    surfaces: &Surfaces,
    surface: SurfaceRef,
    contact: &ContactPoint,
) -> Option<u32> {
    let asteroid = surface.asteroid()?;
    if world.bodies.shape[contact.row as usize] == 0 {
        return None;
    }
    let x = world.asteroids[asteroid].pose().to_local(contact.point);
    surfaces.tree(asteroid).nearest(x).map(|near| near.triangle)
}
