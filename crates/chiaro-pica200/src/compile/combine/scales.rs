//! Constant factors go to what is multiplied anyway.
//!
//! ```text
//! n1.xyz = mul v1.xyz, n0.xxx             n6.xyz = mul {0.5 -0.5 0.5}, n0.xxx
//! n2.x = add n1.z, 1                      n1.xyz = mul v1.xyz, n6.xyz
//! n3.x = mul n2.x, 0.5                    n3.x = add n1.z, 0.5
//! n4.xy = mul n1.yx, n9.xx                n4.xy = mul n1.yx, n9.xx
//! n5.xy = mul n4.xy, {-0.5 0.5}           (n5 is n4)
//! ```
//!
//! Products and sums round elsewhere then, which GLSL and WGSL leave open for what is not `precise` (GLSL ES 3.20
//! section 4.7.1, WGSL section 15.7.3): exact nodes stay as they are.

use super::columns::forward;
use super::dce::dce;
use super::users::{only_user, users};
use crate::compile::graph::{Base, Block, Component, Components, Graph, Id, Item, LANES, splat};
use crate::isa::Op;

/// Factors that leave what they are multiplied with in float24's range.
const SOUND: std::ops::Range<f32> = 1e-4..1e4;

/// Takes constant factors out of what is computed of a product, if that saves a word.
pub(super) fn scales(graph: &mut Graph) {
    for sum in 0..graph.nodes.len() as Id {
        let _ = to_scalar(graph, sum, 0).or_else(|| to_scalar(graph, sum, 1));
    }
    for block in 0..graph.blocks.len() as Block {
        let items = graph.items(block).iter().enumerate();
        let plans = items.filter_map(|(at, item)| Some((at, Plan::of(graph, item.node()?)?)));
        let mut groups: Vec<(usize, Vec<Plan>)> = Vec::new();
        for (at, plan) in plans {
            match groups.iter_mut().find(|(_, group)| group[0].scalar == plan.scalar) {
                Some((_, group)) => group.push(plan),
                None => groups.push((at, vec![plan])),
            }
        }
        // From the end, so that places stay.
        for (at, group) in groups.into_iter().rev() {
            carry_out(graph, (block, at), group);
        }
    }
    dce(graph);
}

/// Scales what several products multiply with, if more products end than the one that is new.
fn carry_out(graph: &mut Graph, (block, at): (Block, usize), plans: Vec<Plan>) {
    let mut ends: Vec<Id> = plans.iter().flat_map(|plan| plan.ends.iter().copied()).collect();
    let count = ends.len();
    ends.sort_unstable();
    ends.dedup();
    let mut factors: Vec<f32> = Vec::new();
    for factor in plans.iter().flat_map(|plan| plan.factors.into_iter().flatten()) {
        if !factors.contains(&factor) {
            factors.push(factor);
        }
    }
    if count < 2 || ends.len() < count || factors.len() > LANES || !graph.decisions.take() {
        return;
    }
    let mut numbers = [Component::UNDEF; LANES];
    for (number, factor) in numbers.iter_mut().zip(&factors) {
        *number = Component::constant(*factor);
    }
    let span = graph.node(plans[0].node).span;
    let scaled = graph.add(Op::Mul, factors.len() as u8, &[numbers, splat(plans[0].scalar)], span);
    graph.items_mut(block).insert(at, Item::Node(scaled));
    for plan in plans {
        plan.carry_out(graph, scaled, &factors);
    }
}

/// `v * s * c + d` for numbers `c` and `d` is `v * (s * c) + d`: one scalar product, and a MAD that names one number.
fn to_scalar(graph: &mut Graph, sum: Id, side: usize) -> Option<()> {
    let only = |graph: &Graph, user: Id, arg: &[Component]| {
        let id = arg[0].node().filter(|id| graph.node(*id).op == Some(Op::Mul))?;
        let is_own = arg.iter().enumerate().all(|(i, c)| *c == Component::new(Base::Node(id), i as u8));
        (is_own && !graph.node(id).exact && only_user(graph, id) == Some(user)).then_some(id)
    };
    let node = graph.node(sum);
    let n = usize::from(node.width);
    if node.op != Some(Op::Add) || node.exact || !node.has_numbers(1 - side) || n < 2 {
        return None;
    }
    let outer = only(graph, sum, &node.args[side][..n])?;
    let node = graph.node(outer);
    let k = (0..2).find(|k| node.has_numbers(*k))?;
    let number = node.args[k][0];
    let inner = only(graph, outer, &node.args[1 - k][..n])?;
    let is_one = node.width == graph.node(inner).width && node.args[k][..n].iter().all(|c| *c == number);
    let node = graph.node(inner);
    let scalar = |k: &usize| node.args[*k][..n].iter().all(|c| c.node().is_some() && *c == node.args[*k][0]);
    let factor = (0..2).find(scalar).filter(|_| is_one)?;
    let (scalar, vector) = (node.args[factor][0], node.args[1 - factor]);
    if vector.into_iter().any(Component::is_by_loop) || !graph.decisions.take() {
        return None;
    }
    let none = [Component::UNDEF; 4];
    let node = graph.node_mut(inner);
    (node.width, node.args) = (1, [splat(number), splat(scalar), none]);
    graph.node_mut(outer).args = [vector, splat(Component::new(Base::Node(inner), 0)), none];
    Some(())
}

