//! Output maps: libctru's derivation row by row, and the hardware's view of a gap.

use chiaro_pica200::container::outmap::{OutputMap, misplaced};
use chiaro_pica200::container::{Output, Shbin};

use crate::samples;

#[test]
fn maps_are_those_of_libctru() {
    let mut rows = 0;
    for row in include_str!("vectors/outmap.tsv").lines().filter(|line| !line.starts_with('#')) {
        let [name, dvle, expected @ ..] = &row.split('\t').collect::<Vec<_>>()[..] else {
            panic!("row {row}")
        };
        let shbin = samples::sample(name).1;
        let map = OutputMap::libctru(&shbin.executables[dvle.parse::<usize>().expect("index")].outputs);
        let words = map.words.map(|word| format!("{word:08x}")).join(" ");
        let derived = [
            format!("{:02x}", map.mask),
            map.total.to_string(),
            words,
            map.mode.to_string(),
            format!("{:08x}", map.clock),
        ];
        assert_eq!(derived, expected, "{name}, DVLE {dvle}");
        rows += 1;
    }
    assert_eq!(rows, 39);
}

fn output(kind: u16, register: u16, mask: u16) -> Output {
    Output { kind, register, mask, unknown: 0 }
}

#[test]
fn a_gap_shifts_what_follows() {
    let gap = [output(0, 0, 15), output(2, 4, 15)];
    assert_eq!(OutputMap::libctru(&gap).words[4], 0x0b0a_0908);
    assert_eq!(OutputMap::packed(&gap).words[..2], [0x0302_0100, 0x0b0a_0908]);
    assert_eq!(misplaced(&gap), Some((4, 1)));
    assert_eq!(misplaced(&gap[..1]), None);
    assert_eq!(misplaced(&[]), None);
}

#[test]
fn without_a_gap_both_views_agree() {
    for (name, _, bytes) in samples::samples() {
        for dvle in Shbin::read(&bytes).expect("sample is sound").executables {
            let reach = dvle.outputs.iter().all(|output| output.register < 8);
            if reach && misplaced(&dvle.outputs).is_none() {
                let views = [OutputMap::libctru, OutputMap::packed].map(|view| view(&dvle.outputs));
                assert_eq!(views[0], views[1], "{name}");
            }
        }
    }
}

#[test]
fn registers_out_of_range_do_no_harm() {
    let outputs: Vec<Output> =
        [7, 8, 15, 16, 31, 32, u16::MAX].map(|register| output(3, register, u16::MAX)).into();
    assert_eq!(OutputMap::libctru(&outputs).mask, 0x80);
    assert_eq!(OutputMap::packed(&outputs).mask, 0x8180);
}
