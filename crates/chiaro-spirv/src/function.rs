//! A function from its head to its end.

use crate::body::{Body, Stand};
use crate::cfg::Cfg;
use crate::error::{Fault, Res, fail};
use crate::flow;
use crate::ids::Id;
use crate::labels::Labels;
use crate::reader::Reader;
use crate::type_info::{Kind, TypeId};
use crate::words::text;
use chiaro_ir::{Flags, Function, Linkage};
use spirv::{Decoration, LinkageType, Op};
use std::collections::HashMap;

/// Reads the function whose `OpFunction` is at a word; a fault comes with its word.
pub(crate) fn read(r: &mut Reader<'_>, at: usize) -> Result<(), (usize, Fault)> {
    r.lines.no_line();
    let (params, first) = head(r, at).map_err(|fault| (at, fault))?;
    let cfg = Cfg::scan(r, first)?;
    let f = function(r, at, &params).map_err(|fault| (at, fault))?;
    if f.is_import() != cfg.nodes.is_empty() {
        return Err((at, body_wanted(&f, r.options.parts)));
    }
    if f.is_import() {
        r.module.functions.push(f);
        return Ok(());
    }
    let mut body = Body {
        block: f.body,
        labels: Labels::new(cfg.nodes.len()),
        f,
        cfg,
        r,
        at,
        flags: Flags::default(),
        ended: false,
        home: Vec::new(),
        stands: Vec::new(),
        loops: Vec::new(),
        columns: Vec::new(),
        spilled: HashMap::new(),
        variables: Vec::new(),
        defined: Vec::new(),
    };
    body.stands.push(Stand { parent: body.block, depth: 0, continues: None });
    for (i, &(id, ty)) in params.iter().enumerate() {
        let value = body.f.params[i];
        body.define(id, Id::Value(value, ty, false)).map_err(|fault| (at, fault))?;
    }
    flow::run(&mut body)?;
    body.settle();
    finish(body);
    Ok(())
}

/// Why a function lacks a body, or has one too many.
fn body_wanted(f: &Function, parts: bool) -> Fault {
    let name = &f.name;
    Fault::from(match (f.is_import(), parts) {
        (true, _) => format!("the function `{name}` is imported and has a body"),
        (false, true) => format!("the function `{name}` has no body, and is not imported"),
        (false, false) => format!("the function `{name}` has no body; targets that link parts may import it"),
    })
}

/// The parameters, and the word of the first label.
fn head(r: &mut Reader<'_>, at: usize) -> Res<(Vec<(u32, TypeId)>, usize)> {
    let mut instructions = r.words.from(at);
    instructions.step()?;
    let mut params = Vec::new();
    loop {
        let first = instructions.at();
        let Some(inst) = instructions.step()? else { return fail("the function has no end") };
        match inst.opcode() {
            Some(Op::FunctionParameter) => params.push((inst.word(1)?, r.type_of_id(inst.word(0)?)?)),
            Some(Op::Line) => r.lines.line(inst.word(0)?, inst.word(1)?, inst.word(2)?),
            Some(Op::NoLine) => {}
            _ => return Ok((params, first)),
        }
    }
}

fn function(r: &mut Reader<'_>, at: usize, params: &[(u32, TypeId)]) -> Res<Function> {
    let Some(inst) = r.words.from(at).step()? else { return fail("an instruction is missing") };
    let (result, id) = (r.type_of_id(inst.word(0)?)?, inst.word(1)?);
    let Kind::Function(declared, count) = r.info(r.type_of_id(inst.word(3)?)?).kind else {
        return fail("the function's type is none of functions");
    };
    if declared != result || count as usize != params.len() {
        return fail("the function is not as its type says");
    }
    let types: Vec<_> = params.iter().map(|&(_, ty)| r.value_ty(ty)).collect();
    let linked = linkage(r, id)?;
    let (given, linkage) = linked.unwrap_or_else(|| (r.name(id), Linkage::Own));
    let name = if given.is_empty() { format!("f{id}") } else { given };
    let name = if r.names_taken.insert(format!("{name}()")) { name } else { format!("{name}.{id}") };
    let mut f = Function::new(name, &types, r.value_ty(result));
    f.linkage = linkage;
    r.lines.at(at);
    f.span = r.lines.span();
    Ok(f)
}

/// The name that other parts know a function by, and who has its body.
fn linkage(r: &Reader<'_>, id: u32) -> Res<Option<(String, Linkage)>> {
    let mut all = r.notes.each(r.words.all, id).filter(|_| r.options.parts);
    let Some((_, operands)) = all.find(|(kind, _)| *kind == Decoration::LinkageAttributes as u32) else {
        return Ok(None);
    };
    let Some((name, length)) = text(operands) else { return fail("a string without an end") };
    match operands.get(length).copied().and_then(LinkageType::from_u32) {
        Some(LinkageType::Export) => Ok(Some((name, Linkage::Export))),
        Some(LinkageType::Import) => Ok(Some((name, Linkage::Import))),
        _ => fail(format!("the linkage of `{name}` is neither Export nor Import")),
    }
}

/// Hands the function to the module and forgets what its ids meant.
fn finish(body: Body<'_, '_>) {
    for &id in &body.defined {
        if let Some(slot) = body.r.ids.get_mut(id as usize) {
            *slot = Id::Ignored;
        }
    }
    body.r.module.functions.push(body.f);
}
