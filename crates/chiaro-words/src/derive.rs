//! The interface of a module that brings none: from names and decorations.

use spirv::{BuiltIn, Decoration, StorageClass};

use crate::module::{Clip, Interface, Leaf, Legacy, Precision, Variable};
use crate::scan::{Global, Scan, Shape};
use crate::write::Id;

/// Types that are looked at for one variable, at most: structures without leaves can multiply.
const MOST_VISITS: usize = 4 * Variable::MOST_LEAVES;

/// What names and decorations say about the variables that the host program or another
/// stage sees. Broken words give what stands before the break.
///
/// The clip convention is OpenGL's if the fragments' origin is at the lower left, else
/// Vulkan's.
#[must_use]
pub fn derive(words: &[u32]) -> Interface {
    let scan = Scan::of(words);
    let clip = if scan.has_lower_left_origin { Clip::Gl } else { Clip::Vulkan };
    let seen = scan.globals.iter().filter(|g| is_seen(g.class));
    let variables = seen.map(|g| variable(&scan, g)).collect();
    Interface { source: scan.source, clip, variables, settings: Vec::new() }
}

fn is_seen(class: StorageClass) -> bool {
    !matches!(class, StorageClass::Private | StorageClass::Function | StorageClass::Workgroup)
}

fn variable(scan: &Scan<'_>, global: &Global) -> Variable {
    let decoration = |d| scan.decoration(global.id, d);
    let leaf = Leaf {
        name: scan.name(global.id),
        location: decoration(Decoration::Location),
        precision: precision(decoration(Decoration::RelaxedPrecision)),
        ..Leaf::default()
    };
    let mut flat = Flatten {
        scan,
        is_uniform: global.class == StorageClass::UniformConstant,
        leaves: Vec::new(),
        visits: 0,
    };
    flat.walk(global.ty, leaf);
    Variable {
        id: global.id,
        name: scan.name(global.id),
        class: global.class,
        set: decoration(Decoration::DescriptorSet),
        binding: decoration(Decoration::Binding),
        legacy: legacy(scan, global),
        broadcast: false,
        framebuffer_fetch: false,
        leaves: flat.leaves,
    }
}

fn precision(relaxed: Option<u32>) -> Precision {
    if relaxed.is_some() { Precision::Medium } else { Precision::High }
}

/// What the numbers of built-ins and the names of old GLSL say.
fn legacy(scan: &Scan<'_>, global: &Global) -> Option<Legacy> {
    let builtin = scan.decoration(global.id, Decoration::BuiltIn).and_then(BuiltIn::from_u32);
    match (builtin, scan.name(global.id).as_str()) {
        (Some(BuiltIn::VertexId), _) => Some(Legacy::VertexId),
        (Some(BuiltIn::InstanceId), _) => Some(Legacy::InstanceId),
        (_, "gl_FragColor") => Some(Legacy::FragColor),
        (_, "gl_FragData") => Some(Legacy::FragData),
        _ => None,
    }
}

struct Flatten<'a> {
    scan: &'a Scan<'a>,
    is_uniform: bool,
    leaves: Vec<Leaf>,
    visits: usize,
}

impl Flatten<'_> {
    fn slots(&self, ty: Id) -> u32 {
        let slots = self.scan.slots(ty);
        if self.is_uniform { slots.uniform } else { slots.varying }
    }

    /// Adds the leaves of a type; `so_far` holds what is known on the way there.
    fn walk(&mut self, ty: Id, so_far: Leaf) {
        self.visits += 1;
        if self.visits > MOST_VISITS || self.leaves.len() >= Variable::MOST_LEAVES {
            return;
        }
        match self.scan.shape(ty) {
            Shape::Struct(members) => self.members(ty, members, &so_far),
            Shape::Array(elem, count) => self.elements(ty, elem, count, so_far),
            _ => self.leaves.push(so_far),
        }
    }

    fn members(&mut self, structure: Id, members: &[Id], so_far: &Leaf) {
        let mut location = so_far.location;
        for (i, &member) in members.iter().enumerate() {
            let i = i as u32;
            let decoration = |d| self.scan.member_decoration(structure, i, d);
            // naga wraps what is no structure of its own into one with a nameless member.
            let is_wrapper = members.len() == 1 && !self.scan.is_member_named(structure, i);
            let name = match (is_wrapper, self.scan.member_name(structure, i)) {
                (true, _) => so_far.name.clone(),
                (false, name) if so_far.name.is_empty() => name,
                (false, name) => format!("{}.{name}", so_far.name),
            };
            location = decoration(Decoration::Location).or(location);
            let leaf = Leaf {
                name,
                location,
                offset: decoration(Decoration::Offset)
                    .and_then(|offset| so_far.offset.unwrap_or(0).checked_add(offset)),
                precision: so_far.precision.min(precision(decoration(Decoration::RelaxedPrecision))),
                ..so_far.clone()
            };
            self.walk(member, leaf);
            location = location.and_then(|l| l.checked_add(self.slots(member)));
        }
    }

    /// Arrays of structures and of arrays are listed element by element, others as one leaf.
    fn elements(&mut self, ty: Id, elem: Id, count: u32, so_far: Leaf) {
        if !matches!(self.scan.shape(elem), Shape::Struct(_) | Shape::Array(..)) {
            self.leaves.push(Leaf { count: Some(count), ..so_far });
            return;
        }
        let stride = self.scan.decoration(ty, Decoration::ArrayStride);
        let step = self.slots(elem);
        // A buffer's open array is listed by its first element, as OpenGL's queries do.
        for i in 0..count.max(1) {
            if self.visits > MOST_VISITS || self.leaves.len() >= Variable::MOST_LEAVES {
                return;
            }
            let further = |start: Option<u32>, step: u32| start?.checked_add(step.checked_mul(i)?);
            let leaf = Leaf {
                name: format!("{}[{i}]", so_far.name),
                location: further(so_far.location, step),
                offset: stride.and_then(|stride| further(so_far.offset.or(Some(0)), stride)),
                ..so_far.clone()
            };
            self.walk(elem, leaf);
        }
    }
}
