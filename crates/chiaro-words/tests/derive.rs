//! Interfaces out of names and decorations, for words that bring none.

use chiaro_words::module::{Clip, Precision, Variable};
use chiaro_words::{Builder, derive};
use spirv::{Decoration, Op, StorageClass};

/// The leaves of a uniform variable of a type, at location 4 of OpenGL's.
fn leaves(class: StorageClass, ty: impl FnOnce(&mut Builder) -> u32) -> Variable {
    let mut b = Builder::new(1, 0);
    let ty = ty(&mut b);
    let pointer = b.pointer(class, ty);
    let variable = b.variable(class, pointer);
    b.name(variable, "v");
    b.decorate(variable, Decoration::Location, &[4]);
    let module = b.finish().expect("short instructions");
    let mut interface = derive(&module.words);
    assert_eq!((interface.variables.len(), interface.clip), (1, Clip::Vulkan));
    interface.variables.remove(0)
}

fn float(b: &mut Builder) -> u32 {
    b.ty(Op::TypeFloat, &[32])
}

fn array(b: &mut Builder, of: u32, count: u32) -> u32 {
    let count = b.uint(count);
    b.distinct(Op::TypeArray, &[of, count])
}

/// A structure of a float at 0, relaxed, and a matrix of three columns at 16.
fn light(b: &mut Builder) -> u32 {
    let float = float(b);
    let vector = b.ty(Op::TypeVector, &[float, 4]);
    let matrix = b.ty(Op::TypeMatrix, &[vector, 3]);
    let light = b.distinct(Op::TypeStruct, &[float, matrix]);
    for (i, (name, offset)) in [("power", 0), ("turn", 16)].into_iter().enumerate() {
        b.member_name(light, i as u32, name);
        b.decorate_member(light, i as u32, Decoration::Offset, &[offset]);
    }
    b.decorate_member(light, 0, Decoration::RelaxedPrecision, &[]);
    light
}

#[test]
fn structures_in_arrays_are_listed_by_name_place_and_precision() {
    let variable = leaves(StorageClass::Output, |b| {
        let light = light(b);
        let lights = array(b, light, 2);
        b.decorate(lights, Decoration::ArrayStride, &[64]);
        lights
    });
    let rows: Vec<_> =
        variable.leaves.iter().map(|l| (&*l.name, l.location, l.offset, l.count, l.precision)).collect();
    // A matrix takes a location for each column.
    assert_eq!(
        rows,
        [
            ("v[0].power", Some(4), Some(0), None, Precision::Medium),
            ("v[0].turn", Some(5), Some(16), None, Precision::High),
            ("v[1].power", Some(8), Some(64), None, Precision::Medium),
            ("v[1].turn", Some(9), Some(80), None, Precision::High),
        ]
    );
}

#[test]
fn arrays_of_scalars_are_one_leaf() {
    let variable = leaves(StorageClass::UniformConstant, |b| {
        let float = float(b);
        array(b, float, 7)
    });
    assert_eq!(variable.leaves.len(), 1);
    assert_eq!((&*variable.leaves[0].name, variable.leaves[0].count), ("v", Some(7)));
}

/// A few words can declare billions of leaves: what is listed has an end, and so has the way there.
#[test]
fn what_multiplies_is_listed_up_to_a_limit() {
    let many = leaves(StorageClass::Output, |b| {
        let light = light(b);
        array(b, light, u32::MAX)
    });
    assert_eq!(many.leaves.len(), Variable::MOST_LEAVES);
    let none = leaves(StorageClass::Output, |b| {
        let empty = b.distinct(Op::TypeStruct, &[]);
        let outer = b.distinct(Op::TypeStruct, &[empty]);
        array(b, outer, u32::MAX)
    });
    assert_eq!(none.leaves, []);
}
