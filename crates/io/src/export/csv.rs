//! One row per body, units in the names of the columns.

use std::io::{self, Write};

use crate::{
    frame::FrameData,
    reference::{Entry, header},
    table::{push_number, push_text},
};

pub const COLUMNS: &[Entry] = &[
    Entry::new("id", "", "Number of the body, the same in all frames"),
    Entry::new("x_m", "m", "x of the centre of mass"),
    Entry::new("y_m", "m", "y of the centre of mass"),
    Entry::new("z_m", "m", "z of the centre of mass"),
    Entry::new("vx_m_s", "m/s", "x of the velocity"),
    Entry::new("vy_m_s", "m/s", "y of the velocity"),
    Entry::new("vz_m_s", "m/s", "z of the velocity"),
    Entry::new("wx_rad_s", "rad/s", "x of the angular velocity"),
    Entry::new("wy_rad_s", "rad/s", "y of the angular velocity"),
    Entry::new("wz_rad_s", "rad/s", "z of the angular velocity"),
    Entry::new("radius_m", "m", "Radius of the sphere, or of the sphere around all vertices"),
    Entry::new("mass_kg", "kg", "Mass of the body"),
    Entry::new("group", "", "Name of the group"),
    Entry::new("material", "", "Name of the material"),
    Entry::new("contacts", "", "Contacts of the body with bodies, walls and asteroids"),
    Entry::new(
        "qw",
        "",
        "w of the quaternion that rotates the axes of the body's shape into those of the frame",
    ),
    Entry::new("qx", "", "x of the quaternion"),
    Entry::new("qy", "", "y of the quaternion"),
    Entry::new("qz", "", "z of the quaternion"),
    Entry::new("shape", "", "Number of the shape in frames/shapes.h5; 0 is the sphere"),
];

pub(super) fn write(out: &mut dyn Write, frame: &FrameData) -> io::Result<()> {
    out.write_all(header(COLUMNS).as_bytes())?;
    let mut line = String::new();
    for k in 0..frame.len() {
        line.clear();
        line.push_str(&frame.id[k].to_string());
        let vectors = [frame.position[k], frame.velocity[k], frame.spin[k]];
        let numbers = vectors.iter().flat_map(|v| v.to_array()).chain([frame.radius[k], frame.mass[k]]);
        for x in numbers {
            line.push(',');
            push_number(&mut line, x);
        }
        for name in [frame.group_name(k), frame.material_name(k)] {
            line.push(',');
            push_text(&mut line, &name);
        }
        line.push_str(&format!(",{}", frame.contacts[k]));
        let q = frame.orientation[k];
        for x in [q.w, q.x, q.y, q.z] {
            line.push(',');
            push_number(&mut line, x);
        }
        line.push_str(&format!(",{}\n", frame.shape[k]));
        out.write_all(line.as_bytes())?;
    }
    Ok(())
}
