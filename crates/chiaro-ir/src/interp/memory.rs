//! Memory: regions of bytes, each shared or one copy a lane.

use super::domain::Domain;
use super::layout::{Leaf, TypeLayout};
use super::{Fault, FaultKind};
use chiaro_diag::Span;

/// A region: a buffer, a shared variable, or a variable of each lane.
#[derive(Clone, Debug)]
pub(super) struct Region<D: Domain> {
    bytes: Vec<u8>,
    /// Bytes of one lane's copy; 0 if all lanes share the region.
    per_lane: usize,
    /// For each two bytes what the domain keeps; empty until a float is stored.
    shadows: Vec<D::Shadow>,
    /// For each two bytes whether a lane wrote them that proves nothing; empty until one does.
    doubts: Vec<bool>,
}

impl<D: Domain> Region<D> {
    /// One that all lanes share.
    pub(super) fn of(bytes: Vec<u8>) -> Region<D> {
        Region { bytes, ..Region::default() }
    }

    /// All bytes.
    pub(super) fn all(&self) -> &[u8] {
        &self.bytes
    }

    /// The float at an offset, and whether it proves something.
    pub(super) fn float(&self, domain: &D, at: usize, width: u8) -> Option<(D::Scalar, bool)> {
        let end = at.checked_add(usize::from(width) / 8)?;
        let bits = self.bytes.get(at..end)?.iter().rev().fold(0, |all, &byte| all << 8 | u64::from(byte));
        let shadow = self.shadows.get(at / 2).copied().unwrap_or_default();
        let doubted = self.doubts.get(at / 2..end.div_ceil(2)).is_some_and(|d| d.contains(&true));
        Some((domain.recall(bits, width, shadow), !doubted))
    }
}

impl<D: Domain> Default for Region<D> {
    fn default() -> Region<D> {
        Region { bytes: Vec::new(), per_lane: 0, shadows: Vec::new(), doubts: Vec::new() }
    }
}

/// A pointer: a region and a byte offset within it (within the lane's copy).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Place {
    pub region: u32,
    pub offset: u32,
}

impl Place {
    pub(super) fn of(bits: u64) -> Place {
        Place { region: (bits >> 32) as u32, offset: bits as u32 }
    }
    /// So many bytes further; a place out of bounds stays out of bounds.
    pub(super) fn plus(self, offset: u32) -> Place {
        Place { offset: self.offset.saturating_add(offset), ..self }
    }
    pub(super) fn bits(self) -> u64 {
        u64::from(self.region) << 32 | u64::from(self.offset)
    }
}

/// All regions of a run.
#[derive(Clone, Debug)]
pub(super) struct Memory<D: Domain> {
    regions: Vec<Region<D>>,
    free: Vec<u32>,
    /// Bytes of variables, and most of them.
    used: usize,
    allowed: usize,
}

impl<D: Domain> Memory<D> {
    /// One for variables that take `most` bytes, with what the domain keeps for each two bytes.
    pub(super) fn new(most: usize) -> Memory<D> {
        let allowed = most / (1 + size_of::<D::Shadow>().div_ceil(2));
        Memory { regions: Vec::new(), free: Vec::new(), used: 0, allowed }
    }

    /// Counts so many copies of a variable, which are asked for next.
    ///
    /// # Errors
    /// [`FaultKind::Memory`].
    pub(super) fn claim(&mut self, size: u32, copies: usize, span: Option<Span>) -> Result<(), Box<Fault>> {
        let used = copies.saturating_mul(size as usize).saturating_add(self.used);
        if used > self.allowed {
            return Err(Box::new(Fault::new(FaultKind::Memory { used, allowed: self.allowed }, span)));
        }
        self.used = used;
        Ok(())
    }

    /// A region with these bytes; `lanes` copies of them if it belongs to each lane.
    pub(super) fn add(&mut self, bytes: &[u8], lanes: Option<usize>) -> u32 {
        let region = Region {
            bytes: bytes.repeat(lanes.unwrap_or(1)),
            per_lane: lanes.map_or(0, |_| bytes.len()),
            shadows: Vec::new(),
            doubts: Vec::new(),
        };
        match self.free.pop() {
            Some(n) => {
                self.regions[n as usize] = region;
                n
            }
            None => {
                self.regions.push(region);
                self.regions.len() as u32 - 1
            }
        }
    }

    /// Forgets a region; its number may be given again.
    pub(super) fn remove(&mut self, region: u32) {
        self.used = self.used.saturating_sub(self.regions[region as usize].bytes.len());
        self.regions[region as usize] = Region::default();
        self.free.push(region);
    }

    /// The bytes of a lane's copy, or of the whole region if lanes share it.
    pub(super) fn bytes_of(&mut self, region: u32, lane: usize) -> &mut [u8] {
        let r = &mut self.regions[region as usize];
        r.shadows.clear();
        if r.per_lane == 0 { &mut r.bytes } else { &mut r.bytes[lane * r.per_lane..][..r.per_lane] }
    }

    /// Fills a lane's copy of a region that each lane has its own of with a word, again and again.
    pub(super) fn fill(&mut self, region: u32, lane: usize, word: u32) {
        let r = &mut self.regions[region as usize];
        let room = &mut r.bytes[lane * r.per_lane..][..r.per_lane];
        let word = word.to_le_bytes();
        room.chunks_mut(word.len()).for_each(|bytes| bytes.copy_from_slice(&word[..bytes.len()]));
    }

