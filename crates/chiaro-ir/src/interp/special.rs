//! Operations with a shape of their own: composites, memory, calls.

use super::arith;
use super::domain::{Domain, Inconclusive};
use super::exec::{Outcome, Walk};
use super::frame::Frame;
use super::layout::Leaf;
use super::memory::Place;
use super::{Emitted, Fault, FaultKind, Printed};
use crate::typing::signature_fits;
use chiaro_sim::printf::{self, Argument};

use crate::{Combine, FunctionRef, Inst, Op, Value};

impl<'m, D: Domain> Walk<'m, D> {
    pub(super) fn special(&mut self, fr: &mut Frame<'m, D>, inst: Inst, op: Op, here: &[u32]) -> Outcome {
        match op {
            Op::BitInsert | Op::BitExtractU | Op::BitExtractS => self.bit_field(fr, inst, op, here),
            Op::Bitcast => self.bitcast(fr, inst, here),
            Op::Construct => self.construct_value(fr, inst, here),
            Op::Extract(n) => self.extract(fr, inst, n, here),
            Op::Insert(n) => self.insert(fr, inst, n, here),
            Op::ExtractDyn | Op::InsertDyn => self.indexed(fr, inst, op, here),
            Op::Shuffle(components) => self.shuffle(fr, inst, components, here),
            Op::Var(_) => return self.variable(fr, inst, here),
            Op::Load | Op::AtomicLoad(..) => self.load(fr, inst, here),
            Op::Store | Op::AtomicStore(..) => self.store(fr, inst, here),
            Op::Copy => self.copy(fr, inst, here),
            Op::Access => self.access(fr, inst, here),
            Op::Interpolate(taken) => self.interpolate(fr, inst, taken, here),
            Op::ArrayLength(member) => self.array_length(fr, inst, member, here),
            Op::Atomic(combine, ..) => self.atomic(fr, inst, combine, here),
            Op::AtomicCompare(..) => self.atomic_compare(fr, inst, here),
            Op::ControlBarrier(..) => self.races.barrier(),
            // Invocations are fragments of different pixels.
            Op::MemoryBarrier(..) | Op::BeginOrdered | Op::EndOrdered => {}
            Op::Demote => here.iter().for_each(|&lane| self.helper[lane as usize] = true),
            Op::IsHelper => self.answer(fr, inst, here, |w, lane| u64::from(w.helper[lane as usize])),
            Op::Clock(_) => {
                let now = u64::MAX - self.fuel;
                self.answer(fr, inst, here, |_, _| now);
            }
            Op::Trap(n) => here.iter().for_each(|&lane| self.fault(fr, inst, FaultKind::Trap(n), lane)),
            Op::Print(text) => self.print(fr, fr.f.args(inst), text, here),
            Op::EmitVertex(stream) => self.emit(fr, here, stream, false)?,
            Op::EndPrimitive(stream) => self.emit(fr, here, stream, true)?,
            Op::Call(f) => self.call_function(fr, inst, f, fr.f.args(inst), here)?,
            Op::CallIndirect => self.call_indirect(fr, inst, here)?,
            Op::SampledImage
            | Op::ImageOf
            | Op::Sample(_)
            | Op::Fetch
            | Op::ImageRead
            | Op::ImageWrite
            | Op::TexelPointer
            | Op::ImageQuery(_) => return self.image(fr, inst, op, here),
            Op::Native(n) => self.native(fr, inst, n, here)?,
            Op::TraceRay | Op::ReportHit | Op::ExecuteCallable | Op::RayQuery(_) => {
                return self.ray_op(fr, inst, op, here);
            }
            _ => return self.lane_op(fr, inst, op, here),
        }
        Ok(())
    }

