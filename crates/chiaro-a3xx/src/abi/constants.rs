//! The constant file of a program: who stands where. spec section 19.

use std::collections::HashMap;

use chiaro_diag::{Diagnostic, Tally};
use chiaro_ir::{Function, GlobalRef, Module, Space, Ty, Type};

use super::{Buffer, DRIVER_PARAMETERS, Kind, Uniform};
use crate::regs::CONSTANTS;

/// Blocks that would end behind this component stay in memory: numbers come behind them.
const BLOCKS_END: u32 = (CONSTANTS as u32 - 32) * 4;

/// How a variable lies in the constant file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Layout {
    /// One vec4 for each scalar, vector, column and element.
    Rows,
    /// As its bytes lie in memory.
    Bytes,
    /// One component behind another.
    Packed,
}

/// Places in the constant file, in components.
#[derive(Clone, Debug, Default)]
pub struct Constants {
    /// First component and layout of each variable that the program reads.
    places: HashMap<GlobalRef, (u16, Layout)>,
    /// The component with the address of each block that stays in memory.
    pointers: HashMap<GlobalRef, u16>,
    /// The first component of the immediates.
    first: u16,
    literals: Vec<u32>,
    known: HashMap<u32, u16>,
    /// Which of them take most.
    largest: Option<String>,
}

/// Components that a type takes, [`u32::MAX`] for more than can be counted; `None` for what has no
/// place in the constant file.
#[must_use]
pub fn size(module: &Module, ty: Ty, layout: Layout) -> Option<u32> {
    match (module.types.get(ty), layout) {
        (Type::Bool | Type::Int(32) | Type::Float(32) | Type::Vector(..), Layout::Rows) => Some(4),
        (Type::Bool | Type::Int(32) | Type::Float(32), _) => Some(1),
        (Type::Vector(_, n), _) => Some((*n).into()),
        (Type::Array(elem, n, _), Layout::Rows | Layout::Packed) => {
            Some(size(module, *elem, layout)?.saturating_mul(*n))
        }
        (Type::Array(_, n, stride), Layout::Bytes) => Some((stride / 4).saturating_mul(*n)),
        (Type::Struct(_, members), Layout::Rows | Layout::Packed) => {
            members.iter().try_fold(0u32, |sum, m| Some(sum.saturating_add(size(module, m.ty, layout)?)))
        }
        (Type::Struct(_, members), Layout::Bytes) => {
            let end = |m: &chiaro_ir::Member| {
                Some((m.offset.unwrap_or(0) / 4).saturating_add(size(module, m.ty, layout)?))
            };
            members.iter().try_fold(0u32, |most, m| Some(most.max(end(m)?)))
        }
        _ => None,
    }
}

/// Components from the start of a composite to its part number `n`, and from any element of an
/// array to the next.
#[must_use]
pub fn part_offset(module: &Module, ty: Ty, n: u32, layout: Layout) -> Option<u32> {
    match (module.types.get(ty), layout) {
        (Type::Vector(..), _) => Some(n),
        (Type::Array(elem, ..), Layout::Rows | Layout::Packed) => size(module, *elem, layout)?.checked_mul(n),
        (Type::Array(_, _, stride) | Type::RuntimeArray(_, stride), Layout::Bytes) => {
            (stride / 4).checked_mul(n)
        }
        (Type::Struct(_, members), Layout::Rows | Layout::Packed) => members
            .iter()
            .take(n as usize)
            .try_fold(0u32, |sum, m| sum.checked_add(size(module, m.ty, layout)?)),
        (Type::Struct(_, members), Layout::Bytes) => Some(members.get(n as usize)?.offset.unwrap_or(0) / 4),
        _ => None,
    }
}

/// Components at which the scalars of a type lie, in the order of its parts.
#[must_use]
pub fn scalars(module: &Module, ty: Ty, layout: Layout) -> Vec<u32> {
    let mut found = Vec::new();
    add_scalars(module, ty, layout, 0, &mut found);
    found
}

