//! What is shown of a thread: names of the source, registers, inputs, masks and flags.

use serde_json::{Value as Json, json};

use crate::expression::names;
use crate::recording::Recording;
use crate::value::Value;

/// What a reference to variables means: a thread and what of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Shown {
    /// What the source has names for, and where it says that there is none.
    Names(usize),
    /// All registers.
    Registers(usize),
    /// Components or lanes of a register, or of what the source names.
    Parts(usize, String),
    /// The inputs of the run, or a part of them by its pointer.
    Inputs(String),
    /// Flags, masks, stacks, results on their way, as the last step left them.
    Effects(usize),
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

/// The scopes of a thread: name, kind, what they show.
#[must_use]
pub fn scopes(thread: usize) -> [(&'static str, &'static str, Shown); 4] {
    [
        ("Names", "locals", Shown::Names(thread)),
        ("Registers", "registers", Shown::Registers(thread)),
        ("Inputs", "arguments", Shown::Inputs(String::new())),
        ("Masks and flags", "locals", Shown::Effects(thread)),
    ]
}

/// What a reference shows.
#[must_use]
pub fn variables(recording: &Recording, shown: &Shown, hex: bool) -> Vec<Variable> {
    match shown {
        Shown::Names(thread) => of_names(recording, *thread, hex),
        Shown::Registers(thread) => {
            let registers = recording.registers(*thread, place(recording, *thread));
            registers.into_iter().map(|(name, values)| register(*thread, name, &values, hex)).collect()
        }
        Shown::Parts(thread, name) => parts(recording, *thread, name, hex),
        Shown::Inputs(pointer) => inputs(recording, pointer),
        Shown::Effects(thread) => effects(recording, *thread),
    }
}

fn place(recording: &Recording, thread: usize) -> usize {
    recording.places.get(thread).copied().unwrap_or(0)
}

fn register(thread: usize, name: String, values: &[Option<u32>], hex: bool) -> Variable {
    let inside = (values.len() > 1).then(|| Shown::Parts(thread, name.clone()));
    Variable { value: text(values, hex), inside, evaluated: Some(name.clone()), name }
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

/// The compiler keeps the places of what the host sees. Of other variables it has no map: they are not shown,
/// and that is said.
fn of_names(recording: &Recording, thread: usize, hex: bool) -> Vec<Variable> {
    let known = names(recording, thread, place(recording, thread));
    let mut all: Vec<Variable> = Vec::new();
    for bound in &recording.made.names {
        let made = match known.values(&bound.name) {
            Some(values) => register(thread, bound.name.clone(), &values, hex),
            None => Variable {
                name: bound.name.clone(),
                value: format!("not touched yet ({})", bound.place),
                inside: None,
                evaluated: None,
            },
        };
        all.push(made);
    }
    if recording.made.source.is_some() {
        all.push(Variable {
            name: "(locals)".to_owned(),
            value: "optimised away: the compiler keeps no map of locals".to_owned(),
            inside: None,
            evaluated: None,
        });
    }
    all
}

fn parts(recording: &Recording, thread: usize, name: &str, hex: bool) -> Vec<Variable> {
    let values = names(recording, thread, place(recording, thread)).values(name).unwrap_or_default();
    let part = |(number, value): (usize, &Option<u32>)| {
        let short = match values.len() {
            2..=4 => ["x", "y", "z", "w"][number].to_owned(),
            _ => format!("[{number}]"),
        };
        let evaluated = format!("{name}[{number}]");
        let value = value.map_or_else(|| "not touched yet".to_owned(), |bits| Value::Bits(bits).text(hex));
        Variable { name: short, value, inside: None, evaluated: Some(evaluated) }
    };
    values.iter().enumerate().map(part).collect()
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

fn effects(recording: &Recording, thread: usize) -> Vec<Variable> {
    let last = place(recording, thread).checked_sub(1).and_then(|at| recording.steps(thread).get(at));
    let effect = |text: &String| {
        let (name, value) = text.split_once([' ', '=']).unwrap_or((text, ""));
        let value = value.trim_start_matches(['=', ' ']).to_owned();
        Variable { name: name.to_owned(), value, inside: None, evaluated: None }
    };
    last.into_iter().flat_map(|step| &step.effects).map(effect).collect()
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
