//! What a kernel finds in registers, and what its first block makes of it (spec section 17).

use chiaro_diag::Tally;
use chiaro_ir as ir;
use chiaro_ir::{
    ConstantKind, Def, Function, FunctionRef, Global, GlobalRef, Op as Ir, Path, Space, Step, Ty, Walk,
};
use chiaro_mach::{Block, Op as Mach, Operand, Outcome};

use super::Select;
use super::part::{Kind, Part};
use super::value::WORD;
use crate::abi::interface::{Abi, Argument, Bound, Resource};
use crate::abi::layout;
use crate::compile::code::{Modifiers, SCALAR, VECTOR};
use crate::isa::Op;
use crate::isa::smem::Smem;
use crate::isa::vop3::Vop3;

/// SPIR-V's numbers of built-ins.
pub(super) mod builtin {
    pub(crate) const GROUP_COUNTS: u32 = 24;
    pub(crate) const GROUP_SIZE: u32 = 25;
    pub(crate) const GROUP_ID: u32 = 26;
    pub(crate) const LOCAL_ID: u32 = 27;
    pub(crate) const GLOBAL_ID: u32 = 28;
    pub(crate) const LOCAL_INDEX: u32 = 29;
    pub(crate) const SUBGROUP_SIZE: u32 = 36;
    pub(crate) const SUBGROUP_COUNT: u32 = 38;
    pub(crate) const SUBGROUP_ID: u32 = 40;
    pub(crate) const LANE: u32 = 41;
    pub(crate) const LANE_EQUAL: u32 = 4416;
    pub(crate) const LANES_FROM: u32 = 4417;
    pub(crate) const LANES_UP_TO: u32 = 4419;
    pub(crate) const LANES_BELOW: u32 = 4420;
}
use builtin::{GLOBAL_ID, GROUP_COUNTS, GROUP_ID, LOCAL_ID, LOCAL_INDEX};

/// Upper half of the addresses of sets and push constants (spec section 17).
const UPPER: u32 = 0xffff_8000;
/// Registers that a launch sets at most.
const USER: u16 = 16;
/// Last word of a descriptor of bytes (spec section 9.1).
const RAW: u32 = 0x3101_6fac;
/// Threads that a group has at most.
const THREADS: u32 = 1024;

