//! What a program reads of its interface, as values.

use chiaro_ir::{Builder, Value};

use super::{FLOATS, Interface, Words, vec4};
use crate::exec::Components;

impl Interface {
    fn place(&self, b: &mut Builder<'_>, path: &[Value]) -> Value {
        let Some(block) = self.block else {
            let ty = vec4(b.module());
            return b.undef(ty);
        };
        let pointer = b.global(block);
        b.access(pointer, path)
    }

    /// The value of v`n` at the start.
    pub(in crate::lift) fn input(&self, b: &mut Builder<'_>, n: u8) -> Value {
        if let Some(buffers) = &self.buffers {
            return buffers.input(b, n);
        }
        match self.inputs[usize::from(n)] {
            Some(global) => {
                let mut pointer = b.global(global);
                if self.is_geometry {
                    let first = b.u32(0);
                    pointer = b.access(pointer, &[first]);
                }
                b.load(pointer)
            }
            None => {
                let ty = vec4(b.module());
                b.zero(ty)
            }
        }
    }

    /// A component of c`n`, if it is known.
    pub(in crate::lift) fn constant(&self, n: u8, component: u8) -> Option<f32> {
        self.given.floats.get(&n).map(|row| row[usize::from(component)])
    }

    /// c`n`.
    pub(in crate::lift) fn float(&self, b: &mut Builder<'_>, n: u8) -> Value {
        let Some((member, element)) = self.places.get(usize::from(n)).copied().flatten() else {
            let ty = vec4(b.module());
            return b.zero(ty);
        };
        let path: Components<Value> =
            [Some(member), element].into_iter().flatten().map(|i| b.u32(i)).collect();
        let place = self.place(b, &path);
        b.load(place)
    }

    /// The c register of a number that is computed, of which seven bits count; ones where there is none
    /// (spec section 10).
    pub(in crate::lift) fn float_at(&self, b: &mut Builder<'_>, at: Value) -> Value {
        let (count, last, member) = (b.u32(FLOATS.into()), b.u32(u32::from(FLOATS) - 1), b.u32(0));
        let mask = b.u32(0x7f);
        let at = b.and(at, mask);
        let is_there = b.ult(at, count);
        let near = b.umin(at, last);
        let place = self.place(b, &[member, near]);
        let (value, one) = (b.load(place), b.f32(1.0));
        let ty = b.ty(value);
        let ones = b.splat(ty, one);
        b.select(is_there, value, ones)
    }

    /// The c register so far behind another one, in the array of that.
    pub(in crate::lift) fn element(&self, b: &mut Builder<'_>, offset: Value, base: u32) -> Value {
        let place = self.places.get(base as usize).copied().flatten();
        let (member, first) = place.map_or((0, base), |(member, element)| (member, element.unwrap_or(0)));
        let (member, first) = (b.u32(member), b.u32(first));
        let at = b.iadd(offset, first);
        let place = self.place(b, &[member, at]);
        b.load(place)
    }

    /// Part `part` of i`n`: rounds after the first, start, step.
    pub(in crate::lift) fn int(&self, b: &mut Builder<'_>, n: u8, part: u8) -> Value {
        if let Some(value) = self.given.ints.get(&n) {
            return b.u32(value[usize::from(part)].into());
        }
        let path = match self.ints {
            Words::Together(member) => [Some(member), Some(n.into()), Some(part.into())],
            Words::Each(members) => match members[usize::from(n & 3)] {
                Some(member) => [Some(member), None, Some(part.into())],
                None => return b.u32(0),
            },
        };
        let path: Components<Value> = path.into_iter().flatten().map(|i| b.u32(i)).collect();
        let place = self.place(b, &path);
        b.load(place)
    }

    /// b`n`.
    pub(in crate::lift) fn bool(&self, b: &mut Builder<'_>, n: u8) -> Value {
        if let Some(&value) = self.given.bools.get(&n) {
            return b.bool(value);
        }
        let (member, mask) = match self.bools {
            Words::Together(member) => (member, Some(1 << (n & 15))),
            Words::Each(members) => match members[usize::from(n & 15)] {
                Some(member) => (member, None),
                None => return b.bool(false),
            },
        };
        let member = b.u32(member);
        let place = self.place(b, &[member]);
        let (mut bits, zero) = (b.load(place), b.u32(0));
        if let Some(mask) = mask {
            let mask = b.u32(mask);
            bits = b.and(bits, mask);
        }
        b.ine(bits, zero)
    }
}
