//! Modelled on RDNA: short and long forms of one operation, literals that follow and
//! may be shared, image instructions of up to 160 bits, modifiers in any order,
//! operands that take no bits, generations, a limit on scalar operands, branches.

mod operand;

use self::operand::{
    Address, Addresses, Base, Data, Data4, Descriptor, GlobalAddress, Scalar, Sgpr, Shape, Source, VGPR, Vcc,
    Vgpr, inline,
};
use crate::{MADE_UP, assert_errors, assert_laws, assert_listing};
use chiaro_isa::{
    Bits, Class, Cx, Field, Flag, Format, Gens, Hex, Implicit, Int, Isa, Item, Label, Length, Modes, Names,
    Operands, Purpose, Role, Rule, Set, Symbols, Tagged, Value, Wait, assemble, at, bit, dst, modifier,
    operations, split, src, target,
};

static VALU: Class = Class {
    name: "valu",
    unit: "vector",
    issue: Some(1),
    result: Wait::Slots(5),
    purpose: Purpose::Arithmetic,
    source: Some(&MADE_UP),
};
static SALU: Class = Class {
    name: "salu",
    unit: "scalar",
    issue: Some(1),
    result: Wait::Window(2, 4),
    purpose: Purpose::Arithmetic,
    source: Some(&MADE_UP),
};
static MEMORY: Class = Class {
    name: "vmem",
    unit: "memory",
    issue: None,
    result: Wait::Counter { name: "vmcnt", slots: 0 },
    purpose: Purpose::Memory,
    source: None,
};

operations! {
    enum Op => OPS {
        /// Float sum.
        AddF32 "v_add_f32" [E32 3, E64 0x103] VALU MADE_UP;
        /// Float product.
        MulF32 "v_mul_f32" [E32 8, E64 0x108] VALU MADE_UP { aliases: &[(1, "v_mul")] };
        /// One of two by a bit for each lane.
        CndmaskB32 "v_cndmask_b32" [CNDMASK_E32 1, CNDMASK_E64 0x101] VALU MADE_UP;
        /// Product with a constant, plus sum.
        FmamkF32 "v_fmamk_f32" [FMAMK 44] VALU MADE_UP;
        /// Product plus sum, rounded once.
        FmaF32 "v_fma_f32" [E64_THREE 0x14b] VALU MADE_UP;
        /// Comparison that sets the lanes that run.
        CmpxLtF32 "v_cmpx_lt_f32" [CMPX 0x11] VALU MADE_UP { implicit: WRITES_EXEC };
        /// Sum; carry goes to scc.
        AddU32 "s_add_u32" [SOP2 0] SALU MADE_UP { implicit: WRITES_SCC };
        /// Copy.
        MovB32 "s_mov_b32" [SOP1 3] SALU MADE_UP;
        /// Copy of the wave's number; only in the newer generation.
        GetWave "s_get_wave" [SOP1 0x30] SALU MADE_UP { when: Gens::from(1) };
        /// Goes on elsewhere.
        Branch "s_branch" [SOPP 2] SALU MADE_UP;
        /// Loads 32 bits.
        GlobalLoad "global_load_dword" [GLOBAL 12] MEMORY MADE_UP;
        /// Samples a texture.
        ImageSample "image_sample" [IMAGE 0x20, IMAGE_NSA 0x20] MEMORY MADE_UP;
        /// Intersects a ray with a node, 64-bit addresses.
        Bvh64 "image_bvh64_intersect_ray" [RAY 0xe7] MEMORY MADE_UP;
    }
}

const WRITES_EXEC: &[Implicit] = &[Implicit { name: "exec", role: Role::Def }];
const WRITES_SCC: &[Implicit] = &[Implicit { name: "scc", role: Role::Def }];
const LITERAL: u64 = 255;

const VDST: Field = dst("vdst", at(17..=24), &Vgpr, "result");
const SRC0: Field = src("src0", split([32..=63, 0..=8]), &PLAIN, "first operand");
const VSRC1: Field = src("vsrc1", at(9..=16), &Vgpr, "second operand");
static PLAIN: Source = Source { modifiers: false };
static MODIFIED: Source = Source { modifiers: true };

