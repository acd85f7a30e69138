//! Containers: what is read is written again, byte for byte; what is broken is refused in words.

use chiaro_pica200::container::{Dvle, Layout, Part, Problem, ReadError, Shbin, UniformRegister};

use crate::samples::{Random, sample, samples};

#[test]
fn samples_come_out_as_they_went_in() {
    for (name, tool, bytes) in samples() {
        let shbin = Shbin::read(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(shbin.layout.tool(), Some(&*tool), "{name}");
        assert_eq!(shbin.write(), bytes, "{name}");
    }
}

#[test]
fn a_fresh_file_in_a_tools_layout_is_what_the_tool_writes() {
    for (name, tool, bytes) in samples() {
        let read = Shbin::read(&bytes).expect("sample is sound");
        let mut fresh = Shbin::new(read.program, read.executables);
        if tool == "nihstro" {
            fresh.layout = Layout::nihstro();
        }
        assert_eq!(fresh.write(), bytes, "{name}");
    }
}

#[test]
fn content_survives_a_change_of_layout() {
    for (name, _, bytes) in samples() {
        let read = Shbin::read(&bytes).expect("sample is sound");
        for layout in [Layout::picasso(), Layout::nihstro()] {
            let moved = Shbin { layout, ..read.clone() };
            let back = Shbin::read(&moved.write()).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(back, moved, "{name}");
        }
    }
}

/// Puts `value` over the word at `at`.
fn patch(bytes: &mut [u8], at: usize, value: u32) {
    bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
}

/// A file as no known tool writes it: symbols behind odd trailing bytes, old symbols as a gap, an
/// empty table that points nowhere, unknown words set, bytes at the end.
fn odd_file() -> Vec<u8> {
    let (mut bytes, shbin) = sample("mvp_texture");
    let at = |part| shbin.parts().into_iter().find(|p| p.part == part).expect("part").offset;
    let (dvlp, dvle, symbols) = (at(Part::Dvlp), at(Part::Dvle(0)), at(Part::Symbols(0)));
    let names = shbin.executables[0].symbols.clone();
    bytes[symbols] = b'?';
    bytes.extend(*b"gap");
    let moved_to = bytes.len() - dvle;
    patch(&mut bytes, dvle + 0x38, moved_to as u32);
    bytes.extend(names);
    bytes.extend(*b"the end");
    patch(&mut bytes, dvle + 0x20, 0xdead_beef);
    patch(&mut bytes, dvlp + 0x18, 0x20);
    patch(&mut bytes, dvlp + 0x1c, 0x1234);
    bytes
}

#[test]
fn a_foreign_layout_is_kept() {
    let bytes = odd_file();
    let shbin = Shbin::read(&bytes).expect("odd but sound");
    assert_eq!(shbin.layout.tool(), None);
    assert_eq!(shbin.write(), bytes);
}

#[test]
fn an_edited_foreign_file_keeps_its_order_and_loses_nothing() {
    let mut shbin = Shbin::read(&odd_file()).expect("odd but sound");
    let dvle = &mut shbin.executables[0];
    dvle.add_label("start", 0);
    dvle.add_uniform("tint", UniformRegister::Float(20), 2);
    shbin.program.code.push(0x8800_0000);
    shbin.program.file_names = b"a.vsh\0".to_vec();
    shbin.executables.push(Dvle::default());

    let written = shbin.write();
    let back = Shbin::read(&written).expect("written by us");
    assert_eq!(back.program, shbin.program);
    assert_eq!(back.executables, shbin.executables);
    assert_eq!(back.write(), written);
    let order = |shbin: &Shbin| shbin.parts().iter().map(|p| p.part).collect::<Vec<_>>();
    let expected = {
        use Part::*;
        let program = [Dvlb, Dvlp, Code, Descriptors, FileNames];
        let first = [Dvle(0), Constants(0), Outputs(0), Uniforms(0), Symbols(0), Labels(0)];
        [&program[..], &first, &[Dvle(1)]].concat()
    };
    assert_eq!(order(&back), expected);
    for kept in ["gap", "the end"] {
        assert!(written.windows(kept.len()).any(|bytes| bytes == kept.as_bytes()), "{kept}");
    }
}

#[test]
fn a_short_header_grows_when_file_names_are_added() {
    let (_, mut shbin) = sample("nihcode_flow");
    shbin.program.file_names = b"flow.vsh\0".to_vec();
    let back = Shbin::read(&shbin.write()).expect("written by us");
    assert_eq!((&back.program, &back.executables), (&shbin.program, &shbin.executables));
}

#[test]
fn names_are_found_renamed_and_removed() {
    let (_, mut shbin) = sample("uniform_kinds");
    let dvle = &mut shbin.executables[0];
    let names: Vec<String> = dvle.named_uniforms().map(|(name, _)| name.to_string()).collect();
    assert_eq!(names.len(), dvle.uniforms.len());
    let (first, last) = (names.first().expect("has uniforms"), names.last().expect("has uniforms"));

    let before = *dvle.uniform(first).expect("by name");
    assert!(dvle.rename_uniform(first, "a_much_longer_name"));
    assert!(!dvle.rename_uniform(first, "gone"));
    let after = dvle.uniform("a_much_longer_name").expect("renamed");
    assert_eq!(after.range(), before.range());

    let size = dvle.symbols.len();
    dvle.remove_uniform(last).expect("by name");
    assert_eq!(dvle.symbols.len(), size - last.len() - 1, "its name goes too");
    assert_eq!(dvle.named_uniforms().count(), names.len() - 1);
    assert_eq!(Shbin::read(&shbin.write()).expect("written by us"), shbin);
}

#[test]
fn uniform_registers_are_numbered_as_in_files() {
    for (text, number) in [("v0", 0), ("v15", 0xf), ("c0", 0x10), ("c95", 0x6f), ("i3", 0x73), ("b15", 0x87)]
    {
        let register: UniformRegister = text.parse().expect(text);
        assert_eq!(register.number(), number, "{text}");
        assert_eq!(UniformRegister::from_number(number).map(|r| r.to_string()).as_deref(), Some(text));
    }
    for number in [0x74, 0x77, 0x88, 0xffff] {
        assert_eq!(UniformRegister::from_number(number), None, "{number:#x}");
    }
    for text in ["", "c", "c96", "i4", "x1", "c+1", "c 1", "c256", "é1"] {
        assert!(text.parse::<UniformRegister>().is_err(), "{text}");
    }
}

/// A defect made in a sound file, and what the error says.
#[test]
fn broken_files_are_refused_in_words() {
    let (good, shbin) = sample("two_vertex_dvles");
    let at = |part| shbin.parts().into_iter().find(|p| p.part == part).expect("part").offset;
    let dvle = at(Part::Dvle(1));
    let expect = |message: &str, edit: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = good.clone();
        edit(&mut bytes);
        let error = Shbin::read(&bytes).expect_err(message);
        assert_eq!(error.to_string(), message);
    };
    expect("DVLB: the header at 0x0 needs 8 bytes, the file ends at 0x0 (claimed at 0x0)", &|b| b.clear());
    expect("DVLB: \"DVLB\" belongs at 0x0, found \"\\x7fELF\"", &|b| b[..4].copy_from_slice(b"\x7fELF"));
    expect(
        "DVLB: \"DVLB\" belongs at 0x0, found \"DVOJ\": this is an unlinked object; link it first",
        &|b| b[..4].copy_from_slice(b"DVOJ"),
    );
    expect("DVLB: claims 2147483647 executables at 0x4, the file has room for at most 6", &|b| {
        patch(b, 4, 0x7fff_ffff);
    });
    expect("DVLE 1: the header at 0x1d0 needs 64 bytes, the file ends at 0x1dc (claimed at 0xc)", &|b| {
        patch(b, 12, 0x1d0);
    });
    expect("DVLE 1: \"DVLE\" belongs at 0x138, found \"\\x02\\x10\\x00\\x00\"", &|b| patch(b, 12, 0x138));
    expect(
        "DVLE 1: uniform table: claims 4000000 entries at 0x1a4, the file ends at 0x1dc (claimed at 0x164)",
        &|b| patch(b, dvle + 0x34, 4_000_000),
    );
    expect("DVLP: code: claims 2147483648 words at 0x38, the file ends at 0x1dc (claimed at 0x18)", &|b| {
        patch(b, 0x1c, 0x8000_0000);
    });
    expect(
        "DVLE 1: symbols: bytes 0x1bc..0x1d3 overlap DVLE 1: uniform table at 0x1a4..0x1c4 (claimed at 0x16c)",
        &|b| patch(b, dvle + 0x38, 0x88),
    );
    expect("DVLE 1: bytes 0xa8..0xe8 overlap DVLE 0 at 0xa8..0xe8 (claimed at 0xc)", &|b| {
        patch(b, 12, 0xa8);
    });
}

