//! Accesses of neighbours in memory become one.
//!
//! ```text
//! v1 = buffer_load_dword v0, s[0:3] offset:4         v3:2 = buffer_load_dwordx2 v0, s[0:3] offset:4
//! v2 = buffer_load_dword v0, s[0:3] offset:8         v1, v2 = split v3
//! ```
//!
//! Before: SSA. Loads go up to the first of them, stores down to the last, as long as nothing between them touches
//! that memory; the address is the same value in all of them.

use chiaro_mach::{Block, Code, Inst, Op as Mach, Operand};

use crate::compile::code::{Modifiers, SCALAR, VECTOR, flag, machine, operation};
use crate::isa::Op;
use crate::isa::ds::Ds;
use crate::isa::mubuf::Mubuf;
use crate::isa::smem::Smem;

/// What can be merged with one another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Sort {
    /// Scalar loads by descriptor.
    Scalar,
    /// Loads and stores of buffers.
    Load,
    Store,
    /// Loads and stores of LDS.
    SharedLoad,
    SharedStore,
}

/// An access of some words.
#[derive(Clone, Debug)]
struct Access {
    sort: Sort,
    inst: Inst,
    offset: i32,
    words: u16,
    flags: u16,
    /// What must be the same: address, descriptor.
    place: Vec<Operand>,
    /// Where the data are, of a store.
    data: Option<Operand>,
}

fn access(code: &Code, inst: Inst) -> Option<Access> {
    let m = Modifiers::unpack(code.inst(inst).modifiers);
    let (defs, uses) = (code.defs(inst), code.uses(inst));
    let (sort, words, place, data) = match operation(code, inst)? {
        Op::Smem(Smem::BufferLoadDword | Smem::BufferLoadDwordx2) => {
            (Sort::Scalar, defs[0].size, uses.to_vec(), None)
        }
        Op::Mubuf(Mubuf::LoadDword | Mubuf::LoadDwordx2) => (Sort::Load, defs[0].size, uses.to_vec(), None),
        Op::Mubuf(Mubuf::StoreDword | Mubuf::StoreDwordx2) => {
            (Sort::Store, uses[3].size, uses[..3].to_vec(), Some(uses[3]))
        }
        Op::Ds(Ds::ReadB32) => (Sort::SharedLoad, 1, uses.to_vec(), None),
        Op::Ds(Ds::WriteB32) => (Sort::SharedStore, 1, uses[..1].to_vec(), Some(uses[1])),
        _ => return None,
    };
    Some(Access { sort, inst, offset: m.number, words, flags: m.flags, place, data })
}

/// Merges what it can in all blocks.
pub(super) fn merge_accesses(code: &mut Code) {
    for block in code.blocks() {
        let mut open: Vec<Vec<Access>> = Vec::new();
        let mut done: Vec<Vec<Access>> = Vec::new();
        for &inst in code.insts(block) {
            let own = access(code, inst);
            close(code, inst, own.as_ref(), &mut open, &mut done);
            let Some(own) = own else { continue };
            let is_like = |group: &&mut Vec<Access>| {
                let first = &group[0];
                (first.sort, first.flags) == (own.sort, own.flags) && first.place == own.place
            };
            match open.iter_mut().find(is_like) {
                Some(group) => group.push(own),
                None => open.push(vec![own]),
            }
        }
        done.append(&mut open);
        for group in done.into_iter().filter(|group| group.len() > 1) {
            merge(code, block, group);
        }
    }
}

/// What an instruction must not be crossed by ends.
fn close(
    code: &Code,
    inst: Inst,
    own: Option<&Access>,
    open: &mut Vec<Vec<Access>>,
    done: &mut Vec<Vec<Access>>,
) {
    let effects = code.inst(inst).effects;
    let mut n = 0;
    while n < open.len() {
        let first = &open[n][0];
        let theirs = code.inst(first.inst).effects;
        let is_own = own.is_some_and(|own| {
            own.sort == first.sort && own.place == first.place && own.flags == first.flags
        });
        let is_store = first.data.is_some();
        let crosses =
            if is_store { theirs.order(effects) || effects.order(theirs) } else { effects.order(theirs) };
        // Neighbours do not touch each other; the same place again does.
        let same_place = is_own && own.is_some_and(|own| overlaps(&open[n], own));
        if crosses && !is_own || same_place && is_store {
            done.push(open.remove(n));
        } else {
            n += 1;
        }
    }
}

fn overlaps(group: &[Access], own: &Access) -> bool {
    let end = |a: &Access| a.offset + 4 * i32::from(a.words);
    group.iter().any(|a| a.offset < end(own) && own.offset < end(a))
}

