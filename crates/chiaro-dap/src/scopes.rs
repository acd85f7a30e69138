//! What is shown of a lane: variables and names of the source, registers, memory, inputs, masks and flags.

use chiaro_target::Bound;
use serde_json::{Value as Json, json};

use crate::expression::{Names, names};
use crate::lab::{Local, Scalar};
use crate::memory::{self, Space};
use crate::recording::{Lane, Recording};
use crate::value::{Value, shown};

/// What a reference to variables means: a lane and what of it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Shown {
    /// Variables of the source's functions.
    Locals(Lane),
    /// What the host program has names for.
    Names(Lane),
    /// All registers.
    Registers(Lane),
    /// Components or lanes of a register, or of what the source names.
    Parts(Lane, String),
    /// The memories that the wave touches, or one of them.
    Memory(Lane, Option<Space>),
    /// The inputs of the run, or a part of them by its pointer.
    Inputs(String),
    /// Flags, masks, stacks, results on their way, as the last step left them.
    Effects(Lane),
}

/// A variable before it has a number: name, value, and what it has inside.
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its value as text.
    pub value: String,
    /// What it has inside.
    pub inside: Option<Shown>,
    /// How it is written in an expression.
    pub evaluated: Option<String>,
}

/// The scopes of a lane: name, kind, what they show.
#[must_use]
pub fn scopes(recording: &Recording, lane: Lane) -> Vec<(&'static str, &'static str, Shown)> {
    let mut all = vec![
        ("Names", "arguments", Shown::Names(lane)),
        ("Registers", "registers", Shown::Registers(lane)),
        ("Inputs", "arguments", Shown::Inputs(String::new())),
        ("Masks and flags", "locals", Shown::Effects(lane)),
    ];
    if recording.steps(lane.wave).iter().any(|step| !step.memory.is_empty()) {
        all.insert(2, ("Memory", "locals", Shown::Memory(lane, None)));
    }
    if recording.made.is_compiled {
        all.insert(0, ("Locals", "locals", Shown::Locals(lane)));
    }
    all
}

/// What a reference shows.
#[must_use]
pub fn variables(recording: &Recording, what: &Shown, hex: bool) -> Vec<Variable> {
    let known = |lane: &Lane| names(recording, *lane, recording.place(*lane));
    match what {
        Shown::Locals(lane) => locals(recording, &known(lane), *lane, hex),
        Shown::Names(lane) => of_names(recording, &known(lane), *lane, hex),
        Shown::Registers(lane) => registers(&known(lane), *lane, hex),
        Shown::Parts(lane, name) => parts(recording, &known(lane), (*lane, name), hex),
        Shown::Memory(lane, None) => memories(recording, *lane),
        Shown::Memory(lane, Some(space)) => words(recording, *lane, space, hex),
        Shown::Inputs(pointer) => inputs(recording, pointer),
        Shown::Effects(lane) => effects(recording, *lane),
    }
}

/// Registers in the order of their numbers.
fn registers(known: &Names<'_>, lane: Lane, hex: bool) -> Vec<Variable> {
    let number = |name: &str| -> (String, u32) {
        let letters: String = name.chars().take_while(|c| !c.is_ascii_digit()).collect();
        let digits: String = name[letters.len()..].chars().take_while(char::is_ascii_digit).collect();
        (letters, digits.parse().unwrap_or(0))
    };
    // Parts that the code never names are in the whole.
    let named = |(name, _): &(&String, &Vec<Option<u32>>)| known.is_named(name);
    let mut all: Vec<(&String, &Vec<Option<u32>>)> = known.registers().iter().filter(named).collect();
    all.sort_by_key(|(name, _)| number(name));
    all.into_iter().map(|(name, values)| register(known, lane, name, values, hex)).collect()
}

/// The value of a name with several parts, in a line.
#[must_use]
pub fn of_name(recording: &Recording, known: &Names<'_>, name: &str, hex: bool) -> String {
    let values = known.values(name).unwrap_or_default();
    match recording.made.locals.iter().find(|local| local.shown() == name) {
        Some(local) => typed(local, &values, hex),
        None if known.is_by_lane(name) => text(&[known.of_lane(&values)], hex),
        None => text(&values, hex),
    }
}

fn register(known: &Names<'_>, lane: Lane, name: &str, values: &[Option<u32>], hex: bool) -> Variable {
    let inside = (values.len() > 1).then(|| Shown::Parts(lane, name.to_owned()));
    let value = match known.is_by_lane(name) {
        true => text(&[known.of_lane(values)], hex),
        false => text(values, hex),
    };
    Variable { value, inside, evaluated: Some(name.to_owned()), name: name.to_owned() }
}

