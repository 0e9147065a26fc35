//! Output of deformable grains: stress and strain at the nodes, contacts, and sums over a grain.

use glam::DVec2;
use rayon::prelude::*;
use rubblepile_core::{Contact, Deformation, Error, GrainState, Result, World};

use crate::{
    bulk::Flow,
    element::Element,
    grains,
    law::green_lagrange,
    sample::{NodeContact, Sample, Watch},
    scene::PreparedSample,
};

/// Contacts that bear a pressure, with their force: that of the multiplier alone, which is what is left when gaps are closed.
fn pressing(
    scene: &PreparedSample,
    world: &World,
    reach: f64,
) -> (Vec<DVec2>, Vec<(Watch, NodeContact, Element)>) {
    let state = scene.state(world, reach);
    let positions = scene.sample.positions(&state.displacement);
    let still = vec![DVec2::ZERO; positions.len()];
    let active = state.watches.into_iter().filter(|w| w.hold.pressure != 0.0).filter_map(|watch| {
        let touch = scene.sample.touch(&watch, &positions, &still, reach)?;
        let element = scene.sample.element(&watch, &touch, (watch.hold.pressure, 0.0), &positions, &still);
        Some((watch, touch, element))
    });
    let active = active.collect();
    (positions, active)
}

/// One row a pressed node.
pub fn contacts(scene: &PreparedSample, world: &World, reach: f64) -> Vec<Contact> {
    let (positions, active) = pressing(scene, world, reach);
    let centres: Vec<DVec2> = (0..grains(world).len())
        .map(|g| {
            let nodes = &positions[scene.sample.nodes_of(g)];
            nodes.iter().sum::<DVec2>() / nodes.len() as f64
        })
        .collect();
    let row = |(watch, touch, element): &(Watch, NodeContact, Element)| {
        let (nodes, _) = scene.sample.element_nodes(watch, touch);
        let point = positions[nodes[1]];
        // The second node of an element is the one that is pressed.
        let force = element.force[1];
        let partner_row = match watch.partner {
            crate::sample::NodePartner::Grain(g) => Some(g),
            crate::sample::NodePartner::Wall(_) => None,
        };
        let from = partner_row.map_or(point, |g| centres[g as usize]);
        Contact {
            row: watch.grain,
            partner_row,
            body: grains(world)[watch.grain as usize].id,
            partner: scene.partner(world, watch.partner),
            feature: watch.node,
            point: point.extend(0.0),
            normal: -touch.normal().extend(0.0),
            overlap: -touch.gap,
            force: force.extend(0.0),
            torque: glam::DVec3::ZERO,
            branch: (centres[watch.grain as usize] - from).extend(0.0),
            elastic: 0.0,
        }
    };
    active.iter().map(row).collect()
}

pub fn of(scene: &PreparedSample, world: &World, reach: f64) -> Result<Deformation> {
    let sample = &scene.sample;
    let (_, active) = pressing(scene, world, reach);
    let n = sample.nodes();
    let mut out = Deformation {
        contact_force: vec![DVec2::ZERO; n],
        touching: vec![false; n],
        ..Deformation::default()
    };
    for (watch, touch, element) in &active {
        let (nodes, count) = sample.element_nodes(watch, touch);
        for (node, force) in nodes[..count].iter().zip(&element.force) {
            out.contact_force[*node] += *force;
        }
        out.touching[nodes[1]] = true;
        out.largest_gap = out.largest_gap.max(touch.gap.abs());
        out.largest_pressure = out.largest_pressure.max(watch.hold.pressure);
    }
    let all = (0..grains(world).len())
        .into_par_iter()
        .map(|g| {
            of_grain(sample, world, g).ok_or(Error::NotFinite {
                what: "stress",
                id: grains(world)[g].id,
                time: world.time(),
            })
        })
        .collect::<Result<Vec<_>>>()?;
    for (stress, strain, grain) in all {
        out.stress.extend(stress);
        out.strain.extend(strain);
        out.grains.push(grain);
    }
    Ok(out)
}

type OfGrain = (Vec<[f64; 3]>, Vec<[f64; 3]>, GrainState);

fn of_grain(sample: &Sample, world: &World, g: usize) -> Option<OfGrain> {
    let (grain, bulk) = (&grains(world)[g], &sample.grains[g].bulk);
    let reference = &grain.reference.nodes;
    let n = reference.len();
    let strained = bulk.strained(reference, &grain.displacement)?;
    let per_triangle = strained.len() / grain.reference.triangles.len().max(1);
    let mut weights = vec![0.0; n];
    let mut stress = vec![[0.0; 3]; n];
    let mut strain = vec![[0.0; 3]; n];
    let mut state = GrainState::default();
    for (corners, points) in grain.reference.triangles.iter().zip(strained.chunks_exact(per_triangle.max(1)))
    {
        for point in points {
            let shares = shares(corners.map(|k| reference[k as usize]), point.place);
            let green = green_lagrange(point.gradient);
            let [xx, xy, yx, yy] = point.gradient;
            let area = point.weight * (xx * yy - xy * yx);
            state.area += area;
            for k in 0..3 {
                state.stress[k] += area * point.stress[k];
            }
            // What a field that is linear in each triangle has at its corners.
            for (corner, share) in corners.iter().zip(shares) {
                let (node, weight) = (*corner as usize, point.weight * share);
                weights[node] += weight;
                for k in 0..3 {
                    stress[node][k] += weight * point.stress[k];
                    strain[node][k] += weight * green[k];
                }
            }
        }
    }
    for (node, weight) in weights.iter().enumerate() {
        stress[node] = stress[node].map(|s| s / weight);
        strain[node] = strain[node].map(|s| s / weight);
    }
    state.stress = state.stress.map(|s| s / state.area);
    let mut force = vec![DVec2::ZERO; n];
    state.elastic = bulk.push(&grain.displacement, &Flow::default(), &mut force)?;
    // Rows of the mass sum up to what a node stands for: shape functions sum up to one.
    let rows = bulk.mass.chunks_exact(n);
    let mass: Vec<f64> = rows.clone().map(|row| row.iter().sum()).collect();
    let momentum: Vec<DVec2> =
        rows.map(|row| row.iter().zip(&grain.velocity).map(|(m, v)| *m * *v).sum()).collect();
    let positions = grain.positions();
    state.mass = mass.iter().sum();
    let centre = |x: &[DVec2]| x.iter().zip(&mass).map(|(x, m)| *m * *x).sum::<DVec2>() / state.mass;
    let (first, now) = (centre(reference), centre(&positions));
    state.centre = now;
    let (mut across, mut along) = (0.0, 0.0);
    for ((x, then), m) in positions.iter().zip(reference).zip(&mass) {
        across += m * (*then - first).perp_dot(*x - now);
        along += m * (*then - first).dot(*x - now);
    }
    state.orientation = f64::atan2(across, along);
    state.momentum = momentum.iter().sum();
    state.angular_momentum = positions.iter().zip(&momentum).map(|(x, p)| x.perp_dot(*p)).sum();
    state.kinetic = 0.5 * grain.velocity.iter().zip(&momentum).map(|(v, p)| v.dot(*p)).sum::<f64>();
    Some((stress, strain, state))
}

/// How near a point of a triangle is to its corners: they sum up to 1.
fn shares([a, b, c]: [DVec2; 3], x: DVec2) -> [f64; 3] {
    let whole = (b - a).perp_dot(c - a);
    let (to_b, to_c) = ((x - a).perp_dot(c - a) / whole, (b - a).perp_dot(x - a) / whole);
    [1.0 - to_b - to_c, to_b, to_c]
}
