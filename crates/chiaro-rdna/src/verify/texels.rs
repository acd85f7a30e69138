//! Images and buffers of texels, as the interpreter asks for them and as descriptors say it.
//!
//! What is loaded and stored by coordinates has random texels. What is sampled has one colour everywhere: rounding of
//! coordinates chooses nothing then, and filters give what they are given.

use chiaro_ir::interp::{Handle, Images, Request, Texel};
use chiaro_ir::{Def, Dim, Function, GlobalRef, ImageType, Module, Op, Query, Value, Walk};
use chiaro_isa::Rng;
use chiaro_sim::texel::TexelFormat;

use super::launch::{IMAGE_SAMPLES, ROW, View};
use crate::machine::texel_format;

/// Texels of a buffer.
const TEXELS: u32 = 96;

/// Numbers of formats: SPIR-V's, and the machine's (spec section 8.3).
const FORMATS: [(u8, u32); 15] = [
    (1, 77),
    (2, 71),
    (3, 22),
    (4, 56),
    (6, 64),
    (7, 29),
    (9, 13),
    (21, 76),
    (24, 21),
    (25, 63),
    (30, 75),
    (31, 69),
    (32, 60),
    (33, 20),
    (35, 62),
];

/// What the texels of a variable are, and how they lie.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Form {
    /// The machine's number of the format.
    pub(super) format: u32,
    /// Width, height, depth or layers.
    size: [u32; 3],
    /// Samples of a texel, each in a plane of its own.
    samples: u32,
    /// The machine's number of an image's shape; none of buffers.
    kind: Option<u32>,
    /// Whether all texels are alike.
    is_plain: bool,
}

impl Form {
    /// Those of a variable, of an array those of its elements; nothing of shapes and formats that nobody knows here.
    pub(super) fn of(module: &Module, g: GlobalRef) -> Option<Form> {
        let image = module.types.image(module.global(g).ty)?;
        // Who does not say it gets four words, of depths one.
        let whole = match (module.types.is_float(image.component), image.signed) {
            _ if image.depth => 22,
            (true, _) => 77,
            (false, true) => 76,
            (false, false) => 75,
        };
        let format = match image.format {
            0 => whole,
            own => FORMATS.iter().find(|(number, _)| *number == own).map(|(_, format)| *format)?,
        };
        let (size, kind) = match (image.dim, image.arrayed, image.multisampled) {
            (Dim::Buffer, ..) => ([TEXELS, 1, 1], None),
            (Dim::D1, false, _) => ([32, 1, 1], Some(8)),
            (Dim::D1, true, _) => ([32, 1, 3], Some(12)),
            (Dim::D2 | Dim::Rect, false, false) => ([16, 9, 1], Some(9)),
            (Dim::D3, ..) => ([8, 6, 5], Some(10)),
            (Dim::Cube, false, _) => ([8, 8, 6], Some(11)),
            (Dim::Cube, true, _) => ([8, 8, 12], Some(11)),
            (Dim::D2, true, false) => ([9, 8, 3], Some(13)),
            (Dim::D2, false, true) => ([8, 7, 1], Some(14)),
            (Dim::D2, true, true) => ([8, 7, 2], Some(15)),
            _ => return None,
        };
        let samples = if image.multisampled { IMAGE_SAMPLES } else { 1 };
        let is_plain = !image.storage && !image.multisampled && image.dim != Dim::Buffer;
        Some(Form { format, size, samples, kind, is_plain })
    }

    /// What descriptors say of it.
    pub(super) fn view(&self) -> View {
        self.kind.map_or(View::Texels(self.format), |kind| View::Image(self.format, self.size, kind))
    }

    /// Bytes from a row to the next.
    fn pitch(&self, texel: usize) -> usize {
        let row = self.size[0] as usize * texel;
        if self.kind.is_some() { row.next_multiple_of(ROW) } else { row }
    }

    /// Random bytes of so many: of words numbers that shaders have.
    pub(super) fn contents(&self, rng: &mut Rng, count: usize) -> Vec<u8> {
        let Some(format) = texel_format(self.format) else { return Vec::new() };
        let word = |rng: &mut Rng| {
            let bits = rng.next();
            match format.is_integer() {
                true => bits as u32 & 0xff,
                false => ((bits >> 40) as f32 / (1 << 22) as f32 - 2.0).to_bits(),
            }
        };
        let mut bytes = Vec::new();
        for _ in 0..count {
            let plain: [u32; 4] = std::array::from_fn(|_| word(rng));
            for _ in 0..self.size[1] * self.size[2] * self.samples {
                let end = bytes.len() + self.pitch(format.bytes());
                for _ in 0..self.size[0] {
                    let texel = if self.is_plain { plain } else { std::array::from_fn(|_| word(rng)) };
                    bytes.extend(format.write(texel, true));
                }
                bytes.resize(end, 0);
            }
        }
        bytes
    }

