use super::*;
use crate::testing::{Scratch, random_world};
use rubblepile_core::Rng;

#[test]
fn a_frame_comes_back_in_the_order_of_ids() {
    let scratch = Scratch::new("frame-round");
    for (seed, n) in [(1, 0), (2, 1), (3, 1000)] {
        let world = random_world(&mut Rng::new(seed), n);
        let counts: Vec<u32> = (0..n as u32).collect();
        let frame = FrameData::of(&world, &counts);
        let path = scratch.path().join(format!("{n}.vtkhdf"));
        write(&path, &frame).unwrap();
        let mut again = read(&path).unwrap();
        assert_eq!(again.shapes, [Shape::Sphere], "shapes are in a file of their own");
        shapes::write(&shapes::path_beside(&path), &frame.shapes).unwrap();
        again.shapes = shapes::read(&shapes::path_beside(&path)).unwrap();
        assert_eq!(again, frame);
        assert!(again.id.is_sorted());
        assert!(n == 0 || again.contacts[0] == n as u32 - 1, "the rows were in reverse order of the ids");
    }
}

#[test]
fn the_same_world_gives_the_same_bytes() {
    let scratch = Scratch::new("frame-bytes");
    let world = random_world(&mut Rng::new(4), 300);
    let mut sorted = world.clone();
    sorted.permute(&world.bodies.rows_by_id());
    let (a, b) = (scratch.path().join("a.vtkhdf"), scratch.path().join("b.vtkhdf"));
    write(&a, &FrameData::of(&world, &[])).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(1100));
    write(&b, &FrameData::of(&sorted, &[])).unwrap();
    assert!(std::fs::read(a).unwrap() == std::fs::read(b).unwrap());
}

#[test]
fn damaged_frames_are_errors_not_panics() {
    let scratch = Scratch::new("frame-fuzz");
    let path = scratch.path().join("f.vtkhdf");
    write(&path, &FrameData::of(&random_world(&mut Rng::new(5), 4), &[])).unwrap();
    damage(&path, &|path| read(path).map(|_| ()));
}

#[test]
fn damaged_shapes_are_errors_not_panics() {
    let scratch = Scratch::new("shapes-fuzz");
    let path = scratch.path().join(shapes::NAME);
    shapes::write(&path, &random_world(&mut Rng::new(5), 1).shapes).unwrap();
    damage(&path, &|path| shapes::read(path).map(|_| ()));
    std::fs::remove_file(&path).unwrap();
    assert!(shapes::read(&path).unwrap_err().to_string().contains("are not there"));
}

/// Changes a file in all ways and reads it.
fn damage(path: &std::path::Path, read: &dyn Fn(&std::path::Path) -> crate::error::Result<()>) {
    let mut rng = Rng::new(6);
    let original = std::fs::read(path).unwrap();
    let rounds: u64 = std::env::var("RUBBLEPILE_FUZZ").ok().and_then(|n| n.parse().ok()).unwrap_or(10_000);
    let (mut refused, mut caught) = (0, 0);
    for _ in 0..rounds {
        let mut bytes = original.clone();
        for _ in 0..1 + rng.next_u64() % 4 {
            let k = (rng.next_u64() % bytes.len() as u64) as usize;
            match rng.next_u64() % 8 {
                0 => bytes.truncate(k.max(1)),
                1..4 => bytes[k] = [0, 1, 0x7f, 0x80, 0xff][(rng.next_u64() % 5) as usize],
                _ => bytes[k] ^= 1 << (rng.next_u64() % 8),
            }
        }
        std::fs::write(path, &bytes).unwrap();
        if let Err(error) = read(path) {
            refused += 1;
            caught += u64::from(error.to_string().contains("gave up"));
        }
    }
    println!("{refused} of {rounds} refused, {caught} of them a panic of the library");
    assert!(refused > rounds / 10, "only {refused} of {rounds} were refused");
}

#[test]
fn other_files_are_no_frames() {
    let scratch = Scratch::new("frame-other");
    let path = scratch.path().join("x.vtkhdf");
    std::fs::write(&path, "hello").unwrap();
    assert!(matches!(read(&path), Err(crate::FileError::Foreign { .. })));
    assert!(matches!(read(&scratch.path().join("none")), Err(crate::FileError::Io { .. })));
}

#[test]
fn the_index_is_json_after_every_frame_and_is_rebuilt() {
    let scratch = Scratch::new("frame-index");
    std::fs::create_dir(scratch.path().join("frames")).unwrap();
    let mut world = random_world(&mut Rng::new(6), 2);
    let mut index = FrameIndex::create(scratch.path(), 0).unwrap();
    for k in 0..3 {
        world.clock.epoch_time = k as f64 + 0.1;
        let frame = FrameData::of(&world, &[]);
        write(&scratch.path().join("frames").join(file_name(k)), &frame).unwrap();
        index.push(k, frame.time).unwrap();
        assert_eq!(index::entries(scratch.path()).unwrap().len(), k as usize + 1);
    }
    let before = index::entries(scratch.path()).unwrap();
    // Torn: the times come from the frames.
    std::fs::write(scratch.path().join(INDEX_NAME), "{ \"fi").unwrap();
    FrameIndex::create(scratch.path(), 3).unwrap();
    assert_eq!(index::entries(scratch.path()).unwrap(), before);
    // Resumed before the last frame: it is not listed any more.
    FrameIndex::create(scratch.path(), 2).unwrap();
    assert_eq!(index::entries(scratch.path()).unwrap(), before[..2]);
}

