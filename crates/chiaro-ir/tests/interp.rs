//! What the IR means, by cases in `interp.txt`.
//!
//! A case without an entry point has a function `@f` from the number of a lane to a result:
//! it is run on the lanes of one workgroup, and the results are printed, one a lane. One with an
//! entry point is run as it is; its storage buffers and outputs are printed. Comments at the
//! beginning say how to run it:
//!
//! ```text
//! ; lanes 8                        invocations (4)
//! ; fuel 100                       ; subgroup 4
//! ; input NAME 1.0 2.0             a 32-bit word for each lane
//! ; buffer NAME 1 2 3              32-bit words
//! ```
//!
//! Every case is run with two fills of undefined values; results that differ are reported.

use chiaro_ir::interp::{
    Attributes, Emitted, FaultKind, Interpreter, NoImages, Printed, Report, float_value,
};
use chiaro_ir::{GlobalRef, Module, Space, Stage, Ty};
use std::fmt::Write;

use crate::cases::{run, sound};

#[test]
fn programs_mean_what_they_say() {
    run("interp.txt", |text| {
        let case = Case::parse(text);
        match sound(&case.text) {
            Ok(module) => case.both(&module),
            Err(error) => error,
        }
    });
}

/// How to run a module.
struct Case {
    text: String,
    lanes: usize,
    fuel: u64,
    subgroup: u32,
    inputs: Vec<(String, Vec<u32>)>,
    buffers: Vec<(String, Vec<u32>)>,
}

impl Case {
    fn parse(text: &str) -> Case {
        let mut case = Case {
            text: String::new(),
            lanes: 4,
            fuel: 1 << 20,
            subgroup: 32,
            inputs: Vec::new(),
            buffers: Vec::new(),
        };
        for line in text.lines().map_while(|line| line.strip_prefix("; ")) {
            let words: Vec<&str> = line.split_whitespace().collect();
            let named = || (words[1].to_owned(), words[2..].iter().map(|w| word(w)).collect());
            match words[0] {
                "lanes" => case.lanes = words[1].parse().unwrap(),
                "fuel" => case.fuel = words[1].parse().unwrap(),
                "subgroup" => case.subgroup = words[1].parse().unwrap(),
                "input" => case.inputs.push(named()),
                "buffer" => case.buffers.push(named()),
                _ => {}
            }
        }
        case.text = if text.contains("\nentry") { text.to_owned() } else { with_entry(text, case.lanes) };
        case
    }

    /// What comes out with two fills of undefined values.
    fn both(&self, module: &Module) -> String {
        let [zeros, ones] = [0, u64::MAX].map(|fill| self.run(module, fill));
        match zeros == ones {
            true => zeros,
            false => format!("undefined:\n{zeros}or\n{ones}"),
        }
    }

    fn run(&self, module: &Module, undef: u64) -> String {
        let entry = &module.entries[0];
        let mut interpreter = Interpreter::new(module, entry);
        interpreter.options.undef = undef;
        interpreter.options.fuel = self.fuel;
        interpreter.options.subgroup = self.subgroup;
        let storage: Vec<GlobalRef> = globals(module, Space::Storage).collect();
        for &global in &storage {
            let given = self.buffers.iter().find(|(name, _)| *name == module.global(global).name);
            let words = given.map_or_else(|| vec![0; 2 * self.lanes], |(_, words)| words.clone());
            let room =
                if given.is_some() { words.len() * 4 } else { self.result_bytes(module, &interpreter) };
            let mut bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
            bytes.resize(room, 0);
            interpreter.set(global, bytes);
        }
        let outcome = match entry.stage {
            Stage::Compute => interpreter.dispatch([1; 3], &mut NoImages).map(|r| (r, Attributes::new())),
            _ => interpreter.run(self.lanes, &self.attributes(module), &mut NoImages),
        };
        let mut out = String::new();
        for &global in &storage {
            let bytes = interpreter.bytes(global).unwrap_or_default();
            let _ = writeln!(out, "{}", shown(module, global, bytes));
        }
        match outcome {
            Ok((report, outputs)) => self.show(module, &report, &outputs, &mut out),
            Err(fault) => out.push_str(&format!("stopped: {fault}\n")),
        }
        out
    }

    /// Bytes for the results of all lanes.
    fn result_bytes(&self, module: &Module, interpreter: &Interpreter<'_>) -> usize {
        let results = module.functions.iter().find(|f| f.name == "f").map(|f| interpreter.size_of(f.result));
        results.unwrap_or(4) as usize * self.lanes
    }

    fn attributes(&self, module: &Module) -> Attributes {
        let named = |name: &str| globals(module, Space::Input).find(|&g| module.global(g).name == name);
        let bytes = |words: &[u32]| words.iter().map(|w| w.to_le_bytes().to_vec()).collect();
        self.inputs.iter().map(|(name, words)| (named(name).unwrap(), bytes(words))).collect()
    }

    fn show(&self, module: &Module, report: &Report, outputs: &Attributes, out: &mut String) {
        for global in globals(module, Space::Output) {
            let lanes = outputs.get(&global).map(|lanes| lanes.concat()).unwrap_or_default();
            let _ = writeln!(out, "{}", shown(module, global, &lanes));
        }
        for Emitted { lane, stream, ends, outputs } in &report.emitted {
            let values = globals(module, Space::Output).map(|g| (g, &outputs[g.0 as usize]));
            let what: String = match ends {
                true => " ends".to_owned(),
                false => values.map(|(g, bytes)| format!(" {}", shown(module, g, bytes))).collect(),
            };
            let _ = writeln!(out, "lane {lane} stream {stream}{what}");
        }
        for Printed { lane, text } in &report.printed {
            let _ = writeln!(out, "lane {lane} prints {text:?}");
        }
        let ended: String = (0..self.lanes)
            .filter(|&l| report.ended.get(l) == Some(&true))
            .map(|l| format!(" {l}"))
            .collect();
        if !ended.is_empty() {
            let _ = writeln!(out, "ended:{ended}");
        }
        for fault in &report.faults {
            let _ = writeln!(out, "fault: {fault}");
        }
    }
}