/// The literal of the long forms is behind them; code 255 in any operand asks for it.
const fn long(name: &'static str, neg: u8, abs: u8, code: std::ops::RangeInclusive<u8>) -> Field {
    src(
        name,
        split([neg..=neg, abs..=abs, 64..=95, code]),
        &MODIFIED,
        "operand, with sign and absolute value",
    )
}

static E32: Format = Format {
    name: "VOP2",
    length: Length::Literal { asked: &[(at(0..=8), LITERAL)], short: 4, long: 8 },
    opcode: at(25..=30),
    fixed: &[(bit(31), 0)],
    fields: &[VDST, SRC0, VSRC1],
    syntax: &["{op} {vdst}, {src0}, {vsrc1}"],
    suffix: &["_e32"],
    ..Format::EMPTY
};
static CNDMASK_E32: Format = Format {
    fields: &[VDST, SRC0, VSRC1, src("vcc", Bits::NONE, &Vcc, "which lanes take the second")],
    syntax: &["{op} {vdst}, {src0}, {vsrc1}, {vcc}"],
    ..E32
};
static FMAMK: Format = Format {
    name: "VOP2 with a constant",
    length: Length::Bytes(8),
    fields: &[VDST, SRC0, modifier("k", at(32..=63), &Hex, "the constant"), VSRC1],
    syntax: &["{op} {vdst}, {src0}, {k}, {vsrc1}"],
    suffix: &[],
    ..E32
};
static CMPX: Format = Format {
    name: "VOPC",
    opcode: at(17..=24),
    fixed: &[(at(25..=31), 0x3e)],
    fields: &[SRC0, VSRC1],
    syntax: &["{op} {src0}, {vsrc1}"],
    ..E32
};

const LONG_VDST: Field = dst("vdst", at(0..=7), &Vgpr, "result");
const LONG0: Field = long("src0", 61, 8, 32..=40);
const LONG1: Field = long("vsrc1", 62, 9, 41..=49);
const CLAMP: Field = modifier("clamp", bit(15), &Flag(" clamp"), "clamp the result to 0..1");
const OMOD: Field =
    modifier("omod", at(59..=60), &Modes(&["", " mul:2", " mul:4", " div:2"]), "scale the result");

static E64: Format = Format {
    name: "VOP3",
    length: Length::Literal { asked: &[(at(32..=40), LITERAL), (at(41..=49), LITERAL)], short: 8, long: 12 },
    opcode: at(16..=25),
    fixed: &[(at(26..=31), 0x35)],
    fields: &[LONG_VDST, LONG0, LONG1, CLAMP, OMOD],
    syntax: &["{op} {vdst}, {src0}, {vsrc1}{clamp}{omod}"],
    suffix: &["_e64"],
    rules: &[CONSTANT_BUS],
    spare: &[at(10..=14), at(50..=58), bit(63)],
    ..Format::EMPTY
};
static CNDMASK_E64: Format = Format {
    fields: &[
        LONG_VDST,
        LONG0,
        LONG1,
        src("vcc", at(50..=58), &PLAIN_NARROW, "which lanes take the second"),
        CLAMP,
        OMOD,
    ],
    syntax: &["{op} {vdst}, {src0}, {vsrc1}, {vcc}{clamp}{omod}"],
    spare: &[at(10..=14), bit(63)],
    ..E64
};
static PLAIN_NARROW: Source = Source { modifiers: false };
static E64_THREE: Format = Format {
    name: "VOP3, three sources",
    length: Length::Literal {
        asked: &[(at(32..=40), LITERAL), (at(41..=49), LITERAL), (at(50..=58), LITERAL)],
        short: 8,
        long: 12,
    },
    fields: &[LONG_VDST, LONG0, LONG1, long("src2", 63, 10, 50..=58), CLAMP, OMOD],
    syntax: &["{op} {vdst}, {src0}, {vsrc1}, {src2}{clamp}{omod}"],
    suffix: &[],
    spare: &[at(11..=14)],
    ..E64
};

