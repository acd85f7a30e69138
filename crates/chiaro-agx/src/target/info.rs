//! What a file holds: contracts of parts, launch words, counts, buckets; for people and for drivers.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::abi::counts::Counts;
use crate::abi::descriptor::TEXTURE_BYTES;
use crate::abi::link::Binding;
use crate::check::contract::Contract;
use crate::container::file::{File, Held, Member, Part, State, What, Words};
use crate::container::launch::Launch;
use crate::container::{Contents, Program};
use crate::isa::GENERATIONS;
use crate::regs::{GPR_HALVES, halves, occupancy, scratch_bucket};

/// A few lines on each program.
pub(super) fn describe(bytes: &[u8], contents: &Contents) -> String {
    match contents {
        Contents::Code => format!("code of {} bytes\n{}", bytes.len(), contract(&Contract::of(bytes, 0))),
        Contents::File(file) => describe_file(file),
        Contents::Kernel(kernel) => {
            let [x, y, z] = kernel.size;
            let mut text = format!("kernel, workgroups of {x} x {y} x {z}\n");
            let mut line = |name: &str, n: u32| {
                let _ = writeln!(text, "  {name:<14} {n}");
            };
            line("halves", kernel.halves.into());
            line("pushed", kernel.pushed.into());
            line("local", kernel.local.into());
            line("imageblock", kernel.imageblock.into());
            line("constants", 2 * u32::from(kernel.constants_halves));
            text + &programs(bytes, &kernel.programs())
        }
        Contents::Metal(all) => format!("Metal, {} programs\n", all.len()) + &programs(bytes, all),
    }
}

fn programs(bytes: &[u8], all: &[Program]) -> String {
    let one = |program: &Program| {
        let code = bytes.get(program.bytes.clone()).unwrap_or_default();
        let (name, place) = (&program.name, program.bytes.start);
        format!("{name}, {} bytes at {place:#x}\n{}", code.len(), contract(&Contract::of(code, 0)))
    };
    all.iter().map(one).collect()
}

fn describe_file(file: &File) -> String {
    let generation = GENERATIONS[usize::from(file.generation)];
    let (stage, size) = (file.stage.name(), file.code.len());
    let mut text = format!("{stage} program for {generation}, {size} bytes of code\n");
    for part in &file.parts {
        let _ = writeln!(text, "{}, {} bytes at {:#x}", part.role.name(), part.size, part.offset);
        text += &contract(&part.contract);
        if part.halves != part.contract.halves {
            let _ = writeln!(text, "  {:<14} {}", "declared", part.halves);
        }
        for binding in &part.bindings {
            let _ = writeln!(text, "  {}", spelled(binding));
        }
    }
    if !file.preamble.is_empty() {
        let _ = writeln!(text, "preamble, {} bytes", file.preamble.len());
        text += &contract(&Contract::of(&file.preamble, file.generation));
    }
    for held in &file.map() {
        let _ = writeln!(text, "uniform {}", place(held));
        text += &members(file, held);
    }
    for state in &file.states {
        let kind = if state.is_sampler { "sampler" } else { "texture" };
        let State { name, set, binding, .. } = state;
        let _ = writeln!(text, "{kind} {}: {name}, set {set}, binding {binding}", state.place());
    }
    for Words { name, first, count, .. } in &file.words {
        let _ = writeln!(text, "words {first} to {}: {name}", first.saturating_add(*count).saturating_sub(1));
    }
    text + &launch(file)
}

