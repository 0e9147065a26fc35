//! VTK's XML PolyData, every body a vertex, with the numbers appended in binary (little-endian, 64-bit lengths).

use std::io::{self, Write};

use crate::frame::FrameData;

/// One array: its place in the header, and its bytes.
struct Array<'a> {
    tag: String,
    bytes: std::borrow::Cow<'a, [u8]>,
}

fn array<'a, T: bytemuck::NoUninit>(name: &str, kind: &str, width: usize, values: &'a [T]) -> Array<'a> {
    let tag = format!("type=\"{kind}\" Name=\"{name}\" NumberOfComponents=\"{width}\"");
    Array { tag, bytes: bytemuck::cast_slice(values).into() }
}

pub(super) fn write(out: &mut dyn Write, frame: &FrameData) -> io::Result<()> {
    let n = frame.len();
    let numbers: Vec<i64> = (0..=n as i64).collect();
    let points = [array("Points", "Float64", 3, &frame.position)];
    let cells =
        [array("connectivity", "Int64", 1, &numbers[..n]), array("offsets", "Int64", 1, &numbers[1..])];
    let data = [
        array("velocity", "Float64", 3, &frame.velocity),
        array("spin", "Float64", 3, &frame.spin),
        array("radius", "Float64", 1, &frame.radius),
        array("mass", "Float64", 1, &frame.mass),
        array("id", "UInt64", 1, &frame.id),
        array("group", "UInt32", 1, &frame.group),
        array("material", "UInt32", 1, &frame.material),
        array("contacts", "UInt32", 1, &frame.contacts),
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
         <Piece NumberOfPoints=\"{n}\" NumberOfVerts=\"{n}\" NumberOfLines=\"0\" NumberOfStrips=\"0\" \
         NumberOfPolys=\"0\">\n\
         <Points>\n{}</Points>\n<Verts>\n{}</Verts>\n<PointData>\n{}</PointData>\n\
         </Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_",
        frame.time,
        list(&points),
        list(&cells),
        list(&data),
    );
    out.write_all(header.as_bytes())?;
    for a in points.iter().chain(&cells).chain(&data) {
        out.write_all(&(a.bytes.len() as u64).to_le_bytes())?;
        out.write_all(&a.bytes)?;
    }
    out.write_all(b"\n</AppendedData>\n</VTKFile>\n")
}
