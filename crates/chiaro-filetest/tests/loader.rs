//! What a program on the 3DS finds: the rules of libctru's loader over compiled shaders.
//!
//! The rules are written here anew from spec sections 18 and 19 and work on bytes, so that neither our
//! writer nor our reader of containers can agree with itself. Each shader of `loader/` says in its first
//! lines what has to be found:
//!
//! | line | means |
//! |---|---|
//! | `// find NAME REGISTER COUNT` | the loader finds the name at this register, so many of them |
//! | `// miss NAME` | it does not |
//! | `// out PROPERTY REGISTER [NAME]` | the output map sends this register to the property |

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use chiaro::{
    CompileOptions, CompiledShader, ModuleOptions, TARGETS, compile, load_glsl, load_wgsl, stage_of,
};
use chiaro_diag::SourceMap;
use chiaro_opt::Cx;

/// Entries of the uniform table: offset of the name, first and last register. spec section 18.7
const ENTRY: usize = 8;

/// A file as the loader sees it: its first executable.
struct Loaded<'a> {
    bytes: &'a [u8],
    dvle: usize,
}

impl<'a> Loaded<'a> {
    /// `DVLB_ParseFile`: the offset of the first DVLE is behind the magic number and the count.
    fn new(bytes: &'a [u8]) -> Loaded<'a> {
        let mut file = Loaded { bytes, dvle: 0 };
        file.dvle = file.word(8) as usize;
        file
    }

    fn half(&self, at: usize) -> u16 {
        u16::from_le_bytes([self.bytes[at], self.bytes[at + 1]])
    }

    fn word(&self, at: usize) -> u32 {
        u32::from(self.half(at)) | u32::from(self.half(at + 2)) << 16
    }

    /// Start and number of entries of a table whose offset stands at a place of the DVLE.
    fn table(&self, at: usize) -> (usize, usize) {
        (self.dvle + self.word(self.dvle + at) as usize, self.word(self.dvle + at + 4) as usize)
    }

    fn name(&self, offset: u32) -> &'a str {
        let at = self.table(0x38).0 + offset as usize;
        let length = self.bytes[at..].iter().position(|&byte| byte == 0).expect("names end with a zero");
        std::str::from_utf8(&self.bytes[at..at + length]).expect("names are text")
    }

    /// Every name with its entry, in the order of the table.
    fn names(&self) -> Vec<(&'a str, u16, u16)> {
        let (start, count) = self.table(0x30);
        let entry = |i: usize| start + i * ENTRY;
        (0..count)
            .map(|i| (self.name(self.word(entry(i))), self.half(entry(i) + 4), self.half(entry(i) + 6)))
            .collect()
    }

    /// `DVLE_GetUniformRegister`: the first entry of exactly that name.
    fn find(&self, name: &str) -> Option<(u16, u16)> {
        self.names().into_iter().find(|entry| entry.0 == name).map(|(_, first, last)| (first, last))
    }

    /// `DVLE_GenerateOutmap`: the semantic of each component of o0 to o6, and the mask. spec section 15
    fn output_map(&self) -> ([[u8; 4]; 7], u8) {
        let (start, count) = self.table(0x28);
        let (mut map, mut mask) = ([[0x1f; 4]; 7], 0u8);
        for at in (0..count).map(|i| start + i * 8) {
            let (kind, register, components) = (self.half(at), self.half(at + 2), self.bytes[at + 4]);
            assert!(register < 7, "o{register} is beyond the loader's array");
            mask |= 1 << register;
            let (first, most) = semantic(kind);
            let written = (0..4).filter(|i| components >> i & 1 == 1);
            for (component, n) in written.zip(0..most) {
                map[usize::from(register)][component] = first + n;
            }
        }
        (map, mask)
    }
}

/// First semantic and number of components of a property. spec section 15
fn semantic(kind: u16) -> (u8, u8) {
    match kind {
        0 => (0x00, 4),
        1 => (0x04, 4),
        2 => (0x08, 4),
        3 => (0x0c, 2),
        4 => (0x10, 1),
        5 => (0x0e, 2),
        6 => (0x16, 2),
        8 => (0x12, 3),
        _ => (0x1f, 0),
    }
}

/// The number of a property by its name.
fn property(name: &str) -> u16 {
    let names =
        ["position", "normalquat", "color", "texcoord0", "texcoord0w", "texcoord1", "texcoord2", "", "view"];
    names.iter().position(|known| *known == name).unwrap_or_else(|| panic!("no property `{name}`")) as u16
}

