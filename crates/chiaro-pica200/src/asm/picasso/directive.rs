//! The table of directives, and those that extend picasso's language.
//!
//! A new directive is a row here and a function that takes the arguments.

use super::Assembler;
use super::number;
use super::source::Args;
use super::uniform::Bank;
use crate::asm::report::Outcome;
use chiaro_diag::{Advice, Diagnostic, Fix, did_you_mean};

/// What a directive's function looks like.
type Run = for<'a> fn(&mut Assembler<'a>, &mut Args<'a>) -> Outcome;

/// A row of the table.
struct Directive {
    name: &'static str,
    /// How it is written, for messages.
    usage: &'static str,
    /// Whether picasso does not have it.
    extension: bool,
    run: Run,
}

const fn row(name: &'static str, usage: &'static str, run: Run) -> Directive {
    Directive { name, usage, extension: false, run }
}

const fn extension(name: &'static str, usage: &'static str, run: Run) -> Directive {
    Directive { name, usage, extension: true, run }
}

#[expect(
    clippy::redundant_closure_for_method_calls,
    reason = "a method of one lifetime is no function of all"
)]
static TABLE: &[Directive] = &[
    row("proc", ".proc name", |a, args| a.procedure(args)),
    row("else", ".else", |a, args| a.otherwise(args)),
    row("end", ".end", |a, args| a.end(args)),
    row("alias", ".alias name register", |a, args| a.alias(args)),
    row("fvec", ".fvec name, name[size], ...", |a, args| a.uniforms(args, Bank::Float)),
    row("ivec", ".ivec name, name[size], ...", |a, args| a.uniforms(args, Bank::Int)),
    row("bool", ".bool name, name[size], ...", |a, args| a.uniforms(args, Bank::Bool)),
    row("constf", ".constf name(x, y, z, w)", |a, args| a.constant(args, Bank::Float)),
    row("consti", ".consti name(x, y, z, w)", |a, args| a.constant(args, Bank::Int)),
    row("constfa", ".constfa name[]", |a, args| a.constant_array(args)),
    row("setf", ".setf cN(x, y, z, w)", |a, args| a.set_vector(args, Bank::Float)),
    row("seti", ".seti iN(x, y, z, w)", |a, args| a.set_vector(args, Bank::Int)),
    row("setb", ".setb bN value", |a, args| a.set_bool(args)),
    row("in", ".in name [vN]", |a, args| a.input(args)),
    row("out", ".out name property[.mask] [oN[.mask]]", |a, args| a.output(args)),
    row("entry", ".entry procedure", |a, args| a.entry(args)),
    row("nodvle", ".nodvle", |a, args| a.no_executable(args)),
    row("gsh", ".gsh [point cN | variable cN count | fixed cN cS count]", |a, args| a.geometry(args)),
    extension("word", ".word 0x...", |a, args| a.raw_word(args)),
    extension("opdesc", ".opdesc index [0xWORD [0xSECOND]]", |a, args| a.fixed_descriptor(args)),
    extension("symbol", ".symbol name register[..last]", |a, args| a.symbol(args)),
    extension("dvle", ".dvle", |a, args| a.next_executable(args)),
    extension("nonop", ".nonop", |a, args| a.no_padding(args)),
];

/// How each is written.
pub static DIRECTIVES: [&str; TABLE.len()] = {
    let (mut all, mut i) = ([""; TABLE.len()], 0);
    while i < TABLE.len() {
        all[i] = TABLE[i].usage;
        i += 1;
    }
    all
};

/// Whether there is a directive of this name.
pub(super) fn exists(name: &str) -> bool {
    TABLE.iter().any(|d| d.name.eq_ignore_ascii_case(name))
}

impl<'a> Assembler<'a> {
    /// Runs the directive of a name (without its point).
    pub(super) fn directive(&mut self, name: &'a str, args: &mut Args<'a>) -> Outcome {
        let known = |d: &&Directive| self.strict() || !d.extension;
        let Some(directive) = TABLE.iter().filter(known).find(|d| d.name.eq_ignore_ascii_case(name)) else {
            let error = Diagnostic::error(self.span(name), format!("there is no directive `.{name}`"));
            let near = did_you_mean(name, TABLE.iter().filter(known).map(|d| d.name));
            return Err(match near {
                Some(near) => {
                    let fix = Fix::replace(self.span(name), near);
                    error.advise(Advice::words(format!("did you mean `.{near}`?")).fix(fix)).into()
                }
                None => error.into(),
            });
        };
        self.usage = directive.usage;
        (directive.run)(self, args)
    }

    /// `.word 0x...`: an instruction word as it is, where an instruction could be.
    fn raw_word(&mut self, args: &mut Args<'a>) -> Outcome {
        let word = self.word32(args)?;
        self.no_more(args)?;
        self.check_in_block()?;
        let span = self.line_span();
        self.begin_instruction();
        self.code.raw.push(self.code.len());
        self.code.push(word, span);
        Ok(())
    }

    /// `.opdesc index word [second]` fixes an entry of the descriptor table; instructions
    /// that fit it use it, and none changes it. `.opdesc index` alone makes the next
    /// instruction use that entry.
    fn fixed_descriptor(&mut self, args: &mut Args<'a>) -> Outcome {
        let text = self.word(args)?;
        let index = self.whole(text)?;
        let Some(index) = u8::try_from(index).ok().filter(|i| *i < 128) else {
            return Err(Diagnostic::error(
                self.span(text),
                format!("there are descriptors 0..127, not {index}"),
            )
            .into());
        };
        if args.rest().is_empty() {
            self.chosen = Some(index);
            return Ok(());
        }
        let word = self.word32(args)?;
        let second = if args.rest().is_empty() { 0 } else { self.word32(args)? };
        self.no_more(args)?;
        if self.descriptors.fix(index, word, second) {
            return Ok(());
        }
        Err(Diagnostic::error(self.span(text), format!("descriptor {index} is in use already"))
            .help("fix descriptors in front of all instructions, each once")
            .into())
    }

    /// `.dvle`: what follows is read as the next source file.
    fn next_executable(&mut self, args: &mut Args<'a>) -> Outcome {
        self.no_more(args)?;
        self.finish_file();
        self.next_scope();
        Ok(())
    }

    /// `.nonop`: no padding NOPs from here on, and no warnings about them.
    fn no_padding(&mut self, args: &mut Args<'a>) -> Outcome {
        self.no_more(args)?;
        (self.padding, self.quiet) = (false, true);
        Ok(())
    }

    /// The next argument as 32 bits.
    fn word32(&mut self, args: &mut Args<'a>) -> Outcome<u32> {
        let text = self.word(args)?;
        let value = self.whole(text)?;
        u32::try_from(value)
            .map_err(|_| Diagnostic::error(self.span(text), format!("`{text}` has more than 32 bits")).into())
    }

    /// A whole number in C's spelling, of our own directives.
    fn whole(&self, text: &str) -> Outcome<i64> {
        match number::c_integer(text, 0) {
            Some((value, length)) if length == text.len() => Ok(value),
            _ => Err(Diagnostic::error(self.span(text), format!("`{text}` is not a number")).into()),
        }
    }
}
