//! Rules for composites: each component is traced to its source, and the composite is rebuilt
//! from those sources.

use crate::rules::{Node, Rewriter};
use chiaro_ir::{Constant, ConstantKind, Op, Shape, Value};

/// Composites within composites are looked through so often.
const DEEPEST: u32 = 16;

/// Where a component comes from.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Source {
    /// Any value will do.
    Undef,
    Constant(Constant),
    /// A scalar value.
    Scalar(Value),
    /// A component of a vector that is no composite of others.
    Part(Value, u8),
}

pub(crate) fn extract(w: &mut Rewriter<'_>, n: &Node, part: u32) -> Option<Value> {
    let [of] = n.first();
    if w.module.types.components(w.ty(of)) > 1 {
        let i = u8::try_from(part).ok()?;
        let source = trace(w, of, i);
        return if source == Source::Part(of, i) { narrow(w, n, of, part) } else { scalar(w, n, source) };
    }
    extract_member(w, n, of, part)
}

/// The only component that is asked of an operation on all of them: the operation on that one.
fn narrow(w: &mut Rewriter<'_>, n: &Node, of: Value, part: u32) -> Option<Value> {
    let (op, args) = w.made_by(of)?;
    let Shape::Same(count) = op.info().shape else { return None };
    if !w.used_once(of) {
        return None;
    }
    let flags = w.flags(of);
    let n = &n.flagged(flags);
    let mut parts = args;
    for part_of in &mut parts[..usize::from(count)] {
        *part_of = w.emit(n, Op::Extract(part), &[*part_of], n.ty);
    }
    Some(w.emit(n, op, &parts[..usize::from(count)], n.ty))
}

/// A member of a structure or an element of an array.
fn extract_member(w: &mut Rewriter<'_>, n: &Node, mut of: Value, part: u32) -> Option<Value> {
    let given = of;
    for _ in 0..DEEPEST {
        if let Some(c) = w.as_constant(of) {
            let part = w.module.constant_part(c, part)?;
            return Some(w.constant_value(part));
        }
        if let Some(parts) = w.parts(of, Op::Construct) {
            return parts.get(part as usize).copied();
        }
        match w.made_by(of) {
            Some((Op::Insert(at), [_, value, ..])) if at == part => return Some(value),
            Some((Op::Insert(_), [base, ..])) => of = base,
            _ => break,
        }
    }
    (of != given).then(|| w.emit(n, Op::Extract(part), &[of], n.ty))
}

/// A dynamic index that is constant.
pub(super) fn indexed(w: &mut Rewriter<'_>, n: &Node) -> Option<Value> {
    let [vector, second, third] = n.first();
    let index = w.int(if n.op == Op::ExtractDyn { second } else { third })?;
    let inside = index < u64::from(w.components(vector));
    match n.op {
        _ if !inside => None,
        Op::ExtractDyn => Some(w.emit(n, Op::Extract(index as u32), &[vector], n.ty)),
        _ => Some(w.same(n, Op::Insert(index as u32), &[vector, second])),
    }
}

/// Follows component `i` of a vector.
fn trace(w: &mut Rewriter<'_>, mut v: Value, mut i: u8) -> Source {
    for _ in 0..DEEPEST {
        if let Some(c) = w.as_constant(v) {
            return trace_constant(w, c, i).unwrap_or(Source::Part(v, i));
        }
        if let Some(parts) = w.parts(v, Op::Construct) {
            let Some((part, at)) = part_of(w, parts, i) else { return Source::Part(v, i) };
            if w.components(part) == 1 {
                return trace_scalar(w, part);
            }
            (v, i) = (part, at);
            continue;
        }
        match w.made_by(v) {
            Some((Op::Insert(at), [_, value, ..])) if at == u32::from(i) => return trace_scalar(w, value),
            Some((Op::Insert(_), [base, ..])) => v = base,
            Some((Op::Shuffle(parts), [a, b, ..])) => {
                let (from, split) = (parts[usize::from(i & 3)], w.components(a));
                match from {
                    255 => return Source::Undef,
                    from if from < split => (v, i) = (a, from),
                    from => (v, i) = (b, from - split),
                }
            }
            _ => break,
        }
    }
    Source::Part(v, i)
}