const SSRC0: Field = src("ssrc0", split([32..=63, 0..=7]), &Scalar, "first operand");
static SOP2: Format = Format {
    name: "SOP2",
    length: Length::Literal { asked: &[(at(0..=7), LITERAL), (at(8..=15), LITERAL)], short: 4, long: 8 },
    opcode: at(23..=29),
    fixed: &[(at(30..=31), 2)],
    fields: &[
        dst("sdst", at(16..=22), &Sgpr, "result"),
        SSRC0,
        src("ssrc1", split([32..=63, 8..=15]), &Scalar, "second operand"),
    ],
    syntax: &["{op} {sdst}, {ssrc0}, {ssrc1}"],
    ..Format::EMPTY
};
static SOP1: Format = Format {
    name: "SOP1",
    length: Length::Literal { asked: &[(at(0..=7), LITERAL)], short: 4, long: 8 },
    opcode: at(8..=15),
    fixed: &[(at(23..=31), 0x17d)],
    fields: &[dst("sdst", at(16..=22), &Sgpr, "result"), SSRC0],
    syntax: &["{op} {sdst}, {ssrc0}"],
    ..SOP2
};
static SOPP: Format = Format {
    name: "SOPP",
    length: Length::Bytes(4),
    opcode: at(16..=22),
    fixed: &[(at(23..=31), 0x17f)],
    fields: &[target("to", at(0..=15), &Label { scale: 4, relative: 16, from: 4 }, "where to go on")],
    syntax: &["{op} {to}"],
    ..SOP2
};

const GLC: Field = modifier("glc", bit(16), &Flag(" glc"), "past the first cache");
const SLC: Field = modifier("slc", bit(17), &Flag(" slc"), "past the second cache");
const DLC: Field = modifier("dlc", bit(12), &Flag(" dlc"), "past the array's cache").when(Gens::until(0));

/// The address has one register with a scalar base, two without.
static GLOBAL: Format = Format {
    name: "FLAT, global",
    length: Length::Bytes(8),
    opcode: at(18..=24),
    fixed: &[(at(26..=31), 0x37), (at(14..=15), 2), (split([55..=55, 25..=25, 13..=13]), 0)],
    fields: &[
        dst("vdst", at(56..=63), &Vgpr, "result"),
        src("saddr", at(48..=54), &Base, "scalar base or off"),
        src("vaddr", split([48..=54, 32..=39]), &GlobalAddress, "offset or address"),
        modifier("offset", at(0..=11), &Tagged(" offset:", &Int(12)), "bytes"),
        GLC,
        SLC,
        DLC,
    ],
    syntax: &["{op} {vdst}, {vaddr}, {saddr}{*offset glc slc dlc}"],
    spare: &[at(40..=47)],
    ..Format::EMPTY
};

const DIM: Field = modifier("dim", at(3..=5), &Names(DIMS), "shape of the image");
const DMASK: Field = modifier("dmask", at(8..=11), &Tagged("dmask:", &Hex), "components");
const IMAGE_GLC: Field = modifier("glc", bit(13), &Flag(" glc"), "past the first cache");
const IMAGE_SLC: Field = modifier("slc", bit(25), &Flag(" slc"), "past the second cache");
const IMAGE_DLC: Field =
    modifier("dlc", bit(7), &Flag(" dlc"), "past the array's cache").when(Gens::until(0));
const UNORM: Field = modifier("unorm", bit(12), &Flag(" unorm"), "coordinates in texels");
const TFE: Field = modifier("tfe", bit(16), &Flag(" tfe"), "status in one more register");
const LWE: Field = modifier("lwe", bit(17), &Flag(" lwe"), "warn about low detail");
const VDATA: Field =
    dst("vdata", split([16..=16, 8..=11, 40..=47]), &Data, "as many registers as components");
const SRSRC: Field = src("srsrc", at(48..=52), &Descriptor(8), "image descriptor");
const SSAMP: Field = src("ssamp", at(53..=57), &Descriptor(4), "sampler descriptor");
const DIMS: &[&str] = &[
    "SQ_RSRC_IMG_1D",
    "SQ_RSRC_IMG_2D",
    "SQ_RSRC_IMG_3D",
    "SQ_RSRC_IMG_CUBE",
    "SQ_RSRC_IMG_1D_ARRAY",
    "SQ_RSRC_IMG_2D_ARRAY",
    "SQ_RSRC_IMG_2D_MSAA",
    "SQ_RSRC_IMG_2D_MSAA_ARRAY",
];

/// One of the addresses that stand alone: the shape, the count of further dwords, then
/// its own register.
macro_rules! address {
    ($name:literal, $n:literal, $shape:ident, $bits:expr) => {
        src($name, split([3..=5, 1..=2, $bits]), &Address { n: $n, shape: Shape::$shape }, "one address")
    };
}

