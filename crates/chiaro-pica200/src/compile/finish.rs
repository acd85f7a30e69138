//! Words: operands and their descriptors, addresses, branches, and the NOPs that they ask for.

pub(super) mod constants;
pub(super) mod initial;
mod subroutines;

use self::subroutines::subroutines;
use crate::compile::allocate::Place;
use crate::compile::finish::constants::Pool;
use crate::compile::geometry::strip::Setting;
use crate::compile::graph::{Base, Cond, Graph, Id, Index, Lane, Reading, operands, reading};
use crate::compile::schedule::Step;
use crate::compile::schedule::homes::Homes;
use crate::isa::{Op, PICA200, halves};
use crate::operand::NEGATE;
use crate::operand::descriptor::{self, Descriptors, Full};
use crate::regs::bank;
use chiaro_diag::Span;
use chiaro_isa::{Reg, Value};

/// What does not fit, or must not happen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Trouble {
    /// No descriptor is left for an instruction.
    Descriptors(Full, Option<Span>),
    /// Constructs are nested deeper than the machine's stack: what, found, allowed.
    Nesting(&'static str, u32, u32),
    /// More else words than the field counts.
    Else(u32),
    /// An operand that no field can hold: a mistake of ours.
    Operand(Id),
    /// More different constants for loops than integer registers are free.
    Loops,
    /// More words than a jump reaches.
    Words(u32),
}

/// The finished program.
#[derive(Clone, Debug, Default)]
pub(crate) struct Words {
    pub(crate) code: Vec<u32>,
    /// Words of the main program, END included; subroutines follow.
    pub(crate) main: usize,
    pub(crate) spans: Vec<Option<Span>>,
    pub(crate) descriptors: Vec<[u32; 2]>,
    /// Integer constants by register.
    pub(crate) ints: Vec<(u8, [u8; 4])>,
    /// The boolean register that has to be set, for jumps.
    pub(crate) always: Option<u8>,
}

/// What the words are made from.
pub(crate) struct Input<'a> {
    pub(crate) graph: &'a Graph,
    pub(crate) homes: &'a Homes,
    pub(crate) steps: &'a [Step],
    pub(crate) places: &'a [Option<Place>],
    pub(crate) pool: &'a Pool,
    /// Registers of the pool count down from here.
    pub(crate) first_constant: u8,
    /// Boolean uniforms in use.
    pub(crate) bools: u8,
    /// The last boolean that is the program's: b15 of the geometry unit is the hardware's.
    pub(crate) last_bool: u8,
    /// Words that a subroutine must save to be made.
    pub(crate) subroutine_saves: usize,
}

#[derive(Clone)]
struct Pending {
    word: u32,
    descriptor: u32,
    care: u32,
    has_descriptor: bool,
    span: Option<Span>,
}

struct Finish<'a> {
    input: &'a Input<'a>,
    code: Vec<Pending>,
    ints: Vec<(u8, [u8; 4])>,
    always: Option<u8>,
    /// What the last SETEMIT said, where that is known.
    setting: Option<Setting>,
    /// What a0.x and a0.y hold.
    addresses: [Option<u16>; 2],
    /// Constructs that are open.
    open: Vec<Open>,
    /// The last step closed a block that the next one may not end with.
    closed: bool,
    span: Option<Span>,
}

enum Open {
    /// The word of IFC or IFU, and the first word of the else part.
    If(usize, Option<usize>),
    /// The word of LOOP.
    Loop(usize),
    /// The first word of the body, and jumps to behind it.
    Jumps(usize, Vec<usize>),
}

const CALLS_AND_JUMPS: [u32; 5] = [0x24, 0x25, 0x26, 0x2c, 0x2d];
const BREAKC: u32 = 0x23;

/// Makes the words of a program, END included.
///
/// # Errors
/// What the machine has too little of.
pub(crate) fn finish(input: &Input<'_>) -> Result<Words, Trouble> {
    let mut f = Finish {
        input,
        code: Vec::new(),
        ints: Vec::new(),
        always: None,
        setting: None,
        addresses: [None; 2],
        open: Vec::new(),
        closed: false,
        span: None,
    };
    for step in input.steps {
        f.step(*step)?;
    }
    f.plain(Op::End, &[])?;
    let main = subroutines(&mut f.code, input.subroutine_saves);
    f.descriptors(main)
}

