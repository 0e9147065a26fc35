//! The part of the world that belongs to a method: contact history, counts, deformable grains.
//!
//! A world has at most one part, whose type is known to its method and to who asks for that type by name. A history of
//! displacements cannot be read as one of impulses, nor can one method's checkpoint be resumed with another. A part says
//! itself what is saved of it (by [`Archive`]) and whether what was read makes sense.

use std::{any::Any, fmt::Debug};

use glam::DVec3;

use crate::{
    Partner, World,
    archive::{Archive, ArchiveReader, ArchiveWriter, Read, Write},
};

/// A method's own state in the world, which is also `Clone`, `PartialEq` and [`Archive`].
pub trait Part: Object + Any + Debug + Send + Sync {
    /// Name of the method that it belongs to.
    fn method(&self) -> &'static str;

    /// Validates it after reading: a part must never make its method panic.
    fn check(&self, _world: &World) -> Result<(), String> {
        Ok(())
    }

    /// The contacts that it remembers.
    fn remembered(&self) -> Box<dyn Iterator<Item = Remembered> + '_> {
        Box::new(std::iter::empty())
    }

    /// Number of its grains, which are not rows of [`crate::Bodies`].
    fn grains(&self) -> usize {
        0
    }

    /// Kinetic energy of these grains, J (in the plane: per metre of depth).
    fn kinetic_energy(&self, _world: &World) -> f64 {
        0.0
    }
}

/// A contact as a world remembers it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Remembered {
    pub body: u64,
    pub partner: Partner,
    /// Which of several contact points of the two.
    pub feature: u32,
    /// On the partner in the last step, N s; `None`: not kept.
    pub impulse: Option<DVec3>,
}

/// Object-safe operations of a part, implemented for all of them.
pub trait Object {
    fn duplicate(&self) -> Box<dyn Part>;
    fn is_equal(&self, other: &dyn Part) -> bool;
    fn write(&self, to: &mut ArchiveWriter) -> Write;
}

impl<T: Part + Archive + Clone + PartialEq> Object for T {
    fn duplicate(&self) -> Box<dyn Part> {
        Box::new(self.clone())
    }

    fn is_equal(&self, other: &dyn Part) -> bool {
        (other as &dyn Any).downcast_ref::<T>() == Some(self)
    }

    fn write(&self, to: &mut ArchiveWriter) -> Write {
        Archive::write(self, to)
    }
}

impl Clone for Box<dyn Part> {
    fn clone(&self) -> Self {
        (**self).duplicate()
    }
}

impl PartialEq for dyn Part {
    fn eq(&self, other: &Self) -> bool {
        self.is_equal(other)
    }
}

/// Reads a part of a known type.
pub fn read<T: Part + Archive>(from: &mut ArchiveReader) -> Read<Box<dyn Part>> {
    Ok(Box::new(T::read(from)?))
}

impl World {
    /// The method's part, if it is of this type.
    pub fn part<T: Part>(&self) -> Option<&T> {
        (self.part.as_deref()? as &dyn Any).downcast_ref()
    }

    pub fn part_mut<T: Part>(&mut self) -> Option<&mut T> {
        (self.part.as_deref_mut()? as &mut dyn Any).downcast_mut()
    }

    /// The method's part, created if the world has none of this type; another method's is dropped.
    pub fn part_or_default<T: Part + Default>(&mut self) -> &mut T {
        if self.part::<T>().is_none() {
            self.part = Some(Box::new(T::default()));
        }
        // One of this type has just been put in, if there was none.
        self.part_mut().unwrap_or_else(|| unreachable!())
    }

    /// Bodies and the grains of the method's part.
    pub fn grain_count(&self) -> usize {
        self.bodies.len() + self.part.as_deref().map_or(0, Part::grains)
    }

    /// The contacts that the method's part remembers.
    pub fn remembered(&self) -> impl Iterator<Item = Remembered> + '_ {
        self.part.iter().flat_map(|part| part.remembered())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::archive_struct;

    #[derive(Debug, Clone, Default, PartialEq)]
    struct Metres {
        value: f64,
    }
    archive_struct!(Metres { value });
    impl Part for Metres {
        fn method(&self) -> &'static str {
            "metres"
        }
    }

    #[derive(Debug, Clone, Default, PartialEq)]
    struct NewtonSeconds {
        value: f64,
    }
    archive_struct!(NewtonSeconds { value });
    impl Part for NewtonSeconds {
        fn method(&self) -> &'static str {
            "newton seconds"
        }
    }

    #[test]
    fn a_part_is_found_by_its_type_alone() {
        let mut world = World::new(1.0);
        assert!(world.part::<Metres>().is_none());
        world.part_or_default::<Metres>().value = 2.0;
        assert_eq!(world.part(), Some(&Metres { value: 2.0 }));
        assert!(world.part::<NewtonSeconds>().is_none() && world.part_mut::<NewtonSeconds>().is_none());
        let copy = world.clone();
        assert_eq!(copy, world);
        world.part_or_default::<Metres>().value = 3.0;
        assert_ne!(copy, world);
        // The same numbers in another unit are not equal.
        world.part = Some(Box::new(NewtonSeconds { value: 2.0 }));
        assert_ne!(copy, world);
    }
}
