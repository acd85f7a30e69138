//! The values of one input for all invocations: as people write them, or as a program has them in memory.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use chiaro_diag::Diagnostic;

use crate::value::Value;

/// The values of an input, one for each invocation.
#[derive(Clone, PartialEq, Debug)]
pub enum Column {
    /// Values of any shape.
    Values(Vec<Value>),
    /// Rows of floats, as they lie in memory.
    Floats(Floats),
}

/// Rows of one to four floats, one behind the other. Whoever owns the memory is kept alive, nothing is copied.
#[derive(Clone)]
pub struct Floats {
    width: usize,
    memory: Arc<dyn AsRef<[f32]> + Send + Sync>,
}

impl Floats {
    /// Rows of so many floats; `None` if a row cannot have so many, or the last one is not whole.
    #[must_use]
    pub fn new(width: usize, memory: Arc<dyn AsRef<[f32]> + Send + Sync>) -> Option<Floats> {
        let whole = (1..=4).contains(&width) && (*memory).as_ref().len().is_multiple_of(width);
        whole.then_some(Floats { width, memory })
    }

    /// The rows.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[f32]> {
        (*self.memory).as_ref().chunks_exact(self.width)
    }
}

impl PartialEq for Floats {
    fn eq(&self, other: &Floats) -> bool {
        self.width == other.width && self.rows().eq(other.rows())
    }
}

impl fmt::Debug for Floats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.rows()).finish()
    }
}

impl Column {
    /// How many invocations it has values for.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Column::Values(values) => values.len(),
            Column::Floats(floats) => floats.rows().len(),
        }
    }

    /// Whether it has values for none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All values, for machines that look at each.
    #[must_use]
    pub fn values(&self) -> Cow<'_, [Value]> {
        self.some_values(0, usize::MAX)
    }

    /// The values of some invocations, as far as there are so many.
    #[must_use]
    pub fn some_values(&self, first: usize, most: usize) -> Cow<'_, [Value]> {
        let value = |row: &[f32]| match *row {
            [one] => one.into(),
            _ => Value::List(row.iter().map(|x| Value::from(*x)).collect()),
        };
        match self {
            Column::Values(values) => {
                let first = first.min(values.len());
                Cow::Borrowed(&values[first..values.len().min(first.saturating_add(most))])
            }
            Column::Floats(floats) => Cow::Owned(floats.rows().skip(first).take(most).map(value).collect()),
        }
    }

    /// Rows of four floats, what is missing from `fill`, and an error for every value that is no row.
    pub(super) fn vec4(&self, name: &str, fill: [f32; 4]) -> (Vec<[f32; 4]>, Vec<Diagnostic>) {
        let values = match self {
            Column::Floats(floats) => return (floats.vec4(fill), Vec::new()),
            Column::Values(values) => values.iter().enumerate(),
        };
        let (mut rows, mut errors) = (Vec::with_capacity(self.len()), Vec::new());
        for (i, value) in values {
            match value.vec4(&format!("{name}[{i}]"), fill) {
                Ok(row) => rows.push(row),
                Err(why) => errors.push(Diagnostic::error(None, why)),
            }
        }
        (rows, errors)
    }
}

impl Floats {
    fn vec4(&self, fill: [f32; 4]) -> Vec<[f32; 4]> {
        let full = |row: &[f32]| {
            let mut full = fill;
            full[..row.len()].copy_from_slice(row);
            full
        };
        self.rows().map(full).collect()
    }
}

impl From<Vec<Value>> for Column {
    fn from(values: Vec<Value>) -> Column {
        Column::Values(values)
    }
}

impl FromIterator<Value> for Column {
    fn from_iter<I: IntoIterator<Item = Value>>(values: I) -> Column {
        Column::Values(values.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn floats(width: usize, numbers: &[f32]) -> Option<Column> {
        Floats::new(width, Arc::new(numbers.to_vec())).map(Column::Floats)
    }

    #[test]
    fn memory_is_what_values_are() {
        let fill = [0.0, 0.0, 0.0, 1.0];
        let packed = floats(3, &[1.0, 2.0, 3.0, -0.0, 5.0, 6.0]).expect("two rows");
        let written: Column = [[1.0f32, 2.0, 3.0], [-0.0, 5.0, 6.0]].map(Value::from).into_iter().collect();
        assert_eq!(packed.values(), written.values());
        assert_eq!(packed.vec4("p", fill), written.vec4("p", fill));
        assert_eq!((packed.len(), packed.some_values(1, 9)), (2, written.some_values(1, 9)));
        assert!(packed.some_values(7, 9).is_empty() && written.some_values(7, 9).is_empty());
        let single = floats(1, &[f32::NAN]).expect("a row");
        assert_eq!(single.values()[0], Value::Bits(0x7fc0_0000));
    }

    #[test]
    fn rows_are_whole_and_of_one_to_four() {
        assert!(floats(0, &[]).is_none() && floats(5, &[0.0; 5]).is_none() && floats(2, &[1.0; 3]).is_none());
    }
}
