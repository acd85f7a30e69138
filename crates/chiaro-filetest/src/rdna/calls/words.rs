//! Calls as words on the simulator: the callee's loop over pointers, and frames of the stack (spec 18.6, 18.7).

use std::fmt::Write;
use std::sync::Arc;

use chiaro_diag::SourceMap;
use chiaro_rdna::abi::convention::{Convention, SystemParameter};
use chiaro_rdna::abi::partition::File;
use chiaro_rdna::abi::place::{Hints, Placement, place};
use chiaro_rdna::abi::sequence::{Calling, Kind, unused};
use chiaro_rdna::abi::shipped;
use chiaro_rdna::abi::signature::Signature;
use chiaro_rdna::abi::stack::Frame;
use chiaro_rdna::asm::assemble;
use chiaro_rdna::container::Section;
use chiaro_rdna::machine::{Config, Group, Program};
use chiaro_sim::Lanes;
use chiaro_sim::mapped::Mapped;

/// Where the code stands.
const BASE: u64 = 0x8_0000_0000;
/// Instructions of a call that ends.
const FUEL: u64 = 100_000;
/// What stands in registers that nobody wrote.
const NOISE: u32 = 0xdead_beef;

/// Where callees find the addresses of those that they call at their end.
const HANDLES: u16 = 30;

/// A program of one wave under a convention, from its text.
struct Built {
    code: Vec<u8>,
    symbols: Vec<(String, u32)>,
    placement: Placement,
    wave: u8,
}

impl Built {
    /// Assembles what `text` makes of the convention's places.
    fn new(wave: u8, text: impl FnOnce(&Convention, &Placement) -> Option<String>) -> Result<Built, String> {
        let convention = shipped::convention("rt_recursive").ok_or("there is no such convention")?;
        let placement = place(&convention, &Signature::default(), wave, &Hints::default());
        let placement = placement.map_err(|why| format!("no places: {why:?}"))?;
        let text = text(&convention, &placement).ok_or("the convention lacks a register")?;
        let mut sources = SourceMap::new();
        let file = sources.add("call.s", text.as_str());
        let object =
            assemble(&text, file, Some(wave)).map_err(|errors| format!("{}: {text}", errors[0].message))?;
        let named = object.symbols.iter().filter(|symbol| symbol.section == Section::Text);
        let symbols = named.map(|symbol| (symbol.name.clone(), symbol.value as u32)).collect();
        Ok(Built { code: object.text, symbols, placement, wave })
    }

    fn offset(&self, label: &str) -> Result<u32, String> {
        let found = self.symbols.iter().find(|(name, _)| name == label);
        found.map(|(_, offset)| *offset).ok_or_else(|| format!("there is no label `{label}`"))
    }

    /// The address of a label as the program sees it.
    fn address(&self, label: &str) -> Result<u64, String> {
        Ok(BASE + u64::from(self.offset(label)?))
    }

    fn register(&self, parameter: SystemParameter) -> Result<u16, String> {
        self.placement.system(parameter).ok_or_else(|| format!("no `{}`", parameter.name()))
    }

    /// A group of one wave, to be filled and run.
    fn group(&self, bytes_of_lane: usize) -> Group {
        let config = Config { fuel: FUEL, poison: NOISE, ..Config::default() };
        let program = Arc::new(Program::new(&self.code, self.wave));
        let mut group = Group::new(&program, &config, 1, 0, bytes_of_lane);
        group.set_code_base(BASE);
        group
    }
}

fn ran(group: &mut Group) -> Result<(), String> {
    let outcome = group.run(&mut Mapped::default());
    outcome.faults.first().map_or(Ok(()), |fault| Err(fault.to_string()))
}

/// A function that may be called by lanes, and what it calls at its end: the function's number, for which lanes.
pub(super) struct Callee {
    pub(super) tail: Option<(usize, u64)>,
}

