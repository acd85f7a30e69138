//! Random modules: what holds for every module.

use chiaro_diag::FileId;
use chiaro_ir::{
    Constant, Def, Exits, FunctionRef, Inst, Module, Op, PrintOptions, Step, Value, Walk, lower_exits, parse,
    print, print_with, random, stats, uniformity, verify,
};

fn modules(count: u64) -> impl Iterator<Item = (u64, Module)> {
    (0..count).map(|seed| (seed, random::module(seed, 20 + (seed % 200) as u32)))
}

#[test]
fn random_modules_are_sound() {
    for (seed, module) in modules(2000) {
        let verdict = verify(&module);
        assert!(verdict.is_ok(), "seed {seed}: {verdict:?}\n{}", print(&module));
    }
}

/// Images are written where no lane of another wave may have written the same texel.
#[test]
fn texels_are_written_by_waves_that_are_alone() {
    let writes = |shared: bool| {
        let features = random::Features { images: true, shared, ..random::Features::default() };
        let of = |seed| {
            let module = random::module_with(seed, 60, features);
            let all = module.functions.iter().flat_map(|f| Walk::insts(f).map(|inst| f.op(inst)));
            all.filter(|op| matches!(op, Op::ImageWrite)).count()
        };
        (0..40).map(of).sum::<usize>()
    };
    assert!(writes(false) > 20, "{}", writes(false));
    assert_eq!(writes(true), 0);
}

#[test]
fn printing_and_parsing_gives_the_same_text_and_a_sound_module() {
    let options = PrintOptions { spans: true, ..PrintOptions::default() };
    for (seed, module) in modules(1000) {
        let text = print_with(&module, options);
        let again = parse(&text, FileId(0)).unwrap_or_else(|e| panic!("seed {seed}: {e:?}\n{text}"));
        assert_eq!(print_with(&again, options), text, "seed {seed}");
        assert_eq!(verify(&again), Ok(()), "seed {seed}\n{text}");
    }
}

#[test]
fn a_copy_of_a_function_prints_as_the_function() {
    for (seed, mut module) in modules(500) {
        let text = print(&module);
        for i in 0..module.functions.len() {
            let old = &module.functions[i];
            let params: Vec<_> = old.params.iter().map(|&param| old.ty(param)).collect();
            let mut new = chiaro_ir::Function::new(old.name.as_str(), &params, old.result);
            let mut copies = chiaro_ir::Copies::new(old);
            old.params.iter().zip(new.params.clone()).for_each(|(&from, to)| copies.set(from, to));
            let body = new.body;
            copies.block(&mut new, Some(old), old.body, body);
            module.functions[i] = new;
        }
        assert_eq!(verify(&module), Ok(()), "seed {seed}");
        assert_eq!(print(&module), text, "seed {seed}");
    }
}

#[test]
fn damaged_modules_are_judged_and_printed_without_panic() {
    for (seed, mut module) in modules(2000) {
        let mut rng = random::Rng(seed);
        for _ in 0..=rng.below(3) {
            damage(&mut module, &mut rng);
        }
        let _ = verify(&module);
        let _ = parse(&print(&module), FileId(0));
    }
}

/// Changes one thing somewhere, most often into something that is not allowed.
fn damage(module: &mut Module, rng: &mut random::Rng) {
    let number = rng.below(module.functions.len());
    let f = &mut module.functions[number];
    let inst = chiaro_ir::Inst(rng.below(f.inst_count()) as u32);
    let other = chiaro_ir::Inst(rng.below(f.inst_count() + 1) as u32);
    let block = chiaro_ir::Block(rng.below(f.block_count()) as u32);
    let any_block = chiaro_ir::Block(rng.below(f.block_count() + 1) as u32);
    let value = Value(rng.below(f.value_count() + 1) as u32);
    match rng.below(8) {
        0 => f.inst_mut(inst).op = f.op(chiaro_ir::Inst(other.0.saturating_sub(1))),
        1 => f.args_mut(inst).iter_mut().for_each(|arg| *arg = value),
        2 => f.set_args(inst, &[value, value]),
        3 => f.set_blocks(inst, &[any_block]),
        4 => f.block_mut(block).insts.push(other),
        5 => drop(f.block_mut(block).insts.pop()),
        6 => f.block_mut(block).params.push(value),
        _ => f.set_blocks(inst, &[block, any_block]),
    }
}

#[test]
fn damaged_texts_are_parsed_without_panic() {
    for (seed, module) in modules(300) {
        let mut rng = random::Rng(seed);
        let mut text = print(&module).into_bytes();
        for _ in 0..=rng.below(4) {
            let at = rng.below(text.len());
            let pieces: [&[u8]; 12] =
                [b"{", b"}", b"%", b"@", b"0", b"\"", b"\n", b"<", b"!", b"exit", b"loop", b"-"];
            let piece = pieces[rng.below(pieces.len())];
            let end = at + rng.below(3).min(text.len() - at);
            text.splice(at..end, piece.iter().copied());
        }
        let text = String::from_utf8_lossy(&text);
        if let Ok(module) = parse(&text, FileId(0)) {
            let _ = verify(&module);
            let _ = print(&module);
        }
    }
}

