//! The simulator: what operations give, in both modes, and what programs do that hardware does
//! not define. Cases stand in `machine/`.

use std::sync::Arc;

use chiaro_a3xx::asm::{self, Options};
use chiaro_a3xx::machine::{Binding, Config, Machine, Mode, Program, Status, World};
use chiaro_diag::{Printer, SourceMap};
use chiaro_sim::texture::{Sampler, Shape, Texture};

fn assembled(text: &str) -> Vec<u64> {
    let mut sources = SourceMap::new();
    let text = format!("{}\nend\n", text.replace(" | ", "\n"));
    let file = sources.add("test", text.as_str());
    match asm::assemble(file, &text, Options { compat: true, ..Options::default() }) {
        Ok((program, _)) => program.image(),
        Err(errors) => panic!("{text}{}", Printer::plain().print(&errors, &sources)),
    }
}

fn rows(text: &str) -> impl Iterator<Item = Vec<&str>> {
    text.lines().filter(|l| !l.starts_with('#')).map(|l| l.split('\t').collect())
}

/// `r1.y=3f800000` as register and bits.
fn given(text: &str) -> impl Iterator<Item = (&str, u32)> {
    text.split_whitespace().map(|part| {
        let (name, bits) = part.split_once('=').expect("a register and its bits");
        (name, u32::from_str_radix(bits, 16).expect("bits"))
    })
}

fn number(name: &str) -> u16 {
    let (index, component) = name.trim_start_matches(['h', 'r', 'c']).split_once('.').expect("a component");
    index.parse::<u16>().expect("a number") * 4 + "xyzw".find(component).expect("a component") as u16
}

fn world() -> World {
    let mut world = World::default();
    world.memory.local = vec![0; 4096];
    world.memory.private = 64;
    world
}

/// A machine that has run a program on a full batch with the same registers in all lanes.
fn run(text: &str, registers: &str, config: &Config) -> Machine {
    let mut world = world();
    for (name, bits) in given(registers).filter(|(name, _)| name.starts_with('c')) {
        world.set_constants(number(name).into(), &[bits]);
    }
    let mut machine = Machine::new(Arc::new(Program::new(&assembled(text), config)));
    machine.load_constants(&world);
    machine.clear();
    for (name, bits) in given(registers) {
        match name.as_bytes()[0] {
            b'h' => machine.half_mut(number(name)).0.fill(bits),
            b'r' => machine.full_mut(number(name)).0.fill(bits),
            _ => {}
        }
    }
    machine.start(1);
    machine.run(&mut world);
    machine
}

fn value(machine: &Machine, name: &str) -> u32 {
    let lanes = if name.starts_with('h') { machine.half(number(name)) } else { machine.full(number(name)) };
    lanes.0[0]
}

/// A machine that runs a program in all lanes, of which `fill` says what they hold.
fn lanes(text: &str, config: &Config, fill: impl Fn(&mut Machine)) -> Machine {
    let mut machine = Machine::new(Arc::new(Program::new(&assembled(text), config)));
    machine.clear();
    fill(&mut machine);
    machine.start(32);
    machine.run(&mut world());
    machine
}

/// Of a whole quad by default, else of each of its rows and columns.
#[test]
fn differences_are_those_of_a_quad() {
    let squares = |machine: &mut Machine| {
        for (lane, x) in machine.full_mut(number("r1.x")).0.iter_mut().enumerate() {
            *x = ((lane * lane) as f32).to_bits();
        }
    };
    let differences = |operation: &str, fine: bool| {
        let text = format!("{operation} (f32)(x)r2.x, r1.x | (sy)nop");
        let found = lanes(&text, &Config { fine, ..Config::default() }, squares).full(number("r2.x")).0;
        [4, 5, 6, 7].map(|lane| f32::from_bits(found[lane]))
    };
    // The second quad holds 16, 25 over 36, 49.
    assert_eq!(differences("dsx", false), [9.0, 9.0, 9.0, 9.0]);
    assert_eq!(differences("dsy", false), [20.0, 20.0, 20.0, 20.0]);
    assert_eq!(differences("dsx", true), [9.0, 9.0, 13.0, 13.0]);
    assert_eq!(differences("dsy", true), [20.0, 24.0, 20.0, 24.0]);
}

