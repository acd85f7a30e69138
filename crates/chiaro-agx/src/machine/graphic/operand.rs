//! What an operation on varyings, coverage or the tilebuffer does, read from its word once.

use chiaro_isa::{Reg, Value};

use crate::exec::{Choices, Operands};
use crate::isa::Op;
use crate::isa::graphics::Graphics;
use crate::machine::format::Format;
use crate::regs::{file, size};

/// A number, or a register of each lane.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::machine) enum Number {
    Is(u32),
    Of(Reg),
}

/// What is done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::machine) enum Graphic {
    /// Interpolates from coefficients, with perspective by those of 1/W.
    Iterate {
        d: Reg,
        from: Number,
        by: Option<u16>,
        at: Where,
    },
    /// The coefficients themselves.
    Coefficients {
        d: Reg,
        from: Number,
    },
    /// A word of a vertex.
    Output {
        word: Reg,
        index: Number,
    },
    /// Kills samples, tests others.
    Samples {
        target: Number,
        live: Number,
    },
    /// Depth and stencil.
    Depth {
        target: Number,
        depth: Option<Reg>,
        stencil: Option<Reg>,
    },
    Tile(Tile),
}

/// Where a varying is taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::machine) enum Where {
    Middle,
    Sample(Number),
    Centroid,
}

/// An access to the tilebuffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::machine) struct Tile {
    pub(in crate::machine) loads: bool,
    pub(in crate::machine) format: Format,
    pub(in crate::machine) mask: u8,
    pub(in crate::machine) data: Reg,
    pub(in crate::machine) offset: usize,
    pub(in crate::machine) samples: Number,
}

impl Graphic {
    /// The operation of a word; `None` if it is none of these, or its format is unknown.
    pub(in crate::machine) fn of(op: Op, i: &Operands<'_>, choices: Choices) -> Option<Graphic> {
        use Graphics as G;
        let Op::Graphics(op) = op else { return None };
        Some(match op {
            G::Iter | G::Iterproj => Graphic::Iterate {
                d: i.reg("D")?,
                from: number(i, "I")?,
                by: i.reg("J").map(|r| r.index),
                at: place(i)?,
            },
            G::Ldcf => Graphic::Coefficients { d: i.reg("D")?, from: number(i, "I")? },
            G::StVar | G::StVarFinal => Graphic::Output { word: i.reg("r")?, index: number(i, "I")? },
            G::SampleMask => Graphic::Samples { target: number(i, "S")?, live: number(i, "M")? },
            G::ZsEmit => depth(i)?,
            G::LdTile | G::StTile if i.flag("ec") => return None,
            G::LdTile | G::StTile => Graphic::Tile(Tile {
                loads: op == G::LdTile,
                format: Format::assumed(i.number("F"), choices)?,
                mask: i.number("mask") as u8,
                data: i.reg("R")?,
                offset: i.number("O") as usize,
                samples: number(i, "S")?,
            }),
            _ => return None,
        })
    }
}

fn number(i: &Operands<'_>, name: &str) -> Option<Number> {
    match i.isa.value(i.inst, name, &i.isa.cx())? {
        Value::Int(n) => Some(Number::Is(n as u32)),
        Value::Reg(r) if r.file == file::GPR => Some(Number::Of(r)),
        Value::Reg(r) => Some(Number::Is(r.index.into())),
        Value::Symbol(_) => None,
    }
}

fn place(i: &Operands<'_>) -> Option<Where> {
    Some(match i.number("interpolation") {
        1 => Where::Sample(number(i, "S")?),
        2 => Where::Centroid,
        _ => Where::Middle,
    })
}

/// Depth has 32 bits, stencil the 16 behind them.
fn depth(i: &Operands<'_>) -> Option<Graphic> {
    let (z, s) = (i.flag("z"), i.flag("s"));
    let first = i.reg("T")?.index;
    let at = |size, index| Reg { file: file::GPR, size, index, ..Reg::default() };
    let stencil = at(size::HALF, first + if z { 2 } else { 0 });
    Some(Graphic::Depth {
        target: number(i, "S")?,
        depth: z.then(|| at(size::WORD, first)),
        stencil: s.then_some(stencil),
    })
}
