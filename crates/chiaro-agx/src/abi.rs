//! Where things stand when a program starts, the words that start it, and parts joined to programs
//! (spec 14 to 16).

pub mod link;
pub mod tilebuffer;
pub mod uniforms;
pub mod usc;