    /// The byte where a texel's sample begins; nothing outside.
    fn place(&self, at: [i32; 4], sample: i32, texel: usize) -> Option<usize> {
        let ends = self.size.into_iter().chain([self.samples]);
        let all = [at[0], at[1], at[2], sample];
        let is_inside = all.iter().zip(ends).all(|(&at, end)| u32::try_from(at).is_ok_and(|at| at < end));
        let [x, y, z, sample] = all.map(|at| at as usize);
        let plane = z * self.samples as usize + sample;
        is_inside.then(|| (plane * self.size[1] as usize + y) * self.pitch(texel) + x * texel)
    }
}

/// A variable's images or buffers, one behind the other.
#[derive(Clone, Debug)]
pub(super) struct Own {
    pub(super) global: GlobalRef,
    pub(super) form: Form,
    pub(super) count: usize,
    pub(super) bytes: Vec<u8>,
}

/// What a shader has of them.
#[derive(Clone, Debug)]
pub struct Texels(pub(super) Vec<Own>);

impl Texels {
    /// The format of a texel's sample and its bytes; nothing beyond the end.
    fn texel(&mut self, handle: Handle, at: [i32; 4], sample: i32) -> Option<(TexelFormat, &mut [u8])> {
        let own = self.0.iter_mut().find(|own| own.global == handle.global)?;
        let format = texel_format(own.form.format)?;
        let (size, whole) = (format.bytes(), own.bytes.len() / own.count.max(1));
        let place = own.form.place(at, sample, size)?;
        let first = handle.element as usize * whole + place;
        Some((format, own.bytes.get_mut(first..first + size)?))
    }
}

impl Images for Texels {
    fn sample(&mut self, request: &Request, _: &ImageType) -> Texel {
        let Some((format, bytes)) = self.texel(request.image, [0; 4], 0) else { return [0; 4] };
        let texel = format.read(bytes).map(u64::from);
        if request.how.reference {
            // The sampler compares for less or equal.
            let passes = request.reference <= f64::from(f32::from_bits(texel[0] as u32));
            return [(if passes { 1.0f32 } else { 0.0 }).to_bits().into(); 4];
        }
        if request.how.gather { [texel[(request.component & 3) as usize]; 4] } else { texel }
    }

    /// There is one level: the number is that of a sample, or 0.
    fn read(&mut self, image: Handle, _: &ImageType, at: [i32; 4], sample: i32) -> Texel {
        let found = self.texel(image, at, sample);
        found.map_or([0; 4], |(format, bytes)| format.read(bytes)).map(u64::from)
    }

    fn write(&mut self, image: Handle, _: &ImageType, at: [i32; 4], texel: Texel) {
        if let Some((format, bytes)) = self.texel(image, at, 0) {
            bytes.copy_from_slice(&format.write(texel.map(|component| component as u32), true));
        }
    }

    fn size(&mut self, image: Handle, _: &ImageType, _: u32) -> [u32; 3] {
        self.0.iter().find(|own| own.global == image.global).map_or([0; 3], |own| own.form.size)
    }

    fn counts(&mut self, image: Handle, _: &ImageType) -> [u32; 2] {
        [1, self.0.iter().find(|own| own.global == image.global).map_or(1, |own| own.form.samples)]
    }
}

/// What of a function's images nothing is known of here: levels that coordinates choose, and floats that are read again
/// behind a rounding of a format.
pub(super) fn doubt(module: &Module, f: &Function) -> Option<&'static str> {
    let (mut read, mut written) = (Vec::new(), Vec::new());
    for inst in Walk::insts(f) {
        let of = || f.args(inst).first().and_then(|&handle| variable(module, f, handle));
        match f.op(inst) {
            Op::ImageQuery(Query::Lod) => return Some("levels are not compared"),
            Op::ImageRead => read.extend(of()),
            Op::ImageWrite => written.extend(of()),
            _ => {}
        }
    }
    let is_float = |g: &GlobalRef| {
        module.types.image(module.global(*g).ty).is_some_and(|image| module.types.is_float(image.component))
    };
    let is_rounded = written.iter().any(|g| read.contains(g) && is_float(g));
    is_rounded.then_some("floats that images hold are not compared where they are read again")
}

/// The variable that a handle was loaded from.
fn variable(module: &Module, f: &Function, handle: Value) -> Option<GlobalRef> {
    let Def::Result(inst, _) = f.def(handle) else { return None };
    module.variable_of(f, *f.args(inst).first()?)
}
