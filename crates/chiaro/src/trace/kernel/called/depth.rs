//! How deep rays and callables are within each other, which each that goes deeper is told.
//!
//! A pipeline says how many rays may be under way one within the other, and the stack has room for those. What is deeper is
//! wrong, and must not write where other lanes have theirs: in place of the call stands a [`Op::Trap`], behind which the
//! stage goes on as if nobody had been called.

use std::collections::HashMap;

use chiaro_ir::rays::trap;
use chiaro_ir::{Builder, FunctionRef, GlobalRef, Op, Value};

use super::super::search::Role;
use super::super::site::held;
use super::{Built, Made};

/// How many rays and callables may be under way at once; nothing where there cannot be more than there is room for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Limits {
    pub rays: Option<u32>,
    pub callables: Option<u32>,
}

/// How many more may be under way: a number from the start, or what the function was told.
#[derive(Clone, Copy)]
enum Left {
    Known(u32),
    Told(GlobalRef),
}

/// Calls of one kind, as one function makes them.
#[derive(Clone, Copy)]
pub struct Deeper {
    left: Left,
    trap: u8,
}

impl Limits {
    /// How a stage goes deeper by rays and by callables, by its role and the variable with what it was told.
    pub fn deeper(self, role: Role, told: Option<GlobalRef>) -> [Option<Deeper>; 2] {
        let of = |most: Option<u32>, is_told: bool, trap: u8| {
            let told = told.filter(|_| is_told);
            most.map(|most| Deeper { left: told.map_or(Left::Known(most), Left::Told), trap })
        };
        let is_callable = role == Role::Callable;
        [of(self.rays, !is_callable, trap::RAYS), of(self.callables, is_callable, trap::CALLABLES)]
    }
}

/// Calls where there is room: the closure is given how many more there may be then.
pub fn call_deeper(
    b: &mut Builder<'_>,
    deeper: Option<Deeper>,
    call: impl FnOnce(&mut Builder<'_>, Option<Value>),
) {
    let Some(Deeper { left, trap }) = deeper else { return call(b, None) };
    let told = match left {
        Left::Known(most) => {
            let left = b.u32(most.saturating_sub(1));
            return call(b, Some(left));
        }
        Left::Told(told) => told,
    };
    let (left, nothing, one) = (held(b, told), b.u32(0), b.u32(1));
    let is_room = b.ine(left, nothing);
    b.if_else(
        is_room,
        |b, _| {
            let left = b.isub(left, one);
            call(b, Some(left));
        },
        |b, _| b.op_void(Op::Trap(trap), &[]),
    );
}

impl Built {
    /// What has to be counted, where so many rays may be under way, and each function may be open so often.
    pub fn limits(&self, rays: u32, open: u32) -> Limits {
        let Made { module, main, .. } = &self.made;
        let cycles = chiaro_opt::recursive(module, *main);
        let leads_to_rays = |f: &FunctionRef| {
            chiaro_opt::reached(module, *f).iter().any(|reached| self.rays.contains(reached))
        };
        let is_deep = cycles.iter().any(leads_to_rays) || self.deepest() > rays;
        let calls_itself = self.callables.iter().any(|f| cycles.contains(f));
        Limits {
            rays: is_deep.then_some(rays),
            callables: calls_itself.then(|| open.saturating_mul(self.callables.len() as u32)),
        }
    }

    /// Most rays within each other, where none leads to itself.
    fn deepest(&self) -> u32 {
        let Made { module, main, .. } = &self.made;
        let pointed = chiaro_opt::pointed_at(module, *main);
        let mut known = HashMap::new();
        let mut open = vec![*main];
        while let Some(&f) = open.last() {
            let callees = chiaro_opt::callees(module, f, &pointed);
            // Functions of a cycle lead to no ray.
            let new = callees.iter().find(|f| !known.contains_key(*f) && !open.contains(*f));
            if let Some(&new) = new {
                open.push(new);
                continue;
            }
            let below = callees.iter().filter_map(|f| known.get(f)).max().copied().unwrap_or(0);
            known.insert(f, below + u32::from(self.rays.contains(&f)));
            open.pop();
        }
        known.get(main).copied().unwrap_or(0)
    }

    /// Names of callables.
    pub fn callables(&self) -> Vec<String> {
        let name = |f: &FunctionRef| self.made.module.function(*f).name.clone();
        let mut names: Vec<String> = self.callables.iter().map(name).collect();
        names.sort();
        names
    }
}
