//! Values as users give them, before it is known what they are for.

use chiaro_sim::texture::{Dim, Sampler, Shape, Texture};

/// A value of a uniform, an attribute, a buffer or an image.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// `true` or `false`.
    Bool(bool),
    /// A number of whatever type the program has there.
    Number(f64),
    /// The bits of a number.
    Bits(u64),
    /// Components of a vector, columns of a matrix, elements of an array.
    List(Vec<Value>),
    /// Members of a structure by name.
    Fields(Vec<(String, Value)>),
    /// Memory as it is.
    Bytes(Vec<u8>),
    /// An image.
    Image(Image),
}

/// An image as the program sees it, and how it is sampled.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Image {
    /// What the texels form.
    pub shape: Shape,
    /// Width, height, and depth or layers; six layers for a cube.
    pub size: [u32; 3],
    /// Texels of the first level, row by row, the first row first.
    pub texels: Vec<[f32; 4]>,
    /// Further levels, each half as large.
    pub smaller: Vec<Vec<[f32; 4]>>,
    /// The sampler that goes with it.
    pub sampler: Sampler,
}

impl Image {
    /// The image in the form that samplers read. Texels that are missing are zero.
    #[must_use]
    pub fn texture(&self) -> Texture {
        let bits = |texels: &[[f32; 4]]| -> Vec<_> {
            texels.iter().map(|texel| texel.map(|channel| channel.to_bits().into())).collect()
        };
        let deep = self.shape.dim == Dim::D3;
        let level = |n: usize, texels: &[[f32; 4]]| {
            let [width, height, depth] = self.size;
            let half = |size: u32| (size >> n.min(31)).max(1);
            let size = [half(width), half(height), if deep { half(depth) } else { depth }];
            Texture { size, texels: bits(texels), smaller: Vec::new() }
        };
        let smaller = self.smaller.iter().enumerate().map(|(n, texels)| level(n + 1, texels)).collect();
        Texture { smaller, ..level(0, &self.texels) }
    }

    /// Adds all smaller levels of an image without depth: each texel is the mean of those that it
    /// covers.
    pub fn add_levels(&mut self) {
        self.smaller.clear();
        let [mut width, mut height, layers] = self.size.map(|n| n.max(1) as usize);
        let mut from = self.texels.clone();
        from.resize(width * height * layers, [0.0; 4]);
        while width > 1 || height > 1 {
            let (w, h) = ((width / 2).max(1), (height / 2).max(1));
            let texel = |layer: usize, x: usize, y: usize| {
                let (right, below) = ((2 * x + 1).min(width - 1), (2 * y + 1).min(height - 1));
                let four = [(2 * x, 2 * y), (right, 2 * y), (2 * x, below), (right, below)];
                let at = |(x, y): (usize, usize)| from[(layer * height + y) * width + x];
                std::array::from_fn(|i| four.iter().map(|place| at(*place)[i]).sum::<f32>() / 4.0)
            };
            let rows = (0..layers).flat_map(|layer| (0..h).map(move |y| (layer, y)));
            let next: Vec<[f32; 4]> = rows
                .flat_map(|(layer, y)| (0..w).map(move |x| (layer, x, y)))
                .map(|(l, x, y)| texel(l, x, y))
                .collect();
            self.smaller.push(next.clone());
            (from, width, height) = (next, w, h);
        }
    }
}

/// What a component of a result is, so that its bits can be shown as a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// `true` or `false`.
    Bool,
    /// An integer with a sign, of so many bits.
    Int(u8),
    /// An integer without a sign.
    Uint(u8),
    /// A float.
    Float(u8),
}

impl Value {
    /// A scalar as a binary32 float.
    #[must_use]
    pub fn float(&self) -> Option<f32> {
        match self {
            Value::Bool(flag) => Some(f32::from(*flag)),
            Value::Number(number) => Some(*number as f32),
            Value::Bits(bits) => u32::try_from(*bits).ok().map(f32::from_bits),
            _ => None,
        }
    }

    /// The bits of all numbers of a value in their order, each as what the program has there:
    /// numbers of one kind, however deep they stand.
    ///
    /// # Errors
    /// A sentence that names the place.
    pub fn words(&self, place: &str, kind: Kind) -> Result<Vec<u32>, String> {
        match self {
            Value::List(items) => {
                let parts = items.iter().enumerate();
                let words = parts.map(|(i, item)| item.words(&format!("{place}[{i}]"), kind));
                Ok(words.collect::<Result<Vec<_>, _>>()?.concat())
            }
            Value::Bytes(bytes) => Ok(chiaro_isa::dwords(bytes).collect()),
            other => Ok(vec![other.word(place, kind)?]),
        }
    }

