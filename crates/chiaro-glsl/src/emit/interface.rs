//! What SPIR-V cannot carry of a module's variables.
//!
//! Names, locations and offsets stand in the words, and `chiaro_words::derive` takes them from
//! there; precisions, external images and the ways of old GLSL are added.

use std::collections::HashMap;

use chiaro_words::derive;
use chiaro_words::module::{Clip, Interface, Language, Legacy, Precision, Source, Variable};
use chiaro_words::write::Id;

use crate::hir::{Builtin, Global, Program};
use crate::qualifier::Storage;
use crate::symbol::Symbols;
use crate::ty::{Length, Opaque, Ty, Type};

/// The interface of finished words. `seen` are their variables, with the number of the
/// declaration each comes from.
pub(super) fn of(
    program: &Program,
    symbols: &Symbols,
    words: &[u32],
    seen: &[(Id, Option<u32>)],
) -> Interface {
    let mut interface = derive(words);
    let language = if program.version.is_es() { Language::Essl } else { Language::Glsl };
    interface.source = Source { language, version: program.version.number.into() };
    interface.clip = Clip::Gl;
    interface.settings.clone_from(&program.modes.settings);
    let declared: HashMap<Id, u32> = seen.iter().filter_map(|&(id, g)| Some((id, g?))).collect();
    for variable in &mut interface.variables {
        if let Some(global) = declared.get(&variable.id).map(|&g| &program.globals[g as usize]) {
            describe(variable, global, program, symbols);
        }
    }
    interface
}

fn describe(variable: &mut Variable, global: &Global, program: &Program, symbols: &Symbols) {
    variable.name = symbols.text(global.name).to_owned();
    variable.legacy = global.builtin.and_then(|builtin| match builtin {
        Builtin::Known(_)
        | Builtin::Ballot(_)
        | Builtin::Transposed(_)
        | Builtin::LastFragData
        | Builtin::Unused => None,
        Builtin::VertexId => Some(Legacy::VertexId),
        Builtin::InstanceId => Some(Legacy::InstanceId),
        Builtin::FragColor => Some(Legacy::FragColor),
        Builtin::FragData => Some(Legacy::FragData),
        Builtin::Legacy => Some(Legacy::FixedFunction),
    });
    variable.broadcast = global.builtin == Some(Builtin::FragColor);
    variable.framebuffer_fetch = global.framebuffer_fetch && global.storage != Storage::Uniform
        || global.builtin == Some(Builtin::LastFragData);
    let mut facts = Vec::new();
    let own = precision(global.precision).unwrap_or(Precision::High);
    leaves(program, global.ty, own, variable.leaves.len(), &mut facts);
    for (leaf, (precision, external)) in variable.leaves.iter_mut().zip(facts) {
        (leaf.precision, leaf.external) = (precision, external);
    }
}

fn precision(of: Option<crate::qualifier::Precision>) -> Option<Precision> {
    of.map(|p| match p {
        crate::qualifier::Precision::Low => Precision::Low,
        crate::qualifier::Precision::Medium => Precision::Medium,
        crate::qualifier::Precision::High => Precision::High,
    })
}

/// Precision of each leaf and whether it is an external image, in the order in which leaves
/// are reported: members and elements of structures and of arrays one by one, up to `most`.
fn leaves(program: &Program, ty: Ty, own: Precision, most: usize, facts: &mut Vec<(Precision, bool)>) {
    let mut open = vec![(ty, own)];
    while let Some((ty, own)) = open.pop() {
        if facts.len() >= most {
            return;
        }
        match *program.types.get(ty) {
            Type::Struct(id) => {
                let members = program.types.structure(id).members.iter().rev();
                open.extend(members.map(|m| (m.ty, precision(m.precision).unwrap_or(own))));
            }
            Type::Array(elem, length)
                if matches!(program.types.get(elem), Type::Struct(_) | Type::Array(..)) =>
            {
                let count = if let Length::Known(count) = length { count.max(1) as usize } else { 1 };
                open.extend(std::iter::repeat_n((elem, own), count.min(most)));
            }
            Type::Array(elem, _) => facts.push((own, is_external(program, elem))),
            _ => facts.push((own, is_external(program, ty))),
        }
    }
}

fn is_external(program: &Program, ty: Ty) -> bool {
    matches!(program.types.get(ty), Type::Opaque(Opaque::Texture { external: true, .. }))
}
