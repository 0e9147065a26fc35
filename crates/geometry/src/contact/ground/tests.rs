use std::sync::Arc;

use glam::{DQuat, DVec3};
use rubblepile_core::{Rng, Solid};

use super::*;
use crate::{
    contact::{Hull, plain},
    mesh::{
        Mesh, flaws,
        make::{Form, Relief, body, terrain},
    },
    solid,
};

struct Ground {
    facets: Facets,
    tree: SurfaceTree,
}

impl Ground {
    fn new(mesh: Mesh) -> Self {
        assert_eq!(flaws(&mesh), []);
        Ground { tree: SurfaceTree::new(&mesh), facets: Facets::new(Arc::new(mesh)) }
    }

    fn points(&self, hull: &Placed, margin: f64) -> Vec<GroundPoint> {
        let mut out = Vec::new();
        hull_ground(hull, &self.facets, &self.tree, margin, &mut out);
        out
    }

    /// The smallest distance of a hull and the surface, over all vertices, edges and faces. They must be apart.
    fn distance(&self, hull: &Placed) -> f64 {
        let mut least = f64::INFINITY;
        for k in 0..hull.hull.vertices.len() {
            let near = self.tree.nearest(hull.centre + hull.vertex(k)).expect("a surface");
            assert!(near.distance > 0.0);
            least = least.min(near.distance);
        }
        let at = |k: u32| self.facets.vertex(k) - hull.centre;
        for k in 0..self.facets.mesh.vertices.len() as u32 {
            least = least.min(plain::on_surface(hull, at(k)).distance(at(k)));
        }
        for e in &self.facets.edges {
            for a in &hull.hull.edges {
                let ours = (hull.vertex(a.start as usize), hull.vertex(a.end as usize));
                let (p, q) = plain::between_segments(ours, (at(e.ends[0]), at(e.ends[1])));
                least = least.min(p.distance(q));
            }
        }
        least
    }
}

fn placed(solid: &Solid, position: DVec3, orientation: DQuat) -> Placed {
    Placed::new(Arc::new(Hull::new(&solid.parts[0]).expect("a hull")), position, orientation)
}

fn turn(rng: &mut Rng) -> DQuat {
    DQuat::from_axis_angle(rng.direction(), rng.range(0.0, 3.0))
}

#[test]
fn the_closest_pair_is_among_the_points_and_nothing_is_nearer() {
    let relief = Relief {
        craters: 8,
        crater_radius: [1.0, 3.0],
        boulders: 12,
        boulder_radius: [0.5, 1.5],
        roughness: 0.3,
    };
    let ground = Ground::new(body(Form::Ellipsoid { axes: DVec3::new(7.0, 6.0, 5.0) }, &relief, 700, 4));
    let mut rng = Rng::new(11);
    let (mut kinds, mut most) = ([0; 4], 0.0f64);
    for k in 0..300 {
        // From much smaller than a facet to much larger.
        let size = [0.2, 1.0, 3.0][k % 3];
        let rock = if k % 2 == 0 {
            solid::random_boulder(9, &mut rng)
        } else {
            solid::random_polyhedron(14, &mut rng)
        };
        let rock = solid::scaled(&rock, size);
        let (way, turn) = (rng.direction(), turn(&mut rng));
        let margin = size * 10f64.powf(rng.range(-4.0, -0.7));
        // Nearer and nearer, by no more than the distance: never inside.
        let mut hull = placed(&rock, 15.0 * way, turn);
        let (mut from, mut distance) = (15.0, ground.distance(&hull));
        let wanted = rng.range(0.001, 0.9) * margin;
        for _ in 0..60 {
            if distance < 1.1 * wanted {
                break;
            }
            from -= distance - wanted;
            hull.place(from * way, turn);
            distance = ground.distance(&hull);
        }
        if distance > margin {
            continue;
        }
        let points = ground.points(&hull, margin);
        let nearest = points.iter().min_by(|p, q| p.point.gap.total_cmp(&q.point.gap)).expect("a contact");
        let error = (nearest.point.gap - distance).abs() / size;
        most = most.max(error);
        assert!(error < 1e-9, "{k}: {} for {distance}, {nearest:?}", nearest.point.gap);
        kinds[(nearest.point.feature >> 30) as usize] += 1;
        for GroundPoint { point, facet } in &points {
            assert!(point.gap <= margin && (*facet as usize) < ground.facets.normals.len());
            let half = 0.5 * point.gap * point.normal;
            let (ours, theirs) = (point.position - half, point.position + half);
            let on_ground = ground.tree.nearest(theirs).expect("a surface").distance.abs();
            let on_hull = plain::on_surface(&hull, ours - hull.centre).distance(ours - hull.centre);
            assert!(on_ground < 1e-9 && on_hull < 1e-9, "{k}: {on_ground} {on_hull} {point:?}");
        }
    }
    // All three kinds were among the closest.
    assert!(kinds[..3].iter().all(|&n| n > 10), "{kinds:?} {most}");
}

