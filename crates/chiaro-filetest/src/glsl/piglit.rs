//! Piglit's tests that check themselves.
