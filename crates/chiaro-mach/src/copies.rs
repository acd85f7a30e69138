//! Sequentialises parallel copies, exact to the unit.
//!
//! A parallel copy reads all its sources before it writes anything. [`sequence`] finds an order
//! of single moves with the same result: a place is overwritten once nobody has to read it.
//! What remains are cycles; they are turned by exchanges where the file has them, else through
//! a scratch place. Moves are as wide as the file allows and fall apart into units only where
//! that is needed to get on.
//!
//! Places in memory (files that others spill to) take part like any other. Nothing moves from
//! memory to memory: that goes through a scratch register, or through a register that is
//! saved for the moment where none is free.

use crate::file::{File, RegFile};

/// One unit of a register file, or the first of several.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Place {
    /// The file.
    pub file: File,
    /// The unit.
    pub unit: u16,
}

/// One pair of a parallel copy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pair {
    /// Where to.
    pub to: Place,
    /// Where from.
    pub from: Place,
    /// How many units.
    pub size: u16,
    /// The register file of the value, which the pair's places may only stand in for.
    pub home: File,
}

/// Places that a sequence may destroy.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scratch {
    /// A unit of the register file.
    pub register: Option<u16>,
    /// The first of two units of memory.
    pub memory: Option<Place>,
}

/// What a move carries: units `offset..offset + size` of the source of a pair.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cargo {
    /// The number of the pair.
    pub pair: usize,
    /// The first unit within it.
    pub offset: u16,
}

/// A single move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Move {
    /// Copies units. `done`: the pair's destination has them now; else they are in a scratch
    /// place on their way.
    Copy {
        /// Where to.
        to: Place,
        /// Where from.
        from: Place,
        /// How many units.
        size: u16,
        /// What it carries; `None` for the contents of a register that is saved or restored.
        cargo: Option<Cargo>,
        /// Whether it has arrived.
        done: bool,
    },
    /// Exchanges units: `a` gets what `into_a` says and is done with it, `b` gets `into_b`.
    Swap {
        /// One place.
        a: Place,
        /// The other.
        b: Place,
        /// How many units.
        size: u16,
        /// What arrives in `a`.
        into_a: Cargo,
        /// What arrives in `b`.
        into_b: Cargo,
        /// Whether that has arrived as well.
        b_done: bool,
    },
}

/// Why no order was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stuck {
    /// Two pairs write the same unit.
    Twice(Place),
    /// A cycle or a move in memory, and no scratch place to do it with.
    NoScratch(File),
}

/// Finds single moves that do what the pairs do at once.
pub fn sequence(pairs: &[Pair], files: &[RegFile], scratch: Scratch) -> Result<Vec<Move>, Stuck> {
    let mut plan = Plan::new(pairs, files, scratch)?;
    plan.run()?;
    Ok(plan.moves)
}

/// Whether a file is memory.
pub fn is_memory(files: &[RegFile], file: File) -> bool {
    files.get(usize::from(file.0)).is_some_and(|facts| facts.memory)
}

/// A move that is still to be made.
#[derive(Clone, Copy, Debug)]
struct Node {
    to: Place,
    from: Place,
    size: u16,
    cargo: Cargo,
    home: File,
}

impl Node {
    fn unit(&self, i: u16) -> Node {
        let at = |p: Place| Place { unit: p.unit + i, ..p };
        let cargo = Cargo { offset: self.cargo.offset + i, ..self.cargo };
        Node { to: at(self.to), from: at(self.from), size: 1, cargo, ..*self }
    }
}

struct Plan<'a> {
    files: &'a [RegFile],
    scratch: Scratch,
    todo: Vec<Node>,
    moves: Vec<Move>,
}