impl Finish<'_> {
    fn step(&mut self, step: Step) -> Result<(), Trouble> {
        match step {
            Step::Node(id) => {
                self.closed = false;
                return self.node(id);
            }
            Step::Emit(setting) => return self.emit(setting),
            Step::If(cond) => self.open_if(cond)?,
            Step::Else => self.else_part()?,
            Step::EndIf => self.end_if()?,
            Step::Loop(number) => self.open_loop(number)?,
            Step::EndLoop => self.end_loop()?,
            Step::Break(cond) => self.leave(cond)?,
        }
        (self.addresses, self.setting) = ([None; 2], None);
        Ok(())
    }

    /// EMIT, with SETEMIT unless the setting is in force already.
    fn emit(&mut self, setting: Setting) -> Result<(), Trouble> {
        if self.setting.replace(setting) != Some(setting) {
            let flags = i64::from(setting.primitive) << 1 | i64::from(setting.winding);
            let fields = [("vertex", Value::Int(setting.vertex.into())), ("flags", Value::Int(flags))];
            self.plain(Op::Setemit, &fields)?;
        }
        self.plain(Op::Emit, &[])?;
        Ok(())
    }

    /// An instruction without a descriptor.
    fn plain(&mut self, op: Op, fields: &[(&str, Value)]) -> Result<usize, Trouble> {
        let inst =
            PICA200.encode_op(op as u16, fields, &PICA200.cx()).map_err(|_| Trouble::Operand(Id::MAX))?;
        let (word, _) = halves(inst.word);
        self.code.push(Pending { word, descriptor: 0, care: 0, has_descriptor: false, span: self.span });
        self.closed = false;
        Ok(self.code.len() - 1)
    }

    fn target(&mut self, at: usize, target: usize) -> Result<(), Trouble> {
        let target = u32::try_from(target).ok().filter(|t| *t < 1 << 12);
        let target = target.ok_or(Trouble::Words(self.code.len() as u32))?;
        self.code[at].word = self.code[at].word & !(0xfff << 10) | target << 10;
        Ok(())
    }

    /// Room on one of the stacks.
    fn nest(&self, what: &'static str, allowed: u32, same: impl Fn(&Open) -> bool) -> Result<(), Trouble> {
        let depth = self.open.iter().filter(|o| same(o)).count() as u32 + 1;
        if depth > allowed { Err(Trouble::Nesting(what, depth, allowed)) } else { Ok(()) }
    }

    fn open_if(&mut self, cond: Cond) -> Result<(), Trouble> {
        self.nest("if", 8, |o| matches!(o, Open::If(..)))?;
        let at = match cond {
            Cond::Bool(b, _) => {
                let fields =
                    [("bool", uniform(bank::BOOL, b)), ("target", Value::Int(0)), ("count", Value::Int(0))];
                self.plain(Op::Ifu, &fields)?
            }
            Cond::Flags(_, raw) => {
                let fields =
                    [("cond", Value::Int(raw.into())), ("target", Value::Int(0)), ("count", Value::Int(0))];
                self.plain(Op::Ifc, &fields)?
            }
        };
        self.open.push(Open::If(at, None));
        self.closed = true;
        Ok(())
    }

    /// A NOP where a block may not end (spec section 13): at the end of another one, behind a
    /// jump or a call, behind BREAKC in a LOOP, and where there would be nothing in it.
    fn pad(&mut self, in_loop: bool) -> Result<(), Trouble> {
        let last = self.code.last().map_or(0, |p| p.word >> 26);
        let jump = !self.code.is_empty() && CALLS_AND_JUMPS.contains(&last);
        if self.closed || jump || in_loop && last == BREAKC {
            self.plain(Op::Nop, &[])?;
        }
        Ok(())
    }

    fn else_part(&mut self) -> Result<(), Trouble> {
        self.pad(false)?;
        let start = self.code.len();
        if let Some(Open::If(_, other)) = self.open.last_mut() {
            *other = Some(start);
        }
        self.closed = true;
        Ok(())
    }

    fn end_if(&mut self) -> Result<(), Trouble> {
        self.pad(false)?;
        let end = self.code.len();
        if let Some(Open::If(at, other)) = self.open.pop() {
            let count = other.map_or(0, |start| end - start) as u32;
            if count > 255 {
                return Err(Trouble::Else(count));
            }
            self.target(at, other.unwrap_or(end))?;
            self.code[at].word |= count;
        }
        self.closed = true;
        Ok(())
    }

    fn open_loop(&mut self, number: u16) -> Result<(), Trouble> {
        let counter = self.input.graph.loops[usize::from(number)];
        if counter.jumps {
            self.open.push(Open::Jumps(self.code.len(), Vec::new()));
            self.closed = true;
            return Ok(());
        }
        self.nest("loop", 4, |o| matches!(o, Open::Loop(_)))?;
        let register = match counter.constant {
            Some(bytes) => self.int(bytes)?,
            None if counter.register > 3 => return Err(Trouble::Loops),
            None => counter.register,
        };
        let fields = [("int", uniform(bank::INT, register)), ("target", Value::Int(0))];
        let at = self.plain(Op::Loop, &fields)?;
        self.open.push(Open::Loop(at));
        self.closed = true;
        Ok(())
    }

    /// The integer register that holds a constant, from i3 downwards.
    fn int(&mut self, bytes: [u8; 4]) -> Result<u8, Trouble> {
        if let Some((register, _)) = self.ints.iter().find(|(_, known)| *known == bytes) {
            return Ok(*register);
        }
        let register = 3u8.checked_sub(self.ints.len() as u8).ok_or(Trouble::Loops)?;
        if usize::from(register) < self.input.graph.counts.len() {
            return Err(Trouble::Loops);
        }
        self.ints.push((register, bytes));
        Ok(register)
    }

    fn end_loop(&mut self) -> Result<(), Trouble> {
        match self.open.pop() {
            Some(Open::Loop(at)) => {
                self.pad(true)?;
                let last = self.code.len() - 1;
                self.target(at, last)?;
            }
            Some(Open::Jumps(start, leaving)) => {
                // A boolean that is always set: there is no other jump without a condition.
                let b = self.input.bools.max(self.input.last_bool);
                if self.input.bools > self.input.last_bool {
                    return Err(Trouble::Nesting("boolean uniform", 17, 16));
                }
                self.always = Some(b);
                let fields = [("bool", jump_bool(b)), ("target", Value::Int(0))];
                let at = self.plain(Op::Jmpu, &fields)?;
                self.target(at, start)?;
                let end = self.code.len();
                for at in leaving {
                    self.target(at, end)?;
                }
            }
            _ => {}
        }
        self.closed = true;
        Ok(())
    }

    fn leave(&mut self, cond: Cond) -> Result<(), Trouble> {
        let jumps = matches!(self.open.last(), Some(Open::Jumps(..)));
        let at = match (cond, jumps) {
            (Cond::Flags(_, raw), true) => {
                self.plain(Op::Jmpc, &[("cond", Value::Int(raw.into())), ("target", Value::Int(0))])?
            }
            (Cond::Flags(_, raw), false) => self.plain(Op::Breakc, &[("cond", Value::Int(raw.into()))])?,
            (Cond::Bool(b, inverted), true) => {
                let Value::Reg(mut reg) = uniform(bank::BOOL, b) else {
                    return Err(Trouble::Operand(Id::MAX));
                };
                reg.mods = if inverted { NEGATE } else { 0 };
                self.plain(Op::Jmpu, &[("bool", Value::Reg(reg)), ("target", Value::Int(0))])?
            }
            (Cond::Bool(..), false) => return Err(Trouble::Operand(Id::MAX)),
        };
        if let Some(Open::Jumps(_, leaving)) = self.open.last_mut() {
            leaving.push(at);
        }
        Ok(())
    }

    fn node(&mut self, id: Id) -> Result<(), Trouble> {
        let graph = self.input.graph;
        let node = graph.node(id);
        let Some(op) = node.op else { return Ok(()) };
        self.span = node.span.or(self.span);
        self.load_addresses(id)?;
        let (dst, from) = self.destination(id);
        let mut args = node.args;
        let mut relations = node.relations;
        arrange(op, &mut args, &mut relations, id, graph);
        let mut fields = [("", Value::Int(0)); 4];
        let mut n = 0;
        let mut put = |name, value| {
            fields[n] = (name, value);
            n += 1;
        };
        if op == Op::Cmp {
            put("x", Value::Int(relations[0].into()));
            put("y", Value::Int(relations[1].into()));
        } else {
            put("dst", Value::Reg(dst));
        }
        let mut unread = [0u8; 3];
        let mut sources = [Reg::default(); 3];
        for k in 0..operands(op) {
            (sources[k], unread[k]) = self.source(id, &args[k], reading(op, k), &from)?;
        }
        for (k, name) in ["src1", "src2", "src3"].iter().enumerate().take(operands(op)) {
            put(name, Value::Reg(sources[k]));
        }
        let inst =
            PICA200.encode_op(op as u16, &fields[..n], &PICA200.cx()).map_err(|_| Trouble::Operand(id))?;
        let (word, descriptor) = halves(inst.word);
        let care = descriptor::care(word >> 26, descriptor) & !selectors(unread);
        self.code.push(Pending { word, descriptor, care, has_descriptor: true, span: node.span });
        // What an address was loaded from may have changed.
        self.forget(id);
        Ok(())
    }

    /// The register and mask that a node writes, and for each component the lane.
    fn destination(&self, id: Id) -> (Reg, [Option<u8>; 4]) {
        let node = self.input.graph.node(id);
        let (file, index, from) = match self.input.homes.out(id) {
            Some(out) => (bank::OUTPUT, out.register, out.from),
            None => {
                let mut from = [None; 4];
                let place = self.place(id);
                for lane in 0..node.width {
                    let slot = self.input.homes.slot(id, lane);
                    from[usize::from(place.parts[usize::from(slot)])] = Some(lane);
                }
                (bank::TEMP, place.register, from)
            }
        };
        let mask = (0..4).filter(|i| from[*i].is_some()).fold(0, |mask, i| mask | 8u16 >> i);
        (Reg { file, index: index.into(), swizzle: mask, ..Reg::default() }, from)
    }

    fn place(&self, id: Id) -> Place {
        let web = self.input.homes.web(id);
        self.input.places[web as usize].unwrap_or(Place { register: 0, parts: [0, 1, 2, 3] })
    }

    /// A source operand, and the components of its selector that are of no account.
    fn source(
        &self,
        id: Id,
        lanes: &[Lane; 4],
        reading: Reading,
        from: &[Option<u8>; 4],
    ) -> Result<(Reg, u8), Trouble> {
        // The lane that each component of the selector is for.
        let wanted: [Option<Lane>; 4] = std::array::from_fn(|i| {
            let lane = match reading {
                Reading::Each => from[i].map(|lane| lanes[usize::from(lane)]),
                Reading::All(n) => (i < usize::from(n)).then_some(lanes[i]),
            };
            lane.filter(|l| l.base != Base::Undef)
        });
        let unread = (0..4).filter(|i| wanted[*i].is_none()).fold(0u8, |mask, i| mask | 1 << i);
        let Some(first) = wanted.iter().flatten().next() else {
            // Nothing of it counts; any register will do that needs no wide field.
            return Ok((Reg { file: bank::TEMP, swizzle: 0x1b, ..Reg::default() }, unread));
        };
        let (file, index, indexed, parts, neg) = match first.base {
            Base::Const(_) => {
                let all: Vec<Lane> = wanted.map(|l| l.unwrap_or(Lane::UNDEF)).to_vec();
                let found = self.input.pool.find(&all).ok_or(Trouble::Operand(id))?;
                let index = u16::from(self.input.first_constant).saturating_sub(found.register as u16);
                (bank::FLOAT, index, 0, found.parts, found.neg)
            }
            Base::Input(v) => (bank::INPUT, v.into(), 0, part_of(&wanted), first.neg),
            Base::Uniform(c, index) => {
                (bank::FLOAT, c.into(), self.indexed(index), part_of(&wanted), first.neg)
            }
            Base::Node(node) => {
                let place = self.place(node);
                let part = |lane: Option<Lane>| match lane.map(|l| (l.base, l.part)) {
                    Some((Base::Node(id), part)) => place.parts[usize::from(self.input.homes.slot(id, part))],
                    _ => 0,
                };
                (bank::TEMP, place.register.into(), 0, wanted.map(part), first.neg)
            }
            Base::Undef => (bank::TEMP, 0, 0, [0, 1, 2, 3], false),
        };
        let selector = (0..4).fold(0u16, |s, i| {
            // Components of no account select themselves: the identity is shared the most.
            s << 2 | u16::from(if unread >> i & 1 == 1 { i as u8 } else { parts[i] })
        });
        let mods = if neg { NEGATE } else { 0 };
        Ok((Reg { file, index, indexed, mods, swizzle: selector, ..Reg::default() }, unread))
    }

    fn indexed(&self, index: Index) -> u8 {
        match index {
            Index::None => 0,
            Index::Loop(_) => 3,
            Index::Address(k) => 1 + u8::from(self.addresses[1] == Some(k) && self.addresses[0] != Some(k)),
        }
    }

    /// MOVA for the address that an instruction needs, unless a0 has it.
    fn load_addresses(&mut self, id: Id) -> Result<(), Trouble> {
        let wanted = self.input.graph.node(id).uses().find_map(|l| match l.base {
            Base::Uniform(_, Index::Address(k)) => Some(k),
            _ => None,
        });
        let Some(k) = wanted.filter(|k| !self.addresses.contains(&Some(*k))) else { return Ok(()) };
        // The older one of the two goes.
        let at = usize::from(self.addresses[0].is_some() && self.addresses[1].is_none());
        let lane = self.input.graph.addresses[usize::from(k)];
        let mut lanes = [Lane::UNDEF; 4];
        lanes[at] = lane;
        let from: [Option<u8>; 4] = std::array::from_fn(|i| (i == at).then_some(i as u8));
        let (source, unread) = self.source(id, &lanes, Reading::Each, &from)?;
        let fields = [("mask", Value::Int(2 - at as i64)), ("src1", Value::Reg(source))];
        let inst =
            PICA200.encode_op(Op::Mova as u16, &fields, &PICA200.cx()).map_err(|_| Trouble::Operand(id))?;
        let (word, descriptor) = halves(inst.word);
        let care = descriptor::care(word >> 26, descriptor) & !selectors([unread, 0, 0]);
        self.code.push(Pending { word, descriptor, care, has_descriptor: true, span: self.span });
        self.addresses[at] = Some(k);
        if at == 0 {
            self.addresses[1] = None;
        }
        Ok(())
    }

    fn forget(&mut self, id: Id) {
        let written = |lane: Lane| {
            lane.node().is_some_and(|n| self.input.homes.web(n) == self.input.homes.web(id))
                && self.input.homes.variable(id).is_some()
        };
        let stale = |k: &u16| written(self.input.graph.addresses[usize::from(*k)]);
        self.addresses = self.addresses.map(|k| k.filter(|k| !stale(k)));
    }

    /// Shares descriptors among all instructions: those of MAD first, because they reach only the
    /// first ones, then those that care for the most.
    fn descriptors(self, main: usize) -> Result<Words, Trouble> {
        let mut order: Vec<usize> = (0..self.code.len()).filter(|i| self.code[*i].has_descriptor).collect();
        let is_mad = |word: u32| word >> 26 >= 0x30;
        order.sort_by_key(|&i| {
            let p = &self.code[i];
            (!is_mad(p.word), std::cmp::Reverse(p.care.count_ones()))
        });
        let mut table = Descriptors::new();
        let mut code: Vec<u32> = self.code.iter().map(|p| p.word).collect();
        for i in order {
            let p = &self.code[i];
            let slot = table
                .place(p.descriptor, p.care, is_mad(p.word))
                .map_err(|full| Trouble::Descriptors(full, p.span))?;
            code[i] |= u32::from(slot.index);
        }
        let spans = self.code.iter().map(|p| p.span).collect();
        Ok(Words { code, main, spans, descriptors: table.table(), ints: self.ints, always: self.always })
    }
}

