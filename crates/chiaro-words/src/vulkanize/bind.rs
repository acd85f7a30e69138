//! Sets, bindings and locations for variables that have none.

use std::collections::{HashMap, VecDeque};

use spirv::{Decoration, ExecutionModel, StorageClass};

use crate::module::Module;
use crate::scan::{Global, Scan, Shape};
use crate::write::Id;

use super::Pass;

/// What the stages of a program bind, so that each number stands for one thing in all of them.
#[derive(Clone, Debug, Default)]
pub struct Bindings {
    /// Sets and bindings that are in use, and by what. The class keeps OpenGL's name spaces
    /// apart: two samplers at one place are one descriptor seen in two ways, a sampler and a
    /// buffer are a clash.
    used: HashMap<(u32, u32), StorageClass>,
    /// Where something with a name is.
    named: HashMap<(String, StorageClass), (u32, u32)>,
}

impl Bindings {
    /// What modules say themselves: numbers that nothing else may get in any stage.
    pub fn of<'a>(stages: impl IntoIterator<Item = &'a Module>) -> Bindings {
        let mut bindings = Bindings::default();
        for stage in stages {
            let scan = Scan::of(&stage.words);
            for global in scan.globals.iter().filter(|global| is_bound(global.class)) {
                let number = |d| scan.decoration(global.id, d);
                if let Some(binding) = number(Decoration::Binding) {
                    let at = (number(Decoration::DescriptorSet).unwrap_or(0), binding);
                    bindings.used.entry(at).or_insert(global.class);
                }
            }
        }
        bindings
    }
}

/// The name by which stages share a variable: a block's own, else the variable's.
fn shared_name(scan: &Scan<'_>, global: &Global) -> String {
    let (ty, _) = scan.without_arrays(global.ty);
    match (global.class, scan.shape(ty)) {
        (StorageClass::Uniform | StorageClass::StorageBuffer, Shape::Struct(_)) => scan.name(ty),
        _ => scan.name(global.id),
    }
}

/// A variable that the host binds something to, and what the words say about where.
struct Descriptor {
    id: Id,
    class: StorageClass,
    set: Option<u32>,
    binding: Option<u32>,
    /// The name by which other stages know it; empty for what they do not.
    name: String,
}

