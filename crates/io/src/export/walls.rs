//! The walls of a frame as VTP: cells with `colour` (red, green, blue), `opacity` and `wall` (its number in the frame).
//!
//! What has no end is cut to the extent of the grains and of the other walls. Rings and lines are drawn as lines, points as
//! vertices.

use std::io::{self, Write};

use glam::DVec3;
use rubblepile_core::wall::{
    Draw,
    drawing::{BoundingSphere, Drawing},
};

use super::vtp::{PolyData, VtkCells, array};
use crate::frame::FrameData;

/// Around the grains and what is drawn already.
fn extent(frame: &FrameData, drawn: &[DVec3]) -> BoundingSphere {
    let grains = frame.position.iter().zip(&frame.radius).flat_map(|(x, r)| [*x - *r, *x + *r]);
    let nodes = frame.deformable.iter().flat_map(|n| &n.position).map(|x| x.extend(0.0));
    let all = || grains.clone().chain(nodes.clone()).chain(drawn.iter().copied());
    match (all().reduce(DVec3::min), all().reduce(DVec3::max)) {
        (Some(low), Some(high)) => {
            BoundingSphere { centre: 0.5 * (low + high), radius: 0.5 * low.distance(high) }
        }
        _ => BoundingSphere { centre: DVec3::ZERO, radius: 1.0 },
    }
}

pub(super) fn write(out: &mut dyn Write, frame: &FrameData) -> io::Result<()> {
    let walls = &frame.about.walls;
    let mut drawing = Drawing::default();
    // The number of the wall that each vertex, line and polygon is of.
    let mut owner: [Vec<u32>; 3] = Default::default();
    // First what has ends: the others are cut to it.
    for finite in [true, false] {
        let extent = extent(frame, &drawing.points);
        for (k, wall) in (0..).zip(walls).filter(|(_, w)| w.surface.is_finite() == finite) {
            wall.surface.draw(&mut drawing, &extent);
            let numbers = [drawing.vertices.len(), drawing.lines.len(), drawing.polygons.len()];
            owner.iter_mut().zip(numbers).for_each(|(owner, n)| owner.resize(n, k));
        }
    }
    let owner = owner.concat();
    let of = |k: &u32| &walls[*k as usize];
    let colour: Vec<[u8; 3]> = owner.iter().map(|k| of(k).colour).collect();
    let opacity: Vec<f64> = owner.iter().map(|k| 1.0 - of(k).transparency).collect();
    let [vertices, lines, polygons] =
        [drawing.vertices, drawing.lines, drawing.polygons].map(|of_kind| cells(&of_kind));
    PolyData {
        time: frame.time,
        points: drawing.points,
        vertices,
        lines,
        polygons,
        point_data: Vec::new(),
        cell_data: vec![
            array("colour", "UInt8", 3, &colour),
            array("opacity", "Float64", 1, &opacity),
            array("wall", "UInt32", 1, &owner),
        ],
    }
    .write(out)
}

fn cells(list: &[Vec<u32>]) -> VtkCells {
    let mut cells = VtkCells::default();
    list.iter().for_each(|cell| cells.push(cell.iter().map(|&k| i64::from(k))));
    cells
}
