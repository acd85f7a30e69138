//! Storage images: every invocation has texels of its own, reads them and leaves others.
//!
//! A format keeps less than a number has, and words may be off. Where a number that is stored has a bound, both ends
//! are kept as the format rounds them, and what lies between is right; who reads such a texel proves nothing.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use chiaro_ir::interp::{Counterexample, Handle, Images, Request, Texel};
use chiaro_ir::{Dim, GlobalRef, ImageType, Module, Op, Walk};

use super::images::Plain;

/// What is known of the images of a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Form {
    /// Shape and format.
    pub image: ImageType,
    /// Whether components are floats.
    pub is_float: bool,
}

impl Form {
    /// Of a storage image; nothing of other variables.
    #[must_use]
    pub fn of(module: &Module, global: GlobalRef) -> Option<Form> {
        let image = module.types.image(module.global(global).ty)?;
        image.storage.then(|| Form { image, is_float: module.types.is_float(image.component) })
    }

    /// See [`size`].
    #[must_use]
    pub fn size(&self) -> [u32; 3] {
        size(&self.image)
    }

    /// All coordinates, x first.
    pub fn places(&self) -> impl Iterator<Item = [u32; 3]> {
        let [width, height, depth] = self.size();
        (0..depth).flat_map(move |z| (0..height).flat_map(move |y| (0..width).map(move |x| [x, y, z])))
    }
}

/// Width, height, depth or layers in texels, in the order of coordinates: faces of cubes are layers.
#[must_use]
pub fn size(image: &ImageType) -> [u32; 3] {
    match (image.dim, image.arrayed) {
        (Dim::Buffer, _) => [24, 1, 1],
        (Dim::D1, false) => [11, 1, 1],
        (Dim::D1, true) => [11, 3, 1],
        (Dim::D3, _) => [5, 3, 4],
        (Dim::Cube, false) => [4, 4, 6],
        (Dim::Cube, true) => [4, 4, 12],
        (_, true) => [6, 5, 3],
        (_, false) => [9, 6, 1],
    }
}

/// What an image of a machine keeps of a texel: rounded and limited as its format is. Nothing for images that checked
/// compilation has no texels for: all of theirs are alike.
pub type Kept = fn(&Form, Texel) -> Option<Texel>;

/// A texel.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Spot {
    /// The variable.
    pub global: GlobalRef,
    /// Which of an array of images.
    pub element: u32,
    /// Coordinates.
    pub at: [u32; 3],
}

impl Spot {
    /// What the texel holds before: numbers that tell texels apart, small enough for most formats.
    #[must_use]
    pub fn before(&self, form: &Form) -> Texel {
        let [x, y, z] = self.at;
        let parts = [self.global.0, self.element, x, y, z];
        let hash = parts.iter().fold(0x9e37_79b9u32, |all, part| {
            (all ^ part).wrapping_mul(0x85eb_ca6b).rotate_left(13) ^ all >> 7
        });
        std::array::from_fn(|n| {
            let bits = hash.wrapping_mul(2 * n as u32 + 0x01b3) >> 24;
            if form.is_float { (bits as f32 / 64.0 - 2.0).to_bits().into() } else { bits.into() }
        })
    }
}

/// Texels that an invocation has written: the least and the most that each component may be.
pub type Left = BTreeMap<Spot, [Texel; 2]>;

/// The images of an invocation, or of all of a dispatch.
#[derive(Clone)]
pub struct Texels<'a> {
    plain: Plain<'a>,
    module: &'a Module,
    kept: Kept,
    /// Whether the module has atomic operations on texels, as soon as that is asked for.
    counts: OnceCell<bool>,
    /// What was written.
    pub left: Left,
    /// Why the invocation proves nothing, as far as images know.
    pub doubt: Option<&'static str>,
}

impl<'a> Texels<'a> {
    /// Those of a module before anything is written.
    #[must_use]
    pub fn new(module: &'a Module, kept: Kept) -> Texels<'a> {
        let (plain, counts) = (Plain::new(module), OnceCell::new());
        Texels { plain, module, kept, counts, left: Left::new(), doubt: None }
    }

    /// The form of an image that has texels.
    fn form(&self, image: Handle) -> Option<Form> {
        Form::of(self.module, image.global).filter(|form| (self.kept)(form, [0; 4]).is_some())
    }

    /// The texel at a place; outside there is none. Machines need not look where atomic operations are.
    fn spot(&mut self, form: &Form, image: Handle, at: [i32; 4]) -> Option<Spot> {
        let size = form.size();
        let is_inside = (0..3).all(|n| u32::try_from(at[n]).is_ok_and(|at| at < size[n]));
        if !is_inside && *self.counts.get_or_init(|| has_atomics(self.module)) {
            self.doubt = Some("a texel outside of its image is used");
        }
        let at = std::array::from_fn(|n| at[n] as u32);
        is_inside.then_some(Spot { global: image.global, element: image.element, at })
    }
}

impl Images for Texels<'_> {
    fn sample(&mut self, request: &Request, ty: &ImageType) -> Texel {
        self.plain.sample(request, ty)
    }

