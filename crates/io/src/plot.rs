//! Scatter plots as SVG: axes with round ticks, linear or logarithmic, a marker and a colour for each series.
//!
//! Nothing but points is drawn: no curves, no error bars. Points that an axis cannot show (not finite, or not positive on
//! a logarithmic axis) are left out, and their number is said.

use std::fmt::Write;

/// Points of one kind.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Series {
    /// For the legend; none where it is empty.
    pub name: String,
    pub points: Vec<(f64, f64)>,
}

/// One plot.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Panel {
    pub title: String,
    pub x_label: String,
    pub y_label: String,
    pub log_x: bool,
    pub log_y: bool,
    pub series: Vec<Series>,
}

const WIDTH: f64 = 520.0;
const HEIGHT: f64 = 380.0;
const LEFT: f64 = 78.0;
const RIGHT: f64 = 18.0;
const TOP: f64 = 34.0;
const BOTTOM: f64 = 52.0;
/// Distinct for most who see colours differently (Okabe and Ito 2008).
const COLOURS: [&str; 7] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"];

/// The plots in two columns.
pub fn svg(panels: &[Panel]) -> String {
    let columns = panels.len().clamp(1, 2);
    let rows = panels.len().div_ceil(columns).max(1);
    let (width, height) = (columns as f64 * WIDTH, rows as f64 * HEIGHT);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n"
    );
    for (k, panel) in panels.iter().enumerate() {
        let (x, y) = ((k % columns) as f64 * WIDTH, (k / columns) as f64 * HEIGHT);
        let _ = writeln!(out, "<g transform=\"translate({x},{y})\">");
        draw(&mut out, panel);
        out.push_str("</g>\n");
    }
    out.push_str("</svg>\n");
    out
}

/// An axis: from values to pixels.
struct Axis {
    log: bool,
    low: f64,
    high: f64,
    start: f64,
    length: f64,
}

impl Axis {
    /// `free`: the part at the end that is to stay free of points.
    fn new(
        values: impl Iterator<Item = f64>,
        log: bool,
        (start, length): (f64, f64),
        free: f64,
    ) -> Option<Self> {
        let shown = |v: f64| if log { v.log10() } else { v };
        let (low, high) =
            values.map(shown).fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
        if low > high {
            return None;
        }
        // A little room, and some where all values are one.
        let room = match high - low {
            d if d > 1e-12 * high.abs().max(low.abs()) => 0.06 * d,
            _ if log => 0.5,
            _ => 0.5 * high.abs().max(1e-300),
        };
        let (low, high) = (low - room, high + room);
        Some(Axis { log, low, high: high + free / (1.0 - free) * (high - low), start, length })
    }

    fn pixel(&self, value: f64) -> f64 {
        let v = if self.log { value.log10() } else { value };
        self.start + self.length * (v - self.low) / (self.high - self.low)
    }

    /// Round values within the axis.
    fn ticks(&self) -> Vec<f64> {
        if !self.log {
            return round_ticks(self.low, self.high);
        }
        let decades = self.high - self.low;
        let every = (decades / 8.0).ceil().max(1.0) as i32;
        let steps: &[f64] = match decades {
            d if d < 0.9 => &[1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0],
            d if d < 2.0 => &[1.0, 2.0, 5.0],
            _ => &[1.0],
        };
        let mut ticks = Vec::new();
        let first = (self.low.floor() as i32).clamp(-330, 330);
        let last = (self.high.ceil() as i32).clamp(-330, 330);
        for power in (first..=last).filter(|p| p.rem_euclid(every) == 0) {
            ticks.extend(steps.iter().map(|s| s * 10f64.powi(power)));
        }
        ticks.retain(|t| *t > 0.0 && t.is_finite() && (self.low..=self.high).contains(&t.log10()));
        if ticks.len() < 2 { vec![10f64.powf(self.low), 10f64.powf(self.high)] } else { ticks }
    }
}

