//! Back ends: code, scheduling, register allocation, and their checkers.

#![forbid(unsafe_code)]