/// Consecutive addresses.
static IMAGE: Format = Format {
    name: "MIMG",
    length: Length::Bytes(8),
    opcode: split([0..=0, 18..=24]),
    fixed: &[(at(26..=31), 0x3c), (at(1..=2), 0)],
    fields: &[
        DIM,
        DMASK,
        TFE,
        VDATA,
        src("vaddr", split([3..=5, 32..=39]), &Addresses, "addresses"),
        SRSRC,
        SSAMP,
        UNORM,
        IMAGE_GLC,
        IMAGE_SLC,
        IMAGE_DLC,
        LWE,
    ],
    syntax: &["{op} {vdata}, {vaddr}, {srsrc}, {ssamp} {dmask} dim:{dim}{*unorm glc slc dlc tfe lwe}"],
    spare: &[at(14..=15), bit(6), at(58..=63)],
    ..Format::EMPTY
};
/// Each address in a register of its own choice.
static IMAGE_NSA: Format = Format {
    name: "MIMG, any addresses",
    length: Length::Counted { count: at(1..=2), base: 8, step: 4 },
    fixed: &[(at(26..=31), 0x3c)],
    fields: &[
        DIM,
        DMASK,
        TFE,
        VDATA,
        address!("a0", 0, Coordinates, 32..=39),
        address!("a1", 1, Coordinates, 64..=71),
        address!("a2", 2, Coordinates, 72..=79),
        address!("a3", 3, Coordinates, 80..=87),
        SRSRC,
        SSAMP,
        UNORM,
        IMAGE_GLC,
        IMAGE_SLC,
        IMAGE_DLC,
        LWE,
    ],
    syntax: &[
        "{op} {vdata}, [[{a0}{a1}{a2}{a3}]], {srsrc}, {ssamp} {dmask} dim:{dim}{*unorm glc slc dlc tfe lwe}",
    ],
    spare: &[at(14..=15), bit(6), at(58..=63), at(88..=127), at(128..=159)],
    ..IMAGE
};
static RAY: Format = Format {
    name: "MIMG, ray",
    length: Length::Counted { count: at(1..=2), base: 8, step: 4 },
    fixed: &[(at(26..=31), 0x3c), (at(3..=17), 0x13e0)],
    fields: &[
        dst("vdata", at(40..=47), &Data4, "four registers"),
        address!("a0", 0, Ray, 32..=39),
        address!("a1", 1, Ray, 64..=71),
        address!("a2", 2, Ray, 72..=79),
        address!("a3", 3, Ray, 80..=87),
        address!("a4", 4, Ray, 88..=95),
        address!("a5", 5, Ray, 96..=103),
        address!("a6", 6, Ray, 104..=111),
        address!("a7", 7, Ray, 112..=119),
        address!("a8", 8, Ray, 120..=127),
        address!("a9", 9, Ray, 128..=135),
        address!("a10", 10, Ray, 136..=143),
        address!("a11", 11, Ray, 144..=151),
        src("srsrc", at(48..=52), &Descriptor(4), "tree descriptor"),
        modifier("a16", bit(62), &Flag(" a16"), "halves"),
    ],
    syntax: &["{op} {vdata}, [[{a0}{a1}{a2}{a3}{a4}{a5}{a6}{a7}{a8}{a9}{a10}{a11}]], {srsrc}{a16}"],
    spare: &[bit(25), at(53..=61), bit(63), at(152..=159)],
    ..IMAGE
};

const CONSTANT_BUS: Rule = Rule {
    id: "constant-bus",
    doc: "A vector instruction reads at most two different scalar values, in the older generation one.",
    source: &MADE_UP,
    check: constant_bus,
};

fn constant_bus(operands: &Operands<'_>) -> Result<(), (&'static str, String)> {
    let most = if operands.generation == 0 { 1 } else { 2 };
    let mut read = Vec::new();
    for (field, value) in operands.iter().filter(|(field, _)| field.role == Role::Use) {
        let scalar = match value {
            Value::Reg(r) if r.file != VGPR => (r.file, i64::from(r.index)),
            Value::Int(n) if inline(n).is_none() => (u8::MAX, n),
            _ => continue,
        };
        if !read.contains(&scalar) {
            read.push(scalar);
        }
        if read.len() > most {
            return Err((
                field.name,
                format!("reads {} different scalar values, but can read only {most}", read.len()),
            ));
        }
    }
    Ok(())
}

