//! What is run: a kernel of a code object placed in memory, or code alone.

use chiaro_diag::{Diagnostic, did_you_mean};
use chiaro_ir::{Field, Scalar};
use chiaro_target::SimulateOptions;

use super::printf;
use crate::container::descriptor::Descriptor;
use crate::container::note::Item;
use crate::container::part::{Part, Role};
use crate::container::{self, CodeObject, Section, relocate};
use crate::regs::SCRATCH;

/// Bytes of scratch that a lane can have here; the field of a descriptor may say anything.
pub(super) const MOST_SCRATCH: usize = SCRATCH as usize;
/// Where code alone, and that of relocatable objects, lies.
const CODE: u64 = 0x10_0000_0000;

/// A program with everything that a launch needs.
pub(super) struct Kernel {
    pub(super) code: Vec<u8>,
    pub(super) code_base: u64,
    pub(super) constants: (u64, Vec<u8>),
    /// Bytes from the start of the code to the first instruction.
    pub(super) entry: u32,
    pub(super) wave: u8,
    pub(super) descriptor: Option<Descriptor>,
    pub(super) arguments: Vec<Argument>,
    /// Threads of a group, where the metadata requires them.
    pub(super) size: Option<[u32; 3]>,
    /// What its functions print, as the metadata says it.
    pub(super) prints: Vec<printf::Format>,
    /// First registers of what a Vulkan driver sets, by name; none for kernels with arguments in memory.
    pub(super) registers: Vec<(String, u16)>,
    /// Where functions begin, in bytes from the start of the code, by their order there.
    pub(super) functions: Vec<(u64, String)>,
}

impl Kernel {
    /// The function that an instruction is of.
    pub(super) fn function_at(&self, offset: u32) -> Option<&str> {
        let next = self.functions.partition_point(|(start, _)| *start <= offset.into());
        self.functions.get(next.checked_sub(1)?).map(|(_, name)| name.as_str())
    }
}

/// An argument by its metadata.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Argument {
    pub(super) name: String,
    pub(super) offset: usize,
    pub(super) size: usize,
    /// `global_buffer`, `by_value`, `hidden_...`.
    pub(super) kind: String,
    /// Whether the numbers of it are integers.
    pub(super) integer: bool,
    /// Its members, as far as the metadata names them.
    pub(super) members: Vec<Field>,
    /// The descriptor set that it is in, and the kind of its descriptor.
    pub(super) descriptor: Option<(u32, String)>,
}

/// Loads what the options ask for: `--entry` names a kernel, or a label of code alone.
pub(super) fn load(
    bytes: &[u8],
    options: &SimulateOptions,
    wave: Option<u8>,
) -> Result<Kernel, Box<Diagnostic>> {
    use chiaro_target::Target as _;
    if crate::Rdna.has_container(bytes) {
        return kernel(&super::super::read(bytes)?, options, wave);
    }
    let entry = match options.entry.as_deref() {
        None => 0,
        Some(name) => {
            let known = options.labels.get(name);
            let none = || no_entry(name, &mut options.labels.keys().map(String::as_str));
            let lines = crate::Rdna.code(bytes, &[])?.lines;
            let line = known.and_then(|number| lines.get(*number as usize));
            line.map(|line| line.offset).ok_or_else(none)?
        }
    };
    Ok(Kernel {
        code: bytes.to_vec(),
        code_base: CODE,
        constants: (0, Vec::new()),
        entry,
        wave: wave.unwrap_or(32),
        descriptor: None,
        arguments: Vec::new(),
        size: None,
        prints: Vec::new(),
        registers: Vec::new(),
        functions: Vec::new(),
    })
}

fn no_entry(name: &str, known: &mut dyn Iterator<Item = &str>) -> Box<Diagnostic> {
    let known: Vec<&str> = known.collect();
    let error = Diagnostic::error(None, format!("there is no kernel or label `{name}`"));
    Box::new(match did_you_mean(name, known.iter().copied()) {
        Some(guess) => error.meant(guess),
        None if known.is_empty() => error.help("the code has no names; it begins at its first word"),
        None => error.help(format!("there are {}", known.join(", "))),
    })
}

