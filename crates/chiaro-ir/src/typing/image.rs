//! Images: sampling, texels and questions about them.

use super::{Check, Typing};
use crate::op::{Op, Query, Sampling};
use crate::ty::{Dim, ImageType, Space, Ty, Type};

/// Coordinates of one texel without the layer: how far an image extends.
pub(crate) fn extent(dim: Dim) -> u8 {
    match dim {
        Dim::D1 | Dim::Buffer => 1,
        Dim::D2 | Dim::Rect | Dim::Subpass => 2,
        Dim::D3 | Dim::Cube => 3,
    }
}

/// Coordinates by which a texel is addressed; a cube's faces count as layers.
fn texel_coordinates(image: &ImageType) -> u8 {
    match image.dim {
        Dim::Cube => 3,
        dim => extent(dim) + u8::from(image.arrayed),
    }
}

/// Whether an image has levels that a fetch or a question of its size names.
pub(crate) fn has_levels(image: &ImageType) -> bool {
    !image.multisampled && !image.storage && !matches!(image.dim, Dim::Rect | Dim::Buffer | Dim::Subpass)
}

impl Typing<'_> {
    pub(super) fn image(&self, op: Op) -> Check {
        match op {
            Op::SampledImage => self.sampled_image(),
            Op::ImageOf => self.image_of(),
            Op::Sample(sampling) => self.sample(sampling),
            Op::Fetch => self.fetch(),
            Op::ImageRead => self.image_read(),
            Op::ImageWrite => self.image_write(),
            Op::TexelPointer => self.texel_pointer(),
            Op::ImageQuery(query) => self.image_query(query),
            _ => Ok(()),
        }
    }

    fn sampled_image(&self) -> Check {
        self.count(2)?;
        let image = *self.image_operand(0)?;
        self.arg_is(1, |ty| *self.types.get(ty) == Type::Sampler, "a sampler")?;
        // Whether it is compared may be the sampler's to say.
        let fits = |ty| match *self.types.get(ty) {
            Type::SampledImage(other) => ImageType { depth: image.depth, ..other } == image,
            _ => false,
        };
        self.result_is(fits, "the sampled image of the operand")
    }

    fn image_of(&self) -> Check {
        self.count(1)?;
        let Type::SampledImage(image) = *self.types.get(self.arg(0)) else {
            return Err(format!("operand 1 is {}, not a sampled image", self.name(self.arg(0))));
        };
        self.result_is(|ty| *self.types.get(ty) == Type::Image(image), "the image of the operand")
    }

    fn image_operand(&self, i: usize) -> Result<&ImageType, String> {
        match self.types.get(self.arg(i)) {
            Type::Image(image) => Ok(image),
            _ => Err(format!("operand {} is {}, not an image", i + 1, self.name(self.arg(i)))),
        }
    }

    fn sample(&self, s: Sampling) -> Check {
        let component = s.gather && !s.reference;
        let single = [s.reference, s.bias, s.level, s.offset, component, s.minimum];
        self.count(2 + single.iter().filter(|&&set| set).count() + 2 * usize::from(s.gradients))?;
        let Type::SampledImage(image) = self.types.get(self.arg(0)) else {
            return Err(format!("operand 1 is {}, not a sampled image", self.name(self.arg(0))));
        };
        let size = extent(image.dim);
        self.floats_at_least(1, size + u8::from(image.arrayed) + u8::from(s.projected))?;
        self.sample_operands(s, size, component)?;
        let n = if s.reference && !s.gather { 1 } else { 4 };
        self.texel_result(image.component, n, n)
    }

    /// The operands behind the coordinate, in the order that [`Sampling`] states.
    fn sample_operands(&self, s: Sampling, size: u8, component: bool) -> Check {
        let mut at = 1;
        let mut next = || {
            at += 1;
            at
        };
        for _ in [s.reference, s.bias, s.level].into_iter().filter(|&set| set) {
            self.arg_is(next(), |ty| self.is_float_scalar(ty), "a float")?;
        }
        if s.gradients {
            self.floats_at_least(next(), size)?;
            self.floats_at_least(next(), size)?;
        }
        if s.offset {
            self.sample_offset(next(), s.gather)?;
        }
        if component {
            self.arg_is(next(), |ty| self.is_i32(ty), "i32")?;
        }
        if s.minimum {
            self.arg_is(next(), |ty| self.is_float_scalar(ty), "a float")?;
        }
        Ok(())
    }

    /// That operand `i` has so many floats; more are ignored.
    fn floats_at_least(&self, i: usize, n: u8) -> Check {
        let fits = |ty| self.types.is_float(ty) && self.types.components(ty) >= n;
        self.arg_is_what(i, fits, || format!("{n} or more floats"))
    }

    fn ints_at_least(&self, i: usize, n: u8) -> Check {
        let fits = |ty| self.types.is_int(ty) && self.types.components(ty) >= n;
        self.arg_is_what(i, fits, || format!("{n} or more integers"))
    }

    fn sample_offset(&self, i: usize, gather: bool) -> Check {
        let fits = |ty| match *self.types.get(ty) {
            Type::Array(elem, 4, _) => gather && self.types.is_int(elem),
            _ => self.types.is_int(ty),
        };
        self.arg_is(i, fits, "an offset in texels")
    }

    /// That the result is a scalar or vector of the image's component, of `low..=high`.
    fn texel_result(&self, component: Ty, low: u8, high: u8) -> Check {
        let fits =
            |ty| self.types.scalar(ty) == component && (low..=high).contains(&self.types.components(ty));
        self.result_is_what(fits, || format!("{low} to {high} components of {}", self.name(component)))
    }

    fn fetch(&self) -> Check {
        self.count_between(2, 3)?;
        let image = self.image_operand(0)?;
        self.count(2 + usize::from(has_levels(image) || image.multisampled))?;
        self.ints_at_least(1, texel_coordinates(image))?;
        if self.args.len() == 3 {
            self.arg_is(2, |ty| self.is_i32(ty), "i32")?;
        }
        self.texel_result(image.component, 4, 4)
    }

    fn image_read(&self) -> Check {
        self.count_between(2, 3)?;
        let image = self.image_operand(0)?;
        self.count(2 + usize::from(image.multisampled))?;
        self.ints_at_least(1, texel_coordinates(image))?;
        if image.multisampled {
            self.arg_is(2, |ty| self.is_i32(ty), "i32")?;
        }
        self.texel_result(image.component, 1, 4)
    }

    fn image_write(&self) -> Check {
        self.no_result()?;
        self.count_between(3, 4)?;
        let image = self.image_operand(0)?;
        self.count(3 + usize::from(image.multisampled))?;
        self.ints_at_least(1, texel_coordinates(image))?;
        self.arg_is(2, |ty| self.types.scalar(ty) == image.component, "made of the image's components")?;
        if image.multisampled { self.arg_is(3, |ty| self.is_i32(ty), "i32") } else { Ok(()) }
    }

    fn texel_pointer(&self) -> Check {
        self.count(3)?;
        let (_, ty) = self.place(0)?;
        let Type::Image(image) = self.types.get(ty) else {
            return Err(format!("operand 1 points to {}, not to an image", self.name(ty)));
        };
        self.ints_at_least(1, texel_coordinates(image))?;
        self.arg_is(2, |ty| self.is_i32(ty), "i32")?;
        let place = (Space::Image, image.component);
        self.result_is(|ty| self.types.pointee(ty) == Some(place), "a pointer to the image's component")
    }

    fn image_query(&self, query: Query) -> Check {
        self.count_between(1, 2)?;
        let (Type::Image(image) | Type::SampledImage(image)) = self.types.get(self.arg(0)) else {
            return Err(format!("operand 1 is {}, not an image", self.name(self.arg(0))));
        };
        match query {
            Query::Size => self.image_size(image),
            Query::Levels | Query::Samples => {
                self.count(1)?;
                self.result_is(|ty| self.is_i32(ty), "i32")
            }
            Query::Lod => {
                self.count(2)?;
                self.floats_at_least(1, extent(image.dim))?;
                let two = |ty| self.types.is_float(ty) && self.types.components(ty) == 2;
                self.result_is(two, "two floats")
            }
        }
    }

    fn image_size(&self, image: &ImageType) -> Check {
        self.count(1 + usize::from(has_levels(image)))?;
        if self.args.len() == 2 {
            self.arg_is(1, |ty| self.is_i32(ty), "i32")?;
        }
        // A cube has the size of its faces.
        let n = if image.dim == Dim::Cube { 2 } else { extent(image.dim) } + u8::from(image.arrayed);
        let fits = |ty| self.is_i32(self.types.scalar(ty)) && self.types.components(ty) == n;
        self.result_is_what(fits, || format!("{n} of i32"))
    }
}
