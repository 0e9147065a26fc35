//! Pairs of boulders as in a packed pile, to measure the speed of contact.

use std::sync::Arc;

use glam::{DQuat, DVec3};
use rubblepile_core::Rng;
use rubblepile_geometry::{
    contact::{Hull, Placed, Proximity, hulls},
    solid::random_boulder,
};

/// Shapes among which pairs are drawn.
const SHAPES: usize = 64;
/// Of the radius: how far apart or how deep the pairs are that touch, and the margin.
const TOUCHING: f64 = 1e-3;

/// Placed hulls and pairs of them.
#[derive(Debug, Clone)]
pub struct SamplePairs {
    pub placed: Vec<Placed>,
    pub pairs: Vec<[u32; 2]>,
    pub margin: f64,
}

impl SamplePairs {
    /// How many of the pairs are within the margin.
    pub fn near(&self) -> usize {
        let near = |[i, j]: &[u32; 2]| self.touch(*i, *j);
        self.pairs.iter().filter(|p| matches!(near(p), Proximity::Near(_))).count()
    }

    pub fn touch(&self, i: u32, j: u32) -> Proximity {
        hulls(&self.placed[i as usize], &self.placed[j as usize], self.margin)
    }
}

/// Pairs of random boulders of radius 1 whose bounding spheres overlap. Two of five touch: gaps are uniform within
/// +- 0.001 of the radius, and the margin is 0.001. The others are at distances uniform between that margin and where
/// the spheres part.
pub fn sample_pairs(count: usize, vertices: u32, seed: u64) -> SamplePairs {
    let mut rng = Rng::stream(seed, "polyhedron pairs");
    let shapes: Vec<Arc<Hull>> =
        std::iter::repeat_with(|| Hull::new(&random_boulder(vertices, &mut rng).parts[0]))
            .flatten()
            .take(SHAPES)
            .map(Arc::new)
            .collect();
    let mut sample =
        SamplePairs { placed: Vec::with_capacity(2 * count), pairs: Vec::new(), margin: TOUCHING };
    for k in 0..count as u32 {
        let mut boulder = || {
            let hull = shapes[rng.next_u64() as usize % SHAPES].clone();
            let turn = DQuat::from_axis_angle(rng.direction(), rng.range(0.0, std::f64::consts::TAU));
            (Placed::new(hull, DVec3::ZERO, turn), turn)
        };
        let ((a, _), (mut b, turn)) = (boulder(), boulder());
        let direction = rng.direction();
        // The gap along the direction grows with the distance: bisection finds where it is as asked.
        let touching = k % 5 < 2;
        let gap = rng.range(-TOUCHING, TOUCHING);
        let (mut low, mut high) = (0.0, 2.1);
        for _ in 0..50 {
            let middle = 0.5 * (low + high);
            b.place(middle * direction, turn);
            let apart = match hulls(&a, &b, 2.0 * TOUCHING) {
                Proximity::Apart(_) => true,
                Proximity::Near(m) => {
                    m.points.first().is_none_or(|p| p.gap > if touching { gap } else { TOUCHING })
                }
            };
            if apart { high = middle } else { low = middle }
        }
        let part = rng.uniform();
        let distance = if touching { high } else { high + part * (2.0 - high).max(0.0) };
        b.place(distance * direction, turn);
        sample.placed.extend([a, b]);
        sample.pairs.push([2 * k, 2 * k + 1]);
    }
    sample
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_of_five_pairs_touch() {
        let near = sample_pairs(400, 20, 7).near();
        assert!((140..=180).contains(&near), "{near} of 400");
    }
}
