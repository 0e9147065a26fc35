//! The part of `info` on clusters of touching bodies: how many, and what the largest are like. Only for worlds without
//! walls: what rests on a floor is a heap and not a body of its own.

use glam::DVec3;
use rubblepile::nonsmooth::NonsmoothState;
use rubblepile_core::World;
use rubblepile_probe::{
    Aggregate, Binary, Cluster, Envelope,
    aggregate::contacts_by_cluster,
    clusters::{self, clusters},
    remembered_contacts,
    touching::{GAP, TouchSearch},
};
use serde_json::{Value, json};

use crate::{
    info::{Facts, fact},
    text,
};

/// Clusters that are described: in words, and to programs.
const IN_WORDS: usize = 3;
const IN_JSON: usize = 100;
/// Bodies up to which the surface is looked for: some seconds.
const MOST_BODIES: usize = 10_000;

pub fn facts(world: &World) -> Facts {
    if !world.walls.is_empty() || world.bodies.is_empty() {
        return Facts::new();
    }
    match describe(world) {
        Ok(facts) => facts,
        Err(error) => vec![fact("aggregates", error.to_string(), Value::Null)],
    }
}

/// One cluster and what is known of it.
struct Described {
    aggregate: Aggregate,
    ids: Vec<u64>,
    pressure: Option<f64>,
    envelope: Option<Envelope>,
}

fn describe(world: &World) -> rubblepile_core::Result<Facts> {
    let contacts = remembered_contacts(world);
    let found = clusters(world, &contacts, clusters::TOLERANCE)?;
    let many: Vec<&Cluster> = found.list.iter().filter(|c| c.len() > 1).collect();
    let single = found.list.len() - many.len();
    let mut facts = vec![fact(
        "clusters",
        format!("{} of touching bodies, {single} single bodies", many.len()),
        json!({"clusters": many.len(), "single_bodies": single}),
    )];
    // The pull of cohesion is not remembered, and without it the push alone is no pressure.
    let impulses = world.part::<NonsmoothState>().is_some();
    let loads_known = impulses && world.pair_table().iter().all(|p| p.cohesion_force == 0.0);
    let tables = contacts_by_cluster(&found, &contacts, found.list.len());
    let touching = TouchSearch::default().find(world, GAP)?;
    let touching = contacts_by_cluster(&found, &touching, found.list.len());
    let mut described = Vec::new();
    for (k, cluster) in many.into_iter().take(IN_JSON).enumerate() {
        let rank = cluster.rows.first().map_or(0, |&row| found.of_row[row as usize] as usize);
        let aggregate = Aggregate::of(world, cluster, &tables[rank], &touching[rank])?;
        let envelope = if k < IN_WORDS && cluster.len() <= MOST_BODIES {
            Some(Envelope::of(world, cluster, None)?)
        } else {
            None
        };
        let pressure = loads_known.then_some(aggregate.pressure);
        described.push(Described { aggregate, ids: cluster.ids(world).collect(), pressure, envelope });
    }
    let mass = world.bodies.total_mass();
    let lines: Vec<String> = described.iter().take(IN_WORDS).flat_map(|d| words(d, mass)).collect();
    if !lines.is_empty() {
        let values: Vec<Value> = described.iter().map(values).collect();
        facts.push(fact("aggregates", lines.join(&format!("\n{:21}", "")), values));
    }
    if let [first, second, ..] = described.as_slice()
        && let Some(b) = Binary::of(&first.aggregate, &second.aggregate, mass, &world.domain)
    {
        let words = format!(
            "separation {} m, period {}, eccentricity {}",
            text::number(b.separation),
            text::time(b.period),
            text::number(b.eccentricity)
        );
        let values = json!({
            "separation_m": b.separation, "period_s": b.period, "eccentricity": b.eccentricity,
            "semi_major_axis_m": b.semi_major_axis,
        });
        facts.push(fact("binary", words, values));
    }
    Ok(facts)
}

