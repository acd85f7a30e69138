//! Register allocation of values that are live across blocks: those whose live ranges meet in no
//! block share one of the 64 register components, and what is too much is spilled to temporaries.

pub mod split;

use chiaro_diag::{Diagnostic, Span};

use super::graph::{ANYTHING, Block, NAMES, Node, Op, Operand, Place, Program, Source};
use crate::abi::Abi;
use crate::regs::{BANK, SCALARS, UNIFORMS};

/// A register component: of those that selection names, or of the machine's.
type Name = (u8, u8);

/// Gives every value between blocks its place: a register component, or a temporary behind those
/// of the program.
///
/// # Errors
/// More values are alive than registers and memory hold.
pub fn allocate(selected: &mut Program, abi: &Abi, span: Option<Span>) -> Result<(), Box<Diagnostic>> {
    drop_unread(&mut selected.blocks);
    let rows = &mut selected.temporaries;
    let behind = abi.behind_viewport() + rows.len() as u16;
    let mut used = 0u16;
    let cell = || {
        used += 1;
        let row = behind + (used - 1) / 4;
        (usize::from(row) < UNIFORMS).then_some((row, ((used - 1) % 4) as u8))
    };
    let Some(reserved) = give_places(&mut selected.blocks, &selected.labels, cell) else {
        let message = "more scalars are alive across branches than registers and memory hold";
        return Err(Box::new(
            Diagnostic::error(span, message)
                .help("make loops and branches smaller, or let fewer variables live through them"),
        ));
    };
    selected.reserved = reserved;
    rows.resize(rows.len() + usize::from(used.div_ceil(4)), ANYTHING);
    Ok(())
}

/// Removes stores of registers that no block reads.
fn drop_unread(blocks: &mut [Block]) {
    loop {
        let read = blocks.iter().map(loads).fold(vec![false; NAMES], |mut all, names| {
            names.iter().for_each(|&name| all[number(name)] = true);
            all
        });
        let count = |blocks: &[Block]| blocks.iter().map(|block| stores(block).len()).sum::<usize>();
        let before = count(blocks);
        for block in blocks.iter_mut() {
            block.graph.rename(|name| read[number(name)].then_some(name));
        }
        if count(blocks) == before {
            break;
        }
    }
}

/// Gives the registers their final places; the components in use. Those that find none become
/// temporaries, which `cell` gives out: `None` if there are no more.
fn give_places(
    blocks: &mut [Block],
    labels: &[u32],
    mut cell: impl FnMut() -> Option<(u16, u8)>,
) -> Option<[u8; BANK]> {
    // Most shaders are one block.
    if blocks.iter().all(|block| loads(block).is_empty() && stores(block).is_empty()) {
        return Some([0; BANK]);
    }
    let alive = alive(blocks, labels);
    let mut names: Vec<Option<Name>> = vec![None; NAMES];
    let mut cells: Vec<Option<(u16, u8)>> = vec![None; NAMES];
    let mut taken = vec![vec![false; blocks.len()]; SCALARS];
    let mut reserved = [0u8; BANK];
    for n in 0..names.len() {
        let mine: Vec<usize> = (0..blocks.len()).filter(|&b| alive[b][n]).collect();
        if mine.is_empty() {
            continue;
        }
        let Some(free) = taken.iter().position(|blocks| mine.iter().all(|&b| !blocks[b])) else {
            cells[n] = Some(cell()?);
            continue;
        };
        mine.iter().for_each(|&b| taken[free][b] = true);
        names[n] = Some(((free / 4) as u8, (free % 4) as u8));
        reserved[free / 4] |= 1 << (free % 4);
    }
    for block in blocks {
        if cells.iter().any(Option::is_some) {
            to_temporaries(block, |name| cells[number(name)]);
        }
        block.graph.rename(|name| names[number(name)]);
    }
    Some(reserved)
}

/// Lets a block load and store some registers from memory.
fn to_temporaries(block: &mut Block, cell: impl Fn(Name) -> Option<(u16, u8)>) {
    let old = std::mem::take(&mut block.graph);
    let mut map: Vec<Operand> = Vec::with_capacity(old.nodes().len());
    let moved = |map: &[Operand], o: Operand| Operand {
        neg: map[o.node.0 as usize].neg != o.neg,
        ..map[o.node.0 as usize]
    };
    for (i, data) in old.nodes().iter().enumerate() {
        block.graph.follow(&old, Node(i as u32));
        let mut args: Vec<Operand> = data.args().iter().map(|&arg| moved(&map, arg)).collect();
        let op = match data.op {
            Op::Load(Source::Register(i, c)) => match cell((i, c)) {
                Some((row, component)) => Op::Load(Source::Temporary(row, component)),
                None => data.op,
            },
            Op::Store(Place::Register(i, c)) => match cell((i, c)) {
                Some((row, component)) => {
                    args.push(block.graph.number(row.into()));
                    Op::Store(Place::Temporary(component))
                }
                None => data.op,
            },
            op => op,
        };
        map.push(block.graph.make(op, &args));
    }
    if let Some(condition) = block.jump.as_mut().and_then(|jump| jump.condition.as_mut()) {
        *condition = moved(&map, *condition);
    }
}

/// In which blocks (outer list) each register is alive or stored.
fn alive(blocks: &[Block], labels: &[u32]) -> Vec<Vec<bool>> {
    let uses: Vec<Vec<Name>> = blocks.iter().map(loads).collect();
    let definitions: Vec<Vec<Name>> = blocks.iter().map(stores).collect();
    let mut entry = vec![vec![false; NAMES]; blocks.len()];
    let mut exit = entry.clone();
    let mut changed = true;
    while changed {
        changed = false;
        for b in (0..blocks.len()).rev() {
            let jump = blocks[b].jump;
            let falls = jump.is_none_or(|jump| jump.condition.is_some()).then_some(b + 1);
            let jumps = jump.map(|jump| labels[jump.to.0 as usize] as usize);
            for next in falls.into_iter().chain(jumps).filter(|&next| next < blocks.len()) {
                for n in 0..NAMES {
                    exit[b][n] |= entry[next][n];
                }
            }
            let mut before = exit[b].clone();
            definitions[b].iter().for_each(|&name| before[number(name)] = false);
            uses[b].iter().for_each(|&name| before[number(name)] = true);
            changed |= before != entry[b];
            entry[b] = before;
        }
    }
    for (b, exit) in exit.iter_mut().enumerate() {
        definitions[b].iter().for_each(|&name| exit[number(name)] = true);
        exit.iter_mut().zip(&entry[b]).for_each(|(here, before)| *here |= before);
    }
    exit
}

fn number((index, component): Name) -> usize {
    usize::from(index) * 4 + usize::from(component & 3)
}

/// Registers that a block reads for something.
fn loads(block: &Block) -> Vec<Name> {
    let condition = block.jump.and_then(|jump| jump.condition).map(|c| c.node);
    let needed = block.graph.needed(condition);
    let loaded = block.graph.nodes().iter().zip(needed).filter_map(|(data, needed)| match data.op {
        Op::Load(Source::Register(i, c)) if needed => Some((i, c)),
        _ => None,
    });
    loaded.collect()
}

fn stores(block: &Block) -> Vec<Name> {
    let stored = block.graph.nodes().iter().filter_map(|data| match data.op {
        Op::Store(Place::Register(i, c)) => Some((i, c)),
        _ => None,
    });
    stored.collect()
}
