//! Extended XYZ, as OVITO reads it: a count, a line of properties, one row per body. Names of the columns are those OVITO
//! knows (`pos`, `velo`, `radius`); the material is the species. (ASE reads it too, where materials have the names
//! of elements: it knows no other species.)

use std::io::{self, Write};

use crate::{frame::FrameData, table::push_number};

pub(super) fn write(out: &mut dyn Write, frame: &FrameData) -> io::Result<()> {
    let mut line = format!("{}\n", frame.len());
    if let Some(p) = &frame.about.periodic {
        let edge = |k: usize| if p.axes[k] { p.max[k] - p.min[k] } else { extent(frame, k).1 };
        let origin = |k: usize| if p.axes[k] { p.min[k] } else { extent(frame, k).0 };
        line.push_str("Lattice=\"");
        for k in 0..9 {
            push_number(&mut line, if k % 4 == 0 { edge(k / 4) } else { 0.0 });
            line.push(if k == 8 { '"' } else { ' ' });
        }
        line.push_str(" Origin=\"");
        for k in 0..3 {
            push_number(&mut line, origin(k));
            line.push(if k == 2 { '"' } else { ' ' });
        }
        let axes = p.axes.map(|a| if a { "T" } else { "F" }).join(" ");
        line.push_str(&format!(" pbc=\"{axes}\" "));
    }
    line.push_str(
        "Properties=id:I:1:species:S:1:pos:R:3:velo:R:3:angular_velocity:R:3:radius:R:1:mass:R:1:group:I:1:\
         contacts:I:1",
    );
    // In the order that OVITO takes; of spheres it says nothing.
    let rocks = !frame.only_spheres();
    line.push_str(if rocks { ":orientation:R:4:shape:I:1 Time=" } else { " Time=" });
    push_number(&mut line, frame.time);
    line.push_str(&format!(" Step={}\n", frame.about.step));
    out.write_all(line.as_bytes())?;

    for k in 0..frame.len() {
        line.clear();
        line.push_str(&format!("{} {}", frame.id[k], one_word(&frame.material_name(k))));
        for v in [frame.position[k], frame.velocity[k], frame.spin[k]] {
            for x in v.to_array() {
                line.push(' ');
                push_number(&mut line, x);
            }
        }
        for x in [frame.radius[k], frame.mass[k]] {
            line.push(' ');
            push_number(&mut line, x);
        }
        line.push_str(&format!(" {} {}", frame.group[k], frame.contacts[k]));
        if rocks {
            for x in frame.orientation[k].to_array() {
                line.push(' ');
                push_number(&mut line, x);
            }
            line.push_str(&format!(" {}", frame.shape[k]));
        }
        line.push('\n');
        out.write_all(line.as_bytes())?;
    }
    Ok(())
}

/// A cell ends at white space.
fn one_word(name: &str) -> String {
    name.split_whitespace().collect::<Vec<_>>().join("_")
}

/// Start and length of the bodies along an axis that is not periodic: a lattice needs three edges.
fn extent(frame: &FrameData, axis: usize) -> (f64, f64) {
    let mut range = (f64::INFINITY, f64::NEG_INFINITY);
    for (x, r) in frame.position.iter().zip(&frame.radius) {
        range = (range.0.min(x[axis] - r), range.1.max(x[axis] + r));
    }
    if range.0 < range.1 && (range.1 - range.0).is_finite() {
        (range.0, range.1 - range.0)
    } else {
        (0.0, 1.0)
    }
}