static SET: Set = Set {
    name: "toy-rdna",
    title: "Toy RDNA",
    about: "",
    operations: &[OPS],
    generations: &["gfx10", "gfx11"],
    dialects: &["llvm", "short"],
    rules: &[],
    fold_case: false,
};

#[test]
fn laws() {
    for generation in 0..2 {
        assert_laws(&Isa::new(&SET, generation), 200);
    }
    assert_eq!(Op::ALL.len(), OPS.len());
}

/// Words of llvm-mc's, but for the two with a literal and the last, whose dlc is cleared.
#[test]
fn listing() {
    let isa = Isa::new(&SET, 1);
    let rows = [
        ("d72db903", "v_cndmask_b32_e32 v220, v215, v150, vcc_lo"),
        ("515c7907", "v_add_f32_e32 v188, s81, v174"),
        ("c3608310", "v_mul_f32_e32 v65, -3, v176"),
        ("3d5d0759cdab0000", "v_fmamk_f32 v131, v61, 0xabcd, v174"),
        ("ff02000678563412", "v_add_f32_e32 v0, 0x12345678, v1"),
        ("050003d501030220", "v_add_f32_e64 v5, -v1, v1"),
        ("6bbc4b80", "s_add_u32 s75, vcc_hi, 60"),
        ("1803d0be", "s_mov_b32 s80, s24"),
        ("eb0082bf", "s_branch 236"),
        ("548130dc4a006000", "global_load_dword v0, v74, s[96:97] offset:340"),
        (
            "380781f015500001",
            "image_sample v[80:83], v[21:24], s[0:7], s[32:35] dmask:0x7 dim:SQ_RSRC_IMG_2D_MSAA_ARRAY tfe",
        ),
    ];
    assert_listing(&isa, &isa.cx(), &rows);
}

fn length(isa: &Isa, text: &str) -> u8 {
    isa.parse(text, &isa.cx()).unwrap_or_else(|e| panic!("{text}: {e}")).inst.length
}

#[test]
fn the_shortest_form_that_holds_the_operands() {
    let isa = Isa::new(&SET, 1);
    assert_eq!(length(&isa, "v_add_f32 v0, v1, v2"), 4);
    assert_eq!(length(&isa, "v_add_f32 v0, 1000, v2"), 8);
    assert_eq!(length(&isa, "v_add_f32 v0, v1, s2"), 8);
    assert_eq!(length(&isa, "v_add_f32 v0, v1, |v2| clamp"), 8);
    assert_eq!(length(&isa, "v_add_f32 v0, v1, 1000"), 12);
    assert_eq!(length(&isa, "v_add_f32_e64 v0, v1, v2"), 8);
    // Two operands may share one literal.
    assert_eq!(length(&isa, "v_fma_f32 v0, 1000, v1, 1000"), 12);
    assert_eq!(length(&isa, "v_fmamk_f32 v0, 0x3e8, 0x3e8, v1"), 8);
    assert_eq!(
        length(&isa, "image_sample v[0:3], [v9, v7], s[0:7], s[8:11] dmask:0xf dim:SQ_RSRC_IMG_2D lwe glc"),
        12
    );
    let ray = "image_bvh64_intersect_ray v[0:3], [v1, v3, v5, v7, v9, v11, v2, v4, v6, v8, v10, v12], s[4:7]";
    assert_eq!(length(&isa, ray), 20);
}

#[test]
fn modifiers_in_any_order() {
    let isa = Isa::new(&SET, 0);
    let plain = "global_load_dword v0, v[2:3], off offset:-8 glc slc dlc";
    let inst = isa.parse(plain, &isa.cx()).expect("valid").inst;
    for text in [plain, "global_load_dword v0, v[2:3], off dlc slc glc offset:-8"] {
        assert_eq!(isa.parse(text, &isa.cx()).map(|p| p.inst), Ok(inst), "{text}");
    }
    assert_eq!(isa.text(&inst, &isa.cx()).as_deref(), Some(plain));
    // The same word without the generation's field.
    let newer = Isa::new(&SET, 1);
    let same = newer.decode_word(&inst.word, 8).expect("known");
    let text = newer.text(&same, &newer.cx());
    assert_eq!(text.as_deref(), Some("global_load_dword v0, v[2:3], off offset:-8 glc slc"));
    assert_eq!((newer.parse(plain, &newer.cx()).is_err(), newer.unclaimed(&same)), (true, bit(12).mask()));
}

