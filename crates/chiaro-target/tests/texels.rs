//! Texels that an invocation leaves, against those that its source leaves: written ones, and those that stay.

use chiaro_diag::SourceMap;
use chiaro_ir::GlobalRef;
use chiaro_ir::interp::Texel;
use chiaro_target::proof::texels::{Form, Left, Spot, wrong};

const SOURCE: &str = "global @picture: handle image<i32, 2d, storage> set(0) binding(0)
entry compute \"main\" = @f workgroup(1, 1, 1)
fn @f() { return }
";

fn whole(_: &Form, texel: Texel) -> Option<Texel> {
    Some(texel)
}

/// Where texels differ that the source and the words leave, written as x coordinates with numbers.
fn differs(left: &[(u32, u64)], found: &[(u32, u64)]) -> Option<String> {
    let module = chiaro_ir::parse(SOURCE, SourceMap::new().add("picture", SOURCE)).expect("a module");
    let spot = |x: u32| Spot { global: GlobalRef(0), element: 0, at: [x, 0, 0] };
    let left: Left = left.iter().map(|&(x, n)| (spot(x), [[n; 4]; 2])).collect();
    let found: Vec<(Spot, Texel)> = found.iter().map(|&(x, n)| (spot(x), [n; 4])).collect();
    wrong(&module, whole, (0, &left), &found).map(|wrong| wrong.output)
}

#[test]
fn texels_are_those_of_the_source() {
    assert_eq!(differs(&[(1, 300)], &[(1, 300)]), None);
    assert_eq!(differs(&[(1, 300)], &[(1, 301)]).as_deref(), Some("picture[0] at 1, 0, 0"));
    // What the words have written and the source has not is no longer what was there.
    assert_eq!(differs(&[(1, 300)], &[(1, 300), (2, 300)]).as_deref(), Some("picture[0] at 2, 0, 0"));
    // What the source has written and the words have not still is.
    assert_eq!(differs(&[(1, 300)], &[]).as_deref(), Some("picture[0] at 1, 0, 0"));
    assert_eq!(differs(&[(1, 300), (2, 300)], &[(1, 300)]).as_deref(), Some("picture[0] at 2, 0, 0"));
    assert_eq!(differs(&[], &[]), None);
}
