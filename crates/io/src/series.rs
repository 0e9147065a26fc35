//! `series.csv`: what the probes measure, one row per time.
//!
//! Columns are `time_s`, `step`, then those of the probes in the order of the scenario. Every probe has an interval
//! of its own; its cells are blank in rows where it is not due. On resume the file is cut to the length that the
//! checkpoint knows, so that it ends as that of an unbroken run, bit for bit.

use std::{
    fs::{File, OpenOptions},
    io::{BufRead, BufReader, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use rubblepile_core::{
    Column, Observer, Probe,
    method::Moment,
    run::{Ticker, is_due},
    text,
};

use crate::{
    error::{FileError, Result},
    marks::Marks,
    table::{push_number, push_text},
};

/// Its name in a run directory.
pub const NAME: &str = "series.csv";

/// The first columns of every series.
pub fn own_columns() -> [Column; 2] {
    [
        Column::new("time", "s", "Simulated time"),
        Column::new("step", "", "Number of the step: the time over the time step"),
    ]
}

/// The columns of one probe.
struct Part {
    probe: Box<dyn Probe>,
    ticker: Ticker,
    width: usize,
}

pub struct SeriesWriter {
    path: PathBuf,
    file: File,
    parts: Vec<Part>,
    marks: Marks,
    /// Kept between rows for their memory.
    line: String,
    values: Vec<f64>,
}

impl SeriesWriter {
    /// For a run directory, with each probe's interval, s; goes on after the rows that `marks` says are written.
    /// Takes the probes, unless a new file cannot be made.
    pub fn new(directory: &Path, probes: &mut Vec<(Box<dyn Probe>, f64)>, marks: Marks) -> Result<Self> {
        let path = directory.join(NAME);
        let mut header = own_columns().map(|c| c.name).join(",");
        let (bytes, ticks) = {
            let at = marks.lock();
            (at.series_bytes, at.series_ticks.clone())
        };
        for column in probes.iter().flat_map(|(probe, _)| probe.columns()) {
            header.push(',');
            push_text(&mut header, &column.name);
        }
        header.push('\n');
        let file = if bytes == 0 { create(&path, &header)? } else { reopen(&path, &header, bytes)? };
        let handle = file.try_clone().map_err(FileError::io("open", &path))?;
        let part = |(k, (probe, interval)): (usize, (Box<dyn Probe>, f64))| {
            let ticker = Ticker { interval, index: ticks.get(k).copied().unwrap_or(0) };
            Part { width: probe.columns().len(), probe, ticker }
        };
        let mut parts: Vec<Part> = probes.drain(..).enumerate().map(part).collect();
        if bytes > 0 {
            recall(&path, &mut parts)?;
        }
        {
            let mut at = marks.lock();
            at.series_bytes = at.series_bytes.max(header.len() as u64);
            at.series_ticks = parts.iter().map(|p| p.ticker.index).collect();
            at.series_file = Some(handle);
        }
        Ok(SeriesWriter { path, file, parts, marks, line: String::new(), values: Vec::new() })
    }

    /// The probes with their intervals, s, for a run that could not be recorded after all.
    pub fn into_probes(self) -> Vec<(Box<dyn Probe>, f64)> {
        self.parts.into_iter().map(|part| (part.probe, part.ticker.interval)).collect()
    }

    /// One row: the probes that are due at this step measure, the others leave their cells blank.
    fn row(&mut self, moment: &mut Moment) -> rubblepile_core::Result<()> {
        let clock = moment.world.clock;
        self.line.clear();
        push_number(&mut self.line, clock.time());
        self.line.push_str(&format!(",{}", clock.step));
        for part in &mut self.parts {
            if !is_due(&clock, part.ticker.next()) {
                self.line.extend(std::iter::repeat_n(',', part.width));
                continue;
            }
            self.values.clear();
            part.probe.measure(moment, &mut self.values)?;
            // A probe that gives too few or too many values must not shift its neighbours.
            for k in 0..part.width {
                self.line.push(',');
                if let Some(&x) = self.values.get(k) {
                    push_number(&mut self.line, x);
                }
            }
            // Intervals shorter than a step are due several times at once, and are measured once.
            while is_due(&clock, part.ticker.next()) {
                part.ticker.advance();
            }
        }
        self.line.push('\n');
        // One write per row: other readers see whole rows.
        self.file
            .write_all(self.line.as_bytes())
            .map_err(FileError::io("write", &self.path))
            .map_err(|e| e.into_core(format!("series at t = {}", text::time(clock.time()))))
    }
}

fn create(path: &Path, header: &str) -> Result<File> {
    let mut file = File::create(path).map_err(FileError::io("create", path))?;
    file.write_all(header.as_bytes()).map_err(FileError::io("write", path))?;
    Ok(file)
}

fn reopen(path: &Path, header: &str, bytes: u64) -> Result<File> {
    let damaged = |place: &str, what: String| FileError::Damaged {
        path: path.to_path_buf(),
        place: place.into(),
        what,
        help: "the series must be as the run left it, or longer: restore it, or start again".into(),
    };
    let open = OpenOptions::new().read(true).write(true).open(path);
    let mut file = open.map_err(FileError::io("open", path))?;
    let length = file.metadata().map_err(FileError::io("open", path))?.len();
    if length < bytes {
        return Err(damaged(
            "its length",
            format!("it has {length} bytes, but had {bytes} at the checkpoint"),
        ));
    }
    let mut found = vec![0; header.len().min(bytes as usize)];
    file.read_exact(&mut found).map_err(FileError::io("read", path))?;
    if found != header.as_bytes() {
        return Err(damaged("line 1", "its columns differ from those of the scenario's probes".into()));
    }
    file.set_len(bytes).map_err(FileError::io("shorten", path))?;
    file.seek(SeekFrom::Start(bytes)).map_err(FileError::io("read", path))?;
    Ok(file)
}

/// Tells every probe the last row that it gave.
fn recall(path: &Path, parts: &mut [Part]) -> Result<()> {
    let file = File::open(path).map_err(FileError::io("open", path))?;
    let mut last = vec![String::new(); parts.len()];
    for line in BufReader::new(file).lines().skip(1) {
        let line = line.map_err(FileError::io("read", path))?;
        let mut cells = line.split(',').skip(2);
        for (part, last) in parts.iter().zip(&mut last) {
            // A probe that was not due left its cells blank.
            if cells.by_ref().take(part.width).fold(false, |any, cell| any | !cell.is_empty()) {
                last.clone_from(&line);
            }
        }
    }
    let mut first = 2;
    for (part, line) in parts.iter_mut().zip(&last) {
        let number = |cell: &str| cell.parse().unwrap_or(f64::NAN);
        let row: Vec<f64> = line.split(',').skip(first).take(part.width).map(number).collect();
        if !row.is_empty() {
            part.probe.recall(number(line.split(',').next().unwrap_or_default()), &row);
        }
        first += part.width;
    }
    Ok(())
}

impl Observer for SeriesWriter {
    fn next(&self) -> Option<f64> {
        self.parts.iter().map(|p| p.ticker.next()).reduce(f64::min)
    }

    fn observe(&mut self, moment: &mut Moment) -> rubblepile_core::Result<()> {
        self.row(moment)?;
        let mut at = self.marks.lock();
        at.series_bytes += self.line.len() as u64;
        at.series_rows += 1;
        at.series_ticks.clear();
        at.series_ticks.extend(self.parts.iter().map(|p| p.ticker.index));
        Ok(())
    }
}
