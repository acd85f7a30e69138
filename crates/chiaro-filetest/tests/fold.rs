//! Functions of GLSL at their borders: folded by the front end, folded by the IR's passes, and computed at run
//! time, all three give the same bits. `fold.tsv` says which functions, and with what operands.

use std::collections::BTreeMap;
use std::fmt::Write;

use chiaro::{GlslOptions, LoadedModule, ModuleOptions, load_glsl};
use chiaro_diag::SourceMap;
use chiaro_glsl::source::Stage;
use chiaro_ir::Module;
use chiaro_ir::interp::{Interpreter, NoImages};
use chiaro_opt::{Cx, optimize};

/// Words where floats change: zeros, ones, the smallest and the largest, infinities, NaN, the last with a half.
const FLOATS: [u32; 17] = [
    0,
    0x8000_0000,
    0x3f80_0000,
    0xbf80_0000,
    0x3f00_0000,
    0x0000_0001,
    0x0080_0000,
    0x7f7f_ffff,
    0xff7f_ffff,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_0000,
    0x4b00_0001,
    0x4020_0000,
    0xc020_0000,
    0x3eaa_aaab,
    0x40c9_0fdb,
];
/// Words where integers change.
const INTEGERS: [u32; 10] = [0, 1, 2, 7, 31, 32, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 0x0001_0000];

/// A row of the table: an expression of `$a`, `$b` and `$c`, and the types of those.
struct Row {
    expression: &'static str,
    result: &'static str,
    operands: Vec<&'static str>,
}

fn rows() -> Vec<Row> {
    let lines = include_str!("fold.tsv").lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    let row = |line: &'static str| match line.split('\t').collect::<Vec<_>>()[..] {
        [expression, result, operands] => Row { expression, result, operands: operands.split(' ').collect() },
        _ => panic!("{line}"),
    };
    lines.map(row).collect()
}

/// Scalars of a type.
fn size(ty: &str) -> usize {
    ty.bytes().last().filter(u8::is_ascii_digit).map_or(1, |n| {
        let n = usize::from(n - b'0');
        if ty.starts_with("mat") { n * n } else { n }
    })
}

/// A value of a type out of words, each of them named by `word`.
fn value(ty: &str, words: &[String]) -> String {
    let (scalar, of) = match ty.as_bytes()[0] {
        b'i' => ("int", "int({})"),
        b'u' => ("uint", "{}"),
        b'b' => ("bool", "({} != 0u)"),
        _ => ("float", "uintBitsToFloat({})"),
    };
    let parts: Vec<String> = words.iter().map(|word| of.replace("{}", word)).collect();
    if ty == scalar { parts[0].clone() } else { format!("{ty}({})", parts.join(", ")) }
}

/// Each scalar of a result as a word.
fn words_of(ty: &str, name: &str) -> Vec<String> {
    let scalar = |part: String| match ty.as_bytes()[0] {
        b'i' => format!("uint({part})"),
        b'u' => part,
        b'b' => format!("({part} ? 1u : 0u)"),
        _ => format!("floatBitsToUint({part})"),
    };
    let n = size(ty);
    match ty {
        _ if n == 1 => vec![scalar(name.into())],
        ty if ty.starts_with("mat") => {
            let rows = n.isqrt();
            (0..n).map(|i| scalar(format!("{name}[{}][{}]", i / rows, i % rows))).collect()
        }
        _ => (0..n).map(|i| scalar(format!("{name}[{i}]"))).collect(),
    }
}

/// What operands of the case are, all scalars one after another.
fn case(row: &Row, n: usize) -> Vec<u32> {
    let mut words = Vec::new();
    for (k, ty) in row.operands.iter().enumerate() {
        let of: &[u32] = if matches!(ty.as_bytes()[0], b'i' | b'u' | b'b') { &INTEGERS } else { &FLOATS };
        // Each operand goes through its words at a pace of its own.
        let pace = [1, of.len(), of.len() * of.len()][k.min(2)];
        words.extend((0..size(ty)).map(|part| of[(n / pace + part * 3) % of.len()]));
    }
    words
}

/// Cases of a row: every pair of the first two operands.
fn count(row: &Row) -> usize {
    let many = |ty: &&str| {
        if matches!(ty.as_bytes()[0], b'i' | b'u' | b'b') { INTEGERS.len() } else { FLOATS.len() }
    };
    row.operands.iter().take(2).map(many).product()
}

