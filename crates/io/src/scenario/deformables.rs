//! The `[[deformable]]` table, and its checks.

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    check::Checker,
    methods::Method,
    quantity::*,
    shapes::unit_of_length,
    tables::{DomainTable, FrameTable, MaterialTable},
};
use rubblepile_core::settings::join;
use rubblepile_core::wall::WallShape;

/// Nodes that a grain may have: its matrices have the square of them.
const MOST_NODES: f64 = 5000.0;
/// Points that an outline may have: each side is held against each other.
pub(super) const MOST_POINTS: usize = 20_000;
/// Grains of one table.
const MOST_GRAINS: u64 = 10_000;

/// Deformable grains in the plane of x and y, for [method.meshfree] only.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeformableTable {
    /// Name of the group. Default: `grains`, or `grains-2`, ...
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Name of the material, which must have `density`, `young` and `poisson`. Default: the only material.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub material: Option<String>,
    /// Its outline, or the outlines of many grains.
    pub shape: DeformableShape,
    /// Centre of a disc or an ellipse, or the origin of any other outline. Not for `sand`. Default: the origin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub centre: Option<[Length; 2]>,
    /// Angle of rotation, counter-clockwise. Not for `sand`. Default: 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub angle: Option<Angle>,
    /// Its initial velocity. Default: at rest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub velocity: Option<[Speed; 2]>,
    /// Spacing of field nodes on the outline. Give this or `outline_nodes`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spacing: Option<Length>,
    /// Approximate number of field nodes per outline.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outline_nodes: Option<u32>,
    /// By how much the distance of nodes grows inwards, for every unit of distance from the outline, or shrinks (below 0); more than a
    /// tenth or so leaves too few nodes in reach of each other.
    #[serde(default = "no_grading")]
    pub grading: Number,
}

fn no_grading() -> Number {
    Quantity::new(0.0)
}

/// The outline of a deformable grain, or of many.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DeformableShape {
    /// A disc.
    Disc(DiscOutline),
    /// An ellipse.
    Ellipse(EllipseOutline),
    /// A polygon.
    Polygon(PolygonOutline),
    /// An outline from a file.
    File(FileOutline),
    /// Many sand-like grains in a box, without contacts.
    Sand(SandOutlines),
}

/// A disc.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DiscOutline {
    /// Its radius.
    pub radius: Length,
}

/// An ellipse.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EllipseOutline {
    /// Its semi-axes along x and y.
    pub semi_axes: [Length; 2],
}

/// A polygon.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PolygonOutline {
    /// Its vertices in order, clockwise or counter-clockwise.
    pub points: Vec<[Length; 2]>,
}

/// An outline from a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileOutline {
    /// The file, with x and y of a point on each line, separated by a comma or by blanks; a relative path starts at the folder of
    /// the scenario.
    pub path: String,
    /// Its unit of length: `"m"`, `"mm"`.
    pub unit: String,
}

/// Sand-like grains in a box: one outline of random harmonics in each of the cells that fill it, from the seed of the run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SandOutlines {
    /// Their number.
    pub count: u64,
    /// Lower left corner of the box.
    #[serde(default = "no_corner")]
    pub corner: [Length; 2],
    /// Width and height of the box.
    pub size: [Length; 2],
    /// Area of the grains over that of the box.
    pub solid: Number,
    /// Half the excess of length over width.
    #[serde(default = "some_elongation")]
    pub elongation: Number,
    /// Amplitude of the third to seventh harmonics over the radius; 0: round.
    #[serde(default = "some_angularity")]
    pub angularity: Number,
    /// Amplitude of the harmonics from the eighth on over the radius; 0: smooth.
    #[serde(default = "some_roughness")]
    pub roughness: Number,
    /// Number of relaxations of the cells: more make the grains' sizes more uniform.
    #[serde(default = "some_evenness")]
    pub evenness: u32,
}

fn no_corner() -> [Length; 2] {
    [Quantity::new(0.0); 2]
}
fn some_elongation() -> Number {
    Quantity::new(0.1)
}
fn some_angularity() -> Number {
    Quantity::new(0.05)
}
fn some_roughness() -> Number {
    Quantity::new(0.01)
}
fn some_evenness() -> u32 {
    3
}

