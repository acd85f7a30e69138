//! What a caller sees beside the module: values of specialisation constants, spans, the
//! interface, errors and warnings.

use chiaro_diag::SourceMap;
use chiaro_ir::Space;
use chiaro_ir::interface::Precision;
use chiaro_spirv::{Options, ReadError, Reading, SpecKey, SpecValue, read, words_of};

use SpecValue::{Bits, Number};

fn words(name: &str) -> Vec<u32> {
    let file = format!("{}/tests/api/{name}.spv", env!("CARGO_MANIFEST_DIR"));
    words_of(&std::fs::read(file).expect("a file")).expect("words")
}

fn options(specialize: &[(SpecKey, SpecValue)]) -> Options {
    Options { specialize: specialize.to_vec(), ..Options::default() }
}

fn specialised(specialize: &[(SpecKey, SpecValue)]) -> Reading {
    read(&words("specialised"), &options(specialize), &mut SourceMap::new()).expect("a module")
}

/// Workgroup size, and the text of the module.
fn outcome(specialize: &[(SpecKey, SpecValue)]) -> ([u32; 3], String) {
    let module = specialised(specialize).module;
    (module.entries[0].workgroup, chiaro_ir::print(&module))
}

#[test]
fn sizes_follow_from_specialisation_constants() {
    let (size, text) = outcome(&[]);
    assert_eq!(size, [4, 16, 1]);
    assert!(text.contains("array<f32, 16>"), "{text}");
    let (size, text) =
        outcome(&[(SpecKey::Id(7), Bits(3)), (SpecKey::Name("scale".into()), Bits(0x4000_0000))]);
    assert_eq!(size, [3, 9, 1]);
    assert!(text.contains("array<f32, 9>") && text.contains("store %0, 2.0"), "{text}");
    let (size, _) = outcome(&[(SpecKey::Id(7), Bits(5)), (SpecKey::Id(8), Bits(0))]);
    assert_eq!(size, [5, 1, 1]);
}

/// A part of a constant is replaced before the module is read: here one that a size follows from.
#[test]
fn parts_of_constants_are_replaced() {
    let read = |at: u32, of: u32| {
        let text = format!(
            "    OpCapability Shader
    OpMemoryModel Logical GLSL450
    OpEntryPoint GLCompute %main \"main\"
    OpExecutionMode %main LocalSize 1 1 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%uint2 = OpTypeVector %uint 2
%four = OpConstant %uint 4
%nine = OpConstant %uint 9
%both = OpConstantComposite %uint2 %four %four
%new = OpSpecConstantOp %uint2 CompositeInsert %nine %both {at}
%size = OpSpecConstantOp %uint CompositeExtract %new {of}
%array = OpTypeArray %uint %size
%pArray = OpTypePointer Private %array
%table = OpVariable %pArray Private
%main = OpFunction %void None %fn
%start = OpLabel
%p = OpLoad %array %table
    OpStore %table %p
    OpReturn
    OpFunctionEnd
"
        );
        let mut sources = SourceMap::new();
        let file = sources.add("insert.spvasm", text);
        let words = chiaro_spirv::text::parse(sources.text(file), file).expect("words");
        let read = read(&words, &Options::default(), &mut sources).map_err(|error| error.to_string());
        read.map(|reading| chiaro_ir::print(&reading.module))
    };
    for (at, of, size) in [(0, 0, 9), (0, 1, 4), (1, 0, 4), (1, 1, 9)] {
        let text = read(at, of).expect("a module");
        assert!(text.contains(&format!("array<i32, {size}>")), "{at}, {of}: {text}");
    }
    let told = read(2, 0).expect_err("there are two parts");
    assert!(told.contains("there is no such part"), "{told}");
}

#[test]
fn numbers_become_what_the_type_of_their_constant_has() {
    let by_bits = outcome(&[(SpecKey::Id(7), Bits(3)), (SpecKey::Name("scale".into()), Bits(0x4000_0000))]);
    let by_number = outcome(&[(SpecKey::Id(7), Number(3.0)), (SpecKey::Name("scale".into()), Number(2.0))]);
    assert_eq!(by_bits, by_number);
    for wrong in [1.5, 4_294_967_296.0, -3e9, f64::NAN] {
        let options = options(&[(SpecKey::Id(7), Number(wrong))]);
        let told = read(&words("specialised"), &options, &mut SourceMap::new()).expect_err("no such number");
        assert!(told.to_string().contains("cannot be"), "{wrong}: {told}");
    }
}

