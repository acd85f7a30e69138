//! Splits variables of the function, and loads and stores of composites.

use super::{MOST, Splitter, is_composite, is_small};
use chiaro_ir::{Function, Inst, Module, Op, Ty, Type, Value, Walk};

/// A variable, or a part of one that is reached by constant indices.
#[derive(Clone, Debug)]
struct Node {
    ty: Ty,
    /// First of its parts' nodes, which follow each other.
    children: Option<u32>,
    /// It is used in a way that needs it in one piece.
    whole: bool,
    /// The variable that it has become.
    variable: Option<Value>,
}

/// Which variables can be split, and how far.
#[derive(Debug, Default)]
pub(super) struct Variables {
    nodes: Vec<Node>,
    /// By value: the node that a pointer leads to.
    at: Vec<Option<u32>>,
}

impl Variables {
    /// Looks at all uses of the variables of a function.
    pub(super) fn find(module: &Module, f: &Function) -> Variables {
        let mut found = Variables { nodes: Vec::new(), at: vec![None; f.value_count()] };
        for inst in Walk::insts(f) {
            match f.op(inst) {
                Op::Var(_) => found.declare(module, f, inst),
                Op::Access => found.access(module, f, inst),
                Op::Load | Op::Store | Op::Copy => found.whole_access(module, f, inst),
                _ => f.args(inst).iter().for_each(|&arg| found.keep(arg)),
            }
        }
        found.keep_below(module);
        found
    }

    /// What is within something whole is whole; parts have higher numbers than what they are of.
    fn keep_below(&mut self, module: &Module) {
        for i in 0..self.nodes.len() {
            let Node { ty, children, whole, .. } = self.nodes[i];
            let Some(first) = children.filter(|_| whole) else { continue };
            let count = module.types.part_count(ty).unwrap_or(0);
            (first..first + count).for_each(|child| self.nodes[child as usize].whole = true);
        }
    }

    fn node(&self, pointer: Value) -> Option<u32> {
        self.at.get(pointer.0 as usize).copied().flatten()
    }

    fn set(&mut self, pointer: Value, node: u32) {
        let n = pointer.0 as usize;
        if self.at.len() <= n {
            self.at.resize(n + 1, None);
        }
        self.at[n] = Some(node);
    }

    /// A pointer is used in a way that nobody follows.
    fn keep(&mut self, pointer: Value) {
        if let Some(node) = self.node(pointer) {
            self.nodes[node as usize].whole = true;
        }
    }

    fn declare(&mut self, module: &Module, f: &Function, inst: Inst) {
        let Some(result) = f.result_of(inst) else { return };
        if let Some((_, ty)) = module.types.pointee(f.ty(result))
            && is_composite(&module.types, ty)
        {
            self.add(ty);
            self.set(result, self.nodes.len() as u32 - 1);
        }
        f.args(inst).iter().for_each(|&arg| self.keep(arg));
    }

    fn add(&mut self, ty: Ty) {
        self.nodes.push(Node { ty, children: None, whole: false, variable: None });
    }

    /// The node of part `n`. `None` for what has no such part or is not to be split.
    fn child(&mut self, module: &Module, node: u32, n: u64) -> Option<u32> {
        let Node { ty, children, whole, .. } = self.nodes[node as usize];
        let count = module.types.part_count(ty).unwrap_or(0);
        if whole || !is_composite(&module.types, ty) || count as usize > MOST || n >= u64::from(count) {
            return None;
        }
        let first = children.unwrap_or_else(|| {
            let first = self.nodes.len() as u32;
            (0..count).filter_map(|i| module.types.part(ty, i)).for_each(|part| self.add(part));
            self.nodes[node as usize].children = Some(first);
            first
        });
        Some(first + n as u32)
    }

    fn access(&mut self, module: &Module, f: &Function, inst: Inst) {
        let args = f.args(inst);
        args[1..].iter().for_each(|&arg| self.keep(arg));
        let (Some(mut node), Some(result)) = (self.node(args[0]), f.result_of(inst)) else { return };
        for &index in &args[1..] {
            if !is_composite(&module.types, self.nodes[node as usize].ty) {
                // A component of a vector: what is left of the path leads into the variable.
                return;
            }
            let n = module.value_bits(f, index);
            let Some(child) = n.and_then(|n| self.child(module, node, n)) else {
                self.nodes[node as usize].whole = true;
                return;
            };
            node = child;
        }
        self.set(result, node);
    }

