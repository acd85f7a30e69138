//! How much of the stack chains of calls take (spec section 18.7).
//!
//! ```text
//! main (16) > trace (48) > shade (5 times 96) > noise (8)        552 bytes of a lane
//! ```
//!
//! Each function adds its frame, and the parameters on the stack that it is called with. Functions that call each other
//! may each be open as often as the bound says, in any order: together they add so many times what all of them take. Those
//! that count how many of them are open in all add so many times what the largest of them takes.

use chiaro_ir::{FunctionRef, Module};

use super::callee::Callee;
use super::unit::Unit;

/// The part of a chain of calls that a function takes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Link {
    /// The function.
    pub name: String,
    /// Bytes of a lane: its frame, and its parameters on the stack.
    pub bytes: u32,
    /// How often it may be open.
    pub times: u32,
    /// Whether it keeps where to return to while others run.
    pub nests: bool,
}

/// A chain of calls from the kernel to a function that calls no other.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Chain(pub Vec<Link>);

impl Chain {
    /// Bytes of a lane that it takes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.0.iter().map(|link| u64::from(link.bytes) * u64::from(link.times)).sum()
    }
}

impl Chain {
    /// How many return addresses are kept at once in it: the kernel has none, nor do functions that jump to others alone.
    #[must_use]
    pub fn nesting(&self) -> u64 {
        Chain::kept_in(self.0.get(1..).unwrap_or(&[]))
    }

    /// The same of a chain that begins with a function.
    pub(crate) fn kept(&self) -> u64 {
        Chain::kept_in(&self.0)
    }

    fn kept_in(links: &[Link]) -> u64 {
        links.iter().filter(|link| link.nests).map(|link| u64::from(link.times)).sum()
    }
}

impl std::fmt::Display for Chain {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (n, Link { name, bytes, times, .. }) in self.0.iter().enumerate() {
            let before = if n == 0 { "" } else { " > " };
            match times {
                1 => write!(f, "{before}{name} ({bytes})")?,
                _ => write!(f, "{before}{name} ({times} times {bytes})")?,
            }
        }
        Ok(())
    }
}

impl Unit {
    /// The chain that takes most of the stack, by the first function that a kernel calls.
    #[must_use]
    pub fn chains(&self, module: &Module, kernel: FunctionRef, frame: u32) -> Vec<Chain> {
        let begin = Link { name: module.function(kernel).name.clone(), bytes: frame, times: 1, nests: true };
        let callees = self.calls(kernel).iter();
        callees.map(|&f| Chain([vec![begin.clone()], self.deepest(module, f).0].concat())).collect()
    }

    /// The chain from the kernel on in which most return addresses are kept at once.
    #[must_use]
    pub fn nested(&self, module: &Module, kernel: FunctionRef) -> Chain {
        let mut best = vec![Chain::default(); module.functions.len()];
        // Callees come first; of those that call each other the last has seen what all of them call.
        for &f in self.order.iter().filter(|&&f| f != kernel) {
            let together = self.cycle(f).map_or_else(|| vec![f], <[FunctionRef]>::to_vec);
            let mut chain = self.links(module, f);
            let below = together.iter().flat_map(|&f| self.calls(f)).filter(|f| !together.contains(f));
            let deepest = below.map(|f| &best[f.0 as usize]).max_by_key(|chain| chain.kept());
            chain.extend(deepest.into_iter().flat_map(|chain| chain.0.iter().cloned()));
            together.iter().for_each(|f| best[f.0 as usize] = Chain(chain.clone()));
        }
        let begin = Link { name: module.function(kernel).name.clone(), bytes: 0, times: 1, nests: true };
        let all = self.order.iter().map(|f| &best[f.0 as usize]).max_by_key(|chain| chain.kept());
        Chain([vec![begin], all.map_or_else(Vec::new, |chain| chain.0.clone())].concat())
    }

    /// What functions take together that are open at once if one is: the one, or its cycle.
    fn links(&self, module: &Module, f: FunctionRef) -> Vec<Link> {
        let link = |f: FunctionRef, times: u32| {
            let bytes = self.callee(f).map_or(0, |callee| callee.stack_room() + callee.frame());
            let nests = self.callee(f).is_some_and(Callee::nests);
            Link { name: module.function(f).name.clone(), bytes, times, nests }
        };
        let Some(cycle) = self.cycle(f) else { return vec![link(f, 1)] };
        let group = |f: &FunctionRef| self.groups.iter().position(|(group, _)| group.contains(f));
        let single = cycle.iter().filter(|f| group(f).is_none()).map(|&f| link(f, self.bound));
        // Of those that are counted together each may be the largest.
        let counted = self.groups.iter().filter_map(|(group, most)| {
            let own = group.iter().filter(|f| cycle.contains(f)).map(|&f| link(f, *most));
            own.max_by_key(|link| link.bytes)
        });
        single.chain(counted).collect()
    }

    /// The deepest chain that begins with a function.
    fn deepest(&self, module: &Module, f: FunctionRef) -> Chain {
        let mut chain = self.links(module, f);
        let mut at = f;
        loop {
            let together = self.cycle(at).map_or_else(|| vec![at], <[FunctionRef]>::to_vec);
            let mut next: Vec<FunctionRef> = together.iter().flat_map(|&f| self.calls(f)).copied().collect();
            next.retain(|f| !together.contains(f));
            let below = |f: &FunctionRef| self.callee(*f).map_or(0, Callee::below);
            let Some(deepest) = next.into_iter().max_by_key(below) else { return Chain(chain) };
            chain.extend(self.links(module, deepest));
            at = deepest;
        }
    }

    /// Notes how deep the stack gets below a function, or below its cycle when the last of it is known.
    pub(super) fn note_depths(&mut self, module: &Module, f: FunctionRef) {
        let together = self.cycle(f).map_or_else(|| vec![f], <[FunctionRef]>::to_vec);
        if together.iter().any(|&f| self.callee(f).is_none_or(|callee| callee.made.is_none())) {
            return;
        }
        for f in together {
            let bytes = self.deepest(module, f).bytes();
            if let Some(callee) = self.callees.get_mut(f.0 as usize).and_then(Option::as_mut) {
                // Its own parameters are its caller's to count.
                let depth = bytes.saturating_sub(callee.stack_room().into());
                let depth = u32::try_from(depth).unwrap_or(u32::MAX);
                callee.made.iter_mut().for_each(|made| made.depth = depth);
            }
        }
    }
}

impl Callee {
    /// Bytes of its frame; 0 as long as it is not compiled.
    fn frame(&self) -> u32 {
        self.made.as_ref().map_or(0, |made| made.frame)
    }

    /// Whether it keeps where to return to while others run, or may: as long as it is not compiled.
    #[must_use]
    pub fn nests(&self) -> bool {
        self.made.as_ref().is_none_or(|made| made.nests)
    }

    /// Bytes of a lane's stack that a call takes: parameters, and what stands behind them.
    #[must_use]
    pub fn below(&self) -> u32 {
        self.stack_room().saturating_add(self.made.as_ref().map_or(0, |made| made.depth))
    }
}