pub(super) fn check(c: &mut Checker) {
    let Method::Meshfree(_) = &c.scenario.method else {
        if !c.scenario.deformable.is_empty() {
            let help = "use [method.meshfree]";
            c.add_help("deformable[0]", "only [method.meshfree] moves deformable grains", help);
        }
        return;
    };
    others(c);
    let mut names = HashSet::new();
    for (k, table) in c.scenario.deformable.iter().enumerate() {
        let at = format!("deformable[{k}]");
        c.name(table.name.as_deref().unwrap_or_default(), &mut names, &at, "group of grains");
        c.material(table.material.as_deref(), &at);
        shape(c, table, &at);
        for (key, pair) in [
            ("centre", table.centre.map(|p| p.map(|x| x.0))),
            ("velocity", table.velocity.map(|p| p.map(|x| x.0))),
        ] {
            let [x, y] = pair.unwrap_or_default();
            c.modest(Vector::<NumberKind>::new(x, y, 0.0), &at, key);
        }
        nodes(c, table, &at);
        let grading = table.grading.0;
        c.check((-0.2..=1.0).contains(&grading), &at, "grading", || {
            format!("`grading` must be between -0.2 and 1, it is {grading}")
        });
    }
}

/// What [method.meshfree] cannot do.
fn others(c: &mut Checker) {
    let scenario = c.scenario;
    if scenario.deformable.is_empty() {
        c.add_help("method.meshfree", "there are no deformable grains", "add a [[deformable]] table");
    }
    if !scenario.grains.is_empty() {
        let help = "use another method, or write them as [[deformable]] tables";
        c.add_help("grains[0]", "[method.meshfree] moves deformable grains only", help);
    }
    if !scenario.asteroid.is_empty() {
        c.add("asteroid[0]", "[method.meshfree] is two-dimensional and has no asteroids");
    }
    if matches!(scenario.domain, DomainTable::Periodic(_)) {
        let help = "remove [domain], and add walls";
        c.add_help("domain.periodic", "deformable grains do not support periodic boxes", help);
    }
    if matches!(scenario.frame, FrameTable::Rotating(_)) {
        c.add_help("frame.rotating", "deformable grains need the inertial frame", "leave [frame] out");
    }
    for (k, gravity) in scenario.gravity.iter().enumerate() {
        match gravity.settings().uniform() {
            Some(acceleration) => {
                c.check(acceleration.z == 0.0, &format!("gravity[{k}].uniform"), "acceleration", || {
                    "gravity of deformable grains lies in the plane: z must be 0".into()
                })
            }
            None => c.add(format!("gravity[{k}]"), "deformable grains support uniform gravity only"),
        }
    }
    let added = scenario.event.iter().enumerate();
    let added = added.filter_map(|(k, e)| Some((format!("event[{k}].add_wall.shape"), e.add_wall.as_ref()?)));
    let first = scenario.wall.iter().enumerate().map(|(k, w)| (format!("wall[{k}].shape"), w));
    for (at, wall) in first.chain(added) {
        match &wall.shape {
            WallShape::Box(_) => {}
            WallShape::Plane(p) => c.check(p.normal.0.z == 0.0, &format!("{at}.plane"), "normal", || {
                "deformable grains are in the plane of x and y: z of a normal must be 0".into()
            }),
            _ => c.add_help(at, "only planes and boxes bound deformable grains", "use a `plane` or a `box`"),
        }
    }
    for (k, event) in scenario.event.iter().enumerate() {
        if let Some(action) = event.given().into_iter().find(|a| !a.deformable) {
            let message = format!("`{}` has no effect on deformable grains", action.key);
            c.add_help(format!("event[{k}].{}", action.key), message, "leave it out");
        }
    }
}

/// A material that deformable grains are made of.
pub(super) fn material(c: &mut Checker, k: usize, m: &MaterialTable, used: bool) {
    let Method::Meshfree(method) = &c.scenario.method else { return };
    if !used {
        return;
    }
    let at = format!("material[{k}]");
    if m.density.is_none() {
        let help = "add it here, such as `density = \"2500 kg/m3\"`";
        c.add_help(&at, format!("`density` is missing: grains are made of `{}`", m.name), help);
    }
    let Some(young) = m.young else {
        let help = "add `young`, such as `young = \"5 MPa\"`";
        c.add_help(
            &at,
            format!("deformable grains have the material `{}`, which has no Young's modulus", m.name),
            help,
        );
        return;
    };
    if let Err(error) = method.law_of(Some(young.0), m.poisson.0) {
        let help = "use a little less, such as 0.49, or plane stress and Saint Venant-Kirchhoff";
        c.add_help(join(&at, "poisson"), error.to_string(), help);
    }
}

