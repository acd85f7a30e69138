//! `layout(...)`: a table of names, where each may stand and since when.

mod devices;
mod primitives;
mod row;
mod standard;

use super::checker::Checker;
use super::state::{FORMATS, Qualifiers};
use crate::ast::LayoutId;
use crate::token::At;
pub(super) use primitives::GROUPS;
pub(super) use row::Kind;
use row::{Row, Sets};
use spirv::Decoration;
use standard::{ENHANCED, IMAGES, MORE_IMAGES};

/// All names.
fn rows() -> impl Iterator<Item = &'static Row> {
    standard::ROWS.iter().chain(devices::ROWS).chain(primitives::ROWS)
}

impl<'a> Checker<'a> {
    /// Reads `layout(...)`.
    pub(super) fn layout(&mut self, ids: &'a [LayoutId], all: &mut Qualifiers) {
        for id in ids {
            all.numbers.at.get_or_insert(id.at);
            self.layout_id(id, all);
        }
    }

    fn layout_id(&mut self, id: &'a LayoutId, all: &mut Qualifiers) {
        // Desktop versions compare these names without regard to case; GLSL ES and those from
        // 1.50 on as written. Nobody depends on the difference.
        let name = self.text(id.name).to_ascii_lowercase();
        let value = id.value.map(|value| match name.as_str() {
            "heap_offset" => {
                all.layout.heap_offset = self.heap_offset(value);
                Some(0)
            }
            _ => self.layout_value(value, &name),
        });
        if let Some(&(word, format, es)) = FORMATS.iter().find(|row| row.0 == name) {
            all.numbers.names.push((word, id.at));
            self.require_word(id.at, word, if es { IMAGES } else { MORE_IMAGES });
            all.layout.format = Some(format);
            return;
        }
        let Some(row) = self.row(|row| row.name == name) else {
            let words = rows().map(|row| row.name).chain(FORMATS.iter().map(|row| row.0));
            let meant = chiaro_diag::did_you_mean(&name, words).map(str::to_owned);
            let message = format!("unknown layout `{}`", self.text(id.name));
            self.error(id.at, message).mean(meant);
            return;
        };
        all.numbers.names.push((row.name, id.at));
        if let Some(set) = self.set_layout(row, value, id.at) {
            set.apply(row.sets, all);
        }
    }

    /// The row of the table that fits: one that is there in this stage, if there is one.
    fn row(&self, fits: impl Fn(&Row) -> bool) -> Option<&'static Row> {
        let there = |row: &&Row| fits(row) && row.when.is(self.version, self.stage, &self.enabled);
        rows().find(there).or_else(|| rows().find(|row| fits(row)))
    }

    /// Whether a name has a value exactly if it takes one.
    fn set_layout(&mut self, row: &Row, value: Option<Option<u32>>, at: At) -> Option<Value> {
        let flag = !matches!(
            row.sets,
            Sets::Location
                | Sets::Component
                | Sets::Index
                | Sets::Binding
                | Sets::Set
                | Sets::Offset
                | Sets::Align
                | Sets::Attachment
                | Sets::ConstantId
                | Sets::ReferenceAlign
                | Sets::LocalSize(_)
                | Sets::LocalSizeId(_)
                | Sets::MaxVertices
                | Sets::MaxPrimitives
                | Sets::PatchVertices
                | Sets::Invocations
                | Sets::SecondaryView
                | Sets::TileRate(_)
                | Sets::DescriptorStride
                | Sets::DescriptorSize
                | Sets::HeapOffset
                | Sets::Bank
                | Sets::MemberOffset
                | Sets::Number
        );
        match value {
            Some(_) if flag => {
                self.error(at, format!("`{}` takes no value", row.name));
                None
            }
            None if !flag => {
                self.error(at, format!("`{}` needs a value", row.name))
                    .help
                    .push(format!("write `{} = 0`", row.name));
                None
            }
            None => Some(Value(0)),
            Some(value) => {
                let value = value?;
                let counts = matches!(row.sets, Sets::LocalSize(_) | Sets::Invocations | Sets::PatchVertices);
                if value == 0 && counts {
                    self.error(at, format!("`{}` must be at least 1", row.name));
                }
                if matches!(row.sets, Sets::Align | Sets::ReferenceAlign | Sets::DescriptorStride)
                    && !value.is_power_of_two()
                {
                    self.error(at, format!("`{}` must be a power of two", row.name));
                }
                Some(Value(value))
            }
        }
    }

    /// The number behind an equals sign.
    fn layout_value(&mut self, value: crate::ast::ExprId, name: &str) -> Option<u32> {
        let written = &self.ast.exprs[value.0 as usize];
        let literal = matches!(written.kind, crate::ast::ExprKind::Int(..));
        let at = written.at;
        let expr = self.expr(value);
        if self.is_error(expr) {
            return None;
        }
        if !literal {
            self.require(at, "an expression in `layout`", ENHANCED);
        }
        let ty = self.ty_of(expr);
        let integer = ty == self.known.int || ty == self.known.uint;
        let Some(&bits) = self.bits(expr).filter(|_| integer).and_then(<[u64]>::first) else {
            self.error(at, format!("the value of `{name}` must be a constant integer"));
            return None;
        };
        if ty == self.known.int && (bits as u32 as i32) < 0 {
            self.error(at, format!("the value of `{name}` cannot be negative"));
            return None;
        }
        Some(bits as u32)
    }

    /// Checks the names that a declaration has against what it is.
    pub(super) fn check_layout(&mut self, all: &Qualifiers, kind: Kind, what: &str) {
        for &(name, at) in &all.numbers.names {
            if FORMATS.iter().any(|row| row.0 == name) {
                if !kind.meets(Kind::IMAGE) {
                    self.error(at, format!("`{name}` is for images; {what} takes no format"));
                }
                continue;
            }
            let Some(row) = self.row(|row| row.name == name && row.on.meets(kind)) else {
                self.error(at, format!("`{name}` does not fit here: {what} does not take it"));
                continue;
            };
            let when = row.when;
            if !when.is(self.version, self.stage, &self.enabled) {
                self.require(at, &format!("`{name}` for {what}"), when);
            }
        }
    }
}

