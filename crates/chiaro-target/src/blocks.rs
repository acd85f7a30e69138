//! Values of a buffer's members by name, as bytes.

use chiaro_ir::{Field, Scalar};
use chiaro_num::{Encoding, F16};

use crate::value::{Kind, Value};

/// What a value gives to the members of a buffer; `None` where it is the numbers of the buffer one behind the other.
#[must_use]
pub fn by_member(members: &[Field], value: &Value) -> Option<Given> {
    match value {
        Value::Fields(fields) => Some(Given::Named(fields.clone())),
        Value::List(values) => match firsts(members)[..] {
            // The source sees no name between the buffer and its elements.
            [] if values.iter().any(is_nested) => Some(Given::Whole(value.clone())),
            // What is given of a lone member is given of the buffer.
            [only] if values.iter().any(is_nested) => {
                Some(Given::Named(vec![(only.to_owned(), value.clone())]))
            }
            ref names => listed(names, values).map(Given::Named),
        },
        _ => None,
    }
}

/// Values for a buffer.
#[derive(Clone, PartialEq, Debug)]
pub enum Given {
    /// By member.
    Named(Vec<(String, Value)>),
    /// Of all that is in it.
    Whole(Value),
}

/// The names of the members, each once.
#[must_use]
pub fn firsts(members: &[Field]) -> Vec<&str> {
    let mut names: Vec<&str> = members.iter().map(outermost).collect();
    names.dedup();
    names.retain(|name| !name.is_empty());
    names
}

/// The first name of a member's path.
fn outermost(member: &Field) -> &str {
    segments(&member.path).next().unwrap_or_default().0
}

fn is_nested(value: &Value) -> bool {
    matches!(value, Value::List(_) | Value::Fields(_))
}

/// Values of all members of a block in their order. The values of a lone array look like that, too.
fn listed(names: &[&str], values: &[Value]) -> Option<Vec<(String, Value)>> {
    let is_whole = names.len() > 1 && names.len() == values.len();
    let fields = names.iter().zip(values).map(|(name, value)| ((*name).to_owned(), value.clone()));
    (is_whole && values.iter().any(is_nested)).then(|| fields.collect())
}

/// The names of a path, each with the arrays that it goes through.
fn segments(path: &str) -> impl Iterator<Item = (&str, usize)> {
    path.split('.').map(|segment| {
        let name = segment.trim_end_matches("[]");
        (name, (segment.len() - name.len()) / 2)
    })
}

/// Writes values of members into the bytes of a buffer, which grow as far as they reach.
///
/// # Errors
/// A name that there is not, or what does not fit.
pub fn fill(name: &str, members: &[Field], given: &Given, bytes: &mut Vec<u8>) -> Result<(), String> {
    let value = match given {
        Given::Whole(value) => value.clone(),
        Given::Named(fields) => {
            let names = firsts(members);
            if let Some((wrong, _)) = fields.iter().find(|(name, _)| !names.contains(&name.as_str())) {
                return Err(format!("`{name}` has no member `{wrong}`; there are {}", names.join(", ")));
            }
            Value::Fields(fields.clone())
        }
    };
    // Members of one structure stand together.
    for alike in members.chunk_by(|a, b| outermost(a) == outermost(b)) {
        let start = alike.iter().map(|member| member.offset as usize).min().unwrap_or(0);
        for member in alike {
            // What nobody gives is zero.
            let end = extent(member, 0) + member.offset as usize;
            bytes.resize(bytes.len().max(end).next_multiple_of(4), 0);
            let path: Vec<(&str, usize)> = segments(&member.path).collect();
            let mut filling = Filling { name, member, bytes };
            filling.descend(&path, 0, &value, member.offset as usize)?;
            filling.complete(&path, &value, start)?;
        }
    }
    Ok(())
}

/// Bytes that a member takes from a level of its rows on; none where nobody knows how many there are.
fn extent(member: &Field, level: usize) -> usize {
    let last = usize::from(member.bits) / 8;
    let behind =
        |(count, stride): &(u32, u32)| (count.saturating_sub(1) as usize).saturating_mul(*stride as usize);
    member.rows[level..].iter().map(behind).fold(last, usize::saturating_add)
}

/// Bytes that a buffer may take: mistakes in numbers of elements must not fill the host's memory.
const MOST: usize = 1 << 28;

