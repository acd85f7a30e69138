//! Expressions over registers and the names of the source: `r0.x > 1.0 && position.w != 0`.

use chiaro_target::{Bound, Kind};

use crate::homes::{Home, home};
use crate::lab::{Computed, Named};
use crate::recording::{Lane, Recording};
use crate::registers::{Registers, apart};
use crate::shape::Shape;
use crate::value::{Value, shown};

/// Operations within each other at most.
const DEPTH: u32 = 64;

/// What names mean at a place of a lane.
pub struct Names<'a> {
    registers: Registers,
    recording: &'a Recording,
    lane: Lane,
    place: usize,
}

/// The names at a place.
#[must_use]
pub fn names(recording: &Recording, lane: Lane, place: usize) -> Names<'_> {
    Names { registers: recording.registers(lane.wave, place), recording, lane, place }
}

impl Names<'_> {
    /// The same for another lane of the wave.
    pub fn turn_to(&mut self, number: usize) {
        self.lane.number = number;
    }

    /// All registers.
    #[must_use]
    pub fn registers(&self) -> &Registers {
        &self.registers
    }

    /// The components of a register, of what the host program sees, or of a variable. Of registers with a value
    /// for each lane that of this lane comes first.
    #[must_use]
    pub fn values(&self, name: &str) -> Option<Vec<Option<u32>>> {
        let made = &self.recording.made;
        if let Some(values) = self.registers.get(name) {
            return Some(values.clone());
        }
        if let Some(bound) = made.names.iter().find(|bound| bound.name == name)
            && let Some(values) = self.bound(bound)
        {
            return Some(values);
        }
        let number = made.locals.iter().position(|local| local.shown() == name)?;
        let scalars = made.locals[number].scalars.len();
        Some((0..scalars).map(|scalar| self.scalar(number, scalar)).collect())
    }

    /// The registers that a name of the host program stands for, one after the other.
    #[must_use]
    pub fn places(&self, bound: &Bound) -> Vec<String> {
        let all = places(&bound.place, |name| self.registers.contains_key(name));
        match (self.shape(&bound.name), all.first()) {
            // Where only the first register is told, the others follow it.
            (Some(shape), Some(first)) if all.len() == 1 && first.ends_with(".x") => {
                let all = components_from(first, 4 * shape.registers() as u32);
                all.into_iter().step_by(4).map(|name| name.trim_end_matches(".x").to_owned()).collect()
            }
            _ => all,
        }
    }

    /// The matrix that a name of the host program is.
    #[must_use]
    pub fn shape(&self, name: &str) -> Option<&Shape> {
        self.recording.made.shapes.iter().find(|shape| shape.name == name)
    }

    /// What they hold; of a matrix the columns, one after the other.
    fn bound(&self, bound: &Bound) -> Option<Vec<Option<u32>>> {
        if let Some(shape) = self.shape(&bound.name).filter(|_| self.recording.made.lanes <= 1) {
            let components = self.places(bound).into_iter().flat_map(|register| self.whole(&register));
            let all = shape.by_column(&components.collect::<Vec<_>>());
            return all.iter().any(Option::is_some).then_some(all);
        }
        let mut all = Vec::new();
        for register in self.places(bound) {
            if let Some(values) = self.registers.get(&register).filter(|_| self.recording.made.lanes > 1) {
                all.push(self.of_lane(values));
                continue;
            }
            let (name, components) = apart(&register);
            let Some(values) = self.registers.get(name) else {
                // Of several registers some may be known.
                let unknown = if register.contains('.') { components.len() } else { 4 };
                all.extend(std::iter::repeat_n(None, unknown));
                continue;
            };
            match self.recording.made.lanes > 1 {
                true => all.push(self.of_lane(values)),
                false if register.contains('.') => {
                    all.extend(components.iter().map(|n| values.get(*n).copied().flatten()));
                }
                false => all.extend(values.iter().copied()),
            }
        }
        all.iter().any(Option::is_some).then_some(all)
    }

    /// The four components of a register, whichever of them are known.
    fn whole(&self, register: &str) -> [Option<u32>; 4] {
        let values = self.registers.get(apart(register).0);
        std::array::from_fn(|n| values.and_then(|values| values.get(n).copied().flatten()))
    }

    /// A scalar of a variable, where it stands somewhere.
    #[must_use]
    pub fn scalar(&self, local: usize, scalar: usize) -> Option<u32> {
        let home = self.home(local, scalar)?;
        let values = self.registers.get(&home.register)?;
        let bits = match home.component {
            Some(component) => values.get(component).copied()?,
            None => self.of_lane(values),
        };
        let kind = self.recording.made.locals[local].scalars[scalar].kind;
        bits.map(|bits| home.form.of_source(bits, kind))
    }

    /// Where a scalar of a variable stands.
    #[must_use]
    pub fn home(&self, local: usize, scalar: usize) -> Option<&Home> {
        home(self.recording.homes(self.lane.wave)?, (local, scalar), self.place)
    }

    /// This lane's value of several, or the one of all.
    #[must_use]
    pub fn of_lane(&self, values: &[Option<u32>]) -> Option<u32> {
        values.get(if values.len() > 1 { self.lane.number } else { 0 }).copied().flatten()
    }

    /// The value of an expression of the source's own language, unless it names registers.
    fn in_language(&self, text: &str) -> Option<Result<Computed, String>> {
        let compute = self.recording.made.compute?;
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
        let mut words: Vec<&str> = text.split(|c| !is_name(c)).filter(|word| !word.is_empty()).collect();
        words.sort_unstable();
        words.dedup();
        let is_register =
            |word: &&str| self.registers.keys().any(|name| name.split(['[', '.']).next() == Some(*word));
        if words.iter().any(is_register) {
            return None;
        }
        let named: Vec<Named> = words.into_iter().filter_map(|word| self.value_of(word)).collect();
        Some(compute(&named, text).map_err(|why| self.unknown(text).unwrap_or(why)))
    }

    /// What is to be said of a variable in a text that stands nowhere here.
    fn unknown(&self, text: &str) -> Option<String> {
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        let mut words = text.split(|c| !is_name(c));
        let made = &self.recording.made;
        let word = words.find(|word| {
            let is_there = made.locals.iter().any(|local| local.name == *word)
                || made.names.iter().any(|bound| bound.name == *word);
            is_there && self.value_of(word).is_none()
        })?;
        Some(format!("`{word}` stands in no register here"))
    }

    fn value_of(&self, name: &str) -> Option<Named> {
        let made = &self.recording.made;
        let local = made.locals.iter().position(|local| local.shown() == name);
        let (kind, columns) = match local.map(|number| &made.locals[number].scalars) {
            Some(scalars) => {
                let columns = scalars.iter().filter(|scalar| scalar.path.ends_with("].x")).count();
                (scalars.first()?.kind, columns.max(1))
            }
            None => self.shape(name).map_or((Kind::Float(32), 1), |shape| (shape.kind, shape.columns)),
        };
        let values = match self.is_by_lane(name) {
            true => vec![self.of_lane(&self.values(name)?)],
            false => self.values(name)?,
        };
        let bits: Vec<u32> = values.into_iter().collect::<Option<_>>()?;
        let is_vector = local.is_none() || columns > 1 || bits.len() <= 4;
        (is_vector && !bits.is_empty() && bits.len() <= 16).then(|| Named {
            name: name.to_owned(),
            kind,
            columns,
            bits,
        })
    }

    /// Whether the recording calls a register so.
    #[must_use]
    pub fn is_named(&self, name: &str) -> bool {
        self.recording.made.parts.is_empty() || self.recording.named.contains(name)
    }

    /// Whether a name has a value for each lane.
    #[must_use]
    pub fn is_by_lane(&self, name: &str) -> bool {
        self.recording.made.lanes > 1 && self.registers.contains_key(name)
    }

    /// The component of a number, or of none: the first one, or that of this lane.
    fn component(&self, name: &str, number: Option<usize>) -> Result<Value, String> {
        // `t[4]` is a register by itself where the target calls it so.
        let element = number.map(|number| format!("{name}[{number}]"));
        if let Some(element) = element.filter(|element| self.registers.contains_key(element)) {
            return self.component(&element, None);
        }
        let values = self.values(name).ok_or_else(|| format!("nothing is known of `{name}` here"))?;
        let value = match number {
            None if self.is_by_lane(name) => Some(self.of_lane(&values)),
            number => values.get(number.unwrap_or(0)).copied(),
        };
        let value = value.ok_or_else(|| format!("`{name}` has no component {}", number.unwrap_or(0)))?;
        let local = self.recording.made.locals.iter().find(|local| local.shown() == name);
        let kind = local
            .filter(|_| !self.registers.contains_key(name))
            .and_then(|l| l.scalars.get(number.unwrap_or(0)));
        let typed = |bits| kind.map_or(Value::Bits(bits), |scalar| Value::of(scalar.kind, bits));
        value.map(typed).ok_or_else(|| format!("this part of `{name}` is not known here"))
    }
}