/// What starts it.
fn launch(file: &File) -> String {
    let made = match file.launch(0) {
        Ok(made) => made,
        Err(why) => return format!("launch: {why}\n"),
    };
    let mut text = "launch\n".to_owned();
    for (word, bytes) in &made.words {
        let _ = writeln!(text, "  {:<17} {word}", hex(bytes));
    }
    let _ = writeln!(text, "  {:<17} counts", hex(&made.counts_word.to_le_bytes()));
    if let (Some(select), Some(control)) = (made.output_select, made.control) {
        let _ = writeln!(text, "  {:<17} output select", hex(&select.to_le_bytes()));
        let _ = writeln!(text, "  {:<17} fragment control", hex(&control.to_le_bytes()));
    }
    let linked = file.linked();
    let (most, threads) = occupancy(linked.halves).unwrap_or_default();
    let _ = writeln!(
        text,
        "  {} halves of registers in groups of 8: {}; up to {most} halves {threads} threads are in a threadgroup",
        linked.halves,
        linked.halves.div_ceil(8)
    );
    let _ = writeln!(text, "  {} words of stack: bucket {}", linked.scratch, scratch_bucket(linked.scratch));
    text
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn spelled(binding: &Binding) -> String {
    let Binding { slot, offset, count, base, smooth, perspective } = binding;
    let how = match (smooth, perspective) {
        (false, _) => "flat",
        (true, false) => "linear",
        (true, true) => "perspective",
    };
    format!("cf{base}-cf{}: slot {slot}, component {offset}, {how}", base + u16::from(*count).max(1) - 1)
}

fn place(held: &Held) -> String {
    let Held { first, halves: count, name, set, binding, member, what } = held;
    let what = match what {
        What::Member => format!("set {set}, binding {binding}, byte {member}"),
        What::Address => format!("address of set {set}, binding {binding}"),
        What::Size => format!("size of set {set}, binding {binding}"),
        What::Draw => "parameter of the draw".to_owned(),
        What::Constant => "constant".to_owned(),
        What::Preamble => "result of the preamble".to_owned(),
    };
    let name = if name.is_empty() { String::new() } else { format!("{name}, ") };
    format!("{}: {name}{what}", runs('u', *first..first + count))
}

/// The members of the buffer whose address a uniform holds.
fn members(file: &File, held: &Held) -> String {
    let is_own = |member: &&Member| (member.set, member.binding) == (held.set, held.binding);
    let own = file.members.iter().filter(|member| held.what == What::Address && is_own(member));
    own.map(|member| {
        let name = if member.path.is_empty() { &held.name } else { &member.path };
        format!("  byte {:<9} {name}: {}\n", member.offset, member.spelled())
    })
    .collect()
}

/// What a part needs, leaves and touches.
fn contract(contract: &Contract) -> String {
    let mut text = String::new();
    let mut line = |name: &str, what: String| {
        let _ = writeln!(text, "  {name:<14} {}", if what.is_empty() { "none" } else { &what });
    };
    let general = |has: &dyn Fn(u16) -> bool| runs('r', (0..GPR_HALVES).filter(|half| has(*half)));
    let needs: Vec<u16> = contract.needs().collect();
    line("needs", general(&|half| needs.contains(&half)));
    line("leaves", general(&|half| contract.leaves(half)));
    line("changes", general(&|half| contract.changes(half)));
    line("uniforms", runs('u', contract.uniforms.iter().copied()));
    let coefficients = contract.coefficients.iter().map(|n| format!("cf{n}"));
    line("coefficients", coefficients.collect::<Vec<_>>().join(" "));
    line("halves", contract.halves.to_string());
    line("stack", format!("{} words", contract.stack));
    line("ends", if contract.stops { "by a stop" } else { "where the next part begins" }.to_owned());
    line("coverage", coverage(contract).join(", "));
    text
}

fn coverage(contract: &Contract) -> Vec<&'static str> {
    let all = [
        (contract.kills, "kills samples"),
        (contract.tests, "tests samples"),
        (contract.writes_depth, "writes depth or stencil"),
    ];
    all.iter().filter(|(does, _)| *does).map(|(_, what)| *what).collect()
}

