//! A code object of a compiled kernel: descriptor, metadata, symbols (spec section 19).

use chiaro_ir::{Field, Scalar};
use chiaro_opt::PrintFormat;

use crate::abi::interface::{ADDRESS, Abi, Argument, Bound, Resource};
use crate::compile::Compiled;
use crate::compile::compiled::Import;
use crate::container::descriptor::{Builder, Descriptor};
use crate::container::note::{self, Item};
use crate::container::part::Part;
use crate::container::{
    CodeObject, GFX1030, REL32_HI, REL32_LO, REL64, Relocation, Section, Symbol, SymbolKind, Visibility,
};

/// What stands behind code, so that tools find its end and prefetching nothing else (spec section 12.5).
const CODE_END: u32 = 0xbf9f_0000;
const PADDING: usize = 48;

/// A relocatable code object with one kernel of this name.
#[must_use]
pub fn object(compiled: &Compiled, name: &str) -> CodeObject {
    let mut text = compiled.code.clone();
    let own = compiled.functions.first().map_or(text.len() as u32, |f| f.bytes.start);
    if !compiled.has_kernel {
        return CodeObject { text, symbols: functions(compiled), ..part_of(compiled, name, Vec::new()) };
    }
    text.extend(std::iter::repeat_n(CODE_END.to_le_bytes(), PADDING).flatten());
    let symbol = |name: String, section, size, kind, visibility| Symbol {
        name,
        section,
        value: 0,
        size,
        kind,
        global: true,
        visibility,
    };
    let descriptor = format!("{name}.kd");
    let entry =
        Relocation { section: Section::Rodata, offset: 16, kind: REL64, symbol: name.to_owned(), addend: 16 };
    let mut symbols = vec![
        symbol(name.to_owned(), Section::Text, own.into(), SymbolKind::Function, Visibility::Protected),
        symbol(descriptor, Section::Rodata, 64, SymbolKind::Object, Visibility::Default),
    ];
    symbols.extend(functions(compiled));
    let mut object = part_of(compiled, name, kernels(compiled, name));
    object.relocations.push(entry);
    CodeObject { text, rodata: describe(compiled).to_vec(), symbols, ..object }
}

/// Symbols of functions behind the kernel, those that other parts have among them.
fn functions(compiled: &Compiled) -> Vec<Symbol> {
    let own = compiled.functions.iter().map(|f| Symbol {
        name: f.name.clone(),
        section: Section::Text,
        value: f.bytes.start.into(),
        size: f.bytes.len() as u64,
        kind: SymbolKind::Function,
        global: f.is_export,
        visibility: Visibility::Default,
    });
    let others = compiled.imports.iter().map(|import| Symbol {
        name: import.name.clone(),
        section: Section::Undefined,
        value: 0,
        size: 0,
        kind: SymbolKind::None,
        global: true,
        visibility: Visibility::Default,
    });
    own.chain(others).collect()
}

/// An object with what a part says of itself, behind what its note has already, and the places of functions that other parts
/// have.
fn part_of(compiled: &Compiled, name: &str, mut document: Vec<(String, Item)>) -> CodeObject {
    let mode = Descriptor::read(&describe(compiled)).mode() as u8;
    document.extend(compiled.part(name, mode).iter().flat_map(Part::entries));
    let of_import = |import: &Import| {
        let symbol = import.name.clone();
        let place = move |&(at, kind): &(u32, u32)| {
            // Where a distance counts from stands before its literal.
            let addend = match kind {
                REL32_LO => 4,
                REL32_HI => 12,
                _ => 0,
            };
            Relocation { section: Section::Text, offset: at.into(), kind, symbol: symbol.clone(), addend }
        };
        import.places.iter().map(place).collect::<Vec<_>>()
    };
    CodeObject {
        machine: GFX1030,
        version: 5,
        linked: false,
        relocations: compiled.imports.iter().flat_map(of_import).collect(),
        note: Some(note::write(&Item::Map(document))),
        ..CodeObject::default()
    }
}

