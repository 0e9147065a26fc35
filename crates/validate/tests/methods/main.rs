//! Tests of the methods on the problems of [`rubblepile_validate::workload`], and of the links in the pages.

mod deformable_disc;
mod deformable_elastic;
mod deformable_identities;
mod gas;
mod gravity_errors;
mod gravity_fields;
mod meetings;
mod pages;
