//! Lines of one value between the middles of a map's cells (marching squares), as an SVG path.

use std::fmt::Write;

/// `value` of a column, which may lie beyond either end, and a row. In units of cells, the middle of the first at 0.5.
pub(super) fn path(columns: i64, rows: i64, value: &dyn Fn(i64, i64) -> Option<f64>, level: f64) -> String {
    let mut path = String::new();
    for row in 0..rows - 1 {
        for column in -1..columns {
            let corners = [(column, row), (column + 1, row), (column + 1, row + 1), (column, row + 1)];
            let values = corners.map(|(c, r)| value(c, r));
            let [Some(a), Some(b), Some(c), Some(d)] = values else { continue };
            let values = [a, b, c, d];
            // Where the sides of the square are crossed, in order around it.
            let mut crossings = Vec::new();
            for k in 0..4 {
                let (p, q) = (values[k] - level, values[(k + 1) % 4] - level);
                if (p < 0.0) != (q < 0.0) {
                    let t = p / (p - q);
                    let (from, to) = (corners[k], corners[(k + 1) % 4]);
                    let at = |f: i64, t1: i64| f as f64 + t * (t1 - f) as f64 + 0.5;
                    crossings.push((at(from.0, to.0), at(from.1, to.1)));
                }
            }
            // A saddle has four: which two belong together its middle says.
            if crossings.len() == 4 {
                let inside = values.iter().sum::<f64>() < 4.0 * level;
                if inside == (values[0] < level) {
                    crossings.rotate_left(1);
                }
            }
            for pair in crossings.chunks_exact(2) {
                let ((x, y), (u, v)) = (pair[0], pair[1]);
                let _ = write!(path, "M{x:.2} {y:.2}L{u:.2} {v:.2}");
            }
        }
    }
    path
}
