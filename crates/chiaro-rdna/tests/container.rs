//! Descriptors, notes and files against LLVM's.

use chiaro_rdna::container::descriptor::{Builder, Descriptor};
use chiaro_rdna::container::note::{self, Item};
use chiaro_rdna::container::{self, CodeObject, Section, Symbol, SymbolKind, Visibility};
use chiaro_rdna::listing;
use serde_json::Value;

use crate::common::{self, bytes, json_rows};

fn number(value: &Value) -> u64 {
    value.as_u64().expect("a number")
}

#[test]
fn kernel_descriptors() {
    for row in json_rows("kernel_descriptor.jsonl") {
        let mut builder = Builder::new(number(&row["wave"]) as u8);
        for (name, n) in row["directives"].as_object().expect("directives") {
            builder.set(name, number(n)).unwrap_or_else(|e| panic!("{name}: {e}"));
        }
        let descriptor = builder.finish().expect("a descriptor");
        let golden = bytes(row["kd"].as_str().expect("hexadecimal"));
        assert_eq!(common::hex(&descriptor.write()), common::hex(&golden), "{row}");
        let read = Descriptor::read(golden.first_chunk().expect("64 bytes"));
        let mut again = Builder::new(read.wave());
        for (name, n) in read.directives().expect("known bits only") {
            again.set(name, n.into()).unwrap_or_else(|e| panic!("{name}: {e}"));
        }
        assert_eq!(again.finish().map(|d| d.write().to_vec()), Ok(golden));
    }
}

#[test]
fn directives_are_checked() {
    let mut builder = Builder::new(32);
    assert!(builder.set("next_free_vgpr", 257).is_err());
    assert!(builder.set("wavefront_size32", 2).is_err());
    assert!(builder.set("no_such_thing", 0).is_err());
    assert_eq!(builder.set("next_free_vgpr", 4), Ok(()));
    assert_eq!(builder.set("reserve_flat_scratch", 0), Ok(()));
    assert!(builder.set("next_free_vgpr", 4).is_err());
    assert!(builder.finish().is_err());
}

fn item(value: &Value) -> Item {
    match value {
        Value::Null => Item::Nil,
        Value::Bool(b) => Item::Bool(*b),
        Value::Number(n) => n.as_u64().map_or_else(|| Item::Negative(n.as_i64().unwrap_or(0)), Item::Number),
        Value::String(text) => Item::Text(text.clone()),
        Value::Array(items) => Item::List(items.iter().map(item).collect()),
        Value::Object(pairs) => {
            Item::Map(pairs.iter().map(|(name, value)| (name.clone(), item(value))).collect())
        }
    }
}

#[test]
fn notes() {
    for row in json_rows("metadata_note.jsonl") {
        let golden = bytes(row["note"].as_str().expect("hexadecimal"));
        assert_eq!(common::hex(&note::write(&item(&row["metadata"]))), common::hex(&golden));
        let read = note::read(&golden).expect("a note");
        assert_eq!(note::write(&read), golden);
    }
}

#[test]
fn notes_that_lie() {
    let good = note::write(&Item::Map(vec![("n".to_owned(), Item::List(vec![Item::Number(1)]))]));
    assert!(note::read(&good).is_ok());
    assert!(note::read(&note::write(&Item::List(Vec::new()))).is_err_and(|e| e.why.contains("map")));
    for cut in 0..good.len() {
        let _ = note::read(&good[..cut]);
    }
    let mut deep = Item::Number(1);
    for _ in 0..40 {
        deep = Item::List(vec![deep]);
    }
    assert!(note::read(&note::write(&deep)).is_err_and(|e| e.why.contains("nested")));
    let mut long = good.clone();
    long[20] = 0xdd;
    assert!(note::read(&long).is_err());
}

/// What the head of the vectors compares.
fn compared(object: &CodeObject) -> impl PartialEq + std::fmt::Debug + use<> {
    let mut symbols: Vec<String> = object.symbols.iter().map(|s| format!("{s:?}")).collect();
    symbols.sort();
    (object.machine, object.version, object.text.clone(), object.rodata.clone(), object.note.clone(), symbols)
}