#[test]
fn generations_and_dialects() {
    let (older, newer) = (Isa::new(&SET, 0), Isa::new(&SET, 1));
    let rows = [
        ("s_get_wave s1, 0", "s_get_wave", "no instruction is called `s_get_wave`"),
        ("v_add_f32_e64 v0, s1, s2", "s2", "reads 2 different scalar values, but can read only 1"),
    ];
    assert_errors(&older, &older.cx(), &rows);
    assert_eq!(older.elsewhere("s_get_wave", 0), ["gfx11"]);
    assert_eq!(length(&newer, "s_get_wave s1, 0"), 4);
    assert_eq!(length(&newer, "v_add_f32_e64 v0, s1, s2"), 8);
    let short = Cx { dialect: 1, ..newer.cx() };
    let inst = newer.parse("v_mul v1, v2, v3", &short).expect("the other name").inst;
    assert_eq!(newer.text(&inst, &short).as_deref(), Some("v_mul v1, v2, v3"));
    assert_eq!(newer.text(&inst, &newer.cx()).as_deref(), Some("v_mul_f32_e32 v1, v2, v3"));
    let wave = Cx { wave: 64, ..newer.cx() };
    let mask = newer.parse("v_cndmask_b32 v1, v2, v3, vcc", &wave).expect("whole vcc").inst;
    assert_eq!(newer.text(&mask, &newer.cx()).as_deref(), Some("v_cndmask_b32_e32 v1, v2, v3, vcc_lo"));
}

#[test]
fn errors() {
    let isa = Isa::new(&SET, 1);
    let rows = [
        ("v_fma_f32 v0, 1000, v1, 1001", "1001", "src2 contradicts src0: they share bits"),
        ("v_fma_f32 v0, s1, s2, s3", "s3", "reads 3 different scalar values, but can read only 2"),
        ("global_load_dword v0, v[2:3], s[4:5]", "v[2:3]", "vaddr cannot be this operand"),
        (
            "global_load_dword v0, v2, s[4:5] offset:5000",
            "offset:5000",
            "offset is 5000, but can only be -2048 to 2047",
        ),
        ("global_load_dword v0, v2, s[4:5] offset:5 offset:6", "offset:6", "there are too many operands"),
        ("v_add_f32 v0, v1, v2 sat", "sat", "there are too many operands"),
    ];
    assert_errors(&isa, &isa.cx(), &rows);
}

struct Labels;

impl Symbols for Labels {
    fn lookup(&self, name: &str) -> Option<Value> {
        (name == "end").then_some(Value::Symbol(0))
    }
    fn name_at(&self, address: u64) -> Option<&str> {
        (address == 20).then_some("end")
    }
}

#[test]
fn labels_count_literals() {
    let isa = Isa::new(&SET, 1);
    let cx = Cx { symbols: Some(&Labels), ..isa.cx() };
    let lines = ["s_branch end", "v_add_f32 v0, 1000, v1", "v_add_f32 v0, |v1|, v1"];
    let item = |line: &&str| Item::of(&isa, &isa.parse(line, &cx).expect("valid"), &cx);
    let mut items: Vec<Item> = lines.iter().map(item).collect();
    items.push(Item::Label(0));
    let code = assemble(&isa, &items, &isa.cx()).expect("it reaches");
    assert_eq!((code.offsets[3], &code.bytes[..4]), (20, &[4, 0, 0x82, 0xbf][..]));
    let inst = isa.decode(&code.bytes).expect("a branch");
    assert_eq!(isa.text(&inst, &cx).as_deref(), Some("s_branch end"));
}

/// What a reference page and a suggestion for a misspelt name are made of.
#[test]
fn names_and_modes_are_told() {
    let isa = Isa::new(&SET, 0);
    let names: Vec<&str> = isa.mnemonics(0).collect();
    assert!(names.len() > 3 && names.iter().all(|name| !name.is_empty()), "{names:?}");
    let modes = Modes(&["", " mul:2", "div:2 "]);
    assert_eq!(chiaro_isa::Kind::about(&modes).as_deref(), Some("0 -, 1 mul:2, 2 div:2"));
}