impl<'a> Plan<'a> {
    fn new(pairs: &[Pair], files: &'a [RegFile], scratch: Scratch) -> Result<Plan<'a>, Stuck> {
        let mut plan = Plan { files, scratch, todo: Vec::new(), moves: Vec::new() };
        for (number, pair) in pairs.iter().enumerate() {
            plan.chunks(number, pair);
        }
        let mut written: Vec<(Place, u16)> = pairs.iter().map(|p| (p.to, p.size)).collect();
        written.sort_unstable();
        for two in written.windows(2) {
            let ((a, size), (b, _)) = (two[0], two[1]);
            if a.file == b.file && a.unit + size > b.unit {
                return Err(Stuck::Twice(b));
            }
        }
        // What stays where it is has arrived; the statement of it is kept.
        plan.todo.retain(|node| {
            let stays = node.to == node.from;
            if stays {
                plan.moves.push(arrive(node));
            }
            !stays
        });
        Ok(plan)
    }

    /// Cuts a pair into the widest moves that its file has. Between a register and memory a
    /// pair goes at once.
    fn chunks(&mut self, number: usize, pair: &Pair) {
        let same = pair.to.file == pair.from.file;
        let sizes = self.files.get(usize::from(pair.to.file.0)).map_or(&[1][..], |f| f.moves);
        let whole = Node {
            to: pair.to,
            from: pair.from,
            size: pair.size,
            cargo: Cargo { pair: number, offset: 0 },
            home: pair.home,
        };
        if !same || pair.to == pair.from {
            return self.todo.push(whole);
        }
        let mut at = 0;
        while at < pair.size {
            let first = whole.unit(at);
            let fits = |&&size: &&u16| {
                size != 0
                    && at + size <= pair.size
                    && first.to.unit.is_multiple_of(size)
                    && first.from.unit.is_multiple_of(size)
            };
            let size = sizes.iter().find(fits).copied().unwrap_or(1);
            self.todo.push(Node { size, ..first });
            at += size;
        }
    }

    fn run(&mut self) -> Result<(), Stuck> {
        loop {
            self.make_ready_moves()?;
            if self.todo.is_empty() {
                return Ok(());
            }
            if !self.turn_cycle()? && !self.split() {
                return Err(Stuck::NoScratch(self.todo[0].to.file));
            }
        }
    }

    /// Makes every move whose destination nobody reads any more, until none is left.
    fn make_ready_moves(&mut self) -> Result<(), Stuck> {
        let mut again = true;
        while again {
            again = false;
            let mut i = 0;
            while i < self.todo.len() {
                let node = self.todo[i];
                if self.readers(i).next().is_some() {
                    i += 1;
                    continue;
                }
                self.todo.remove(i);
                self.copy(node.to, node.from, node.size, node.cargo, node.home, true)?;
                again = true;
            }
        }
        Ok(())
    }

    /// Other moves that read what move `i` writes.
    fn readers(&self, i: usize) -> impl Iterator<Item = usize> + '_ {
        let (to, size) = (self.todo[i].to, self.todo[i].size);
        self.todo
            .iter()
            .enumerate()
            .filter(move |&(j, node)| {
                let overlap = node.from.unit < to.unit + size && to.unit < node.from.unit + node.size;
                j != i && node.from.file == to.file && overlap
            })
            .map(|(j, _)| j)
    }

    /// Turns one cycle of moves of equal size; false if there is none.
    fn turn_cycle(&mut self) -> Result<bool, Stuck> {
        let Some(cycle) = (0..self.todo.len()).find_map(|i| self.cycle(i)) else { return Ok(false) };
        let first = self.todo[cycle[0]];
        let file = first.to.file;
        let pure = cycle.iter().all(|&i| self.todo[i].to.file == file);
        let facts = self.files.get(usize::from(file.0));
        let fits = |&size: &u16| {
            size == first.size && cycle.iter().all(|&i| self.todo[i].to.unit.is_multiple_of(size))
        };
        if pure && facts.is_some_and(|f| f.swaps.iter().any(fits)) {
            self.turn_by_swaps(&cycle);
            return Ok(true);
        }
        if first.size > 1 {
            return Ok(false);
        }
        self.turn_by_scratch(&cycle, pure)?;
        Ok(true)
    }

    /// The moves of the cycle that move `i` is in: each is read by the next and by no other.
    fn cycle(&self, i: usize) -> Option<Vec<usize>> {
        let mut cycle = vec![i];
        let mut at = i;
        loop {
            let mut readers = self.readers(at);
            let (next, other) = (readers.next()?, readers.next());
            let exact =
                self.todo[next].from == self.todo[at].to && self.todo[next].size == self.todo[at].size;
            if other.is_some() || !exact {
                return None;
            }
            if next == i {
                return Some(cycle);
            }
            // A path that leads into a cycle without being in it.
            if cycle.len() > self.todo.len() {
                return None;
            }
            cycle.push(next);
            at = next;
        }
    }