    /// A target's operation, component by component; the domain knows what it means.
    fn native(&mut self, fr: &mut Frame<'m, D>, inst: Inst, n: u16, here: &[u32]) -> Outcome {
        let f = fr.f;
        let args = f.args(inst);
        let Some(result) = f.result_of(inst) else { return Ok(()) };
        for i in 0..fr.layout(result).leaves.len() {
            for &lane in here {
                let arg = |k: usize| {
                    let known = args.get(k).filter(|&&v| i < fr.layout(v).leaves.len());
                    known.map_or(D::Scalar::default(), |&v| fr.get(v, i, lane))
                };
                let operands = [arg(0), arg(1), arg(2)];
                let Some(s) = self.domain.native(n, operands, &mut self.notes[lane as usize]) else {
                    let kind = FaultKind::NotInterpreted("native");
                    return Err(Box::new(Fault::new(kind, f.inst(inst).span)));
                };
                fr.set(result, i, lane, s);
            }
        }
        Ok(())
    }

    /// One leaf for each lane, from its number.
    pub(super) fn answer(
        &mut self,
        fr: &mut Frame<'m, D>,
        inst: Inst,
        here: &[u32],
        of: impl Fn(&Self, u32) -> u64,
    ) {
        let Some(result) = fr.f.result_of(inst) else { return };
        let leaves = fr.layout(result).leaves.clone();
        for &lane in here {
            let bits = of(self, lane);
            for (i, &(leaf, _)) in leaves.iter().enumerate() {
                // A 64-bit answer may be asked for as two words.
                let word = if i == 0 { bits } else { bits >> 32 };
                fr.set(result, i, lane, self.scalar(leaf, word));
            }
        }
    }

    fn bit_field(&mut self, fr: &mut Frame<'m, D>, inst: Inst, op: Op, here: &[u32]) {
        let f = fr.f;
        let (args, domain) = (f.args(inst), self.domain);
        let Some(result) = f.result_of(inst) else { return };
        for (i, &(leaf, _)) in fr.layout(result).leaves.iter().enumerate() {
            let Leaf::Int(width) = leaf else { continue };
            for &lane in here {
                let get = |v: Value, leaf: usize| domain.bits(fr.get(v, leaf, lane));
                let given = [args[0], args[1], args[2], *args.last().unwrap_or(&args[0])];
                let leaf = |n: usize| if n == 0 || n == 1 && op == Op::BitInsert { i } else { 0 };
                let given = std::array::from_fn(|n| get(given[n], leaf(n)));
                let bits = arith::bit_field(op, width, given);
                fr.set(result, i, lane, domain.of_bits(bits));
            }
        }
    }

    fn bitcast(&mut self, fr: &mut Frame<'m, D>, inst: Inst, here: &[u32]) {
        let f = fr.f;
        let v = f.args(inst)[0];
        let Some(result) = f.result_of(inst) else { return };
        let (from, to) = (&fr.layout(v).leaves, &fr.layout(result).leaves);
        for &lane in here {
            let mut bytes = Vec::with_capacity(32);
            for (i, &(leaf, _)) in from.iter().enumerate() {
                let s = fr.get(v, i, lane);
                if self.domain.error(s) > 0.0 {
                    self.notes[lane as usize].add(Inconclusive::Bits);
                }
                let bits = self.domain.bits(s).to_le_bytes();
                bytes.extend_from_slice(&bits[..leaf.bytes()]);
            }
            bytes.resize(bytes.len().max(64), 0);
            let mut at = 0;
            for (i, &(leaf, _)) in to.iter().enumerate() {
                let mut bits = [0; 8];
                bits[..leaf.bytes()].copy_from_slice(&bytes[at..at + leaf.bytes()]);
                at += leaf.bytes();
                fr.set(result, i, lane, self.scalar(leaf, u64::from_le_bytes(bits)));
            }
        }
    }

    fn construct_value(&mut self, fr: &mut Frame<'m, D>, inst: Inst, here: &[u32]) {
        let f = fr.f;
        let args = f.args(inst);
        let Some(result) = f.result_of(inst) else { return };
        let wanted = fr.layout(result).leaves.len();
        let given: Vec<(Value, usize)> =
            args.iter().flat_map(|&v| (0..fr.layout(v).leaves.len()).map(move |leaf| (v, leaf))).collect();
        for i in 0..wanted {
            // One operand for all components is a splat.
            let Some(&(v, leaf)) = given.get(i).or(given.first().filter(|_| args.len() == 1)) else {
                continue;
            };
            here.iter().for_each(|&lane| fr.set(result, i, lane, fr.get(v, leaf, lane)));
        }
    }

