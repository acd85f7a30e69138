#!/bin/sh
# Fetches GLSL that others wrote, to see how much of it the front end takes:
#
#   tools/fetch-glsl-corpora.sh FOLDER [glmark2|transitions|maplibre|cross|glslang|piglit ...]
#   cargo run --release -p chiaro-filetest -- corpus FOLDER
#   cargo run --release -p chiaro-filetest -- piglit FOLDER/piglit
#
# Needs the network, and apt-get, npm and cargo as they are set up on the machine. Nothing is
# installed, nothing of it goes into this repository. Versions are pinned; `apt-get` gives the
# version of the distribution (glmark2-data 2023.01, piglit of January 2022 were measured).
set -eu

folder=${1:?usage: tools/fetch-glsl-corpora.sh FOLDER [NAME ...]}
shift
[ $# -gt 0 ] || set -- glmark2 transitions maplibre cross glslang piglit
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Unpacks those files of a Debian package whose paths match.
debian() { # package, target, pattern ...
    package=$1 target=$2
    shift 2
    mkdir -p "$work/$package" "$target"
    (cd "$work/$package" && apt-get download "$package" > /dev/null)
    dpkg-deb --fsys-tarfile "$work/$package"/*.deb | tar -x -C "$target" --wildcards "$@"
}

# Unpacks a package of npm.
node() { # package, version, target
    mkdir -p "$work/node" "$3"
    (cd "$work/node" && npm pack --silent "$1@$2" > /dev/null && tar -xzf "$1-$2.tgz" -C "$3")
}

# Prints the folder of a crate's sources. A package that depends on the crate makes cargo
# fetch them.
crate() { # name, version
    mkdir -p "$work/fetch/src"
    : > "$work/fetch/src/lib.rs"
    printf '[package]\nname = "fetch"\nversion = "0.0.0"\nedition = "2024"\n[dependencies]\n%s = "=%s"\n[workspace]\n' \
        "$1" "$2" > "$work/fetch/Cargo.toml"
    manifest=$(cargo metadata --format-version 1 --manifest-path "$work/fetch/Cargo.toml" |
        tr '"' '\n' | grep "$1-$2[^/]*/Cargo.toml\$" | head -n 1)
    dirname "$manifest"
}

for name in "$@"; do
    echo "$name"
    target=$folder/$name
    rm -rf "$target"
    case $name in
    glmark2) debian glmark2-data "$target" '*.vert' '*.frag' ;;
    transitions) node gl-transitions 1.71.0 "$target" ;;
    maplibre) node maplibre-gl 6.17.0 "$target" ;;
    cross)
        sources=$(crate spirv-cross-sys 0.7.4)
        mkdir -p "$target"
        (cd "$sources" && find . -path '*shaders*' -type f ! -path '*/reference/*' | tar -c -T - | tar -x -C "$target")
        ;;
    glslang)
        sources=$(crate glslang-sys 0.9.2)
        mkdir -p "$target"
        (cd "$sources" && find . -path '*Test*' -type f | tar -c -T - | tar -x -C "$target")
        ;;
    piglit) debian piglit "$target" '*.shader_test' '*/tests/spec/*.vert' '*/tests/spec/*.frag' '*/glslparsertest/*' ;;
    *) echo "there is no corpus $name" >&2; exit 2 ;;
    esac
    echo "    $(find "$target" -type f | wc -l) files"
done
