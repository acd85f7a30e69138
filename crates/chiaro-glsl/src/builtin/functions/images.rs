//! Functions of images, of atomic counters and of memory that is shared.

use super::names::*;
use super::row::{Row, functions};
use crate::builtin::pattern::*;
use crate::builtin::{Stages, When};
use crate::intrinsic::Atomic;
use crate::intrinsic::Intrinsic::{
    AtomicCounter, ImageAtomic, ImageLoad, ImageSamples, ImageSize, ImageStore, SubpassLoad,
};
use crate::ty::Scalar;

const SINGLE: Shapes = LINE
    .and(PLANE)
    .and(SOLID)
    .and(CUBE)
    .and(RECT)
    .and(BUFFER)
    .and(LINE_ARRAY)
    .and(PLANE_ARRAY)
    .and(CUBE_ARRAY);
const IMAGE: Pattern = pattern(Shape::Image(SINGLE), Scalar::Float);
const SAMPLES: Pattern = pattern(Shape::Image(MULTI.and(MULTI_ARRAY)), Scalar::Float);
const ANY: Pattern = pattern(Shape::Image(SINGLE.and(MULTI).and(MULTI_ARRAY)), Scalar::Float);
const PASS: Pattern = pattern(Shape::Texture(SUBPASS), Scalar::Float);
const PASS_SAMPLES: Pattern = pattern(Shape::Texture(SUBPASS_MULTI), Scalar::Float);
const P: Pattern = pattern(Shape::Fetch, Scalar::Int);
const T: Pattern = pattern(Shape::Texel4, Scalar::Float);
const X: Pattern = pattern(Shape::Datum, Scalar::Float);
const SIZE: Pattern = pattern(Shape::Size, Scalar::Int);
const COUNTER: Pattern = pattern(Shape::Counter, Scalar::Uint);
const MU: Pattern = written(Shape::Fixed(1), Scalar::Uint);
const MI: Pattern = written(Shape::Fixed(1), Scalar::Int);
const MF: Pattern = written(Shape::Fixed(1), Scalar::Float);
const MD: Pattern = written(Shape::Fixed(1), Scalar::Double);
const ML: Pattern = written(Shape::Fixed(1), Scalar::Int64);
const MUL: Pattern = written(Shape::Fixed(1), Scalar::Uint64);

const IMAGES: When =
    When::since(310, 420).or(&["GL_ARB_shader_image_load_store", "GL_EXT_shader_image_load_store"]);
const SIZES: When = When::since(310, 430).or(&["GL_ARB_shader_image_size"]);
const ATOMIC_IMAGES: When = When::since(320, 420).or(&[
    "GL_OES_shader_image_atomic",
    "GL_ARB_shader_image_load_store",
    "GL_EXT_shader_image_load_store",
]);
const COUNTERS: When = When::since(310, 420).or(&["GL_ARB_shader_atomic_counters"]);
const COUNTER_OPS: When = When::since(0, 460);
const COUNTER_OPS_ARB: When = When::with(&["GL_ARB_shader_atomic_counter_ops"]);
const MEMORY: When =
    When::since(310, 430).or(&["GL_ARB_shader_storage_buffer_object", "GL_ARB_compute_shader"]);
const MEMORY64: When = When::with(&["GL_NV_shader_atomic_int64", "GL_EXT_shader_atomic_int64"]);
const MEMORY_FLOAT: When = When::with(&["GL_NV_shader_atomic_float", "GL_EXT_shader_atomic_float"]);

/// Functions with one operand on images, memory and counters.
macro_rules! operations {
    ($( $image:literal $memory:literal $counter:literal $what:ident; )*) => {
        functions! {
            ATOMIC_IMAGES => { $( $image ImageAtomic(Atomic::$what) => X(IMAGE, P, X) | X(SAMPLES, P, I1, X); )* }
            MEMORY => { $( $memory crate::intrinsic::Intrinsic::Atomic(Atomic::$what) => U1(MU, U1) | I1(MI, I1); )* }
            MEMORY64 => { $( $memory crate::intrinsic::Intrinsic::Atomic(Atomic::$what) => UL1(MUL, UL1) | L1(ML, L1); )* }
            COUNTER_OPS => { $( $counter AtomicCounter(Atomic::$what) => U1(COUNTER, U1); )* }
        }
    };
}

/// Functions with one operand.
pub(super) static OPERATIONS: &[Row] = operations! {
    "imageAtomicAdd" "atomicAdd" "atomicCounterAdd" Add;
    "imageAtomicMin" "atomicMin" "atomicCounterMin" Min;
    "imageAtomicMax" "atomicMax" "atomicCounterMax" Max;
    "imageAtomicAnd" "atomicAnd" "atomicCounterAnd" And;
    "imageAtomicOr" "atomicOr" "atomicCounterOr" Or;
    "imageAtomicXor" "atomicXor" "atomicCounterXor" Xor;
    "imageAtomicExchange" "atomicExchange" "atomicCounterExchange" Exchange;
};

