//! What coefficient registers hold, as text: `cf0=0.3*1:linear,cf1=32.0*4:perspective`.

use crate::abi::link::Binding;

/// Reads bindings.
pub(super) fn parse(text: &str) -> Result<Vec<Binding>, String> {
    text.split(',').map(|one| binding(one).ok_or_else(|| refuse(one))).collect()
}

fn refuse(one: &str) -> String {
    format!(
        "`bindings` does not take `{one}`: it takes cfREGISTER=SLOT.COMPONENT*COUNT:flat, linear or perspective, \
         with `,` between them"
    )
}

fn binding(text: &str) -> Option<Binding> {
    let (register, held) = text.trim().split_once('=')?;
    let (place, how) = held.split_once(':')?;
    let (place, count) = place.split_once('*')?;
    let (slot, offset) = place.split_once('.')?;
    let (smooth, perspective) = match how {
        "flat" => (false, false),
        "linear" => (true, false),
        "perspective" => (true, true),
        _ => return None,
    };
    let base = register.strip_prefix("cf")?.parse().ok().filter(|n| *n < 256)?;
    let (offset, count) =
        (offset.parse().ok().filter(|n| *n < 4)?, count.parse().ok().filter(|n| (1..=4).contains(n))?);
    Some(Binding { slot: slot.parse().ok()?, offset, count, base, smooth, perspective })
}
