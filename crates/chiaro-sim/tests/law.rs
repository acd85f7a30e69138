//! The law of the engines: every micro-op, in every hot environment and some
//! cold ones, gives the same bits on both engines in both compilations, lane
//! for lane, with all lanes active and with some.

use chiaro_num::{F16, Rounding, Tiny};
use chiaro_sim::op::Group;
use chiaro_sim::{
    Code, Denormals, Engine, FloatEnv, Lanes, NanRule, Op, Prepared, Scope, Slot, State, Storage, Table, Uop,
    ZeroTimesInfinity, memory, scalar,
};

const SLOTS: u16 = 72;

/// A seeded generator, the same everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as u32 ^ (self.0 >> 17) as u32
    }

    fn below(&mut self, n: u32) -> u32 {
        (u64::from(self.next()) * u64::from(n) >> 32) as u32
    }

    /// A word: special values, small integers, ordinary floats, anything.
    fn word(&mut self) -> u32 {
        const SPECIAL: [u32; 16] = [
            0,
            0x8000_0000,
            0x3F80_0000,
            0xBF80_0000,
            0x7F80_0000,
            0xFF80_0000,
            0x7FC0_0000,
            0x0000_0001,
            0x8000_0001,
            0x2080_0000,
            0x207F_FF80,
            0x5F7F_FF80,
            0x7F7F_FFFF,
            0x3F00_0000,
            u32::MAX,
            0x4F00_0000,
        ];
        match self.below(5) {
            0 => SPECIAL[self.below(16) as usize],
            1 => self.below(40),
            2 | 3 => (self.next() & 0x8FFF_FFFF) | (0x3800_0000 + (self.below(16) << 23)) & 0x7F80_0000,
            _ => self.next(),
        }
    }
}

fn environments() -> Vec<FloatEnv> {
    let half = FloatEnv {
        format: F16,
        storage: Storage::Raw,
        nan: NanRule::Propagate,
        zero_times_infinity: ZeroTimesInfinity::ZeroWins,
        ..FloatEnv::IEEE
    };
    let mut flushing = FloatEnv { denormals: Denormals::Flush, ..FloatEnv::IEEE };
    flushing.encoding.tiny = Tiny::FlushAfter;
    vec![
        FloatEnv::IEEE,
        FloatEnv::PICA_EMU32,
        FloatEnv::HALF,
        FloatEnv::pica_hw24(Rounding::NearestEven),
        FloatEnv::pica_hw24(Rounding::TowardZero),
        half,
        flushing,
        FloatEnv::FLUSHING,
        FloatEnv::FLUSHING_BEFORE,
    ]
}

/// A state of random slots; in environments of a narrow format kept as binary32
/// the slots hold numbers of that format.
fn state(random: &mut Random, env: &FloatEnv) -> State {
    let mut state = State::new(usize::from(SLOTS) + 16, 8);
    for slot in &mut state.lanes {
        *slot = Lanes(std::array::from_fn(|_| {
            let word = random.word();
            let narrow = env.storage == Storage::Binary32 && *env != FloatEnv::IEEE;
            if !narrow {
                return word;
            }
            let encoding = chiaro_num::Encoding { tiny: Tiny::Keep, ..env.encoding };
            let number = f64::from(f32::from_bits(word));
            env.format.decode_f32(env.format.encode(number, encoding)).to_bits()
        }));
    }
    state.waves = (0..8).map(|_| random.next()).collect();
    state.tables.push(Table::new((0..100).map(|i| [i, i + 1, i + 2, i + 3]).collect(), [7; 4]));
    state.memory.spaces.push(memory::Space { bytes: vec![1; 4096], policy: memory::Policy::Wrap });
    state
}

/// A random micro-op of `op`. Slots are even, so that pairs do not overlap.
fn uop(random: &mut Random, op: Op) -> Uop {
    let count = match op {
        Op::Dot => 2 + random.below(3) as u8,
        Op::Row | Op::ReadFirst | Op::Ballot => 1,
        _ if op.shape().group == Group::Special
            && op.shape().operands.len() + usize::from(op.shape().result) > 1
            && !matches!(op, Op::Broadcast | Op::MaskToLane | Op::Shuffle) =>
        {
            1
        }
        _ => 1 + random.below(4) as u8,
    };
    let wave = matches!(op, Op::Broadcast | Op::MaskToLane);
    let list = |random: &mut Random| {
        std::array::from_fn(|_| {
            Slot(if wave { random.below(8) as u16 } else { 16 + 2 * random.below(20) as u16 })
        })
    };
    let (a, b, c) = (list(random), list(random), list(random));
    // Sometimes the result is an operand of the same repetition, never of a later
    // one: micro-ops promise that.
    let first = if matches!(op, Op::Ballot | Op::ReadFirst) { 1 } else { 56 };
    let mut d = [0, 2, 4, 6].map(|k| Slot(first + k));
    let later = |i: usize, d: Slot| [&a, &b, &c].iter().any(|list| list[i + 1..].contains(&d));
    if first > 1 && !wave && random.below(2) == 0 {
        for i in (0..4).filter(|&i| !later(i, a[i]) && !a[..i].contains(&a[i])) {
            d[i] = a[i];
        }
    }
    if op == Op::Row && random.below(2) == 0 {
        d = Slot(56).quad();
    }
    let imm = match op {
        Op::Imm => random.next(),
        Op::Dot => random.below(2),
        Op::Row => random.below(200) << 8,
        _ => 0,
    };
    let scope = if random.below(8) == 0 { Scope::Whole } else { Scope::Active };
    Uop { count, d, a, b, c, imm, scope, ..Uop::new(op) }
}

