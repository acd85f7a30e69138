//! What a target is, as data.

use chiaro_diag::Diagnostic;
use chiaro_ir::Stage;

use crate::Lexis;

/// What there is to say about a target in a few lines.
#[derive(Debug)]
pub struct About {
    /// The name on the command line.
    pub name: &'static str,
    /// Other names that people use.
    pub aliases: &'static [&'static str],
    /// Chip, and the devices that have it.
    pub machine: &'static str,
    /// Shader stages that the machine runs.
    pub stages: &'static [Stage],
    /// What can be asked of the target.
    pub offers: &'static [Offer],
    /// Source dialects and file formats.
    pub formats: &'static [Format],
    /// Languages of the assembler, the usual one first.
    pub dialects: &'static [Dialect],
    /// Number modes of the simulator, the default first, with what they are.
    pub modes: &'static [(&'static str, &'static str)],
    /// Limits of the machine, each with its number.
    pub limits: &'static [(&'static str, u32)],
    /// Choices of the compiler, for `-m KEY=VALUE`.
    pub settings: &'static [Setting],
}

/// Something that can be asked of a target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the names are those of the methods")]
pub enum Offer {
    Assemble,
    Disassemble,
    Check,
    Info,
    Commands,
    Compile,
    Verify,
    Simulate,
    Report,
    Lift,
    Link,
    Anatomy,
    Abi,
}

/// A file format.
#[derive(Debug)]
pub struct Format {
    /// Its name.
    pub name: &'static str,
    /// Endings of file names, with blanks between them.
    pub endings: &'static str,
    /// The first bytes, if they are always the same.
    pub magic: &'static [u8],
    /// What it is for.
    pub role: Role,
}

/// What a file format is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Text for the assembler.
    Source,
    /// A program that is read and written.
    Container,
    /// Written and described, but no program that could be read again.
    Described,
    /// Recognised and refused, so that the message can say what it is.
    Foreign,
}

/// A language of the assembler.
#[derive(Debug)]
pub struct Dialect {
    /// Its name on the command line.
    pub name: &'static str,
    /// Endings of file names that mean it, with blanks between them.
    pub endings: &'static str,
    /// The original tool, where its exact behaviour can be asked for.
    pub tool: Option<&'static str>,
    /// How its texts look.
    pub lexis: Lexis,
}

/// A choice of the compiler.
#[derive(Debug)]
pub struct Setting {
    /// The key, for `-m KEY=VALUE`.
    pub name: &'static str,
    /// What it decides, with the default.
    pub about: &'static str,
    /// A value that random shaders are tried with, where one finds mistakes that the default
    /// hides.
    pub tried: Option<&'static str>,
}

impl Format {
    /// A language of the assembler.
    pub const fn source(name: &'static str, endings: &'static str) -> Format {
        Format { name, endings, magic: b"", role: Role::Source }
    }

    /// A container that begins with certain bytes.
    pub const fn container(name: &'static str, endings: &'static str, magic: &'static [u8]) -> Format {
        Format { name, endings, magic, role: Role::Container }
    }

    /// Whether bytes begin as the format does.
    pub fn is_magic(&self, bytes: &[u8]) -> bool {
        !self.magic.is_empty() && bytes.starts_with(self.magic)
    }
}

impl About {
    /// Whether a name is one of the target's.
    pub fn is_named(&self, name: &str) -> bool {
        self.name == name || self.aliases.contains(&name)
    }

    /// Whether a file's name has an ending of the target.
    pub fn has_ending(&self, name: &str) -> bool {
        self.formats.iter().any(|format| ends_with(name, format.endings))
    }

    /// Whether a file's name is that of a container: for formats that have no first bytes of their own.
    pub fn is_container_name(&self, name: &str) -> bool {
        let is_it =
            |f: &Format| f.role == Role::Container && f.magic.is_empty() && ends_with(name, f.endings);
        self.formats.iter().any(is_it)
    }

    /// The dialect of a source by the ending of its name; the usual one without a hint.
    pub fn dialect_of(&self, name: &str) -> Option<&'static Dialect> {
        let meant = self.dialects.iter().skip(1).find(|dialect| ends_with(name, dialect.endings));
        meant.or(self.dialects.first())
    }

    /// Whether something can be asked of the target.
    pub fn has(&self, offer: Offer) -> bool {
        self.offers.contains(&offer)
    }

    /// The error for what the target does not offer.
    pub fn lacks(&self, offer: Offer) -> Diagnostic {
        let message = format!("`{}` does not offer to {} yet", self.name, offer.verb());
        let known: Vec<_> = self.offers.iter().map(|offer| offer.verb()).collect();
        Diagnostic::error(None, message).help(match known.is_empty() {
            true => "its instructions can be read, printed and explained".to_owned(),
            false => format!("it offers to {}", known.join(", ")),
        })
    }

    /// The error for a setting that the target does not have.
    pub fn no_setting(&self, key: &str) -> Diagnostic {
        let names: Vec<_> = self.settings.iter().map(|setting| setting.name).collect();
        let error = Diagnostic::error(None, format!("there is no setting `{key}`"));
        match names.is_empty() {
            true => error.help(format!("`{}` has no settings", self.name)),
            false => error.help(format!("there are {}", in_words(&names))),
        }
    }

    /// The targets' instructions have no variants: any setting is an error.
    ///
    /// # Errors
    /// One for each setting.
    pub fn no_variants(&self, settings: &crate::Settings) -> Result<(), Vec<Diagnostic>> {
        let error = |(key, _): &(String, String)| {
            let message =
                format!("`{}` has one instruction set: there is no setting `{key}` for it", self.name);
            Diagnostic::error(None, message)
        };
        if settings.is_empty() { Ok(()) } else { Err(settings.iter().map(error).collect()) }
    }
}

impl Offer {
    /// What is done, for messages.
    pub fn verb(self) -> &'static str {
        match self {
            Offer::Assemble => "assemble",
            Offer::Disassemble => "disassemble",
            Offer::Check => "check",
            Offer::Info => "describe containers",
            Offer::Commands => "write command lists",
            Offer::Compile => "compile",
            Offer::Verify => "verify",
            Offer::Simulate => "simulate",
            Offer::Report => "report on containers",
            Offer::Lift => "lift",
            Offer::Link => "link",
            Offer::Anatomy => "say what instructions take",
            Offer::Abi => "describe calling conventions",
        }
    }
}

/// Whether a name has one of the endings, in capitals or not.
pub fn ends_with(name: &str, endings: &str) -> bool {
    let name = name.to_ascii_lowercase();
    endings.split(' ').filter(|ending| !ending.is_empty()).any(|ending| name.ends_with(ending))
}

/// `a, b and c`.
fn in_words(names: &[&str]) -> String {
    match names {
        [all @ .., last] if !all.is_empty() => format!("{} and {last}", all.join(", ")),
        _ => names.join(""),
    }
}
