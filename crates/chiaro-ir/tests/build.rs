//! The builder: what it makes of right and of wrong calls.

use chiaro_ir::{Builder, GlobalRef, Module, Op, Sampling, Space, Type, print, verify};

fn built(build: impl FnOnce(&mut Builder<'_>)) -> Result<String, String> {
    let mut module = Module::default();
    let (i32, void) = (module.types.intern(Type::Int(32)), module.types.intern(Type::Void));
    let mut b = Builder::new(&mut module, "f", &[i32], void);
    build(&mut b);
    b.finish().map_err(|mistake| mistake.to_string())?;
    assert_eq!(verify(&module), Ok(()), "{}", print(&module));
    Ok(print(&module))
}

#[test]
fn blocks_without_an_end_get_one_and_what_nothing_reaches_is_dropped() {
    let text = built(|b| {
        let n = b.param(0);
        let one = b.i32(1);
        b.switch(n, &[], &[(3, 0)], 2, |b, at, i| {
            if i == 0 {
                b.exit(at, &[]);
                b.iadd(n, one);
            }
        });
        b.block(&[], |b, _| b.return_());
        b.terminate();
    });
    let expected = "fn @f(%0: i32) {\n  switch %0 {\n    case 3 {\n      exit\n    }\n    default {\n      exit\n    \
                    }\n  }\n  block {\n    return\n  }\n  unreachable\n}\n";
    assert_eq!(text.unwrap(), expected);
}

#[test]
fn results_have_the_types_that_follow_from_the_operands() {
    let text = built(|b| {
        let (x, f32) = (b.f32(0.5), b.float_ty(32));
        let v = b.vector(&[x, x, x]);
        let less = b.flt(v, v);
        let any = b.any(less);
        let pointer = b.var(f32, Some(x));
        let y = b.choose(any, f32, |b| b.load(pointer), |b| b.fdot(v, v));
        let rounded = b.int_ty(32);
        let n = b.convert(Op::FToS, y, rounded);
        b.swizzle(v, &[0, 0, 1, 2]);
        b.bitcast(n, f32);
    });
    let text = text.unwrap();
    for line in [
        "%1: vec3<f32> = construct 0.5, 0.5, 0.5",
        "%2: vec3<bool> = flt %1, %1",
        "%4: ptr<function, f32> = var 0.5",
        "%8: i32 = ftos %5",
        "%9: vec4<f32> = shuffle.0.0.1.2 %1, %1",
    ] {
        assert!(text.contains(line), "{line} is missing in\n{text}");
    }
}

#[test]
fn the_first_mistake_is_told() {
    let mistake = |build: fn(&mut Builder<'_>)| built(build).unwrap_err();
    let wrong_type = mistake(|b| {
        let (n, x) = (b.param(0), b.f32(1.0));
        b.fadd(n, x);
        b.fadd(n, n);
    });
    assert_eq!(wrong_type, "`fadd` operand 2 is f32, not i32");
    let no_pointer = mistake(|b| {
        let n = b.param(0);
        b.load(n);
    });
    assert_eq!(no_pointer, "`load` has no result that follows from its operands");
    let no_image = mistake(|b| {
        let n = b.param(0);
        b.sample(Sampling::default(), n, n, &[]);
    });
    assert_eq!(no_image, "`sample` has no result that follows from its operands");
    let read_only = mistake(|b| {
        let (n, i32) = (b.param(0), b.int_ty(32));
        let pointer = b.pointer_ty(Space::Input, i32);
        let place = b.undef(pointer);
        b.store(place, n);
    });
    assert_eq!(read_only, "`store` nothing is stored in the space `input`");
    let no_values = mistake(|b| {
        let (n, i32) = (b.param(0), b.int_ty(32));
        b.loop_(&[n], &[], &[i32], |_, _, _| {}, Builder::repeat);
    });
    assert_eq!(no_values, "`continue` carries 0 values for 1 parameters");
    assert_eq!(
        mistake(|b| {
            b.begin(Op::Block, &[], &[], 1);
        }),
        "a construct is still open at the end of the function"
    );
    let no_param = mistake(|b| {
        b.param(7);
    });
    assert_eq!(no_param, "the function has no parameter 7");
}

fn parsed(text: &str) -> Result<Module, Vec<chiaro_diag::Diagnostic>> {
    chiaro_ir::parse(text, chiaro_diag::FileId(0))
}

#[test]
fn the_variable_behind_a_pointer_is_found() {
    let module = parsed(
        "struct S { a: array<f32, 4, stride 4> at 0 }\nglobal @s: private S\nglobal @t: private f32\n\
         fn @f(%0: i32) {\n  %1: ptr<private, f32> = access @s, 0, %0\n  store %1, 1.0\n  store @t, 2.0\n  return\n}\n",
    );
    let module = module.unwrap_or_else(|errors| panic!("{errors:?}"));
    let f = &module.functions[0];
    let stores = f.block(f.body).insts.iter().filter(|&&inst| f.op(inst) == Op::Store);
    let found: Vec<_> = stores.map(|&inst| module.variable_of(f, f.args(inst)[0])).collect();
    assert_eq!(found, [Some(GlobalRef(0)), Some(GlobalRef(1))]);
    assert_eq!(module.variable_of(f, f.params[0]), None, "no pointer");
}

#[test]
fn a_switch_that_becomes_something_else_loses_its_cases() {
    let text = "fn @f(%0: i32) {\n  switch %0 {\n    case 3 {\n      exit\n    }\n    default {\n      exit\n    }\n  }\n  return\n}\n";
    let mut module = parsed(text).unwrap_or_else(|errors| panic!("{errors:?}"));
    let f = &mut module.functions[0];
    let switch = f.block(f.body).insts[0];
    assert_eq!(f.cases(switch).count(), 1);
    let args = f.args(switch).to_vec();
    f.replace(switch, Op::Switch, &args);
    assert_eq!(f.cases(switch).count(), 1, "it is still one");
    f.replace(switch, Op::Block, &[]);
    assert_eq!(f.cases(switch).count(), 0);
}

#[test]
fn constants_are_read_as_deep_as_the_limit_says() {
    let nested = |depth: usize| {
        let mut ty = "f32".to_owned();
        (0..depth).for_each(|_| ty = format!("array<{ty}, 1, stride 4>"));
        let value = format!("{}1.0{}", "{".repeat(depth), "}".repeat(depth));
        parsed(&format!("fn @f() -> {ty} {{\n  return {ty}({value})\n}}\n")).err()
    };
    // Types have the same limit of 300 and are met first; one less is fine for both.
    assert_eq!(nested(299), None);
    assert!(nested(302).is_some());
}

/// Names of members: what has none is counted, but the only one is the whole.
#[test]
fn members_are_named_by_what_has_a_name() {
    use chiaro_ir::interface::join;
    let named = [
        ("b", "x", 1, "b.x"),
        ("b", "x", 2, "b.x"),
        ("", "x", 2, "x"),
        ("b", "", 2, "b.1"),
        ("b", "", 1, "b"),
    ];
    for (whole, member, count, name) in named {
        assert_eq!(join(whole, member, count, 1), name, "{whole} {member} of {count}");
    }
}
