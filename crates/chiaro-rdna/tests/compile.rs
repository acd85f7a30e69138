//! Shaders with known outputs through the compiler and the simulator, in both sizes of waves.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use chiaro_rdna::abi::interface::{Argument, Resource};
use chiaro_rdna::abi::{Dispatch, group_info, threads};
use chiaro_rdna::compile::{Compiled, Options, compile};
use chiaro_rdna::machine::{Config, Group, Program, raw_buffer};
use chiaro_sim::mapped::{Mapped, Range};
use serde_json::Value;

const UPPER: u64 = 0xffff_8000_0000_0000;

fn folder() -> Option<PathBuf> {
    std::env::var_os("CHIARO_VECTORS").map(|folder| Path::new(&folder).join("rdna"))
}

fn build(path: &Path, wave: u8) -> Result<Compiled, String> {
    let bytes = std::fs::read(path).unwrap();
    let words: Vec<u32> = bytes.chunks_exact(4).map(|c| u32::from_le_bytes(c.try_into().unwrap())).collect();
    let read = chiaro_spirv::read(&words, &Default::default(), &mut chiaro_diag::SourceMap::new());
    let mut module = read.map_err(|e| e.to_string())?.module;
    let mut cx = chiaro_opt::Cx { verify: true, ..Default::default() };
    let options = Options { wave, ..Options::default() };
    compile(&mut module, "main", options, &mut cx).map_err(|errors| errors[0].message.clone())
}

fn words(hex: &str) -> Vec<u32> {
    hex.as_bytes()
        .chunks(8)
        .map(|c| u32::from_str_radix(std::str::from_utf8(c).unwrap(), 16).unwrap())
        .collect()
}

fn initial(buffer: &Value) -> Vec<u32> {
    let (init, param) = (buffer["init"].as_str().unwrap(), buffer["param"].as_u64().unwrap_or(0) as u32);
    if init == "x" {
        return words(buffer["hex"].as_str().unwrap());
    }
    let binding = buffer["binding"].as_u64().unwrap() as u32;
    let word = |k: u32| {
        let mut h =
            k.wrapping_mul(2_654_435_761).wrapping_add(binding.wrapping_mul(40503)).wrapping_add(0x9e37_79b9);
        h ^= h >> 15;
        h = h.wrapping_mul(0x85eb_ca6b);
        h ^= h >> 13;
        let float = |range: u32, scale: f32, offset: f32| ((h % range) as f32 / scale + offset).to_bits();
        match init {
            "f" => float(2001, 1000.0, -1.0),
            "g" => float(1000, 100.0, 0.5),
            "u" if param == 0 => h,
            "u" => h % param,
            "c" => param,
            _ => k.wrapping_mul(param),
        }
    };
    (0..buffer["words"].as_u64().unwrap() as u32).map(word).collect()
}

