//! Variables, constants and structures of the language become those of the program when a
//! source names them.

use super::checker::Checker;
use super::layout::Kind;
use super::scope::Entity;
use super::state::{Place, Qualifiers};
use crate::ast::Declarator;
use crate::builtin::structures::{STRUCTURES, Structure};
use crate::builtin::variable::{Count, Number, Variable};
use crate::builtin::{Absence, blocks, constants, devices, variable, variables};
use crate::hir::{self, Builtin, ExprId, ExprKind, GlobalId};
use crate::qualifier::Storage;
use crate::token::{At, Symbol};
use crate::ty::{Length, Member, Scalar, Struct, Ty, Type};

impl<'a> Checker<'a> {
    /// What a name of the language stands for here; the name starts with `gl_`.
    pub(super) fn builtin_entity(&mut self, symbol: Symbol, at: At) -> Option<Entity> {
        if !self.text(symbol).starts_with("gl_") {
            return None;
        }
        if let Some(&global) = self.builtins.globals.get(&symbol) {
            return Some(Entity::Global(global));
        }
        if let Some(value) = self.builtin_constant(symbol, at) {
            return Some(Entity::Constant(value));
        }
        let row = self.builtin_variable(symbol)?;
        self.check_client_variable(row, at);
        Some(Entity::Global(self.add_builtin(symbol, row)))
    }

    /// Why a name of the language is not there, if another version or stage has it.
    pub(super) fn builtin_absence(&self, symbol: Symbol) -> Option<Absence> {
        let rows = variables::named(self.text(symbol)).iter().map(|row| row.when);
        let constants =
            constants::CONSTANTS.iter().filter(|row| row.name == self.text(symbol)).map(|row| row.when);
        let numbers = devices::numbers().filter(|row| row.name == self.text(symbol)).map(|row| row.when);
        rows.chain(constants)
            .chain(numbers)
            .filter_map(|when| when.check(self.version, self.stage, &self.enabled).err())
            .last()
    }

