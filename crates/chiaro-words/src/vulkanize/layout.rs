//! The std140 layout of loose uniforms. [OpenGL 4.6, 7.6.2.2]
//!
//! OpenGL's types carry no offsets and strides, so structures and arrays that go into the
//! block are declared again with these; truth values become numbers.

use chiaro_diag::Diagnostic;
use spirv::{Decoration, Op, StorageClass};

use crate::scan::Shape;
use crate::write::{Id, Part};

use super::Pass;

/// A type as it is in the block.
#[derive(Clone, Copy)]
pub(super) struct Laid {
    /// The type.
    pub(super) ty: Id,
    align: u32,
    size: u32,
}

/// Members of vectors of the block's arrays and structures start at multiples of this.
const VEC4: u32 = 16;

impl Pass<'_> {
    /// The type in the block; `None` if nothing of it goes there.
    pub(super) fn laid(&mut self, ty: Id) -> Result<Option<Laid>, Box<Diagnostic>> {
        if let Some(&known) = self.laid.get(&ty) {
            return Ok(known);
        }
        let scan = self.scan;
        let laid = match scan.shape(ty) {
            Shape::Bool => Some(Laid { ty: self.out.ty(Op::TypeInt, &[32, 0]), align: 4, size: 4 }),
            Shape::Number(bytes) => Some(Laid { ty, align: bytes, size: bytes }),
            Shape::Vector(elem, n) => self.vector(ty, elem, n)?,
            Shape::Matrix(column, n) => match self.laid(column)? {
                Some(column) => {
                    let stride = column.size.next_multiple_of(VEC4);
                    Some(Laid { ty, align: stride, size: stride.saturating_mul(n) })
                }
                None => None,
            },
            Shape::Array(elem, n) => self.laid_array(elem, n)?,
            Shape::Struct(members) => self.laid_struct(ty, members)?,
            Shape::Opaque | Shape::Pointer(..) | Shape::Other => None,
        };
        self.laid.insert(ty, laid);
        Ok(laid)
    }

    fn vector(&mut self, ty: Id, elem: Id, n: u32) -> Result<Option<Laid>, Box<Diagnostic>> {
        let Some(one) = self.laid(elem)? else { return Ok(None) };
        let ty = if one.ty == elem { ty } else { self.out.ty(Op::TypeVector, &[one.ty, n]) };
        let rounded = if n == 3 { 4 } else { n };
        Ok(Some(Laid { ty, align: one.size.saturating_mul(rounded), size: one.size.saturating_mul(n) }))
    }

    fn laid_array(&mut self, elem: Id, n: u32) -> Result<Option<Laid>, Box<Diagnostic>> {
        let Some(elem) = self.laid(elem)? else { return Ok(None) };
        let stride = elem.size.checked_next_multiple_of(elem.align.max(VEC4));
        let Some((stride, size)) = stride.and_then(|s| Some((s, s.checked_mul(n)?))) else {
            return Err(self.error("the loose uniforms take more than 4 GiB"));
        };
        let count = self.out.uint(n);
        let ty = self.out.distinct(Op::TypeArray, &[elem.ty, count]);
        self.out.decorate(ty, Decoration::ArrayStride, &[stride]);
        Ok(Some(Laid { ty, align: elem.align.max(VEC4), size }))
    }

    fn laid_struct(&mut self, ty: Id, members: &[Id]) -> Result<Option<Laid>, Box<Diagnostic>> {
        let named = |pass: &Self, i: u32| Member {
            ty: members[i as usize],
            name: pass.scan.member_name(ty, i),
            relaxed: pass.scan.member_decoration(ty, i, Decoration::RelaxedPrecision).is_some(),
        };
        let list: Vec<Member> = (0..members.len() as u32).map(|i| named(self, i)).collect();
        let name = self.scan.name(ty);
        self.structure(&name, &list)
    }

    /// A structure of all members that have a place in the block.
    fn structure(&mut self, name: &str, members: &[Member]) -> Result<Option<Laid>, Box<Diagnostic>> {
        let mut laid = Vec::new();
        for member in members {
            laid.extend(self.laid(member.ty)?.map(|l| (l, member)));
        }
        if laid.is_empty() {
            return Ok(None);
        }
        let types: Vec<Id> = laid.iter().map(|(l, _)| l.ty).collect();
        let ty = self.out.distinct(Op::TypeStruct, &types);
        self.out.name(ty, name);
        let (mut end, mut align) = (0u32, VEC4);
        for (i, (laid, member)) in laid.iter().enumerate() {
            let i = i as u32;
            let place =
                end.checked_next_multiple_of(laid.align.max(1)).map(|at| (at, at.checked_add(laid.size)));
            let Some((offset, Some(next))) = place else {
                return Err(self.error("the loose uniforms take more than 4 GiB"));
            };
            self.out.member_name(ty, i, &member.name);
            self.out.decorate_member(ty, i, Decoration::Offset, &[offset]);
            if let Some(stride) = self.matrix_stride(member.ty)? {
                self.out.decorate_member(ty, i, Decoration::ColMajor, &[]);
                self.out.decorate_member(ty, i, Decoration::MatrixStride, &[stride]);
            }
            if member.relaxed {
                self.out.decorate_member(ty, i, Decoration::RelaxedPrecision, &[]);
            }
            (end, align) = (next, align.max(laid.align));
        }
        let size = end.checked_next_multiple_of(align);
        let size = size.ok_or_else(|| self.error("the loose uniforms take more than 4 GiB"))?;
        Ok(Some(Laid { ty, align, size }))
    }

    /// Bytes between columns, if a type is a matrix or arrays of matrices.
    fn matrix_stride(&mut self, ty: Id) -> Result<Option<u32>, Box<Diagnostic>> {
        let Shape::Matrix(column, _) = self.scan.shape(self.scan.without_arrays(ty).0) else {
            return Ok(None);
        };
        Ok(self.laid(column)?.map(|l| l.size.next_multiple_of(VEC4)))
    }

    /// The block of all loose uniforms. Its variable has no name: its members keep theirs.
    pub(super) fn declare_block(&mut self) -> Result<(), Box<Diagnostic>> {
        let Some(id) = self.block else { return Ok(()) };
        let scan = self.scan;
        let member = |global: &crate::scan::Global| Member {
            ty: global.ty,
            name: scan.name(global.id),
            relaxed: scan.decoration(global.id, Decoration::RelaxedPrecision).is_some(),
        };
        let loose = self.loose.iter().filter(|l| l.member.is_some());
        let members: Vec<Member> = loose.map(|l| member(&l.global)).collect();
        let Some(block) = self.structure("Uniforms", &members)? else { return Ok(()) };
        self.out.decorate(block.ty, Decoration::Block, &[]);
        let pointer = self.out.pointer(StorageClass::Uniform, block.ty);
        self.out.push(Part::Declaration, Op::Variable, &[pointer, id, StorageClass::Uniform as u32]);
        self.out.name(id, "");
        Ok(())
    }
}

struct Member {
    ty: Id,
    name: String,
    relaxed: bool,
}
