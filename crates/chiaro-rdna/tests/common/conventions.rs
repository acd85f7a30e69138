//! Random conventions of calls.

use chiaro_isa::Rng;
use chiaro_rdna::abi::convention::{
    Convention, Gaps, Keeping, ReturnAddresses, ReturnStack, Seat, Stack, System, Unit,
};
use chiaro_rdna::abi::partition::{Block, Files, Span};

/// A convention by a seed: limits, who keeps what, how much parameters take, how frames are aligned.
pub(crate) fn convention(seed: u64) -> Convention {
    let mut rng = Rng(seed.wrapping_mul(0xd134_2543_de82_ef95) | 1);
    let limit = Files { sgpr: 48 + below(&mut rng, 59), vgpr: 40 + below(&mut rng, 217) };
    let keeping = match rng.below(8) {
        0 => Keeping::Nothing,
        1 | 2 => {
            Keeping::Ranges(Files { sgpr: spans(&mut rng, limit.sgpr), vgpr: spans(&mut rng, limit.vgpr) })
        }
        _ => Keeping::Blocks(block(&mut rng)),
    };
    let most = (rng.below(2) == 0).then(|| {
        let (sgpr, vgpr) = (8 + below(&mut rng, 24), 4 + below(&mut rng, 60));
        Files { sgpr: sgpr.min(limit.sgpr), vgpr: vgpr.min(limit.vgpr) }
    });
    let absent = [Seat::Placed, Seat::Absent, Seat::Absent, Seat::Placed];
    let system = if rng.below(2) == 0 { System(absent) } else { System::default() };
    let alignment = [4, 4, 16, 64][rng.below(4)];
    let gaps = if rng.below(4) == 0 { Gaps::Upstream } else { Gaps::Aligned };
    let stack = Stack { unit: Unit::Lane, alignment };
    let name = format!("random {seed}");
    let return_addresses = match rng.below(3) {
        0 => ReturnAddresses::InLanes(ReturnStack {
            register: below(&mut rng, usize::from(limit.vgpr) - 1),
            counter: below(&mut rng, limit.sgpr.into()),
        }),
        _ => ReturnAddresses::Spilled,
    };
    Convention { name, most, system, stack, gaps, return_addresses, ..Convention::plain(limit, keeping) }
}

fn below(rng: &mut Rng, n: usize) -> u16 {
    rng.below(n) as u16
}

fn block(rng: &mut Rng) -> Block {
    let mut sizes = |most: usize| Files { sgpr: below(rng, most), vgpr: below(rng, most) };
    let (clobbered, preserved) = (sizes(24), sizes(24));
    Block { clobbered, preserved, clobbered_first: rng.below(2) == 0 }
}

/// Some spans of registers, in their order.
fn spans(rng: &mut Rng, limit: u16) -> Vec<Span> {
    let (mut all, mut first) = (Vec::new(), below(rng, 16));
    while first < limit {
        let last = (first + below(rng, 20)).min(limit - 1);
        all.push(Span { first, last });
        first = last + 2 + below(rng, 20);
    }
    all
}