/// Private memory is each fiber's own, local memory is the group's.
#[test]
fn memory_that_is_touched_says_whose_it_is() {
    let config = Config { mode: Mode::Timed, ..Config::default() };
    let text = "stl.u32 l[r0.x], r1.x, 1 | stp.u32 p[r0.x], r1.x, 1 | (ss)(sy)nop | end";
    let machine = lanes(text, &config, |machine| {
        machine.keep_trace();
        machine.full_mut(number("r0.x")).0.fill(0);
    });
    let touched = machine.trace().iter().flat_map(|one| &one.memory);
    let mut found: Vec<_> = touched.map(|touched| (touched.space, touched.is_own)).collect();
    found.dedup();
    assert_eq!(found, [("local", false), ("private", true)]);
}

/// What comes behind the last instruction that is kept belongs to none.
#[test]
fn a_trace_that_is_full_grows_no_more() {
    let mode = Mode::Timed;
    let config = Config { mode, fuel: 100_000, ..Config::default() };
    let machine = lanes("mov.f32f32 r0.x, r1.x | jump #-1", &config, Machine::keep_trace);
    let trace = machine.trace();
    assert_eq!(trace.len(), 1 << 16);
    assert!(trace.iter().all(|one| one.reads.len() <= 2 && one.writes.len() <= 1));
}

#[test]
fn every_lane_writes_where_its_own_index_says() {
    let text = "mova a0.x, hr0.x | (rpt5)nop | (ul)mov.f32f32 r<a0.x + 8>, r1.x";
    let machine = lanes(text, &Config::default(), |machine| {
        (0..32).for_each(|lane| machine.half_mut(number("hr0.x")).0[lane] = lane as u32 % 2);
        machine.full_mut(number("r1.x")).0.fill(7);
    });
    let written = |name: &str| machine.full(number(name)).0.map(|bits| bits == 7);
    assert_eq!(written("r2.x"), std::array::from_fn(|lane| lane % 2 == 0));
    assert_eq!(written("r2.y"), std::array::from_fn(|lane| lane % 2 == 1));
}

#[test]
fn operations_give_their_values_in_both_modes_and_engines() {
    for row in rows(include_str!("machine/values.tsv")) {
        let [text, before, after] = row[..] else { panic!("{row:?}") };
        let fast = Config::default();
        let timed = Config { mode: Mode::Timed, ..fast };
        let reference = Config { engine: None, ..fast };
        // Independent operations in a row need no distance; all see the end.
        for config in [fast, timed, reference] {
            let machine = run(text, before, &config);
            for (name, bits) in given(after) {
                let found = value(&machine, name);
                assert_eq!(found, bits, "{text}: {name} is {found:08x} in {:?}", config.mode);
            }
            assert_eq!(machine.faults(), [], "{text}");
        }
    }
}

#[test]
fn hazards_show() {
    let timed = Config { mode: Mode::Timed, fuel: 1 << 10, ..Config::default() };
    for row in rows(include_str!("machine/faults.tsv")) {
        let [fault, seen, text, before] = row[..] else { panic!("{row:?}") };
        let machine = run(text, before, &timed);
        let found: Vec<String> = machine.faults().iter().map(|f| f.kind.to_string()).collect();
        let wanted: Vec<&str> = if fault == "-" { Vec::new() } else { vec![fault] };
        assert_eq!(found, wanted, "{text}");
        if seen != "-" {
            assert_eq!(format!("{:x}", value(&machine, "r2.x")), seen, "{text}");
        }
    }
}