/// The registers that the place of a name lists: `r0.xyz`, `c0..c3`, `t[0]..t[3].xyzw`, `s[0:1]`, or so many
/// components from one on: `r1.z, 2 components`.
fn places(place: &str, is_known: impl Fn(&str) -> bool) -> Vec<String> {
    if let Some(halves) = place.strip_prefix("halves ") {
        return halves_of_uniforms(halves);
    }
    let mut words = place.split([' ', ',', ';']).filter(|word| !word.is_empty()).peekable();
    let Some(first) = words.next() else { return Vec::new() };
    if let Some(rows) = rows(first) {
        return rows;
    }
    if let Some(count) = words.peek().and_then(|count| count.parse().ok())
        && place.contains("component")
    {
        return components_from(first, count);
    }
    let all = std::iter::once(first).chain(words);
    all.take_while(|word| is_known(apart(word).0)).map(str::to_owned).collect()
}

/// `4 to 7 of uniforms`, halves counted: `u2`, `u3`.
fn halves_of_uniforms(text: &str) -> Vec<String> {
    let mut numbers = text.split(' ').filter_map(|word| word.parse::<u32>().ok());
    let (Some(first), Some(last)) = (numbers.next(), numbers.next()) else { return Vec::new() };
    (first / 2..=last / 2).take(64).map(|n| format!("u{n}")).collect()
}

