//! The simulator as a library: arrays of vertices, faults, traces, assumptions,
//! and programs of any words at all.

use std::sync::Arc;

use chiaro_pica200::machine::config::{EngineChoice, PastEnd};
use chiaro_pica200::machine::{Cause, Config, Layout, Machine, Mode, Program, Register, SizeError};

use crate::samples::random;

/// `dp4 o0.x, c0, v0` with its descriptor (spec section 6), then END.
const DP4: [u32; 2] = [0x0802_0000, 0x8800_0000];
const DP4_DESCRIPTOR: [u32; 2] = [0x0006_C368, 0];
const NOP: u32 = 0x8400_0000;
const END: u32 = 0x8800_0000;

fn machine(words: &[u32], descriptors: &[[u32; 2]], config: &Config) -> Machine {
    Arc::new(Program::load(words, descriptors, 0, config).unwrap()).machine()
}

#[test]
fn any_number_of_vertices() {
    let layout = Layout { inputs: vec![0], outputs: vec![0] };
    for engine in [EngineChoice::Batch, EngineChoice::Portable, EngineChoice::Scalar] {
        let mut machine = machine(&DP4, &[DP4_DESCRIPTOR], &Config { engine, ..Config::default() });
        machine.set_float(0, [1.0, 10.0, 100.0, 1000.0]);
        for count in [0, 1, 31, 32, 33, 100] {
            let inputs: Vec<[f32; 4]> = (0..count).map(|i| [i as f32, 1.0, 0.0, 0.5]).collect();
            let mut outputs = vec![[9.0; 4]; count];
            let report = machine.run(&layout, &inputs, &mut outputs).unwrap();
            let expected: Vec<[f32; 4]> = (0..count).map(|i| [510.0 + i as f32, 0.0, 0.0, 0.0]).collect();
            assert_eq!(outputs, expected);
            assert_eq!((report.vertices, report.words, report.faults), (count as u64, 2 * count as u64, 0));
        }
        let wrong = machine.run(&layout, &[[0.0; 4]; 2], &mut [[0.0; 4]; 3]);
        assert_eq!(wrong, Err(SizeError { inputs: 2, outputs: 3 }));
    }
}

#[test]
fn results_do_not_linger() {
    // `mov o1, v1`: the next run starts from the stated value again.
    let words = [0x4C20_1000, END];
    let mut machine =
        machine(&words, &[[0x36F, 0]], &Config { start_value: 0x4080_0000, ..Config::default() });
    for value in [3.0, 5.0] {
        machine.start(1);
        machine.set_input(0, 1, [value; 4]);
        machine.execute();
        assert_eq!(machine.register(0, Register::Output(1)), [f32::to_bits(value); 4]);
        assert_eq!(machine.register(0, Register::Output(0)), [4_f32.to_bits(); 4]);
    }
}

#[test]
fn faults_name_vertex_word_and_cause() {
    let layout = Layout { inputs: vec![], outputs: vec![0] };
    let cases: [(&[u32], Config, u16, Cause); 5] = [
        // An empty JMPC to itself, whatever the flags: forever.
        (&[0xB000_0000 | 1 << 24], Config { fuel: 100, ..Config::default() }, 0, Cause::Fuel),
        (&[0, 0x4000_0000, END], Config::default(), 1, Cause::Unknown),
        (&[0x8000_0000, END], Config::default(), 0, Cause::BreakOutsideLoop),
        // A straight program that is one word too long.
        (&[NOP, NOP, END], Config { fuel: 2, ..Config::default() }, 2, Cause::Fuel),
        (&[NOP], Config { past_end: PastEnd::Fault, ..Config::default() }, 1, Cause::Unknown),
    ];
    for (words, config, pc, cause) in cases {
        let mut machine = machine(words, &[], &config);
        let mut outputs = [[0.0; 4]; 40];
        let report = machine.run(&layout, &[], &mut outputs).unwrap();
        assert_eq!(report.faults, 40, "{cause}");
        let last = machine.faults().last().unwrap();
        assert_eq!((last.vertex, last.pc, last.cause), (39, pc, cause));
    }
}

#[test]
fn fuel_for_each_word_is_enough() {
    let layout = Layout { inputs: vec![], outputs: vec![0] };
    let mut machine = machine(&[NOP, NOP, END], &[], &Config { fuel: 3, ..Config::default() });
    let report = machine.run(&layout, &[], &mut [[0.0; 4]; 40]).unwrap();
    assert_eq!((report.faults, report.words), (0, 120));
}