    /// Exchanges destination and source of the first move; what was in the destination is then
    /// in the source, where the next one finds it.
    fn turn_by_swaps(&mut self, cycle: &[usize]) {
        // Move k + 1 reads what move k writes. Exchanging backwards, each exchange finishes one.
        let nodes: Vec<Node> = cycle.iter().map(|&i| self.todo[i]).collect();
        let last = nodes.len() - 1;
        let hole = nodes[0].from;
        for k in 0..last {
            let (node, next) = (nodes[k], nodes[k + 1]);
            self.moves.push(Move::Swap {
                a: node.to,
                b: hole,
                size: node.size,
                into_a: node.cargo,
                into_b: next.cargo,
                b_done: k + 1 == last,
            });
        }
        self.remove(cycle);
    }

    fn turn_by_scratch(&mut self, cycle: &[usize], pure: bool) -> Result<(), Stuck> {
        let in_register = |i: &&usize| !is_memory(self.files, self.todo[**i].to.file);
        let start = *cycle.iter().find(in_register).unwrap_or(&cycle[0]);
        let node = self.todo[start];
        let reader = self.readers(start).next().unwrap_or(start);
        let register = self.scratch.register.filter(|_| pure && !is_memory(self.files, node.to.file));
        let to = match register {
            Some(unit) => Place { file: node.to.file, unit },
            None => self.memory(node.home)?,
        };
        let saved = self.todo[reader];
        self.copy(to, node.to, 1, saved.cargo, saved.home, false)?;
        self.todo[reader].from = to;
        Ok(())
    }

    /// The first unit of scratch memory of a register file.
    fn memory(&self, home: File) -> Result<Place, Stuck> {
        self.scratch.memory.ok_or(Stuck::NoScratch(home))
    }

    /// Cuts everything that is left into single units; false if it is already.
    fn split(&mut self) -> bool {
        let wide = self.todo.iter().any(|node| node.size > 1);
        self.todo = self.todo.iter().flat_map(|node| (0..node.size).map(|i| node.unit(i))).collect();
        wide
    }

    fn remove(&mut self, nodes: &[usize]) {
        let mut i = 0;
        self.todo.retain(|_| {
            i += 1;
            !nodes.contains(&(i - 1))
        });
    }

    /// One move, or the detour that takes the place of a move within memory.
    fn copy(
        &mut self,
        to: Place,
        from: Place,
        size: u16,
        cargo: Cargo,
        home: File,
        done: bool,
    ) -> Result<(), Stuck> {
        if !is_memory(self.files, to.file) || !is_memory(self.files, from.file) {
            self.moves.push(Move::Copy { to, from, size, cargo: Some(cargo), done });
            return Ok(());
        }
        let at = |p: Place, i| Place { unit: p.unit + i, ..p };
        for i in 0..size {
            let cargo = Cargo { offset: cargo.offset + i, ..cargo };
            self.through_register(at(to, i), at(from, i), cargo, home, done)?;
        }
        Ok(())
    }

    fn through_register(
        &mut self,
        to: Place,
        from: Place,
        cargo: Cargo,
        home: File,
        done: bool,
    ) -> Result<(), Stuck> {
        let one = |to, from, cargo, done| Move::Copy { to, from, size: 1, cargo, done };
        if let Some(unit) = self.scratch.register {
            let middle = Place { file: home, unit };
            self.moves.push(one(middle, from, Some(cargo), false));
            self.moves.push(one(to, middle, Some(cargo), done));
            return Ok(());
        }
        let saved = self.memory(home)?;
        let saved = Place { unit: saved.unit + 1, ..saved };
        let facts = self.files.get(usize::from(home.0)).ok_or(Stuck::NoScratch(home))?;
        let unit = (0..facts.count).find(|&u| facts.is_free(u)).ok_or(Stuck::NoScratch(home))?;
        let middle = Place { file: home, unit };
        self.moves.push(one(saved, middle, None, false));
        self.moves.push(one(middle, from, Some(cargo), false));
        self.moves.push(one(to, middle, Some(cargo), done));
        self.moves.push(one(middle, saved, None, false));
        Ok(())
    }
}

