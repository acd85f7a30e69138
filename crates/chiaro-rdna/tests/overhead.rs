//! What a call costs in a function that calls, beside LLVM: instructions of the caller.
//!
//! `overhead.tsv` has the rows of llc 19 in `llvm_call_overhead.tsv` with what ours take. LLVM's figure is all instructions
//! of the caller but for a load, a wait and a store of each value that lives across; ours leaves out loads, stores and
//! waits for loads. All keep the convention `compute`, as if callees were compiled apart. Pointers are chosen among functions, so that nothing asks for 0, nor does
//! LLVM. Ours make the descriptor of the buffer and keep it across the call, too, which LLVM's stores go without.
//!
//! LLVM's callers give nothing back (`define void @caller`, in the rows `tsv_*` of `llvm_calls.jsonl`) but those that
//! call themselves. Ours give back a 0: a call that nothing follows would be a jump here. What makes that 0 is no part of
//! the call, so it is left out, too.
//!
//! `CHIARO_BLESS=1` rewrites the table.

use std::collections::HashMap;
use std::fmt::Write;
use std::path::Path;

use chiaro_ir::{FunctionRef, Inst, Module, Op};
use chiaro_opt::Cx;
use chiaro_rdna::abi::interface::Abi;
use chiaro_rdna::abi::shipped;
use chiaro_rdna::compile::{Callables, Options, compile_with};
use chiaro_rdna::listing;

use crate::common::{kernel, pointers};

/// A call of a kind, with so many arguments, across which so many values live.
type Shape<'a> = (&'a str, usize, usize);

/// The program of a shape.
fn program((kind, args, live): Shape<'_>) -> Module {
    let list = |one: &dyn Fn(usize) -> String, count: usize| (0..count).map(one).collect::<Vec<_>>();
    let params = list(&|n| format!("uint a{n}"), args);
    let given = list(&|n| if n < live { format!("l{n}") } else { "x".to_owned() }, args).join(", ");
    let loads = list(&|n| format!("uint l{n} = v.d[{}]; ", 2 * n), live).concat();
    let stores = list(&|n| format!("v.d[{}] = l{n}; ", 2 * n), live).concat();
    let through = ["uint64_t p".to_owned()].into_iter().chain(params.clone()).collect::<Vec<_>>().join(", ");
    let (params, zeros) = (params.join(", "), vec!["0u"; args].join(", "));
    let call = match kind {
        "direct" => format!("g({given});"),
        "recursive" => "r = self_f(x - 1u, p);".to_owned(),
        _ => format!("through_g(p{}{given});", if args > 0 { ", " } else { "" }),
    };
    let first = if args > 0 { "a0" } else { "3u" };
    let body = match kind {
        "recursive" => {
            format!("if (x == 0u) return x; {loads} uint r = x - 1u; {call} {stores} return r + 1u;")
        }
        _ => format!("{loads} {call} {stores} return 0u;"),
    };
    let functions = format!(
        "layout(std430, binding = 2) coherent volatile buffer V {{ uint d[256]; }} v;
        void g({params}) {{ if (b.d[{first} & 127u] == 77u) a.f[0] = 1.0; }}
        void h({params}) {{ if (b.d[{first} & 63u] == 78u) a.f[1] = 1.0; }}
        void through_g({through}) {{ }}
        uint64_t at_g() {{ g({zeros}); return uint64_t(0); }}
        uint64_t at_h() {{ h({zeros}); return uint64_t(0); }}
        uint self_f(uint x, uint64_t p) {{ return x; }}
        uint f(uint x, uint64_t p) {{ {body} }}"
    );
    let pointer = match kind {
        "ind_div" => "(i & 1u) == 0u ? at_g() : at_h()",
        "ind_uniform" => "gl_WorkGroupID.x == 0u ? at_g() : at_h()",
        _ => "uint64_t(0)",
    };
    let head = pointers::HEAD;
    let text = format!("uint64_t p = {pointer}; b.d[i] = f(i, p) + f(i ^ 1u, p);");
    let mut module = kernel::load_with(head, &functions, &text);
    pointers::lead(&mut module);
    itself(&mut module);
    module
}

/// Leads calls of `self_f` to `f`: GLSL has no recursion.
fn itself(module: &mut Module) {
    let named = |name: &str| module.functions.iter().position(|f| f.name == name);
    let (Some(from), Some(to)) = (named("self_f"), named("f")) else { return };
    let f = &mut module.functions[to];
    for inst in (0..f.inst_count() as u32).map(Inst) {
        if f.op(inst) == Op::Call(FunctionRef(from as u32)) {
            f.inst_mut(inst).op = Op::Call(FunctionRef(to as u32));
        }
    }
}

