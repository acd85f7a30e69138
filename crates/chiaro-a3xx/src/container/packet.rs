//! `CP_LOAD_STATE`, the packet that loads programs and constants. spec section 26.2.

use super::bytes::u32_at;
use super::error::Error;
use crate::regs::GRANULE;

/// The packet's opcode [regs].
pub const OPCODE: u32 = 0x30;

/// Where a packet takes its payload from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum From {
    /// The dwords that follow.
    Direct,
    /// An address.
    Indirect(u32),
    /// Nowhere: caches are invalidated, or a way that is only known by number.
    Other(u8),
}

/// What a packet loads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    /// A program.
    Shader,
    /// Constants.
    Constants,
    /// Known by number alone.
    Other(u8),
}

/// One packet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoadState {
    /// First unit that is written: 0 for programs, pairs of dwords for constants.
    pub offset: u16,
    /// The source of the payload.
    pub from: From,
    /// Which block: 4 vertex program, 6 fragment program, 7 compute; textures below.
    pub block: u8,
    /// Granules of a program, pairs of dwords of constants.
    pub units: u16,
    /// What is loaded.
    pub state: State,
    /// The dwords of a direct payload.
    pub payload: Vec<u32>,
}

impl LoadState {
    /// A program, directly.
    pub fn program(block: u8, words: &[u64]) -> LoadState {
        let payload = words.iter().flat_map(|w| [*w as u32, (*w >> 32) as u32]).collect();
        let units = words.len().div_ceil(GRANULE) as u16;
        LoadState { offset: 0, from: From::Direct, block, units, state: State::Shader, payload }
    }

    /// Constants from a vec4 on, directly; an odd dword is filled up.
    pub fn constants(block: u8, first: u16, values: &[u32]) -> LoadState {
        let mut payload = values.to_vec();
        payload.resize(values.len().next_multiple_of(2), 0);
        let units = (payload.len() / 2) as u16;
        LoadState { offset: first * 2, from: From::Direct, block, units, state: State::Constants, payload }
    }

    /// The dwords of the packet, header first.
    pub fn write(&self) -> Vec<u32> {
        let (source, address) = match self.from {
            From::Direct => (0, 0),
            From::Indirect(address) => (4, address & !3),
            From::Other(n) => (u32::from(n & 7), 0),
        };
        let state = match self.state {
            State::Shader => 0,
            State::Constants => 1,
            State::Other(n) => u32::from(n & 3),
        };
        let (block, units) = (u32::from(self.block & 7), u32::from(self.units & 0x3ff));
        let first = u32::from(self.offset) | source << 16 | block << 19 | units << 22;
        let count = self.payload.len() as u32 + 2;
        let header = 3 << 30 | (count - 1 & 0x3fff) << 16 | OPCODE << 8;
        [header, first, address | state].into_iter().chain(self.payload.iter().copied()).collect()
    }
}

/// Every `CP_LOAD_STATE` of a command stream; other packets are passed over.
///
/// # Errors
/// Where a packet is longer than the stream. What was read before is lost with it: a
/// stream that ends inside a packet says nothing reliable.
pub fn read(stream: &[u8]) -> Result<Vec<LoadState>, Error> {
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(header) = u32_at(stream, at) {
        let count = match header >> 30 {
            // Type 2 is a filler of one dword.
            2 => 0,
            _ => (header >> 16 & 0x3fff) as usize + 1,
        };
        let body = at + 4..at + 4 + count * 4;
        let Some(body) = stream.get(body) else {
            let message = format!("a packet of {count} dwords runs past the end");
            return Err(Error::new(at, message));
        };
        if header >> 30 == 3 && header >> 8 & 0xff == OPCODE {
            found.push(load_state(body, at)?);
        }
        at += 4 + count * 4;
    }
    Ok(found)
}

fn load_state(body: &[u8], at: usize) -> Result<LoadState, Error> {
    let dword = |n: usize| u32_at(body, n * 4).ok_or_else(|| Error::new(at, "the packet lacks its dwords"));
    let (first, second) = (dword(0)?, dword(1)?);
    let from = match first >> 16 & 7 {
        0 => From::Direct,
        4 => From::Indirect(second & !3),
        n => From::Other(n as u8),
    };
    let state = match second & 3 {
        0 => State::Shader,
        1 => State::Constants,
        n => State::Other(n as u8),
    };
    let payload = body[8..].as_chunks::<4>().0.iter().map(|c| u32::from_le_bytes(*c)).collect();
    let (block, units) = ((first >> 19 & 7) as u8, (first >> 22) as u16);
    Ok(LoadState { offset: first as u16, from, block, units, state, payload })
}
