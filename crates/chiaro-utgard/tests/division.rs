//! Quotients and remainders of whole numbers, on the simulator: all pairs of small ones, and large
//! ones up to 2^24, where floats end to be exact.

use std::sync::Arc;

use chiaro_diag::SourceMap;
use chiaro_ir::Interface;
use chiaro_opt::Cx;
use chiaro_utgard::compile::{Compiled, Options, compile};
use chiaro_utgard::machine::{Config, Machine, Program};

/// Integers that are exact as floats reach from minus this to this.
const EXACT: i64 = 1 << 24;
const LANES: usize = 32;

const SHADER: &str = "#version 300 es
    in ivec2 a;
    flat out ivec2 v;
    void main() { v = ivec2(a.x / a.y, a.x % a.y); gl_Position = vec4(1.0); }";

fn compiled() -> Compiled {
    let mut sources = SourceMap::new();
    let file = sources.add("division.vert", SHADER);
    let options = chiaro_glsl::source::Options::new(chiaro_glsl::source::Stage::Vertex);
    let (words, _) = chiaro_glsl::compile(file, &mut sources, &options, &mut |_, _, _| None);
    let words = words.expect("sound");
    let mut module =
        chiaro_spirv::read_module(&words, &Default::default(), &mut sources).expect("words").module;
    let entry = module.entries[0].name.clone();
    compile(&mut module, &Interface::default(), &entry, &Options::default(), &mut Cx::default())
        .expect("it compiles")
}

/// Runs all pairs; the first few that are wrong, with what came out.
fn wrong(pairs: impl Iterator<Item = [i64; 2]>) -> Vec<([i64; 2], [f32; 2])> {
    let made = compiled();
    let mut machine = Machine::new(Arc::new(Program::new(&made.words, &Config::default())));
    let behind = usize::from(made.abi.uniform_vec4) + 2;
    for (i, row) in made.constants.iter().enumerate() {
        machine.set_uniform(behind + i, *row);
    }
    let output = u32::from(made.abi.outputs.iter().find(|o| o.name == "v").expect("v").index);
    let pairs: Vec<[i64; 2]> = pairs.filter(|pair| pair[1] != 0).collect();
    let mut wrong = Vec::new();
    for group in pairs.chunks(LANES) {
        for (lane, [a, b]) in group.iter().enumerate() {
            machine.set_attribute(lane, 0, [*a as f32, *b as f32, 0.0, 1.0]);
        }
        machine.run(group.len());
        assert!(machine.faults().is_empty(), "{:?}", machine.faults());
        for (lane, &[a, b]) in group.iter().enumerate() {
            let [quotient, rest, ..] = machine.output(lane, output);
            if (quotient as i64, rest as i64) != (a / b, a % b) && wrong.len() < 8 {
                wrong.push(([a, b], [quotient, rest]));
            }
        }
    }
    wrong
}

#[test]
fn small_numbers() {
    let all = (-150..=150).flat_map(|a| (-150..=150).map(move |b| [a, b]));
    assert_eq!(wrong(all), []);
}

/// Around powers of two, multiples and quotients of each other, and anywhere.
#[test]
fn large_numbers() {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut below = |n: i64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 20) as i64 % n
    };
    let mut pairs = Vec::new();
    for _ in 0..200_000 {
        let b = match below(4) {
            0 => (1 << below(25)) + below(5) - 2,
            1 => below(EXACT + 1),
            2 => below(4096),
            _ => EXACT - below(8),
        };
        let a = match below(4) {
            0 => EXACT - below(16),
            1 => below(EXACT + 1),
            2 => b * below(EXACT / b.max(1) + 1) + below(3) - 1,
            _ => (1 << below(25)) + below(5) - 2,
        };
        let sign = [1, -1];
        pairs.push([a * sign[below(2) as usize], b * sign[below(2) as usize]]);
    }
    let exact = |n: i64| (-EXACT..=EXACT).contains(&n);
    assert_eq!(wrong(pairs.into_iter().filter(|[a, b]| exact(*a) && exact(*b))), []);
}

/// The largest numbers by all divisors up to a limit: a guess of one too many times the divisor
/// would be more than what is exact.
#[test]
fn largest_numbers() {
    let all = (1..=20_000).flat_map(|b| (0..4).map(move |less| [EXACT - less, b]));
    assert_eq!(wrong(all), []);
}
