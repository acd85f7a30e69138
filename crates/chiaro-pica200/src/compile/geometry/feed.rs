//! The interface between vertex and geometry program: which output an input is.

use chiaro_ir::{EntryPoint, GlobalRef, Module, Space, Ty, Type};

/// SPIR-V's number of the built-in position.
const POSITION: u32 = 0;

/// By what both sides know a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Slot {
    /// The built-in position.
    Position,
    /// The varying at a location.
    Location(u32),
    /// A varying of a name, where no side has locations.
    Name(String),
}

/// What a vertex is made of: a slot for each register, in their order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Feed(pub Vec<Slot>);

impl Feed {
    /// What a geometry shader declares to read: the position, then varyings by location.
    pub(crate) fn of_geometry(module: &Module, entry: &EntryPoint) -> Feed {
        let mut slots = Vec::new();
        for &g in entry.interface.iter().filter(|&&g| module.global(g).space == Space::Input) {
            let Some(element) = element(module, g) else { continue };
            match module.types.get(element) {
                Type::Struct(_, members) => {
                    slots.extend((0..members.len()).filter_map(|m| slot_of(module, g, Some(m as u32))));
                }
                _ => slots.extend(slot_of(module, g, None)),
            }
        }
        slots.sort_by_key(|slot| match slot {
            Slot::Position => 0,
            Slot::Location(n) => n.saturating_add(1),
            Slot::Name(_) => u32::MAX,
        });
        Feed(slots)
    }

    /// Registers of a vertex.
    pub(crate) fn stride(&self) -> u16 {
        self.0.len() as u16
    }

    /// The register of a slot, counted from the first of its vertex.
    pub(crate) fn register(&self, slot: &Slot) -> Option<u16> {
        self.0.iter().position(|known| known == slot).map(|n| n as u16)
    }
}

/// What an input of a geometry shader is an array of.
pub(crate) fn element(module: &Module, g: GlobalRef) -> Option<Ty> {
    match *module.types.get(module.global(g).ty) {
        Type::Array(element, ..) => Some(element),
        _ => None,
    }
}

/// By what a varying, or a member of a block of varyings, is known; `None` for built-ins but the
/// position.
pub(crate) fn slot_of(module: &Module, g: GlobalRef, member: Option<u32>) -> Option<Slot> {
    let global = module.global(g);
    let own = member.and_then(|m| global.members.get(m as usize)).unwrap_or(&global.binding);
    match own.builtin {
        Some(POSITION) => return Some(Slot::Position),
        Some(_) => return None,
        None => {}
    }
    let counted = || global.binding.location.map(|first| first.saturating_add(member.unwrap_or(0)));
    let own_location = if member.is_some() { own.location.or_else(counted) } else { own.location };
    let name = || match member.and_then(|m| member_name(module, g, m)) {
        Some(name) => name,
        None => global.name.clone(),
    };
    Some(own_location.map_or_else(|| Slot::Name(name()), Slot::Location))
}

/// By what a scalar or vector of an output is known; the elements of an array have locations one
/// behind the other.
pub(super) fn slot_at(module: &Module, g: GlobalRef, path: &[u32]) -> Slot {
    let is_block = matches!(module.types.get(module.global(g).ty), Type::Struct(..));
    let (member, rest) = match path {
        [member, rest @ ..] if is_block => (Some(*member), rest),
        _ => (None, path),
    };
    let element = rest.iter().sum::<u32>();
    match slot_of(module, g, member) {
        Some(Slot::Location(first)) => Slot::Location(first.saturating_add(element)),
        Some(Slot::Name(name)) if !rest.is_empty() => Slot::Name(format!("{name}{rest:?}")),
        Some(slot) => slot,
        None => Slot::Name(format!("{}{path:?}", module.global(g).name)),
    }
}

/// The name of a member of a block, or of an array of blocks.
pub(super) fn member_name(module: &Module, g: GlobalRef, member: u32) -> Option<String> {
    let ty = element(module, g).unwrap_or(module.global(g).ty);
    match module.types.get(ty) {
        Type::Struct(_, members) => members.get(member as usize).map(|m| m.name.clone()),
        _ => None,
    }
}
