//! Inputs become registers that the hardware fills, outputs become values.
//!
//! ```text
//! load access(@gl_in, 1, 0)        load @position.1                 point mode: an input each
//! load access(@gl_in, %i, 0)       load access(@vertices, %i * 2)   else: a uniform array of registers
//!
//! store @gl_Position, %p           store %position, %p              a variable of the function
//! emit                             store @gl_Position, (load %position); emit
//! ```
//!
//! True before: calls are inlined, inputs and outputs are loaded and stored by vectors. True
//! after: every `emit` comes right behind a store of every output, and nothing else stores
//! outputs: the unit has two banks of them, so that what was written before the last EMIT is not
//! there any more. \[azahar]

use std::collections::HashMap;

use chiaro_diag::Diagnostic;
use chiaro_ir::{
    Binding, Block, ConstantKind, Def, Function, FunctionRef, Global, GlobalRef, Inst, Module, Op, Space, Ty,
    Type, Value,
};

use super::feed::Feed;
use super::feed::{element, member_name, slot_of};
use super::plan::{Mode, Plan, Request};
use crate::abi::VERTICES;

type Answer<T> = Result<T, Box<Diagnostic>>;

/// A variable of the module, or a member of it.
type Unit = (GlobalRef, Option<u32>);

/// The way of a pointer: its variable and the indices down from there.
type Way = (GlobalRef, Vec<Value>);

/// Rewires the function of the only entry point.
///
/// # Errors
/// Inputs that no vertex program hands on, and what [`Plan::new`] reports.
pub(crate) fn rewire(module: &mut Module, f: FunctionRef, request: &Request) -> Answer<Plan> {
    let entry = module.entries.first().ok_or_else(|| Diagnostic::error(None, "there is no entry point"))?;
    let feed = match &request.feed {
        Some(feed) => feed.clone(),
        None => Feed::of_geometry(module, entry),
    };
    let computed = names_computed(module, module.function(f));
    let plan = Plan::new(module, entry, feed, request.wish, computed)?;
    let empty = Function::new("", &[], module.function(f).result);
    let function = std::mem::replace(module.function_mut(f), empty);
    let mut r = Rewire {
        module,
        f: function,
        plan: &plan,
        inputs: HashMap::new(),
        arrays: HashMap::new(),
        outputs: Vec::new(),
    };
    let done = r.run();
    let Rewire { f: function, .. } = r;
    *module.function_mut(f) = function;
    done?;
    // What the source calls an input is none any more.
    if let Some(mut entry) = module.entries.pop() {
        entry.interface.retain(|&g| module.global(g).space != Space::Input || element(module, g).is_none());
        module.entries.push(entry);
    }
    if let Some(count) = plan.count {
        let global = &mut module.globals[count.0 as usize];
        (global.binding.set, global.binding.binding) = (Some(VERTICES), Some(0));
    }
    Ok(plan)
}

/// Whether a vertex is named by a number that is computed.
fn names_computed(module: &Module, f: &Function) -> bool {
    instructions(f).into_iter().any(|(_, inst)| {
        let way = pointer_of(f, inst).and_then(|pointer| way(module, f, pointer));
        way.is_some_and(|(g, indices)| {
            module.global(g).space == Space::Input
                && element(module, g).is_some()
                && indices.first().is_some_and(|&i| !matches!(f.def(i), Def::Constant(_)))
        })
    })
}

fn instructions(f: &Function) -> Vec<(Block, Inst)> {
    f.tree().into_iter().flat_map(|(_, b)| f.block(b).insts.iter().map(move |&i| (b, i))).collect()
}

/// What a load or store goes through.
fn pointer_of(f: &Function, inst: Inst) -> Option<Value> {
    matches!(f.op(inst), Op::Load | Op::Store).then(|| f.args(inst).first().copied())?
}

/// The way of a pointer into a variable of the module.
fn way(module: &Module, f: &Function, pointer: Value) -> Option<Way> {
    let (mut at, mut indices) = (pointer, Vec::new());
    loop {
        match f.def(at) {
            Def::Constant(c) => {
                let ConstantKind::Global(g) = *module.constants.get(c) else { return None };
                indices.reverse();
                return Some((g, indices));
            }
            Def::Result(inst, _) if f.op(inst) == Op::Access => {
                indices.extend(f.args(inst)[1..].iter().rev());
                at = *f.args(inst).first()?;
            }
            _ => return None,
        }
    }
}

struct Rewire<'a> {
    module: &'a mut Module,
    f: Function,
    plan: &'a Plan,
    /// In point mode, what stands for a register of a vertex.
    inputs: HashMap<(u16, u16), GlobalRef>,
    /// In the other modes, what stands for all registers, by the type of what is read.
    arrays: HashMap<Ty, GlobalRef>,
    /// Variables of the function for outputs, with their types.
    outputs: Vec<(Unit, Value, Ty)>,
}

