//! The trees of the asteroids of a world: they take long to make, and depend on shapes alone.

use std::sync::Arc;

use rubblepile_core::{Error, Mesh, Result, World};

use super::{Facets, SurfaceTree};

/// One tree an asteroid, in the order of the world, and its facets' neighbours if there are solids to touch them.
#[derive(Debug, Default)]
pub struct Surfaces(Vec<(Arc<Mesh>, SurfaceTree, Option<Facets>)>);

impl Surfaces {
    /// Makes the trees that are not there yet; says whether any was.
    pub fn update(&mut self, world: &World) -> bool {
        let known = self.0.len() == world.asteroids.len()
            && self.0.iter().zip(&world.asteroids).all(|(tree, a)| Arc::ptr_eq(&tree.0, &a.mesh))
            && (self.0.iter().all(|s| s.2.is_some()) || world.only_spheres());
        if !known {
            let make = |mesh: &Arc<Mesh>| {
                let facets = (!world.only_spheres()).then(|| Facets::new(mesh.clone()));
                (mesh.clone(), SurfaceTree::new(mesh), facets)
            };
            self.0 = world.asteroids.iter().map(|a| make(&a.mesh)).collect();
        }
        !known
    }

    /// Of the asteroid in this place of the world's list.
    pub fn tree(&self, asteroid: usize) -> &SurfaceTree {
        &self.0[asteroid].1
    }

    /// Of the same, if the world has solids.
    pub fn facets(&self, asteroid: usize) -> Option<&Facets> {
        self.0[asteroid].2.as_ref()
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
