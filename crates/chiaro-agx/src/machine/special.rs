//! Special registers (spec 2.5).

use chiaro_sim::Lanes;

use super::fault::FaultKind;
use super::launch::{Launch, Place};
use super::pixels::Pixels;
use super::program::Step;
use super::simdgroup::SimdGroup;
use crate::regs::LANES;

impl SimdGroup {
    /// Puts it into a dispatch, with the lanes that its threadgroup has for it.
    pub fn enter(&mut self, launch: &Launch, group: [u32; 3]) {
        self.place = Place { launch: *launch, group };
        let left = launch.threads().saturating_sub(self.number * LANES).min(LANES);
        self.launch(if left == LANES { u32::MAX } else { (1 << left) - 1 });
    }

    /// Reads a special register. Those of pixels exist where there are some, unknown ones do not.
    pub(super) fn special(&mut self, step: &Step) {
        let Some(register) = step.d else { return };
        let mut value = Lanes::ZERO;
        for lane in 0..LANES as usize {
            match self.special_of(step.number, lane) {
                Some(bits) => value.0[lane] = bits,
                None => {
                    let text = self.program.text(step);
                    return self.stop(FaultKind::Missing(text));
                }
            }
        }
        self.merge(register, &value, self.active());
    }

    fn special_of(&self, number: i64, lane: usize) -> Option<u32> {
        let Place { launch, group } = self.place;
        let index = self.number * LANES + lane as u32;
        let [width, height, _] = launch.size.map(|n| n.max(1));
        let thread = [index % width, index / width % height, index / width / height];
        let active = self.active();
        let (below, quad) = ((1u32 << lane) - 1, 15u32 << (lane & 28));
        if let Some(found) = self.pixels.as_deref().and_then(|pixels| of_pixel(pixels, number, lane)) {
            return Some(found);
        }
        Some(match number {
            n @ 0..=2 => group[n as usize],
            n @ 4..=6 => launch.size[n as usize - 4],
            n @ 8..=10 => launch.size[n as usize - 8],
            20 | 21 => 0,
            n @ 48..=50 => thread[n as usize - 48],
            51 => index,
            52 => lane as u32,
            53 => self.number,
            56 => (active & quad & below).count_ones(),
            57 => (active & quad).count_ones(),
            58 => (active & below).count_ones(),
            59 => active.count_ones(),
            63 => active >> lane & 1,
            n @ 80..=82 => {
                let axis = n as usize - 80;
                group[axis].wrapping_mul(launch.size[axis]).wrapping_add(thread[axis])
            }
            _ => return None,
        })
    }
}

/// What fragments have of their own.
fn of_pixel(pixels: &Pixels, number: i64, lane: usize) -> Option<u32> {
    Some(match number {
        2 => pixels.layer,
        14 => pixels.samples.ilog2(),
        60 => pixels.live[lane].into(),
        62 => pixels.back >> lane & 1,
        63 => u32::from(pixels.live[lane] != 0),
        80 | 81 => pixels.places[lane][number as usize - 80],
        124 => pixels.covered[lane].into(),
        _ => return None,
    })
}