    fn extract(&mut self, fr: &mut Frame<'m, D>, inst: Inst, n: u32, here: &[u32]) {
        let f = fr.f;
        let v = f.args(inst)[0];
        let (Some(result), Some(&first)) = (f.result_of(inst), fr.layout(v).parts.get(n as usize)) else {
            return;
        };
        for i in 0..fr.layout(result).leaves.len() {
            here.iter().for_each(|&lane| fr.set(result, i, lane, fr.get(v, first as usize + i, lane)));
        }
    }

    fn insert(&mut self, fr: &mut Frame<'m, D>, inst: Inst, n: u32, here: &[u32]) {
        let f = fr.f;
        let args = f.args(inst);
        let (Some(result), Some(&first)) = (f.result_of(inst), fr.layout(args[0]).parts.get(n as usize))
        else {
            return;
        };
        let (first, count) = (first as usize, fr.layout(args[1]).leaves.len());
        for i in 0..fr.layout(result).leaves.len() {
            let inside = (first..first + count).contains(&i);
            let (v, leaf) = if inside { (args[1], i - first) } else { (args[0], i) };
            here.iter().for_each(|&lane| fr.set(result, i, lane, fr.get(v, leaf, lane)));
        }
    }

    /// A component of a vector by a number that is computed.
    fn indexed(&mut self, fr: &mut Frame<'m, D>, inst: Inst, op: Op, here: &[u32]) {
        let f = fr.f;
        let args = f.args(inst);
        let Some(result) = f.result_of(inst) else { return };
        let count = fr.layout(args[0]).leaves.len();
        for &lane in here {
            let index = self.domain.bits(fr.get(*args.last().unwrap_or(&result), 0, lane)) as usize;
            if index >= count {
                self.fault(fr, inst, FaultKind::OutOfBounds, lane);
            }
            if op == Op::ExtractDyn {
                let s = if index < count { fr.get(args[0], index, lane) } else { D::Scalar::default() };
                fr.set(result, 0, lane, s);
                continue;
            }
            for i in 0..count {
                let s = if i == index { fr.get(args[1], 0, lane) } else { fr.get(args[0], i, lane) };
                fr.set(result, i, lane, s);
            }
        }
    }

    fn shuffle(&mut self, fr: &mut Frame<'m, D>, inst: Inst, components: [u8; 4], here: &[u32]) {
        let f = fr.f;
        let args = f.args(inst);
        let Some(result) = f.result_of(inst) else { return };
        let split = fr.layout(args[0]).leaves.len();
        for (i, (&c, &(leaf, _))) in components.iter().zip(&fr.layout(result).leaves).enumerate() {
            let any = self.scalar(leaf, self.options.undef);
            let c = usize::from(c);
            let (v, leaf) = if c < split { (args[0], c) } else { (args[1], c - split) };
            let known = leaf < fr.layout(v).leaves.len();
            for &lane in here {
                let s = if known { fr.get(v, leaf, lane) } else { any };
                fr.set(result, i, lane, s);
            }
        }
    }

    /// Two values taken together.
    pub(super) fn combined(
        &mut self,
        combine: Combine,
        leaf: Leaf,
        a: D::Scalar,
        b: D::Scalar,
        lane: u32,
    ) -> D::Scalar {
        let Some(op) = combine.op() else { return b };
        self.component(op, leaf, leaf, [a, b, b], lane)
    }

