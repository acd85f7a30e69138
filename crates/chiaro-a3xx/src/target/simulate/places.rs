//! Outputs of a program: their registers, and what was read of them.

use chiaro_target::{Kind, Output};

use super::as_output;
use crate::abi::{self, Interface};
use crate::machine::Machine;
use crate::report::{Stage, Statistics};

/// All outputs with the values of the invocations so far.
pub(super) struct Places {
    all: Vec<Place>,
}

struct Place {
    name: String,
    register: u16,
    half: bool,
    width: u16,
    kind: Kind,
    bits: Vec<u64>,
}

/// `r1.y` or `hr0.x` as size and number.
pub(super) fn register(text: &str) -> Option<(bool, u16)> {
    let (half, rest) = match text.strip_prefix("hr") {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('r')?),
    };
    numbered(rest).filter(|n| *n < 61 * 4).map(|n| (half, n))
}

/// The number of `1.y`, or of `1` alone.
pub(super) fn numbered(text: &str) -> Option<u16> {
    let (number, component) = text.split_once('.').unwrap_or((text, "x"));
    let component = ["x", "y", "z", "w"].iter().position(|c| *c == component)?;
    Some(number.parse::<u16>().ok().filter(|n| *n < 1 << 12)? * 4 + component as u16)
}

/// How results of a kind show their bits.
pub(super) fn kind(kind: abi::Kind, half: bool) -> Kind {
    let width = if half { 16 } else { 32 };
    match kind {
        abi::Kind::Float => Kind::Float(width),
        abi::Kind::Int => Kind::Int(width),
        abi::Kind::Uint => Kind::Uint(width),
        abi::Kind::Bool => Kind::Bool,
    }
}

impl Places {
    /// Those of the interface; without one all registers that the program names.
    pub(super) fn of(interface: Option<&Interface>, words: &[u64]) -> Places {
        let Some(interface) = interface else { return Places::of_words(words) };
        let all = interface.outputs.iter().map(|output| {
            let several = interface.outputs.iter().filter(|o| o.name == output.name).count() > 1;
            let name =
                if several { format!("{}[{}]", output.name, output.part) } else { output.name.clone() };
            Place {
                name,
                register: output.register,
                half: output.half,
                width: output.components.into(),
                kind: kind(output.kind, output.half),
                bits: Vec::new(),
            }
        });
        Places { all: all.collect() }
    }

    fn of_words(words: &[u64]) -> Places {
        let used = Statistics::of(words, Stage::Fragment);
        let vec4 = |half: bool, n: u32| Place {
            name: format!("{}r{n}", if half { "h" } else { "" }),
            register: n as u16 * 4,
            half,
            width: 4,
            kind: Kind::Float(if half { 16 } else { 32 }),
            bits: Vec::new(),
        };
        let full = (0..used.full).map(|n| vec4(false, n));
        Places { all: full.chain((0..used.half).map(|n| vec4(true, n))).collect() }
    }

    /// Reads the outputs of a lane.
    pub(super) fn read(&mut self, machine: &Machine, lane: usize) {
        for place in &mut self.all {
            for n in 0..place.width {
                let number = place.register + n;
                let from = if place.half { machine.half(number) } else { machine.full(number) };
                place.bits.push(from.0[lane].into());
            }
        }
    }

    /// The outputs of all invocations that were read.
    pub(super) fn outputs(&mut self) -> Vec<Output> {
        let output = |place: &mut Place| {
            let letters = &"xyzw"[..usize::from(place.width.min(4))];
            let register = format!("{}r{}", if place.half { "h" } else { "" }, place.register / 4);
            let first = usize::from(place.register % 4);
            let text = match first {
                0 => format!("{register}.{letters}"),
                _ => format!("{register}.{}..", &"xyzw"[first..=first]),
            };
            as_output(
                place.name.clone(),
                text,
                place.kind,
                place.width.into(),
                std::mem::take(&mut place.bits),
            )
        };
        self.all.iter_mut().map(output).collect()
    }
}