impl Rewire<'_> {
    fn run(&mut self) -> Answer<()> {
        for (block, inst) in instructions(&self.f) {
            let Some(pointer) = pointer_of(&self.f, inst) else { continue };
            let Some((g, indices)) = way(self.module, &self.f, pointer) else { continue };
            let new = match self.module.global(g).space {
                Space::Input => self.input(block, inst, g, &indices)?,
                Space::Output => self.output(block, inst, g, &indices)?,
                _ => continue,
            };
            if let Some(first) = self.f.args_mut(inst).first_mut() {
                *first = new;
            }
        }
        for (block, inst) in instructions(&self.f) {
            if matches!(self.f.op(inst), Op::EmitVertex(_)) {
                self.hand_on(block, inst);
            }
        }
        // The hardware fills the registers even if nothing reads them.
        if self.plan.mode != Mode::Point && self.arrays.is_empty() {
            let float = self.module.types.intern(Type::Float(32));
            self.registers(float);
        }
        Ok(())
    }

    fn error(&self, inst: Inst, message: impl Into<String>) -> Box<Diagnostic> {
        Diagnostic::error(self.f.inst(inst).span, message).into()
    }

    /// The number that an index is, if it is a constant.
    fn number(&self, index: Value) -> Option<u32> {
        match self.f.def(index) {
            Def::Constant(c) => self.module.constants.bits(c).map(|bits| bits as u32),
            _ => None,
        }
    }

    fn constant(&mut self, number: u32) -> Value {
        let ty = self.module.types.intern(Type::Int(32));
        let constant = self.module.scalar(ty, number.into());
        self.f.constant(constant, ty)
    }

    fn address(&mut self, g: GlobalRef) -> Value {
        let address = self.module.address(g);
        let ty = self.module.constants.ty(address);
        self.f.constant(address, ty)
    }

    /// A pointer further down, made in front of an instruction.
    fn access(&mut self, block: Block, before: Inst, root: Value, indices: &[Value]) -> Answer<Value> {
        if indices.is_empty() {
            return Ok(root);
        }
        let types = &self.module.types;
        let pointee = types.pointee(self.f.ty(root)).and_then(|(space, ty)| {
            let down = |ty: Ty, &i: &Value| types.part(ty, self.number(i).unwrap_or(0));
            Some((space, indices.iter().try_fold(ty, down)?))
        });
        let (space, ty) = pointee.ok_or_else(|| self.error(before, "an index out of bounds"))?;
        let pointer = self.module.types.intern(Type::Pointer(space, ty));
        let args: Vec<Value> = [root].iter().chain(indices).copied().collect();
        let made = self.f.insert_before(block, before, Op::Access, &args, &[pointer]);
        self.f.result_of(made).ok_or_else(|| self.error(before, "an access without a result"))
    }

    /// The pointer that takes the place of one into an input.
    fn input(&mut self, block: Block, inst: Inst, g: GlobalRef, indices: &[Value]) -> Answer<Value> {
        let Some(element) = element(self.module, g) else {
            let name = &self.module.global(g).name;
            let message = format!("the PICA200 has no input `{name}` for geometry programs");
            return Err(self.error(inst, message));
        };
        let [vertex, rest @ ..] = indices else {
            return Err(self
                .error(inst, "the vertices of an input are read as a whole")
                .help("read them one by one")
                .into());
        };
        let (vertex, mut rest) = (*vertex, rest);
        let (mut member, mut ty) = (None, element);
        if let Type::Struct(_, members) = self.module.types.get(element) {
            let number = rest.first().and_then(|&i| self.number(i));
            let found = number.and_then(|n| members.get(n as usize).map(|m| (n, m.ty)));
            let Some((n, inner)) = found else {
                return Err(self
                    .error(inst, "a vertex is read as a whole")
                    .help("read its members one by one")
                    .into());
            };
            (member, ty, rest) = (Some(n), inner, &rest[1..]);
        }
        let register = slot_of(self.module, g, member).and_then(|slot| self.plan.feed.register(&slot));
        let Some(register) = register else { return Err(self.not_there(inst, g, member)) };
        if self.module.types.components(ty) == 0 {
            return Err(
                self.error(inst, "inputs of geometry programs are scalars and vectors for each vertex")
            );
        }
        if self.plan.mode == Mode::Point {
            let n = self.number(vertex).unwrap_or(0).min(u32::from(self.plan.vertices) - 1) as u16;
            let global = self.point_input(register, n, ty);
            let root = self.address(global);
            return self.access(block, inst, root, rest);
        }
        let global = self.registers(ty);
        let root = self.address(global);
        let index = self.register_of(block, inst, vertex, register)?;
        let all: Vec<Value> = [index].iter().chain(rest).copied().collect();
        self.access(block, inst, root, &all)
    }

    /// The number of a register among those of all vertices.
    fn register_of(&mut self, block: Block, before: Inst, vertex: Value, register: u16) -> Answer<Value> {
        let (stride, register) = (u32::from(self.plan.feed.stride()), u32::from(register));
        if let Some(vertex) = self.number(vertex) {
            let vertex = vertex.min(u32::from(self.plan.vertices) - 1);
            return Ok(self.constant(vertex * stride + register));
        }
        let mut index = vertex;
        for (op, by, neutral) in [(Op::IMul, stride, 1), (Op::IAdd, register, 0)] {
            if by != neutral {
                let (ty, by) = (self.f.ty(index), self.constant(by));
                let made = self.f.insert_before(block, before, op, &[index, by], &[ty]);
                index =
                    self.f.result_of(made).ok_or_else(|| self.error(before, "an index without a value"))?;
            }
        }
        Ok(index)
    }

    fn not_there(&self, inst: Inst, g: GlobalRef, member: Option<u32>) -> Box<Diagnostic> {
        let member = member.and_then(|m| member_name(self.module, g, m));
        let name = member.unwrap_or_else(|| self.module.global(g).name.clone());
        let message = format!("the vertex program hands on no `{name}`");
        self.error(inst, message)
            .note(format!("it hands on {} registers for each vertex", self.plan.feed.stride()))
            .help("write the output in the vertex shader; of the built-in ones only gl_Position is handed on")
            .into()
    }

    /// The input that holds a register of one vertex.
    fn point_input(&mut self, register: u16, vertex: u16, ty: Ty) -> GlobalRef {
        if let Some(&known) = self.inputs.get(&(register, vertex)) {
            return known;
        }
        let location = vertex * self.plan.feed.stride() + register;
        let binding = Binding { location: Some(location.into()), ..Binding::default() };
        let made = self.global(format!("vertex{vertex}.{register}"), Space::Input, ty, binding);
        self.inputs.insert((register, vertex), made);
        made
    }

    /// The uniform array that holds the registers of all vertices, as values of a type.
    fn registers(&mut self, ty: Ty) -> GlobalRef {
        let components = self.module.types.components(ty);
        if let Some(&known) = self.arrays.get(&ty) {
            return known;
        }
        let count = u32::from(self.plan.vertices * self.plan.feed.stride());
        let array = self.module.types.intern(Type::Array(ty, count, 16));
        let first = u32::from(self.plan.first());
        let binding = Binding { set: Some(VERTICES), binding: Some(first), ..Binding::default() };
        let made = self.global(format!("vertices.{components}"), Space::UniformConstant, array, binding);
        self.arrays.insert(ty, made);
        made
    }

    fn global(&mut self, name: String, space: Space, ty: Ty, binding: Binding) -> GlobalRef {
        self.module.globals.push(Global {
            name,
            space,
            ty,
            init: None,
            binding,
            members: Vec::new(),
            coherent: false,
            read_only: true,
            span: None,
        });
        let made = GlobalRef(self.module.globals.len() as u32 - 1);
        if let Some(entry) = self.module.entries.first_mut() {
            entry.interface.push(made);
        }
        made
    }

    /// The pointer that takes the place of one into an output.
    fn output(&mut self, block: Block, inst: Inst, g: GlobalRef, indices: &[Value]) -> Answer<Value> {
        let (mut unit, mut ty, mut rest) = ((g, None), self.module.global(g).ty, indices);
        if let Type::Struct(_, members) = self.module.types.get(ty) {
            let number = rest.first().and_then(|&i| self.number(i));
            let found = number.and_then(|n| members.get(n as usize).map(|m| (n, m.ty)));
            let Some((n, inner)) = found else {
                return Err(self
                    .error(inst, "a block of outputs is written as a whole")
                    .help("write its members")
                    .into());
            };
            (unit, ty, rest) = ((g, Some(n)), inner, &rest[1..]);
        }
        let variable = match self.outputs.iter().find(|(known, ..)| *known == unit) {
            Some((_, variable, _)) => *variable,
            None => self.variable(unit, ty, inst)?,
        };
        self.access(block, inst, variable, rest)
    }

    /// A variable at the start of the function.
    fn variable(&mut self, unit: Unit, ty: Ty, at: Inst) -> Answer<Value> {
        let pointer = self.module.types.intern(Type::Pointer(Space::Function, ty));
        let made = self.f.make(Op::Var(Space::Function), &[], &[pointer]);
        let body = self.f.body;
        self.f.block_mut(body).insts.insert(0, made);
        let variable = self.f.result_of(made).ok_or_else(|| self.error(at, "a variable without a place"))?;
        self.outputs.push((unit, variable, ty));
        Ok(variable)
    }

    /// Stores all outputs in front of an `emit`.
    fn hand_on(&mut self, block: Block, emit: Inst) {
        for ((g, member), variable, ty) in self.outputs.clone() {
            let known = slot_of(self.module, g, member).is_some();
            if !known || self.module.types.components(ty) == 0 {
                continue;
            }
            let load = self.f.insert_before(block, emit, Op::Load, &[variable], &[ty]);
            let Some(value) = self.f.result_of(load) else { continue };
            let root = self.address(g);
            let indices: Vec<Value> = member.map(|m| self.constant(m)).into_iter().collect();
            if let Ok(pointer) = self.access(block, emit, root, &indices) {
                self.f.insert_before(block, emit, Op::Store, &[pointer, value], &[]);
            }
        }
    }
}