#[test]
fn a_trace_shows_reads_and_writes() {
    // mova a0.x, v0.x; add r0, c4[a0.x], v1; end
    let words = [0x4800_0000, 0x0200_0000 | 0x24 << 12 | 1 << 19 | 1 << 7, END];
    let mut machine = machine(&words, &[[0x0006_C36F, 0]], &Config::default());
    machine.set_float(6, [1.0, 2.0, 3.0, 4.0]);
    machine.start(1);
    machine.set_input(0, 0, [2.5, 0.0, 0.0, 0.0]);
    machine.set_input(0, 1, [10.0; 4]);
    let steps: Vec<_> = machine.trace().collect();
    assert_eq!(
        steps.iter().map(|s| (s.pc, s.next)).collect::<Vec<_>>(),
        [(0, Some(1)), (1, Some(2)), (2, None)]
    );
    assert_eq!(steps[0].effects, ["a0.x = 2"]);
    assert_eq!(steps[1].reads[0], ("c4[a0.x] = c6".to_owned(), [1.0, 2.0, 3.0, 4.0_f32].map(f32::to_bits)));
    let sum = [11.0, 12.0, 13.0, 14.0_f32].map(f32::to_bits);
    assert_eq!(steps[1].write, Some(("r0".to_owned(), sum, 15)));
}

#[test]
fn dot_products_can_be_summed_in_pairs() {
    let layout = Layout { inputs: vec![0], outputs: vec![0] };
    // From the left the last 1 survives; in pairs both ones drown.
    for (order, expected) in [("left", 1.0), ("pairs", 0.0)] {
        let mut config = Config::default();
        config.set("sum-order", order).unwrap();
        let mut machine = machine(&DP4, &[DP4_DESCRIPTOR], &config);
        machine.set_float(0, [1e8, 1.0, -1e8, 1.0]);
        let mut output = [[0.0; 4]];
        machine.run(&layout, &[[1.0; 4]], &mut output).unwrap();
        assert_eq!(output[0][0], expected, "{order}");
    }
}

/// What a run gives: outputs with one NaN for all, faults and words, registers of the last batch.
type Outcome = (Vec<[u32; 4]>, u64, u64, Vec<[u32; 4]>);

fn outcome(machine: &mut Machine, layout: &Layout, inputs: &[[f32; 4]], count: usize) -> Outcome {
    let plain = |x: f32| if x.is_nan() { 0x7FC0_0000 } else { x.to_bits() };
    let mut outputs = vec![[0.0; 4]; count * layout.outputs.len()];
    let report = machine.run(layout, inputs, &mut outputs).unwrap();
    let last = (0..8).map(|n| machine.register(count % 32, Register::Temporary(n)));
    let last = last.map(|row| row.map(|x| plain(f32::from_bits(x)))).collect();
    (outputs.iter().map(|row| row.map(plain)).collect(), report.faults, report.words, last)
}

/// In many vertices, whose way is found out before they run, as in few.
#[test]
fn engines_agree_on_arrays() {
    let count = 161;
    for seed in 0..1200 {
        let (words, descriptors) = random::program(seed);
        let mut random_seed = seed;
        let mut inputs: Vec<[f32; 4]> = (0..2 * count)
            .map(|_| [0; 4].map(|_| (random(&mut random_seed) % 64) as f32 * 0.3 - 4.0))
            .collect();
        if seed % 4 == 0 {
            inputs[7] = [f32::INFINITY, f32::NAN, -0.0, 1e-40];
        }
        let layout = [
            Layout { inputs: vec![0, 3], outputs: vec![0, 1, 2, 9] },
            Layout { inputs: vec![1, 1], outputs: vec![4, 0, 4] },
            Layout { inputs: vec![2, 18], outputs: vec![1] },
        ][seed as usize % 3]
            .clone();
        let mode = if seed % 5 < 3 { Mode::Emu32 } else { Mode::Hw24 };
        let mut expected: Option<[Outcome; 3]> = None;
        for engine in [EngineChoice::Scalar, EngineChoice::Batch, EngineChoice::Portable] {
            let config = Config { mode, engine, fuel: 300, start_value: 0x4080_0000, ..Config::default() };
            let mut machine = machine(&words, &descriptors, &config);
            (0..96).for_each(|n| machine.set_float(n, [n.into(), 0.5, -1.0, 2.0]));
            (0..4).for_each(|n| machine.set_int(n, [n, 2 * n, 1, 0]));
            machine.set_bool(seed as u8 % 16, true);
            // Twice: the second run knows the way, if there is one.
            let run = |machine: &mut Machine| {
                let first = outcome(machine, &layout, &inputs, count);
                assert_eq!(first, outcome(machine, &layout, &inputs, count), "seed {seed}, {engine:?}");
                first
            };
            let first = run(&mut machine);
            // Other ways through the same program.
            (0..16).for_each(|n| machine.set_bool(n, n % 3 != 0));
            let second = run(&mut machine);
            machine.set_int(0, [2, 5, 2, 0]);
            let found = [first, second, run(&mut machine)];
            assert_eq!(expected.get_or_insert_with(|| found.clone()), &found, "seed {seed}, {engine:?}");
        }
    }
}

