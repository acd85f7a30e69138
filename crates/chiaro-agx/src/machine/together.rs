//! Loads and stores of all lanes at once, where one piece of memory holds what they touch.
//!
//! That is so nearly always: a buffer is one piece. The place is looked for once then and not in every lane, and where all
//! lanes load from the same place, so is the value. Everything else goes lane by lane (`memory`): what is not mapped, what
//! lies in several pieces, what somebody records.

use chiaro_sim::Lanes;

use super::access::{Access, Space};
use super::format::{Elements, Format};
use super::group::Shared;
use super::pending::nth;
use super::simdgroup::SimdGroup;
use crate::regs::{LANES, size};

/// Where the access of each lane begins.
pub(super) type Places = [u64; LANES as usize];

/// Where lanes touch a piece of memory.
struct Piece<'m> {
    bytes: &'m mut [u8],
    /// Where each lane begins in it; lanes that do not run begin where one begins that does.
    at: [usize; LANES as usize],
    /// All of them begin at one place.
    is_one: bool,
}

impl SimdGroup {
    /// The registers of a load; `None` where lanes have to be looked at one by one.
    pub(super) fn load_together(
        &mut self,
        access: &Access,
        places: &Places,
        shared: &mut Shared<'_>,
    ) -> Option<Vec<Lanes>> {
        let (format, elements) = (access.format, access.format.elements(access.mask));
        let wide = access.data?.size == size::WORD;
        let mut values = self.idle.pop().unwrap_or_default();
        let piece = self.piece(access, &elements, (places, self.active()), shared)?;
        values.clear();
        values.extend(elements.iter().enumerate().map(|(n, element)| {
            let component = if format.packed().is_some() { n } else { *element };
            let load = |raw: u32| format.load(raw, component, wide);
            match piece.is_one {
                true => Lanes::splat(load(piece.read(0, element * format.bytes(), format))),
                false => {
                    let raw = piece.read_all(element * format.bytes(), format);
                    if format.is_plain() { raw } else { Lanes(raw.0.map(load)) }
                }
            }
        }));
        Some(values)
    }

    /// Stores; `None` where lanes have to be looked at one by one. Elements are stored one after the other, so that it is
    /// the same as a store for each; of one a lane overwrites those in front of it.
    pub(super) fn store_together(
        &mut self,
        access: &Access,
        places: &Places,
        shared: &mut Shared<'_>,
    ) -> Option<()> {
        let (format, elements) = (access.format, access.format.elements(access.mask));
        let data = access.data.filter(|_| format.packed().is_none())?;
        let wide = data.size == size::WORD;
        let mut lanes = self.active();
        if let Some(pixels) = self.pixels.as_deref().filter(|_| access.space == Space::Device) {
            let covered = |lane: &usize| pixels.covered[*lane] != 0;
            lanes &= (0..LANES as usize).filter(covered).fold(0, |mask, lane| mask | 1 << lane);
        }
        let mut values = [Lanes::ZERO; 4];
        for (n, (element, value)) in elements.iter().zip(&mut values).enumerate() {
            *value = self.lanes_of(nth(data, n));
            if !matches!(format, Format::Integer(_)) {
                *value = Lanes(value.0.map(|bits| format.store(bits, *element, wide)));
            }
        }
        if lanes == 0 {
            return Some(());
        }
        let mut piece = self.piece(access, &elements, (places, lanes), shared)?;
        for (element, value) in elements.iter().zip(&values) {
            for lane in (0..LANES as usize).filter(|lane| lanes >> lane & 1 == 1) {
                piece.write(lane, element * format.bytes(), format, value.0[lane]);
            }
        }
        Some(())
    }

    /// The piece that lanes touch.
    fn piece<'m>(
        &'m mut self,
        access: &Access,
        elements: &Elements,
        (places, lanes): (&Places, u32),
        shared: &'m mut Shared<'_>,
    ) -> Option<Piece<'m>> {
        if lanes == 0 || self.trace.is_some() || access.space == Space::Uniform {
            return None;
        }
        let span = (elements.last()? + 1) * access.format.bytes();
        let own = |lane: usize| if lanes >> lane & 1 == 1 { lane } else { lanes.trailing_zeros() as usize };
        let mut places: Places = std::array::from_fn(|lane| places[own(lane)]);
        if access.space == Space::Stack {
            self.stacks(&mut places, span, own)?;
        }
        let (least, most) =
            places.iter().fold((u64::MAX, 0), |(least, most), place| (least.min(*place), most.max(*place)));
        let length = usize::try_from(most - least).ok()?.checked_add(span)?;
        let bytes = match access.space {
            Space::Device => shared.memory.get_near(&mut shared.near, least, length)?,
            Space::Threadgroup => slice(shared.local, least, length)?,
            _ => slice(&mut self.stack, least, length)?,
        };
        let at = places.map(|place| (place - least) as usize);
        Some(Piece { bytes, at, is_one: least == most })
    }
}

impl SimdGroup {
    /// Turns places in the stacks of lanes into those in the one memory that holds all stacks.
    fn stacks(&mut self, places: &mut Places, span: usize, own: impl Fn(usize) -> usize) -> Option<()> {
        let (size, frame) = (self.config.stack as u64, self.frames.last().copied().unwrap_or(0));
        self.take_stack();
        for (lane, place) in places.iter_mut().enumerate() {
            let at = place.wrapping_add(frame);
            let is_inside = at.checked_add(span as u64).is_some_and(|end| end <= size);
            *place = is_inside.then_some(own(lane) as u64 * size + at)?;
        }
        Some(())
    }
}

impl Piece<'_> {
    /// An element of a lane, so many bytes behind its place.
    #[inline]
    fn read(&self, lane: usize, behind: usize, format: Format) -> u32 {
        let bytes = &self.bytes[self.at[lane] + behind..];
        match format.bytes() {
            1 => bytes[0].into(),
            2 => u16::from_le_bytes([bytes[0], bytes[1]]).into(),
            _ => bytes.first_chunk().map_or(0, |word| u32::from_le_bytes(*word)),
        }
    }

    /// The same of all lanes. The size is asked for once.
    fn read_all(&self, behind: usize, format: Format) -> Lanes {
        match format.bytes() {
            4 => Lanes(self.at.map(|at| {
                let word = self.bytes[at + behind..].first_chunk();
                word.map_or(0, |word| u32::from_le_bytes(*word))
            })),
            _ => Lanes(std::array::from_fn(|lane| self.read(lane, behind, format))),
        }
    }

    #[inline]
    fn write(&mut self, lane: usize, behind: usize, format: Format, value: u32) {
        let bytes = &mut self.bytes[self.at[lane] + behind..];
        match format.bytes() {
            1 => bytes[0] = value as u8,
            2 => bytes[..2].copy_from_slice(&(value as u16).to_le_bytes()),
            _ => bytes[..4].copy_from_slice(&value.to_le_bytes()),
        }
    }
}

/// Bytes of a memory whose first one is 0; `None` beyond its end.
pub(super) fn slice(all: &mut [u8], at: u64, size: usize) -> Option<&mut [u8]> {
    let at = usize::try_from(at).ok()?;
    all.get_mut(at..at.checked_add(size)?)
}
