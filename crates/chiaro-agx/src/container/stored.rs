//! How values of our format are stored: little-endian, in the order of their declaration, lists behind
//! their length. Whatever is read is written back to the same bytes: there is one way to store a value.

use super::Error;

/// Bytes that are read from the front.
pub(super) struct Bytes<'a> {
    all: &'a [u8],
    at: usize,
}

impl<'a> Bytes<'a> {
    pub(super) fn new(all: &'a [u8], at: usize) -> Bytes<'a> {
        Bytes { all, at }
    }

    pub(super) fn place(&self) -> usize {
        self.at
    }

    pub(super) fn take(&mut self, count: usize) -> Result<&'a [u8], Error> {
        let left = self.all.len() - self.at;
        let Some(taken) = self.all[self.at..].get(..count) else {
            return Err(Error::new(self.at, format!("{count} bytes are needed, {left} are left")));
        };
        self.at += count;
        Ok(taken)
    }
}

/// Something that is stored.
pub(super) trait Stored: Sized {
    fn write(&self, to: &mut Vec<u8>);
    fn read(from: &mut Bytes<'_>) -> Result<Self, Error>;
}

/// Numbers.
macro_rules! numbers {
    ($($ty:ty),*) => {$(
        impl Stored for $ty {
            fn write(&self, to: &mut Vec<u8>) {
                to.extend_from_slice(&self.to_le_bytes());
            }
            fn read(from: &mut Bytes<'_>) -> Result<Self, Error> {
                let bytes = from.take(size_of::<$ty>())?;
                Ok(<$ty>::from_le_bytes(bytes.try_into().unwrap_or_default()))
            }
        }
    )*};
}

numbers!(u8, u16, u32, u64, i32);

impl Stored for bool {
    fn write(&self, to: &mut Vec<u8>) {
        to.push(u8::from(*self));
    }
    fn read(from: &mut Bytes<'_>) -> Result<bool, Error> {
        let place = from.place();
        match u8::read(from)? {
            0 => Ok(false),
            1 => Ok(true),
            n => Err(Error::new(place, format!("{n} stands where 0 or 1 is wanted"))),
        }
    }
}

impl<T: Stored> Stored for Vec<T> {
    fn write(&self, to: &mut Vec<u8>) {
        (self.len() as u32).write(to);
        self.iter().for_each(|one| one.write(to));
    }
    /// Every element takes a byte at least, so a length that lies ends with the bytes.
    fn read(from: &mut Bytes<'_>) -> Result<Vec<T>, Error> {
        let count = u32::read(from)?;
        (0..count).map(|_| T::read(from)).collect()
    }
}

impl Stored for String {
    fn write(&self, to: &mut Vec<u8>) {
        (self.len() as u32).write(to);
        to.extend_from_slice(self.as_bytes());
    }
    fn read(from: &mut Bytes<'_>) -> Result<String, Error> {
        let count = u32::read(from)? as usize;
        let place = from.place();
        let text = std::str::from_utf8(from.take(count)?);
        text.map(str::to_owned).map_err(|_| Error::new(place, "the text is not UTF-8"))
    }
}

impl<A: Stored, B: Stored> Stored for (A, B) {
    fn write(&self, to: &mut Vec<u8>) {
        self.0.write(to);
        self.1.write(to);
    }
    fn read(from: &mut Bytes<'_>) -> Result<(A, B), Error> {
        Ok((A::read(from)?, B::read(from)?))
    }
}

impl<T: Stored + Copy + Default, const N: usize> Stored for [T; N] {
    fn write(&self, to: &mut Vec<u8>) {
        self.iter().for_each(|one| one.write(to));
    }
    fn read(from: &mut Bytes<'_>) -> Result<[T; N], Error> {
        let mut all = [T::default(); N];
        for one in &mut all {
            *one = T::read(from)?;
        }
        Ok(all)
    }
}

/// Structures: their fields one behind the other.
macro_rules! stored {
    ($($name:ty { $($field:ident),* $(,)? })*) => {$(
        impl Stored for $name {
            fn write(&self, to: &mut Vec<u8>) {
                $(self.$field.write(to);)*
            }
            fn read(from: &mut Bytes<'_>) -> Result<Self, Error> {
                Ok(Self { $($field: Stored::read(from)?),* })
            }
        }
    )*};
}

/// Names: a byte each, in the order of the list.
macro_rules! names {
    ($($name:ident { $($variant:ident),* $(,)? })*) => {$(
        impl Stored for $name {
            fn write(&self, to: &mut Vec<u8>) {
                let all = [$($name::$variant),*];
                let place = all.iter().position(|one| one == self).unwrap_or(0);
                to.push(place as u8);
            }
            fn read(from: &mut Bytes<'_>) -> Result<Self, Error> {
                let place = from.place();
                let (n, all) = (u8::read(from)?, [$($name::$variant),*]);
                let wrong = || Error::new(place, format!("there is no {} number {n}", stringify!($name)));
                all.get(usize::from(n)).copied().ok_or_else(wrong)
            }
        }
    )*};
}

pub(super) use {names, stored};
