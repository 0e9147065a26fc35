//! The contacts of a world without its method, such as that of a checkpoint, from the contact history.
//!
//! What a world remembers of its contacts ([`rubblepile_core::part`]) names the bodies, and in contact dynamics the impulses of the
//! last step. Two spheres have the overlap of where they are; every other contact that is remembered counts as
//! touching (contact dynamics remembers only those that bear a load). Points, normals and torques are not known. Forces
//! are those of the impulses, without what cohesion adds, and zero in other methods; a wall's have no branch, and so
//! no part in a stress.

use std::collections::HashMap;

use glam::DVec3;
use rubblepile_core::{Contact, Partner, World, part::Remembered};

/// The contact table as far as it can be known. Contacts of bodies that are gone are left out.
pub fn remembered_contacts(world: &World) -> Vec<Contact> {
    let b = &world.bodies;
    let row: HashMap<u64, u32> = b.id.iter().copied().zip(0..).collect();
    let per_step = if world.clock.timestep > 0.0 { 1.0 / world.clock.timestep } else { 0.0 };
    let contact = |h: Remembered| {
        let own = *row.get(&h.body)?;
        let i = own as usize;
        let other = match h.partner {
            Partner::Body(id) => Some(*row.get(&id)?),
            Partner::Wall { .. } | Partner::Asteroid { .. } => None,
        };
        let d = other.map(|j| world.domain.shortest(b.position[j as usize] - b.position[i]));
        let both_spheres = |j: u32| world.solid(i).is_none() && world.solid(j as usize).is_none();
        let overlap = match (other, d) {
            (Some(j), Some(d)) if both_spheres(j) => b.radius[i] + b.radius[j as usize] - d.length(),
            _ => 0.0,
        };
        Some(Contact {
            row: own,
            partner_row: other,
            body: h.body,
            partner: h.partner,
            feature: h.feature,
            point: b.position[i],
            normal: d.map_or(DVec3::ZERO, DVec3::normalize_or_zero),
            overlap,
            force: h.impulse.map_or(DVec3::ZERO, |p| -per_step * p),
            torque: DVec3::ZERO,
            branch: -d.unwrap_or(DVec3::ZERO),
            elastic: 0.0,
        })
    };
    world.remembered().filter_map(contact).collect()
}

#[cfg(test)]
mod tests {
    use rubblepile_nonsmooth::{ImpulseHistory, NonsmoothState};
    use rubblepile_soft::{SoftState, SpringHistory};

    use super::*;
    use crate::{
        aggregates,
        testing::{boxes, world},
    };

    fn impulses(list: &[(u64, Partner, DVec3)]) -> Box<NonsmoothState> {
        let one = |&(body, partner, impulse): &(u64, Partner, DVec3)| ImpulseHistory {
            body,
            partner,
            feature: 0,
            impulse,
            angular_impulse: DVec3::ZERO,
        };
        Box::new(NonsmoothState { contacts: list.iter().map(one).collect(), ..Default::default() })
    }

    fn springs(list: &[(u64, Partner, DVec3)]) -> Box<SoftState> {
        let one = |&(body, partner, sliding): &(u64, Partner, DVec3)| SpringHistory {
            body,
            partner,
            sliding,
            rolling: DVec3::ZERO,
            twisting: 0.0,
            share: 0.0,
        };
        Box::new(SoftState { contacts: list.iter().map(one).collect() })
    }

    #[test]
    fn impulses_become_a_pressure_whatever_the_rows() {
        let mut w = boxes(&[(DVec3::ZERO, 0.0), (DVec3::X * 2.0, 0.0)]);
        w.clock.timestep = 0.5;
        // Body 0 pushes body 1 away, 3 N s in a step of 0.5 s: 6 N over a branch of 2 m.
        let list = [(0, Partner::Body(1), DVec3::X * 3.0), (0, Partner::Body(7), DVec3::X)];
        w.part = Some(impulses(&list));
        w.permute(&[1, 0]);
        let table = remembered_contacts(&w);
        assert_eq!((table.len(), table[0].row, table[0].partner_row), (1, 1, Some(0)));
        let all = aggregates(&w, &table).expect("aggregates");
        assert_eq!(all[0].rows.len(), 2);
        assert!((all[0].pressure * all[0].sphere.volume() - 12.0 / 3.0).abs() < 1e-12);
        // Displacements of springs are no impulses.
        w.part = Some(springs(&list));
        assert_eq!(aggregates(&w, &remembered_contacts(&w)).expect("aggregates")[0].pressure, 0.0);
    }

    #[test]
    fn spheres_touch_only_if_they_do() {
        let mut w = world(&[(DVec3::ZERO, 1.0), (DVec3::X * 2.5, 1.0), (DVec3::X * 4.0, 1.0)]);
        w.part = Some(springs(&[
            (0, Partner::Body(1), DVec3::ZERO),
            (1, Partner::Body(2), DVec3::ZERO),
            (2, Partner::Wall { wall: 0, face: 3 }, DVec3::ZERO),
        ]));
        let table = remembered_contacts(&w);
        assert!((table[0].overlap + 0.5).abs() < 1e-15 && (table[1].overlap - 0.5).abs() < 1e-15);
        let all = aggregates(&w, &table).expect("aggregates");
        assert_eq!((all.len(), all[0].rows.as_slice()), (1, [1u32, 2].as_slice()));
        assert_eq!(all[0].coordination, 1.0);
    }
}
