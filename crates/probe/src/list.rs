//! The probes that need no more than a name.

use rubblepile_core::Probe;

use crate::{
    Aggregates, Collisions, Coordination, Deformable, Energy, Momentum, Overlap, Packing, Porosity, Stress,
};

/// A probe by its name in a scenario.
pub struct Entry {
    pub name: &'static str,
    /// One line for `--help` and the book.
    pub about: &'static str,
    /// Whether `World::keep_dissipation` must be set for all its columns to have values.
    pub needs_dissipation: bool,
    pub make: fn() -> Box<dyn Probe>,
}

pub const ALL: &[Entry] = &[
    Entry {
        name: "energy",
        about: "kinetic, potential and elastic energy, heat by cause, work of walls, and their balance",
        needs_dissipation: true,
        make: || Box::new(Energy),
    },
    Entry {
        name: "momentum",
        about: "linear momentum, angular momentum about the centre of mass, centre of mass",
        needs_dissipation: false,
        make: || Box::new(Momentum),
    },
    Entry {
        name: "contacts",
        about: "numbers of contacts, coordination number with and without rattlers",
        needs_dissipation: false,
        make: || Box::new(Coordination),
    },
    Entry {
        name: "overlap",
        about: "largest and mean overlap over radius",
        needs_dissipation: false,
        make: || Box::new(Overlap),
    },
    Entry {
        name: "packing",
        about: "smallest enclosing sphere and packing fraction",
        needs_dissipation: false,
        make: || Box::new(Packing::default()),
    },
    Entry {
        name: "stress",
        about: "mean stress tensor and pressure from the contacts",
        needs_dissipation: false,
        make: || Box::new(Stress::default()),
    },
    Entry {
        name: "aggregates",
        about: "clusters of touching bodies; size, load, shape and rotation of the largest; binaries",
        needs_dissipation: false,
        make: || Box::new(Aggregates::default()),
    },
    Entry {
        name: "porosity",
        about: "alpha shape of the largest cluster: volume, bulk density, porosity",
        needs_dissipation: false,
        make: || Box::new(Porosity::default()),
    },
    Entry {
        name: "collisions",
        about: "of hard spheres: collisions so far and per second, what walls have taken",
        needs_dissipation: false,
        make: || Box::new(Collisions::default()),
    },
    Entry {
        name: "deformable",
        about: "of deformable grains: share of outlines that touches, solid fraction, pressure, area",
        needs_dissipation: false,
        make: || Box::new(Deformable),
    },
];

/// The probe of this name.
pub fn by_name(name: &str) -> Option<&'static Entry> {
    ALL.iter().find(|e| e.name == name)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::testing::{cloud, measure};

    #[test]
    fn columns_are_distinct_and_all_are_measured() {
        let w = cloud(100, 9);
        let mut names = BTreeSet::new();
        for entry in ALL {
            let mut probe = (entry.make)();
            measure(probe.as_mut(), &w, Vec::new());
            for column in probe.columns() {
                assert!(names.insert(column.clone()), "{column} is there twice");
            }
            assert!(by_name(entry.name).is_some());
        }
        assert!(by_name("entropy").is_none());
    }
}