#[test]
fn every_truncation_is_refused_or_read() {
    for (name, _, bytes) in samples() {
        for size in 0..bytes.len().min(1000) {
            match Shbin::read(&bytes[..size]) {
                Ok(shbin) => assert_eq!(shbin.write(), &bytes[..size], "{name} cut at {size}"),
                Err(ReadError { offset, problem, .. }) => {
                    assert!(offset <= size, "{name} cut at {size}: {offset} {problem:?}");
                }
            }
        }
    }
}

/// Random damage: whatever can be read is written again as it was. The long run is in `fuzz/`.
#[test]
fn damaged_files_are_refused_or_kept() {
    let samples = samples();
    let mut random = Random(0x5eed);
    let (mut read, mut refused) = (0, 0);
    for _ in 0..20_000 {
        let (name, _, bytes) = &samples[random.below(samples.len())];
        let mut bytes = bytes.clone();
        for _ in 0..1 + random.below(4) {
            let at = random.below(bytes.len() / 4) * 4;
            let value = [0, 1, 4, 0x40, bytes.len() as u32, 0x8000_0000, u32::MAX][random.below(7)];
            patch(&mut bytes, at, if random.below(2) == 0 { value } else { random.below(1 << 32) as u32 });
        }
        match Shbin::read(&bytes) {
            Ok(shbin) => {
                assert_eq!(shbin.write(), bytes, "{name}");
                read += 1;
            }
            Err(error) => {
                assert!(!matches!(error.problem, Problem::Magic { found, expected } if found == expected));
                refused += 1;
            }
        }
    }
    assert!(read > 1000 && refused > 1000, "{read} read, {refused} refused");
}
