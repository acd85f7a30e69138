//! Epilogs of fragments, in the order of spec 18.2: coverage by alpha, depth and stencil, then every target.

use chiaro_ir::{Op as Ir, Space, Stage, Value};

use super::draft::{Build, Draft, build};
use super::spill::Spilled;
use super::target::{Place, Shaded, Target};
use crate::abi::channels::Format;
use crate::abi::key::{FACTORS, FragmentEpilog};
use crate::abi::tilebuffer::{Layout, MOST_TARGETS, physical};
use crate::compile::select::Bound;
use crate::container::file::{self, Role};

/// Halves of the interface of fragments (spec 14.3, 14.4).
const SAMPLES: u16 = 2;
const DEPTH: u16 = 4;
const STENCIL: u16 = 6;
const LIVING: u16 = crate::regs::WRITTEN;
const COLOUR: u16 = 8;
const EACH_COLOUR: u16 = 8;
const CONSTANT: u16 = 4;
/// Descriptors of a target in memory: one to read it, one to store to it.
const DESCRIPTORS: u16 = 2;
/// All samples.
const ALL: u64 = 0xff;

/// The module of an epilog.
pub(super) fn draft(key: &FragmentEpilog) -> Result<Draft, String> {
    let samples = key.link.sample_shading == 1;
    let made = build(Stage::Fragment, |d| Epilog::new(key, d).body())?;
    let keeps = keeps(key);
    Ok(Draft { samples, keeps, ..Draft::of(made, file::Stage::Fragment, Role::Epilog) })
}

/// Whether something of a target stays as it was: components, samples, or all of it.
fn keeps(key: &FragmentEpilog) -> bool {
    let whole = |target: &crate::abi::key::Target| {
        let format = Format::named(target.format.trim_start_matches("PIPE_FORMAT_"));
        let channels = format.map_or(0b1111, |format| {
            (0..4).filter(|n| format.swizzle[*n].is_some()).fold(0, |all, n| all | 1 << n)
        });
        let is_written = |loc: u8| key.link.loc_written >> loc & 1 == 1;
        target.colormask & channels == channels && target.loc.is_some_and(is_written)
    };
    key.link.sample_mask_after_force_early == 1 || !key.rts.iter().all(whole)
}

struct Epilog<'k, 'd, 'm> {
    key: &'k FragmentEpilog,
    d: &'d mut Build<'m>,
    /// Samples that stores are for, besides those that they are about; nothing for all.
    living: Option<Value>,
}

impl<'k, 'd, 'm> Epilog<'k, 'd, 'm> {
    fn new(key: &'k FragmentEpilog, d: &'d mut Build<'m>) -> Epilog<'k, 'd, 'm> {
        Epilog { key, d, living: None }
    }

    fn body(&mut self) -> Result<(), String> {
        let targets = self.targets()?;
        if self.is_looped() {
            // It is preserved for the next sample.
            let (samples, half) = (self.shaded(), self.d.int(16));
            let place = self.d.variable(Space::Output, "samples at the end", half, Bound::Register(SAMPLES));
            self.d.b.store(place, samples);
        }
        if self.key.link.sample_mask_after_force_early == 1 {
            let half = self.d.int(16);
            self.living = Some(self.d.register("living samples", half, LIVING));
        }
        if self.key.alpha_to_coverage == 1 {
            self.cover();
        }
        self.give_depth();
        let count = if self.is_looped() { 1 } else { self.key.nr_samples.max(1) };
        let by_sample = |target: &&Target<'_>| count > 1 && (target.reads() || target.is_spilled());
        let each: Vec<&Target<'_>> = targets.iter().filter(by_sample).collect();
        for target in targets.iter().filter(|target| !by_sample(target)) {
            self.store(target, ALL);
        }
        for sample in 0..if each.is_empty() { 0 } else { count } {
            each.iter().for_each(|target| self.store(target, 1 << sample));
        }
        Ok(())
    }

    /// The program is run for each sample by itself.
    fn is_looped(&self) -> bool {
        self.key.link.sample_shading == 1
    }

    /// The mask of samples that this run is for.
    fn shaded(&mut self) -> Value {
        if self.is_looped() {
            let half = self.d.int(16);
            self.d.register("samples", half, SAMPLES)
        } else {
            self.d.mask(ALL)
        }
    }

    /// Targets that something goes to, where they stand.
    fn targets(&self) -> Result<Vec<Target<'k>>, String> {
        let key = self.key;
        let name =
            |given: &crate::abi::key::Target| given.format.trim_start_matches("PIPE_FORMAT_").to_owned();
        let mut all = vec![None; MOST_TARGETS];
        for given in &key.rts {
            let found =
                physical(&name(given)).ok_or_else(|| format!("`{}` cannot be rendered to", given.format))?;
            all[given.i as usize % MOST_TARGETS] = Some(found);
        }
        let layout = Layout::new(&all, key.nr_samples.max(1) as u32)?;
        let mut made = Vec::new();
        for given in &key.rts {
            let Some(place) = layout.targets[given.i as usize % MOST_TARGETS] else { continue };
            let format =
                Format::named(&name(given)).ok_or_else(|| format!("`{}` is no format", given.format))?;
            // What nobody has written is not stored.
            let is_written = |loc: &u8| key.link.loc_written >> loc & 1 == 1;
            let Some(loc) = given.loc.filter(is_written) else { continue };
            let to_one = key.alpha_to_one == 1;
            let opaque = [to_one || loc == 0 && key.link.loc0_w_1 == 1, to_one];
            let at = match place.offset {
                Some(offset) => Place::Tile(offset as u16),
                None => Place::Memory(self.spilled(given.i, &format)),
            };
            let (physical, logic) = (place.physical, key.logicop);
            made.push(Target { given, format, physical, place: at, logic, opaque });
        }
        made.sort_by_key(|target| target.given.i);
        Ok(made)
    }

