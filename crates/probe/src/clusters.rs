//! Clusters of touching bodies.
//!
//! Two bodies touch if the contact table says so (see [`crate::touching`]), if it has them with a gap below a tolerance, or
//! if they are spheres that near, whether or not the method lists them: a pile at rest has contacts that are open
//! by rounding alone. The tolerance is a part of the smaller radius. Solids are joined by the table alone. Walls join
//! nothing: two heaps on one floor are two.
//!
//! In a periodic box the members of a cluster are put side by side, from the member of the smallest id on; a cluster
//! that goes all through the box has then no size of its own, only one of the cut that was made.

use glam::DVec3;
use rubblepile_core::{Contact, Result, World};
use rubblepile_geometry::find_pairs;

use crate::{no_such_row, sum::reduce, touching::bears};

/// Gap over the smaller radius up to which two spheres count as touching.
pub const TOLERANCE: f64 = 1e-3;

/// Bodies that hang together.
#[derive(Debug, Clone, PartialEq)]
pub struct Cluster {
    /// Rows, in the order of the ids.
    pub rows: Vec<u32>,
    /// Where each of them is, m: its own place, or the image that is next to the others.
    pub position: Vec<DVec3>,
    /// kg
    pub mass: f64,
    /// Centre of mass, m.
    pub centre: DVec3,
    /// Of the centre of mass, in the world's frame, m/s.
    pub velocity: DVec3,
}

/// All clusters, single bodies too: the most massive first, of equal ones the one with the smallest id.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Clusters {
    pub list: Vec<Cluster>,
    /// Which cluster each row is in.
    pub of_row: Vec<u32>,
}

impl Cluster {
    /// Of these rows, as they lie.
    pub fn of(world: &World, rows: Vec<u32>, position: Vec<DVec3>) -> Self {
        let b = &world.bodies;
        let origin = position.first().copied().unwrap_or_default();
        let [mass, x, y, z, px, py, pz] = reduce(rows.len(), |k| {
            let row = rows[k] as usize;
            let (d, p) = (b.mass[row] * (position[k] - origin), b.mass[row] * b.velocity[row]);
            [b.mass[row], d.x, d.y, d.z, p.x, p.y, p.z]
        });
        let over = if mass > 0.0 { 1.0 / mass } else { 0.0 };
        let centre = origin + over * DVec3::new(x, y, z);
        Cluster { rows, position, mass, centre, velocity: over * DVec3::new(px, py, pz) }
    }

    pub fn len(&self) -> usize {
        self.rows.len()
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Ids of the members, rising.
    pub fn ids<'a>(&'a self, world: &'a World) -> impl Iterator<Item = u64> + 'a {
        self.rows.iter().map(|&row| world.bodies.id[row as usize])
    }
}

/// The clusters; `tolerance` is a gap over the smaller radius, [`TOLERANCE`] if nothing is known better.
pub fn clusters(world: &World, contacts: &[Contact], tolerance: f64) -> Result<Clusters> {
    let b = &world.bodies;
    b.check_finite(world.time())?;
    let (start, partner) = neighbours(b.len(), &links(world, contacts, tolerance)?);
    let mut of_row = vec![u32::MAX; b.len()];
    let mut place = b.position.clone();
    let mut list = Vec::new();
    for first in b.rows_by_id() {
        if of_row[first as usize] != u32::MAX {
            continue;
        }
        of_row[first as usize] = list.len() as u32;
        let mut rows = vec![first];
        let mut next = 0;
        while next < rows.len() {
            let row = rows[next] as usize;
            next += 1;
            for &other in &partner[start[row]..start[row + 1]] {
                let k = other as usize;
                if of_row[k] == u32::MAX {
                    of_row[k] = list.len() as u32;
                    // What needs no image keeps its place to the last bit.
                    let d = b.position[k] - place[row];
                    let near = world.domain.shortest(d);
                    if near != d {
                        place[k] = place[row] + near;
                    }
                    rows.push(other);
                }
            }
        }
        rows.sort_unstable_by_key(|&row| b.id[row as usize]);
        let position = rows.iter().map(|&row| place[row as usize]).collect();
        list.push(Cluster::of(world, rows, position));
    }
    // Stable, and the smallest ids came first.
    let mut order: Vec<usize> = (0..list.len()).collect();
    order.sort_by(|&i, &j| list[j].mass.total_cmp(&list[i].mass));
    let mut rank = vec![0u32; list.len()];
    order.iter().enumerate().for_each(|(k, &old)| rank[old] = k as u32);
    of_row.iter_mut().for_each(|c| *c = rank[*c as usize]);
    let mut old: Vec<Option<Cluster>> = list.into_iter().map(Some).collect();
    Ok(Clusters { list: order.into_iter().filter_map(|k| old[k].take()).collect(), of_row })
}

/// Every two that touch, in no order, some more than once.
fn links(world: &World, contacts: &[Contact], tolerance: f64) -> Result<Vec<(u32, u32)>> {
    let b = &world.bodies;
    let reach = |i: usize, j: usize| tolerance * b.radius[i].min(b.radius[j]);
    let mut links = Vec::new();
    for c in contacts {
        let Some(partner) = c.partner_row else { continue };
        for row in [c.row, partner] {
            if row as usize >= b.len() {
                return Err(no_such_row(world, row));
            }
        }
        if bears(c) || c.overlap >= -reach(c.row as usize, partner as usize) {
            links.push((c.row, partner));
        }
    }
    let spheres: Vec<u32> = (0..b.len() as u32).filter(|&k| world.solid(k as usize).is_none()).collect();
    let position: Vec<DVec3> = spheres.iter().map(|&k| b.position[k as usize]).collect();
    let radius: Vec<f64> = spheres.iter().map(|&k| b.radius[k as usize]).collect();
    let margin = tolerance * radius.iter().copied().fold(0.0, f64::max);
    let near = find_pairs(&position, &radius, margin, &world.domain);
    for (k, &i) in spheres.iter().enumerate() {
        for &other in near.of(k) {
            let j = spheres[other as usize];
            let (ri, rj) = (b.radius[i as usize], b.radius[j as usize]);
            let d = world.domain.shortest(b.position[j as usize] - b.position[i as usize]).length();
            if d <= ri + rj + reach(i as usize, j as usize) {
                links.push((i, j));
            }
        }
    }
    Ok(links)
}

/// The links by row: those of `row` are `partner[start[row]..start[row + 1]]`, rising.
fn neighbours(n: usize, links: &[(u32, u32)]) -> (Vec<usize>, Vec<u32>) {
    let mut ends: Vec<(u32, u32)> = links.iter().flat_map(|&(i, j)| [(i, j), (j, i)]).collect();
    ends.sort_unstable();
    ends.dedup();
    let mut start = vec![0usize; n + 1];
    ends.iter().for_each(|&(i, _)| start[i as usize + 1] += 1);
    for k in 0..n {
        start[k + 1] += start[k];
    }
    (start, ends.into_iter().map(|(_, j)| j).collect())
}

#[cfg(test)]
mod tests {
    use rubblepile_core::{Domain, Rng};

