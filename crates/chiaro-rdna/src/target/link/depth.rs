//! How much of the stack the deepest chain of calls takes, over all parts.

use chiaro_diag::{Diagnostic, Severity};
use chiaro_opt::components;
use chiaro_target::Settings;

use super::agree::convention;
use super::names::{At, Names};
use super::{Part, Wrong, error};
use crate::compile::calls::stack::{Chain, Link};
use crate::compile::too_deep;
use crate::container::part::Role;
use crate::regs::SCRATCH;
use crate::target::compile::recursion;

/// Who calls whom, over all parts.
struct Graph<'a> {
    names: &'a Names<'a>,
    /// All functions with bodies.
    nodes: Vec<At>,
    /// By function: those that it calls.
    calls: Vec<Vec<usize>>,
}

/// The chain of calls that takes most, and what is to be said of it.
///
/// # Errors
/// Functions of several parts that call each other without a bound; more than a lane's scratch can hold.
pub(super) fn deepest(
    parts: &[Part<'_>],
    names: &Names<'_>,
    settings: &Settings,
) -> Result<(Chain, Diagnostic), Wrong> {
    let (bound, _) = recursion(settings)?;
    let graph = Graph::of(parts, names);
    // The chain with most bytes and the one with most return addresses may be different ones.
    let mut best = vec![[const { Chain(Vec::new()) }; 2]; graph.nodes.len()];
    let weights = [Chain::bytes, Chain::kept];
    let callee = |n: usize, at: usize| graph.calls[n].get(at).copied();
    for together in components(graph.nodes.len(), 0..graph.nodes.len(), callee) {
        let links = graph.links(&together, bound)?;
        let below: Vec<usize> = together
            .iter()
            .flat_map(|&n| &graph.calls[n])
            .copied()
            .filter(|n| !together.contains(n))
            .collect();
        let chains = [0, 1].map(|which| {
            let deepest = below.iter().map(|&n| &best[n][which]).max_by_key(|chain| weights[which](chain));
            Chain(links.iter().chain(deepest.into_iter().flat_map(|chain| &chain.0)).cloned().collect())
        });
        together.iter().for_each(|&n| best[n] = chains.clone());
    }
    let kernel = graph.nodes.iter().position(|&at| names.function(at).role == Role::Kernel);
    let [chain, nested] = kernel.map(|n| best[n].clone()).unwrap_or_default();
    if chain.bytes() > SCRATCH.into() {
        let message =
            format!("the stack takes {} bytes of a lane, {SCRATCH} are there: {chain}", chain.bytes());
        return Err(vec![
            error(message).help("lower `-m recursion`, or make what lives across calls smaller"),
        ]);
    }
    let convention = convention(&parts[0]).map_err(|error| vec![*error])?;
    if let Some(error) = too_deep(&nested, &convention, parts[0].record.wave) {
        return Err(vec![error]);
    }
    let message =
        format!("the deepest chain of calls takes {} of {SCRATCH} bytes of a lane: {chain}", chain.bytes());
    Ok((chain, Diagnostic::new(Severity::Note, None, message)))
}

impl<'a> Graph<'a> {
    fn of(parts: &[Part<'_>], names: &'a Names<'a>) -> Graph<'a> {
        let all = parts.iter().enumerate().flat_map(|(p, part)| {
            let own = part.record.functions.iter().enumerate();
            own.filter(|(_, f)| f.role != Role::Import).map(move |(n, _)| (p, n)).collect::<Vec<At>>()
        });
        let nodes: Vec<At> = all.collect();
        let number: std::collections::HashMap<At, usize> = nodes.iter().copied().zip(0..).collect();
        let called = |&(p, n): &At| {
            let calls = &parts[p].record.functions[n].calls;
            let meant = calls.iter().filter_map(|name| names.meant(p, name));
            meant.filter_map(|at| number.get(&at).copied()).collect()
        };
        let calls = nodes.iter().map(called).collect();
        Graph { names, nodes, calls }
    }

    /// What functions take together that are open at once if one is.
    fn links(&self, together: &[usize], bound: Option<u32>) -> Result<Vec<Link>, Wrong> {
        let in_parts = |&n: &usize| self.nodes[n].0;
        let is_across = together.iter().any(|n| in_parts(n) != self.nodes[together[0]].0);
        if is_across && bound.is_none() {
            return Err(vec![self.unbounded(together)]);
        }
        let link = |&n: &usize| {
            let f = self.names.function(self.nodes[n]);
            let across = bound.filter(|_| is_across).unwrap_or(1);
            let bytes = f.frame.saturating_add(f.stack);
            Link { name: f.name.clone(), bytes, times: f.times.max(across), nests: f.nests }
        };
        Ok(together.iter().map(link).collect())
    }

    fn unbounded(&self, together: &[usize]) -> Diagnostic {
        let names: Vec<String> =
            together.iter().map(|&n| format!("`{}`", self.names.function(self.nodes[n]).name)).collect();
        let message = format!(
            "{} call each other over the borders of parts, and nothing says how often each may be open at once",
            names.join(" and ")
        );
        error(message).help("give a bound, by which room on the stack is made: `-m recursion=N`")
    }
}
