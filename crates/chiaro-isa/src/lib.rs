//! The instruction declaration engine.
