#!/usr/bin/env bash
# Makes the inputs again: words in hexadecimal, from the sources beside this script.
# Needs glslang and SPIR-V tools (Debian: glslang-tools, spirv-tools). The expected words come
# from the tests themselves, with CHIARO_BLESS=1.
set -euo pipefail
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
hex() { od -An -v -t x4 -w32 "$1" | sed 's/^ //' > "$2"; }
for source in mixed.frag loose.comp; do
    glslangValidator -G --target-env spirv1.0 "$source" -o "$work/m.spv" > /dev/null
    hex "$work/m.spv" "${source%.*}.in.hex"
done
glslangValidator -V --target-env vulkan1.0 loose.comp -o "$work/m.spv" > /dev/null
hex "$work/m.spv" loose.vulkan.hex
# glslang wants every location; the pass has to find them.
glslangValidator -G --target-env spirv1.0 numbers.vert -o "$work/m.spv" > /dev/null
spirv-dis "$work/m.spv" | grep -vE 'OpDecorate %(a|b|n|x|y) Location' > "$work/m.txt"
spirv-as --preserve-numeric-ids --target-env spv1.0 "$work/m.txt" -o "$work/m.spv"
hex "$work/m.spv" numbers.in.hex
