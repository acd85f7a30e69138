//! Buffers, images and structures of a scene, given by the names that stages have for them.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use chiaro::trace::Joined;
use chiaro::trace::fields::{Fields, numbers};
use chiaro::{Image, LoadedModule};
use chiaro_ir::interp::{Handle, Interpreter, TextureStore};
use chiaro_ir::{Global, GlobalRef, Module, Space, Type};
use serde_json::{Map, Value as Json};

use super::pipeline::Piped;
use crate::cmd::run::module::is_resource;
use crate::cmd::run::module::names::Names;
use crate::cmd::run::module::pictures::{Pictures, image_of};
use crate::cmd::run::module::typed::{Given, Typed};
use crate::images::opener;
use crate::input::Inputs;

/// What a launch reads and writes besides buffers.
pub struct Held {
    pub textures: TextureStore,
    pub structures: HashMap<Handle, usize>,
    /// The image that becomes the picture.
    pub picture: Handle,
    /// Blocks of memory.
    pub blocks: Vec<Block>,
}

/// Stages with the numbers that their variables have together.
struct Stages<'a> {
    piped: &'a Piped,
    joined: &'a Joined,
}

impl<'a> Stages<'a> {
    fn all(&self) -> impl Iterator<Item = (&'a LoadedModule, u32)> + use<'a> {
        let parts = self.joined.parts.iter();
        self.piped.modules.iter().zip(parts).map(|(loaded, part)| (loaded, part.globals.start))
    }

    /// A variable of a stage as the one that it is together with others.
    fn joint(&self, first: u32, own: GlobalRef) -> GlobalRef {
        let joint = GlobalRef(first + own.0);
        self.joined.aliases.get(&joint).copied().unwrap_or(joint)
    }
}

/// Sets what the scene gives, and answers the rest.
///
/// # Errors
/// A sentence that names the place.
pub fn set(
    (top, scene): (&Fields<'_>, &Path),
    (piped, joined): (&Piped, &Joined),
    (size, structures): ([u32; 3], &[String]),
    interpreter: &mut Interpreter<'_>,
    inputs: &mut Inputs,
) -> Result<Held, String> {
    let stages = Stages { piped, joined };
    let (addresses, blocks) = blocks(top, interpreter)?;
    buffers(top, &stages, &addresses, interpreter)?;
    let mut textures = TextureStore::default();
    for (loaded, first) in stages.all() {
        for (handle, texture, sampler) in pictures(top, scene, loaded, inputs)? {
            let handle = Handle { global: stages.joint(first, handle.global), ..handle };
            textures.textures.insert(handle, texture);
            textures.samplers.insert(handle, sampler);
        }
    }
    unknown_images(top, &stages)?;
    let picture = picture(top, &stages)?;
    let blank = Image {
        size: [size[0], size[1], 1],
        texels: vec![[0.0; 4]; (size[0] * size[1]) as usize],
        ..Image::default()
    };
    textures.textures.entry(picture).or_insert_with(|| blank.texture());
    Ok(Held { textures, structures: handles(&stages, structures)?, picture, blocks })
}

/// Bytes at an address.
pub type Block = (u64, Vec<u8>);
/// Addresses as texts, by name.
type Addresses = BTreeMap<String, String>;

/// Blocks of memory, and their addresses.
fn blocks(top: &Fields<'_>, interpreter: &mut Interpreter<'_>) -> Result<(Addresses, Vec<Block>), String> {
    let (mut addresses, mut blocks) = (Addresses::new(), Vec::new());
    for (name, json) in top.pairs("memory")? {
        let place = format!("memory.{name}");
        let fields = Fields::of(json, &place, &["floats", "words"])?;
        let mut bytes = Vec::new();
        if let Some(json) = fields.get("floats") {
            bytes.extend(numbers(json, &place)?.iter().flat_map(|x| x.to_le_bytes()));
        }
        for json in fields.items("words")? {
            let word = json
                .as_i64()
                .ok_or_else(|| format!("`{place}.words` has {json}, which is no whole number"))?;
            bytes.extend((word as u32).to_le_bytes());
        }
        let address = interpreter.add_block(bytes.clone());
        addresses.insert(name.clone(), format!("{address:#x}"));
        blocks.push((address, bytes));
    }
    Ok((addresses, blocks))
}

/// A value in which `"&name"` is the address of a block.
fn addressed(json: &Json, addresses: &Addresses) -> Result<Json, String> {
    Ok(match json {
        Json::Array(items) => {
            items.iter().map(|item| addressed(item, addresses)).collect::<Result<_, _>>()?
        }
        Json::Object(fields) => {
            let fields = fields.iter().map(|(key, value)| Ok((key.clone(), addressed(value, addresses)?)));
            Json::Object(fields.collect::<Result<Map<String, Json>, String>>()?)
        }
        Json::String(text) => match text.strip_prefix('&') {
            Some(name) => {
                let known = addresses.get(name).ok_or_else(|| format!("`memory` has no block `{name}`"))?;
                Json::String(known.clone())
            }
            None => json.clone(),
        },
        other => other.clone(),
    })
}

/// Gives buffers their bytes. A name counts in every stage that has it with all members that are given; stages that
/// declare less of a buffer see its beginning.
fn buffers(
    top: &Fields<'_>,
    stages: &Stages<'_>,
    addresses: &Addresses,
    interpreter: &mut Interpreter<'_>,
) -> Result<(), String> {
    let mut bytes: BTreeMap<GlobalRef, Vec<u8>> = BTreeMap::new();
    for (loaded, first) in stages.all() {
        for (g, global) in variables(&loaded.module) {
            if is_resource(&loaded.module, global) || global.space == Space::PushConstant {
                let least =
                    interpreter.size_of(stages.joined.module.global(GlobalRef(first + g.0)).ty) as usize;
                let own = bytes.entry(stages.joint(first, g)).or_default();
                own.resize(own.len().max(least), 0);
            }
        }
    }
    let given = ["uniforms", "buffers"].map(|kind| top.pairs(kind));
    let mut all: Vec<(String, Json)> = Vec::new();
    for pairs in given {
        for (name, json) in pairs? {
            all.push((name.clone(), addressed(json, addresses)?));
        }
    }
    if let Some(json) = top.get("push") {
        all.push(("push".to_owned(), addressed(json, addresses)?));
    }
    let entries =
        stages.all().filter_map(|(loaded, first)| Some((loaded, first, loaded.module.entries.first()?)));
    let layouts: Vec<Layouts<'_>> = entries
        .map(|(loaded, first, entry)| (loaded, first, Interpreter::new(&loaded.module, entry)))
        .collect();
    for (name, json) in &all {
        fill(stages, &layouts, (name, json), &mut bytes)?;
    }
    bytes.into_iter().for_each(|(g, bytes)| interpreter.set(g, bytes));
    Ok(())
}

/// A stage, the number of its first variable, and what knows how its types lie in memory.
type Layouts<'a> = (&'a LoadedModule, u32, Interpreter<'a>);

fn fill(
    stages: &Stages<'_>,
    layouts: &[Layouts<'_>],
    (name, json): (&str, &Json),
    bytes: &mut BTreeMap<GlobalRef, Vec<u8>>,
) -> Result<(), String> {
    let (mut filled, mut wrong) = (false, None);
    for (loaded, first, interpreter) in layouts {
        let module = &loaded.module;
        let Some((g, path)) = found(loaded, name) else { continue };
        let typed = Typed { module, interpreter };
        let own = bytes.entry(stages.joint(*first, g)).or_default();
        let given = [Given { name, path, value: json }];
        match typed.bytes_over(own.clone(), module.global(g).ty, &given, "") {
            Ok(made) => {
                *own = made;
                filled = true;
            }
            Err(why) => wrong = Some(why),
        }
    }
    match (filled, wrong) {
        (true, _) => Ok(()),
        (false, Some(why)) => Err(why),
        (false, None) => Err(format!("no stage has a buffer or uniform `{name}`")),
    }
}

/// The buffer of a stage that a name means; the block of push constants is `push`.
fn found(loaded: &LoadedModule, name: &str) -> Option<(GlobalRef, Vec<u32>)> {
    let module = &loaded.module;
    let names = Names { module, interface: &loaded.interface };
    let pushed = || {
        let mut all = variables(module).filter(|(_, global)| global.space == Space::PushConstant);
        all.next().filter(|_| name == "push").map(|(g, _)| (g, Vec::new()))
    };
    names.find(name, |g| is_resource(module, module.global(g))).or_else(pushed)
}

fn variables(module: &Module) -> impl Iterator<Item = (GlobalRef, &Global)> {
    (0..).map(GlobalRef).zip(&module.globals)
}

type Picture = (Handle, chiaro_sim::texture::Texture, chiaro_sim::texture::Sampler);

/// The images of a scene that a stage has.
fn pictures(
    top: &Fields<'_>,
    scene: &Path,
    loaded: &LoadedModule,
    inputs: &mut Inputs,
) -> Result<Vec<Picture>, String> {
    let names = Names { module: &loaded.module, interface: &loaded.interface };
    let own = top.pairs("images")?.into_iter().filter(|(name, _)| has_image(names, name));
    let own: Map<String, Json> = own.map(|(name, json)| (name.clone(), json.clone())).collect();
    let read = Pictures::read(names, Some(&Json::Object(own)), &mut opener(scene, inputs))?;
    let TextureStore { textures, samplers } = read.store;
    let sampler = |handle: &Handle| samplers.get(handle).copied().unwrap_or_default();
    Ok(textures.into_iter().map(|(handle, texture)| (handle, texture, sampler(&handle))).collect())
}

fn has_image(names: Names<'_>, name: &str) -> bool {
    names.find(name, |g| image_of(names.module, g).is_some()).is_some()
}

fn unknown_images(top: &Fields<'_>, stages: &Stages<'_>) -> Result<(), String> {
    for (name, _) in top.pairs("images")? {
        let mut all = stages.all();
        if !all.any(|(loaded, _)| {
            has_image(Names { module: &loaded.module, interface: &loaded.interface }, name)
        }) {
            return Err(format!("no stage has an image `{name}`"));
        }
    }
    Ok(())
}

/// The storage image that becomes the picture: that of the name, or the only one of two dimensions.
fn picture(top: &Fields<'_>, stages: &Stages<'_>) -> Result<Handle, String> {
    let wanted = top.text("output")?;
    let mut found: Vec<GlobalRef> = Vec::new();
    for (loaded, first) in stages.all() {
        let module = &loaded.module;
        let names = Names { module, interface: &loaded.interface };
        let storage = |g: GlobalRef| image_of(module, g).is_some_and(|image| image.storage);
        match wanted {
            Some(name) => found.extend(names.find(name, storage).map(|(g, _)| stages.joint(first, g))),
            None => {
                let all = variables(module).map(|(g, _)| g).filter(|g| storage(*g));
                found.extend(all.map(|g| stages.joint(first, g)));
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    match (&found[..], wanted) {
        ([global, ..], Some(_)) | ([global], None) => Ok(Handle { global: *global, element: 0 }),
        ([], Some(name)) => Err(format!("`output` is `{name}`, and no stage has such a storage image")),
        ([], None) => Err("no stage has a storage image, so there is no picture".to_owned()),
        _ => Err("there are several storage images; name that of the picture as `output`".to_owned()),
    }
}

/// Which structure each variable means: that of its name, or the first.
fn handles(stages: &Stages<'_>, structures: &[String]) -> Result<HashMap<Handle, usize>, String> {
    let mut all = HashMap::new();
    for (number, name) in structures.iter().enumerate().filter(|(_, name)| !name.is_empty()) {
        let mut known = false;
        for (loaded, first) in stages.all() {
            let module = &loaded.module;
            let names = Names { module, interface: &loaded.interface };
            let types = &module.types;
            let is_structure =
                |g: GlobalRef| *types.get(types.element(module.global(g).ty)) == Type::AccelerationStructure;
            if let Some((g, path)) = names.find(name, is_structure) {
                let element = path.first().copied().unwrap_or(0);
                all.insert(Handle { global: stages.joint(first, g), element }, number);
                known = true;
            }
        }
        if !known {
            return Err(format!("`structures.{name}`: no stage has an acceleration structure of that name"));
        }
    }
    Ok(all)
}
