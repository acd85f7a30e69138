//! Random kernels of arrays of resources, buffers of texels and doubles, under control that parts lanes. Random kernels of
//! everything else are those of `verify.rs`.

use chiaro_cases::{digest, head, written};
use chiaro_isa::Rng;
use chiaro_rdna::abi::interface::Abi;
use chiaro_rdna::listing;
use chiaro_rdna::verify::{Words, verify};
use chiaro_target::Failure;

use crate::common::resources::{built, source};

/// Deepest expressions and statements.
const DEEPEST: u32 = 3;
/// Variables of each type.
const VARIABLES: usize = 3;

/// Seeds of kernels that were wrong once.
const FOUND: [u64; 4] = [20039, 20782, 22207, 71823];

/// Makes the body of a kernel. What lanes write is their own, but for sums, whose order shows nowhere.
struct Maker {
    rng: Rng,
    /// Loops around the place, whose counters have their depth for a name.
    loops: u32,
}

impl Maker {
    fn below(&mut self, n: usize) -> usize {
        self.rng.below(n)
    }

    fn variable(&mut self, letter: char) -> String {
        format!("{letter}{}", self.below(VARIABLES))
    }

    /// An unsigned number.
    fn number(&mut self, depth: u32) -> String {
        if depth == 0 || self.below(5) == 0 {
            return self.leaf();
        }
        let ops = ["+", "-", "*", "^", "&", "|"];
        let (a, b) = (self.number(depth - 1), self.number(depth - 1));
        match self.below(6) {
            0 => format!("({a} >> ({b} & 31u))"),
            1 => format!("max({a}, {b})"),
            2 => format!("({a} > {b} ? {a} : {})", self.number(depth - 1)),
            3 => self.read(&a, &b),
            4 => format!("({} < {} ? {a} : {b})", self.double(0), self.double(1)),
            _ => format!("({a} {} {b})", ops[self.below(ops.len())]),
        }
    }

    fn leaf(&mut self) -> String {
        match self.below(5) {
            0 => "i".to_owned(),
            1 => format!("{}u", self.below(300)),
            2 if self.loops > 0 => format!("k{}", self.below(self.loops as usize)),
            3 => "b.d[i]".to_owned(),
            _ => self.variable('u'),
        }
    }

    /// Something of a resource, found by two numbers.
    fn read(&mut self, a: &str, b: &str) -> String {
        let component = ["x", "y", "z", "w"][self.below(4)];
        match self.below(8) {
            0 => format!("parts[nonuniformEXT({a} & 3u)].d[{b} & 31u]"),
            1 => format!("parts[gl_WorkGroupID.x & 3u].d[{b} & 31u]"),
            2 => format!("facts[nonuniformEXT({a} % 3u)].d[{b} & 7u].{component}"),
            3 => format!("texelFetch(tables[nonuniformEXT({a} & 3u)], int({b} & 127u)).{component}"),
            4 => format!("texelFetch(table, int({b})).{component}"),
            5 => format!("imageLoad(words, int({b} & 127u)).x"),
            6 => format!("uint(imageSize(lists[nonuniformEXT({a} & 3u)]))"),
            _ => "imageLoad(lists[nonuniformEXT(i & 3u)], int(i >> 2)).x".to_owned(),
        }
    }

    fn double(&mut self, depth: u32) -> String {
        if depth == 0 {
            return if self.below(4) == 0 { format!("{}.25lf", self.below(20)) } else { self.variable('d') };
        }
        let (a, b) = (self.double(depth - 1), self.double(depth - 1));
        match self.below(8) {
            0 => format!("({a} + {b})"),
            1 => format!("({a} * {b})"),
            2 | 3 => format!("({a} / (abs({b}) + 0.5lf))"),
            4 => format!("sqrt(abs({a}))"),
            5 => format!("floor({a})"),
            6 => format!("inversesqrt(abs({a}) + 1.0lf)"),
            _ => format!("double({} & 1023u)", self.number(1)),
        }
    }

