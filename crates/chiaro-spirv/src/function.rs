//! A function from its head to its end.

use crate::body::{Body, Stand};
use crate::cfg::Cfg;
use crate::error::{Fault, Res, fail};
use crate::flow;
use crate::ids::Id;
use crate::labels::Labels;
use crate::reader::Reader;
use crate::type_info::{Kind, TypeId};
use chiaro_ir::{Flags, Function};
use spirv::Op;
use std::collections::HashMap;

/// Reads the function whose `OpFunction` is at a word; a fault comes with its word.
pub(crate) fn read(r: &mut Reader<'_>, at: usize) -> Result<(), (usize, Fault)> {
    r.lines.no_line();
    let (params, first) = head(r, at).map_err(|fault| (at, fault))?;
    let cfg = Cfg::scan(r, first)?;
    if cfg.nodes.is_empty() {
        return Err((at, Fault::from("the function has no body")));
    }
    let f = function(r, at, &params).map_err(|fault| (at, fault))?;
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
    let name = match r.name(id) {
        name if name.is_empty() => format!("f{id}"),
        name => name,
    };
    let name = if r.names_taken.insert(format!("{name}()")) { name } else { format!("{name}.{id}") };
    let mut f = Function::new(name, &types, r.value_ty(result));
    r.lines.at(at);
    f.span = r.lines.span();
    Ok(f)
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