/// Runs a divergent call: `whom` is the callee's number by lane, `None` for a pointer of 0. The order in which callees
/// run, each with its lanes; and whether the wave came back with its lanes.
///
/// The callees stand side by side, wherever a row has them: of their addresses nothing matters but which are equal.
pub(super) fn dispatch(
    wave: u8,
    exec: u64,
    whom: &[Option<usize>],
    callees: &[Callee],
) -> Result<Vec<(usize, u64)>, String> {
    let built = Built::new(wave, |convention, placement| program(convention, placement, wave, callees))?;
    let mut group = built.group(0);
    let first = built.register(SystemParameter::DivergentPc)?;
    let of_lane = |lane: usize| match whom.get(lane).copied().flatten() {
        Some(number) => built.address(&format!("f{number}")),
        None => Ok(0),
    };
    let pointers: Vec<u64> = (0..64).map(of_lane).collect::<Result<_, _>>()?;
    for half in 0..2 {
        let dword = |lane: usize| (pointers[lane] >> (32 * half)) as u32;
        let lanes = |from: usize| Lanes(std::array::from_fn(|lane| dword(from + lane)));
        group.waves[0].set_vector(first + half, &[lanes(0), lanes(32)]);
    }
    for number in 0..callees.len() {
        let address = built.address(&format!("f{number}"))?;
        for half in 0..2 {
            let register = HANDLES + 2 * number as u16 + half;
            group.waves[0].set_scalar(register, (address >> (32 * half)) as u32);
        }
    }
    group.waves[0].set_exec(exec);
    group.waves[0].keep_trace(FUEL as usize);
    ran(&mut group)?;
    let bodies: Vec<u32> =
        (0..callees.len()).map(|n| built.offset(&format!("body{n}"))).collect::<Result<_, _>>()?;
    let steps = group.waves[0].trace().iter();
    let body = |offset: u32| bodies.iter().position(|body| *body == offset);
    let order: Vec<(usize, u64)> =
        steps.filter_map(|step| Some((body(step.offset)?, lanes(step.exec, wave)))).collect();
    let after = lanes(group.waves[0].exec(), wave);
    if after != exec {
        return Err(format!("the call came back with the lanes {after:x}, not {exec:x}"));
    }
    Ok(order)
}

fn lanes([low, high]: [u32; 2], wave: u8) -> u64 {
    u64::from(low) | if wave == 64 { u64::from(high) << 32 } else { 0 }
}

/// The caller at the start, each callee as `fN` with its body at `bodyN`.
fn program(convention: &Convention, placement: &Placement, wave: u8, callees: &[Callee]) -> Option<String> {
    let calling = Calling { placement, wave };
    let saved = unused(convention, placement, File::Sgpr, u16::from(wave / 32))?;
    let mut text = String::new();
    let lines = |text: &mut String, lines: Vec<String>| {
        lines.iter().for_each(|line| {
            let _ = writeln!(text, "{line}");
        });
    };
    lines(&mut text, calling.call(Kind::Divergent, "", 0)?);
    let _ = writeln!(text, "s_endpgm");
    for (number, callee) in callees.iter().enumerate() {
        let _ = writeln!(text, "f{number}:");
        lines(&mut text, calling.enter(saved)?);
        let _ = writeln!(text, "body{number}:\ns_nop 0");
        lines(&mut text, calling.finish()?);
        if let Some((other, mask)) = callee.tail {
            lines(&mut text, tail(&calling, other, mask)?);
        }
        lines(&mut text, calling.leave(saved, &format!("done{number}"))?);
    }
    Some(text)
}

/// Some of the lanes that ran want another function next.
fn tail(calling: &Calling<'_>, other: usize, mask: u64) -> Option<Vec<String>> {
    let first = calling.placement.system(SystemParameter::DivergentPc)?;
    let from = HANDLES + 2 * other as u16;
    let mut lines = vec![format!("s_and_b32 exec_lo, exec_lo, {:#x}", mask as u32)];
    if calling.wave == 64 {
        lines.push(format!("s_and_b32 exec_hi, exec_hi, {:#x}", (mask >> 32) as u32));
    }
    lines.extend([
        format!("v_mov_b32_e32 v{first}, s{from}"),
        format!("v_mov_b32_e32 v{}, s{}", first + 1, from + 1),
    ]);
    Some(lines)
}

/// A frame of a chain of calls: what the caller stores at an offset of its own, by lane.
#[derive(Clone, Copy)]
pub(super) struct Link {
    pub(super) frame: Frame,
    pub(super) probe: u32,
}

/// What a chain of calls left behind.
pub(super) struct Left {
    /// The wave's block.
    pub(super) scratch: Vec<u8>,
    /// The stack pointer in each function, the last one's callee included.
    pub(super) stack_pointers: Vec<u32>,
    /// What each callee found in its first stack parameter, by the call; `None` without one.
    pub(super) parameters: Vec<Option<u32>>,
}

/// What the function of a number stores at its probe in a lane; and to its callee's stack parameter.
pub(super) fn mark(number: usize, lane: u32) -> u32 {
    (number as u32 + 1) << 8 | lane
}

