//! What the proof of kernels refuses, what it doubts, and what it takes: a kernel that counts in a buffer and writes a
//! texel, beside code that is a function over the same bytes.

use chiaro_diag::SourceMap;
use chiaro_ir::interp::{Handle, Images, Interval, Precision, Request, Texel};
use chiaro_ir::{GlobalRef, ImageType, Module};
use chiaro_isa::Rng;
use chiaro_target::proof::kernel::{Given, How, Kernel, verify};
use chiaro_target::proof::{Failure, Program};

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

/// What code leaves in the second number of the buffer and in the picture, by the first number and the picture before.
type Code = fn(u32, [u8; 4], How) -> (u32, [u8; 4]);

/// The kernel, what its code leaves in the buffer and in the picture, and whether texels are integers.
struct Toy {
    source: Module,
    code: Code,
    integers: bool,
}

const SOURCE: &str = "struct Data { n: i32 at 0, m: i32 at 4 }
global @data: storage Data set(0) binding(0)
global @picture: handle image<i32, 2d, storage> set(0) binding(1)
entry compute \"main\" = @f workgroup(1, 1, 1)
fn @f() {
  %0: ptr<storage, i32> = access @data, 0
  %1: i32 = load %0
  %2: i32 = iadd %1, 1
  %3: ptr<storage, i32> = access @data, 1
  store %3, %2
  %4: image<i32, 2d, storage> = load @picture
  imwrite %4, vec2<i32>(zero), vec4<i32>(7)
  return
}
";

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
        vec![(texels.0.to_vec(), self.integers)]
    }
    fn unknown(&self) -> Option<&'static str> {
        None
    }
    fn rules(&self) -> Result<(), Failure> {
        Ok(())
    }
    fn run(&self, given: &Given, texels: &Picture, how: How) -> Result<Vec<Vec<u8>>, String> {
        let n = u32::from_le_bytes(given.bytes[0][..4].try_into().expect("four bytes"));
        let (m, picture) = (self.code)(n, texels.0, how);
        Ok(vec![[n, m].iter().flat_map(|word| word.to_le_bytes()).collect(), picture.to_vec()])
    }
    fn listing(&self) -> String {
        String::new()
    }
}

/// What becomes of code beside the kernel: where it is wrong, or why nothing is proved.
fn judged(integers: bool, code: Code) -> String {
    let source = chiaro_ir::parse(SOURCE, SourceMap::new().add("kernel", SOURCE));
    let source = source.unwrap_or_else(|errors| panic!("{errors:?}"));
    match verify(&Toy { source, code, integers }, 1) {
        Ok(found) => {
            assert!(found.passed(), "{found:?}");
            format!("right {}", found.conclusive)
        }
        Err(Failure::Meaning(wrong)) => format!("wrong: {}", wrong.output),
        Err(Failure::Untested { why, .. }) => format!("not proved: {why}"),
        Err(other) => other.to_string(),
    }
}

fn right(n: u32, [_, rest @ ..]: [u8; 4]) -> (u32, [u8; 4]) {
    let [b, c, d] = rest;
    (n.wrapping_add(1), [7, b, c, d])
}

/// Of each of three runs two scalars, and the one texel that is another afterwards.
#[test]
fn right_code_is_taken() {
    assert_eq!(judged(true, |n, picture, _| right(n, picture)), "right 9");
}

#[test]
fn wrong_code_is_refused() {
    let all: [(&str, Code); 5] = [
        ("wrong: data at byte 4", |n, picture, _| (n, right(n, picture).1)),
        ("wrong: texels at byte 0", |n, picture, _| (right(n, picture).0, picture)),
        ("wrong: texels at byte 2", |n, picture, _| {
            let (n, [a, b, _, d]) = right(n, picture);
            (n, [a, b, 9, d])
        }),
        // Only where registers that nobody has written hold something.
        ("wrong: data at byte 4", |n, picture, how| (right(n, picture).0 ^ how.fill, right(n, picture).1)),
        ("wrong: texels at byte 1", |n, picture, how| {
            let (n, [a, b, c, d]) = right(n, picture);
            (n, [a, b ^ how.fill as u8, c, d])
        }),
    ];
    for (expected, code) in all {
        assert_eq!(judged(true, code), expected);
    }
}

/// What hangs on the order of groups proves nothing, and of floats nobody knows how far they may be off.
#[test]
fn what_is_in_doubt_proves_nothing() {
    let late: Code = |n, picture, how| {
        let (n, [_, b, c, d]) = right(n, picture);
        (n, if how.backwards { [8, b + 8, c + 8, d + 8] } else { [9, b + 9, c + 9, d + 9] })
    };
    assert_eq!(judged(true, late), "not proved: it depends on the order of the groups");
    let off: Code = |n, picture, _| {
        let (n, [a, b, c, d]) = right(n, picture);
        (n, [a + 1, b + 1, c + 1, d + 1])
    };
    assert_eq!(judged(false, off), "not proved: a texel may be off");
    assert_eq!(judged(true, off), "wrong: texels at byte 0");
}