/// `c0..c3`, `s[0:1]`: the registers of a range.
fn rows(range: &str) -> Option<Vec<String>> {
    let Some((first, last)) = range.split_once("..") else {
        let (first, last) = range.strip_suffix(']')?.split_once(':')?;
        let (name, first) = first.split_once('[')?;
        let numbers = first.parse::<u32>().ok()?..=last.parse().ok()?;
        return Some(numbers.take(64).map(|n| format!("{name}{n}")).collect());
    };
    let (head, first, tail) = numbered(first)?;
    let (_, last, behind) = numbered(last)?;
    let parts = behind.strip_prefix(tail).unwrap_or_default();
    Some((first..=last).take(64).map(|n| format!("{head}{n}{tail}{parts}")).collect())
}

/// A name, its number, and what is behind it.
fn numbered(name: &str) -> Option<(&str, u32, &str)> {
    let start = name.find(|c: char| c.is_ascii_digit())?;
    let end = name[start..].find(|c: char| !c.is_ascii_digit()).map_or(name.len(), |length| start + length);
    Some((&name[..start], name[start..end].parse().ok()?, &name[end..]))
}

/// So many components from one on, over the ends of registers.
fn components_from(first: &str, count: u32) -> Vec<String> {
    let Some((head, number, tail)) = numbered(first) else { return Vec::new() };
    let start = tail.strip_prefix('.').and_then(|letter| "xyzw".find(letter)).unwrap_or(0) as u32;
    let component = |n: u32| format!("{head}{}.{}", number + n / 4, ["x", "y", "z", "w"][(n % 4) as usize]);
    (start..start + count.min(64)).map(component).collect()
}

/// The value of an expression.
///
/// # Errors
/// What cannot be read, or is not known.
pub fn evaluate(text: &str, names: &Names<'_>) -> Result<Value, String> {
    let mut reader = Reader { rest: text, names, depth: 0 };
    let value = reader.binary(0)?;
    match reader.rest.trim_start() {
        "" => Ok(value),
        rest => Err(format!("`{rest}` is left over")),
    }
}

