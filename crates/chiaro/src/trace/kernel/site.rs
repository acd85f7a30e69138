//! What a place that traces has: its ray, the query that searches, what was said of hits.

use chiaro_ir::{Builder, GlobalRef, Module, Op, Space, Ty, Type, Value};

use super::{Maker, add, variable};

/// Words of attributes that travel from an intersection stage to the stages of hits.
pub const ATTRIBUTES: usize = 8;

/// Variables of a ray, private to the invocation.
#[derive(Clone, Debug)]
pub struct Site {
    pub query: GlobalRef,
    pub flags: GlobalRef,
    pub mask: GlobalRef,
    pub origin: GlobalRef,
    pub least: GlobalRef,
    pub direction: GlobalRef,
    pub most: GlobalRef,
    /// The record that is asked.
    pub record: GlobalRef,
    /// Distance, kind and attributes of the hit that is asked about, and those of the one that was taken.
    pub distance: GlobalRef,
    pub kind: GlobalRef,
    pub asked: [GlobalRef; ATTRIBUTES],
    pub taken_kind: GlobalRef,
    pub taken: [GlobalRef; ATTRIBUTES],
    /// What an any-hit stage says: 0 to take the hit, 1 to leave it, 2 to take it and end.
    pub verdict: GlobalRef,
    /// Whether the search was ended by a stage.
    pub ended: GlobalRef,
}

/// From where a stage is called.
#[derive(Clone, Debug)]
pub struct Caller {
    /// How many rays would be under way with one that the stage traces.
    pub depth: u32,
    /// Callables that are under way.
    pub callables: u32,
    /// What is handed over: the caller's variable.
    pub incoming: Option<GlobalRef>,
    /// The ray.
    pub site: Option<Site>,
}

impl Maker<'_> {
    pub(super) fn site(&mut self, module: &mut Module) -> Site {
        let word = module.types.intern(Type::Int(32));
        let float = module.types.intern(Type::Float(32));
        let bool = module.types.intern(Type::Bool);
        let three = module.types.vector(float, 3);
        let query = module.types.intern(Type::RayQuery);
        let own = self.name("ray");
        let mut one =
            |name: &str, ty: Ty| add(module, variable(&format!("{own}.{name}"), Space::Private, ty));
        Site {
            query: one("query", query),
            flags: one("flags", word),
            mask: one("mask", word),
            origin: one("origin", three),
            least: one("least", float),
            direction: one("direction", three),
            most: one("most", float),
            record: one("record", word),
            distance: one("distance", float),
            kind: one("kind", word),
            asked: std::array::from_fn(|n| one(&format!("asked{n}"), word)),
            taken_kind: one("taken_kind", word),
            taken: std::array::from_fn(|n| one(&format!("taken{n}"), word)),
            verdict: one("verdict", word),
            ended: one("ended", bool),
        }
    }
}

/// An operation on a query.
pub fn ask(b: &mut Builder<'_>, site: &Site, code: u16, which: Option<u32>, ty: Ty) -> Value {
    let query = b.global(site.query);
    let mut args = vec![query];
    args.extend(which.map(|which| b.u32(which)));
    b.op_as(Op::RayQuery(code), &args, ty)
}

/// What a variable holds.
pub fn held(b: &mut Builder<'_>, variable: GlobalRef) -> Value {
    let place = b.global(variable);
    b.load(place)
}

/// Puts a value into a variable.
pub fn put(b: &mut Builder<'_>, variable: GlobalRef, value: Value) {
    let place = b.global(variable);
    b.store(place, value);
}