fn nodes(c: &mut Checker, table: &DeformableTable, at: &str) {
    let (area, length) = match &table.shape {
        DeformableShape::Disc(d) => {
            (std::f64::consts::PI * d.radius.0 * d.radius.0, std::f64::consts::TAU * d.radius.0)
        }
        DeformableShape::Ellipse(e) => {
            let [a, b] = e.semi_axes.map(|x| x.0);
            (std::f64::consts::PI * a * b, 4.0 * (a + b))
        }
        DeformableShape::Sand(s) => {
            let area = s.solid.0 * s.size[0].0 * s.size[1].0 / (s.count.max(1) as f64);
            (area, 2.0 * (std::f64::consts::PI * area).sqrt())
        }
        // Looked at when they are read.
        DeformableShape::Polygon(_) | DeformableShape::File(_) => (0.0, 0.0),
    };
    match (table.spacing, table.outline_nodes) {
        (Some(_), Some(_)) => c.add(join(at, "outline_nodes"), "give `spacing` or `outline_nodes`, not both"),
        (None, None) => {
            c.add_help(at, "`spacing` or `outline_nodes` is missing", "for example `outline_nodes = 36`")
        }
        (None, Some(count)) => c.check((8..=1000).contains(&count), at, "outline_nodes", || {
            format!("`outline_nodes` must be between 8 and 1000, it is {count}")
        }),
        (Some(spacing), None) => {
            c.positive(spacing, at, "spacing");
            if let Some(message) = too_many(area, length, spacing.0) {
                c.add_help(join(at, "spacing"), message, "make it larger");
            }
        }
    }
}

/// Whether nodes this far apart are too many for an outline, in words.
pub(super) fn too_many(area: f64, length: f64, spacing: f64) -> Option<String> {
    let nodes = 1.2 * area / (spacing * spacing) + length / spacing;
    (nodes > MOST_NODES).then(|| {
        format!(
            "a spacing of {spacing} m would give about {nodes:.1e} nodes per grain; at most {MOST_NODES} are allowed"
        )
    })
}

fn shape(c: &mut Checker, table: &DeformableTable, at: &str) {
    let inner = format!("{at}.shape");
    let two = |pair: [Length; 2]| Vector::<LengthKind>::new(pair[0].0, pair[1].0, 0.0);
    match &table.shape {
        DeformableShape::Disc(d) => c.positive(d.radius, &format!("{inner}.disc"), "radius"),
        DeformableShape::Ellipse(e) => {
            for axis in e.semi_axes {
                c.positive(axis, &format!("{inner}.ellipse"), "semi_axes");
            }
        }
        DeformableShape::Polygon(p) => {
            let at = format!("{inner}.polygon");
            let n = p.points.len();
            c.check((3..=MOST_POINTS).contains(&n), &at, "points", || {
                format!("an outline has between 3 and {MOST_POINTS} points, not {n}")
            });
            for point in &p.points {
                c.modest(two(*point), &at, "points");
            }
        }
        DeformableShape::File(f) => {
            let at = format!("{inner}.file");
            c.check(!f.path.trim().is_empty(), &at, "path", || "the path is empty".into());
            if let Err(message) = unit_of_length(&f.unit) {
                c.add_help(join(&at, "unit"), message, "give a unit of length, such as `\"mm\"`");
            }
        }
        DeformableShape::Sand(s) => {
            for (key, given) in [("centre", table.centre.is_some()), ("angle", table.angle.is_some())] {
                c.check(!given, at, key, || format!("`{key}` is not for `sand`, which has a `corner`"));
            }
            sand(c, s, &format!("{inner}.sand"));
        }
    }
}

fn sand(c: &mut Checker, s: &SandOutlines, at: &str) {
    let count = s.count;
    c.check((1..=MOST_GRAINS).contains(&count), at, "count", || {
        format!("`count` must be between 1 and {MOST_GRAINS}, it is {count}")
    });
    c.modest(Vector::<LengthKind>::new(s.corner[0].0, s.corner[1].0, 0.0), at, "corner");
    for side in s.size {
        c.positive(side, at, "size");
    }
    let solid = s.solid.0;
    c.check(solid > 0.0 && solid < 1.0, at, "solid", || {
        format!("`solid` must be above 0 and below 1, it is {solid}")
    });
    for (key, value) in
        [("elongation", s.elongation.0), ("angularity", s.angularity.0), ("roughness", s.roughness.0)]
    {
        c.check((0.0..=0.5).contains(&value), at, key, || {
            format!("`{key}` must be between 0 and 0.5, it is {value}")
        });
    }
    let evenness = s.evenness;
    c.check(evenness <= 1000, at, "evenness", || {
        format!("`evenness` must be at most 1000, it is {evenness}")
    });
}