/// The number of a register in the table. spec section 18.8
fn number(register: &str) -> u16 {
    let (bank, index) = register.split_at(1);
    let base = match bank {
        "v" => 0x00,
        "c" => 0x10,
        "i" => 0x70,
        "b" => 0x78,
        _ => panic!("no bank `{bank}`"),
    };
    base + index.parse::<u16>().expect("a register has a number")
}

/// What is wrong with a file by the lines of its source.
fn wrong(source: &str, bytes: &[u8]) -> Vec<String> {
    let file = Loaded::new(bytes);
    let facts = source.lines().filter_map(|line| line.strip_prefix("// "));
    let mut outputs = BTreeSet::new();
    let mut wrong: Vec<String> = Vec::new();
    for fact in facts {
        match fact.split(' ').collect::<Vec<_>>()[..] {
            ["find", name, register, count] => {
                let first = number(register);
                let last = first + count.parse::<u16>().expect("a count") - 1;
                if file.find(name) != Some((first, last)) {
                    wrong.push(format!("`{name}` is to be at {register}, {count}: {:?}", file.find(name)));
                }
            }
            ["miss", name] if file.find(name).is_some() => wrong.push(format!("`{name}` is found")),
            ["miss", _] => {}
            ["out", name, register, ..] => {
                let (first, _) = semantic(property(name));
                let register: usize = register[1..].parse().expect("a register");
                outputs.insert(register);
                if !file.output_map().0[register].contains(&first) {
                    wrong.push(format!("o{register} is not {name}: {:x?}", file.output_map().0[register]));
                }
            }
            _ => {}
        }
    }
    let expected = outputs.iter().fold(0u8, |mask, register| mask | 1 << register);
    if file.output_map().1 != expected {
        wrong.push(format!("outputs {:#x} are enabled, not {expected:#x}", file.output_map().1));
    }
    wrong
}

fn shaders() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/loader");
    let entries = std::fs::read_dir(folder).expect("the folder is there");
    let mut all: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    all.sort();
    all
}

fn compiled(path: &Path) -> (String, CompiledShader) {
    let source = std::fs::read_to_string(path).expect("a shader");
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut sources = SourceMap::new();
    let file = sources.add(name.clone(), source.clone());
    let options = ModuleOptions::default();
    let modules = match stage_of(&name) {
        Some(stage) => {
            let nothing = &mut |_: &str, _: bool, _: &str| None;
            load_glsl(&[(file, stage)], &Default::default(), &options, &mut sources, nothing)
        }
        None => load_wgsl(file, &options, &mut sources).map(|module| vec![module]),
    };
    let target = TARGETS.named("pica200").expect("the target");
    let wanted = CompileOptions { verify: true, ..CompileOptions::default() };
    let made = modules.and_then(|modules| compile(target, &modules, &wanted, &sources, &mut Cx::default()));
    (source, made.unwrap_or_else(|errors| panic!("{name}: {errors:#?}")))
}

#[test]
fn the_loader_finds_what_sources_name() {
    let all = shaders();
    assert!(all.len() >= 40, "{} shaders", all.len());
    let mut found = Vec::new();
    for path in all {
        let (source, made) = compiled(&path);
        let told = wrong(&source, &made.container).into_iter();
        found.extend(told.map(|what| format!("{}: {what}", path.display())));
        // What reports and headers tell has to be found as well, in both directions.
        let file = Loaded::new(&made.container);
        let names: BTreeSet<&str> = file.names().iter().map(|entry| entry.0).collect();
        let placed = made.report.variables.iter().filter(|v| v.kind != "output" && !v.place.contains(' '));
        let told: BTreeSet<&str> = placed.map(|v| v.name.as_str()).collect();
        assert_eq!(names, told, "{}", path.display());
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn a_wrong_table_is_noticed() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/loader/struct_uniform.vert");
    let (source, made) = compiled(&path);
    assert_eq!(wrong(&source, &made.container), Vec::<String>::new());
    let file = Loaded::new(&made.container);
    let (uniforms, outputs, symbols) = (file.table(0x30).0, file.table(0x28).0, file.table(0x38).0);
    let planted: [(usize, u8); 5] = [
        (uniforms + 4, 1),    // the first name is elsewhere
        (uniforms + 6, 7),    // and of another size
        (symbols + 1, b'?'),  // and another
        (outputs + 8, 6),     // the second output is for something else
        (outputs + 8 + 2, 2), // and in another register
    ];
    for (at, more) in planted {
        let mut bytes = made.container.clone();
        bytes[at] = bytes[at].wrapping_add(more);
        assert!(!wrong(&source, &bytes).is_empty(), "byte {at:#x} plus {more}");
    }
}
