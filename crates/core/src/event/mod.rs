//! Events: at given times walls come and go, groups are spun up, materials change, the run ends.
//!
//! Each action is one file here, which has the table of a scenario, its check and what it does, and one line in the list
//! below, with its number in checkpoints.

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Error, Material, Result, World,
    settings::{Check, join, quantity::*},
    wall::WallTable,
};

/// Makes [`Action`] and the `[[event]]` table from a list of keys with their settings and actions.
macro_rules! actions {
    ($($(#[$doc:meta])* $number:literal $key:ident: $settings:ident => $action:ident,)*) => {
        $(
            mod $key;
            pub use $key::$action;
        )*

        #[derive(Debug, Clone, PartialEq)]
        pub enum Action {
            $($action($action),)*
        }

        crate::archive_enum!(Action { $($number => $action { 0: action },)* });

        $(impl From<$action> for Action {
            fn from(action: $action) -> Self {
                Action::$action(action)
            }
        })*

        impl Action {
            /// Carries it out on the world, at its present time.
            pub fn apply(&self, world: &mut World) -> Result<Outcome> {
                match self { $(Action::$action(a) => a.apply(world),)* }
            }
        }

        /// An action at one time (`at`) or at intervals (`every`); exactly one action per event.
        #[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields, default)]
        pub struct EventTable {
            /// The action happens once, at this time.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub at: Option<Time>,
            /// The action is repeated at this interval.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub every: Option<Time>,
            /// With `every`: the first time. Default: after one interval.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub start: Option<Time>,
            /// With `every`: never after this time. Default: the end of the run.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub end: Option<Time>,
            $(
                $(#[$doc])*
                #[serde(skip_serializing_if = "Option::is_none")]
                pub $key: Option<$settings>,
            )*
        }

        /// All actions, in the order of the reference.
        pub const ACTIONS: &[ActionKey] = &[$(ActionKey {
            key: stringify!($key),
            once: <$action as Act>::ONCE,
            deformable: <$action as Act>::DEFORMABLE,
        },)*];

        impl EventTable {
            /// The actions that are given: one, if it is sound.
            pub fn given(&self) -> Vec<&'static ActionKey> {
                let given = [$(self.$key.is_some(),)*];
                ACTIONS.iter().zip(given).filter(|(_, given)| *given).map(|(action, _)| action).collect()
            }

            fn check_actions(&self, c: &mut Check, at: &str) {
                $(if let Some(settings) = &self.$key {
                    ActSettings::check(settings, c, &join(at, stringify!($key)));
                })*
            }

            fn action(&self, builder: &mut ActionContext) -> Option<Action> {
                $(if let Some(settings) = &self.$key {
                    return Some(settings.action(builder).into());
                })*
                None
            }
        }
    };
}

actions! {
    /// Removes the wall of this name.
    1 remove_wall: RemoveWall => RemoveWall,
    /// Adds a wall.
    0 add_wall: WallTable => AddWall,
    /// Changes the motion of a wall.
    2 set_motion: SetMotion => SetMotion,
    /// Adds a rigid rotation.
    3 add_spin: AddSpin => AddSpin,
    /// Changes a value of a material.
    4 set_material: SetMaterial => SetMaterial,
    /// Changes the rotation period of an asteroid about its z axis; the grains are carried along.
    7 spin_up: SpinUp => SpinUp,
    /// Removes and counts the grains farther than this from the first asteroid, or from the origin without one.
    6 remove_beyond: RemoveBeyond => RemoveBeyond,
    /// Ends the run.
    5 stop: Stop => Stop,
}

/// The action of an event, with its settings.
pub trait Act: Clone {
    /// Whether it can happen only once.
    const ONCE: bool = false;
    /// Whether it does something to deformable grains, or to the walls around them.
    const DEFORMABLE: bool = true;

    /// Adds what is wrong with it; `at` is its path.
    fn check(&self, c: &mut Check, at: &str);

    /// Does it, at the world's present time.
    fn apply(&self, world: &mut World) -> Result<Outcome>;
}

/// The settings of an action; most actions are their own settings.
pub trait ActSettings {
    type Action: Act;

    fn check(&self, c: &mut Check, at: &str);

    /// The action; checked before.
    fn action(&self, builder: &mut ActionContext) -> Self::Action;
}

impl<A: Act> ActSettings for A {
    type Action = A;

    fn check(&self, c: &mut Check, at: &str) {
        Act::check(self, c, at);
    }

    fn action(&self, _: &mut ActionContext) -> A {
        self.clone()
    }
}

/// The context in which actions are made, in the order of their events.
#[derive(Debug)]
pub struct ActionContext<'a> {
    pub materials: &'a [Material],
    /// Id of the next wall: those of the scenario have the first ones.
    pub next_wall: u32,
}

/// The outcome of an event for the run loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    Continue,
    Stop { reason: String },
}

