//! Deformable grains: triangles between nodes (VTP), and a row a node (CSV).

use std::io::{self, Write};

use super::vtp::{Cells, PolyData, array};
use crate::{
    frame::{
        FrameData, Nodes,
        deformable::{pressure, shear, upright},
    },
    table::push_number,
};

pub(super) fn vtp(out: &mut dyn Write, frame: &FrameData, nodes: &Nodes) -> io::Result<()> {
    let mut polygons = Cells::default();
    nodes.triangles.iter().for_each(|t| polygons.push(t.map(i64::from)));
    let mut point_data = vec![
        array("displacement", "Float64", 3, &upright(&nodes.displacement)),
        array("velocity", "Float64", 3, &upright(&nodes.velocity)),
        array("acceleration", "Float64", 3, &upright(&nodes.acceleration)),
        array("grain", "UInt64", 1, &nodes.grain),
        array("group", "UInt32", 1, &nodes.group),
        array("material", "UInt32", 1, &nodes.material),
        array("outline", "UInt8", 1, &nodes.outline),
    ];
    if let Some(felt) = &nodes.felt {
        let of = |value: fn([f64; 3]) -> f64| felt.stress.iter().map(|s| value(*s)).collect::<Vec<f64>>();
        point_data.extend([
            array("stress", "Float64", 3, &felt.stress),
            array("pressure", "Float64", 1, &of(pressure)),
            array("shear", "Float64", 1, &of(shear)),
            array("strain", "Float64", 3, &felt.strain),
            array("contact_force", "Float64", 3, &upright(&felt.contact_force)),
            array("touching", "UInt8", 1, &felt.touching),
        ]);
    }
    let (vertices, lines, cell_data) = (Cells::default(), Cells::default(), Vec::new());
    let points = upright(&nodes.position);
    PolyData { time: frame.time, points, vertices, lines, polygons, point_data, cell_data }.write(out)
}

const HEADER: &str = "grain,node,outline,x_m,y_m,ux_m,uy_m,vx_m_s,vy_m_s,ax_m_s2,ay_m_s2";
const FELT: &str = ",stress_xx_Pa,stress_yy_Pa,stress_xy_Pa,pressure_Pa,shear_Pa,strain_xx,strain_yy,strain_xy,\
                    contact_force_x_N_per_m,contact_force_y_N_per_m,touching";

pub(super) fn csv(out: &mut dyn Write, nodes: &Nodes) -> io::Result<()> {
    out.write_all(HEADER.as_bytes())?;
    out.write_all(if nodes.felt.is_some() { FELT.as_bytes() } else { b"" })?;
    out.write_all(b"\n")?;
    let mut line = String::new();
    for rows in nodes.rows() {
        for k in rows.clone() {
            line.clear();
            line.push_str(&format!("{},{},{}", nodes.grain[k], k - rows.start, nodes.outline[k]));
            let moving = [nodes.position[k], nodes.displacement[k], nodes.velocity[k], nodes.acceleration[k]];
            let mut numbers: Vec<f64> = moving.iter().flat_map(|v| v.to_array()).collect();
            if let Some(felt) = &nodes.felt {
                numbers.extend(felt.stress[k]);
                numbers.extend([pressure(felt.stress[k]), shear(felt.stress[k])]);
                numbers.extend(felt.strain[k]);
                numbers.extend(felt.contact_force[k].to_array());
                numbers.push(f64::from(felt.touching[k]));
            }
            for x in numbers {
                line.push(',');
                push_number(&mut line, x);
            }
            line.push('\n');
            out.write_all(line.as_bytes())?;
        }
    }
    Ok(())
}
