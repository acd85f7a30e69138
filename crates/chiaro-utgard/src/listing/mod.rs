//! Programs as text: [`mesa`] as the community's tool prints them, [`plain`] as chiaro does,
//! without loss; [`file`] is a whole container in that language.

pub mod file;
pub mod mesa;
pub mod plain;
