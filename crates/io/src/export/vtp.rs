//! VTK's XML PolyData with the numbers appended in binary (little-endian, 64-bit lengths). A sphere is a vertex at its
//! centre; a rock is its polygons. Every point has the values of its body, so that both can be coloured by them.

use std::io::{self, Write};

use super::surface::rock;
use crate::frame::FrameData;

/// One array: its place in the header, and its bytes.
struct Array {
    tag: String,
    bytes: Vec<u8>,
}

fn array<T: bytemuck::NoUninit>(name: &str, kind: &str, width: usize, values: &[T]) -> Array {
    let tag = format!("type=\"{kind}\" Name=\"{name}\" NumberOfComponents=\"{width}\"");
    Array { tag, bytes: bytemuck::cast_slice(values).to_vec() }
}

pub(super) fn write(out: &mut dyn Write, frame: &FrameData) -> io::Result<()> {
    // Points, and whose they are.
    let mut owner: Vec<usize> = (0..frame.len()).filter(|&k| frame.solid(k).is_none()).collect();
    let spheres = owner.len();
    let mut points: Vec<_> = owner.iter().map(|&k| frame.position[k]).collect();
    let (mut corners, mut ends): (Vec<i64>, Vec<i64>) = (Vec::new(), Vec::new());
    for k in 0..frame.len() {
        let Some(surface) = rock(frame, k) else { continue };
        let first = points.len() as i64;
        for face in &surface.faces {
            corners.extend(face.iter().map(|&c| first + i64::from(c)));
            ends.push(corners.len() as i64);
        }
        owner.extend(std::iter::repeat_n(k, surface.vertices.len()));
        points.extend(surface.vertices);
    }
    fn spread<T: Copy>(column: &[T], owner: &[usize]) -> Vec<T> {
        owner.iter().map(|&k| column[k]).collect()
    }
    let numbers: Vec<i64> = (0..=spheres as i64).collect();
    let (n, polygons) = (points.len(), ends.len());
    let turns: Vec<[f64; 4]> =
        owner.iter().map(|&k| frame.orientation[k]).map(|q| [q.w, q.x, q.y, q.z]).collect();
    let points = [array("Points", "Float64", 3, &points)];
    let vertices =
        [array("connectivity", "Int64", 1, &numbers[..spheres]), array("offsets", "Int64", 1, &numbers[1..])];
    let polys = [array("connectivity", "Int64", 1, &corners), array("offsets", "Int64", 1, &ends)];
    let data = [
        array("velocity", "Float64", 3, &spread(&frame.velocity, &owner)),
        array("spin", "Float64", 3, &spread(&frame.spin, &owner)),
        array("orientation", "Float64", 4, &turns),
        array("radius", "Float64", 1, &spread(&frame.radius, &owner)),
        array("mass", "Float64", 1, &spread(&frame.mass, &owner)),
        array("id", "UInt64", 1, &spread(&frame.id, &owner)),
        array("group", "UInt32", 1, &spread(&frame.group, &owner)),
        array("material", "UInt32", 1, &spread(&frame.material, &owner)),
        array("contacts", "UInt32", 1, &spread(&frame.contacts, &owner)),
        array("shape", "UInt32", 1, &spread(&frame.shape, &owner)),
    ];
    let mut offset = 0;
    let mut list = |arrays: &[Array]| -> String {
        let mut text = String::new();
        for a in arrays {
            text.push_str(&format!("<DataArray {} format=\"appended\" offset=\"{offset}\"/>\n", a.tag));
            offset += 8 + a.bytes.len();
        }
        text
    };
    let header = format!(
        "<?xml version=\"1.0\"?>\n\
         <VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n\
         <PolyData>\n\
         <FieldData>\n<DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">\
         {:e}</DataArray>\n</FieldData>\n\
         <Piece NumberOfPoints=\"{n}\" NumberOfVerts=\"{spheres}\" NumberOfLines=\"0\" NumberOfStrips=\"0\" \
         NumberOfPolys=\"{polygons}\">\n\
         <Points>\n{}</Points>\n<Verts>\n{}</Verts>\n<Polys>\n{}</Polys>\n<PointData>\n{}</PointData>\n\
         </Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_",
        frame.time,
        list(&points),
        list(&vertices),
        list(&polys),
        list(&data),
    );
    out.write_all(header.as_bytes())?;
    for a in points.iter().chain(&vertices).chain(&polys).chain(&data) {
        out.write_all(&(a.bytes.len() as u64).to_le_bytes())?;
        out.write_all(&a.bytes)?;
    }
    out.write_all(b"\n</AppendedData>\n</VTKFile>\n")
}
