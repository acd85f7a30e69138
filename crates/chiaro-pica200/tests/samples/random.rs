//! Random programs with every kind of control flow.

use chiaro_isa::Rng;

/// Word `at` of a random program of `count` words. Most targets are ahead, as in programs that keep the
/// rules; some are anywhere.
fn word(rng: &mut Rng, at: usize, count: usize) -> u32 {
    let ahead = at + 1 + rng.below(7);
    let target = if rng.below(8) == 0 { rng.below(count + 1) } else { ahead.min(count) } as u32;
    let (num, bits) = (rng.below(5) as u32, rng.below(16) as u32);
    let (bool, int) = ((rng.below(16) as u32) << 22, (rng.below(4) as u32) << 22);
    let flags = bits << 22;
    let place = target << 10 | num;
    match rng.below(40) {
        0 => 0x20 << 26,
        1 => 0x23 << 26 | flags,
        2 => 0x24 << 26 | place,
        3 => 0x25 << 26 | flags | place,
        4 => 0x26 << 26 | bool | place,
        5 => 0x27 << 26 | bool | place,
        6 | 7 => 0x28 << 26 | flags | place,
        8 | 9 => 0x29 << 26 | int | target.min(count as u32 - 1) << 10,
        10 => 0x2c << 26 | flags | place,
        11 => 0x2d << 26 | bool | place & !0xff | num & 1,
        12 => 0x22 << 26,
        _ => {
            let opcodes =
                [0, 1, 2, 3, 4, 6, 8, 9, 0xa, 0xb, 0xc, 0xd, 0xe, 0xf, 0x12, 0x13, 0x2e, 0x2f, 0x38, 0x30];
            let opcode = opcodes[rng.below(opcodes.len())];
            opcode << 26 | rng.next() as u32 & 0x03ff_ffff
        }
    }
}

/// A random program: any words that decode, with targets among them.
pub(crate) fn program(seed: u64) -> (Vec<u32>, Vec<[u32; 2]>) {
    let mut rng = Rng(seed);
    let count = 4 + rng.below(28);
    let descriptors = (0..128).map(|_| [rng.next() as u32 & 0x7fff_ffff, 0]).collect();
    let mut words: Vec<u32> = (0..count).map(|at| word(&mut rng, at, count)).collect();
    words.push(0x22 << 26);
    (words, descriptors)
}
