//! What a module says about its ids: names, decorations and flags.

use crate::error::{Fault, Res};
use crate::words::{Inst, text};
use chiaro_ir::Flags;
use spirv::{Decoration, Op};

/// A decoration of an id, or of a member of the structure that the id is.
#[derive(Clone, Copy, Debug)]
struct Note {
    id: u32,
    /// The member; [`WHOLE`] for the id itself.
    member: u32,
    kind: u32,
    /// The decoration's operands: first word and their number.
    start: u32,
    len: u32,
}

/// The member number that means the id itself.
const WHOLE: u32 = u32::MAX;

const RELAXED: u8 = 1;
const EXACT: u8 = 2;
const NONUNIFORM: u8 = 4;

/// All names and decorations. Filled in one pass over the module's head, then sealed.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    list: Vec<Note>,
    /// Word of each id's name, 0 for none.
    names: Vec<u32>,
    member_names: Vec<(u32, u32, u32)>,
    flags: Vec<u8>,
    /// Numbers of decorations that nobody knows, once each.
    pub(crate) unknown: Vec<u32>,
}

impl Notes {
    /// For ids below a bound.
    pub(crate) fn new(bound: u32) -> Notes {
        Notes { names: vec![0; bound as usize], flags: vec![0; bound as usize], ..Notes::default() }
    }

