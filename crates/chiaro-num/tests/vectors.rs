//! Golden values of foreign tools: picasso's constants, azahar's decoding.

use chiaro_num::{F16, F20, F24, atof, picasso_f24};

fn rows(text: &str) -> impl Iterator<Item = Vec<&str>> {
    text.lines().filter(|line| !line.starts_with('#')).map(|line| line.split('\t').collect())
}

fn hex(text: &str) -> u32 {
    u32::from_str_radix(text, 16).unwrap()
}

#[test]
fn constants_as_picasso_stores_them() {
    for row in rows(include_str!("data/float24_encode.tsv")) {
        assert_eq!(picasso_f24(atof(row[1]) as f32), hex(row[2]), "{row:?}");
    }
}

#[test]
fn raw_numbers_decode_exactly() {
    for row in rows(include_str!("data/float_decode.tsv")) {
        let format = match row[0] {
            "f24" | "pack24" => F24,
            "f20" => F20,
            "f16" => F16,
            other => panic!("unknown format {other}"),
        };
        let raw: Vec<u32> = row[2].split(' ').map(hex).collect();
        let raw = if row[0] == "pack24" { unpack([raw[0], raw[1], raw[2]]).to_vec() } else { raw };
        for (raw, expected) in raw.into_iter().zip(row[3].split(' ').map(hex)) {
            let (found, expected) = (format.decode_f32(raw), f32::from_bits(expected));
            assert!(
                found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan(),
                "{row:?}: {found:e}"
            );
        }
    }
}

/// x y z w from the three words of an upload. [3dbrew]
fn unpack([high, middle, low]: [u32; 3]) -> [u32; 4] {
    [low & 0xFF_FFFF, low >> 24 | (middle & 0xFFFF) << 8, middle >> 16 | (high & 0xFF) << 16, high >> 8]
}
