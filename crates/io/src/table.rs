//! Tables of numbers as text: how a number is written, and reading a series back.
//!
//! Numbers have the fewest digits that give the same number again, so a table loses nothing and two equal runs give
//! equal files.

use std::{io::Read, path::Path};

use crate::{
    error::{FileError, Result},
    input,
};

/// Appends a number in its shortest form that reads back the same; `nan`, `inf` and `-inf` as pandas knows them.
pub fn push_number(text: &mut String, x: f64) {
    use std::fmt::Write;
    let size = x.abs();
    // Writing to a string cannot fail.
    let _ = if x.is_nan() {
        write!(text, "nan")
    } else if size == 0.0 || (1e-4..1e15).contains(&size) || size.is_infinite() {
        write!(text, "{x}")
    } else {
        write!(text, "{x:e}")
    };
}

/// Appends a text cell, quoted where a comma, a quote or a line end would break the row.
pub fn push_text(text: &mut String, cell: &str) {
    if cell.contains([',', '"', '\n', '\r']) {
        text.push('"');
        text.push_str(&cell.replace('"', "\"\""));
        text.push('"');
    } else {
        text.push_str(cell);
    }
}

/// A table of numbers with named columns, `None` where a cell is blank.
#[derive(Debug, Clone, PartialEq)]
pub struct SeriesTable {
    pub columns: Vec<String>,
    pub rows: Vec<Vec<Option<f64>>>,
}

impl SeriesTable {
    /// Reads a CSV file of numbers with a header, such as `series.csv`. A last line without its line end is left
    /// out: it is still being written.
    pub fn read(path: &Path) -> Result<SeriesTable> {
        let mut bytes = Vec::new();
        input::open(path).and_then(|mut f| f.read_to_end(&mut bytes)).map_err(FileError::input(
            "read",
            path,
            "series",
            "give a file such as series.csv",
        ))?;
        let text = String::from_utf8_lossy(&bytes);
        let damaged = |line: usize, what: String| FileError::Damaged {
            path: path.to_path_buf(),
            place: format!("line {line}"),
            what,
            help: "a series has one header and the same number of cells in every row".into(),
        };
        let whole = text.rfind('\n').map_or("", |end| &text[..end]);
        let mut lines = whole.lines();
        let columns: Vec<String> = match lines.next() {
            Some(header) => header.split(',').map(str::to_owned).collect(),
            None => return Err(damaged(1, "there is no header".into())),
        };
        let mut rows = Vec::new();
        for (k, line) in lines.enumerate() {
            let mut row = Vec::with_capacity(columns.len());
            for cell in line.split(',') {
                row.push(match cell.trim() {
                    "" => None,
                    cell => {
                        Some(cell.parse().map_err(|_| {
                            damaged(k + 2, format!("`{}` is not a number", cell.escape_debug()))
                        })?)
                    }
                });
            }
            if row.len() != columns.len() {
                return Err(damaged(k + 2, format!("{} cells under {} columns", row.len(), columns.len())));
            }
            rows.push(row);
        }
        Ok(SeriesTable { columns, rows })
    }

    /// The last value of each column that has one.
    pub fn last(&self) -> Vec<(&str, f64)> {
        let last = |c: usize| self.rows.iter().rev().find_map(|row| row[c]);
        self.columns.iter().enumerate().filter_map(|(c, name)| Some((name.as_str(), last(c)?))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rubblepile_core::Rng;

    fn text(x: f64) -> String {
        let mut s = String::new();
        push_number(&mut s, x);
        s
    }

    #[test]
    fn numbers_read_back_the_same_and_are_short() {
        let mut rng = Rng::new(1);
        for _ in 0..100_000 {
            let x = f64::from_bits(rng.next_u64());
            let again: f64 = text(x).parse().unwrap();
            assert!(again.to_bits() == x.to_bits() || (again.is_nan() && x.is_nan()), "{x:e}");
            assert!(text(x).len() <= 25, "{}", text(x));
        }
        let known =
            [(0.1, "0.1"), (1e-5, "1e-5"), (1e20, "1e20"), (-0.0, "-0"), (3.0, "3"), (f64::NAN, "nan")];
        for (x, written) in known {
            assert_eq!(text(x), written);
        }
        assert_eq!(text(f64::NEG_INFINITY), "-inf");
    }

    #[test]
    fn blank_cells_and_a_row_in_the_making_are_understood() {
        let scratch = crate::testing::Scratch::new("table");
        let path = scratch.path().join("series.csv");
        std::fs::write(&path, "time_s,step,a,b\n0,0,1,\n1,10,,2e-9\n2,20,3").unwrap();
        let table = SeriesTable::read(&path).unwrap();
        assert_eq!(table.rows.len(), 2);
        assert_eq!(table.rows[1], [Some(1.0), Some(10.0), None, Some(2e-9)]);
        assert_eq!(table.last(), [("time_s", 1.0), ("step", 10.0), ("a", 1.0), ("b", 2e-9)]);
        std::fs::write(&path, "time_s,a\n1\n").unwrap();
        assert!(SeriesTable::read(&path).unwrap_err().to_string().contains("line 2"));
    }
}
