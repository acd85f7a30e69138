//! Images as samplers read them, kept as long as their bytes stay.

use std::sync::Arc;

use chiaro_sim::mapped::Mapped;
use chiaro_sim::texture::Texture;

use super::descriptor::Image;

/// Images that are kept.
const KEPT: usize = 8;
/// Bytes of the largest of them: as texels they are up to 32 times as many.
const LARGEST: usize = 1 << 18;

/// The images that were sampled last. Whoever writes memory need not know of them: an image is
/// taken only if its bytes are those that it was made of.
#[derive(Clone, Debug, Default)]
pub(in crate::machine) struct Textures {
    all: Vec<Kept>,
    /// The place that is used next.
    next: usize,
}

#[derive(Clone, Debug)]
struct Kept {
    image: Image,
    bytes: Vec<u8>,
    texture: Arc<Texture>,
}

impl Textures {
    /// The texels of an image; the address that is not mapped otherwise.
    pub(super) fn of(&mut self, image: &Image, memory: &Mapped) -> Result<Arc<Texture>, u64> {
        let bytes = image.bytes(memory);
        let same = |kept: &&Kept| kept.image == *image && Some(&kept.bytes[..]) == bytes;
        if let Some(kept) = self.all.iter().find(same) {
            return Ok(Arc::clone(&kept.texture));
        }
        let texture = Arc::new(image.texture(memory)?);
        if let Some(bytes) = bytes.filter(|bytes| bytes.len() <= LARGEST) {
            let kept = Kept { image: *image, bytes: bytes.to_vec(), texture: Arc::clone(&texture) };
            self.keep(kept);
        }
        Ok(texture)
    }

    fn keep(&mut self, kept: Kept) {
        match self.all.get_mut(self.next) {
            Some(oldest) => *oldest = kept,
            None => self.all.push(kept),
        }
        self.next = (self.next + 1) % KEPT;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::image::descriptor::linear_image;
    use chiaro_sim::mapped::Range;

    /// Format 20 is one component of 32 bits, as it stands.
    const WORDS: u32 = 20;

    #[test]
    fn an_image_is_kept_until_its_bytes_or_its_descriptor_change() {
        let mut memory = Mapped::default();
        let range = Range { name: "image".to_owned(), base: 0x1000, bytes: vec![0; 1024] };
        memory.map(range).expect("there is room");
        let image = |height| {
            let words = linear_image(0x1000, WORDS, [4, height, 1], 9);
            Image::read(words).expect("it is linear").expect("it is an image")
        };
        let mut kept = Textures::default();
        let first = kept.of(&image(2), &memory).expect("it is mapped");
        let again = kept.of(&image(2), &memory).expect("it is mapped");
        assert!(Arc::ptr_eq(&first, &again));
        assert_eq!(kept.of(&image(3), &memory).expect("it is mapped").size, [4, 3, 1]);
        assert!(memory.store(0x1004, 4, 7));
        let changed = kept.of(&image(2), &memory).expect("it is mapped");
        assert_eq!((first.texels[1][0], changed.texels[1][0]), (0, 7));
        assert!(kept.of(&image(8), &memory).is_err(), "rows that are not mapped");
    }
}