fn add_scalars(module: &Module, ty: Ty, layout: Layout, at: u32, found: &mut Vec<u32>) {
    let Some(count) = module.types.part_count(ty) else {
        found.push(at);
        return;
    };
    for n in 0..count {
        if let (Some(part), Some(offset)) = (module.types.part(ty, n), part_offset(module, ty, n, layout)) {
            add_scalars(module, part, layout, at + offset, found);
        }
    }
}

impl Constants {
    /// Places the variables that a function reads.
    ///
    /// # Errors
    /// More than the constant file holds, by name.
    pub fn new(module: &Module, f: &Function, has_parameters: bool) -> Result<Constants, Box<Diagnostic>> {
        let mut used = vec![false; module.globals.len()];
        chiaro_opt::named(module, f).iter().for_each(|(g, _)| used[g.0 as usize] = true);
        let mut constants = Constants::default();
        let mut next = if has_parameters { u32::from(DRIVER_PARAMETERS) } else { 0 };
        let allowed = u32::from(CONSTANTS) - next.div_ceil(4);
        let mut tally = Tally::new("uniforms", "vec4 of constants", allowed);
        for layout in [Layout::Rows, Layout::Bytes] {
            let globals = module.globals.iter().enumerate().filter(|(i, _)| used[*i]);
            for (i, global) in globals.filter(|(_, g)| layout_of(g.space) == Some(layout)) {
                let Some(size) = size(module, global.ty, layout) else { continue };
                // What goes on in the file behind a large block are numbers.
                if global.space == Space::Uniform && next.saturating_add(size) > BLOCKS_END {
                    constants.pointers.insert(GlobalRef(i as u32), next as u16);
                    next = next.saturating_add(4);
                    tally.add(&block_name(module, GlobalRef(i as u32)), global.span, 1);
                    continue;
                }
                constants.places.insert(GlobalRef(i as u32), (next as u16, layout));
                next = next.saturating_add(size.div_ceil(4).saturating_mul(4));
                tally.add(&block_name(module, GlobalRef(i as u32)), global.span, size.div_ceil(4));
            }
        }
        if let Some(error) = tally.overflow() {
            return Err(error.help("make arrays smaller, or read them from a texture").into());
        }
        constants.first = next as u16;
        constants.largest = tally.largest();
        Ok(constants)
    }

    /// Where a variable is.
    #[must_use]
    pub fn place(&self, global: GlobalRef) -> Option<(u16, Layout)> {
        self.places.get(&global).copied()
    }

    /// The component that holds a number.
    pub fn literal(&mut self, bits: u32) -> u16 {
        if let Some(&at) = self.known.get(&bits) {
            return at;
        }
        let at = self.first.saturating_add(self.literals.len() as u16);
        self.literals.push(bits);
        self.known.insert(bits, at);
        at
    }

    /// The component that holds the address of a block in memory.
    #[must_use]
    pub fn pointer(&self, global: GlobalRef) -> Option<u16> {
        self.pointers.get(&global).copied()
    }

    /// The blocks that stay in memory.
    #[must_use]
    pub fn buffers(&self, module: &Module) -> Vec<Buffer> {
        let mut all: Vec<Buffer> = Vec::new();
        for (&global, &pointer) in &self.pointers {
            let words = size(module, module.global(global).ty, Layout::Bytes).unwrap_or(0);
            all.push(Buffer { name: block_name(module, global), pointer, bytes: words.saturating_mul(4) });
        }
        all.sort_by_key(|buffer| buffer.pointer);
        all
    }

    /// A number that is held already, perhaps with the other sign of a float, which the second
    /// says.
    #[must_use]
    pub fn either_sign(&self, bits: u32, can_negate: bool) -> (u32, bool) {
        let other = bits ^ 1 << 31;
        let turned = can_negate && !self.known.contains_key(&bits) && self.known.contains_key(&other);
        (if turned { other } else { bits }, turned)
    }

    /// The first component of numbers one after another.
    pub fn table(&mut self, numbers: &[u32]) -> u16 {
        self.literals.resize(self.literals.len().next_multiple_of(4), 0);
        let at = self.first.saturating_add(self.literals.len() as u16);
        self.literals.extend_from_slice(numbers);
        at
    }

