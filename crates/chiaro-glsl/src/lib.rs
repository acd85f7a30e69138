//! GLSL to SPIR-V.

#![forbid(unsafe_code)]
