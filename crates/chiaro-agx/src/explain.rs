//! What the bits of an instruction come to: which bytes its length leaves out, the halves that it reads
//! and writes, and its timing by both sources. The engine explains the fields.

use crate::isa::isa;
use crate::regs::{SPECIAL, file};
use chiaro_isa::{Inst, Length, Role, Value};
use std::fmt::Write as _;

/// Latency and cycles of an instruction of a SIMD-group, by Mesa's model (spec 11.1) and as measured
/// (spec 11.2): names, Mesa's numbers, the measured throughput and latency.
struct Timing {
    names: &'static [&'static str],
    mesa: Option<(u8, u8)>,
    measured: Option<(&'static str, &'static str)>,
}

const TIMINGS: &[Timing] = &[
    Timing {
        names: &["fmadd32", "fadd32", "fmul32", "fmadd16", "fadd16", "fmul16"],
        mesa: Some((2, 1)),
        measured: Some(("1", "2.2")),
    },
    Timing { names: &["mov_imm"], mesa: Some((1, 1)), measured: None },
    Timing { names: &["iadd", "isub"], mesa: Some((2, 1)), measured: Some(("1", "2.2")) },
    Timing {
        names: &["bitop", "and", "or", "xor", "nand", "nor", "xnor", "not", "mov"],
        mesa: Some((2, 1)),
        measured: Some(("1.06", "not known")),
    },
    Timing {
        names: &["icmpsel", "fcmpsel"],
        mesa: Some((2, 1)),
        measured: Some(("1", "2.2 of 16 bits, 4.7 of 32")),
    },
    Timing { names: &["get_sr"], mesa: Some((2, 2)), measured: None },
    Timing {
        names: &["imadd", "imsub"],
        mesa: Some((3, 2)),
        measured: Some(("4, 8 to 64 bits", "3.7 to 9.8")),
    },
    Timing {
        names: &["bfi", "bfeil", "extr", "asr"],
        mesa: Some((3, 2)),
        measured: Some(("4", "3.6 to 4.0")),
    },
    Timing { names: &["bitrev", "popcount", "intl"], mesa: None, measured: Some(("4", "3.6 to 4.0")) },
    Timing { names: &["convert", "rint"], mesa: None, measured: Some(("4", "3.7")) },
    Timing { names: &["floor", "sin_pt_1"], mesa: Some((3, 2)), measured: None },
    Timing { names: &["sin_pt_2"], mesa: Some((5, 2)), measured: None },
    Timing { names: &["log2", "exp2"], mesa: Some((5, 2)), measured: Some(("4", "4.3 to 4.6")) },
    Timing { names: &["rcp"], mesa: Some((5, 3)), measured: Some(("6", "6.5")) },
    Timing { names: &["rsqrt", "rsqrt_special"], mesa: Some((6, 4)), measured: Some(("8", "8.6 to 9.0")) },
    Timing { names: &["simd_shuffle"], mesa: Some((5, 2)), measured: Some(("2", "3.7")) },
    Timing { names: &["quad_shuffle"], mesa: Some((5, 2)), measured: Some(("2", "2.8")) },
    Timing {
        names: &["icmp_ballot", "fcmp_ballot"],
        mesa: Some((5, 2)),
        measured: Some(("2", "4.3 to 4.8")),
    },
    Timing { names: &["icmp_quad_ballot", "fcmp_quad_ballot"], mesa: Some((4, 2)), measured: None },
    Timing { names: &["simd_fadd"], mesa: Some((24, 24)), measured: Some(("14.5", "27.5")) },
    Timing { names: &["simd_iadd"], mesa: Some((24, 24)), measured: Some(("16.6", "32.6")) },
    Timing { names: &["quad_fadd"], mesa: Some((24, 24)), measured: Some(("6.0", "13.5")) },
    Timing { names: &["quad_iadd"], mesa: Some((24, 24)), measured: Some(("6.8", "16.2")) },
    Timing { names: &["simd_prefix_fadd"], mesa: Some((18, 18)), measured: Some(("11.6", "21.9")) },
    Timing { names: &["quad_prefix_fadd"], mesa: Some((18, 18)), measured: Some(("2.0", "5.1")) },
];

