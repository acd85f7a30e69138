#!/bin/sh
# Reads the SPIR-V inputs of the crate spirv-cross-sys and reports the share that is read,
# with the reasons for the rest. Needs the network once, and `spirv-as` (spirv-tools).
#
#   tools/survey-spirv-cross.sh [FOLDER]      keeps the assembled modules in FOLDER
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
work=${1:-$(mktemp -d)}
mkdir -p "$work/fetch/src" "$work/spv"

# A package that depends on the crate makes cargo fetch its sources.
cat > "$work/fetch/Cargo.toml" <<'TOML'
[package]
name = "fetch"
version = "0.0.0"
edition = "2024"

[dependencies]
spirv-cross-sys = "=0.7.4"

[workspace]
TOML
: > "$work/fetch/src/lib.rs"
manifest=$(cargo metadata --format-version 1 --manifest-path "$work/fetch/Cargo.toml" |
    tr '"' '\n' | grep 'spirv-cross-sys-0\.7\.4[^/]*/Cargo.toml$' | head -n 1)
sources=$(dirname "$manifest")

# Files under `reference` are GLSL, HLSL and Metal that the inputs become. Mesh and task
# shaders are no supported stages.
assembled=0
refused=0
find "$sources" -name '*.asm.*' ! -path '*/reference/*' ! -name '*.mesh' ! -name '*.task' | sort > "$work/list"
while read -r file; do
    name=$(printf '%s' "${file#"$sources"/}" | tr '/' '_')
    for version in 1.0 1.3 1.5 1.6; do
        if spirv-as --target-env "spv$version" "$file" -o "$work/spv/$name.spv" 2> "$work/why"; then
            assembled=$((assembled + 1))
            continue 2
        fi
    done
    refused=$((refused + 1))
    printf '%s: %s\n' "$name" "$(head -n 1 "$work/why")" >> "$work/refused"
done < "$work/list"

echo "$assembled files assembled, $refused that this spirv-as does not know:"
[ ! -f "$work/refused" ] || sed 's/^/    /' "$work/refused"
cd "$root"
find "$work/spv" -name '*.spv' | sort | xargs cargo run --quiet --release -p chiaro-spirv --example survey --
