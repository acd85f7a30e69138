//! Files: written, read, cut off.

use chiaro_a3xx::A3xx;
use chiaro_a3xx::container::packet::{self, From, LoadState, State};
use chiaro_a3xx::container::program::Program;
use chiaro_a3xx::container::{self, Kind, binary, rd};
use chiaro_diag::SourceMap;
use chiaro_glsl::source::{Options, Stage};
use chiaro_opt::Cx;
use chiaro_target::{CompileOptions, Shader, Target};

const WORDS: [u64; 5] =
    [0x2024_4004_0000_0001, 0x0000_0200_0000_0000, 0x4010_0005_2803_0004, 0x0300_0000_0000_0000, 0];

fn bytes(dwords: &[u32]) -> Vec<u8> {
    dwords.iter().flat_map(|d| d.to_le_bytes()).collect()
}

#[test]
fn raw_programs_come_back() {
    assert_eq!(container::words(&container::raw(&WORDS)).as_deref(), Ok(&WORDS[..]));
    let error = container::words(&[0; 12]).expect_err("four bytes are left");
    assert_eq!(error.to_string(), "at byte 0x8: 4 bytes are left behind the last word of 8");
    assert_eq!(container::kind(&container::raw(&WORDS)), Kind::Raw);
}

#[test]
fn packets_come_back() {
    let program = LoadState::program(6, &WORDS[..4]);
    let constants = LoadState::constants(4, 9, &[1, 2, 3]);
    let indirect = LoadState { from: From::Indirect(0x1000), payload: vec![], ..program.clone() };
    assert_eq!((program.units, constants.offset, constants.units), (1, 18, 2));
    assert_eq!(constants.state, State::Constants);
    let all = [program, constants, indirect];
    // A register write and a filler stand between them.
    let stream: Vec<u32> =
        all.iter().flat_map(|p| [vec![0x0000_2200, 7, 0x8000_0000], p.write()].concat()).collect();
    let stream = bytes(&stream);
    assert_eq!(packet::read(&stream).as_deref(), Ok(&all[..]));
    let cut = packet::read(&stream[..stream.len() - 4]).expect_err("it is cut off");
    assert!(cut.message.contains("runs past the end"), "{cut}");
}

#[test]
fn captures_are_read_and_cuts_have_a_place() {
    let mut file = bytes(&[1, 5]);
    file.extend(b"hello");
    file.extend(bytes(&[13, 4, 320]));
    let sections = rd::sections(&file).expect("two sections");
    assert_eq!(sections[0].text(), "hello");
    assert_eq!(sections[1].number(), Some(320));
    assert_eq!(container::kind(&file), Kind::Rd);
    for length in 1..file.len() {
        if length == 13 {
            continue;
        }
        let error = rd::sections(&file[..length]).expect_err("it is cut off");
        assert!(error.offset <= length, "{error}");
        // Once there is a whole section, nobody takes the rest for words.
        let kind = container::kind(&file[..length]);
        assert_eq!(kind, if length < 13 { Kind::Raw } else { Kind::Rd });
    }
    assert!(rd::sections(&bytes(&[99, 0])).is_err());
    let told = A3xx.disassemble(&file, &Default::default()).expect_err("nothing to list");
    assert_eq!(told.message, "the capture holds no program");
}

/// Whoever damages a compiled shader learns where, and what should be there.
#[test]
fn damaged_shaders_say_where() {
    let whole = String::from_utf8(Program::default().write()).expect("JSON");
    let told = |text: &str| Program::read(text.as_bytes()).expect_err("it is damaged").to_string();
    let other = whole.replacen("\"a3xx\": 1", "\"a3xx\": 2", 1);
    assert_eq!(told(&other), "at byte 0x4: `a3xx` of the compiled shader is wrong: version 1 is expected");
    let list = whole.replacen("\"inputs\": []", "\"inputs\": [7]", 1);
    let place = whole.find("\"inputs\"").expect("the field");
    let expected = "`inputs[0]` of the compiled shader is wrong: what chiaro writes there is expected";
    assert_eq!(told(&list), format!("at byte {place:#x}: {expected}"));
    for length in 1..whole.trim_end().len() {
        let error = Program::read(&whole.as_bytes()[..length]).expect_err("it is cut off");
        assert!(error.offset + 2 > length && error.offset <= length, "{length}: {error}");
    }
}

