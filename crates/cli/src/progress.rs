//! Progress of a run: a bar on a terminal, a line every ten seconds elsewhere.

use std::{
    collections::VecDeque,
    io::IsTerminal,
    path::Path,
    time::{Duration, Instant},
};

use indicatif::{ProgressBar, ProgressStyle};
use rubblepile::nonsmooth::{UNSOLVED_STEPS, WORST_RESIDUAL};
use rubblepile_core::{World, run};
use rubblepile_io::session::Watcher;

use crate::text;

/// Rates are those of the last so many seconds.
const WINDOW: Duration = Duration::from_secs(8);
const LINE_EVERY: Duration = Duration::from_secs(10);
const SCALE: u64 = 10_000;

enum DisplayMode {
    Bar(ProgressBar),
    Lines { last: Instant },
    Quiet,
}

pub struct ProgressDisplay {
    kind: DisplayMode,
    /// Recent wall-clock times, simulated times and steps.
    past: VecDeque<(Instant, f64, u64)>,
}

impl ProgressDisplay {
    pub fn new(quiet: bool) -> Self {
        let kind = if quiet {
            DisplayMode::Quiet
        } else if std::io::stderr().is_terminal() {
            let bar = ProgressBar::new(SCALE);
            let style = ProgressStyle::with_template("{bar:28} {percent:>3} %  {msg}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            DisplayMode::Bar(bar)
        } else {
            DisplayMode::Lines { last: Instant::now() }
        };
        ProgressDisplay { kind, past: VecDeque::new() }
    }

    /// Takes the bar away, so that what is printed next stands alone.
    pub fn finish(&self) {
        if let DisplayMode::Bar(bar) = &self.kind {
            bar.finish_and_clear();
        }
    }

    fn message(&self, at: &run::Progress) -> String {
        let mut message = format!("t = {} of {}", text::time(at.time()), text::time(at.end()));
        if let (Some(first), Some(last)) = (self.past.front(), self.past.back()) {
            let wall = (last.0 - first.0).as_secs_f64();
            let (gone, steps) = (last.1 - first.1, (last.2 - first.2) as f64);
            if wall > 0.2 && steps > 0.0 && gone > 0.0 {
                let grains = at.grain_count() as f64;
                let left = (at.end() - at.time()).max(0.0) * wall / gone;
                // More than that is no estimate.
                let left = Duration::try_from_secs_f64(left).unwrap_or(Duration::MAX);
                message.push_str(&format!(
                    "  {} steps/s  {} grain-steps/s  left {}",
                    text::rate(steps / wall),
                    text::rate(steps * grains / wall),
                    text::duration(left)
                ));
            }
        }
        let report = at.report();
        let of = |name: &str| report.counts.iter().find(|c| c.0 == name).map_or(0, |c| c.1);
        let worst = report.largest.iter().find(|l| l.0 == WORST_RESIDUAL).map_or(0.0, |l| l.1);
        if let Some(words) = text::unsolved(of(UNSOLVED_STEPS), of("steps"), worst) {
            message.push_str(&format!("  {words}"));
        }
        message
    }
}

impl Watcher for ProgressDisplay {
    fn progress(&mut self, at: &mut run::Progress) {
        let now = Instant::now();
        self.past.push_back((now, at.time(), at.clock().step));
        while self.past.len() > 2 && now - self.past[0].0 > WINDOW {
            self.past.pop_front();
        }
        let part = if at.end() > 0.0 { (at.time() / at.end()).clamp(0.0, 1.0) } else { 1.0 };
        match &mut self.kind {
            DisplayMode::Quiet => {}
            DisplayMode::Bar(bar) => {
                bar.set_position((part * SCALE as f64) as u64);
                let message = self.message(at);
                if let DisplayMode::Bar(bar) = &self.kind {
                    bar.set_message(message);
                }
            }
            DisplayMode::Lines { last } => {
                if now - *last >= LINE_EVERY {
                    *last = now;
                    // A sum over all grains: affordable every ten seconds, not ten times a second.
                    let energy = at.world().map_or(f64::NAN, World::kinetic_energy);
                    let (message, energy) = (self.message(at), text::number(energy));
                    eprintln!("{:5.1} %  {message}  kinetic energy {energy} J", 100.0 * part);
                }
            }
        }
    }

    fn saved(&mut self, path: &Path, took: Duration) {
        if let DisplayMode::Lines { .. } = self.kind
            && took > Duration::from_secs(1)
        {
            eprintln!("checkpoint {} in {}", path.display(), text::duration(took));
        }
    }
}
