//! Ctrl-C and SIGTERM: the first asks for a clean stop, a second one stops at once.

use std::{
    process::exit,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

/// `timeout` and batch systems send a signal to the process and to its group: what comes this soon is the same request.
const SAME: Duration = Duration::from_secs(1);

/// Sets `stop` when asked to; `what` is said then, unless quiet.
pub fn listen(stop: &Arc<AtomicBool>, quiet: bool, what: &'static str) {
    let asked = stop.clone();
    let first: Mutex<Option<Instant>> = Mutex::new(None);
    let handler = ctrlc::set_handler(move || {
        let since = first.lock().map(|mut first| first.get_or_insert_with(Instant::now).elapsed());
        if asked.swap(true, Ordering::Relaxed) {
            if since.is_ok_and(|since| since > SAME) {
                // The last checkpoint is whole in any case.
                exit(130);
            }
        } else if !quiet {
            eprintln!("\n{what}; press again to stop at once");
        }
    });
    if let (Err(e), false) = (handler, quiet) {
        eprintln!("Ctrl-C will stop without a checkpoint: {e}");
    }
}
