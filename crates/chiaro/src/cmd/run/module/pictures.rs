//! Images of a module: given by name, and shown as the run left them.

use chiaro::Image;
use chiaro_ir::interp::{Handle, TextureStore};
use chiaro_ir::{GlobalRef, ImageType, Module, Space};
use serde_json::{Map, Value, json};

use super::Names;
use crate::images::{self, OpenImage};

/// The images of a run, and those of them that the module may write.
#[derive(Default)]
pub struct Pictures {
    pub store: TextureStore,
    written: Vec<(String, Handle, ImageType)>,
}

impl Pictures {
    /// Reads the images that are given.
    ///
    /// # Errors
    /// A name that the module does not have, or what is no image.
    pub fn read(
        names: Names<'_>,
        given: Option<&Value>,
        open: &mut OpenImage<'_>,
    ) -> Result<Pictures, String> {
        let Some(given) = given else { return Ok(Pictures::default()) };
        let given = given.as_object().ok_or("`images` must be an object")?;
        let mut pictures = Pictures::default();
        for (name, value) in given {
            let image = images::from_json(value, &format!("images.{name}"), open)?;
            pictures.add(names, name, &image)?;
        }
        Ok(pictures)
    }

    fn add(&mut self, names: Names<'_>, name: &str, image: &Image) -> Result<(), String> {
        let module = names.module;
        let is_image = |g: GlobalRef| image_of(module, g).is_some();
        let found = names.find(name, is_image).and_then(|(g, path)| Some((g, path, image_of(module, g)?)));
        let (global, path, ty) = found.ok_or_else(|| format!("the module has no image `{name}`"))?;
        let handle = Handle { global, element: path.first().copied().unwrap_or(0) };
        let mut texture = image.texture();
        if !module.types.is_float(ty.component) {
            let levels = std::iter::once(&mut texture.texels)
                .chain(texture.smaller.iter_mut().map(|level| &mut level.texels));
            levels.flatten().flatten().for_each(|bits| *bits = whole(*bits));
        }
        self.store.textures.insert(handle, texture);
        self.store.samplers.insert(handle, image.sampler);
        if ty.storage {
            self.written.push((name.to_owned(), handle, ty));
        }
        Ok(())
    }

    /// The images that the module may write, as they are now; nothing if there are none.
    pub fn shown(&self, module: &Module) -> Option<Value> {
        let one = |(name, handle, ty): &(String, Handle, ImageType)| {
            let texture = self.store.textures.get(handle)?;
            let is_float = module.types.is_float(ty.component);
            let number = |bits: &u64| match is_float {
                true => chiaro::value::number(f32::from_bits(*bits as u32)),
                false if ty.signed => json!(*bits as u32 as i32),
                false => json!(*bits as u32),
            };
            let texels = texture.texels.iter().map(|texel| texel.iter().map(number).collect::<Value>());
            Some((name.clone(), json!({ "size": texture.size, "texels": texels.collect::<Value>() })))
        };
        let all: Map<String, Value> = self.written.iter().filter_map(one).collect();
        (!all.is_empty()).then_some(Value::Object(all))
    }
}

/// The integer of a number that stands in a float's bits.
fn whole(bits: u64) -> u64 {
    u64::from(f32::from_bits(bits as u32) as i64 as u32)
}

/// The type of a variable that is an image, or an array of some.
pub fn image_of(module: &Module, g: GlobalRef) -> Option<ImageType> {
    let global = module.global(g);
    module.types.image(global.ty).filter(|_| global.space == Space::UniformConstant)
}
