//! Sets, bindings and locations for variables that have none.

use std::collections::{HashMap, VecDeque};

use spirv::{Decoration, ExecutionModel, StorageClass};

use crate::scan::{Global, Shape};
use crate::write::Id;

use super::Pass;

/// A variable that the host binds something to, and what the words say about where.
struct Descriptor {
    id: Id,
    class: StorageClass,
    set: Option<u32>,
    binding: Option<u32>,
}

impl Pass<'_> {
    /// Decides all numbers that are missing.
    pub(super) fn assign_numbers(&mut self) {
        self.assign_bindings();
        self.assign_locations(StorageClass::Input);
        self.assign_locations(StorageClass::Output);
    }

    fn assign_bindings(&mut self) {
        // The class tells OpenGL's name spaces apart: two samplers at one place are one
        // descriptor seen in two ways, a sampler and a buffer are a clash.
        let mut used: HashMap<(u32, u32), StorageClass> = HashMap::new();
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
        for Descriptor { id, class, set, .. } in open {
            let set = set.unwrap_or(0);
            let binding = next.entry(set).or_insert(0);
            while used.contains_key(&(set, *binding)) {
                *binding += 1;
            }
            used.insert((set, *binding), class);
            self.sets.insert(id, (set, *binding));
        }
    }

    /// The block first, then all in their order; samplers stand where their structure stood.
    fn descriptors(&self) -> Vec<Descriptor> {
        let new = |id, class| Descriptor { id, class, set: None, binding: None };
        let block = self.block.map(|id| new(id, StorageClass::Uniform));
        let mut list: Vec<Descriptor> = block.into_iter().collect();
        for global in &self.scan.globals {
            if self.roots.contains_key(&global.id) {
                let own = self.splits.iter().filter(|s| s.root == global.id);
                list.extend(own.map(|s| new(s.id, StorageClass::UniformConstant)));
            } else if is_bound(global.class) {
                let number = |d| self.scan.decoration(global.id, d);
                let (set, binding) = (number(Decoration::DescriptorSet), number(Decoration::Binding));
                list.push(Descriptor { id: global.id, class: global.class, set, binding });
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
            found |= number(Decoration::BuiltIn).is_some();
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
