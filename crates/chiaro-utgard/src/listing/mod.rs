//! Programs as text: [`mesa`] as the community's tool prints them, [`plain`] as chiaro does,
//! without loss.

pub mod mesa;
pub mod plain;
