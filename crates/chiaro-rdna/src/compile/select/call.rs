//! What functions hand to each other: arguments and results in the places of their signature (spec sections 18.2, 18.5).
//!
//! ```text
//! v4 = start [s0, s1] ..                       what a function is given stands in fixed registers
//! scratch_store_dword off, v9, s32 offset:..   what finds none, behind the caller's frame
//! v7 = call @f [v0] v4 ..                      what it leaves anything in is destroyed
//! return [s0, s1], [v0] v8                     results in fixed registers, too
//! ```
//!
//! Whatever lives across a call the allocator puts where the callee leaves it alone, or spills.

use std::ops::Range;

use chiaro_ir as ir;
use chiaro_ir::FunctionRef;
use chiaro_mach::{Block, Clobber, Clobbers, Effects, File, Op as Mach, Operand, Outcome};

use super::Select;
use super::part::{From, Kind, Part};
use crate::abi::convention::SystemParameter;
use crate::abi::partition::{File as Pool, Files};
use crate::abi::place::{Place, Placed};
use crate::compile::calls::callee::{Callee, Given, Scalar, register};
use crate::compile::code::{self, Modifiers, SCALAR, VECTOR, flag};
use crate::isa::Op;
use crate::isa::scratch::Scratch;
use crate::isa::sop1::Sop1;
use crate::isa::sop2::Sop2;
use crate::regs::{SGPRS, VGPRS};

/// Bytes that an instruction subtracts from an address at most, or adds, and one more.
const OFFSETS: i32 = 2048;
/// Dwords that an instruction moves at most.
const MOST: u16 = 4;
/// Vector registers that are saved around calls where callees destroy all.
const RESCUED: usize = 2;
/// Everything in memory that a callee may touch.
pub(super) const MEMORY: u16 = Effects::GLOBAL
    | Effects::SHARED
    | Effects::SCRATCH
    | Effects::IMAGE
    | Effects::BARRIER
    | Effects::OUTPUT;

/// A place on the stack: what it counts from, and what is added.
type OnStack = (Operand, Modifiers);

fn file(pool: Pool) -> File {
    if pool == Pool::Sgpr { SCALAR } else { VECTOR }
}

fn kind(scalar: Scalar) -> Kind {
    match (scalar.is_bool, scalar.in_wave, scalar.bits) {
        (true, true, _) => Kind::Truth,
        (true, false, _) => Kind::Mask,
        (_, _, 64) => Kind::Pair,
        (_, _, 32) => Kind::Word,
        _ => Kind::Short,
    }
}

/// Runs of registers that calls destroy, but for those that hold results.
fn runs(clobbered: &Files<Vec<bool>>, results: &[(File, u16, u16)]) -> Vec<Clobber> {
    let mut found: Vec<Clobber> = Vec::new();
    for (pool, count) in [(Pool::Sgpr, SGPRS), (Pool::Vgpr, VGPRS)] {
        let (own, all) = (file(pool), clobbered.of(pool));
        let is_result =
            |n: u16| results.iter().any(|&(f, at, size)| f == own && (at..at + size).contains(&n));
        for n in (0..count).filter(|&n| all[usize::from(n)] && !is_result(n)) {
            match found.last_mut() {
                Some(last) if last.file == own && last.units.end == n => last.units.end = n + 1,
                _ => found.push(Clobber { file: own, units: n..n + 1 }),
            }
        }
    }
    found
}

