//! Listings: every file spelled out reads back to the same bytes.

use chiaro_diag::FileId;
use chiaro_isa::Rng;
use chiaro_pica200::asm::picasso::{self, Source, assemble};
use chiaro_pica200::container::Shbin;
use chiaro_pica200::isa::{PICA200, descriptor_index, halves};
use chiaro_pica200::listing::dis::disassemble;
use chiaro_pica200::listing::exact::{Exact, is_exact, print, print_raw, read};
use chiaro_pica200::listing::{Options, listing};

use crate::samples::{sample, samples};

fn again(file: &Shbin) -> Vec<u8> {
    let text = print(file);
    assert!(is_exact(&text));
    match read(&text, FileId(0)) {
        Ok(Exact::Shbin(file)) => file.write(),
        other => panic!("{other:?}\n{text}"),
    }
}

#[test]
fn exact_listings_read_back() {
    for (name, _, bytes) in samples() {
        assert_eq!(again(&Shbin::read(&bytes).expect("sample is sound")), bytes, "{name}");
    }
}

#[test]
fn exact_listings_of_damaged_files_read_back() {
    let mut rng = Rng(5);
    for (name, _, bytes) in samples() {
        for _ in 0..200 {
            let mut bytes = bytes.clone();
            let at = rng.below(bytes.len());
            bytes[at] ^= 1 << rng.below(8);
            if let Ok(file) = Shbin::read(&bytes) {
                assert_eq!(again(&file), bytes, "{name}, byte {at:#x}");
                let _ = listing(&file, &Options::default());
            }
        }
    }
}

#[test]
fn random_words_without_a_container_read_back() {
    let mut rng = Rng(11);
    let code: Vec<u32> = (0..4096).map(|_| rng.next() as u32).collect();
    let descriptors: Vec<[u32; 2]> = (0..128).map(|_| [rng.next() as u32, rng.next() as u32]).collect();
    let text = print_raw(&code, &descriptors);
    assert_eq!(read(&text, FileId(0)), Ok(Exact::Raw { code, descriptors }));
}

#[test]
fn picasso_files_have_a_listing_in_its_language() {
    for (name, tool, bytes) in samples() {
        let text = listing(&Shbin::read(&bytes).expect("sample is sound"), &Options::default());
        if tool == "picasso" {
            assert!(text.is_ok(), "{name}: {text:?}");
        }
    }
}

/// Assembles a listing, whichever kind it is.
fn assembled(text: &str) -> Result<Vec<u8>, String> {
    if is_exact(text) {
        return match read(text, FileId(0)) {
            Ok(Exact::Shbin(file)) => Ok(file.write()),
            other => Err(format!("{other:?}")),
        };
    }
    let source = Source { name: "listing", text, file: FileId(0) };
    assemble(&[source], &picasso::Options::default()).map(|a| a.shbin.write()).map_err(|e| format!("{e:#?}"))
}

#[test]
fn disassemblies_assemble_to_the_same_file() {
    for (name, tool, bytes) in samples() {
        let listing = disassemble(&Shbin::read(&bytes).expect("sample is sound"));
        assert_eq!(listing.exact.is_none(), tool == "picasso", "{name}: {:?}", listing.exact);
        assert_eq!(assembled(&listing.text).as_ref(), Ok(&bytes), "{name}\n{}", listing.text);
    }
}

/// Wholes, parts, elements and second names, in the order in which a loader has to find them.
const NAMES: &str = "\
.in in$tint v0
.fvec tint  ; c0
.symbol light c1..c3
.fvec light$pos  ; c1
.fvec light$colors[2]  ; c2..c3
.symbol light.colors[0] c2
.symbol light.colors[1] c3
.symbol _hidden c4
.bool flags[2]  ; b0..b1
.symbol flags[0] b0
.symbol m v1..v4
.symbol tint v0
.out - position o0

.proc main
    add o0, light$colors[1], in$tint";

#[test]
fn registers_of_many_names_are_listed_under_one() {
    let file = assembled(&format!("{NAMES}\nend\n.end\n")).expect("a sound source");
    let file = Shbin::read(&file).expect("a sound file");
    let e = &file.executables[0];
    let names: Vec<_> = e.uniforms.iter().filter_map(|u| e.name(u.name)).collect();
    let expected = ["in.tint", "tint", "light", "light.pos", "light.colors", "light.colors[0]"];
    assert_eq!(names[..6], expected);
    assert_eq!((names.len(), names[11], e.inputs), (12, "tint", 0x1f));
    let listing = disassemble(&file);
    assert_eq!(listing.exact, None, "{}", listing.text);
    assert!(listing.text.starts_with(NAMES), "{}", listing.text);
}

#[test]
fn random_programs_disassemble_and_assemble() {
    let mut rng = Rng(17);
    for round in 0..300 {
        let file = random_program(&mut rng);
        let listing = disassemble(&file);
        assert_eq!(assembled(&listing.text).as_ref(), Ok(&file.write()), "{round}\n{}", listing.text);
    }
}

/// Legal instructions with random descriptors in the order in which they come.
fn random_program(rng: &mut Rng) -> Shbin {
    let (_, mut file) = sample("mvp_texture");
    let program = &mut file.program;
    program.code.clear();
    program.descriptors = (0..1 + rng.below(128)).map(|_| [rng.next() as u32, 0]).collect();
    for _ in 0..1 + rng.below(60) {
        let form = rng.below(PICA200.forms.len()) as u16;
        let inst = PICA200.sample(form, rng).expect("every form has samples");
        let (word, descriptor) = halves(inst.word);
        if let Some(slot) = descriptor_index(word).and_then(|i| program.descriptors.get_mut(i)) {
            slot[0] = descriptor;
        }
        program.code.push(word);
    }
    file.executables[0].end = program.code.len() as u32;
    file
}