/// A binary of the first format with one attribute, one uniform and three programs.
fn first_format() -> Vec<u8> {
    let end = binary::END_OF_SECTION;
    let mut file = bytes(&[0, 0, 0, 5, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, end, end]);
    file.extend(bytes(&[0x8b52, 4, 0, 0, 0, 0, 0]));
    file.extend(b"a_pos\0");
    file.extend(bytes(&[end]));
    file.extend(bytes(&[0x8b5c, 0, 0, 0, 0, 0, 2, 0, 0, 0]));
    file.extend(b"u_mvp\0");
    file.extend(bytes(&[end]));
    for header in [152, 152, 200] {
        file.extend(vec![0; header]);
        file.extend(container::raw(&WORDS));
        file.extend(bytes(&[end]));
    }
    file
}

#[test]
fn binaries_of_the_first_format_are_read() {
    let file = first_format();
    assert_eq!(container::kind(&file), Kind::Binary);
    let binary = binary::read(&file).expect("whole");
    let names: Vec<_> = binary.variables.iter().map(|v| (v.kind, v.name.as_str(), v.place)).collect();
    assert_eq!(names, [("attribute", "a_pos", 4), ("uniform", "u_mvp", 2)]);
    let stages: Vec<_> = binary.stages.iter().map(|s| (s.name, s.words.as_slice())).collect();
    assert_eq!(stages, [("vertex", &WORDS[..]), ("binning", &WORDS[..]), ("fragment", &WORDS[..])]);
    for length in 0..file.len() {
        assert!(binary::read(&file[..length]).is_err(), "{length} bytes are taken for a binary");
    }
}

#[test]
fn binaries_of_the_second_format_are_read() {
    let mut file = vec![0; 0x118];
    file[..4].copy_from_slice(&binary::SECOND_FORMAT.to_le_bytes());
    file[0x94..0x98].copy_from_slice(&0x118u32.to_le_bytes());
    let mut info = vec![0u32; 10];
    info[6] = 2;
    info.extend([10, 80, 40, 5, 0]);
    info.extend([6, 120, 40, 1, 0]);
    file.extend(bytes(&info));
    file.extend(container::raw(&WORDS));
    file.extend(bytes(&[0x3f80_0000, 0, 0, 0, 36, 0, 0, 0, 0, 0]));
    assert_eq!(container::kind(&file), Kind::Binary2);
    let binary = binary::read(&file).expect("whole");
    assert_eq!(binary.stages[0].words, WORDS);
    assert_eq!(binary.stages[0].constants, [(36, vec![0x3f80_0000])]);
    let error = binary::read(&file[..file.len() - 1]).expect_err("it is cut off");
    assert!(error.message.contains("vertex"), "{error}");
}

/// The text in front of the words of a fragment shader.
fn head(body: &str) -> String {
    let mut sources = SourceMap::new();
    let file = sources.add("shader", format!("#version 450\n{body}"));
    let options = Options::new(Stage::Fragment);
    let (words, errors) = chiaro_glsl::compile(file, &mut sources, &options, &mut |_, _, _| None);
    let words = words.unwrap_or_else(|| panic!("{body}: {}", errors[0].message));
    let read = chiaro_spirv::read_module(&words, &Default::default(), &mut sources).expect("SPIR-V");
    let shader = Shader { module: &read.module, interface: &read.interface };
    let made = A3xx.compile(&[shader], &CompileOptions::default(), &sources, &mut Cx::default());
    String::from_utf8_lossy(&made.unwrap_or_else(|errors| panic!("{}", errors[0].message)).container)
        .into_owned()
}

#[test]
fn states_name_the_last_colour_and_every_flat_scalar() {
    let far = head("layout(location = 3) out vec4 o; void main() { o = vec4(1.0); }");
    assert!(far.contains("\"SP_FS_OUTPUT\": \"0x0000fc03\""), "{far}");
    let smooth: String = (0..15).map(|n| format!("layout(location = {n}) in vec4 v{n};\n")).collect();
    let flat: String =
        (0..4).map(|n| format!("layout(location = 15, component = {n}) flat in int f{n};\n")).collect();
    let sum: String = (0..15).map(|n| format!(" + v{n}")).collect();
    let all = head(&format!(
        "{smooth}{flat} layout(location = 0) out vec4 o; void main() {{ o = vec4(f0, f1, f2, f3){sum}; }}"
    ));
    assert!(all.contains("\"SP_FS_FLAT_SHAD_MODE[1]\": \"0xf0000000\""), "{all}");
}
