//! Nodes of a graph that reach each other: its strongly connected components, by Tarjan's algorithm. Its stacks are its own,
//! so that a long chain of calls is no deep recursion.

/// Components of what some of `count` nodes reach, each behind those that it leads to. `next` is the n-th node that one
/// leads to, as long as there is one.
#[must_use]
pub fn components(
    count: usize,
    roots: impl IntoIterator<Item = usize>,
    next: impl Fn(usize, usize) -> Option<usize>,
) -> Vec<Vec<usize>> {
    let mut search = Search {
        number: vec![0; count],
        low: vec![0; count],
        is_open: vec![false; count],
        open: Vec::new(),
        seen: 0,
        found: Vec::new(),
    };
    for root in roots {
        if search.number[root] == 0 {
            search.walk(root, &next);
        }
    }
    search.found
}

struct Search {
    /// By node: when it was seen first, from 1 on; 0 where it was not.
    number: Vec<usize>,
    /// By node: the first node, by its number, that it is known to lead back to.
    low: Vec<usize>,
    /// Nodes whose components are not complete, in the order of their numbers.
    open: Vec<usize>,
    is_open: Vec<bool>,
    seen: usize,
    found: Vec<Vec<usize>>,
}

impl Search {
    fn walk(&mut self, root: usize, next: &impl Fn(usize, usize) -> Option<usize>) {
        self.enter(root);
        let mut path = vec![(root, 0)];
        while let Some((node, at)) = path.last_mut() {
            let (node, to) = (*node, next(*node, *at));
            *at += 1;
            match to {
                Some(to) if self.number[to] == 0 => {
                    self.enter(to);
                    path.push((to, 0));
                }
                Some(to) if self.is_open[to] => self.low[node] = self.low[node].min(self.number[to]),
                Some(_) => {}
                None => {
                    path.pop();
                    if let Some(&(from, _)) = path.last() {
                        self.low[from] = self.low[from].min(self.low[node]);
                    }
                    self.leave(node);
                }
            }
        }
    }

    fn enter(&mut self, node: usize) {
        self.seen += 1;
        (self.number[node], self.low[node], self.is_open[node]) = (self.seen, self.seen, true);
        self.open.push(node);
    }

    /// The first node of a component takes the others along.
    fn leave(&mut self, node: usize) {
        if self.low[node] == self.number[node] {
            let from = self.open.iter().rposition(|&other| other == node).unwrap_or(0);
            let together = self.open.split_off(from);
            together.iter().for_each(|&member| self.is_open[member] = false);
            self.found.push(together);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(edges: &[&[usize]], roots: &[usize]) -> Vec<Vec<usize>> {
        components(edges.len(), roots.iter().copied(), |node, n| edges[node].get(n).copied())
    }

    #[test]
    fn what_reaches_itself_is_together_behind_what_it_leads_to() {
        // 0 leads to the cycles 1 2 3 and 4 5, of which the first leads to the second; nobody leads to 6.
        let edges: [&[usize]; 7] = [&[4, 1], &[2], &[3, 4], &[1, 2], &[5], &[5, 4], &[0, 6]];
        assert_eq!(found(&edges, &[0]), [vec![4, 5], vec![1, 2, 3], vec![0]]);
        assert_eq!(found(&edges, &[2, 0, 2, 6]), [vec![4, 5], vec![2, 3, 1], vec![0], vec![6]]);
        assert!(found(&edges, &[]).is_empty());
    }

    /// An edge to a component that is complete joins nothing.
    #[test]
    fn two_ways_to_one_node_are_no_cycle() {
        let edges: [&[usize]; 4] = [&[1, 2], &[3], &[3], &[]];
        assert_eq!(found(&edges, &[0]), [[3], [1], [2], [0]]);
    }

    #[test]
    fn long_chains_take_no_stack() {
        let all = components(1 << 20, [0], |node, n| (n == 0 && node + 1 < 1 << 20).then_some(node + 1));
        assert_eq!(all.len(), 1 << 20);
    }
}
