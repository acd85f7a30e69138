//! Compilers whose words are compared with the interpreter on shaders of others: one door to
//! all of them.

use chiaro_ir::sample::Sample;
use chiaro_ir::{EntryPoint, Module};
use chiaro_opt::Cx;
use chiaro_pica200::verify as pica200;
use chiaro_spirv::Interface;
use chiaro_utgard::verify as utgard;

/// A target with a compiler and a simulator.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum WordTarget {
    /// Nintendo 3DS.
    Pica200,
    /// The vertex processor of Mali-400 and 450.
    #[value(alias = "utgard")]
    UtgardGp,
}

/// A compiled vertex shader, and what it was made of.
#[derive(Debug)]
pub struct Words<'a> {
    module: &'a Module,
    entry: &'a EntryPoint,
    made: Made,
}

#[derive(Debug)]
enum Made {
    Pica200(Box<chiaro_pica200::compile::Compiled>),
    UtgardGp(Box<chiaro_utgard::compile::Compiled>),
}

/// What random inputs showed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verified {
    /// The words mean what the source does.
    Right,
    /// Too few vertices prove anything; why.
    Unproved(String),
    /// They do not.
    Wrong(String),
}

/// What given inputs showed.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Compared {
    /// Vertices that prove something.
    pub conclusive: usize,
    /// The first result that is wrong.
    pub wrong: Option<String>,
    /// Why a vertex proves nothing.
    pub why: Option<&'static str>,
}

impl Compared {
    /// Both taken together.
    #[must_use]
    pub fn and(self, other: Compared) -> Compared {
        Compared {
            conclusive: self.conclusive + other.conclusive,
            wrong: self.wrong.or(other.wrong),
            why: self.why.or(other.why),
        }
    }
}

impl WordTarget {
    /// How rows of `known-differences.tsv` begin that are about shaders of a corpus here.
    #[must_use]
    pub fn corpus(self, corpus: &str) -> String {
        match self {
            WordTarget::Pica200 => format!("{corpus}-pica200"),
            WordTarget::UtgardGp => format!("{corpus}-utgard-gp"),
        }
    }

    /// Compiles a vertex shader.
    ///
    /// # Errors
    /// What its author would read.
    pub fn compile<'a>(
        self,
        module: &'a Module,
        interface: &Interface,
        entry: &'a EntryPoint,
        cx: &mut Cx<'_>,
    ) -> Result<Words<'a>, String> {
        let made = match self {
            WordTarget::Pica200 => {
                use chiaro_pica200::compile::{Options, compile};
                let interface = chiaro::pica200_interface(interface);
                compile(module, &interface, &entry.name, &Options::default(), cx)
                    .map(|made| Made::Pica200(Box::new(made)))
            }
            WordTarget::UtgardGp => {
                use chiaro_utgard::compile::{Options, compile};
                compile(&mut module.clone(), &entry.name, &Options::default(), cx)
                    .map(|made| Made::UtgardGp(Box::new(made)))
            }
        };
        Ok(Words { module, entry, made: made.map_err(|told| told.message)? })
    }
}

impl Words<'_> {
    /// The words on random inputs, and by the rules of the hardware.
    #[must_use]
    pub fn verify(&self, vertices: usize) -> Verified {
        match &self.made {
            Made::Pica200(made) => match pica200::verify(self.module, made, vertices, 1) {
                Ok(_) => Verified::Right,
                Err(why @ pica200::Failure::Untested { .. }) => Verified::Unproved(why.to_string()),
                Err(failure) => Verified::Wrong(failure.to_string()),
            },
            Made::UtgardGp(made) => {
                let choices = chiaro_utgard::compile::Options::default();
                match utgard::verify(self.module, &self.entry.name, made, &choices, vertices, 1) {
                    Ok(found) if !found.proves() => {
                        let count = found.inconclusive;
                        Verified::Unproved(format!("{count} of {vertices} vertices prove nothing"))
                    }
                    Ok(_) => Verified::Right,
                    Err(failure) => Verified::Wrong(failure.to_string()),
                }
            }
        }
    }

    /// The words on given inputs, turned into numbers that the machine holds.
    ///
    /// # Errors
    /// What stops the comparison.
    pub fn compare(&self, mut sample: Sample) -> Result<Compared, String> {
        const INEXACT: &str = "an integer of the test is not exact in the machine's floats";
        let (module, entry) = (self.module, self.entry);
        let is_held = match &self.made {
            Made::Pica200(_) => pica200::hold(&mut sample, module, entry),
            Made::UtgardGp(_) => utgard::hold(&mut sample, module, entry),
        };
        if !is_held {
            return Ok(Compared { why: Some(INEXACT), ..Compared::default() });
        }
        match &self.made {
            Made::Pica200(made) => {
                let found = pica200::source_against_words((module, entry), made, &sample)?;
                let wrong = found.wrong.map(|wrong| wrong.to_string());
                Ok(Compared { conclusive: found.conclusive, wrong, why: found.why })
            }
            Made::UtgardGp(made) => {
                let choices = chiaro_utgard::compile::Options::default();
                let why = Some("a result depends on how numbers are rounded, or is not finite");
                match utgard::source_against_words((module, entry), made, &choices, &sample) {
                    Ok(found) => Ok(Compared { conclusive: found.conclusive, wrong: None, why }),
                    Err(wrong @ utgard::Failure::Wrong(_)) => {
                        Ok(Compared { wrong: Some(wrong.to_string()), ..Compared::default() })
                    }
                    Err(failure) => Err(failure.to_string()),
                }
            }
        }
    }
}