/// Carries out an action on the world at its present time.
pub fn apply(action: &Action, world: &mut World) -> Result<Outcome> {
    action.apply(world)
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Trigger {
    /// Once.
    At(f64),
    /// At `start`, `start + interval`, ... up to and with `end`.
    Every { start: f64, interval: f64, end: f64 },
}

crate::archive_enum!(Trigger { 0 => At { 0: time }, 1 => Every { start, interval, end } });

#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    pub trigger: Trigger,
    pub action: Action,
    /// Number of times it has happened.
    pub fired: u64,
}

crate::archive_struct!(Event { trigger, action, fired });

impl Event {
    pub fn new(trigger: Trigger, action: impl Into<Action>) -> Self {
        Event { trigger, action: action.into(), fired: 0 }
    }

    /// Time of its next occurrence; `None`: never again.
    pub fn next(&self) -> Option<f64> {
        match self.trigger {
            Trigger::At(t) => (self.fired == 0).then_some(t),
            Trigger::Every { start, interval, end } => {
                let t = start + self.fired as f64 * interval;
                // Half a millionth of an interval of grace, so that `end` itself counts.
                (t <= end + 5e-7 * interval).then_some(t)
            }
        }
    }
}

/// Checks the `[[event]]` tables of a scenario with these walls.
pub fn check(events: &[EventTable], walls: &[WallTable], c: &mut Check) {
    let removed: HashSet<&str> =
        events.iter().filter_map(|e| e.remove_wall.as_ref()).map(|r| r.name.as_str()).collect();
    let mut names: HashSet<&str> = walls.iter().filter_map(|w| w.name.as_deref()).collect();
    for (k, event) in events.iter().enumerate() {
        let Some(wall) = &event.add_wall else { continue };
        let name = wall.name.as_deref().unwrap_or_default();
        // A name may come again when the wall that had it is taken away in between.
        if !removed.contains(name) {
            c.name(name, &mut names, &format!("event[{k}].add_wall"), "wall");
        }
        wall.check(c, &format!("event[{k}].add_wall"));
    }
    for (k, event) in events.iter().enumerate() {
        if c.full() {
            return;
        }
        event.check(c, &format!("event[{k}]"));
    }
}

impl EventTable {
    fn check(&self, c: &mut Check, at: &str) {
        self.check_trigger(c, at);
        match self.given().as_slice() {
            [] => {
                let names: Vec<String> = ACTIONS.iter().map(|a| format!("`{}`", a.key)).collect();
                let help = format!("give one of {}", names.join(", "));
                c.add_help(at, "this event has no action", help);
            }
            [only] => {
                let fine = self.every.is_none() || !only.once;
                c.check(fine, at, "every", || format!("`{}` can happen only once; use `at`", only.key));
            }
            [first, second, ..] => {
                let message =
                    format!("an event has one action; this one has `{}` and `{}`", first.key, second.key);
                c.add(join(at, second.key), message);
            }
        }
        self.check_actions(c, at);
    }

    fn check_trigger(&self, c: &mut Check, at: &str) {
        match (self.at, self.every) {
            (Some(t), None) => {
                c.not_negative(t, at, "at");
                for (key, v) in [("start", self.start), ("end", self.end)] {
                    c.check(v.is_none(), at, key, || format!("`{key}` goes with `every`, not with `at`"));
                }
            }
            (None, Some(every)) => {
                c.positive(every, at, "every");
                let start = self.start.unwrap_or(every);
                c.not_negative(start, at, "start");
                if let Some(end) = self.end {
                    c.check(end.0 >= start.0, at, "end", || "`end` is before `start`".into());
                }
                let n = (c.scene.end - start.0) / every.0;
                c.check(n <= 1e9, at, "every", || format!("this would happen {n:.1e} times"));
            }
            (Some(_), Some(_)) => c.add(join(at, "every"), "give `at` or `every`, not both"),
            (None, None) => c.add(at, "`at` or `every` is missing: when does it happen?"),
        }
    }

    /// The event; checked before. `None`: it has no action.
    pub fn event(&self, builder: &mut ActionContext) -> Option<Event> {
        let trigger = match (self.at, self.every) {
            (Some(t), _) => Trigger::At(t.0),
            (None, every) => {
                let interval = every.map_or(f64::INFINITY, |t| t.0);
                let end = self.end.map_or(f64::INFINITY, |t| t.0);
                Trigger::Every { start: self.start.map_or(interval, |t| t.0), interval, end }
            }
        };
        Some(Event { trigger, action: self.action(builder)?, fired: 0 })
    }
}

/// An action by the key of its settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ActionKey {
    pub key: &'static str,
    /// See [`Act::ONCE`].
    pub once: bool,
    /// See [`Act::DEFORMABLE`].
    pub deformable: bool,
}

fn wall_index(world: &World, name: &str) -> Result<usize> {
    world.walls.iter().position(|w| w.name == name).ok_or_else(|| Error::NoSuchWall {
        name: name.into(),
        known: world.walls.iter().map(|w| w.name.as_str()).collect::<Vec<_>>().join(", "),
        time: world.time(),
    })
}
