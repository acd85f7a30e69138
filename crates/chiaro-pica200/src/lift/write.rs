//! The graph as a function: constructs where there is a tree, else a loop that chooses.

use chiaro_ir::{Builder, EntryPoint, FunctionRef, Inst, Module, Op, Stage, Type, Value};

use super::calls::{Callee, declared, names};
use super::graph::{Action, Condition, END, Graph, Next};
use super::helpers::{Helpers, Numbers};
use super::interface::Interface;
use super::live::{Live, Needs, Set, outputs};
use super::outputs::store;
use super::primitives::{Primitives, Setting};
use super::tree::Tree;
use super::values::Values;
use super::within::Within;
use super::{LiftError, Lifting, Names, TooLarge};
use crate::container::Dvle;

/// Constructs that may stand in each other. No machine's own stacks hold so many scopes; jumps alone
/// reach it.
const DEEPEST: usize = 128;

/// Vertices that every driver lets a geometry shader send.
const MOST_VERTICES: u32 = 256;

/// A program as a module.
pub(super) struct Written {
    pub(super) module: Module,
    /// `main` and the program's procedures, each with whether its registers are values already.
    pub(super) functions: Vec<(FunctionRef, bool)>,
    /// See [`Lifted::corners`](super::Lifted).
    pub(super) corners: u32,
    pub(super) names: Names,
    /// What it calls; bodies are still to be written.
    pub(super) helpers: Helpers,
}

/// Writes a program.
pub(super) fn written(
    lifting: &Lifting<'_>,
    tree: Option<&Tree>,
    executable: Option<&Dvle>,
) -> Result<Written, LiftError> {
    let Lifting { program, graph, options, procedures, .. } = *lifting;
    let mut module = Module::default();
    let interface = Interface::new(&mut module, lifting, executable, most_vertices(graph, tree));
    let void = module.types.intern(Type::Void);
    let main = module.declare("main", &[], void);
    let mut helpers = Helpers::new(Numbers::of(&program.config, options.style));
    let live = Live::of_branches(program, graph, procedures);
    let live = live.as_ref();
    let callees = declared(&mut module, procedures, live, executable);
    let callees = &callees[..];
    let has_values = has_values(graph, tree, interface.is_geometry);
    let b = Builder::at(&mut module, main);
    let mut values = Values::new(b, (lifting, graph), &interface, &mut helpers, has_values);
    values.make_variables();
    let primitives = interface.is_geometry.then(|| Primitives::new(&mut values, graph.is_straight()));
    let needs = live.map(|live| &live.main);
    let mut functions = vec![(main, has_values)];
    Writer::new(values, graph, tree, needs, callees).body(primitives, None)?;
    for (at, (callee, procedure)) in callees.iter().zip(procedures).enumerate() {
        let Some(callee) = callee else { continue };
        let (graph, tree) = (&procedure.graph, Tree::of(&procedure.graph));
        let has_values = self::has_values(graph, tree.as_ref(), false);
        let b = Builder::at(&mut module, callee.function);
        let mut values = Values::new(b, (lifting, graph), &interface, &mut helpers, has_values);
        callee.make_variables(&mut values);
        functions.push((callee.function, has_values));
        let needs = live.map(|live| &live.procedures[at]);
        Writer::new(values, graph, tree.as_ref(), needs, callees).body(None, Some(callee))?;
    }
    module.entries.push(EntryPoint {
        name: "main".to_owned(),
        stage: match (&interface.buffers, interface.is_geometry) {
            (Some(_), _) => Stage::Compute,
            (None, true) => Stage::Geometry,
            (None, false) => Stage::Vertex,
        },
        function: main,
        interface: interface.globals(),
        workgroup: [1; 3],
        modes: if interface.sends() { modes(interface.most) } else { Vec::new() },
    });
    let corners = if interface.is_geometry { interface.most } else { 0 };
    let names = names(program, graph, procedures, callees);
    Ok(Written { module, functions, corners, names, helpers })
}

/// Whether registers are values: where there are constructs to hand them on. What triangles are made of is in
/// variables where the program branches, and those are kept apart from registers by passes alone.
fn has_values(graph: &Graph, tree: Option<&Tree>, is_geometry: bool) -> bool {
    graph.is_straight() || tree.is_some() && !is_geometry
}

/// The corners that a geometry program may send: as many as its words where nothing is repeated.
fn most_vertices(graph: &Graph, tree: Option<&Tree>) -> u32 {
    let emits = graph.nodes.iter().flat_map(|node| &node.actions).filter(|a| **a == Action::Emit).count();
    let is_straight = tree.is_some_and(|tree| !tree.is_head.contains(&true));
    if is_straight { (3 * emits as u32).clamp(1, MOST_VERTICES) } else { MOST_VERTICES }
}