/// The value of an expression as text: of the source's own language, if the program was made of such a source
/// and no register is named.
///
/// # Errors
/// What cannot be read, or is not known.
pub fn told(text: &str, names: &Names<'_>, hex: bool) -> Result<String, String> {
    match names.in_language(text) {
        None => Ok(evaluate(text, names)?.text(hex)),
        Some(made) => {
            let Computed { kind, bits } = made?;
            let parts: Vec<String> = bits.iter().map(|bits| shown(kind, *bits, hex)).collect();
            Ok(parts.join(", "))
        }
    }
}

/// The value of an expression in the language of the source, if that has some and no register is named.
#[must_use]
pub fn computed(text: &str, names: &Names<'_>) -> Option<Result<Computed, String>> {
    names.in_language(text)
}

/// Whether an expression holds as a condition.
///
/// # Errors
/// What cannot be read, is not known, or has several components.
pub fn holds(text: &str, names: &Names<'_>) -> Result<bool, String> {
    let Some(made) = names.in_language(text) else { return Ok(evaluate(text, names)?.holds()) };
    let Computed { kind, bits } = made?;
    match bits[..] {
        [bits] => Ok(Value::of(kind, bits).holds()),
        _ => Err(format!("`{text}` has {} components", bits.len())),
    }
}

/// Operators from the loosest to the tightest; longer ones first where one begins another.
const LEVELS: [&[&str]; 6] =
    [&["||"], &["&&"], &["==", "!="], &["<=", ">=", "<", ">"], &["+", "-"], &["*", "/"]];

struct Reader<'a, 'b> {
    rest: &'a str,
    names: &'b Names<'b>,
    depth: u32,
}

impl Reader<'_, '_> {
    fn take(&mut self, text: &str) -> bool {
        let rest = self.rest.trim_start().strip_prefix(text);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn binary(&mut self, level: usize) -> Result<Value, String> {
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1)?;
        while let Some(operator) = operators.iter().copied().find(|operator| self.take(operator)) {
            let right = self.binary(level + 1)?;
            left = apply(operator, left, right);
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Value, String> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(format!("this is nested more than {DEPTH} deep"));
        }
        let value = if self.take("-") {
            Ok(Value::Number(-self.unary()?.number()))
        } else if self.take("!") {
            Ok(Value::Bool(!self.unary()?.holds()))
        } else if self.take("(") {
            let value = self.binary(0)?;
            if self.take(")") { Ok(value) } else { Err("`)` is missing".to_owned()) }
        } else {
            self.primary()
        };
        self.depth -= 1;
        value
    }

    fn word(&mut self) -> &str {
        let text = self.rest.trim_start();
        let end =
            text.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '$'))).unwrap_or(text.len());
        self.rest = &text[end..];
        &text[..end]
    }

    fn primary(&mut self) -> Result<Value, String> {
        let text = self.rest.trim_start();
        if text.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
            return self.number();
        }
        let name = self.word().to_owned();
        match name.as_str() {
            "" => return Err(format!("a value is missing at `{}`", self.rest)),
            "true" => return Ok(Value::Bool(true)),
            "false" => return Ok(Value::Bool(false)),
            _ => {}
        }
        if self.take("[") {
            let number = self.binary(0)?.number();
            return match self.take("]") && (0.0..4096.0).contains(&number) {
                true => self.element(&name, number as usize),
                false => Err(format!("`{name}[...]` wants the number of a component")),
            };
        }
        if self.take(".") {
            let letter = self.word().to_owned();
            let local = format!("{name}.{letter}");
            if self.names.values(&local).is_some() {
                return self.names.component(&local, None);
            }
            let number =
                ["x", "y", "z", "w"].iter().chain(&["r", "g", "b", "a"]).position(|known| *known == letter);
            let number = number.ok_or_else(|| format!("there is no component `{letter}`"))? % 4;
            return self.names.component(&name, Some(number));
        }
        self.names.component(&name, None)
    }

    /// `t[4].x`, `r0[2]`.
    fn element(&mut self, name: &str, number: usize) -> Result<Value, String> {
        if self.take(".") {
            let letter = self.word().to_owned();
            let part = "xyzw".find(&letter).filter(|_| letter.len() == 1);
            let part = part.ok_or_else(|| format!("there is no component `{letter}`"))?;
            return self.names.component(&format!("{name}[{number}]"), Some(part));
        }
        self.names.component(name, Some(number))
    }

    /// A number; hexadecimal ones are bits.
    fn number(&mut self) -> Result<Value, String> {
        let text = self.rest.trim_start();
        let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '.')).unwrap_or(text.len());
        let (number, rest) = text.split_at(end);
        self.rest = rest;
        let wrong = || format!("`{number}` is no number");
        match number.strip_prefix("0x") {
            Some(digits) => u32::from_str_radix(digits, 16).map(Value::Bits).map_err(|_| wrong()),
            None => number.trim_end_matches(['f', 'u']).parse().map(Value::Number).map_err(|_| wrong()),
        }
    }
}

