//! Maps of an asteroid's surface as files: `map.vtp` (ParaView colours its facets), `map.csv` (one row per facet) and a picture
//! of longitude and latitude for each quantity (SVG).

mod contour;
mod picture;
#[cfg(test)]
mod tests;

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
};

use rubblepile_core::Mesh;
use rubblepile_geometry::mesh::SurfaceTree;
use rubblepile_probe::surface_map::{FacetValues, QUANTITIES};

use crate::{
    atomic,
    error::{FileError, Result},
    export::vtp::{PolyData, VtkCells, array},
    table::push_number,
};
use picture::Raster;

/// The options of a map.
#[derive(Debug, Clone, Copy)]
pub struct MapRequest<'a> {
    /// A line over each picture: whose map it is, and for what layer.
    pub title: &'a str,
    pub folder: &'a Path,
    /// Whether maps that are there may be replaced.
    pub overwrite: bool,
}

/// Writes all files, and gives their names.
pub fn write(request: &MapRequest, mesh: &Mesh, facets: &[FacetValues]) -> Result<Vec<PathBuf>> {
    let folder = request.folder;
    let table = folder.join("map.vtp");
    if !request.overwrite && table.exists() {
        let words = "exists already: give --force to replace the maps there, or another --out";
        return Err(FileError::Invalid(format!("{} {words}", table.display())));
    }
    std::fs::create_dir_all(folder).map_err(FileError::io("create", folder))?;
    let mut written = vec![folder.join("map.csv"), table];
    atomic::write_text(&written[0], &csv(facets))?;
    atomic::write(&written[1], |out| vtp(out, mesh, facets).map_err(FileError::io("write", &written[1])))?;
    let raster = Raster::new(&SurfaceTree::new(mesh), mesh.radius());
    for quantity in &QUANTITIES {
        let path = folder.join(format!("{}.svg", quantity.name));
        atomic::write_text(&path, &picture::svg(request.title, quantity, facets, &raster))?;
        written.push(path);
    }
    Ok(written)
}

fn csv(facets: &[FacetValues]) -> String {
    let mut text = String::from("facet,latitude_deg,longitude_deg,x_m,y_m,z_m,area_m2");
    for column in ["acceleration_x_m_per_s2", "acceleration_y_m_per_s2", "acceleration_z_m_per_s2"] {
        text.push(',');
        text.push_str(column);
    }
    for quantity in &QUANTITIES {
        text.push(',');
        text.push_str(quantity.column);
    }
    text.push('\n');
    for (k, f) in facets.iter().enumerate() {
        text.push_str(&k.to_string());
        let place = [f.latitude(), f.longitude(), f.centre.x, f.centre.y, f.centre.z, f.area];
        let values = QUANTITIES.iter().map(|q| (q.of)(f));
        for value in place.into_iter().chain(f.acceleration.to_array()).chain(values) {
            text.push(',');
            push_number(&mut text, value);
        }
        text.push('\n');
    }
    text
}

fn vtp(out: &mut dyn Write, mesh: &Mesh, facets: &[FacetValues]) -> io::Result<()> {
    let mut polygons = VtkCells::default();
    mesh.triangles.iter().for_each(|t| polygons.push(t.map(i64::from)));
    // What is infinite has no colour: not a number, which viewers leave out of their ranges.
    let shown = |x: f64| if x.is_finite() { x } else { f64::NAN };
    let column = |name: &str, of: &dyn Fn(&FacetValues) -> f64| {
        let values: Vec<f64> = facets.iter().map(|f| shown(of(f))).collect();
        array(name, "Float64", 1, &values)
    };
    let flag = |name: &str, is: &dyn Fn(&FacetValues) -> bool| {
        let values: Vec<u8> = facets.iter().map(|f| u8::from(is(f))).collect();
        array(name, "UInt8", 1, &values)
    };
    let accelerations: Vec<_> = facets.iter().map(|f| f.acceleration).collect();
    let mut cell_data: Vec<_> = QUANTITIES.iter().map(|q| column(q.column, &|f| (q.of)(f))).collect();
    cell_data.extend([
        flag("slides", &FacetValues::slides),
        flag("flies_off", &FacetValues::flies_off),
        column("latitude_deg", &FacetValues::latitude),
        column("longitude_deg", &FacetValues::longitude),
        array("effective_acceleration", "Float64", 3, &accelerations),
    ]);
    let points = mesh.vertices.clone();
    let (vertices, lines) = (VtkCells::default(), VtkCells::default());
    PolyData { time: 0.0, points, vertices, lines, polygons, point_data: Vec::new(), cell_data }.write(out)
}