#[test]
fn a_plane_of_any_triangles_is_a_plane() {
    let mut rng = Rng::new(2);
    let cube = solid::block(DVec3::ONE);
    for cells in [1, 7, 50] {
        let ground = Ground::new(terrain(10.0, cells, -5.0, |_, _| 0.0));
        for k in 0..200 {
            let gap = [1e-4, 0.0, -1e-9, -1e-5, -1e-3][k % 5];
            let x = DVec3::new(rng.range(-8.0, 8.0), rng.range(-8.0, 8.0), 0.5 + gap);
            // Now and then with a corner just over an edge or a vertex of the plane.
            let x = if k % 3 == 0 { DVec3::new(x.x.round() + 0.5, x.y.round() - 0.5, x.z) } else { x };
            let angle = if k % 3 == 0 { 0.0 } else { rng.range(0.0, 3.0) };
            let hull = placed(&cube, x, DQuat::from_rotation_z(angle));
            let mut points = ground.points(&hull, 2e-3);
            assert_eq!(points.len(), 4, "{cells} {x} {points:?}");
            points.sort_by_key(|p| p.point.feature);
            for (p, corner) in points.iter().zip([0, 1, 2, 3]) {
                assert!((p.point.gap - gap).abs() < 1e-14 && p.facet == 0, "{p:?}");
                assert!((p.point.normal + DVec3::Z).length() < 1e-14);
                let expected = hull.centre + hull.vertex(corner) - 0.5 * gap * DVec3::Z;
                assert!((p.point.position - expected).length() < 1e-14, "{p:?} {expected}");
            }
        }
    }
}

#[test]
fn a_block_over_the_rim_touches_at_the_corners_of_what_both_have() {
    let ground = Ground::new(terrain(2.0, 4, -5.0, |_, _| 0.0));
    let cube = solid::block(DVec3::splat(2.0));
    for gap in [1e-4, 0.0, -1e-7, -1e-4] {
        // Over a side, over a corner, and larger than all of the top.
        let cases = [
            (placed(&cube, DVec3::new(1.7, 0.3, 1.0 + gap), DQuat::IDENTITY), [0.7, -0.7, 2.0, 1.3]),
            (placed(&cube, DVec3::new(1.7, 1.9, 1.0 + gap), DQuat::IDENTITY), [0.7, 0.9, 2.0, 2.0]),
            (
                placed(
                    &solid::block(DVec3::new(9.0, 8.0, 2.0)),
                    DVec3::new(0.1, 0.2, 1.0 + gap),
                    DQuat::IDENTITY,
                ),
                [-2.0, -2.0, 2.0, 2.0],
            ),
        ];
        for (hull, [x0, y0, x1, y1]) in cases {
            let points = ground.points(&hull, 1e-3);
            assert_eq!(points.len(), 4, "{gap} {points:?}");
            for corner in [(x0, y0), (x0, y1), (x1, y0), (x1, y1)] {
                let corner = DVec3::new(corner.0, corner.1, 0.5 * gap);
                let near = |p: &&GroundPoint| p.point.position.distance(corner) < 1e-9;
                let point = points.iter().find(near).unwrap_or_else(|| panic!("{gap} {corner} {points:?}"));
                assert!((point.point.gap - gap).abs() < 1e-13);
                assert!((point.point.normal + DVec3::Z).length() < 1e-12);
            }
        }
    }
}

