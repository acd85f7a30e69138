//! Where things stand when a program starts, the words and descriptors that it starts with, images in
//! memory, and parts joined to programs (spec 14 to 16, 23, 24).

pub mod border;
pub mod channels;
pub mod counts;
pub mod descriptor;
pub mod image;
pub mod key;
pub mod link;
pub mod tilebuffer;
pub mod uniforms;
pub mod usc;