#[test]
fn files() {
    for row in json_rows("code_objects.jsonl") {
        let golden = container::read(&bytes(row["obj"].as_str().expect("hexadecimal"))).expect("an object");
        assert_eq!((golden.machine, golden.version, golden.linked), (container::GFX1030, 5, false));
        let written = container::write(&golden).expect("written");
        let again = container::read(&written).expect("read back");
        assert_eq!(compared(&again), compared(&golden));
        assert_eq!(again.relocations, golden.relocations);
        let linked =
            container::read(&bytes(row["linked"].as_str().expect("hexadecimal"))).expect("a shared object");
        assert!(linked.linked);
        assert_eq!(linked.note, golden.note);
        for (name, descriptor) in linked.kernels() {
            let kd = linked.symbols.iter().find(|s| s.name == format!("{name}.kd")).expect("its descriptor");
            let code = linked.symbols.iter().find(|s| s.name == name).expect("its code");
            let distance =
                (linked.text_address + code.value) as i64 - (linked.rodata_address + kd.value) as i64;
            assert_eq!(descriptor.entry(), distance);
        }
    }
}

#[test]
fn cut_files_are_refused() {
    let row = json_rows("code_objects.jsonl").remove(0);
    let golden = bytes(row["obj"].as_str().expect("hexadecimal"));
    for length in 0..golden.len() {
        let _ = container::read(&golden[..length]);
    }
    let mut rng = chiaro_isa::Rng(7);
    for _ in 0..2_000 {
        let mut mutated = golden.clone();
        for _ in 0..=rng.below(4) {
            let at = rng.below(mutated.len());
            mutated[at] = rng.next() as u8;
        }
        let _ = container::read(&mutated).map(|object| object.kernels().count());
    }
}

/// Files that are wrong in one place each: what is said, and where.
#[test]
fn wrong_files_are_told_with_their_place() {
    let row = &json_rows("code_objects.jsonl")[0];
    let golden = bytes(row["obj"].as_str().expect("hexadecimal"));
    let number = |at: usize| u64::from_le_bytes(golden[at..at + 8].try_into().unwrap());
    let header = |n: u64| (number(40) + 64 * n) as usize;
    let sections = u64::from(u16::from_le_bytes(golden[60..62].try_into().unwrap()));
    let of_type = |kind: u32| {
        let is = |n: &u64| golden[header(*n) + 4..header(*n) + 8] == kind.to_le_bytes();
        (0..sections).find(is).map(header).expect("a section")
    };
    let (code, note) = (of_type(1), of_type(7));
    let told = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut file = golden.clone();
        change(&mut file);
        container::read(&file).expect_err("wrong").to_string()
    };
    let put = |at: usize, value: &[u8], file: &mut Vec<u8>| file[at..at + value.len()].copy_from_slice(value);
    let body = number(note + 24) as usize;
    assert_eq!(told(&|f| f[8] = 9), "the ELF header at byte 0x8: the code object's version is not 3 to 6");
    assert!(told(&|f| f[48] = 0x41).starts_with("the ELF header at byte 0x30: the code is for machine 0x41"));
    assert!(told(&|f| put(code + 24, &(body as u64).to_le_bytes(), f)).contains("overlaps"));
    assert!(told(&|f| put(body + 20, &[0x91; 40], f)).starts_with(".note at byte"));
    assert!(told(&|f| put(body + 20, &[0xdf, 255, 255, 255, 255], f)).starts_with(".note at byte"));
    assert!(told(&|f| put(code + 32, &[255; 7], f)).starts_with(".text"));
    assert!(told(&|f| f.truncate(200)).starts_with("the ELF header at byte 0x28"));
    let symbols = of_type(2);
    let place = format!(".symtab at byte {symbols:#x}");
    assert!(told(&|f| put(symbols + 32, &13_u64.to_le_bytes(), f)).starts_with(&place));
}

