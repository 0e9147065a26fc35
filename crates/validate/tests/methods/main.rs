//! Tests of the methods on the problems of [`rubblepile_validate::workload`].

mod deformable_disc;
mod deformable_elastic;
mod deformable_identities;
mod gas;
mod gravity_errors;
mod gravity_fields;
mod meetings;
