// One kernel: out[i] = 2 * in[i] for each of a group's 64 threads, in waves of 32.
//
// chiaro asm examples/rdna/scale.s --target rdna -o scale.o
// chiaro check scale.o --target rdna
// chiaro dis scale.o --target rdna
// chiaro run scale.o --target rdna --inputs examples/rdna/scale.json
.amdgcn_target "amdgcn-amd-amdhsa--gfx1030"
.amdhsa_code_object_version 5
.text
.globl scale
.p2align 8
.type scale,@function
scale:
  s_load_dwordx4 s[4:7], s[0:1], 0x0         // addresses of in and out
  v_lshlrev_b32_e32 v1, 2, v0                // bytes: four for each thread
  s_waitcnt lgkmcnt(0)
  global_load_dword v2, v1, s[4:5]
  s_waitcnt vmcnt(0)
  v_add_f32_e32 v2, v2, v2
  global_store_dword v1, v2, s[6:7]
  s_endpgm
.Lend:
.size scale, .Lend-scale
.section .rodata,"a"
.amdhsa_kernel scale
  .amdhsa_kernarg_size 16
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_next_free_vgpr 3
  .amdhsa_next_free_sgpr 8
.end_amdhsa_kernel
.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.target: amdgcn-amd-amdhsa--gfx1030
amdhsa.kernels:
  - .name: scale
    .symbol: scale.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 32
    .sgpr_count: 8
    .vgpr_count: 3
    .max_flat_workgroup_size: 64
    .reqd_workgroup_size: [64, 1, 1]
    .args:
      - .name: in
        .offset: 0
        .size: 8
        .value_kind: global_buffer
        .type_name: float*
      - .name: out
        .offset: 8
        .size: 8
        .value_kind: global_buffer
        .type_name: float*
...
.end_amdgpu_metadata
