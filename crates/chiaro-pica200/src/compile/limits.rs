//! Messages for limits of the machine: used, allowed, and what would help.

use crate::abi::{Abi, Interface, Out};
use crate::compile::allocate::{self, REGISTERS};
use crate::compile::finish::{Trouble, Words};
use crate::compile::graph::Graph;
use crate::compile::graph::print::print;
use crate::compile::options::Defaults;
use crate::compile::schedule::Step;
use crate::operand::descriptor::{ENTRIES, Full};
use crate::regs::{FLOATS, VERTEX_WORDS};
use chiaro_diag::{Diagnostic, Span};
use chiaro_ir::{Global, GlobalRef, Module, Type};

pub(super) fn missing(module: &Module, entry: &str) -> Box<Diagnostic> {
    let names: Vec<_> = module.entries.iter().map(|e| format!("`{}`", e.name)).collect();
    let error = Diagnostic::error(None, format!("there is no entry point `{entry}`"));
    error.note(format!("the entry points are: {}", names.join(", "))).into()
}

pub(super) fn no_constant(abi: &Abi, constants: usize) -> Box<Diagnostic> {
    let used = usize::from(abi.floats) + constants;
    let what = format!("the shader needs {used} c registers, {FLOATS} are there");
    Diagnostic::error(None, what)
        .note(format!("{} hold uniforms, {constants} numbers of the program", abi.floats))
        .help("leave out uniforms that the shader does not use, pack scalars into vectors")
        .into()
}

pub(super) fn no_register(graph: &Graph, steps: &[Step], full: allocate::Full) -> Box<Diagnostic> {
    let span = match steps.get(full.step as usize) {
        Some(Step::Node(id)) => graph.node(*id).span,
        _ => None,
    };
    let what = format!("{} temporary registers are needed at once, {REGISTERS} are there", full.needed);
    Diagnostic::error(span, what)
        .label("the values that are alive here do not fit")
        .help("use values sooner after they are computed, or compute them again where they are used")
        .into()
}

/// The words do not fit, and the lines that most of them come from.
pub(super) fn too_long(words: &Words, allowed: usize) -> Box<Diagnostic> {
    let what = format!("the program takes {} words, {allowed} are there", words.code.len());
    let mut lines: Vec<(Span, usize)> = Vec::new();
    for span in words.spans.iter().flatten() {
        match lines.iter_mut().find(|(known, _)| known == span) {
            Some((_, count)) => *count += 1,
            None => lines.push((*span, 1)),
        }
    }
    lines.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let mut error = Diagnostic::error(lines.first().map(|l| l.0), what);
    if let Some((_, count)) = lines.first() {
        error = error.label(format!("{count} words are for this"));
    }
    for (span, count) in lines.iter().skip(1).take(4) {
        error = error.related(*span, format!("{count} words are for this"));
    }
    error.help("let loops count in integers from constants to constants, so that LOOP runs them; move what does not change from vertex to vertex into uniforms").into()
}

/// What was put into one instruction waits for itself, however little is put together.
pub(super) fn no_order() -> Box<Diagnostic> {
    Diagnostic::error(None, "no order of the instructions was found")
        .note("this is a mistake of the compiler; please report the shader")
        .into()
}

/// So many operations that neither vectors nor subroutines make words enough of them.
pub(super) fn too_many_operations(used: usize, allowed: usize) -> Box<Diagnostic> {
    let what = format!("the program has {used} operations, and the unit holds {allowed} words");
    Diagnostic::error(None, what)
        .note("joining what can be one instruction and calling what repeats do not make up for that")
        .help("call long functions less often, or move what does not change from vertex to vertex into uniforms")
        .into()
}