/// Products with constants that end what is computed of a node.
struct Plan {
    node: Id,
    /// The factor of each component of the node.
    factors: [Option<f32>; LANES],
    /// What is gone: each of its components is the one of its other operand.
    ends: Vec<Id>,
    /// Sums with constants on the way, whose constants take the factor of a component.
    sums: Vec<(Id, f32)>,
    /// The operand of the node that takes the factors, the same for all components.
    operand: usize,
    scalar: Component,
}

impl Plan {
    fn of(graph: &Graph, id: Id) -> Option<Plan> {
        let node = graph.node(id);
        if node.op != Some(Op::Mul) || node.exact {
            return None;
        }
        let n = usize::from(node.width);
        let scalar = |k: &usize| {
            let arg = &node.args[*k][..n];
            arg[0].node().is_some_and(|id| graph.node(id).width == 1) && arg.iter().all(|c| *c == arg[0])
        };
        let operand = (0..2).find(scalar)?;
        let (factors, ends, sums, scalar) = ([None; LANES], Vec::new(), Vec::new(), node.args[operand][0]);
        let mut plan = Plan { node: id, factors, ends, sums, operand, scalar };
        let users = users(graph, id)?;
        users.into_iter().try_for_each(|user| plan.follow(graph, id, user))?;
        Some(plan)
    }

    /// Takes in what is computed by a reader of the node: a product with constants at its end.
    fn follow(&mut self, graph: &Graph, id: Id, user: Id) -> Option<()> {
        let node = graph.node(user);
        if node.exact || !matches!(node.op, Some(Op::Mul | Op::Add)) {
            return None;
        }
        let k = (0..2).find(|k| node.args[*k][0].node() == Some(id))?;
        let is_scaled = node.has_numbers(1 - k);
        match node.op {
            Some(Op::Mul) if is_scaled => self.end(graph, user, |lane| node.args[k][lane])?,
            Some(Op::Mul) => {
                let end = only_user(graph, user)?;
                self.end(graph, end, |lane| lane_of(graph, user, end, lane, k))?;
            }
            _ => {
                let end = only_user(graph, user).filter(|_| is_scaled && node.width == 1)?;
                self.end(graph, end, |lane| lane_of(graph, user, end, lane, k))?;
                let factor = constant(graph, end, user, 0)?;
                self.sums.push((user, factor));
            }
        }
        Some(())
    }

    /// A product with constants: its factors go to the components of the node that it comes from.
    fn end(&mut self, graph: &Graph, end: Id, from: impl Fn(usize) -> Component) -> Option<()> {
        let node = graph.node(end);
        if node.op != Some(Op::Mul) || node.exact || self.ends.contains(&end) {
            return None;
        }
        let k = (0..2).find(|k| node.has_numbers(*k))?;
        for lane in 0..usize::from(node.width) {
            let factor = node.args[k][lane].value().filter(|factor| SOUND.contains(&factor.abs()))?;
            let slot = &mut self.factors[usize::from(from(lane).part)];
            if slot.replace(factor).is_some_and(|known| known != factor) {
                return None;
            }
        }
        self.ends.push(end);
        Some(())
    }

    /// Multiplies the node with the scaled factor, and takes away what scaled it later.
    fn carry_out(self, graph: &mut Graph, scaled: Id, factors: &[f32]) {
        let lane = |factor: Option<f32>| factor.and_then(|f| factors.iter().position(|known| *known == f));
        let lanes = self.factors.map(|f| Component::new(Base::Node(scaled), lane(f).unwrap_or(0) as u8));
        graph.node_mut(self.node).args[self.operand] = lanes;
        for (sum, factor) in self.sums {
            let constants = graph.node_mut(sum).args.iter_mut().find(|arg| arg[0].value().is_some());
            if let Some([first, ..]) = constants {
                *first = Component::constant(first.value().unwrap_or(0.0) * factor);
            }
        }
        let mut to: Vec<Option<Components>> = vec![None; graph.nodes.len()];
        for end in self.ends {
            let node = graph.node(end);
            let k = usize::from(node.args[0][0].value().is_some());
            to[end as usize] = Some(node.args[k]);
        }
        forward(graph, &to);
    }
}

/// The constant that a product has for the component of another node that it reads.
fn constant(graph: &Graph, end: Id, of: Id, part: u8) -> Option<f32> {
    let node = graph.node(end);
    let k = (0..2).find(|k| node.args[*k][0].base == Base::Node(of))?;
    let lane = node.args[k].iter().position(|c| c.part == part)?;
    node.args[1 - k][lane].value()
}

/// The component of a node that a component of the `end` comes from, by way of `user`.
fn lane_of(graph: &Graph, user: Id, end: Id, lane: usize, k: usize) -> Component {
    let node = graph.node(end);
    let via = (0..2).find(|k| node.args[*k][lane].node() == Some(user)).unwrap_or(0);
    graph.node(user).args[k][usize::from(node.args[via][lane].part)]
}
