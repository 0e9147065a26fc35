//! Frames of deformable grains: points are the nodes where they are, cells the triangles between them.
//!
//! Point data: `displacement` (m), `velocity`, `acceleration`, `stress` (Cauchy, Pa: xx, yy, xy), `pressure` (minus the mean of the two
//! in the plane), `shear` (the largest), `strain` (Green-Lagrange: xx, yy, xy), `contact_force` (N per metre of depth), `touching` (0 or
//! 1), `grain` (id), `group`, `material` and `outline` (1 on it, in order, counterclockwise). Field data besides time and step, one value per
//! grain: `grain_id`, `grain_area`, `grain_orientation`, `grain_centre` and `grain_stress`, the mean.

use glam::{DVec2, DVec3};
use rubblepile_core::{Deformation, World};
use rubblepile_meshfree::grains;
use rust_hdf5::{H5File, H5Group};

use super::{
    FrameData, FrameInfo,
    fields::{grains, nodes},
    read::{ReadFault, Reader},
    write::{Hdf, about, cells, column, polydata},
};

/// Columns a node, one grain after the other.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Nodes {
    pub position: Vec<DVec2>,
    pub displacement: Vec<DVec2>,
    pub velocity: Vec<DVec2>,
    pub acceleration: Vec<DVec2>,
    pub grain: Vec<u64>,
    pub group: Vec<u32>,
    pub material: Vec<u32>,
    pub outline: Vec<u8>,
    pub triangles: Vec<[u32; 3]>,
    /// Known during a run only; a checkpoint does not have it.
    pub felt: Option<DeformationData>,
}

/// Stresses and contacts of every node and of every grain.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DeformationData {
    pub stress: Vec<[f64; 3]>,
    pub strain: Vec<[f64; 3]>,
    pub contact_force: Vec<DVec2>,
    pub touching: Vec<u8>,
    pub grain_id: Vec<u64>,
    pub grain_area: Vec<f64>,
    pub grain_orientation: Vec<f64>,
    pub grain_centre: Vec<DVec2>,
    pub grain_stress: Vec<[f64; 3]>,
}

/// Minus the mean of the two in-plane normal stresses, Pa.
pub fn pressure([xx, yy, _]: [f64; 3]) -> f64 {
    -0.5 * (xx + yy)
}

/// The largest in-plane shear stress, Pa.
pub fn shear([xx, yy, xy]: [f64; 3]) -> f64 {
    (0.5 * (xx - yy)).hypot(xy)
}

impl Nodes {
    /// `None`: there are no deformable grains.
    pub fn of(world: &World, felt: Option<&Deformation>) -> Option<Self> {
        let grains = grains(world);
        if grains.is_empty() {
            return None;
        }
        let mut nodes = Nodes::default();
        for grain in grains {
            let (first, n) = (nodes.position.len() as u32, grain.reference.nodes.len());
            nodes.triangles.extend(grain.reference.triangles.iter().map(|t| t.map(|k| first + k)));
            nodes.position.extend(grain.positions());
            nodes.displacement.extend(&grain.displacement);
            nodes.velocity.extend(&grain.velocity);
            let known = grain.acceleration.iter().copied().chain(std::iter::repeat(DVec2::ZERO));
            nodes.acceleration.extend(known.take(n));
            nodes.grain.extend(std::iter::repeat_n(grain.id, n));
            nodes.group.extend(std::iter::repeat_n(grain.group, n));
            nodes.material.extend(std::iter::repeat_n(grain.material, n));
            nodes.outline.extend((0..n).map(|k| u8::from(k < grain.reference.boundary)));
        }
        nodes.felt = felt.map(|d| DeformationData {
            stress: d.stress.clone(),
            strain: d.strain.clone(),
            contact_force: d.contact_force.clone(),
            touching: d.touching.iter().map(|t| u8::from(*t)).collect(),
            grain_id: grains.iter().map(|g| g.id).collect(),
            grain_area: d.grains.iter().map(|g| g.area).collect(),
            grain_orientation: d.grains.iter().map(|g| g.orientation).collect(),
            grain_centre: d.grains.iter().map(|g| g.centre).collect(),
            grain_stress: d.grains.iter().map(|g| g.stress).collect(),
        });
        Some(nodes)
    }

    pub fn len(&self) -> usize {
        self.position.len()
    }

    pub fn is_empty(&self) -> bool {
        self.position.is_empty()
    }

    /// Rows of every grain, in order.
    pub fn rows(&self) -> Vec<std::ops::Range<usize>> {
        let mut rows: Vec<std::ops::Range<usize>> = Vec::new();
        for k in 0..self.len() {
            match rows.last_mut() {
                Some(last) if self.grain[last.start] == self.grain[k] => last.end = k + 1,
                _ => rows.push(k..k + 1),
            }
        }
        rows
    }
}

/// VTK knows three dimensions only.
pub(crate) fn upright(list: &[DVec2]) -> Vec<DVec3> {
    list.iter().map(|x| x.extend(0.0)).collect()
}

fn vectors(group: &H5Group, name: &str, list: &[DVec2]) -> Hdf<()> {
    column::<f64>(group, name, &[list.len(), 3], bytemuck::cast_slice(&upright(list)))
}

fn triples(group: &H5Group, name: &str, list: &[[f64; 3]]) -> Hdf<()> {
    column::<f64>(group, name, &[list.len(), 3], list.as_flattened())
}

