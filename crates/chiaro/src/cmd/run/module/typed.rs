//! JSON to the bytes of a type.

use chiaro_ir::interp::Interpreter;
use chiaro_ir::{Module, Ty, Type};
use serde_json::Value;

/// Types of a module, with the layouts of its interpreter.
#[derive(Clone, Copy)]
pub struct Typed<'a, 'm> {
    pub module: &'m Module,
    pub interpreter: &'a Interpreter<'m>,
}

/// A part of a variable that the caller gives.
pub struct Given<'v> {
    /// As the caller calls it.
    pub name: &'v str,
    pub path: Vec<u32>,
    pub value: &'v Value,
}

/// Bytes that a variable without runtime arrays may take.
const MOST_BYTES: usize = 1 << 28;

impl Typed<'_, '_> {
    /// The bytes of a variable of which parts are given, as long as those ask for.
    pub fn bytes(&self, ty: Ty, parts: &[Given<'_>], row: &str) -> Result<Vec<u8>, String> {
        self.bytes_over(Vec::new(), ty, parts, row)
    }

    /// The same over bytes that are there already: what is not given stays.
    pub fn bytes_over(
        &self,
        mut bytes: Vec<u8>,
        ty: Ty,
        parts: &[Given<'_>],
        row: &str,
    ) -> Result<Vec<u8>, String> {
        let least = self.interpreter.size_of(ty) as usize;
        if least > MOST_BYTES {
            return Err(format!("a variable takes {least} bytes, a run has {MOST_BYTES} for each"));
        }
        bytes.resize(bytes.len().max(least), 0);
        for Given { name, path, value } in parts {
            let place = format!("{row}{name}");
            let (mut at, mut inner) = (0, ty);
            for &i in path {
                let is_part = self.module.types.part_count(inner).is_some_and(|count| i < count);
                let part = self.module.types.part(inner, i).filter(|_| is_part);
                at += self.interpreter.offset_of(inner, i) as usize;
                inner = part.ok_or_else(|| format!("`{place}` does not exist"))?;
            }
            bytes.resize(bytes.len().max(at + self.size(inner, value)), 0);
            self.fill(value, inner, &mut bytes[at..], &place)?;
        }
        Ok(bytes)
    }

    /// Bytes that a value of a type takes, with as many elements as are given.
    fn size(&self, ty: Ty, value: &Value) -> usize {
        let fixed = self.interpreter.size_of(ty) as usize;
        match self.module.types.get(ty) {
            Type::RuntimeArray(elem, _) => {
                let elements = match self.is_flat(value, *elem) {
                    true => length(value).div_ceil(self.scalars(*elem)),
                    false => length(value),
                };
                elements * self.interpreter.stride_of(ty) as usize
            }
            Type::Struct(_, members) => match members.last() {
                Some(last) if matches!(self.module.types.get(last.ty), Type::RuntimeArray(..)) => {
                    let offset = self.interpreter.offset_of(ty, members.len() as u32 - 1) as usize;
                    let inner = match value {
                        Value::Object(fields) => fields.get(&last.name).unwrap_or(value),
                        other => other,
                    };
                    offset + self.size(last.ty, inner)
                }
                _ => fixed,
            },
            _ => fixed,
        }
    }

    fn fill(&self, value: &Value, ty: Ty, bytes: &mut [u8], place: &str) -> Result<(), String> {
        if value.is_null() {
            return Ok(());
        }
        match self.module.types.get(ty) {
            Type::Bool | Type::Int(_) | Type::Float(_) => {
                scalar(value, self.module.types.get(ty), bytes, place)
            }
            Type::Struct(_, members) => match value {
                // A block that only wraps a structure goes by its content.
                Value::Object(_) if wraps(members) => self.part(value, ty, 0, bytes, place),
                Value::Object(fields) => {
                    for (name, value) in fields {
                        let i = members.iter().position(|m| m.name == *name);
                        let i = i.ok_or_else(|| format!("`{place}` has no member `{name}`"))?;
                        self.part(value, ty, i as u32, bytes, &format!("{place}.{name}"))?;
                    }
                    Ok(())
                }
                _ if members.len() == 1 => self.part(value, ty, 0, bytes, place),
                _ => self.elements(value, ty, bytes, place),
            },
            Type::RuntimeArray(..) if value.is_object() => match value.get("length").map(Value::as_u64) {
                Some(Some(0..=MOST_ELEMENTS)) => Ok(()),
                _ => Err(format!("`{place}` takes a list, or `length` from 0 to {MOST_ELEMENTS}")),
            },
            _ => self.elements(value, ty, bytes, place),
        }
    }

    fn elements(&self, value: &Value, ty: Ty, bytes: &mut [u8], place: &str) -> Result<(), String> {
        let items = value.as_array().ok_or_else(|| format!("`{place}` must be an array"))?;
        if let Type::Array(elem, ..) | Type::RuntimeArray(elem, _) = self.module.types.get(ty)
            && self.is_flat(value, *elem)
        {
            let all: Vec<Value> = items
                .chunks(self.scalars(*elem))
                .map(|chunk| self.nested(&mut chunk.iter(), *elem))
                .collect();
            return self.elements(&Value::Array(all), ty, bytes, place);
        }
        let most = self.module.types.part_count(ty).map_or(usize::MAX, |n| n as usize);
        if items.len() > most {
            return Err(format!("`{place}` has {} elements, {most} are possible", items.len()));
        }
        items
            .iter()
            .enumerate()
            .try_for_each(|(i, item)| self.part(item, ty, i as u32, bytes, &format!("{place}[{i}]")))
    }

    /// Whether a value has the numbers of an array's elements one behind the other, as the memory of machines has them:
    /// elements that are more than one number, without gaps.
    fn is_flat(&self, value: &Value, elem: Ty) -> bool {
        let is_number = |item: &Value| item.is_number() || item.is_boolean();
        let has_parts = self.module.types.part_count(elem).is_some_and(|count| count > 0);
        let is_dense = has_parts && 4 * self.scalars(elem) == self.interpreter.size_of(elem) as usize;
        is_dense && value.as_array().is_some_and(|items| !items.is_empty() && items.iter().all(is_number))
    }

    /// How many numbers a type has, at least 1.
    fn scalars(&self, ty: Ty) -> usize {
        self.module.types.scalars(ty).max(1) as usize
    }

    /// Numbers of a type in lists as the type has parts; what is missing at the end is not given.
    fn nested<'v>(&self, numbers: &mut impl Iterator<Item = &'v Value>, ty: Ty) -> Value {
        let types = &self.module.types;
        match types.part_count(ty) {
            None => numbers.next().cloned().unwrap_or(Value::Null),
            Some(count) => {
                let parts = (0..count).filter_map(|n| types.part(ty, n));
                parts.map(|part| self.nested(numbers, part)).collect()
            }
        }
    }

    fn part(&self, value: &Value, ty: Ty, i: u32, bytes: &mut [u8], place: &str) -> Result<(), String> {
        let part = self.module.types.part(ty, i).ok_or_else(|| format!("`{place}` does not exist"))?;
        let at = self.interpreter.offset_of(ty, i) as usize;
        let room = bytes.get_mut(at..).ok_or_else(|| format!("`{place}` lies outside of its buffer"))?;
        self.fill(value, part, room, place)
    }
}

/// Whether a structure has one member, and that without a name.
pub fn wraps(members: &[chiaro_ir::Member]) -> bool {
    matches!(members, [only] if only.name.is_empty())
}

/// Elements that a runtime array may be given by their number alone.
const MOST_ELEMENTS: u64 = 1 << 20;

/// Elements of a runtime array: those given, or `{"length": N}`.
fn length(value: &Value) -> usize {
    match value {
        Value::Array(items) => items.len(),
        Value::Object(fields) => {
            fields.get("length").and_then(Value::as_u64).map_or(0, |n| n.min(MOST_ELEMENTS) as usize)
        }
        _ => 0,
    }
}

fn scalar(value: &Value, ty: &Type, bytes: &mut [u8], place: &str) -> Result<(), String> {
    let wrong = || format!("`{place}` must be a number, \"inf\", \"nan\" or bits such as \"0x3f800000\"");
    let (width, float) = match ty {
        Type::Float(n) => (*n, true),
        Type::Int(n) => (*n, false),
        _ => (32, false),
    };
    let bits = match value {
        Value::Bool(b) => u64::from(*b),
        Value::String(text) => match text.strip_prefix("0x") {
            Some(hex) => u64::from_str_radix(hex, 16).map_err(|_| wrong())?,
            None => chiaro_ir::interp::float_bits(text.parse().map_err(|_| wrong())?, width),
        },
        Value::Number(n) if float => chiaro_ir::interp::float_bits(n.as_f64().ok_or_else(wrong)?, width),
        Value::Number(n) => n.as_u64().or(n.as_i64().map(|n| n as u64)).ok_or_else(wrong)?,
        _ => return Err(wrong()),
    };
    let size = usize::from(width) / 8;
    let room = bytes.get_mut(..size).ok_or_else(|| format!("`{place}` lies outside of its buffer"))?;
    room.copy_from_slice(&bits.to_le_bytes()[..size]);
    Ok(())
}