fn run(compiled: &Compiled, row: &Value) -> Result<Vec<(u32, Vec<u32>)>, String> {
    let list = |name: &str| -> Vec<u32> {
        row[name].as_array().unwrap().iter().map(|n| n.as_u64().unwrap() as u32).collect()
    };
    let groups: [u32; 3] = list("groups").try_into().unwrap();
    let push: Vec<u8> = {
        let hex = row["push"].as_str().unwrap_or_default();
        (0..hex.len() / 2).map(|n| u8::from_str_radix(&hex[2 * n..2 * n + 2], 16).unwrap()).collect()
    };
    let mut memory = Mapped::default();
    let mut table = vec![0u8; compiled.interface.set_bytes(0) as usize];
    let buffers = row["buffers"].as_array().unwrap();
    for (n, buffer) in (1u64..).zip(buffers) {
        let (binding, data) = (buffer["binding"].as_u64().unwrap() as u32, initial(buffer));
        let bytes: Vec<u8> = data.iter().flat_map(|w| w.to_le_bytes()).collect();
        let descriptor = raw_buffer(n << 32, bytes.len() as u32);
        memory.map(Range { name: format!("binding {binding}"), base: n << 32, bytes }).unwrap();
        if let Some(bound) = compiled
            .interface
            .resources
            .iter()
            .find(|b| b.binding == (0, binding) && b.resource != Resource::Push)
        {
            let room = &mut table[bound.offset as usize..][..16];
            room.iter_mut().zip(descriptor.iter().flat_map(|w| w.to_le_bytes())).for_each(|(a, b)| *a = b);
        }
    }
    memory.map(Range { name: "set".into(), base: UPPER | 0x10000, bytes: table }).unwrap();
    if !push.is_empty() {
        memory.map(Range { name: "push".into(), base: UPPER | 0x20000, bytes: push.clone() }).unwrap();
    }
    memory.map(Range { name: "code".into(), base: 0x10_0000_0000, bytes: compiled.code.clone() }).unwrap();
    let dispatch = Dispatch { groups, size: compiled.interface.workgroup };
    let wave = compiled.options.wave;
    let program = Arc::new(Program::new(&compiled.code, wave));
    let config = Config { fuel: 1 << 26, ..Config::default() };
    let mut group = Group::new(
        &program,
        &config,
        dispatch.waves(wave),
        compiled.interface.lds as usize,
        compiled.interface.scratch as usize,
    );
    group.set_code_base(0x10_0000_0000);
    for id in dispatch.each() {
        group.reset();
        for wave_state in &mut group.waves {
            threads(wave_state, &dispatch, compiled.interface.dimensions.into());
            for (argument, first) in compiled.interface.registers() {
                let word = |n: u32| {
                    push.get(4 * n as usize..4 * n as usize + 4)
                        .map_or(0, |b| u32::from_le_bytes(b.try_into().unwrap()))
                };
                let values = match argument {
                    Argument::Set(_) => vec![0x10000],
                    Argument::PushPointer => vec![0x20000],
                    Argument::Push(n) => vec![word(n)],
                    Argument::GroupCounts => groups.to_vec(),
                    Argument::GroupId(n) => vec![id[usize::from(n)]],
                    Argument::ScratchOffset => vec![0],
                    Argument::GroupInfo => vec![group_info(dispatch.waves(wave), wave_state.index())],
                    _ => vec![0; 2],
                };
                (first..).zip(values).for_each(|(register, value)| wave_state.set_scalar(register, value));
            }
        }
        let outcome = group.run(&mut memory);
        if let Some(fault) = outcome.faults.first() {
            return Err(format!("group {id:?}: {fault}"));
        }
    }
    let after = |buffer: &Value| {
        let binding = buffer["binding"].as_u64().unwrap() as u32;
        let bytes = &memory.named(&format!("binding {binding}")).unwrap().bytes;
        (binding, bytes.chunks_exact(4).map(|c| u32::from_le_bytes(c.try_into().unwrap())).collect())
    };
    Ok(buffers.iter().map(after).collect())
}

fn agrees(kind: &str, expected: &[u32], found: &[u32]) -> Result<(), String> {
    let (mut a, mut b) = (expected.to_vec(), found.to_vec());
    if kind == "set" {
        a.sort_unstable();
        b.sort_unstable();
    } else if kind == "set1" {
        a[1..].sort_unstable();
        b[1..].sort_unstable();
    }
    let by = match kind {
        "f" => 1e-5,
        "f~" => 2e-3,
        _ => 0.0,
    };
    let float = |w: u32| f64::from(f32::from_bits(w));
    let largest = a.iter().map(|&w| float(w).abs()).filter(|x| x.is_finite()).fold(0.0, f64::max);
    if kind == "d" {
        let double = |p: &[u32]| f64::from_bits(u64::from(p[0]) | u64::from(p[1]) << 32);
        return match a
            .chunks_exact(2)
            .zip(b.chunks_exact(2))
            .position(|(x, y)| (double(x) - double(y)).abs() > 1e-13 * double(x).abs())
        {
            Some(n) => Err(format!("double {n}")),
            None => Ok(()),
        };
    }
    if kind == "tiles" || kind == "none" {
        return Ok(());
    }
    let same = |x: u32, y: u32| match kind {
        "i~" => {
            x.abs_diff(y) <= 1
                || (0..2).all(|n| (x >> (16 * n) & 0xffff).abs_diff(y >> (16 * n) & 0xffff) <= 1)
                || (0..4).all(|n| (x >> (8 * n) & 0xff).abs_diff(y >> (8 * n) & 0xff) <= 1)
        }
        "f" | "f~" => {
            let (u, v) = (float(x), float(y));
            x == y
                || u.is_nan() && v.is_nan()
                || (u - v).abs() <= by * u.abs()
                || (u - v).abs() <= by / 20.0 * largest
        }
        _ => x == y,
    };
    match a.iter().zip(&b).position(|(x, y)| !same(*x, *y)) {
        Some(n) => {
            let count = a.iter().zip(&b).filter(|(x, y)| !same(**x, **y)).count();
            Err(format!(
                "word {n} is {:08x} ({}), not {:08x} ({}); {count} of {}",
                b[n],
                float(b[n]),
                a[n],
                float(a[n]),
                a.len()
            ))
        }
        None => Ok(()),
    }
}

