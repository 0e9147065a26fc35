use super::*;
use crate::testing::{Scratch, random_world};
use rubblepile_core::{Domain, Rng};

fn request(input: &Path, format: Format) -> Request {
    Request { input: input.into(), format, output: None, every: 1, frame: None, overwrite: false }
}

fn run_with_frames(scratch: &Scratch, frames: u64) {
    std::fs::create_dir_all(scratch.path().join("frames")).unwrap();
    for k in 0..frames {
        let world = random_world(&mut Rng::new(k), 5);
        let path = scratch.path().join("frames").join(frame::file_name(k));
        frame::write(&path, &FrameData::of(&world, &[])).unwrap();
    }
}

#[test]
fn xyz_has_the_counts_and_columns_it_says() {
    let mut world = random_world(&mut Rng::new(1), 4);
    let (min, max) = (glam::DVec3::splat(-1.0), glam::DVec3::new(1.0, 2.0, 3.0));
    world.domain = Domain::Periodic { min, max, axes: [true, true, false] };
    let mut bytes = Vec::new();
    write_frame(&mut bytes, &FrameData::of(&world, &[]), Format::Xyz).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 6);
    assert_eq!(lines[0], "4");
    assert!(lines[1].starts_with("Lattice=\"2 0 0 0 3 0 0 0 ") && lines[1].contains("pbc=\"T T F\""));
    // id, species, 3 vectors, radius, mass, group, contacts
    assert!(lines[2..].iter().all(|l| l.split(' ').count() == 15), "{text}");
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
    checkpoint::write(&path, &Default::default(), &world).unwrap();
    let outcome = export(&request(&path, Format::Csv)).unwrap();
    assert_eq!(outcome.written, scratch.path().join("checkpoint.csv"));
    let text = std::fs::read_to_string(&outcome.written).unwrap();
    assert_eq!(text.lines().count(), 6);
}