/// Two deformable grains with something in every column.
pub(crate) fn deformable_frame(felt: bool) -> FrameData {
    let mut rng = Rng::new(11);
    let mut world = random_world(&mut rng, 0);
    while rubblepile_meshfree::grains(&world).len() < 2 {
        crate::testing::change_part(&mut world, &mut rng, "meshfree");
    }
    let n = 10;
    let number = |k: usize| k as f64 - 3.5;
    let grain = rubblepile_core::GrainState {
        area: 2.0,
        orientation: 0.1,
        stress: [1.0, 2.0, 3.0],
        ..Default::default()
    };
    let deformation = Deformation {
        stress: (0..n).map(|k| [number(k), -number(k), 2.0]).collect(),
        strain: (0..n).map(|k| [0.1, number(k), 0.0]).collect(),
        contact_force: (0..n).map(|k| glam::DVec2::new(number(k), 1.0)).collect(),
        touching: (0..n).map(|k| k % 3 == 0).collect(),
        grains: vec![grain; 2],
        ..Deformation::default()
    };
    FrameData::of(&world, &[]).with_deformation(&world, felt.then_some(&deformation))
}

#[test]
fn deformable_grains_come_back() {
    let scratch = Scratch::new("frame-deformable");
    let path = scratch.path().join("d.vtkhdf");
    for felt in [false, true] {
        let frame = deformable_frame(felt);
        write(&path, &frame).unwrap();
        let again = read(&path).unwrap();
        // Solids of other bodies are no part of it.
        assert_eq!((&again.deformable, &again.about), (&frame.deformable, &frame.about));
        let nodes = again.deformable.unwrap();
        assert_eq!((nodes.len(), nodes.rows(), nodes.triangles.len()), (10, vec![0..5, 5..10], 6));
        assert_eq!(nodes.felt.is_some(), felt);
    }
    let (stress, bits) = ([3.0, -1.0, 2.0], 1e-15);
    assert_eq!(deformable::pressure(stress), -1.0);
    assert!((deformable::shear(stress) - 8f64.sqrt()).abs() < bits);
    damage(&path, &|path| read(path).map(|_| ()));
}

/// Names of the datasets of a frame's point data (with its points) and field data.
fn datasets(path: &std::path::Path) -> [std::collections::BTreeSet<String>; 2] {
    let file = rust_hdf5::H5File::options().no_locking().open(path).unwrap();
    let vtk = file.root_group().group("VTKHDF").unwrap();
    let names = |group: &str| vtk.group(group).unwrap().dataset_names().unwrap().into_iter();
    let points = vtk.dataset_names().unwrap().into_iter().filter(|name| name != "NumberOfPoints");
    [names("PointData").chain(points).collect(), names("FieldData").collect()]
}

#[test]
fn the_reference_names_what_is_written_and_nothing_else() {
    let scratch = Scratch::new("frame-reference");
    let path = scratch.path().join("f.vtkhdf");
    let named = |list: &[crate::reference::Entry]| list.iter().map(|e| e.name.to_string()).collect();
    let mut world = random_world(&mut Rng::new(7), 5);
    let surface = rubblepile_geometry::mesh::make::geodesic(2);
    let axes = rubblepile_geometry::mesh::Axes::Centred;
    world.asteroids.push(rubblepile_geometry::mesh::asteroid(surface, 1000.0, axes));
    let frame = FrameData::of(&world, &[]).in_view(&world, View::Both);
    write(&path, &frame).unwrap();
    assert_eq!(datasets(&path), [named(fields::bodies::ALL), named(fields::world::ALL)]);
    let about = serde_json::to_value(&frame.about).unwrap();
    let keys: std::collections::BTreeSet<String> = about.as_object().unwrap().keys().cloned().collect();
    assert_eq!(keys, named(fields::ABOUT));

    let mut world = random_world(&mut Rng::new(8), 0);
    for seed in 9.. {
        crate::testing::add_deformables(&mut world, &mut Rng::new(seed));
        if !rubblepile_meshfree::grains(&world).is_empty() {
            break;
        }
    }
    let grains = rubblepile_meshfree::grains(&world);
    let nodes = grains.iter().map(|g| g.reference.nodes.len()).sum();
    let felt = Deformation {
        stress: vec![[0.0; 3]; nodes],
        strain: vec![[0.0; 3]; nodes],
        contact_force: vec![glam::DVec2::ZERO; nodes],
        touching: vec![false; nodes],
        grains: vec![Default::default(); grains.len()],
        ..Deformation::default()
    };
    write(&path, &FrameData::of(&world, &[]).with_deformation(&world, Some(&felt))).unwrap();
    assert_eq!(datasets(&path), [named(fields::nodes::ALL), named(fields::grains::ALL)]);
}