/// Takes the instruction at the start of some code apart; `None` if there is none.
pub fn explain(code: &[u8], generation: u8) -> Option<String> {
    let isa = isa(generation);
    let inst = isa.decode(code).ok()?;
    let mut text = isa.explain(&inst, &isa.cx()).to_string();
    for note in notes(&inst, generation) {
        let _ = writeln!(text, "  {note}");
    }
    Some(text)
}

/// What the operands come to, a sentence each.
fn notes(inst: &Inst, generation: u8) -> Vec<String> {
    let form = isa(generation).form(inst);
    let mut notes: Vec<String> = removed(inst, &form.format.length).into_iter().collect();
    notes.extend(halves(inst, generation, Role::Use, "reads"));
    notes.extend(halves(inst, generation, Role::Def, "writes"));
    notes.extend(special(inst, generation));
    notes.extend(timing(form.operation.name));
    notes
}

/// What the length leaves out.
fn removed(inst: &Inst, length: &Length) -> Option<String> {
    let Length::Marked { bit, short, long } = *length else { return None };
    Some(match inst.length == long {
        true => format!("bit {bit} is set: bytes {short} to {} are there", long - 1),
        false => format!("bit {bit} is clear: bytes {short} to {} are left out and read as zero", long - 1),
    })
}

/// The halves that operands of a role cover.
fn halves(inst: &Inst, generation: u8, role: Role, verb: &str) -> Option<String> {
    let isa = isa(generation);
    let values = isa.values(inst, &isa.cx());
    let fields = isa.form(inst).format.fields.iter().zip(values.as_slice());
    let covered =
        fields.filter(|(field, _)| field.role == role && !field.view).filter_map(|(field, value)| {
            let run = field.kind.covers((*value)?)?;
            let letter = if run.file == file::UNIFORM { "uniform half" } else { "half" };
            Some(match run.count {
                1 => format!("{letter} {} ({})", run.first, field.name),
                n => format!("{letter}s {} to {} ({})", run.first, run.first + n - 1, field.name),
            })
        });
    let all: Vec<String> = covered.collect();
    (!all.is_empty()).then(|| format!("{verb} {}", all.join(", ")))
}

fn special(inst: &Inst, generation: u8) -> Option<String> {
    let isa = isa(generation);
    let number = isa.value(inst, "SR", &isa.cx()).and_then(Value::int)?;
    let known = SPECIAL.iter().find(|(n, ..)| i64::from(*n) == number);
    Some(known.map_or("nobody knows what this register holds".to_owned(), |(.., what)| {
        format!("sr{number}: {what}")
    }))
}

/// Cycles between two of an instruction, measured, in tenths; `None` if nobody did.
pub(crate) fn measured(name: &str) -> Option<u32> {
    let timing = TIMINGS.iter().find(|t| t.names.contains(&name))?;
    let (cycles, _) = timing.measured?;
    let (whole, tenths) = cycles.split_once('.').unwrap_or((cycles, "0"));
    Some(10 * whole.parse::<u32>().ok()? + tenths.get(..1)?.parse::<u32>().ok()?)
}

/// Operations that Mesa's model leaves out, of the kind that the complex unit was measured to do.
pub(crate) fn is_complex(name: &str) -> bool {
    ["ceil", "trunc", "rint", "convert", "popcount", "bitrev", "ffs", "intl", "shlhi", "shrhi"]
        .contains(&name)
}

/// Both figures; where only one source has any, that is said.
fn timing(name: &str) -> Option<String> {
    let timing = TIMINGS.iter().find(|t| t.names.contains(&name))?;
    let mesa = match timing.mesa {
        Some((latency, cycles)) => format!("latency {latency}, every {cycles} cycles"),
        None => "nothing".to_owned(),
    };
    let measured = match timing.measured {
        Some((cycles, latency)) => format!("latency {latency}, every {cycles} cycles"),
        None => "nothing".to_owned(),
    };
    Some(format!("Mesa's model says {mesa}; measured [metal-benchmarks]: {measured}"))
}