    fn read(&mut self, image: Handle, ty: &ImageType, at: [i32; 4], level: i32) -> Texel {
        let Some(form) = self.form(image) else { return self.plain.read(image, ty, at, level) };
        let Some(spot) = self.spot(&form, image, at) else { return [0; 4] };
        let Some([least, most]) = self.left.get(&spot) else {
            return (self.kept)(&form, spot.before(&form)).unwrap_or_default();
        };
        if least != most {
            self.doubt = Some("a texel that was rounded is read again");
        }
        *least
    }

    fn write(&mut self, image: Handle, ty: &ImageType, at: [i32; 4], texel: Texel) {
        self.write_about(image, ty, at, (texel, [0.0; 4]));
    }

    fn write_about(
        &mut self,
        image: Handle,
        _: &ImageType,
        at: [i32; 4],
        (texel, errors): (Texel, [f64; 4]),
    ) {
        let Some(form) = self.form(image) else { return };
        let Some(spot) = self.spot(&form, image, at) else { return };
        let is_known =
            |n: usize| f32::from_bits(texel[n] as u32).is_finite() && errors[n].is_finite() || !form.is_float;
        if !(0..4).all(is_known) {
            self.doubt = Some("a number that is stored in an image is not finite");
        }
        let ends = [-1.0, 1.0].map(|sign| {
            let end = |n: usize| f64::from(f32::from_bits(texel[n] as u32)) + sign * errors[n];
            let ends = std::array::from_fn(|n| match errors[n] {
                0.0 => texel[n],
                _ => (end(n) as f32).to_bits().into(),
            });
            (self.kept)(&form, ends).unwrap_or_default()
        });
        self.left.insert(spot, ends);
    }

    fn size(&mut self, image: Handle, ty: &ImageType, level: u32) -> [u32; 3] {
        let Some(form) = self.form(image) else { return self.plain.size(image, ty, level) };
        let [width, height, depth] = form.size();
        [width, height, if ty.dim == Dim::Cube { depth / 6 } else { depth }]
    }

    fn levels(&mut self, request: &Request, ty: &ImageType) -> [f64; 2] {
        self.plain.levels(request, ty)
    }
}

fn has_atomics(module: &Module) -> bool {
    module.functions.iter().any(|f| Walk::insts(f).any(|inst| f.op(inst) == Op::TexelPointer))
}

/// The first of the texels behind the words that is not what the source leaves there, whether it wrote it or not.
#[must_use]
pub fn wrong(
    module: &Module,
    kept: Kept,
    (vertex, left): (usize, &Left),
    found: &[(Spot, Texel)],
) -> Option<Counterexample> {
    let before =
        |spot: &Spot| kept(&Form::of(module, spot.global)?, spot.before(&Form::of(module, spot.global)?));
    // Images that the words do not have are as they were.
    let unseen = left.keys().filter(|spot| !found.iter().any(|(other, _)| other == *spot));
    let unseen = unseen.filter_map(|spot| Some((*spot, before(spot)?)));
    found.iter().copied().chain(unseen).find_map(|(spot, texel)| {
        let form = Form::of(module, spot.global)?;
        let [least, most] = match left.get(&spot) {
            Some(ends) => *ends,
            None => [before(&spot)?; 2],
        };
        let number = |bits: u64| match form.is_float {
            true => f64::from(f32::from_bits(bits as u32)),
            false => bits as f64,
        };
        let is_right = |n: &usize| {
            let [least, most, found] = [least[*n], most[*n], texel[*n]].map(number);
            least <= found && found <= most
        };
        let component = (0..4).find(|n| !is_right(n))?;
        let [least, most, found] = [least, most, texel].map(|texel| number(texel[component]));
        let (expected, allowed) = ((least + most) / 2.0, (most - least) / 2.0);
        let [x, y, z] = spot.at;
        let output = format!("{}[{}] at {x}, {y}, {z}", module.global(spot.global).name, spot.element);
        Some(Counterexample { vertex, output, component, expected, allowed, found })
    })
}