fn apply(operator: &str, left: Value, right: Value) -> Value {
    // Bits are compared as bits.
    if let (Value::Bits(a), Value::Bits(b), "==" | "!=") = (left, right, operator) {
        return Value::Bool((a == b) == (operator == "=="));
    }
    let (a, b) = (left.number(), right.number());
    match operator {
        "||" => Value::Bool(left.holds() || right.holds()),
        "&&" => Value::Bool(left.holds() && right.holds()),
        "==" => Value::Bool(a == b),
        "!=" => Value::Bool(a != b),
        "<=" => Value::Bool(a <= b),
        ">=" => Value::Bool(a >= b),
        "<" => Value::Bool(a < b),
        ">" => Value::Bool(a > b),
        "+" => Value::Number(a + b),
        "-" => Value::Number(a - b),
        "*" => Value::Number(a * b),
        _ => Value::Number(a / b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::Recorded;
    use chiaro_target::Step;

    #[test]
    fn places_are_lists_of_registers() {
        let shown = |place: &str| places(place, |name| name.starts_with('r')).join(" ");
        assert_eq!(shown("c0..c2"), "c0 c1 c2");
        assert_eq!(shown("t[0]..t[1].xyzw"), "t[0].xyzw t[1].xyzw");
        assert_eq!(shown("s[6:7]"), "s6 s7");
        assert_eq!(shown("r1.z, 3 components"), "r1.z r1.w r2.x");
        assert_eq!(shown("r0.yx position"), "r0.yx");
        assert_eq!(shown("set 0, binding 0"), "");
        assert_eq!(shown("halves 4 to 7 of uniforms"), "u2 u3");
    }

    #[test]
    fn expressions_are_those_of_shaders() {
        let written =
            |name: &str, values: &[f32]| (name.to_owned(), values.iter().map(|v| v.to_bits()).collect());
        let step = Step {
            write: Some(written("r0.xy", &[1.5, -2.0])),
            also: vec![written("t[4].x", &[7.0])],
            ..Step::default()
        };
        let bound = [("position", "r0.yx"), ("rows", "t[4], r0")];
        let named = |(name, place): &(&str, &str)| Bound {
            kind: "input",
            name: (*name).to_owned(),
            place: (*place).to_owned(),
        };
        let made = Recorded {
            waves: vec![vec![step]],
            names: bound.iter().map(named).collect(),
            ..Recorded::default()
        };
        let recording = Recording::new(made);
        let names = names(&recording, Lane { wave: 0, number: 0 }, 1);
        let value = |text: &str| evaluate(text, &names);
        assert_eq!(value("r0.x + 1 * 2").map(Value::number), Ok(3.5));
        assert_eq!(value("position.x == r0.y && !(r0.x < 1)").map(Value::holds), Ok(true));
        assert_eq!(value("r0[0] == 0x3fc00000").map(Value::holds), Ok(true));
        assert_eq!(value("-(r0.y) / 4.0f").map(Value::number), Ok(0.5));
        assert_eq!(value("t[4].x + rows[2]").map(Value::number), Ok(5.0));
        for wrong in ["", "r0.z", "r0.q", "r1", "r0.x +", "(r0.x", "r0.x )", "r0[9]", "1..2", "0xzz"] {
            assert!(value(wrong).is_err(), "{wrong}");
        }
        assert!(value(&"(".repeat(10_000)).is_err() && value(&"-".repeat(10_000)).is_err());
        // The number within is a level, too.
        let nested = |depth: usize| value(&format!("{}1{}", "(".repeat(depth), ")".repeat(depth)));
        assert_eq!(nested(DEPTH as usize - 1).map(Value::number), Ok(1.0));
        assert!(nested(DEPTH as usize).is_err());
    }
}
