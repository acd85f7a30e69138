//! Memory by 64-bit address: ranges that are mapped, everything else is a fault.

/// A mapped range of addresses.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Range {
    /// What messages call it.
    pub name: String,
    /// Address of the first byte.
    pub base: u64,
    /// Contents.
    pub bytes: Vec<u8>,
}

/// The ranges, by ascending address, none over another.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Mapped {
    ranges: Vec<Range>,
}

impl Mapped {
    /// Maps a range.
    ///
    /// # Errors
    /// The name of the range that it would lie over, or its own if it goes beyond the last address.
    pub fn map(&mut self, range: Range) -> Result<(), String> {
        let end = range.base.checked_add(range.bytes.len() as u64).ok_or_else(|| range.name.clone())?;
        let over = |other: &&Range| other.base < end && range.base < other.base + other.bytes.len() as u64;
        if let Some(other) = self.ranges.iter().find(over) {
            return Err(other.name.clone());
        }
        let at = self.ranges.partition_point(|other| other.base < range.base);
        self.ranges.insert(at, range);
        Ok(())
    }

    /// The ranges.
    #[must_use]
    pub fn ranges(&self) -> &[Range] {
        &self.ranges
    }

    /// The range of a name.
    #[must_use]
    pub fn named(&self, name: &str) -> Option<&Range> {
        self.ranges.iter().find(|range| range.name == name)
    }

    /// Bytes at an address; `None` unless one range holds all of them.
    #[inline]
    #[must_use]
    pub fn get(&self, address: u64, size: usize) -> Option<&[u8]> {
        let (range, at) = self.find(address)?;
        self.ranges[range].bytes.get(at..at.checked_add(size)?)
    }

    /// The same, to write.
    #[inline]
    pub fn get_mut(&mut self, address: u64, size: usize) -> Option<&mut [u8]> {
        let (range, at) = self.find(address)?;
        self.ranges[range].bytes.get_mut(at..at.checked_add(size)?)
    }

    #[inline]
    fn find(&self, address: u64) -> Option<(usize, usize)> {
        let range = self.ranges.partition_point(|range| range.base <= address).checked_sub(1)?;
        usize::try_from(address - self.ranges[range].base).ok().map(|at| (range, at))
    }

    /// Up to eight bytes as a number, low first; `None` where they are not mapped.
    #[inline]
    #[must_use]
    pub fn load(&self, address: u64, size: usize) -> Option<u64> {
        Some(number(self.get(address, size)?))
    }

    /// Stores the low bytes of a number. False where they are not mapped.
    #[inline]
    pub fn store(&mut self, address: u64, size: usize, value: u64) -> bool {
        let Some(bytes) = self.get_mut(address, size) else { return false };
        put(value, bytes);
        true
    }

    /// Bytes at an address, looked for first where the last access was.
    #[inline]
    pub fn get_near(&mut self, near: &mut Near, address: u64, size: usize) -> Option<&mut [u8]> {
        let inside = |range: &Range| address.wrapping_sub(range.base) < range.bytes.len() as u64;
        if !self.ranges.get(near.0).is_some_and(inside) {
            near.0 = self.find(address)?.0;
        }
        let range = &mut self.ranges[near.0];
        let at = usize::try_from(address - range.base).ok()?;
        range.bytes.get_mut(at..at.checked_add(size)?)
    }
}

/// Where the last access was: the next one is mostly in the same range.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Near(usize);

/// Up to eight bytes as a number, low first.
#[inline]
#[must_use]
pub fn number(bytes: &[u8]) -> u64 {
    match bytes.first_chunk() {
        Some(word) if bytes.len() == 4 => u32::from_le_bytes(*word).into(),
        _ => bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte)),
    }
}

/// Stores the low bytes of a number, as many as there is room for.
#[inline]
pub fn put(value: u64, room: &mut [u8]) {
    match room.len() {
        4 => room.copy_from_slice(&(value as u32).to_le_bytes()),
        size => room.copy_from_slice(&value.to_le_bytes()[..size]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(name: &str, base: u64, size: usize) -> Range {
        Range { name: name.to_owned(), base, bytes: vec![0; size] }
    }

    #[test]
    fn only_whole_accesses_of_one_range_succeed() {
        let mut memory = Mapped::default();
        memory.map(range("b", 0x2000, 8)).unwrap();
        memory.map(range("a", 0x1000, 6)).unwrap();
        assert!(memory.store(0x1002, 4, 0x0403_0201));
        assert_eq!(memory.load(0x1002, 4), Some(0x0403_0201));
        assert_eq!(memory.load(0x1003, 4), None);
        assert_eq!(memory.load(0xfff, 1), None);
        assert_eq!(memory.load(u64::MAX, 8), None);
        assert!(!memory.store(0x2008, 1, 0));
        let mut near = Near::default();
        for (address, size, there) in [
            (0x2000, 8, true),
            (0x2004, 8, false),
            (0x1002, 4, true),
            (0x1003, 4, false),
            (0xfff, 1, false),
            (0x1000, 1, true),
        ] {
            assert_eq!(memory.get_near(&mut near, address, size).is_some(), there, "{address:x}");
        }
    }

    #[test]
    fn ranges_do_not_overlap() {
        let mut memory = Mapped::default();
        memory.map(range("a", 0x1000, 16)).unwrap();
        assert_eq!(memory.map(range("b", 0x100f, 1)), Err("a".to_owned()));
        assert_eq!(memory.map(range("c", u64::MAX, 2)), Err("c".to_owned()));
        assert_eq!(memory.map(range("d", 0x1010, 1)), Ok(()));
    }
}
