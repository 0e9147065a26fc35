//! The trees of the asteroids of a world: they take long to make, and depend on shapes alone. And whether asteroids touch.

use std::sync::Arc;

use glam::{DQuat, DVec3};
use rubblepile_core::{Asteroid, Error, Mesh, Result, World};

use super::{Facets, SurfaceTree, gap};

/// One tree an asteroid, in the order of the world, and its facets' neighbours if there are solids to touch them.
#[derive(Debug, Default)]
pub struct Surfaces {
    list: Vec<(Arc<Mesh>, SurfaceTree, Option<Facets>)>,
    /// When pairs of asteroids were last compared.
    apart: Vec<Apart>,
}

/// Two asteroids that were a distance apart, and how they were then: that says how near they can be now.
#[derive(Debug)]
struct Apart {
    pair: [usize; 2],
    gap: f64,
    between: DVec3,
    orientation: [DQuat; 2],
}

impl Apart {
    /// At most how far the surfaces have moved towards each other, m.
    fn moved(&self, a: &Asteroid, b: &Asteroid) -> f64 {
        let turned =
            |k: usize, now: &Asteroid| self.orientation[k].angle_between(now.orientation) * now.radius;
        (b.position - a.position).distance(self.between) + turned(0, a) + turned(1, b)
    }
}

impl Surfaces {
    /// Makes the trees that are not there yet; says whether any was.
    pub fn update(&mut self, world: &World) -> bool {
        let known = self.list.len() == world.asteroids.len()
            && self.list.iter().zip(&world.asteroids).all(|(tree, a)| Arc::ptr_eq(&tree.0, &a.mesh))
            && (self.list.iter().all(|s| s.2.is_some()) || world.only_spheres());
        if !known {
            let make = |mesh: &Arc<Mesh>| {
                let facets = (!world.only_spheres()).then(|| Facets::new(mesh.clone()));
                (mesh.clone(), SurfaceTree::new(mesh), facets)
            };
            self.apart.clear();
            self.list = world.asteroids.iter().map(|a| make(&a.mesh)).collect();
        }
        !known
    }

    /// Of the asteroid in this place of the world's list.
    pub fn tree(&self, asteroid: usize) -> &SurfaceTree {
        &self.list[asteroid].1
    }

    /// Of the same, if the world has solids.
    pub fn facets(&self, asteroid: usize) -> Option<&Facets> {
        self.list[asteroid].2.as_ref()
    }

    /// Two asteroids that touch, as an error: their contact is not resolved. The trees must be up to date.
    pub fn check_apart(&mut self, world: &World) -> Result<()> {
        let all = &world.asteroids;
        for (i, a) in all.iter().enumerate() {
            for (j, b) in all.iter().enumerate().skip(i + 1) {
                let between = b.position - a.position;
                if between.length() > a.radius + b.radius {
                    continue;
                }
                let known = self.apart.iter().position(|apart| apart.pair == [i, j]);
                if known.is_some_and(|k| self.apart[k].moved(a, b) < self.apart[k].gap) {
                    continue;
                }
                let gap = gap((a, self.tree(i)), (b, self.tree(j)));
                if gap <= 0.0 {
                    let names = [a, b].map(|asteroid| asteroid.name.clone());
                    return Err(Error::AsteroidsTouch { names, time: world.time() });
                }
                let orientation = [a.orientation, b.orientation];
                let apart = Apart { pair: [i, j], gap, between, orientation };
                match known {
                    Some(k) => self.apart[k] = apart,
                    None => self.apart.push(apart),
                }
            }
        }
        Ok(())
    }

    /// A body whose centre is inside an asteroid, as an error that names it.
    pub fn check_outside(&self, world: &World) -> Result<()> {
        for (k, asteroid) in world.asteroids.iter().enumerate() {
            let pose = asteroid.pose();
            for (row, x) in world.bodies.position.iter().enumerate() {
                let x = pose.to_local(*x);
                let near = x.length() <= asteroid.radius;
                if near && self.tree(k).nearest(x).is_some_and(|n| n.distance < 0.0) {
                    let (id, asteroid) = (world.bodies.id[row], asteroid.name.clone());
                    return Err(Error::Inside { id, asteroid, time: world.time() });
                }
            }
        }
        Ok(())
    }
}
