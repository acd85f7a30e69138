//! Values of members by name, for the buffers that a file knows.

use chiaro_ir::{Field, Scalar as Is};
use chiaro_target::Value;
use chiaro_target::blocks::{Given, by_member, firsts};

use crate::container::file::{HEAP, Held, Member, Scalar, What};

/// The buffer that a name means, with values by member: its own name, or that of a member of a block whose members
/// the source sees without one.
pub(super) fn block<'f>(
    name: &str,
    value: &Value,
    held: &'f [Held],
    members: &[Member],
) -> Option<(&'f Held, Given)> {
    let mut buffers = held.iter().filter(|held| held.what == What::Address && held.set != HEAP);
    if let Some(buffer) = buffers.clone().find(|held| held.name == name) {
        return by_member(&fields(buffer, members), value).map(|given| (buffer, given));
    }
    let buffer = buffers.find(|held| firsts(&fields(held, members)).contains(&name))?;
    Some((buffer, Given::Named(vec![(name.to_owned(), value.clone())])))
}

/// The members of a buffer.
pub(super) fn fields(buffer: &Held, members: &[Member]) -> Vec<Field> {
    let own = |member: &&Member| (member.set, member.binding) == (buffer.set, buffer.binding);
    let field = |member: &Member| Field {
        path: member.path.clone(),
        offset: member.offset,
        scalar: match member.scalar {
            Scalar::Float => Is::Float,
            Scalar::Int => Is::Int,
            Scalar::Bool => Is::Bool,
        },
        bits: member.bits,
        rows: member.rows.clone(),
    };
    members.iter().filter(own).map(field).collect()
}
