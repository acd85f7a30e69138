//! Vertices that the unit still has are not written again.
//!
//! ```text
//! output o0 = a; emit 0                          output o0 = a; emit 0
//! output o0 = b; emit 1                          output o0 = b; emit 1
//! output o0 = c; emit 2 primitive                output o0 = c; emit 2 primitive
//! output o0 = a; emit 0                          output o0 = d; emit 1 primitive
//! output o0 = c; emit 1
//! output o0 = d; emit 2 primitive
//! ```
//!
//! A strip of a shader begins anew at each `EndPrimitive`; the unit's three slots do not. A triangle has to be in the
//! slots when it is sent, in any of them: which way round is a flag. So of its vertices those are written that are
//! not there, each in a slot whose vertex the triangle does not have, and the last one sends. Within straight pieces
//! of the program alone, which all have to begin with a strip.

use crate::compile::graph::{Base, Component, Graph, Item, Setting};

/// What is written to outputs for a vertex.
type Outputs = Vec<(u8, [Option<Component>; 4])>;

/// Leaves out what the slots have.
pub(crate) fn keep_vertices(graph: &mut Graph) {
    let begins = Setting { vertex: 0, primitive: false, winding: false };
    let is_sound = graph.blocks.iter().flat_map(|block| pieces(block)).all(|piece| {
        let first =
            piece.iter().find_map(|item| if let Item::Emit(setting) = item { Some(*setting) } else { None });
        first.is_none_or(|first| first == begins)
    });
    if !is_sound {
        return;
    }
    for n in 0..graph.blocks.len() {
        let new: Vec<Item> = pieces(&graph.blocks[n]).flat_map(|piece| shortened(graph, piece)).collect();
        graph.blocks[n] = new;
    }
}

/// Pieces of a block between constructs, which end the piece that they stand in.
fn pieces(block: &[Item]) -> impl Iterator<Item = &[Item]> {
    block.split_inclusive(|item| matches!(item, Item::If(..) | Item::Loop(..) | Item::Break(_)))
}

/// The items of a piece without those of vertices that are there.
fn shortened(graph: &Graph, piece: &[Item]) -> Vec<Item> {
    let (mut vertices, mut settings, mut known) = (Vec::new(), Vec::new(), Vec::<Outputs>::new());
    let mut outputs = Outputs::new();
    for item in piece {
        match item {
            Item::Output(register, parts) => outputs.push((*register, *parts)),
            Item::Emit(setting) => {
                let outputs = std::mem::take(&mut outputs);
                let same = known.iter().position(|other| *other == outputs && is_constant(graph, other));
                vertices.push(same.unwrap_or(known.len()));
                known.push(outputs);
                settings.push(*setting);
            }
            _ => {}
        }
    }
    match plan(&vertices, &settings) {
        Some(plan) if plan.contains(&None) => written(piece, &plan),
        _ => piece.to_vec(),
    }
}

/// Whether no component changes from place to place.
fn is_constant(graph: &Graph, outputs: &Outputs) -> bool {
    let is_variable = |component: &Component| match component.base {
        Base::Node(id) => graph.nodes[id as usize].op.is_none(),
        _ => false,
    };
    !outputs.iter().flat_map(|(_, parts)| parts.iter().flatten()).any(is_variable)
}

/// The items with other settings; what belongs to a vertex without one is left out.
fn written(piece: &[Item], plan: &[Option<Setting>]) -> Vec<Item> {
    let mut plan = plan.iter();
    let (mut all, mut outputs) = (Vec::new(), Vec::new());
    for item in piece {
        match item {
            Item::Output(..) => outputs.push(item.clone()),
            Item::Emit(_) => {
                let outputs = std::mem::take(&mut outputs);
                if let Some(&Some(setting)) = plan.next() {
                    all.extend(outputs);
                    all.push(Item::Emit(setting));
                }
            }
            _ => all.push(item.clone()),
        }
    }
    all.extend(outputs);
    all
}

