//! Small floating-point formats: exact conversion, rounding, distance.