/// A checked value; 0 for flags.
struct Value(u32);

impl Value {
    fn apply(&self, sets: Sets, all: &mut Qualifiers) {
        let number = Some(self.0);
        let (layout, numbers) = (&mut all.layout, &mut all.numbers);
        match sets {
            Sets::Location => layout.location = number,
            Sets::Component => layout.component = number,
            Sets::Index => layout.index = number,
            Sets::Binding => layout.binding = number,
            Sets::Set => layout.set = number,
            Sets::Offset => layout.offset = number,
            Sets::Align => layout.align = number,
            Sets::Attachment => layout.attachment = number,
            Sets::BufferReference => numbers.buffer_reference = true,
            Sets::ReferenceAlign => numbers.reference_align = number,
            Sets::ConstantId => numbers.constant_id = number,
            Sets::RowMajor(row_major) => {
                layout.row_major = row_major;
                numbers.row_major = Some(row_major);
            }
            Sets::Packing(packing) => numbers.packing = Some(packing),
            Sets::PushConstant => numbers.push_constant = true,
            Sets::LocalSize(axis) => numbers.local_size[axis] = number,
            Sets::LocalSizeId(axis) => numbers.local_size_id[axis] = number,
            Sets::EarlyTests => numbers.early_tests = true,
            Sets::UpperLeft => numbers.upper_left = true,
            Sets::IntegerCentre => numbers.integer_centre = true,
            Sets::Depth(mode) => numbers.depth = Some(mode),
            Sets::InputPrimitive(mode) => numbers.input = Some(mode),
            Sets::OutputPrimitive(mode) => numbers.output = Some(mode),
            Sets::Points => numbers.points = true,
            Sets::MaxVertices => numbers.max_vertices = number,
            Sets::MaxPrimitives => numbers.max_primitives = number,
            Sets::PatchVertices => numbers.patch_vertices = number,
            Sets::Invocations => numbers.invocations = number,
            Sets::Mode(mode) => numbers.modes.push(mode),
            Sets::ViewportRelative => numbers.marks.push((Decoration::ViewportRelativeNV, None)),
            Sets::SecondaryView => numbers.marks.push((Decoration::SecondaryViewportRelativeNV, number)),
            Sets::OverrideCoverage => numbers.marks.push((Decoration::OverrideCoverageNV, None)),
            Sets::TileAttachment => layout.tile = true,
            Sets::TileRate(axis) => numbers.tile_rate.get_or_insert([1; 3])[axis] = self.0,
            Sets::DescriptorHeap => {
                numbers.descriptor_heap = true;
                layout.heap.get_or_insert_default();
            }
            Sets::DescriptorStride => layout.heap.get_or_insert_default().stride = number,
            Sets::DescriptorSize => layout.heap.get_or_insert_default().size = number,
            Sets::Bank => numbers.marks.push((Decoration::BankNV, number)),
            Sets::MemberOffset => numbers.marks.push((Decoration::MemberOffsetNV, number)),
            Sets::Passthrough => {
                numbers.passthrough = true;
                numbers.marks.push((Decoration::PassthroughNV, None));
            }
            Sets::BufferType => numbers.buffer_type = true,
            Sets::ShaderRecord => numbers.shader_record = true,
            Sets::ReferenceMark(mark) => numbers.reference_mark = Some(mark),
            Sets::PrimitiveCulling => numbers.primitive_culling = true,
            Sets::HeapOffset | Sets::Number | Sets::Flag => {}
        }
    }
}
