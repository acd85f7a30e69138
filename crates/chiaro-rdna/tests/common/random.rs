//! Random programs of functions, as source.

use std::collections::BTreeMap;
use std::fmt::{self, Write};

use chiaro_ir::{FunctionRef, Inst, Module, Op};
use chiaro_isa::Rng;

use super::{kernel, pointers};

/// What a convention, by its making, has no room for.
const NO_ROOM: [&str; 4] =
    ["saves of registers reach", "has no place for", "the convention", "need more registers than"];

/// Whether a program is refused because its convention has no room for it.
pub(crate) fn has_no_room(why: &str) -> bool {
    // Of what we wrote ourselves nothing can be refused.
    !why.contains("in its note") && NO_ROOM.iter().any(|known| why.contains(known))
}

/// Programs that are refused, by the reason: what is said without its names and numbers.
#[derive(Default)]
pub(crate) struct Refused(BTreeMap<String, u64>);

impl Refused {
    pub(crate) fn note(&mut self, why: &str) {
        let named = why.split('`').step_by(2).collect::<Vec<_>>().join("`");
        let mut reason = String::new();
        for c in named.lines().next().unwrap_or_default().chars() {
            match c.is_ascii_digit() {
                true if reason.ends_with('#') => {}
                true => reason.push('#'),
                false => reason.push(c),
            }
        }
        *self.0.entry(reason).or_default() += 1;
    }

    pub(crate) fn count(&self) -> u64 {
        self.0.values().sum()
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|(reason, count)| writeln!(f, "refused {count} times: {reason}"))
    }
}

/// The number that a variable has, such as `SEED`, or another one.
pub(crate) fn number(name: &str, or: u64) -> u64 {
    std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(or)
}

/// A program by its seed.
pub(crate) fn module(seed: u64, kind: Kind) -> Module {
    let (functions, body) = program(seed, kind);
    let mut module = kernel::load_with(pointers::HEAD, &functions, &body);
    close(&mut module);
    if kind.points {
        pointers::lead(&mut module);
    }
    module
}

/// Types that values have.
const TYPES: [&str; 5] = ["uint", "int", "float", "bool", "uvec3"];

struct Function {
    /// Type, and whether it is handed back.
    parameters: Vec<(usize, bool)>,
    result: usize,
}

/// What programs have.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Kind {
    /// Some calls go through pointers.
    pub points: bool,
    /// Functions call themselves and each other, `nd` more times at most.
    pub cycles: bool,
    /// Functions have nothing but what they are given, so that each may be in another part.
    pub parts: bool,
    /// Some functions end with what another call gives, for some lanes: one of the same type, by its name or through a pointer.
    /// Programs are what they are without it otherwise.
    pub tails: bool,
}

struct Maker<'a> {
    rng: &'a mut Rng,
    /// What ends are drawn from.
    ends: Rng,
    kind: Kind,
    functions: Vec<Function>,
    /// Of functions that call each other: what they take, before any of them is written.
    planned: Vec<Function>,
    text: String,
    depth: u32,
}