fn trace_constant(w: &mut Rewriter<'_>, c: Constant, i: u8) -> Option<Source> {
    let part = w.module.constant_part(c, u32::from(i))?;
    // An undefined constant is one value, of which every part is the same one.
    Some(Source::Constant(part))
}

/// The operand of a construction that component `i` comes from, and its component there.
fn part_of(w: &Rewriter<'_>, parts: &[Value], i: u8) -> Option<(Value, u8)> {
    if let &[only] = parts
        && w.components(only) == 1
    {
        return Some((only, 0));
    }
    let mut left = i;
    for &part in parts {
        let count = w.components(part);
        if left < count {
            return Some((part, left));
        }
        left -= count;
    }
    None
}

fn trace_scalar(w: &mut Rewriter<'_>, v: Value) -> Source {
    if let Some(c) = w.as_constant(v) {
        return Source::Constant(c);
    }
    match w.made_by(v) {
        // What was extracted has been traced when it was written.
        Some((Op::Extract(i), [of, ..])) if w.components(of) > 1 => Source::Part(of, i as u8),
        _ => Source::Scalar(v),
    }
}

fn scalar(w: &mut Rewriter<'_>, n: &Node, source: Source) -> Option<Value> {
    match source {
        Source::Undef => None,
        Source::Constant(c) => Some(w.constant_value(c)),
        Source::Scalar(v) => Some(v),
        Source::Part(v, i) => {
            let ty = w.module.types.scalar(w.ty(v));
            let op = Op::Extract(u32::from(i));
            Some(w.emit(n, op, &[v], ty))
        }
    }
}

/// A vector made of others: one of them, a constant, a shuffle of two, or a construction of as
/// few parts as there are.
pub(crate) fn vector(w: &mut Rewriter<'_>, n: &Node) -> Option<Value> {
    let count = w.module.types.components(n.ty);
    if count < 2 {
        return whole(w, n);
    }
    let mut sources = [Source::Undef; 4];
    let sources = sources.get_mut(..usize::from(count))?;
    for (i, source) in (0..).zip(sources.iter_mut()) {
        *source = trace_node(w, n, i);
    }
    if let Some(value) = identity(w, n, sources).or_else(|| constant(w, n, sources)) {
        return Some(value);
    }
    if let Some(found) = shuffle(w, n, sources) {
        return found;
    }
    construct(w, n, sources)
}

/// Follows a component of a vector that is about to be written.
fn trace_node(w: &mut Rewriter<'_>, n: &Node, i: u8) -> Source {
    let [a, b] = n.first();
    match n.op {
        Op::Insert(at) if at == u32::from(i) => trace_scalar(w, b),
        Op::Insert(_) => trace(w, a, i),
        Op::Shuffle(parts) => match (parts[usize::from(i & 3)], w.components(a)) {
            (255, _) => Source::Undef,
            (from, split) if from < split => trace(w, a, from),
            (from, split) => trace(w, b, from - split),
        },
        _ => match part_of(w, n.args(), i) {
            Some((part, _)) if w.components(part) == 1 => trace_scalar(w, part),
            Some((part, at)) => trace(w, part, at),
            None => Source::Undef,
        },
    }
}

/// All of one vector, in order.
fn identity(w: &Rewriter<'_>, n: &Node, sources: &[Source]) -> Option<Value> {
    let of = sources.iter().find_map(|source| match source {
        Source::Part(v, _) => Some(*v),
        _ => None,
    })?;
    let fits =
        |(i, source): (usize, &Source)| *source == Source::Undef || *source == Source::Part(of, i as u8);
    (w.ty(of) == n.ty && sources.iter().enumerate().all(fits)).then_some(of)
}

fn constant(w: &mut Rewriter<'_>, n: &Node, sources: &[Source]) -> Option<Value> {
    let first = sources.iter().find_map(|source| match source {
        Source::Constant(c) => Some(*c),
        _ => None,
    })?;
    let part = |source: &Source| match source {
        Source::Constant(c) => Some(*c),
        Source::Undef => Some(first),
        _ => None,
    };
    if sources.iter().any(|source| part(source).is_none()) {
        return None;
    }
    Some(w.constant(n.ty, ConstantKind::Composite(sources.iter().filter_map(part).collect())))
}

