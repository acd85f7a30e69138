//! Packing: places for everything that one instruction needs at once.

/// While the instruction reads.
pub(super) const BEFORE: u8 = 1;
/// Once it has written.
pub(super) const AFTER: u8 = 2;
/// All through it: what it destroys besides its results would be lost.
pub(super) const ACROSS: u8 = 4;
/// Before, after and in between.
pub(super) const THROUGH: u8 = BEFORE | AFTER | ACROSS;

/// Something that needs a place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slab {
    /// Units.
    pub(super) size: u16,
    /// Its first unit is a multiple of this.
    pub(super) align: u16,
    /// When it needs the place.
    pub(super) times: u8,
    /// Where it has to be.
    pub(super) fixed: Option<u16>,
    /// Where it is now, or would best be.
    pub(super) wish: Option<u16>,
    /// Where it is put.
    pub(super) at: u16,
}

/// Which units are taken, and when: a set of times for each.
#[derive(Clone, Debug, Default)]
pub(super) struct Floor {
    pub(super) busy: Vec<u8>,
}

impl Floor {
    pub(super) fn fits(&self, at: u16, size: u16, times: u8) -> bool {
        let range = usize::from(at)..usize::from(at) + usize::from(size);
        self.busy.get(range).is_some_and(|units| units.iter().all(|busy| busy & times == 0))
    }

    /// The lowest free place.
    pub(super) fn find(&self, size: u16, align: u16, times: u8) -> Option<u16> {
        let last = (self.busy.len() as u16).checked_sub(size)?;
        let mut at = 0;
        while at <= last {
            let units = &self.busy[usize::from(at)..usize::from(at + size)];
            match units.iter().rposition(|busy| busy & times != 0) {
                None => return Some(at),
                Some(taken) => at = (at + taken as u16 + 1).next_multiple_of(align),
            }
        }
        None
    }

    fn put(&mut self, slab: &mut Slab, at: u16) -> bool {
        if !at.is_multiple_of(slab.align) || !self.fits(at, slab.size, slab.times) {
            return false;
        }
        for busy in &mut self.busy[usize::from(at)..usize::from(at + slab.size)] {
            *busy |= slab.times;
        }
        slab.at = at;
        true
    }

    fn put_lowest(&mut self, slab: &mut Slab) -> bool {
        self.find(slab.size, slab.align, slab.times).is_some_and(|at| self.put(slab, at))
    }
}

/// Finds places for all; false if none were found. First with as few moves as possible, then
/// large things first, then by a strict packing from below, which finds a place for whatever
/// fits by count unless fixed places cut the file into pieces.
pub(super) fn settle(floor: &Floor, slabs: &mut [Slab]) -> bool {
    settle_staying(floor, slabs) || settle_by_size(floor, slabs, true) || settle_by_size(floor, slabs, false)
}

fn put_fixed(floor: &mut Floor, slabs: &mut [Slab]) -> bool {
    slabs.iter_mut().all(|slab| slab.fixed.is_none_or(|at| floor.put(slab, at)))
}

fn settle_staying(floor: &Floor, slabs: &mut [Slab]) -> bool {
    let mut floor = floor.clone();
    if !put_fixed(&mut floor, slabs) {
        return false;
    }
    let mut rest: Vec<usize> = (0..slabs.len()).filter(|&i| slabs[i].fixed.is_none()).collect();
    rest.retain(|&i| !slabs[i].wish.is_some_and(|at| floor.put(&mut slabs[i], at)));
    rest.sort_by_key(|&i| std::cmp::Reverse((slabs[i].align, slabs[i].size)));
    rest.into_iter().all(|i| floor.put_lowest(&mut slabs[i]))
}

fn settle_by_size(floor: &Floor, slabs: &mut [Slab], wishes: bool) -> bool {
    let mut floor = floor.clone();
    if !put_fixed(&mut floor, slabs) {
        return false;
    }
    let mut rest: Vec<usize> = (0..slabs.len()).filter(|&i| slabs[i].fixed.is_none()).collect();
    let key = |slab: &Slab| (wishes || slab.times == THROUGH, slab.align, slab.size, slab.times);
    rest.sort_by_key(|&i| std::cmp::Reverse(key(&slabs[i])));
    rest.into_iter().all(|i| {
        let slab = &mut slabs[i];
        let granted = wishes && slab.wish.is_some_and(|at| floor.put(slab, at));
        granted || floor.put_lowest(slab)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slab(size: u16, align: u16, wish: u16) -> Slab {
        Slab { size, align, times: THROUGH, fixed: None, wish: Some(wish), at: 0 }
    }

    #[test]
    fn what_is_scattered_is_moved_together() {
        let floor = Floor { busy: vec![0; 4] };
        let mut slabs = [slab(1, 1, 0), slab(1, 1, 2), slab(2, 2, 9)];
        assert!(settle(&floor, &mut slabs));
        assert!(slabs[2].at.is_multiple_of(2));
        let mut units: Vec<u16> = slabs.iter().flat_map(|s| s.at..s.at + s.size).collect();
        units.sort_unstable();
        assert_eq!(units, [0, 1, 2, 3]);
    }

    #[test]
    fn a_fixed_place_is_kept_and_overlap_in_time_alone_matters() {
        let floor = Floor { busy: vec![0; 2] };
        let mut slabs = [
            Slab { times: BEFORE, fixed: Some(0), ..slab(2, 1, 0) },
            Slab { times: AFTER, fixed: Some(1), ..slab(1, 1, 0) },
            Slab { times: AFTER, ..slab(1, 1, 1) },
        ];
        assert!(settle(&floor, &mut slabs));
        assert_eq!(slabs.map(|s| s.at), [0, 1, 0]);
    }
}
