use super::*;
use crate::testing::{Scratch, random_world};
use rubblepile_core::{Domain, Rng};

fn request(input: &Path, format: Format) -> ExportRequest {
    ExportRequest { input: input.into(), format, output: None, every: 1, frame: None, overwrite: false }
}

fn run_with_frames(scratch: &Scratch, frames: u64) {
    std::fs::create_dir_all(scratch.path().join("frames")).unwrap();
    for k in 0..frames {
        let world = random_world(&mut Rng::new(k), 5);
        let path = scratch.path().join("frames").join(frame::file_name(k));
        frame::write(&path, &FrameData::of(&world, &[])).unwrap();
        frame::shapes::write(&frame::shapes::path_beside(&path), &world.shapes).unwrap();
    }
}

/// Of a run of soft spheres.
fn soft() -> checkpoint::Meta {
    checkpoint::Meta { method: "soft".into(), ..Default::default() }
}

#[test]
fn xyz_has_the_counts_and_columns_it_says() {
    let rocks = |seed| Some(random_world(&mut Rng::new(seed), 4)).filter(|w| !w.only_spheres());
    let mut world = (1..).find_map(rocks).unwrap();
    let (min, max) = (glam::DVec3::splat(-1.0), glam::DVec3::new(1.0, 2.0, 3.0));
    world.domain = Domain::Periodic { min, max, axes: [true, true, false] };
    let mut bytes = Vec::new();
    write_frame(&mut bytes, &FrameData::of(&world, &[]), Format::Xyz).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 6);
    assert_eq!(lines[0], "4");
    assert!(lines[1].starts_with("Lattice=\"2 0 0 0 3 0 0 0 ") && lines[1].contains("pbc=\"T T F\""));
    // id, species, 3 vectors, radius, mass, group, contacts, and for rocks the orientation and the shape
    assert!(lines[2..].iter().all(|l| l.split(' ').count() == 20), "{text}");
    assert!(lines[1].contains(":orientation:R:4:shape:I:1 Time="), "{text}");
    world.bodies.shape.fill(0);
    let mut bytes = Vec::new();
    write_frame(&mut bytes, &FrameData::of(&world, &[]), Format::Xyz).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    assert!(text.lines().skip(2).all(|l| l.split(' ').count() == 15), "{text}");
}

#[test]
fn csv_keeps_every_digit() {
    let world = random_world(&mut Rng::new(2), 50);
    let frame = FrameData::of(&world, &[]);
    let mut bytes = Vec::new();
    write_frame(&mut bytes, &frame, Format::Csv).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    for (k, line) in text.lines().skip(1).enumerate() {
        let x: f64 = line.split(',').nth(1).unwrap().parse().unwrap();
        assert_eq!(x, frame.position[k].x);
    }
    assert_eq!(text.lines().count(), 51);
}

#[test]
fn a_run_is_exported_whole_or_in_part() {
    let scratch = Scratch::new("export-run");
    run_with_frames(&scratch, 7);
    let mut xyz = request(scratch.path(), Format::Xyz);
    xyz.every = 3;
    let outcome = export(&xyz).unwrap();
    assert_eq!((outcome.frames, outcome.written.file_name().unwrap().to_str()), (3, Some("export.xyz")));
    assert!(export(&xyz).unwrap_err().to_string().contains("--force"));
    let mut vtp = request(scratch.path(), Format::Vtp);
    vtp.frame = Some(5);
    assert!(export(&vtp).unwrap().written.join("frame-000005.vtp").exists());
    vtp.frame = Some(50);
    assert!(export(&vtp).unwrap_err().to_string().contains("the last is 6"));
}

#[test]
fn a_checkpoint_is_exported_with_its_contacts() {
    let scratch = Scratch::new("export-checkpoint");
    let world = random_world(&mut Rng::new(3), 5);
    let path = scratch.path().join("checkpoint.rpk");
    checkpoint::write(&path, &soft(), &world).unwrap();
    let outcome = export(&request(&path, Format::Csv)).unwrap();
    assert_eq!(outcome.written, scratch.path().join("checkpoint.csv"));
    let text = std::fs::read_to_string(&outcome.written).unwrap();
    assert_eq!(text.lines().count(), 6);
}

/// A cube of edge 2 at (10, 0, 0), turned by a right angle about z, and a sphere of radius 3.
fn cube_and_sphere() -> rubblepile_core::World {
    use rubblepile_core::{Shape, World};
    let mut world = World::new(1.0);
    world.groups.push("all".into());
    world.materials.push(Default::default());
    let solid = std::sync::Arc::new(rubblepile_geometry::solid::block(glam::DVec3::new(2.0, 4.0, 6.0)));
    world.shapes.push(Shape::Solid(solid.clone()));
    let turn = glam::DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2);
    world.bodies.push_solid(glam::DVec3::X * 10.0, turn, (1, &solid), 1000.0, 0, 0);
    world.bodies.push_sphere(glam::DVec3::ZERO, 3.0, 1000.0, 0, 0);
    world
}

