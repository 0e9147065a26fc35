//! Where things are and what shape they have: solids, closest points on walls, order in space, and who is near whom.

pub mod cells;
pub mod contact;
pub mod meeting;
pub mod mesh;
pub mod neighbours;
pub mod order;
pub mod principal;
pub mod solid;

pub use neighbours::{PairList, find_pairs};
pub use principal::principal_axes;