#[test]
fn ridges_peaks_and_valleys_push_along_their_own_directions() {
    let rng = &mut Rng::new(3);
    // A ridge along y under a block turned about z: two edges cross it.
    let ridge = Ground::new(terrain(4.0, 2, -5.0, |x, _| -0.5 * x.abs()));
    let plate = solid::block(DVec3::new(2.0, 3.0, 0.4));
    for _ in 0..100 {
        let gap = rng.range(-1e-4, 1e-4);
        let x = DVec3::new(rng.range(-0.5, 0.5), rng.range(-0.5, 0.5), 0.2 + gap);
        let hull = placed(&plate, x, DQuat::from_rotation_z(rng.range(0.0, 3.0)));
        let points = ridge.points(&hull, 1e-3);
        assert!(points.len() == 2 || points.len() == 3, "{points:?}");
        for GroundPoint { point, .. } in &points {
            assert!((point.normal + DVec3::Z).length() < 1e-9, "{point:?}");
            assert!((point.gap - gap).abs() < 1e-12 && point.position.x.abs() < 1e-9);
        }
        // An edge of a tilted block across it: the direction square to both.
        let tilt = DQuat::from_rotation_y(rng.range(-0.2, 0.2));
        let on_edge = tilt * DQuat::from_rotation_x(std::f64::consts::FRAC_PI_4);
        let bar = solid::block(DVec3::new(3.0, 1.0, 1.0));
        let low = DVec3::new(0.0, 0.0, 0.5f64.sqrt() + gap);
        let points = ridge.points(&placed(&bar, tilt * low, on_edge), 1e-3);
        assert_eq!(points.len(), 1, "{points:?}");
        assert!((points[0].point.normal + tilt * DVec3::Z).length() < 1e-9);
        assert!((points[0].point.gap - gap).abs() < 1e-12);
    }
    // A peak under a face.
    let peak = Ground::new(terrain(4.0, 2, -5.0, |x, y| -0.7 * x.abs().max(y.abs())));
    for _ in 0..100 {
        let gap = rng.range(-1e-4, 1e-4);
        let tilt = DQuat::from_axis_angle(
            DVec3::new(rng.range(-1.0, 1.0), rng.range(-1.0, 1.0), 0.0).normalize(),
            0.3,
        );
        let offset = DVec3::new(rng.range(-0.5, 0.5), rng.range(-0.5, 0.5), 0.2 + gap);
        let points = peak.points(&placed(&plate, tilt * offset, tilt), 1e-3);
        assert_eq!(points.len(), 1, "{points:?}");
        assert!((points[0].point.normal + tilt * DVec3::Z).length() < 1e-12);
        assert!((points[0].point.gap - gap).abs() < 1e-12);
        assert!(points[0].point.position.length() < 1e-4);
    }
    // A bar along a valley: an edge of it in the middle, its sides on both slopes.
    let valley = Ground::new(terrain(4.0, 6, -9.0, |x, _| x.abs()));
    let bar = solid::block(DVec3::new(1.0, 2.0, 1.0));
    let turned = DQuat::from_rotation_y(std::f64::consts::FRAC_PI_4);
    for (down, aside) in [(0.0, 0.0), (1e-7, 0.0), (1e-5, 3e-6), (-1e-4, 1e-5), (1e-9, -1e-4)] {
        let x = DVec3::new(aside, 0.3, 0.5f64.sqrt() - down);
        let points = valley.points(&placed(&bar, x, turned), 1e-3);
        for side in [-1.0, 1.0] {
            let out = DVec3::new(-side, 0.0, 1.0).normalize();
            let of_side: Vec<_> = points.iter().filter(|p| (p.point.normal + out).length() < 1e-9).collect();
            assert_eq!(of_side.len(), 4, "{down} {aside} {points:?}");
            let gap = -(down + side * aside) * 0.5f64.sqrt();
            assert!(of_side.iter().all(|p| (p.point.gap - gap).abs() < 1e-12), "{down} {aside} {of_side:?}");
        }
        assert_eq!(points.len(), 8, "{down} {aside} {points:?}");
    }
}

#[test]
fn a_block_at_the_edge_of_a_block_is_not_pushed_off_sideways() {
    // Flush with the rim, or a little over it or short of it, or almost off it, and a little too low.
    let ground = Ground::new(terrain(2.0, 4, -50.0, |_, _| 0.0));
    let cube = solid::block(DVec3::ONE);
    for low in [1e-9, 1e-7, 1e-5, 5e-4] {
        for over in [-1e-3, -1e-6, -1e-8, 0.0, 1e-8, 1e-6, 1e-3, 0.99, 0.995] {
            let hull = placed(&cube, DVec3::new(1.5 + over, 0.1, 0.5 - low), DQuat::IDENTITY);
            let points = ground.points(&hull, 1e-3);
            assert!(points.len() >= 4, "{points:?}");
            for GroundPoint { point, .. } in &points {
                assert!(point.normal.x.abs() < 1e-9, "{low} {over} {point:?}");
            }
        }
    }
}