#[test]
fn deep_nesting_exhausts_no_stack() {
    let depth = 50_000;
    let text = format!("fn @f() {{\n{}{}return }}", "block {\n".repeat(depth), "exit\n}\n".repeat(depth));
    let mut module = parse(&text, FileId(0)).unwrap();
    assert_eq!(verify(&module), Ok(()));
    assert_eq!(stats(&module.functions[0]).depth as usize, depth + 1);
    assert!(!lower_exits(&mut module, FunctionRef(0), Exits::default()));
}

/// Many results, operands, cases and members of one thing each.
#[test]
fn wide_things_take_linear_time() {
    let n = 60_000;
    let list = |item: &dyn Fn(usize) -> String| (0..n).map(item).collect::<Vec<_>>().join(", ");
    let results = list(&|i| format!("%{}: i32", i + 1));
    let values = list(&|i| i.to_string());
    let cases: String = (0..n).map(|i| format!("case {i} {{\nexit\n}}\n")).collect();
    let elements = list(&|_| "%0".into());
    let text = format!(
        "fn @f(%0: i32) {{\n{results} = block {{\nexit {values}\n}}\n\
         switch %0 {{\n{cases}default {{\nexit\n}}\n}}\n\
         %{}: array<i32, {n}> = construct {elements}\nreturn\n}}",
        n + 1
    );
    let module = parse(&text, FileId(0)).unwrap();
    assert_eq!(verify(&module), Ok(()));
    let printed = print(&module);
    assert_eq!(print(&parse(&printed, FileId(0)).unwrap()), printed);
}

/// Exits from the innermost of many constructs to each of them: sizes that grow with the square
/// of the depth would not come to an end here.
#[test]
fn exits_over_many_levels_are_lowered_in_linear_time() {
    let depth = 20_000;
    let open: String = (0..depth).map(|i| format!("block @{i} {{\n")).collect();
    let leave: String =
        (0..depth).map(|i| format!("if true {{\nexit @{i}\n}} else {{\nexit\n}}\n")).collect();
    let text = format!("fn @f() {{\n{open}{leave}{}return\n}}", "exit\n}\n".repeat(depth));
    let mut module = parse(&text, FileId(0)).unwrap();
    assert!(lower_exits(&mut module, FunctionRef(0), Exits::default()));
    assert_eq!(verify(&module), Ok(()));
    let size = stats(&module.functions[0]).instructions as usize;
    assert!(size < 16 * depth, "{size} instructions");
    assert_eq!(uniformity(&module).len(), 1);
}

/// What compilers get wrong is there: uniforms that loops index, scalars that fill a vector, negated
/// products, comparisons turned, matrices, long arms, integers at the borders of 17, 24 and 32 bits.
#[test]
fn random_vertex_shaders_have_what_compilers_get_wrong() {
    let modules: Vec<Module> =
        (0..600).map(|seed| random::vertex::module(seed, 4 + (seed % 60) as u32)).collect();
    let count = |has: fn(&Module, &chiaro_ir::Function, Inst) -> bool| {
        let any = |m: &Module| {
            let f = &m.functions[0];
            Walk::new(f).any(|step| matches!(step, Step::Inst(inst) if has(m, f, inst)))
        };
        modules.iter().filter(|m| any(m)).count()
    };
    let of_loop = |_: &Module, f: &chiaro_ir::Function, inst: Inst| {
        let mut last = f.args(inst).last().copied();
        // The counter is kept within the array.
        while let Some(value) = last
            && let Def::Result(by, _) = f.def(value)
            && f.op(by) == Op::SMin
        {
            last = f.args(by).first().copied();
        }
        f.op(inst) == Op::Access && last.is_some_and(|value| matches!(f.def(value), Def::BlockParam(..)))
    };
    assert!(count(of_loop) > 10, "uniforms indexed by loops");
    assert!(
        count(|_, f, inst| f.op(inst) == Op::Construct && f.args(inst).len() == 4) > 10,
        "scalars packed"
    );
    assert!(
        count(|_, f, inst| f.op(inst) == Op::FNeg && made(f, inst, |op| op == Op::FMul)) > 10,
        "negated products"
    );
    assert!(
        count(|_, f, inst| f.op(inst) == Op::Not
            && made(f, inst, |op| matches!(op, Op::FLt | Op::FLe | Op::FEq)))
            > 10,
        "comparisons turned"
    );
    let large =
        |m: &Module| (0..m.constants.len() as u32).any(|c| m.constants.bits(Constant(c)) == Some(131_071));
    assert!(modules.iter().any(large), "integers at a border");
}

/// Whether the first operand of an instruction was made by an operation of a kind.
fn made(f: &chiaro_ir::Function, inst: Inst, of: fn(Op) -> bool) -> bool {
    let Some(&arg) = f.args(inst).first() else { return false };
    matches!(f.def(arg), Def::Result(by, _) if of(f.op(by)))
}
