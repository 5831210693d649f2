pub mod item;
pub mod shelf;
