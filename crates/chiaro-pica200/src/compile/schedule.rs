//! Scheduling: one list of instructions out of blocks, everything behind what it needs.
//!
//! The order is that of the source as far as it goes. Nodes wait for the nodes that they read;
//! what reads a variable stays on its side of what sets it.

pub(super) mod bound;
pub(super) mod exact;
pub(super) mod gather;
pub(super) mod homes;
pub(super) mod operands;

use crate::compile::graph::{Base, Block, Component, Cond, Graph, Id, Item, Setting};
use crate::compile::schedule::homes::{Homes, Ordered, Out};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

/// A step of the program in its final order.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    Node(Id),
    /// A condition follows its CMP, if it has one.
    If(Cond),
    Else,
    EndIf,
    Loop(u16),
    EndLoop,
    Break(Cond),
    /// SETEMIT if another setting is in force, and EMIT.
    Emit(Setting),
}

/// What an item of a block touches, constructs with all that is inside.
#[derive(Default)]
struct Touch {
    /// Nodes, and which component, a bit.
    reads: Vec<(Id, u8)>,
    /// Variables, when, and which components.
    writes: Vec<(Id, u32, u8)>,
    defines: Vec<Id>,
}

struct Schedule<'g> {
    graph: &'g Graph,
    homes: &'g Homes,
    blocks: &'g [Ordered],
    steps: Vec<Step>,
    /// Instructions of some block wait for each other.
    is_circular: bool,
}

/// Puts all blocks into one list; `None` where what was gathered waits for each other.
pub(crate) fn schedule(graph: &Graph, homes: &Homes, blocks: &[Ordered]) -> Option<Vec<Step>> {
    let mut s = Schedule { graph, homes, blocks, steps: Vec::new(), is_circular: false };
    s.block(0);
    (!s.is_circular).then_some(s.steps)
}