/// A name in a section, at a place.
fn symbol(name: &str, section: Section, value: u64) -> Symbol {
    let (kind, visibility) = (SymbolKind::None, Visibility::Default);
    Symbol { name: name.to_owned(), section, value, size: 0, kind, global: true, visibility }
}

/// `s_nop 0`, `v_add_f32 v0, 0x1234, v0`, and constants that are no descriptor of an assembler.
fn odd(symbols: Vec<Symbol>) -> CodeObject {
    let text = [0xbf80_0000_u32, 0x0600_00ff, 0x1234].iter().flat_map(|dword| dword.to_le_bytes());
    let (machine, version) = (container::GFX1030, 5);
    CodeObject { machine, version, text: text.collect(), rodata: vec![0; 64], symbols, ..Default::default() }
}

#[test]
fn names_stand_wherever_other_tools_put_them() {
    let names = [("one", 0), ("alias", 0), ("L4", 4), ("inside", 8), ("end", 12)];
    let mut symbols: Vec<_> = names.map(|(name, at)| symbol(name, Section::Text, at)).into();
    // Zeroes ask for waves of 64, and no directive gives a descriptor half of the table.
    symbols.extend([symbol("k.kd", Section::Rodata, 0), symbol("last", Section::Rodata, 64)]);
    let object = odd(symbols);
    let text = listing::object(&object);
    let mut sources = chiaro_diag::SourceMap::new();
    let file = sources.add("listing", text.clone());
    let made = chiaro_rdna::asm::assemble(&text, file, None).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    assert_eq!((&made.text, &made.rodata), (&object.text, &object.rodata), "{text}");
    let written = container::write(&made).and_then(|bytes| container::read(&bytes)).expect("read back");
    assert_eq!(listing::object(&written), text);
}

#[test]
fn names_that_no_listing_can_say_are_refused() {
    let wrong = |symbols: Vec<Symbol>| {
        let bytes = container::write(&odd(symbols)).expect("written");
        container::read(&bytes).expect_err("refused").to_string()
    };
    assert!(wrong(vec![symbol("a b", Section::Text, 0)]).contains("`a b` has ' '"));
    assert!(wrong(vec![symbol("a", Section::Text, 2)]).contains("multiples of four"));
    assert!(wrong(vec![symbol("a", Section::Rodata, 65)]).contains("outside of its section"));
    let twice = vec![symbol("a", Section::Text, 0), symbol("a", Section::Rodata, 0)];
    assert!(wrong(twice).contains("names two symbols"));
}

#[test]
fn a_file_without_sections_is_refused() {
    let mut bytes = container::write(&odd(Vec::new())).expect("written");
    bytes[40..48].fill(0);
    bytes[60..64].fill(0);
    assert!(container::read(&bytes).is_err_and(|e| e.why.contains("no sections")));
}

/// Objects of llvm-mc 14 whose code and constants refer to one another in every way that it has a spelling for: the
/// listing assembles to the same code, constants, note and relocations, and so does the file that is written of it.
#[test]
fn what_a_linker_fills_in_comes_back() {
    let objects = [&include_bytes!("relocations/table.o")[..], &include_bytes!("relocations/kernel.o")[..]];
    for bytes in objects {
        let object = container::read(bytes).expect("an object");
        assert!(object.relocations.len() >= 5);
        let again = relisted(&object);
        assert_eq!((&again.text, &again.rodata, &again.note), (&object.text, &object.rodata, &object.note));
        assert_eq!(again.relocations, object.relocations);
        let written = container::write(&again).and_then(|bytes| container::read(&bytes)).expect("read back");
        assert_eq!(written.relocations, object.relocations);
        assert_eq!(listing::object(&written), listing::object(&object));
    }
}

/// What the listing of an object assembles to.
fn relisted(object: &CodeObject) -> CodeObject {
    let text = listing::object(object);
    let file = chiaro_diag::SourceMap::new().add("listing", text.clone());
    chiaro_rdna::asm::assemble(&text, file, None).unwrap_or_else(|e| panic!("{e:?}\n{text}"))
}

