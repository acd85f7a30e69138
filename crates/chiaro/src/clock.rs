//! The clock: libraries have none of their own.

/// Nanoseconds since the first call.
#[cfg(not(target_family = "wasm"))]
pub fn nanos() -> u64 {
    use std::sync::OnceLock;
    use std::time::Instant;
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_nanos() as u64
}

/// Browsers have a clock of their own: nothing is measured here.
#[cfg(target_family = "wasm")]
pub fn nanos() -> u64 {
    0
}