/// Of SPIR-V's execution modes, those of a geometry shader that takes points.
fn modes(most: u32) -> Vec<(u32, Vec<u32>)> {
    let [invocations, input_points, output_vertices, triangle_strip] = [0, 19, 26, 29];
    vec![
        (invocations, vec![1]),
        (input_points, Vec::new()),
        (output_vertices, vec![most]),
        (triangle_strip, Vec::new()),
    ]
}

/// How a node is reached from within the constructs around.
#[derive(Clone, Copy)]
enum Way {
    /// It stands behind this construct.
    Exit(Inst),
    /// It is the head of this loop.
    Continue(Inst),
}

struct Writer<'a, 'm> {
    values: Values<'a, 'm>,
    /// Of a geometry program.
    primitives: Option<Primitives>,
    graph: &'a Graph,
    tree: Option<&'a Tree>,
    /// What of variables is read where; of a straight program there is nothing.
    needs: Option<&'a Needs>,
    within: Within,
    callees: &'a [Option<Callee>],
    /// The procedure that this is the body of.
    returns: Option<&'a Callee>,
    /// Nodes that exits lead to, those of the innermost construct last.
    open: Vec<(usize, Way)>,
}

pub(super) fn wrong(mistake: chiaro_ir::Mistake) -> LiftError {
    LiftError::Internal(mistake.message)
}

impl<'a, 'm> Writer<'a, 'm> {
    fn new(
        values: Values<'a, 'm>,
        graph: &'a Graph,
        tree: Option<&'a Tree>,
        needs: Option<&'a Needs>,
        callees: &'a [Option<Callee>],
    ) -> Self {
        let within = match (tree, needs) {
            (Some(tree), Some(needs)) if values.has_values => Within::of(graph, tree, needs),
            _ => Within::default(),
        };
        let (primitives, returns, open) = (None, None, Vec::new());
        Writer { values, primitives, graph, tree, needs, within, callees, returns, open }
    }

    /// All of it.
    fn body(mut self, primitives: Option<Primitives>, returns: Option<&'a Callee>) -> Result<(), LiftError> {
        (self.primitives, self.returns) = (primitives, returns);
        match self.tree {
            Some(tree) => self.node(tree, 0)?,
            None => self.dispatch(),
        }
        self.values.b.finish().map_err(wrong)?;
        Ok(())
    }

    /// A node, what it leads to alone, and what stands behind.
    fn node(&mut self, tree: &Tree, node: usize) -> Result<(), LiftError> {
        let mut next = Some(node);
        while let Some(node) = next {
            if self.open.len() > DEEPEST {
                let at = self.graph.nodes[node].word();
                let too_large = TooLarge { what: "constructs in each other", allowed: DEEPEST, at };
                return Err(LiftError::TooLarge(too_large));
            }
            next = match tree.is_head[node] {
                true => self.looped(tree, node)?,
                false => self.plain(tree, node)?,
            };
        }
        Ok(())
    }

    /// A loop by its head; what comes next behind it.
    fn looped(&mut self, tree: &Tree, head: usize) -> Result<Option<usize>, LiftError> {
        let behind = &tree.behind_loop[head];
        let inner = self.written(|within| within.inner[head]);
        self.open_blocks(behind, inner);
        let results = self.results(behind.first(), inner);
        let at = self.values.begin_loop(results, self.results(Some(&head), inner));
        let depth = self.open.len();
        self.open.extend(behind.first().map(|&first| (first, Way::Exit(at))));
        self.open.push((head, Way::Continue(at)));
        self.values.enter_block(0);
        if let Some(next) = self.plain(tree, head)? {
            self.node(tree, next)?;
        }
        self.values.enter_block(1);
        if let Next::Either(Condition::More(mark), _) = self.graph.nodes[head].next {
            self.values.again(mark);
        }
        self.values.go_round(at, true);
        self.values.leave();
        self.open.truncate(depth);
        self.close_blocks(tree, behind)
    }

    /// A node without the loop that it may be the head of; what comes next behind it.
    fn plain(&mut self, tree: &Tree, node: usize) -> Result<Option<usize>, LiftError> {
        let behind = &tree.behind[node];
        let next = self.graph.nodes[node].next;
        let branches = self.written(|within| within.branches[node]);
        let own = self.needs.map_or(Set::default(), |needs| needs.writes[node]);
        self.open_blocks(behind, own | branches);
        self.act(node);
        match next {
            Next::End => {
                self.end();
                Ok(None)
            }
            Next::Node(to) => Ok(self.branch(to)),
            Next::Either(condition, [yes, no]) => {
                let condition = self.values.holds(condition);
                let results = self.results(behind.first(), branches);
                let at = self.values.begin(Op::If, &[condition], results, 2);
                let depth = self.open.len();
                self.open.extend(behind.first().map(|&first| (first, Way::Exit(at))));
                for (n, to) in [yes, no].into_iter().enumerate() {
                    self.values.enter_block(n);
                    if let Some(inside) = self.branch(to) {
                        self.node(tree, inside)?;
                    }
                }
                self.values.leave();
                self.open.truncate(depth);
                self.close_blocks(tree, behind)
            }
        }
    }

