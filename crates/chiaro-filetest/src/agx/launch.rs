//! Tables of what starts a program: uniforms, the tilebuffer, USC words, linking, occupancy.

use super::{bytes, hex, same};
use crate::suite::{Miss, Row};
use chiaro_agx::abi::link::{self, Flags, Part};
use chiaro_agx::abi::tilebuffer::{Layout, physical};
use chiaro_agx::abi::uniforms::{Held, Vertex};
use chiaro_agx::abi::usc;
use chiaro_agx::regs;

fn number<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("`{text}` is no number"))
}

/// A comma between each; `-` for none.
fn list<T: std::fmt::Display>(all: impl IntoIterator<Item = T>) -> String {
    let all: Vec<String> = all.into_iter().map(|n| n.to_string()).collect();
    if all.is_empty() { "-".to_owned() } else { all.join(",") }
}

/// Places by what stands there, and what stands at each.
pub(super) fn uniforms(row: &Row<'_>) -> Result<(), Miss> {
    let [n, kind, bases, clamps, vertex, instance, draw, assembly, free, opengl, _] = row.columns()?;
    let n = number(n)?;
    let v = Vertex::new(n, kind == "sw")?;
    same("bases", &list((0..n).map(|a| v.base(a))), bases)?;
    same("clamps", &list((0..n).map(|a| v.clamp(a))), clamps)?;
    same("base vertex", &v.base_vertex().to_string(), vertex)?;
    same("base instance", &v.base_instance().to_string(), instance)?;
    same("draw", &v.draw_id().to_string(), draw)?;
    same("input assembly", &list(v.input_assembly()), assembly)?;
    same("first free", &v.first_free().to_string(), free)?;
    same("first free of OpenGL", &v.first_free_opengl().to_string(), opengl)?;
    for (place, held) in [(vertex, Held::BaseVertex), (instance, Held::BaseInstance), (draw, Held::DrawId)] {
        let at = v.at(number(place)?);
        same("what stands there", &format!("{at:?}"), &format!("{held:?}"))?;
    }
    Ok(())
}

/// Mesa's name of a format of the tilebuffer.
fn mesa_name(format: &str) -> &str {
    match format {
        "u8norm" => "R8_UNORM",
        "s8norm" => "R8_SNORM",
        "i8" => "R8_UINT",
        "srgba8" => "R8G8B8A8_SRGB",
        "u16norm" => "R16_UNORM",
        "s16norm" => "R16_SNORM",
        "i16" => "R16_UINT",
        "f16" => "R16_FLOAT",
        "i32" => "R32_UINT",
        "rgb10a2" => "R10G10B10A2_UNORM",
        "rg11b10f" => "R11G11B10_FLOAT",
        "rgb9e5" => "R9G9B9E5_FLOAT",
        other => other,
    }
}

/// Offsets, formats, sizes and the word of a layout.
pub(super) fn tilebuffer(row: &Row<'_>) -> Result<(), Miss> {
    let [samples, targets, offsets, formats, bytes, tile, word] = row.columns()?;
    let name = |name: &str| name.strip_prefix("PIPE_FORMAT_").unwrap_or(name).to_owned();
    let read = targets.split(',').map(|target| match name(target).as_str() {
        "none" => Ok(None),
        known => physical(known).map(Some).ok_or(format!("`{known}` cannot be rendered to")),
    });
    let layout = Layout::new(&read.collect::<Result<Vec<_>, String>>()?, number(samples)?)?;
    let offset = |o: Option<u32>| o.map_or("spilled".to_owned(), |o| o.to_string());
    let shown = layout.targets.iter().map(|t| t.map_or("-".to_owned(), |t| offset(t.offset)));
    same("offsets", &list(shown), offsets)?;
    let format = |f: &str| format!("PIPE_FORMAT_{}", mesa_name(f));
    let shown = layout.targets.iter().map(|t| t.map_or("-".to_owned(), |t| format(t.physical.format)));
    same("formats", &list(shown), formats)?;
    same("a sample", &layout.sample_bytes.to_string(), bytes)?;
    same("a tile", &format!("{}x{}", layout.tile.0, layout.tile.1), tile)?;
    same("the word", &hex(&usc::pack(&layout.shared())?), word)
}