/// `mov o1.xy, v1` in so many vertices that rows go from array to array; v17 is v1 again, and the last row counts.
#[test]
fn an_output_that_is_an_input_keeps_its_bits() {
    let layout = Layout { inputs: vec![1, 17, 2], outputs: vec![1, 0] };
    let config = Config { start_value: 0x4080_0000, ..Config::default() };
    let mut machine = machine(&[0x4C20_1000, END], &[[0x36C, 0]], &config);
    let odd = [0x8000_0000, 0x0000_0001, 0xFFA0_0001, 0x7F80_0000].map(f32::from_bits);
    let inputs: Vec<[f32; 4]> =
        (0..3 * 130).map(|row| if row % 3 == 1 { odd } else { [row as f32; 4] }).collect();
    let mut outputs = vec![[0.0; 4]; 2 * 130];
    for _ in 0..2 {
        machine.run(&layout, &inputs, &mut outputs).unwrap();
    }
    let bits: Vec<[u32; 4]> = outputs.iter().map(|row| row.map(f32::to_bits)).collect();
    let four = 4_f32.to_bits();
    let expected = [[odd[0].to_bits(), odd[1].to_bits(), four, four], [four; 4]];
    assert!(bits.chunks(2).all(|vertex| vertex == expected));
}

/// On the console such an output has what is left of the input as float24.
#[test]
fn an_output_that_is_an_input_is_float24_on_the_console() {
    let layout = Layout { inputs: vec![1], outputs: vec![1] };
    let config = Config { mode: Mode::Hw24, ..Config::default() };
    let mut machine = machine(&[0x4C20_1000, END], &[[0x36F, 0]], &config);
    let mut outputs = vec![[0.0; 4]; 130];
    for _ in 0..2 {
        machine.run(&layout, &[[0.3, 1e-38, 1.0, 0.1]; 130], &mut outputs).unwrap();
    }
    // 0.3 and 0.1 with 16 bits behind the point of their mantissas.
    assert_eq!(outputs, [[f32::from_bits(0x3E99_9980), 0.0, 1.0, f32::from_bits(0x3DCC_CD00)]; 130]);
}

/// `mov o0.x, v1; mov o0.y, v2`, where v2 is in no array and lanes have what they were given.
#[test]
fn inputs_in_no_array_stay() {
    let layout = Layout { inputs: vec![1], outputs: vec![0] };
    let words = [0x4C00_1000, 0x4C00_2001, END];
    let mut machine = machine(&words, &[[0x368, 0], [0x364, 0]], &Config::default());
    machine.start(32);
    (0..32).for_each(|lane| machine.set_input(lane, 2, [0.0, lane as f32, 0.0, 0.0]));
    let (inputs, mut outputs) = (vec![[7.0; 4]; 160], vec![[0.0; 4]; 160]);
    for _ in 0..2 {
        machine.run(&layout, &inputs, &mut outputs).unwrap();
    }
    let expected = |vertex: usize| [7.0, (vertex % 32) as f32];
    assert!(outputs.iter().enumerate().all(|(vertex, row)| row[..2] == expected(vertex)), "{outputs:?}");
}

/// A seeded generator, the same everywhere.
fn random(seed: &mut u64) -> u32 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*seed >> 32) as u32
}

#[test]
fn any_words_run_or_stop() {
    let mut seed = 5;
    for round in 0..400 {
        let mode = if round % 2 == 0 { Mode::Emu32 } else { Mode::Hw24 };
        let geometry = (round % 3 == 0).then_some(0x25);
        let config = Config { mode, geometry, fuel: 300, ..Config::default() };
        let length = random(&mut seed) as usize % 60;
        let word = |seed: &mut u64| {
            let word = random(seed);
            // Half of the targets are within the program.
            if word & 1 == 0 && (0x20..0x2E).contains(&(word >> 26)) {
                word & !0x003F_0000 & !0xF000
            } else {
                word
            }
        };
        let words: Vec<u32> = (0..length).map(|_| word(&mut seed)).collect();
        let descriptors: Vec<[u32; 2]> = (0..40).map(|_| [random(&mut seed), 0]).collect();
        let program = Arc::new(Program::load(&words, &descriptors, 0, &config).unwrap());
        let mut machine = program.machine();
        machine.set_int(1, [200, 3, 50, 0]);
        (0..16).for_each(|n| machine.set_bool(n, n % 2 == 0));
        let inputs: Vec<[f32; 4]> =
            (0..33).map(|_| [0; 4].map(|_| f32::from_bits(random(&mut seed)))).collect();
        let mut outputs = vec![[0.0; 4]; 33];
        let layout = Layout { inputs: vec![2], outputs: vec![1] };
        machine.run(&layout, &inputs, &mut outputs).unwrap();
        machine.start(1);
        assert!(machine.trace().count() <= 301);
    }
}

#[test]
fn impossible_programs_are_refused() {
    let config = Config::default();
    assert!(Program::load(&[END; 4097], &[], 0, &config).is_err());
    assert!(Program::load(&[END], &[], 4095, &config).is_err());
    assert!(Program::load(&[], &[], 4094, &config).is_ok());
}
