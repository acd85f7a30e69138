//! Loads, stores and the output transformation. spec sections 9 to 11.

use chiaro_ir::{Constant, ConstantKind, Def, GlobalRef, Op as Ir, Space, Ty, Type, Value};

use super::{Answer, Part, Position, Select};
use crate::abi;
use crate::dag::{Op, Operand, Place, Source};

/// Where a pointer points.
#[derive(Clone, Copy)]
struct Pointed {
    global: GlobalRef,
    /// The member, where the variable is a block of outputs.
    member: u32,
    /// vec4 from the variable's (or member's) first place.
    row: u32,
    /// The component, where one is meant.
    component: Option<u32>,
    /// What is there.
    ty: Ty,
}

impl Select<'_> {
    /// Follows a chain of accesses to the variable.
    fn pointed(&mut self, pointer: Value) -> Answer<Pointed> {
        let mut chain = Vec::new();
        let mut at = pointer;
        let global = loop {
            match self.f.def(at) {
                Def::Constant(c) => match self.module.constants.get(c) {
                    ConstantKind::Global(g) => break *g,
                    _ => return self.error("this pointer leads nowhere", "please report the shader"),
                },
                Def::Result(inst, _) if self.f.op(inst) == Ir::Access => {
                    chain.push(self.f.args(inst)[1..].to_vec());
                    at = self.f.args(inst)[0];
                }
                _ => {
                    return self.error(
                        "a local array is indexed by a value that is known at run time only",
                        "index it by constants, or put the numbers into a uniform array",
                    );
                }
            }
        };
        self.walk(global, chain.into_iter().rev().flatten())
    }

    fn walk(&mut self, global: GlobalRef, indices: impl Iterator<Item = Value>) -> Answer<Pointed> {
        let data = self.module.global(global);
        let mut to = Pointed { global, member: 0, row: 0, component: None, ty: data.ty };
        let is_block = data.space == Space::Output && !data.members.is_empty();
        for (depth, index) in indices.enumerate() {
            let Some(n) = self.known(index) else {
                return self.error(
                    "an array is indexed by a value that is known at run time only",
                    "indirect addressing is not implemented for this target yet",
                );
            };
            let part = self.module.types.part(to.ty, n);
            match self.module.types.get(to.ty) {
                Type::Vector(..) => to.component = Some(n),
                Type::Struct(..) if is_block && depth == 0 => to.member = n,
                _ => {
                    for i in 0..n {
                        let before = self.module.types.part(to.ty, i).unwrap_or(to.ty);
                        to.row += u32::from(abi::size(self.module, before).unwrap_or(0));
                        if matches!(self.module.types.get(to.ty), Type::Array(..)) {
                            to.row = to.row - u32::from(abi::size(self.module, before).unwrap_or(0))
                                + n * u32::from(abi::size(self.module, before).unwrap_or(0));
                            break;
                        }
                    }
                }
            }
            to.ty = part.unwrap_or(to.ty);
        }
        Ok(to)
    }

    /// The number that an index is.
    fn known(&self, index: Value) -> Option<u32> {
        match self.f.def(index) {
            Def::Constant(c) => self.bits(c),
            _ => None,
        }
    }

    fn bits(&self, c: Constant) -> Option<u32> {
        self.module.constants.bits(c).map(|bits| bits as u32)
    }

    pub(super) fn load(&mut self, pointer: Value) -> Answer<Vec<Operand>> {
        let to = self.pointed(pointer)?;
        let space = self.module.global(to.global).space;
        let Some(first) = self.abi.place(to.global, to.member) else {
            return self.error(
                "this built-in variable has no value on this machine",
                "pass it as an attribute or uniform",
            );
        };
        let mut loaded = Vec::new();
        self.load_parts(space, u32::from(first) + to.row, to.component, to.ty, &mut loaded)?;
        Ok(loaded)
    }

    fn load_parts(
        &mut self,
        space: Space,
        row: u32,
        component: Option<u32>,
        ty: Ty,
        loaded: &mut Vec<Operand>,
    ) -> Answer<()> {
        let source = |component: u32| match space {
            Space::Input => Source::Attribute(row as u8, component as u8),
            _ => Source::Uniform(row as u16, component as u8),
        };
        match self.module.types.get(ty) {
            Type::Vector(_, n) => {
                for i in 0..u32::from(*n) {
                    let part = self.dag().load(source(i));
                    loaded.push(part);
                }
            }
            Type::Bool | Type::Int(_) | Type::Float(_) => {
                let part = self.dag().load(source(component.unwrap_or(0)));
                loaded.push(part);
            }
            _ => {
                let mut row = row;
                for i in 0..self.module.types.part_count(ty).unwrap_or(0) {
                    let Some(part) = self.module.types.part(ty, i) else { break };
                    self.load_parts(space, row, None, part, loaded)?;
                    row += u32::from(abi::size(self.module, part).unwrap_or(0));
                }
            }
        }
        Ok(())
    }

    pub(super) fn effect(&mut self, op: Ir, args: &[Value]) -> Answer<()> {
        match op {
            Ir::Store => self.write(args[0], args[1]),
            _ => {
                let message = format!("the vertex processor cannot do `{}`", op.info().name);
                self.error(message, "it writes outputs and nothing else")
            }
        }
    }

    fn write(&mut self, pointer: Value, value: Value) -> Answer<()> {
        let to = self.pointed(pointer)?;
        let parts = self.read(value)?;
        let data = self.module.global(to.global);
        if data.space != Space::Output {
            return self.error("only outputs can be written", "the vertex processor has no other memory");
        }
        let builtin = match data.members.get(to.member as usize) {
            Some(binding) => binding.builtin,
            None => data.binding.builtin,
        };
        let start = to.component.unwrap_or(0);
        match builtin {
            Some(abi::POSITION) => self.collect(start as usize, &parts),
            Some(abi::POINT_SIZE) => self.collect(4, &parts),
            Some(_) => Ok(()),
            None => {
                let first = self.abi.place(to.global, to.member).unwrap_or(0) + to.row as u16;
                self.write_parts(first, start, to.ty, &parts);
                Ok(())
            }
        }
    }

    fn write_parts(&mut self, first: u16, start: u32, ty: Ty, parts: &[Operand]) {
        // Matrices and arrays: a vec4 for each column or element.
        let mut leaf = ty;
        while let Type::Array(elem, ..) = self.module.types.get(leaf) {
            leaf = *elem;
        }
        let width = usize::from(self.module.types.components(leaf)).max(1);
        for (i, &part) in parts.iter().enumerate() {
            let (row, component) = (first + (i / width) as u16, start as usize + i % width);
            self.store(Place::Output(row as u8 & 15, component as u8 & 3), part);
        }
    }

    /// The position and the point size are transformed at the end. What is written once stays a
    /// value until then; what is written in several places goes through a register.
    fn collect(&mut self, start: usize, parts: &[Operand]) -> Answer<()> {
        for (i, &operand) in parts.iter().enumerate() {
            let Some(&position) = self.position.get(start + i) else { break };
            let Some(first) = position.part else {
                self.position[start + i].part = Some(Part { block: self.current(), operand });
                continue;
            };
            let home = match position.home {
                Some(home) => home,
                None if first.block == self.current() => {
                    self.position[start + i].part = Some(Part { operand, ..first });
                    continue;
                }
                None => {
                    let home = self.register()?;
                    self.position[start + i].home = Some(home);
                    let dag = &mut self.blocks[first.block as usize].dag;
                    let plain = dag.plain(first.operand);
                    dag.make(Op::Store(Place::Register(home.0, home.1)), &[plain]);
                    home
                }
            };
            self.write_register(home, operand);
        }
        Ok(())
    }

    fn collected(&mut self, i: usize) -> Answer<Option<Operand>> {
        Ok(match self.position[i] {
            Position { home: Some(home), .. } => Some(self.read_register(home)),
            Position { part: Some(part), .. } => Some(self.here(part)?),
            _ => None,
        })
    }

    /// Clip space to the screen: xyz * scale / w + offset, and 1 / w between limits; the point
    /// size between its limits. The scale is multiplied while the reciprocal is in flight, as
    /// ARM's compiler does. spec section 10.4.
    pub(super) fn transform(&mut self) -> Answer<()> {
        let [x, y, z, w] = [0, 1, 2, 3].map(|i| self.collected(i));
        if let (Some(x), Some(y), Some(z), Some(w)) = (x?, y?, z?, w?) {
            self.transform_position([x, y, z, w]);
        }
        if let Some(size) = self.collected(4)? {
            let output = self.abi.outputs.iter().find(|o| o.name == "gl_PointSize").map_or(1, |o| o.index);
            let (low, high) = self.options.point_size;
            let plain = self.dag().plain(size);
            let clamped = self.dag().make(Op::Clamp(low.to_bits(), high.to_bits()), &[plain]);
            self.store(Place::Output(output as u8 & 15, 0), clamped);
        }
        Ok(())
    }

    fn transform_position(&mut self, [x, y, z, w]: [Operand; 4]) {
        let limit = self.options.reciprocal_limit;
        let (scale, offset) = (self.abi.uniform_vec4, self.abi.uniform_vec4 + 1);
        let is_one = self.dag().constant(w) == Some(1.0);
        let inverse = if is_one {
            w
        } else {
            let inverse = self.dag().function(Op::Rcp, w);
            self.dag().make(Op::Clamp((-limit).to_bits(), limit.to_bits()), &[inverse])
        };
        for (i, part) in [x, y, z].into_iter().enumerate() {
            let factor = self.dag().load(Source::Uniform(scale, i as u8));
            let scaled = self.dag().mul(part, factor);
            let divided = self.dag().mul(scaled, inverse);
            let origin = self.dag().load(Source::Uniform(offset, i as u8));
            let placed = self.dag().add(divided, origin);
            self.store(Place::Output(0, i as u8), placed);
        }
        self.store(Place::Output(0, 3), inverse);
    }
}
