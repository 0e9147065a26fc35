//! Where things are: closest points on walls, order in space, and who is near whom.

pub mod cells;
pub mod neighbours;
pub mod order;
pub mod walls;

pub use neighbours::{PairList, find_pairs};
