//! What the proof of kernels says of images whose texels a target compares itself, and of texels as bytes where an
//! invocation is in doubt: a kernel that writes a texel, beside code that is a function over the same bytes.

use chiaro_diag::SourceMap;
use chiaro_ir::interp::{Counterexample, Handle, Images, Interval, Precision, Request, Texel};
use chiaro_ir::{GlobalRef, ImageType, Module};
use chiaro_isa::Rng;
use chiaro_target::proof::kernel::{Given, How, Kernel, verify};
use chiaro_target::proof::{Compared, Failure, Program};

/// Texels of one byte.
#[derive(Clone)]
struct Picture([u8; 4]);

impl Images for Picture {
    fn sample(&mut self, _: &Request, _: &ImageType) -> Texel {
        [0; 4]
    }
    fn read(&mut self, _: Handle, _: &ImageType, at: [i32; 4], _: i32) -> Texel {
        [self.0[at[0] as usize].into(), 0, 0, 0]
    }
    fn write(&mut self, _: Handle, _: &ImageType, at: [i32; 4], texel: Texel) {
        self.0[at[0] as usize] = texel[0] as u8;
    }
    fn size(&mut self, _: Handle, _: &ImageType, _: u32) -> [u32; 3] {
        [4, 1, 1]
    }
}

/// Who compares the texels.
#[derive(Clone, Copy, PartialEq, Eq)]
enum By {
    /// The target, within bounds.
    Target,
    /// The proof, byte by byte.
    Bytes,
}

/// What code leaves of the picture; of the buffer it leaves everything.
type Code = fn([u8; 4], How) -> [u8; 4];

struct Toy {
    source: Module,
    code: Code,
    by: By,
}

impl Kernel for Toy {
    type Texels = Picture;

    fn source(&self) -> Program<'_> {
        Program { module: &self.source, entry: &self.source.entries[0] }
    }
    fn bounds(&self) -> Interval {
        Interval { precision: Precision::VULKAN }
    }
    fn subgroup(&self) -> u32 {
        1
    }
    fn buffers(&self) -> Vec<GlobalRef> {
        vec![GlobalRef(0)]
    }
    fn texels(&self, _: &mut Rng) -> Picture {
        Picture([1, 2, 3, 4])
    }
    fn texel_bytes(&self, texels: &Picture) -> Vec<(Vec<u8>, bool)> {
        if self.by == By::Bytes { vec![(texels.0.to_vec(), true)] } else { Vec::new() }
    }
    fn compare_texels(&self, left: &Picture, found: &[Vec<u8>]) -> Compared {
        if self.by == By::Bytes {
            return Compared::default();
        }
        let pairs = || left.0.iter().zip(&found[0]).enumerate();
        let wrong = pairs().find(|(_, (left, found))| left != found).map(|(at, (left, found))| {
            let (expected, found) = (f64::from(*left), f64::from(*found));
            Counterexample {
                vertex: 0,
                output: format!("texel {at}"),
                component: 0,
                expected,
                allowed: 0.0,
                found,
            }
        });
        Compared { conclusive: usize::from(wrong.is_none()), wrong, ..Compared::default() }
    }
    fn unknown(&self) -> Option<&'static str> {
        None
    }
    fn rules(&self) -> Result<(), Failure> {
        Ok(())
    }
    fn run(&self, given: &Given, texels: &Picture, how: How) -> Result<Vec<Vec<u8>>, String> {
        Ok(vec![given.bytes[0].clone(), (self.code)(texels.0, how).to_vec()])
    }
    fn listing(&self) -> String {
        String::new()
    }
}

/// What the source does in front of its write of a texel, and what it writes there.
struct Source(&'static str, &'static str);

const PLAIN: Source = Source("", "vec4<i32>(7)");
/// It reads beyond the end of the buffer.
const BEYOND: Source =
    Source("  %1: ptr<storage, i32> = access @data, 0, 700\n  %2: i32 = load %1\n", "vec4<i32>(7)");
/// It writes who came when.
const TURNS: Source = Source(
    "  %1: ptr<workgroup, i32> = access @turns, 0\n  atomic_store.device %1, 7\n  \
     %2: i32 = atomic.iadd.device %1, 1\n  %3: vec4<i32> = construct %2, %2, %2, %2\n",
    "%3",
);
/// It writes what nobody defines.
const OPEN: Source = Source(
    "  %1: ptr<function, i32> = var\n  %2: i32 = load %1\n  %3: vec4<i32> = construct %2, %2, %2, %2\n",
    "%3",
);

fn judged(Source(before, value): &Source, by: By, code: Code) -> String {
    let text = format!(
        "struct Data {{ n: array<i32, 1, stride 4> at 0 }}
global @data: storage Data set(0) binding(0)
global @picture: handle image<i32, 2d, storage> set(0) binding(1)
global @turns: workgroup array<i32, 1>
entry compute \"main\" = @f workgroup(128, 1, 1)
fn @f() {{
{before}  %9: image<i32, 2d, storage> = load @picture
  imwrite %9, vec2<i32>(zero), {value}
  return
}}
"
    );
    let source = chiaro_ir::parse(&text, SourceMap::new().add("kernel", text.as_str()));
    let source = source.unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
    match verify(&Toy { source, code, by }, 1) {
        Ok(_) => "right".to_owned(),
        Err(Failure::Meaning(wrong)) => format!("wrong: {}", wrong.output),
        Err(Failure::Untested { why, .. }) => format!("not proved: {why}"),
        Err(other) => other.to_string(),
    }
}

/// All other numbers, so that what is in doubt is not outweighed.
fn other([a, b, c, d]: [u8; 4], by: u8) -> [u8; 4] {
    [a + by, b + by, c + by, d + by]
}

#[test]
fn texels_that_a_target_compares_are_right_or_refused() {
    let judged = |code| judged(&PLAIN, By::Target, code);
    assert_eq!(judged(|[_, b, c, d], _| [7, b, c, d]), "right");
    assert_eq!(judged(|texels, _| texels), "wrong: texel 0");
    assert_eq!(judged(|[_, b, _, d], _| [7, b, 9, d]), "wrong: texel 2");
    // Only where registers that nobody has written hold something.
    assert_eq!(judged(|[_, b, c, d], how| [7, b, c, d ^ how.fill as u8]), "wrong: texel 3");
}

#[test]
fn texels_that_a_target_compares_are_in_doubt_for_a_reason() {
    let late: Code = |texels, how| other(texels, if how.backwards { 20 } else { 30 });
    let off: Code = |texels, _| other(texels, 20);
    for (source, code, why) in [
        (&PLAIN, late, "it depends on the order of the groups"),
        (&BEYOND, off, "an invocation in doubt may have written it"),
        (&TURNS, off, "it depends on the order of atomic operations"),
        (&OPEN, |[_, b, c, d], _| [20, b, c, d], "it depends on a value that nobody defines"),
    ] {
        assert_eq!(judged(source, By::Target, code), format!("not proved: {why}"));
    }
}

/// Who strays may have written any texel.
#[test]
fn texels_as_bytes_are_in_doubt_where_an_invocation_is() {
    assert_eq!(judged(&PLAIN, By::Bytes, |texels, _| other(texels, 1)), "wrong: texels at byte 0");
    assert_eq!(judged(&BEYOND, By::Bytes, |texels, _| other(texels, 1)), "not proved: a texel may be off");
}
