//! Texels that an invocation finds and leaves, against those that its source leaves: written ones, and those that stay.

use chiaro_diag::SourceMap;
use chiaro_ir::interp::{Handle, Images, Texel};
use chiaro_ir::{GlobalRef, ImageType, Module};
use chiaro_target::proof::images::Plain;
use chiaro_target::proof::texels::{Form, Left, Spot, Texels, wrong};

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

/// The same of floats, which may lie between a least and a most.
#[test]
fn floats_lie_within_their_ends() {
    let module = image("f32", "2d", "");
    let spot = Spot { global: GlobalRef(0), element: 0, at: [1, 0, 0] };
    let bits = |x: f32| [u64::from(x.to_bits()); 4];
    let left: Left = [(spot, [bits(1.0), bits(1.5)])].into();
    let told = |x: f32| wrong(&module, whole, (0, &left), &[(spot, bits(x))]);
    for right in [1.0, 1.25, 1.5] {
        assert_eq!(told(right), None, "{right}");
    }
    for other in [0.75, 1.75, f32::NAN] {
        let wrong = told(other).expect("it is outside");
        assert_eq!((wrong.component, wrong.expected, wrong.allowed), (0, 1.25, 0.25), "{other}");
    }
}

const IMAGE: Handle = Handle { global: GlobalRef(0), element: 0 };

/// A module with an image of a kind, and what its kernel does with it.
fn image(component: &str, dim: &str, body: &str) -> Module {
    let text = format!(
        "global @picture: handle image<{component}, {dim}, storage> set(0) binding(0)
entry compute \"main\" = @f workgroup(1, 1, 1)
fn @f() {{\n{body}  return\n}}\n"
    );
    let module = chiaro_ir::parse(&text, SourceMap::new().add("picture", text.as_str()));
    module.unwrap_or_else(|errors| panic!("{errors:?}\n{text}"))
}

fn type_of(module: &Module) -> ImageType {
    module.types.image(module.global(GlobalRef(0)).ty).expect("an image")
}

/// An invocation finds what was there before, and what it has written itself; there is nothing outside.
#[test]
fn texels_are_found_as_they_were_left() {
    let atomics = "  %1: ptr<texel, i32> = texel @picture, vec2<i32>(zero), 0\n";
    for (body, doubt) in [("", None), (atomics, Some("a texel outside of its image is used"))] {
        let module = image("i32", "2d", body);
        let (ty, form) = (type_of(&module), Form::of(&module, GlobalRef(0)).expect("texels"));
        let mut texels = Texels::new(&module, whole);
        let [width, height, _] = texels.size(IMAGE, &ty, 0).map(|n| n as i32);
        let last = [width - 1, height - 1, 0, 0];
        let spot = Spot { global: GlobalRef(0), element: 0, at: [width as u32 - 1, height as u32 - 1, 0] };
        assert_eq!(texels.read(IMAGE, &ty, last, 0), spot.before(&form));
        texels.write(IMAGE, &ty, last, [7; 4]);
        assert_eq!(texels.read(IMAGE, &ty, last, 0), [7; 4]);
        assert_eq!((texels.left.len(), texels.doubt), (1, None));
        for at in [[width, 0, 0, 0], [0, height, 0, 0], [0, 0, 1, 0], [-1, 0, 0, 0]] {
            texels.doubt = None;
            texels.write(IMAGE, &ty, at, [9; 4]);
            assert_eq!((texels.read(IMAGE, &ty, at, 0), texels.left.len()), ([0; 4], 1), "{at:?}");
            assert_eq!(texels.doubt, doubt, "{at:?}");
        }
    }
}

/// What is rounded when it is stored is not known when it is read again, nor is what is not finite; integers are known.
#[test]
fn texels_that_are_not_known_are_in_doubt() {
    let told = |component: &str, texel: Texel, errors: [f64; 4]| {
        let module = image(component, "2d", "");
        let (ty, mut texels) = (type_of(&module), Texels::new(&module, whole));
        texels.write_about(IMAGE, &ty, [1, 1, 0, 0], (texel, errors));
        texels.read(IMAGE, &ty, [1, 1, 0, 0], 0);
        texels.doubt
    };
    let [one, none] = [1.0, f32::INFINITY].map(|x: f32| u64::from(x.to_bits()));
    let (rounded, open) = (
        Some("a texel that was rounded is read again"),
        Some("a number that is stored in an image is not finite"),
    );
    assert_eq!(told("f32", [one; 4], [0.0; 4]), None);
    assert_eq!(told("f32", [one; 4], [0.0, 0.0, 0.5, 0.0]), rounded);
    assert_eq!(told("f32", [one, one, one, none], [0.0; 4]), open);
    assert_eq!(told("i32", [none; 4], [0.0; 4]), None);
    let module = image("f32", "2d", "");
    let (ty, mut texels) = (type_of(&module), Texels::new(&module, whole));
    texels.write_about(IMAGE, &ty, [1, 1, 0, 0], ([one; 4], [0.0, f64::INFINITY, 0.0, 0.0]));
    assert_eq!(texels.doubt, open);
}

/// Cubes have layers of six faces, to who asks for their size.
#[test]
fn images_have_their_sizes() {
    let size = |dim: &str| {
        let module = image("f32", dim, "");
        let ty = type_of(&module);
        Texels::new(&module, whole).size(IMAGE, &ty, 0)
    };
    assert_eq!([size("2d"), size("3d"), size("cube")].map(|[.., depth]| depth), [1, 4, 1]);
}

/// Images of which texels are not compared have one texel; a cube has it on each face.
#[test]
fn plain_images_have_one_texel() {
    for (dim, layers) in [("2d", 1), ("cube", 6)] {
        let module = image("f32", dim, "");
        let (ty, mut plain) = (type_of(&module), Plain::new(&module));
        let texel = plain.texel(IMAGE, &ty);
        assert_ne!(texel, [0; 4]);
        assert_eq!(plain.read(IMAGE, &ty, [0; 4], 0), texel);
        assert_eq!(plain.read(IMAGE, &ty, [0, 1, 0, 0], 0), [0; 4]);
        assert_eq!(plain.read(IMAGE, &ty, [0; 4], 1), [0; 4]);
        let (bound, _) = plain.bound(IMAGE, &ty);
        assert_eq!((bound.size, bound.texels), ([1, 1, layers], vec![texel; layers as usize]), "{dim}");
    }
}
