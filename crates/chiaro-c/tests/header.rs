//! The committed header is what cbindgen makes of the source. `CHIARO_BLESS=1` writes it anew.

use std::path::Path;

#[test]
fn the_header_is_that_of_the_source() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_file(folder.join("cbindgen.toml")).expect("a configuration");
    let mut builder = cbindgen::Builder::new().with_config(config);
    for name in ["status", "question", "answer", "ask", "columns", "cache"] {
        builder = builder.with_src(folder.join(format!("src/{name}.rs")));
    }
    let mut made = Vec::new();
    builder.generate().expect("the source can be read").write(&mut made);
    let (made, file) = (String::from_utf8(made).expect("text"), folder.join("include/chiaro.h"));
    if std::env::var_os("CHIARO_BLESS").is_some() {
        std::fs::write(&file, &made).expect("the header can be written");
    }
    let known = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(
        known == made,
        "include/chiaro.h is stale: write it anew with CHIARO_BLESS=1 cargo test -p chiaro-c"
    );
}