/// Instructions of the caller but for loads and stores of what lives across, and waits for those loads, under a convention;
/// without one the functions are fitted to each other.
fn instructions(shape: Shape<'_>, convention: Option<&str>) -> usize {
    let module = program(shape);
    let convention = convention.and_then(shipped::convention);
    let names = ["f", "g", "h"].map(str::to_owned).to_vec();
    let known: Vec<String> =
        names.into_iter().filter(|name| module.functions.iter().any(|f| f.name == *name)).collect();
    let callables = Callables { names: known, convention, recursion: Some(4), ..Callables::default() };
    let options = Options { wave: 32, abi: Abi::Hsa, ..Options::default() };
    let compiled = compile_with(&mut module.clone(), "main", options, &callables, &mut Cx::default())
        .unwrap_or_else(|errors| panic!("{shape:?}: {}", errors[0].message));
    let f = compiled.functions.iter().find(|f| f.name == "f").expect("it stays a function");
    let text = listing::code(&compiled.code[f.bytes.start as usize..f.bytes.end as usize], 32, 0);
    if std::env::var("LISTING").is_ok() {
        println!("{shape:?}\n{text}");
    }
    // One wait may serve many loads: LLVM's figure leaves out one for each.
    let is_access = |line: &&str| line.contains("  buffer_") || line.contains("  s_waitcnt vmcnt(");
    let count = text.lines().filter(|line| line.starts_with("  ") && !is_access(line)).count();
    count - usize::from(shape.0 != "recursive" && makes_zero(&text))
}

/// Whether an instruction of a listing makes the 0 that all but the recursive functions give back. What moves it to its
/// place counts.
fn makes_zero(text: &str) -> bool {
    let made = |line: &str| line.trim().strip_prefix("s_mov_b32 s").is_some_and(|rest| rest.ends_with(", 0"));
    assert!(text.lines().any(made), "nothing makes a 0:\n{text}");
    true
}

/// A call without arguments, across which nothing lives: what the caller takes with its own way back. Under `compute` that
/// is two writes and two reads of the return address, its counter up and down, the call, and the end.
#[test]
fn the_shortest_calls_take_so_much() {
    let open = |kind: &str| instructions((kind, 0, 0), Some("compute"));
    assert_eq!(["direct", "ind_uniform", "ind_div"].map(open), [8, 8, 29]);
    assert_eq!(instructions(("direct", 0, 0), None), 3);
}

#[test]
fn calls_take_what_the_table_says() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/overhead.tsv");
    let text = std::fs::read_to_string(&path).expect("the table");
    let mut known: HashMap<(String, usize, usize), usize> = HashMap::new();
    let (mut made, mut sums) = (String::new(), Vec::<(String, [usize; 4])>::new());
    for line in text.lines() {
        let cells: Vec<&str> = line.split('\t').collect();
        let [kind, args, live, flat, llvm, ..] = cells[..] else { panic!("{line}") };
        if kind == "kind" || kind.starts_with("sum of ") {
            let is_head = kind == "kind";
            made.push_str(if is_head { line } else { "" });
            made.push_str(if is_head { "\n" } else { "" });
            continue;
        }
        let number = |text: &str| text.parse::<usize>().expect("a number");
        let shape = (kind, number(args), number(live));
        let key = (kind.to_owned(), shape.1, shape.2);
        let own = *known.entry(key).or_insert_with(|| instructions(shape, Some("compute")));
        let _ = writeln!(made, "{kind}\t{args}\t{live}\t{flat}\t{llvm}\t{own}");
        if sums.last().is_none_or(|(last, _)| last != kind) {
            sums.push((kind.to_owned(), [0; 4]));
        }
        if let Some((_, sum)) = sums.last_mut() {
            let above = usize::from(own > number(llvm));
            [1, number(llvm), own, above].iter().zip(sum).for_each(|(n, sum)| *sum += n);
        }
    }
    for (kind, [rows, llvm, own, above]) in &sums {
        let _ = writeln!(made, "sum of {kind}\t{rows} rows\t{above} above LLVM's\t\t{llvm}\t{own}");
    }
    if std::env::var_os("CHIARO_BLESS").is_some() {
        std::fs::write(&path, made).expect("the table is written");
        return;
    }
    assert_eq!(made, text, "CHIARO_BLESS=1 rewrites the table");
}
