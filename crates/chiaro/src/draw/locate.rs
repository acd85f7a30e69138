//! Locations for variables that have none: programs that are compiled one by one meet by them.

use chiaro_ir::{GlobalRef, Module, Space, Ty, Type};

/// Gives inputs of vertices and what both programs share locations where the sources leave them open: varyings by
/// name, the others the lowest that are free, in the order of declaration.
pub fn locate(vertex: &mut Module, fragment: &mut Module) {
    fill(vertex, Space::Input);
    fill(vertex, Space::Output);
    for g in open(fragment, Space::Input) {
        let name = &fragment.global(g).name;
        let mut outputs = vertex.globals.iter().filter(|global| global.space == Space::Output);
        let location = outputs.find(|global| global.name == *name).and_then(|global| global.binding.location);
        fragment.globals[g.0 as usize].binding.location = location;
    }
    fill(fragment, Space::Input);
}

/// Variables of a space that have neither a location nor a built-in's meaning.
fn open(module: &Module, space: Space) -> Vec<GlobalRef> {
    let is_open = |g: &GlobalRef| {
        let global = module.global(*g);
        let of_members = global.members.iter().any(|m| m.builtin.is_some() || m.location.is_some());
        let has_place = global.binding.location.is_some() || global.binding.builtin.is_some();
        global.space == space && !has_place && !of_members
    };
    (0..module.globals.len() as u32).map(GlobalRef).filter(is_open).collect()
}

fn fill(module: &mut Module, space: Space) {
    let own = module.globals.iter().filter(|global| global.space == space);
    let known = own.filter_map(|global| Some((global.binding.location?, slots(module, global.ty))));
    let mut taken: Vec<u32> = known.flat_map(|(first, count)| first..first + count).collect();
    for g in open(module, space) {
        let count = slots(module, module.global(g).ty);
        let is_free = |first: &u32| (*first..first + count).all(|n| !taken.contains(&n));
        let first = (0..).find(is_free).unwrap_or(0);
        taken.extend(first..first + count);
        module.globals[g.0 as usize].binding.location = Some(first);
    }
}

/// Locations that a type takes.
fn slots(module: &Module, ty: Ty) -> u32 {
    let parts = module.types.part_count(ty).unwrap_or(0);
    match module.types.get(ty) {
        Type::Vector(..) => 1,
        _ if parts == 0 => 1,
        _ => (0..parts).filter_map(|n| module.types.part(ty, n)).map(|part| slots(module, part)).sum(),
    }
}

#[cfg(test)]
mod tests {
    use chiaro_ir::{Binding, Global, Interpolation};

    use super::*;

    fn module(variables: &[(Space, &str, Option<u32>)]) -> Module {
        let mut module = Module::default();
        let float = module.types.intern(Type::Float(32));
        let column = module.types.vector(float, 4);
        let matrix = module.types.intern(Type::Array(column, 3, 16));
        for &(space, name, location) in variables {
            module.globals.push(Global {
                name: name.to_owned(),
                space,
                ty: if name.starts_with('m') { matrix } else { column },
                init: None,
                binding: Binding {
                    location,
                    interpolation: Interpolation::Perspective,
                    ..Binding::default()
                },
                members: Vec::new(),
                coherent: false,
                read_only: false,
                span: None,
            });
        }
        module
    }

    fn locations(module: &Module) -> Vec<Option<u32>> {
        module.globals.iter().map(|global| global.binding.location).collect()
    }

    #[test]
    fn varyings_meet_by_name() {
        use Space::{Input, Output};
        let mut vertex = module(&[
            (Input, "place", None),
            (Output, "a", Some(1)),
            (Output, "m", None),
            (Output, "b", None),
        ]);
        let mut fragment =
            module(&[(Input, "b", None), (Input, "m", None), (Input, "other", None), (Input, "a", Some(1))]);
        locate(&mut vertex, &mut fragment);
        assert_eq!(locations(&vertex), [Some(0), Some(1), Some(2), Some(0)]);
        assert_eq!(locations(&fragment), [Some(0), Some(2), Some(5), Some(1)]);
    }
}
