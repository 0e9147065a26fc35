//! Writes a frame at every multiple of an interval.

use std::path::PathBuf;

use rubblepile_core::{Observer, method::Moment, run::Ticker, text};

use super::{FrameData, FrameIndex, View, WallStyles, asteroids::write_surfaces, shapes, write};
use crate::{error::Result, marks::Marks};

pub fn file_name(number: u64) -> String {
    format!("frame-{number:06}.vtkhdf")
}

/// Frame `k` shows the world at `k` times the interval: its number is the count of ticks.
pub struct FrameWriter {
    directory: PathBuf,
    ticker: Ticker,
    index: FrameIndex,
    marks: Marks,
    /// Whether the shapes are there, in this session.
    shapes: bool,
    view: View,
    wall_styles: WallStyles,
}

impl FrameWriter {
    /// For a run directory; goes on after the frames that `marks` says are written.
    pub fn new(
        directory: PathBuf,
        interval: f64,
        view: View,
        wall_styles: WallStyles,
        marks: Marks,
    ) -> Result<Self> {
        let frames = directory.join("frames");
        std::fs::create_dir_all(&frames).map_err(crate::FileError::io("create", &frames))?;
        let next = marks.lock().next_frame;
        let index = FrameIndex::create(&directory, next)?;
        Ok(FrameWriter {
            directory,
            ticker: Ticker { interval, index: next },
            index,
            marks,
            shapes: false,
            view,
            wall_styles,
        })
    }

    fn write(&mut self, moment: &mut Moment) -> rubblepile_core::Result<()> {
        let counts = moment.method.contact_counts(moment.world)?;
        let world = moment.world;
        let mut frame = FrameData::of(world, &counts)
            .with_wall_styles(world, &self.wall_styles)
            .in_view(world, self.view);
        if frame.deformable.is_some() {
            frame = frame.with_deformation(world, moment.deformation()?);
        }
        let path = self.directory.join("frames").join(file_name(self.ticker.index));
        if !self.shapes && frame.shapes.len() > 1 {
            shapes::write(&shapes::path_beside(&path), &frame.shapes)
                .map_err(|e| e.into_core("the shapes of the bodies"))?;
        }
        if !self.shapes {
            write_surfaces(&self.directory.join("frames"), moment.world)
                .map_err(|e| e.into_core("the surfaces of the asteroids"))?;
        }
        self.shapes = true;
        write(&path, &frame).and_then(|()| self.index.push(self.ticker.index, frame.time)).map_err(|e| {
            e.into_core(format!("frame {} at t = {}", self.ticker.index, text::time(frame.time)))
        })
    }
}

impl Observer for FrameWriter {
    fn next(&self) -> Option<f64> {
        Some(self.ticker.next())
    }

    fn observe(&mut self, moment: &mut Moment) -> rubblepile_core::Result<()> {
        self.write(moment)?;
        self.ticker.advance();
        self.marks.lock().next_frame = self.ticker.index;
        Ok(())
    }
}
