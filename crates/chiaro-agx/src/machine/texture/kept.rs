//! Images as the texture unit reads them, kept as long as their bytes stay.

use std::sync::Arc;

use chiaro_sim::mapped::Mapped;
use chiaro_sim::texture::Texture;

use super::image::Image;

/// Images that are kept.
const KEPT: usize = 8;
/// Bytes of the largest of them: as texels they are up to 32 times as many.
const LARGEST: usize = 1 << 18;

/// The images that were sampled last. Whoever writes memory need not know of them: an image is taken
/// only if its bytes are those that it was made of.
#[derive(Clone, Debug, Default)]
pub(in crate::machine) struct Textures {
    all: Vec<Kept>,
    next: usize,
}

#[derive(Clone, Debug)]
struct Kept {
    image: Image,
    bytes: Vec<u8>,
    texture: Arc<Texture>,
}

impl Textures {
    /// The texels of an image.
    pub(super) fn of(&mut self, image: &Image, memory: &Mapped) -> Result<Arc<Texture>, String> {
        let bytes = image.all(memory);
        let same = |kept: &&Kept| kept.image == *image && Some(&kept.bytes[..]) == bytes;
        if let Some(kept) = self.all.iter().find(same) {
            return Ok(Arc::clone(&kept.texture));
        }
        let texture = Arc::new(image.read(memory)?);
        if let Some(bytes) = bytes.filter(|bytes| bytes.len() <= LARGEST) {
            let kept = Kept { image: image.clone(), bytes: bytes.to_vec(), texture: Arc::clone(&texture) };
            match self.all.get_mut(self.next) {
                Some(oldest) => *oldest = kept,
                None => self.all.push(kept),
            }
            self.next = (self.next + 1) % KEPT;
        }
        Ok(texture)
    }
}
