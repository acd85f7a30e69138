//! What a program costs: cycles along its paths, and how busy its units and ports are.

mod paths;
mod pressure;

pub use paths::{Paths, Timing};
pub use pressure::Pressure;
