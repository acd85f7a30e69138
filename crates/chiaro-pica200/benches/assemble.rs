//! How fast sources become containers.

use chiaro_diag::FileId;
use chiaro_pica200::asm::{Options, Source, assemble};
use divan::counter::ItemsCount;

fn main() {
    divan::main();
}

/// A geometry program, which may be long, of `count` instructions of all formats.
fn program(count: usize) -> String {
    let mut text =
        String::from(".gsh point c0\n.fvec proj[4], light\n.in inpos\n.out pos position\n.proc main\n");
    let lines = [
        "\tdp4 r0.x, proj[0], inpos ; row",
        "\tmul r1.xyz, light.xxyz, -r0",
        "\tmad r2, r1, light, r0.wzyx",
        "\tmov pos, r2",
        "\tadd r3, c90[aL+1], r2",
        "\trsq r4.w, r3.x",
        "\tcmp r4, ge, lt, r3",
        "\tmax r5, c7, r4",
    ];
    for line in lines.iter().cycle().take(count) {
        text.push_str(line);
        text.push('\n');
    }
    text.push_str("end\n.end\n");
    text
}

#[divan::bench(args = [10, 500, 4000])]
fn source(bencher: divan::Bencher, count: usize) {
    let text = program(count);
    let sources = [Source { name: "bench.g.pica", text: &text, file: FileId(0) }];
    bencher
        .counter(ItemsCount::new(count))
        .bench(|| assemble(divan::black_box(&sources), &Options::default()).unwrap());
}