/// The kernel of a name, without one the first that there is.
pub(in crate::target) fn chosen<'a>(
    object: &'a CodeObject,
    wanted: Option<&str>,
) -> Result<Option<(&'a str, Descriptor)>, Box<Diagnostic>> {
    let found = object.kernels().find(|(name, _)| wanted.is_none_or(|wanted| wanted == *name));
    match wanted.filter(|_| found.is_none()) {
        Some(wanted) => Err(no_entry(wanted, &mut object.kernels().map(|(name, _)| name))),
        None => Ok(found),
    }
}

fn kernel(
    object: &CodeObject,
    options: &SimulateOptions,
    wave: Option<u8>,
) -> Result<Kernel, Box<Diagnostic>> {
    // An object without descriptors is code that begins at its first word.
    let (name, descriptor) = chosen(object, options.entry.as_deref())?.unzip();
    let own = descriptor.map_or(32, |d| d.wave());
    if let Some(other) = wave.filter(|wave| descriptor.is_some() && *wave != own) {
        let message = format!("waves of {other} are asked for, and the kernel is one for waves of {own}");
        return Err(Box::new(Diagnostic::error(None, message)));
    }
    let at = |symbol: &container::Symbol| symbol.section == Section::Text && Some(&*symbol.name) == name;
    let entry = object.symbols.iter().find(|s| at(s)).map_or(0, |symbol| symbol.value);
    let (code_base, constants) = placed(object);
    let document = object.document();
    let metadata = document.as_ref().zip(name).and_then(|(document, name)| metadata(document, name));
    complete(object)?;
    let (code, rodata) = relocate::link(object, code_base, constants);
    Ok(Kernel {
        code,
        code_base,
        constants: (constants, rodata),
        entry: u32::try_from(entry).unwrap_or(u32::MAX),
        wave: wave.unwrap_or(own),
        descriptor,
        arguments: metadata.map(arguments).unwrap_or_default(),
        size: metadata.and_then(required_size),
        prints: document.as_ref().map(prints).unwrap_or_default(),
        registers: metadata.map(registers).unwrap_or_default(),
        functions: functions(object),
    })
}

/// That a part of a program is not run without the others.
fn complete(object: &CodeObject) -> Result<(), Box<Diagnostic>> {
    let part = object.document().and_then(|document| Part::of(&document).ok().flatten());
    let functions = part.iter().flat_map(|part| &part.functions);
    if part.is_some() && object.kernels().next().is_none() {
        let message = "this is a library: functions that kernels call, and no kernel";
        return Err(Box::new(Diagnostic::error(None, message).help("link it with one: `chiaro link`")));
    }
    let names: Vec<String> =
        functions.filter(|f| f.role == Role::Import).map(|f| format!("`{}`", f.name)).collect();
    if names.is_empty() {
        return Ok(());
    }
    let message = format!("the program calls {}, which other parts have", names.join(", "));
    Err(Box::new(Diagnostic::error(None, message).help("link it with them: `chiaro link`")))
}

/// Where the functions of an object begin.
fn functions(object: &CodeObject) -> Vec<(u64, String)> {
    let is_function = |symbol: &&container::Symbol| {
        symbol.section == Section::Text && symbol.kind == container::SymbolKind::Function
    };
    let all = object.symbols.iter().filter(is_function);
    let mut all: Vec<_> = all.map(|symbol| (symbol.value, symbol.name.clone())).collect();
    all.sort();
    all
}

/// Addresses of code and constants: as the file has them, moved to where programs lie.
fn placed(object: &CodeObject) -> (u64, u64) {
    if object.linked {
        return (CODE.wrapping_add(object.text_address), CODE.wrapping_add(object.rodata_address));
    }
    (CODE, (CODE + object.text.len() as u64).next_multiple_of(256))
}

/// What the metadata says of a kernel.
fn metadata<'a>(document: &'a Item, name: &str) -> Option<&'a Item> {
    let Some(Item::List(kernels)) = document.get("amdhsa.kernels") else { return None };
    kernels.iter().find(|kernel| text(kernel, ".name") == Some(name))
}

