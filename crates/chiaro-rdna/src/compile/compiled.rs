//! What the compiler makes of a shader.

use chiaro_diag::Span;
use chiaro_ir::Module;
use chiaro_opt::PrintFormat;

use super::calls::callee::Callee;
use super::calls::stack::Chain;
use super::options::Options;
use crate::abi::interface::Interface;
use crate::check::contract::{Among, Contract, Role, contract_among};
use crate::check::{Config, Found};
use crate::report::{Latencies, Launch, Statistics};

/// The upper half of `s_branch`, whose lower one is the distance in words.
const S_BRANCH: u32 = 0xbf82;

/// A compiled kernel.
#[derive(Clone, Debug, Default)]
pub struct Compiled {
    /// How it was compiled.
    pub options: Options,
    /// Code, without what stands behind its end.
    pub code: Vec<u8>,
    /// The source text of each instruction, by its first byte.
    pub spans: Vec<(u32, Option<Span>)>,
    /// Where it meets those who launch it.
    pub interface: Interface,
    /// Vector registers in use.
    pub vectors: u16,
    /// Values that were put elsewhere because registers did not suffice.
    pub spilled: u32,
    /// One behind the last vector register of variables that are indexed at run time, if they stand in registers; else 0.
    pub rows: u16,
    /// Whether lanes choose among those by indices of their own.
    pub chosen: bool,
    /// Functions behind the kernel, in their order.
    pub functions: Vec<Function>,
    /// The first byte of each call through a pointer, and the functions that it may come to, by their place in
    /// [`functions`](Compiled::functions).
    pub sites: Vec<(u32, Vec<usize>)>,
    /// The chains of calls that take most of the stack, one for each function that the kernel calls.
    pub chains: Vec<Chain>,
    /// How often a function that calls itself may be open at once.
    pub recursion: Option<u32>,
    /// What it prints, if it does, by the numbers of records: the first is 1.
    pub prints: Vec<PrintFormat>,
    /// The legal IR that the words were selected from.
    pub module: Module,
}

impl Compiled {
    /// What it costs, by ACO's names, in groups of its own size.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        let launch = Launch {
            wave: self.options.wave,
            threads: self.interface.threads(),
            lds: self.interface.lds,
            vgprs: Some(self.vectors.into()),
            older: false,
        };
        Statistics::of(&self.code, &launch, &Latencies::default())
    }

    /// The first word of each of its functions.
    #[must_use]
    pub fn entries(&self) -> Vec<u32> {
        self.functions.iter().map(|f| f.bytes.start / 4).collect()
    }

    /// Where the code of a function, or of the kernel, breaks a contract or cannot be proven to keep it, with its name.
    #[must_use]
    pub fn contracts(&self, config: Config) -> Vec<(&str, Found)> {
        let own = |f: &Function| Some(f.contract()?.with_room(self.room(f)));
        let contracts = self.functions.iter().filter_map(|f| Some((f.bytes.start / 4, own(f)?)));
        let contracts: Vec<(u32, Contract)> = contracts.collect();
        let Some((_, any)) = contracts.first() else { return Vec::new() };
        let (sites, different) = self.contracts_of_sites(&contracts);
        let among = (Among { functions: &contracts, sites: &sites, whole: true }, config);
        let frame = self.chains.iter().filter_map(|chain| chain.0.first()).map(|link| link.bytes).max();
        let any = any.clone().with_room(frame.unwrap_or(self.interface.scratch).saturating_add(self.given()));
        let kernel = contract_among(&self.code, 0, Role::Kernel, &any, among);
        let mut found: Vec<(&str, Found)> = kernel.into_iter().map(|found| ("the kernel", found)).collect();
        found.extend(different.into_iter().map(|found| ("the program", found)));
        for (f, (word, own)) in self.functions.iter().zip(&contracts) {
            let own = contract_among(&self.code, *word, Role::Function, own, among);
            found.extend(own.into_iter().map(|found| (f.name.as_str(), found)));
        }
        found
    }
}

impl Compiled {
    /// Most bytes of a lane that a function is given on the stack: behind its frame a caller puts them.
    fn given(&self) -> u32 {
        self.functions.iter().map(|f| f.callee.stack_room()).max().unwrap_or(0)
    }

    /// Bytes of a lane from its stack pointer on that are a function's own: the largest frame of it and of those that it
    /// jumps to in its place, and what they hand over.
    fn room(&self, f: &Function) -> u32 {
        let mut found = vec![f];
        let mut at = 0;
        while let Some(f) = found.get(at).copied() {
            at += 1;
            for to in self.jumps(f) {
                if !found.iter().any(|known| known.bytes == to.bytes) {
                    found.push(to);
                }
            }
        }
        let frame = found.iter().map(|f| f.frame).max().unwrap_or(0);
        frame.saturating_add(self.given())
    }

    /// Functions that a function jumps to, as far as numbers in its code may be such jumps, and those that pointers lead to
    /// in its place.
    fn jumps(&self, f: &Function) -> impl Iterator<Item = &Function> {
        let code = self.code.get(f.bytes.start as usize..f.bytes.end as usize).unwrap_or(&[]);
        let words = (f.bytes.start..).step_by(4).zip(code.as_chunks::<4>().0);
        let by_name = words.filter_map(|(at, word)| {
            let word = u32::from_le_bytes(*word);
            let to = i64::from(at) + 4 + 4 * i64::from(word as u16 as i16);
            let is_jump = word >> 16 == S_BRANCH;
            self.functions.iter().find(|f| is_jump && i64::from(f.bytes.start) == to)
        });
        let bytes = f.bytes.clone();
        let sites = self.sites.iter().filter(move |(at, _)| bytes.contains(at));
        by_name.chain(sites.flat_map(|(_, all)| all.iter().filter_map(|n| self.functions.get(*n))))
    }

    /// What is sure of each call through a pointer, by its word; and those that may come to functions which are called
    /// in different ways.
    fn contracts_of_sites(&self, contracts: &[(u32, Contract)]) -> (Vec<(u32, Contract)>, Vec<Found>) {
        let (mut known, mut different) = (Vec::new(), Vec::new());
        for (at, targets) in &self.sites {
            let all: Vec<Contract> =
                targets.iter().filter_map(|&n| Some(contracts.get(n)?.1.clone())).collect();
            match Contract::of_all(at / 4, &all) {
                Ok(whole) => known.push((at / 4, whole)),
                Err(found) => different.push(found),
            }
        }
        (known, different)
    }
}

impl Function {
    /// What it keeps, for who proves it.
    #[must_use]
    pub fn contract(&self) -> Option<Contract> {
        let Callee { signature, placement, .. } = &self.callee;
        let whole = Contract::new(&self.callee.kept_convention(), signature, placement)?;
        let own = self.callee.parameters.iter().flatten().map(|(n, _)| *n);
        let given: Vec<usize> = (0..self.callee.given.len()).chain(own).collect();
        let gives: Vec<usize> = self.callee.results.iter().map(|(n, _)| *n).collect();
        let whole = whole.passing((signature, placement), &given, &gives);
        Some(if self.callee.has_stack() { whole } else { whole.without_stack() })
    }
}

/// A function that stayed one.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Its bytes in the code.
    pub bytes: std::ops::Range<u32>,
    /// Bytes of a lane that its own frame takes.
    pub frame: u32,
    /// What it has agreed on with its callers.
    pub callee: Callee,
}
