//! Declarations that only qualify: names that are there already, or defaults of the stage.

use super::checker::Checker;
use super::layout::{GROUPS, Kind};
use super::scope::Entity;
use super::state::{Place, Qualifiers};
use crate::ast::Qualifier;
use crate::qualifier::{Packing, Storage};
use crate::source::Stage;
use crate::token::{At, Symbol};

/// Vertices or primitives that a mesh may declare: more than any device makes.
const MOST_OF_MESH: u32 = 4096;

impl<'a> Checker<'a> {
    /// Qualifiers for names that are there already, or for none: defaults and properties.
    pub(super) fn qualify(&mut self, qualifiers: &'a [Qualifier], names: &[(Symbol, At)], at: At) {
        let all = self.qualifiers(qualifiers, false);
        if names.is_empty() {
            self.set_defaults(&all, at);
            return;
        }
        if all.numbers.buffer_reference {
            return self.declare_references(names, &all);
        }
        for &(name, at) in names {
            self.qualify_name(name, at, &all);
        }
    }

    /// `invariant x;`, `precise x;`
    fn qualify_name(&mut self, name: Symbol, at: At, all: &Qualifiers) {
        let entity = self.scopes.find(name).map(|binding| binding.entity);
        let entity = entity.or_else(|| self.builtin_entity(name, at));
        match entity {
            Some(Entity::Global(id)) => {
                let global = &self.globals[id.0 as usize];
                let output = global.storage == Storage::Out
                    || global.storage == Storage::In && self.has_invariant_inputs();
                let old = global.used;
                if let (Some(at), false) = (all.invariant, output) {
                    self.error(at, "only outputs can be `invariant`");
                } else if all.invariant.is_some() && old {
                    let message = format!("`{}` is used before it is `invariant`", self.text(name));
                    self.error(at, message);
                }
                if all.invariant.is_some() && self.scopes.depth() > 1 {
                    self.error(at, "`invariant` is for the outermost level");
                }
                let layout = &mut self.globals[id.0 as usize].layout;
                layout.invariant |= all.layout.invariant;
                layout.precise |= all.layout.precise;
                layout.centroid |= all.layout.centroid;
                layout.coherent |= all.layout.coherent;
                layout.volatile |= all.layout.volatile;
                layout.restrict |= all.layout.restrict;
                layout.read_only |= all.layout.read_only;
                layout.write_only |= all.layout.write_only;
            }
            Some(Entity::Local(id)) => {
                if all.invariant.is_some() {
                    self.error(at, "only outputs can be `invariant`");
                }
                self.set_precise(id);
            }
            Some(Entity::Member(id, n)) => {
                if let Some(member) =
                    self.globals[id.0 as usize].block.as_mut().and_then(|b| b.members.get_mut(n as usize))
                {
                    member.invariant |= all.layout.invariant;
                    member.precise |= all.layout.precise;
                }
            }
            Some(Entity::Constant(value)) if self.specialise_builtin(name, value, at, all) => {}
            Some(Entity::Poison) => {}
            Some(_) => {
                let message = format!("`{}` is not a variable", self.text(name));
                self.error(at, message);
            }
            None => self.undeclared(name, at),
        }
    }

    /// `layout(...) uniform;` and the like.
    fn set_defaults(&mut self, all: &Qualifiers, at: At) {
        let kind = match all.place {
            Some(Place::Uniform | Place::Buffer | Place::Shared) => Kind::DEFAULT_BLOCK,
            Some(Place::In) => Kind::DEFAULT_IN,
            Some(Place::Out) => Kind::DEFAULT_OUT,
            None if all.numbers.primitive_culling => Kind::ALONE,
            _ => {
                self.error(at, "qualifiers without a name")
                    .help
                    .push("write `layout(...) uniform;`, `in;` or `out;`".into());
                return;
            }
        };
        self.check_layout(all, kind, "a declaration without a name");
        let numbers = &all.numbers;
        self.modes.primitive_culling |= numbers.primitive_culling;
        self.modes.tile_rate = numbers.tile_rate.or(self.modes.tile_rate);
        if !numbers.modes.is_empty() {
            self.modes_at.get_or_insert(at);
        }
        for &mode in &numbers.modes {
            self.add_mode(mode, at);
        }
        match all.place {
            Some(Place::Uniform) => merge(&mut self.defaults.uniform, all),
            Some(Place::Buffer) => merge(&mut self.defaults.buffer, all),
            Some(Place::Shared) => merge(&mut self.defaults.shared, all),
            Some(Place::In) => {
                self.modes.early_fragment_tests |= numbers.early_tests;
                self.set_local_size(all, at);
                self.set_primitives(all);
            }
            _ => {
                self.set_primitives(all);
                self.set_sizes(all, at);
            }
        }
    }

