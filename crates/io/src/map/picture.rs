//! A picture of longitude and latitude: one colour per cell of one degree, a scale, and lines where the ground slides or flies off
//! (figure 11 of asteroid-surface-2024).
//!
//! A cell shows the facet that is seen in its middle from far above. The scale leaves out the outermost hundredth of the area
//! at either end (of the factor of safety the upper tenth), so that a few wild facets do not wash out the rest; what is beyond
//! has the colour of the end.

use std::fmt::Write;

use glam::DVec3;
use rayon::prelude::*;
use rubblepile_geometry::mesh::SurfaceTree;
use rubblepile_probe::surface_map::{FacetValues, MapQuantity};

use super::contour;
use crate::{
    colours::{RISING, mixed},
    plot::{escape, label, round_ticks},
};

const COLUMNS: usize = 360;
const ROWS: usize = 180;
/// Pixels a cell.
const SCALE: f64 = 2.0;
const LEFT: f64 = 64.0;
const TOP: f64 = 56.0;
const WIDTH: f64 = 890.0;
const HEIGHT: f64 = 480.0;
const LEVELS: usize = 64;
/// Between which the line of safety is drawn: a facet that is infinitely safe must not push it aside.
const SAFE: f64 = 3.0;

/// The facet that is seen in each cell, row by row from the north, from -180 degrees eastwards.
pub(super) struct Raster(Vec<Option<u32>>);

impl Raster {
    /// `radius`: nothing of the surface is farther out.
    pub fn new(tree: &SurfaceTree, radius: f64) -> Self {
        let seen = |k: usize| {
            let longitude = (-180.0 + 360.0 * ((k % COLUMNS) as f64 + 0.5) / COLUMNS as f64).to_radians();
            let latitude = (90.0 - 180.0 * ((k / COLUMNS) as f64 + 0.5) / ROWS as f64).to_radians();
            let (sin, cos) = longitude.sin_cos();
            let way = DVec3::new(latitude.cos() * cos, latitude.cos() * sin, latitude.sin());
            let from = 2.0 * radius * way;
            tree.ray(from, -way).map(|(_, facet)| facet)
        };
        Raster((0..COLUMNS * ROWS).into_par_iter().map(seen).collect())
    }

    /// Columns go on beyond the ends: round the body.
    fn facet(&self, column: i64, row: i64) -> Option<u32> {
        self.0[row as usize * COLUMNS + column.rem_euclid(COLUMNS as i64) as usize]
    }
}

/// From values to colours.
struct Scale {
    low: f64,
    high: f64,
}

impl Scale {
    fn of(quantity: &MapQuantity, facets: &[FacetValues]) -> Self {
        // Level ground is safe without limit: of safety the upper tenth is left out.
        let most = if quantity.name == "factor-of-safety" { 0.9 } else { 0.99 };
        let low = quantity.quantile(facets, 0.01).unwrap_or(0.0);
        let high = quantity.quantile(facets, most).unwrap_or(0.0);
        // Some room where all values are one.
        let room =
            if high - low > 1e-9 * high.abs().max(low.abs()) { 0.0 } else { 0.01 * high.abs().max(1e-9) };
        Scale { low: low - room, high: high + room }
    }

    fn level(&self, value: f64) -> usize {
        let t = ((value - self.low) / (self.high - self.low)).clamp(0.0, 1.0);
        ((t * LEVELS as f64) as usize).min(LEVELS - 1)
    }
}

fn colour(level: usize) -> String {
    mixed(&RISING, level as f64 / (LEVELS - 1) as f64)
}

pub(super) fn svg(title: &str, quantity: &MapQuantity, facets: &[FacetValues], raster: &Raster) -> String {
    let scale = Scale::of(quantity, facets);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{HEIGHT}\" \
         viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n"
    );
    let (w, h) = (SCALE * COLUMNS as f64, SCALE * ROWS as f64);
    // Where no facet is seen.
    let _ = writeln!(out, "<rect x=\"{LEFT}\" y=\"{TOP}\" width=\"{w}\" height=\"{h}\" fill=\"#cccccc\"/>");
    cells(&mut out, quantity, facets, raster, &scale);
    lines(&mut out, quantity, facets, raster);
    frame(&mut out, title, quantity, (w, h));
    bar(&mut out, &scale, (w, h));
    out.push_str("</svg>\n");
    out
}

/// One path a colour; cells of a row that have one colour are one stroke.
fn cells(out: &mut String, quantity: &MapQuantity, facets: &[FacetValues], raster: &Raster, scale: &Scale) {
    let level = |column: usize, row: usize| {
        let value = (quantity.of)(&facets[raster.facet(column as i64, row as i64)? as usize]);
        (!value.is_nan()).then(|| scale.level(value))
    };
    let mut strokes = vec![String::new(); LEVELS];
    for row in 0..ROWS {
        let mut column = 0;
        while column < COLUMNS {
            let start = column;
            let here = level(start, row);
            while column < COLUMNS && level(column, row) == here {
                column += 1;
            }
            if let Some(here) = here {
                let _ = write!(strokes[here], "M{start} {row}h{}", column - start);
            }
        }
    }
    let _ = writeln!(
        out,
        "<g transform=\"translate({LEFT},{}) scale({SCALE})\" fill=\"none\" shape-rendering=\"crispEdges\">",
        TOP + 0.5 * SCALE
    );
    for (level, d) in strokes.iter().enumerate().filter(|(_, d)| !d.is_empty()) {
        let _ = writeln!(out, "<path stroke=\"{}\" d=\"{d}\"/>", colour(level));
    }
    out.push_str("</g>\n");
}

