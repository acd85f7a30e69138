//! For which processor the batch engine's kernels are compiled.

use std::sync::LazyLock;

/// Which compilation of the kernels runs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Engine {
    /// For any processor.
    Portable,
    /// For x86-64 with AVX2, FMA and F16C: eight lanes to a register.
    Avx2,
    /// For x86-64 with those and the parts of AVX-512 that processors since 2017
    /// have together (F, VL, BW, DQ): sixteen lanes to a register.
    Avx512,
}

impl Engine {
    /// The fastest that this processor can run.
    #[must_use]
    pub fn best() -> Self {
        // Asked for every vertex array: a processor's features are looked up once.
        static BEST: LazyLock<Engine> = LazyLock::new(Engine::detect);
        *BEST
    }

    fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("fma")
            && is_x86_feature_detected!("f16c")
        {
            let wide = is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512dq");
            return if wide { Self::Avx512 } else { Self::Avx2 };
        }
        Self::Portable
    }

    /// This one if the processor can run it, else the fastest that it can run.
    #[must_use]
    pub fn available(self) -> Self {
        self.min(Self::best())
    }
}
