#!/usr/bin/env bash
# Builds what the gate's GitHub action and the pre-commit hook install, into a folder: a static Linux binary, a wheel,
# an npm package that has the binary. Each part is tried where it was built. tools/release.sh DIST
set -euo pipefail
cd "$(dirname "$0")/.."
dist=$(mkdir -p "${1:?name a folder for what is built}" && realpath "$1")
machine=x86_64-unknown-linux-musl
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

works() { [ "$("$@" targets | head -c 7)" = pica200 ] || { echo "$1 does not run" >&2; exit 1; }; }

# Static: musl has no other parts. Only assembly is not Rust's, which any compiler of C assembles.
rustup target add "$machine"
command -v musl-gcc >/dev/null || export CC_x86_64_unknown_linux_musl=cc
cargo build --release --locked --target "$machine" -p chiaro
cp "${CARGO_TARGET_DIR:-target}/$machine/release/chiaro" "$dist/chiaro"
strip "$dist/chiaro"
if readelf -d "$dist/chiaro" | grep -q NEEDED; then echo "the binary is not static" >&2; exit 1; fi
works "$dist/chiaro"

# The wheel: one for all Pythons from 3.9 on, with the command in it.
"${PYTHON:-python3}" -m venv "$scratch/venv"
"$scratch/venv/bin/pip" wheel --quiet --no-deps -w "$dist" ./python
"$scratch/venv/bin/pip" install --quiet "$dist"/chiaro-*.whl
works "$scratch/venv/bin/chiaro"

# npm: the binary under its name.
version=$("$dist/chiaro" --version | cut -d' ' -f2)
mkdir -p "$scratch/npm/bin"
cp "$dist/chiaro" "$scratch/npm/bin/chiaro"
cp README.md LICENSE-APACHE LICENSE-MIT "$scratch/npm/"
cat >"$scratch/npm/package.json" <<END
{
  "name": "chiaro",
  "version": "$version",
  "description": "Offline compilers, checkers and simulators for the shaders of real GPUs",
  "license": "(MIT OR Apache-2.0)",
  "bin": { "chiaro": "bin/chiaro" },
  "files": ["bin"],
  "os": ["linux"],
  "cpu": ["x64"]
}
END
(cd "$scratch/npm" && npm pack --silent --pack-destination "$dist")
mkdir "$scratch/user"
(cd "$scratch/user" && npm install --silent --no-audit --no-fund "$dist/chiaro-$version.tgz")
works "$scratch/user/node_modules/.bin/chiaro"
