use std::path::Path;

use glam::DVec3;
use rubblepile_core::{Mesh, World};
use rubblepile_geometry::mesh::{
    self, Axes, SurfaceTree,
    make::{Form, Relief, body},
};
use rubblepile_probe::surface_map::{FacetValues, QUANTITIES, Regolith, RegolithGrain, surface_map};

use super::{MapRequest, contour, csv, picture, vtp, write};

fn example(period: f64) -> (Mesh, Vec<FacetValues>) {
    let relief = Relief { roughness: 5.0, craters: 20, crater_radius: [20.0, 60.0], ..Relief::default() };
    let mesh = body(Form::Top { equator: 250.0, pole: 220.0, ridge: 0.4 }, &relief, 2000, 1);
    let mut asteroid = mesh::asteroid(mesh, 1200.0, Axes::Given);
    asteroid.spin = std::f64::consts::TAU / period * DVec3::Z;
    let mut world = World::new(1.0);
    world.asteroids.push(asteroid);
    let regolith = Regolith {
        friction_angle: 0.7,
        cohesion: 0.0,
        bulk_density: 1200.0,
        thickness: 3.0,
        grain: RegolithGrain { radius: 0.1, density: 3000.0, cohesion: 0.0, shape: 0.5 },
    };
    let facets = surface_map(&world, 0, &regolith, 1e-6).expect("a map");
    (world.asteroids[0].mesh.as_ref().clone(), facets)
}

#[test]
fn all_files_are_there_and_are_what_they_should() {
    let (mesh, facets) = example(3.0 * 3600.0);
    let folder = std::env::temp_dir().join(format!("rubblepile-map-{}", std::process::id()));
    let request = MapRequest { title: "a <top> & more", folder: &folder, overwrite: false };
    let written = write(&request, &mesh, &facets).expect("files");
    assert_eq!(written.len(), 2 + QUANTITIES.len());
    assert!(written.iter().all(|p| p.exists()));
    // Not a second time, unless that is said.
    assert!(write(&request, &mesh, &facets).is_err());
    write(&MapRequest { overwrite: true, ..request }, &mesh, &facets).expect("files");
    std::fs::remove_dir_all(Path::new(&folder)).expect("a folder");
    let table = csv(&facets);
    assert_eq!(table.lines().count(), facets.len() + 1);
    let cells = |line: &str| line.split(',').count();
    assert!(table.lines().all(|line| cells(line) == cells(table.lines().next().unwrap())));
    let mut bytes = Vec::new();
    vtp(&mut bytes, &mesh, &facets).expect("a file");
    let text = String::from_utf8_lossy(&bytes);
    assert!(text.contains("NumberOfPolys=\"2000\"") && text.contains("Name=\"factor_of_safety\""));
}

#[test]
fn pictures_have_their_lines_and_no_wild_numbers() {
    let (mesh, mut facets) = example(2.5 * 3600.0);
    let raster = picture::Raster::new(&SurfaceTree::new(&mesh), mesh.radius());
    facets[5].lift_off_speed = f64::INFINITY;
    facets[6].factor_of_safety = f64::NEG_INFINITY;
    facets[7].slope = f64::NAN;
    for q in &QUANTITIES {
        let text = picture::svg("a <top> & more", q, &facets, &raster);
        for bad in ["NaN", "inf", "<top>"] {
            assert!(!text.contains(bad), "{}: {bad}", q.name);
        }
        assert!(text.contains("longitude (deg)") && text.len() < 600_000, "{}: {}", q.name, text.len());
        // Both lines of figure 11 on the one, the second alone on the other.
        let lines = ["stroke=\"white\"", "path stroke=\"black\""].map(|line| text.contains(line));
        let expected = match q.name {
            "factor-of-safety" => [true, true],
            "fission" => [false, true],
            _ => [false, false],
        };
        assert_eq!(lines, expected, "{}", q.name);
    }
    // All of one value, and none at all.
    facets.iter_mut().for_each(|f| f.slope = 0.0);
    assert!(!picture::svg("", &QUANTITIES[0], &facets, &raster).contains("NaN"));
    facets.iter_mut().for_each(|f| f.slope = f64::NAN);
    assert!(!picture::svg("", &QUANTITIES[0], &facets, &raster).contains("NaN"));
}

#[test]
fn contours_are_where_the_value_is() {
    // A plane: a straight line; a disk: a circle; a saddle: two lines that do not cross.
    let plane = contour::path(4, 3, &|c, _| Some(c as f64), 1.25);
    assert_eq!(plane, "M1.75 0.50L1.75 1.50M1.75 1.50L1.75 2.50");
    let disk = |c: i64, r: i64| Some((c as f64 - 20.0).hypot(r as f64 - 20.0));
    let path = contour::path(40, 40, &disk, 10.0);
    let numbers: Vec<f64> =
        path.split(['M', 'L', ' ']).filter(|w| !w.is_empty()).map(|w| w.parse().unwrap()).collect();
    assert!(numbers.len() > 100);
    for x in numbers.chunks(2) {
        assert!(((x[0] - 20.5).hypot(x[1] - 20.5) - 10.0).abs() < 0.03);
    }
    let saddle = |c: i64, r: i64| (c >= 0).then_some(if (c + r) % 2 == 0 { 1.0 } else { -2.0 });
    let path = contour::path(1, 2, &saddle, 0.0);
    assert_eq!(path.matches('M').count(), 2, "{path}");
    assert_eq!(contour::path(4, 3, &|_, _| None, 0.0), "");
}