    fn word(&self, place: &str, kind: Kind) -> Result<u32, String> {
        let wrong = |why: &str| Err(format!("`{place}` {why}"));
        match (self, kind) {
            (Value::Bits(bits), _) => u32::try_from(*bits).or_else(|_| wrong("has more than 32 bits")),
            (Value::Bool(flag), Kind::Float(_)) => Ok(f32::from(*flag).to_bits()),
            (Value::Bool(flag), Kind::Bool) => Ok(u32::from(*flag).wrapping_neg()),
            (Value::Bool(flag), _) => Ok(u32::from(*flag)),
            (Value::Number(n), Kind::Float(_)) => Ok((*n as f32).to_bits()),
            (Value::Number(n), Kind::Bool) => Ok(u32::from(*n != 0.0).wrapping_neg()),
            (Value::Number(n), _) if n.fract() != 0.0 => wrong("has a fraction where an integer belongs"),
            (Value::Number(n), _) if (-2_147_483_648.0..4_294_967_296.0).contains(n) => Ok(*n as i64 as u32),
            (Value::Number(_), _) => wrong("does not fit into 32 bits"),
            _ => wrong("has no number where one belongs"),
        }
    }

    /// One to four floats: a vector, or a scalar without brackets.
    ///
    /// # Errors
    /// A sentence that names the place.
    pub fn row(&self, place: &str) -> Result<Vec<f32>, String> {
        let number =
            |value: &Value| value.float().ok_or_else(|| format!("`{place}` has no number where one belongs"));
        let Value::List(items) = self else { return Ok(vec![number(self)?]) };
        if items.is_empty() || items.len() > 4 {
            return Err(format!("`{place}` has {} components; one to four are possible", items.len()));
        }
        items.iter().map(number).collect()
    }

    /// Rows of one to four floats: an array or a matrix, or a single row.
    ///
    /// # Errors
    /// As [`Value::row`].
    pub fn rows(&self, place: &str) -> Result<Vec<Vec<f32>>, String> {
        match self {
            Value::List(items) if items.iter().any(|item| matches!(item, Value::List(_))) => {
                items.iter().enumerate().map(|(i, item)| item.row(&format!("{place}[{i}]"))).collect()
            }
            _ => Ok(vec![self.row(place)?]),
        }
    }

    /// Four floats, those that are missing from `fill`.
    ///
    /// # Errors
    /// As [`Value::row`].
    pub fn vec4(&self, place: &str, fill: [f32; 4]) -> Result<[f32; 4], String> {
        let mut full = fill;
        for (slot, component) in full.iter_mut().zip(self.row(place)?) {
            *slot = component;
        }
        Ok(full)
    }
}

impl From<f32> for Value {
    fn from(number: f32) -> Value {
        // By its bits: a NaN keeps its payload.
        Value::Bits(number.to_bits().into())
    }
}

impl<const N: usize> From<[f32; N]> for Value {
    fn from(row: [f32; N]) -> Value {
        Value::List(row.into_iter().map(Value::from).collect())
    }
}

/// A binary32 value as JSON: the shortest decimal that reads back to it; JSON has no infinities.
#[must_use]
pub fn number(x: f32) -> serde_json::Value {
    match x {
        _ if x.is_nan() => "nan".into(),
        _ if x.is_infinite() => if x > 0.0 { "inf" } else { "-inf" }.into(),
        // By way of text: widened, 0.1 would print as 0.10000000149011612.
        _ => x.to_string().parse::<f64>().unwrap_or(x.into()).into(),
    }
}

impl Kind {
    /// A component's bits as JSON.
    #[must_use]
    pub fn json(self, bits: u64) -> serde_json::Value {
        match self {
            Kind::Bool => (bits != 0).into(),
            Kind::Uint(_) => bits.into(),
            Kind::Int(width) => {
                let shift = 64 - u32::from(width.clamp(1, 64));
                ((bits << shift) as i64 >> shift).into()
            }
            Kind::Float(64) => f64::from_bits(bits).into(),
            Kind::Float(_) => number(f32::from_bits(bits as u32)),
        }
    }
}