impl Maker<'_> {
    fn below(&mut self, n: u64) -> usize {
        self.rng.below(n as usize)
    }

    /// An expression of a type, of variables that are there: `names` with their types.
    fn value(&mut self, ty: usize, names: &[(String, usize)], deep: u32) -> String {
        let own: Vec<&String> = names.iter().filter(|(_, t)| *t == ty).map(|(name, _)| name).collect();
        if !own.is_empty() && (deep == 0 || self.below(3) == 0) {
            let n = self.below(own.len() as u64);
            return own[n].clone();
        }
        let number = self.below(64);
        if deep == 0 {
            return match ty {
                0 => format!("{number}u"),
                1 => format!("{}", number as i32 - 32),
                2 => format!("{number}.0"),
                3 => ["true", "false"][number & 1].to_owned(),
                _ => format!("uvec3({number}u, 1u, {}u)", number ^ 5),
            };
        }
        let one = |s: &mut Self, ty| s.value(ty, names, deep - 1);
        let kind = self.below(4);
        match (ty, kind) {
            (0, 0) => format!("({} * {})", one(self, 0), one(self, 0)),
            (0, 1) => format!("({} ^ uint({}))", one(self, 0), one(self, 1)),
            (0, 2) => format!("dot3({})", one(self, 4)),
            (0, _) => format!("({} ? {} : {})", one(self, 3), one(self, 0), one(self, 0)),
            (1, 0) => format!("({} - {})", one(self, 1), one(self, 1)),
            (1, 1) => format!("int({} >> 3)", one(self, 0)),
            (1, _) => format!("max({}, {})", one(self, 1), one(self, 1)),
            (2, 0) => format!("({} + {})", one(self, 2), one(self, 2)),
            (2, 1) => format!("float({} & 15u)", one(self, 0)),
            (2, _) => format!("min({}, 64.0)", one(self, 2)),
            (3, 0) => format!("({} < {})", one(self, 0), one(self, 0)),
            (3, 1) => format!("({} != {})", one(self, 3), one(self, 3)),
            (3, _) => format!("({} > {})", one(self, 1), one(self, 1)),
            (_, 0) => format!("({} + {})", one(self, 4), one(self, 4)),
            (_, _) => format!("uvec3({}, {}, 7u)", one(self, 0), one(self, 0)),
        }
    }

    /// A call of one of the functions that are there, its result in a new variable.
    fn call(&mut self, names: &mut Vec<(String, usize)>, pad: &str) {
        let n = self.below(self.functions.len() as u64);
        let (parameters, result) = (self.functions[n].parameters.clone(), self.functions[n].result);
        let mut arguments = self.arguments(&parameters, names, pad);
        if self.kind.cycles {
            arguments.insert(0, "nd".to_owned());
        }
        let callee = if self.kind.points && self.below(3) > 0 {
            arguments.insert(0, self.pointer(n, names));
            format!("through_{n}")
        } else {
            format!("f{n}")
        };
        let name = format!("v{}", names.len());
        let _ = writeln!(self.text, "{pad}{} {name} = {callee}({});", TYPES[result], arguments.join(", "));
        names.push((name, result));
    }

    /// Arguments of a call; those that come back are new variables.
    fn arguments(
        &mut self,
        parameters: &[(usize, bool)],
        names: &mut Vec<(String, usize)>,
        pad: &str,
    ) -> Vec<String> {
        let mut arguments = Vec::new();
        for &(ty, back) in parameters {
            let text = self.value(ty, names, 1);
            if !back {
                arguments.push(text);
                continue;
            }
            let name = format!("v{}", names.len());
            let _ = writeln!(self.text, "{pad}{} {name} = {text};", TYPES[ty]);
            names.push((name.clone(), ty));
            arguments.push(name);
        }
        arguments
    }

    /// A call of any function, of those that are still to come as well, as long as there are calls left.
    fn deeper(&mut self, names: &[(String, usize)]) {
        let n = self.below(self.planned.len() as u64);
        let (parameters, result) = (self.planned[n].parameters.clone(), self.planned[n].result);
        let condition = self.value(3, names, 1);
        let _ = writeln!(self.text, "  if (nd > 0u && ({condition})) {{");
        let mut inside = names.to_vec();
        let mut arguments = self.arguments(&parameters, &mut inside, "    ");
        arguments.insert(0, "nd - 1u".to_owned());
        let (call, ty) = (format!("deeper_f{n}({})", arguments.join(", ")), TYPES[result]);
        let word = ["r", "uint(r)", "uint(r < 3.0)", "uint(r)", "dot3(r)"][result];
        let _ = writeln!(self.text, "    {ty} r = {call};\n    state ^= {word};\n  }}");
    }

    fn statements(&mut self, count: usize, names: &mut Vec<(String, usize)>, pad: &str) {
        for _ in 0..count {
            let kind = self.below(8);
            let ty = self.below(5);
            let inner = format!("{pad}  ");
            match kind {
                0 | 1 if !self.functions.is_empty() => self.call(names, pad),
                2 if self.depth < 3 => {
                    self.depth += 1;
                    let condition = self.value(3, names, 1);
                    let _ = writeln!(self.text, "{pad}if ({condition}) {{");
                    self.statements(2, &mut names.clone(), &inner);
                    let _ = writeln!(self.text, "{pad}}} else {{");
                    self.statements(2, &mut names.clone(), &inner);
                    let _ = writeln!(self.text, "{pad}}}");
                    self.depth -= 1;
                }
                3 if self.depth < 2 => {
                    self.depth += 1;
                    let (bound, counter) = (self.value(0, names, 1), format!("n{}", self.depth));
                    let _ = writeln!(
                        self.text,
                        "{pad}for (uint {counter} = 0u; {counter} < (({bound}) & 3u); {counter}++) {{"
                    );
                    let mut own = names.clone();
                    own.push((counter, 0));
                    self.statements(2, &mut own, &inner);
                    if self.below(2) == 0 {
                        let condition = self.value(3, &own, 1);
                        let _ = writeln!(self.text, "{inner}if ({condition}) break;");
                    }
                    let _ = writeln!(self.text, "{pad}}}");
                    self.depth -= 1;
                }
                4 => {
                    let text = self.value(0, names, 2);
                    let _ = writeln!(self.text, "{pad}state = state * 5u + ({text});");
                }
                5 if !self.kind.parts => {
                    let (at, text) = (self.value(0, names, 1), self.value(2, names, 1));
                    let _ =
                        writeln!(self.text, "{pad}if (({at}) == 3u) a.f[gl_GlobalInvocationID.x] = {text};");
                }
                6 if names.iter().any(|(name, t)| *t == ty && !name.starts_with('n')) => {
                    let own: Vec<&(String, usize)> =
                        names.iter().filter(|(name, t)| *t == ty && !name.starts_with('n')).collect();
                    let n = self.rng.below(own.len());
                    let name = own[n].0.clone();
                    let text = self.value(ty, names, 2);
                    let _ = writeln!(self.text, "{pad}{name} = {text};");
                }
                _ => {
                    let text = self.value(ty, names, 2);
                    let name = format!("v{}", names.len());
                    let _ = writeln!(self.text, "{pad}{} {name} = {text};", TYPES[ty]);
                    names.push((name, ty));
                }
            }
        }
    }

    /// One of two functions, or none.
    fn pointer(&mut self, n: usize, names: &[(String, usize)]) -> String {
        let condition = self.value(3, names, 1);
        let [yes, no] = match self.below(6) {
            0 => [format!("at_f{n}()"), "uint64_t(0)".to_owned()],
            1 => [format!("at_e{n}()"), format!("at_e{n}()")],
            _ => [format!("at_f{n}()"), format!("at_e{n}()")],
        };
        format!("({condition}) ? {yes} : {no}")
    }

    /// What a function takes and gives.
    fn plan(&mut self) -> Function {
        let count = [0, 1, 2, 3, 5, 14][self.below(6)];
        let parameters: Vec<(usize, bool)> =
            (0..count).map(|_| (self.below(5), self.below(4) == 0)).collect();
        Function { parameters, result: self.below(5) }
    }

    /// Plans so many functions, and writes what stands for calls of them.
    fn plan_all(&mut self, count: usize) {
        for n in 0..count {
            let planned = self.plan();
            let (ty, text) = (TYPES[planned.result], self.value(planned.result, &[], 0));
            let list = self.listed(&planned.parameters).join(", ");
            let _ = writeln!(self.text, "{ty} deeper_f{n}({list}) {{ return {text}; }}");
            self.planned.push(planned);
        }
    }

    /// Parameters as a declaration has them.
    fn listed(&self, parameters: &[(usize, bool)]) -> Vec<String> {
        let left = self.kind.cycles.then(|| "uint nd".to_owned());
        left.into_iter().chain(listed(parameters)).collect()
    }

    fn function(&mut self) {
        let n = self.functions.len();
        let planned =
            self.planned.get(n).map(|f| Function { parameters: f.parameters.clone(), result: f.result });
        let Function { parameters, result } = planned.unwrap_or_else(|| self.plan());
        self.body((n, 'f'), &parameters, result);
        if self.kind.points {
            self.body((n, 'e'), &parameters, result);
            self.through(n, &parameters, result);
        }
        self.functions.push(Function { parameters, result });
    }

    fn body(&mut self, (n, letter): (usize, char), parameters: &[(usize, bool)], result: usize) {
        let name = format!("{letter}{n}");
        if self.kind.tails && self.kind.points && letter == 'e' {
            let all: Vec<String> =
                ["uint64_t p".to_owned()].into_iter().chain(self.listed(parameters)).collect();
            let head = format!("{} through_{n}({})", TYPES[result], all.join(", "));
            let itself = format!("uint64_t again_e{n}() {{ return uint64_t(0); }}");
            let _ = writeln!(self.text, "{head}; uint64_t at_f{n}(); {itself}");
        }
        let mut names: Vec<(String, usize)> =
            parameters.iter().enumerate().map(|(n, &(ty, _))| (format!("v{n}"), ty)).collect();
        let list = self.listed(parameters).join(", ");
        let _ = writeln!(self.text, "{} {name}({list}) {{", TYPES[result]);
        if self.kind.cycles {
            names.push(("nd".to_owned(), 0));
        }
        if self.kind.parts {
            self.text.push_str("  uint state = 3u;\n");
            names.push(("state".to_owned(), 0));
        }
        let count = 2 + self.below(5);
        self.statements(count, &mut names, "  ");
        if self.kind.cycles && self.below(2) == 0 {
            self.deeper(&names);
        }
        if self.below(2) == 0 {
            let (condition, early) = (self.value(3, &names, 1), self.value(result, &names, 1));
            let _ = writeln!(self.text, "  if ({condition}) return {early};");
            self.statements(2, &mut names, "  ");
        }
        if self.kind.tails {
            std::mem::swap(self.rng, &mut self.ends);
            self.end((n, letter), parameters, &names);
            std::mem::swap(self.rng, &mut self.ends);
        }
        let text = self.value(result, &names, 2);
        let _ = writeln!(self.text, "  return {text};\n}}");
    }

    /// Some lanes end with what a function of the same type gives: through a pointer, or by its name as long as there are
    /// calls left.
    fn end(&mut self, (n, letter): (usize, char), parameters: &[(usize, bool)], names: &[(String, usize)]) {
        let (condition, cycles) = (self.value(3, names, 1), self.kind.cycles);
        let mut arguments: Vec<String> = cycles.then(|| "nd - 1u".to_owned()).into_iter().collect();
        for (n, &(ty, back)) in parameters.iter().enumerate() {
            arguments.push(if back { format!("v{n}") } else { self.value(ty, names, 1) });
        }
        let callee = match letter {
            'e' => {
                let no = if cycles { format!("again_e{n}()") } else { "uint64_t(0)".to_owned() };
                arguments.insert(0, format!("({}) ? at_f{n}() : {no}", self.value(3, names, 1)));
                format!("through_{n}")
            }
            _ if cycles => format!("deeper_f{n}"),
            _ => return,
        };
        let left = if cycles { "nd > 0u && " } else { "" };
        let arguments = arguments.join(", ");
        let _ = writeln!(self.text, "  if ({left}({condition})) return {callee}({arguments});");
    }

    /// What stands for calls of two functions through a pointer, and for their addresses.
    fn through(&mut self, n: usize, parameters: &[(usize, bool)], result: usize) {
        let all: Vec<String> = ["uint64_t p".to_owned()].into_iter().chain(self.listed(parameters)).collect();
        let text = self.value(result, &[], 0);
        let _ = writeln!(self.text, "{} through_{n}({}) {{ return {text}; }}", TYPES[result], all.join(", "));
        let places: String =
            parameters.iter().enumerate().map(|(n, &(ty, _))| format!("{} v{n}; ", TYPES[ty])).collect();
        let left = self.kind.cycles.then(|| "0u".to_owned()).into_iter();
        let names: Vec<String> = left.chain((0..parameters.len()).map(|n| format!("v{n}"))).collect();
        for name in [format!("f{n}"), format!("e{n}")] {
            let call = format!("{name}({})", names.join(", "));
            let _ = writeln!(self.text, "uint64_t at_{name}() {{ {places}{call}; return uint64_t(0); }}");
        }
    }
}

