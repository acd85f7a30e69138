//! `wgsl IN OUT`: reads WGSL, writes SPIR-V.
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let text = std::fs::read_to_string(&arguments[1])?;
    let module = chiaro_spirv::wgsl::read(&text, chiaro_diag::FileId(0), &Default::default()).unwrap();
    let out: Vec<u8> = module.words.iter().flat_map(|w| w.to_le_bytes()).collect();
    for v in &module.interface.variables {
        println!("{v:?}");
    }
    std::fs::write(&arguments[2], out)?;
    Ok(())
}