#[test]
fn the_table_of_specialisation_constants_tells_what_they_became() {
    let module = specialised(&[(SpecKey::Id(7), Bits(6))]).module;
    let table: Vec<(&str, Option<u32>, Option<u64>)> =
        module.specs.iter().map(|s| (s.name.as_str(), s.id, module.constants.bits(s.default))).collect();
    assert_eq!(
        table,
        [("count", Some(7), Some(6)), ("", Some(8), Some(1)), ("scale", Some(9), Some(0x3f00_0000))]
    );
}

#[test]
fn spans_tell_file_line_and_column_with_and_without_a_text() {
    let mut sources = SourceMap::new();
    let module = read(&words("lines"), &Options::default(), &mut sources).expect("a module").module;
    let f = &module.functions[0];
    let places: Vec<Option<(String, u32, u32)>> = (0..f.inst_count() as u32)
        .map(|i| {
            let at = sources.locate(f.inst(chiaro_ir::Inst(i)).span?);
            Some((at.file.to_owned(), at.start.line, at.start.column))
        })
        .collect();
    let known = Some(("known.comp".to_owned(), 2, 3));
    assert_eq!(places, [known, Some(("other.inc".to_owned(), 30, 5)), None, None]);
    let span = f.inst(chiaro_ir::Inst(0)).span.expect("a span");
    assert_eq!(sources.slice(span), "second line");
}

#[test]
fn the_interface_names_every_leaf() {
    let reading = read(&words("interface"), &Options::default(), &mut SourceMap::new()).expect("a module");
    let table = &reading.interface;
    let leaves: Vec<(&str, Option<u32>, Option<u32>)> =
        table.leaves.iter().map(|l| (l.name.as_str(), l.binding.location, l.binding.binding)).collect();
    assert_eq!(
        leaves,
        [
            ("scene.lights[0].position", None, Some(2)),
            ("scene.lights[0].power", None, Some(2)),
            ("scene.lights[1].position", None, Some(2)),
            ("scene.lights[1].power", None, Some(2)),
            ("scene.view", None, Some(2)),
            ("tex", None, Some(3)),
            ("color", Some(0), None),
            ("uv", Some(4), None),
        ]
    );
    assert_eq!(table.leaves[1].precision, Precision::Medium);
    assert_eq!(table.leaves[3].path, [0, 1, 1]);
    let spaces: Vec<Space> = reading.module.globals.iter().map(|g| g.space).collect();
    assert_eq!(spaces, [Space::Uniform, Space::UniformConstant, Space::Output, Space::Input]);
    assert!(reading.module.globals[3].binding.centroid && reading.module.globals[0].read_only);
}

/// The error of a module with one word changed; `at` is counted from the first instruction
/// with an opcode.
fn broken(name: &str, opcode: spirv::Op, word: usize, to: u32) -> ReadError {
    let mut words = words(name);
    let mut at = 5;
    while words[at] & 0xffff != opcode as u32 {
        at += (words[at] >> 16) as usize;
    }
    words[at + word] = if word == 0 { words[at] & 0xffff_0000 | to } else { to };
    read(&words, &Options::default(), &mut SourceMap::new()).expect_err("a broken module")
}

#[test]
fn errors_name_the_instruction_and_the_line() {
    let error = broken("lines", spirv::Op::IAdd, 3, 9999);
    assert_eq!(error.opcode, "OpIAdd");
    assert_eq!(error.line, Some(("other.inc".into(), 30)));
    assert!(error.what.contains("%9999"), "{error}");
    let error = broken("lines", spirv::Op::IAdd, 0, 64_000);
    assert_eq!((error.opcode.as_str(), error.what.as_str()), ("opcode 64000", "opcode 64000 is unknown"));
    let error = broken("lines", spirv::Op::IAdd, 0, spirv::Op::ImageSparseFetch as u32);
    assert_eq!(error.what, "sparse images are not supported");
}

#[test]
fn unknown_decorations_are_warned_of() {
    let mut words = words("interface");
    let mut at = 5;
    while words[at] & 0xffff != spirv::Op::Decorate as u32 {
        at += (words[at] >> 16) as usize;
    }
    words[at + 2] = 60_000;
    let reading = read(&words, &Options::default(), &mut SourceMap::new()).expect("a module");
    assert_eq!(reading.warnings.len(), 1);
    assert_eq!(reading.warnings[0].message, "decoration 60000 is unknown and ignored");
}
