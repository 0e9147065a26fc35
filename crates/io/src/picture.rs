//! A picture of deformable grains, without any other program: triangles with a colour for a value, outlines, walls, a scale (SVG).
//!
//! Triangles are drawn as smaller ones, each with the mean of what its corners have, linear between nodes. The scale leaves out the
//! outermost hundredth of the nodes at either end; what is beyond has the colour of the end.

use std::fmt::Write;

use glam::DVec2;

use crate::{
    colours::{APART, RISING, SIGNED, mixed},
    frame::{
        FrameData, Nodes,
        deformable::{pressure, shear},
    },
    plot::{escape, label, round_ticks},
};
use rubblepile_core::wall::{PlacedCuboid, PlacedSurface, Plane};

/// Quantity to colour by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColourBy {
    Pressure,
    Shear,
    Speed,
    Grain,
}

const LEVELS: usize = 64;
/// Triangles that are drawn finer.
const FEW: usize = 5000;
/// Longest side of what is drawn, pixels.
const LARGEST: f64 = 720.0;
const LEFT: f64 = 30.0;
const TOP: f64 = 60.0;
/// Room for the scale.
const RIGHT: f64 = 110.0;
const BOTTOM: f64 = 30.0;

/// `None`: the frame has no deformable grains, or not the values (a checkpoint has no stress).
pub fn svg(frame: &FrameData, title: &str, by: ColourBy) -> Option<String> {
    let nodes = frame.deformable.as_ref().filter(|n| !n.is_empty())?;
    let values = values(nodes, by)?;
    let view = Viewport::of(nodes, frame);
    let scale = Scale::of(&values, by);
    let (width, height) = (LEFT + view.size.x + RIGHT, TOP + view.size.y + BOTTOM);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width:.0} {height:.0}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"{width:.0}\" height=\"{height:.0}\" fill=\"white\"/>\n\
         <clipPath id=\"view\"><rect x=\"{LEFT}\" y=\"{TOP}\" width=\"{:.1}\" height=\"{:.1}\"/></clipPath>\n\
         <g clip-path=\"url(#view)\">\n",
        view.size.x, view.size.y
    );
    match by {
        ColourBy::Grain => whole_grains(&mut out, nodes, &view),
        _ => triangles(&mut out, nodes, &values, &scale, &view),
    }
    outlines(&mut out, nodes, &view);
    walls(&mut out, frame, &view);
    out.push_str("</g>\n");
    let what = match by {
        ColourBy::Pressure => "Pressure in the plane (Pa)",
        ColourBy::Shear => "Largest shear stress in the plane (Pa)",
        ColourBy::Speed => "Speed (m/s)",
        ColourBy::Grain => "Grains",
    };
    let _ = writeln!(
        out,
        "<text x=\"{LEFT}\" y=\"24\" font-size=\"15\">{what}</text>\n\
         <text x=\"{LEFT}\" y=\"44\" fill=\"#333333\">{}, t = {} s</text>",
        escape(title),
        label(four_digits(frame.time))
    );
    length(&mut out, &view);
    if by != ColourBy::Grain {
        bar(&mut out, &scale, &view);
    }
    out.push_str("</svg>\n");
    Some(out)
}

fn values(nodes: &Nodes, by: ColourBy) -> Option<Vec<f64>> {
    Some(match by {
        ColourBy::Pressure => nodes.felt.as_ref()?.stress.iter().map(|s| pressure(*s)).collect(),
        ColourBy::Shear => nodes.felt.as_ref()?.stress.iter().map(|s| shear(*s)).collect(),
        ColourBy::Speed => nodes.velocity.iter().map(|v| v.length()).collect(),
        ColourBy::Grain => vec![0.0; nodes.len()],
    })
}

/// From metres to pixels.
struct Viewport {
    low: DVec2,
    high: DVec2,
    scale: f64,
    size: DVec2,
}

impl Viewport {
    fn of(nodes: &Nodes, frame: &FrameData) -> Self {
        let mut points = nodes.position.clone();
        for wall in &frame.about.walls {
            if let PlacedSurface::Box(_) = wall.surface {
                points.extend(corners(&wall.surface));
            }
        }
        let low = points.iter().copied().fold(DVec2::INFINITY, DVec2::min);
        let high = points.iter().copied().fold(DVec2::NEG_INFINITY, DVec2::max);
        let room = 0.06 * (high - low).max_element().max(1e-300);
        let (mut low, mut high) = (low - room, high + room);
        // A plane is shown where it is near.
        for wall in &frame.about.walls {
            if let PlacedSurface::Plane(Plane { point, normal }) = wall.surface {
                let (point, normal) = (point.truncate(), normal.truncate());
                let height = points.iter().map(|x| (*x - point).dot(normal)).fold(f64::INFINITY, f64::min);
                if height > 0.0 && height < 4.0 * (high - low).max_element() {
                    let shown = -(height + room) * normal;
                    (low, high) = (low + shown.min(DVec2::ZERO), high + shown.max(DVec2::ZERO));
                }
            }
        }
        let scale = LARGEST / (high - low).max_element();
        Viewport { low, high, scale, size: scale * (high - low) }
    }