fn merge(code: &mut Code, block: Block, mut group: Vec<Access>) {
    group.sort_by_key(|access| access.offset);
    group.dedup_by_key(|access| access.offset);
    let mut rest = &group[..];
    while !rest.is_empty() {
        let count = match rest[0].sort {
            Sort::SharedLoad | Sort::SharedStore => pair(rest),
            sort => run(rest, sort),
        };
        if count > 1 {
            replace(code, block, &rest[..count]);
        }
        rest = &rest[count..];
    }
}

/// Two accesses of LDS that one instruction reaches.
fn pair(rest: &[Access]) -> usize {
    let fits = |access: &Access| access.offset % 4 == 0 && (0..1024).contains(&access.offset);
    if rest.len() > 1 && rest[..2].iter().all(fits) { 2 } else { 1 }
}

/// How many accesses stand one behind the other and make up a size that there is.
fn run(rest: &[Access], sort: Sort) -> usize {
    let sizes: &[u16] = if sort == Sort::Scalar { &[16, 8, 4, 2] } else { &[4, 3, 2] };
    let mut end = rest[0].offset;
    let (mut words, mut best) = (0, 1);
    for (n, access) in rest.iter().enumerate() {
        if access.offset != end || words + access.words > sizes[0] {
            break;
        }
        end += 4 * i32::from(access.words);
        words += access.words;
        if sizes.contains(&words) {
            best = n + 1;
        }
    }
    best
}

/// Puts one access in place of several.
fn replace(code: &mut Code, block: Block, members: &[Access]) {
    let first = &members[0];
    let words: u16 = members.iter().map(|access| access.words).sum();
    let positions: Vec<usize> = members
        .iter()
        .filter_map(|access| code.insts(block).iter().position(|&inst| inst == access.inst))
        .collect();
    let (Some(&top), Some(&bottom)) = (positions.iter().min(), positions.iter().max()) else { return };
    let is_shared = matches!(first.sort, Sort::SharedLoad | Sort::SharedStore);
    let modifiers = match is_shared {
        true => Modifiers::number(first.offset / 4 | members[1].offset / 4 << 8).with(flag::TWO),
        false => Modifiers { number: first.offset, flags: first.flags, ..Modifiers::default() },
    };
    let mut made = Vec::new();
    if first.data.is_some() {
        made.extend(store(code, members, words));
    } else {
        made.extend(load(code, members, words));
    }
    let access = if first.data.is_some() { made.last().copied() } else { made.first().copied() };
    if let Some(inst) = access {
        let (old, effects) = (code.inst(first.inst).span, code.inst(first.inst).effects);
        let data = code.inst_mut(inst);
        (data.modifiers, data.span, data.effects) = (modifiers.pack(), old, effects);
    }
    let at = if first.data.is_some() { bottom } else { top };
    let mut insts = std::mem::take(&mut code.block_mut(block).insts);
    insts.splice(at..at, made);
    insts.retain(|inst| members.iter().all(|access| access.inst != *inst));
    code.block_mut(block).insts = insts;
}

fn load(code: &mut Code, members: &[Access], words: u16) -> Vec<Inst> {
    let first = &members[0];
    let (file, op) = match first.sort {
        Sort::Scalar => (
            SCALAR,
            Op::Smem(match words {
                2 => Smem::BufferLoadDwordx2,
                4 => Smem::BufferLoadDwordx4,
                8 => Smem::BufferLoadDwordx8,
                _ => Smem::BufferLoadDwordx16,
            }),
        ),
        Sort::SharedLoad => (VECTOR, Op::Ds(Ds::Read2B32)),
        _ => (
            VECTOR,
            Op::Mubuf([Mubuf::LoadDwordx2, Mubuf::LoadDwordx3, Mubuf::LoadDwordx4][usize::from(words) - 2]),
        ),
    };
    let align = if file == SCALAR { words.min(4) as u8 } else { 1 };
    let value = code.value(file, words, align);
    let whole = code.operand(value);
    let access = code.make(machine(op), &[whole], &first.place);
    let parts: Vec<Operand> = members.iter().map(|access| code.defs(access.inst)[0]).collect();
    let split = code.make(Mach::Split, &parts, &[whole]);
    vec![access, split]
}

fn store(code: &mut Code, members: &[Access], words: u16) -> Vec<Inst> {
    let first = &members[0];
    let data: Vec<Operand> = members.iter().filter_map(|access| access.data).collect();
    if first.sort == Sort::SharedStore {
        let uses: Vec<Operand> = first.place.iter().copied().chain(data).collect();
        return vec![code.make(machine(Op::Ds(Ds::Write2B32)), &[], &uses)];
    }
    let op = [Mubuf::StoreDwordx2, Mubuf::StoreDwordx3, Mubuf::StoreDwordx4][usize::from(words) - 2];
    let value = code.value(VECTOR, words, 1);
    let whole = code.operand(value);
    let collect = code.make(Mach::Collect, &[whole], &data);
    let uses: Vec<Operand> = first.place.iter().copied().chain([whole]).collect();
    vec![collect, code.make(machine(Op::Mubuf(op)), &[], &uses)]
}
