//! What a part says of its functions, beside LLVM's metadata in the note: those that it has, those that it lacks, and what
//! each side takes the other to keep.
//!
//! ```text
//! chiaro.convention   the text of the convention's file
//! chiaro.wave         lanes of a wave
//! chiaro.mode         how floats are rounded, as the lowest eight bits of MODE
//! chiaro.constants    values of specialisation constants by their numbers: all parts have the same
//! chiaro.functions    of each: .name, .role, .types, .signature, .takes, .frame, .stack, .calls, .written, .lds
//! chiaro.tables       tables of functions that are chosen from at run time: .name, and .entries by their names
//! chiaro.sites        of each call through a pointer: its byte, and the functions that it may come to
//! ```
//!
//! The words are what counts: whoever checks a program proves that they keep what stands here.

use super::note::Item;

/// A part's own record.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Part {
    /// The text of the convention that functions known to other parts keep.
    pub convention: String,
    /// Lanes of a wave.
    pub wave: u8,
    /// The lowest eight bits of MODE.
    pub mode: u8,
    /// Values of specialisation constants, by their numbers.
    pub constants: Vec<(u32, String)>,
    /// Its functions, and those that it calls in other parts.
    pub functions: Vec<Linked>,
    /// Calls through pointers by their bytes, each with the functions that it may come to.
    pub sites: Vec<(u32, Vec<String>)>,
    /// Tables of functions that are chosen from at run time.
    pub tables: Vec<Table>,
}

/// A table of functions: constants, one after the other.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Table {
    /// What the source calls it, or its number among those without a name.
    pub name: String,
    /// The functions by their names.
    pub entries: Vec<String>,
}

impl Table {
    fn item(&self) -> Item {
        let entries = self.entries.iter().map(|name| Item::Text(name.clone())).collect();
        let fields = [(".name", Item::Text(self.name.clone())), (".entries", Item::List(entries))];
        Item::Map(fields.into_iter().map(|(name, item)| (name.to_owned(), item)).collect())
    }

    fn of(item: &Item) -> Result<Table, String> {
        Ok(Table { name: text(item, ".name")?, entries: names(item, ".entries")? })
    }

    /// Where a function stands in it.
    pub fn places<'a>(&'a self, function: &'a str) -> impl Iterator<Item = usize> + 'a {
        (0..).zip(&self.entries).filter(move |(_, name)| *name == function).map(|(n, _)| n)
    }
}

/// Who has a function, and who calls it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// A kernel, which nobody calls.
    Kernel,
    /// Other parts may call it.
    Export,
    /// Only this part calls it.
    Own,
    /// Another part has it.
    Import,
}

impl Role {
    const NAMES: [(&'static str, Role); 4] =
        [("kernel", Role::Kernel), ("export", Role::Export), ("own", Role::Own), ("import", Role::Import)];

    /// Its name in the note.
    #[must_use]
    pub fn name(self) -> &'static str {
        Role::NAMES.iter().find(|(_, role)| *role == self).map_or("", |(name, _)| name)
    }
}

/// A function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Linked {
    /// Its name, which is that of its symbol.
    pub name: String,
    /// Who has it.
    pub role: Role,
    /// The types of its parameters and its result, as the IR writes them; of a kernel it is empty.
    pub types: String,
    /// Its parameters, in the notation of `chiaro abi`; of a kernel it is empty.
    pub signature: String,
    /// How many of them, the first ones, it finds when it begins; others are results alone.
    pub takes: u32,
    /// Bytes of a lane that its frame takes; 0 where another part has it.
    pub frame: u32,
    /// Bytes of a lane that its parameters on the stack take.
    pub stack: u32,
    /// Functions that it calls, by their names.
    pub calls: Vec<String>,
    /// How often it may be open at once: more than once where it calls itself.
    pub times: u32,
    /// Whether it keeps where to return to while others run.
    pub nests: bool,
    /// Registers that it or those that it calls write, as `s0-s7 v0-v3`.
    pub written: String,
    /// Vector registers of a wave that runs it.
    pub vectors: u32,
    /// Bytes of LDS that a group needs for it.
    pub lds: u32,
}

impl Part {
    /// The record as entries of the note's document.
    #[must_use]
    pub fn entries(&self) -> Vec<(String, Item)> {
        let functions = self.functions.iter().map(Linked::item).collect();
        vec![
            ("chiaro.convention".to_owned(), Item::Text(self.convention.clone())),
            ("chiaro.wave".to_owned(), Item::Number(self.wave.into())),
            ("chiaro.mode".to_owned(), Item::Number(self.mode.into())),
            ("chiaro.constants".to_owned(), Item::List(self.constants.iter().map(constant).collect())),
            ("chiaro.functions".to_owned(), Item::List(functions)),
            ("chiaro.tables".to_owned(), Item::List(self.tables.iter().map(Table::item).collect())),
            ("chiaro.sites".to_owned(), Item::List(self.sites.iter().map(site).collect())),
        ]
    }