/// A module around a function `@f`, which every lane calls with its number.
fn with_entry(text: &str, lanes: usize) -> String {
    let head = text.lines().find(|line| line.starts_with("fn @f(")).unwrap_or_default();
    let result = head.rsplit_once("-> ").map_or("i32", |(_, ty)| ty.trim_end_matches([' ', '{']));
    format!(
        "{text}
struct Results {{ of: array<{result}, ?> at 0 }}
global @result: storage Results set(9) binding(9)
global @lane: input i32 builtin(29)
entry compute \"main\" = @main workgroup({lanes}, 1, 1) interface(@lane)
fn @main() {{
  %0: i32 = load @lane
  %1: {result} = call @f(%0)
  %2: ptr<storage, {result}> = access @result, 0, %0
  store %2, %1
  return
}}
"
    )
}

fn globals(module: &Module, space: Space) -> impl Iterator<Item = GlobalRef> + '_ {
    let all = module.globals.iter().enumerate();
    all.filter(move |(_, g)| g.space == space).map(|(i, _)| GlobalRef(i as u32))
}

/// The scalars of a variable, as its type reads them.
fn shown(module: &Module, global: GlobalRef, bytes: &[u8]) -> String {
    let mut ty: Ty = module.global(global).ty;
    while let Some(part) = module.types.part(ty, 0) {
        ty = part;
    }
    let width = module.types.bits(ty).unwrap_or(32);
    let mut out = format!("{}:", module.global(global).name);
    for scalar in bytes.chunks_exact(usize::from(width) / 8) {
        let mut whole = [0; 8];
        whole[..scalar.len()].copy_from_slice(scalar);
        let (bits, unused) = (u64::from_le_bytes(whole), 64 - u32::from(width));
        let _ = match module.types.is_float(ty) {
            true if width == 64 => write!(out, " {:?}", float_value(bits, width)),
            true => write!(out, " {:?}", float_value(bits, width) as f32),
            false => write!(out, " {}", (bits << unused) as i64 >> unused),
        };
    }
    out
}

/// A number of a directive: an integer, or a float if it has a point.
fn word(text: &str) -> u32 {
    match text.contains('.') {
        true => text.parse::<f32>().unwrap().to_bits(),
        false => text.parse::<i64>().unwrap() as u32,
    }
}

/// A shader that prints without end does not fill the host's memory: so many texts of a run are kept, the first ones.
#[test]
fn so_many_texts_are_kept_and_no_more() {
    let text = "text \"%d\"
global @lane: input i32 builtin(29)
entry compute \"main\" = @main workgroup(4, 1, 1) interface(@lane)
fn @main() {
  %0: i32 = load @lane
  print.0 %0
  print.0 -1
  return
}
";
    let module = sound(text).expect("a module");
    let run = |groups: u32, most: usize| {
        let mut interpreter = Interpreter::new(&module, &module.entries[0]);
        interpreter.options.prints = most;
        let report = interpreter.dispatch([groups, 1, 1], &mut NoImages).expect("a run");
        let lanes: Vec<u32> = report.printed.iter().map(|printed| printed.lane).collect();
        (lanes, report.unprinted)
    };
    assert_eq!(run(1, 6), (vec![0, 1, 2, 3, 0, 1], 2));
    assert_eq!(run(1, 3), (vec![0, 1, 2], 5));
    assert_eq!(run(3, 10), (vec![0, 1, 2, 3, 0, 1, 2, 3, 4, 5], 14));
    assert_eq!((run(2, 99).0.len(), run(2, 99).1), (16, 0));
}

/// Four lanes with 16 bytes each and 12 together, and 20 each while a function is open, whose room is free behind it.
const VARIABLES: &str = "global @own: private array<i32, 4>
global @all: workgroup array<i32, 3>
entry compute \"main\" = @main workgroup(4, 1, 1) interface(@own, @all)
fn @local(%0: i32) -> i32 {
  %1: ptr<function, array<i32, 5>> = var
  %2: ptr<function, i32> = access %1, %0
  store %2, %0
  %3: i32 = load %2
  return %3
}
fn @main() {
  %0: i32 = call @local(1)
  %1: i32 = call @local(%0)
  return
}
";

/// What fits to the last byte runs, one byte less is a fault that says how much is missing.
#[test]
fn variables_take_as_much_memory_as_is_allowed() {
    let module = sound(VARIABLES).expect("a module");
    let run = |most: usize| {
        let mut interpreter = Interpreter::new(&module, &module.entries[0]);
        interpreter.options.memory = most;
        interpreter.dispatch([1, 1, 1], &mut NoImages).map(drop).map_err(|fault| fault.kind)
    };
    let (own, all, local) = (4 * 16, 12, 4 * 20);
    assert_eq!(run(own + all + local), Ok(()));
    for (used, allowed) in [
        (own, own - 1),
        (own + all, own),
        (own + all, own + all - 1),
        (own + all + local, own + all),
        (own + all + local, own + all + local - 1),
    ] {
        assert_eq!(run(allowed), Err(FaultKind::Memory { used, allowed }));
    }
}