fn text(values: &[Option<u32>], hex: bool) -> String {
    let one = |value: &Option<u32>| match value {
        None => "?".to_owned(),
        Some(bits) if hex => format!("{bits:#010x}"),
        Some(bits) => format!("{:?}", f32::from_bits(*bits)),
    };
    match values {
        [Some(bits)] => Value::Bits(*bits).text(hex),
        all => {
            all.iter().take(8).map(one).collect::<Vec<_>>().join(", ")
                + if all.len() > 8 { ", ..." } else { "" }
        }
    }
}

/// Variables of functions, where they stand; those that stand nowhere say so.
fn locals(recording: &Recording, known: &Names<'_>, lane: Lane, hex: bool) -> Vec<Variable> {
    let made = &recording.made;
    if made.locals.is_empty() {
        let value = "the source cannot be run by itself, which tells what its variables hold".to_owned();
        return vec![Variable { name: "(none)".to_owned(), value, inside: None, evaluated: None }];
    }
    let one = |(number, local): (usize, &Local)| {
        let values: Vec<Option<u32>> =
            (0..local.scalars.len()).map(|scalar| known.scalar(number, scalar)).collect();
        let is_anywhere =
            (0..local.scalars.len()).any(|scalar| stands_anywhere(recording, lane, (number, scalar)));
        let is_here = values.iter().any(Option::is_some);
        let value = match (is_here, is_anywhere) {
            (true, _) => format!("{} in {}", typed(local, &values, hex), standing(known, number, local)),
            (false, true) => "in no register here".to_owned(),
            (false, false) => "optimised away".to_owned(),
        };
        let inside = (is_here && values.len() > 1).then(|| Shown::Parts(lane, local.shown()));
        Variable { name: local.shown(), value, inside, evaluated: is_here.then(|| local.shown()) }
    };
    made.locals.iter().enumerate().map(one).collect()
}

/// Whether a scalar of a variable stands in a register at any place of a lane's wave.
fn stands_anywhere(recording: &Recording, lane: Lane, scalar: (usize, usize)) -> bool {
    let homes = recording.homes(lane.wave).and_then(|homes| homes.get(&scalar));
    homes.is_some_and(|homes| !homes.is_empty())
}

/// What is said of a scalar that is not to be seen here.
fn absent(recording: &Recording, lane: Lane, scalar: (usize, usize)) -> String {
    let is_anywhere = stands_anywhere(recording, lane, scalar);
    if is_anywhere { "in no register here" } else { "optimised away" }.to_owned()
}

fn typed(local: &Local, values: &[Option<u32>], hex: bool) -> String {
    let one = |(scalar, value): (&Scalar, &Option<u32>)| {
        value.map_or_else(|| "?".to_owned(), |bits| shown(scalar.kind, bits, hex))
    };
    let all: Vec<String> = local.scalars.iter().zip(values).map(one).take(16).collect();
    all.join(", ") + if values.len() > 16 { ", ..." } else { "" }
}

/// The registers that the scalars of a variable stand in: `r2.xyz`, `v3, v5`.
fn standing(known: &Names<'_>, number: usize, local: &Local) -> String {
    let mut all: Vec<String> = Vec::new();
    let mut last: Option<&str> = None;
    for home in (0..local.scalars.len()).filter_map(|scalar| known.home(number, scalar)) {
        let letter = home.component.and_then(|n| ["x", "y", "z", "w"].get(n).copied());
        match (letter, all.last_mut()) {
            (Some(letter), Some(text)) if last == Some(home.register.as_str()) => text.push_str(letter),
            (Some(letter), _) => all.push(format!("{}.{letter}", home.register)),
            (None, _) => all.push(home.register.clone()),
        }
        last = Some(&home.register);
    }
    all.join(", ")
}

/// What the host program sees.
fn of_names(recording: &Recording, known: &Names<'_>, lane: Lane, hex: bool) -> Vec<Variable> {
    let one = |bound: &Bound| match known.values(&bound.name) {
        Some(values) => register(known, lane, &bound.name, &values, hex),
        None => Variable {
            name: bound.name.clone(),
            value: format!("not seen yet: {}", bound.place),
            inside: None,
            evaluated: None,
        },
    };
    recording.made.names.iter().map(one).collect()
}

fn parts(recording: &Recording, known: &Names<'_>, (lane, name): (Lane, &str), hex: bool) -> Vec<Variable> {
    let locals = &recording.made.locals;
    if let Some(number) = locals.iter().position(|local| local.shown() == name) {
        let part = |(n, scalar): (usize, &Scalar)| {
            let value = known.scalar(number, n).map(|bits| shown(scalar.kind, bits, hex));
            let value = value.unwrap_or_else(|| absent(recording, lane, (number, n)));
            Variable {
                name: scalar.path.clone(),
                value,
                inside: None,
                evaluated: Some(format!("{name}{}", scalar.path)),
            }
        };
        return locals[number].scalars.iter().enumerate().map(part).collect();
    }
    let values = known.values(name).unwrap_or_default();
    if let Some(shape) = known.shape(name).filter(|_| recording.made.lanes <= 1) {
        return columns(name, &values, shape.rows, hex);
    }
    let by_lane = known.is_by_lane(name);
    let part = |(number, value): (usize, &Option<u32>)| {
        let short = match values.len() {
            2..=4 if !by_lane => ["x", "y", "z", "w"][number].to_owned(),
            _ => format!("[{number}]"),
        };
        let evaluated = format!("{name}[{number}]");
        let value = value.map_or_else(|| "not known here".to_owned(), |bits| Value::Bits(bits).text(hex));
        Variable { name: short, value, inside: None, evaluated: Some(evaluated) }
    };
    values.iter().enumerate().map(part).collect()
}