/// Runs of halves as they are spelled: `r2 r4l r8-r11`. A contract in a file names any number of 16 bits.
pub(super) fn runs(letter: char, halves: impl Iterator<Item = u16>) -> String {
    let mut all: Vec<(u32, u32)> = Vec::new();
    for half in halves.map(u32::from) {
        match all.last_mut() {
            Some((_, end)) if *end == half => *end = half + 1,
            _ => all.push((half, half + 1)),
        }
    }
    let half = |n: u32| format!("{letter}{}{}", n / 2, if n & 1 == 0 { 'l' } else { 'h' });
    let spelled = |(first, end): (u32, u32)| match (first & 1, end & 1, end - first) {
        (0, 0, 2) => format!("{letter}{}", first / 2),
        (0, 0, _) => format!("{letter}{}-{letter}{}", first / 2, end / 2 - 1),
        (_, _, 1) => half(first),
        _ => format!("{}-{}", half(first), half(end - 1)),
    };
    all.into_iter().map(spelled).collect::<Vec<_>>().join(" ")
}

/// Everything, for drivers.
pub(super) fn to_json(bytes: &[u8], contents: &Contents) -> Value {
    let program = |program: &Program| {
        let code = bytes.get(program.bytes.clone()).unwrap_or_default();
        json!({ "name": program.name, "offset": program.bytes.start, "bytes": code.len(),
                "contract": contract_json(&Contract::of(code, 0)) })
    };
    match contents {
        Contents::Code => json!({ "target": "agx", "format": "code", "bytes": bytes.len(),
            "contract": contract_json(&Contract::of(bytes, 0)) }),
        Contents::Metal(all) => json!({ "target": "agx", "format": "metal",
            "programs": all.iter().map(program).collect::<Vec<_>>() }),
        Contents::Kernel(kernel) => json!({ "target": "agx", "format": "kernel",
            "size": kernel.size, "halves": kernel.halves, "preamble_halves": kernel.preamble_halves,
            "pushed": kernel.pushed, "local": kernel.local, "imageblock": kernel.imageblock,
            "uses_txf": kernel.uses_txf,
            "constants": { "first": kernel.constants_first, "bytes": hex(kernel.constants()) },
            "programs": kernel.programs().iter().map(program).collect::<Vec<_>>() }),
        Contents::File(file) => file_json(file),
    }
}

fn file_json(file: &File) -> Value {
    let linked = file.linked();
    let constant = |(first, bytes): &(u16, Vec<u8>)| json!({ "first": first, "bytes": hex(bytes) });
    json!({
        "target": "agx",
        "format": "chiaro",
        "generation": GENERATIONS[usize::from(file.generation)],
        "stage": file.stage.name(),
        "samples": file.samples,
        "code": hex(&file.code),
        "parts": file.parts.iter().map(part_json).collect::<Vec<_>>(),
        "preamble": { "code": hex(&file.preamble), "halves": file.preamble_halves },
        "constants": file.constants.iter().map(constant).collect::<Vec<_>>(),
        "local": file.local,
        "size": file.size,
        "uniforms": file.map().iter().map(held_json).collect::<Vec<_>>(),
        "members": file.members.iter().map(member_json).collect::<Vec<_>>(),
        "textures": states_json(file, false),
        "samplers": states_json(file, true),
        "words": file.words.iter().map(words_json).collect::<Vec<_>>(),
        "registers": { "halves": linked.halves, "groups": linked.halves.div_ceil(8),
            "threads": occupancy(linked.halves).map(|(_, threads)| threads) },
        "scratch": { "words": linked.scratch, "bucket": scratch_bucket(linked.scratch) },
        "launch": match file.launch(0) {
            Ok(launch) => launch_json(&launch),
            Err(why) => json!({ "error": why }),
        },
    })
}

