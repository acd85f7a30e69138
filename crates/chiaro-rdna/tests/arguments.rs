//! Arguments of a kernel under ROCm's convention, by name: each takes as many bytes as its metadata say.

use chiaro_diag::{Diagnostic, SourceMap};
use chiaro_rdna::Rdna;
use chiaro_target::{Inputs, Target, Value, Work, no_files};

/// Stores the words at 8, 12, 16 and 20 of its arguments.
const KERNEL: &str = "
.amdgcn_target \"amdgcn-amd-amdhsa--gfx1030\"
.amdhsa_code_object_version 5
.text
.globl store
.p2align 8
.type store,@function
store:
  s_load_dwordx2 s[2:3], s[0:1], 0x0
  s_load_dwordx4 s[4:7], s[0:1], 0x8
  v_mov_b32_e32 v0, 0
  s_waitcnt lgkmcnt(0)
  v_mov_b32_e32 v1, s4
  v_mov_b32_e32 v2, s5
  v_mov_b32_e32 v3, s6
  v_mov_b32_e32 v4, s7
  global_store_dwordx4 v0, v[1:4], s[2:3]
  s_endpgm
.Lend:
.size store, .Lend-store
.section .rodata,\"a\"
.amdhsa_kernel store
  .amdhsa_kernarg_size 24
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_next_free_vgpr 5
  .amdhsa_next_free_sgpr 8
.end_amdhsa_kernel
.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.target: amdgcn-amd-amdhsa--gfx1030
amdhsa.kernels:
  - .name: store
    .symbol: store.kd
    .kernarg_segment_size: 24
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 32
    .sgpr_count: 8
    .vgpr_count: 5
    .max_flat_workgroup_size: 1
    .reqd_workgroup_size: [1, 1, 1]
    .args:
      - .name: out
        .offset: 0
        .size: 8
        .value_kind: global_buffer
        .type_name: int*
      - .name: short
        .offset: 8
        .size: 2
        .value_kind: by_value
        .type_name: short
      - .name: whole
        .offset: 12
        .size: 4
        .value_kind: by_value
        .type_name: int
      - .name: wide
        .offset: 16
        .size: 8
        .value_kind: by_value
        .type_name: long
...
.end_amdgpu_metadata
";

/// What the kernel stores of some arguments, or what is said of them.
fn stored(arguments: &[(&str, Value)]) -> Result<Vec<u8>, Vec<Diagnostic>> {
    let mut sources = SourceMap::new();
    let _ = sources.add("store.s", KERNEL);
    let made = Rdna.assemble(&mut sources, &Default::default(), &mut no_files);
    let container = made.unwrap_or_else(|why| panic!("{why:?}")).bytes;
    let given = arguments.iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
    let out = ("out".to_owned(), Value::Bytes(vec![0xff; 16]));
    let inputs = Inputs { resources: [out].into_iter().chain(given).collect(), work: Work::Dispatch([1; 3]) };
    let ran = Rdna.simulate(&container, &inputs, &Default::default())?;
    let left = ran.resources.into_iter().find_map(|(name, value)| match value {
        Value::Bytes(bytes) if name == "out" => Some(bytes),
        _ => None,
    });
    Ok(left.expect("the buffer is written"))
}

fn numbers(all: &[f64]) -> Value {
    Value::List(all.iter().copied().map(Value::Number).collect())
}

#[test]
fn arguments_take_the_bytes_that_they_have() {
    let all = [("short", Value::Number(7.0)), ("whole", Value::Number(-2.0)), ("wide", Value::Number(-3.0))];
    let words: Vec<u8> = [7, -2, -3, -1].into_iter().flat_map(i32::to_le_bytes).collect();
    assert_eq!(stored(&all), Ok(words.clone()));
    let bits = [
        ("short", Value::Bits(7)),
        ("whole", Value::Bits(0xffff_fffe)),
        ("wide", Value::Bits(-3_i64 as u64)),
    ];
    assert_eq!(stored(&bits), Ok(words));
    for (name, value, said) in [
        ("whole", numbers(&[1.0, 2.0]), "`whole` has 4 bytes, but 8 are given"),
        ("wide", numbers(&[1.0]), "`wide` has 8 bytes, but 4 are given"),
        ("longer", Value::Number(1.0), "the program has no argument or register `longer`"),
    ] {
        let why = stored(&[(name, value)]).expect_err(name);
        assert_eq!(why.iter().map(|why| why.message.as_str()).collect::<Vec<_>>(), [said]);
    }
}
