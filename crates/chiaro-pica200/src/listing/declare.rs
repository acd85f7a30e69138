//! An executable's tables as directives.

use super::Unlisted;
use super::symbols::{self, Named, Space};
use crate::container::{Constant, ConstantValue, Dvle, Output, Stage, UniformRegister};
use chiaro_isa::Out;
use chiaro_num::{F24, picasso_f24};

/// Where names and registers stand while files are listed one after the other: vertex
/// files share their uniforms, geometry files have their own.
#[derive(Default)]
pub(super) struct Spaces {
    vertex: Space,
}

impl Spaces {
    /// Writes everything of an executable that is no code; answers its names.
    pub(super) fn executable(&mut self, e: &Dvle, out: &mut Out) -> Result<Vec<Named>, Unlisted> {
        let mut own = Space::default();
        let space = match e.stage {
            Stage::Vertex => &mut self.vertex,
            Stage::Geometry => {
                own.next[0] = geometry(e, out);
                &mut own
            }
            Stage::Other(n) => return Err(Unlisted(format!("the executable's type is {n}"))),
        };
        let (text, named) = symbols::table(e, space)?;
        out.push_str(&text);
        e.outputs.iter().try_for_each(|o| output(o, out))?;
        e.constants.iter().try_for_each(|c| constant(c, out))?;
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
