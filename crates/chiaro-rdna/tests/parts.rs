//! Programs whose functions are compiled apart: random ones in two parts, linked, run against their source in one piece;
//! and parts that do not fit together.

use chiaro_diag::{Diagnostic, FileId};
use chiaro_ir::{FunctionRef, Inst, Linkage, Module, Op};
use chiaro_opt::Cx;
use chiaro_rdna::Rdna;
use chiaro_rdna::abi::convention::Convention;
use chiaro_rdna::abi::file::{read, write};
use chiaro_rdna::abi::shipped;
use chiaro_rdna::compile::finish::object;
use chiaro_rdna::compile::{Callables, Compiled, Options, compile_library, compile_with};
use chiaro_rdna::container::note::{self, Item};
use chiaro_rdna::container::part::{Part, Table};
use chiaro_rdna::container::{self, REL32_HI, REL32_LO};
use chiaro_rdna::verify::{Words, verify};
use chiaro_target::{Failure, Piece, Target};

use crate::common::conventions;
use crate::common::random::{self, Refused, has_no_room, number};

/// How often a function may be open at once.
const OPEN: u32 = 6;

/// The functions that a part has: those for which this says so.
fn part(module: &Module, has: impl Fn(FunctionRef) -> bool) -> Module {
    let mut part = module.clone();
    let all = (0..module.functions.len() as u32).map(FunctionRef);
    for f in all.clone() {
        let function = part.function_mut(f);
        if has(f) {
            let is_known = all.clone().any(|caller| !has(caller) && names(module, caller).contains(&f));
            function.linkage = if is_known { Linkage::Export } else { Linkage::Own };
        } else {
            let types: Vec<_> = function.params.iter().map(|&param| function.ty(param)).collect();
            let mut import = function.successor(&types, function.result);
            import.linkage = Linkage::Import;
            *function = import;
        }
    }
    if part.entries.iter().any(|entry| part.function(entry.function).is_import()) {
        part.entries.clear();
    }
    chiaro_ir::verify(&part).expect("the part is sound");
    part
}

/// Functions that a function calls, or has the address of.
fn names(module: &Module, f: FunctionRef) -> Vec<FunctionRef> {
    let f = module.function(f);
    let mut found = Vec::new();
    for inst in (0..f.inst_count() as u32).map(Inst) {
        found.extend(match f.op(inst) {
            Op::Call(callee) => Some(callee),
            _ => None,
        });
        found.extend(f.args(inst).iter().filter_map(|&arg| named(module, f, arg)));
    }
    found
}

/// The function that a value is the address of.
fn named(module: &Module, f: &chiaro_ir::Function, value: chiaro_ir::Value) -> Option<FunctionRef> {
    let chiaro_ir::Def::Constant(c) = f.def(value) else { return None };
    match module.constants.get(c) {
        chiaro_ir::ConstantKind::Function(f) => Some(*f),
        _ => None,
    }
}

/// A program in two parts.
struct Program {
    seed: u64,
    whole: Module,
    parts: [Module; 2],
    options: Options,
    convention: Option<Convention>,
}