/// Kernels beside constants keep their directives.
#[test]
fn descriptors_are_told_among_other_constants() {
    let object = container::read(include_bytes!("relocations/kernel.o")).expect("an object");
    let text = listing::object(&object);
    for line in [
        "  s_add_u32 s4, s4, .rodata@rel32@lo+68",
        ".protected first.kd",
        ".amdhsa_kernel first",
        "weights:",
        "  .quad second+0",
        ".amdhsa_kernel second",
    ] {
        assert!(text.lines().any(|own| own == line), "{line}:\n{text}");
    }
}

/// Names that are registers or numbers where an operand is expected.
#[test]
fn names_that_no_literal_can_have_are_told_by_their_place() {
    for name in ["s0", "v12", "vcc_lo", "7up", "exec", "plain"] {
        let at = |section, offset, kind| container::Relocation {
            section,
            offset,
            kind,
            symbol: name.to_owned(),
            addend: 4,
        };
        let mut object = odd(vec![symbol(name, Section::Undefined, 0)]);
        object.text[8..].fill(0);
        object.relocations = vec![
            at(Section::Text, 8, container::REL32_LO),
            at(Section::Rodata, 0, container::ABS64),
            at(Section::Rodata, 8, container::ABS32),
        ];
        let text = listing::object(&object);
        assert_eq!(text.contains("@rel32@lo"), name == "plain", "{text}");
        let again = relisted(&object);
        assert_eq!((&again.text, &again.relocations), (&object.text, &object.relocations), "{text}");
    }
}

/// Relocations anywhere: of unknown types, one over another, behind the end.
#[test]
fn relocations_that_nobody_writes_come_back() {
    let at = |section, offset, kind, addend| container::Relocation {
        section,
        offset,
        kind,
        symbol: "x".to_owned(),
        addend,
    };
    let mut object = odd(vec![symbol("x", Section::Undefined, 0)]);
    object.rodata = (0..64).map(|n| u8::from(n < 8)).collect();
    object.relocations = vec![
        at(Section::Text, 1, 77, -3),
        at(Section::Text, 8, container::REL32_LO, 4),
        at(Section::Text, 99, container::ABS64, 0),
        at(Section::Rodata, 0, container::ABS64, 1),
        at(Section::Rodata, 16, container::ABS64, -1),
        at(Section::Rodata, 32, container::ABS64, 0),
        at(Section::Rodata, 36, container::ABS32, 0),
        at(Section::Rodata, 62, container::ABS32, 0),
    ];
    let again = relisted(&object);
    assert_eq!((&again.text, &again.rodata), (&object.text, &object.rodata), "{}", listing::object(&object));
    assert_eq!(again.relocations, object.relocations, "{}", listing::object(&object));
}

#[test]
fn relocations_are_checked() {
    let told = |text: &str| {
        let file = chiaro_diag::SourceMap::new().add("text", text.to_owned());
        let wrong = chiaro_rdna::asm::assemble(text, file, None).expect_err("wrong");
        wrong.iter().map(|error| error.message.clone()).collect::<Vec<_>>().join("; ")
    };
    assert!(told(".reloc 4, R_AMDGPU_ABS64\n").starts_with("expected .reloc offset"));
    assert!(told(".reloc here, R_AMDGPU_ABS64, x\n").contains("`here` is no byte"));
    assert!(told(".reloc 4, R_AMDGPU_ABS128, x\n").contains("`R_AMDGPU_ABS128` no type"));
    assert!(told(".reloc 4, R_AMDGPU_ABS64, x+y\n").contains("no number, name, name+number"));
    assert!(told(".quad x+\n").contains("no number, name, name+number"));
    let two = "v_add3_u32 v0, a@rel32@lo+4, v1, b@rel32@lo+4\n";
    assert_eq!(told(two), "an instruction has one literal, and two names are given");
}
