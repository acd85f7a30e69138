//! Micro-ops and the engines that run them.