    /// The same, to be looked at.
    pub(super) fn peek(&self, region: u32, lane: usize) -> &[u8] {
        let r = &self.regions[region as usize];
        if r.per_lane == 0 { &r.bytes } else { &r.bytes[lane * r.per_lane..][..r.per_lane] }
    }

    /// Bytes that one lane sees.
    pub(super) fn size(&self, region: u32) -> usize {
        self.regions
            .get(region as usize)
            .map_or(0, |r| if r.per_lane == 0 { r.bytes.len() } else { r.per_lane })
    }

    /// Where so many bytes of a place lie; `None` if they are not all within the region.
    fn at(&self, place: Place, lane: usize, size: usize) -> Option<usize> {
        let region = self.regions.get(place.region as usize)?;
        let offset = place.offset as usize;
        let within = if region.per_lane == 0 { region.bytes.len() } else { region.per_lane };
        (offset.checked_add(size)? <= within).then_some(lane * region.per_lane + offset)
    }

    /// One leaf; `None` out of bounds.
    pub(super) fn load(&self, domain: &D, leaf: Leaf, place: Place, lane: usize) -> Option<D::Scalar> {
        let at = self.at(place, lane, leaf.bytes())?;
        let region = &self.regions[place.region as usize];
        let mut bytes = [0; 8];
        bytes[..leaf.bytes()].copy_from_slice(&region.bytes[at..at + leaf.bytes()]);
        let bits = u64::from_le_bytes(bytes);
        Some(match leaf {
            Leaf::Bool => domain.of_bits(u64::from(bits != 0)),
            Leaf::Int(_) | Leaf::Handle => domain.of_bits(bits),
            Leaf::Float(width) => {
                let shadow = region.shadows.get(at / 2).copied().unwrap_or_default();
                domain.recall(bits, width, shadow)
            }
        })
    }

    /// Stores one leaf; `None` out of bounds, nothing is stored then.
    pub(super) fn store(
        &mut self,
        domain: &D,
        leaf: Leaf,
        place: Place,
        lane: usize,
        value: D::Scalar,
    ) -> Option<()> {
        let at = self.at(place, lane, leaf.bytes())?;
        let region = &mut self.regions[place.region as usize];
        let bits = domain.bits(value).to_le_bytes();
        region.bytes[at..at + leaf.bytes()].copy_from_slice(&bits[..leaf.bytes()]);
        if matches!(leaf, Leaf::Float(_)) && size_of::<D::Shadow>() > 0 {
            let needed = region.bytes.len().div_ceil(2);
            if region.shadows.len() < needed {
                region.shadows.resize(needed, D::Shadow::default());
            }
            region.shadows[at / 2] = domain.shadow(value);
        }
        Some(())
    }

    /// Notes whether the lane that wrote a leaf proves something.
    pub(super) fn doubt(&mut self, leaf: Leaf, place: Place, lane: usize, doubted: bool) {
        let Some(at) = self.at(place, lane, leaf.bytes()) else { return };
        let region = &mut self.regions[place.region as usize];
        if doubted && region.doubts.is_empty() {
            region.doubts = vec![false; region.bytes.len().div_ceil(2)];
        }
        if let Some(there) = region.doubts.get_mut(at / 2..(at + leaf.bytes()).div_ceil(2)) {
            there.fill(doubted);
        }
    }

    /// Whether what a leaf reads comes from a lane that proves nothing.
    pub(super) fn doubted(&self, leaf: Leaf, place: Place, lane: usize) -> bool {
        let Some(at) = self.at(place, lane, leaf.bytes()) else { return false };
        let doubts = &self.regions[place.region as usize].doubts;
        doubts.get(at / 2..(at + leaf.bytes()).div_ceil(2)).is_some_and(|d| d.contains(&true))
    }

    /// Whether an integer is read where a float lies that is not known exactly.
    pub(super) fn blurred(&self, domain: &D, leaf: Leaf, place: Place, lane: usize) -> bool {
        let (Leaf::Int(width), Some(at)) = (leaf, self.at(place, lane, leaf.bytes())) else { return false };
        let region = &self.regions[place.region as usize];
        // Nobody has stored a float in this region.
        let Some(&shadow) = region.shadows.get(at / 2) else { return false };
        let bits = region.bytes.get(at..at + leaf.bytes()).unwrap_or_default();
        let bits = bits.iter().rev().fold(0, |all, &byte| all << 8 | u64::from(byte));
        // Of bytes that nobody stored a float in, a domain may say what a constant is worth.
        let error = |shadow| domain.error(domain.recall(bits, width, shadow));
        error(shadow) > error(D::Shadow::default())
    }

    /// Takes a region out, with all that is known of it.
    pub(super) fn take(&mut self, region: u32) -> Region<D> {
        std::mem::take(&mut self.regions[region as usize])
    }

    /// Puts a region in.
    pub(super) fn put(&mut self, region: Region<D>) -> u32 {
        self.regions.push(region);
        self.regions.len() as u32 - 1
    }

    /// Copies what a type holds from one place to another; `None` if either is out of bounds.
    pub(super) fn copy(
        &mut self,
        domain: &D,
        layout: &TypeLayout,
        to: Place,
        from: Place,
        lane: usize,
    ) -> Option<()> {
        for &(leaf, offset) in &layout.leaves {
            let value = self.load(domain, leaf, from.plus(offset), lane)?;
            self.store(domain, leaf, to.plus(offset), lane, value)?;
        }
        Some(())
    }
}
