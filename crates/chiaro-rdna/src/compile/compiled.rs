//! What the compiler makes of a shader.

use chiaro_diag::Span;
use chiaro_ir::Module;
use chiaro_opt::PrintFormat;

use super::calls::callee::Callee;
use super::calls::stack::Chain;
use super::options::Options;
use crate::abi::convention::Convention;
use crate::abi::file::{shown, write};
use crate::abi::interface::Interface;
use crate::abi::partition::{self, File, Files};
use crate::check::contract::{Among, Contract, Role, Words};
use crate::check::{Config, Found};
use crate::container::REL16;
use crate::container::part::{Linked, Part, Role as PartRole, Table};
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
    /// Whether the code begins with a kernel; a library has none.
    pub has_kernel: bool,
    /// Bytes of a lane that the kernel's own frame takes.
    pub frame: u32,
    /// Functions that the kernel calls, by their names.
    pub calls: Vec<String>,
    /// Functions behind the kernel, in their order.
    pub functions: Vec<Function>,
    /// Functions that other parts have.
    pub imports: Vec<Import>,
    /// The first byte of each call through a pointer, and the functions that it may come to, by their place in
    /// [`functions`](Compiled::functions) and behind them in [`imports`](Compiled::imports).
    pub sites: Vec<(u32, Vec<usize>)>,
    /// The chains of calls that take most of the stack, one for each function that the kernel calls.
    pub chains: Vec<Chain>,
    /// How often a function that calls itself may be open at once.
    pub recursion: Option<u32>,
    /// Values of specialisation constants, by their numbers.
    pub constants: Vec<(u32, String)>,
    /// Tables of functions that are chosen from at run time.
    pub tables: Vec<Table>,
    /// The convention that other parts rely on; without it there are none.
    pub convention: Option<Convention>,
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
        let mut all = self.proof(config);
        all.retain(|(_, found)| !found.is_assumed());
        all
    }

    /// The same with what the proof rests on: pointers that no words show to be addresses of functions.
    #[must_use]
    pub fn proof(&self, config: Config) -> Vec<(&str, Found)> {
        let Some(agreed) = self.agreed() else { return Vec::new() };
        let words = Words::of(&self.code, config.wave);
        let mut found = Vec::new();
        if self.has_kernel {
            found.extend(agreed.kernel(&words).into_iter().map(|found| ("the kernel", found)));
        }
        found.extend(agreed.different.iter().cloned().map(|found| ("the program", found)));
        for (n, f) in self.functions.iter().enumerate() {
            found.extend(agreed.function(n, &words).into_iter().map(|found| (f.name.as_str(), found)));
        }
        found
    }

    /// What its functions have agreed on, by which words are proven; nothing where there are none.
    #[must_use]
    pub fn agreed(&self) -> Option<Agreed> {
        let own = |f: &Function| Some(f.callee.contract()?.with_room(self.room(f)));
        let functions = self.functions.iter().filter_map(|f| Some((f.bytes.start / 4, own(f)?)));
        let functions: Vec<(u32, Contract)> = functions.collect();
        let (mut sites, different) = self.contracts_of_sites(&functions);
        sites.extend(self.contracts_of_imports());
        let (_, any) = functions.first().or(sites.first())?;
        let frame = self.chains.iter().filter_map(|chain| chain.0.first()).map(|link| link.bytes).max();
        let room = frame.unwrap_or(self.interface.scratch).saturating_add(self.given());
        let kernel = any.clone().with_room(room);
        Some(Agreed { functions, sites, different, kernel })
    }
}

/// What the functions of a program have agreed on.
#[derive(Debug)]
pub struct Agreed {
    /// By the first word of each function.
    functions: Vec<(u32, Contract)>,
    /// By the word of each call through a pointer.
    sites: Vec<(u32, Contract)>,
    /// Calls that may come to functions which are called in different ways.
    different: Vec<Found>,
    kernel: Contract,
}

impl Agreed {
    fn among(&self) -> Among<'_> {
        Among { functions: &self.functions, sites: &self.sites, whole: true }
    }

    /// What is found of the kernel in some words.
    #[must_use]
    pub fn kernel(&self, words: &Words) -> Vec<Found> {
        words.proof((0, Role::Kernel), &self.kernel, self.among())
    }

    /// What is found of a function, by its number.
    #[must_use]
    pub fn function(&self, n: usize, words: &Words) -> Vec<Found> {
        let own = self.functions.get(n);
        own.map_or_else(Vec::new, |(word, own)| words.proof((*word, Role::Function), own, self.among()))
    }
}

impl Compiled {
    /// Most bytes of a lane that a function is given on the stack: behind its frame a caller puts them.
    fn given(&self) -> u32 {
        let own = self.functions.iter().map(|f| &f.callee);
        own.chain(self.imports.iter().map(|f| &f.callee)).map(Callee::stack_room).max().unwrap_or(0)
    }

    /// What is agreed on with other parts of each call by name that goes there, by its word.
    fn contracts_of_imports(&self) -> Vec<(u32, Contract)> {
        let calls = |import: &Import| {
            let contract = import.callee.contract();
            let places = import.places.clone().into_iter().filter(|(_, kind)| *kind == REL16);
            places.filter_map(move |(at, _)| Some((at / 4, contract.clone()?))).collect::<Vec<_>>()
        };
        self.imports.iter().flat_map(calls).collect()
    }

