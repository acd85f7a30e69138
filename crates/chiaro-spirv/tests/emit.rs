//! Modules of the IR as words, and as languages that people read.

use chiaro_diag::{FileId, Span};
use chiaro_ir::{Binding, Builder, EntryPoint, Global, GlobalRef, Member, Module, Op, Space, Stage, Type};
use chiaro_spirv::languages::{Language, in_language};

/// A compute shader that stores a number of a buffer back through some operations.
fn module(op: impl FnOnce(&mut Builder<'_>, chiaro_ir::Value) -> chiaro_ir::Value) -> Module {
    let mut module = Module::default();
    let (void, float) = (module.types.intern(Type::Void), module.types.intern(Type::Float(32)));
    let rows = module.types.intern(Type::RuntimeArray(float, 4));
    let member = Member { ty: rows, name: "rows".to_owned(), offset: Some(0) };
    let ty = module.types.intern(Type::Struct("Rows".to_owned(), vec![member]));
    module.globals.push(Global {
        name: "rows".to_owned(),
        space: Space::Storage,
        ty,
        init: None,
        binding: Binding { set: Some(0), binding: Some(0), ..Binding::default() },
        members: Vec::new(),
        coherent: false,
        read_only: false,
        span: None,
    });
    let main = module.declare("main", &[], void);
    let mut b = Builder::at(&mut module, main);
    let (pointer, zero) = (b.global(GlobalRef(0)), b.u32(0));
    let place = b.access(pointer, &[zero, zero]);
    let before = b.load(place);
    let after = op(&mut b, before);
    b.store(place, after);
    b.return_();
    b.finish().expect("a function");
    module.entries.push(EntryPoint {
        name: "main".to_owned(),
        stage: Stage::Compute,
        function: main,
        interface: Vec::new(),
        workgroup: [1; 3],
        modes: Vec::new(),
    });
    module
}

/// Numbers below zero stay what they are: languages go by the types of integers, not by the operation.
#[test]
fn operations_with_a_sign_have_types_with_a_sign() {
    let module = module(|b, x| {
        let (int, float) = (b.int_ty(32), b.float_ty(32));
        let n = b.convert(Op::FToS, x, int);
        b.convert(Op::SToF, n, float)
    });
    let words = chiaro_spirv::emit(&module, "main").expect("words");
    let text = in_language(&words, Language::Glsl(450)).expect("a text");
    assert!(text.contains("float(int(uint(int("), "{text}");
    let wgsl = in_language(&words, Language::Wgsl).expect("a text");
    assert!(wgsl.contains("bitcast<u32>(i32("), "{wgsl}");
}

/// What nobody comes to is not written: neither what follows a block that is left elsewhere, nor the rounds of
/// a loop that has one alone.
#[test]
fn what_nobody_comes_to_is_left_out() {
    let text = "struct Rows {
  rows: array<f32, ?, stride 4> at 0,
}
global @rows: storage Rows set(0) binding(0)
entry compute \"main\" = @main interface(@rows)

fn @main() {
  %0: ptr<storage, f32> = access @rows, 0, 0
  %1: f32 = load %0
  %2: f32 = loop @1 (%3: f32 = %1) {
    block {
      exit @1 %3
    }
    %4: bool = flt %3, 0.0
    %5: f32 = if %4 {
      exit %3
    } else {
      exit @1 %3
    }
    continue %5
  } continuing (%6: f32) {
    repeat %6
  }
  store %0, %2
  return
}
";
    let module = chiaro_ir::parse(text, FileId(0)).expect("a module");
    let words = chiaro_spirv::emit(&module, "main").expect("words");
    let text = in_language(&words, Language::Glsl(450)).expect("a text");
    assert!(!text.contains('<'), "{text}");
}

/// Everything is called `r`.
struct AllR;

impl chiaro_spirv::Names for AllR {
    fn of_place(&self, _place: Span) -> Option<String> {
        Some("r".to_owned())
    }
}

/// Of several instructions of one place the last has its name, in every language; the same name twice is two.
#[test]
fn results_are_named_after_their_places() {
    let place = |start| Some(Span { file: FileId(0), start, end: start + 4 });
    let module = module(|b, x| {
        b.span = place(0);
        let (double, two) = (b.fadd(x, x), b.f32(2.0));
        let step = b.fmul(double, two);
        b.span = place(4);
        let root = b.fsqrt(step);
        b.span = None;
        b.fadd(root, step)
    });
    let words = chiaro_spirv::emit_named(&module, "main", &AllR).expect("words");
    for (language, steps) in [
        (Language::Glsl(450), ["float r = ", "float r_1 = sqrt(r)"]),
        (Language::Wgsl, ["let r = ", "let r_1 = sqrt(r)"]),
    ] {
        let text = in_language(&words, language).expect("a text");
        assert!(steps.iter().all(|step| text.contains(step)) && !text.contains("r_2"), "{text}");
    }
}
