//! Constructors: vectors and matrices of parts, arrays, structures.

use chiaro_words::write::Id;
use spirv::Op;

use crate::hir::{ExprId, ExprKind};
use crate::ty::{Access, Opaque, Scalar, Type};

use super::arith::Typed;
use super::emitter::Emitter;
use crate::numeric::Num;

impl Emitter<'_> {
    /// Puts a value together. Scalars have the right type already.
    pub(super) fn construct(&mut self, ty: &Type, args: &[ExprId]) -> Id {
        let parts: Vec<Typed> = args.iter().map(|&a| self.part(a)).collect();
        match (Num::of(ty), *ty) {
            (Some(num), _) if matches!(parts[..], [Typed { ty: Type::Opaque(_), .. }]) => {
                self.handle_of(num, parts[0])
            }
            (Some(num), _) if num.is_coop() => self.construct_coop(num, &parts),
            (Some(num), _) if num.is_matrix() => self.construct_matrix(num, &parts),
            (Some(num), _) => self.construct_vector(num, &parts),
            (None, Type::Opaque(Opaque::AccelerationStructure)) => match parts.as_slice() {
                [address] => self.acceleration_structure(*address),
                _ => self.fail("an address is expected"),
            },
            (None, Type::Opaque(_)) => match *parts {
                [handle] => self.of_handle(ty, handle),
                _ => self.combine(&parts),
            },
            _ => {
                let ids: Vec<Id> = parts.iter().map(|p| p.id).collect();
                let ty = self.plain_ty(ty);
                self.composite(ty, &ids)
            }
        }
    }

    /// An argument. A matrix that is converted to what matrices cannot hold is converted once
    /// it is taken apart.
    fn part(&mut self, e: ExprId) -> Typed {
        let expr = &self.program.exprs[e.0 as usize];
        if let ExprKind::Convert(inner) = expr.kind
            && Num::of(&self.what(expr.ty)).is_some_and(Num::is_matrix)
        {
            return self.typed(inner);
        }
        self.typed(e)
    }

    /// Parts put together: a constant if all of them are.
    pub(super) fn composite(&mut self, ty: Id, parts: &[Id]) -> Id {
        if parts.iter().all(|&part| self.constants.get(part as usize).copied().unwrap_or(false)) {
            let id = self.out.constant(Op::ConstantComposite, ty, parts);
            self.note_constant(id);
            return id;
        }
        self.op(Op::CompositeConstruct, ty, parts)
    }

    /// `sampler2D(texture, sampler)`. Whether it compares, sampling says.
    fn combine(&mut self, parts: &[Typed]) -> Id {
        let [Typed { id: texture, ty: Type::Opaque(image) }, sampler] = *parts else {
            return self.fail("a sampler is made of a texture and a sampler");
        };
        let image = self.image_ty(image, spirv::ImageFormat::Unknown);
        let ty = self.out.ty(Op::TypeSampledImage, &[image]);
        self.op(Op::SampledImage, ty, &[texture, sampler.id])
    }

    /// A texture or an image by its handle. [SPV_NV_bindless_texture]
    fn of_handle(&mut self, ty: &Type, handle: Typed) -> Id {
        let number = match Num::of(&handle.ty) {
            Some(num) if num.is_scalar() => handle.id,
            _ => {
                let wide = self.num_ty(Num::scalar(Scalar::Uint64));
                self.op(Op::Bitcast, wide, &[handle.id])
            }
        };
        let made = self.plain_ty(ty);
        self.of_number(ty, made, number)
    }

    /// A texture or an image, of the type that `made` is, by the 64 bits of its handle.
    pub(super) fn of_number(&mut self, ty: &Type, made: Id, number: Id) -> Id {
        self.address_textures();
        let op = if is_storage(ty) { Op::ConvertUToImageNV } else { Op::ConvertUToSampledImageNV };
        self.op(op, made, &[number])
    }

    /// The handle of a texture or an image, as 64 bits or two halves. [GL_ARB_bindless_texture]
    fn handle_of(&mut self, num: Num, texture: Typed) -> Id {
        self.address_textures();
        let wide = self.num_ty(Num::scalar(Scalar::Uint64));
        let op = if is_storage(&texture.ty) { Op::ConvertImageToUNV } else { Op::ConvertSampledImageToUNV };
        let number = self.op(op, wide, &[texture.id]);
        if num.is_scalar() {
            return number;
        }
        let halves = self.num_ty(num);
        self.op(Op::Bitcast, halves, &[number])
    }

    fn address_textures(&mut self) {
        self.need(super::needs::BINDLESS);
        self.addresses_textures = true;
    }

    fn construct_vector(&mut self, num: Num, parts: &[Typed]) -> Id {
        if let [one] = *parts
            && let Some(from) = Num::of(&one.ty)
        {
            if from.is_coop() {
                return self.out_of_coop(one, num);
            }
            return match (from.is_scalar(), from.is_matrix()) {
                (true, _) => self.splat(one.id, one.ty, num.rows),
                (_, false) if from.rows == num.rows => one.id,
                (_, false) => {
                    let first: Vec<u8> = (0..num.rows.min(from.rows)).collect();
                    self.shuffle(one.id, from, &first)
                }
                _ => self.vector_of_scalars(num, parts),
            };
        }
        let rows: u32 = parts.iter().map(|p| components(&p.ty)).sum();
        let any_matrix = parts.iter().any(|p| Num::of(&p.ty).is_some_and(Num::is_matrix));
        if rows != u32::from(num.rows) || any_matrix {
            return self.vector_of_scalars(num, parts);
        }
        let ids: Vec<Id> = parts.iter().map(|p| p.id).collect();
        let ty = self.num_ty(num);
        self.composite(ty, &ids)
    }

    fn vector_of_scalars(&mut self, num: Num, parts: &[Typed]) -> Id {
        let scalars = self.scalars(parts, num.scalar, num.rows.into());
        match *scalars.as_slice() {
            [one] if num.is_scalar() => one,
            _ => {
                let ty = self.num_ty(num);
                self.op(Op::CompositeConstruct, ty, &scalars)
            }
        }
    }

    /// The first `most` scalars of some values, as a type.
    pub(super) fn scalars(&mut self, parts: &[Typed], to: Scalar, most: usize) -> Vec<Id> {
        let mut all = Vec::with_capacity(most);
        for part in parts {
            let Some(num) = Num::of(&part.ty) else { continue };
            let ty = self.num_ty(Num::scalar(num.scalar));
            for i in 0..u32::from(num.columns) * u32::from(num.rows) {
                if all.len() == most {
                    return all;
                }
                let (column, row) = (i / u32::from(num.rows), i % u32::from(num.rows));
                let id = match (num.is_scalar(), num.is_matrix()) {
                    (true, _) => part.id,
                    (_, true) => self.op(Op::CompositeExtract, ty, &[part.id, column, row]),
                    _ => self.op(Op::CompositeExtract, ty, &[part.id, row]),
                };
                all.push(self.convert(Typed { id, ty: Type::Scalar(num.scalar) }, &Type::Scalar(to)));
            }
        }
        all
    }

    fn construct_matrix(&mut self, num: Num, parts: &[Typed]) -> Id {
        if let [one] = *parts
            && let Some(from) = Num::of(&one.ty)
        {
            if from == num {
                return one.id;
            }
            if from.with(num.scalar) == num {
                return self.convert(one, &num.ty());
            }
            if from.is_scalar() {
                return self.diagonal(num, one.id);
            }
            if from.is_matrix() {
                return self.resize(num, one.id, from);
            }
        }
        let column = num.column();
        let are_columns =
            parts.len() == usize::from(num.columns) && parts.iter().all(|p| Num::of(&p.ty) == Some(column));
        let columns: Vec<Id> = if are_columns {
            parts.iter().map(|p| p.id).collect()
        } else {
            let scalars = self.scalars(parts, num.scalar, usize::from(num.columns) * usize::from(num.rows));
            let ty = self.num_ty(column);
            scalars.chunks(num.rows.into()).map(|rows| self.op(Op::CompositeConstruct, ty, rows)).collect()
        };
        let ty = self.num_ty(num);
        self.op(Op::CompositeConstruct, ty, &columns)
    }

    fn diagonal(&mut self, num: Num, scalar: Id) -> Id {
        let zero = self.number(Num::scalar(num.scalar), 0);
        let cell = |column, row| if column == row { scalar } else { zero };
        self.matrix_of(num, |_, column, row| cell(column, row))
    }

    /// Another matrix's upper left part, and the identity where it has nothing.
    fn resize(&mut self, num: Num, matrix: Id, from: Num) -> Id {
        let scalar = Num::scalar(num.scalar);
        let from_ty = self.num_ty(Num::scalar(from.scalar));
        self.matrix_of(num, |this, column, row| {
            if column < from.columns && row < from.rows {
                let id = this.op(Op::CompositeExtract, from_ty, &[matrix, column.into(), row.into()]);
                this.convert(Typed { id, ty: Type::Scalar(from.scalar) }, &scalar.ty())
            } else {
                this.number(scalar, i32::from(column == row))
            }
        })
    }

    fn matrix_of(&mut self, num: Num, mut cell: impl FnMut(&mut Self, u8, u8) -> Id) -> Id {
        let column_ty = self.num_ty(num.column());
        let mut columns = Vec::with_capacity(num.columns.into());
        for column in 0..num.columns {
            let rows: Vec<Id> = (0..num.rows).map(|row| cell(self, column, row)).collect();
            columns.push(self.op(Op::CompositeConstruct, column_ty, &rows));
        }
        let ty = self.num_ty(num);
        self.op(Op::CompositeConstruct, ty, &columns)
    }
}

fn components(ty: &Type) -> u32 {
    Num::of(ty).map_or(0, |num| u32::from(num.columns) * u32::from(num.rows))
}

/// Whether a type is an image, which has no sampler.
fn is_storage(ty: &Type) -> bool {
    matches!(ty, Type::Opaque(Opaque::Texture { access: Access::Storage, .. }))
}
