//! One row a body, units in the names of the columns.

use std::io::{self, Write};

use crate::{
    frame::FrameData,
    table::{push_number, push_text},
};

const HEADER: &str = "id,x_m,y_m,z_m,vx_m_s,vy_m_s,vz_m_s,wx_rad_s,wy_rad_s,wz_rad_s,radius_m,mass_kg,group,\
                      material,contacts,qw,qx,qy,qz,shape\n";

pub(super) fn write(out: &mut dyn Write, frame: &FrameData) -> io::Result<()> {
    out.write_all(HEADER.as_bytes())?;
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
