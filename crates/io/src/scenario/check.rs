//! Checks of a scenario after parsing: signs, ranges, unknown names, choices that exclude each other. Every problem
//! carries the path of its key.

use std::{
    collections::HashSet,
    ops::{Deref, DerefMut},
};

use rubblepile_core::{
    material::{Given, Rule},
    settings::{Check, Problem, ScenarioContext, join, suggestion},
};

use super::{
    asteroids, deformables, grains,
    quantity::{NumberKind, Quantity, Time},
    scene,
    tables::*,
};

/// All problems of a scenario.
pub fn problems(scenario: &Scenario) -> Vec<Problem> {
    let nothing = ScenarioContext::default();
    let mut c = Check::new(&nothing);
    let numbers = [
        ("material", scenario.material.len(), 256),
        ("pair", scenario.pair.len(), 33_000),
        ("gravity", scenario.gravity.len(), 100),
        ("asteroid", scenario.asteroid.len(), 100),
        ("grains", scenario.grains.len(), 10_000),
        ("deformable", scenario.deformable.len(), 10_000),
        ("wall", scenario.wall.len(), 10_000),
        ("event", scenario.event.len(), 100_000),
        ("probe", scenario.probe.len(), 1000),
    ];
    for (key, n, most) in numbers {
        c.check(n <= most, "", key, || format!("there are {n} [[{key}]] tables; at most {most} are allowed"));
    }
    if !c.problems.is_empty() {
        return c.problems;
    }
    let scene = scene::of(scenario);
    let mut c = Checker { scenario, base: Check::new(&scene) };
    c.run();
    let method = scenario.method.settings();
    method.check(&mut c, &format!("method.{}", method.name()));
    rubblepile_gravity::check(&scenario.gravity, &mut c);
    c.frame_and_domain();
    c.materials();
    c.pairs();
    grains::check(&mut c);
    c.walls();
    asteroids::check(&mut c);
    deformables::check(&mut c);
    c.events();
    c.sampling();
    rubblepile_probe::check(&scenario.probe, &mut c.base);
    c.base.problems
}

/// The checks that need the whole scenario; what one table can say by itself is in [`Check`].
pub(super) struct Checker<'a> {
    pub scenario: &'a Scenario,
    pub base: Check<'a>,
}

impl<'a> Deref for Checker<'a> {
    type Target = Check<'a>;

    fn deref(&self) -> &Check<'a> {
        &self.base
    }
}

impl<'a> DerefMut for Checker<'a> {
    fn deref_mut(&mut self) -> &mut Check<'a> {
        &mut self.base
    }
}

impl Checker<'_> {
    fn run(&mut self) {
        let run = &self.scenario.run;
        self.positive(run.end, "run", "end");
        self.check(run.seed <= i64::MAX as u64, "run", "seed", || "the seed is too large for TOML".into());
        let threads = run.threads.unwrap_or(1);
        self.check((1..=4096).contains(&threads), "run", "threads", || {
            format!("`threads` must be between 1 and 4096, it is {threads}")
        });
    }

    fn frame_and_domain(&mut self) {
        if let FrameTable::Rotating(r) = &self.scenario.frame {
            self.rotation(r.angular_velocity, r.period, r.axis, "frame.rotating");
        }
        if let DomainTable::Periodic(p) = &self.scenario.domain {
            let at = "domain.periodic";
            self.corners(p.min, p.max, at);
            let mut seen = HashSet::new();
            let fine = !p.axes.is_empty() && p.axes.chars().all(|c| "xyz".contains(c) && seen.insert(c));
            self.check(fine, at, "axes", || {
                "`axes` consists of the letters x, y and z, each at most once".into()
            });
            if matches!(self.scenario.frame, FrameTable::Rotating(_)) {
                self.add("domain.periodic", "a rotating frame cannot be combined with a periodic box");
            }
        }
    }

    fn materials(&mut self) {
        let mut names = HashSet::new();
        for (k, m) in self.scenario.material.iter().enumerate() {
            let at = format!("material[{k}]");
            self.name(&m.name, &mut names, &at, "material");
            if let Some(d) = m.density {
                self.positive(d, &at, "density");
            }
            self.values(m.given(), &at);
            if !self.problems.iter().any(|p| p.path == join(&at, "poisson")) {
                let used = self.scenario.deformable.iter().any(|d| d.material.as_ref() == Some(&m.name));
                deformables::material(self, k, m, used);
            }
        }
    }

    /// Checks the values of a material or a pair.
    fn values(&mut self, given: Vec<Given>, at: &str) {
        for value in given {
            match value.rule {
                Rule::Coefficient => self.coefficient(value.key, value.value, at),
                _ => value.check(self, at),
            }
        }
    }

    /// A value that a material, a pair or an event may set.
    pub fn coefficient(&mut self, key: &str, v: f64, at: &str) {
        if !key.starts_with("restitution") {
            self.not_negative(Quantity::<NumberKind>::new(v), at, key);
        }
        if let Some(mut problem) = self.scenario.method.settings().refuses(key, v) {
            problem.path = join(at, key);
            self.problems.push(problem);
        }
    }

    fn pairs(&mut self) {
        let mut seen = HashSet::new();
        for (k, p) in self.scenario.pair.iter().enumerate() {
            let at = format!("pair[{k}]");
            for (i, name) in p.between.iter().enumerate() {
                let known = self.scenario.material.iter().map(|m| m.name.as_str());
                if !known.clone().any(|m| m == name) {
                    let help = suggestion(name, known);
                    self.add_help(
                        format!("{at}.between[{i}]"),
                        format!("there is no material `{name}`"),
                        help,
                    );
                }
            }
            let [a, b] = &p.between;
            if !seen.insert(if a <= b { (a, b) } else { (b, a) }) {
                self.add(join(&at, "between"), format!("the pair of `{a}` and `{b}` is given twice"));
            }
            self.values(p.given(), &at);
        }
    }

    /// Checks the intervals of probes and output.
    fn sampling(&mut self) {
        let scenario = self.scenario;
        let end = scenario.run.end.0;
        let mut often = |every: Time, at: &str| {
            self.positive(every, at, "every");
            let n = end / every.0;
            self.check(n <= 1e9, at, "every", || format!("this would happen {n:.1e} times"));
        };
        for (k, probe) in scenario.probe.iter().enumerate() {
            often(probe.settings().every(), &format!("probe[{k}].{}", probe.name()));
        }
        let output = &scenario.output;
        if let Some(s) = &output.frames {
            often(s.every, "output.frames");
        }
        if let Some(s) = &output.contacts {
            often(s.every, "output.contacts");
        }
        if output.frames.as_ref().is_some_and(|f| f.frame != FrameName::Inertial)
            && scenario.asteroid.is_empty()
        {
            self.add("output.frames.frame", "there is no asteroid to take the frame of");
        }
        let every = Time::new(output.checkpoint.every.seconds());
        self.positive(every, "output.checkpoint", "every");
    }
}
