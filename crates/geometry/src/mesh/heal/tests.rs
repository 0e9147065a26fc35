use glam::DVec3;

use super::{
    super::{
        Flaw, flaws,
        make::{Form, Relief, body, geodesic},
        mass,
    },
    Mesh, heal, holes,
};

/// Heals what `damage` did to a sound surface; gives it with what was done, joined.
fn healed(damage: &dyn Fn(&mut Mesh)) -> (Mesh, String) {
    let mut mesh = geodesic(4);
    damage(&mut mesh);
    assert_ne!(flaws(&mesh), [], "it is damaged");
    let (mesh, done) = heal(mesh);
    (mesh, done.join("; "))
}

fn is_whole(mesh: &Mesh) {
    let sound = geodesic(4);
    assert_eq!(flaws(mesh), []);
    assert_eq!((mesh.triangles.len(), mesh.vertices.len()), (sound.triangles.len(), sound.vertices.len()));
    assert!((mass(mesh).volume / mass(&sound).volume - 1.0).abs() < 1e-8);
}

#[test]
fn sound_surfaces_come_back_as_they_were() {
    let relief = Relief { roughness: 3.0, craters: 5, crater_radius: [20.0, 50.0], ..Relief::default() };
    let mut mesh = body(Form::Top { equator: 250.0, pole: 220.0, ridge: 0.4 }, &relief, 2000, 3);
    // A vertex that nothing uses is no flaw either.
    mesh.vertices.push(DVec3::ZERO);
    assert_eq!(heal(mesh.clone()), (mesh, Vec::new()));
}

#[test]
fn vertices_at_one_place_are_merged() {
    // Each triangle has corners of its own, as in STL files, some a rounding away from each other.
    let (mesh, done) = healed(&|m| {
        let mut soup = Mesh::default();
        for k in 0..m.triangles.len() {
            let first = soup.vertices.len() as u32;
            soup.vertices.extend(m.corners(k).map(|v| v * (1.0 + 3e-16 * (k % 5) as f64)));
            soup.triangles.push([first, first + 1, first + 2]);
        }
        *m = soup;
    });
    assert_eq!(
        done,
        "merged 798 vertices with others at the same place; dropped 798 vertices of no triangle"
    );
    is_whole(&mesh);
}

#[test]
fn collapsed_and_copied_triangles_are_dropped() {
    let (mesh, done) = healed(&|m| {
        m.triangles.push([4, 4, 9]);
        m.triangles.push(m.triangles[7]);
        // A copy that faces the other way.
        let [a, b, c] = m.triangles[100];
        m.triangles.push([b, a, c]);
    });
    assert_eq!(done, "dropped 1 triangle with one corner twice; dropped 2 triangles that were there twice");
    is_whole(&mesh);
    // A sheet of two triangles that stands on an edge of the surface.
    let (mesh, done) = healed(&|m| {
        let [a, b, _] = m.triangles[7];
        m.vertices.push(DVec3::splat(2.0));
        let tip = m.vertices.len() as u32 - 1;
        m.triangles.extend([[a, b, tip], [b, a, tip]]);
    });
    assert_eq!(done, "dropped 2 triangles that were there twice; dropped 1 vertex of no triangle");
    is_whole(&mesh);
}

#[test]
fn triangles_are_turned_to_face_the_same_way() {
    let (mesh, done) = healed(&|m| [3, 50, 51, 200].into_iter().for_each(|k| m.triangles[k].swap(0, 1)));
    assert_eq!(done, "turned 4 triangles that faced the other way");
    is_whole(&mesh);
    let (mesh, done) = healed(&|m| m.triangles.iter_mut().for_each(|t| t.swap(0, 1)));
    assert_eq!(done, "turned the whole surface, which was inside out");
    is_whole(&mesh);
    // Nearly all of them: the few are turned, then the whole.
    let (mesh, done) = healed(&|m| m.triangles.iter_mut().skip(2).for_each(|t| t.swap(0, 1)));
    assert_eq!(
        done,
        "turned 2 triangles that faced the other way; turned the whole surface, which was inside out"
    );
    is_whole(&mesh);
}

#[test]
fn flat_triangles_are_replaced() {
    // A vertex in the middle of an edge which only one of the two triangles there knows.
    let (mesh, done) = healed(&|m| {
        m.vertices.iter_mut().for_each(|v| *v = (8.0 * *v).round());
        let [a, b, c] = m.triangles[7];
        let [va, vb] = [a, b].map(|k| m.vertices[k as usize]);
        m.vertices.push(0.5 * (va + vb));
        let middle = m.vertices.len() as u32 - 1;
        m.triangles[7] = [a, middle, c];
        m.triangles.extend([[middle, b, c], [a, b, middle]]);
    });
    assert_eq!(done, "replaced 1 triangle without area");
    assert_eq!(mesh.triangles.len(), 322);
    assert_eq!(flaws(&mesh), []);
}

