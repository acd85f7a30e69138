//! Checked compilation: the words keep the rules of the hardware, and compute what the source means (design
//! section 7).
//!
//! The engine is [`chiaro_target::proof::kernel`]; here are the facts of this machine: how far its functions are off,
//! and which resources are buffers, texels and images.

pub mod launch;
mod texels;

use chiaro_ir::interp::{Interval, Precision};
use chiaro_ir::{EntryPoint, GlobalRef, Module, Space};
use chiaro_isa::Rng;
use chiaro_sim::texel::TexelFormat;
use chiaro_target::proof::kernel::{self, Kernel};
use chiaro_target::proof::{Compared, Failure, Program as Source};

use crate::abi::interface::{Abi, Bound, Resource};
use crate::check;
use crate::compile::Compiled;
use crate::listing;
use crate::machine::{Schedule, texel_format};
use launch::{Given, How, View, run};
use texels::{Form, Own, Texels};

/// How far correct words may be off: sums and products in any order, reciprocals within a unit, sines of turns.
const PRECISION: Precision = Precision {
    regrouped: Some(chiaro_ir::interp::Rounding { bits: 24, ulps: 1.0 }),
    basic: 2.0,
    quotient: 6.0,
    function: 16.0,
    angle: 1e-3,
    ..Precision::VULKAN
};

/// A compiled kernel beside its source.
#[derive(Clone, Debug)]
pub struct Words<'a> {
    /// What was compiled.
    pub source: &'a Module,
    /// Its entry point.
    pub entry: &'a EntryPoint,
    /// What was made of it.
    pub compiled: Compiled,
}

/// Checks what was compiled of a module, on inputs that a seed makes.
///
/// # Errors
/// The first check that fails.
pub fn verify(words: &Words<'_>, seed: u64) -> Result<Compared, Failure> {
    kernel::verify(words, seed)
}

impl Kernel for Words<'_> {
    type Texels = Texels;

    fn source(&self) -> Source<'_> {
        Source { module: self.source, entry: self.entry }
    }

    fn bounds(&self) -> Interval {
        Interval { precision: PRECISION }
    }

    fn subgroup(&self) -> u32 {
        self.compiled.options.wave.into()
    }

    fn recursion(&self) -> Option<u32> {
        self.compiled.recursion
    }

    /// Nobody knows the end of a buffer that is an address.
    fn is_open(&self) -> bool {
        self.compiled.interface.abi == Abi::Hsa
    }

    fn buffers(&self) -> Vec<GlobalRef> {
        self.in_memory().map(|(_, g)| g).collect()
    }

    fn texels(&self, rng: &mut Rng) -> Texels {
        let own = |(_, global, form, count): (usize, GlobalRef, Form, usize)| {
            let bytes = form.contents(rng, count);
            Own { global, form, count, bytes }
        };
        Texels(self.of_texels().map(own).collect())
    }

    fn texel_bytes(&self, texels: &Texels) -> Vec<(Vec<u8>, bool)> {
        let is_integer = |format: u32| texel_format(format).is_some_and(TexelFormat::is_integer);
        texels.0.iter().map(|own| (own.bytes.clone(), is_integer(own.form.format))).collect()
    }

    fn unknown(&self) -> Option<&'static str> {
        if self.has_shared() {
            return Some("two variables are one resource");
        }
        let resources = &self.compiled.interface.resources;
        let texels = resources.iter().filter(|bound| launch::is_texels(bound)).count();
        if self.of_texels().count() < texels {
            return Some("images of this kind are not compared");
        }
        let functions = if texels > 0 { &self.source.functions[..] } else { &[] };
        functions.iter().find_map(|f| texels::doubt(self.source, f))
    }

    fn rules(&self) -> Result<(), Failure> {
        self.legal()
    }

    fn run(&self, given: &kernel::Given, texels: &Texels, how: kernel::How) -> Result<Vec<Vec<u8>>, String> {
        let count = self.compiled.interface.resources.len();
        let mut all =
            Given { groups: given.groups, bytes: vec![Vec::new(); count], views: vec![View::Bytes; count] };
        // Nobody listens: the buffer of prints has a head that says so, and nothing behind it.
        let resources = &self.compiled.interface.resources;
        for (bytes, bound) in all.bytes.iter_mut().zip(resources) {
            bytes.resize(if bound.resource == Resource::Prints { 8 } else { 0 }, 0);
        }
        for ((n, _), bytes) in self.in_memory().zip(&given.bytes) {
            all.bytes[n].clone_from(bytes);
        }
        for ((n, ..), own) in self.of_texels().zip(&texels.0) {
            all.bytes[n].clone_from(&own.bytes);
            all.views[n] = own.form.view();
        }
        let schedule = if how.backwards { Schedule::Backwards } else { Schedule::Turns };
        let mut left = run(&self.compiled, &all, How { fill: how.fill, schedule })?;
        let order = self.in_memory().map(|(n, _)| n).chain(self.of_texels().map(|(n, ..)| n));
        Ok(order.map(|n| std::mem::take(&mut left[n])).collect())
    }

    fn listing(&self) -> String {
        let words = listing::code(&self.compiled.code, self.compiled.options.wave, 0);
        format!("; legal IR\n{}; words\n{words}", chiaro_ir::print(&self.compiled.module))
    }
}

