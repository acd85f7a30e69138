#!/bin/sh
# Draws mutants over all crates by seed and runs each against the tests of its own package:
#
#   tools/mutants.sh [COUNT [SEED [FOLDER]]]      120 mutants of seed 1 into target/mutants without
#   tools/mutants.sh --list [COUNT [SEED]]        only says which
#   tools/mutants.sh --of PATTERN [COUNT ...]     only of those whose `FILE:LINE:COLUMN: what` has the pattern (grep -E)
#
# `--of '(pica200|utgard|a3xx|rdna|target)/src/(check|verify|proof)'` disables comparisons of checkers and verifiers, one at a time; each is to be
# noticed by a test whose inputs are wrong in just that.
#
# Needs cargo-mutants (cargo install cargo-mutants --locked). The working tree is changed while a
# mutant is tried, and put back: run it in a clone. One target folder serves all; packages go from
# the lowest layer up, so that little is built twice. What survives stands in
# FOLDER/PACKAGE/*/*/mutants.out/missed.txt; a line of MUTANTS.txt that has no outcome yet is run by
# the next call with the same arguments.
set -eu

[ "${1-}" = --list ] && { only_list=yes; shift; } || only_list=
[ "${1-}" = --of ] && { pattern=$2; shift 2; } || pattern=
count=${1:-120} seed=${2:-1} folder=${3:-target/mutants}
cd "$(dirname "$0")/.."

# Packages from the lowest layer up, as ARCHITECTURE.md has them.
packages="num isa diag sim words ir glsl opt spirv mach target rdna a3xx utgard pica200 cases structure filetest"
packages=$(for name in $packages; do echo "chiaro-$name"; done; echo chiaro)

# One line for each mutant of a package: `PACKAGE<tab>NAME`.
all() {
    for package in $packages; do
        cargo mutants --list --package "$package" --colors never | { grep -E "$pattern" || true; } |
            sed "s/^/$package	/"
    done
}

# Gives each line a random number (Park and Miller's generator, which awk's doubles hold exactly)
# and takes the lines with the smallest: the same everywhere.
draw() {
    awk -v x="$((seed * 48271 % 2147483647))" '{ x = x * 16807 % 2147483647; print x "\t" $0 }' |
        sort -n | head -n "$count" | cut -f 2- | sort
}

mkdir -p "$folder"
drawn=$folder/MUTANTS.$count.$seed.$(printf %s "$pattern" | cksum | cut -d ' ' -f 1).txt
[ -s "$drawn" ] || all | draw > "$drawn"
[ -z "$only_list" ] || { cat "$drawn"; exit 0; }

# What has been tried, in whatever way it ended.
tried() { cat "$folder/$1"/*/*/mutants.out/*.txt 2> /dev/null || true; }

for package in $packages; do
    sed -n "s/^$package	//p" "$drawn" > "$folder/wanted"
    tried "$package" > "$folder/tried"
    left=$(grep -Fvx -f "$folder/tried" "$folder/wanted" || true)
    [ -n "$left" ] || continue
    cargo mutants --list --package "$package" --colors never > "$folder/listed"
    run=$folder/$package/$(date +%s) total=$(wc -l < "$folder/listed")
    while read -r name; do
        # A mutant by its place in the list, as a shard of its own: patterns (`--re`, `--exclude-re`) let every
        # mutant that deletes a field through.
        place=$(grep -nFx -e "$name" "$folder/listed" | head -n 1 | cut -d : -f 1)
        [ -n "$place" ] || { echo "no longer there, draw anew: $name" >&2; exit 1; }
        mkdir -p "$run/$place"
        # Exit code 2 says that it survived, 3 that it took too long.
        cargo mutants --in-place --baseline skip --timeout 300 --colors never --package "$package" \
            --shard "$((place - 1))/$total" --output "$run/$place" < /dev/null || [ $? -le 3 ]
    done <<- LEFT
	$left
	LEFT
done

echo "mutants drawn: $(wc -l < "$drawn")"
for outcome in caught missed timeout unviable; do
    echo "$outcome: $(cat "$folder"/*/*/*/mutants.out/$outcome.txt 2> /dev/null | wc -l)"
done