/// What each vertex sets, `None` of those that need not be written; they are given by number, equal ones by the same.
/// There is no plan for triangles that have a vertex twice, or one that was never written.
fn plan(vertices: &[usize], settings: &[Setting]) -> Option<Vec<Option<Setting>>> {
    let mut plan = vec![None; vertices.len()];
    let (mut old, mut slots, mut start) = ([None; 3], [None; 3], 0);
    for (at, setting) in settings.iter().enumerate() {
        *old.get_mut(usize::from(setting.vertex))? = Some(vertices[at]);
        if !setting.primitive {
            continue;
        }
        let [a, b, c] = [old[0]?, old[1]?, old[2]?];
        if a == b || b == c || a == c {
            return None;
        }
        let wanted = if setting.winding { [b, a, c] } else { [a, b, c] };
        let writes = missing(&vertices[start..=at], wanted, &mut slots);
        let last = writes.iter().map(|(n, _)| *n).max()?;
        let is_turned = !(0..3).any(|n| (0..3).all(|k| slots[(n + k) % 3] == Some(wanted[k])));
        for (n, slot) in writes {
            let primitive = n == last;
            let winding = primitive && is_turned;
            plan[start + n] = Some(Setting { vertex: slot as u8, primitive, winding });
        }
        start = at + 1;
    }
    Some(plan)
}

/// Which of some vertices have to be written for a triangle, each with its slot; at least the last is.
fn missing(vertices: &[usize], wanted: [usize; 3], slots: &mut [Option<usize>; 3]) -> Vec<(usize, usize)> {
    let is_last = |n: usize| !vertices[n + 1..].contains(&vertices[n]);
    let is_missing = |n: &usize| {
        let vertex = vertices[*n];
        wanted.contains(&vertex) && !slots.contains(&Some(vertex)) && is_last(*n)
    };
    let missing: Vec<usize> = (0..vertices.len()).filter(is_missing).collect();
    let is_free = |slot: &usize| slots[*slot].is_none_or(|vertex| !wanted.contains(&vertex));
    let free: Vec<usize> = (0..3).filter(is_free).collect();
    if missing.is_empty() {
        let last = vertices.len() - 1;
        let slot = slots.iter().position(|vertex| *vertex == Some(vertices[last]));
        return slot.map(|slot| (last, slot)).into_iter().collect();
    }
    let writes: Vec<(usize, usize)> = missing.into_iter().zip(free).collect();
    writes.iter().for_each(|&(n, slot)| slots[slot] = Some(vertices[n]));
    writes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Settings of strips of three, one triangle each.
    fn triangles(count: usize) -> Vec<Setting> {
        let setting = |n: usize| Setting { vertex: (n % 3) as u8, primitive: n % 3 == 2, winding: false };
        (0..3 * count).map(setting).collect()
    }

    /// The triangles that settings send, each turned so that its least vertex is the first.
    fn sent(vertices: &[usize], settings: &[Option<Setting>]) -> Vec<[usize; 3]> {
        let (mut slots, mut all) = ([usize::MAX; 3], Vec::new());
        for (&vertex, setting) in vertices.iter().zip(settings) {
            let Some(setting) = setting else { continue };
            slots[usize::from(setting.vertex)] = vertex;
            if setting.primitive {
                let [a, b, c] = slots;
                let mut triangle = if setting.winding { [b, a, c] } else { [a, b, c] };
                let least = (0..3).min_by_key(|&n| triangle[n]).unwrap_or(0);
                triangle.rotate_left(least);
                all.push(triangle);
            }
        }
        all
    }

    #[test]
    fn triangles_are_the_same_and_vertices_fewer() {
        let cases: [(&[usize], usize); 6] = [
            (&[0, 1, 2, 3, 4, 5], 6),
            // A quad, a fan, the same triangle twice and the other way round, and one without a common edge.
            (&[0, 1, 2, 2, 1, 3], 4),
            (&[0, 1, 2, 0, 2, 3, 0, 3, 4], 5),
            (&[0, 1, 2, 0, 1, 2, 1, 0, 2], 5),
            (&[0, 1, 2, 2, 3, 4], 5),
            (&[5, 1, 2, 2, 5, 0, 0, 1, 5], 5),
        ];
        for (vertices, most) in cases {
            let settings = triangles(vertices.len() / 3);
            let plan = plan(vertices, &settings).expect("a plan");
            let before: Vec<_> = settings.into_iter().map(Some).collect();
            assert_eq!(sent(vertices, &plan), sent(vertices, &before), "{vertices:?}");
            assert_eq!(plan.iter().flatten().count(), most, "{vertices:?}");
        }
        assert_eq!(plan(&[0, 1, 1], &triangles(1)), None);
    }
}
