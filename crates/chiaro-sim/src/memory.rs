//! Address spaces, with a stated policy for out-of-bounds accesses.

/// What an access outside of a space does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Policy {
    /// Reads give zero, writes are dropped, and a [`Fault`] is recorded.
    #[default]
    Fault,
    /// Reads give zero, writes are dropped, nothing is recorded (robust buffers).
    Zero,
    /// The address is moved down to the last one that fits.
    Clamp,
    /// The address counts modulo the size.
    Wrap,
}

/// One bad access.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Fault {
    /// Where the machine was.
    pub pc: u32,
    /// Which lane, through the whole wave.
    pub lane: u32,
    /// The space.
    pub space: u32,
    /// The address.
    pub address: u64,
}

/// One address space, from address 0 on.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Space {
    /// Contents.
    pub bytes: Vec<u8>,
    /// Bad addresses.
    pub policy: Policy,
}

/// All spaces of a batch, and the faults so far.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Memory {
    /// Spaces by number.
    pub spaces: Vec<Space>,
    /// The first [`MOST_FAULTS`] faults.
    pub faults: Vec<Fault>,
}

/// How many faults are kept; a wild loop must not fill the host's memory.
pub const MOST_FAULTS: usize = 1024;

/// Who accesses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    /// Where the machine is.
    pub pc: u32,
    /// Which lane.
    pub lane: u32,
    /// The space.
    pub space: u32,
    /// The address of the first byte.
    pub address: u64,
    /// Bytes, 1 to 4.
    pub size: usize,
}

impl Memory {
    /// The bytes at an address, low first, zeros above.
    pub fn load(&mut self, access: Access) -> u32 {
        let Some(place) = self.place(access) else { return 0 };
        let bytes = &self.spaces[access.space as usize].bytes[place..place + access.size];
        bytes.iter().rev().fold(0, |value, byte| value << 8 | u32::from(*byte))
    }

    /// Stores the low bytes of `value`.
    pub fn store(&mut self, access: Access, value: u32) {
        if let Some(place) = self.place(access) {
            let bytes = &mut self.spaces[access.space as usize].bytes[place..place + access.size];
            bytes.copy_from_slice(&value.to_le_bytes()[..access.size]);
        }
    }

    /// The index of the first byte, by the space's policy.
    fn place(&mut self, access: Access) -> Option<usize> {
        let space = self.spaces.get(access.space as usize);
        let last = space.and_then(|s| s.bytes.len().checked_sub(access.size)).map(|last| last as u64);
        let policy = space.map_or(Policy::Fault, |s| s.policy);
        match (policy, last) {
            (_, Some(last)) if access.address <= last => Some(access.address as usize),
            (Policy::Clamp, Some(last)) => Some(last as usize),
            // A wrapped access still may not cross the end.
            (Policy::Wrap, Some(last)) => {
                Some((access.address % (last + access.size as u64)).min(last) as usize)
            }
            (Policy::Zero, _) => None,
            _ => {
                self.fault(access);
                None
            }
        }
    }

    fn fault(&mut self, access: Access) {
        if self.faults.len() < MOST_FAULTS {
            let Access { pc, lane, space, address, .. } = access;
            self.faults.push(Fault { pc, lane, space, address });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn policies() {
        let mut memory = Memory::default();
        for policy in [Policy::Fault, Policy::Zero, Policy::Clamp, Policy::Wrap] {
            memory.spaces.push(Space { bytes: (1..=6).collect(), policy });
        }
        let at = |space, address| Access { pc: 7, lane: 3, space, address, size: 4 };
        let read: Vec<u32> = (0..4).map(|space| memory.load(at(space, 7))).collect();
        assert_eq!(read, [0, 0, 0x0605_0403, 0x0504_0302]);
        memory.store(at(2, u64::MAX), 0x0A0B_0C0D);
        assert_eq!(memory.spaces[2].bytes, [1, 2, 0x0D, 0x0C, 0x0B, 0x0A]);
        assert_eq!(memory.load(at(9, 0)), 0);
        assert_eq!(memory.faults.len(), 2);
        assert_eq!(memory.faults[0], Fault { pc: 7, lane: 3, space: 0, address: 7 });
    }
}