/// The columns of a matrix.
fn columns(name: &str, values: &[Option<u32>], rows: usize, hex: bool) -> Vec<Variable> {
    let column = |(number, values): (usize, &[Option<u32>])| Variable {
        name: format!("[{number}]"),
        value: text(values, hex),
        inside: None,
        evaluated: Some(format!("{name}[{number}]")),
    };
    values.chunks(rows.max(1)).enumerate().map(column).collect()
}

fn memories(recording: &Recording, lane: Lane) -> Vec<Variable> {
    let own = |space: &Space| space.lane.is_none_or(|owner| owner as usize == lane.number);
    let one = |space: Space| Variable {
        name: space.name.to_owned(),
        value: "what this wave has touched".to_owned(),
        inside: Some(Shown::Memory(lane, Some(space))),
        evaluated: None,
    };
    memory::spaces(recording.steps(lane.wave)).into_iter().filter(own).map(one).collect()
}

fn words(recording: &Recording, lane: Lane, space: &Space, hex: bool) -> Vec<Variable> {
    let bytes = memory::before(recording.steps(lane.wave), recording.place(lane), space);
    let one = |(at, bits): (u64, Option<u32>)| Variable {
        name: format!("{at:#x}"),
        value: bits.map_or_else(|| "known in part".to_owned(), |bits| Value::Bits(bits).text(hex)),
        inside: None,
        evaluated: None,
    };
    memory::words(&bytes).into_iter().map(one).collect()
}

fn inputs(recording: &Recording, pointer: &str) -> Vec<Variable> {
    let below = |name: &str| format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1"));
    let one = |name: String, value: &Json| {
        let inside = (value.is_object() || value.is_array()).then(|| Shown::Inputs(below(&name)));
        Variable { value: value.to_string().chars().take(200).collect(), inside, evaluated: None, name }
    };
    match recording.made.inputs.pointer(pointer) {
        Some(Json::Object(members)) => members.iter().map(|(name, value)| one(name.clone(), value)).collect(),
        Some(Json::Array(items)) => {
            items.iter().enumerate().map(|(n, item)| one(n.to_string(), item)).collect()
        }
        _ => Vec::new(),
    }
}

/// What the last step has left; what was set by name before stays set.
fn effects(recording: &Recording, lane: Lane) -> Vec<Variable> {
    let steps = recording.steps(lane.wave);
    let place = recording.place(lane).min(steps.len());
    let mut all: Vec<(String, String)> = Vec::new();
    if recording.made.lanes > 1 {
        let mask = steps.get(place).or(steps.last()).map_or(0, |step| step.lanes);
        all.push(("active lanes".to_owned(), format!("{mask:#x}")));
    }
    for (n, step) in steps[..place].iter().enumerate() {
        for effect in &step.effects {
            let parts = effect.split_once(" = ").or_else(|| effect.split_once([' ', '=']));
            let (name, value) = parts.unwrap_or((effect, ""));
            // `cmp.x = true` holds until it is set again; everything else is said of one step.
            let stays = effect.contains(" = ");
            if stays || n + 1 == place {
                let value = value.trim_start_matches(['=', ' ']).to_owned();
                all.retain(|(known, _)| !stays || known != name);
                all.push((name.to_owned(), value));
            }
        }
    }
    let variable = |(name, value)| Variable { name, value, inside: None, evaluated: None };
    all.into_iter().map(variable).collect()
}

/// The inputs with another value at a place.
///
/// # Errors
/// There is nothing at the place, or the text is no value.
pub fn changed(inputs: &Json, pointer: &str, name: &str, text: &str) -> Result<Json, String> {
    let value: Json =
        serde_json::from_str(text).map_err(|_| format!("`{text}` is no number, list, `true` or `false`"))?;
    let mut changed = inputs.clone();
    let place = match changed.pointer_mut(pointer) {
        Some(Json::Object(members)) => members.get_mut(name),
        Some(Json::Array(items)) => name.parse().ok().and_then(|n: usize| items.get_mut(n)),
        _ => None,
    };
    *place.ok_or_else(|| format!("the inputs have no `{name}` here"))? = value;
    Ok(json!(changed))
}
