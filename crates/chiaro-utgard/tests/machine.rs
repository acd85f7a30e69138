//! Mesa's words on the simulator against outputs of a CPU renderer.

use std::collections::HashMap;
use std::sync::Arc;

use chiaro_utgard::machine::{Config, Machine, Program};
use chiaro_utgard::word::Word;
use serde_json::Value;

fn word_of(words: &Value) -> Word {
    let hex = |i: usize| u32::from_str_radix(words[i].as_str().expect("hex"), 16).expect("hex");
    Word::of([hex(0), hex(1), hex(2), hex(3)])
}

fn float(hex: &Value) -> f32 {
    f32::from_bits(u32::from_str_radix(hex.as_str().expect("hex"), 16).expect("hex"))
}

fn rows(text: &str) -> Vec<Value> {
    text.lines().filter(|l| l.starts_with('{')).map(|l| serde_json::from_str(l).expect("JSON")).collect()
}

/// Floats in a column of a type, and columns.
fn shape(ty: &str) -> (usize, usize) {
    match ty {
        "mat2" => (2, 2),
        "mat3" => (3, 3),
        "mat4" => (4, 4),
        _ => (ty.chars().last().and_then(|c| c.to_digit(10)).unwrap_or(1) as usize, 1),
    }
}

#[test]
fn mesa_words() {
    let Some(dir) = std::env::var_os("CHIARO_VECTORS") else { return };
    let dir = std::path::Path::new(&dir).join("utgard-gp");
    let read = |name: &str| rows(&std::fs::read_to_string(dir.join(name)).expect("file"));
    let compiled: HashMap<String, Value> = read("compile.jsonl")
        .into_iter()
        .map(|r| (r["name"].as_str().expect("name").to_owned(), r))
        .collect();
    let (mut right, mut wrong, mut excused) = (0, 0, 0);
    for row in read("exec.jsonl") {
        let name = row["name"].as_str().expect("name");
        let c = &compiled[name];
        let Some(words) = c["words"].as_array() else { continue };
        let words: Vec<Word> = words.iter().map(word_of).collect();
        let program = Arc::new(Program::new(&words, &Config::default()));
        let mut m = Machine::new(program);
        let count = c["uniform_vec4"].as_u64().expect("n") as usize;
        m.set_uniform(count, [1.0, 1.0, 1.0, 0.0]);
        m.set_uniform(count + 1, [0.0; 4]);
        let constants: Vec<f32> =
            c["constants"].as_array().map(|a| a.iter().map(float).collect()).unwrap_or_default();
        for (i, four) in constants.chunks(4).enumerate() {
            let mut v = [0.0; 4];
            v[..four.len()].copy_from_slice(four);
            m.set_uniform(count + 2 + i, v);
        }
        for (name, u) in row["uniforms"].as_object().expect("uniforms") {
            let Some(base) = c["uniform_base"][name].as_u64() else { continue };
            let (n, _) = shape(u[0].as_str().expect("type"));
            let values: Vec<f32> = u[2].as_array().expect("values").iter().map(float).collect();
            for (i, part) in values.chunks(n).enumerate() {
                let mut v = [0.0; 4];
                v[..part.len()].copy_from_slice(part);
                m.set_uniform(base as usize + i, v);
            }
        }
        let vertices = row["vertices"].as_array().expect("vertices");
        for (lane, vertex) in vertices.iter().enumerate() {
            for (name, values) in vertex["attributes"].as_object().expect("attributes") {
                let Some(index) = c["attributes"][name].as_u64() else { continue };
                let mut v = [0.0, 0.0, 0.0, 1.0];
                for (to, from) in v.iter_mut().zip(values.as_array().expect("values")) {
                    *to = float(from);
                }
                m.set_attribute(lane, index as u32, v);
            }
        }
        m.run(vertices.len());
        if !m.faults().is_empty() {
            println!("{name}: {:?}", m.faults());
            wrong += 1;
        }
        for (lane, vertex) in vertices.iter().enumerate() {
            for (out, values) in vertex["outputs"].as_object().expect("outputs") {
                let Some(index) = c["outputs"][out].as_u64() else { continue };
                let mut dev: Vec<f32> = (0..values.as_array().expect("values").len())
                    .map(|i| vertex["dev"][out][i].as_f64().unwrap_or(0.0) as f32)
                    .collect();
                let mut want: Vec<f32> = values.as_array().expect("values").iter().map(float).collect();
                if out == "gl_Position" {
                    let w = (1.0 / want[3]).clamp(-32768.0, 32768.0);
                    want = vec![want[0] * w, want[1] * w, want[2] * w, w];
                    // The guide is in clip space: it goes through the division as well.
                    for i in 0..3 {
                        dev[i] = (dev[i] + want[i].abs() * dev[3]) * w.abs();
                    }
                    dev[3] *= w * w;
                }
                if out == "gl_PointSize" {
                    want[0] = want[0].clamp(1.0, 100.0);
                }
                let got = m.output(lane, index as u32);
                for (i, want) in want.iter().enumerate() {
                    if !want.is_finite() {
                        continue;
                    }
                    let bound = 2e-5 * want.abs().max(1.0) + 30.0 * dev[i];
                    if (got[i] - want).abs() <= bound {
                        right += 1;
                    } else if row["trig"] == true || c["known_miscompile"] == true {
                        excused += 1;
                    } else {
                        wrong += 1;
                        println!("{name} {out}.{i} lane {lane}: {} want {want}", got[i]);
                    }
                }
            }
        }
    }
    println!("right {right} excused {excused} wrong {wrong}");
    assert_eq!(wrong, 0);
}
