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
        let contracts = self.functions.iter().filter_map(|f| Some((f.bytes.start / 4, f.contract()?)));
        let contracts: Vec<(u32, Contract)> = contracts.collect();
        let Some((_, any)) = contracts.first() else { return Vec::new() };
        let (sites, different) = self.contracts_of_sites(&contracts);
        let among = (Among { functions: &contracts, sites: &sites }, config);
        let kernel = contract_among(&self.code, 0, Role::Kernel, any, among);
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
