//! What a program takes, under the names that its users know.

pub mod paths;
