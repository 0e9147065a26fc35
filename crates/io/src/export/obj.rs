//! Wavefront OBJ: the surfaces of all bodies where they are, each an object named after its id.

use std::io::{self, Write};

use super::surface::{PolygonSurface, icosphere, rock};
use crate::{frame::FrameData, table::push_number};

/// `spheres`: how often the triangles of an icosahedron are divided to stand for a sphere; `None`: spheres are left
/// out.
pub(super) fn write(out: &mut dyn Write, frame: &FrameData, spheres: Option<u32>) -> io::Result<()> {
    let ball = spheres.map(icosphere);
    let mut text = format!("# t = {} s, lengths in m\n", frame.time);
    let mut first = 1u64;
    for k in 0..frame.len() {
        let surface = match (rock(frame, k), &ball) {
            (Some(surface), _) => surface,
            (None, Some(ball)) => {
                let place = |v: &glam::DVec3| frame.position[k] + frame.radius[k] * *v;
                PolygonSurface {
                    vertices: ball.vertices.iter().map(place).collect(),
                    faces: ball.faces.clone(),
                }
            }
            (None, None) => continue,
        };
        text.push_str(&format!("o body-{}\n", frame.id[k]));
        for v in &surface.vertices {
            text.push('v');
            for x in v.to_array() {
                text.push(' ');
                push_number(&mut text, x);
            }
            text.push('\n');
        }
        for face in &surface.faces {
            text.push('f');
            face.iter().for_each(|&c| text.push_str(&format!(" {}", first + u64::from(c))));
            text.push('\n');
        }
        first += surface.vertices.len() as u64;
        out.write_all(text.as_bytes())?;
        text.clear();
    }
    out.write_all(text.as_bytes())
}