    /// A target that found no room: it has two descriptors, behind those of the targets before.
    fn spilled(&self, target: u64, format: &Format) -> Spilled {
        Spilled {
            state: self.key.link.rt_spill_base as u16 + DESCRIPTORS * target as u16,
            bytes: format.bytes as u8,
            is_sampled: self.key.nr_samples > 1,
        }
    }

    /// The colour of a location as floats or integers, of the size that the main part gives it.
    fn colour(&mut self, location: u8, is_integer: bool, is_opaque: bool) -> [Value; 4] {
        let width = if self.key.link.size_32 >> location & 1 == 1 { 32 } else { 16 };
        let (kind, ty) =
            if is_integer { ("integers", self.d.int(width)) } else { ("colour", self.d.float(width)) };
        let vector = self.d.several(ty, 4);
        let first = COLOUR + EACH_COLOUR * u16::from(location);
        let value = self.d.register(&format!("{kind} {location}"), vector, first);
        let mut parts = [0, 1, 2, 3].map(|n| self.d.b.extract(value, n));
        if is_opaque && !is_integer {
            parts[3] = self.d.number(ty, 1.0);
        } else if is_integer && self.key.alpha_to_one == 1 {
            // An integer has the bits of that number, as it does with Mesa.
            let float = self.d.float(width);
            let one = self.d.number(float, 1.0);
            parts[3] = self.d.b.bitcast(one, ty);
        }
        parts
    }

    /// What the shader gives for a target.
    fn given(&mut self, target: &Target<'_>) -> Shaded {
        let source = self.colour(target.given.loc.unwrap_or(0), target.is_integer(), target.opaque[0]);
        let names_second = |factor: &u8| FACTORS[usize::from(*factor)].contains("src1");
        let blends = [target.given.rgb, target.given.alpha];
        let is_dual = blends.iter().any(|blend| blend.factors.iter().any(names_second));
        let second =
            (is_dual && !target.is_integer()).then(|| self.colour(1, false, self.key.alpha_to_one == 1));
        let float = self.d.float(32);
        let vector = self.d.several(float, 4);
        let place = self.d.variable(Space::Uniform, "blend constant", vector, Bound::Uniform(CONSTANT));
        let value = self.d.b.load(place);
        let constant = [0, 1, 2, 3].map(|n| self.d.b.extract(value, n));
        Shaded { source, second, constant }
    }

    /// Stores a target for the samples of a mask, as far as they are shaded.
    fn store(&mut self, target: &Target<'_>, samples: u64) {
        let shaded = self.given(target);
        let own = if self.is_looped() { self.shaded() } else { self.d.mask(samples) };
        let to = match self.living {
            Some(living) if !self.is_looped() && samples == ALL => living,
            Some(living) => self.d.b.and(living, own),
            None => own,
        };
        target.store(self.d, &shaded, own, to);
    }

    /// Of n samples the first a n, rounded down, live.
    fn cover(&mut self) {
        let [.., alpha] = self.colour(0, false, self.key.link.loc0_w_1 == 1);
        let ty = self.d.b.ty(alpha);
        let (zero, one) = (self.d.number(ty, 0.0), self.d.number(ty, 1.0));
        let mut alpha = self.d.b.fclamp(alpha, zero, one);
        if self.key.nr_samples > 1 {
            let count = self.d.number(ty, self.key.nr_samples as f64);
            alpha = self.d.b.fmul(alpha, count);
        }
        let (word, half) = (self.d.int(32), self.d.int(16));
        let count = self.d.convert(Ir::FToU, alpha, word);
        let one = self.d.b.u32(1);
        let above = self.d.b.shl(one, count);
        let living = self.d.b.isub(above, one);
        let living = self.d.convert(Ir::ZExt, living, half);
        let gives_depth = self.key.link.write_z + self.key.link.write_s > 0;
        if self.key.link.already_ran_zs == 1 {
            // What has been tested is not killed behind that (spec 9.6): nothing is stored for it.
            self.living = Some(self.living.map_or(living, |known| self.d.b.and(known, living)));
            return;
        }
        let shaded = self.shaded();
        let (to, living) = match gives_depth {
            false => (shaded, living),
            true => {
                let dead = self.d.b.not(living);
                (self.d.b.and(shaded, dead), self.d.mask(0))
            }
        };
        let place = self.d.of_samples("coverage", half, Bound::Coverage, to);
        self.d.b.store(place, living);
    }

    /// Depth and stencil are tested here where the main part gives them.
    fn give_depth(&mut self) {
        let link = &self.key.link;
        let (float, half) = (self.d.float(32), self.d.int(16));
        let value = match (link.write_z == 1, link.write_s == 1) {
            // The stencil stands behind the two halves of the depth.
            (true, true) => {
                let three = self.d.several(half, 3);
                self.d.register("depth and stencil", three, DEPTH)
            }
            (true, false) => self.d.register("depth", float, DEPTH),
            (false, true) => self.d.register("stencil", half, STENCIL),
            (false, false) => return,
        };
        let ty = self.d.b.ty(value);
        let samples = self.shaded();
        let place = self.d.of_samples("depth and stencil of samples", ty, Bound::Depth, samples);
        self.d.b.store(place, value);
    }
}