/// Puts the uniform operand where there is a wide field for it.
fn arrange(op: Op, args: &mut [[Lane; 4]; 3], relations: &mut [u8; 2], id: Id, graph: &Graph) {
    let wide = |k: usize, args: &[[Lane; 4]; 3]| {
        let n = graph.node(id).reads(k);
        args[k][..n].iter().any(|l| matches!(l.base, Base::Uniform(..) | Base::Const(_)))
    };
    match op {
        Op::Add | Op::Mul | Op::Max | Op::Min | Op::Dp3 | Op::Dp4 if wide(1, args) => args.swap(0, 1),
        Op::Mad if wide(0, args) => args.swap(0, 1),
        Op::Cmp if wide(1, args) => {
            args.swap(0, 1);
            // a < b is b > a.
            *relations = relations.map(|r| [0, 1, 4, 5, 2, 3, 6, 7][usize::from(r & 7)]);
        }
        _ => {}
    }
}

fn part_of(wanted: &[Option<Lane>; 4]) -> [u8; 4] {
    wanted.map(|lane| lane.map_or(0, |l| l.part))
}

fn uniform(file: u8, index: u8) -> Value {
    Value::Reg(Reg { file, index: index.into(), ..Reg::default() })
}

fn jump_bool(b: u8) -> Value {
    uniform(bank::BOOL, b)
}

/// The bits of selectors that are of no account.
fn selectors(unread: [u8; 3]) -> u32 {
    let bits = |set: u8| (0..4).filter(|i| set >> i & 1 == 1).fold(0u32, |bits, i| bits | 3 << (6 - 2 * i));
    bits(unread[0]) << 5 | bits(unread[1]) << 14 | bits(unread[2]) << 23
}