    use super::*;
    use crate::testing::{boxes, cloud, contact, world};

    fn line(x: &[f64]) -> World {
        world(&x.iter().map(|&x| (DVec3::new(x, 0.0, 0.0), 1.0)).collect::<Vec<_>>())
    }

    fn ids(w: &World, c: &Clusters) -> Vec<Vec<u64>> {
        c.list.iter().map(|k| k.ids(w).collect()).collect()
    }

    #[test]
    fn near_spheres_hang_together_and_the_heaviest_come_first() {
        // 0 alone; 1, 2 and 3 touch, within the tolerance; 4 and 5 overlap.
        let w = line(&[-10.0, 0.0, 2.0005, 3.9, 20.0, 21.9]);
        let c = clusters(&w, &[], TOLERANCE).expect("clusters");
        assert_eq!(ids(&w, &c), [vec![1, 2, 3], vec![4, 5], vec![0]]);
        assert_eq!(c.of_row, [2, 0, 0, 0, 1, 1]);
        assert!((c.list[1].centre.x - 20.95).abs() < 1e-12);
        let tight = clusters(&w, &[], 1e-4).expect("clusters");
        assert_eq!(ids(&w, &tight), [vec![2, 3], vec![4, 5], vec![0], vec![1]]);
    }

    #[test]
    fn solids_are_joined_by_the_table_alone() {
        let w = boxes(&[(DVec3::ZERO, 0.0), (DVec3::X * 2.0, 0.0), (DVec3::X * 4.0, 0.0)]);
        assert_eq!(clusters(&w, &[], TOLERANCE).expect("clusters").list.len(), 3);
        let watched = contact(0, Some(1), DVec3::X, -0.1);
        let held = Contact { force: DVec3::X, ..contact(2, Some(1), -DVec3::X, -0.1) };
        let c = clusters(&w, &[watched, held], TOLERANCE).expect("clusters");
        assert_eq!(ids(&w, &c), [vec![1, 2], vec![0]]);
        assert!(clusters(&w, &[contact(0, Some(9), DVec3::X, 0.0)], TOLERANCE).is_err());
    }

    #[test]
    fn across_the_side_of_a_periodic_box() {
        let mut w = line(&[0.5, 9.0, 7.5]);
        w.domain = Domain::Periodic { min: DVec3::ZERO, max: DVec3::splat(10.0), axes: [true; 3] };
        let c = clusters(&w, &[], TOLERANCE).expect("clusters");
        assert_eq!(c.list.len(), 1);
        let x: Vec<f64> = c.list[0].position.iter().map(|p| p.x).collect();
        assert_eq!(x, [0.5, -1.0, -2.5]);
        assert!((c.list[0].centre.x + 1.0).abs() < 1e-12);
    }

    #[test]
    fn the_order_of_rows_does_not_matter() {
        let mut w = cloud(2000, 4);
        let before = clusters(&w, &[], TOLERANCE).expect("clusters");
        assert!(before.list.len() > 50 && before.list[0].len() > 3);
        let members = ids(&w, &before);
        let mut order: Vec<u32> = (0..w.bodies.len() as u32).collect();
        let mut rng = Rng::new(8);
        order.sort_by_cached_key(|_| rng.uniform().to_bits());
        w.permute(&order);
        let after = clusters(&w, &[], TOLERANCE).expect("clusters");
        assert_eq!(ids(&w, &after), members);
        assert_eq!(after.list[0].centre, before.list[0].centre);
    }

    #[test]
    fn nothing_and_what_is_no_number() {
        assert_eq!(clusters(&world(&[]), &[], TOLERANCE).expect("clusters"), Clusters::default());
        let mut w = line(&[0.0, 1.0]);
        w.bodies.position[1].z = f64::INFINITY;
        assert!(clusters(&w, &[], TOLERANCE).is_err_and(|e| e.to_string().contains("body 1")));
    }
}
