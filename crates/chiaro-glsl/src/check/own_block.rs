//! Blocks of the language's own: what `gl_in`, `gl_out` and the arrays of a mesh are arrays of.

use super::checker::Checker;
use crate::builtin::blocks::{OwnBlock, OwnMember};
use crate::builtin::variable::Count;
use crate::hir::{self, Builtin};
use crate::qualifier::{Layout, Packing, Storage};
use crate::ty::{Length, Member, Struct, Ty};

impl Checker<'_> {
    /// How many elements an array of the language's own has, if the source has said it.
    pub(super) fn counted(&self, count: Count, storage: Storage) -> Length {
        let layout = Layout { per_primitive: !matches!(count, Count::Vertices), ..Layout::default() };
        let elements = self.arrayed_elements(storage, &layout);
        let each = if matches!(count, Count::Indices) { self.vertices_of_primitive() } else { 1 };
        elements.map_or(Length::Unsized, |n| Length::Known(n.saturating_mul(each)))
    }

    /// Vertices of each primitive of the mesh.
    fn vertices_of_primitive(&self) -> u32 {
        use spirv::ExecutionMode::{OutputLinesEXT, OutputPoints};
        let has = |mode| self.modes.others.contains(&mode);
        if has(OutputPoints) {
            1
        } else if has(OutputLinesEXT) {
            2
        } else {
            3
        }
    }

    /// The structure of a block of the language's own.
    pub(super) fn own_block(&mut self, block: &'static OwnBlock) -> Ty {
        let rows: Vec<&OwnMember> = block.members.iter().filter(|row| self.has_member(row)).collect();
        let mut members = Vec::with_capacity(rows.len());
        for (name, kind, _, _) in rows {
            let ty = self.builtin_type(*kind, Storage::Out);
            members.push(Member { name: self.symbols.intern(name), ty, precision: None, precise: false });
        }
        let name = self.symbols.intern(block.name);
        self.new_struct(Struct { name, members })
    }

    /// Whether a member is there in this version.
    pub(super) fn has_member(&self, row: &OwnMember) -> bool {
        row.3.is(self.version, self.stage, &self.enabled)
    }

    /// What makes a block of such a structure.
    pub(super) fn block_of_own(&mut self, block: &'static OwnBlock) -> hir::Block {
        let rows = block.members.iter().filter(|row| self.has_member(row));
        let builtins: Vec<_> = rows.map(|row| Some(Builtin::Known(row.2))).collect();
        let own = Layout { per_primitive: block.per_primitive, ..Layout::default() };
        hir::Block {
            name: self.symbols.intern(block.name),
            packing: Packing::default(),
            members: vec![own; builtins.len()],
            builtins,
        }
    }
}
