//! What the checker knows, without the checker: tables and facts that its parts read and write.

mod conversions;
mod facts;
mod formats;
mod known;
mod precisions;
mod qualifiers;

pub(crate) use conversions::Conversions;
pub(crate) use facts::{Body, Cache, Declared, GlobalFacts};
pub(crate) use formats::FORMATS;
pub(crate) use known::{Known, Parts, is_integer};
pub(crate) use precisions::Precisions;
pub(crate) use qualifiers::{Defaults, Place, Qualifiers};