impl Select<'_> {
    /// What is bare in scalar registers: a stack pointer.
    pub(super) fn stack_pointer(&self) -> Option<Operand> {
        let own = self.own?;
        Some(Operand::reg(SCALAR, own.system(SystemParameter::StackPointer), 1))
    }

    /// Registers of a file that hold a stack of return addresses, and the return address itself where there is such a
    /// stack: it stays where it is but for the calls.
    pub(super) fn of_returns(&self, pool: Pool) -> impl Iterator<Item = Range<u16>> + use<> {
        let own = self.own.into_iter().chain(self.unit.called(self.reach[0]));
        let stack = own.filter_map(|callee| Some((callee, callee.convention.return_stack()?))).next();
        let registers = stack.map(|(callee, stack)| match pool {
            Pool::Vgpr => [Some(stack.register..stack.register + 2), None],
            Pool::Sgpr => {
                let back = callee.system(SystemParameter::ReturnAddress);
                [Some(stack.counter..stack.counter + 1), self.own.map(|_| back..back + 2)]
            }
        });
        registers.into_iter().flatten().flatten()
    }

    /// The registers at the start of a function.
    pub(super) fn start_function(&mut self, own: &Callee) {
        let mut defs = Vec::new();
        let place = own.system(SystemParameter::ReturnAddress);
        if own.convention.return_stack().is_some() {
            self.back = Some(Operand::reg(SCALAR, place, 2));
        } else {
            let back = self.code.value(SCALAR, 2, 2);
            let back = self.code.operand(back);
            defs.push(back.fixed(place));
            self.back = Some(back);
        }
        let count = own.signature.parameters.len();
        let is_read = |n: usize| n < own.given.len() || own.parameters.iter().flatten().any(|(m, _)| *m == n);
        let mut found: Vec<Operand> = vec![Operand::default(); count];
        for (n, operand) in found.iter_mut().enumerate().filter(|(n, _)| is_read(*n)) {
            let Some(placed) = own.placed(n) else { continue };
            *operand = self.operand_for(placed);
            if let Some((_, first)) = register(placed) {
                defs.push(operand.fixed(first));
            }
        }
        self.code.push(self.entry, Mach::Start, &defs, &[]);
        for (n, &operand) in found.iter().enumerate() {
            if let Some((placed, offset)) =
                own.placed(n).and_then(on_stack).filter(|_| operand.value().is_some())
            {
                let offset = offset as i32 - own.placement.stack_bytes as i32;
                let base = self.stack_pointer().unwrap_or(Operand::imm(0));
                self.load_from_stack(self.entry, operand, placed, (base, Modifiers::number(offset)));
            }
        }
        for (&given, &operand) in own.given.iter().zip(&found) {
            match given {
                Given::Argument(argument) => _ = self.arguments.insert(argument, operand),
                Given::Thread(_) => self.threads.push(operand),
            }
        }
        let arguments = own.given.iter().filter_map(|given| match given {
            Given::Argument(argument) => Some(*argument),
            Given::Thread(_) => None,
        });
        (self.interface.arguments, self.interface.dimensions) =
            (arguments.collect(), self.threads.len() as u8);
        for (&param, numbers) in self.f.params.clone().iter().zip(&own.parameters) {
            let parts = numbers.iter().map(|&(n, scalar)| Self::part(found[n], kind(scalar)));
            self.values[param.0 as usize] = Some(parts.collect());
        }
    }

    /// A new value in the file of a parameter, of its size.
    fn operand_for(&mut self, placed: &Placed) -> Operand {
        let in_file = file(placed.file);
        let align = if in_file == SCALAR { placed.size.next_power_of_two().min(4) as u8 } else { 1 };
        let value = self.code.value(in_file, placed.size, align);
        self.code.operand(value)
    }

    /// A parameter that stands on the stack, into a value that nobody has defined.
    fn load_from_stack(&mut self, at: Block, to: Operand, placed: &Placed, (base, place): OnStack) {
        let mut words = Vec::new();
        for first in (0..placed.size).step_by(usize::from(MOST)) {
            let size = MOST.min(placed.size - first);
            let def = self.new_vector(size);
            let (base, modifiers) = self.on_stack(at, (base, place), 4 * i32::from(first));
            let op = Op::Scratch(Scratch::load(32, size.into()));
            let inst = self.push(at, op, &[def], &[base, Operand::imm(0)], modifiers);
            self.code.inst_mut(inst).effects.reads |= Effects::SCRATCH;
            words.extend(self.split(at, def));
        }
        let uses: Vec<Operand> = words
            .into_iter()
            .map(|word| if to.file == SCALAR { self.in_scalar(at, word) } else { self.in_vector(at, word) })
            .collect();
        self.collect_into(at, to, &uses);
    }

    /// A parameter to the stack.
    fn store_to_stack(&mut self, at: Block, from: Operand, placed: &Placed, (base, place): OnStack) {
        for first in 0..placed.size {
            let word = Self::part(from.part(first, 1), Kind::Word);
            let data = self.in_vector(at, word);
            let (base, modifiers) = self.on_stack(at, (base, place), 4 * i32::from(first));
            let op = Op::Scratch(Scratch::store(32, 1));
            let inst = self.push(at, op, &[], &[base, Operand::imm(0), data], modifiers);
            self.code.inst_mut(inst).effects.writes |= Effects::SCRATCH;
        }
    }

    /// Where parameters of a call on the stack count from: the stack pointer, with the frame added to each, or the frame's end
    /// in a register where that is too far.
    fn behind_frame(&mut self, at: Block) -> OnStack {
        let (own, end) = (self.stack_pointer(), Modifiers::default().with(flag::FRAME));
        if !self.ways.needs.far_parameters {
            return (own.unwrap_or(Operand::imm(0)), end);
        }
        let (def, bytes) = (self.new_scalar(1), Operand::imm(0));
        match own {
            Some(own) => self.push(at, Op::Sop2(Sop2::AddU32), &[def], &[own, bytes], end),
            None => self.push(at, Op::Sop1(Sop1::MovB32), &[def], &[bytes], end),
        };
        (def, Modifiers::default())
    }

    /// A place on the stack some bytes further on; one that is out of reach counts from a register of its own. Of what counts from
    /// the frame's end nobody knows yet how far that is.
    fn on_stack(&mut self, at: Block, (base, place): OnStack, further: i32) -> OnStack {
        let place = Modifiers { number: place.number + further, ..place };
        if place.has(flag::FRAME) || (-OFFSETS..OFFSETS).contains(&place.number) {
            return (base, place);
        }
        let (def, bytes) = (self.new_scalar(1), Operand::imm(u64::from(place.number as u32)));
        match base.in_file() {
            true => self.push(at, Op::Sop2(Sop2::AddU32), &[def], &[base, bytes], Modifiers::default()),
            false => self.push(at, Op::Sop1(Sop1::MovB32), &[def], &[bytes], Modifiers::default()),
        };
        (def, Modifiers { number: 0, ..place })
    }

    /// The operand of a scalar in the place that a signature gives it. What may be anything is 0: so whoever looks at words
    /// alone finds something everywhere.
    fn handed_over(&mut self, at: Block, placed: &Placed, scalar: Scalar, part: Part) -> Operand {
        let kind = kind(scalar);
        let part = if part.from == From::Undef { Part::new(From::Number(0), part.kind) } else { part };
        self.handed_part(at, (file(placed.file), placed.size, kind), part)
    }

    /// A call of a function by its name.
    pub(super) fn call(&mut self, at: Block, inst: ir::Inst, number: FunctionRef) -> Outcome {
        let Some(callee) = self.unit.callee(number) else {
            let (message, help) = chiaro_opt::call_left("call");
            return self.error(self.span, message, help);
        };
        let args = self.f.args(inst).to_vec();
        self.call_of(at, inst, callee, (vec![Operand::function(number.0)], args));
        Ok(())
    }

    /// A call of a function with a contract: what says which, and arguments.
    pub(super) fn call_of(
        &mut self,
        at: Block,
        inst: ir::Inst,
        callee: &Callee,
        (mut uses, args): (Vec<Operand>, Vec<ir::Value>),
    ) {
        let arguments = self.call_arguments(at, &args, callee);
        let mut behind = None;
        for (n, operand) in arguments.into_iter().enumerate() {
            let (Some(operand), Some(placed)) = (operand, callee.placed(n)) else { continue };
            match placed.place {
                Place::Register { first, .. } => uses.push(operand.fixed(first)),
                Place::Stack(offset) => {
                    let (base, place) = *behind.get_or_insert_with(|| self.behind_frame(at));
                    let place = Modifiers { number: callee.behind(offset), ..place };
                    self.store_to_stack(at, operand, placed, (base, place));
                }
            }
        }
        let mut defs = Vec::new();
        let mut results = Vec::new();
        for &(n, _) in &callee.results {
            let Some(placed) = callee.placed(n) else { continue };
            let operand = self.operand_for(placed);
            if let Some((_, first)) = register(placed) {
                defs.push(operand.fixed(first));
            }
            results.push((operand, placed));
        }
        self.emit_call(at, callee, defs, &uses);
        let (mut parts, mut behind) = (Vec::new(), None);
        for (&(_, scalar), (operand, placed)) in callee.results.iter().zip(results) {
            if let Some((placed, offset)) = on_stack(placed) {
                let (base, place) = *behind.get_or_insert_with(|| self.behind_frame(at));
                let place = Modifiers { number: callee.behind(offset), ..place };
                self.load_from_stack(at, operand, placed, (base, place));
            }
            parts.push(Self::part(operand, kind(scalar)));
        }
        if let Some(result) = self.f.result_of(inst) {
            self.values[result.0 as usize] = Some(parts);
        }
    }

    /// What a callee is given, by the numbers of its signature.
    pub(super) fn call_arguments(
        &mut self,
        at: Block,
        args: &[ir::Value],
        callee: &Callee,
    ) -> Vec<Option<Operand>> {
        let mut operands: Vec<Option<Operand>> = vec![None; callee.signature.parameters.len()];
        for (operand, given) in operands.iter_mut().zip(&callee.given) {
            *operand = match given {
                Given::Argument(argument) => self.arguments.get(argument).copied(),
                Given::Thread(axis) => self.threads.get(usize::from(*axis)).copied(),
            };
        }
        for (&arg, numbers) in args.iter().zip(&callee.parameters) {
            let parts = self.value(arg);
            for (&(n, scalar), part) in numbers.iter().zip(parts) {
                let Some(placed) = callee.placed(n) else { continue };
                operands[n] = Some(self.handed_over(at, placed, scalar, part));
            }
        }
        operands
    }

    fn emit_call(&mut self, at: Block, callee: &Callee, mut defs: Vec<Operand>, uses: &[Operand]) {
        let results: Vec<(File, u16, u16)> =
            defs.iter().filter_map(|def| Some((def.file, def.fixed?, def.size))).collect();
        let mut clobbered = callee.clobbered();
        // A kernel puts the stack pointer there.
        clobbered.sgpr[usize::from(callee.system(SystemParameter::StackPointer))] |= self.own.is_none();
        self.rescued.iter().for_each(|&n| clobbered.vgpr[usize::from(n)] = false);
        let destroyed = runs(&clobbered, &results);
        let set: Clobbers = self.code.clobbers(&destroyed);
        defs.extend([code::scc(), code::vcc(self.wave), Operand::reg(SCALAR, crate::regs::code::M0, 1)]);
        let inst = self.code.push(at, Mach::Call, &defs, uses);
        let span = self.span;
        let data = self.code.inst_mut(inst);
        (data.clobbers, data.span) = (Some(set), span);
        data.effects = Effects { reads: MEMORY | Effects::EXEC, writes: MEMORY };
    }

    /// Whether one of these registers is one in which this function, or one that it calls, hands something over, or keeps
    /// return addresses.
    pub(super) fn is_agreed(&self, pool: Pool, registers: Range<u16>) -> bool {
        let meets = |other: Range<u16>| other.start < registers.end && registers.start < other.end;
        let takes = |callee: &Callee| {
            callee.placement.parameters.iter().any(|placed| {
                register(placed).is_some_and(|(of, first)| of == pool && meets(first..first + placed.size))
            })
        };
        self.own.into_iter().chain(self.unit.called(self.reach[0])).any(takes)
            || self.of_returns(pool).any(meets)
    }

    /// Vector registers that are left to what the frame saves scalars in, of those up to a limit: the last ones.
    pub(super) fn holders(&self, limit: u16) -> Vec<Range<u16>> {
        let free = (0..limit).rev().filter(|&n| !self.is_agreed(Pool::Vgpr, n..n + 1));
        free.take(self.ways.needs.holders).map(|n| n..n + 1).collect()
    }

    /// Vector registers that are saved around calls, so that scalars find lanes where callees destroy all there are.
    pub(super) fn rescue(&mut self) {
        let callees: Vec<&Callee> = self.unit.called(self.reach[0]).collect();
        let destroys = |n: usize| callees.iter().any(|callee| callee.clobbered().vgpr[n]);
        let limit = callees.iter().map(|callee| callee.convention.limit.vgpr).min().unwrap_or(0);
        let entry = u16::from(self.dimensions());
        let is_free = |n: &u16| *n >= entry && !self.is_agreed(Pool::Vgpr, *n..*n + 1);
        if self.ways.spills && !(0..limit).any(|n| is_free(&n) && !destroys(usize::from(n))) {
            self.rescued = (0..limit).filter(is_free).take(RESCUED).collect();
        }
    }

    /// What a function returns, in front of its end.
    pub(super) fn hand_back(&mut self, at: Block, inst: ir::Inst) {
        let Some(own) = self.own else { return };
        let parts: Vec<Part> =
            self.f.args(inst).to_vec().into_iter().flat_map(|arg| self.value(arg)).collect();
        for (&(n, scalar), part) in own.results.iter().zip(parts) {
            let Some(placed) = own.placed(n) else { continue };
            let operand = self.handed_over(at, placed, scalar, part);
            match placed.place {
                Place::Register { first, .. } => self.returned.push(operand.fixed(first)),
                Place::Stack(offset) => {
                    let offset = offset as i32 - own.placement.stack_bytes as i32;
                    let base = self.stack_pointer().unwrap_or(Operand::imm(0));
                    self.store_to_stack(at, operand, placed, (base, Modifiers::number(offset)));
                }
            }
        }
    }

    /// Goes back to the caller.
    pub(super) fn give_back(&mut self, block: Block) {
        let (Some(own), Some(back)) = (self.own, self.back) else { return };
        // Where registers are restored at the end, the address is in none of those.
        let back = match own.convention.return_stack() {
            Some(_) => back,
            None if own.is_fitted => back.aligned(2),
            None => back.fixed(own.system(SystemParameter::ReturnAddress)),
        };
        let handed = std::mem::take(&mut self.returned);
        match own.dispatch() {
            Some(places) => self.next_or_back(block, places, back, &handed),
            None => self.end_with(block, &[&[back], &handed[..]].concat()),
        }
    }
}

/// A parameter on the stack, with its bytes from the first one there.
fn on_stack(placed: &Placed) -> Option<(&Placed, u32)> {
    match placed.place {
        Place::Stack(offset) => Some((placed, offset)),
        Place::Register { .. } => None,
    }
}
