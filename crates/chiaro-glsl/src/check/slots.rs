//! Locations that are stated: components fit into one, and no two variables share any.
//!
//! Attributes are left out but for Vulkan: several may name one location, if no run reads both.

use super::checker::Checker;
use crate::hir::Global;
use crate::link::slots;
use crate::qualifier::{Interpolation, Layout, Storage};
use crate::source::{Client, Stage};
use crate::token::At;
use crate::ty::{Opaque, Scalar, Type};
use std::collections::HashMap;

/// Whether numbers are floats, their bits, and how they are interpolated. [GLSL 4.60, 4.4.1]
type Alike = (bool, u8, Interpolation, bool, bool);

/// Components that are taken, by storage, index and location, and of what they are.
type Taken = HashMap<(Storage, u32, u32), (u8, Alike)>;

/// Locations of one variable that are looked at.
const MOST: u32 = 256;

impl Checker<'_> {
    /// Checks all inputs and outputs.
    pub(super) fn check_slots(&mut self) {
        let mut faults: Vec<(At, String)> = Vec::new();
        let mut taken = Taken::new();
        for global in &self.globals {
            let (Some(at), None) = (global.at, global.builtin) else { continue };
            if !matches!(global.storage, Storage::In | Storage::Out | Storage::TileImage) {
                continue;
            }
            if global.storage == Storage::TileImage && global.layout.location.is_none() {
                faults.push((at, "an attachment needs its `location`".to_owned()));
            }
            if let Err(message) = self.components(global).and_then(|()| blend_source(&global.layout)) {
                faults.push((at, message));
                continue;
            }
            let attribute = self.stage == Stage::Vertex
                && global.storage == Storage::In
                && !matches!(self.client, Client::Vulkan { .. });
            let (Some(first), false) = (global.layout.location, attribute) else { continue };
            let index = global.layout.index.unwrap_or(0);
            let (mut shared, mut unlike) = (false, false);
            let own = self.alike(global);
            let ty = self.of_one_vertex(global);
            for nth in 0..slots::size(&self.types, ty).min(MOST) {
                let (location, mask) = (first.saturating_add(nth), self.mask(global, nth));
                let before = taken.entry((global.storage, index, location)).or_insert((0, own));
                shared |= before.0 & mask != 0;
                unlike |= before.1 != own;
                before.0 |= mask;
            }
            if shared {
                let name = self.text(global.name);
                faults.push((at, format!("`{name}` shares a location with a variable before it")));
            } else if unlike {
                let name = self.text(global.name);
                let message = format!(
                    "`{name}` has a location together with a variable of another kind of numbers or interpolation"
                );
                faults.push((at, message));
            }
        }
        self.check_attachments(&taken, &mut faults);
        for (at, message) in faults {
            self.error(at, message);
        }
    }

    /// An attachment is read as what the output at its place writes. [GL_EXT_shader_tile_image]
    fn check_attachments(&self, taken: &Taken, faults: &mut Vec<(At, String)>) {
        for global in self.globals.iter().filter(|global| global.storage == Storage::TileImage) {
            let (Some(at), Some(location)) = (global.at, global.layout.location) else { continue };
            let output = taken.get(&(Storage::Out, 0, location)).map(|output| output.1);
            if output.is_some_and(|output| output.0 != self.alike(global).0) {
                let name = self.text(global.name);
                faults.push((at, format!("`{name}` is of other numbers than the output of its location")));
            }
        }
    }

    /// The type of what counts for locations: inputs that come by vertex are arrays of it.
    fn of_one_vertex(&self, global: &Global) -> crate::ty::Ty {
        match *self.types.get(global.ty) {
            Type::Array(element, _)
                if global.layout.interpolation == Interpolation::PerVertex || self.is_arrayed(global) =>
            {
                element
            }
            _ => global.ty,
        }
    }

    /// What variables in one location must have in common.
    fn alike(&self, global: &Global) -> Alike {
        let mut ty = global.ty;
        while let Type::Array(element, _) = *self.types.get(ty) {
            ty = element;
        }
        let scalar = match *self.types.get(ty) {
            Type::Scalar(scalar) | Type::Vector(scalar, _) | Type::Matrix { scalar, .. } => scalar,
            Type::Opaque(Opaque::Texture { scalar, .. }) => scalar,
            _ => Scalar::Float,
        };
        let float = matches!(scalar, Scalar::Float | Scalar::Double | Scalar::Float16);
        let bits = match scalar {
            Scalar::Double | Scalar::Int64 | Scalar::Uint64 => 64,
            Scalar::Float16 | Scalar::Int16 | Scalar::Uint16 => 16,
            Scalar::Int8 | Scalar::Uint8 => 8,
            _ => 32,
        };
        let layout = &global.layout;
        (float, bits, layout.interpolation, layout.centroid, layout.sample)
    }

    /// Components that a variable takes of the `nth` of its locations, a bit each.
    fn mask(&self, global: &Global, nth: u32) -> u8 {
        let first = global.layout.component.unwrap_or(0);
        match self.width(global) {
            Some(width @ 5..) if nth % 2 == 1 => (1u8 << (width - 4)) - 1,
            Some(width) if width <= 4 => ((1u8 << width) - 1) << first.min(3) & 15,
            _ => 15,
        }
    }

    /// Whether `component` goes with the type, and has a location.
    fn components(&self, global: &Global) -> Result<(), String> {
        let Some(first) = global.layout.component else { return Ok(()) };
        if global.layout.location.is_none() {
            return Err("`component` needs a `location`".to_owned());
        }
        match self.width(global) {
            None => Err("`component` goes with scalars, vectors and arrays of them".to_owned()),
            Some(width) if first + width.min(4) > 4 => {
                Err(format!("{width} components from {first} on do not fit into one location"))
            }
            Some(_) => Ok(()),
        }
    }

    /// How many components of 32 bits a variable has, arrays aside: more than 4 go over two locations, from the
    /// first component of each on.
    fn width(&self, global: &Global) -> Option<u32> {
        let mut ty = global.ty;
        while let Type::Array(element, _) = *self.types.get(ty) {
            ty = element;
        }
        let (scalar, count) = match *self.types.get(ty) {
            Type::Scalar(scalar) => (scalar, 1),
            Type::Vector(scalar, count) => (scalar, u32::from(count)),
            _ => return None,
        };
        let wide = matches!(scalar, Scalar::Double | Scalar::Int64 | Scalar::Uint64);
        Some(if wide { count * 2 } else { count })
    }
}

/// Which of the two colours of a blend an output is. [GLSL 4.60, 4.4.2]
fn blend_source(layout: &Layout) -> Result<(), String> {
    match (layout.index, layout.location) {
        (Some(2..), _) => Err("the `index` of an output is 0 or 1".to_owned()),
        (Some(_), None) => Err("an `index` needs a `location` beside it".to_owned()),
        _ => Ok(()),
    }
}