/// A member that gets its values.
struct Filling<'a> {
    name: &'a str,
    member: &'a Field,
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
        if name.is_empty() {
            return self.elements((*arrays, rest), level, value, at);
        }
        let Value::Fields(fields) = value else {
            return Err(format!("`{}` takes its members by name", self.path()));
        };
        match fields.iter().find(|(known, _)| known == name) {
            Some((_, value)) => self.elements((*arrays, rest), level, value, at),
            None => Ok(()),
        }
    }

    /// The last element of an array of structures is whole, whatever is given of it.
    fn complete(&mut self, path: &[(&str, usize)], value: &Value, start: usize) -> Result<(), String> {
        let (Some(&(name, 1..)), Some(&(_, stride))) = (path.first(), self.member.rows.first()) else {
            return Ok(());
        };
        let given = match value {
            Value::Fields(fields) if !name.is_empty() => {
                fields.iter().find(|(known, _)| known == name).map(|(_, value)| value)
            }
            value => Some(value),
        };
        let Some(Value::List(items)) = given else { return Ok(()) };
        self.reach(start.saturating_add(items.len().saturating_mul(stride as usize)))
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
        let Value::List(items) = value else { return Err(format!("`{}` takes a list", self.path())) };
        let (count, stride) = self.member.rows[level];
        self.fits(items.len(), count as usize)?;
        let places = (at..).step_by(stride.max(1) as usize);
        items
            .iter()
            .zip(places)
            .try_for_each(|(item, at)| self.elements((arrays - 1, rest), level + 1, item, at))
    }

    /// The member's name, or that of the buffer where the source sees no other.
    fn path(&self) -> &str {
        if self.member.path.is_empty() { self.name } else { &self.member.path }
    }

    fn fits(&self, given: usize, there: usize) -> Result<(), String> {
        match there {
            0 => Ok(()),
            there if given <= there => Ok(()),
            there => Err(format!("`{}` has {there} elements, {given} are given", self.path())),
        }
    }

    /// Numbers row by row, however they nest.
    fn scalars(&mut self, level: usize, value: &Value, at: usize) -> Result<(), String> {
        let member = self.member;
        let kind = match member.scalar {
            Scalar::Float => Kind::Float(32),
            _ => Kind::Uint(32),
        };
        let words = value.words(self.path(), kind)?;
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

    /// Makes the buffer so long at least.
    fn reach(&mut self, end: usize) -> Result<(), String> {
        if end > MOST {
            return Err(format!("`{}` would take {end} bytes; {MOST} are allowed", self.path()));
        }
        self.bytes.resize(self.bytes.len().max(end.next_multiple_of(4)), 0);
        Ok(())
    }

    fn put(&mut self, at: usize, word: u32) -> Result<(), String> {
        let member = self.member;
        let bits = match (member.scalar, member.bits) {
            (_, 32) => word,
            (Scalar::Float, 16) => F16.encode(f32::from_bits(word).into(), Encoding::default()),
            (Scalar::Float, bits) => {
                return Err(format!("`{}` has {bits} bits: give its bytes", self.path()));
            }
            _ => word,
        };
        let width = usize::from(member.bits) / 8;
        self.reach(at + width)?;
        let own = u64::from(bits).to_le_bytes();
        self.bytes[at..at + width].copy_from_slice(&own[..width]);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(path: &str, offset: u32, rows: &[(u32, u32)]) -> Field {
        Field { path: path.to_owned(), offset, bits: 32, rows: rows.to_vec(), ..Field::default() }
    }

    fn numbers(all: &[f64]) -> Value {
        Value::List(all.iter().map(|n| Value::Number(*n)).collect())
    }

    fn filled(value: &Value) -> Result<Vec<u8>, String> {
        let members = [
            member("camera", 0, &[(2, 16), (2, 4)]),
            member("lights[].place", 32, &[(0, 32), (3, 4)]),
            member("lights[].power", 44, &[(0, 32)]),
        ];
        let given = by_member(&members, value).ok_or("no block")?;
        let mut bytes = Vec::new();
        fill("Scene", &members, &given, &mut bytes).map(|()| bytes)
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
        let bytes = filled(&fields).expect("it fits");
        let found = [0, 4, 16, 20, 32, 40, 44, 64, 76].map(|at| word(&bytes, at));
        assert_eq!(found, [1.0, 2.0, 3.0, 4.0, 1.0, 3.0, 5.0, 1.0, 6.0]);
        assert_eq!(filled(&Value::List(vec![camera, lights])).as_deref(), Ok(&bytes[..]));
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
            assert_eq!(filled(&value), Err(why.to_owned()));
        }
    }

    /// Of an element of which only a part is given the rest is zero, and there.
    #[test]
    fn last_elements_are_whole() {
        let members = [member("[].place", 0, &[(0, 16), (2, 4)]), member("[].power", 8, &[(0, 16)])];
        let place = Value::Fields(vec![("place".to_owned(), numbers(&[1.0, 2.0]))]);
        let given = by_member(&members, &Value::List(vec![place.clone(), place])).expect("elements");
        let mut bytes = Vec::new();
        assert_eq!(fill("all", &members, &given, &mut bytes), Ok(()));
        assert_eq!(bytes.len(), 32);
    }

    /// An array of structures that the source sees as the buffer itself.
    #[test]
    fn elements_of_a_nameless_array_are_those_of_the_buffer() {
        let members = [member("[].place", 0, &[(0, 16), (2, 4)]), member("[].power", 8, &[(0, 16)])];
        let element = |x: f64| {
            let place = ("place".to_owned(), numbers(&[x, x + 1.0]));
            Value::Fields(vec![place, ("power".to_owned(), Value::Number(x + 2.0))])
        };
        let value = Value::List(vec![element(1.0), element(5.0)]);
        let given = by_member(&members, &value).expect("elements");
        let mut bytes = Vec::new();
        assert_eq!(fill("all", &members, &given, &mut bytes), Ok(()));
        assert_eq!([0, 4, 8, 16, 20, 24].map(|at| word(&bytes, at)), [1.0, 2.0, 3.0, 5.0, 6.0, 7.0]);
        assert_eq!(by_member(&members, &numbers(&[1.0, 2.0])), None);
    }
}
