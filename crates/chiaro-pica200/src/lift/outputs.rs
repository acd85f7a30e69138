//! What registers hold at the end goes to the outputs of the module.

use chiaro_ir::Value;

use super::values::Values;

/// Stores the outputs: of each register the value that is given, if one is.
/// `corner` is the number of the one that is sent.
pub(super) fn store<'p, 'm>(
    values: &mut Values<'p, 'm>,
    corner: Option<Value>,
    mut value: impl FnMut(&mut Values<'p, 'm>, u8) -> Option<Value>,
) {
    for output in &values.interface.outputs {
        let Some(value) = value(values, output.register) else { continue };
        let b = &mut values.b;
        if let Some(buffers) = &values.interface.buffers {
            buffers.put(b, corner.map(|n| (n, values.interface.most)), output.register, value);
            continue;
        }
        let part = match output.components[..] {
            [0, 1, 2, 3] => value,
            [one] => b.extract(value, one.into()),
            ref some => b.swizzle(value, some),
        };
        let pointer = b.global(output.global);
        b.store(pointer, part);
    }
}