/// True if the lanes of a slot agree: bit for bit, but NaNs whose payload the
/// environment (or binary64) leaves open count as one. `pair` is the slot's pair.
fn same(env: &FloatEnv, op: Op, [a, b]: [u32; 2], pair: [u64; 2]) -> bool {
    let nan = |bits: u32| f32::from_bits(bits).is_nan();
    let open = env.nan == NanRule::Any || op == Op::DtoF;
    let wide = op.shape().result == 2 && pair.iter().all(|p| f64::from_bits(*p).is_nan());
    a == b || open && nan(a) && nan(b) || wide
}

#[test]
fn engines_agree() {
    let mut random = Random(2);
    for env in environments() {
        for &op in Op::ALL {
            for _ in 0..48 {
                let uop = uop(&mut random, op);
                let mut code = Code::new(env);
                code.slots(SLOTS);
                code.push(uop);
                let mut start = state(&mut random, &env);
                start.active = if random.below(2) == 0 { u32::MAX } else { random.next() };
                let mut expected = start.clone();
                scalar::run(&code.uops, &code.envs, &mut expected, &mut ());
                for engine in [Engine::Portable, Engine::Avx2, Engine::Avx512] {
                    let mut found = start.clone();
                    Prepared::new(&code, engine).run(0..1, &mut found);
                    compare(&env, &uop, &expected, &found, &start);
                }
            }
        }
    }
}

/// A dot product of neighbouring slots with one vector or another, or a row of a table that such a product may read.
fn product_or_row(random: &mut Random) -> Uop {
    let slot = |random: &mut Random, first: u16, n: u32| Slot(first + random.below(n) as u16);
    let quad = Slot(16 + 4 * random.below(6) as u16).quad();
    if random.below(3) == 0 {
        let index = slot(random, 40, 4);
        return Uop { d: quad, a: [index; 4], imm: random.below(90) << 8, ..Uop::new(Op::Row) };
    }
    let vector = Slot(if random.below(4) == 0 { 44 } else { 48 });
    let (count, d) = (3 + u8::from(random.below(4) != 0), [slot(random, 16, 40); 4]);
    Uop { count, d, a: quad, b: vector.quad(), ..Uop::new(Op::Dot) }
}

#[test]
fn runs_in_fewer_steps_give_the_same() {
    let mut random = Random(3);
    for _ in 0..400 {
        let env = FloatEnv::PICA_EMU32;
        let mut code = Code::new(env);
        code.slots(SLOTS);
        (0..6).for_each(|_| code.push(product_or_row(&mut random)));
        let start = state(&mut random, &env);
        let mut expected = start.clone();
        scalar::run(&code.uops, &code.envs, &mut expected, &mut ());
        for engine in [Engine::Portable, Engine::Avx2, Engine::Avx512] {
            let (mut found, mut prepared) = (start.clone(), Prepared::new(&code, engine));
            prepared.fuse(std::iter::once(0..6), |_| true);
            prepared.run(0..6, &mut found);
            compare(&env, &code.uops[0], &expected, &found, &start);
        }
    }
}

/// Rows of a table with one index and their products with vectors, as skinning has them, with something before and
/// behind; and the check of an index.
fn products_of_rows(random: &mut Random) -> Vec<Uop> {
    let (index, rows) = (Slot(40), 1 + random.below(4) as u16);
    let row = |k: u16| Slot(16 + 4 * k).quad();
    let mut uops = vec![product_or_row(random)];
    if random.below(2) == 0 {
        let list = |slot: u16| [Slot(slot); 4];
        // Slots that no float comes to, since of NaNs bits differ.
        let truth = Uop { d: list(67), a: list(64), b: list(65), ..Uop::new(Op::Add) };
        uops.push(truth);
        uops.push(Uop { op: Op::LtU, a: list(67), b: list(66), ..truth });
        uops.push(Uop { op: Op::And, d: [index; 4], a: list(67), b: list(64), ..truth });
    }
    for k in 0..rows {
        let base = random.below(140);
        uops.push(Uop { d: row(k), a: [index; 4], imm: base << 8, ..Uop::new(Op::Row) });
    }
    for vector in 0..1 + random.below(3) as u16 {
        let count = 3 + random.below(2) as u8;
        for k in 0..rows {
            // Sometimes a result is another vector's component.
            let d = if random.below(30) == 0 { Slot(44) } else { Slot(52 + 4 * vector + k) };
            uops.push(Uop { count, d: [d; 4], a: row(k), b: Slot(44).quad(), ..Uop::new(Op::Dot) });
        }
    }
    uops.push(product_or_row(random));
    uops
}

