//! Values of members by name, as bytes of their buffers.

use chiaro_num::{Encoding, F16};
use chiaro_target::{Kind, Value};

use crate::container::file::{HEAP, Held, Member, Scalar, What};

/// The buffer that a name means, with values by member: its own name, or that of a member of a block whose members
/// the source sees without one.
pub(super) fn block<'f>(
    name: &str,
    value: &Value,
    held: &'f [Held],
    members: &[Member],
) -> Option<(&'f Held, Vec<(String, Value)>)> {
    let mut buffers = held.iter().filter(|held| held.what == What::Address && held.set != HEAP);
    if let Some(buffer) = buffers.clone().find(|held| held.name == name) {
        return match value {
            Value::Fields(fields) => Some((buffer, fields.clone())),
            Value::List(values) => listed(&firsts(buffer, members), values).map(|fields| (buffer, fields)),
            _ => None,
        };
    }
    let buffer = buffers.find(|held| firsts(held, members).contains(&name))?;
    Some((buffer, vec![(name.to_owned(), value.clone())]))
}

/// The names of the members of a buffer, each once.
fn firsts<'f>(buffer: &Held, members: &'f [Member]) -> Vec<&'f str> {
    let own = members.iter().filter(|member| belongs(member, buffer));
    let mut names: Vec<&str> =
        own.map(|member| segments(&member.path).next().unwrap_or_default().0).collect();
    names.dedup();
    names.retain(|name| !name.is_empty());
    names
}

fn belongs(member: &Member, buffer: &Held) -> bool {
    (member.set, member.binding) == (buffer.set, buffer.binding)
}

/// Values of all members of a block in their order. The values of a lone array look like that, too.
fn listed(names: &[&str], values: &[Value]) -> Option<Vec<(String, Value)>> {
    let is_whole = names.len() > 1 && names.len() == values.len();
    let is_nested = values.iter().any(|value| matches!(value, Value::List(_) | Value::Fields(_)));
    let fields = names.iter().zip(values).map(|(name, value)| ((*name).to_owned(), value.clone()));
    (is_whole && is_nested).then(|| fields.collect())
}

/// The names of a path, each with the arrays that it goes through.
fn segments(path: &str) -> impl Iterator<Item = (&str, usize)> {
    path.split('.').map(|segment| {
        let name = segment.trim_end_matches("[]");
        (name, (segment.len() - name.len()) / 2)
    })
}

/// Writes values of members into a buffer's bytes, which grow as far as they reach.
///
/// # Errors
/// A name that there is not, or what does not fit.
pub(super) fn fill(
    buffer: &Held,
    members: &[Member],
    fields: &[(String, Value)],
    bytes: &mut Vec<u8>,
) -> Result<(), String> {
    let names = firsts(buffer, members);
    if let Some((wrong, _)) = fields.iter().find(|(name, _)| !names.contains(&name.as_str())) {
        return Err(format!("`{}` has no member `{wrong}`; there are {}", buffer.name, names.join(", ")));
    }
    let value = Value::Fields(fields.to_vec());
    for member in members.iter().filter(|member| belongs(member, buffer)) {
        // What nobody gives is zero.
        let end = extent(member, 0) + member.offset as usize;
        bytes.resize(bytes.len().max(end).next_multiple_of(4), 0);
        let path: Vec<(&str, usize)> = segments(&member.path).collect();
        Filling { member, bytes }.descend(&path, 0, &value, member.offset as usize)?;
    }
    Ok(())
}

/// Bytes that a member takes from a level of its rows on; none where nobody knows how many there are.
fn extent(member: &Member, level: usize) -> usize {
    let last = usize::from(member.bits) / 8;
    let behind =
        |(count, stride): &(u32, u32)| (count.saturating_sub(1) as usize).saturating_mul(*stride as usize);
    member.rows[level..].iter().map(behind).fold(last, usize::saturating_add)
}

/// Bytes that a buffer may take: mistakes in numbers of elements must not fill the host's memory.
const MOST: usize = 1 << 28;

/// A member that gets its values.
struct Filling<'a> {
    member: &'a Member,
    bytes: &'a mut Vec<u8>,
}

