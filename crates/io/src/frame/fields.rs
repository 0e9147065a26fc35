//! The datasets of a frame: their names, units and what they mean.

use crate::reference::Entry;

/// A module with a constant for each name, and the list of all.
macro_rules! fields {
    ($(#[$doc:meta])* $list:ident { $($field:ident = $name:literal, $unit:literal, $definition:literal;)* }) => {
        $(#[$doc])*
        pub mod $list {
            use super::Entry;
            $(pub const $field: &str = $name;)*
            pub const ALL: &[Entry] = &[$(Entry::new($name, $unit, $definition)),*];
        }
    };
}

fields! {
    /// One value per body.
    bodies {
        POINTS = "Points", "m", "Positions of the centres of mass";
        VELOCITY = "velocity", "m/s", "Velocity of the centre of mass";
        SPIN = "spin", "rad/s", "Angular velocity";
        ORIENTATION = "orientation", "",
            "Quaternion (w, x, y, z) that rotates the axes of the body's shape into those of the frame";
        SHAPE = "shape", "", "Number of the shape in frames/shapes.h5; 0 is the sphere";
        RADIUS = "radius", "m", "Radius of the sphere, or of the sphere around all vertices";
        MASS = "mass", "kg", "Mass of the body";
        ID = "id", "", "Number of the body, the same in all frames";
        GROUP = "group", "", "Number of the group in `groups` of `about`, from 0";
        MATERIAL = "material", "", "Number of the material in `materials` of `about`, from 0";
        CONTACTS = "contacts", "", "Contacts of the body with bodies, walls and asteroids";
        BODY_POSITION = "body_position", "m",
            "Position in the frame of the first asteroid; with `frame = \"both\"` only";
        BODY_VELOCITY = "body_velocity", "m/s",
            "Velocity in the frame of the first asteroid, which moves and rotates; with `frame = \"both\"` only";
    }
}

fields! {
    /// One value per frame, or per asteroid.
    world {
        TIME = "time", "s", "Simulated time";
        STEP = "step", "", "Number of the step";
        ASTEROID_POSITION = "asteroid_position", "m", "Centre of mass of each asteroid, in the frame of the world";
        ASTEROID_ORIENTATION = "asteroid_orientation", "",
            "Quaternion (w, x, y, z) that rotates the asteroid's own axes, those of its OBJ file, into those of the world";
        ASTEROID_SPIN = "asteroid_spin", "rad/s", "Angular velocity of each asteroid, in the frame of the world";
    }
}

fields! {
    /// One value per node of a deformable grain.
    nodes {
        POINTS = "Points", "m", "Positions of the nodes; z is 0";
        DISPLACEMENT = "displacement", "m", "Position less that in the undeformed grain";
        VELOCITY = "velocity", "m/s", "Velocity of the node";
        ACCELERATION = "acceleration", "m/s2", "Acceleration of the node in the last step";
        GRAIN = "grain", "", "Id of the grain";
        GROUP = "group", "", "Number of the group in `groups` of `about`, from 0";
        MATERIAL = "material", "", "Number of the material in `materials` of `about`, from 0";
        OUTLINE = "outline", "", "1 on the outline, whose nodes come first, counter-clockwise; otherwise 0";
        STRESS = "stress", "Pa", "Cauchy stress in the plane: xx, yy, xy; tension positive";
        PRESSURE = "pressure", "Pa", "`-(s_xx + s_yy) / 2`";
        SHEAR = "shear", "Pa", "Largest shear stress in the plane, `hypot((s_xx - s_yy) / 2, s_xy)`";
        STRAIN = "strain", "", "Green-Lagrange strain in the plane: xx, yy, xy";
        CONTACT_FORCE = "contact_force", "N/m", "Force of contacts on the node, per metre of depth";
        TOUCHING = "touching", "", "1 if the node is in contact, otherwise 0";
    }
}

fields! {
    /// One value per frame, or per deformable grain.
    grains {
        TIME = "time", "s", "Simulated time";
        STEP = "step", "", "Number of the step";
        GRAIN_ID = "grain_id", "", "Id of each grain";
        GRAIN_AREA = "grain_area", "m2", "Current area of each grain";
        GRAIN_ORIENTATION = "grain_orientation", "rad", "Angle by which each grain has turned since the start, from -pi to pi";
        GRAIN_CENTRE = "grain_centre", "m", "Centre of mass of each grain";
        GRAIN_STRESS = "grain_stress", "Pa", "Mean Cauchy stress of each grain: xx, yy, xy";
    }
}

/// The keys of `about`.
pub const ABOUT: &[Entry] = &[
    Entry::new("version", "", "Version of the program"),
    Entry::new("step", "", "Number of the step"),
    Entry::new("groups", "", "Names of the groups, which `group` indexes"),
    Entry::new("materials", "", "Names of the materials, which `material` indexes"),
    Entry::new(
        "periodic",
        "m",
        "Corners `min` and `max` of the periodic box, and which `axes` are periodic; null in open space",
    ),
    Entry::new("walls", "", "Walls at the time of the frame: name, surface (m), colour, transparency"),
    Entry::new("frame", "", "Frame of reference of positions and velocities: `inertial`, `body` or `both`"),
    Entry::new(
        "asteroids",
        "",
        "Asteroids: name, position, velocity, orientation (w first), spin, file of the surface",
    ),
];
