//! Values across the levels of the tree.
//!
//! In SPIR-V a value may be used wherever its definition dominates; in the IR only where the
//! tree shows it. A value that is used beyond that
//!
//! - becomes a parameter of the continuing block, when a loop's body hands it to there;
//! - is made anew, when it is a pointer or a handle, which no variable can hold;
//! - goes through a variable of the function else, which promotion turns back into results
//!   of constructs.

use crate::body::Body;
use crate::error::{Res, fail};
use chiaro_ir::{Block, Def, Effect, Op, Space, Type, Value};
use std::collections::HashMap;

/// The longest chain of pointers that is made anew.
const CHAIN: u32 = 64;
/// The most `continue`s of a loop that hand values over, and the most values.
const SITES: usize = 64;
const EXTRA: usize = 256;

impl Body<'_, '_> {
    /// The value as it can be seen at the present place.
    #[inline]
    pub(crate) fn reach(&mut self, v: Value) -> Res<Value> {
        match self.home_of(v) {
            Some(home) if !self.within(self.block, home) => self.carry(v, home, 0),
            _ => Ok(v),
        }
    }

    /// The block that defines a value; `None` for what is seen everywhere.
    #[inline]
    fn home_of(&self, v: Value) -> Option<Block> {
        match self.f.def(v) {
            Def::Param(_) | Def::Constant(_) => None,
            Def::Result(inst, _) => Some(self.home[inst.0 as usize]),
            Def::BlockParam(block, _) => Some(block),
        }
    }

    /// Whether a block is another one or inside of it.
    #[inline]
    pub(crate) fn within(&self, mut block: Block, outer: Block) -> bool {
        let depth = self.stands[outer.0 as usize].depth;
        while block != outer {
            let stand = self.stands[block.0 as usize];
            if stand.depth <= depth {
                return false;
            }
            block = stand.parent;
        }
        true
    }

    fn carry(&mut self, v: Value, home: Block, chain: u32) -> Res<Value> {
        if !self.storable(v) {
            return self.anew(v, chain);
        }
        match self.hand_over(v, home) {
            Some(param) => Ok(param),
            None => Ok(self.through_variable(v)),
        }
    }

    /// Whether a variable can hold such a value.
    fn storable(&self, v: Value) -> bool {
        !matches!(
            self.r.module.types.get(self.f.ty(v)),
            Type::Image(_)
                | Type::Sampler
                | Type::SampledImage(_)
                | Type::AccelerationStructure
                | Type::RayQuery
                | Type::Void
        ) && !matches!(self.r.module.types.get(self.f.ty(v)), Type::Pointer(space, _) if *space != Space::Device)
    }

    /// A pointer or a handle made from its operands once more.
    fn anew(&mut self, v: Value, chain: u32) -> Res<Value> {
        let Def::Result(inst, _) = self.f.def(v) else {
            return fail("a pointer that depends on control flow is used outside of its construct");
        };
        let op = self.f.op(inst);
        if chain > CHAIN
            || !(op.effect() == Effect::Pure || op == Op::Load)
            || self.f.results(inst).len() != 1
        {
            return fail("a pointer or handle is used outside of the construct that makes it");
        }
        let mut args = self.f.args(inst).to_vec();
        for arg in &mut args {
            match self.home_of(*arg) {
                Some(home) if !self.within(self.block, home) => *arg = self.carry(*arg, home, chain + 1)?,
                _ => {}
            }
        }
        Ok(self.op(op, &args, self.f.ty(v)))
    }

    /// A parameter of the continuing block around, if the loop's body gives it.
    fn hand_over(&mut self, v: Value, home: Block) -> Option<Value> {
        let mut block = self.block;
        loop {
            let stand = self.stands[block.0 as usize];
            if let Some(number) = stand.continues {
                let of = &self.loops[number as usize];
                if let Some(&(_, param)) = of.extra.iter().find(|(from, _)| *from == v) {
                    return Some(param);
                }
                let few = (1..=SITES).contains(&of.sites.len()) && of.extra.len() < EXTRA;
                if few && of.sites.iter().all(|&(_, at)| self.within(at, home)) {
                    let param = self.f.add_param(block, self.f.ty(v));
                    self.loops[number as usize].extra.push((v, param));
                    return Some(param);
                }
            }
            if stand.depth == 0 {
                return None;
            }
            block = stand.parent;
        }
    }

    /// The value by way of a variable; the store is added in the end.
    fn through_variable(&mut self, v: Value) -> Value {
        let ty = self.f.ty(v);
        let variable = match self.spilled.get(&v) {
            Some(&variable) => variable,
            None => {
                let variable = self.variable(ty);
                self.spilled.insert(v, variable);
                variable
            }
        };
        self.op(Op::Load, &[variable], ty)
    }

    /// A variable of the whole function.
    pub(crate) fn variable(&mut self, ty: chiaro_ir::Ty) -> Value {
        let pointer = self.r.module.types.intern(Type::Pointer(Space::Function, ty));
        let inst = self.make(Op::Var(Space::Function), &[], &[pointer]);
        self.variables.push(inst);
        self.f.results(inst).next().expect("a variable has one result")
    }

    /// Puts variables at the start and stores behind the definitions of what they hold.
    pub(crate) fn settle(&mut self) {
        let mut spilled: Vec<(Value, Value)> = self.spilled.drain().collect();
        spilled.sort_unstable();
        let mut behind: HashMap<Block, Vec<(Option<chiaro_ir::Inst>, chiaro_ir::Inst)>> = HashMap::new();
        for (value, variable) in spilled {
            let (block, after) = match self.f.def(value) {
                Def::Result(inst, _) => (self.home[inst.0 as usize], Some(inst)),
                Def::BlockParam(block, _) => (block, None),
                Def::Param(_) | Def::Constant(_) => continue,
            };
            let store = self.make(Op::Store, &[variable, value], &[]);
            behind.entry(block).or_default().push((after, store));
        }
        for (block, mut stores) in behind {
            stores.sort_unstable();
            self.insert(block, &stores);
        }
        let variables = std::mem::take(&mut self.variables);
        let body = self.f.body;
        self.f.block_mut(body).insts.splice(0..0, variables);
    }

    /// Inserts instructions behind others, which `None` means the start of the block.
    fn insert(&mut self, block: Block, stores: &[(Option<chiaro_ir::Inst>, chiaro_ir::Inst)]) {
        let after = |inst| {
            let start = stores.partition_point(move |s| s.0 < inst);
            stores[start..].iter().take_while(move |s| s.0 == inst).map(|s| s.1)
        };
        let old = std::mem::take(&mut self.f.block_mut(block).insts);
        let mut new: Vec<chiaro_ir::Inst> = after(None).collect();
        for inst in old {
            new.push(inst);
            new.extend(after(Some(inst)));
        }
        self.f.block_mut(block).insts = new;
    }
}