impl Filling<'_> {
    /// Follows the names; values that are not given stay as they are.
    fn descend(
        &mut self,
        path: &[(&str, usize)],
        level: usize,
        value: &Value,
        at: usize,
    ) -> Result<(), String> {
        let Some(((name, arrays), rest)) = path.split_first() else { return self.scalars(level, value, at) };
        let Value::Fields(fields) = value else {
            return Err(format!("`{}` takes its members by name", self.member.path));
        };
        match fields.iter().find(|(known, _)| known == name) {
            Some((_, value)) => self.elements((*arrays, rest), level, value, at),
            None => Ok(()),
        }
    }

    /// Goes through arrays of structures.
    fn elements(
        &mut self,
        (arrays, rest): (usize, &[(&str, usize)]),
        level: usize,
        value: &Value,
        at: usize,
    ) -> Result<(), String> {
        if arrays == 0 {
            return self.descend(rest, level, value, at);
        }
        let Value::List(items) = value else { return Err(format!("`{}` takes a list", self.member.path)) };
        let (count, stride) = self.member.rows[level];
        self.fits(items.len(), count as usize)?;
        let places = (at..).step_by(stride.max(1) as usize);
        items
            .iter()
            .zip(places)
            .try_for_each(|(item, at)| self.elements((arrays - 1, rest), level + 1, item, at))
    }

    fn fits(&self, given: usize, there: usize) -> Result<(), String> {
        match there {
            0 => Ok(()),
            there if given <= there => Ok(()),
            there => Err(format!("`{}` has {there} elements, {given} are given", self.member.path)),
        }
    }

    /// Numbers row by row, however they nest.
    fn scalars(&mut self, level: usize, value: &Value, at: usize) -> Result<(), String> {
        let member = self.member;
        let kind = match member.scalar {
            Scalar::Float => Kind::Float(32),
            _ => Kind::Uint(32),
        };
        let words = value.words(&member.path, kind)?;
        let rows = &member.rows[level..];
        let inner: usize = rows.iter().skip(1).map(|(count, _)| (*count).max(1) as usize).product();
        let first = rows.first().map_or(1, |(count, _)| *count as usize);
        self.fits(words.len(), first * inner)?;
        for (n, word) in words.into_iter().enumerate() {
            let mut left = n;
            let offset: usize = rows
                .iter()
                .rev()
                .enumerate()
                .map(|(i, (count, stride))| {
                    let count = if i + 1 == rows.len() { usize::MAX } else { (*count).max(1) as usize };
                    let own = left % count;
                    left /= count;
                    own * *stride as usize
                })
                .sum();
            self.put(at + offset, word)?;
        }
        Ok(())
    }

    fn put(&mut self, at: usize, word: u32) -> Result<(), String> {
        let member = self.member;
        let bits = match (member.scalar, member.bits) {
            (_, 32) => word,
            (Scalar::Float, 16) => F16.encode(f32::from_bits(word).into(), Encoding::default()),
            (Scalar::Float, bits) => {
                return Err(format!("`{}` has {bits} bits: give its bytes", member.path));
            }
            _ => word,
        };
        let width = usize::from(member.bits) / 8;
        if at + width > MOST {
            return Err(format!("`{}` would take {} bytes; {MOST} are allowed", member.path, at + width));
        }
        self.bytes.resize(self.bytes.len().max((at + width).next_multiple_of(4)), 0);
        let own = u64::from(bits).to_le_bytes();
        self.bytes[at..at + width].copy_from_slice(&own[..width]);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held() -> Held {
        Held { what: What::Address, name: "Scene".to_owned(), ..Held::default() }
    }

    fn member(path: &str, offset: u32, rows: &[(u32, u32)]) -> Member {
        Member { path: path.to_owned(), offset, bits: 32, rows: rows.to_vec(), ..Member::default() }
    }

    fn numbers(all: &[f64]) -> Value {
        Value::List(all.iter().map(|n| Value::Number(*n)).collect())
    }

    fn filled(name: &str, value: Value) -> Result<Vec<u8>, String> {
        let members = [
            member("camera", 0, &[(2, 16), (2, 4)]),
            member("lights[].place", 32, &[(0, 32), (3, 4)]),
            member("lights[].power", 44, &[(0, 32)]),
        ];
        let all = [held()];
        let (buffer, fields) = block(name, &value, &all, &members).ok_or("no block")?;
        let mut bytes = Vec::new();
        fill(buffer, &members, &fields, &mut bytes).map(|()| bytes)
    }

    fn word(bytes: &[u8], at: usize) -> f32 {
        f32::from_le_bytes(bytes[at..at + 4].try_into().expect("four"))
    }

    #[test]
    fn members_stand_where_the_layout_says() {
        let light = |power: f64| {
            Value::Fields(vec![
                ("place".to_owned(), numbers(&[1.0, 2.0, 3.0])),
                ("power".to_owned(), Value::Number(power)),
            ])
        };
        let camera = Value::List(vec![numbers(&[1.0, 2.0]), numbers(&[3.0, 4.0])]);
        let lights = Value::List(vec![light(5.0), light(6.0)]);
        let fields =
            Value::Fields(vec![("camera".to_owned(), camera.clone()), ("lights".to_owned(), lights.clone())]);
        let bytes = filled("Scene", fields).expect("it fits");
        let found = [0, 4, 16, 20, 32, 40, 44, 64, 76].map(|at| word(&bytes, at));
        assert_eq!(found, [1.0, 2.0, 3.0, 4.0, 1.0, 3.0, 5.0, 1.0, 6.0]);
        assert_eq!(filled("Scene", Value::List(vec![camera.clone(), lights])).as_deref(), Ok(&bytes[..]));
        assert_eq!(word(&filled("camera", camera).expect("it fits"), 16), 3.0);
    }

    #[test]
    fn what_does_not_fit_is_told() {
        let fields = |name: &str, value: Value| Value::Fields(vec![(name.to_owned(), value)]);
        for (value, why) in [
            (
                fields("camara", Value::Number(1.0)),
                "`Scene` has no member `camara`; there are camera, lights",
            ),
            (fields("camera", numbers(&[0.0; 5])), "`camera` has 4 elements, 5 are given"),
            (fields("lights", Value::Number(1.0)), "`lights[].place` takes a list"),
            (fields("lights", numbers(&[1.0])), "`lights[].place` takes its members by name"),
        ] {
            assert_eq!(filled("Scene", value), Err(why.to_owned()));
        }
    }
}
