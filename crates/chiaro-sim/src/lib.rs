//! Micro-ops, and the two engines that run them.
//!
//! A target states what an instruction computes once, as micro-ops: a small
//! fixed vocabulary over lanes of 32 bits. From that come the reference
//! evaluator, the fast simulator and constant folding on machine code.
//!
//! | module | holds |
//! |---|---|
//! | [`op`] | the vocabulary, one row per operation |
//! | [`uop`] | one micro-op with its operands, and its text |
//! | [`code`] | a list of micro-ops under construction |
//! | [`mod@env`] | how floating-point operations round, flush and treat NaN |
//! | [`arith`], [`early`], [`f16`], [`f24`] | arithmetic in an environment: any, and the hot ones |
//! | [`math`] | exp2, log2, sine, cosine: branch-free, the same everywhere |
//! | [`state`] | slots, tables, masks that micro-ops work on |
//! | [`memory`], [`mapped`] | address spaces with faults per lane; memory by 64-bit address |
//! | [`scalar`] | the reference: one lane after another, easy to read |
//! | [`batch`], [`engine`], `kernel` | 32 lanes at once, portable, with AVX2 or AVX-512 |
//! | [`mod@simplify`] | straight runs of which few results are asked for: without copies and what nobody reads |
//! | `fuse`, `transform` | straight runs of micro-ops in fewer steps |
//! | [`transpose`] | vertices in arrays to lanes in slots and back |
//! | [`commit`] | writes that become visible later than they are computed |
//! | [`groups`] | lanes that own their pc: divergent groups, the lowest pc first |
//! | [`texture`] | images in memory: addressing, filtering, levels |
//! | [`change`] | registers that are set in the middle of a run |
//! | [`printf`] | texts with values in them |
//! | [`assumption`] | what public sources leave open, by name |
//!
//! Invariant: both engines give the same bits for every micro-op, lane for lane
//! (any NaN counts as any other where the environment says so); `tests/law.rs`
//! compares them over the whole vocabulary.
//!
//! ```
//! use chiaro_sim::{Code, Engine, FloatEnv, Op, Prepared, State};
//!
//! let mut code = Code::new(FloatEnv::IEEE);
//! let (x, half) = (code.slots(1), code.slots(1));
//! code.imm(&[half], 0.5_f32.to_bits());
//! code.each(Op::Fmad, &[x], &[&[x], &[half], &[half]]);
//!
//! let mut state = State::new(code.slot_count(), 0);
//! state.lanes_mut(x).0[7] = 3.0_f32.to_bits();
//! Prepared::new(&code, Engine::best()).run(0..2, &mut state);
//! assert_eq!(f32::from_bits(state.lanes(x).0[7]), 2.0);
//! ```
//!
//! Control flow, stacks, clocks and hazards are not here: they belong to each
//! target's `machine.rs`, which runs straight runs of micro-ops.

#![deny(unsafe_code)]

pub mod arith;
pub mod assumption;
#[allow(unsafe_code)]
pub mod batch;
#[allow(unsafe_code)]
mod body;
pub mod change;
pub mod code;
pub mod commit;
pub mod early;
pub mod engine;
pub mod env;
pub mod f16;
pub mod f24;
mod fuse;
pub mod groups;
#[allow(unsafe_code)]
mod halves;
#[allow(unsafe_code)]
mod kernel;
pub mod mapped;
pub mod math;
pub mod memory;
pub mod op;
pub mod printf;
pub mod scalar;
pub mod simplify;
mod special;
pub mod state;
pub mod texel;
pub mod texture;
pub mod touched;
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod transform;
#[allow(unsafe_code)]
pub mod transpose;
pub mod uop;

pub use assumption::Assumption;
pub use batch::Prepared;
pub use change::{Change, Changes, Given};
pub use code::Code;
pub use engine::Engine;
pub use env::{Denormals, FloatEnv, NanRule, Storage, ZeroTimesInfinity};
pub use op::Op;
pub use simplify::simplify;
pub use state::{LANES, Lanes, State, Table};
pub use touched::Touched;
pub use uop::{EnvId, Scope, Slot, Uop};
