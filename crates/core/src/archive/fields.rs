//! The fields of the common types, in the order of the file.

use crate::{
    Action, Asteroid, Bodies, Clock, Convex, Departed, Dissipation, Domain, Event, Frame, Material, Mesh,
    Motion, PairOverride, Partner, Rates, Rng, Shape, Solid, Surface, Touch, Trigger, Wall, Wrench,
    archive_enum, archive_struct, event::Property,
};

archive_struct!(Clock { step, timestep, epoch_step, epoch_time });
archive_struct!(Rng { state });
archive_struct!(Departed { count, mass, momentum, angular_momentum });
archive_struct!(Dissipation { normal, sliding, rolling, twisting, inside, wall_work });

archive_struct!(Bodies {
    id,
    position,
    velocity,
    orientation,
    spin,
    mass,
    inertia,
    radius,
    shape,
    material,
    group,
});

archive_struct!(Wrench { force, torque });
archive_struct!(Rates {
    acceleration,
    spin_rate,
    field,
    held,
    on_asteroids,
    field_on_asteroids,
    held_on_asteroids,
});

archive_struct!(Material {
    name,
    density,
    restitution_normal,
    restitution_tangential,
    friction_sliding,
    friction_rolling,
    friction_twisting,
    shape,
    cohesion,
    cohesion_force,
    cohesion_range,
    stiffness,
    stiffness_ratio,
    young,
    poisson,
});

archive_struct!(PairOverride {
    a,
    b,
    restitution_normal,
    restitution_tangential,
    friction_sliding,
    friction_rolling,
    friction_twisting,
    shape,
    cohesion,
    cohesion_force,
    cohesion_range,
    stiffness,
    stiffness_ratio,
});

archive_struct!(Convex { vertices, faces });
archive_struct!(Solid { parts, volume, inertia, radius });
archive_enum!(Shape { 0 => Sphere {}, 1 => Solid { 0: solid } });

archive_enum!(Surface {
    0 => Plane { point, normal },
    1 => Disk { centre, normal, radius, hole },
    2 => Rectangle { centre, half_u, half_v },
    3 => Box { min, max },
    4 => Cylinder { centre, axis, radius, length },
});

archive_enum!(Motion {
    0 => None {},
    1 => Translation { velocity },
    2 => Oscillation { amplitude, frequency, phase },
    3 => Rotation { centre, axis, rate },
    4 => Reciprocal { size, rate },
});

archive_enum!(Touch { 0 => Bounce {}, 1 => Stick {}, 2 => Absorb {} });
archive_struct!(Wall { id, name, material, surface, motion, since, translation, rotation, touch });

archive_struct!(Mesh { vertices, triangles });
archive_struct!(Asteroid {
    id,
    name,
    material,
    density,
    mesh,
    radius,
    mass,
    inertia,
    axes,
    position,
    velocity,
    orientation,
    spin,
    fixed,
});

archive_enum!(Domain { 0 => Open {}, 1 => Periodic { min, max, axes } });
archive_enum!(Frame { 0 => Inertial {}, 1 => Rotating { angular_velocity } });

archive_enum!(Partner { 0 => Body { 0: id }, 1 => Wall { wall, face }, 2 => Asteroid { asteroid, facet } });

archive_enum!(Trigger { 0 => At { 0: time }, 1 => Every { start, interval, end } });

archive_enum!(Property {
    0 => RestitutionNormal {},
    1 => RestitutionTangential {},
    2 => FrictionSliding {},
    3 => FrictionRolling {},
    4 => FrictionTwisting {},
    5 => Shape {},
    6 => Cohesion {},
    7 => CohesionForce {},
    8 => CohesionRange {},
});

archive_enum!(Action {
    0 => AddWall { 0: wall },
    1 => RemoveWall { name },
    2 => SetMotion { wall, motion },
    3 => AddSpin { group, spin },
    4 => SetMaterial { material, property, value },
    5 => StopWhenKineticBelow { energy },
    6 => Stop {},
    7 => RemoveBeyond { distance },
    8 => SpinUp { asteroid, rate },
});

archive_struct!(Event { trigger, action, fired });
