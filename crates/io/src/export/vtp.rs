//! VTK's XML PolyData with the numbers appended in binary (little-endian, 64-bit lengths). A sphere is a vertex at its
//! centre; a rock is its polygons. Every point has the values of its body, so that both can be coloured by them.

use std::io::{self, Write};

use glam::DVec3;

use super::surface::rock;
use crate::frame::FrameData;

/// One array: its place in the header, and its bytes.
pub(crate) struct Array {
    tag: String,
    bytes: Vec<u8>,
}

/// Cells of one kind: the points of all, one after the other, and where each one's end.
#[derive(Default)]
pub(crate) struct VtkCells {
    corners: Vec<i64>,
    ends: Vec<i64>,
}

impl VtkCells {
    pub fn push(&mut self, corners: impl IntoIterator<Item = i64>) {
        self.corners.extend(corners);
        self.ends.push(self.corners.len() as i64);
    }

    fn arrays(&self) -> Vec<Array> {
        vec![array("connectivity", "Int64", 1, &self.corners), array("offsets", "Int64", 1, &self.ends)]
    }
}

pub(crate) fn array<T: bytemuck::NoUninit>(name: &str, kind: &str, width: usize, values: &[T]) -> Array {
    let tag = format!("type=\"{kind}\" Name=\"{name}\" NumberOfComponents=\"{width}\"");
    Array { tag, bytes: bytemuck::cast_slice(values).to_vec() }
}

/// The contents of a file. Data of cells are in the order vertices, lines, polygons.
pub(crate) struct PolyData {
    pub time: f64,
    pub points: Vec<DVec3>,
    pub vertices: VtkCells,
    pub lines: VtkCells,
    pub polygons: VtkCells,
    pub point_data: Vec<Array>,
    pub cell_data: Vec<Array>,
}

impl PolyData {
    pub fn write(self, out: &mut dyn Write) -> io::Result<()> {
        let counts = [self.points.len()]
            .into_iter()
            .chain([&self.vertices, &self.lines, &self.polygons].map(|cells| cells.ends.len()));
        let counts: String = ["Points", "Verts", "Lines", "Polys"]
            .iter()
            .zip(counts)
            .map(|(kind, n)| format!(" NumberOf{kind}=\"{n}\""))
            .collect();
        let parts = [
            ("Points", vec![array("Points", "Float64", 3, &self.points)]),
            ("Verts", self.vertices.arrays()),
            ("Lines", self.lines.arrays()),
            ("Polys", self.polygons.arrays()),
            ("PointData", self.point_data),
            ("CellData", self.cell_data),
        ];
        let mut offset = 0;
        let mut list = String::new();
        for (name, arrays) in &parts {
            list += &format!("<{name}>\n");
            for a in arrays {
                list += &format!("<DataArray {} format=\"appended\" offset=\"{offset}\"/>\n", a.tag);
                offset += 8 + a.bytes.len();
            }
            list += &format!("</{name}>\n");
        }
        let header = format!(
            "<?xml version=\"1.0\"?>\n\
             <VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n\
             <PolyData>\n\
             <FieldData>\n<DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">\
             {:e}</DataArray>\n</FieldData>\n\
             <Piece{counts} NumberOfStrips=\"0\">\n{list}\
             </Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_",
            self.time,
        );
        out.write_all(header.as_bytes())?;
        for a in parts.iter().flat_map(|(_, arrays)| arrays) {
            out.write_all(&(a.bytes.len() as u64).to_le_bytes())?;
            out.write_all(&a.bytes)?;
        }
        out.write_all(b"\n</AppendedData>\n</VTKFile>\n")
    }
}

pub(super) fn write(out: &mut dyn Write, frame: &FrameData) -> io::Result<()> {
    // Points, and whose they are.
    let mut owner: Vec<usize> = (0..frame.len()).filter(|&k| frame.solid(k).is_none()).collect();
    let spheres = owner.len();
    let mut points: Vec<_> = owner.iter().map(|&k| frame.position[k]).collect();
    let (mut vertices, mut polygons) = (VtkCells::default(), VtkCells::default());
    (0..spheres as i64).for_each(|k| vertices.push([k]));
    for k in 0..frame.len() {
        let Some(surface) = rock(frame, k) else { continue };
        let first = points.len() as i64;
        for face in &surface.faces {
            polygons.push(face.iter().map(|&c| first + i64::from(c)));
        }
        owner.extend(std::iter::repeat_n(k, surface.vertices.len()));
        points.extend(surface.vertices);
    }
    fn spread<T: Copy>(column: &[T], owner: &[usize]) -> Vec<T> {
        owner.iter().map(|&k| column[k]).collect()
    }
    let turns: Vec<[f64; 4]> =
        owner.iter().map(|&k| frame.orientation[k]).map(|q| [q.w, q.x, q.y, q.z]).collect();
    let point_data = vec![
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
    let (time, lines, cell_data) = (frame.time, VtkCells::default(), Vec::new());
    PolyData { time, points, vertices, lines, polygons, point_data, cell_data }.write(out)
}
