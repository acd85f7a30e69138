//! What only the whole source shows: sizes of arrays by their use, recursion, missing bodies,
//! and the program that is handed on.

use super::checker::Checker;
use super::layout::GROUPS;
use super::state::Declared;
use chiaro_diag::Counts;

use crate::hir::{self, ExprKind, FunctionId, Program};
use crate::qualifier::Storage;
use crate::source::{Options, Stage};
use crate::token::At;
use crate::ty::{Length, Type};
use std::collections::HashSet;

impl Checker<'_> {
    /// Checks the whole and gives the program, if nothing was wrong.
    pub(super) fn finish(mut self, options: &Options) -> Option<Program> {
        self.size_arrays();
        self.check_arrayed();
        self.trim_blocks();
        self.pass_primitives();
        self.check_slots();
        self.require_locations();
        self.check_client_globals();
        self.check_modes();
        self.check_payloads();
        self.settle_micromaps();
        self.reject_recursion();
        self.reject_mixed_colours();
        self.reject_mixed_shared();
        self.apply_invariant_all();
        let main = self.find_main(options);
        let extensions = self.extensions.used().map(|extension| extension.name).collect::<Vec<_>>();
        if self.failed {
            return None;
        }
        let functions = std::mem::take(&mut self.functions);
        let mut bodies = Vec::with_capacity(functions.len());
        let mut numbers = Vec::with_capacity(functions.len());
        // What is called and has no body here another part has.
        let called: HashSet<u32> =
            functions.iter().flat_map(|declared| &declared.calls).map(|call| call.0.0).collect();
        for (n, declared) in functions.into_iter().enumerate() {
            numbers.push(FunctionId(bodies.len() as u32));
            let missing = declared.body.is_none() && called.contains(&(n as u32));
            bodies.extend(if missing { Some(empty_body(&declared)) } else { declared.body });
        }
        for expr in &mut self.exprs {
            if let ExprKind::Call(id, _) = &mut expr.kind {
                *id = numbers[id.0 as usize];
            }
        }
        let main = main.map(|id| numbers[id.0 as usize]);
        Some(Program {
            stage: self.stage,
            version: self.version,
            types: self.types,
            globals: self.globals,
            functions: bodies,
            exprs: self.exprs,
            nonuniform: self.nonuniform,
            specs: self.specs,
            main,
            modes: self.modes,
            instructions: self.instructions,
            extensions: extensions.iter().map(|name| self.symbols.intern(name)).collect(),
        })
    }

    /// Several outputs of a fragment shader are reported apart by their locations. [GLSL ES 3.00, 4.3.8.2]
    fn require_locations(&mut self) {
        if !(self.is_es() && self.version.number >= 300 && self.is_fragment()) {
            return;
        }
        let own = |g: &&hir::Global| g.storage == Storage::Out && g.builtin.is_none();
        let outputs: Vec<&hir::Global> = self.globals.iter().filter(own).collect();
        let missing = outputs.iter().find(|g| g.layout.location.is_none()).and_then(|g| g.at);
        if let (Some(at), true) = (missing, outputs.len() > 1) {
            self.error(at, "with several outputs, each needs a `location`")
                .help
                .push("write `layout(location = 0)` before it".into());
        }
    }

    /// Arrays without a size get the one that their largest constant index asks for.
    fn size_arrays(&mut self) {
        let mut changed = false;
        for n in 0..self.globals.len() {
            let global = &self.globals[n];
            let Type::Array(element, Length::Unsized) = *self.types.get(global.ty) else { continue };
            if self.is_open_descriptors(n) {
                continue;
            }
            let vertices = self
                .is_arrayed(global)
                .then(|| self.arrayed_elements(global.storage, &global.layout))
                .flatten();
            let count = vertices.unwrap_or_else(|| self.facts[n].largest.saturating_add(1));
            // Texture coordinates may be indexed by anything; the old pipeline had eight.
            let indexed = self.globals[n].builtin == Some(hir::Builtin::Legacy) && self.is_indexed_freely(n);
            let count = if indexed { count.max(8) } else { count };
            self.globals[n].ty = self.types.intern(Type::Array(element, Length::Known(count)));
            changed = true;
        }
        if changed {
            for expr in &mut self.exprs {
                if let ExprKind::Global(id) = expr.kind {
                    expr.ty = self.globals[id.0 as usize].ty;
                }
            }
        }
    }

    /// Whether an array without a size holds as many descriptors as the host binds: indices that
    /// are no constants ask for it. [GL_EXT_nonuniform_qualifier]
    fn is_open_descriptors(&self, n: usize) -> bool {
        let global = &self.globals[n];
        let bound = matches!(global.storage, Storage::Uniform | Storage::Buffer);
        let opaque = |ty| matches!(self.ty(ty), Type::Opaque(_));
        let descriptors = bound && (global.block.is_some() || opaque(self.innermost(global.ty)));
        let on = || self.extensions.used().any(|extension| extension.name == "GL_EXT_nonuniform_qualifier");
        descriptors && on() && self.is_indexed_freely(n)
    }

    /// `#pragma STDGL invariant(all)`.
    fn apply_invariant_all(&mut self) {
        let Some(span) = self.invariant_all else { return };
        if self.stage == Stage::Fragment && self.is_es() && self.version.number >= 300 {
            self.failed = true;
            let message = "`invariant(all)` is not for fragment shaders of this version";
            self.out.push(chiaro_diag::Diagnostic::error(span, message));
        }
        for global in self.globals.iter_mut().filter(|global| global.storage == Storage::Out) {
            global.layout.invariant = true;
        }
    }

    /// Shared memory is either blocks or variables: SPIR-V lays out all of it or none.
    fn reject_mixed_shared(&mut self) {
        let shared = self.globals.iter().filter(|global| global.storage == Storage::Shared && global.used);
        let (blocks, loose): (Vec<_>, Vec<_>) = shared.partition(|global| global.block.is_some());
        let place = |list: &[&hir::Global]| list.first().and_then(|global| global.at);
        if let (Some(block), Some(at)) = (place(&blocks), place(&loose)) {
            let message = "`shared` variables cannot be mixed with `shared` blocks";
            self.conflict(at, message, Some(block), "a block is here");
        }
    }

    /// A shader writes `gl_FragColor`, or `gl_FragData`, or outputs of its own.
    fn reject_mixed_colours(&mut self) {
        if self.stage != Stage::Fragment {
            return;
        }
        let mut first: Option<(usize, At)> = None;
        let kind = |global: &hir::Global| match global.builtin {
            Some(hir::Builtin::FragColor) => Some(0),
            Some(hir::Builtin::FragData) => Some(1),
            None => Some(2),
            _ => None,
        };
        for n in 0..self.globals.len() {
            let global = &self.globals[n];
            let (Some(kind), Some(at), Storage::Out) = (kind(global), self.facts[n].written, global.storage)
            else {
                continue;
            };
            match first {
                None => first = Some((kind, at)),
                Some((other, before)) if other != kind => {
                    let message =
                        "`gl_FragColor`, `gl_FragData` and outputs of your own cannot be written together";
                    self.conflict(at, message, Some(before), "another is written here");
                    return;
                }
                _ => {}
            }
        }
    }

    /// Whether some index of a global is not constant.
    fn is_indexed_freely(&self, global: usize) -> bool {
        self.exprs.iter().any(|expr| {
            matches!(&expr.kind, ExprKind::Index(base, index)
                if matches!(self.at(*base).kind, ExprKind::Global(id) if id.0 as usize == global)
                    && self.bits(*index).is_none())
        })
    }

    /// A function that calls itself, whichever way, is an error: searched with a stack of our
    /// own, each function once.
    fn reject_recursion(&mut self) {
        #[derive(Clone, Copy, PartialEq)]
        enum State {
            New,
            Open,
            Done,
        }
        let mut states = vec![State::New; self.functions.len()];
        let mut found: Vec<(FunctionId, At)> = Vec::new();
        for start in 0..self.functions.len() {
            if states[start] != State::New {
                continue;
            }
            states[start] = State::Open;
            let mut stack = vec![(start, 0)];
            while let Some((function, next)) = stack.last_mut() {
                let Some(&(callee, at)) = self.functions[*function].calls.get(*next) else {
                    states[*function] = State::Done;
                    stack.pop();
                    continue;
                };
                *next += 1;
                match states[callee.0 as usize] {
                    State::New => {
                        states[callee.0 as usize] = State::Open;
                        stack.push((callee.0 as usize, 0));
                    }
                    State::Open => found.push((callee, at)),
                    State::Done => {}
                }
            }
        }
        for (callee, at) in found {
            let declared = &self.functions[callee.0 as usize];
            let (name, place) = (self.text(declared.name).to_owned(), declared.at);
            self.conflict(
                at,
                format!("`{name}` calls itself, which no GLSL function may"),
                Some(place),
                "it is here",
            );
        }
    }

    /// The entry point; all that it calls must have a body, unless another part may have it.
    fn find_main(&mut self, options: &Options) -> Option<FunctionId> {
        let main = self.functions.iter().position(|declared| {
            self.symbols.text(declared.name) == "main" && declared.defined && declared.params.is_empty()
        });
        if !options.library {
            if !options.imports {
                self.reject_missing_bodies();
            }
            self.reject_missing_primitives();
            // Where anything else is wrong, `main` may be lost by that.
            let faulty = self.failed || Counts::of(self.out.iter()).errors > 0;
            if main.is_none() && !faulty {
                self.failed = true;
                self.out.push(
                    chiaro_diag::Diagnostic::error(None, "there is no function `main`")
                        .help("write `void main() { ... }`"),
                );
            }
        }
        main.map(|n| FunctionId(n as u32))
    }

    /// A stage says what it takes and what it makes.
    fn reject_missing_primitives(&mut self) {
        if self.failed {
            return;
        }
        let has = |group: usize| GROUPS[group].0.iter().any(|mode| self.modes.others.contains(mode));
        let report = match self.stage {
            Stage::Geometry => {
                let [input, output, vertices] = self.declared_primitives;
                vec![
                    (input, "its input primitive", "layout(triangles) in;"),
                    (output, "its output primitive", "layout(triangle_strip) out;"),
                    (vertices, "how many vertices it emits", "layout(max_vertices = 3) out;"),
                ]
            }
            Stage::TessControl => {
                let declared = self.modes.patch_vertices.is_some();
                vec![(declared, "how many vertices its patch has", "layout(vertices = 3) out;")]
            }
            Stage::TessEvaluation => vec![(has(0), "its primitive", "layout(triangles) in;")],
            Stage::Mesh => {
                let [vertices, primitives] = self.modes.mesh.map(|n| n.is_some());
                vec![
                    (has(3), "its output primitive", "layout(triangles) out;"),
                    (vertices, "how many vertices it makes", "layout(max_vertices = 64) out;"),
                    (primitives, "how many primitives it makes", "layout(max_primitives = 126) out;"),
                ]
            }
            _ => return,
        };
        let stage = self.stage.name();
        for (_, what, example) in report.into_iter().filter(|(declared, ..)| !declared) {
            self.failed = true;
            let message = format!("a {stage} shader has to declare {what}");
            let error = chiaro_diag::Diagnostic::error(None, message);
            self.out.push(error.help(format!("write, for example, `{example}`")));
        }
    }

    /// A geometry shader that lets primitives through makes what it takes.
    /// [GL_NV_geometry_shader_passthrough]
    fn pass_primitives(&mut self) {
        use spirv::ExecutionMode as M;
        let Some((input, out, vertices, _)) = self
            .modes
            .geometry
            .as_mut()
            .filter(|_| self.modes.passthrough)
            .map(|all| (all.0, &mut all.1, &mut all.2, all.3))
        else {
            return;
        };
        (*out, *vertices) = match input {
            M::InputPoints => (M::OutputPoints, 1),
            M::InputLines => (M::OutputLineStrip, 2),
            _ => (M::OutputTriangleStrip, 3),
        };
        self.declared_primitives[1..].fill(true);
    }

    fn reject_missing_bodies(&mut self) {
        let mut missing: Vec<(FunctionId, At)> = Vec::new();
        for declared in &self.functions {
            for &(callee, at) in &declared.calls {
                let body = self.functions[callee.0 as usize].defined;
                if !body && !missing.iter().any(|known| known.0 == callee) {
                    missing.push((callee, at));
                }
            }
        }
        for (callee, at) in missing {
            let declared = &self.functions[callee.0 as usize];
            let (name, place) = (self.text(declared.name).to_owned(), declared.at);
            self.conflict(
                at,
                format!("`{name}` is called but has no body"),
                Some(place),
                "it is declared here",
            );
        }
    }
}

/// A function that is defined elsewhere.
fn empty_body(declared: &Declared) -> hir::Function {
    let local = |param: &super::overload::Param| hir::Local {
        name: crate::token::Symbol(0),
        ty: param.ty,
        precision: None,
        precise: false,
        layout: crate::qualifier::Layout::default(),
        at: declared.at,
    };
    hir::Function {
        name: declared.name,
        result: declared.result,
        precision: declared.precision,
        params: declared.params.iter().map(|param| param.passing).collect(),
        locals: declared.params.iter().map(local).collect(),
        body: Vec::new(),
        is_import: true,
        at: declared.at,
    }
}