    fn written(&self, of: impl Fn(&Within) -> Set) -> Set {
        if self.values.has_values && self.needs.is_some() { of(&self.within) } else { Set::default() }
    }

    /// What of that which a construct writes is read where it leads.
    fn results(&self, to: Option<&usize>, written: Set) -> Set {
        to.zip(self.needs).map_or(Set::default(), |(&to, needs)| needs.start[to] & written)
    }

    /// Does what a node does. In a vertex program EMIT and SETEMIT do nothing.
    fn act(&mut self, node: usize) {
        self.values.kept = match self.needs {
            Some(needs) => needs.behind[node],
            None if self.graph.nodes[node].next == Next::Node(END) => outputs(),
            None => Set::ALL,
        };
        for action in &self.graph.nodes[node].actions {
            match (action, &mut self.primitives) {
                (Action::Emit, Some(primitives)) => primitives.emit(&mut self.values),
                (&Action::SetEmit { vertex, sends, turns }, Some(primitives)) => {
                    let setting = Setting { vertex: vertex & 3, sends, turns };
                    primitives.set(&mut self.values, setting);
                }
                (Action::Emit | Action::SetEmit { .. }, None) => {}
                (Action::Call { procedure, at }, _) => {
                    if let Some(callee) = &self.callees[*procedure] {
                        callee.call(&mut self.values, *at);
                    }
                }
                (action, _) => self.values.act(action),
            }
        }
    }

    /// Blocks whose ends lead to all but the first of what stands behind a construct that writes something.
    fn open_blocks(&mut self, behind: &[usize], written: Set) {
        for n in (1..behind.len()).rev() {
            let before = self.written(|within| within.all(&behind[..n]));
            let results = self.results(Some(&behind[n]), written | before);
            let at = self.values.begin(Op::Block, &[], results, 1);
            self.values.enter_block(0);
            self.open.push((behind[n], Way::Exit(at)));
        }
    }

    /// What stands behind a construct, each behind the block that leads there; the last of it is
    /// answered, not written.
    fn close_blocks(&mut self, tree: &Tree, behind: &[usize]) -> Result<Option<usize>, LiftError> {
        for pair in behind.windows(2) {
            self.node(tree, pair[0])?;
            self.values.leave();
            self.open.pop();
        }
        Ok(behind.last().copied())
    }

    /// Goes to a node by an exit, or says that it is to be written here.
    fn branch(&mut self, to: usize) -> Option<usize> {
        let way = self.open.iter().rev().find(|(node, _)| *node == to).map(|(_, way)| *way);
        match way {
            Some(Way::Exit(at)) => self.values.exit(at),
            Some(Way::Continue(at)) => self.values.go_round(at, false),
            None => return Some(to),
        }
        None
    }

    /// Stores the outputs; a geometry program has sent them. Of a procedure: hands back what it has to.
    fn end(&mut self) {
        if let Some(callee) = self.returns {
            return callee.return_(&mut self.values);
        }
        match &self.primitives {
            Some(primitives) => primitives.count(&mut self.values),
            None => store(&mut self.values, None, |values, register| Some(values.output(register))),
        }
        self.values.b.return_();
    }

    /// A loop around a switch by the number of the node that comes next.
    fn dispatch(&mut self) {
        let int = self.values.b.int_ty(32);
        let zero = self.values.b.u32(0);
        let state = self.values.b.var(int, Some(zero));
        let around = self.values.b.begin_loop(&[], &[], &[]);
        self.values.b.enter(0);
        let now = self.values.b.load(state);
        let count = self.graph.nodes.len();
        let cases: Vec<(u64, u32)> = (0..count as u32).map(|n| (n.into(), n)).collect();
        self.values.b.begin_switch(now, &[], &cases, count + 1);
        for node in 0..count {
            self.values.b.enter(node);
            self.case(node, state, around);
        }
        self.values.b.enter(count);
        self.values.b.unreachable();
        self.values.b.leave();
        self.values.b.enter(1);
        self.values.b.repeat(around, &[]);
        self.values.b.leave();
    }

    fn case(&mut self, node: usize, state: Value, around: Inst) {
        self.act(node);
        let number = |s: &mut Self, to: usize| s.values.b.u32(to as u32);
        let to = match self.graph.nodes[node].next {
            Next::End => {
                debug_assert_eq!(node, END);
                return self.end();
            }
            Next::Node(to) => number(self, to),
            Next::Either(condition, [yes, no]) => {
                let condition = self.values.holds(condition);
                let (yes, no) = (number(self, yes), number(self, no));
                self.values.b.select(condition, yes, no)
            }
        };
        self.values.b.store(state, to);
        self.values.b.continue_(around, &[]);
    }
}