    /// Gives functions that other parts know the types that they have in the source, by their names.
    pub(super) fn name_types(&mut self, types: &[(String, String)]) {
        let of = |name: &str| types.iter().find(|(other, _)| other == name).map(|(_, text)| text.clone());
        let own = self.functions.iter_mut().map(|f| (&f.name, &mut f.types));
        let others = self.imports.iter_mut().map(|f| (&f.name, &mut f.types));
        own.chain(others).for_each(|(name, types)| *types = of(name).unwrap_or_else(|| types.clone()));
    }

    /// What it says of its functions to other parts, with the lowest eight bits of MODE; `None` for a program that is whole.
    #[must_use]
    pub fn part(&self, kernel: &str, mode: u8) -> Option<Part> {
        let convention = write(self.convention.as_ref()?);
        let vectors = self.vectors.into();
        let mut functions = Vec::new();
        if self.has_kernel {
            let (name, calls) = (kernel.to_owned(), self.calls.clone());
            let (frame, lds) = (self.frame, self.interface.lds);
            functions.push(Linked { name, frame, calls, vectors, lds, ..Linked::kernel() });
        }
        functions.extend(self.functions.iter().map(|f| {
            let role = if f.is_export { PartRole::Export } else { PartRole::Own };
            let (types, calls) = (f.types.clone(), f.calls.clone());
            let own = Linked { types, frame: f.frame, calls, vectors, times: f.times, ..Linked::kernel() };
            f.callee.linked(&f.name, role, own)
        }));
        let others = self.imports.iter();
        functions.extend(others.map(|f| {
            let own = Linked { types: f.types.clone(), ..Linked::kernel() };
            f.callee.linked(&f.name, PartRole::Import, own)
        }));
        let name = |n: usize| {
            let here = self.functions.get(n).map(|f| &f.name);
            here.or_else(|| Some(&self.imports.get(n.checked_sub(self.functions.len())?)?.name)).cloned()
        };
        let sites = self.sites.iter();
        let sites = sites.map(|(at, all)| (*at, all.iter().filter_map(|&n| name(n)).collect())).collect();
        let (constants, tables) = (self.constants.clone(), self.tables.clone());
        Some(Part { convention, wave: self.options.wave, mode, constants, functions, sites, tables })
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
        let others: Vec<Option<Contract>> =
            self.imports.iter().map(|import| import.callee.contract()).collect();
        let of = |n: usize| {
            let here = contracts.get(n).map(|(_, contract)| contract);
            here.or_else(|| others.get(n.checked_sub(contracts.len())?)?.as_ref()).cloned()
        };
        for (at, targets) in &self.sites {
            let all: Vec<Contract> = targets.iter().filter_map(|&n| of(n)).collect();
            match Contract::of_all(at / 4, &all) {
                Ok(whole) => known.push((at / 4, whole)),
                Err(found) => different.push(found),
            }
        }
        (known, different)
    }
}

impl Callee {
    /// What it keeps, for who proves it.
    #[must_use]
    pub fn contract(&self) -> Option<Contract> {
        let Callee { signature, placement, .. } = self;
        let whole = Contract::new(&self.kept_convention(), signature, placement)?;
        let own = self.parameters.iter().flatten().map(|(n, _)| *n);
        let given: Vec<usize> = (0..self.given.len()).chain(own).collect();
        let gives: Vec<usize> = self.results.iter().map(|(n, _)| *n).collect();
        let whole = whole.passing((signature, placement), &given, &gives);
        Some(if self.has_stack() { whole } else { whole.without_stack() })
    }

    /// What a part says of it to others, beside what only its code tells.
    fn linked(&self, name: &str, role: PartRole, own: Linked) -> Linked {
        let taken = self.given.len() + self.parameters.iter().flatten().count();
        Linked {
            name: name.to_owned(),
            role,
            signature: self.signature.to_string(),
            takes: taken as u32,
            stack: self.stack_room(),
            nests: self.nests(),
            written: self.made.as_ref().map_or_else(String::new, |made| ranges(&made.written)),
            ..own
        }
    }
}

/// Registers by their ranges: `s0-s7 v0-v3`.
fn ranges(registers: &Files<Vec<bool>>) -> String {
    let mut all = Vec::new();
    for file in File::BOTH {
        for (is_in, span) in partition::runs(registers.of(file)) {
            all.extend(is_in.then(|| shown(file, span)));
        }
    }
    all.join(" ")
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
    /// Whether other parts may call it.
    pub is_export: bool,
    /// Functions that it calls, by their names.
    pub calls: Vec<String>,
    /// How often it may be open at once.
    pub times: u32,
    /// The types of its parameters and its result, as the IR writes them.
    pub types: String,
}

/// A function that another part has.
#[derive(Clone, Debug)]
pub struct Import {
    /// Its name.
    pub name: String,
    /// What its callers here take it to keep.
    pub callee: Callee,
    /// The types of its parameters and its result, as they take them.
    pub types: String,
    /// Bytes of the code that lead to it, and how, as `R_AMDGPU_*`.
    pub places: Vec<(u32, u32)>,
}
