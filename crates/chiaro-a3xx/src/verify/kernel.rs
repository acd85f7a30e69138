//! Kernels: their buffers by name, their groups on the simulator.
//!
//! Constants that stand for members of blocks are left out.

use chiaro_ir::interp::{Interval, NoImages};
use chiaro_ir::{GlobalRef, Space, Type};
use chiaro_isa::Rng;
use chiaro_target::proof::kernel::{Given, How, Kernel};
use chiaro_target::proof::{Failure, Program as Source, Subject};
use chiaro_target::{Inputs, SimulateOptions, Value, Work};

use super::Words;
use crate::asm::padded;
use crate::regs::VERTEX_FIBERS;
use crate::target::simulate;

/// Instructions of a batch of invocations.
const FUEL: u64 = 1 << 18;

impl Kernel for Words<'_> {
    type Texels = NoImages;

    fn source(&self) -> Source<'_> {
        Subject::source(self)
    }

    fn bounds(&self) -> Interval {
        Subject::bounds(self)
    }

    fn subgroup(&self) -> u32 {
        VERTEX_FIBERS
    }

    fn buffers(&self) -> Vec<GlobalRef> {
        self.named().into_iter().map(|(g, _)| g).collect()
    }

    fn texels(&self, _: &mut Rng) -> NoImages {
        NoImages
    }

    fn unknown(&self) -> Option<&'static str> {
        let interface = &self.compiled.interface;
        match () {
            () if !interface.textures.is_empty() => Some("images are not compared"),
            () if !interface.uniforms.is_empty() => Some("uniforms in constants are not compared"),
            () => None,
        }
    }

    fn rules(&self) -> Result<(), Failure> {
        Subject::rules(self)
    }

    fn run(&self, given: &Given, _: &NoImages, how: How) -> Result<Vec<Vec<u8>>, String> {
        let names: Vec<String> = self.named().into_iter().map(|(_, name)| name).collect();
        let values = given.bytes.iter().map(|bytes| Value::Bytes(bytes.clone()));
        let resources = names.iter().cloned().zip(values).collect();
        let inputs = Inputs { resources, work: Work::Dispatch(given.groups) };
        let options = SimulateOptions {
            mode: Some(if how.fill == 0 { "timed" } else { "functional" }.to_owned()),
            assumptions: vec![
                ("poison".to_owned(), how.fill.to_string()),
                ("schedule".to_owned(), if how.backwards { "backwards" } else { "forwards" }.to_owned()),
            ],
            max_steps: Some(FUEL),
            ..SimulateOptions::default()
        };
        let words = padded(&self.compiled.words);
        let ran = simulate(&words, Some(&self.compiled.interface), &inputs, &options)
            .map_err(|errors| errors.first().map_or_else(String::new, |error| error.message.clone()))?;
        if let Some(fault) = ran.faults.first() {
            return Err(format!(
                "invocation {}, instruction {}: {}",
                fault.invocation, fault.at, fault.cause
            ));
        }
        let left = |name: &String| {
            let found = ran.resources.iter().find_map(|(known, value)| match value {
                Value::Bytes(bytes) if known == name => Some(bytes.clone()),
                _ => None,
            });
            // What nobody can write is as it was.
            found.unwrap_or_default()
        };
        Ok(names.iter().map(left).collect())
    }

    fn listing(&self) -> String {
        let words = Subject::listing(self);
        format!("; legal IR\n{}; words\n{words}", chiaro_ir::print(&self.compiled.module))
    }
}

impl Words<'_> {
    /// The buffers of the program, with their names.
    fn named(&self) -> Vec<(GlobalRef, String)> {
        let interface = &self.compiled.interface;
        let names = interface.storage.iter().map(|storage| &storage.name);
        let names = names.chain(interface.buffers.iter().map(|buffer| &buffer.name));
        names.filter_map(|name| Some((self.buffer(name)?, name.clone()))).collect()
    }

    /// The variable of a buffer: by its own name, or by that of its block.
    fn buffer(&self, name: &str) -> Option<GlobalRef> {
        let is_it = |global: &chiaro_ir::Global| {
            let block = match self.source.types.get(global.ty) {
                Type::Struct(name, _) => name.as_str(),
                _ => "",
            };
            let is_buffer = matches!(global.space, Space::Storage | Space::Uniform | Space::PushConstant);
            is_buffer && (global.name == name || global.name.is_empty() && block == name)
        };
        self.source.globals.iter().position(is_it).map(|n| GlobalRef(n as u32))
    }
}