pub(super) fn fill(file: &H5File, frame: &FrameData, nodes: &Nodes) -> Hdf<()> {
    let n = nodes.len();
    let vtk = polydata(file, &upright(&nodes.position))?;
    for empty in ["Vertices", "Lines", "Strips"] {
        cells(&vtk, empty, &[], &[0])?;
    }
    let corners: Vec<i64> = nodes.triangles.iter().flatten().map(|k| i64::from(*k)).collect();
    let offsets: Vec<i64> = (0..=nodes.triangles.len() as i64).map(|k| 3 * k).collect();
    cells(&vtk, "Polygons", &corners, &offsets)?;
    let data = vtk.create_group("PointData")?;
    vectors(&data, nodes::DISPLACEMENT, &nodes.displacement)?;
    vectors(&data, nodes::VELOCITY, &nodes.velocity)?;
    vectors(&data, nodes::ACCELERATION, &nodes.acceleration)?;
    column(&data, nodes::GRAIN, &[n], &nodes.grain)?;
    column(&data, nodes::GROUP, &[n], &nodes.group)?;
    column(&data, nodes::MATERIAL, &[n], &nodes.material)?;
    column(&data, nodes::OUTLINE, &[n], &nodes.outline)?;
    let field = vtk.create_group("FieldData")?;
    column(&field, grains::TIME, &[1], &[frame.time])?;
    column(&field, grains::STEP, &[1], &[frame.about.step])?;
    if let Some(felt) = &nodes.felt {
        triples(&data, nodes::STRESS, &felt.stress)?;
        column(&data, nodes::PRESSURE, &[n], &felt.stress.iter().map(|s| pressure(*s)).collect::<Vec<_>>())?;
        column(&data, nodes::SHEAR, &[n], &felt.stress.iter().map(|s| shear(*s)).collect::<Vec<_>>())?;
        triples(&data, nodes::STRAIN, &felt.strain)?;
        vectors(&data, nodes::CONTACT_FORCE, &felt.contact_force)?;
        column(&data, nodes::TOUCHING, &[n], &felt.touching)?;
        let m = felt.grain_id.len();
        column(&field, grains::GRAIN_ID, &[m], &felt.grain_id)?;
        column(&field, grains::GRAIN_AREA, &[m], &felt.grain_area)?;
        column(&field, grains::GRAIN_ORIENTATION, &[m], &felt.grain_orientation)?;
        vectors(&field, grains::GRAIN_CENTRE, &felt.grain_centre)?;
        triples(&field, grains::GRAIN_STRESS, &felt.grain_stress)?;
    }
    about(file, &frame.about)
}

pub(super) fn parse(reader: &Reader, time: f64, about: FrameInfo) -> Result<FrameData, ReadFault> {
    let flat = |list: Vec<DVec3>| list.into_iter().map(|x| x.truncate()).collect::<Vec<DVec2>>();
    let threes = |list: Vec<DVec3>| list.into_iter().map(|x| x.to_array()).collect::<Vec<[f64; 3]>>();
    let position = flat(reader.vectors("VTKHDF/Points", None)?);
    let n = Some(position.len());
    let point = |name: &str| format!("VTKHDF/PointData/{name}");
    let field = |name: &str| format!("VTKHDF/FieldData/{name}");
    let corners = reader.column::<i64>("VTKHDF/Polygons/Connectivity", None, 1)?;
    let fault = || ("/VTKHDF/Polygons".to_string(), "its cells are not triangles of these nodes".to_string());
    let sound = corners.len().is_multiple_of(3)
        && corners.iter().all(|k| usize::try_from(*k).is_ok_and(|k| k < position.len()));
    if !sound {
        return Err(fault());
    }
    let triangles = corners.chunks_exact(3).map(|t| [t[0] as u32, t[1] as u32, t[2] as u32]).collect();
    let felt = if reader.has(&point("stress")) {
        let grain_id = reader.column::<u64>(&field("grain_id"), None, 1)?;
        let m = Some(grain_id.len());
        Some(DeformationData {
            stress: threes(reader.vectors(&point("stress"), n)?),
            strain: threes(reader.vectors(&point("strain"), n)?),
            contact_force: flat(reader.vectors(&point("contact_force"), n)?),
            touching: reader.column(&point("touching"), n, 1)?,
            grain_area: reader.column(&field("grain_area"), m, 1)?,
            grain_orientation: reader.column(&field("grain_orientation"), m, 1)?,
            grain_centre: flat(reader.vectors(&field("grain_centre"), m)?),
            grain_stress: threes(reader.vectors(&field("grain_stress"), m)?),
            grain_id,
        })
    } else {
        None
    };
    let nodes = Nodes {
        displacement: flat(reader.vectors(&point("displacement"), n)?),
        velocity: flat(reader.vectors(&point("velocity"), n)?),
        acceleration: flat(reader.vectors(&point("acceleration"), n)?),
        grain: reader.column(&point("grain"), n, 1)?,
        group: reader.column(&point("group"), n, 1)?,
        material: reader.column(&point("material"), n, 1)?,
        outline: reader.column(&point("outline"), n, 1)?,
        position,
        triangles,
        felt,
    };
    Ok(FrameData { deformable: Some(nodes), ..FrameData::empty(time, about) })
}
