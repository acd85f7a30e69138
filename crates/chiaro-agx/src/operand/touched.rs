//! Which general registers an instruction reads and writes, also those that no operand names.

use chiaro_isa::{Inst, Isa, Role, Values};

use crate::regs::file;
use crate::regs::halves::Halves;

/// Halves of general registers that an instruction reads, and those that it writes.
pub(crate) fn touched(isa: &Isa, inst: &Inst) -> (Halves, Halves) {
    touched_by(isa, inst, &isa.values(inst, &isa.cx()))
}

/// The same of an instruction whose operands are known.
pub(crate) fn touched_by(isa: &Isa, inst: &Inst, values: &Values) -> (Halves, Halves) {
    let (mut reads, mut writes) = (Halves::default(), Halves::default());
    let form = isa.form(inst);
    for (field, value) in form.format.fields.iter().zip(values.as_slice()) {
        let Some(run) = value.and_then(|value| field.kind.covers(value)) else { continue };
        if run.file != file::GPR {
            continue;
        }
        if matches!(field.role, Role::Use | Role::DefUse) {
            reads.add(run.first, run.count);
        }
        if matches!(field.role, Role::Def | Role::DefUse) {
            writes.add(run.first, run.count);
        }
    }
    for implicit in form.operation.implicit {
        let (first, count) = match implicit.name {
            "r0l" => (0, 1),
            "r1" => (2, 2),
            _ => continue,
        };
        if implicit.role != Role::Def {
            reads.add(first, count);
        }
        if implicit.role != Role::Use {
            writes.add(first, count);
        }
    }
    (reads, writes)
}