/// Colour of a line, the value that it follows, and at which level.
type Line = (&'static str, fn(&FacetValues) -> f64, f64);

/// The lines of figure 11, on the maps of safety and of fission.
fn lines(out: &mut String, quantity: &MapQuantity, facets: &[FacetValues], raster: &Raster) {
    let drawn: &[Line] = match quantity.name {
        "factor-of-safety" => {
            &[("white", |f| f.factor_of_safety.clamp(-SAFE, SAFE), 1.0), ("black", |f| f.fission, 0.0)]
        }
        "fission" => &[("black", |f| f.fission, 0.0)],
        _ => &[],
    };
    if drawn.is_empty() {
        return;
    }
    let (w, h) = (SCALE * COLUMNS as f64, SCALE * ROWS as f64);
    let _ = writeln!(
        out,
        "<clipPath id=\"map\"><rect x=\"0\" y=\"0\" width=\"{COLUMNS}\" height=\"{ROWS}\"/></clipPath>\n\
         <g transform=\"translate({LEFT},{TOP}) scale({SCALE})\" clip-path=\"url(#map)\" fill=\"none\" \
         stroke-width=\"0.8\" stroke-linecap=\"round\">"
    );
    for (stroke, of, level) in drawn {
        let value = |c: i64, r: i64| raster.facet(c, r).map(|k| of(&facets[k as usize]));
        let path = contour::path(COLUMNS as i64, ROWS as i64, &value, *level);
        if !path.is_empty() {
            let _ = writeln!(out, "<path stroke=\"{stroke}\" d=\"{path}\"/>");
        }
    }
    out.push_str("</g>\n");
    let words = if drawn.len() == 2 {
        "white line: factor of safety 1, eq. (16); black line: fission, eq. (17)"
    } else {
        "black line: fission, eq. (17)"
    };
    let _ = writeln!(
        out,
        "<text x=\"{}\" y=\"{:.0}\" text-anchor=\"end\" fill=\"#333333\">{words}</text>",
        LEFT + w,
        TOP + h + 54.0
    );
}

fn frame(out: &mut String, title: &str, quantity: &MapQuantity, (w, h): (f64, f64)) {
    let unit = if quantity.unit.is_empty() { String::new() } else { format!(" ({})", quantity.unit) };
    let _ = writeln!(
        out,
        "<text x=\"{LEFT}\" y=\"24\" font-size=\"15\">{}{unit}</text>\n\
         <text x=\"{LEFT}\" y=\"44\" fill=\"#333333\">{}</text>\n\
         <rect x=\"{LEFT}\" y=\"{TOP}\" width=\"{w}\" height=\"{h}\" fill=\"none\" stroke=\"black\"/>",
        quantity.title,
        escape(title)
    );
    for longitude in (-180..=180).step_by(60) {
        let x = LEFT + w * f64::from(longitude + 180) / 360.0;
        let _ = writeln!(
            out,
            "<path d=\"M{x:.1} {:.1}v5\" stroke=\"black\"/>\
             <text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{longitude}</text>",
            TOP + h,
            TOP + h + 18.0
        );
    }
    for latitude in (-90..=90).step_by(30) {
        let y = TOP + h * f64::from(90 - latitude) / 180.0;
        let _ = writeln!(
            out,
            "<path d=\"M{LEFT} {y:.1}h-5\" stroke=\"black\"/>\
             <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{latitude}</text>",
            LEFT - 8.0,
            y + 4.0
        );
    }
    let (x, y) = (LEFT + 0.5 * w, TOP + 0.5 * h);
    let _ = writeln!(
        out,
        "<text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">longitude (deg)</text>\n\
         <text x=\"18\" y=\"{y:.1}\" text-anchor=\"middle\" transform=\"rotate(-90 18 {y:.1})\">latitude (deg)</text>",
        TOP + h + 36.0
    );
}

fn bar(out: &mut String, scale: &Scale, (w, h): (f64, f64)) {
    let (x, width) = (LEFT + w + 20.0, 16.0);
    let step = h / LEVELS as f64;
    out.push_str("<g shape-rendering=\"crispEdges\">\n");
    for level in 0..LEVELS {
        let y = TOP + h - (level + 1) as f64 * step;
        let _ = writeln!(
            out,
            "<rect x=\"{x}\" y=\"{y:.2}\" width=\"{width}\" height=\"{step:.2}\" fill=\"{}\"/>",
            colour(level)
        );
    }
    out.push_str("</g>\n");
    let _ = writeln!(
        out,
        "<rect x=\"{x}\" y=\"{TOP}\" width=\"{width}\" height=\"{h}\" fill=\"none\" stroke=\"black\"/>"
    );
    let at = |value: f64| TOP + h - h * (value - scale.low) / (scale.high - scale.low);
    let ends = [scale.low, scale.high];
    // The ends, and the round values that are not on top of them.
    let free = |tick: &f64| ends.iter().all(|end| (at(*tick) - at(*end)).abs() > 14.0);
    let round = round_ticks(scale.low, scale.high).into_iter().filter(free).map(|tick| (tick, label(tick)));
    let ends = ends.map(|end| (end, label(three_digits(end))));
    for (value, words) in round.chain(ends) {
        let y = at(value);
        let _ = writeln!(
            out,
            "<path d=\"M{:.1} {y:.1}h4\" stroke=\"black\"/><text x=\"{:.1}\" y=\"{:.1}\">{words}</text>",
            x + width,
            x + width + 7.0,
            y + 4.0
        );
    }
}

fn three_digits(value: f64) -> f64 {
    format!("{value:.2e}").parse().unwrap_or(value)
}