    /// Takes an instruction that may be a name or a decoration.
    pub(crate) fn read(&mut self, inst: &Inst<'_>, op: Op) -> Res<()> {
        let after = |n: usize| (inst.at + 1 + n) as u32;
        match op {
            Op::Name => {
                if let Some(name) = self.names.get_mut(inst.word(0)? as usize) {
                    *name = after(1);
                }
            }
            Op::MemberName => self.member_names.push((inst.word(0)?, inst.word(1)?, after(2))),
            Op::Decorate | Op::DecorateId | Op::DecorateString => self.add(inst, WHOLE, 1)?,
            Op::MemberDecorate | Op::MemberDecorateString => self.add(inst, inst.word(1)?, 2)?,
            Op::GroupDecorate => {
                let group = self.group(inst.word(0)?);
                for &target in inst.rest(1) {
                    self.copy(&group, target, WHOLE, inst)?;
                }
            }
            Op::GroupMemberDecorate => {
                let group = self.group(inst.word(0)?);
                for pair in inst.rest(1).chunks_exact(2) {
                    self.copy(&group, pair[0], pair[1], inst)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn add(&mut self, inst: &Inst<'_>, member: u32, at: usize) -> Res<()> {
        let (id, kind) = (inst.word(0)?, inst.word(at)?);
        let len = inst.rest(at + 1).len() as u32;
        self.put(Note { id, member, kind, start: (inst.at + at + 2) as u32, len });
        Ok(())
    }

    fn put(&mut self, note: Note) {
        if note.member == WHOLE
            && let Some(flags) = self.flags.get_mut(note.id as usize)
        {
            *flags |= match Decoration::from_u32(note.kind) {
                Some(Decoration::RelaxedPrecision) => RELAXED,
                Some(Decoration::NoContraction) => EXACT,
                Some(Decoration::NonUniform) => NONUNIFORM,
                _ => 0,
            };
        }
        if Decoration::from_u32(note.kind).is_none()
            && !self.unknown.contains(&note.kind)
            && self.unknown.len() < 16
        {
            self.unknown.push(note.kind);
        }
        self.list.push(note);
    }

    /// Gives a target what a group has. Groups that would outgrow the module are refused, so
    /// that work and memory stay in proportion to the input.
    fn copy(&mut self, group: &[Note], id: u32, member: u32, inst: &Inst<'_>) -> Res<()> {
        if self.list.len() + group.len() > inst.at + 4096 {
            return Err(Fault::from("decoration groups multiply beyond the size of the module"));
        }
        group.iter().for_each(|&note| self.put(Note { id, member, ..note }));
        Ok(())
    }

    /// What a group has by now.
    fn group(&self, group: u32) -> Vec<Note> {
        self.list.iter().filter(|n| n.id == group && n.member == WHOLE).copied().collect()
    }

    /// Makes look-ups possible.
    pub(crate) fn seal(&mut self) {
        self.list.sort_by_key(|n| (n.id, n.member));
        self.member_names.sort_unstable();
    }

    fn of(&self, id: u32, member: u32) -> &[Note] {
        let start = self.list.partition_point(|n| (n.id, n.member) < (id, member));
        let len = self.list[start..].partition_point(|n| (n.id, n.member) == (id, member));
        &self.list[start..start + len]
    }

    /// Every decoration of an id: its number and the words of its operands.
    pub(crate) fn each<'w>(
        &self,
        words: &'w [u32],
        id: u32,
    ) -> impl Iterator<Item = (u32, &'w [u32])> + use<'_, 'w> {
        self.each_of_member(words, id, WHOLE)
    }

    /// The same of a member of a structure.
    pub(crate) fn each_of_member<'w>(
        &self,
        words: &'w [u32],
        id: u32,
        member: u32,
    ) -> impl Iterator<Item = (u32, &'w [u32])> + use<'_, 'w> {
        let operands = move |n: &Note| words.get(n.start as usize..(n.start + n.len) as usize).unwrap_or(&[]);
        self.of(id, member).iter().map(move |n| (n.kind, operands(n)))
    }

    /// Whether an id has a decoration.
    pub(crate) fn has(&self, id: u32, kind: Decoration) -> bool {
        self.of(id, WHOLE).iter().any(|n| n.kind == kind as u32)
    }

    /// Whether some member of a structure has a decoration.
    pub(crate) fn some_member_has(&self, id: u32, kind: Decoration) -> bool {
        self.members(id).iter().any(|n| n.kind == kind as u32)
    }

    /// Whether the first `count` members all have a decoration.
    pub(crate) fn all_members_have(&self, id: u32, count: u32, kind: Decoration) -> bool {
        let found = self.members(id).iter().filter(|n| n.kind == kind as u32).count();
        count > 0 && found as u32 >= count
    }

    fn members(&self, id: u32) -> &[Note] {
        let start = self.list.partition_point(|n| n.id < id);
        let len = self.list[start..].partition_point(|n| n.id == id && n.member != WHOLE);
        &self.list[start..start + len]
    }

    /// The first operand of a decoration of an id.
    pub(crate) fn value(&self, words: &[u32], id: u32, kind: Decoration) -> Option<u32> {
        self.each(words, id)
            .find(|(k, _)| *k == kind as u32)
            .and_then(|(_, operands)| operands.first().copied())
    }

    /// An id's name, or empty.
    pub(crate) fn name(&self, words: &[u32], id: u32) -> String {
        match self.names.get(id as usize) {
            Some(&at) if at != 0 => named(words, at),
            _ => String::new(),
        }
    }

    /// A member's name, or empty.
    pub(crate) fn member_name(&self, words: &[u32], id: u32, member: u32) -> String {
        let at = self.member_names.partition_point(|&(i, m, _)| (i, m) < (id, member));
        match self.member_names.get(at) {
            Some(&(i, m, word)) if (i, m) == (id, member) => named(words, word),
            _ => String::new(),
        }
    }

    /// What an id's decorations say of the operation that makes it.
    #[inline]
    pub(crate) fn flags(&self, id: u32) -> Flags {
        let bits = self.flags.get(id as usize).copied().unwrap_or(0);
        Flags {
            relaxed: bits & RELAXED != 0,
            exact: bits & EXACT != 0,
            volatile: false,
            nonuniform: bits & NONUNIFORM != 0,
        }
    }
}

/// The name at a word; one that does not end within 16 KiB is none.
fn named(words: &[u32], at: u32) -> String {
    let end = words.len().min(at as usize + 4096);
    words.get(at as usize..end).and_then(text).map_or_else(String::new, |(name, _)| name)
}
