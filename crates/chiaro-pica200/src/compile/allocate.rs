//! Register allocation: webs get registers, component by component.
//!
//! There are 16 temporaries of four components and no memory to spill to. A web goes into one
//! register; its slots take any components of it that are free for as long as the slot is alive,
//! because selecting components costs nothing. Components in their own places are tried first:
//! then operands repeat each other's descriptors.

use crate::compile::graph::{Base, Component, Graph, Id, Index};
use crate::compile::schedule::Step;
use crate::compile::schedule::homes::Homes;
use std::collections::BTreeMap;

/// Temporaries that there are.
pub(crate) const REGISTERS: usize = 16;

/// Registers of webs, and the component of each slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Place {
    pub(crate) register: u8,
    pub(crate) parts: [u8; 4],
}

/// Steps between which a slot is alive: from the step that writes it to the last that reads it.
type Life = (u32, u32);

/// The lives that a component of a register has been given to, by start; no two overlap, so that
/// only the last one that starts before a life ends can be in its way.
type Taken = BTreeMap<u32, u32>;

/// More registers would be needed than there are; the step at which they ran out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Full {
    pub(crate) step: u32,
    /// Registers that the values alive there fill at least.
    pub(crate) needed: usize,
}

/// Finds a place for every web.
///
/// # Errors
/// If the values that are alive at one time do not fit.
pub(crate) fn allocate(graph: &Graph, homes: &Homes, steps: &[Step]) -> Result<Vec<Option<Place>>, Full> {
    let lives = lives(graph, homes, steps);
    let mut webs: Vec<u32> =
        (0..lives.len() as u32).filter(|w| lives[*w as usize].iter().any(Option::is_some)).collect();
    let start = |web: u32| lives[web as usize].iter().flatten().map(|l| l.0).min().unwrap_or(0);
    webs.sort_by_key(|&web| start(web));
    place(&lives, &webs).or_else(|full| {
        // Large webs first waste fewer registers, if the order of the program does not do.
        let size = |web: u32| lives[web as usize].iter().flatten().count();
        webs.sort_by_key(|&web| (std::cmp::Reverse(size(web)), start(web)));
        place(&lives, &webs).map_err(|_| full)
    })
}

fn place(lives: &[[Option<Life>; 4]], webs: &[u32]) -> Result<Vec<Option<Place>>, Full> {
    let mut taken: Vec<[Taken; 4]> = vec![Default::default(); REGISTERS];
    let mut places = vec![None; lives.len()];
    for &web in webs {
        let slots = &lives[web as usize];
        let found = (0..REGISTERS).find_map(|r| parts(slots, &taken[r]).map(|parts| (r, parts)));
        let Some((register, parts)) = found else { return Err(full(slots, &taken)) };
        for (slot, life) in slots.iter().enumerate() {
            taken[register][usize::from(parts[slot])].extend(*life);
        }
        places[web as usize] = Some(Place { register: register as u8, parts });
    }
    Ok(places)
}

fn full(slots: &[Option<Life>; 4], taken: &[[Taken; 4]]) -> Full {
    let step = slots.iter().flatten().map(|l| l.0).min().unwrap_or(0);
    let alive = |lives: &&Taken| lives.range(..=step).next_back().is_some_and(|life| step < *life.1);
    let parts = taken.iter().flatten().filter(alive).count() + slots.iter().flatten().count();
    Full { step, needed: parts.div_ceil(4).max(REGISTERS + 1) }
}

/// Components of a register for the slots of a web, their own ones first.
fn parts(slots: &[Option<Life>; 4], taken: &[Taken; 4]) -> Option<[u8; 4]> {
    let free = |slot: usize, part: usize| {
        let before = |(_, end): Life| taken[part].range(..end).next_back();
        slots[slot].is_none_or(|life| before(life).is_none_or(|(_, end)| *end <= life.0))
    };
    ORDERS.iter().find(|order| (0..4).all(|slot| free(slot, usize::from(order[slot])))).copied()
}

/// All orders of four components, those that move the fewest first.
const ORDERS: [[u8; 4]; 24] = [
    [0, 1, 2, 3],
    [1, 0, 2, 3],
    [2, 1, 0, 3],
    [3, 1, 2, 0],
    [0, 2, 1, 3],
    [0, 3, 2, 1],
    [0, 1, 3, 2],
    [1, 2, 0, 3],
    [2, 0, 1, 3],
    [1, 3, 2, 0],
    [3, 0, 2, 1],
    [2, 1, 3, 0],
    [3, 1, 0, 2],
    [0, 2, 3, 1],
    [0, 3, 1, 2],
    [1, 0, 3, 2],
    [2, 3, 0, 1],
    [3, 2, 1, 0],
    [1, 2, 3, 0],
    [1, 3, 0, 2],
    [2, 0, 3, 1],
    [2, 3, 1, 0],
    [3, 0, 1, 2],
    [3, 2, 0, 1],
];

/// When the slots of each web are alive.
fn lives(graph: &Graph, homes: &Homes, steps: &[Step]) -> Vec<[Option<Life>; 4]> {
    let mut lives = vec![[None; 4]; graph.nodes.len()];
    let loops = loops(steps);
    for (at, step) in steps.iter().enumerate() {
        let Step::Node(id) = step else { continue };
        let at = at as u32;
        reads(graph, *id, |component| touch(&mut lives, homes, component, |life| read(life, at, &loops)));
        if homes.out(*id).is_none() && graph.node(*id).op != Some(crate::isa::Op::Cmp) {
            for part in 0..graph.node(*id).width {
                let component = Component::new(Base::Node(*id), part);
                touch(&mut lives, homes, component, |life| match life {
                    Some(life) => life.1 = life.1.max(at + 1),
                    None => *life = Some((at, at + 1)),
                });
            }
        }
    }
    lives
}

/// Every component that a node reads, addresses of its operands included.
pub(crate) fn reads(graph: &Graph, id: Id, mut each: impl FnMut(Component)) {
    for component in graph.node(id).uses() {
        each(component);
        if let Base::Uniform(_, Index::Address(k)) = component.base {
            each(graph.addresses[usize::from(k)]);
        }
    }
}

fn touch(
    lives: &mut [[Option<Life>; 4]],
    homes: &Homes,
    component: Component,
    with: impl FnOnce(&mut Option<Life>),
) {
    if let Base::Node(id) = component.base {
        with(&mut lives[homes.web(id) as usize][usize::from(homes.slot(id, component.part))]);
    }
}

/// What comes into a loop and is read there stays alive until the loop ends; what is read before
/// it is written comes from the turn before.
fn read(life: &mut Option<Life>, at: u32, loops: &[(u32, u32)]) {
    let start = match life {
        Some((start, _)) => *start,
        None => loops.iter().filter(|(s, e)| *s <= at && at <= *e).map(|l| l.0).min().unwrap_or(at),
    };
    let around = loops.iter().filter(|(s, e)| start <= *s && *s <= at && at <= *e);
    let end = around.map(|l| l.1 + 1).max().unwrap_or(at).max(at).max(start + 1);
    let old = life.map_or(0, |l| l.1);
    *life = Some((start, end.max(old)));
}

/// First and last step of each loop.
fn loops(steps: &[Step]) -> Vec<(u32, u32)> {
    let (mut open, mut found) = (Vec::new(), Vec::new());
    for (at, step) in steps.iter().enumerate() {
        match step {
            Step::Loop(_) => open.push(at as u32),
            Step::EndLoop => found.extend(open.pop().map(|start| (start, at as u32))),
            _ => {}
        }
    }
    found
}