/// Repetitions of one instruction do not see each other's results, in either mode.
#[test]
fn repetitions_read_what_was_there_before() {
    for mode in [Mode::Functional, Mode::Timed] {
        let config = Config { mode, ..Config::default() };
        let machine = run("(rpt2)add.u r0.y, (r)r0.x, 1", "r0.x=1 r0.y=10 r0.z=20", &config);
        assert_eq!(["r0.y", "r0.z", "r0.w"].map(|name| value(&machine, name)), [2, 0x11, 0x21]);
    }
}

/// Lanes part at a branch and join behind it; without `(jp)` nobody takes the others along.
#[test]
fn lanes_part_and_join() {
    let text = "cmps.u.lt p0.x, r0.x, 4 | (rpt5)nop | br !p0.x, #3 | mov.u32u32 r2.x, 1 | jump #2 | \
                (jp)mov.u32u32 r2.x, 2 | (jp)(rpt2)nop | add.u r3.x, r0.x, r2.x";
    for mode in [Mode::Functional, Mode::Timed] {
        let all = |text: &str| {
            let config = Config { mode, ..Config::default() };
            let mut machine = Machine::new(Arc::new(Program::new(&assembled(text), &config)));
            machine.clear();
            machine.full_mut(0).0 = std::array::from_fn(|lane| lane as u32);
            machine.start(8);
            machine.run(&mut world());
            machine
        };
        let machine = all(text);
        assert_eq!(machine.full(12).0[..8], [1, 2, 3, 4, 6, 7, 8, 9]);
        assert_eq!(machine.faults(), []);
        let machine = all(&text.replace("(jp)mov", "mov"));
        let kinds: Vec<String> = machine.faults().iter().map(|f| f.kind.to_string()).collect();
        assert_eq!(kinds, ["lanes wait here, and the instruction lacks (jp)"]);
    }
}

#[test]
fn kills_leave_helpers() {
    let text =
        "cmps.u.ge p0.x, r0.x, 2 | (rpt5)nop | kill p0.x | (rpt5)nop | dsx (f32)(x)r2.x, r1.x | (sy)nop";
    let mut machine = Machine::new(Arc::new(Program::new(&assembled(text), &Config::default())));
    machine.clear();
    machine.full_mut(0).0 = std::array::from_fn(|lane| lane as u32);
    machine.full_mut(4).0 = std::array::from_fn(|lane| (lane as f32 * 3.0).to_bits());
    machine.start(4);
    machine.run(&mut world());
    assert_eq!(machine.killed(), 0b1100);
    assert_eq!(f32::from_bits(machine.full(8).0[0]), 3.0);
}

/// A fiber that has ended changes no memory, and is not held to its bounds.
#[test]
fn killed_fibers_may_address_anything() {
    let faults = |end: &str| {
        let text =
            format!("cmps.u.ge p0.x, r0.x, 2 | (rpt5)nop | {end} | (rpt5)nop | stp.u32 p[r1.x], r0.x, 1");
        let mut machine = Machine::new(Arc::new(Program::new(&assembled(&text), &Config::default())));
        machine.clear();
        machine.full_mut(0).0 = std::array::from_fn(|lane| lane as u32);
        machine.full_mut(4).0 = std::array::from_fn(|lane| if lane < 2 { 4 } else { 0x1_0000 });
        machine.start(4);
        machine.run(&mut world());
        machine.faults().len()
    };
    assert_eq!([faults("kill p0.x"), faults("nop")].map(|count| count > 0), [false, true]);
}

/// Varyings: the value at the first vertex and two slopes, with barycentric coordinates.
#[test]
fn varyings_are_interpolated() {
    let words = assembled("bary.f (ei)r2.x, 3, r0.x | bary.f hr2.x, 3, r0.x");
    let mut machine = Machine::new(Arc::new(Program::new(&words, &Config::default())));
    machine.clear();
    let planes = machine.varying_mut(3).expect("the program fetches it");
    for (plane, value) in planes.iter_mut().zip([1.0f32, 2.0, 4.0]) {
        plane.0.fill(value.to_bits());
    }
    machine.full_mut(0).0.fill(0.5f32.to_bits());
    machine.full_mut(1).0.fill(0.25f32.to_bits());
    machine.start(1);
    machine.run(&mut world());
    assert_eq!(f32::from_bits(machine.full(8).0[0]), 3.0);
    assert_eq!(machine.half(8).0[0], 0x4200);
    assert!(machine.varying_mut(4).is_none());
}