/// Four to nine multiples of 1, 2 or 5 times a power of ten.
pub(crate) fn round_ticks(low: f64, high: f64) -> Vec<f64> {
    let raw = (high - low) / 5.0;
    let power = 10f64.powf(raw.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].iter().map(|s| s * power).find(|s| *s >= raw).unwrap_or(10.0 * power);
    let (first, last) = ((low / step).ceil(), (high / step).floor());
    if !(first.is_finite() && last.is_finite()) || last - first > 20.0 {
        return vec![low, high];
    }
    (0..=(last - first) as i32).map(|k| (first + f64::from(k)) * step).collect()
}

/// A number as a tick shows it.
pub(crate) fn label(value: f64) -> String {
    let size = value.abs();
    if size == 0.0 {
        return "0".into();
    }
    if !(1e-3..1e5).contains(&size) {
        let text = format!("{value:.2e}");
        let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let digits =
            if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { digits };
        return format!("{digits}e{exponent}");
    }
    let text = format!("{value:.5}");
    text.trim_end_matches('0').trim_end_matches('.').into()
}

pub(crate) fn escape(text: &str) -> String {
    let text: String = text.chars().filter(|c| !c.is_control()).take(90).collect();
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn draw(out: &mut String, panel: &Panel) {
    let (w, h) = (WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM);
    let text = |out: &mut String, x: f64, y: f64, more: &str, words: &str| {
        let _ = writeln!(out, "<text x=\"{x:.1}\" y=\"{y:.1}\" {more}>{}</text>", escape(words));
    };
    let middle = "text-anchor=\"middle\"";
    text(out, LEFT + 0.5 * w, 20.0, &format!("{middle} font-size=\"14\""), &panel.title);
    text(out, LEFT + 0.5 * w, HEIGHT - 12.0, middle, &panel.x_label);
    let turned = format!("{middle} transform=\"rotate(-90 16 {:.1})\"", TOP + 0.5 * h);
    text(out, 16.0, TOP + 0.5 * h, &turned, &panel.y_label);
    let _ = writeln!(
        out,
        "<rect x=\"{LEFT}\" y=\"{TOP}\" width=\"{w}\" height=\"{h}\" fill=\"none\" stroke=\"black\"/>"
    );
    let fits = |(x, y): &&(f64, f64)| {
        let one = |v: f64, log: bool| v.is_finite() && v.abs() < 1e300 && (!log || v > 1e-290);
        one(*x, panel.log_x) && one(*y, panel.log_y)
    };
    let all = || panel.series.iter().flat_map(|s| &s.points);
    let shown = || all().filter(fits);
    let named: Vec<(usize, &Series)> =
        panel.series.iter().enumerate().filter(|(_, s)| !s.name.is_empty()).take(12).collect();
    let legend = if named.is_empty() { 0.0 } else { 4.0 + 16.0 * named.len() as f64 };
    let x = Axis::new(shown().map(|p| p.0), panel.log_x, (LEFT, w), 0.0);
    let y = Axis::new(shown().map(|p| p.1), panel.log_y, (TOP + h, -h), legend / h);
    let (Some(x), Some(y)) = (x, y) else {
        return text(
            out,
            LEFT + 0.5 * w,
            TOP + 0.5 * h,
            &format!("{middle} fill=\"gray\""),
            "nothing to show yet",
        );
    };
    for tick in x.ticks() {
        let p = x.pixel(tick);
        let bottom = TOP + h;
        let _ = writeln!(out, "<path d=\"M{p:.1} {TOP}V{bottom}\" stroke=\"#dddddd\"/>");
        text(out, p, bottom + 16.0, middle, &label(tick));
    }
    for tick in y.ticks() {
        let p = y.pixel(tick);
        let _ = writeln!(out, "<path d=\"M{LEFT} {p:.1}H{:.1}\" stroke=\"#dddddd\"/>", LEFT + w);
        text(out, LEFT - 6.0, p + 4.0, "text-anchor=\"end\"", &label(tick));
    }
    for (k, series) in panel.series.iter().enumerate() {
        for point in series.points.iter().filter(fits) {
            marker(out, k, x.pixel(point.0), y.pixel(point.1));
        }
    }
    for (line, (k, series)) in named.iter().enumerate() {
        let at = TOP + 14.0 + 16.0 * line as f64;
        marker(out, *k, LEFT + w - 12.0, at - 4.0);
        text(out, LEFT + w - 22.0, at, "text-anchor=\"end\" fill=\"#333333\"", &series.name);
    }
    let hidden = all().count() - shown().count();
    if hidden > 0 {
        text(out, LEFT + 4.0, TOP + h - 6.0, "fill=\"gray\"", &format!("{hidden} not shown"));
    }
}

fn marker(out: &mut String, k: usize, x: f64, y: f64) {
    let colour = COLOURS[k % COLOURS.len()];
    let style = format!("fill=\"{colour}\" fill-opacity=\"0.75\" stroke=\"white\" stroke-width=\"0.5\"");
    let _ = match k % 4 {
        0 => writeln!(out, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" {style}/>"),
        1 => writeln!(
            out,
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"7\" height=\"7\" {style}/>",
            x - 3.5,
            y - 3.5
        ),
        2 => writeln!(out, "<path d=\"M{x:.1} {y:.1}m0 -5l5 5l-5 5l-5 -5z\" {style}/>"),
        _ => writeln!(out, "<path d=\"M{x:.1} {y:.1}m0 -5l4.5 8h-9z\" {style}/>"),
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use rubblepile_core::Rng;

    #[test]
    fn ticks_are_round_and_inside() {
        assert_eq!(round_ticks(-0.06, 1.06), [0.0, 0.5, 1.0]);
        assert_eq!(round_ticks(0.0, 37.0), [0.0, 10.0, 20.0, 30.0]);
        let axis = Axis::new([1.0, 1000.0].into_iter(), true, (0.0, 100.0), 0.0).unwrap();
        assert_eq!(axis.ticks(), [1.0, 10.0, 100.0, 1000.0]);
        assert!((axis.pixel(31.6227766) - 50.0).abs() < 1e-6);
        for (value, text) in
            [(0.05, "0.05"), (1e-6, "1e-6"), (250000.0, "2.5e5"), (1000.0, "1000"), (-3.5, "-3.5")]
        {
            assert_eq!(label(value), text);
        }
    }

    #[test]
    fn whatever_the_points_the_picture_has_no_wild_numbers() {
        let mut rng = Rng::new(1);
        let wild = [0.0, -1.0, 1e308, -1e308, 5e-324, f64::NAN, f64::INFINITY, 1.0, 1e-9];
        for round in 0..2000 {
            let mut value = || match rng.next_u64() % 3 {
                0 => wild[(rng.next_u64() % 9) as usize],
                _ => rng.normal() * 10f64.powf(rng.range(-20.0, 20.0)),
            };
            let points: Vec<(f64, f64)> = (0..round % 7).map(|_| (value(), value())).collect();
            let n = points.len();
            let series = vec![Series { name: "a <b> & \"c\"".into(), points }];
            let (log_x, log_y) = (round % 2 == 0, round % 3 == 0);
            let panel = Panel { title: "t".into(), log_x, log_y, series, ..Default::default() };
            let text = svg(&[panel.clone(), panel.clone(), panel]);
            for bad in ["NaN", "inf", "<b>"] {
                assert!(!text.contains(bad), "{bad}: {text}");
            }
            assert!(text.len() < 60_000 && text.matches("<circle").count() <= 3 * (n + 1), "{text}");
        }
        assert!(svg(&[]).contains("</svg>"));
        assert!(svg(&[Panel::default()]).contains("nothing to show yet"));
    }
}
