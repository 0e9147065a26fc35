//! Checks of the `[[wall]]` and `[[event]]` tables.

use std::collections::HashSet;

use super::{
    check::Checker,
    quantity::{NumberKind, Vector},
    tables::EventTable,
    walls::{MotionTable, TouchName, WallShape, WallTable},
};
use rubblepile_core::settings::{join, suggestion};

impl Checker<'_> {
    pub fn walls(&mut self) {
        let mut names = HashSet::new();
        for (k, wall) in self.scenario.wall.iter().enumerate() {
            let at = format!("wall[{k}]");
            self.name(wall.name.as_deref().unwrap_or_default(), &mut names, &at, "wall");
            self.wall(wall, &at);
        }
    }

    fn wall(&mut self, wall: &WallTable, at: &str) {
        self.material_name(wall.material.as_deref(), at);
        if wall.touch != TouchName::Bounce && !self.scene.walls_catch {
            self.add_help(
                format!("{at}.touch"),
                "only hard spheres stick to walls or are absorbed by them",
                "take [method.hard], or leave `touch` out",
            );
        }
        let transparency = wall.transparency.0;
        self.check((0.0..=1.0).contains(&transparency), at, "transparency", || {
            format!("`transparency` must be between 0 and 1, it is {transparency}")
        });
        let shape = format!("{at}.shape");
        match &wall.shape {
            WallShape::Plane(p) => {
                let at = format!("{shape}.plane");
                self.modest(p.point, &at, "point");
                self.direction(p.normal, &at, "normal");
            }
            WallShape::Disk(d) => {
                let at = format!("{shape}.disk");
                self.modest(d.centre, &at, "centre");
                self.direction(d.normal, &at, "normal");
                self.positive(d.radius, &at, "radius");
                self.not_negative(d.hole, &at, "hole");
                self.check(d.hole.0 < d.radius.0, &at, "hole", || "the hole is larger than the disk".into());
            }
            WallShape::Ring(r) => {
                let at = format!("{shape}.ring");
                self.modest(r.centre, &at, "centre");
                self.direction(r.axis, &at, "axis");
                self.positive(r.radius, &at, "radius");
            }
            WallShape::Line(l) => {
                let at = format!("{shape}.line");
                self.modest(l.centre, &at, "centre");
                self.direction(l.axis, &at, "axis");
                if let Some(length) = l.length {
                    self.positive(length, &at, "length");
                }
            }
            WallShape::Point(p) => self.modest(p.at, &format!("{shape}.point"), "at"),
            WallShape::Rectangle(r) => {
                let at = format!("{shape}.rectangle");
                self.modest(r.centre, &at, "centre");
                for (key, v) in [("half_u", r.half_u), ("half_v", r.half_v)] {
                    self.modest(v, &at, key);
                    self.check(v.0.length() > 1e-100, &at, key, || format!("`{key}` has no length"));
                }
                let (u, v) = (r.half_u.0.normalize_or_zero(), r.half_v.0.normalize_or_zero());
                let cosine = u.dot(v);
                self.check(cosine.abs() < 1e-6, &at, "half_v", || {
                    format!("`half_u` and `half_v` must be at right angles; the cosine between them is {cosine:.3e}")
                });
            }
            WallShape::Box(b) => self.corners(b.min, b.max, &format!("{shape}.box")),
            WallShape::Cylinder(c) => {
                let at = format!("{shape}.cylinder");
                self.modest(c.centre, &at, "centre");
                self.direction(c.axis, &at, "axis");
                self.positive(c.radius, &at, "radius");
                if let Some(l) = c.length {
                    self.positive(l, &at, "length");
                }
            }
        }
        self.motion(&wall.motion, &format!("{at}.motion"));
    }

    fn motion(&mut self, motion: &MotionTable, at: &str) {
        match motion {
            MotionTable::None => {}
            MotionTable::Translation(t) => self.modest(t.velocity, &format!("{at}.translation"), "velocity"),
            MotionTable::Oscillation(o) => {
                let at = format!("{at}.oscillation");
                self.modest(o.amplitude, &at, "amplitude");
                self.positive(o.frequency, &at, "frequency");
            }
            MotionTable::Reciprocal(r) => {
                let at = format!("{at}.reciprocal");
                self.modest(r.size, &at, "size");
                self.not_negative(r.rate, &at, "rate");
            }
            MotionTable::Rotation(r) => {
                let at = format!("{at}.rotation");
                self.modest(Vector::<NumberKind>::new(r.rate.0, 0.0, 0.0), &at, "rate");
                if let Some(axis) = r.axis {
                    self.direction(axis, &at, "axis");
                }
                if let Some(centre) = r.centre {
                    self.modest(centre, &at, "centre");
                }
            }
        }
    }

    pub fn events(&mut self) {
        let scenario = self.scenario;
        let removed: HashSet<&str> = scenario.event.iter().filter_map(|e| e.remove_wall.as_deref()).collect();
        let mut names: HashSet<&str> = scenario.wall.iter().filter_map(|w| w.name.as_deref()).collect();
        for (k, wall) in
            scenario.event.iter().enumerate().filter_map(|(k, e)| Some((k, e.add_wall.as_ref()?)))
        {
            let (name, at) = (wall.name.as_deref().unwrap_or_default(), format!("event[{k}].add_wall"));
            // A name may come again when the wall that had it is taken away in between.
            if removed.contains(name) {
                names.insert(name);
            } else {
                self.name(name, &mut names, &at, "wall");
            }
            self.wall(wall, &at);
        }
        for (k, event) in scenario.event.iter().enumerate() {
            if self.full() {
                return;
            }
            self.event(event, &format!("event[{k}]"), &names);
        }
    }

    fn event(&mut self, event: &EventTable, at: &str, walls: &HashSet<&str>) {
        match (event.at, event.every) {
            (Some(t), None) => {
                self.not_negative(t, at, "at");
                for (key, v) in [("start", event.start), ("end", event.end)] {
                    self.check(v.is_none(), at, key, || format!("`{key}` goes with `every`, not with `at`"));
                }
            }
            (None, Some(every)) => {
                self.positive(every, at, "every");
                let start = event.start.unwrap_or(every);
                self.not_negative(start, at, "start");
                if let Some(end) = event.end {
                    self.check(end.0 >= start.0, at, "end", || "`end` is before `start`".into());
                }
                let n = (self.scenario.run.end.0 - start.0) / every.0;
                self.check(n <= 1e9, at, "every", || format!("this would happen {n:.1e} times"));
            }
            (Some(_), Some(_)) => self.add(join(at, "every"), "give `at` or `every`, not both"),
            (None, None) => self.add(at, "`at` or `every` is missing: when does it happen?"),
        }
        let actions = [
            ("remove_wall", event.remove_wall.is_some()),
            ("add_wall", event.add_wall.is_some()),
            ("set_motion", event.set_motion.is_some()),
            ("add_spin", event.add_spin.is_some()),
            ("set_material", event.set_material.is_some()),
            ("spin_up", event.spin_up.is_some()),
            ("remove_beyond", event.remove_beyond.is_some()),
            ("stop", event.stop.is_some()),
        ];
        let given: Vec<&str> = actions.iter().filter(|a| a.1).map(|a| a.0).collect();
        match given.as_slice() {
            [] => {
                let names: Vec<String> = actions.iter().map(|a| format!("`{}`", a.0)).collect();
                self.add_help(
                    at,
                    "nothing happens in this event",
                    format!("give one of {}", names.join(", ")),
                );
            }
            [only] => {
                let once = event.every.is_none() || !matches!(*only, "remove_wall" | "add_wall");
                self.check(once, at, "every", || format!("`{only}` can happen only once: use `at`"));
            }
            [first, second, ..] => {
                self.add(
                    join(at, second),
                    format!("an event does one thing; this has `{first}` and `{second}`"),
                );
            }
        }
        self.actions(event, at, walls);
    }

    fn actions(&mut self, event: &EventTable, at: &str, walls: &HashSet<&str>) {
        let wall = event.remove_wall.as_ref().map(|w| ("remove_wall", w));
        let moved = event.set_motion.as_ref().map(|m| ("set_motion.wall", &m.wall));
        for (key, name) in wall.into_iter().chain(moved) {
            if !walls.contains(name.as_str()) {
                let mut known: Vec<&str> = walls.iter().copied().collect();
                known.sort_unstable();
                self.known(name, known.iter().copied(), "wall", join(at, key));
            }
        }
        if let Some(m) = &event.set_motion {
            self.motion(&m.motion, &format!("{at}.set_motion.motion"));
        }
        if let Some(a) = &event.add_spin {
            self.modest(a.spin, &format!("{at}.add_spin"), "spin");
            let known = self.scenario.grains.iter().filter_map(|g| g.name.as_deref());
            if let Some(group) = &a.group {
                self.known(group, known, "group", format!("{at}.add_spin.group"));
            }
        }
        if let Some(m) = &event.set_material {
            let at = format!("{at}.set_material");
            self.material_name(Some(&m.material), &at);
            match super::property(&m.key) {
                None => {
                    let help = suggestion(&m.key, super::PROPERTIES.iter().map(|p| p.0));
                    self.add_help(format!("{at}.key"), format!("an event cannot change `{}`", m.key), help);
                }
                Some((_, dimension)) => {
                    if let Some(found) = m.value.dimension
                        && found != dimension
                    {
                        let e = rubblepile_core::units::mismatch(&m.key, found, dimension);
                        self.add(format!("{at}.value"), e.message);
                    }
                    let before = self.problems.len();
                    self.coefficient(&m.key, m.value.value, &at);
                    for p in &mut self.problems[before..] {
                        p.path = format!("{at}.value");
                    }
                }
            }
        }
        if let Some(distance) = event.remove_beyond {
            self.positive(distance, at, "remove_beyond");
        }
        if let Some(u) = &event.spin_up {
            let at = format!("{at}.spin_up");
            let names = self.scenario.asteroid.iter().filter_map(|a| a.name.as_deref());
            self.known(&u.asteroid, names, "asteroid", format!("{at}.asteroid"));
            let period = u.period.0.abs();
            self.check((1e-30..=1e30).contains(&period), &at, "period", || "this is no period".into());
        }
        if let Some(energy) = event.stop.as_ref().and_then(|s| s.kinetic_energy_below) {
            self.positive(energy, &format!("{at}.stop"), "kinetic_energy_below");
        }
    }
}
