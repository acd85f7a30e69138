//! A target that is nothing but a table of instructions, put in a list: whatever works with targets
//! works with it, and what it does not offer is reported. CONTRIBUTING.md shows how it is made.

use std::sync::LazyLock;

use chiaro::{
    About, AssembleOptions, Assembled, Attributes, Code, CompileOptions, Dialect, DisassembleOptions,
    Disassembled, Finding, Format, Inputs, Instructions, Lexis, Offer, Open, Settings, SimulateOptions,
    Stage, Target, Targets, Work, assemble, check, check_sources, compile, disassemble, hazards, no_files,
    simulate,
};
use chiaro_diag::{Diagnostic, SourceMap};
use chiaro_isa::finding::{Rule, Severity};
use chiaro_isa::{
    Class, Field, Isa, Length, Purpose, Rng, Set, Source, UInt, Wait, Word, at, dst, operations, src,
};
use chiaro_opt::Cx;

static PAPER: Source = Source { name: "paper", title: "an example" };
static ALU: Class = Class {
    name: "alu",
    unit: "alu",
    issue: Some(1),
    result: Wait::Slots(0),
    purpose: Purpose::Arithmetic,
    source: None,
};
static FIELDS: [Field; 2] = [dst("d", at(8..=11), &UInt, "result"), src("a", at(0..=7), &UInt, "operand")];
static TWO: chiaro_isa::Format = chiaro_isa::Format {
    name: "two",
    length: Length::Bytes(2),
    opcode: at(12..=15),
    fields: &FIELDS,
    syntax: &["{op} {d}, {a}"],
    ..chiaro_isa::Format::EMPTY
};

operations! {
    /// What the stub computes.
    pub enum Op => OPS {
        /// Loads a number.
        Load "load" [TWO 1] ALU PAPER;
        /// Adds a number.
        Add "add" [TWO 2] ALU PAPER;
    }
}

static SET: Set = Set {
    name: "stub",
    title: "Stub",
    about: "",
    operations: &[OPS],
    generations: &["one"],
    dialects: &["plain"],
    rules: &[],
    fold_case: false,
};
static ISA: LazyLock<Isa> = LazyLock::new(|| Isa::new(&SET, 0));

static LAST: Rule = Rule {
    id: "last",
    severity: Severity::Error,
    text: "A program ends with add.",
    advice: "add 0",
    source: "paper",
};

const LEXIS: Lexis = Lexis { comments: &[";"], separator: None, directives: &[] };

static ABOUT: About = About {
    name: "stub",
    aliases: &["nothing"],
    machine: "a machine of the tests",
    stages: &[Stage::Compute],
    offers: &[Offer::Assemble, Offer::Disassemble, Offer::Check, Offer::Info],
    formats: &[Format::source("stub source", ".stub"), Format::container("stub file", ".bin", b"STUB")],
    dialects: &[Dialect { name: "plain", endings: ".stub", tool: None, lexis: LEXIS }],
    modes: &[],
    limits: &[("registers", 16)],
    settings: &[],
};

struct Stub;

/// The code of a container, or of bytes that are code alone.
fn code_of(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"STUB").unwrap_or(bytes)
}

impl Target for Stub {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn instructions(&self, settings: &Settings) -> Result<&'static dyn Instructions, Vec<Diagnostic>> {
        ABOUT.no_variants(settings).map(|()| &*ISA as &'static dyn Instructions)
    }

    fn assemble(
        &self,
        sources: &mut SourceMap,
        _: &AssembleOptions,
        _: &mut Open<'_>,
    ) -> Result<Assembled, Vec<Diagnostic>> {
        let (mut made, mut errors) =
            (Assembled { bytes: b"STUB".to_vec(), ..Assembled::default() }, Vec::new());
        let file = sources.ids().next().unwrap_or_default();
        let mut start = 0;
        for line in sources.text(file).lines() {
            let span = file.span(start..start + line.len());
            match Instructions::parse(&*ISA, line) {
                Ok((word, length)) => {
                    made.bytes.extend(&word.to_bytes()[..length]);
                    made.spans.push(span);
                }
                Err(error) => errors.push(Diagnostic::error(span, error.to_string())),
            }
            start += line.len() + 1;
        }
        if errors.is_empty() { Ok(made) } else { Err(errors) }
    }

    fn disassemble(
        &self,
        bytes: &[u8],
        options: &DisassembleOptions,
    ) -> Result<Disassembled, Box<Diagnostic>> {
        if !options.raw && !self.has_container(bytes) {
            return Err(Box::new(Diagnostic::error(None, "this is no stub file")));
        }
        let lines = self.code(bytes, &options.settings)?.lines;
        let text = lines.iter().map(|line| format!("{}\n", line.text)).collect();
        Ok(Disassembled { text, remarks: Vec::new() })
    }

    fn code(&self, bytes: &[u8], _: &Settings) -> Result<Code, Box<Diagnostic>> {
        let code = code_of(bytes);
        let text = |pair: &[u8]| Instructions::text(&*ISA, &Word::load(pair)).unwrap_or_default();
        Ok(Code::of_fixed(code.to_vec(), 2, code.chunks(2).map(|pair| (text(pair), None))))
    }

    fn check(&self, bytes: &[u8], settings: &Settings) -> Result<Vec<Finding>, Box<Diagnostic>> {
        let lines = self.code(bytes, settings)?.lines;
        let last = lines.last().filter(|line| !line.text.starts_with("add"));
        let at = Some(lines.len() as u32 - 1);
        Ok(last
            .map(|_| Finding { rule: &LAST, at, place: None, message: "no add".into() })
            .into_iter()
            .collect())
    }