/// A word of random fields, both ways; what it rounds up comes back rounded.
pub(super) fn word(row: &Row<'_>) -> Result<(), Miss> {
    let [name, fields, packed] = row.columns()?;
    let name = name.strip_prefix("USC ").unwrap_or(name).replace(' ', "_").to_lowercase();
    let text = if fields == "-" { name } else { format!("{name} {fields}") };
    same("the word", &hex(&usc::pack(&text)?), packed)?;
    let [back] = &usc::unpack(&bytes(packed)?)?[..] else { return Err("it is no single word".into()) };
    same("the word of what was read", &hex(&usc::pack(back)?), packed)?;
    let pairs = text.split(' ').zip(back.split(' '));
    let differs = pairs.filter(|(mine, read)| mine != read).find(|(mine, read)| !rounded(mine, read));
    differs.map_or(Ok(()), |(mine, read)| Err(format!("`{mine}` came back as `{read}`").into()))
}

/// Whether a number of registers or bytes was rounded up to its unit.
fn rounded(given: &str, read: &str) -> bool {
    let value = |text: &str| text.split_once('=').and_then(|(_, n)| n.parse::<i64>().ok());
    let unit = match given.split('=').next() {
        Some("count") => 8,
        Some("bytes") => 256,
        _ => return false,
    };
    value(given).zip(value(read)).is_some_and(|(given, read)| (0..unit).contains(&(read - given)))
}

/// Parts of given sizes, linked: what is inserted, and the words.
pub(super) fn sample_loop(row: &Row<'_>) -> Result<(), Miss> {
    let [
        samples,
        prolog,
        _,
        main,
        epilog,
        size,
        header,
        footer,
        halves,
        scratch,
        flags,
        shader,
        registers,
        depth,
        control,
        select,
    ] = row.columns()?;
    // The bytes of each part are its own, so that their order shows.
    let code = |size: &str, filler: u8| Ok::<_, String>(vec![filler; number(size)?]);
    let (prolog, main, epilog) = (code(prolog, 0xaa)?, code(main, 0xbb)?, code(epilog, 0xcc)?);
    let halves = halves.split(',').map(number).collect::<Result<Vec<u16>, String>>()?;
    let digits: Vec<u32> = flags.chars().filter_map(|c| c.to_digit(16)).collect();
    let ([of_prolog, of_main, of_epilog], [e, m, p]) = (&halves[..], &digits[..]) else {
        return Err("there are three parts".into());
    };
    let part = |code, halves: &u16, scratch, bits: &u32| {
        let bit = |n: u32| bits >> n & 1 == 1;
        let flags = Flags {
            reads_tib: bit(0),
            writes_sample_mask: bit(1),
            disable_tri_merging: bit(2),
            tag_write_disable: bit(3),
            ..Flags::default()
        };
        Part { code, halves: *halves, scratch, flags, bindings: &[] }
    };
    let first = (!prolog.is_empty()).then(|| part(&prolog[..], of_prolog, 0, p));
    let (body, last) = (part(&main, of_main, number(scratch)?, m), part(&epilog, of_epilog, 0, e));
    let linked = link::fragment(first, body, Some(last), number(samples)?)?;
    same("the size", &linked.code.len().to_string(), size)?;
    let inserted = |text: &str| if text == "-" { Ok(Vec::new()) } else { bytes(text) };
    let want = [prolog, inserted(header)?, main, epilog, inserted(footer)?].concat();
    same("the code", &hex(&linked.code), &hex(&want))?;
    for (found, want) in linked.packed(0x1_0000)?.iter().zip([shader, registers, depth]) {
        same("a word", &hex(found), want)?;
    }
    same("fragment control", &hex(&linked.control().to_le_bytes()), control)?;
    same("output select", &hex(&linked.output_select().to_le_bytes()), select)
}

/// The code of a stack's size.
pub(super) fn scratch(row: &Row<'_>) -> Result<(), Miss> {
    let [words, code] = row.columns()?;
    same("the code", &regs::scratch_bucket(number(words)?).to_string(), code)
}

/// Registers against threads, both ways.
pub(super) fn occupancy(row: &Row<'_>) -> Result<(), Miss> {
    let [kind, input, first, second] = row.columns()?;
    let input = number(input)?;
    match kind {
        "regs" => {
            let (top, threads) = regs::occupancy(input).ok_or("more halves than there are")?;
            same("the bucket", &top.to_string(), first)?;
            same("threads", &threads.to_string(), second)
        }
        _ => {
            let halves = regs::halves_for(input).ok_or("more threads than there may be")?;
            same("halves", &halves.to_string(), first)
        }
    }
}
