//! The checker, by data: `check/*.txt` hold small programs and what is found in them.
//!
//! A case is a name line `== name`, a program, `--`, and the findings. A program is one
//! instruction a line in the plain dialect, where labels (`name:`) may stand for word numbers;
//! directives describe the executable. `CHIARO_BLESS=1` rewrites the findings.

use chiaro_isa::finding::{Finding, Severity};
use chiaro_isa::{Cx, Word};
use chiaro_pica200::check::{RULES, check, check_words, errors};
use chiaro_pica200::container::outmap::PROPERTIES;
use chiaro_pica200::container::{
    Constant, Dvle, Dvlp, Label, Layout, Output, Shbin, Stage, Uniform, UniformRegister,
};
use chiaro_pica200::isa::{PICA200, descriptor_bits, halves};
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use crate::samples;

#[test]
fn cases_have_their_findings() {
    let bless = std::env::var_os("CHIARO_BLESS").is_some();
    for path in case_files() {
        let text = std::fs::read_to_string(&path).expect("case file");
        let blessed: String = cases(&text).iter().map(|case| case.with(&case.findings())).collect();
        let head: String =
            text.lines().take_while(|l| l.starts_with(';')).map(|l| format!("{l}\n")).collect();
        if bless {
            std::fs::write(&path, format!("{head}\n{blessed}")).expect("write cases");
            continue;
        }
        for case in cases(&text) {
            assert_eq!(case.findings(), case.expected, "{}: {}", path.display(), case.name);
        }
    }
}

/// The quick check leaves out what is milder, and nothing else.
#[test]
fn errors_are_those_of_the_whole_check() {
    for path in case_files() {
        let text = std::fs::read_to_string(&path).expect("case file");
        for case in cases(&text) {
            let file = assemble(case.name, &case.program);
            let mut whole = check(&file);
            whole.retain(|finding| finding.rule.severity == Severity::Error);
            assert_eq!(errors(&file), whole, "{}: {}", path.display(), case.name);
        }
    }
}

#[test]
fn every_rule_has_a_case() {
    let all: String = case_files().iter().map(|path| std::fs::read_to_string(path).expect("cases")).collect();
    let told: BTreeSet<&str> = all.lines().filter_map(|line| line.split([' ', ':']).nth(1)).collect();
    // Which no small program is.
    let missing = RULES.iter().map(|rule| rule.id).filter(|id| !told.contains(id) && *id != "too-complex");
    assert_eq!(missing.collect::<Vec<_>>(), Vec::<&str>::new());
}

#[test]
fn rules_are_told_apart() {
    let ids: BTreeSet<&str> = RULES.iter().map(|rule| rule.id).collect();
    assert_eq!(ids.len(), RULES.len());
    for rule in RULES {
        assert!(
            rule.text.ends_with('.') && !rule.advice.is_empty() && !rule.source.is_empty(),
            "{}",
            rule.id
        );
    }
}

/// What is found in programs that people wrote, and why it is right.
#[test]
fn programs_raise_no_false_alarm() {
    let right: HashMap<&str, &[&str]> = HashMap::from([
        // Outputs o0, o2 and o4 are named in the source, so there are gaps.
        ("outputs_packed", &["output-gap"][..]),
        // Eleven outputs; the mask of the last one is not given, but only xy is written.
        ("outputs_dummy", &["output-high", "generic-unwritten"]),
        // The same source as nested_padding, without the NOPs that it needs.
        ("nested_no_nop", &["blocks-end-together"]),
        // These read registers that they never write.
        ("loop_breaks", &["read-unwritten"]),
        ("address_registers", &["read-unwritten"]),
        ("inverted_forms", &["read-unwritten"]),
        ("toon_particles", &["read-unwritten"]),
        ("nihcode_swizzles", &["read-unwritten"]),
        ("nihcode_flow", &["read-unwritten"]),
        ("nihcode_mad", &["read-unwritten"]),
        // Tests of the assembler without outputs.
        ("descriptor_full", &["no-outputs"]),
        ("geometry_subdivision_name", &["no-outputs"]),
        ("int_spellings", &["no-outputs"]),
        ("size_512", &["no-outputs"]),
        // A procedure of 300 words, of which the hardware runs 44.
        ("long_proc", &["num-range", "unreachable", "no-outputs", "read-unwritten"]),
        // Upper-case letters lose their bank: r1 is read and o3 is written by mistake.
        ("register_case", &["read-unwritten", "output-unmapped", "output-unwritten"]),
        // nihstro's wrong entry point.
        ("nihcode_entry_second", &["entry-outside"]),
    ]);
    for (name, _, bytes) in samples::samples() {
        let found = check(&Shbin::read(&bytes).expect("sample is sound"));
        let ids: BTreeSet<&str> = found.iter().map(|finding| finding.rule.id).collect();
        let expected = right.get(&*name).map(|ids| ids.iter().copied().collect()).unwrap_or_default();
        assert_eq!(ids, expected, "{name}: {found:#?}");
    }
}

