//! The content of an input, which may lie in the memory of whoever asks.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// Bytes that were read from a file, or that belong to the caller, who keeps them: those are not copied.
#[derive(Clone)]
pub struct Bytes(Memory);

#[derive(Clone)]
enum Memory {
    Own(Vec<u8>),
    Lent(Arc<dyn AsRef<[u8]> + Send + Sync>),
}

impl Bytes {
    /// Bytes that lie elsewhere, as long as something is kept.
    #[must_use]
    pub fn lent(keeper: Arc<dyn AsRef<[u8]> + Send + Sync>) -> Bytes {
        Bytes(Memory::Lent(keeper))
    }

    /// Bytes of one's own: what was lent is copied now.
    #[must_use]
    pub fn into_vec(self) -> Vec<u8> {
        match self.0 {
            Memory::Own(bytes) => bytes,
            Memory::Lent(keeper) => (*keeper).as_ref().to_vec(),
        }
    }
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.0 {
            Memory::Own(bytes) => bytes,
            Memory::Lent(keeper) => (**keeper).as_ref(),
        }
    }
}

impl From<Vec<u8>> for Bytes {
    fn from(bytes: Vec<u8>) -> Bytes {
        Bytes(Memory::Own(bytes))
    }
}

impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.len())
    }
}