fn judge(compiled: &Compiled, row: &Value) -> Result<(), String> {
    for (binding, found) in run(compiled, row)? {
        let kind = row["compare"].as_str().or(row["compare"][binding.to_string()].as_str()).unwrap_or("i");
        if let Some(expected) = row["out"][binding.to_string()].as_str() {
            agrees(kind, &words(expected), &found).map_err(|why| format!("binding {binding}: {why}"))?;
        }
    }
    Ok(())
}

#[test]
fn outputs() {
    let Some(folder) = folder() else { return };
    let only = std::env::var("ONLY").unwrap_or_default();
    let mut rows: Vec<Value> = Vec::new();
    for file in ["lavapipe_outputs.jsonl", "lavapipe_outputs_more.jsonl"] {
        let text = std::fs::read_to_string(folder.join(file)).unwrap();
        rows.extend(
            text.lines()
                .filter(|l| !l.starts_with('#'))
                .filter_map(|l| serde_json::from_str(l).ok())
                .filter(|r: &Value| r.get("shader").is_some()),
        );
    }
    let mut names: Vec<_> = std::fs::read_dir(folder.join("shaders"))
        .unwrap()
        .flatten()
        .map(|e| e.path())
        .filter(|p| p.extension().is_some_and(|e| e == "spv"))
        .collect();
    names.sort();
    let mut passed = 0;
    let mut failed = 0;
    for path in names {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        if !only.is_empty() && name != only {
            continue;
        }
        for wave in [32, 64] {
            let built =
                std::panic::catch_unwind(|| build(&path, wave)).unwrap_or_else(|_| Err("panic".into()));
            let compiled = match built {
                Err(why) => {
                    failed += 1;
                    println!("{name} {wave}: {why}");
                    continue;
                }
                Ok(compiled) => compiled,
            };
            let config = chiaro_rdna::check::Config { wave, group: Some(compiled.interface.threads()) };
            let found = chiaro_rdna::check::check(&compiled.code, config);
            let wrong =
                found.iter().find(|f| f.finding.rule.severity == chiaro_isa::finding::Severity::Error);
            if !only.is_empty() && wave == 32 {
                println!("{}", chiaro_ir::print(&compiled.module));
                println!("{}", chiaro_rdna::listing::code(&compiled.code, wave, 0));
                println!("{:?}", compiled.interface);
            }
            if let Some(f) = wrong {
                failed += 1;
                println!("{name} {wave}: word {}: {}", f.word, f.finding.message);
            }
            for row in rows.iter().filter(|row| row["shader"] == name.as_str()) {
                match judge(&compiled, row) {
                    Ok(()) => passed += 1,
                    Err(why) => {
                        failed += 1;
                        println!("{name} {wave}: {why}");
                    }
                }
            }
        }
    }
    println!("{passed} passed, {failed} failed");
}

