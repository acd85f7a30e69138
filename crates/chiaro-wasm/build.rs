//! What the linker has to know.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    // Four times the usual: what nests deeply is ended by the browser's own limit then, which it can tell from other traps.
    if std::env::var("CARGO_CFG_TARGET_FAMILY").is_ok_and(|family| family == "wasm") {
        println!("cargo:rustc-link-arg-cdylib=-zstack-size=4194304");
    }
}
