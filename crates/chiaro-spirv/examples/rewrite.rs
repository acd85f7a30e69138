//! `rewrite IN OUT`: reads a module and writes it again.
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let bytes = std::fs::read(&arguments[1])?;
    let words: Vec<u32> =
        bytes.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect();
    let out: Vec<u8> = chiaro_spirv::rewrite(&words)?.iter().flat_map(|w| w.to_le_bytes()).collect();
    std::fs::write(&arguments[2], out)?;
    Ok(())
}