impl Words<'_> {
    /// The code by the rules of the hardware.
    fn legal(&self) -> Result<(), Failure> {
        let (wave, group) = (self.compiled.options.wave, self.compiled.interface.threads());
        let config = check::Config { wave, group: Some(group) };
        let found = check::check_functions(&self.compiled.code, &self.compiled.entries(), config);
        let is_error = |f: &&check::Found| f.finding.rule.severity == chiaro_isa::finding::Severity::Error;
        match found.iter().find(is_error) {
            Some(f) => {
                Err(Failure::Rule(format!("{} at word {}: {}", f.finding.rule.id, f.word, f.finding.message)))
            }
            None => self.contracts(config),
        }
    }

    /// The code of the kernel and its functions by their contracts. What is not proven is no breach: indices of arrays
    /// in scratch are nobody's to prove.
    fn contracts(&self, config: check::Config) -> Result<(), Failure> {
        let found = self.compiled.contracts(config);
        match found.iter().find(|(_, f)| f.finding.rule.id != check::rules::UNPROVED.id) {
            Some((name, f)) => Err(Failure::Rule(format!(
                "{} of `{name}` at word {}: {}",
                f.finding.rule.id, f.word, f.finding.message
            ))),
            None => Ok(()),
        }
    }

    /// Whether several variables have one binding: the interpreter has each for itself.
    fn has_shared(&self) -> bool {
        let bindings = self.source.globals.iter().map(|g| (g.binding.set.unwrap_or(0), g.binding.binding));
        let mut bindings: Vec<_> = bindings.filter(|(_, binding)| binding.is_some()).collect();
        bindings.sort_unstable();
        bindings.windows(2).any(|pair| pair[0] == pair[1])
    }

    /// The variable of a resource.
    fn global(&self, bound: &Bound) -> Option<GlobalRef> {
        let fits = |g: &chiaro_ir::Global| match bound.resource {
            Resource::Push => g.space == Space::PushConstant,
            _ => {
                matches!(g.space, Space::Storage | Space::Uniform | Space::UniformConstant)
                    && (g.binding.set.unwrap_or(0), g.binding.binding.unwrap_or(0)) == bound.binding
            }
        };
        self.source.globals.iter().position(fits).map(|n| GlobalRef(n as u32))
    }

    /// Resources that have bytes, by number, with their variables.
    fn in_memory(&self) -> impl Iterator<Item = (usize, GlobalRef)> {
        let has_bytes =
            |b: &Bound| matches!(b.resource, Resource::Storage | Resource::Uniform | Resource::Push);
        let resources = self.compiled.interface.resources.iter().enumerate();
        resources.filter(move |(_, b)| has_bytes(b)).filter_map(|(n, bound)| Some((n, self.global(bound)?)))
    }

    /// Images and buffers of texels whose form is known: number, variable, form, how many side by side.
    fn of_texels(&self) -> impl Iterator<Item = (usize, GlobalRef, Form, usize)> {
        let resources = self.compiled.interface.resources.iter().enumerate();
        resources.filter(|(_, bound)| launch::is_texels(bound)).filter_map(|(n, bound)| {
            let g = self.global(bound)?;
            Some((n, g, Form::of(self.source, g)?, bound.count.max(1) as usize))
        })
    }
}