    /// Adds a mode of the stage; of some there is one.
    fn add_mode(&mut self, mode: spirv::ExecutionMode, at: At) {
        if self.modes.others.contains(&mode) {
            return;
        }
        for (group, what) in GROUPS {
            if group.contains(&mode) && group.iter().any(|other| self.modes.others.contains(other)) {
                self.error(at, format!("another {what} was declared before"));
                return;
            }
        }
        self.modes.others.push(mode);
    }

    /// Vertices of a patch, vertices and primitives of a mesh; several declarations must agree.
    fn set_sizes(&mut self, all: &Qualifiers, at: At) {
        let numbers = &all.numbers;
        let mesh = [numbers.max_vertices, numbers.max_primitives];
        let given = match self.stage {
            Stage::TessControl => [(numbers.patch_vertices, 0), (None, 1), (None, 2)],
            Stage::Mesh => [(None, 0), (mesh[0], 1), (mesh[1], 2)],
            _ => return,
        };
        for (number, which) in given {
            let Some(number) = number else { continue };
            let slot = match which {
                0 => &mut self.modes.patch_vertices,
                which => &mut self.modes.mesh[which - 1],
            };
            let before = slot.replace(number);
            if before.is_some_and(|before| before != number) {
                self.error(at, "this number was declared differently before");
            }
            let most = if which == 0 { crate::arrayed::PATCH } else { MOST_OF_MESH };
            if number > most {
                self.error(at, format!("too many: {number}, at most {most}"));
            }
        }
        self.size_declared();
    }

    /// Arrays of the language that were named before their size was known get it now.
    fn size_declared(&mut self) {
        for n in 0..self.globals.len() {
            let (ty, storage, layout) =
                (self.globals[n].ty, self.globals[n].storage, self.globals[n].layout.clone());
            if self.globals[n].block.is_some() || self.globals[n].builtin.is_none() {
                self.globals[n].ty = self.sized_by_primitive(ty, storage, &layout);
            }
        }
    }

    /// `local_size_x` and so on; several declarations must agree.
    fn set_local_size(&mut self, all: &Qualifiers, at: At) {
        const LARGEST: [u32; 3] = [1024, 1024, 64];
        if all.numbers.local_size.iter().all(Option::is_none)
            && all.numbers.local_size_id.iter().all(Option::is_none)
        {
            return;
        }
        self.declared_size_at.get_or_insert(at);
        for (axis, &largest) in LARGEST.iter().enumerate() {
            if let Some(size) = all.numbers.local_size[axis] {
                if size > largest {
                    self.error(at, format!("the workgroup is too large: {size}, at most {largest}"));
                }
                if self.declared_size[axis].replace(size).is_some_and(|before| before != size) {
                    self.error(at, "the size of the workgroup was declared differently before");
                }
                self.modes.local_size[axis] = size;
            }
            if let Some(id) = all.numbers.local_size_id[axis] {
                self.modes.local_size_id[axis] = Some(id);
            }
        }
    }

    fn set_primitives(&mut self, all: &Qualifiers) {
        if self.stage != Stage::Geometry {
            return;
        }
        use spirv::ExecutionMode::{InputPoints, OutputPoints};
        let numbers = &all.numbers;
        let output = all.place == Some(Place::Out);
        let points = |given: bool| numbers.points && given;
        let report = [
            numbers.input.is_some() || points(!output),
            numbers.output.is_some() || points(output),
            numbers.max_vertices.is_some(),
        ];
        self.declared_primitives = std::array::from_fn(|i| self.declared_primitives[i] || report[i]);
        let (mut input, mut out, mut vertices, mut invocations) =
            self.modes.geometry.unwrap_or((InputPoints, OutputPoints, 0, 1));
        if output {
            out = numbers.output.unwrap_or(out);
            vertices = numbers.max_vertices.unwrap_or(vertices);
        } else {
            input = numbers.input.unwrap_or(input);
            invocations = numbers.invocations.unwrap_or(invocations);
        }
        self.modes.geometry = Some((input, out, vertices, invocations));
    }
}

fn merge(defaults: &mut (Option<Packing>, bool), all: &Qualifiers) {
    defaults.0 = all.numbers.packing.or(defaults.0);
    defaults.1 = all.numbers.row_major.unwrap_or(defaults.1);
}
