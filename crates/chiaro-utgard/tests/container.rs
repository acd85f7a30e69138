//! MBS1 files: read, written again, edited.

use chiaro_utgard::container::{Chunk, Core, Mbs, Table};
use chiaro_utgard::isa::word::Word;

use crate::common::{bytes, rows};

fn files() -> Vec<(String, Vec<u8>)> {
    let file = |row: serde_json::Value| (row["name"].to_string(), bytes(row["mbs"].as_str().expect("hex")));
    rows(include_str!("vectors/mbs.jsonl")).into_iter().map(file).collect()
}

#[test]
fn every_chunk_is_known_and_written_back() {
    for (name, bytes) in files() {
        let file = Mbs::read(&bytes).expect("a whole file");
        assert!(!file.chunks.iter().any(|c| matches!(c, Chunk::Raw { .. })), "{name}");
        assert_eq!(file.write(), bytes, "{name}");
        let Some(Chunk::Instructions { count, .. }) = file.chunks.first() else { panic!("{name}") };
        assert_eq!(file.program().len(), *count as usize, "{name}");
    }
}

#[test]
fn names_and_places() {
    let (_, bytes) = &files()[0];
    let file = Mbs::read(bytes).expect("a whole file");
    let varyings = file.symbols(Table::Varyings);
    let places: Vec<_> = varyings.iter().map(|s| (s.name.as_str(), s.components, s.offset)).collect();
    assert_eq!(places, [("gl_Position", 4, 0), ("v_f", 1, 4), ("gl_PointSize", 1, 0xffff)]);
    let constant = file.symbols(Table::Uniforms).last().expect("a constant");
    assert_eq!(constant.init, Some(vec![0xd015_02f9, 0x5015_02f9]));
}

#[test]
fn damage_is_told_or_kept() {
    let (_, bytes) = &files()[0];
    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x81;
        if let Ok(file) = Mbs::read(&damaged) {
            assert_eq!(file.write(), damaged, "byte {at}");
        }
        let _ = Mbs::read(&bytes[..at]);
    }
}

#[test]
fn the_smallest_file() {
    let file = Mbs::of_code(&[Word::IDLE]);
    assert_eq!(file.core, Core::Vertex(6));
    let again = Mbs::read(&file.write()).expect("what is written can be read");
    assert_eq!(again.program(), [Word::IDLE]);
}