#[test]
fn bare_words_are_checked_without_outputs() {
    let found = check_words(&[0x4c00_0000, 0x4c00_0000, 0x8800_0000], &[[0x36f, 0]], 0, Stage::Vertex);
    let ids = |found: &[Finding]| found.iter().map(|finding| finding.rule.id).collect::<Vec<_>>();
    assert_eq!(ids(&found), ["output-rewritten"]);
    let unknown = check_words(&[0xfc00_0000, 0x8800_0000], &[], 0, Stage::Vertex);
    assert_eq!(ids(&unknown), ["descriptor-missing"]);
}

/// Executables may share all code, and each is followed: up to 128 of them.
#[test]
fn the_work_for_all_executables_is_bounded() {
    let found = |executables: usize| {
        let more = vec![[".new", ".out position 0 15"]; executables - 1].concat();
        let program = [vec![".out position 0 15", "mov o0, v0", "end"], more].concat();
        check(&assemble("executables", &program))
    };
    assert_eq!(found(128), []);
    let ids: Vec<&str> = found(129).iter().map(|finding| finding.rule.id).collect();
    assert_eq!(ids, ["too-complex"]);
}

/// Damaged files that can still be read must be checked without a panic and in bounded time.
#[test]
fn damaged_files_are_checked() {
    let mut random = samples::Random(0xc4ec);
    let samples = samples::samples();
    for _ in 0..3000 {
        let (_, _, bytes) = &samples[random.below(samples.len())];
        let mut bytes = bytes.clone();
        for _ in 0..1 + random.below(8) {
            let at = random.below(bytes.len());
            bytes[at] = random.below(256) as u8;
        }
        if let Ok(file) = Shbin::read(&bytes) {
            let _ = check(&file);
        }
    }
}

/// Calls are followed into each other as far as is needed to report them, however many there are.
#[test]
fn chains_of_calls_are_checked() {
    // CALL, with the word that it goes to and two words there, and NOP; each two are a procedure.
    let two = |n: u32| [0x24 << 26 | (2 * n + 3) << 10 | 2, 0x21 << 26];
    let code: Vec<u32> = two(0).into_iter().chain([0x22 << 26]).chain((1..1800).flat_map(two)).collect();
    let found = check_words(&code, &[[0x36f, 0]], 0, Stage::Geometry);
    let depth: Vec<&str> =
        found.iter().filter(|f| f.rule.id == "call-depth").map(|f| f.message.as_str()).collect();
    assert_eq!(depth, ["25 calls are open here, the hardware keeps 4"]);
}

#[test]
fn random_words_are_checked() {
    let mut random = samples::Random(0x0bad);
    for _ in 0..300 {
        let flow = random.below(2) == 0;
        let word = |random: &mut samples::Random| match flow {
            true => {
                (0x20 + random.below(14) as u32) << 26
                    | (random.below(64) as u32) << 10
                    | random.below(8) as u32
            }
            false => random.below(1 << 32) as u32,
        };
        let code: Vec<u32> = (0..64).map(|_| word(&mut random)).collect();
        let _ = check_words(&code, &[[0x36f, 0]; 128], 0, Stage::Geometry);
    }
}