pub(super) fn explain(trouble: Trouble, graph: &Graph) -> Box<Diagnostic> {
    match trouble {
        Trouble::Descriptors(Full::Mad, span) => {
            Diagnostic::error(span, "more than 32 operand descriptors are needed by MAD, 32 are there")
                .help("let more sums of products use the same components")
                .into()
        }
        Trouble::Descriptors(_, span) => {
            let what = format!("more than {ENTRIES} operand descriptors are needed, {ENTRIES} are there");
            Diagnostic::error(span, what).help("let more operations use the same components").into()
        }
        Trouble::Nesting(what, used, allowed) => {
            let what = format!("{used} times `{what}` is nested, {allowed} times is allowed");
            Diagnostic::error(None, what).help("join conditions, or compute both sides and select").into()
        }
        Trouble::Else(count) => {
            Diagnostic::error(None, format!("an else part takes {count} words, 255 are allowed"))
                .help("turn the condition round if the other part is shorter, or make it two `if`s")
                .into()
        }
        Trouble::Loops => {
            Diagnostic::error(None, "more than 4 different loop counts are needed, 4 are there")
                .help("let loops have the same number of turns, or unroll some")
                .into()
        }
        Trouble::Words(count) => Diagnostic::error(
            None,
            format!("the program takes more than {count} words, {VERTEX_WORDS} are there"),
        )
        .help("move what does not change from vertex to vertex into uniforms")
        .into(),
        Trouble::Operand(id) => {
            let span = graph.nodes.get(id as usize).and_then(|n| n.span);
            Diagnostic::error(span, "an instruction of the compiler cannot be encoded: a mistake of ours")
                .note(format!("n{id} of the graph\n{}", print(graph)))
                .into()
        }
    }
}

/// More outputs than the loader's map holds.
pub(super) fn too_many_outputs(module: &Module, outs: &[Out], allowed: usize) -> Box<Diagnostic> {
    let what = format!("the shader has {} outputs, {allowed} are there", outs.len());
    let names: Vec<String> = outs.iter().map(|out| format!("`{}`", out.name)).collect();
    let at = outs.get(allowed).and_then(|out| module.global(out.variable).span);
    Diagnostic::error(at, what)
        .note(format!("the output map of the loader has a slot for each: {}", names.join(", ")))
        .help("leave out outputs that nothing needs; `-m output.NAME=none` does so here")
        .into()
}

/// Nothing to draw.
pub(super) fn no_position(at: Option<Span>) -> Box<Diagnostic> {
    Diagnostic::error(at, "the shader writes no position")
        .help("write `gl_Position`, `@builtin(position)` in WGSL, or name an output for it: `-m output.NAME=position`")
        .note("without a position in o0 the rasteriser has nothing to draw")
        .into()
}

/// Warnings on uniforms with a value of their own, which a loader treats in ways of its own.
pub(super) fn defaults(
    module: &Module,
    interface: &Interface,
    abi: &Abi,
    defaults: Defaults,
) -> impl Iterator<Item = Diagnostic> {
    let globals = module.globals.iter().zip(0u32..).map(|(global, i)| (global, GlobalRef(i)));
    let own = globals.filter(|(global, g)| global.init.is_some() && abi.place(*g).is_some());
    let name = |global: &Global, g| interface.name_of(g, &[]).unwrap_or_else(|| global.name.clone());
    // Flags are merged into the host's when the program is bound; it may change them from then on.
    let is_flag = |global: &Global| *module.types.get(module.types.scalar(global.ty)) == Type::Bool;
    let warn = move |(global, g): (&Global, GlobalRef)| {
        match defaults {
        Defaults::Host => Diagnostic::remark(
            global.span,
            format!("the value of `{}` is left to the host program", name(global, g)),
        )
        .help("the source gives it one: set it before the first draw"),
        Defaults::Loader => Diagnostic::warning(
            global.span,
            format!("citro3d replaces what a host program sets `{}` to by the value here", name(global, g)),
        )
        .note("the value is a constant of the file: citro3d uploads it at the first draw behind C3D_BindProgram, whatever the host has set; what is set between that draw and the next binding counts")
        .help("with `-m defaults=host` the host sets it like any other uniform; write `const` if it never changes"),
    }
    };
    let all: Vec<_> = own.filter(|(global, _)| !is_flag(global)).map(warn).collect();
    all.into_iter()
}
