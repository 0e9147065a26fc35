//! How fast the centre of mass moves.

use glam::DVec3;
use rubblepile_core::{
    Column, Probe, Result,
    method::Moment,
    settings::{Check, ScenarioContext, Time, join},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{ProbeSettings, sum::reduce};

/// The speed of which grains, and how often.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SpeedSampling {
    /// Interval of simulated time; the first measurement is at the start.
    pub every: Time,
    /// Name of a group of grains. Default: all grains.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
}

impl ProbeSettings for SpeedSampling {
    fn about() -> &'static str {
        "Speed of the centre of mass."
    }

    fn example() -> Self {
        SpeedSampling { every: Time::new(1.0), group: None }
    }

    fn every(&self) -> Time {
        self.every
    }

    fn check(&self, c: &mut Check, at: &str) {
        let scene = c.scene;
        if let Some(name) = &self.group {
            c.known(name, scene.groups.iter().map(String::as_str), "group", join(at, "group"));
        }
    }

    fn probe(&self, _: &ScenarioContext) -> Box<dyn Probe> {
        Box::new(CentreOfMassSpeed { group: self.group.clone() })
    }
}

/// Speed of the centre of mass of a group, or of all grains.
#[derive(Debug, Clone, PartialEq)]
pub struct CentreOfMassSpeed {
    pub group: Option<String>,
}

impl Probe for CentreOfMassSpeed {
    fn columns(&self) -> Vec<Column> {
        let of = "Speed of the centre of mass of the grains, `|sum m v| / sum m`";
        vec![Column::new("centre_of_mass_speed", "m/s", of)]
    }

    fn measure(&mut self, moment: &mut Moment, row: &mut Vec<f64>) -> Result<()> {
        let (world, bodies) = (moment.world, &moment.world.bodies);
        let counts = |k: usize| match &self.group {
            Some(name) => world.groups.get(bodies.group[k] as usize) == Some(name),
            None => true,
        };
        let [mass, x, y, z] = reduce(bodies.len(), |k| {
            let m = if counts(k) { bodies.mass[k] } else { 0.0 };
            let p = m * bodies.velocity[k];
            [m, p.x, p.y, p.z]
        });
        row.push(DVec3::new(x, y, z).length() / mass);
        Ok(())
    }
}