    fn at(&self, x: DVec2) -> DVec2 {
        DVec2::new(LEFT, TOP) + self.scale * DVec2::new(x.x - self.low.x, self.high.y - x.y)
    }
}

/// The corners of a box in the plane, in order.
fn corners(surface: &PlacedSurface) -> Vec<DVec2> {
    let PlacedSurface::Box(PlacedCuboid { centre, halves: [u, v, _] }) = surface else { return Vec::new() };
    let (c, u, v) = (centre.truncate(), u.truncate(), v.truncate());
    vec![c - u - v, c + u - v, c + u + v, c - u + v]
}

struct Scale {
    low: f64,
    high: f64,
    colours: &'static [[f64; 3]; 9],
}

impl Scale {
    fn of(values: &[f64], by: ColourBy) -> Self {
        let mut sorted: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
        sorted.sort_unstable_by(f64::total_cmp);
        let quantile = |q: f64| match sorted.len() {
            0 => 0.0,
            n => sorted[((n - 1) as f64 * q).round() as usize],
        };
        let (low, high) = (quantile(0.01), quantile(0.99));
        if by == ColourBy::Pressure {
            let most = low.abs().max(high.abs());
            let most = if most > 0.0 { most } else { 1.0 };
            return Scale { low: -most, high: most, colours: &SIGNED };
        }
        let room = if high > low { 0.0 } else { 0.01 * high.abs().max(1e-9) };
        Scale { low: low.min(0.0), high: high + room, colours: &RISING }
    }

    fn level(&self, value: f64) -> usize {
        let t = ((value - self.low) / (self.high - self.low)).clamp(0.0, 1.0);
        ((t * LEVELS as f64) as usize).min(LEVELS - 1)
    }

    fn colour(&self, level: usize) -> String {
        mixed(self.colours, level as f64 / (LEVELS - 1) as f64)
    }
}

/// A place and what is there.
type Corner = (DVec2, f64);

/// One path a colour.
fn triangles(out: &mut String, nodes: &Nodes, values: &[f64], scale: &Scale, view: &Viewport) {
    let mut paths = vec![String::new(); LEVELS];
    let fineness = if nodes.triangles.len() < FEW { 2 } else { 1 };
    for triangle in &nodes.triangles {
        let corners = triangle.map(|k| (nodes.position[k as usize], values[k as usize]));
        part(&mut paths, corners, fineness, scale, view);
    }
    for (level, path) in paths.iter().enumerate().filter(|(_, p)| !p.is_empty()) {
        // A thin line of the same colour: no seams.
        let colour = scale.colour(level);
        let _ =
            writeln!(out, "<path fill=\"{colour}\" stroke=\"{colour}\" stroke-width=\"0.6\" d=\"{path}\"/>");
    }
}

/// A triangle that is divided so many times.
fn part(paths: &mut [String], corners: [Corner; 3], times: u32, scale: &Scale, view: &Viewport) {
    let levels = corners.map(|c| scale.level(c.1));
    if times == 0 || levels.iter().all(|l| *l == levels[0]) {
        let mean = corners.iter().map(|c| c.1).sum::<f64>() / 3.0;
        let [a, b, c] = corners.map(|c| view.at(c.0));
        let path = &mut paths[scale.level(mean)];
        let _ = write!(path, "M{:.1} {:.1}L{:.1} {:.1} {:.1} {:.1}z", a.x, a.y, b.x, b.y, c.x, c.y);
        return;
    }
    let middle =
        |i: usize, j: usize| (0.5 * (corners[i].0 + corners[j].0), 0.5 * (corners[i].1 + corners[j].1));
    let (ab, bc, ca) = (middle(0, 1), middle(1, 2), middle(2, 0));
    for smaller in [[corners[0], ab, ca], [corners[1], bc, ab], [corners[2], ca, bc], [ab, bc, ca]] {
        part(paths, smaller, times - 1, scale, view);
    }
}

/// A line around a grain, closed.
fn ring(nodes: &Nodes, rows: &std::ops::Range<usize>, view: &Viewport) -> String {
    let mut path = String::new();
    for k in rows.clone().filter(|k| nodes.outline[*k] != 0) {
        let x = view.at(nodes.position[k]);
        let _ = write!(path, "{}{:.2} {:.2}", if path.is_empty() { "M" } else { "L" }, x.x, x.y);
    }
    path + "z"
}