    /// A text of each lane.
    fn print(&mut self, fr: &Frame<'m, D>, args: &[Value], text: u32, here: &[u32]) {
        let text = self.module.texts.get(text as usize).map_or("", String::as_str);
        let room = self.options.prints.saturating_sub(self.printed.len()).min(here.len());
        self.unprinted += (here.len() - room) as u64;
        for &lane in &here[..room] {
            let leaves = args.iter().flat_map(|&v| {
                let leaves = fr.layout(v).leaves.iter().enumerate();
                leaves.map(move |(n, (leaf, _))| (leaf.bytes() * 8, fr.get(v, n, lane)))
            });
            let shown = leaves.map(|(width, s)| Argument::Bits(self.domain.bits(s), width as u8));
            let text = printf::format(text, shown);
            self.printed.push(Printed { lane, text });
        }
    }

    fn emit(&mut self, fr: &Frame<'m, D>, here: &[u32], stream: u8, ends: bool) -> Outcome {
        for &lane in here {
            if self.emitted.len() >= self.options.vertices {
                return Err(Box::new(Fault::new(FaultKind::TooLarge, fr.f.span)));
            }
            let outputs = if ends { Vec::new() } else { self.outputs(lane) };
            self.emitted.push(Emitted { lane, stream, ends, outputs });
        }
        Ok(())
    }

    /// The bytes of all outputs as a lane has them now, by variable.
    pub(super) fn outputs(&mut self, lane: u32) -> Vec<Vec<u8>> {
        let globals = self.globals.clone();
        let all = self.module.globals.iter().zip(globals);
        let mut out = Vec::new();
        for (global, place) in all {
            let is_output = global.space == crate::Space::Output;
            out.push(if is_output {
                self.memory.peek(Place::of(place).region, lane as usize).to_vec()
            } else {
                Vec::new()
            });
        }
        out
    }

    fn call_function(
        &mut self,
        fr: &mut Frame<'m, D>,
        inst: Inst,
        f: FunctionRef,
        args: &[Value],
        here: &[u32],
    ) -> Outcome {
        let mut columns = Vec::new();
        for &v in args {
            for leaf in 0..fr.layout(v).leaves.len() {
                columns.extend((0..self.lanes as u32).map(|lane| fr.get(v, leaf, lane)));
            }
        }
        let result = self.call(f, &columns, here)?;
        if let Some(v) = fr.f.result_of(inst) {
            for (leaf, column) in
                result.chunks_exact(self.lanes.max(1)).enumerate().take(fr.layout(v).leaves.len())
            {
                here.iter().for_each(|&lane| fr.set(v, leaf, lane, column[lane as usize]));
            }
        }
        Ok(())
    }

    /// Lanes that call the same function go together, those of the lowest lane first. Lanes that call none, by 0, get
    /// zeros.
    fn call_indirect(&mut self, fr: &mut Frame<'m, D>, inst: Inst, here: &[u32]) -> Outcome {
        let args = fr.f.args(inst);
        let mut left = here.to_vec();
        while let Some(&first) = left.first() {
            let callee = self.domain.bits(fr.get(args[0], 0, first));
            let (together, rest): (Vec<u32>, Vec<u32>) =
                left.iter().partition(|&&lane| self.domain.bits(fr.get(args[0], 0, lane)) == callee);
            left = rest;
            let Some(number) = callee.checked_sub(1) else {
                self.no_call(fr, inst, &together);
                continue;
            };
            let callee = FunctionRef(u32::try_from(number).unwrap_or(u32::MAX));
            // What comes from memory may be any number.
            if !signature_fits(self.module, callee, fr.f.ty(args[0])) {
                return Err(Box::new(Fault::new(FaultKind::OutOfBounds, fr.f.inst(inst).span)));
            }
            self.call_function(fr, inst, callee, &args[1..], &together)?;
        }
        Ok(())
    }

    /// Zeros for what nobody has computed.
    fn no_call(&self, fr: &mut Frame<'m, D>, inst: Inst, lanes: &[u32]) {
        let Some(result) = fr.f.result_of(inst) else { return };
        for (n, &(leaf, _)) in fr.layout(result).leaves.iter().enumerate() {
            lanes.iter().for_each(|&lane| fr.set(result, n, lane, self.scalar(leaf, 0)));
        }
    }
}
