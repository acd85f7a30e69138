//! All text tables of a dialect: templates by form, and forms by mnemonic.

use crate::cx::Cx;
use crate::decl::Format;
use crate::form::Form;
use crate::steps::{Printed, Tables};
use crate::template::{Maker, Piece, Text};
use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;

/// How a dialect is read, and what its printing is made of.
pub(crate) struct Templates {
    /// By form.
    pub pieces: Vec<Arc<[Piece]>>,
    /// Forms by mnemonic, folded to lower case if the set wants that; the forms of an
    /// operation stay in their order of preference.
    pub by_name: ByName,
}

/// How a dialect is printed: apart, because who assembles prints nothing.
pub(crate) struct Printing {
    /// By form: how it is printed.
    pub printed: Vec<Arc<Printed>>,
    /// The mnemonic by form.
    pub names: Vec<Text>,
}

/// Forms by mnemonic.
pub(crate) type ByName = HashMap<Cow<'static, str>, Vec<u16>, BuildHasherDefault<Fnv>>;

impl Templates {
    /// # Panics
    /// If a template is wrong: a mistake of the target's author, which
    /// [`Isa::faults`](crate::Isa::faults) reports without a panic.
    pub(crate) fn new(forms: &[Form], cx: Cx<'static>) -> Templates {
        let dialect = cx.dialect;
        let maker = Maker { dialect, generation: Some(cx.generation) };
        let mut shared: HashMap<*const Format, Arc<[Piece]>> = HashMap::new();
        let mut by_name: HashMap<_, Vec<u16>, _> = HashMap::default();
        let mut pieces = Vec::with_capacity(forms.len());
        for (i, form) in forms.iter().enumerate() {
            let template = shared.entry(form.format).or_insert_with(|| match maker.take_apart(form.format) {
                Ok(pieces) => pieces.into(),
                Err(why) => panic!("{}: {why}", form.format.name),
            });
            pieces.push(template.clone());
            spellings(form, dialect, |name| by_name.entry(name).or_default().push(i as u16));
        }
        Templates { pieces, by_name }
    }
}

impl Printing {
    /// For forms with the pieces of their templates.
    pub(crate) fn new(forms: &[Form], pieces: &[Arc<[Piece]>], dialect: u8) -> Printing {
        let mut tables = Tables::default();
        let mut shared: HashMap<*const Format, Arc<Printed>> = HashMap::new();
        let (mut printed, mut names) = (Vec::with_capacity(forms.len()), Vec::with_capacity(forms.len()));
        for (form, pieces) in forms.iter().zip(pieces) {
            let steps = shared.entry(form.format);
            printed.push(steps.or_insert_with(|| Arc::new(Printed::of(tables.steps(pieces)))).clone());
            let (name, suffix) = (form.operation.name_in(dialect), suffix(form, dialect));
            names.push(if suffix.is_empty() {
                Text::new(name)
            } else {
                Text::new(&format!("{name}{suffix}"))
            });
        }
        Printing { printed, names }
    }
}

/// What a dialect writes behind the name of an operation to ask for this form alone.
fn suffix(form: &Form, dialect: u8) -> &'static str {
    form.format.suffix.get(dialect as usize).copied().unwrap_or("")
}

/// Every mnemonic that may mean this form: the names of its operation, bare and with
/// the suffix that asks for this form alone.
fn spellings(form: &Form, dialect: u8, mut each: impl FnMut(Cow<'static, str>)) {
    let (operation, suffix) = (form.operation, suffix(form, dialect));
    let printed = operation.name_in(dialect);
    each(Cow::Borrowed(printed));
    let suffixed = (!suffix.is_empty()).then(|| format!("{printed}{suffix}"));
    for (i, (d, name)) in operation.aliases.iter().enumerate() {
        let again = *name == printed || operation.aliases[..i].contains(&(*d, *name));
        if *d == dialect && !again && Some(*name) != suffixed.as_deref() {
            each(Cow::Borrowed(name));
        }
    }
    if let Some(name) = suffixed {
        each(Cow::Owned(name));
    }
}

/// FNV-1a: mnemonics are short and our own, so a keyed hash would buy nothing.
pub(crate) struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Fnv {
        Fnv(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for Fnv {
    fn write(&mut self, bytes: &[u8]) {
        for &b in bytes {
            self.0 = (self.0 ^ u64::from(b)).wrapping_mul(0x100_0000_01b3);
        }
    }

    /// What ends a name in a longer key; mnemonics are hashed alone.
    fn write_u8(&mut self, _: u8) {}

    fn finish(&self) -> u64 {
        self.0
    }
}