/// Flat varyings may be integers: minus zero, a signalling NaN and a subnormal number keep their bits, wherever the
/// fragment is.
#[test]
fn flat_varyings_keep_their_bits() {
    let words = assembled("bary.f (ei)r2.x, 3, r0.x");
    let mut config = Config::default();
    config.set("subnormals", "flush").expect("an assumption");
    for bits in [0x8000_0000, 0x7f80_0001, u32::MAX, 1, 7] {
        let mut machine = Machine::new(Arc::new(Program::new(&words, &config)));
        machine.clear();
        machine.varying_mut(3).expect("the program fetches it")[0].0.fill(bits);
        machine.full_mut(0).0.fill(0.5f32.to_bits());
        machine.full_mut(1).0.fill(f32::INFINITY.to_bits());
        machine.start(1);
        machine.run(&mut world());
        assert_eq!(machine.full(8).0[0], bits);
    }
}

#[test]
fn textures_are_sampled_with_the_level_of_the_quad() {
    let texel = |x: f32| [u64::from(x.to_bits()), 0, 0, 0];
    let small = Texture { size: [1; 3], texels: vec![texel(9.0)], ..Texture::default() };
    let texels = [1.0, 2.0, 3.0, 4.0].map(texel).to_vec();
    let texture = Texture { size: [2, 2, 1], texels, smaller: vec![small] };
    let mut world = world();
    world.bind(0, Binding { texture: Arc::new(texture), shape: Shape::default() }, Sampler::default());
    let mut sample = |text: &str, step: f32, second: u32| {
        let mut machine = Machine::new(Arc::new(Program::new(&assembled(text), &Config::default())));
        machine.clear();
        let coordinate = |lane: usize, axis: usize| ((lane >> axis & 1) as f32 * step + 0.25).to_bits();
        machine.full_mut(0).0 = std::array::from_fn(|lane| coordinate(lane, 0));
        machine.full_mut(1).0 = std::array::from_fn(|lane| coordinate(lane, 1));
        machine.full_mut(4).0.fill(second);
        machine.start(4);
        machine.run(&mut world);
        assert_eq!(machine.faults(), []);
        f32::from_bits(machine.full(8).0[0])
    };
    assert_eq!(sample("sam (f32)(x)r2.x, r0.x, s#0, t#0 | (sy)nop", 0.5, 0), 1.0);
    assert_eq!(sample("sam (f32)(x)r2.x, r0.x, s#0, t#0 | (sy)nop", 1.0, 0), 9.0);
    assert_eq!(sample("saml (f32)(x)r2.x, r0.x, r1.x, s#0, t#0 | (sy)nop", 0.5, 1.0f32.to_bits()), 9.0);
    assert_eq!(sample("samb (f32)(x)r2.x, r0.x, r1.x, s#0, t#0 | (sy)nop", 0.5, 1.0f32.to_bits()), 9.0);
    assert_eq!(sample("sam (f16)(x)hr2.x, r0.x, s#0, t#0 | (sy)cov.f16f32 r2.x, hr2.x", 0.5, 0), 1.0);
    assert_eq!(sample("getsize (u32)(xy)r2.x, r1.x, t#0 | (sy)nop | cov.u32f32 r2.x, r2.x", 0.5, 0), 2.0);
}