impl Select<'_> {
    /// Components of a built-in that the function and its callees read, as bits.
    pub(super) fn used(&self, builtin: u32) -> u8 {
        if self.module.globals.iter().all(|global| global.binding.builtin != Some(builtin)) {
            return 0;
        }
        if let Some(&(_, used)) = self.parts_read.borrow().iter().find(|(known, _)| *known == builtin) {
            return used;
        }
        let used =
            self.reach.iter().fold(0, |used, &f| used | self.used_in(self.module.function(f), builtin));
        self.parts_read.borrow_mut().push((builtin, used));
        used
    }

    fn used_in(&self, f: &Function, builtin: u32) -> u8 {
        let mut loaded = Vec::new();
        let mut used = 0u8;
        for inst in Walk::insts(f) {
            for (n, &arg) in f.args(inst).iter().enumerate() {
                if loaded.contains(&arg) {
                    used |= match f.op(inst) {
                        Ir::Extract(part) if n == 0 => 1 << part.min(7),
                        _ => 7,
                    };
                }
            }
            let (Ir::Load, Some(result)) = (f.op(inst), f.result_of(inst)) else { continue };
            let pointer = f.args(inst)[0];
            let is_it = |g: GlobalRef| self.module.global(g).binding.builtin == Some(builtin);
            if !self.module.variable_of(f, pointer).is_some_and(is_it) {
                continue;
            }
            let path = Path::of(self.module, f, pointer);
            match path.as_ref().and_then(|path| path.steps.first()) {
                Some(&(_, index)) => {
                    used |= self.module.value_bits(f, index).map_or(7, |n| 1 << n.min(7));
                }
                None if self.module.types.components(f.ty(result)) == 1 => used |= 1,
                None => loaded.push(result),
            }
        }
        used
    }

    /// Variables of the module that some functions name.
    pub(super) fn named(&self, functions: &[FunctionRef]) -> Vec<GlobalRef> {
        let of = |f: &FunctionRef| chiaro_opt::named(self.module, self.module.function(*f));
        functions.iter().flat_map(of).map(|(g, _)| g).collect()
    }

    /// Whether the function or its callees need an argument of the kernel.
    pub(super) fn needs(&self, argument: Argument) -> bool {
        let globals = || self.named(&self.reach).into_iter().map(|g| self.module.global(g));
        let is_bound = |g: &Global| {
            matches!(g.space, Space::Storage | Space::Uniform | Space::UniformConstant | Space::PushConstant)
        };
        let is_of = |g: &Global, set: u32| {
            is_bound(g) && g.space != Space::PushConstant && g.binding.set.unwrap_or(0) == set
        };
        match argument {
            Argument::Set(set) => globals().any(|g| is_of(g, set)),
            Argument::PushPointer => globals().any(|g| g.space == Space::PushConstant),
            Argument::Push(word) => self.pushed(&self.reach).is_none_or(|words| words.contains(&word)),
            Argument::Kernarg => globals().any(is_bound) || self.used(GROUP_COUNTS) != 0,
            Argument::GroupCounts => self.used(GROUP_COUNTS) != 0,
            Argument::GroupId(n) => (self.used(GROUP_ID) | self.used(GLOBAL_ID)) >> n & 1 != 0,
            Argument::GroupInfo => self.asks_for_wave(),
            Argument::Rings | Argument::Scratch | Argument::ScratchOffset => false,
        }
    }

    /// Words of the push constants that are read at places known now; nothing if there are others.
    fn pushed(&self, functions: &[FunctionRef]) -> Option<Vec<u32>> {
        let mut words = Vec::new();
        if self.module.globals.iter().all(|global| global.space != Space::PushConstant) {
            return Some(words);
        }
        for (f, step) in
            functions.iter().map(|&f| self.module.function(f)).flat_map(|f| Walk::new(f).map(move |s| (f, s)))
        {
            let Step::Inst(inst) = step else { continue };
            if f.op(inst) != Ir::Load {
                continue;
            }
            let path = Path::of(self.module, f, f.args(inst)[0]);
            let Some(path) = path.filter(|p| p.space == Space::PushConstant) else { continue };
            let mut offset = 0;
            for (ty, index) in &path.steps {
                let n = self.module.value_bits(f, *index)?;
                offset += layout::part_offset(self.module, *ty, n as u32, path.space);
            }
            let ty = f.ty(f.result_of(inst)?);
            for leaf in layout::leaves(self.module, ty, path.space) {
                let first = (offset + leaf.offset) / 4;
                words.extend(first..first + u32::from(leaf.bits).div_ceil(32));
            }
        }
        words.sort_unstable();
        words.dedup();
        Some(words)
    }

    /// The registers at the start, and the descriptors in them.
    pub(super) fn begin(&mut self) -> Outcome {
        let threads = self.interface.threads();
        if threads > THREADS {
            let message = format!("a group has {threads} threads, {THREADS} are allowed");
            return self.error(self.f.span, message, "make the workgroup smaller");
        }
        self.bind()?;
        if let Some(own) = self.own {
            self.start_function(own);
        } else {
            self.list_arguments();
            self.start();
        }
        self.load_descriptors();
        Ok(())
    }

    pub(super) fn list_arguments(&mut self) {
        let (counts, groups) = (self.used(GROUP_COUNTS) != 0, self.used(GROUP_ID) | self.used(GLOBAL_ID));
        let mut list = Vec::new();
        match self.options.abi {
            Abi::Vulkan => {
                list.push(Argument::Rings);
                let mut sets: Vec<u32> = self.interface.resources.iter().map(|b| b.binding.0).collect();
                sets.retain(|&set| set != u32::MAX);
                sets.dedup();
                list.extend(sets.into_iter().map(Argument::Set));
                let taken: u16 =
                    list.iter().map(|a: &Argument| a.size()).sum::<u16>() + 3 * u16::from(counts);
                match self.pushed(&self.unit.order) {
                    Some(words) if taken + words.len() as u16 <= USER => {
                        list.extend(words.into_iter().map(Argument::Push));
                    }
                    _ => list.push(Argument::PushPointer),
                }
                list.extend(counts.then_some(Argument::GroupCounts));
            }
            Abi::Hsa => {
                list.push(Argument::Kernarg);
                list.extend(self.has_scratch.then_some(Argument::Scratch));
                if counts {
                    let at = self.interface.kernarg_bytes();
                    let count = |n: u8| Bound {
                        name: format!("group_count_{}", ["x", "y", "z"][usize::from(n)]),
                        binding: (u32::MAX, 1 + u32::from(n)),
                        resource: Resource::GroupCount(n),
                        numbers: Some("uint"),
                        members: Vec::new(),
                        offset: at + 4 * u32::from(n),
                        size: 4,
                        count: 1,
                    };
                    self.interface.resources.extend((0..3).map(count));
                }
            }
        }
        list.extend((0..3).filter(|n| groups >> n & 1 != 0).map(Argument::GroupId));
        list.extend(self.asks_for_wave().then_some(Argument::GroupInfo));
        list.extend(self.has_scratch.then_some(Argument::ScratchOffset));
        self.interface.arguments = list;
        self.interface.dimensions = self.dimensions();
    }

    /// Dimensions of a thread's number that the function or its callees read.
    pub(super) fn dimensions(&self) -> u8 {
        let own =
            self.used(LOCAL_ID) | self.used(GLOBAL_ID) | if self.used(LOCAL_INDEX) != 0 { 7 } else { 0 };
        // Where a thread is in a square of four depends on both of its numbers.
        let own = own | if own & 3 != 0 && self.has_squares() { 3 } else { 0 };
        let is_used = |n: &u8| own >> n & 1 != 0 && self.workgroup[usize::from(*n)] > 1;
        (0..3).rev().find(is_used).map_or(0, |n| n + 1)
    }

    /// Values of the registers at the start.
    fn start(&mut self) {
        let mut defs = Vec::new();
        let registers: Vec<(Argument, u16)> = self.interface.registers().collect();
        for (argument, at) in registers {
            let size = argument.size();
            // Nothing but the start of scratch reads these.
            if matches!(argument, Argument::Rings | Argument::Scratch | Argument::ScratchOffset) {
                continue;
            }
            let value = self.code.value(SCALAR, size, if size == 2 { 2 } else { 1 });
            let operand = self.code.operand(value);
            defs.push(operand.fixed(at));
            self.arguments.insert(argument, operand);
        }
        for n in 0..self.interface.dimensions {
            let value = self.code.value(VECTOR, 1, 1);
            let operand = self.code.operand(value);
            defs.push(operand.fixed(n.into()));
            self.threads.push(operand);
        }
        self.code.push(self.entry, Mach::Start, &defs, &[]);
    }

    /// The address of a descriptor set, or of the push constants.
    fn address_of(&mut self, argument: Argument) -> Operand {
        let low = self.arguments.get(&argument).copied().unwrap_or_default();
        let high = self.in_scalar(self.entry, Part::number(UPPER));
        let def = self.new_scalar(2);
        self.collect_into(self.entry, def, &[low, high]);
        def
    }

    /// A scalar load of constant data: done again rather than spilled.
    pub(super) fn scalar_load(
        &mut self,
        at: Block,
        words: u16,
        base: Operand,
        offset: i32,
        step: Option<Operand>,
    ) -> Operand {
        let is_buffer = base.size == 4;
        let op = match (is_buffer, words) {
            (false, 1) => Smem::LoadDword,
            (false, 2) => Smem::LoadDwordx2,
            (false, 4) => Smem::LoadDwordx4,
            (false, 8) => Smem::LoadDwordx8,
            (false, _) => Smem::LoadDwordx16,
            (true, 1) => Smem::BufferLoadDword,
            (true, 2) => Smem::BufferLoadDwordx2,
            (true, 4) => Smem::BufferLoadDwordx4,
            (true, 8) => Smem::BufferLoadDwordx8,
            (true, _) => Smem::BufferLoadDwordx16,
        };
        let def = self.new_scalar(words);
        let uses: Vec<Operand> = [base].into_iter().chain(step).collect();
        self.push(at, Op::Smem(op), &[def], &uses, Modifiers::number(offset));
        def
    }

    /// Loads the descriptors of all resources that are there once, neighbours together.
    fn load_descriptors(&mut self) {
        match self.options.abi {
            Abi::Vulkan => self.load_sets(),
            Abi::Hsa => self.load_addresses(),
        }
    }

    fn load_sets(&mut self) {
        let sets: Vec<u32> = self
            .interface
            .arguments
            .iter()
            .filter_map(|a| if let Argument::Set(n) = a { Some(*n) } else { None })
            .collect();
        for set in sets {
            let address = self.address_of(Argument::Set(set));
            self.sets.insert(set, address);
            let mut places: Vec<(u32, u32)> = Vec::new();
            for bound in self.interface.resources.iter().filter(|b| b.binding.0 == set && b.count == 1) {
                if bound.resource.is_buffer() {
                    places.push((bound.offset, bound.binding.1));
                }
            }
            self.load_neighbours(set, address, &places);
            self.load_handles(Some(set), address);
        }
        if self.interface.arguments.contains(&Argument::PushPointer) && self.interface.push_bytes > 0 {
            let address = self.address_of(Argument::PushPointer);
            self.sets.insert(u32::MAX, address);
        }
    }

    /// Runs of four, two or one descriptor.
    fn load_neighbours(&mut self, set: u32, address: Operand, mut places: &[(u32, u32)]) {
        while let Some(&(first, _)) = places.first() {
            let is_next = |&(n, place): &(usize, &(u32, u32))| place.0 == first + 16 * n as u32;
            let run = places.iter().enumerate().take_while(is_next).count();
            let run = if run >= 4 {
                4
            } else if run >= 2 {
                2
            } else {
                1
            };
            let whole = self.scalar_load(self.entry, 4 * run as u16, address, first as i32, None);
            for (n, (_, binding)) in places[..run].iter().enumerate() {
                self.note_descriptor((set, *binding), whole.part(4 * n as u16, 4).aligned(4));
            }
            places = &places[run..];
        }
    }

    /// Gives all variables of a binding their descriptor.
    fn note_descriptor(&mut self, binding: (u32, u32), operand: Operand) {
        let globals = self.module.globals.iter().enumerate();
        let own = globals.filter(|(_, g)| {
            matches!(g.space, Space::Storage | Space::Uniform)
                && (g.binding.set.unwrap_or(0), g.binding.binding.unwrap_or(0)) == binding
        });
        for n in own.map(|(n, _)| n).collect::<Vec<_>>() {
            self.descriptors.insert((GlobalRef(n as u32), 0), operand);
        }
    }

    /// Descriptors of what is there once, from addresses.
    fn load_addresses(&mut self) {
        let Some(&kernarg) = self.arguments.get(&Argument::Kernarg) else { return };
        self.load_handles(None, kernarg);
        for bound in self.interface.resources.clone() {
            if bound.resource.is_buffer() && bound.count == 1 {
                let address = self.scalar_load(self.entry, 2, kernarg, bound.offset as i32, None);
                let made = self.open_buffer(self.entry, address);
                self.note_descriptor(bound.binding, made);
            }
        }
    }

    /// The descriptor of bytes from an address, of which nobody knows the end.
    pub(super) fn open_buffer(&mut self, at: Block, address: Operand) -> Operand {
        let [size, kind] = [u32::MAX, RAW].map(|n| self.in_scalar(at, Part::number(n)));
        let def = self.new_scalar(4);
        self.collect_into(at, def, &[address.part(0, 1), address.part(1, 1), size, kind]);
        def
    }

    /// Scalars of the push constants from a byte on.
    pub(super) fn push_words(
        &mut self,
        at: Block,
        words: std::ops::Range<u32>,
        step: Option<Part>,
    ) -> Vec<Part> {
        if let (Abi::Vulkan, None) = (self.options.abi, step) {
            let known: Vec<Operand> =
                words.clone().filter_map(|n| self.arguments.get(&Argument::Push(n)).copied()).collect();
            if known.len() == words.len() {
                return known.into_iter().map(|operand| Self::part(operand, Kind::Word)).collect();
            }
        }
        let push =
            self.interface.resources.iter().find(|b| b.resource == Resource::Push).map_or(0, |b| b.offset);
        let (base, first) = match self.options.abi {
            Abi::Vulkan => (self.sets.get(&u32::MAX).copied().unwrap_or_default(), 0),
            Abi::Hsa => (self.arguments.get(&Argument::Kernarg).copied().unwrap_or_default(), push),
        };
        let step = step.map(|part| self.in_scalar(at, part));
        self.scalar_words(at, base, first, words, step)
    }

    /// Words by scalar loads, as many at once as there are.
    pub(super) fn scalar_words(
        &mut self,
        at: Block,
        base: Operand,
        first: u32,
        words: std::ops::Range<u32>,
        step: Option<Operand>,
    ) -> Vec<Part> {
        let mut parts = Vec::new();
        let mut next = words.start;
        while next < words.end {
            let left = words.end - next;
            // Beyond the end of what is described zeros are read, beyond that of an address anything may stand.
            let size = match (left, base.size == 4) {
                (16.., _) => 16,
                (8.., _) => 8,
                (4.., _) | (3, true) => 4,
                (2.., _) => 2,
                _ => 1,
            };
            let offset = first.wrapping_add(4 * next) as i32;
            let whole = self.scalar_load(at, size, base, offset, step);
            let count = left.min(size.into()) as u16;
            parts.extend((0..count).map(|n| Self::part(whole.part(n, 1), Kind::Word)));
            next += u32::from(count);
        }
        parts
    }

    /// Whether a variable's name is that of a built-in.
    fn builtin_of(&self, pointer: ir::Value) -> Option<u32> {
        let g = self.module.variable_of(self.f, pointer)?;
        self.module.global(g).binding.builtin
    }

    /// The scalars of an input.
    pub(super) fn load_input(&mut self, at: Block, pointer: ir::Value, ty: Ty) -> Option<Vec<Part>> {
        let number = self.builtin_of(pointer)?;
        let steps = self.path(pointer)?.steps;
        let whole = self.input(at, number)?;
        let Some(&(_, index)) = steps.first() else {
            return Some(whole.into_iter().take(self.kinds(ty).len()).collect());
        };
        match self.f.def(index) {
            Def::Constant(c) => match self.module.constants.get(c) {
                ConstantKind::Scalar(n) => Some(vec![*whole.get(*n as usize)?]),
                _ => Some(vec![*whole.first()?]),
            },
            _ => None,
        }
    }

    fn argument(&self, argument: Argument) -> Part {
        self.arguments.get(&argument).map_or(Part::number(0), |&operand| Self::part(operand, Kind::Word))
    }

    fn has_squares(&self) -> bool {
        self.module.entries.first().is_some_and(ir::EntryPoint::has_square_quads)
    }

    /// The number in one dimension of the thread that starts in this lane.
    fn starting(&self, n: usize) -> Part {
        let known = self.threads.get(n).filter(|_| self.workgroup[n] > 1);
        known.map_or(Part::number(0), |&operand| Self::part(operand, Kind::Word))
    }

    /// The number of the thread in its group, in one dimension. Where quads are squares, four lanes in a row are one, so
    /// that threads trade places ([`thread_of`](ir::EntryPoint::thread_of)).
    fn thread(&mut self, at: Block, n: usize) -> Option<Part> {
        if n == 2 || !self.has_squares() {
            return Some(self.starting(n));
        }
        let [width, ..] = self.workgroup;
        let within = [(self.starting(1), WORD), (Part::number(width), WORD), (self.starting(0), WORD)];
        let within = self.vector(at, Op::Vop3(Vop3::MadU32U24), &within, Kind::Word);
        let mut of = |op: Ir, a: Part, b: u32| self.integer(at, op, &[a, Part::number(b)], 32);
        let quad = of(Ir::LShr, within, 2)?;
        // Exact, since both numbers are less than 1024.
        let row = of(Ir::IMul, quad, (1 << 20) / (width / 2) + 1)?;
        let row = of(Ir::LShr, row, 20)?;
        let corner = if n == 0 { within } else { of(Ir::LShr, within, 1)? };
        let corner = of(Ir::And, corner, 1)?;
        let square = match n {
            0 => {
                let before = of(Ir::IMul, row, width / 2)?;
                self.integer(at, Ir::ISub, &[quad, before], 32)?
            }
            _ => row,
        };
        let first = self.integer(at, Ir::Shl, &[square, Part::number(1)], 32)?;
        self.integer(at, Ir::Or, &[first, corner], 32)
    }

    fn input(&mut self, at: Block, number: u32) -> Option<Vec<Part>> {
        let group = |s: &Self, n: usize| s.argument(Argument::GroupId(n as u8));
        Some(match number {
            GROUP_COUNTS => self.group_counts(at),
            builtin::GROUP_SIZE => self.workgroup.map(Part::number).to_vec(),
            GROUP_ID => (0..3).map(|n| group(self, n)).collect(),
            LOCAL_ID => (0..3).map(|n| self.thread(at, n)).collect::<Option<_>>()?,
            GLOBAL_ID => {
                let used = self.used(GLOBAL_ID);
                let one = |s: &mut Self, n: usize| match used >> n & 1 {
                    0 => Some(Part::number(0)),
                    _ => {
                        let (base, thread) = (group(s, n), s.thread(at, n)?);
                        Some(s.global_id(at, base, thread, s.workgroup[n]))
                    }
                };
                (0..3).map(|n| one(self, n)).collect::<Option<_>>()?
            }
            LOCAL_INDEX => vec![self.local_index(at)?],
            _ => return self.subgroup_input(at, number),
        })
    }

    fn group_counts(&mut self, at: Block) -> Vec<Part> {
        if let Some(&operand) = self.arguments.get(&Argument::GroupCounts) {
            return (0..3).map(|n| Self::part(operand.part(n, 1), Kind::Word)).collect();
        }
        let place = self
            .interface
            .resources
            .iter()
            .find(|b| b.resource == Resource::GroupCount(0))
            .map_or(0, |b| b.offset);
        let kernarg = self.arguments.get(&Argument::Kernarg).copied().unwrap_or_default();
        self.scalar_words(at, kernarg, place, 0..3, None)
    }

    /// Group times size, and the thread.
    fn global_id(&mut self, at: Block, group: Part, thread: Part, size: u32) -> Part {
        if size.is_power_of_two() && self.is_vector(thread) && size > 1 {
            let parts = [group, Part::number(size.trailing_zeros()), thread].map(|part| (part, WORD));
            return self.vector(at, Op::Vop3(Vop3::LshlAddU32), &parts, Kind::Word);
        }
        let base = match size {
            1 => group,
            _ => self.integer(at, Ir::IMul, &[group, Part::number(size)], 32).unwrap_or(group),
        };
        self.sum(at, base, thread)
    }

    /// x, then rows, then planes.
    fn local_index(&mut self, at: Block) -> Option<Part> {
        let [x, y, _] = self.workgroup;
        let mut index = self.thread(at, 0)?;
        for (n, stride) in [(1, x), (2, x * y)] {
            let thread = self.thread(at, n)?;
            if thread.bits() == Some(0) {
                continue;
            }
            let parts = [(thread, WORD), (Part::number(stride), WORD), (index, WORD)];
            index = self.vector(at, Op::Vop3(Vop3::MadU32U24), &parts, Kind::Word);
        }
        Some(index)
    }

    /// Places the variables of the group in LDS.
    pub(super) fn place_shared(&mut self) -> Outcome {
        let mut named: Vec<GlobalRef> = self.named(&self.unit.order);
        named.sort_by_key(|g| g.0);
        named.dedup();
        let mut tally = Tally::new("shared variables", "bytes", crate::regs::LDS);
        let mut next = 0u32;
        for g in named {
            let global = self.module.global(g);
            if global.space != Space::Workgroup {
                continue;
            }
            let size = layout::size(self.module, global.ty, Space::Workgroup);
            tally.add(&global.name, global.span, size);
            self.groups.insert(g, next);
            next = next.saturating_add(size).next_multiple_of(16).max(next);
        }
        let exchange = self.exchange_bytes();
        tally.add("exchange between lanes", None, exchange);
        (self.exchange, self.interface.lds) = (next, next.saturating_add(exchange));
        match tally.overflow() {
            Some(error) => Err(vec![error.help("make arrays smaller, or keep them in a buffer")]),
            None => Ok(()),
        }
    }
}
