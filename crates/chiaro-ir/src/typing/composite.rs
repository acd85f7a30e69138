//! Bit fields, and composites taken apart and put together.

use super::{Check, Typing, class, total_bits};
use crate::op::Op;
use crate::ty::{Ty, Type};

impl Typing<'_> {
    pub(super) fn bit_field(&self, op: Op) -> Check {
        let values = if op == Op::BitInsert { 2 } else { 1 };
        self.count(values + 2)?;
        let ty = self.result()?;
        for i in 0..values {
            self.expect(i, ty)?;
        }
        for i in values..values + 2 {
            self.arg_is(i, |ty| self.is_i32(ty), "i32")?;
        }
        self.in_class(class(op), ty)
    }

    pub(super) fn composite(&self, op: Op) -> Check {
        match op {
            Op::Bitcast => self.bitcast(),
            Op::Construct => self.construct(),
            Op::Extract(n) => self.extract(n),
            Op::Insert(n) => self.insert(n),
            Op::ExtractDyn => self.extract_dyn(),
            Op::InsertDyn => self.insert_dyn(),
            Op::Shuffle(parts) => self.shuffle(parts),
            _ => Ok(()),
        }
    }

    fn bitcast(&self) -> Check {
        self.count(1)?;
        let (from, to) = (self.arg(0), self.result()?);
        let bits = total_bits(self.types, from);
        if bits.is_some() && bits == total_bits(self.types, to) {
            return Ok(());
        }
        Err(format!("{} and {} have not the same size", self.name(from), self.name(to)))
    }

    fn construct(&self) -> Check {
        let ty = self.result()?;
        match *self.types.get(ty) {
            Type::Vector(scalar, n) => self.construct_vector(scalar, n),
            _ => self.construct_parts(ty),
        }
    }

    fn construct_vector(&self, scalar: Ty, n: u8) -> Check {
        let mut components = 0;
        for i in 0..self.args.len() {
            let fits = |ty| self.types.scalar(ty) == scalar;
            self.arg_is_what(i, fits, || format!("made of {}", self.name(scalar)))?;
            components += usize::from(self.types.components(self.arg(i)));
        }
        let splat = self.args.len() == 1 && components == 1;
        if splat || components == usize::from(n) {
            return Ok(());
        }
        Err(format!("makes {n} components of {components}"))
    }

    fn construct_parts(&self, ty: Ty) -> Check {
        let Some(n) = self.types.part_count(ty) else {
            return Err(format!("{} has no parts", self.name(ty)));
        };
        self.count(n as usize)?;
        for i in 0..n {
            if let Some(part) = self.types.part(ty, i) {
                self.expect(i as usize, part)?;
            }
        }
        Ok(())
    }

    /// The type of part `n` of a composite that is a value.
    fn part(&self, ty: Ty, n: u32) -> Result<Ty, String> {
        let known = self.types.part_count(ty).and_then(|_| self.types.part(ty, n));
        known.ok_or_else(|| format!("{} has no part {n}", self.name(ty)))
    }

    fn extract(&self, n: u32) -> Check {
        self.count(1)?;
        let part = self.part(self.arg(0), n)?;
        self.result_is(|ty| ty == part, "the type of that part")
    }

    fn insert(&self, n: u32) -> Check {
        self.count(2)?;
        let ty = self.result()?;
        self.expect(0, ty)?;
        self.expect(1, self.part(ty, n)?)
    }

    fn vector(&self, i: usize) -> Check {
        self.arg_is(i, |ty| matches!(self.types.get(ty), Type::Vector(..)), "a vector")
    }

    fn extract_dyn(&self) -> Check {
        self.count(2)?;
        self.vector(0)?;
        self.arg_is(1, |ty| self.is_index(ty), "an integer")?;
        self.result_is(|ty| ty == self.types.scalar(self.arg(0)), "the scalar of the vector")
    }

    fn insert_dyn(&self) -> Check {
        self.count(3)?;
        self.expect(0, self.result()?)?;
        self.vector(0)?;
        self.expect(1, self.types.scalar(self.arg(0)))?;
        self.arg_is(2, |ty| self.is_index(ty), "an integer")
    }

    fn shuffle(&self, parts: [u8; 4]) -> Check {
        self.count(2)?;
        self.vector(0)?;
        self.vector(1)?;
        let (a, b, to) = (self.arg(0), self.arg(1), self.result()?);
        let scalar = self.types.scalar(to);
        if self.types.scalar(a) != scalar || self.types.scalar(b) != scalar {
            return Err(format!("{} is not made of {} and {}", self.name(to), self.name(a), self.name(b)));
        }
        let given = self.types.components(a) + self.types.components(b);
        let used = parts.iter().take(usize::from(self.types.components(to)));
        match used.copied().find(|&part| part != 255 && part >= given) {
            Some(part) => Err(format!("component {part} is not among the {given} of the operands")),
            None => Ok(()),
        }
    }
}
