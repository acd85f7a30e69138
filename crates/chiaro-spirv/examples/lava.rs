//! scratch
use chiaro_ir::interp::{Interpreter, NoImages, compare::{Comparison, Tolerance}};
use chiaro_diag::SourceMap;
fn word(init: &str, param: u32, i: u32, k: u32) -> u32 {
    let mut h = k.wrapping_mul(2654435761).wrapping_add(i.wrapping_mul(40503)).wrapping_add(0x9e3779b9);
    h ^= h >> 15; h = h.wrapping_mul(0x85ebca6b); h ^= h >> 13;
    match init {
        "f" => ((h % 2001) as f32 / 1000.0 - 1.0).to_bits(),
        "g" => ((h % 1000) as f32 / 100.0 + 0.5).to_bits(),
        "u" => if param != 0 { h % param } else { h },
        "c" => param,
        _ => k.wrapping_mul(param),
    }
}
fn main() {
    let dir = std::env::args().nth(1).unwrap();
    let only = std::env::args().nth(2);
    let text = std::fs::read_to_string(format!("{dir}/lavapipe_outputs.jsonl")).unwrap();
    let (mut ok, mut bad) = (0, 0);
    for line in text.lines().filter(|l| !l.starts_with('#')) {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        let name = row["shader"].as_str().unwrap();
        if only.as_deref().is_some_and(|o| o != name) { continue }
        let bytes = std::fs::read(format!("{dir}/shaders/{name}.spv")).unwrap();
        let words = chiaro_spirv::words_of(&bytes).unwrap();
        let mut sources = SourceMap::default();
        let reading = match chiaro_spirv::read(&words, &Default::default(), &mut sources) { Ok(r) => r, Err(e) => { println!("{name}: read: {e:?}"); bad += 1; continue } };
        let t = std::time::Instant::now();
        let entry = &reading.module.entries[0];
        let mut it = Interpreter::new(&reading.module, entry);
        it.options.subgroup = 8;
        it.options.fuel = 1 << 32;
        for b in row["buffers"].as_array().unwrap() {
            let (i, n) = (b["binding"].as_u64().unwrap() as u32, b["words"].as_u64().unwrap() as u32);
            let init = b["init"].as_str().unwrap(); let param = b["param"].as_u64().unwrap() as u32;
            let bytes: Vec<u8> = (0..n).flat_map(|k| word(init, param, i, k).to_le_bytes()).collect();
            match it.bound(0, i) { Some(g) => it.set(g, bytes), None => println!("{name}: no binding {i}") }
        }
        let push: Vec<u8> = { let h = row["push"].as_str().unwrap_or(""); (0..h.len()/2).map(|i| u8::from_str_radix(&h[2*i..2*i+2],16).unwrap()).collect() };
        if let Some(g) = reading.module.globals.iter().position(|g| g.space == chiaro_ir::Space::PushConstant) {
            let g = chiaro_ir::GlobalRef(g as u32);
            let mut p = push; p.resize((it.size_of(reading.module.global(g).ty) as usize).max(p.len()), 0);
            it.set(g, p);
        }
        let groups: Vec<u32> = row["groups"].as_array().unwrap().iter().map(|g| g.as_u64().unwrap() as u32).collect();
        let report = match it.dispatch([groups[0], groups[1], groups[2]], &mut NoImages) { Ok(r) => r, Err(e) => { println!("{name}: {e}"); bad += 1; continue } };
        let tol = match row["compare"].as_str().unwrap() { "i" => Tolerance::Exact, "i~" => Tolerance::Integer(1), "f" => Tolerance::Relative(1e-6), _ => Tolerance::Relative(1e-4) };
        let mut fine = true;
        for (binding, hex) in row["out"].as_object().unwrap() {
            let g = it.bound(0, binding.parse().unwrap()).unwrap();
            let found: Vec<u32> = it.bytes(g).unwrap().chunks_exact(4).map(|c| u32::from_le_bytes(c.try_into().unwrap())).collect();
            let h = hex.as_str().unwrap();
            let expected: Vec<u32> = (0..h.len()/8).map(|i| u32::from_str_radix(&h[8*i..8*i+8],16).unwrap()).collect();
            let c = Comparison::words(&expected, &found, tol);
            if !c.differences.is_empty() { fine = false; println!("{name} [{}] binding {binding}: {c} {:?}", row["compare"], c.differences); }
        }
        if fine { ok += 1 } else { bad += 1; println!("   faults {:?}", report.faults.first()); }
        if t.elapsed().as_millis() > 500 { println!("   {name}: {:?}", t.elapsed()); }
    }
    println!("{ok} ok, {bad} bad");
}