fn whole_grains(out: &mut String, nodes: &Nodes, view: &Viewport) {
    for rows in nodes.rows() {
        let colour = APART[(nodes.grain[rows.start] % APART.len() as u64) as usize];
        let _ = writeln!(out, "<path fill=\"{colour}\" d=\"{}\"/>", ring(nodes, &rows, view));
    }
}

fn outlines(out: &mut String, nodes: &Nodes, view: &Viewport) {
    let rings: String = nodes.rows().iter().map(|rows| ring(nodes, rows, view)).collect();
    let _ = writeln!(out, "<path fill=\"none\" stroke=\"black\" stroke-width=\"0.8\" d=\"{rings}\"/>");
}

fn walls(out: &mut String, frame: &FrameData, view: &Viewport) {
    for wall in &frame.about.walls {
        let path = match wall.surface {
            PlacedSurface::Plane(Plane { point, normal }) => {
                let (point, normal) = (point.truncate(), normal.truncate());
                let far = 2.0 * (view.high - view.low).length();
                let middle = 0.5 * (view.low + view.high);
                let foot = middle - (middle - point).dot(normal) * normal;
                let [a, b] = [-far, far].map(|l| view.at(foot + l * normal.perp()));
                format!("M{:.2} {:.2}L{:.2} {:.2}", a.x, a.y, b.x, b.y)
            }
            PlacedSurface::Box(_) => {
                let points: Vec<String> = corners(&wall.surface)
                    .iter()
                    .map(|x| view.at(*x))
                    .map(|x| format!("{:.2} {:.2}", x.x, x.y))
                    .collect();
                format!("M{}z", points.join("L"))
            }
            _ => continue,
        };
        let _ = writeln!(out, "<path fill=\"none\" stroke=\"#444444\" stroke-width=\"2.5\" d=\"{path}\"/>");
    }
}

/// How long something is.
fn length(out: &mut String, view: &Viewport) {
    let wide = view.high.x - view.low.x;
    let Some(round) = round_ticks(0.0, 0.4 * wide).into_iter().rfind(|t| *t > 0.0) else { return };
    let (x, y) = (LEFT, TOP + view.size.y + 14.0);
    let pixels = view.scale * round;
    let _ = writeln!(
        out,
        "<path d=\"M{x:.1} {:.1}v6m0 -3h{pixels:.1}m0 -3v6\" stroke=\"black\" fill=\"none\"/>\
         <text x=\"{:.1}\" y=\"{:.1}\">{} m</text>",
        y - 3.0,
        x + pixels + 8.0,
        y + 4.0,
        label(round)
    );
}

fn bar(out: &mut String, scale: &Scale, view: &Viewport) {
    let (x, width, h) = (LEFT + view.size.x + 20.0, 16.0, view.size.y);
    let step = h / LEVELS as f64;
    out.push_str("<g shape-rendering=\"crispEdges\">\n");
    for level in 0..LEVELS {
        let y = TOP + h - (level + 1) as f64 * step;
        let _ = writeln!(
            out,
            "<rect x=\"{x:.1}\" y=\"{y:.2}\" width=\"{width}\" height=\"{:.2}\" fill=\"{}\"/>",
            step + 0.5,
            scale.colour(level)
        );
    }
    out.push_str("</g>\n");
    let at = |value: f64| TOP + h - h * (value - scale.low) / (scale.high - scale.low);
    for tick in round_ticks(scale.low, scale.high) {
        let y = at(tick);
        let _ = writeln!(
            out,
            "<path d=\"M{:.1} {y:.1}h4\" stroke=\"black\"/><text x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            x + width,
            x + width + 7.0,
            y + 4.0,
            label(tick)
        );
    }
}

fn four_digits(value: f64) -> f64 {
    format!("{value:.3e}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::tests::deformable_frame;

    #[test]
    fn a_picture_has_triangles_outlines_a_scale_and_the_time() {
        let frame = deformable_frame(true);
        for by in [ColourBy::Pressure, ColourBy::Shear, ColourBy::Speed, ColourBy::Grain] {
            let svg = svg(&frame, "a <title>", by).unwrap();
            assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"), "{by:?}");
            assert!(svg.contains("a &lt;title&gt;, t = ") && !svg.contains("NaN"), "{by:?}");
            // Only grains of one colour each need no scale.
            assert_eq!(svg.contains("crispEdges"), by != ColourBy::Grain);
            assert_eq!(svg.matches("clip-path").count(), 1);
        }
        // Of a checkpoint there are no stresses.
        let bare = deformable_frame(false);
        assert!(svg(&bare, "", ColourBy::Pressure).is_none() && svg(&bare, "", ColourBy::Speed).is_some());
        let spheres = FrameData { deformable: None, ..frame };
        assert!(svg(&spheres, "", ColourBy::Speed).is_none());
    }
}
