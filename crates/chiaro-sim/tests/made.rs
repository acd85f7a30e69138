//! What every operation gives in every environment, and every kind of lookup in an image, as numbers that are written
//! down: both engines share the arithmetic, so comparing them does not see it change. `CHIARO_BLESS=1` rewrites `made.txt`.

use std::fmt::Write;
use std::path::Path;

use chiaro_cases::{Cases, digest};
use chiaro_num::{F16, Rounding};
use chiaro_sim::arith::Any;
use chiaro_sim::texture::{
    Addressing, Compare, Dim, Filter, Level, Lookup, Mip, Sampler, Shape, Texel, Texture,
};
use chiaro_sim::{Assumption, Denormals, FloatEnv, NanRule, Op, Storage, ZeroTimesInfinity, scalar};

/// Operands at borders and between them, as floats and as integers.
const WORDS: [u32; 18] = [
    0,
    1,
    2,
    31,
    0x8000_0000,
    0x3f80_0000,
    0xbfc0_0000,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_0001,
    0x0000_0003,
    0x8040_0000,
    0x7f7f_ffff,
    0x4b80_0001,
    0x3eaa_aaab,
    0xcf00_0000,
    u32::MAX,
    0x3c01_5bff,
];

fn environments() -> [(&'static str, FloatEnv); 6] {
    let half = FloatEnv {
        format: F16,
        storage: Storage::Raw,
        nan: NanRule::Propagate,
        zero_times_infinity: ZeroTimesInfinity::ZeroWins,
        ..FloatEnv::IEEE
    };
    [
        ("ieee", FloatEnv::IEEE),
        ("pica emu32", FloatEnv::PICA_EMU32),
        ("pica hw24", FloatEnv::pica_hw24(Rounding::TowardZero)),
        ("half", half),
        ("flushing", FloatEnv::FLUSHING),
        ("flushed", FloatEnv { denormals: Denormals::Flush, ..FloatEnv::IEEE }),
    ]
}

/// All results of an operation in an environment.
fn results(op: Op, env: &FloatEnv) -> String {
    let mut out = String::new();
    for (n, &a) in WORDS.iter().enumerate() {
        for (m, &b) in WORDS.iter().enumerate() {
            let operands = [a, b, WORDS[(n * 5 + m * 3) % WORDS.len()]];
            let _ = write!(out, "{:x?} ", scalar::value::<Any>(op, env, operands));
        }
    }
    out
}

/// An image of small numbers with all its smaller levels.
fn image(size: [u32; 3], deep: bool) -> Texture {
    let count = |size: [u32; 3]| size.iter().product::<u32>();
    let texel =
        |n: u32| -> Texel { [n * 3 % 17, n, 40 - n % 40, 1].map(|x| (x as f32 / 8.0).to_bits().into()) };
    let level =
        |size: [u32; 3]| Texture { size, texels: (0..count(size)).map(texel).collect(), smaller: Vec::new() };
    let mut made = level(size);
    let mut now = size;
    while now[0] > 1 || now[1] > 1 {
        let depth = if deep { (now[2] / 2).max(1) } else { now[2] };
        now = [(now[0] / 2).max(1), (now[1] / 2).max(1), depth];
        made.smaller.push(level(now));
    }
    made
}

fn samplers() -> Vec<(String, Sampler)> {
    let plain = Sampler { border: [7, 8, 9, 10], ..Sampler::default() };
    let mut all = Vec::new();
    for addressing in [
        Addressing::Repeat,
        Addressing::Mirror,
        Addressing::MirrorOnce,
        Addressing::Clamp,
        Addressing::Border,
    ] {
        for filter in [Filter::Nearest, Filter::Linear] {
            let sampler = Sampler { addressing: [addressing; 3], magnify: filter, minify: filter, ..plain };
            all.push((format!("{addressing:?} {filter:?}"), sampler));
        }
    }
    let linear = Sampler { mip: Mip::Linear, magnify: Filter::Linear, minify: Filter::Linear, ..plain };
    all.push(("levels".to_owned(), linear));
    all.push(("no levels".to_owned(), Sampler { mip: Mip::None, ..linear }));
    all.push(("bias".to_owned(), Sampler { bias: 0.7, levels: [0.5, 2.25], ..linear }));
    all.push(("stretched".to_owned(), Sampler { anisotropy: 4.0, ..linear }));
    all.push(("apart".to_owned(), Sampler { faces_apart: true, ..linear }));
    for compare in [Compare::Never, Compare::Less, Compare::Equal, Compare::Greater, Compare::NotEqual] {
        all.push((format!("{compare:?}"), Sampler { compare, magnify: Filter::Linear, ..plain }));
    }
    for compare in [Compare::GreaterEqual, Compare::Always] {
        all.push((format!("{compare:?}"), Sampler { compare, ..plain }));
    }
    all
}

fn lookups() -> Vec<Lookup> {
    let places = [
        [0.1, 0.2, 0.3, 0.0],
        [0.5, 0.5, 0.5, 1.0],
        [1.3, -0.4, 2.2, 2.0],
        [-1.0, 0.97, -0.98, 0.6],
        [0.999, 1.0, -1.0, 3.0],
        [-0.2, -3.0, 0.1, 0.4],
        [0.9, -0.9, 0.89, 1.4],
    ];
    let mut all = Vec::new();
    for (n, at) in places.into_iter().enumerate() {
        let plain = Lookup {
            at,
            reference: None,
            level: Level::Given(0.0),
            gradients: [[0.0; 3]; 2],
            offset: [0; 3],
            gather: None,
        };
        let wide = [[0.3, 0.05, 0.0], [0.02, 0.1, 0.2]];
        all.extend([
            plain,
            Lookup { level: Level::Given(0.4 * n as f64), ..plain },
            Lookup { level: Level::Biased(0.3), gradients: wide, ..plain },
            Lookup { level: Level::Biased(-1.0), gradients: [[0.01; 3]; 2], ..plain },
            Lookup { offset: [1, -2, 1], ..plain },
            Lookup { gather: Some(n as u32 % 4), ..plain },
            Lookup { reference: Some(1.5), ..plain },
            Lookup { reference: Some(0.625), gather: Some(0), ..plain },
        ]);
    }
    all
}

/// All lookups by a sampler in images of a shape.
fn looked_up(sampler: &Sampler, shape: Shape) -> String {
    let size = match shape.dim {
        Dim::D1 => [9, if shape.arrayed { 3 } else { 1 }, 1],
        Dim::D2 | Dim::Rect => [6, 4, if shape.arrayed { 3 } else { 1 }],
        Dim::D3 => [4, 4, 4],
        Dim::Cube => [4, 4, if shape.arrayed { 12 } else { 6 }],
    };
    let image = image(size, shape.dim == Dim::D3);
    let of = |lookup: &Lookup| {
        let texel = image.sample(sampler, shape, lookup);
        format!("{texel:?} {:?} ", image.sampled_level(sampler, shape, lookup))
    };
    lookups().iter().map(of).collect()
}

#[test]
fn operations_and_lookups_give_what_is_written_down() {
    let mut out = "# operation: in each environment\n".to_owned();
    for &op in Op::ALL {
        let all = environments().map(|(_, env)| digest(&results(op, &env)));
        let _ = writeln!(out, "{}: {}", op.name(), all.join(" "));
    }
    out += "# sampler: 1D, 2D, 3D, cube, rectangle, and arrays of 1D, 2D, cube\n";
    let shapes = [
        (Dim::D1, false),
        (Dim::D2, false),
        (Dim::D3, false),
        (Dim::Cube, false),
        (Dim::Rect, false),
        (Dim::D1, true),
        (Dim::D2, true),
        (Dim::Cube, true),
    ];
    for (name, sampler) in samplers() {
        let all = shapes.map(|(dim, arrayed)| digest(&looked_up(&sampler, Shape { dim, arrayed })));
        let _ = writeln!(out, "{name}: {}", all.join(" "));
    }
    let mut cases = Cases::new();
    cases.file(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/made.txt"), Some(&out));
    cases.finish();
}

#[test]
fn assumptions_take_their_values_and_refuse_others() {
    const ALL: [Assumption; 2] = [
        Assumption { name: "order", values: "up down 3", about: "" },
        Assumption { name: "size", values: "N", about: "" },
    ];
    let order = Assumption::named(&ALL, "order").expect("it is there");
    assert_eq!((order.choice("up"), order.choice("down"), order.choice("3")), (Ok(0), Ok(1), Ok(2)));
    assert_eq!(order.choice("left").unwrap_err(), "`order` does not take `left`; it takes up down 3");
    let size = Assumption::named(&ALL, "size").expect("it is there");
    assert_eq!((size.number("12"), size.number("0x1f")), (Ok(12), Ok(31)));
    assert_eq!(size.number("many").unwrap_err(), "`size` does not take `many`; it takes N");
    let unknown = Assumption::named(&ALL, "sizes").unwrap_err();
    assert_eq!(unknown, "there is no assumption `sizes`; there are order, size");
}
