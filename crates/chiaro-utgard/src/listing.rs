//! Programs as text: [`mesa`] as the community's tool prints them, [`plain`] as chiaro does,
//! without loss; [`exact`] is a whole container in that language.

pub mod exact;
pub mod mesa;
pub mod plain;