    /// The immediates with their components.
    ///
    /// # Errors
    /// More than the constant file holds.
    pub fn immediates(&self) -> Result<Vec<(u16, u32)>, Box<Diagnostic>> {
        let end = u32::from(self.first) + self.literals.len() as u32;
        if end > u32::from(CONSTANTS) * 4 {
            let used = end.div_ceil(4);
            let message =
                format!("uniforms and numbers take {used} vec4 of constants, {CONSTANTS} are allowed");
            let mut error = Diagnostic::error(None, message);
            error.notes.extend(self.largest.clone());
            return Err(Box::new(error.help("use fewer or smaller arrays of uniforms and constants")));
        }
        Ok((self.first..).zip(self.literals.iter().copied()).collect())
    }

    /// The uniforms with their leaves.
    #[must_use]
    pub fn uniforms(&self, module: &Module) -> Vec<Uniform> {
        let mut all = Vec::new();
        let mut placed: Vec<_> = self.places.iter().collect();
        placed.sort_by_key(|(_, (at, _))| *at);
        for (&global, &(at, layout)) in placed {
            let data = module.global(global);
            let block = (layout == Layout::Bytes).then(|| block_name(module, global));
            let name = if layout == Layout::Rows { data.name.clone() } else { String::new() };
            Leaves { module, layout, block, all: &mut all }.add(name, data.ty, at);
        }
        all
    }
}

/// The name of a block: that of its instance, or of its type where it has none.
#[must_use]
pub fn block_name(module: &Module, global: GlobalRef) -> String {
    let data = module.global(global);
    match module.types.get(data.ty) {
        Type::Struct(name, _) if data.name.is_empty() => name.clone(),
        _ => data.name.clone(),
    }
}

/// How variables of a space lie in the constant file, if they do.
fn layout_of(space: Space) -> Option<Layout> {
    match space {
        Space::UniformConstant => Some(Layout::Rows),
        Space::Uniform | Space::PushConstant => Some(Layout::Bytes),
        _ => None,
    }
}

struct Leaves<'a> {
    module: &'a Module,
    layout: Layout,
    block: Option<String>,
    all: &'a mut Vec<Uniform>,
}

impl Leaves<'_> {
    fn add(&mut self, name: String, ty: Ty, at: u16) {
        if let Some((entries, stride, components, kind)) = self.leaf(ty) {
            let block = self.block.clone();
            self.all.push(Uniform { name, block, at, components, entries, stride, kind });
            return;
        }
        let types = &self.module.types;
        for n in 0..types.part_count(ty).unwrap_or(0) {
            let offset = part_offset(self.module, ty, n, self.layout).unwrap_or(0) as u16;
            let Some(part) = types.part(ty, n) else { continue };
            let inner = match types.get(ty) {
                Type::Struct(_, members) => match name.as_str() {
                    "" => members[n as usize].name.clone(),
                    name => format!("{name}.{}", members[n as usize].name),
                },
                _ => format!("{name}[{n}]"),
            };
            self.add(inner, part, at.saturating_add(offset));
        }
    }

    /// Entries, stride, components and kind, where a type is one leaf.
    fn leaf(&self, ty: Ty) -> Option<(u16, u16, u8, Kind)> {
        let types = &self.module.types;
        match types.get(ty) {
            Type::Array(elem, n, _) => {
                let (inner, inner_stride, components, kind) = self.leaf(*elem)?;
                let stride = part_offset(self.module, ty, 1, self.layout)? as u16;
                let n = u16::try_from(*n).ok()?;
                // Arrays of matrices are one run of columns where nothing lies between them.
                match inner {
                    0 => Some((n, stride, components, kind)),
                    _ if stride == inner * inner_stride => Some((n * inner, inner_stride, components, kind)),
                    _ => None,
                }
            }
            Type::Vector(elem, n) => Some((0, 0, *n, kind_of(self.module, *elem))),
            Type::Bool | Type::Int(_) | Type::Float(_) => Some((0, 0, 1, kind_of(self.module, ty))),
            _ => None,
        }
    }
}

/// What a scalar is.
#[must_use]
pub fn kind_of(module: &Module, ty: Ty) -> Kind {
    match module.types.get(module.types.scalar(ty)) {
        Type::Bool => Kind::Bool,
        Type::Int(_) => Kind::Int,
        _ => Kind::Float,
    }
}
