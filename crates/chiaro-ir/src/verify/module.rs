//! The rules outside of functions: types, constants, variables, entry points, names.

use super::{Breach, MOST};
use crate::constant::{Constant, ConstantKind};
use crate::id::Value;
use crate::module::{EntryPoint, Global, Module};
use crate::print::type_text;
use crate::ty::{ImageType, Space, Ty, Type};
use crate::typing::signature_fits;
use std::collections::HashSet;

/// Types within types are not deeper than this.
const DEPTH: u16 = 255;

/// Adds the breaches of a module outside of its functions.
pub(super) fn check(module: &Module, breaches: &mut Vec<Breach>) {
    let mut checker = Checker { module, breaches };
    // What follows looks into types and constants and relies on their order.
    if checker.types() && checker.functions() && checker.constants() {
        checker.specs();
        checker.globals();
        checker.entries();
    }
}

struct Checker<'a> {
    module: &'a Module,
    breaches: &'a mut Vec<Breach>,
}

impl Checker<'_> {
    fn breach(&mut self, message: String) {
        if self.breaches.len() < MOST {
            let name = String::new();
            self.breaches.push(Breach { function: None, name, inst: None, span: None, message });
        }
    }

    fn name(&self, ty: Ty) -> String {
        type_text(&self.module.types, ty)
    }

    /// Every type is made of earlier ones, so that types are finite.
    fn types(&mut self) -> bool {
        let types = &self.module.types;
        let mut depths: Vec<u16> = Vec::with_capacity(types.len());
        for i in 0..types.len() as u32 {
            let ty = types.get(Ty(i));
            let mut depth = 0;
            let mut ordered = true;
            for_each_part(ty, &mut |part: Ty| {
                ordered &= part.0 < i;
                depth = depth.max(depths.get(part.0 as usize).map_or(0, |d| d + 1));
            });
            depths.push(depth);
            let verdict = match (ordered, depth <= DEPTH) {
                (false, _) => Err("is made of a type that comes later"),
                (_, false) => Err("is nested too deeply"),
                _ => self.type_itself(ty),
            };
            if let Err(message) = verdict {
                let name = if ordered { self.name(Ty(i)) } else { format!("type {i}") };
                self.breach(format!("{name} {message}"));
                return false;
            }
        }
        true
    }

    /// A type whose parts are known to be sound.
    fn type_itself(&self, ty: &Type) -> Result<(), &'static str> {
        let types = &self.module.types;
        let sound = match ty {
            Type::Int(n) => [8, 16, 32, 64].contains(n),
            Type::Float(n) => [16, 32, 64].contains(n),
            Type::Vector(elem, n) => {
                let scalar = matches!(types.get(*elem), Type::Bool | Type::Int(_) | Type::Float(_));
                scalar && (2..=4).contains(n)
            }
            Type::Array(elem, n, _) => *n > 0 && self.is_storable(*elem),
            Type::RuntimeArray(elem, _) => self.is_storable(*elem),
            Type::Struct(_, members) => members.iter().enumerate().all(|(i, m)| {
                let last = i + 1 == members.len();
                self.is_storable(m.ty) || last && matches!(types.get(m.ty), Type::RuntimeArray(..))
            }),
            Type::Image(image) | Type::SampledImage(image) => self.is_component(image),
            Type::Pointer(_, to) => {
                self.is_storable(*to) || matches!(types.get(*to), Type::RuntimeArray(..) | Type::Void)
            }
            Type::Function(params, result) => params.iter().chain([result]).all(|ty| self.is_parameter(*ty)),
            _ => true,
        };
        if sound { Ok(()) } else { Err("is no type") }
    }

    fn is_component(&self, image: &ImageType) -> bool {
        // Images for texel buffers of unknown contents have no component in foreign modules.
        matches!(
            self.module.types.get(image.component),
            Type::Float(16 | 32) | Type::Int(16 | 32 | 64) | Type::Void
        )
    }

    fn is_parameter(&self, ty: Ty) -> bool {
        !matches!(self.module.types.get(ty), Type::Function(..) | Type::RuntimeArray(..))
    }

    /// Whether a place may hold it: no pointers but those to device memory.
    fn is_storable(&self, ty: Ty) -> bool {
        match self.module.types.get(ty) {
            Type::Pointer(space, _) => *space == Space::Device,
            Type::Void | Type::Function(..) | Type::RuntimeArray(..) => false,
            _ => true,
        }
    }

    fn constants(&mut self) -> bool {
        for i in 0..self.module.constants.len() as u32 {
            let ty = self.module.constants.ty(Constant(i));
            let sound = (ty.0 as usize) < self.module.types.len() && self.constant(i, ty);
            if !sound {
                let name = if (ty.0 as usize) < self.module.types.len() { self.name(ty) } else { "?".into() };
                self.breach(format!("constant {i} is no value of {name}"));
                return false;
            }
        }
        true
    }

    fn constant(&self, i: u32, ty: Ty) -> bool {
        let Module { types, constants, globals, specs, .. } = self.module;
        match constants.get(Constant(i)) {
            ConstantKind::Scalar(bits) => match types.get(ty) {
                Type::Bool => *bits < 2,
                Type::Int(n) | Type::Float(n) => *n == 64 || bits >> n == 0,
                Type::Pointer(space, _) => *space == Space::Device,
                _ => false,
            },
            ConstantKind::Composite(parts) => {
                let is_part = |(n, part): (usize, &Constant)| {
                    part.0 < i && types.part(ty, n as u32) == Some(constants.ty(*part))
                };
                types.part_count(ty) == Some(parts.len() as u32) && parts.iter().enumerate().all(is_part)
            }
            ConstantKind::Zero => !matches!(
                types.get(ty),
                Type::Void | Type::RuntimeArray(..) | Type::Image(_) | Type::SampledImage(_) | Type::Sampler
            ),
            ConstantKind::Undef => !matches!(types.get(ty), Type::Void | Type::RuntimeArray(..)),
            ConstantKind::Global(g) => {
                let place = globals.get(g.0 as usize).map(|global| (global.space, global.ty));
                place.is_some() && types.pointee(ty) == place
            }
            // As a number it is a handle that memory may hold.
            ConstantKind::Function(f) if *types.get(ty) == Type::Int(64) => {
                (f.0 as usize) < self.module.functions.len()
            }
            ConstantKind::Function(f) => signature_fits(self.module, *f, ty),
            ConstantKind::Spec(n) => {
                specs.get(*n as usize).is_some_and(|spec| self.ty_of(spec.default) == Some(ty))
            }
        }
    }

    fn ty_of(&self, c: Constant) -> Option<Ty> {
        let constants = &self.module.constants;
        ((c.0 as usize) < constants.len()).then(|| constants.ty(c))
    }

    fn specs(&mut self) {
        let mut ids = HashSet::new();
        for (i, spec) in self.module.specs.iter().enumerate() {
            let default = self.ty_of(spec.default).map(|_| self.module.constants.get(spec.default));
            if matches!(default, None | Some(ConstantKind::Spec(_))) {
                self.breach(format!("specialisation constant {i} has no default"));
            }
            if spec.id.is_some_and(|id| !ids.insert(id)) {
                self.breach(format!("specialisation constant {i} has the number of an earlier one"));
            }
        }
    }

    fn globals(&mut self) {
        let mut names = HashSet::new();
        for global in &self.module.globals {
            if !global.name.is_empty() && !names.insert(global.name.as_str()) {
                self.breach(format!("there are two variables `{}`", global.name));
            }
            if let Err(message) = self.global(global) {
                self.breach(format!("variable `{}` {message}", global.name));
            }
        }
    }

    fn global(&self, global: &Global) -> Result<(), String> {
        if global.ty.0 as usize >= self.module.types.len() {
            return Err("has no type of the module".into());
        }
        if matches!(global.space, Space::Function | Space::Image | Space::Device) {
            return Err(format!("stands in the space `{}`", global.space.name()));
        }
        let ty = self.module.types.get(global.ty);
        let unbounded = matches!(ty, Type::RuntimeArray(..));
        if !self.is_storable(global.ty) && !unbounded {
            return Err(format!("holds {}", self.name(global.ty)));
        }
        if global.init.is_some_and(|init| self.ty_of(init) != Some(global.ty)) {
            return Err("begins with a value of another type".into());
        }
        let mut block = ty;
        while let Type::Array(elem, ..) | Type::RuntimeArray(elem, _) = block {
            block = self.module.types.get(*elem);
        }
        let members = if let Type::Struct(_, members) = block { members.len() } else { 0 };
        if !global.members.is_empty() && global.members.len() != members {
            return Err(format!("binds {} of {members} members", global.members.len()));
        }
        Ok(())
    }

    /// Names and signatures; calls and constants rely on them.
    fn functions(&mut self) -> bool {
        let mut names = HashSet::new();
        let mut sound = true;
        for f in &self.module.functions {
            if !names.insert(f.name.as_str()) {
                self.breach(format!("there are two functions `{}`", f.name));
            }
            let is_type = |ty: Ty| (ty.0 as usize) < self.module.types.len();
            let is_value = |v: &Value| (v.0 as usize) < f.value_count() && is_type(f.ty(*v));
            if !is_type(f.result) || !f.params.iter().all(is_value) {
                self.breach(format!("function `{}` has a signature without types", f.name));
                sound = false;
            }
        }
        sound
    }

    fn entries(&mut self) {
        let mut names = HashSet::new();
        for entry in &self.module.entries {
            if !names.insert((entry.name.as_str(), entry.stage)) {
                self.breach(format!("there are two entry points `{}` of one stage", entry.name));
            }
            if let Err(message) = self.entry(entry) {
                self.breach(format!("entry point `{}` {message}", entry.name));
            }
        }
    }

    fn entry(&self, entry: &EntryPoint) -> Result<(), &'static str> {
        let Some(f) = self.module.functions.get(entry.function.0 as usize) else {
            return Err("has no function");
        };
        let returns = *self.module.types.get(f.result) != Type::Void;
        if !f.params.is_empty() || returns {
            return Err("has a function with parameters or a result");
        }
        if entry.interface.iter().any(|g| g.0 as usize >= self.module.globals.len()) {
            return Err("uses a variable that the module does not have");
        }
        if entry.workgroup.contains(&0) {
            return Err("has an empty workgroup");
        }
        Ok(())
    }
}

fn for_each_part(ty: &Type, part: &mut impl FnMut(Ty)) {
    match ty {
        Type::Vector(elem, _) | Type::Array(elem, ..) | Type::RuntimeArray(elem, _) => part(*elem),
        Type::Pointer(_, to) => part(*to),
        Type::Image(image) | Type::SampledImage(image) => part(image.component),
        Type::Struct(_, members) => members.iter().for_each(|m| part(m.ty)),
        Type::Function(params, result) => params.iter().chain([result]).for_each(|&ty| part(ty)),
        Type::Void | Type::Bool | Type::Int(_) | Type::Float(_) => {}
        Type::Sampler | Type::AccelerationStructure | Type::RayQuery => {}
    }
}