impl Program {
    /// A program by its seed; nothing where all its functions fell to one side.
    fn new(seed: u64) -> Option<Program> {
        let kind = random::Kind {
            points: seed >> 1 & 1 == 1,
            cycles: seed >> 2 & 1 == 1,
            parts: true,
            tails: false,
        };
        let whole = random::module(seed, kind);
        let main = whole.entries[0].function;
        let is_behind = |f: FunctionRef| {
            f != main && (seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (20 + f.0 % 24) & 1 == 1
        };
        let parts = [part(&whole, |f| !is_behind(f)), part(&whole, is_behind)];
        parts[1].functions.iter().find(|f| f.linkage == Linkage::Export)?;
        let convention = match seed / 8 % 8 {
            0 => None,
            1 => shipped::convention("rt_recursive"),
            2 => shipped::convention("ahit_isec"),
            _ => Some(conventions::convention(seed)),
        };
        let options = Options { wave: if seed & 1 == 0 { 32 } else { 64 }, ..Options::default() };
        Some(Program { seed, whole, parts, options, convention })
    }

    fn name(&self) -> String {
        format!("seed {}, waves of {}", self.seed, self.options.wave)
    }

    /// Both parts compiled; nothing where the second is left with no function that others call.
    fn compiled(&self) -> Result<Option<[Compiled; 2]>, Vec<Diagnostic>> {
        let convention = self.convention.clone();
        let callables = Callables { convention, recursion: Some(OPEN), ..Callables::default() };
        let cx = || Cx { verify: true, ..Cx::default() };
        let [mut first, mut second] = self.parts.clone();
        let kernel = compile_with(&mut first, "main", self.options, &callables, &mut cx())?;
        let library = compile_library(&mut second, self.options, &callables, &mut cx())?;
        Ok((!kernel.imports.is_empty()).then_some([kernel, library]))
    }

    /// The program of both parts, in the form of one that was compiled whole.
    fn linked(&self, parts: [Compiled; 2]) -> Result<Compiled, Vec<Diagnostic>> {
        let pieces: Vec<Piece> = parts.iter().map(|part| piece("a part", part)).collect();
        let settings = [("recursion".to_owned(), OPEN.to_string())];
        let made = Rdna.link(&pieces, &settings)?;
        let unproved: Vec<Diagnostic> =
            made.remarks.into_iter().filter(|remark| remark.message.contains("not proven")).collect();
        if !unproved.is_empty() {
            return Err(unproved);
        }
        let joined = container::read(&made.bytes).expect("what is linked is read");
        let (_, descriptor) = joined.kernels().next().expect("it has a kernel");
        let [kernel, _] = parts;
        let mut whole = Compiled { code: joined.text, vectors: descriptor.vgprs() as u16, ..kernel };
        whole.interface.scratch = descriptor.get("private_segment_fixed_size").unwrap_or(0);
        Ok(whole)
    }
}

fn piece(name: &str, compiled: &Compiled) -> Piece {
    let bytes = container::write(&object(compiled, "main")).expect("what is compiled is written");
    Piece { role: None, name: name.to_owned(), bytes }
}

/// As many programs as `PROGRAMS` says, from seed `SEED` on.
#[test]
fn parts_linked_mean_what_the_whole_source_does() {
    let (first, count) = (number("SEED", 0), number("PROGRAMS", 64));
    let (mut linked, mut refused, mut untested, mut failures) = (0, Refused::default(), 0, Vec::new());
    for program in (first..first + count).filter_map(Program::new) {
        let said = |why: &[Diagnostic]| why.iter().map(|d| d.message.clone()).collect::<Vec<_>>().join("; ");
        let made = program.compiled().and_then(|parts| parts.map(|parts| program.linked(parts)).transpose());
        let compiled = match made {
            Ok(Some(compiled)) => compiled,
            Ok(None) => continue,
            Err(why) if has_no_room(&said(&why)) => {
                refused.note(&said(&why));
                continue;
            }
            Err(why) => {
                failures.push(format!("{}: {}", program.name(), said(&why)));
                continue;
            }
        };
        linked += 1;
        let words = Words { source: &program.whole, entry: &program.whole.entries[0], compiled };
        match verify(&words, program.seed) {
            Ok(_) => {}
            Err(Failure::Untested { .. }) => untested += 1,
            Err(why) => failures.push(format!("{}: {why}", program.name())),
        }
    }
    let (count_refused, count_failures) = (refused.count(), failures.len());
    println!(
        "{linked} linked, {count_refused} refused, {untested} untested, {count_failures} failures\n{refused}"
    );
    failures.truncate(12);
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(linked * 4 > count && untested * 4 < count, "{linked} linked, {untested} untested of {count}");
}

#[test]
fn conventions_are_written_as_they_are_read() {
    let random = (0..1000).map(conventions::convention);
    let shipped = shipped::FILES.iter().filter_map(|(name, _)| shipped::convention(name));
    let mut count = 0;
    for convention in shipped.chain(random) {
        let text = write(&convention);
        match read(&text, FileId::default()) {
            Ok(back) => assert_eq!(back.convention, convention, "{text}"),
            Err(why)
                if ["no room for", "of `max_param_demand`"].iter().any(|no| why[0].message.contains(no)) =>
            {
                continue;
            }
            Err(why) => panic!("{text}: {}", why[0].message),
        }
        count += 1;
    }
    assert!(count > 500, "{count} conventions have room");
}

/// A kernel that calls `f`, as text; and a library that has it.
const KERNEL: &str = "
struct B {
  d: array<i32, 64, stride 4> at 0,
}
global @b: storage B set(0) binding(0)
global @i: input i32 builtin(29) read_only
entry compute \"main\" = @main workgroup(32, 1, 1) interface(@b, @i)
IMPORT
fn @main() {
  %0: i32 = load @i
  %1: RESULT = call @f(ARGS)
  %2: i32 = bitcast %1
  %3: ptr<storage, i32> = access @b, 0, %0
  store %3, %2
  return
}
";

fn compiled(text: &str, wave: u8, convention: &str) -> Compiled {
    let mut module =
        chiaro_ir::parse(text, FileId::default()).unwrap_or_else(|why| panic!("{text}: {}", why[0].message));
    let convention = shipped::convention(convention);
    let callables = Callables { convention, ..Callables::default() };
    let options = Options { wave, ..Options::default() };
    let cx = &mut Cx::default();
    let made = match module.entries.is_empty() {
        true => compile_library(&mut module, options, &callables, cx),
        false => compile_with(&mut module, "main", options, &callables, cx),
    };
    made.unwrap_or_else(|why| panic!("{text}: {}", why[0].message))
}

fn caller(head: &str, result: &str, args: &str) -> String {
    KERNEL.replace("IMPORT", head).replace("RESULT", result).replace("ARGS", args)
}

/// What linking says of some parts, without its advice.
fn said(parts: &[(&str, &Compiled)]) -> Vec<String> {
    let pieces: Vec<Piece> = parts.iter().map(|(name, part)| piece(name, part)).collect();
    match Rdna.link(&pieces, &[]) {
        Ok(_) => Vec::new(),
        Err(why) => why.into_iter().map(|d| d.message).collect(),
    }
}

/// Parts that do not fit together are refused, with both sides.
#[test]
fn parts_that_differ_are_refused() {
    let one = "import fn @f(%0: i32) -> i32";
    let kernel = compiled(&caller(one, "i32", "%0"), 32, "compute");
    let body = "export fn @f(%0: i32) -> i32 {\n  return %0\n}\n";
    let library = compiled(body, 32, "compute");
    let link = |other: &Compiled| said(&[("k.o", &kernel), ("l.o", other)]);
    assert_eq!(link(&library), [""; 0]);
    assert_eq!(link(&compiled(body, 64, "compute")), ["`k.o` is made for waves of 32, `l.o` for 64"]);
    let other = "`k.o` keeps the convention `compute`, `l.o` keeps `rt_recursive`, and they differ: s[32:63] is preserved \
                 here and clobbered there";
    assert_eq!(link(&compiled(body, 32, "rt_recursive")), [other]);
    let two = "export fn @f(%0: i32, %1: i32) -> i32 {\n  %2: i32 = iadd %0, %1\n  return %2\n}\n";
    let types = "`k.o` calls `f` as fn(i32) -> i32, and in `l.o` it is fn(i32, i32) -> i32";
    assert_eq!(link(&compiled(two, 32, "compute")), [types]);
    let missing = compiled(&body.replace("@f", "@ff"), 32, "compute");
    assert_eq!(link(&missing), ["`k.o` calls `f`, and no part has it"]);
    let twice = said(&[("k.o", &kernel), ("l.o", &library), ("m.o", &library)]);
    assert_eq!(twice, ["`l.o` and `m.o` both have `f`"]);
    assert_eq!(said(&[("l.o", &library)]), ["none of the parts has a kernel"]);
    assert_eq!(
        said(&[("k.o", &kernel), ("j.o", &kernel)])[0],
        "2 of the parts have a kernel, and a program begins with one"
    );
}

/// The example, in which each lane chooses from a table whose functions another part has: linked, run, and with a hole refused.
#[test]
fn tables_of_functions_are_filled_by_other_parts() {
    let table = include_str!("../../../examples/rdna/calls/table.ir");
    let filters = include_str!("../../../examples/rdna/calls/filters.ir");
    let own: Vec<&str> = table.lines().filter(|line| !line.starts_with("import")).collect();
    let whole = format!("{}\n{}", own.join("\n"), filters.replace("export ", ""));
    let source = chiaro_ir::parse(&whole, FileId::default()).expect("it is read");
    for wave in [32, 64] {
        let (kernel, library) = (compiled(table, wave, "compute"), compiled(filters, wave, "compute"));
        let pieces = [piece("table.o", &kernel), piece("filters.o", &library)];
        let made = Rdna.link(&pieces, &[]).unwrap_or_else(|why| panic!("{}", why[0].message));
        let is_proven =
            made.remarks.iter().any(|remark| remark.message.contains("are proven to keep contracts"));
        assert!(is_proven, "{:?}", made.remarks);
        let joined = container::read(&made.bytes).expect("what is linked is read");
        let record = joined.document().and_then(|document| Part::of(&document).expect("a record"));
        let entries = ["square", "mirror"].map(str::to_owned).to_vec();
        assert_eq!(record.expect("a record").tables, [Table { name: "filters".to_owned(), entries }]);
        let (half, _) = filters.split_once("export fn @mirror").expect("it is there");
        let half = piece("half.o", &compiled(half, wave, "compute"));
        let why = Rdna.link(&[pieces[0].clone(), half], &[]).expect_err("a hole");
        assert_eq!(why[0].message, "`table.o` calls `mirror`, and no part has it");
        assert_eq!(why[0].notes, ["entry 1 of the table `filters` of `table.o` is `mirror`"]);
        let words = Compiled { code: joined.text, vectors: 64, ..kernel };
        let words = Words { source: &source, entry: &source.entries[0], compiled: words };
        verify(&words, 1).unwrap_or_else(|why| panic!("waves of {wave}: {why}"));
    }
}

/// An address of a function that another part has is a distance from one place, the end of `s_getpc_b64`, in both halves.
#[test]
fn halves_of_addresses_count_from_one_place() {
    let [f, g] = ["f", "g"].map(|name| format!("import fn @{name}(%0: i32) -> i32"));
    let text = caller(&format!("{f}\n{g}"), "i32", "%0").replace(
        "  %1: i32 = call @f(%0)\n",
        "  %4: bool = slt %0, 7\n  %5: i64 = select %4, i64(@f), i64(@g)\n  %6: fn(i32) -> i32 = bitcast %5\n  \
         %1: i32 = call_indirect %6, %0\n",
    );
    for wave in [32, 64] {
        let object = object(&compiled(&text, wave, "compute"), "main");
        let word = |at: u64| u32::from_le_bytes(object.text[at as usize..][..4].try_into().expect("a word"));
        let is_getpc = |at: u64| word(at) & 0xff80_ffff == 0xbe80_1f00;
        for (kind, name) in [REL32_LO, REL32_HI].into_iter().flat_map(|kind| ["f", "g"].map(|f| (kind, f))) {
            let place = object.relocations.iter().find(|r| r.kind == kind && r.symbol == name);
            let place = place.unwrap_or_else(|| panic!("{name}: {:?}", object.relocations));
            let from = place.offset - place.addend as u64;
            assert!(is_getpc(from - 4), "{name}: {kind} counts from byte {from}");
        }
    }
}

/// A call reaches as far as its sixteen bits do.
#[test]
fn calls_that_go_too_far_are_refused() {
    let kernel = compiled(&caller("import fn @f(%0: i32) -> i32", "i32", "%0"), 32, "compute");
    let body = "export fn @f(%0: i32) -> i32 {\n  %1: i32 = imul %0, %0\n  return %1\n}\n";
    let library = object(&compiled(body, 32, "compute"), "main");
    // So many words stand before the function in its part.
    let link = |words: u64| {
        let mut far = library.clone();
        far.text = (0..words).flat_map(|_| 0xbf80_0000u32.to_le_bytes()).chain(far.text).collect();
        far.symbols.iter_mut().for_each(|symbol| symbol.value += words * 4);
        let bytes = container::write(&far).expect("written");
        let far = Piece { role: None, name: "l.o".to_owned(), bytes };
        Rdna.link(&[piece("k.o", &kernel), far], &[]).map(|_| ()).map_err(|why| why[0].message.clone())
    };
    let told = |words: u64| format!("a call of `f` goes over {words} words of code, 32767 are allowed");
    let far = link(40_000).expect_err("too far");
    let before = (0..256).find(|n| far == told(40_000 + n)).unwrap_or_else(|| panic!("{far}"));
    assert_eq!(link(32_767 - before), Ok(()));
    assert_eq!(link(32_768 - before), Err(told(32_768)));
}

/// How many waves a group has is known to kernels alone: barriers of libraries stay.
#[test]
fn libraries_wait_for_other_waves() {
    let body =
        "export fn @f(%0: i32) -> i32 {\n  barrier.workgroup.workgroup.acq_rel.workgroup\n  return %0\n}\n";
    for wave in [32, 64] {
        let code = compiled(body, wave, "compute").code;
        let barriers = code.chunks(4).filter(|word| **word == 0xbf8a_0000u32.to_le_bytes()).count();
        assert_eq!(barriers, 1, "waves of {wave}");
    }
}

/// Functions of two parts that call each other need a bound.
#[test]
fn cycles_over_borders_need_a_bound() {
    let kernel = compiled(&caller("import fn @f(%0: i32) -> i32", "i32", "%0"), 32, "compute");
    let other = |own: &str, callee: &str| {
        format!(
            "import fn @{callee}(%0: i32) -> i32\nexport fn @{own}(%0: i32) -> i32 {{\n  %1: bool = slt %0, 1\n  \
             %2: i32 = if %1 {{\n    exit 5\n  }} else {{\n    %3: i32 = isub %0, 1\n    %4: i32 = call @{callee}(%3)\n    \
             %5: i32 = iadd %4, %0\n    exit %5\n  }}\n  return %2\n}}\n"
        )
    };
    let (f, g) = (compiled(&other("f", "g"), 32, "compute"), compiled(&other("g", "f"), 32, "compute"));
    let pieces: Vec<Piece> =
        [("k.o", &kernel), ("f.o", &f), ("g.o", &g)].map(|(name, part)| piece(name, part)).to_vec();
    let open = Rdna.link(&pieces, &[]).expect_err("a cycle");
    assert!(open[0].message.contains("call each other over the borders of parts"), "{}", open[0].message);
    let bound = |n: &str| Rdna.link(&pieces, &[("recursion".to_owned(), n.to_owned())]);
    let scratch = |n: &str| {
        let made = bound(n).unwrap_or_else(|why| panic!("{}", why[0].message));
        let (_, descriptor) = container::read(&made.bytes)
            .expect("read")
            .kernels()
            .next()
            .map(|(n, d)| (n.to_owned(), d))
            .expect("a kernel");
        descriptor.get("private_segment_fixed_size").unwrap_or(0)
    };
    let [one, four] = ["1", "4"].map(scratch);
    assert!(one > 0 && four == 4 * one, "{one} bytes for one of each, {four} for four");
    let none = bound("none").expect_err("no number");
    assert!(none[0].message.starts_with("`recursion=none`"), "{}", none[0].message);
    let nested = bound("33").expect_err("a wave has 32 lanes");
    assert!(nested[0].message.starts_with("calls nest 66 deep"), "{}", nested[0].message);
    let deep = bound("65536").expect_err("too deep");
    assert!(deep[0].message.starts_with("the stack takes "), "{}", deep[0].message);
}

/// The chain with most return addresses counts, though another one takes more bytes.
#[test]
fn nesting_is_its_own_maximum() {
    let chain = |from: u32, to: u32, last: &str| {
        let one = |n: u32| {
            let next = n + 1;
            format!(
                "import fn @f{next}(%0: i32) -> i32\nexport fn @f{n}(%0: i32) -> i32 {{\n  %1: i32 = iadd %0, {n}\n  \
                 %2: i32 = call @f{next}(%1)\n  %3: i32 = imul %2, 3\n  return %3\n}}\n"
            )
        };
        // Each in a part of its own, so that none is written out in another.
        let mut parts: Vec<Compiled> = (from..to).map(|n| compiled(&one(n), 32, "compute")).collect();
        parts.push(compiled(last, 32, "compute"));
        parts
    };
    let last = |n: u32| format!("export fn @f{n}(%0: i32) -> i32 {{\n  return %0\n}}\n");
    // One function with a large frame, which calls nobody.
    let large = compiled("export fn @g(%0: i32) -> i32 {\n  return %0\n}\n", 32, "compute");
    let large = forged(&piece("g.o", &large), ".frame", &Item::Number(16_384));
    let link = |count: u32| {
        let imports = "import fn @f0(%0: i32) -> i32\nimport fn @g(%0: i32) -> i32";
        let kernel = caller(imports, "i32", "%0").replace("@f(", "@f0(");
        let kernel = compiled(&kernel.replace("bitcast %1", "call @g(%1)"), 32, "compute");
        let parts = chain(0, count, &last(count));
        let parts = [&kernel].into_iter().chain(&parts).map(|part| piece("part.o", part));
        let pieces: Vec<Piece> = parts.chain([large.clone()]).collect();
        Rdna.link(&pieces, &[]).map(|_| ()).map_err(|why| why[0].message.clone())
    };
    assert_eq!(link(32), Ok(()));
    let deep = link(33).expect_err("33 addresses in 32 lanes");
    assert!(deep.starts_with("calls nest 33 deep"), "{deep}");
}

/// What a note says of calls and registers is held against the words.
#[test]
fn notes_are_not_believed_where_words_tell() {
    let import = "import fn @f(%0: i32) -> i32";
    let kernel = piece("k.o", &compiled(&caller(import, "i32", "%0"), 32, "compute"));
    let body = "export fn @f(%0: i32) -> i32 {\n  %1: i32 = imul %0, %0\n  return %1\n}\n";
    let library = piece("l.o", &compiled(body, 32, "compute"));
    let link = |field: &str, item: Item| Rdna.link(&[forged(&kernel, field, &item), library.clone()], &[]);
    let honest =
        Rdna.link(&[kernel.clone(), library.clone()], &[]).unwrap_or_else(|why| panic!("{}", why[0].message));
    let needs = |bytes: &[u8]| {
        let object = container::read(bytes).expect("read");
        let (_, descriptor) = object.kernels().next().map(|(n, d)| (n.to_owned(), d)).expect("a kernel");
        (descriptor.vgprs(), descriptor.get("private_segment_fixed_size"))
    };
    for (field, item) in
        [(".calls", Item::List(Vec::new())), (".vectors", Item::Number(1)), (".times", Item::Number(0))]
    {
        let made = link(field, item).unwrap_or_else(|why| panic!("{field}: {}", why[0].message));
        assert_eq!(needs(&made.bytes), needs(&honest.bytes), "{field}");
    }
    // Nor is what a symbol says of its size.
    let forged_kernel = forged(&kernel, ".vectors", &Item::Number(1));
    let mut object = container::read(&forged_kernel.bytes).expect("read");
    object.symbols.iter_mut().for_each(|symbol| symbol.size = symbol.size.min(4));
    let short = Piece { bytes: container::write(&object).expect("written"), ..forged_kernel.clone() };
    let made = Rdna.link(&[short, library.clone()], &[]).unwrap_or_else(|why| panic!("{}", why[0].message));
    assert_eq!(needs(&made.bytes), needs(&honest.bytes), "sizes of symbols");
    for (field, item, piece) in [
        (".lds", Item::Number(70_000), "asks for 70000 bytes of LDS, 65536 are there"),
        (".lds", Item::Text("1".to_owned()), "`.lds` of the note is to be a number"),
        (".name", Item::Text("f".to_owned()), "its note has `f` twice"),
        (
            ".role",
            Item::Text("king".to_owned()),
            "`.role` of the note is to be kernel, export, own or import",
        ),
    ] {
        let why = link(field, item).expect_err(piece);
        assert!(why[0].message.contains(piece), "{}", why[0].message);
    }
}

/// Of what both sides say of a function each thing counts.
#[test]
fn functions_are_what_their_callers_take_them_for() {
    let kernel = piece("k.o", &compiled(&caller("import fn @f(%0: i32) -> i32", "i32", "%0"), 32, "compute"));
    let body = "export fn @f(%0: i32) -> i32 {\n  return %0\n}\n";
    let library = piece("l.o", &compiled(body, 32, "compute"));
    for (field, item, piece) in [
        (".types", Item::Text("fn(f32) -> i32".to_owned()), "and in `l.o` it is fn(f32) -> i32"),
        (".signature", Item::Text(String::new()), "where `k.o` calls it, and missing in `l.o`"),
        (".takes", Item::Number(0), "`k.o` gives `f` 1 values, and in `l.o` it takes 0"),
    ] {
        let why = Rdna.link(&[kernel.clone(), forged(&library, field, &item)], &[]).expect_err(piece);
        assert!(why[0].message.contains(piece), "{}", why[0].message);
    }
}

/// A part in whose note a field of the first function has another value.
fn forged(piece: &Piece, field: &str, item: &Item) -> Piece {
    let mut object = container::read(&piece.bytes).expect("read");
    let mut document = object.document().expect("a note");
    change(&mut document, field, item);
    object.note = Some(note::write(&document));
    Piece { bytes: container::write(&object).expect("written"), ..piece.clone() }
}

/// Gives a field of the first function of a note another value.
fn change(document: &mut Item, field: &str, to: &Item) {
    let Item::Map(entries) = document else { return };
    let functions = entries.iter_mut().find(|(name, _)| name == "chiaro.functions");
    let Some((_, Item::List(all))) = functions else { panic!("no functions") };
    let Some(Item::Map(fields)) = all.first_mut() else { panic!("no function") };
    let found = fields.iter_mut().find(|(name, _)| name == field);
    let (_, item) = found.unwrap_or_else(|| panic!("no {field}"));
    *item = to.clone();
}