#[test]
fn small_holes_are_filled_and_large_ones_stay() {
    // One triangle, and all those about a vertex.
    let (mesh, done) = healed(&|m| m.triangles.truncate(319));
    assert_eq!(done, "filled a hole of 3 edges");
    is_whole(&mesh);
    let (mesh, done) = healed(&|m| {
        m.triangles.remove(60);
        m.triangles.retain(|t| !t.contains(&20));
    });
    assert!(done.contains("filled a hole of 6 edges") && done.contains("filled a hole of 3 edges"), "{done}");
    assert_eq!(flaws(&mesh), []);
    assert!((mass(&mesh).volume / mass(&geodesic(4)).volume - 1.0).abs() < 0.01);
    // Two holes that meet in a vertex.
    let (mesh, _) = healed(&|m| {
        let at: Vec<usize> = (0..320).filter(|&k| m.triangles[k].contains(&20)).collect();
        let apart = at[1..]
            .iter()
            .find(|&&k| m.triangles[k].iter().filter(|c| m.triangles[at[0]].contains(c)).count() == 1);
        m.triangles.remove(*apart.expect("one across"));
        m.triangles.remove(at[0]);
    });
    is_whole(&mesh);
    // Half of it cannot be guessed.
    let (mesh, done) = healed(&|m| {
        let middle = |m: &Mesh, k: usize| m.corners(k).into_iter().sum::<DVec3>().z;
        m.triangles = (0..320).filter(|&k| middle(m, k) > 0.0).map(|k| m.triangles[k]).collect();
    });
    assert!(done.contains("open, which is too large to be filled"), "{done}");
    assert!(matches!(flaws(&mesh)[..], [Flaw::Open { .. }]));
}

#[test]
fn a_patch_leaves_edges_that_are_there_alone() {
    let vertices = vec![DVec3::ZERO, DVec3::X, DVec3::new(1.1, 1.0, 0.1), DVec3::Y];
    let mut mesh = Mesh { vertices, triangles: Vec::new() };
    let mut with = |taken: &[[u32; 2]]| {
        holes::patch(&mut mesh, &[0, 1, 2, 3], &taken.iter().copied().collect()).expect("a patch")
    };
    let uses = |made: &[[u32; 3]], i: u32, j: u32| made.iter().any(|t| t.contains(&i) && t.contains(&j));
    let made = with(&[[1, 3]]);
    assert!(made.len() == 2 && uses(&made, 0, 2), "{made:?}");
    let made = with(&[[0, 2]]);
    assert!(made.len() == 2 && uses(&made, 1, 3), "{made:?}");
    // Both are taken: a fan about a new vertex.
    assert_eq!(with(&[[0, 2], [1, 3]]), [[0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]]);
    assert_eq!(mesh.vertices[4], DVec3::new(0.525, 0.5, 0.025));
}

#[test]
fn the_largest_piece_stays() {
    let (mesh, done) = healed(&|m| {
        let n = m.vertices.len() as u32;
        let small = geodesic(2);
        // First in the file, and in another place.
        m.triangles.splice(0..0, small.triangles.iter().map(|t| t.map(|k| k + n)));
        m.vertices.extend(small.vertices.iter().map(|v| 0.1 * *v + 3.0 * DVec3::X));
    });
    assert_eq!(done, "dropped 1 smaller piece of 80 triangles together; dropped 42 vertices of no triangle");
    is_whole(&mesh);
}

#[test]
fn triangles_that_name_nothing_are_dropped() {
    let (mesh, done) = healed(&|m| m.triangles[9][2] = 9999);
    assert_eq!(done, "dropped 1 triangle without usable vertices; filled a hole of 3 edges");
    is_whole(&mesh);
    let (mesh, done) = healed(&|m| m.vertices[30].y = f64::NAN);
    assert!(done.contains("filled a hole of 6 edges"), "{done}");
    assert_eq!(flaws(&mesh), []);
}

#[test]
fn what_cannot_be_repaired_keeps_its_flaw() {
    let (mesh, _) = healed(&|m| m.vertices[20] *= -1.3);
    assert!(matches!(flaws(&mesh)[..], [Flaw::Crossing { .. }]));
    // A wall inside: three triangles at three edges.
    let (mesh, _) = healed(&|m| {
        let [a, b, c] = m.triangles[0];
        m.vertices.push(DVec3::ZERO);
        let middle = m.vertices.len() as u32 - 1;
        m.triangles.extend([[a, b, middle], [b, c, middle], [c, a, middle]]);
    });
    assert!(flaws(&mesh).iter().any(|f| matches!(f, Flaw::Crowded { edges: 3, .. })), "{:?}", flaws(&mesh));
    // Nothing is left of nothing.
    assert_eq!(heal(Mesh::default()), (Mesh::default(), Vec::new()));
    let none = Mesh { vertices: vec![DVec3::ZERO], triangles: vec![[0, 0, 0]] };
    assert_eq!(flaws(&heal(none).0), [Flaw::Empty]);
}