fn arrive(node: &Node) -> Move {
    Move::Copy { to: node.to, from: node.from, size: node.size, cargo: Some(node.cargo), done: true }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    const SWAPS: RegFile = RegFile { count: 8, moves: &[2, 1], swaps: &[2, 1], ..RegFile::EMPTY };
    const PLAIN: RegFile =
        RegFile { spill_to: Some(File(2)), moves: &[2, 1], ..RegFile { count: 8, ..RegFile::EMPTY } };
    static FILES: [RegFile; 3] = [SWAPS, PLAIN, RegFile { count: 16, memory: true, ..RegFile::EMPTY }];

    fn at(file: u8, unit: u16) -> Place {
        Place { file: File(file), unit }
    }

    /// Runs moves on units that hold their own places at first.
    fn run(moves: &[Move]) -> HashMap<Place, Place> {
        let mut holds = HashMap::new();
        let get = |holds: &HashMap<Place, Place>, p: Place, i| {
            let p = Place { unit: p.unit + i, ..p };
            holds.get(&p).copied().unwrap_or(p)
        };
        for step in moves {
            let (writes, size) = match *step {
                Move::Copy { to, from, size, .. } => (vec![(to, from)], size),
                Move::Swap { a, b, size, .. } => (vec![(a, b), (b, a)], size),
            };
            let read: Vec<(Place, Place)> = writes
                .iter()
                .flat_map(|&(to, from)| (0..size).map(move |i| (to, from, i)))
                .map(|(to, from, i)| (Place { unit: to.unit + i, ..to }, get(&holds, from, i)))
                .collect();
            holds.extend(read);
        }
        holds
    }

    fn check(pairs: &[Pair], scratch: Scratch) -> Vec<Move> {
        let moves = sequence(pairs, &FILES, scratch).unwrap_or_else(|stuck| panic!("{stuck:?}: {pairs:?}"));
        let holds = run(&moves);
        for pair in pairs {
            for i in 0..pair.size {
                let (to, from) =
                    (at(pair.to.file.0, pair.to.unit + i), at(pair.from.file.0, pair.from.unit + i));
                assert_eq!(holds.get(&to).copied().unwrap_or(to), from, "{pairs:?}: {moves:?}");
            }
        }
        moves
    }

    /// Every map of four units to four units, with exchanges and with a scratch unit.
    #[test]
    fn all_maps_of_four_units() {
        for file in [0, 1] {
            let scratch = Scratch { register: (file == 1).then_some(7), memory: None };
            for map in 0..256u16 {
                let pair = |i: u16| Pair {
                    to: at(file, i),
                    from: at(file, map >> (2 * i) & 3),
                    size: 1,
                    home: File(file),
                };
                check(&(0..4).map(pair).collect::<Vec<_>>(), scratch);
            }
        }
    }

    /// Registers and slots in each other's places, with and without a free register.
    #[test]
    fn all_maps_over_registers_and_memory() {
        let place = |i: u16| if i < 2 { at(1, i) } else { at(2, i) };
        for register in [Some(7), None] {
            let scratch = Scratch { register, memory: Some(at(2, 10)) };
            for map in 0..256u16 {
                let pair =
                    |i: u16| Pair { to: place(i), from: place(map >> (2 * i) & 3), size: 1, home: File(1) };
                check(&(0..4).map(pair).collect::<Vec<_>>(), scratch);
            }
        }
    }

    #[test]
    fn wide_moves_stay_wide_unless_a_cycle_takes_them_apart() {
        let pair = |to, from, size| Pair { to: at(0, to), from: at(0, from), size, home: File(0) };
        assert_eq!(check(&[pair(0, 2, 2), pair(2, 0, 2)], Scratch::default()).len(), 1);
        assert_eq!(check(&[pair(4, 0, 4)], Scratch::default()).len(), 2);
        check(&[pair(0, 1, 3), pair(3, 0, 1)], Scratch::default());
        check(&[pair(0, 2, 2), pair(2, 1, 1), pair(3, 0, 1)], Scratch::default());
    }

    #[test]
    fn two_pairs_cannot_write_the_same_unit() {
        let pair = |to, from, size| Pair { to: at(0, to), from: at(0, from), size, home: File(0) };
        let twice = sequence(&[pair(0, 2, 2), pair(1, 4, 1)], &FILES, Scratch::default());
        assert_eq!(twice, Err(Stuck::Twice(at(0, 1))));
    }
}
