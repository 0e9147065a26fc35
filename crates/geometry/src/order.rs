//! Order in space: bodies near each other get rows near each other, along a Hilbert curve, so that what touches
//! shares cache lines and blocks of rows are compact.

use glam::DVec3;
use rubblepile_core::{Domain, World};

/// Bits of the curve along each axis.
const BITS: u32 = 16;

/// Sorts the bodies of a world along the curve, after wrapping those that have left a periodic box; the order, if they were
/// not sorted already.
pub fn sort_bodies(world: &mut World) -> Option<Vec<u32>> {
    if let Domain::Periodic { .. } = world.domain {
        for x in &mut world.bodies.position {
            *x = world.domain.wrap(*x);
        }
    }
    let bodies = &world.bodies;
    let largest = bodies.radius.iter().copied().fold(0.0, f64::max);
    let order = along_hilbert_curve(&bodies.position, &bodies.id, 2.0 * largest);
    if order.iter().enumerate().all(|(k, &o)| k as u32 == o) {
        return None;
    }
    world.permute(&order);
    Some(order)
}

/// The rows in the order of the curve: `order[k]` is the present row of the body that comes to row `k`. Ties keep
/// the order of the ids. `cell` is the size below which order does not matter (a grain's diameter).
pub fn along_hilbert_curve(position: &[DVec3], id: &[u64], cell: f64) -> Vec<u32> {
    let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for &x in position {
        low = low.min(x);
        high = high.max(x);
    }
    // Bodies far away must not make the cells of the rest coarser than they need to be: the curve covers at most
    // 2^16 cells a side about the median body, and what lies outside is put at its border.
    let side = (high - low).max_element();
    let extent = cell * f64::from(1u32 << BITS);
    let (origin, size) = if side > extent {
        (median(position) - DVec3::splat(0.5 * extent), cell)
    } else {
        (low, (side / f64::from(1u32 << BITS)).max(f64::MIN_POSITIVE))
    };
    let top = f64::from((1u32 << BITS) - 1);
    let mut keyed: Vec<(u64, u64, u32)> = position
        .iter()
        .enumerate()
        .map(|(k, &x)| {
            let c = ((x - origin) / size).clamp(DVec3::ZERO, DVec3::splat(top));
            (hilbert([c.x as u32, c.y as u32, c.z as u32]), id[k], k as u32)
        })
        .collect();
    keyed.sort_unstable();
    keyed.into_iter().map(|(_, _, k)| k).collect()
}

/// The middle value along each axis.
fn median(position: &[DVec3]) -> DVec3 {
    DVec3::from_array(std::array::from_fn(|axis| {
        let mut values: Vec<f64> = position.iter().map(|x| x[axis]).collect();
        let middle = values.len() / 2;
        *values.select_nth_unstable_by(middle, f64::total_cmp).1
    }))
}

/// Distance along the curve of the cell `c`, by the transposition of Skilling (2004).
fn hilbert(mut c: [u32; 3]) -> u64 {
    let mut q = 1u32 << (BITS - 1);
    while q > 1 {
        let p = q - 1;
        for i in 0..3 {
            if c[i] & q != 0 {
                c[0] ^= p;
            } else {
                let t = (c[0] ^ c[i]) & p;
                c[0] ^= t;
                c[i] ^= t;
            }
        }
        q >>= 1;
    }
    c[1] ^= c[0];
    c[2] ^= c[1];
    let mut t = 0;
    let mut q = 1u32 << (BITS - 1);
    while q > 1 {
        if c[2] & q != 0 {
            t ^= q - 1;
        }
        q >>= 1;
    }
    let mut key = 0u64;
    for b in (0..BITS).rev() {
        for x in c {
            key = (key << 1) | u64::from(((x ^ t) >> b) & 1);
        }
    }
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_on_the_curve_are_neighbours_in_space() {
        let n = 16usize;
        let mut position = Vec::new();
        for x in 0..n {
            for y in 0..n {
                for z in 0..n {
                    position.push(DVec3::new(x as f64 + 0.5, y as f64 + 0.5, z as f64 + 0.5));
                }
            }
        }
        // A corner point makes the extent a power of two of the spacing.
        position.push(DVec3::ZERO);
        position.push(DVec3::splat(n as f64));
        let id: Vec<u64> = (0..position.len() as u64).collect();
        let order = along_hilbert_curve(&position, &id, 1.0);
        let line: Vec<DVec3> =
            order.iter().map(|&k| position[k as usize]).filter(|x| x.x.fract() == 0.5).collect();
        for pair in line.windows(2) {
            assert!((pair[1] - pair[0]).length() < 1.0 + 1e-9);
        }
    }

    #[test]
    fn one_body_far_away_does_not_spoil_the_order() {
        let mut position: Vec<DVec3> = (0..64).map(|k| DVec3::new(f64::from(k), 0.0, 0.0)).rev().collect();
        position.push(DVec3::splat(1e12));
        let id: Vec<u64> = (0..65).collect();
        let order = along_hilbert_curve(&position, &id, 1.0);
        let line: Vec<f64> = order.iter().map(|&k| position[k as usize].x).filter(|&x| x < 64.0).collect();
        let jumps = line.windows(2).filter(|p| (p[1] - p[0]).abs() > 1.5).count();
        assert!(jumps <= 8, "{line:?}");
    }
}
