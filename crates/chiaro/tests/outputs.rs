//! What the commands write for the examples, as numbers that are written down: `outputs.txt`. The stories of `cli/` say
//! what users are to read; this notices that something else is written. `CHIARO_BLESS=1` rewrites it.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use chiaro_cases::{Cases, digest};

/// Calls in the folder of the repository; `@` is a folder for files, whose content counts as well.
const CALLS: &str = "
compile examples/pica200/skinned.wgsl --target pica200 -o @/skinned.shbin
compile examples/pica200/skinned.wgsl --target pica200 --emit asm
compile examples/pica200/skinned.wgsl --target pica200 --emit words -o @/words
compile examples/pica200/skinned.wgsl --target pica200 --emit ir
compile examples/pica200/skinned.wgsl --target pica200 --emit header
compile examples/pica200/skinned.wgsl --target pica200 --emit json
compile examples/pica200/skinned.wgsl --target pica200 --emit c
compile examples/pica200/skinned.wgsl --target pica200 --emit commands -o @/commands
compile examples/pica200/skinned.wgsl --target pica200 --clip gl --effort 2 --verify
compile examples/pica200/skinned.wgsl --emit spirv -o @/skinned.spv
compile examples/pica200/skinned.wgsl --emit ir
compile examples/glsl/scan.comp --emit spirv --env opengl -o @/scan.spv
compile examples/glsl/scan.comp --emit spirv --strip -o @/scan2.spv
compile examples/glsl/pbr.frag --emit ir
compile examples/glsl/mistakes.frag --emit spirv
compile examples/glsl/mistakes.frag --emit spirv --message-format json
compile examples/glsl/phong.vert --target utgard-gp --emit asm
compile examples/glsl/phong.vert --target a3xx --emit json
compile examples/glsl/skin.vert examples/glsl/pbr.frag --emit spirv -o @/both
compile examples/glsl/sprite.vert examples/glsl/sprite.frag --target a3xx -o @/sprite
compile examples/glsl/phong.vert --target rdna
compile examples/glsl/phong.vert --target a3xx -m gen=none
compile examples/glsl/phong.vert --target utgard-gp --print-after dce
compile examples/glsl/phong.vert --target utgard-gp --stop-after 12 --emit ir
compile examples/utgard-gp/palette.vert --target utgard-gp -o @/palette.mbs
compile nowhere.vert --target utgard-gp
report examples/pica200/skinned.wgsl --target pica200
report examples/pica200/skinned.wgsl --target pica200 --json
report examples/utgard-gp/palette.vert --target utgard-gp
report examples/utgard-gp/palette.vert --target utgard-gp -m loop-rounds=9
report examples/utgard-gp/palette.vert --target utgard-gp --json
report examples/glsl/phong.vert examples/glsl/plasma.frag --target a3xx
report examples/glsl/phong.vert --target a3xx --json -o @/before.json
report examples/glsl/skin.vert --target a3xx --json -o @/after.json
report --before examples/glsl/phong.vert --after examples/glsl/skin.vert --target a3xx
report @/skinned.shbin --target pica200
report examples/glsl --target all
report examples/glsl --target all --format json
report examples/glsl examples/wgsl --target utgard-gp,a3xx --format markdown
report examples/glsl --target a3xx --format sarif
report examples/glsl --target pica200 --format junit
report examples/glsl/pbr.frag --target all --format csv
batch examples/glsl --target pica200,a3xx
init examples/glsl -o @/chiaro.toml
gate --project @/chiaro.toml
gate --project examples/gate/chiaro.toml
asm examples/pica200/lamps.v.pica -o @/lamps.shbin
asm examples/rdna/scale.s --target rdna -o @/scale.o
asm examples/glsl/phong.vert --target pica200
dis @/skinned.shbin
dis @/skinned.shbin --json
dis @/lamps.shbin -o @/lamps.pica
dis @/palette.mbs --target utgard-gp
dis @/palette.mbs --target utgard-gp --json
dis @/scale.o --target rdna
dis @/scale.o --target rdna --json
dis @/scan.spv --target rdna
lift @/skinned.shbin --to ir
lift @/lamps.shbin --to spirv -o @/lamps.spv
lift @/lamps.shbin --to glsl
lift @/lamps.shbin --to essl -o @/lamps.essl
lift @/lamps.shbin --to wgsl
lift @/lamps.shbin --mode hw24
lift @/lamps.shbin --dvle 3
lift @/lamps.shbin --entry 9999
lift @/scale.o --target rdna
info @/skinned.shbin
info @/skinned.shbin --json
info @/palette.mbs
info @/palette.mbs --json
info @/scale.o
info @/scale.o --json
info @/scan.spv
info @/scan.spv --json
info @/skinned.spv
check @/lamps.shbin
check @/palette.mbs
check @/scale.o
check examples/pica200/lamps.v.pica
check examples/rdna/scale.s --target rdna
check examples/glsl/mistakes.frag
check examples/glsl/pbr.frag
report @/scale.o --target rdna
report @/scale.o --target rdna --json
run @/lamps.shbin --inputs examples/pica200/lamps.json
run @/lamps.shbin --inputs examples/pica200/lamps.json --trace
run @/lamps.shbin --inputs examples/pica200/lamps.json --trace=json
run @/lamps.shbin --inputs examples/pica200/lamps.json --mode hw24
run @/lamps.shbin --inputs examples/pica200/lamps.json --max-steps 5
run @/palette.mbs --inputs examples/utgard-gp/palette.json
run @/palette.mbs --inputs examples/utgard-gp/palette.json --trace=table
run @/palette.mbs --inputs examples/pica200/lamps.json
run @/scale.o --target rdna --inputs examples/rdna/scale.json
run @/scale.o --target rdna --inputs examples/rdna/scale.json --trace
run examples/wgsl/scale.wgsl --inputs examples/wgsl/scale.json
run examples/wgsl/scale.wgsl --inputs examples/wgsl/scale.json -o @/scale.json
run examples/glsl/scan.comp
run examples/glsl/plasma.frag
run examples/glsl/phong.vert
run examples/glsl/mistakes.frag
draw crates/chiaro/tests/draw/cube.json -o @/cube.png
draw crates/chiaro/tests/draw/cube.json --target a3xx -o @/cube2.png --compare
draw crates/chiaro/tests/draw/cube.json --target rdna -o @/cube3.png
draw examples/pica200/lamps.json -o @/none.png
explain pica200 00000000 4e000000
explain rdna 7e000280
explain a3xx 40080902_50200006
explain utgard-gp 0
sample pica200
sample a3xx add.f
sample rdna
targets
targets --assumptions
ref utgard-gp
ref a3xx -o @/a3xx.html
diff examples/glsl/phong.vert examples/glsl/skin.vert --target a3xx
diff examples/glsl/phong.vert examples/glsl/skin.vert --target a3xx --format json
diff examples/glsl/phong.vert --target pica200,utgard-gp
diff examples/glsl/phong.vert examples/glsl/skin.vert --target pica200
diff examples/rdna/reduce.comp examples/rdna/product.comp --target rdna
diff examples/rdna/reduce.comp --target rdna --before-set wave=32 --after-set wave=64
diff examples/glsl/scan.comp --target rdna,agx --format json
diff examples/glsl examples/utgard-gp --target utgard-gp
diff examples/gate/chiaro.baseline examples/gate/chiaro.baseline
timeline examples/glsl/phong.vert --target a3xx
timeline examples/rdna/reduce.comp --target rdna --rounds 1
timeline examples/rdna/reduce.comp --target rdna --format json
timeline examples/agx/scale.comp --target agx
timeline examples/utgard-gp/palette.vert --target utgard-gp --format json
report examples/rdna/reduce.comp --target rdna
report examples/rdna/reduce.comp --target rdna --json
report examples/agx/scale.comp --target agx
report examples/pica200/lines.vert examples/pica200/lines.geom --target pica200
run examples/rdna/reduce.comp --target rdna --inputs examples/rdna/reduce.json
run examples/rdna/reduce.comp --inputs examples/rdna/reduce.json
run examples/rdna/sharpen.comp --target rdna --inputs examples/rdna/sharpen.json
run examples/agx/scale.comp --target agx --inputs examples/agx/scale.json
abi rdna-leaf --target rdna
completions bash
man
trace examples/rdna/rt/spheres/scene.json -o @/spheres.png
pipeline examples/rdna/rt/spheres/pipe.json --target rdna -o @/spheres.bin
pipeline examples/rdna/rt/callables/pipe.json --target rdna -o @/callables.bin
diff examples/glsl/phong.vert examples/glsl/skin.vert --target a3xx --format markdown
diff examples/glsl/phong.vert examples/glsl/skin.vert --target agx --format html
diff examples/pica200/lines.vert examples/pica200/skinned.wgsl --target pica200
diff examples/pica200/skinned.wgsl --target pica200 --before-effort 0 --after-effort 2 --format json
diff examples/agx/lit.vert --target agx --after-define FOG
diff @/lamps.shbin @/skinned.shbin
diff examples/glsl/plasma.frag examples/glsl/pbr.frag --target agx,a3xx
diff examples/glsl examples/agx --target a3xx --format markdown
diff examples/glsl/phong.vert --target all
timeline examples/glsl/phong.vert --target a3xx --format svg
timeline examples/rdna/reduce.comp --target rdna --format trace
timeline examples/pica200/lines.vert --target pica200 --rounds 3
timeline examples/glsl/plasma.frag --target a3xx --format json
timeline @/lamps.shbin --target pica200
timeline @/scale.o --target rdna
report examples/agx/lit.vert examples/agx/lit.frag --target agx --json
report examples/glsl/pbr.frag --target agx
run examples/agx/scale.comp --inputs examples/agx/scale.json --trace
run examples/rdna/reduce.comp --target rdna --inputs examples/rdna/reduce.json --trace=table --max-steps 300
run examples/rdna/calls/field.comp --target rdna --inputs examples/rdna/calls/field.json
run examples/glsl/scan.comp --target agx
run examples/glsl/phong.vert --target a3xx --trace
run examples/glsl/phong.vert --target utgard-gp --trace=json
run examples/pica200/lines.vert --target pica200 --dvle 0
trace examples/rdna/rt/queries/scene.json --size 12x8 -o @/queries.png
trace examples/rdna/rt/callables/scene.json --size 12x8 -o @/callables.png
trace examples/rdna/rt/records/scene.json --size 12x8 --target rdna --compare -o @/records.png
trace examples/rdna/rt/payload/scene.json --size 12x8 --target rdna --stages called --verify -o @/payload.png
trace examples/rdna/rt/leaves/scene.json --size 12x8 --target rdna -o @/leaves.png
trace examples/rdna/rt/mirrors/scene.json --size 12x8 --target rdna -m recursion=1 -o @/mirrors.png
trace examples/rdna/rt/nested/scene.json --size 12x8 --max-steps 50 -o @/nested.png
draw crates/chiaro/tests/draw/cube.json --target agx -o @/cube4.png --compare
draw crates/chiaro/tests/draw/cube.json --target utgard-gp -o @/cube5.png
compile examples/rdna/reduce.comp --target rdna --emit asm --verify
compile examples/agx/lit.vert --target agx --emit json -o @/lit.json
compile examples/agx/scale.comp --target agx --emit c
";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Files of the folder by name, and what is in them.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = std::fs::read_dir(folder).expect("the folder is there").map(|entry| entry.expect("a file"));
    let read = |entry: std::fs::DirEntry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        (name, std::fs::read(entry.path()).unwrap_or_default())
    };
    let mut all: Vec<_> = entries.map(read).collect();
    all.sort();
    all
}

#[test]
fn commands_write_what_is_written_down() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("outputs");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    let place = folder.to_string_lossy().into_owned();
    let mut out = "# call: exit code; output, messages, files that changed\n".to_owned();
    for call in CALLS.trim().lines() {
        let before = files(&folder);
        let ran = Command::new(env!("CARGO_BIN_EXE_chiaro"))
            .args(call.split(' ').map(|word| word.replace('@', &place)))
            .current_dir(root())
            .output()
            .expect("the command runs");
        let text = |bytes: &[u8]| digest(&String::from_utf8_lossy(bytes).replace(&place, "@"));
        let changed: Vec<_> = files(&folder).into_iter().filter(|file| !before.contains(file)).collect();
        let changed = if changed.is_empty() { String::new() } else { digest(&format!("{changed:?}")) };
        let code = ran.status.code().unwrap_or(-1);
        let _ = writeln!(out, "{call}: {code}; {} {} {changed}", text(&ran.stdout), text(&ran.stderr));
    }
    let mut cases = Cases::new();
    cases.file(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/outputs.txt"), Some(&out));
    cases.finish();
}