fn part_json(part: &Part) -> Value {
    let flags = &part.flags;
    json!({
        "role": part.role.name(),
        "offset": part.offset,
        "bytes": part.size,
        "halves": part.halves,
        "scratch": part.scratch,
        "flags": {
            "reads_tib": flags.reads_tib, "writes_sample_mask": flags.writes_sample_mask,
            "disable_tri_merging": flags.disable_tri_merging, "tag_write_disable": flags.tag_write_disable,
            "uses_base_param": flags.uses_base_param, "uses_txf": flags.uses_txf,
        },
        "cf_bindings": part.bindings.iter().map(binding_json).collect::<Vec<_>>(),
        "contract": contract_json(&part.contract),
        "key": serde_json::from_str::<Value>(&part.key).ok(),
    })
}

fn binding_json(binding: &Binding) -> Value {
    let Binding { slot, offset, count, base, smooth, perspective } = binding;
    json!({ "slot": slot, "offset": offset, "count": count, "cf_base": base, "smooth": smooth,
            "perspective": perspective })
}

fn contract_json(contract: &Contract) -> Value {
    let halves = |has: &dyn Fn(u16) -> bool| {
        (0..GPR_HALVES).filter(|half| has(*half)).map(halves::name).collect::<Vec<_>>()
    };
    let needs = |(half, offset): &(u16, u32)| json!({ "half": halves::name(*half), "offset": offset });
    json!({
        "needs": contract.needs.iter().map(needs).collect::<Vec<_>>(),
        "leaves": halves(&|half| contract.leaves(half)),
        "changes": halves(&|half| contract.changes(half)),
        "uniforms": contract.uniforms,
        "coefficients": contract.coefficients,
        "halves": contract.halves,
        "stack": contract.stack,
        "stops": contract.stops,
        "coverage": coverage(contract),
    })
}

fn held_json(held: &Held) -> Value {
    let Held { first, halves, name, set, binding, member, what } = held;
    let what = format!("{what:?}").to_lowercase();
    json!({ "first": first, "halves": halves, "what": what, "name": name, "set": set, "binding": binding,
            "member": member })
}

fn member_json(member: &Member) -> Value {
    let Member { set, binding, path, offset, scalar, bits, rows } = member;
    let rows: Vec<Value> =
        rows.iter().map(|(count, stride)| json!({ "count": count, "stride": stride })).collect();
    json!({ "set": set, "binding": binding, "path": path, "offset": offset,
            "scalar": format!("{scalar:?}").to_lowercase(), "bits": bits, "rows": rows })
}

fn words_json(words: &Words) -> Value {
    let Words { name, member, first, count } = words;
    json!({ "name": name, "member": member, "first": first, "count": count })
}

fn states_json(file: &File, samplers: bool) -> Value {
    let own = file.states.iter().filter(|state| state.is_sampler == samplers);
    own.map(|state| {
        let State { register, name, set, binding, .. } = state;
        let mut made = json!({ "register": register, "name": name, "set": set, "binding": binding });
        if !samplers {
            made["heap"] = json!(usize::from(*register) * TEXTURE_BYTES);
        }
        made
    })
    .collect()
}

fn launch_json(launch: &Launch) -> Value {
    let word = |(text, bytes): &(String, Vec<u8>)| json!({ "text": text, "bytes": hex(bytes) });
    let Counts { uniforms, textures, samplers, preamble, coefficients } = launch.counts;
    json!({
        "words": launch.words.iter().map(word).collect::<Vec<_>>(),
        "counts": { "uniforms": uniforms, "textures": textures, "samplers": samplers, "preamble": preamble,
            "coefficients": coefficients, "word": hex(&launch.counts_word.to_le_bytes()) },
        "output_select": launch.output_select.map(|word| hex(&word.to_le_bytes())),
        "fragment_control": launch.control.map(|word| hex(&word.to_le_bytes())),
    })
}

#[cfg(test)]
mod tests {
    use super::runs;

    /// The highest number has an end behind it.
    #[test]
    fn the_last_half_ends_a_run() {
        assert_eq!(runs('u', [u16::MAX - 1, u16::MAX].into_iter()), "u32767");
        assert_eq!(runs('u', [0, 1, 2, 5, u16::MAX].into_iter()), "u0l-u1l u2h u32767h");
    }
}