/// What it hands to its callee.
pub(super) fn argument(number: usize) -> u32 {
    0xa000 + number as u32
}

/// Where the test's own values stand: no parameter does.
const RETURNS: u16 = 20;
const POINTERS: u16 = 60;
const FOUND: u16 = 40;
const TEMPORARY: u16 = 96;
/// The vector registers with marks, arguments and addresses.
const MARK: u16 = 10;

/// Runs a chain of calls, each function with its frame.
pub(super) fn chain(wave: u8, links: &[Link], bytes_of_lane: usize) -> Result<Left, String> {
    let built = Built::new(wave, |_, placement| frames(placement, wave, links))?;
    let mut group = built.group(bytes_of_lane);
    let stack_pointer = built.register(SystemParameter::StackPointer)?;
    group.waves[0].set_scalar(stack_pointer, 0);
    let lanes = |from: u32| Lanes(std::array::from_fn(|lane| from + lane as u32));
    group.waves[0].set_vector(0, &[lanes(0), lanes(32)]);
    group.waves[0].set_exec(if wave == 64 { u64::MAX } else { u32::MAX.into() });
    ran(&mut group)?;
    let wave = &group.waves[0];
    if wave.scalar(stack_pointer) != 0 {
        return Err(format!("the stack pointer came back as {}", wave.scalar(stack_pointer)));
    }
    let found = |n: usize| (links[n].frame.parameters > 0).then(|| wave.vector(FOUND + n as u16, 0));
    Ok(Left {
        scratch: wave.scratch().to_vec(),
        stack_pointers: (0..=links.len()).map(|n| wave.scalar(POINTERS + n as u16)).collect(),
        parameters: (0..links.len()).map(found).collect(),
    })
}

/// The functions `f0`, which is the kernel, to the one that the last of them calls.
fn frames(placement: &Placement, wave: u8, links: &[Link]) -> Option<String> {
    let calling = Calling { placement, wave };
    let pointer = placement.system(SystemParameter::StackPointer)?;
    let back = placement.system(SystemParameter::ReturnAddress)?;
    let mut text = String::new();
    for number in 0..=links.len() {
        let kept = RETURNS + 2 * number as u16;
        let _ = writeln!(text, "f{number}:\ns_mov_b32 s{}, s{pointer}", POINTERS + number as u16);
        let _ = writeln!(text, "s_mov_b64 s[{kept}:{}], s[{back}:{}]", kept + 1, back + 1);
        if let Some(caller) = number.checked_sub(1).filter(|n| links[*n].frame.parameters > 0) {
            let at = links[caller].frame.parameter(0);
            access(&mut text, "load", pointer, at, FOUND + caller as u16);
        }
        if let Some(link) = links.get(number) {
            let _ = writeln!(text, "v_add_nc_u32_e32 v{MARK}, {:#x}, v0", mark(number, 0));
            access(&mut text, "store", pointer, link.probe.into(), MARK);
            if link.frame.parameters > 0 {
                let _ = writeln!(text, "v_mov_b32_e32 v{}, {:#x}", MARK + 1, argument(number));
                access(&mut text, "store", pointer, link.frame.argument(0, 0).into(), MARK + 1);
            }
            let bytes = link.frame.callee(0);
            for line in calling.call(Kind::Near, &format!("f{}", number + 1), bytes)? {
                let _ = writeln!(text, "{line}");
            }
        }
        let _ = writeln!(text, "s_waitcnt vmcnt(0)");
        let _ = match number {
            0 => writeln!(text, "s_endpgm"),
            _ => writeln!(text, "s_setpc_b64 s[{kept}:{}]", kept + 1),
        };
    }
    Some(text)
}

/// A dword at the stack pointer plus bytes, which may be beyond what an offset holds.
fn access(text: &mut String, what: &str, pointer: u16, bytes: i64, register: u16) {
    let (base, offset) = if (-2048..2048).contains(&bytes) {
        (pointer, bytes)
    } else {
        let _ = writeln!(text, "s_add_u32 s{TEMPORARY}, s{pointer}, {bytes}");
        (TEMPORARY, 0)
    };
    let _ = match what {
        "load" => writeln!(text, "scratch_load_dword v{register}, off, s{base} offset:{offset}"),
        _ => writeln!(text, "scratch_store_dword off, v{register}, s{base} offset:{offset}"),
    };
}
