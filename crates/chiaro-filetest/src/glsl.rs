//! GLSL that others wrote: how much of it the front end takes, and whether it computes what its
//! authors say.
//!
//! Nothing of it is in this repository; `tools/fetch-glsl-corpora.sh` fetches it.

pub mod corpus;
pub mod differences;
pub mod piglit;
pub mod public;
pub mod source;
pub mod validate;