/// The kernel descriptor.
fn describe(compiled: &Compiled) -> [u8; 64] {
    let interface = &compiled.interface;
    let has = |argument: Argument| u64::from(interface.arguments.contains(&argument));
    let kernarg = if interface.abi == Abi::Hsa { interface.kernarg_bytes() } else { 0 };
    let fields = [
        ("group_segment_fixed_size", u64::from(interface.lds)),
        ("private_segment_fixed_size", u64::from(interface.scratch)),
        ("kernarg_size", u64::from(kernarg)),
        ("user_sgpr_kernarg_segment_ptr", has(Argument::Kernarg)),
        ("user_sgpr_flat_scratch_init", has(Argument::Scratch)),
        ("user_sgpr_count", u64::from(interface.user_registers())),
        ("system_sgpr_workgroup_id_x", has(Argument::GroupId(0))),
        ("system_sgpr_workgroup_id_y", has(Argument::GroupId(1))),
        ("system_sgpr_workgroup_id_z", has(Argument::GroupId(2))),
        ("system_sgpr_workgroup_info", has(Argument::GroupInfo)),
        ("system_sgpr_private_segment_wavefront_offset", has(Argument::ScratchOffset)),
        ("system_vgpr_workitem_id", u64::from(interface.dimensions.saturating_sub(1))),
        ("ieee_mode", 0),
        ("workgroup_processor_mode", 0),
        ("next_free_vgpr", u64::from(compiled.vectors.max(1))),
        ("next_free_sgpr", 106),
    ];
    let mut builder = Builder::new(compiled.options.wave);
    for (name, number) in fields {
        // Each is within its field: numbers are those of the machine's limits.
        let set = builder.set(name, number);
        debug_assert!(set.is_ok(), "{name}: {number}");
    }
    builder.finish().map_or([0; 64], |descriptor| descriptor.write())
}

fn map(entries: Vec<(&str, Item)>) -> Item {
    Item::Map(entries.into_iter().map(|(name, item)| (name.to_owned(), item)).collect())
}

fn text(text: impl Into<String>) -> Item {
    Item::Text(text.into())
}

fn number(n: impl Into<u64>) -> Item {
    Item::Number(n.into())
}

/// What LLVM's metadata say of a kernel.
fn kernels(compiled: &Compiled, name: &str) -> Vec<(String, Item)> {
    let interface = &compiled.interface;
    let kernarg = if interface.abi == Abi::Hsa { interface.kernarg_bytes() } else { 0 };
    let mut kernel = vec![
        (".name", text(name)),
        (".symbol", text(format!("{name}.kd"))),
        (".kernarg_segment_size", number(kernarg)),
        (".kernarg_segment_align", number(8u32)),
        (".group_segment_fixed_size", number(interface.lds)),
        (".private_segment_fixed_size", number(interface.scratch)),
        (".wavefront_size", number(compiled.options.wave)),
        (".sgpr_count", number(106u32)),
        (".vgpr_count", number(compiled.vectors)),
        (".sgpr_spill_count", number(0u32)),
        (".vgpr_spill_count", number(compiled.spilled)),
        (".max_flat_workgroup_size", number(interface.threads())),
        (".reqd_workgroup_size", Item::List(interface.workgroup.iter().map(|&n| number(n)).collect())),
        (
            ".args",
            Item::List(
                interface
                    .resources
                    .iter()
                    .flat_map(|bound| elements(interface.abi, bound))
                    .map(|bound| argument(interface.abi, &bound))
                    .collect(),
            ),
        ),
    ];
    if interface.abi == Abi::Vulkan {
        let registers = interface.registers().map(|(argument, at)| (argument.name(), number(at))).collect();
        kernel.push((".registers", Item::Map(registers)));
    }
    let mut document = vec![
        ("amdhsa.version", Item::List(vec![number(1u32), number(2u32)])),
        ("amdhsa.target", text("amdgcn-amd-amdhsa--gfx1030")),
        ("amdhsa.kernels", Item::List(vec![map(kernel)])),
    ];
    if !compiled.prints.is_empty() {
        let formats = (1..).zip(&compiled.prints).map(|(n, print)| text(described(n, print)));
        document.push(("amdhsa.printf", Item::List(formats.collect())));
    }
    document.into_iter().map(|(name, item)| (name.to_owned(), item)).collect()
}