fn case_files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/check");
    let entries = std::fs::read_dir(folder).expect("case folder");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("entry").path()).collect();
    paths.sort();
    paths
}

struct Case<'a> {
    name: &'a str,
    program: Vec<&'a str>,
    expected: Vec<String>,
}

fn cases(text: &str) -> Vec<Case<'_>> {
    let mut cases = Vec::new();
    for block in text.split("== ").skip(1) {
        let mut lines = block.trim_end().lines();
        let name = lines.next().expect("name of a case");
        let lines: Vec<&str> = lines.collect();
        let (program, expected) = lines.split_once_at("--");
        cases.push(Case { name, program, expected: expected.iter().map(ToString::to_string).collect() });
    }
    cases
}

trait SplitOnceAt<'a> {
    fn split_once_at(&self, line: &str) -> (Vec<&'a str>, Vec<&'a str>);
}

impl<'a> SplitOnceAt<'a> for Vec<&'a str> {
    fn split_once_at(&self, line: &str) -> (Vec<&'a str>, Vec<&'a str>) {
        let at = self.iter().position(|l| *l == line).unwrap_or(self.len());
        (self[..at].to_vec(), self.iter().skip(at + 1).copied().collect())
    }
}

impl Case<'_> {
    fn findings(&self) -> Vec<String> {
        check(&assemble(self.name, &self.program)).iter().map(spell).collect()
    }

    fn with(&self, findings: &[String]) -> String {
        let findings: String = findings.iter().map(|finding| format!("{finding}\n")).collect();
        format!("== {}\n{}\n--\n{findings}\n", self.name, self.program.join("\n"))
    }
}

fn spell(finding: &Finding) -> String {
    let severity = format!("{:?}", finding.rule.severity).to_lowercase();
    let word = finding.at.map(|word| format!(" {word:#x}")).unwrap_or_default();
    let place = finding.place.as_ref().map(|place| format!(" ({place})")).unwrap_or_default();
    format!("{severity} {}{word}{place}: {}", finding.rule.id, finding.message)
}

/// The file that a case describes.
fn assemble(name: &str, lines: &[&str]) -> Shbin {
    let lines: Vec<&str> = lines.iter().map(|line| line.trim()).filter(|line| !line.is_empty()).collect();
    let labels = labels(&lines);
    let mut file = Shbin::new(Dvlp::default(), vec![Dvle::default()]);
    for line in lines.iter().filter(|line| !line.ends_with(':')) {
        match line.strip_prefix('.') {
            Some(directive) => describe(&mut file, &numbered(directive, &labels)),
            None => push(&mut file.program, &numbered(line, &labels), name),
        }
    }
    let words = if lines.contains(&".no_end") { 0 } else { file.program.code.len() as u32 };
    for dvle in file.executables.iter_mut().filter(|dvle| dvle.end == 0) {
        dvle.end = words;
    }
    file
}

fn labels<'a>(lines: &[&'a str]) -> HashMap<&'a str, usize> {
    let mut words = 0;
    let mut labels = HashMap::new();
    for line in lines {
        match line.strip_suffix(':') {
            Some(label) => drop(labels.insert(label, words)),
            None => {
                let repeat = line.strip_prefix(".repeat ").and_then(|rest| rest.split(' ').next());
                words +=
                    repeat.map_or(usize::from(!line.starts_with('.') || line.starts_with(".word")), number);
            }
        }
    }
    labels
}

/// The line with labels replaced by numbers; `b-a` is a distance.
fn numbered(line: &str, labels: &HashMap<&str, usize>) -> String {
    let place = |token: &str| match token.split_once('-') {
        Some((end, start)) => Some(labels.get(end)? - labels.get(start)?),
        None => labels.get(token).copied(),
    };
    let tokens = line.split(' ').map(|token| {
        let (bare, comma) = token.strip_suffix(',').map_or((token, ""), |bare| (bare, ","));
        place(bare).map_or(token.to_string(), |word| format!("{word}{comma}"))
    });
    tokens.collect::<Vec<_>>().join(" ")
}

