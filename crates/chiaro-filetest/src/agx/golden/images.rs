//! Images that kernels store to, rows of texels, images of several samples: on the driver of others, on the interpreter
//! and in the memory of our words.

use chiaro_ir::{Dim, Global, ImageType, Module, Space};
use chiaro_sim::mapped::{Mapped, Range};
use chiaro_target::{Simulated, Value};

use super::super::driver::textures::{All, Store};
use super::super::named::Program;
#[cfg(feature = "lavapipe")]
use crate::stages::texture::handle;
use crate::stages::texture::image_of;

/// All images of a module that has such.
pub(crate) struct Images {
    all: All,
    memory: Mapped,
}

/// An image as a driver of others is given it.
#[cfg(feature = "lavapipe")]
pub(crate) struct Given {
    /// Where it is bound.
    pub(crate) binding: u32,
    /// Its type in the source.
    pub(crate) ty: ImageType,
    /// Width, height, and layers or samples.
    pub(crate) size: [u32; 3],
    /// Its texels one behind the other in its format.
    pub(crate) words: Vec<u32>,
}

fn is_special(ty: &ImageType) -> bool {
    ty.storage || ty.multisampled || ty.dim == Dim::Buffer
}

fn types(module: &Module) -> impl Iterator<Item = (usize, &Global, ImageType)> {
    let globals = module.globals.iter().enumerate().filter(|(_, g)| g.space == Space::UniformConstant);
    globals.filter_map(|(n, global)| Some((n, global, image_of(module, global.ty)?.0)))
}

impl Images {
    /// Those of a module; nothing where textures are enough.
    pub(crate) fn of(module: &Module) -> Result<Option<Images>, String> {
        if !types(module).any(|(.., ty)| is_special(&ty)) {
            return Ok(None);
        }
        let mut memory = Mapped::default();
        let all = All::new(module, &mut memory)?;
        Ok(Some(Images { all, memory }))
    }

    /// As the interpreter has them.
    pub(super) fn store(&self) -> Store {
        self.all.store.clone()
    }

    /// Descriptors by the states of our program, and memory.
    pub(super) fn resources(&self, module: &Module, program: &Program) -> Vec<(String, Value)> {
        let mut resources = Vec::new();
        for &(global, first, count) in &self.all.variables {
            let states = program.states(&module.global(global).name);
            let descriptors = self.all.bound.descriptors.iter().skip(first).take(count);
            let bytes = descriptors.map(|bytes| Value::Bytes(bytes.to_vec()));
            resources.extend(states.into_iter().zip(bytes));
        }
        let ranges = self.memory.ranges().iter();
        resources.extend(ranges.map(|range| (memory(range.base), Value::Bytes(range.bytes.clone()))));
        resources
    }

    /// The bytes of an image that is stored to, by its binding: as a run of the source left it, and as our words did.
    pub(super) fn left(
        &self,
        module: &Module,
        binding: u32,
        (store, made): (&Store, &Simulated),
    ) -> Option<(Vec<u8>, Vec<u8>)> {
        let is_it = |global: &Global| global.binding.binding == Some(binding);
        let stored = self.all.stored.iter().find(|stored| is_it(module.global(stored.handle.global)))?;
        let mut after = Mapped::default();
        for range in self.memory.ranges() {
            let name = memory(range.base);
            let (_, value) = made.resources.iter().find(|(known, _)| *known == name)?;
            let Value::Bytes(bytes) = value else { return None };
            after.map(Range { name, base: range.base, bytes: bytes.clone() }).ok()?;
        }
        let (mut meant, mut found) = (Vec::new(), Vec::new());
        for (_, own, there) in stored.texels(store, &after) {
            meant.extend(own);
            found.extend(there);
        }
        Some((meant, found))
    }

    /// As a driver of others is given them.
    #[cfg(feature = "lavapipe")]
    pub(crate) fn given(&self, module: &Module) -> Vec<Given> {
        let mut all = Vec::new();
        for (n, global, ty) in types(module).filter(|(.., ty)| is_special(ty)) {
            let own = handle(chiaro_ir::GlobalRef(n as u32), 0);
            let Some(texture) = self.all.store.0.textures.get(&own) else { continue };
            let stored = self.all.stored.iter().find(|stored| stored.handle == own);
            let bytes: Vec<u8> = match stored {
                Some(stored) => {
                    stored.texels(&self.all.store, &self.memory).flat_map(|(_, own, _)| own).collect()
                }
                None => {
                    texture.texels.iter().flatten().flat_map(|bits| (*bits as u32).to_le_bytes()).collect()
                }
            };
            let words = bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
            all.push(Given { binding: global.binding.binding.unwrap_or(0), ty, size: texture.size, words });
        }
        all
    }
}

fn memory(base: u64) -> String {
    format!("memory:{base:#x}")
}
