//! Contact tables, on request: `contacts/contacts-000123.csv`, one row per contact, in the order of the ids.
//!
//! `normal` points from the body to its partner; `force` and `torque` act on the body. A partner that is a body is
//! named by `partner_id`, one that is a wall by `wall` and `face`.

use std::{io::Write, path::PathBuf};

use rubblepile_core::{Contact, Observer, Partner, World, method::Moment, run::Ticker, text};

use crate::{
    atomic,
    error::{FileError, Result},
    marks::Marks,
    reference::{Entry, header},
    table::{push_number, push_text},
};

/// The columns; what they mean for each method is in [`crate::reference`].
pub const COLUMNS: &[Entry] = &[
    Entry::new("body_id", "", "Id of the body; of two bodies the smaller one"),
    Entry::new("partner_id", "", "Id of the partner if it is a body, otherwise blank"),
    Entry::new("wall", "", "Name of the partner if it is a wall or an asteroid, otherwise blank"),
    Entry::new(
        "face",
        "",
        "Face of the wall, or facet of the asteroid, from 0; blank if the partner is a body",
    ),
    Entry::new("point_x_m", "m", "x of the contact point"),
    Entry::new("point_y_m", "m", "y of the contact point"),
    Entry::new("point_z_m", "m", "z of the contact point"),
    Entry::new("normal_x", "", "x of the unit normal, from the body to its partner"),
    Entry::new("normal_y", "", "y of the unit normal"),
    Entry::new("normal_z", "", "z of the unit normal"),
    Entry::new("overlap_m", "m", "Depth of the overlap; negative for a gap"),
    Entry::new("force_x_N", "N", "x of the force on the body; its partner feels the opposite"),
    Entry::new("force_y_N", "N", "y of the force on the body"),
    Entry::new("force_z_N", "N", "z of the force on the body"),
    Entry::new(
        "torque_x_Nm",
        "N m",
        "x of the rolling and twisting torque on the body, besides the moment of the force",
    ),
    Entry::new("torque_y_Nm", "N m", "y of the rolling and twisting torque on the body"),
    Entry::new("torque_z_Nm", "N m", "z of the rolling and twisting torque on the body"),
];

pub fn file_name(number: u64) -> String {
    format!("contacts-{number:06}.csv")
}

/// Writes a contact table at every multiple of an interval.
pub struct ContactTables {
    directory: PathBuf,
    ticker: Ticker,
    marks: Marks,
}

impl ContactTables {
    /// For a run directory; goes on after the tables that `marks` says are written.
    pub fn new(directory: PathBuf, interval: f64, marks: Marks) -> Result<Self> {
        let directory = directory.join("contacts");
        std::fs::create_dir_all(&directory).map_err(FileError::io("create", &directory))?;
        let index = marks.lock().next_contact_table;
        Ok(ContactTables { directory, ticker: Ticker { interval, index }, marks })
    }
}

impl Observer for ContactTables {
    fn next(&self) -> Option<f64> {
        Some(self.ticker.next())
    }

    fn observe(&mut self, moment: &mut Moment) -> rubblepile_core::Result<()> {
        let mut contacts = moment.contacts()?.to_vec();
        contacts.sort_by_key(|c| (c.body, c.partner));
        let path = self.directory.join(file_name(self.ticker.index));
        let world = moment.world;
        let write = |out: &mut std::io::BufWriter<std::fs::File>| {
            let mut put = |text: &str| out.write_all(text.as_bytes()).map_err(FileError::io("write", &path));
            put(&header(COLUMNS))?;
            contacts.iter().try_for_each(|c| put(&row(world, c)))
        };
        atomic::write(&path, write)
            .map_err(|e| e.into_core(format!("contact table at t = {}", text::time(world.time()))))?;
        self.ticker.advance();
        self.marks.lock().next_contact_table = self.ticker.index;
        Ok(())
    }
}

fn row(world: &World, c: &Contact) -> String {
    let mut line = format!("{},", c.body);
    match c.partner {
        Partner::Body(id) => line.push_str(&format!("{id},,")),
        Partner::Wall { wall, face } => {
            line.push(',');
            match world.walls.iter().find(|w| w.id == wall) {
                Some(w) if !w.name.is_empty() => push_text(&mut line, &w.name),
                _ => line.push_str(&wall.to_string()),
            }
            line.push_str(&format!(",{face}"));
        }
        Partner::Asteroid { asteroid, facet } => {
            line.push(',');
            match world.asteroids.iter().find(|a| a.id == asteroid) {
                Some(a) => push_text(&mut line, &a.name),
                None => line.push_str(&asteroid.to_string()),
            }
            line.push_str(&format!(",{facet}"));
        }
    }
    for v in [c.point, c.normal] {
        push_vector(&mut line, v);
    }
    line.push(',');
    push_number(&mut line, c.overlap);
    for v in [c.force, c.torque] {
        push_vector(&mut line, v);
    }
    line.push('\n');
    line
}

fn push_vector(line: &mut String, v: glam::DVec3) {
    for x in v.to_array() {
        line.push(',');
        push_number(line, x);
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;

    #[test]
    fn rows_have_a_cell_per_column_of_the_reference() {
        let world = World::new(1.0);
        let contact = |partner| Contact {
            row: 0,
            partner_row: None,
            body: 1,
            partner,
            feature: 0,
            point: DVec3::new(1.0, 2.0, 3.0),
            normal: DVec3::new(0.25, 0.5, 0.75),
            overlap: 9.0,
            force: DVec3::new(4.0, 5.0, 6.0),
            torque: DVec3::new(7.0, 8.0, 10.0),
            branch: DVec3::ZERO,
            elastic: 0.0,
        };
        let head = header(COLUMNS);
        let partners = [
            (Partner::Body(2), "partner_id"),
            (Partner::Wall { wall: 2, face: 3 }, "wall"),
            (Partner::Asteroid { asteroid: 2, facet: 3 }, "wall"),
        ];
        for (partner, named_in) in partners {
            let line = row(&world, &contact(partner));
            let cells: Vec<(&str, &str)> =
                head.trim_end().split(',').zip(line.trim_end().split(',')).collect();
            assert_eq!(line.split(',').count(), COLUMNS.len());
            let at = |name| cells.iter().find(|(column, _)| *column == name).map(|(_, cell)| *cell);
            assert_eq!((at(named_in), at("overlap_m")), (Some("2"), Some("9")));
            assert_eq!((at("point_z_m"), at("normal_x")), (Some("3"), Some("0.25")));
            assert_eq!((at("force_x_N"), at("torque_z_Nm")), (Some("4"), Some("10")));
        }
    }
}