/// Components of at most two vectors. `Some(None)`: it is written so already.
#[allow(clippy::option_option, reason = "no shuffle, and nothing better than the node itself, are different")]
fn shuffle(w: &mut Rewriter<'_>, n: &Node, sources: &[Source]) -> Option<Option<Value>> {
    let (mut first, mut second) = (None, None);
    for source in sources {
        match *source {
            Source::Part(v, _) if *first.get_or_insert(v) == v || *second.get_or_insert(v) == v => {}
            Source::Part(..) | Source::Constant(_) | Source::Scalar(_) => return None,
            Source::Undef => {}
        }
    }
    let a = first?;
    let b = second.unwrap_or(a);
    let split = w.components(a);
    let mut parts = [255; 4];
    for (to, source) in parts.iter_mut().zip(sources) {
        if let Source::Part(v, i) = *source {
            *to = if v == a { i } else { split + i };
        }
    }
    Some(remake(w, n, Op::Shuffle(parts), &[a, b]))
}

/// The operation, unless it is what the node is.
fn remake(w: &mut Rewriter<'_>, n: &Node, op: Op, args: &[Value]) -> Option<Value> {
    (n.op != op || n.args() != args).then(|| w.make_as(n, op, args, n.ty))
}

/// Scalars and whole vectors, side by side, if none of them has to be made; else the node stays.
fn construct(w: &mut Rewriter<'_>, n: &Node, sources: &[Source]) -> Option<Value> {
    if sources.contains(&Source::Undef) {
        return None;
    }
    if let [Source::Scalar(v), rest @ ..] = sources
        && rest.iter().all(|source| *source == Source::Scalar(*v))
    {
        return remake(w, n, Op::Construct, &[*v]);
    }
    let (mut args, mut made, mut at) = ([Value(0); 4], 0, 0);
    while let Some(&source) = sources.get(at) {
        let (value, count) = match source {
            Source::Part(v, 0) if is_run(w, v, &sources[at..]) => (v, usize::from(w.components(v))),
            Source::Part(v, i) => (extracted(w, n, at, v, i)?, 1),
            source => (scalar(w, n, source)?, 1),
        };
        args[made] = value;
        (made, at) = (made + 1, at + count);
    }
    match &args[..made] {
        &[only] if w.ty(only) == n.ty => Some(only),
        args => remake(w, n, Op::Construct, args),
    }
}

/// Whether all of a vector comes next, in order.
fn is_run(w: &Rewriter<'_>, v: Value, sources: &[Source]) -> bool {
    let count = w.components(v);
    usize::from(count) <= sources.len()
        && (0..count).zip(sources).all(|(i, source)| *source == Source::Part(v, i))
}

/// An operand of the node that is this component already: most often the one that stands at its place.
fn extracted(w: &Rewriter<'_>, n: &Node, at: usize, v: Value, i: u8) -> Option<Value> {
    let is_it = |&arg: &Value| w.is(arg, Op::Extract(u32::from(i))).is_some_and(|[of, ..]| of == v);
    n.args().get(at).copied().filter(is_it).or_else(|| n.args().iter().copied().find(is_it))
}

/// A structure or array: constants make a constant, the parts of one value in order the value.
fn whole(w: &mut Rewriter<'_>, n: &Node) -> Option<Value> {
    if n.op != Op::Construct {
        return None;
    }
    let constants: Option<Vec<Constant>> = n.args().iter().map(|&arg| w.as_constant(arg)).collect();
    if let Some(parts) = constants {
        return Some(w.constant(n.ty, ConstantKind::Composite(parts)));
    }
    let part = |i: usize, v| w.is(v, Op::Extract(i as u32)).map(|[of, ..]| of);
    let of = part(0, *n.args().first()?)?;
    let all = n.args().iter().enumerate().all(|(i, &v)| part(i, v) == Some(of));
    (all && w.ty(of) == n.ty && w.module.types.part_count(n.ty) == Some(n.args().len() as u32)).then_some(of)
}
