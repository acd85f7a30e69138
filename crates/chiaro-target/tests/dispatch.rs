//! What the proof of kernels refuses, what it doubts, and what it takes: `dispatch.txt`.
//!
//! A case is what two kernels have in common, the body of the source, and that of the code, which is IR as well: the
//! machine here is the interpreter. It has a variable `@backwards` that is 1 where groups run in the other order.

use std::cell::RefCell;

use chiaro_diag::SourceMap;
use chiaro_ir::interp::{Interpreter, Interval, NoImages, Options, Precision};
use chiaro_ir::{GlobalRef, Module, Space, Type};
use chiaro_isa::Rng;
use chiaro_target::proof::kernel::{Given, How, Kernel, verify};
use chiaro_target::proof::{Failure, Program};

/// Two modules with the same variables.
struct Toy {
    source: Module,
    code: Module,
    /// Whether nobody knows where buffers end.
    open: bool,
    /// Buffers that the code does not have.
    without: Vec<String>,
    /// Instructions that the code may take.
    fuel: u64,
    /// What each run is given.
    given: RefCell<Vec<Given>>,
}

impl Toy {
    /// The module, and the variables that only code has.
    fn of(text: &str) -> Toy {
        let mut options = text.lines().map_while(|line| line.strip_prefix("; "));
        let options: Vec<&str> = options.by_ref().take_while(|line| *line != "---").collect();
        let mut parts = text.split("; ---\n");
        let head = parts.next().unwrap_or_default();
        let [source, code] = [0, 1].map(|_| parts.next().unwrap_or_default());
        let only = format!("{head}global @backwards: uniform i32\n");
        Toy {
            source: module(head, source),
            code: module(&only, code),
            open: options.contains(&"nobody knows where buffers end"),
            without: options
                .iter()
                .filter_map(|o| o.strip_prefix("code without "))
                .map(str::to_owned)
                .collect(),
            fuel: if options.contains(&"code does not end") { 1 } else { 1 << 20 },
            given: RefCell::default(),
        }
    }
}

fn module(head: &str, body: &str) -> Module {
    let text = format!(
        "global @id: input vec3<i32> builtin(28)\n{head}\
         entry compute \"main\" = @f workgroup(64, 1, 1)\nfn @f() {{\n{body}  return\n}}\n"
    );
    let module = chiaro_ir::parse(&text, SourceMap::new().add("case", text.as_str()));
    module.unwrap_or_else(|errors| panic!("{errors:?}\n{text}"))
}

impl Kernel for Toy {
    type Texels = NoImages;

    fn source(&self) -> Program<'_> {
        Program { module: &self.source, entry: &self.source.entries[0] }
    }
    fn bounds(&self) -> Interval {
        Interval { precision: Precision::VULKAN }
    }
    fn subgroup(&self) -> u32 {
        1
    }
    fn is_open(&self) -> bool {
        self.open
    }
    fn buffers(&self) -> Vec<GlobalRef> {
        let is_buffer = |g: &GlobalRef| {
            let global = self.source.global(*g);
            matches!(global.space, Space::Storage | Space::Uniform | Space::PushConstant)
                && matches!(self.source.types.get(global.ty), Type::Struct(..))
                && !self.without.contains(&global.name)
        };
        (0..self.source.globals.len() as u32).map(GlobalRef).filter(is_buffer).collect()
    }
    fn texels(&self, _: &mut Rng) -> NoImages {
        NoImages
    }
    fn unknown(&self) -> Option<&'static str> {
        None
    }
    fn rules(&self) -> Result<(), Failure> {
        Ok(())
    }
    fn run(&self, given: &Given, _: &NoImages, how: How) -> Result<Vec<Vec<u8>>, String> {
        self.given.borrow_mut().push(given.clone());
        let mut run = Interpreter::new(&self.code, &self.code.entries[0]);
        run.options = Options { fuel: self.fuel, undef: how.fill.into(), ..Options::default() };
        let known = self.buffers();
        known.iter().zip(&given.bytes).for_each(|(&g, bytes)| run.set(g, bytes.clone()));
        let last = GlobalRef(self.code.globals.len() as u32 - 1);
        run.set(last, vec![how.backwards.into(), 0, 0, 0]);
        run.dispatch(given.groups, &mut NoImages).map_err(|fault| fault.to_string())?;
        let left = |&g: &GlobalRef| run.bytes(g).map(<[u8]>::to_vec).ok_or("a buffer is gone".to_owned());
        known.iter().map(left).collect()
    }
    fn listing(&self) -> String {
        chiaro_ir::print(&self.code)
    }
}

fn judged(text: &str) -> String {
    match verify(&Toy::of(text), 1) {
        Ok(found) => {
            let reasons: String = found.reasons.iter().map(|(why, n)| format!(", {n} not: {why}")).collect();
            format!("right: {} scalars{reasons}\n", found.conclusive)
        }
        Err(Failure::Meaning(wrong)) => format!("wrong: {}\n", wrong.output),
        Err(Failure::Untested { conclusive, inconclusive, why }) => {
            format!("not proved: {inconclusive} of {} scalars: {why}\n", conclusive + inconclusive)
        }
        Err(other) => format!("{other}\n"),
    }
}

#[test]
fn wrong_kernels_are_refused() {
    chiaro_cases::of_file(env!("CARGO_MANIFEST_DIR"), "tests/dispatch.txt", judged);
}

/// Three runs for each of three inputs: integers are small in the first two, push constants always.
#[test]
fn inputs_are_small_at_first() {
    let toy = Toy::of(
        "struct List { all: array<i32, ?, stride 4> at 0 }
struct Push { n: i32 at 0 }
global @list: storage List set(0) binding(0)
global @push: push Push
; ---
; ---
",
    );
    assert!(verify(&toy, 1).is_ok());
    let given = toy.given.borrow();
    let largest = |bytes: &[u8]| chiaro_isa::dwords(bytes).max().unwrap_or(0);
    let largest: Vec<[u32; 2]> =
        given.iter().map(|given| [largest(&given.bytes[0]), largest(&given.bytes[1])]).collect();
    assert_eq!(largest.len(), 9);
    for (run, [list, push]) in largest.iter().enumerate() {
        assert!(if run < 6 { (16..64).contains(list) } else { *list > 1 << 24 }, "run {run}: {list}");
        assert!(*push < 16, "run {run}: {push}");
    }
    assert!(given.iter().all(|given| given.groups == [2, 1, 1]));
}
