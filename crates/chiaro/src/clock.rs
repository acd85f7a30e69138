//! The clock: libraries have none of their own.

use std::sync::OnceLock;
use std::time::Instant;

/// Nanoseconds since the first call.
pub fn nanos() -> u64 {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_nanos() as u64
}