    /// The record of a note's document; `None` if it has none.
    ///
    /// # Errors
    /// What is missing or of another kind.
    pub fn of(document: &Item) -> Result<Option<Part>, String> {
        let Some(functions) = document.get("chiaro.functions") else { return Ok(None) };
        let Item::List(functions) = functions else { return Err(wrong("chiaro.functions", "a list")) };
        let functions = functions.iter().map(Linked::of).collect::<Result<_, _>>()?;
        let small =
            |name: &str| u8::try_from(number(document, name)?).map_err(|_| wrong(name, "a number up to 255"));
        let wave = small("chiaro.wave")?;
        if !matches!(wave, 32 | 64) {
            return Err(wrong("chiaro.wave", "32 or 64"));
        }
        let Some(Item::List(constants)) = document.get("chiaro.constants") else {
            return Err(wrong("chiaro.constants", "a list"));
        };
        let constants = constants.iter().map(|item| Ok((number(item, ".id")?, text(item, ".value")?)));
        let constants = constants.collect::<Result<_, String>>()?;
        let convention = text(document, "chiaro.convention")?;
        let Some(Item::List(sites)) = document.get("chiaro.sites") else {
            return Err(wrong("chiaro.sites", "a list"));
        };
        let sites = sites.iter().map(site_of).collect::<Result<_, _>>()?;
        let tables = match document.get("chiaro.tables") {
            None => Vec::new(),
            Some(Item::List(tables)) => tables.iter().map(Table::of).collect::<Result<_, _>>()?,
            Some(_) => return Err(wrong("chiaro.tables", "a list")),
        };
        Ok(Some(Part { convention, wave, mode: small("chiaro.mode")?, constants, functions, sites, tables }))
    }
}

impl Linked {
    /// A kernel that does nothing.
    #[must_use]
    pub fn kernel() -> Linked {
        Linked {
            name: String::new(),
            role: Role::Kernel,
            types: String::new(),
            signature: String::new(),
            takes: 0,
            frame: 0,
            stack: 0,
            calls: Vec::new(),
            times: 1,
            nests: false,
            written: String::new(),
            vectors: 0,
            lds: 0,
        }
    }

    fn item(&self) -> Item {
        let text = |text: &str| Item::Text(text.to_owned());
        let number = |n: u32| Item::Number(n.into());
        let entries = [
            (".name", text(&self.name)),
            (".role", text(self.role.name())),
            (".types", text(&self.types)),
            (".signature", text(&self.signature)),
            (".takes", number(self.takes)),
            (".frame", number(self.frame)),
            (".stack", number(self.stack)),
            (".calls", Item::List(self.calls.iter().map(|name| text(name)).collect())),
            (".times", number(self.times)),
            (".nests", Item::Bool(self.nests)),
            (".written", text(&self.written)),
            (".vectors", number(self.vectors)),
            (".lds", number(self.lds)),
        ];
        Item::Map(entries.into_iter().map(|(name, item)| (name.to_owned(), item)).collect())
    }

    fn of(item: &Item) -> Result<Linked, String> {
        let role = text(item, ".role")?;
        let role = Role::NAMES.iter().find(|(name, _)| *name == role);
        Ok(Linked {
            name: text(item, ".name")?,
            role: role.ok_or_else(|| wrong(".role", "kernel, export, own or import"))?.1,
            types: text(item, ".types")?,
            signature: text(item, ".signature")?,
            takes: number(item, ".takes")?,
            frame: number(item, ".frame")?,
            stack: number(item, ".stack")?,
            calls: names(item, ".calls")?,
            times: number(item, ".times")?.max(1),
            nests: match item.get(".nests") {
                Some(Item::Bool(nests)) => *nests,
                _ => return Err(wrong(".nests", "true or false")),
            },
            written: text(item, ".written")?,
            vectors: number(item, ".vectors")?,
            lds: number(item, ".lds")?,
        })
    }
}

fn constant((id, value): &(u32, String)) -> Item {
    let entries = [(".id", Item::Number((*id).into())), (".value", Item::Text(value.clone()))];
    Item::Map(entries.into_iter().map(|(name, item)| (name.to_owned(), item)).collect())
}

fn site((at, names): &(u32, Vec<String>)) -> Item {
    let names = names.iter().map(|name| Item::Text(name.clone())).collect();
    let entries = [(".at", Item::Number((*at).into())), (".calls", Item::List(names))];
    Item::Map(entries.into_iter().map(|(name, item)| (name.to_owned(), item)).collect())
}

fn site_of(item: &Item) -> Result<(u32, Vec<String>), String> {
    Ok((number(item, ".at")?, names(item, ".calls")?))
}

fn names(item: &Item, name: &str) -> Result<Vec<String>, String> {
    let Some(Item::List(all)) = item.get(name) else { return Err(wrong(name, "a list")) };
    let text = |item: &Item| match item {
        Item::Text(text) => Ok(text.clone()),
        _ => Err(wrong(name, "a list of names")),
    };
    all.iter().map(text).collect()
}

fn wrong(name: &str, wanted: &str) -> String {
    format!("`{name}` of the note is to be {wanted}")
}

fn text(item: &Item, name: &str) -> Result<String, String> {
    match item.get(name) {
        Some(Item::Text(text)) => Ok(text.clone()),
        _ => Err(wrong(name, "a text")),
    }
}

fn number(item: &Item, name: &str) -> Result<u32, String> {
    match item.get(name) {
        Some(Item::Number(n)) => u32::try_from(*n).map_err(|_| wrong(name, "a number of 32 bits")),
        _ => Err(wrong(name, "a number")),
    }
}
