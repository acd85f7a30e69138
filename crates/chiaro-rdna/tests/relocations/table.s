// Every reference that LLVM 14 has a spelling for: llvm-mc -triple amdgcn-amd-amdhsa -mcpu=gfx1030 -filetype=obj
	.text
	.globl f
	.p2align 8
	.type f,@function
f:
	s_getpc_b64 s[4:5]
	s_add_u32 s4, s4, table@rel32@lo+4
	s_addc_u32 s5, s5, table@rel32@hi+12
	s_getpc_b64 s[6:7]
	s_add_u32 s6, s6, extern@gotpcrel32@lo+4
	s_addc_u32 s7, s7, extern@gotpcrel32@hi+12
	s_mov_b32 s8, var@abs32@lo
	s_mov_b32 s9, var@abs32@hi+8
	s_mov_b32 s10, extern
	v_add3_u32 v0, v1, v2, var@abs32@lo
	s_getpc_b64 s[12:13]
	s_add_u32 s12, s12, .Llocal@rel32@lo+4
	s_addc_u32 s13, s13, .Llocal@rel32@hi+12
	s_add_u32 s12, s12, .Llocal@rel32@lo-4
	v_add3_u32 v0, v1, v2, table@rel32@lo+8
	s_endpgm
	.long extern
	.quad table
.Lend:
	.size f, .Lend-f
	.section .rodata,"a",@progbits
	.p2align 3
	.globl table
	.type table,@object
table:
	.long 1
	.long f
	.quad f
	.quad table-4
	.quad extern+16
	.long f@rel32@lo+4
	.short 7
	.long .Llocal
	.short 9
	.size table, .-table
.Llocal:
	.byte 7
	.quad f
	.data
	.globl var
	.type var,@object
var:
	.long 3
	.quad table
	.size var, 12