/// A shader that computes the cases of a row in three ways each, one result behind the other.
fn shader(row: &Row, cases: &[Vec<u32>]) -> String {
    let mut text = String::from(
        "#version 460\nlayout(local_size_x = 1) in;\nlayout(set = 0, binding = 0) readonly buffer In { uint i[]; };\n\
         layout(set = 0, binding = 1) writeonly buffer Out { uint o[]; };\nvoid main() {\n",
    );
    let (mut at, mut from) = (0, 0);
    for (n, words) in cases.iter().enumerate() {
        let constant: Vec<String> = words.iter().map(|word| format!("0x{word:x}u")).collect();
        let read: Vec<String> = (0..words.len()).map(|k| format!("i[{}]", from + k)).collect();
        from += words.len();
        for (kind, names) in [("const", &constant), ("", &constant), ("", &read)]
            .iter()
            .enumerate()
            .map(|(k, (kind, names))| ((k, kind), names))
        {
            let ((way, kind), mut first) = (kind, 0);
            let mut expression = row.expression.to_owned();
            let mut declared = String::new();
            for (k, ty) in row.operands.iter().enumerate() {
                let given = value(ty, &names[first..first + size(ty)]);
                first += size(ty);
                let name = format!("{}_{n}_{way}", (b'a' + k as u8) as char);
                let _ = write!(declared, "{kind} {ty} {name} = {given}; ");
                expression = expression.replace(&format!("${}", (b'a' + k as u8) as char), &name);
            }
            let _ = write!(text, "  {{ {declared}{kind} {} r = {expression}; ", row.result);
            for word in words_of(row.result, "r") {
                let _ = write!(text, "o[{at}] = {word}; ");
                at += 1;
            }
            text += "}\n";
        }
    }
    text + "}\n"
}

fn load(text: &str) -> Result<LoadedModule, String> {
    let mut sources = SourceMap::new();
    let file = sources.add("fold.comp", text);
    let (glsl, options) = (GlslOptions::default(), ModuleOptions::default());
    let loaded = load_glsl(&[(file, Stage::Compute)], &glsl, &options, &mut sources, &mut |_, _, _| None);
    let loaded = loaded.map_err(|errors| format!("{}\n{text:.2000}", errors[0].message))?;
    loaded.into_iter().next().ok_or_else(|| "nothing was made".to_owned())
}

/// The words that a module stores.
fn stored(module: &Module, given: &[u32], count: usize) -> Result<Vec<u32>, String> {
    let mut run = Interpreter::new(module, &module.entries[0]);
    let bytes = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
    let (Some(output), input) = (run.bound(0, 1), run.bound(0, 0)) else { return Err("no buffer".into()) };
    input.into_iter().for_each(|input| run.set(input, bytes(given)));
    run.set(output, vec![0; count * 4]);
    run.dispatch([1, 1, 1], &mut NoImages).map_err(|fault| fault.to_string())?;
    let found = run.bytes(output).unwrap_or_default();
    Ok(found.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect())
}

/// Whether two words say the same: any NaN is as good as any other in a float.
fn is_same(row: &Row, a: u32, b: u32) -> bool {
    let is_float = !matches!(row.result.as_bytes()[0], b'i' | b'u' | b'b');
    a == b || is_float && f32::from_bits(a).is_nan() && f32::from_bits(b).is_nan()
}

/// What differs in a row's cases.
fn differences(row: &Row) -> Result<Vec<String>, String> {
    let cases: Vec<Vec<u32>> = (0..count(row)).map(|n| case(row, n)).collect();
    let module = load(&shader(row, &cases))?.module;
    let mut folded = module.clone();
    let _ = optimize(&mut folded, "main", &mut Cx::default());
    let (given, n) = (cases.concat(), size(row.result));
    let length = cases.len() * 3 * n;
    let (plain, folded) = (stored(&module, &given, length)?, stored(&folded, &given, length)?);
    let mut found = Vec::new();
    for (k, case) in cases.iter().enumerate() {
        for part in 0..n {
            let at = |words: &[u32], way: usize| words[(3 * k + way) * n + part];
            let right = at(&plain, 2);
            let ways =
                [("front end", at(&plain, 0)), ("passes", at(&folded, 1)), ("optimised", at(&folded, 2))];
            for (who, word) in ways.into_iter().filter(|&(_, word)| !is_same(row, right, word)) {
                found.push(format!(
                    "{} of {case:08x?}: {who} {word:08x}, run time {right:08x}",
                    row.expression
                ));
            }
        }
    }
    Ok(found)
}

#[test]
fn folding_is_what_runs() {
    let mut wrong: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for row in rows() {
        match differences(&row) {
            Ok(found) if found.is_empty() => {}
            Ok(found) => wrong.entry(row.expression).or_default().extend(found),
            Err(error) => wrong.entry(row.expression).or_default().push(error),
        }
    }
    let some = |(name, all): (&&str, &Vec<String>)| {
        format!("{name}: {}\n  {}", all.len(), all[..all.len().min(4)].join("\n  "))
    };
    let all: Vec<String> = wrong.iter().map(some).collect();
    assert!(all.is_empty(), "{}", all.join("\n"));
}
