//! Geometry: solids, closest points on walls, contact points, order in space and neighbour lists.

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
