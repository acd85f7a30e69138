#!/bin/sh
# What the sources of crates/chiaro/tests/extremes take of a processor and of memory:
#
#   CHIARO_EXTREMES=FOLDER cargo test -p chiaro --test all extremes    keeps the sources
#   tools/extremes.sh FOLDER [BINARY]                               measures them, by default with target/release/chiaro
#
# A line for each kind: cases, the most seconds with the case that takes them, the most MiB with its case, and how
# many ended with 0, with 1 and otherwise. A line for each case goes to FOLDER/figures.tsv.
set -eu

[ $# -ge 1 ] || { sed -n '2,/^set/s/^# \{0,1\}//p' "$0" | sed '$d' >&2; exit 2; }
folder=$1 binary=$(realpath "${2:-target/release/chiaro}")

for case in "$folder"/*/*/; do
    status=0
    (cd "$case" && /usr/bin/time -q -o "$folder/time" -f '%U %S %M' sh -c "exec \"\$0\" $(cat "$case/arguments")" "$binary") \
        > /dev/null 2>&1 || status=$?
    read -r user system memory < "$folder/time"
    printf '%s\t%s\t%s\t%s\t%s\n' "$(basename "$(dirname "$case")")" "$(basename "$case")" \
        "$(echo "$user $system" | awk '{ print $1 + $2 }')" "$((memory / 1024))" "$status"
done > "$folder/figures.tsv"

awk -F '\t' '
    { all[$1]++; ended[$1, $5 > 1 ? 2 : $5]++ }
    $3 >= seconds[$1] { seconds[$1] = $3; slow[$1] = $2 }
    $4 >= memory[$1] { memory[$1] = $4; large[$1] = $2 }
    END {
        for (kind in all)
            printf "%-12s %4d cases  %5.2f s (%s)  %4d MiB (%s)  exit 0: %d, 1: %d, other: %d\n", kind, all[kind],
                seconds[kind], slow[kind], memory[kind], large[kind], ended[kind, 0], ended[kind, 1], ended[kind, 2]
    }' "$folder/figures.tsv" | sort