    fn builtin_variable(&self, symbol: Symbol) -> Option<&'static Variable> {
        let rows = variables::named(self.text(symbol));
        rows.iter().find(|row| row.when.is(self.version, self.stage, &self.enabled)).copied()
    }

    /// `gl_MaxDrawBuffers` and the like.
    fn builtin_constant(&mut self, symbol: Symbol, at: At) -> Option<ExprId> {
        if self.text(symbol) == "gl_WorkGroupSize" {
            return self.work_group_size(at);
        }
        if let Some(number) = self.number_named(self.text(symbol)) {
            let ty = self.vector(number.scalar, 1);
            return Some(self.constant([u64::from(number.value)], ty, at));
        }
        let value = self.constant_named(self.text(symbol))?;
        let ty = self.vector(Scalar::Int, value.len() as u8);
        let bits: Vec<u64> = value.iter().map(|&n| u64::from(n as u32)).collect();
        Some(self.constant(bits, ty, at))
    }

    fn number_named(&self, name: &str) -> Option<&'static Number> {
        let there = |row: &&Number| row.name == name && row.when.is(self.version, self.stage, &self.enabled);
        devices::numbers().find(there)
    }

    fn constant_named(&self, name: &str) -> Option<&'static [i32]> {
        let there = |row: &&constants::Constant| {
            row.name == name && row.when.is(self.version, self.stage, &self.enabled)
        };
        constants::CONSTANTS.iter().find(there).map(|row| row.value)
    }

    /// `gl_WorkGroupSize`: known once the size is declared.
    fn work_group_size(&mut self, at: At) -> Option<ExprId> {
        if !self.stage.has_workgroups() {
            return None;
        }
        if self.declared_size_at.is_none() {
            self.error(at, "`gl_WorkGroupSize` is known only behind the declaration of the workgroup's size")
                .help
                .push("write `layout(local_size_x = 64) in;` before".into());
            self.declared_size_at = Some(at);
        }
        let ty = self.vector(Scalar::Uint, 3);
        if self.modes.local_size_id.iter().any(Option::is_some) {
            let parts = [0, 1, 2].map(|axis| self.work_group_axis(axis, at));
            return Some(self.push(ExprKind::Construct(parts.into()), ty, None, at));
        }
        let bits: Vec<u64> = self.modes.local_size.iter().map(|&n| u64::from(n)).collect();
        Some(self.constant(bits, ty, at))
    }

    /// One component of `gl_WorkGroupSize`, which may be a specialisation constant.
    fn work_group_axis(&mut self, axis: usize, at: At) -> ExprId {
        let (size, uint) = (self.modes.local_size[axis], self.known.uint);
        let Some(id) = self.modes.local_size_id[axis] else {
            return self.constant([u64::from(size)], uint, at);
        };
        let known = self.specs.iter().position(|spec| spec.id == Some(id));
        let spec = known.unwrap_or_else(|| {
            let name = self.nameless();
            self.specs.push(hir::Spec {
                name,
                id: Some(id),
                value: None,
                ty: uint,
                default: u64::from(size),
                at,
            });
            self.specs.len() - 1
        });
        self.push(ExprKind::Spec(hir::SpecId(spec as u32)), uint, None, at)
    }

    /// Adds a variable of the language to the program.
    fn add_builtin(&mut self, symbol: Symbol, row: &'static Variable) -> GlobalId {
        let ty = self.builtin_type(row.kind, row.storage);
        let precision = if self.is_es() { row.precision } else { None };
        let flat =
            row.storage == Storage::In && self.is_fragment() && self.has(ty, super::state::Parts::INTEGER);
        let own = match row.kind {
            variable::Kind::Structures(name, _) => blocks::block(name),
            _ => None,
        };
        let layout = crate::qualifier::Layout {
            per_primitive: own.is_some_and(|block| block.per_primitive),
            patch: is_of_patch(row.builtin),
            interpolation: if flat {
                crate::qualifier::Interpolation::Flat
            } else {
                crate::qualifier::Interpolation::Smooth
            },
            ..crate::qualifier::Layout::default()
        };
        let global = hir::Global {
            name: symbol,
            ty,
            storage: row.storage,
            precision,
            layout,
            builtin: Some(row.builtin).filter(|_| own.is_none()),
            block: own.map(|block| self.block_of_own(block)),
            init: None,
            used: false,
            framebuffer_fetch: row.builtin == Builtin::LastFragData,
            at: None,
        };
        let id = self.add_global(global);
        self.builtins.globals.insert(symbol, id);
        id
    }

    pub(super) fn builtin_type(&mut self, kind: variable::Kind, storage: Storage) -> Ty {
        let (element, count) = match kind {
            variable::Kind::Known(scalar, columns, rows) => {
                return self.of_numeric(crate::numeric::Num { scalar, columns, rows });
            }
            variable::Kind::Structure(name) => return self.structure_named(name),
            variable::Kind::Array(scalar, columns, rows, count) => {
                (self.of_numeric(crate::numeric::Num { scalar, columns, rows }), count)
            }
            variable::Kind::Structures(name, count) => (self.structure_named(name), count),
        };
        let length = match count {
            Count::Number(n) => Length::Known(n),
            Count::Constant(name) => Length::Known(
                self.constant_named(name).and_then(|value| value.first()).map_or(1, |&n| n as u32),
            ),
            Count::Use => Length::Unsized,
            Count::Vertices | Count::Primitives | Count::Indices => self.counted(count, storage),
        };
        self.types.intern(Type::Array(element, length))
    }

    /// The variable of a name of the language, once something has named it.
    pub(super) fn known_builtin(&self, name: Symbol) -> Option<GlobalId> {
        self.builtins.globals.get(&name).copied()
    }

    /// A structure of the language by its name, if it is there.
    pub(super) fn builtin_structure(&mut self, symbol: Symbol) -> Option<Ty> {
        let name = self.text(symbol);
        let row = STRUCTURES
            .iter()
            .find(|row| row.name == name && row.when.is(self.version, self.stage, &self.enabled))?;
        Some(self.add_structure(row))
    }

    fn structure_named(&mut self, name: &str) -> Ty {
        if let Some(block) = blocks::block(name) {
            return self.own_block(block);
        }
        STRUCTURES.iter().find(|row| row.name == name).map_or(self.known.error, |row| self.add_structure(row))
    }

    fn add_structure(&mut self, row: &'static Structure) -> Ty {
        let name = self.symbols.intern(row.name);
        if let Some(&ty) = self.builtins.structures.get(&name) {
            return ty;
        }
        let precision = self.is_es().then_some(crate::qualifier::Precision::High);
        let mut members = Vec::with_capacity(row.members.len());
        for &(member, kind) in row.members {
            let ty = self.builtin_type(kind, Storage::Uniform);
            members.push(Member { name: self.symbols.intern(member), ty, precision, precise: false });
        }
        let ty = self.new_struct(Struct { name, members });
        self.builtins.structures.insert(name, ty);
        ty
    }

    /// A place of a variable of the language, for what needs one by itself.
    pub(super) fn builtin_place(&mut self, name: &str, at: At) -> ExprId {
        let symbol = self.symbols.intern(name);
        let Some(Entity::Global(id)) = self.builtin_entity(symbol, at) else { return self.wrong(at) };
        self.globals[id.0 as usize].used = true;
        let ty = self.global(id).ty;
        self.push(ExprKind::Global(id), ty, None, at)
    }

    /// A declaration of a name of the language: a size or qualifiers for it. False if the
    /// language has no such name here, which is then an error like any other.
    pub(super) fn redeclare_builtin(&mut self, declarator: &'a Declarator, ty: Ty, all: &Qualifiers) -> bool {
        let id = match self.builtin_entity(declarator.name, declarator.at) {
            Some(Entity::Global(id)) => id,
            Some(Entity::Constant(_)) => return self.redeclare_switch(declarator, ty, all),
            _ => return false,
        };
        let name = self.text(declarator.name).to_owned();
        let (kind, what) = match name.as_str() {
            "gl_FragCoord" => (Kind::FRAG_COORD, "`gl_FragCoord`"),
            "gl_FragDepth" | "gl_FragDepthEXT" => (Kind::FRAG_DEPTH, "`gl_FragDepth`"),
            "gl_LastFragData" | "gl_FragData" | "gl_FragColor" => (Kind::COLOUR, "this variable"),
            _ => (Kind::BUILTIN, "this variable"),
        };
        self.check_layout(all, kind, what);
        self.check_redeclared(id, declarator, all);
        self.redeclare_type(id, declarator, ty);
        if all.numbers.upper_left {
            self.modes.origin_upper_left = true;
        }
        if all.numbers.integer_centre {
            self.modes.pixel_center_integer = true;
        }
        self.modes.depth = all.numbers.depth.or(self.modes.depth);
        let layout = &mut self.globals[id.0 as usize].layout;
        layout.invariant |= all.layout.invariant;
        layout.precise |= all.layout.precise;
        layout.marks.extend_from_slice(&all.numbers.marks);
        if all.interpolation.is_some() {
            layout.interpolation = all.layout.interpolation;
            layout.smooth = all.layout.smooth;
        }
        if let Some(init) = declarator.init {
            let at = self.ast.exprs[init.0 as usize].at;
            self.error(at, "a variable of the language cannot have an initialiser");
        }
        true
    }

    /// A declaration again says how the variable lives, which must be as it does; what changes
    /// its meaning comes before any use.
    fn check_redeclared(&mut self, id: GlobalId, declarator: &Declarator, all: &Qualifiers) {
        let global = self.global(id);
        let written = match (all.place, self.stage) {
            (Some(Place::Attribute), crate::source::Stage::Vertex) => Some(Storage::In),
            (Some(Place::Varying), crate::source::Stage::Fragment) => Some(Storage::In),
            (Some(Place::Varying), _) => Some(Storage::Out),
            (Some(Place::In), _) => Some(Storage::In),
            (Some(Place::Out | Place::Inout), _) => Some(Storage::Out),
            (Some(Place::Uniform), _) => Some(Storage::Uniform),
            _ => None,
        };
        let fetch = global.builtin == Some(Builtin::LastFragData);
        let name = self.text(declarator.name).to_owned();
        if written != Some(global.storage) && !fetch {
            let word = match global.storage {
                Storage::In => "an input",
                Storage::Out => "an output",
                _ => "a uniform",
            };
            self.error(declarator.at, format!("`{name}` is {word}, and must be declared as one"));
        } else if global.used && all.numbers.at.is_some() {
            self.error(declarator.at, format!("`{name}` is used before this declaration"));
        }
    }

    /// How many elements an array of the language may have.
    pub(super) fn most_elements(&self, id: GlobalId) -> Option<u32> {
        let limit = match self.text(self.global(id).name) {
            "gl_TexCoord" => "gl_MaxTextureCoords",
            "gl_ClipDistance" => "gl_MaxClipDistances",
            "gl_CullDistance" => "gl_MaxCullDistances",
            _ => return None,
        };
        self.constant_named(limit).and_then(|value| value.first()).map(|&n| n as u32)
    }

    /// A declaration again may give an array its size; else the type must be the same.
    fn redeclare_type(&mut self, id: GlobalId, declarator: &Declarator, ty: Ty) {
        let old = self.global(id).ty;
        if let (Type::Array(a, _), Type::Array(b, length)) = (self.ty(old), self.ty(ty))
            && a == b
        {
            if let (Length::Known(n), Some(most)) = (*length, self.most_elements(id))
                && n > most
            {
                let message = format!("`{}` has at most {most} elements", self.text(declarator.name));
                self.error(declarator.at, message);
            } else if *length != Length::Unsized {
                self.globals[id.0 as usize].ty = ty;
            }
            return;
        }
        if old != ty && ty != self.known.error {
            let (expected, found) = (self.name_of(old), self.name_of(ty));
            let message = format!(
                "`{}` is declared with another type: expected `{expected}`, found `{found}`",
                self.text(declarator.name)
            );
            self.error(declarator.at, message);
        }
    }

    /// Puts a global in the place of a variable of the language.
    pub(super) fn replace_builtin(&mut self, symbol: Symbol, id: GlobalId) {
        self.builtins.globals.insert(symbol, id);
    }

    /// Which built-in a member of a block of the language's own is.
    pub(super) fn builtin_of(&self, symbol: Symbol, block: &blocks::OwnBlock) -> Option<Builtin> {
        let name = self.text(symbol);
        let own = block.members.iter().find(|row| row.0 == name && self.has_member(row));
        let known = own.map(|row| Builtin::Known(row.2));
        known.or_else(|| self.builtin_variable(symbol).map(|row| row.builtin))
    }
}

/// Whether a variable of the language is of the patch as a whole.
fn is_of_patch(builtin: Builtin) -> bool {
    use spirv::BuiltIn::{TessLevelInner, TessLevelOuter};
    matches!(builtin, Builtin::Known(TessLevelInner | TessLevelOuter) | Builtin::Unused)
}
