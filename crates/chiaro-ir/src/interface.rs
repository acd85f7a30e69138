//! How a module meets the program that uses it: the names of its variables and their parts, and what
//! the languages say of them that computes nothing.
//!
//! Readers make it beside the module; nothing of the IR depends on it.
//!
//! # Names
//!
//! One rule for every language, target and place where a name is shown or asked for (the symbols of a
//! container, `--emit header`, `info`, reports, `chiaro run`). A name is the path from the variable to
//! the part, as a host program spells it:
//!
//! | in the source | names |
//! |---|---|
//! | `uniform vec4 tint;` | `tint` |
//! | `uniform Light light;` | `light.color`; the whole: `light` |
//! | `uniform Bone bones[16];` | `bones[3].rows`; wholes: `bones[3]`, `bones` |
//! | `uniform bool flags[3];` | `flags`; elements: `flags[1]` |
//! | `var<uniform> mvp: mat4x4f;` | `mvp` |
//! | `var<uniform> u: Scene;`, `uniform Scene {...} u;` | `u.mvp`; the whole: `u` |
//! | `uniform Scene {...};` | `mvp`: a block without an instance name adds nothing |
//! | `out Varyings {...} v;` | `v.color` |
//!
//! A name comes from the source alone: neither other names of the module nor the numbers that front
//! ends give variables change it ([`crate::Global::name`] is for the IR's text and differs from all
//! others of the module). Structures around one part without a name, which producers of SPIR-V make,
//! add nothing.

use crate::{Binding, GlobalRef, Module, Space, Ty, Type};

/// The parts of all variables that meet the outside.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Interface {
    /// In the order of the variables.
    pub leaves: Vec<Leaf>,
    /// Structures, and arrays of them with their elements, in the order in which they are declared.
    pub wholes: Vec<Whole>,
    /// What the source asks of a target: key and value, as `-m` gives them.
    pub settings: Vec<(String, String)>,
}

/// A part of a variable with parts that have names of their own.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Whole {
    /// Its name: `lights`, `lights[2]`.
    pub name: String,
    /// The variable.
    pub global: GlobalRef,
    /// Members and elements from the variable to the part.
    pub path: Vec<u32>,
}

impl Interface {
    /// The interface of a module that brings none, from the names of the IR.
    #[must_use]
    pub fn of(module: &Module) -> Interface {
        let mut interface = Interface::default();
        for (i, global) in module.globals.iter().enumerate() {
            if matches!(global.space, Space::Private | Space::Workgroup) {
                continue;
            }
            let binding = global.binding.clone();
            let leaf = Leaf { binding, ..Leaf::named(&*global.name, GlobalRef(i as u32), global.ty) };
            interface.flatten(module, leaf);
        }
        interface
    }

    /// Adds the leaves below one, depth first, until there are too many.
    fn flatten(&mut self, module: &Module, leaf: Leaf) {
        let mut open = vec![leaf];
        while let Some(leaf) = open.pop() {
            let count = module.types.part_count(leaf.ty).unwrap_or(0);
            let is_whole = has_structure(module, leaf.ty) && count > 0;
            if !is_whole || self.leaves.len() + open.len() >= MOST_LEAVES {
                self.leaves.push(leaf);
                continue;
            }
            self.wholes.push(leaf.whole());
            let parts = (0..count.min(MOST_LEAVES as u32)).rev().filter_map(|i| leaf.part(module, i));
            open.extend(parts);
        }
    }

    /// The leaves of a variable.
    pub fn leaves_of(&self, global: GlobalRef) -> impl Iterator<Item = &Leaf> {
        self.leaves.iter().filter(move |leaf| leaf.global == global)
    }

    /// The part that a name means, of the variables that count: the inverse of [`Interface::name_of`].
    /// Whether an element is within its array, the type says.
    #[must_use]
    pub fn find(&self, name: &str, counts: impl Fn(GlobalRef) -> bool) -> Option<(GlobalRef, Vec<u32>)> {
        let wholes = self.wholes.iter().map(|whole| (&whole.name, whole.global, &whole.path));
        let leaves = self.leaves.iter().map(|leaf| (&leaf.name, leaf.global, &leaf.path));
        let parts: Vec<_> = wholes.chain(leaves).filter(|(_, g, _)| counts(*g)).collect();
        let (mut head, mut elements) = (name, Vec::new());
        while !head.is_empty() {
            if let Some((_, g, path)) = parts.iter().find(|(name, ..)| *name == head) {
                return Some((*g, path.iter().copied().chain(elements.into_iter().rev()).collect()));
            }
            let (array, index) = head.strip_suffix(']')?.rsplit_once('[')?;
            elements.push(index.parse().ok()?);
            head = array;
        }
        None
    }

