//! The compiler against hand-written code: words, descriptors, and what the words compute.

use chiaro_diag::SourceMap;
use chiaro_opt::Cx;
use chiaro_pica200::check::check;
use chiaro_pica200::compile::{Compiled, Options, compile};
use chiaro_pica200::container::{ConstantValue, UniformRegister};
use chiaro_pica200::machine::{Config, Layout, Machine, Mode, Program};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// `compile_ref.jsonl`: compare with 1e-3 * max(1, |value|).
const TOLERANCE: f64 = 1e-3;
/// Words of all nine shaders together, and of two of them by name.
const TOTAL: usize = 102;
const LIMITS: [(&str, usize); 2] = [("select", 8), ("loop_lights", 14)];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/compile")
}

fn read(name: &str) -> String {
    std::fs::read_to_string(folder().join(name)).unwrap()
}

/// Compiles a WGSL source with every step verified.
fn compiled(text: &str) -> Compiled {
    let mut sources = SourceMap::new();
    let file = sources.add("shader.wgsl", text);
    let hub = chiaro_spirv::wgsl::read(text, file, &Default::default()).unwrap();
    let reading = chiaro_spirv::read(&hub.words, &Default::default(), &mut sources).unwrap();
    let mut cx = Cx { verify: true, ..Cx::default() };
    compile(&reading.module, &reading.interface, "main", &Options::default(), &mut cx)
        .unwrap_or_else(|e| panic!("{}", e.message))
}

fn machine(compiled: &Compiled, mode: Mode) -> Machine {
    let program = &compiled.shbin.program;
    let config = Config { mode, ..Config::default() };
    let mut machine =
        Arc::new(Program::load(&program.code, &program.descriptors, 0, &config).unwrap()).machine();
    for constant in &compiled.shbin.executables[0].constants {
        match (constant.target().unwrap(), constant.value().unwrap()) {
            (UniformRegister::Float(c), ConstantValue::Float(raw)) => machine.set_float24(c, raw),
            (UniformRegister::Int(i), ConstantValue::Int(bytes)) => machine.set_int(i, bytes),
            (UniformRegister::Bool(b), ConstantValue::Bool(set)) => machine.set_bool(b, set),
            other => panic!("{other:?}"),
        }
    }
    machine
}

fn vector(value: &Value) -> [f32; 4] {
    std::array::from_fn(|i| value[i].as_f64().unwrap_or(0.0) as f32)
}

#[test]
fn as_few_words_as_by_hand() {
    let mut total = 0;
    for row in read("compile_baseline.tsv").lines().filter(|l| !l.starts_with('#')) {
        let columns: Vec<&str> = row.split('\t').collect();
        let (name, words, descriptors) =
            (columns[0], columns[1].parse::<usize>().unwrap(), columns[2].parse::<usize>().unwrap());
        let compiled = compiled(&read(&format!("{name}.wgsl")));
        let found = compiled.statistics;
        let limit = LIMITS.iter().find(|l| l.0 == name).map_or(words, |l| l.1);
        println!(
            "{name}: {} words ({words}), {} descriptors ({descriptors})",
            found.words, found.descriptors
        );
        assert!(found.words <= limit, "{name}: {} words, {limit} by hand", found.words);
        assert!(found.descriptors <= descriptors + 2, "{name}: {} descriptors", found.descriptors);
        assert_eq!(check(&compiled.shbin), [], "{name}");
        total += found.words;
    }
    assert!(total <= TOTAL, "{total} words");
}

#[test]
fn the_words_compute_what_the_source_says() {
    let mut known: Vec<(String, Compiled)> = Vec::new();
    for row in read("compile_ref.jsonl").lines().filter(|l| !l.starts_with('#')) {
        let row: Value = serde_json::from_str(row).unwrap();
        let name = row["shader"].as_str().unwrap();
        if known.last().is_none_or(|k| k.0 != name) {
            known.push((name.to_owned(), compiled(&read(&format!("{name}.wgsl")))));
        }
        let compiled = &known.last().unwrap().1;
        for mode in [Mode::Emu32, Mode::Hw24] {
            check_row(name, compiled, mode, &row);
        }
    }
}

fn check_row(name: &str, compiled: &Compiled, mode: Mode, row: &Value) {
    let mut machine = machine(compiled, mode);
    let own: Vec<u16> =
        compiled.shbin.executables[0].constants.iter().filter(|c| c.kind == 2).map(|c| c.register).collect();
    for (register, value) in row["c"].as_object().unwrap() {
        let register: u8 = register.parse().unwrap();
        assert!(!own.contains(&register.into()), "{name}: c{register} is the program's");
        machine.set_float(register, vector(value));
    }
    let inputs: Vec<(u8, [f32; 4])> =
        row["v"].as_object().unwrap().iter().map(|(v, value)| (v.parse().unwrap(), vector(value))).collect();
    let expected = row["out"].as_array().unwrap();
    let layout =
        Layout { inputs: inputs.iter().map(|i| i.0).collect(), outputs: (0..expected.len() as u8).collect() };
    let vertex: Vec<[f32; 4]> = inputs.iter().map(|i| i.1).collect();
    let mut found = vec![[0.0f32; 4]; expected.len()];
    let report = machine.run(&layout, &vertex, &mut found).unwrap();
    assert_eq!(report.faults, 0, "{name}: {:?}", machine.faults());
    for (register, (expected, found)) in expected.iter().zip(&found).enumerate() {
        for (i, e) in expected.as_array().unwrap().iter().filter_map(Value::as_f64).enumerate() {
            let f = f64::from(found[i]);
            assert!(
                (e - f).abs() <= TOLERANCE * e.abs().max(1.0),
                "{name} in {mode:?}: component {i} of o{register} is {f}, not {e}"
            );
        }
    }
}
