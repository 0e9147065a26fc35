//! Checks of the `[[probe]]` tables.

use std::collections::HashSet;

use glam::DVec3;

use super::{
    check::Checker,
    probes::{Probe, ReposeSampling, WallSampling, wall_names},
    quantity::{Auto, NumberKind, Vector},
};
use rubblepile_core::settings::join;

pub(super) fn check(c: &mut Checker) {
    for (k, probe) in c.scenario.probe.iter().enumerate() {
        let at = format!("probe[{k}].{}", probe.sampling().0);
        match probe {
            Probe::Aggregates(s) => {
                let follow = s.follow;
                c.check((1..=20).contains(&follow), &at, "follow", || {
                    format!("between 1 and 20 clusters can be followed, not {follow}")
                });
            }
            Probe::Porosity(s) => {
                if let Auto::Value(alpha) = s.alpha {
                    c.positive(alpha, &at, "alpha");
                }
            }
            Probe::Walls(s) => c.walls_probe(s, &at),
            Probe::Heights(s) => {
                c.groups(&s.groups, &at);
                c.up(s.up, &at);
                c.modest(Vector::<NumberKind>::new(s.from.0, 0.0, 0.0), &at, "from");
            }
            Probe::HeightHistogram(s) => {
                c.groups(&s.groups, &at);
                c.up(s.up, &at);
                let (bins, [low, high]) = (s.bins, s.range.map(|z| z.0));
                c.check((1..=1000).contains(&bins), &at, "bins", || {
                    format!("`bins` must be between 1 and 1000, it is {bins}")
                });
                c.check(low < high, &at, "range", || {
                    format!("`range` must go from low to high; it goes from {low} to {high}")
                });
                c.modest(Vector::<NumberKind>::new(s.from.0, low, high), &at, "range");
            }
            Probe::Temperature(s) => {
                c.groups(&s.groups, &at);
                if let Some(side) = s.cells {
                    c.positive(side, &at, "cells");
                }
            }
            Probe::Repose(s) => c.repose(s, &at),
            _ => {}
        }
    }
}

impl Checker<'_> {
    fn groups(&mut self, groups: &Option<Vec<String>>, at: &str) {
        let known = self.scenario.grains.iter().filter_map(|g| g.name.as_deref());
        for (k, name) in groups.iter().flatten().enumerate() {
            self.known(name, known.clone(), "group", format!("{at}.groups[{k}]"));
        }
        self.once(groups, format!("{at}.groups"));
    }

    fn up(&mut self, up: Option<Vector<NumberKind>>, at: &str) {
        if let Some(up) = up {
            self.direction(up, at, "up");
        }
    }

    fn walls_probe(&mut self, s: &WallSampling, at: &str) {
        if !self.scene.walls_catch {
            self.add_help(
                at,
                "only hard spheres count what walls exchange with grains",
                "take [method.hard], or `energy`, whose columns have the work of all walls",
            );
        }
        let known = wall_names(self.scenario);
        self.check(!known.is_empty(), "", at, || "there is no wall to look at".into());
        for (k, name) in s.names.iter().flatten().enumerate() {
            self.known(name, known.iter().map(String::as_str), "wall", format!("{at}.names[{k}]"));
        }
        self.once(&s.names, format!("{at}.names"));
    }

    /// Names that become names of columns.
    fn once(&mut self, names: &Option<Vec<String>>, at: String) {
        let mut seen = HashSet::new();
        if let Some(name) = names.iter().flatten().find(|name| !seen.insert(name.as_str())) {
            self.add_help(at, format!("`{name}` is named twice"), "name each once");
        }
    }

    fn repose(&mut self, s: &ReposeSampling, at: &str) {
        self.direction(s.axis, at, "axis");
        self.modest(s.centre, at, "centre");
        self.up(s.up, at);
        if let Auto::Value(width) = s.strip {
            self.positive(width, at, "strip");
        }
        let unit = |v: DVec3| v.normalize_or_zero();
        let sine = unit(s.axis.0).cross(unit(s.up.map_or(DVec3::Z, |up| up.0))).length();
        if s.axis.0 != DVec3::ZERO && sine < 1e-6 {
            let help = "give the axis about which the drum turns, or `up`";
            self.add_help(join(at, "axis"), "`axis` is upright: no surface falls across it", help);
        }
    }
}