impl Pass<'_> {
    /// Decides all numbers that are missing.
    pub(super) fn assign_numbers(&mut self, bindings: &mut Bindings) {
        self.assign_bindings(bindings);
        self.assign_locations(StorageClass::Input);
        self.assign_locations(StorageClass::Output);
    }

    fn assign_bindings(&mut self, Bindings { used, named }: &mut Bindings) {
        let descriptors = self.descriptors();
        let (settled, open): (Vec<_>, Vec<_>) =
            descriptors.into_iter().partition(|d| d.set.is_some() && d.binding.is_some());
        let mut open: VecDeque<Descriptor> = open.into();
        for descriptor in settled {
            let at = (descriptor.set.unwrap_or(0), descriptor.binding.unwrap_or(0));
            if *used.entry(at).or_insert(descriptor.class) != descriptor.class {
                open.push_back(Descriptor { binding: None, ..descriptor });
            }
        }
        open.retain(|d| {
            let wish = d.binding.map(|binding| (d.set.unwrap_or(0), binding));
            let granted = wish.filter(|&at| *used.entry(at).or_insert(d.class) == d.class);
            self.sets.extend(granted.map(|at| (d.id, at)));
            granted.is_none()
        });
        // The next number to try in each set: all below are taken.
        let mut next: HashMap<u32, u32> = HashMap::new();
        for Descriptor { id, class, set, name, .. } in open {
            let set = set.unwrap_or(0);
            let shared = Some((name, class)).filter(|(name, _)| !name.is_empty());
            let before = shared.as_ref().and_then(|key| named.get(key)).filter(|at| at.0 == set);
            if let Some(&at) = before {
                self.sets.insert(id, at);
                continue;
            }
            let binding = next.entry(set).or_insert(0);
            while used.contains_key(&(set, *binding)) {
                *binding += 1;
            }
            used.insert((set, *binding), class);
            self.sets.insert(id, (set, *binding));
            named.extend(shared.map(|key| (key, (set, *binding))));
        }
    }

    /// The block first, then all in their order; samplers stand where their structure stood.
    fn descriptors(&self) -> Vec<Descriptor> {
        let new = |id, class| Descriptor { id, class, set: None, binding: None, name: String::new() };
        let block = self.block.map(|id| new(id, StorageClass::Uniform));
        let mut list: Vec<Descriptor> = block.into_iter().collect();
        for global in &self.scan.globals {
            if self.roots.contains_key(&global.id) {
                let own = self.splits.iter().filter(|s| s.root == global.id);
                list.extend(own.map(|s| new(s.id, StorageClass::UniformConstant)));
            } else if is_bound(global.class) {
                let number = |d| self.scan.decoration(global.id, d);
                let (set, binding) = (number(Decoration::DescriptorSet), number(Decoration::Binding));
                let name = shared_name(self.scan, global);
                list.push(Descriptor { id: global.id, class: global.class, set, binding, name });
            }
        }
        list
    }

    fn assign_locations(&mut self, class: StorageClass) {
        let scan = self.scan;
        let (mut used, mut free) = (Vec::new(), Vec::new());
        for global in scan.globals.iter().filter(|g| g.class == class) {
            let ty = self.per_invocation(global);
            if let Some(location) = scan.decoration(global.id, Decoration::Location) {
                used.push((location, location.saturating_add(scan.slots(ty).varying)));
            } else if !self.own_locations(ty, &mut used)
                && scan.decoration(global.id, Decoration::BuiltIn).is_none()
            {
                free.push((global.id, scan.slots(ty).varying));
            }
        }
        for (id, count) in free {
            let location = lowest_free(&mut used, count);
            self.locations.insert(id, location);
        }
    }

    /// Whether members have locations of their own or are built in; the locations are noted.
    fn own_locations(&self, ty: Id, used: &mut Vec<(u32, u32)>) -> bool {
        let Shape::Struct(members) = self.scan.shape(ty) else { return false };
        let mut found = false;
        for (i, &member) in members.iter().enumerate() {
            let number = |d| self.scan.member_decoration(ty, i as u32, d);
            found |= [Decoration::BuiltIn, Decoration::PerTaskNV].into_iter().any(|d| number(d).is_some());
            if let Some(location) = number(Decoration::Location) {
                used.push((location, location.saturating_add(self.scan.slots(member).varying)));
                found = true;
            }
        }
        found
    }

    /// The type without the array over the vertices of a primitive.
    fn per_invocation(&self, global: &Global) -> Id {
        use ExecutionModel as M;
        let arrayed = |model: &M| match model {
            M::Geometry | M::TessellationEvaluation => global.class == StorageClass::Input,
            M::TessellationControl => true,
            M::MeshEXT | M::MeshNV => global.class == StorageClass::Output,
            _ => false,
        };
        let is_patch = self.scan.decoration(global.id, Decoration::Patch).is_some();
        match self.scan.shape(global.ty) {
            Shape::Array(elem, _) if !is_patch && self.scan.models.iter().any(arrayed) => elem,
            _ => global.ty,
        }
    }
}

fn is_bound(class: StorageClass) -> bool {
    matches!(class, StorageClass::UniformConstant | StorageClass::Uniform | StorageClass::StorageBuffer)
}

/// The first run of so many locations that nobody has; it is taken.
fn lowest_free(used: &mut Vec<(u32, u32)>, count: u32) -> u32 {
    used.sort_unstable();
    let mut at = 0;
    for &(start, end) in used.iter() {
        if at + count.min(u32::MAX - at) <= start {
            break;
        }
        at = at.max(end);
    }
    used.push((at, at.saturating_add(count)));
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn free_locations_are_found_between_others() {
        let mut used = vec![(5, 6), (0, 1), (2, 3)];
        let found: Vec<u32> = [1, 2, 4, 1].into_iter().map(|n| lowest_free(&mut used, n)).collect();
        assert_eq!(found, [1, 3, 6, 10]);
        assert_eq!(lowest_free(&mut vec![(0, u32::MAX)], 7), u32::MAX);
    }
}