    /// The name of a part of a variable, of which elements have that of the array with their number.
    #[must_use]
    pub fn name_of(&self, global: GlobalRef, path: &[u32]) -> Option<String> {
        let whole = self.wholes.iter().find(|w| w.global == global && w.path == path);
        if let Some(whole) = whole {
            return Some(whole.name.clone());
        }
        let leaf = self.leaves_of(global).find(|leaf| path.starts_with(&leaf.path))?;
        let elements = path[leaf.path.len()..].iter();
        Some(elements.fold(leaf.name.clone(), |name, i| format!("{name}[{i}]")))
    }
}

/// Leaves that a table has at most.
const MOST_LEAVES: usize = 4096;

/// Whether a type is a structure, or an array of them.
fn has_structure(module: &Module, mut ty: Ty) -> bool {
    while let Type::Array(elem, ..) = module.types.get(ty) {
        ty = *elem;
    }
    matches!(module.types.get(ty), Type::Struct(..))
}

/// A variable, or a part of one, as the program that uses the shader knows it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Leaf {
    /// The name to look it up by, such as `lights[2].tex`. An array of scalars or vectors is
    /// one leaf.
    pub name: String,
    /// The variable.
    pub global: GlobalRef,
    /// Members and elements from the variable to the leaf.
    pub path: Vec<u32>,
    /// What the leaf holds.
    pub ty: Ty,
    /// A matrix, or an array of them, whose columns are the parts that the IR sees.
    pub columns: bool,
    /// A matrix, or an array of them, whose parts are its columns or, if it lies by rows, its rows.
    pub matrix: bool,
    /// Location, binding and the like, its block's included.
    pub binding: Binding,
    /// Precision.
    pub precision: Precision,
    /// A sampler of images that the system makes.
    pub external: bool,
    /// A colour that goes to every attachment.
    pub broadcast: bool,
    /// A built-in that only old languages have, by its name there.
    pub legacy: Option<String>,
    /// Starts with what the attachment holds.
    pub fetch: bool,
}

impl Leaf {
    /// A leaf of which only the name and the place are known.
    #[must_use]
    pub fn named(name: impl Into<String>, global: GlobalRef, ty: Ty) -> Leaf {
        Leaf {
            name: name.into(),
            global,
            path: Vec::new(),
            ty,
            columns: false,
            matrix: false,
            binding: Binding::default(),
            precision: Precision::default(),
            external: false,
            broadcast: false,
            legacy: None,
            fetch: false,
        }
    }

    /// The same place as a whole.
    #[must_use]
    pub fn whole(&self) -> Whole {
        Whole { name: self.name.clone(), global: self.global, path: self.path.clone() }
    }

    /// A member or an element of it, by the IR's types.
    fn part(&self, module: &Module, i: u32) -> Option<Leaf> {
        let name = match module.types.get(self.ty) {
            Type::Struct(_, members) => join(&self.name, &members.get(i as usize)?.name, members.len(), i),
            _ => format!("{}[{i}]", self.name),
        };
        let path = self.path.iter().copied().chain([i]).collect();
        let own = module.global(self.global).members.get(i as usize).filter(|_| self.path.is_empty());
        let binding = own.unwrap_or(&self.binding).clone();
        Some(Leaf { name, path, binding, ty: module.types.part(self.ty, i)?, ..self.clone() })
    }
}

/// The name of member `i` of the `count` members of something that has a name.
#[must_use]
pub fn join(whole: &str, member: &str, count: usize, i: u32) -> String {
    match (whole.is_empty(), member.is_empty()) {
        (_, true) if count == 1 => whole.to_owned(),
        (true, _) => member.to_owned(),
        (false, true) => format!("{whole}.{i}"),
        (false, false) => format!("{whole}.{member}"),
    }
}

/// Precision that the source asks for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Precision {
    /// Less than half.
    Low,
    /// At least half.
    Medium,
    /// Full.
    #[default]
    High,
}
