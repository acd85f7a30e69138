//! An executable's tables as directives.

use super::Unlisted;
use crate::container::{Constant, ConstantValue, Dvle, Output, Stage, UniformRegister};
use crate::regs::bank;
use chiaro_isa::Out;
use chiaro_num::{F24, picasso_f24};
use std::collections::BTreeMap;

/// A name that the listing declares, with its registers.
pub(super) struct Named {
    pub name: String,
    /// Register bank, see [`bank`].
    pub file: u8,
    pub first: u16,
    pub count: u16,
}

/// Where names and registers stand while files are listed one after the other: vertex
/// files share their uniforms, geometry files have their own.
#[derive(Default)]
pub(super) struct Spaces {
    vertex: Space,
}

/// Registers handed out in one uniform space: by bank, the next free one.
#[derive(Default)]
struct Space {
    next: [u16; 3],
    known: BTreeMap<String, (u16, u16)>,
}

/// The directive and bank size of float, integer and boolean uniforms.
const BANKS: [(&str, char, u16); 3] = [(".fvec", 'c', 96), (".ivec", 'i', 4), (".bool", 'b', 16)];

impl Spaces {
    /// Writes everything of an executable that is no code; answers its names.
    pub(super) fn executable(&mut self, e: &Dvle, out: &mut Out) -> Result<Vec<Named>, Unlisted> {
        let mut named = Vec::new();
        let mut own = Space::default();
        let space = match e.stage {
            Stage::Vertex => &mut self.vertex,
            Stage::Geometry => {
                own.next[0] = geometry(e, out);
                &mut own
            }
            Stage::Other(n) => return Err(Unlisted(format!("the executable's type is {n}"))),
        };
        for uniform in e.uniforms.iter().filter(|u| u.first >= 0x10) {
            let name = name(e, uniform.name)?;
            let registers = uniform.registers().filter(|(first, last)| place(*first).0 == place(*last).0);
            let Some((first, last)) = registers else {
                return Err(Unlisted(format!(
                    "uniform {name} has registers {:#x} to {:#x}",
                    uniform.first, uniform.last
                )));
            };
            space.declare(&name, first, last, out)?;
            let (file, start) = (file(first), place(first).1);
            named.push(Named { name, file, first: start, count: last.number() - first.number() + 1 });
        }
        for input in e.uniforms.iter().filter(|u| u.first < 0x10) {
            if input.first != input.last {
                return Err(Unlisted("an input takes several registers".to_owned()));
            }
            let name = name(e, input.name)?;
            out.push_str(&format!(".in {name} v{}\n", input.first));
            named.push(Named { name, file: bank::INPUT, first: input.first, count: 1 });
        }
        e.outputs.iter().try_for_each(|o| output(o, out))?;
        e.constants.iter().try_for_each(|c| constant(c, out))?;
        named.retain(|n| !like_register(&n.name));
        Ok(named)
    }
}

/// Writes `.gsh`; answers the first float uniform that names may take.
fn geometry(e: &Dvle, out: &mut Out) -> u16 {
    let floats = e.uniforms.iter().filter_map(|u| match u.registers()?.0 {
        UniformRegister::Float(n) => Some(u16::from(n)),
        _ => None,
    });
    let [mode, start, full, count] = e.geometry;
    let lowest = if mode == 2 { u16::from(start) + u16::from(count) } else { 0 };
    let first = floats.min().unwrap_or(lowest.min(95));
    match mode {
        1 => out.push_str(&format!(".gsh variable c{first} {full}\n")),
        2 => out.push_str(&format!(".gsh fixed c{first} c{start} {count}\n")),
        _ => out.push_str(&format!(".gsh point c{first}\n")),
    }
    first
}

fn file(register: UniformRegister) -> u8 {
    [bank::FLOAT, bank::INT, bank::BOOL, bank::INPUT][place(register).0]
}

/// Index into [`BANKS`] (3: an input) and number.
fn place(register: UniformRegister) -> (usize, u16) {
    match register {
        UniformRegister::Float(n) => (0, n.into()),
        UniformRegister::Int(n) => (1, n.into()),
        UniformRegister::Bool(n) => (2, n.into()),
        UniformRegister::Input(n) => (3, n.into()),
    }
}

