//! From a module to a program. Read [`compile`] top to bottom.

mod file;

use chiaro_diag::Diagnostic;
use chiaro_ir::{FunctionRef, Module};
use chiaro_opt::{AGAIN_TO_VALUES, Assumptions, CLEAN_UP, Changed, Cx, Pass, TO_VALUES};

use crate::abi::Abi;
use crate::dag::{Op, Operand};
use crate::schedule::{self, Around, Quality};
use crate::select::{self, Selected};
use crate::word::{self, Word};

/// How to compile.
#[derive(Clone, Debug)]
pub struct Options {
    /// How hard the scheduler tries: 0 to 3.
    pub effort: u32,
    /// 1 / w is kept between minus this and this. \[Mesa]
    pub reciprocal_limit: f32,
    /// Point sizes are kept between these. \[Mesa]
    pub point_size: (f32, f32),
}

impl Default for Options {
    fn default() -> Options {
        Options { effort: 1, reciprocal_limit: 32768.0, point_size: (1.0, 100.0) }
    }
}

/// A compiled vertex shader.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The instructions.
    pub words: Vec<Word>,
    /// Where the variables are.
    pub abi: Abi,
    /// vec4 of constants, from two behind the user's uniforms on.
    pub constants: Vec<[f32; 4]>,
    /// Length and quality of each block.
    pub blocks: Vec<Quality>,
    /// Register components stored for want of room.
    pub spills: u32,
}

/// Instructions that a program may have. \[ARM]
pub const MOST_INSTRUCTIONS: usize = 512;

/// Compiles a vertex shader's entry point. The module is used up.
///
/// # Errors
/// What the machine cannot do or hold, with its place in the source.
pub fn compile(
    module: &mut Module,
    entry: &str,
    options: &Options,
    cx: &mut Cx<'_>,
) -> Result<Compiled, Box<Diagnostic>> {
    let spare = module.clone();
    let refused = match attempt(module, entry, options, cx, UNROLL[0]) {
        Ok(compiled) => return Ok(compiled),
        Err(refused) => refused,
    };
    // Arrays that loops index become values where the loops are unrolled, whatever it costs.
    *module = spare;
    attempt(module, entry, options, cx, UNROLL[1]).map_err(|_| refused)
}

/// What unrolling a loop may cost: at first, and where the program would not compile.
const UNROLL: [u32; 2] = [320, 2000];

fn attempt(
    module: &mut Module,
    entry: &str,
    options: &Options,
    cx: &mut Cx<'_>,
    unroll: u32,
) -> Result<Compiled, Box<Diagnostic>> {
    let f = optimize(module, entry, cx, unroll)?;
    let abi = Abi::new(module)?;
    let selected = select::select(module, module.function(f), &abi, options)?;
    let made = emit(selected, &abi, options)?;
    let compiled = Compiled { abi, ..made };
    match compiled.words.len() {
        n if n > MOST_INSTRUCTIONS => {
            let message = format!("the program has {n} instructions, {MOST_INSTRUCTIONS} are allowed");
            Err(Box::new(
                Diagnostic::error(None, message)
                    .help("loops that are unrolled and long functions called often take most"),
            ))
        }
        _ => Ok(compiled),
    }
}

/// Passes by name, in an order of their own.
fn named(names: &[&str]) -> Vec<Pass> {
    let all = chiaro_opt::ALGEBRA;
    names.iter().filter_map(|name| all.iter().find(|pass| pass.name == *name).copied()).collect()
}

fn optimize(
    module: &mut Module,
    entry: &str,
    cx: &mut Cx<'_>,
    unroll: u32,
) -> Result<FunctionRef, Box<Diagnostic>> {
    cx.options.assumptions = Assumptions::GRAPHICS;
    cx.options.assumptions.contract = false;
    cx.options.limits.lanes = 1;
    cx.options.limits.chains = false;
    cx.options.limits.select_cost = 24;
    cx.options.limits.unroll_cost = unroll;
    let Some(found) = module.entry(entry).map(|e| e.function) else {
        let message = format!("there is no entry point `{entry}`");
        return Err(Box::new(Diagnostic::error(None, message)));
    };
    module.entries.retain(|e| e.name == entry);
    let _ = cx.run_all(TO_VALUES, module, found);
    let late = named(&["simplify", "unroll", "if_convert", "hoist"]);
    for _ in 0..6 {
        let _ = cx.run_all(CLEAN_UP, module, found);
        // Elements that a loop's counter named are values now.
        let promoted = cx.run_all(AGAIN_TO_VALUES, module, found);
        let changed = cx.run_all(&late, module, found);
        if (promoted, changed) == (Changed::No, Changed::No) {
            break;
        }
    }
    let _ = cx.run_all(CLEAN_UP, module, found);
    Ok(found)
}

/// Schedules every block and links the branches.
fn emit(selected: Selected, abi: &Abi, options: &Options) -> Result<Compiled, Box<Diagnostic>> {
    let attempts = [1, 24, 90, 300][options.effort.min(3) as usize];
    let Selected { mut blocks, labels, reserved } = selected;
    let count = blocks.len();
    let mut around =
        Around { constants_from: abi.uniform_vec4 + 2, constants: Vec::new(), reserved, store_margin: 0 };
    let mut made = Compiled {
        words: Vec::new(),
        abi: Abi::default(),
        constants: Vec::new(),
        blocks: Vec::new(),
        spills: 0,
    };
    let mut starts = Vec::with_capacity(count + 1);
    let mut branches = Vec::new();
    for (i, block) in blocks.iter_mut().enumerate() {
        starts.push(made.words.len());
        let jump = block.jump.filter(|jump| labels[jump.to.0 as usize] as usize != i + 1);
        if let Some(jump) = jump {
            let condition = jump.condition.unwrap_or_else(|| block.dag.number(1.0));
            block.dag.make(Op::Branch, &[Operand { neg: false, ..condition }]);
        }
        around.store_margin = if i + 1 == count { 0 } else { 2 };
        let Some(scheduled) = schedule::schedule(&block.dag, &around, attempts) else {
            return Err(Box::new(Diagnostic::error(
                None,
                "more values are alive at once than the machine can hold",
            )));
        };
        made.words.extend(&scheduled.words);
        made.blocks.push(scheduled.quality);
        made.spills += scheduled.spills;
        around.constants = scheduled.constants;
        if let Some(jump) = jump {
            branches.push((made.words.len() - 1, jump.to));
        }
    }
    starts.push(made.words.len());
    for (at, label) in branches {
        let target = starts[labels[label.0 as usize] as usize] as u32;
        let word = made.words[at].with(word::TARGET, target & 255);
        made.words[at] = word.with(word::TARGET_LOW, u32::from(target < 256));
    }
    made.constants =
        around.constants.iter().map(|row| row.map(|bits| f32::from_bits(bits.unwrap_or(0)))).collect();
    Ok(made)
}