    fn statement(&mut self, depth: u32) -> String {
        let choices = if depth == 0 { 6 } else { 10 };
        match self.below(choices) {
            0 | 1 => format!("{} = {};", self.variable('u'), self.number(DEEPEST)),
            2 => format!("{} = {};", self.variable('d'), self.double(2)),
            3 => format!("outs[nonuniformEXT(i & 3u)].d[i >> 2] = {};", self.number(2)),
            4 => format!(
                "atomicAdd(sums[nonuniformEXT({} & 3u)].d[{} & 31u], {});",
                self.number(1),
                self.number(1),
                self.number(1)
            ),
            5 => format!("imageStore(lists[nonuniformEXT(i & 3u)], int(i >> 2), uvec4({}));", self.number(2)),
            6 => format!("if (({} & 1u) == 0u) {{ {} }}", self.number(2), self.block(depth)),
            7 => format!(
                "if ({} > {}) {{ {} }} else {{ {} }}",
                self.number(1),
                self.number(1),
                self.block(depth),
                self.block(depth)
            ),
            8 => self.repeated(depth),
            _ => format!("b.d[i] = {};", self.number(DEEPEST)),
        }
    }

    /// A loop that lanes leave when they like.
    fn repeated(&mut self, depth: u32) -> String {
        let (k, count, leaves) = (self.loops, self.number(1), self.number(1));
        self.loops += 1;
        let body = self.block(depth);
        let leaves =
            if self.below(2) == 0 { format!("if (({leaves} & 3u) == k{k}) break;") } else { String::new() };
        self.loops -= 1;
        format!("for (uint k{k} = 0u; k{k} < ({count} & 3u); k{k}++) {{ {body} {leaves} }}")
    }

    fn block(&mut self, depth: u32) -> String {
        let count = 1 + self.below(3);
        (0..count).map(|_| self.statement(depth - 1)).collect::<Vec<_>>().join(" ")
    }
}

fn body(seed: u64) -> String {
    let mut maker = Maker { rng: Rng(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1), loops: 0 };
    let block = (0..2 + seed % 4).map(|_| maker.statement(DEEPEST)).collect::<Vec<_>>().join("\n  ");
    format!(
        "uint u0 = b.d[i], u1 = i * 7u, u2 = 3u; double d0 = g.f[i], d1 = double(i), d2 = 0.5lf;
  {block}
  b.d[i] = u0 ^ u1 * 3u ^ u2 * 5u; g.f[i] = d0 + d1 + d2;"
    )
}

/// As many as `CHIARO_SHADERS` says, from the seed `CHIARO_SEED` on.
#[test]
fn random_kernels_of_resources_mean_what_their_source_does() {
    let given = |name: &str| std::env::var(name).ok().and_then(|n| n.parse::<u64>().ok());
    let (count, first) = (given("CHIARO_SHADERS").unwrap_or(60), given("CHIARO_SEED").unwrap_or(0));
    let (mut untested, mut bad, mut made) = (0, Vec::new(), head("seed: code proof"));
    for seed in (first..first + count).chain(FOUND) {
        let (body, wave) = (body(seed), if seed % 2 == 0 { 32 } else { 64 });
        let module = source(&body);
        let proof = built(&module, wave, Abi::Vulkan).map(|compiled| {
            made += &format!("{seed}: {}", digest(&listing::code(&compiled.code, wave, 0)));
            verify(&Words { source: &module, entry: &module.entries[0], compiled }, seed)
        });
        made += &format!(" {}\n", digest(&format!("{proof:?}")));
        match proof {
            Ok(Ok(_)) => {}
            Ok(Err(Failure::Untested { .. })) => untested += 1,
            Ok(Err(why)) => bad.push(format!("{seed}, waves of {wave}: {why}\n  {body}")),
            Err(why) => bad.push(format!("{seed}, waves of {wave}: {why}\n  {body}")),
        }
    }
    println!("{untested} of {count} prove nothing, {} are wrong", bad.len());
    assert!(bad.is_empty(), "{}", bad.join("\n"));
    assert!(untested * 5 <= count, "{untested} of {count} prove nothing");
    if (count, first) == (60, 0) {
        written(env!("CARGO_MANIFEST_DIR"), "tests/made/resources.txt", &made);
    }
}