#[test]
fn obj_places_rocks_and_spheres_and_reads_back_as_shapes() {
    let frame = FrameData::of(&cube_and_sphere(), &[]);
    let text = |spheres| {
        let mut bytes = Vec::new();
        write_frame(&mut bytes, &frame, Format::Obj { spheres }).unwrap();
        String::from_utf8(bytes).unwrap()
    };
    let parts = crate::generate::obj::read(&text(None)).unwrap();
    assert_eq!((parts.len(), parts[0].len()), (1, 8));
    // Turned: 4 along x, 2 along y.
    assert!(
        parts[0].iter().all(|v| ((v.x - 10.0).abs() - 2.0).abs() < 1e-9 && (v.y.abs() - 1.0).abs() < 1e-9)
    );
    let both = crate::generate::obj::read(&text(Some(1))).unwrap();
    assert_eq!((both.len(), both[1].len()), (2, 42));
    assert!(both[1].iter().all(|v| (v.length() - 3.0).abs() < 1e-9));
    let made = rubblepile_geometry::solid::from_points(&both[0]).unwrap();
    assert!((made.solid.volume - 48.0).abs() < 1e-9 && made.centre.distance(glam::DVec3::X * 10.0) < 1e-9);
}

#[test]
fn frames_without_their_shapes_export_as_tables_only() {
    let scratch = Scratch::new("export-shapes");
    run_with_frames(&scratch, 2);
    assert!(export(&request(scratch.path(), Format::Vtp)).is_ok());
    assert!(scratch.path().join("export-vtp/frames.vtp.series").exists());
    std::fs::remove_file(scratch.path().join("frames").join(frame::shapes::NAME)).unwrap();
    let obj = request(scratch.path(), Format::Obj { spheres: None });
    let error = export(&obj).unwrap_err();
    assert!(error.to_string().contains("the shapes of the bodies are not there"), "{error}");
    assert!(export(&request(scratch.path(), Format::Csv)).is_ok());
    // Of another run.
    frame::shapes::write(&scratch.path().join("frames").join(frame::shapes::NAME), &[Shape::Sphere]).unwrap();
    assert!(export(&obj).unwrap_err().to_string().contains("a body has shape 1"));
}

#[test]
fn the_surface_of_a_pile_is_closed_and_holds_its_volume() {
    let scratch = Scratch::new("surface");
    let mut world = rubblepile_core::World::new(1.0);
    world.materials.push(rubblepile_core::Material { density: 1000.0, ..Default::default() });
    world.groups.push("pile".into());
    for k in 0..27 {
        let site = glam::DVec3::new(f64::from(k % 3), f64::from(k / 3 % 3), f64::from(k / 9));
        world.bodies.push_sphere(2.0 * site, 1.0, 1000.0, 0, 0);
    }
    checkpoint::save(scratch.path(), &soft(), &world).expect("a checkpoint");
    for vtp in [false, true] {
        let request = SurfaceRequest {
            input: scratch.path().to_path_buf(),
            vtp,
            alpha: None,
            output: None,
            overwrite: false,
        };
        let (envelope, written) = export_surface(&request).expect("a surface");
        let text = std::fs::read_to_string(&written).expect("a file");
        let triangles = envelope.surface.triangles.len();
        let told = if vtp { format!("NumberOfPolys=\"{triangles}\"") } else { "\nf ".into() };
        assert!(triangles > 100 && text.contains(&told), "{}", written.display());
        assert!(vtp || text.matches("\nf ").count() == triangles);
        // More than the spheres, less than the box around them.
        let solid = 27.0 * 4.0 / 3.0 * std::f64::consts::PI;
        assert!(envelope.volume > solid && envelope.volume < 216.0, "{}", envelope.volume);
        assert!(export_surface(&request).is_err(), "nothing is replaced unasked");
    }
}