/// A state whose floats are ordinary ones, so that no product is NaN.
fn ordinary(random: &mut Random, env: &FloatEnv) -> State {
    let mut state = state(random, env);
    for lane in state.lanes.iter_mut().flat_map(|lanes| &mut lanes.0) {
        *lane = 0x3F80_0000 + random.below(1 << 24);
    }
    let same = random.below(4) == 0;
    state.lanes[40] = Lanes(std::array::from_fn(|_| if same { 9 } else { random.below(300) }));
    state.lanes[64] = Lanes(std::array::from_fn(|_| random.below(60)));
    (state.lanes[65], state.lanes[66]) = (Lanes::splat(10), Lanes::splat(50));
    state
}

#[test]
fn products_of_looked_up_rows_are_those_of_their_steps() {
    let (mut random, env) = (Random(7), FloatEnv::PICA_EMU32);
    for round in 0..400 {
        let mut code = Code::new(env);
        code.slots(SLOTS);
        code.uops = products_of_rows(&mut random);
        let start = if round % 3 == 0 { state(&mut random, &env) } else { ordinary(&mut random, &env) };
        let mut expected = start.clone();
        scalar::run(&code.uops, &code.envs, &mut expected, &mut ());
        for engine in [Engine::Portable, Engine::Avx2, Engine::Avx512] {
            for rows_are_live in [true, false] {
                let (mut found, mut prepared) = (start.clone(), Prepared::new(&code, engine));
                prepared.fuse(std::iter::once(0..code.uops.len()), |slot| rows_are_live || slot.0 >= 40);
                prepared.run(0..code.uops.len(), &mut found);
                if !rows_are_live {
                    found.lanes[16..40].copy_from_slice(&expected.lanes[16..40]);
                }
                compare(&env, &code.uops[0], &expected, &found, &start);
            }
        }
    }
}

/// A copy or a sum of slots among few, so that copies meet.
fn copy_or_sum(random: &mut Random) -> Uop {
    let mut code = Code::new(FloatEnv::PICA_EMU32);
    let list = |random: &mut Random| -> Vec<Slot> {
        let first = random.below(8) as u16;
        (0..4).map(|k| Slot(16 + (first + 3 * k) % 12)).collect()
    };
    let (d, a, b) = (list(random), list(random), list(random));
    let count = 1 + random.below(4) as usize;
    match random.below(8) {
        0 => code.imm(&d[..count], random.word()),
        1 => code.row(Slot(16 + 4 * random.below(3) as u16).quad(), 0, a[0], 3),
        2 => code.dot(&d[..1], &a, &b, chiaro_sim::uop::Sum::LeftFromZero),
        3 | 4 => code.each(Op::Fadd, &d[..count], &[&a[..count], &b[..count]]),
        _ => code.each(Op::Mov, &d[..count], &[&a[..count]]),
    }
    code.uops[0]
}

#[test]
fn simplified_runs_give_the_same_in_live_slots() {
    let (mut random, env) = (Random(11), FloatEnv::PICA_EMU32);
    for _ in 0..2000 {
        let uops: Vec<Uop> = (0..12).map(|_| copy_or_sum(&mut random)).collect();
        let (mut fewer, live) = (uops.clone(), [16, 19, 22].map(Slot));
        let mut renamed = live;
        chiaro_sim::simplify(&mut fewer, &mut renamed);
        let start = ordinary(&mut random, &env);
        let [mut expected, mut found] = [start.clone(), start];
        scalar::run(&uops, &[env], &mut expected, &mut ());
        scalar::run(&fewer, &[env], &mut found, &mut ());
        for (before, after) in live.into_iter().zip(renamed) {
            assert_eq!(expected.lanes(before), found.lanes(after), "{uops:?} to {fewer:?}");
        }
    }
}

fn compare(env: &FloatEnv, uop: &Uop, expected: &State, found: &State, start: &State) {
    assert_eq!(expected.waves, found.waves, "{uop}");
    assert_eq!(expected.memory, found.memory, "{uop}");
    // The first slots are the engines' own.
    for slot in 16..usize::from(SLOTS) {
        for lane in 0..32 {
            let (e, f) = (expected.lanes[slot].0[lane], found.lanes[slot].0[lane]);
            let word = |state: &State, slot: usize| u64::from(state.lanes[slot].0[lane]);
            let pair = |state: &State| word(state, slot & !1) | word(state, slot | 1) << 32;
            let operand = |list: &[Slot; 4], i: usize| start.lanes(list[i]).0[lane];
            assert!(
                same(env, uop.op, [e, f], [pair(expected), pair(found)]),
                "{uop} in {env:?}: s{slot} lane {lane}: reference {e:08x}, batch {f:08x}, from {:08x?} {:08x?} {:08x?}",
                [0, 1, 2, 3].map(|i| operand(&uop.a, i)),
                [0, 1, 2, 3].map(|i| operand(&uop.b, i)),
                [0, 1, 2, 3].map(|i| operand(&uop.c, i)),
            );
        }
    }
}

#[test]
fn names_are_unique() {
    let mut names: Vec<_> = Op::ALL.iter().map(|op| op.name()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), Op::ALL.len());
}
