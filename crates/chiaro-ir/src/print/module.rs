//! What stands outside of functions as text.

use super::Printer;
use super::name::{quoted, write_quoted};
use crate::constant::Constant;
use crate::id::FunctionRef;
use crate::module::STAGES;
use crate::module::{Binding, EntryPoint, Global, Spec};
use crate::ty::{Member, Ty, Type};
use crate::words::{INTERPOLATIONS, word_of};
use std::fmt::Write;

impl Printer<'_> {
    pub(super) fn module(&mut self) {
        let module = self.module;
        for i in 0..module.types.len() {
            if let Type::Struct(_, members) = module.types.get(Ty(i as u32)) {
                self.structure(i, members);
            }
        }
        for (i, spec) in module.specs.iter().enumerate() {
            self.spec(i, spec);
        }
        for i in 0..module.constants.len() {
            if let Some(number) = self.names.constants[i] {
                self.large_constant(Constant(i as u32), number);
            }
        }
        for (i, global) in module.globals.iter().enumerate() {
            self.global(i, global);
        }
        for text in &module.texts {
            self.out.push_str("text ");
            write_quoted(&mut self.out, text);
            self.out.push('\n');
        }
        for entry in &module.entries {
            self.entry(entry);
        }
        for (i, f) in module.functions.iter().enumerate() {
            if !self.out.is_empty() {
                self.out.push('\n');
            }
            self.function(f, Some(FunctionRef(i as u32)));
        }
    }

    fn structure(&mut self, i: usize, members: &[Member]) {
        let names = self.names;
        let _ = writeln!(self.out, "struct {} {{", names.structs[i]);
        for member in members {
            let name = if member.name.is_empty() { "_".into() } else { quoted(&member.name, false) };
            let _ = write!(self.out, "  {name}: ");
            self.ty(member.ty);
            if let Some(offset) = member.offset {
                let _ = write!(self.out, " at {offset}");
            }
            self.out.push_str(",\n");
        }
        self.out.push_str("}\n");
    }

    fn spec(&mut self, i: usize, spec: &Spec) {
        let names = self.names;
        let _ = write!(self.out, "spec @{}: ", names.specs[i]);
        self.initial(spec.default);
        self.attribute("id", spec.id);
        self.out.push('\n');
    }

    fn large_constant(&mut self, c: Constant, number: u32) {
        let _ = write!(self.out, "const ${number}: ");
        self.ty(self.module.constants.ty(c));
        self.out.push_str(" = ");
        self.literal(c);
        self.out.push('\n');
    }

    /// A constant behind its type.
    fn initial(&mut self, c: Constant) {
        let known = (c.0 as usize) < self.module.constants.len();
        let ty = known.then(|| self.module.constants.ty(c));
        match ty {
            Some(ty) => self.ty(ty),
            None => self.out.push('?'),
        }
        self.out.push_str(" = ");
        self.constant(c, ty);
    }

    fn global(&mut self, i: usize, global: &Global) {
        let names = self.names;
        let _ = write!(self.out, "global @{}: {} ", names.globals[i], global.space.name());
        self.ty(global.ty);
        if let Some(init) = global.init {
            self.out.push_str(" = ");
            self.constant(init, Some(global.ty));
        }
        self.binding(&global.binding);
        for (_, word) in
            [(global.coherent, " coherent"), (global.read_only, " read_only")].iter().filter(|(set, _)| *set)
        {
            self.out.push_str(word);
        }
        for binding in &global.members {
            self.out.push_str(" member {");
            self.binding(binding);
            self.out.push_str(" }");
        }
        self.span(global.span);
        self.out.push('\n');
    }

    fn binding(&mut self, binding: &Binding) {
        self.attribute("location", binding.location);
        self.attribute("component", Some(binding.component).filter(|&n| n != 0));
        self.attribute("index", Some(binding.index).filter(|&n| n != 0));
        self.attribute("builtin", binding.builtin);
        self.attribute("set", binding.set);
        self.attribute("binding", binding.binding);
        let words = [
            (
                INTERPOLATIONS.iter().any(|i| i.0 == binding.interpolation),
                word_of(&INTERPOLATIONS, binding.interpolation),
            ),
            (binding.centroid, "centroid"),
            (binding.sample, "sample"),
            (binding.invariant, "invariant"),
            (binding.patch, "patch"),
        ];
        for (_, word) in words.iter().filter(|(set, _)| *set) {
            self.out.push(' ');
            self.out.push_str(word);
        }
    }

    fn entry(&mut self, entry: &EntryPoint) {
        let names = self.names;
        let name = |list: &[String], i: u32| list.get(i as usize).map_or("?".into(), Clone::clone);
        let _ = write!(self.out, "entry {} ", word_of(&STAGES, entry.stage));
        write_quoted(&mut self.out, &entry.name);
        let _ = write!(self.out, " = @{}", name(&names.functions, entry.function.0));
        if entry.workgroup != [1; 3] {
            let [x, y, z] = entry.workgroup;
            let _ = write!(self.out, " workgroup({x}, {y}, {z})");
        }
        for (number, operands) in &entry.modes {
            let _ = write!(self.out, " mode({number}");
            operands.iter().for_each(|n| {
                let _ = write!(self.out, ", {n}");
            });
            self.out.push(')');
        }
        if !entry.interface.is_empty() {
            self.out.push_str(" interface(");
            self.list(&entry.interface, |p, g| {
                let _ = write!(p.out, "@{}", name(&names.globals, g.0));
            });
            self.out.push(')');
        }
        self.out.push('\n');
    }
}