/// Batches of a group run from barrier to barrier.
#[test]
fn barriers_wait_for_all() {
    let words = assembled(
        "stl.u32 l[r0.x], r1.x, 1 | (ss)bar.g.l | (ss)(sy)nop | ldl.u32 r2.x, l[r0.y], 1 | (ss)nop",
    );
    let program = Arc::new(Program::new(&words, &Config::default()));
    let mut world = world();
    let mut batches = [0u32, 1].map(|n| {
        let mut machine = Machine::new(Arc::clone(&program));
        machine.clear();
        machine.full_mut(0).0 = std::array::from_fn(|lane| (n * 32 + lane as u32) * 4);
        machine.full_mut(1).0.fill((1 - n) * 32 * 4);
        machine.full_mut(4).0.fill(n + 7);
        machine.start(32);
        machine
    });
    let status: Vec<Status> = batches.iter_mut().map(|m| m.run(&mut world)).collect();
    assert_eq!(status, [Status::Barrier; 2]);
    let status: Vec<Status> = batches.iter_mut().map(|m| m.run(&mut world)).collect();
    assert_eq!(status, [Status::Ended; 2]);
    assert_eq!([batches[0].full(8).0[5], batches[1].full(8).0[5]], [8, 7]);
}

/// The clock: a slot for each repetition, and as long as a flag waits.
#[test]
fn cycles_are_counted() {
    let cycles = |text: &str| {
        let machine = run(text, "r0.x=3f800000", &Config { mode: Mode::Timed, ..Config::default() });
        (machine.clock().cycles, machine.clock().ss, machine.clock().sy)
    };
    let nops = |text: &str| {
        run(text, "r0.x=3f800000", &Config { mode: Mode::Timed, ..Config::default() }).clock().nops
    };
    assert_eq!(
        (nops("(rpt5)nop"), nops("nop | mov.f32f32 r1.x, r0.x | (rpt2)nop")),
        (7, 5),
        "the end is one too"
    );
    assert_eq!(cycles("(rpt5)nop"), (7, 0, 0));
    assert_eq!(cycles("mov.f32f32 r1.x, r0.x"), (2, 0, 0));
    // Ten cycles from the issue of the special function; the slot of its own counts.
    assert_eq!(cycles("rcp r1.x, r0.x | (ss)nop"), (12, 9, 0));
    assert_eq!(cycles("rcp r1.x, r0.x | (rpt5)nop | (ss)nop"), (12, 3, 0));
}

#[test]
fn assumptions_change_what_they_say() {
    let mut config = Config::default();
    // (1 + 2^-12)^2 - (1 + 2^-11) is 2^-24, which a rounded product loses.
    let text = "mad.f32 r2.x, r0.x, r0.x, (neg)r1.x";
    let registers = "r0.x=3f800800 r1.x=3f801000";
    assert_eq!(value(&run(text, registers, &config), "r2.x"), 0);
    config.set("mad", "fused").unwrap();
    assert_eq!(value(&run(text, registers, &config), "r2.x"), 0x3380_0000);
    config.set("subnormals", "flush").unwrap();
    assert_eq!(value(&run("add.f r2.x, r0.x, r0.x", "r0.x=00000001", &config), "r2.x"), 0);
    config.set("int-to-float", "nearest").unwrap();
    assert_eq!(value(&run("cov.u32f32 r2.x, r0.x", "r0.x=ffffffff", &config), "r2.x"), 0x4f80_0000);
    let wrong = config.set("mad", "sometimes").unwrap_err();
    assert_eq!(wrong, "`mad` does not take `sometimes`; it takes rounded fused");
    assert!(config.set("mda", "fused").unwrap_err().contains("there are mad, subnormals"));
}

/// Whatever stands in the words: no panic, no hang.
#[test]
fn random_words_run_to_some_end() {
    let mut seed = 7u64;
    let mut next = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        seed ^ seed >> 29
    };
    for n in 0..3000 {
        let mode = if n % 2 == 0 { Mode::Timed } else { Mode::Functional };
        let config = Config { mode, fuel: 200, ..Config::default() };
        // The upper bits choose the category: each of them as often.
        let words: Vec<u64> = (0..12).map(|k| next() & !(7 << 61) | (n + k) % 8 << 61).collect();
        let mut machine = Machine::new(Arc::new(Program::new(&words, &config)));
        machine.clear();
        machine.start(16);
        machine.run(&mut world());
    }
}