/// Whether a name reads like a register; it is declared, but not used.
fn like_register(name: &str) -> bool {
    let mut letters = name.chars();
    letters.next().is_some_and(|c| "vorcib".contains(c)) && letters.next().is_some_and(|c| c.is_ascii_digit())
}

/// A symbol as the source spells it: picasso writes `$` as a point.
fn name(e: &Dvle, symbol: u32) -> Result<String, Unlisted> {
    let name = e.name(symbol).unwrap_or("").replace('.', "$");
    let letter = |c: char| c.is_ascii_alphabetic() || c == '$' || c == '_';
    let identifier = name.starts_with(letter) && name.chars().all(|c| letter(c) || c.is_ascii_digit());
    if identifier && !name.starts_with('_') {
        Ok(name)
    } else {
        Err(Unlisted(format!("`{name}` is no name")))
    }
}

impl Space {
    fn declare(
        &mut self,
        name: &str,
        first: UniformRegister,
        last: UniformRegister,
        out: &mut Out,
    ) -> Result<(), Unlisted> {
        let (bank, start) = place(first);
        let (directive, letter, size) = BANKS[bank];
        let count = last.number() - first.number() + 1;
        let key = format!("{letter}{name}");
        if self.known.get(&key) != Some(&(start, count)) {
            let next = self.next[bank];
            if start < next || start + count > size || self.known.contains_key(&key) {
                return Err(Unlisted(format!("uniform {name} is not in the order of its registers")));
            }
            if start > next {
                let gap = start - next;
                out.push_str(&format!("{directive} _unnamed_{letter}{next}[{gap}]\n"));
            }
            self.next[bank] = start + count;
            self.known.insert(key, (start, count));
        }
        let length = if count == 1 { String::new() } else { format!("[{count}]") };
        let place = if count == 1 {
            format!("{letter}{start}")
        } else {
            format!("{letter}{start}..{letter}{}", start + count - 1)
        };
        out.push_str(&format!("{directive} {name}{length}  ; {place}\n"));
        Ok(())
    }
}

fn output(o: &Output, out: &mut Out) -> Result<(), Unlisted> {
    let Some(property) =
        o.property().filter(|_| o.unknown == 0 && (1..16).contains(&o.mask) && o.register < 16)
    else {
        return Err(Unlisted(format!(
            "output entry {:x} {:x} {:x} {:x}",
            o.kind, o.register, o.mask, o.unknown
        )));
    };
    let mask: String =
        "xyzw".chars().enumerate().filter(|(i, _)| o.mask >> i & 1 == 1).map(|(_, c)| c).collect();
    let mask = if o.mask == 15 { String::new() } else { format!(".{mask}") };
    out.push_str(&format!(".out - {} o{}{mask}\n", property.name, o.register));
    Ok(())
}

fn constant(c: &Constant, out: &mut Out) -> Result<(), Unlisted> {
    let (Some(value), Some(target)) = (c.value(), c.target()) else {
        return Err(Unlisted(format!("constant of type {} for register {}", c.kind, c.register)));
    };
    match value {
        ConstantValue::Bool(set) => out.push_str(&format!(".setb {target} {set}\n")),
        ConstantValue::Int([x, y, z, w]) => out.push_str(&format!(".seti {target}({x}, {y}, {z}, {w})\n")),
        ConstantValue::Float(raw) => {
            let texts: Result<Vec<String>, Unlisted> = raw.iter().map(|&raw| float(raw)).collect();
            out.push_str(&format!(".setf {target}({})\n", texts?.join(", ")));
        }
    }
    Ok(())
}

/// Text that picasso's conversion turns into these bits again.
fn float(raw: u32) -> Result<String, Unlisted> {
    let value = F24.decode(raw) as f32;
    let ordinary = value == 0.0 || value.is_infinite() || value.abs() >= f32::MIN_POSITIVE;
    if picasso_f24(value) != raw || !ordinary {
        return Err(Unlisted(format!("no number is written as the float24 {raw:06x}")));
    }
    Ok(if value.is_infinite() { format!("{value}") } else { format!("{value:?}") })
}