    fn info(&self, bytes: &[u8]) -> Result<String, Box<Diagnostic>> {
        Ok(format!("stub file of {} bytes\n", bytes.len()))
    }
}

const TARGETS: Targets = Targets(&[&Stub]);

/// The stub, found as the command finds targets.
fn stub() -> &'static dyn Target {
    TARGETS.named("nothing").expect("an alias is a name")
}

fn assembled(text: &str) -> (SourceMap, Result<Assembled, Vec<Diagnostic>>) {
    let mut sources = SourceMap::new();
    sources.add("a.stub", text);
    let made = assemble(stub(), &mut sources, &AssembleOptions::default(), &mut no_files);
    (sources, made)
}

#[test]
fn it_is_found_by_names_and_bytes() {
    assert_eq!(TARGETS.names(), ["stub"]);
    assert!(TARGETS.of_input("A.STUB", b"").is_some() && TARGETS.of_input("x", b"STUB").is_some());
    assert!(TARGETS.of_input("a.pica", b"DVLB").is_none());
    assert_eq!(TARGETS.kind_of(b"STUB..."), Some("stub file"));
}

#[test]
fn text_becomes_a_file_and_text_again() {
    let text = "load 3, 200\nadd 3, 1\n";
    let made = assembled(text).1.unwrap();
    let listed = disassemble(stub(), &made.bytes, &DisassembleOptions::default()).unwrap();
    assert_eq!(listed.text, text);
    assert_eq!(stub().info(&made.bytes).unwrap(), "stub file of 8 bytes\n");
    let errors = assembled("load 3, 200\nlaod 3, 200\nadd 3\n").1.unwrap_err();
    assert_eq!(errors.len(), 2);
}

#[test]
fn single_instructions_are_read_explained_and_sampled() {
    let set = stub().instructions(&[]).unwrap();
    let (word, length) = set.parse("add 1, 2").unwrap();
    assert_eq!((set.text(&word).as_deref(), length), (Some("add 1, 2"), 2));
    assert!(set.explain(&[word], 1).unwrap().missing == Some(2));
    assert!(
        set.sample(Some("load"), &mut Rng(1)).is_some() && set.sample(Some("mul"), &mut Rng(1)).is_none()
    );
    assert!(stub().instructions(&[("generation".into(), "two".into())]).is_err());
}

#[test]
fn findings_have_their_place() {
    let made = assembled("add 1, 2\nload 3, 200\n").1.unwrap();
    let found = check(stub(), &made.bytes, &[]).unwrap();
    assert_eq!(found.len(), 1);
    assert!(format!("{found:?}").contains("word 1: `load 3, 200`"), "{found:?}");
    let mut sources = SourceMap::new();
    sources.add("a.stub", "add 1, 2\nload 3, 200\n");
    let at_source = hazards(stub(), &sources, &made, &[]);
    assert!(at_source[0].span.is_some());
    let mut sources = SourceMap::new();
    sources.add("a.stub", "add 1, 2\n");
    assert!(check_sources(stub(), &mut sources, &AssembleOptions::default(), &mut no_files).is_empty());
}

#[test]
fn what_is_not_offered_is_an_error_that_names_what_is() {
    let compiled = compile(stub(), &[], &CompileOptions::default(), &SourceMap::new(), &mut Cx::default());
    let errors = compiled.unwrap_err();
    assert_eq!(errors[0].message, "`stub` does not offer to compile yet");
    assert!(format!("{errors:?}").contains("assemble, disassemble, check"));
    for work in [Work::default(), Work::Dispatch([1; 3]), Work::Fragments(Attributes::default())] {
        let inputs = Inputs { work, ..Inputs::default() };
        let run = simulate(stub(), b"STUB", &inputs, &SimulateOptions::default());
        assert_eq!(run.unwrap_err()[0].message, "`stub` does not offer to simulate yet");
    }
    assert!(stub().check_simulation(&SimulateOptions::default()).is_err());
    assert!(stub().info_json(b"STUB", true).is_err());
}

/// Every target of ours offers what it says, and nothing else: the default methods are for the rest.
#[test]
fn targets_offer_what_they_say() {
    for target in chiaro::TARGETS.iter() {
        let about = target.about();
        let lacks = |message: &str| message.contains("does not offer to");
        let simulates = target.check_simulation(&SimulateOptions::default());
        let simulates = simulates.err().is_none_or(|errors| !lacks(&errors[0].message));
        assert_eq!(simulates, about.has(Offer::Simulate), "{}", about.name);
        let reads = target.code(b"", &[]).err().is_none_or(|error| !lacks(&error.message));
        assert_eq!(reads, about.has(Offer::Disassemble), "{}", about.name);
        let reports = target.report(b"", &[]).err().is_none_or(|error| !lacks(&error.message));
        assert_eq!(reports, about.has(Offer::Report), "{}", about.name);
        let checks = target.check(b"", &[]).err().is_none_or(|error| !lacks(&error.message));
        assert_eq!(checks, about.has(Offer::Check), "{}", about.name);
        let made = compile(target, &[], &CompileOptions::default(), &SourceMap::new(), &mut Cx::default());
        assert_eq!(!lacks(&made.unwrap_err()[0].message), about.has(Offer::Compile), "{}", about.name);
    }
}