#[test]
fn statistics() {
    use chiaro_rdna::report::{Latencies, Launch, Statistics};
    let Some(folder) = folder() else { return };
    let text = std::fs::read_to_string(folder.join("aco_stats.tsv")).unwrap();
    let mut totals = [[0f64; 6]; 2];
    for row in text.lines().filter(|l| !l.starts_with('#')).skip(1) {
        let c: Vec<&str> = row.split('\t').collect();
        if c[1] != "25" {
            continue;
        }
        let wave: u8 = c[2].parse().unwrap();
        let Ok(compiled) = build(&folder.join("shaders").join(format!("{}.spv", c[0])), wave) else {
            continue;
        };
        let launch = Launch {
            wave,
            threads: compiled.interface.threads(),
            lds: compiled.interface.lds,
            vgprs: None,
            older: false,
        };
        let s = Statistics::of(&compiled.code, &launch, &Latencies::default());
        let aco: Vec<f64> = [4, 5, 13, 12].iter().map(|&n| c[n].parse().unwrap()).collect();
        let t = &mut totals[usize::from(wave == 64)];
        t[0] += f64::from(s.instructions);
        t[1] += f64::from(s.code_size);
        t[2] += f64::from(s.latency).ln();
        t[3] += aco[0];
        t[4] += aco[1];
        t[5] += aco[2].ln();
        if wave == 32 || f64::from(s.subgroups) < aco[3] {
            println!(
                "{:18} {wave} inst {:5} / {:5} = {:.2}  bytes {:5} / {:5}  latency {:6} / {:6} = {:.2}  waves {} / {} valu {} / {} salu {} / {} smem {} / {}",
                c[0],
                s.instructions,
                aco[0],
                f64::from(s.instructions) / aco[0],
                s.code_size,
                aco[1],
                s.latency,
                aco[2],
                f64::from(s.latency) / aco[2],
                s.subgroups,
                aco[3],
                s.valu,
                c[20],
                s.salu,
                c[21],
                s.smem,
                c[23]
            );
        }
    }
    for t in totals {
        println!(
            "{} {} {:.0} / {} {} {:.0}",
            t[0],
            t[1],
            (t[2] / 70.0).exp(),
            t[3],
            t[4],
            (t[5] / 70.0).exp()
        );
    }
}

#[test]
fn proofs() {
    use chiaro_rdna::abi::interface::Abi;
    use chiaro_rdna::verify::{Words, verify};
    let Some(folder) = folder() else { return };
    let only = std::env::var("ONLY").unwrap_or_default();
    let mut names: Vec<_> = std::fs::read_dir(folder.join("shaders"))
        .unwrap()
        .flatten()
        .map(|e| e.path())
        .filter(|p| p.extension().is_some_and(|e| e == "spv"))
        .collect();
    names.sort();
    let mut proved = 0;
    for path in names {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        if !only.is_empty() && name != only {
            continue;
        }
        let bytes = std::fs::read(&path).unwrap();
        let words: Vec<u32> =
            bytes.chunks_exact(4).map(|c| u32::from_le_bytes(c.try_into().unwrap())).collect();
        let source = chiaro_spirv::read(&words, &Default::default(), &mut chiaro_diag::SourceMap::new())
            .unwrap()
            .module;
        for (wave, abi) in [(32, Abi::Vulkan), (64, Abi::Hsa)] {
            let mut cx = chiaro_opt::Cx { verify: true, ..Default::default() };
            let options = Options { wave, abi, ..Options::default() };
            match compile(&mut source.clone(), "main", options, &mut cx) {
                Err(errors) => println!("{name} {wave} {abi:?}: {}", errors[0].message),
                Ok(compiled) => {
                    let start = std::time::Instant::now();
                    let result = verify(
                        &Words { source: &source, entry: &source.entries[0], compiled: compiled.clone() },
                        1,
                    );
                    match result {
                        Ok(_) if start.elapsed().as_secs() > 2 => {
                            println!("{name} {wave}: {:?}", start.elapsed());
                        }
                        Ok(_) => proved += 1,
                        Err(why) => println!("{name} {wave} {abi:?}: {why}"),
                    }
                }
            }
        }
    }
    println!("{proved} proved");
}
