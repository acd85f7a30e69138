//! The variables that a lifted program writes: by the container's map, or by number where it has none.

use chiaro_ir::{Binding, Module, Space, Type};

use super::{Interface, OutputVariable, add, numbered};
use crate::container::Dvle;
use crate::exec::Components;
use crate::lift::{Options, Style};
use crate::machine::registers::Register;

impl Interface {
    /// Adds them to the module.
    pub(super) fn add_outputs(&mut self, module: &mut Module, executable: Option<&Dvle>, options: &Options) {
        let table = executable.map_or(&[][..], |dvle| &dvle.outputs);
        let mut list: Vec<Listed> = Vec::with_capacity(16);
        for output in table.iter().filter(|output| output.register < 16) {
            let components: Components<u8> = (0..4).filter(|k| output.mask >> k & 1 == 1).collect();
            let name = match output.property().map(|property| property.name) {
                Some("dummy") | None => format!("o{}", output.register),
                Some(name) => name.to_owned(),
            };
            let is_new = list.iter().all(|(other, ..)| *other != name);
            if is_new && !components.is_empty() {
                list.push((name, None, output.register as u8, components));
            }
        }
        if table.is_empty() {
            let written = (0..16).filter(|&n| self.uses(Register::Output(n)));
            let name =
                |n| if options.position == Some(n) { "position".to_owned() } else { numbered('o', n.into()) };
            list.extend(written.map(|n| (name(n), Some(n.into()), n, Components::from([0, 1, 2, 3]))));
        }
        if options.style == Style::Plain {
            join_third(&mut list);
        }
        let mut location = 0;
        module.globals.reserve(list.len());
        self.outputs.reserve(list.len());
        for (name, place, register, components) in list {
            let is_position = name == "position" && components.len() == 4;
            let binding = match is_position {
                true => Binding { builtin: Some(0), ..Binding::default() },
                false => Binding { location: place.or(Some(location)), ..Binding::default() },
            };
            location += u32::from(!is_position);
            let float = module.types.intern(Type::Float(32));
            let ty = module.types.vector(float, components.len() as u8);
            let global = add(module, name, Space::Output, ty, binding);
            self.outputs.push(OutputVariable { global, register, components });
        }
    }
}

/// An output before it is a variable: its name, its location if that is given, its register and its components there.
type Listed = (String, Option<u32>, u8, Components<u8>);

/// The third component of texture coordinate 0 has a property of its own. Where it stands behind the other two, people
/// read one vector, and there is a register more for what else is sent.
fn join_third(list: &mut Vec<Listed>) {
    let of = |name: &str| list.iter().position(|(other, ..)| other == name);
    let (Some(at), Some(third)) = (of("texcoord0"), of("texcoord0w")) else { return };
    let is_behind = list[at].2 == list[third].2 && list[at].3[..] == [0, 1] && list[third].3[..] == [2];
    if is_behind {
        list[at].3.push(2);
        list.remove(third);
    }
}
