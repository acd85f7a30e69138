//! What a driver writes to launch the program of a file: USC words, counts, what vertex outputs hold
//! (spec 16).

use super::file::{File, HEAP, Held, Role, Stage, State, What};
use crate::abi::counts::{Counts, MOST_TEXTURES};
use crate::abi::descriptor::TEXTURE_BYTES;
use crate::abi::link::{Linked, Part, joined};
use crate::abi::usc;

/// What starts a program.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Launch {
    /// USC words in their order: the text and the bytes of each. Addresses are the driver's.
    pub words: Vec<(String, Vec<u8>)>,
    /// What the counts word counts, and the word.
    pub counts: Counts,
    /// The word.
    pub counts_word: u32,
    /// What the vertex outputs have to hold, of a fragment program.
    pub output_select: Option<u32>,
    /// The fragment control word.
    pub control: Option<u32>,
}

impl File {
    /// What its parts come to together.
    #[must_use]
    pub fn linked(&self) -> Linked {
        let part = |role: Role| self.parts.iter().find(|part| part.role == role);
        let all: [Option<Part<'_>>; 3] =
            [Role::Prolog, Role::Main, Role::Epilog].map(|role| part(role).map(|part| self.linkable(part)));
        joined(self.code.clone(), all, self.stage == Stage::Fragment)
    }

    /// The first half of uniforms where the address of the descriptors of all textures has to stand; `None` for programs
    /// that have no textures, or states for all of them and nowhere to say so.
    #[must_use]
    pub fn heap(&self) -> Option<u16> {
        let is_heap = |held: &&Held| held.what == What::Address && held.set == HEAP;
        let held = self.uniforms.iter().find(is_heap).map(|held| held.first);
        // Fragments have it at the start of all uniforms (spec 14.4).
        let has_textures = self.states.iter().any(|state| !state.is_sampler);
        held.or((self.stage == Stage::Fragment && has_textures).then_some(0))
    }

    /// How much it has of what is counted.
    #[must_use]
    pub fn counts(&self) -> Counts {
        let read = self.parts.iter().filter_map(|part| part.contract.uniforms.last().copied());
        let read = read.map(|half| half + 1).max().unwrap_or(0);
        let held = self.uniforms.iter().map(|held| held.first + held.halves).max().unwrap_or(0);
        let states = |is_sampler: bool| {
            let own = self.states.iter().filter(move |state| state.is_sampler == is_sampler);
            own.map(|state| u16::from(state.register) + 1).max().unwrap_or(0)
        };
        Counts {
            uniforms: read.max(held),
            // Those beyond are read by their descriptors in memory.
            textures: states(false).min(MOST_TEXTURES),
            samplers: states(true),
            preamble: self.preamble_halves,
            coefficients: self.linked().bindings.len() as u16,
        }
    }

    /// What starts it, with its code so many bytes from the start of the code's window.
    ///
    /// # Errors
    /// What there is too much of.
    pub fn launch(&self, code: u32) -> Result<Launch, String> {
        let linked = self.linked();
        let mut texts = linked.words(code)?;
        texts.push(match self.preamble.is_empty() {
            true => "no_preshader".to_owned(),
            false => format!("preshader code={:#x}", (code as usize + self.code.len()).next_multiple_of(128)),
        });
        let pack = |text: String| usc::pack(&text).map(|bytes| (text, bytes));
        let words: Result<Vec<_>, String> = texts.into_iter().map(pack).collect();
        let counts = self.counts();
        let fragment = self.stage == Stage::Fragment;
        Ok(Launch {
            words: words?,
            counts_word: counts.word()?,
            counts,
            output_select: fragment.then(|| linked.output_select()),
            control: fragment.then(|| linked.control()),
        })
    }
}

impl State {
    /// Where a program has it: a state register, or bytes behind the address of all descriptors.
    #[must_use]
    pub fn place(&self) -> String {
        match (self.is_sampler, self.register) {
            (true, n) => format!("ss{n}"),
            (false, n) if u16::from(n) < MOST_TEXTURES => format!("ts{n}"),
            (false, n) => format!("heap + {}", usize::from(n) * TEXTURE_BYTES),
        }
    }
}
