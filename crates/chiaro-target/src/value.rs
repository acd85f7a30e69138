//! Values as users give them, before it is known what they are for.

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

/// Texels of an image as the program sees them.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Image {
    /// Width, height and depth.
    pub size: [u32; 3],
    /// Texels, row by row.
    pub texels: Vec<[f32; 4]>,
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
