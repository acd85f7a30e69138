//! Images as samplers read them, kept as long as their bytes stay.

use std::sync::Arc;

use chiaro_sim::mapped::Mapped;
use chiaro_sim::texture::{Kept, Texture};

use super::descriptor::Image;

/// The images that were sampled last.
pub(in crate::machine) type Textures = Kept<Image>;

impl Image {
    /// Its texels, those that are kept if they are the same; the address that is not mapped otherwise.
    pub(super) fn texels(&self, kept: &mut Textures, memory: &Mapped) -> Result<Arc<Texture>, u64> {
        kept.of(self, self.bytes(memory), || self.texture(memory))
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
            Image::read(words, false).expect("it is linear").expect("it is an image")
        };
        let mut kept = Textures::default();
        let first = image(2).texels(&mut kept, &memory).expect("it is mapped");
        let again = image(2).texels(&mut kept, &memory).expect("it is mapped");
        assert!(Arc::ptr_eq(&first, &again));
        assert_eq!(image(3).texels(&mut kept, &memory).expect("it is mapped").size, [4, 3, 1]);
        assert!(memory.store(0x1004, 4, 7));
        let changed = image(2).texels(&mut kept, &memory).expect("it is mapped");
        assert_eq!((first.texels[1][0], changed.texels[1][0]), (0, 7));
        assert!(image(8).texels(&mut kept, &memory).is_err(), "rows that are not mapped");
    }
}
