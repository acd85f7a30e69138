// Kernels among constants: llvm-mc -triple amdgcn-amd-amdhsa -mcpu=gfx1030 -mattr=+wavefrontsize64,-wavefrontsize32 -filetype=obj
	.text
	.globl first
	.protected first
	.p2align 8
	.type first,@function
first:
	s_getpc_b64 s[4:5]
	s_add_u32 s4, s4, weights@rel32@lo+4
	s_addc_u32 s5, s5, weights@rel32@hi+12
	s_load_dwordx2 s[0:1], s[4:5], 0x0
	s_endpgm
.Lfirst:
	.size first, .Lfirst-first
	.globl second
	.protected second
	.p2align 8
	.type second,@function
second:
	v_cmp_eq_u32_e32 vcc, 0, v0
	s_endpgm
.Lsecond:
	.size second, .Lsecond-second
	.section .rodata,"a",@progbits
	.p2align 6
	.amdhsa_kernel first
		.amdhsa_next_free_vgpr 1
		.amdhsa_next_free_sgpr 8
		.amdhsa_wavefront_size32 0
	.end_amdhsa_kernel
	.type weights,@object
weights:
	.quad second
	.long 0x3f800000
	.size weights, 12
	.p2align 6
	.amdhsa_kernel second
		.amdhsa_next_free_vgpr 1
		.amdhsa_next_free_sgpr 8
		.amdhsa_wavefront_size32 0
	.end_amdhsa_kernel
