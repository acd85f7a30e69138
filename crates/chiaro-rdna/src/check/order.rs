//! In which order accesses return (spec 10.1, 10.3).

use super::step::Step;
use super::tables::Access;

/// Types of vector accesses that return in order among themselves.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Order {
    Plain,
    Sampled,
    Tree,
    Lds,
    Gds,
    None,
}

/// The order in which the access of a step returns.
pub(super) fn order_of(step: &Step) -> Order {
    step.access.map_or(Order::None, |access| order(access, step))
}

/// The order in which an access returns.
pub(super) fn order(access: Access, step: &Step) -> Order {
    match access {
        Access::Lds { .. } => Order::Lds,
        Access::Gds => Order::Gds,
        Access::Vector if step.dword >> 26 == 0b111100 => image_order(step.dword),
        Access::Vector => Order::Plain,
        _ => Order::None,
    }
}

/// Images: with a sampler or without, and trees with 64-bit nodes (10.3).
fn image_order(dword: u32) -> Order {
    match dword >> 18 & 0x7f | (dword & 1) << 7 {
        0xe7 => Order::Tree,
        0x20..=0x5f | 0x60 | 0x61 | 0x68..=0x6f | 0xa2..=0xbb | 0xe8..=0xef => Order::Sampled,
        _ => Order::Plain,
    }
}
