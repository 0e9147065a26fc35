//! How many threads a simulation uses.

use crate::{Error, Result};

/// Does `work` on this many threads (`None`: all cores); everything parallel inside uses only these. Results do not depend
/// on it.
///
/// ```
/// # fn main() -> rubblepile::Result<()> {
/// let time = rubblepile::on_threads(Some(1), || -> rubblepile::Result<f64> {
///     let mut sim = rubblepile::Simulation::from_toml(rubblepile::doc::THREE_GRAINS)?;
///     sim.step(10)?;
///     Ok(sim.time())
/// })??;
/// assert!(time > 0.0);
/// # Ok(())
/// # }
/// ```
pub fn on_threads<T: Send>(threads: Option<u32>, work: impl FnOnce() -> T + Send) -> Result<T> {
    let threads = threads.unwrap_or(0) as usize;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(|e| {
        Error::bad_input(format!("cannot start the threads: {e}"), "give a smaller number of threads")
    })?;
    Ok(pool.install(work))
}
