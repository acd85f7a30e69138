//! For which processor the batch engine's kernels are compiled.

/// Which compilation of the kernels runs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Engine {
    /// For any processor.
    Portable,
    /// For x86-64 with AVX2 and FMA.
    Avx2,
}

impl Engine {
    /// The fastest that this processor can run.
    #[must_use]
    pub fn best() -> Self {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            return Self::Avx2;
        }
        Self::Portable
    }
}
