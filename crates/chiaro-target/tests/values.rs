//! Values that users give, as what a program may have there: `values.txt`. `CHIARO_BLESS=1` rewrites it.

use std::fmt::Write;
use std::path::Path;

use chiaro_cases::Cases;
use chiaro_target::simulate::{Output, unset};
use chiaro_target::{Attributes, Image, Kind, Value};

fn values() -> Vec<Value> {
    use Value::{Bits, Bool, Bytes, Fields, List, Number};
    let row = |count: i32| List((0..count).map(|n| Number(f64::from(n) - 1.0)).collect());
    vec![
        Bool(true),
        Bool(false),
        Number(1.5),
        Number(-3.0),
        Number(-2_147_483_648.0),
        Number(-2_147_483_649.0),
        Number(4_294_967_295.0),
        Number(4_294_967_296.0),
        Number(0.1),
        Bits(0x3f80_0000),
        Bits(0x1_0000_0000),
        Bytes(vec![1, 2, 3, 4, 5, 6]),
        row(0),
        row(1),
        row(4),
        row(5),
        List(vec![row(2), row(3)]),
        List(vec![row(2), Number(7.0)]),
        List(vec![row(2), row(5)]),
        Fields(vec![("a".to_owned(), Number(1.0))]),
        Value::from(f32::NAN),
        Value::from([0.5, f32::INFINITY]),
    ]
}

fn readings(value: &Value) -> String {
    let kinds = [Kind::Bool, Kind::Int(32), Kind::Uint(32), Kind::Float(32)];
    let mut out = format!("{value:?}\n  float {:?}\n", value.float());
    for kind in kinds {
        let _ = writeln!(out, "  {kind:?} {:x?}", value.words("v", kind));
    }
    let _ = writeln!(out, "  row {:?}\n  rows {:?}", value.row("v"), value.rows("v"));
    let _ = writeln!(out, "  vec4 {:?}", value.vec4("v", [9.0, 8.0, 7.0, 6.0]));
    out
}

/// An image with its smaller levels.
fn levels(size: [u32; 3]) -> String {
    let texels = (0..size.iter().product::<u32>()).map(|n| [n as f32, (n * n % 7) as f32, 0.0, 1.0]);
    let mut image = Image { size, texels: texels.collect(), ..Image::default() };
    image.add_levels();
    let texture = image.texture();
    let sizes: Vec<_> = texture.smaller.iter().map(|level| level.size).collect();
    format!("{size:?}: {sizes:?} {:?}\n", image.smaller)
}

#[test]
fn values_are_what_is_written_down() {
    let mut out: String = values().iter().map(readings).collect();
    for size in [[4, 4, 1], [5, 3, 1], [1, 4, 1], [2, 2, 3], [0, 0, 0], [1, 1, 1]] {
        out += &levels(size);
    }
    for kind in [
        Kind::Bool,
        Kind::Int(8),
        Kind::Int(32),
        Kind::Int(64),
        Kind::Uint(32),
        Kind::Float(32),
        Kind::Float(64),
    ] {
        let bits = [
            0,
            1,
            0x80,
            0x8000_0000,
            0x7fc0_0000,
            0x7f80_0000,
            0xff80_0000,
            0x3dcc_cccd,
            0x3ff8_0000_0000_0000,
        ];
        let shown: Vec<String> = bits.iter().map(|bits| kind.json(*bits).to_string()).collect();
        let _ = writeln!(out, "{kind:?}: {}", shown.join(" "));
    }
    for mask in [0b1111, 0b0101, 0b1000, 0] {
        let made = Output::of_floats("o".to_owned(), "o1", mask, &[[1, 2, 3, 4], [5, 6, 7, 8]]);
        let _ = writeln!(out, "{made:?} {:?} {:?} {:?}", made.of(0), made.of(1), made.of(2));
    }
    let given = Attributes {
        count: 2,
        columns: vec![
            ("a".to_owned(), vec![Value::Number(2.0), Value::Bool(true)].into()),
            ("b".to_owned(), vec![Value::Bytes(Vec::new())].into()),
        ],
    };
    let _ = writeln!(out, "{:?}", given.vec4([0.0, 0.0, 0.0, 1.0]));
    for names in [&[][..], &["a"], &["a", "b"]] {
        let _ = writeln!(out, "{:?}", unset("uniform", names, "0"));
    }
    let mut cases = Cases::new();
    cases.file(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/values.txt"), Some(&out));
    cases.finish();
}
