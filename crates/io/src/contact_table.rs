//! Contact tables, on request: `contacts/contacts-000123.csv`, one row a contact, in the order of the ids.
//!
//! `normal` points from the body to its partner; `force` and `torque` act on the body. A partner that is a body is
//! named by `partner_id`, one that is a wall by `wall` and `face`.

use std::{io::Write, path::PathBuf};

use rubblepile_core::{Contact, Observer, Partner, World, method::Moment, run::Ticker};

use crate::{
    atomic,
    error::{FileError, Result},
    marks::Marks,
    table::{push_number, push_text},
};

const HEADER: &str = "body_id,partner_id,wall,face,point_x_m,point_y_m,point_z_m,normal_x,normal_y,normal_z,\
                      overlap_m,force_x_N,force_y_N,force_z_N,torque_x_Nm,torque_y_Nm,torque_z_Nm\n";

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
            put(HEADER)?;
            contacts.iter().try_for_each(|c| put(&row(world, c)))
        };
        atomic::write(&path, write)
            .map_err(|e| e.into_core(format!("contact table at t = {:e} s", world.time())))?;
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
