//! What lanes tell each other (spec sections 7 and 16).

use chiaro_ir as ir;
use chiaro_ir::Op as Ir;
use chiaro_mach::Block;

use super::Select;
use super::part::Part;

impl Select<'_> {
    /// An operation over the lanes of a wave.
    pub(super) fn subgroup(&mut self, _: Block, _: ir::Inst, _: Ir, _: &[Vec<Part>]) -> Option<Vec<Part>> {
        None
    }

    /// A built-in of the wave.
    pub(super) fn subgroup_input(&mut self, _: Block, _: u32) -> Option<Vec<Part>> {
        None
    }
}