pub(super) static ROWS: &[Row] = functions! {
    IMAGES => {
        "imageLoad" ImageLoad => T(IMAGE, P) | T(SAMPLES, P, I1);
        "imageStore" ImageStore => VOID(IMAGE, P, T) | VOID(SAMPLES, P, I1, T);
    }
    SIZES => {
        "imageSize" ImageSize => SIZE(ANY);
    }
    When::since(0, 450).or(&["GL_ARB_shader_texture_image_samples"]) => {
        "imageSamples" ImageSamples => I1(SAMPLES);
    }
    ATOMIC_IMAGES => {
        "imageAtomicCompSwap" ImageAtomic(Atomic::CompareSwap) =>
            X(IMAGE, P, X, X) | X(SAMPLES, P, I1, X, X);
    }
    When::with(&["GL_NV_shader_atomic_float", "GL_EXT_shader_atomic_float"]) => {
        "imageAtomicLoad" ImageAtomic(Atomic::Load) => X(IMAGE, P) | X(SAMPLES, P, I1);
        "imageAtomicStore" ImageAtomic(Atomic::Store) => VOID(IMAGE, P, X) | VOID(SAMPLES, P, I1, X);
    }
    COUNTERS => {
        "atomicCounter" AtomicCounter(Atomic::Load) => U1(COUNTER);
        "atomicCounterIncrement" AtomicCounter(Atomic::Increment) => U1(COUNTER);
        "atomicCounterDecrement" AtomicCounter(Atomic::Decrement) => U1(COUNTER);
    }
    COUNTER_OPS => {
        "atomicCounterSubtract" AtomicCounter(Atomic::Subtract) => U1(COUNTER, U1);
        "atomicCounterCompSwap" AtomicCounter(Atomic::CompareSwap) => U1(COUNTER, U1, U1);
    }
    COUNTER_OPS_ARB => {
        "atomicCounterAddARB" AtomicCounter(Atomic::Add) => U1(COUNTER, U1);
        "atomicCounterSubtractARB" AtomicCounter(Atomic::Subtract) => U1(COUNTER, U1);
        "atomicCounterMinARB" AtomicCounter(Atomic::Min) => U1(COUNTER, U1);
        "atomicCounterMaxARB" AtomicCounter(Atomic::Max) => U1(COUNTER, U1);
        "atomicCounterAndARB" AtomicCounter(Atomic::And) => U1(COUNTER, U1);
        "atomicCounterOrARB" AtomicCounter(Atomic::Or) => U1(COUNTER, U1);
        "atomicCounterXorARB" AtomicCounter(Atomic::Xor) => U1(COUNTER, U1);
        "atomicCounterExchangeARB" AtomicCounter(Atomic::Exchange) => U1(COUNTER, U1);
        "atomicCounterCompSwapARB" AtomicCounter(Atomic::CompareSwap) => U1(COUNTER, U1, U1);
    }
    MEMORY => {
        "atomicCompSwap" crate::intrinsic::Intrinsic::Atomic(Atomic::CompareSwap) =>
            U1(MU, U1, U1) | I1(MI, I1, I1);
    }
    MEMORY64 => {
        "atomicCompSwap" crate::intrinsic::Intrinsic::Atomic(Atomic::CompareSwap) =>
            UL1(MUL, UL1, UL1) | L1(ML, L1, L1);
    }
    MEMORY_FLOAT => {
        "atomicAdd" crate::intrinsic::Intrinsic::Atomic(Atomic::Add) => F1(MF, F1) | D1(MD, D1);
        "atomicExchange" crate::intrinsic::Intrinsic::Atomic(Atomic::Exchange) => F1(MF, F1) | D1(MD, D1);
    }
    When::with(&["GL_KHR_memory_scope_semantics"]) => {
        "atomicLoad" crate::intrinsic::Intrinsic::Atomic(Atomic::Load) =>
            U1(MU, I1, I1, I1) | I1(MI, I1, I1, I1) | UL1(MUL, I1, I1, I1) | L1(ML, I1, I1, I1)
            | F1(MF, I1, I1, I1) | D1(MD, I1, I1, I1);
        "atomicStore" crate::intrinsic::Intrinsic::Atomic(Atomic::Store) =>
            VOID(MU, U1, I1, I1, I1) | VOID(MI, I1, I1, I1, I1) | VOID(MUL, UL1, I1, I1, I1)
            | VOID(ML, L1, I1, I1, I1) | VOID(MF, F1, I1, I1, I1) | VOID(MD, D1, I1, I1, I1);
    }
    When::ALWAYS.only(Stages::FRAGMENT) => {
        "subpassLoad" SubpassLoad => T(PASS) | T(PASS_SAMPLES, I1);
    }
};
