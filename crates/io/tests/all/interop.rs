//! Files as other programs see them: h5py, VTK (what ParaView reads with) and ASE, against our own CSV.
//!
//! Needs a Python with `vtk`, `h5py`, `numpy` and `ase`: `RUBBLEPILE_PYTHON=python3 cargo test -- --ignored`.

use std::{path::Path, process::Command, sync::Arc};

use glam::{DQuat, DVec3};
use rubblepile_core::{Deformation, Domain, GrainState, Material, Rng, Shape, World};
use rubblepile_io::{
    export::{Format, write_frame},
    frame::{self, FrameData},
};

fn world(n: usize, rocks: bool) -> World {
    let mut rng = Rng::new(3);
    let mut world = World::new(1e-3);
    world.clock.step = 1234;
    world.groups.push("pile".into());
    world.materials.push(Material { name: "Si".into(), density: 2000.0, ..Material::default() });
    world.domain =
        Domain::Periodic { min: DVec3::ZERO, max: DVec3::new(1.0, 2.0, 3.0), axes: [true, true, false] };
    for k in 0..n {
        let x = DVec3::new(rng.uniform(), 2.0 * rng.uniform(), 3.0 * rng.uniform());
        world.bodies.push_sphere(x, rng.range(0.01, 0.02), 2000.0, 0, 0);
        if rocks && k % 3 == 0 {
            let solid = Arc::new(rubblepile_geometry::solid::block(DVec3::new(0.02, 0.03, 0.04)));
            world.bodies.shape[k] = world.shapes.len() as u32;
            world.bodies.orientation[k] = DQuat::from_axis_angle(rng.direction(), rng.normal());
            world.bodies.radius[k] = solid.radius;
            world.shapes.push(Shape::Solid(solid));
        }
        world.bodies.velocity[k] = rng.direction();
        world.bodies.spin[k] = rng.direction();
    }
    let backwards: Vec<u32> = (0..n as u32).rev().collect();
    world.permute(&backwards);
    world
}

#[test]
#[ignore = "needs Python with vtk, h5py, numpy and ase, named by RUBBLEPILE_PYTHON"]
fn other_programs_read_what_we_wrote() {
    // ASE knows elements only, so that is what the material is called here.
    let python = std::env::var("RUBBLEPILE_PYTHON").unwrap_or_else(|_| "python3".into());
    let folder = std::env::temp_dir().join(format!("rubblepile-interop-{}", std::process::id()));
    for (n, rocks) in [(0, false), (1, false), (500, false), (500, true)] {
        std::fs::create_dir_all(&folder).unwrap();
        let counts: Vec<u32> = (0..n as u32).map(|k| k % 7).collect();
        let data = FrameData::of(&world(n, rocks), &counts);
        frame::shapes::write(&folder.join(frame::shapes::NAME), &data.shapes).unwrap();
        frame::write(&folder.join("frame.vtkhdf"), &data).unwrap();
        for format in [Format::Csv, Format::Vtp, Format::Xyz] {
            let path = folder.join("frame").with_extension(format.extension());
            let mut file = std::io::BufWriter::new(std::fs::File::create(path).unwrap());
            write_frame(&mut file, &data, format).unwrap();
        }
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/interop.py");
        let output = Command::new(&python).arg(script).arg(&folder).output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
        assert!(said.contains(&format!("{n} bodies agree")), "{said}");
        std::fs::remove_dir_all(&folder).unwrap();
    }
}

/// Two deformable grains that were pressed a little.
fn deformable() -> FrameData {
    use rubblepile_meshfree::{Deformable, DeformableState, Reference, fill, grains, outline::Outline};
    let mut world = World::new(1e-3);
    world.groups.push("discs".into());
    world.materials.push(Material { name: "rubber".into(), density: 1000.0, ..Material::default() });
    for id in 0..2 {
        let outline =
            Outline::ellipse(DVec3::X.truncate() * 3.0 * id as f64, DVec3::ONE.truncate(), 90).unwrap();
        let filling = fill::fill(&outline, fill::Density { spacing: 0.3, grading: 0.0 }).unwrap();
        let fill::Filling { nodes, boundary, triangles } = filling;
        let mut grain = Deformable::new(id, 0, 0, Reference { nodes, boundary, triangles });
        grain.displacement.iter_mut().zip(&grain.reference.nodes).for_each(|(u, x)| u.y = -0.1 * x.y);
        world.part_or_default::<DeformableState>().grains.push(grain);
    }
    let n: usize = grains(&world).iter().map(|g| g.displacement.len()).sum();
    let mut rng = Rng::new(5);
    let felt = Deformation {
        stress: (0..n).map(|_| [rng.normal(), rng.normal(), rng.normal()]).collect(),
        strain: (0..n).map(|_| [rng.normal(), rng.normal(), rng.normal()]).collect(),
        contact_force: (0..n).map(|_| rng.direction().truncate()).collect(),
        touching: (0..n).map(|k| k % 5 == 0).collect(),
        grains: vec![GrainState::default(); 2],
        ..Deformation::default()
    };
    FrameData::of(&world, &[]).with_deformation(&world, Some(&felt))
}

#[test]
#[ignore = "needs Python with vtk, h5py and numpy, named by RUBBLEPILE_PYTHON"]
fn other_programs_read_deformable_grains() {
    let python = std::env::var("RUBBLEPILE_PYTHON").unwrap_or_else(|_| "python3".into());
    let folder = std::env::temp_dir().join(format!("rubblepile-interop-deformable-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let data = deformable();
    frame::write(&folder.join("frame.vtkhdf"), &data).unwrap();
    for format in [Format::Csv, Format::Vtp] {
        let path = folder.join("frame").with_extension(format.extension());
        let mut file = std::io::BufWriter::new(std::fs::File::create(path).unwrap());
        write_frame(&mut file, &data, format).unwrap();
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/interop_deformable.py");
    let output = Command::new(&python).arg(script).arg(&folder).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.contains("nodes agree"), "{said}");
    std::fs::remove_dir_all(&folder).unwrap();
}
