//! Deformable grains: triangles between nodes (VTP), and one row per node (CSV).

use std::io::{self, Write};

use super::vtp::{PolyData, VtkCells, array};
use crate::{
    frame::{
        FrameData, Nodes,
        deformable::{pressure, shear, upright},
    },
    reference::{Entry, header},
    table::push_number,
};

pub(super) fn vtp(out: &mut dyn Write, frame: &FrameData, nodes: &Nodes) -> io::Result<()> {
    let mut polygons = VtkCells::default();
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
    let (vertices, lines, cell_data) = (VtkCells::default(), VtkCells::default(), Vec::new());
    let points = upright(&nodes.position);
    PolyData { time: frame.time, points, vertices, lines, polygons, point_data, cell_data }.write(out)
}

pub const COLUMNS: &[Entry] = &[
    Entry::new("grain", "", "Id of the grain"),
    Entry::new("node", "", "Number of the node in its grain, from 0"),
    Entry::new("outline", "", "1 on the outline, whose nodes come first, counter-clockwise; otherwise 0"),
    Entry::new("x_m", "m", "x of the node"),
    Entry::new("y_m", "m", "y of the node"),
    Entry::new("ux_m", "m", "x of the displacement from the undeformed grain"),
    Entry::new("uy_m", "m", "y of the displacement from the undeformed grain"),
    Entry::new("vx_m_s", "m/s", "x of the velocity"),
    Entry::new("vy_m_s", "m/s", "y of the velocity"),
    Entry::new("ax_m_s2", "m/s2", "x of the acceleration in the last step"),
    Entry::new("ay_m_s2", "m/s2", "y of the acceleration in the last step"),
];

/// Data that only frames have.
pub const FELT: &[Entry] = &[
    Entry::new("stress_xx_Pa", "Pa", "Cauchy stress, tension positive: xx component"),
    Entry::new("stress_yy_Pa", "Pa", "Cauchy stress: yy component"),
    Entry::new("stress_xy_Pa", "Pa", "Cauchy stress: xy component"),
    Entry::new("pressure_Pa", "Pa", "`-(s_xx + s_yy) / 2`"),
    Entry::new("shear_Pa", "Pa", "Largest shear stress in the plane, `hypot((s_xx - s_yy) / 2, s_xy)`"),
    Entry::new("strain_xx", "", "Green-Lagrange strain: xx component"),
    Entry::new("strain_yy", "", "Green-Lagrange strain: yy component"),
    Entry::new("strain_xy", "", "Green-Lagrange strain: xy component"),
    Entry::new(
        "contact_force_x_N_per_m",
        "N/m",
        "x of the force of contacts on the node, per metre of depth",
    ),
    Entry::new(
        "contact_force_y_N_per_m",
        "N/m",
        "y of the force of contacts on the node, per metre of depth",
    ),
    Entry::new("touching", "", "1 if the node is in contact, otherwise 0"),
];

pub(super) fn csv(out: &mut dyn Write, nodes: &Nodes) -> io::Result<()> {
    let felt: &[Entry] = if nodes.felt.is_some() { FELT } else { &[] };
    out.write_all(header(&[COLUMNS, felt].concat()).as_bytes())?;
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