impl Schedule<'_> {
    fn block(&mut self, block: Block) {
        let items = &self.blocks[block as usize];
        let order = self.order(items);
        self.is_circular |= order.len() != items.len();
        for at in order {
            match &items[at].1 {
                Item::Node(id) => self.steps.push(Step::Node(*id)),
                Item::If(cond, then, other) => self.branch(*cond, *then, *other),
                Item::Loop(number, body) => {
                    self.steps.push(Step::Loop(*number));
                    self.block(*body);
                    self.steps.push(Step::EndLoop);
                }
                Item::Break(cond) => {
                    self.cmp(*cond);
                    self.steps.push(Step::Break(*cond));
                }
                Item::Emit(setting) => self.steps.push(Step::Emit(*setting)),
                Item::Output(..) | Item::Assign(..) => {}
            }
        }
    }

    /// The part that has something in it comes first; IFU tests for set.
    fn branch(&mut self, cond: Cond, then: Block, other: Block) {
        let empty = |b: Block| self.blocks[b as usize].is_empty();
        if empty(then) && empty(other) {
            return;
        }
        let turned = matches!(cond, Cond::Bool(_, true)) || empty(then) && matches!(cond, Cond::Flags(..));
        let (cond, then, other) = if turned { (inverse(cond), other, then) } else { (cond, then, other) };
        self.cmp(cond);
        self.steps.push(Step::If(cond));
        self.block(then);
        if !self.blocks[other as usize].is_empty() {
            self.steps.push(Step::Else);
            self.block(other);
        }
        self.steps.push(Step::EndIf);
    }

    fn cmp(&mut self, cond: Cond) {
        if let Cond::Flags(id, _) = cond {
            self.steps.push(Step::Node(id));
        }
    }

    /// Items in an order in which each comes behind what it needs; among those that could come
    /// next, the first of the source.
    fn order(&self, items: &Ordered) -> Vec<usize> {
        let touched: Vec<Touch> = items.iter().map(|(when, item)| self.touch(*when, item)).collect();
        let before = self.needs(items, &touched);
        let mut waits: Vec<u32> = vec![0; items.len()];
        let mut after: Vec<Vec<usize>> = vec![Vec::new(); items.len()];
        for (at, needs) in before.iter().enumerate() {
            for &need in needs {
                waits[at] += 1;
                after[need].push(at);
            }
        }
        let mut ready: BinaryHeap<Reverse<usize>> =
            (0..items.len()).filter(|at| waits[*at] == 0).map(Reverse).collect();
        let mut order = Vec::with_capacity(items.len());
        while let Some(Reverse(at)) = ready.pop() {
            order.push(at);
            for &next in &after[at] {
                waits[next] -= 1;
                if waits[next] == 0 {
                    ready.push(Reverse(next));
                }
            }
        }
        order
    }

    /// For each item the items that come before it.
    fn needs(&self, items: &Ordered, touched: &[Touch]) -> Vec<Vec<usize>> {
        let mut definer: HashMap<Id, usize> = HashMap::new();
        let mut writers: HashMap<Id, Vec<(usize, u32, u8)>> = HashMap::new();
        let mut last_fence = None;
        let mut needs: Vec<Vec<usize>> = vec![Vec::new(); items.len()];
        for (at, touch) in touched.iter().enumerate() {
            for id in &touch.defines {
                definer.insert(*id, at);
            }
            for (variable, when, components) in &touch.writes {
                writers.entry(*variable).or_default().push((at, *when, *components));
            }
            // What leaves a loop, or hands a vertex on, stays where it is among constructs.
            let item = &items[at].1;
            let fence = matches!(item, Item::Break(_) | Item::Loop(..) | Item::If(..) | Item::Emit(_));
            if fence {
                needs[at].extend(last_fence.replace(at));
            }
        }
        for (at, touch) in touched.iter().enumerate() {
            let when = items[at].0;
            for (id, component) in &touch.reads {
                if let Some(&def) = definer.get(id)
                    && def != at
                {
                    needs[at].push(def);
                }
                let others = writers.get(id).into_iter().flatten();
                for &(writer, time, _) in
                    others.filter(|(w, _, components)| *w != at && components & component != 0)
                {
                    if time < when || time == when && writer < at {
                        needs[at].push(writer);
                    } else {
                        needs[writer].push(at);
                    }
                }
            }
        }
        for list in writers.values() {
            for (i, &(a, x, components)) in list.iter().enumerate() {
                let others = list[i + 1..]
                    .iter()
                    .filter(|(b, y, other)| *b != a && *y != x && other & components != 0);
                for &(b, y, _) in others {
                    if x < y { needs[b].push(a) } else { needs[a].push(b) }
                }
            }
        }
        // A variable that a loop's body sets must be set before anything that leaves the loop.
        self.leave_last(items, touched, &mut needs);
        needs
    }

    /// Instructions that write variables or outputs stay on their side of a `break`.
    fn leave_last(&self, items: &Ordered, touched: &[Touch], needs: &mut [Vec<usize>]) {
        for (at, (when, item)) in items.iter().enumerate() {
            if !matches!(item, Item::Break(_)) {
                continue;
            }
            for (other, touch) in touched.iter().enumerate().filter(|(o, _)| *o != at) {
                for (_, time, _) in &touch.writes {
                    if time < when { needs[at].push(other) } else { needs[other].push(at) }
                }
            }
        }
    }

    /// The variable that a node sets, when, and which components.
    fn writes(&self, id: Id) -> Option<(Id, u32, u8)> {
        let (variable, when) = self.homes.variable(id)?;
        Some((variable, when, self.homes.components_set(id)))
    }

    fn touch(&self, when: u32, item: &Item) -> Touch {
        let mut touch = Touch::default();
        self.touch_item(item, when, &mut touch);
        if let Item::Node(id) = item {
            // A node that sets a variable directly does so in its place of the assignment.
            touch.writes = self.writes(*id).into_iter().collect();
            touch.writes.extend(self.homes.out(*id).filter(|out| out.emit != u32::MAX).map(taken));
        }
        touch
    }

    /// An EMIT reads all outputs.
    fn touch_item(&self, item: &Item, when: u32, touch: &mut Touch) {
        let mut read = |component: Component| match component.base {
            Base::Node(id) => touch.reads.push((id, 1 << component.part)),
            Base::Uniform(_, crate::compile::graph::Index::Address(k)) => {
                let component = self.graph.addresses[usize::from(k)];
                touch.reads.extend(component.node().map(|id| (id, 1 << component.part)));
            }
            _ => {}
        };
        if let Some(id) = item.instruction() {
            self.graph.node(id).uses().for_each(&mut read);
        }
        if let Item::Emit(_) = item {
            touch.reads.extend((0..16).map(|register| (output_variable(register), ALL)));
        }
        let blocks = match item {
            Item::Node(id) => {
                touch.defines.push(*id);
                return;
            }
            Item::If(_, then, other) => vec![*then, *other],
            Item::Loop(_, body) => vec![*body],
            _ => Vec::new(),
        };
        for block in blocks {
            for (_, inner) in &self.blocks[block as usize] {
                self.touch_item(inner, when, touch);
                if let Item::Node(id) = inner
                    && let Some((variable, _, components)) = self.writes(*id)
                {
                    // Seen from outside, a construct writes when it stands.
                    touch.writes.push((variable, when, components));
                }
            }
        }
    }
}

/// All components of a register.
const ALL: u8 = 0b1111;

/// Outputs of a geometry program are like variables: this stands for one.
fn output_variable(register: u8) -> Id {
    Id::MAX - Id::from(register)
}

/// An output is written right before the EMIT that takes it.
fn taken(out: Out) -> (Id, u32, u8) {
    (output_variable(out.register), out.emit - 1, ALL)
}

/// The condition that holds where another one does not: not both is either not.
pub(crate) fn inverse(cond: Cond) -> Cond {
    const OPERATOR: u8 = 3;
    const BOTH: u8 = 12;
    match cond {
        Cond::Bool(b, inverted) => Cond::Bool(b, !inverted),
        Cond::Flags(id, raw) => Cond::Flags(
            id,
            match raw & OPERATOR {
                2 => raw ^ 8,
                3 => raw ^ 4,
                operator => operator ^ 1 | raw & BOTH ^ BOTH,
            },
        ),
    }
}
