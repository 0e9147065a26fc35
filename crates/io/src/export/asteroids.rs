//! The surfaces of asteroids where they are at the time of a frame, in its frame of reference, as VTP: triangles with
//! `asteroid` (its number in the frame).

use std::io::{self, Write};

use glam::{DQuat, DVec3};

use super::vtp::{PolyData, VtkCells, array};
use crate::frame::{FrameAsteroid, FrameData, View};

fn pose(asteroid: &FrameAsteroid) -> (DVec3, DQuat) {
    let [w, x, y, z] = asteroid.orientation;
    (DVec3::from_array(asteroid.position), DQuat::from_xyzw(x, y, z, w))
}

pub(super) fn write(out: &mut dyn Write, frame: &FrameData) -> io::Result<()> {
    let asteroids = &frame.about.asteroids;
    let (origin, turn) = match frame.about.frame {
        View::Body => asteroids.first().map_or((DVec3::ZERO, DQuat::IDENTITY), pose),
        View::Inertial | View::Both => (DVec3::ZERO, DQuat::IDENTITY),
    };
    let (mut points, mut polygons, mut owner) = (Vec::new(), VtkCells::default(), Vec::new());
    for (k, (asteroid, mesh)) in (0u32..).zip(asteroids.iter().zip(&frame.surfaces)) {
        let (centre, orientation) = pose(asteroid);
        let first = points.len() as i64;
        points.extend(mesh.vertices.iter().map(|v| turn.inverse() * (centre + orientation * *v - origin)));
        for corners in &mesh.triangles {
            polygons.push(corners.map(|c| first + i64::from(c)));
            owner.push(k);
        }
    }
    PolyData {
        time: frame.time,
        points,
        vertices: VtkCells::default(),
        lines: VtkCells::default(),
        polygons,
        point_data: Vec::new(),
        cell_data: vec![array("asteroid", "UInt32", 1, &owner)],
    }
    .write(out)
}
