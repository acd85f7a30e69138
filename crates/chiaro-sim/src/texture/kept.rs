//! Images as the texture unit reads them, kept as long as their bytes stay.

use std::sync::Arc;

use super::Texture;

/// Images that are kept.
const KEPT: usize = 8;
/// Bytes of the largest of them: as texels they are up to 32 times as many.
const LARGEST: usize = 1 << 18;

/// The images that were sampled last, by what a target has of their descriptors. Whoever writes memory need not
/// know of them: an image is taken only if its bytes are those that it was made of.
#[derive(Clone, Debug)]
pub struct Kept<D> {
    all: Vec<One<D>>,
    /// The place that is used next.
    next: usize,
}

#[derive(Clone, Debug)]
struct One<D> {
    descriptor: D,
    bytes: Vec<u8>,
    texture: Arc<Texture>,
}

impl<D> Default for Kept<D> {
    fn default() -> Kept<D> {
        Kept { all: Vec::new(), next: 0 }
    }
}

impl<D: Clone + PartialEq> Kept<D> {
    /// The texels of an image, read if none are kept. Without `bytes`, or with many, it is not kept.
    ///
    /// # Errors
    /// Those of `read`.
    pub fn of<E>(
        &mut self,
        descriptor: &D,
        bytes: Option<&[u8]>,
        read: impl FnOnce() -> Result<Texture, E>,
    ) -> Result<Arc<Texture>, E> {
        let same = |one: &&One<D>| one.descriptor == *descriptor && Some(&one.bytes[..]) == bytes;
        if let Some(one) = self.all.iter().find(same) {
            return Ok(Arc::clone(&one.texture));
        }
        let texture = Arc::new(read()?);
        if let Some(bytes) = bytes.filter(|bytes| bytes.len() <= LARGEST) {
            let (descriptor, bytes) = (descriptor.clone(), bytes.to_vec());
            self.keep(One { descriptor, bytes, texture: Arc::clone(&texture) });
        }
        Ok(texture)
    }

    fn keep(&mut self, one: One<D>) {
        match self.all.get_mut(self.next) {
            Some(oldest) => *oldest = one,
            None => self.all.push(one),
        }
        self.next = (self.next + 1) % KEPT;
    }
}