    /// A load, a store or a copy of all that a pointer leads to.
    fn whole_access(&mut self, module: &Module, f: &Function, inst: Inst) {
        let (op, args) = (f.op(inst), f.args(inst));
        let splits = !f.inst(inst).flags.volatile;
        for (i, &arg) in args.iter().enumerate() {
            let Some(node) = self.node(arg) else { continue };
            let is_place = i == 0 || op == Op::Copy;
            let ty = self.nodes[node as usize].ty;
            let splits = splits && is_place && is_small(&module.types, ty);
            self.nodes[node as usize].whole |= !splits && is_composite(&module.types, ty);
        }
    }
}

impl Splitter<'_> {
    /// Whether a node is no variable of its own, but its parts are.
    fn is_split(&self, node: u32) -> bool {
        let Node { ty, whole, .. } = self.variables.nodes[node as usize];
        let small = self.module.types.part_count(ty).is_some_and(|n| n as usize <= MOST);
        !whole && small && is_composite(&self.module.types, ty)
    }

    /// The nodes of all parts of a node that is split.
    fn children(&mut self, node: u32) -> std::ops::Range<u32> {
        let count = self.module.types.part_count(self.variables.nodes[node as usize].ty).unwrap_or(0);
        match self.variables.child(self.module, node, 0) {
            Some(first) => first..first + count,
            None => 0..0,
        }
    }

    /// Declares the parts of a variable in its place.
    pub(super) fn variable(&mut self, inst: Inst) -> bool {
        let (Some(result), Op::Var(space)) = (self.f.result_of(inst), self.f.op(inst)) else { return false };
        let Some(node) = self.variables.node(result) else { return false };
        if !self.is_split(node) {
            self.variables.nodes[node as usize].variable = Some(result);
            return false;
        }
        let init = self.f.args(inst).first().copied();
        self.declare(node, space, init, inst);
        self.changed = true;
        true
    }

    fn declare(&mut self, node: u32, space: chiaro_ir::Space, init: Option<Value>, var: Inst) {
        if !self.is_split(node) {
            let ty = self.module.types.intern(Type::Pointer(space, self.variables.nodes[node as usize].ty));
            let pointer = {
                let inst = self.draft.make(&mut self.f, Op::Var(space), init.as_slice(), &[ty]);
                let data = self.f.inst(var);
                let (flags, span) = (data.flags, data.span);
                let new = self.f.inst_mut(inst);
                (new.flags, new.span) = (flags, span);
                self.f.result_of(inst)
            };
            self.variables.nodes[node as usize].variable = pointer;
            return;
        }
        for (n, child) in self.children(node).enumerate() {
            let init = init.map(|init| self.piece(init, n as u32));
            self.declare(child, space, init, var);
        }
    }

    /// A pointer into a variable that is split leads to the variable of the part.
    pub(super) fn access(&mut self, inst: Inst) -> bool {
        let args = self.f.args(inst).to_vec();
        let (Some(mut node), Some(result)) = (self.variables.node(args[0]), self.f.result_of(inst)) else {
            return false;
        };
        let mut rest = &args[1..];
        while let Some((&index, behind)) = rest.split_first()
            && self.is_split(node)
        {
            let n = self.module.value_bits(&self.f, index);
            let Some(child) = n.and_then(|n| self.variables.child(self.module, node, n)) else {
                return false;
            };
            (node, rest) = (child, behind);
        }
        if rest.len() == args.len() - 1 {
            return false;
        }
        self.changed = true;
        let Some(variable) = self.variables.nodes[node as usize].variable else {
            self.variables.set(result, node);
            return true;
        };
        if rest.is_empty() {
            self.variables.set(variable, node);
            self.forward.set(result, variable);
            return true;
        }
        let short: Vec<Value> = [variable].iter().chain(rest).copied().collect();
        self.f.set_args(inst, &short);
        false
    }

    /// The node of a pointer to a variable that is split.
    fn split_node(&self, pointer: Value) -> Option<u32> {
        self.variables.node(pointer).filter(|&node| self.is_split(node))
    }

    fn is_volatile(&self, inst: Inst) -> bool {
        self.f.inst(inst).flags.volatile
    }

    /// What a place holds that is small enough to be taken apart.
    fn small_place(&self, pointer: Value) -> Option<Ty> {
        let (_, ty) = self.module.types.pointee(self.f.ty(pointer))?;
        is_small(&self.module.types, ty).then_some(ty)
    }

    pub(super) fn load(&mut self, inst: Inst) -> bool {
        let (place, Some(result)) = (self.f.args(inst)[0], self.f.result_of(inst)) else { return false };
        if self.is_volatile(inst) || self.small_place(place).is_none() {
            return false;
        }
        let whole = self.load_from(place, self.f.ty(result), inst);
        self.forward.set(result, whole);
        self.changed = true;
        true
    }

    /// The value at a place, as a type that may have another layout.
    fn load_from(&mut self, place: Value, ty: Ty, load: Inst) -> Value {
        match self.split_node(place) {
            Some(node) => self.load_node(node, ty, load),
            None => self.load_parts(place, &mut Vec::new(), ty, load),
        }
    }

    fn load_node(&mut self, node: u32, ty: Ty, load: Inst) -> Value {
        if let Some(variable) = self.variables.nodes[node as usize].variable {
            return self.load_parts(variable, &mut Vec::new(), ty, load);
        }
        let mut parts = Vec::new();
        for (n, child) in self.children(node).enumerate() {
            let part = self.module.types.part(ty, n as u32).unwrap_or(ty);
            parts.push(self.load_node(child, part, load));
        }
        self.compose(ty, parts)
    }

    fn load_parts(&mut self, place: Value, path: &mut Vec<u32>, ty: Ty, load: Inst) -> Value {
        if is_composite(&self.module.types, ty) {
            let mut parts = Vec::new();
            for n in 0..self.module.types.part_count(ty).unwrap_or(0) {
                path.push(n);
                let part = self.module.types.part(ty, n).unwrap_or(ty);
                parts.push(self.load_parts(place, path, part, load));
                path.pop();
            }
            return self.compose(ty, parts);
        }
        let pointer = self.place(place, path, ty);
        let value = self.emit(Op::Load, &[pointer], ty);
        if let chiaro_ir::Def::Result(new, _) = self.f.def(value) {
            self.mark(new, load);
        }
        value
    }

    /// Flags and span of what an instruction has become.
    fn mark(&mut self, new: Inst, old: Inst) {
        let (flags, span) = (self.f.inst(old).flags, self.f.inst(old).span);
        let data = self.f.inst_mut(new);
        (data.flags, data.span) = (flags, span);
    }

    pub(super) fn store(&mut self, inst: Inst) -> bool {
        let (place, value) = (self.f.args(inst)[0], self.f.args(inst)[1]);
        if self.is_volatile(inst) || self.small_place(place).is_none() {
            return false;
        }
        self.store_to(place, value, inst);
        self.changed = true;
        true
    }

    fn store_to(&mut self, place: Value, value: Value, store: Inst) {
        match self.split_node(place) {
            Some(node) => self.store_node(node, value, store),
            None => self.store_parts(place, &mut Vec::new(), value, store),
        }
    }

    fn store_node(&mut self, node: u32, value: Value, store: Inst) {
        if let Some(variable) = self.variables.nodes[node as usize].variable {
            return self.store_parts(variable, &mut Vec::new(), value, store);
        }
        for (n, child) in self.children(node).enumerate() {
            let piece = self.piece(value, n as u32);
            self.store_node(child, piece, store);
        }
    }

    fn store_parts(&mut self, place: Value, path: &mut Vec<u32>, value: Value, store: Inst) {
        let ty = self.f.ty(value);
        if is_composite(&self.module.types, ty) {
            for n in 0..self.module.types.part_count(ty).unwrap_or(0) {
                path.push(n);
                let piece = self.piece(value, n);
                self.store_parts(place, path, piece, store);
                path.pop();
            }
            return;
        }
        let pointer = self.place(place, path, ty);
        let new = self.draft.make(&mut self.f, Op::Store, &[pointer, value], &[]);
        self.mark(new, store);
    }

    /// A copy of a small composite, or to or from a variable of the function, is a load and a
    /// store.
    pub(super) fn copy(&mut self, inst: Inst) -> bool {
        let (to, from) = (self.f.args(inst)[0], self.f.args(inst)[1]);
        let Some((_, ty)) = self.module.types.pointee(self.f.ty(from)) else { return false };
        let types = &self.module.types;
        if self.is_volatile(inst) || is_composite(types, ty) && !is_small(types, ty) {
            return false;
        }
        let value = self.load_from(from, ty, inst);
        self.store_to(to, value, inst);
        self.changed = true;
        true
    }
}
