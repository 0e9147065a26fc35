//! A probe: the highest point that any grain has reached.

use rubblepile::{Column, Moment, Probe, core::Result};

#[derive(Default)]
pub struct Apex {
    highest: Option<f64>,
}

impl Apex {
    pub fn forget(&mut self) {
        self.highest = None;
    }
}

impl Probe for Apex {
    fn columns(&self) -> Vec<Column> {
        vec![Column::new("apex", "m", "largest height of a centre so far")]
    }

    fn measure(&mut self, moment: &mut Moment, row: &mut Vec<f64>) -> Result<()> {
        for x in &moment.world.bodies.position {
            self.highest = Some(self.highest.map_or(x.z, |h| h.max(x.z)));
        }
        row.push(self.highest.unwrap_or(f64::NAN));
        Ok(())
    }
}
