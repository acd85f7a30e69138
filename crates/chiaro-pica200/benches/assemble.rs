//! How fast sources become containers.

use chiaro_diag::FileId;
use chiaro_pica200::asm::picasso::{Options, Source, assemble};
use divan::counter::ItemsCount;

mod setup;

fn main() {
    divan::main();
}

#[divan::bench(args = [10, 500, 4000])]
fn source(bencher: divan::Bencher, count: usize) {
    let text = setup::source(count);
    let sources = [Source { name: "bench.g.pica", text: &text, file: FileId(0) }];
    bencher
        .counter(ItemsCount::new(count))
        .bench(|| assemble(divan::black_box(&sources), &Options::default()).unwrap());
}