/// Appends an instruction and its descriptor.
fn push(program: &mut Dvlp, line: &str, case: &str) {
    let cx = Cx { waived: &["one-input", "one-input-cmp"], ..PICA200.cx() };
    let parsed = PICA200.parse(line, &cx).unwrap_or_else(|e| panic!("{case}: {line}: {e:?}"));
    let (word, descriptor) = halves(parsed.inst.word);
    let Some(bits) = descriptor_bits(word) else { return program.code.push(word) };
    let known = program.descriptors.iter().position(|d| d[0] == descriptor);
    let index = known.unwrap_or_else(|| {
        program.descriptors.push([descriptor, 0]);
        program.descriptors.len() - 1
    });
    let index = bits.scatter(index as u64);
    program.code.push(halves(Word::from(u64::from(word)) & !bits.mask() | index).0);
}

fn number(text: &str) -> usize {
    match text.strip_prefix("0x") {
        Some(hex) => usize::from_str_radix(hex, 16).expect("hexadecimal"),
        None => text.parse().expect("number"),
    }
}

/// Directives: each sets a field or adds an entry to the last executable.
fn describe(file: &mut Shbin, directive: &str) {
    let words: Vec<&str> = directive.split_whitespace().collect();
    let n = |i: usize| number(words[i]);
    let dvle = file.executables.last_mut();
    let dvle = || dvle.expect("an executable");
    match words[0] {
        "word" => file.program.code.push(n(1) as u32),
        "repeat" => file.program.code.extend(vec![n(2) as u32; n(1)]),
        "descriptor" => file.program.descriptors.push([n(1) as u32, n(2) as u32]),
        "descriptors" => file.program.descriptors.resize(n(1), [0, 0]),
        "none" => file.executables.clear(),
        // Of executables without an end none is made up.
        "no_end" => {}
        "nihstro" => file.layout = Layout::nihstro(),
        "new" => file.executables.push(Dvle::default()),
        "stage" => dvle().stage = Stage::from_byte(n(1) as u8),
        "geometry" => {
            let dvle = dvle();
            dvle.stage = Stage::Geometry;
            dvle.geometry = [n(1), n(2), n(3), n(4)].map(|byte| byte as u8);
        }
        "bytes" => dvle().geometry = [n(1), n(2), n(3), n(4)].map(|byte| byte as u8),
        "entry" => dvle().entry = n(1) as u32,
        "end" => dvle().end = n(1) as u32,
        "used" => dvle().outputs_used = n(1) as u16,
        "symbols" => dvle().symbols = words[1].replace('0', "\0").into_bytes(),
        "out" => {
            let kind = PROPERTIES.iter().find(|p| p.name == words[1]).map_or_else(|| n(1) as u16, |p| p.kind);
            dvle().outputs.push(Output { kind, register: n(2) as u16, mask: n(3) as u16, unknown: 0 });
        }
        "uniform" => {
            let first: UniformRegister = words[2].parse().expect("register");
            dvle().add_uniform(words[1], first, n(3) as u16);
        }
        "entry_uniform" => {
            let uniform = Uniform { name: n(1) as u32, first: n(2) as u16, last: n(3) as u16 };
            dvle().uniforms.push(uniform);
        }
        "constant" => {
            let words = [n(3), n(4), n(5), n(6)].map(|word| word as u32);
            dvle().constants.push(Constant { kind: n(1) as u16, register: n(2) as u16, words });
        }
        "label" => {
            let dvle = dvle();
            let name = dvle.add_symbol(words[1]);
            let (offset, size) = (n(2) as u32, words.get(3).map_or(u32::MAX, |size| number(size) as u32));
            dvle.labels.push(Label { id: 0, unknown: 0, offset, size, name });
        }
        other => panic!("unknown directive {other}"),
    }
}