/// Header and arrays of a VTP file.
fn vtp(path: std::path::PathBuf) -> (String, impl Fn(&str) -> Vec<u8>) {
    let bytes = std::fs::read(path).unwrap();
    let start = bytes.windows(2).position(|w| w == b"\n_").unwrap() + 2;
    let header = String::from_utf8_lossy(&bytes[..start]).into_owned();
    let tags = header.clone();
    let data = move |name: &str| {
        let tag = tags.lines().find(|l| l.contains(&format!("Name=\"{name}\""))).unwrap();
        let offset: usize =
            tag.split("offset=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap();
        let at = &bytes[start + offset..];
        let length = u64::from_le_bytes(at[..8].try_into().unwrap()) as usize;
        at[8..8 + length].to_vec()
    };
    (header, data)
}

fn points(bytes: &[u8]) -> Vec<glam::DVec3> {
    let numbers: Vec<f64> =
        bytes.chunks_exact(8).map(|b| f64::from_le_bytes(b.try_into().unwrap())).collect();
    numbers.chunks_exact(3).map(glam::DVec3::from_slice).collect()
}

#[test]
fn asteroids_are_drawn_beside_frames_in_the_frame_of_the_columns() {
    use glam::{DQuat, DVec3};
    use rubblepile_geometry::mesh;
    let mut world = cube_and_sphere();
    let surface = mesh::make::geodesic(2);
    let corner = surface.vertices[5];
    for k in 0..2 {
        let at = DVec3::new(10.0, 20.0 * f64::from(k), 0.0);
        let mut asteroid = mesh::asteroid(surface.clone(), 1000.0, mesh::Axes::Centred);
        asteroid.id = k;
        asteroid.position = at;
        asteroid.orientation = DQuat::from_rotation_z(0.5);
        world.asteroids.push(asteroid);
    }
    let turned = DQuat::from_rotation_z(0.5) * corner;
    for (view, expected) in [
        (frame::View::Inertial, [DVec3::new(10.0, 0.0, 0.0) + turned, DVec3::new(10.0, 20.0, 0.0) + turned]),
        (frame::View::Body, [corner, corner + DQuat::from_rotation_z(-0.5) * (20.0 * DVec3::Y)]),
    ] {
        let scratch = Scratch::new("export-asteroids");
        let path = scratch.path().join("frame.vtkhdf");
        frame::write(&path, &FrameData::of(&world, &[]).in_view(&world, view)).unwrap();
        frame::shapes::write(&frame::shapes::path_beside(&path), &world.shapes).unwrap();
        // Without the surface that was written beside it there is nothing to draw.
        assert!(matches!(export(&request(&path, Format::Vtp)), Err(FileError::Io { .. })));
        frame::write_surfaces(scratch.path(), &world).unwrap();
        export(&request(&path, Format::Vtp)).unwrap();
        let (header, data) = vtp(scratch.path().join("frame-asteroids.vtp"));
        assert!(header.contains(&format!("NumberOfPolys=\"{}\"", 2 * surface.triangles.len())), "{header}");
        let points = points(&data("Points"));
        for (k, expected) in expected.into_iter().enumerate() {
            let found = points[k * surface.vertices.len() + 5];
            assert!(found.distance(expected) < 1e-12, "{view:?}: {found}, not {expected}");
        }
    }
}

#[test]
fn walls_are_drawn_beside_frames_with_their_colours() {
    use glam::{DQuat, DVec3};
    use rubblepile_core::{
        Surface, Wall,
        wall::{Cuboid, Cylinder, Disk, Plane},
    };

    use crate::frame::{WallStyle, WallStyles};
    let scratch = Scratch::new("export-walls");
    let mut world = cube_and_sphere();
    let (x, y, z) = (DVec3::X, DVec3::Y, DVec3::Z);
    let ring = |radius, length| Surface::Cylinder(Cylinder { centre: DVec3::ZERO, axis: y, radius, length });
    let surfaces = [
        Surface::Plane(Plane { point: -3.0 * z, normal: z }),
        Surface::Disk(Disk { centre: x, normal: z, radius: 2.0, hole: 1.0 }),
        Surface::Box(Cuboid { min: -DVec3::ONE, max: DVec3::ONE }),
        ring(4.0, Some(0.0)),
        ring(0.0, Some(0.0)),
        ring(5.0, None),
    ];
    for (k, surface) in (0..).zip(surfaces) {
        let mut wall = Wall::new(k, format!("wall {k}"), 0, surface);
        wall.rotation = DQuat::from_rotation_y(std::f64::consts::FRAC_PI_2);
        world.walls.push(wall);
    }
    let look = |k: u32| (k, WallStyle { colour: [k as u8, 20, 255], transparency: 0.25 });
    let wall_styles: WallStyles = (0..6).map(look).collect();
    let drawn = FrameData::of(&world, &[]).with_wall_styles(&world, &wall_styles);
    let path = scratch.path().join("frame.vtkhdf");
    frame::write(&path, &drawn).unwrap();
    frame::shapes::write(&frame::shapes::path_beside(&path), &world.shapes).unwrap();
    assert_eq!(frame::read(&path).unwrap().about, drawn.about);
    export(&request(&path, Format::Vtp)).unwrap();
    let (header, data) = vtp(scratch.path().join("frame-walls.vtp"));
    // One vertex, one line; a quad, a band, six quads and a band.
    assert!(header.contains("NumberOfVerts=\"1\" NumberOfLines=\"1\" NumberOfPolys=\"135\""), "{header}");
    let colours = data("colour");
    assert_eq!((colours.len(), &colours[..6]), (3 * 137, [4, 20, 255, 3, 20, 255].as_slice()));
    assert_eq!(data("opacity")[..8], 0.75f64.to_le_bytes());
    // Turned about y: the disk and the box stay within, and the plane stands upright at x = -3.
    let on_the_plane = points(&data("Points")).iter().filter(|p| (p.x + 3.0).abs() < 1e-9).count();
    assert_eq!(on_the_plane, 4);
    // Without walls there is no file.
    world.walls.clear();
    checkpoint::write(&scratch.path().join("bare.rpk"), &soft(), &world).unwrap();
    export(&request(&scratch.path().join("bare.rpk"), Format::Vtp)).unwrap();
    assert!(!scratch.path().join("bare-walls.vtp").exists());
}
