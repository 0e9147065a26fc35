//! How far the files of a run have been written: set by the writers, saved with every checkpoint, and what a resumed
//! run goes on from.

use std::{
    fs::File,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use crate::checkpoint::Meta;

#[derive(Debug, Default)]
pub struct Positions {
    pub series_bytes: u64,
    pub series_rows: u64,
    pub series_ticks: Vec<u64>,
    pub next_frame: u64,
    pub next_contact_table: u64,
    /// The series, to be made durable before a checkpoint says how long it is.
    pub series_file: Option<File>,
}

#[derive(Debug, Clone, Default)]
pub struct Marks(Arc<Mutex<Positions>>);

impl Marks {
    /// The marks of a checkpoint.
    pub fn from_meta(meta: &Meta) -> Self {
        Marks(Arc::new(Mutex::new(Positions {
            series_bytes: meta.series_bytes,
            series_rows: meta.series_rows,
            series_ticks: meta.series_ticks.clone(),
            next_frame: meta.next_frame,
            next_contact_table: meta.next_contact_table,
            series_file: None,
        })))
    }

    /// Nothing is done under the lock that could leave half a change, so a poisoned one is as good.
    pub fn lock(&self) -> MutexGuard<'_, Positions> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes the series durable and writes the positions into `meta`.
    pub fn settle(&self, meta: &mut Meta) -> std::io::Result<()> {
        let at = self.lock();
        if let Some(file) = &at.series_file {
            file.sync_data()?;
        }
        meta.series_bytes = at.series_bytes;
        meta.series_rows = at.series_rows;
        meta.series_ticks.clone_from(&at.series_ticks);
        meta.next_frame = at.next_frame;
        meta.next_contact_table = at.next_contact_table;
        Ok(())
    }
}
