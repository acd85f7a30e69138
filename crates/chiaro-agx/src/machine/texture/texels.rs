//! Texels in memory as the texture unit reads and writes them, for who prepares them and looks at them afterwards.

use chiaro_sim::mapped::Mapped;
use chiaro_sim::texture::Texel;

use super::image::Image;

/// An image by both of its descriptors.
#[derive(Clone, Debug)]
pub struct Texels {
    read: Image,
    written: Image,
}

impl Texels {
    /// Of a texture's descriptor, and that of the same image where it is stored to.
    ///
    /// # Errors
    /// What is wrong with one of them.
    pub fn new(texture: &[u8; 24], stored: &[u8; 24]) -> Result<Texels, String> {
        Ok(Texels { read: Image::texture(texture)?, written: Image::stored(stored)? })
    }

    /// What is read back of a texel that is stored.
    #[must_use]
    pub fn kept(&self, texel: Texel) -> Texel {
        self.read.texel(&self.written.write(texel.map(|component| component as u32), false))
    }

    /// A texel by its coordinates, layers last; nothing outside of the image, and of memory.
    #[must_use]
    pub fn texel(&self, memory: &Mapped, at: [u32; 3]) -> Option<Texel> {
        let place = self.read.place(0, at.map(u64::from), 0)?;
        Some(self.read.texel(memory.get(place, self.read.bytes())?))
    }

    /// Stores a texel; outside nothing.
    pub fn put(&self, memory: &mut Mapped, at: [u32; 3], texel: Texel) {
        let place = self.written.place(self.written.levels[0], at.map(u64::from), 0);
        let bytes = self.written.write(texel.map(|component| component as u32), false);
        if let Some(room) = place.and_then(|place| memory.get_mut(place, bytes.len())) {
            room.copy_from_slice(&bytes);
        }
    }
}