fn words(d: &Described, mass: f64) -> Vec<String> {
    let a = &d.aggregate;
    let n = text::number;
    let axes = |v: DVec3| format!("{} x {} x {} m", n(v.x), n(v.y), n(v.z));
    let period = a.rotation_period();
    // Slower than a turn in 100,000 years is rounding.
    let turns = if period < 3e12 { format!("period {}", text::time(period)) } else { "not rotating".into() };
    let mut lines = vec![
        format!("{} bodies, {} kg, {} % of the mass", a.rows.len(), n(a.mass), n(100.0 * a.mass / mass)),
        format!(
            "  enclosing radius {} m, packing fraction {}, coordination {}",
            n(a.sphere.radius),
            n(a.packing_fraction),
            n(a.coordination)
        ),
        format!("  semi-axes {} ({} as solid matter)", axes(a.dynamic_axes), axes(a.semi_axes)),
        format!("  inertial elongation {}, {turns}", n(a.elongation)),
        format!(
            "  angular momentum {} kg m2/s: orbital {}, spin {}",
            n(a.angular_momentum().length()),
            n(a.orbital_angular_momentum.length()),
            n(a.spin_angular_momentum.length())
        ),
    ];
    if let Some(pressure) = d.pressure {
        lines.push(format!("  mean pressure {} Pa", n(pressure)));
    }
    if let Some(e) = &d.envelope {
        lines.push(format!(
            "  bulk density {} kg/m3, porosity {} (alpha {} m; of the convex hull {})",
            n(e.bulk_density()),
            n(e.porosity()),
            n(e.alpha),
            n(e.hull_porosity())
        ));
    }
    lines
}

fn values(d: &Described) -> Value {
    let a = &d.aggregate;
    let v = |x: DVec3| x.to_array();
    let mut object = json!({
        "bodies": a.rows.len(), "ids": d.ids, "mass_kg": a.mass, "solid_volume_m3": a.volume,
        "centre_m": v(a.centre), "velocity_m_per_s": v(a.velocity),
        "enclosing_sphere": { "centre_m": v(a.sphere.centre), "radius_m": a.sphere.radius },
        "packing_fraction": a.packing_fraction, "coordination": a.coordination,
        "moments_kg_m2": v(a.moments), "dynamic_axes_m": v(a.dynamic_axes), "semi_axes_m": v(a.semi_axes),
        "inertial_elongation": a.elongation,
        // Infinity is no number in JSON: it becomes null.
        "rotation_period_s": a.rotation_period(), "angular_velocity_rad_per_s": v(a.angular_velocity),
        "orbital_angular_momentum_kg_m2_per_s": v(a.orbital_angular_momentum),
        "spin_angular_momentum_kg_m2_per_s": v(a.spin_angular_momentum),
        "angular_momentum_kg_m2_per_s": v(a.angular_momentum()),
    });
    if let Some(pressure) = d.pressure {
        object["pressure_Pa"] = json!(pressure);
        object["stress_Pa"] = json!(a.stress);
    }
    if let Some(e) = &d.envelope {
        object["alpha_m"] = json!(e.alpha);
        object["bulk_volume_m3"] = json!(e.volume);
        object["bulk_density_kg_per_m3"] = json!(e.bulk_density());
        object["porosity"] = json!(e.porosity());
        object["hull_porosity"] = json!(e.hull_porosity());
    }
    object
}

#[cfg(test)]
mod tests {
    use rubblepile_core::{Surface, Wall, wall::Plane};

    use super::*;

    /// Two spheres that touch and turn about each other in 100 s, and one far away.
    fn world() -> World {
        let mut world = World::new(1.0);
        for (x, r) in [(-1.0, 1.0), (1.0, 1.0), (50.0, 1.0)] {
            let row = world.bodies.push_sphere(DVec3::X * x, r, 2000.0, 0, 0);
            let rate = DVec3::Z * std::f64::consts::TAU / 100.0;
            world.bodies.velocity[row] = if x < 10.0 { rate.cross(DVec3::X * x) } else { DVec3::ZERO };
            world.bodies.spin[row] = rate;
        }
        world
    }

    #[test]
    fn the_largest_is_described_in_words_and_numbers() {
        let facts = facts(&world());
        let named = |name: &str| facts.iter().find(|f| f.0 == name).expect("a fact of this name");
        assert_eq!(named("clusters").2, json!({"clusters": 1, "single_bodies": 1}));
        let (_, words, values) = named("aggregates");
        assert!(words.contains("2 bodies") && words.contains("period 100 s"), "{words}");
        assert!(words.contains("porosity") && !words.contains("pressure"), "{words}");
        let period = values[0]["rotation_period_s"].as_f64().expect("a number");
        assert!((period - 100.0).abs() < 1e-9);
        assert_eq!(values[0]["ids"], json!([0, 1]));
    }

    #[test]
    fn loads_are_told_where_they_are_known_and_heaps_are_not_bodies() {
        let mut w = world();
        w.part = Some(Box::new(NonsmoothState::default()));
        let words = |w: &World| facts(w).iter().map(|f| f.1.clone()).collect::<String>();
        assert!(words(&w).contains("mean pressure 0 Pa"));
        w.materials.push(rubblepile_core::Material { cohesion_force: 1.0, ..Default::default() });
        assert!(!words(&w).contains("pressure"));
        let plane = Surface::Plane(Plane { point: DVec3::ZERO, normal: DVec3::Z });
        w.walls.push(Wall::new(0, "floor", 0, plane));
        assert!(facts(&w).is_empty());
    }
}