/// Parameters as a declaration has them.
fn listed(parameters: &[(usize, bool)]) -> Vec<String> {
    let one = |(n, &(ty, back)): (usize, &(usize, bool))| {
        format!("{}{} v{n}", if back { "inout " } else { "" }, TYPES[ty])
    };
    parameters.iter().enumerate().map(one).collect()
}

/// Functions, and the body of a kernel that calls them.
fn program(seed: u64, kind: Kind) -> (String, String) {
    let mut rng = Rng(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let state = if kind.parts { "" } else { "uint state;\n" };
    let text = "uint dot3(uvec3 v) { return v.x + v.y * 3u + v.z * 5u; }\n";
    let text = format!("{state}{text}");
    let ends = Rng(seed.wrapping_mul(0xd134_2543_de82_ef95) | 1);
    let mut maker =
        Maker { rng: &mut rng, ends, kind, functions: Vec::new(), planned: Vec::new(), text, depth: 0 };
    let count = 1 + maker.below(5);
    if kind.cycles {
        maker.plan_all(count);
    }
    (0..count).for_each(|_| maker.function());
    let functions = std::mem::take(&mut maker.text);
    let mut names = vec![("i".to_owned(), 0), ("v0".to_owned(), 0)];
    maker.text.push_str(if kind.parts { "uint state = i;\n" } else { "state = i;\n" });
    maker.text.push_str("uint v0 = b.d[i];\n");
    if kind.cycles {
        maker.text.push_str("uint nd = v0 & 1u;\n");
        names.push(("nd".to_owned(), 0));
    }
    maker.statements(3, &mut names, "  ");
    maker.call(&mut names, "  ");
    maker.statements(2, &mut names, "  ");
    let text = maker.value(0, &names, 2);
    let _ =
        writeln!(maker.text, "  b.d[gl_GlobalInvocationID.x] = state ^ ({text}) ^ dot3({});", names.len());
    let text = maker.text.replace(&format!("dot3({})", names.len()), "v0");
    (functions, text)
}

/// Leads calls of what stands for functions that are still to come to these.
fn close(module: &mut Module) {
    let plain = |name: &str| name.split('(').next().unwrap_or_default().to_owned();
    let names: Vec<String> = module.functions.iter().map(|f| plain(&f.name)).collect();
    for f in &mut module.functions {
        for inst in (0..f.inst_count() as u32).map(Inst) {
            let Op::Call(callee) = f.op(inst) else { continue };
            let Some(wanted) = names[callee.0 as usize].strip_prefix("deeper_") else { continue };
            // One that nobody calls by its name is not there.
            let Some(to) = names.iter().position(|name| name == wanted) else { continue };
            f.inst_mut(inst).op = Op::Call(FunctionRef(to as u32));
        }
    }
    chiaro_ir::verify(module).expect("the module is sound");
}