/// The texts of `amdhsa.printf`.
fn prints(document: &Item) -> Vec<printf::Format> {
    let Some(Item::List(all)) = document.get("amdhsa.printf") else { return Vec::new() };
    let format = |item: &Item| if let Item::Text(text) = item { printf::Format::read(text) } else { None };
    all.iter().filter_map(format).collect()
}

fn text<'a>(item: &'a Item, name: &str) -> Option<&'a str> {
    match item.get(name) {
        Some(Item::Text(text)) => Some(text),
        _ => None,
    }
}

fn number(item: &Item) -> Option<usize> {
    match item {
        Item::Number(n) => usize::try_from(*n).ok(),
        _ => None,
    }
}

fn arguments(kernel: &Item) -> Vec<Argument> {
    let Some(Item::List(all)) = kernel.get(".args") else { return Vec::new() };
    let argument = |(n, item): (usize, &Item)| {
        let kind = text(item, ".value_kind").unwrap_or("by_value");
        let ty = text(item, ".type_name").unwrap_or_default();
        Some(Argument {
            name: text(item, ".name").map_or_else(|| format!("arg{n}"), str::to_owned),
            offset: number(item.get(".offset")?)?,
            size: number(item.get(".size")?)?,
            kind: kind.to_owned(),
            descriptor: item
                .get(".set")
                .and_then(number)
                .and_then(|set| Some((u32::try_from(set).ok()?, text(item, ".descriptor")?.to_owned()))),
            integer: is_integer(ty),
            members: members(item),
        })
    };
    all.iter().enumerate().filter_map(argument).collect()
}

fn is_integer(ty: &str) -> bool {
    ["int", "char", "short", "long", "bool", "size_t"].iter().any(|word| ty.contains(word))
}

/// Members as our compiler writes them; bits of a type behind its name, 32 without.
fn members(argument: &Item) -> Vec<Field> {
    let Some(Item::List(all)) = argument.get(".members") else { return Vec::new() };
    let member = |item: &Item| {
        let ty = text(item, ".type_name").unwrap_or_default();
        let digits = ty.trim_start_matches(|c: char| c.is_ascii_alphabetic());
        Some(Field {
            path: text(item, ".name")?.to_owned(),
            offset: number(item.get(".offset")?)?.try_into().ok()?,
            scalar: match ty {
                _ if ty.starts_with("bool") => Scalar::Bool,
                _ if is_integer(ty) => Scalar::Int,
                _ => Scalar::Float,
            },
            bits: digits.parse().ok().filter(|bits| matches!(bits, 8 | 16 | 32 | 64)).unwrap_or(32),
            rows: rows(item),
        })
    };
    all.iter().filter_map(member).collect()
}

fn rows(member: &Item) -> Vec<(u32, u32)> {
    let Some(Item::List(all)) = member.get(".rows") else { return Vec::new() };
    let row = |item: &Item| match item {
        Item::List(pair) => match pair.as_slice() {
            [count, stride] => Some((number(count)?.try_into().ok()?, number(stride)?.try_into().ok()?)),
            _ => None,
        },
        _ => None,
    };
    all.iter().filter_map(row).collect()
}

/// What a Vulkan driver sets.
fn registers(kernel: &Item) -> Vec<(String, u16)> {
    let Some(Item::Map(all)) = kernel.get(".registers") else { return Vec::new() };
    all.iter().filter_map(|(name, at)| Some((name.clone(), u16::try_from(number(at)?).ok()?))).collect()
}

fn required_size(kernel: &Item) -> Option<[u32; 3]> {
    let Some(Item::List(sizes)) = kernel.get(".reqd_workgroup_size") else { return None };
    let sizes: Vec<u32> = sizes.iter().filter_map(number).filter_map(|n| u32::try_from(n).ok()).collect();
    let threads = sizes.iter().fold(1_u32, |all, n| all.saturating_mul(*n));
    <[u32; 3]>::try_from(sizes).ok().filter(|_| (1..=super::MOST_THREADS).contains(&threads))
}
