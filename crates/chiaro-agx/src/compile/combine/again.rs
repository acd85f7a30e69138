//! Sums that are made again where they are wanted: a number of its own instruction is cheaper than a register for long.
//!
//! ```text
//! v1 = iadd v0, 5                  v1 = iadd v0, 5
//! device_load ..., v1              device_load ..., v1
//! ...                       ->     ...
//! device_store ..., v1             v2 = iadd v0, 5
//!                                  device_store ..., v2
//! ```

use chiaro_mach::{Code, Inst, Operand, Value, What};
use rustc_hash::FxHashMap as HashMap;

use crate::compile::code::operation;
use crate::isa::Op;
use crate::isa::integer::Integer;

/// Instructions within which a value is kept.
const NEAR: usize = 8;

/// Makes the first so many sums of a value and a number again.
pub fn again(code: &mut Code, most: usize) {
    let mut sums: HashMap<Value, Inst> = HashMap::default();
    for block in code.blocks() {
        let mut places: HashMap<Value, (usize, Value)> = HashMap::default();
        let mut insts = Vec::with_capacity(code.insts(block).len());
        for (place, inst) in code.insts(block).to_vec().into_iter().enumerate() {
            if code.op(inst) != chiaro_mach::Op::Phi {
                for n in 0..code.uses(inst).len() {
                    let used = code.uses(inst)[n];
                    let sum = used.value().and_then(|value| Some((value, *sums.get(&value)?)));
                    let Some((value, maker)) = sum else { continue };
                    let known = places.get(&value).filter(|(at, _)| place - at <= NEAR);
                    let near = match known {
                        Some(&(_, near)) => near,
                        None => repeated(code, maker, &mut insts),
                    };
                    places.insert(value, (place, near));
                    code.uses_mut(inst)[n].what = What::Value(near);
                }
            }
            insts.push(inst);
            if let Some(value) = sum(code, inst).filter(|_| sums.len() < most) {
                sums.insert(value, inst);
                places.insert(value, (place, value));
            }
        }
        code.block_mut(block).insts = insts;
    }
}

/// The same sum once more.
fn repeated(code: &mut Code, maker: Inst, insts: &mut Vec<Inst>) -> Value {
    let def = code.defs(maker)[0];
    let data = def.value().map(|value| code.value_data(value));
    let align = data.map_or(1, |data| data.align);
    let value = code.value(def.file, def.size, align);
    let to = code.operand(value);
    let made = code.repeat(maker, &[to]);
    insts.push(made);
    value
}

/// The result of a sum of one value and a number.
fn sum(code: &Code, inst: Inst) -> Option<Value> {
    if !matches!(operation(code, inst)?, Op::Integer(Integer::Iadd | Integer::Isub)) {
        return None;
    }
    let is_value = |used: &&Operand| used.value().is_some();
    let &[def] = code.defs(inst) else { return None };
    let alone = code.uses(inst).iter().filter(is_value).count() == 1;
    def.value().filter(|_| alone && def.fixed.is_none() && def.size <= 2)
}