/// What a print writes, as LLVM describes it: `1:2:4:8:text`, the number, how many values, their bytes, the text.
fn described(n: u32, print: &PrintFormat) -> String {
    let sizes: Vec<String> = print.sizes.iter().map(|size| format!("{size}:")).collect();
    let mut out = format!("{n}:{}:{}", sizes.len(), sizes.concat());
    for c in print.text.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            // A colon parts fields, and what does not show is lost in listings.
            ':' | '\0'..' ' => out.push_str(&format!("\\{:03o}", u32::from(c))),
            c => out.push(c),
        }
    }
    out
}

/// Where arguments are addresses, an array as one for each element, an image with a sampler as two.
fn elements(abi: Abi, bound: &Bound) -> Vec<Bound> {
    let is_both = bound.resource == Resource::Sampled;
    if abi == Abi::Vulkan || bound.count == 1 && !is_both {
        return vec![bound.clone()];
    }
    let one = |n: u32| {
        let name = if bound.count == 1 { bound.name.clone() } else { format!("{}[{n}]", bound.name) };
        let offset = bound.offset + bound.size * n;
        let sampler = is_both.then(|| Bound {
            name: format!("{name}.sampler"),
            offset: offset + ADDRESS,
            size: ADDRESS,
            count: 1,
            resource: Resource::Sampler,
            ..bound.clone()
        });
        let size = if is_both { ADDRESS } else { bound.size };
        [Some(Bound { name, offset, size, count: 1, ..bound.clone() }), sampler].into_iter().flatten()
    };
    (0..bound.count).flat_map(one).collect()
}

/// A resource as an argument; under Vulkan its offset is that in its set.
fn argument(abi: Abi, bound: &Bound) -> Item {
    let kind = match (abi, bound.resource) {
        (_, Resource::Storage | Resource::Uniform) => "global_buffer",
        (_, Resource::Prints) => "hidden_printf_buffer",
        (_, Resource::Image | Resource::Sampled | Resource::UniformTexels | Resource::StorageTexels) => {
            "image"
        }
        (_, Resource::Sampler) => "sampler",
        (_, Resource::Push) => "by_value",
        (_, Resource::GroupCount(0)) => "hidden_block_count_x",
        (_, Resource::GroupCount(1)) => "hidden_block_count_y",
        (_, Resource::GroupCount(_)) => "hidden_block_count_z",
    };
    let mut entries = vec![
        (".name", text(bound.name.clone())),
        (".offset", number(bound.offset)),
        (".size", number(bound.size * bound.count)),
        (".value_kind", text(kind)),
    ];
    if bound.resource.is_buffer() {
        entries.push((".address_space", text("global")));
    }
    if let Some(numbers) = bound.numbers {
        let pointer = if kind == "global_buffer" { "*" } else { "" };
        entries.push((".type_name", text(format!("{numbers}{pointer}"))));
    }
    if bound.resource == Resource::Push || !bound.members.is_empty() {
        entries.push((".members", Item::List(bound.members.iter().map(member).collect())));
    }
    if abi == Abi::Vulkan && bound.resource != Resource::Push {
        entries.push((".set", number(bound.binding.0)));
        entries.push((".binding", number(bound.binding.1)));
        entries.push((".descriptor", text(bound.resource.name())));
    }
    map(entries)
}

/// A member of a buffer: where its scalars are, rows of them as pairs of how many and how far apart.
fn member(field: &Field) -> Item {
    let kind = match field.scalar {
        Scalar::Float => "float",
        Scalar::Int => "uint",
        Scalar::Bool => "bool",
    };
    let name = if field.bits == 32 { kind.to_owned() } else { format!("{kind}{}", field.bits) };
    let mut entries = vec![
        (".name", text(field.path.clone())),
        (".offset", number(field.offset)),
        (".type_name", text(name)),
    ];
    if !field.rows.is_empty() {
        let pair = |&(count, stride): &(u32, u32)| Item::List(vec![number(count), number(stride)]);
        entries.push((".rows", Item::List(field.rows.iter().map(pair).collect())));
    }
    map(entries)
}
