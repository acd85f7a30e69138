//! Instructions: their operands and descriptors, and the addresses that they need loaded.

use super::words::{Finish, Pending, Trouble};
use crate::compile::allocate::Place;
use crate::compile::graph::{Base, Component, Graph, Id, Index, Reading, operands, reading};
use crate::compile::schedule::Step;
use crate::isa::{Op, PICA200, halves};
use crate::operand::NEGATE;
use crate::operand::descriptor;
use crate::regs::bank;
use chiaro_isa::{Reg, Value};

impl Finish<'_> {
    pub(super) fn node(&mut self, id: Id) -> Result<(), Trouble> {
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
        if op == Op::Mov && is_same(&dst, &sources[0], unread[0]) {
            return Ok(());
        }
        let inst =
            PICA200.encode_op(op as u16, &fields[..n], &PICA200.cx()).map_err(|_| Trouble::Operand(id))?;
        let (word, descriptor) = halves(inst.word);
        self.closed = false;
        let care = descriptor::care(word >> 26, descriptor) & !selectors(unread);
        self.code.push(Pending { word, descriptor, care, has_descriptor: true, span: node.span });
        // What an address was loaded from may have changed.
        self.forget(id);
        Ok(())
    }

    /// The register and mask that a node writes, and for each component the component.
    fn destination(&self, id: Id) -> (Reg, [Option<u8>; 4]) {
        let node = self.input.graph.node(id);
        let (file, index, from) = match self.input.homes.out(id) {
            Some(out) => (bank::OUTPUT, out.register, out.from),
            None => {
                let mut from = [None; 4];
                let place = self.place(id);
                for component in 0..node.width {
                    let slot = self.input.homes.slot(id, component);
                    from[usize::from(place.parts[usize::from(slot)])] = Some(component);
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
        components: &[Component; 4],
        reading: Reading,
        from: &[Option<u8>; 4],
    ) -> Result<(Reg, u8), Trouble> {
        // The component that each component of the selector is for.
        let wanted: [Option<Component>; 4] = std::array::from_fn(|i| {
            let component = match reading {
                Reading::Each => from[i].map(|component| components[usize::from(component)]),
                Reading::All(n) => (i < usize::from(n)).then_some(components[i]),
            };
            component.filter(|l| l.base != Base::Undef)
        });
        let unread = (0..4).filter(|i| wanted[*i].is_none()).fold(0u8, |mask, i| mask | 1 << i);
        let Some(first) = wanted.iter().flatten().next() else {
            // Nothing of it counts; any register will do that needs no wide field.
            return Ok((Reg { file: bank::TEMP, swizzle: 0x1b, ..Reg::default() }, unread));
        };
        let (file, index, indexed, parts, neg) = match first.base {
            Base::Const(_) => {
                let all: Vec<Component> = wanted.map(|l| l.unwrap_or(Component::UNDEF)).to_vec();
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
                let part = |component: Option<Component>| match component.map(|l| (l.base, l.part)) {
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

    /// MOVA for the address that an instruction needs, unless a0 has it; where both halves of a0 are
    /// free, the address that is needed next comes along if it stands in the same register.
    fn load_addresses(&mut self, id: Id) -> Result<(), Trouble> {
        let Some(k) = self.address_of(id).filter(|k| !self.addresses.contains(&Some(*k))) else {
            return Ok(());
        };
        // The older one of the two goes.
        let at = usize::from(self.addresses[0].is_some() && self.addresses[1].is_none());
        let mut loaded = [None; 2];
        loaded[at] = Some(k);
        if at == 0 {
            loaded[1] = self.next_address(k);
        }
        let component = |i: usize| loaded.get(i).copied().flatten().map(|k| self.address(k));
        let components = std::array::from_fn(|i| component(i).unwrap_or(Component::UNDEF));
        let from: [Option<u8>; 4] = std::array::from_fn(|i| component(i).map(|_| i as u8));
        let (source, unread) = self.source(id, &components, Reading::Each, &from)?;
        let mask = loaded.iter().fold(0, |mask, half| mask << 1 | i64::from(half.is_some()));
        let fields = [("mask", Value::Int(mask)), ("src1", Value::Reg(source))];
        let inst =
            PICA200.encode_op(Op::Mova as u16, &fields, &PICA200.cx()).map_err(|_| Trouble::Operand(id))?;
        let (word, descriptor) = halves(inst.word);
        let care = descriptor::care(word >> 26, descriptor) & !selectors([unread, 0, 0]);
        self.code.push(Pending { word, descriptor, care, has_descriptor: true, span: self.span });
        self.addresses = if at == 0 { loaded } else { [self.addresses[0], Some(k)] };
        Ok(())
    }

    fn address(&self, k: u16) -> Component {
        self.input.graph.addresses[usize::from(k)]
    }

    /// The address that an instruction needs.
    fn address_of(&self, id: Id) -> Option<u16> {
        self.input.graph.node(id).uses().find_map(|l| match l.base {
            Base::Uniform(_, Index::Address(k)) => Some(k),
            _ => None,
        })
    }

    /// The address that the instructions up to the next branch need after one, if one operand of MOVA
    /// can name both and it is known already.
    fn next_address(&self, k: u16) -> Option<u16> {
        let (done, ahead) = self.input.steps.split_at(self.at);
        let node = |step: &Step| match step {
            Step::Node(id) => Some(*id),
            _ => None,
        };
        let next = ahead.iter().map_while(node).filter_map(|id| self.address_of(id)).find(|n| *n != k)?;
        let (first, second) = (self.address(k), self.address(next));
        let register = |component: Component| match component.base {
            Base::Node(id) => Base::Node(self.input.homes.web(id)),
            other => other,
        };
        let is_known = |component: Component| match component.base {
            Base::Node(id) => {
                self.input.homes.variable(id).is_none() && done.iter().filter_map(node).any(|n| n == id)
            }
            Base::Input(_) | Base::Uniform(_, Index::None) => true,
            _ => false,
        };
        let together = register(first) == register(second) && first.neg == second.neg;
        (together && is_known(second)).then_some(next)
    }

    fn forget(&mut self, id: Id) {
        let written = |component: Component| {
            component.node().is_some_and(|n| self.input.homes.web(n) == self.input.homes.web(id))
                && self.input.homes.variable(id).is_some()
        };
        let stale = |k: &u16| written(self.input.graph.addresses[usize::from(*k)]);
        self.addresses = self.addresses.map(|k| k.filter(|k| !stale(k)));
    }
}

/// Puts the uniform operand where there is a wide field for it.
fn arrange(op: Op, args: &mut [[Component; 4]; 3], relations: &mut [u8; 2], id: Id, graph: &Graph) {
    let wide = |k: usize, args: &[[Component; 4]; 3]| {
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

fn part_of(wanted: &[Option<Component>; 4]) -> [u8; 4] {
    wanted.map(|component| component.map_or(0, |l| l.part))
}

/// The bits of selectors that are of no account.
fn selectors(unread: [u8; 3]) -> u32 {
    let bits = |set: u8| (0..4).filter(|i| set >> i & 1 == 1).fold(0u32, |bits, i| bits | 3 << (6 - 2 * i));
    bits(unread[0]) << 5 | bits(unread[1]) << 14 | bits(unread[2]) << 23
}

/// Whether a move leaves a register as it is.
fn is_same(to: &Reg, from: &Reg, unread: u8) -> bool {
    let stays = |i: u16| {
        let is_written = to.swizzle >> (3 - i) & 1 == 1 && unread >> i & 1 == 0;
        !is_written || from.swizzle >> (6 - 2 * i) & 3 == i
    };
    let is_plain = from.mods == 0 && from.indexed == 0;
    (to.file, from.file) == (bank::TEMP, bank::TEMP)
        && to.index == from.index
        && is_plain
        && (0..4).all(stays)
}
