//! Where parameters stand (spec 18.4).
//!
//! The caller and the callee place them apart from each other and have to come to the same, so everything here follows
//! from the convention, the signature and the size of a wave, and from hints that both have.

use super::convention::{Arguments, Convention, Gaps, Seat, SystemParameter};
use super::partition::{File, Files, Partition, Pool, Span, partition};
use super::signature::{Parameter, Signature};

/// A parameter with its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Placed {
    /// Its name.
    pub name: String,
    /// Which parameter of the system it is; `None` for one of the signature.
    pub system: Option<SystemParameter>,
    /// The file that it belongs to.
    pub file: File,
    /// Dwords of it.
    pub size: u16,
    /// Where it stands.
    pub place: Place,
    /// Why there.
    pub reason: Reason,
}

/// A place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// In registers from this one on, out of a pool.
    Register {
        /// The first.
        first: u16,
        /// Who keeps them.
        pool: Pool,
    },
    /// At so many bytes of the stack's parameters.
    Stack(u32),
}

/// Why a parameter stands where it does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// The convention says so.
    Fixed,
    /// The lowest free registers of the pool.
    FirstFit,
    /// So many registers further up than the lowest free ones, for its alignment.
    Aligned(u16),
    /// It fills what another's alignment left out.
    FillsGap,
    /// Caller or callee asked for these registers.
    Hint,
    /// On the stack: the pool has no such run left.
    PoolFull(Pool),
    /// On the stack: the run is not aligned and cannot be moved up.
    Misaligned,
    /// On the stack: parameters would take more registers than the convention allows.
    Demand(u16),
}

/// All parameters of a function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Placement {
    /// The parameters in the order in which they got their places.
    pub parameters: Vec<Placed>,
    /// Bytes of a lane that those on the stack take.
    pub stack_bytes: u32,
    /// Registers of each file that parameters take.
    pub demand: Files<u16>,
}

impl Placement {
    /// The parameter of a name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Placed> {
        self.parameters.iter().find(|placed| placed.name == name)
    }

    /// The first register of a parameter of the system; `None` if there is no such parameter.
    #[must_use]
    pub fn system(&self, parameter: SystemParameter) -> Option<u16> {
        let placed = self.parameters.iter().find(|placed| placed.system == Some(parameter))?;
        match placed.place {
            Place::Register { first, .. } => Some(first),
            Place::Stack(_) => None,
        }
    }
}

/// Registers of each file, by number, that a function leaves as it finds them: those that its convention keeps,
/// parameters that are not given away, the stack pointer.
#[must_use]
pub fn kept(convention: &Convention, signature: &Signature, placement: &Placement) -> Files<Vec<bool>> {
    let pools = partition(convention);
    let mut kept = Files::each(|file| {
        let mut kept: Vec<bool> = pools.of(file).iter().map(|pool| *pool == Pool::Preserved).collect();
        kept.resize(if file == File::Sgpr { 128 } else { 256 }, false);
        kept
    });
    for (file, first, count) in of_return_stack(convention) {
        kept.of_mut(file)[usize::from(first)..usize::from(first + count)].fill(true);
    }
    for placed in &placement.parameters {
        let Place::Register { first, .. } = placed.place else { continue };
        let stays = match placed.system {
            Some(system) => system == SystemParameter::StackPointer,
            None => signature.parameters.iter().any(|p| p.name == placed.name && !p.is_given_away()),
        };
        for n in first..first + placed.size {
            kept.of_mut(placed.file)[usize::from(n)] |= stays;
        }
    }
    kept
}

/// Registers of the stack of return addresses: file, first, how many. They are nobody's.
#[must_use]
pub fn of_return_stack(convention: &Convention) -> Vec<(File, u16, u16)> {
    let stack = convention.return_stack();
    stack.map_or_else(Vec::new, |stack| vec![(File::Vgpr, stack.register, 2), (File::Sgpr, stack.counter, 1)])
}

/// What a caller asks for.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Hints {
    /// Registers that a parameter is wanted in: its name, the first of them.
    pub wanted: Vec<(String, u16)>,
    /// Registers that hold something else at the call; they are taken last.
    pub avoided: Files<Vec<Span>>,
}

/// Why parameters have no places.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoPlace {
    /// A parameter of the system has to be in registers.
    System {
        /// Which.
        parameter: SystemParameter,
        /// The pool that it comes from.
        pool: Pool,
        /// How many registers of that pool and file are free, in runs or alone.
        free: u16,
        /// How many registers of that file all parameters may have, where that alone is too little.
        most: Option<u16>,
    },
    /// A parameter begins in registers and ends on the stack, which this form of placing does not part.
    Parted {
        /// Its name.
        parameter: String,
        /// Its dwords.
        size: u16,
        /// How many of them still have registers.
        free: u16,
    },
}

/// Places the parameters of a function.
///
/// # Errors
/// A parameter of the system without room; a parameter in order that registers end within.
pub fn place(
    convention: &Convention,
    signature: &Signature,
    wave: u8,
    hints: &Hints,
) -> Result<Placement, NoPlace> {
    let pools = partition(convention);
    let mut free = Files::each(|file| vec![true; pools.of(file).len()]);
    for (file, first, count) in of_return_stack(convention) {
        let range = usize::from(first)..usize::from(first + count);
        free.of_mut(file).get_mut(range).into_iter().for_each(|taken| taken.fill(false));
    }
    let mut placer = Placer { convention, pools, free, hints, made: Placement::empty() };
    placer.fixed();
    let mut open = wanted(convention, &placer.pools, signature, wave);
    if let Arguments::InOrder(spans) = &convention.arguments {
        let rest = open.split_off(open.partition_point(|wanted| wanted.system.is_some()));
        placer.by_pools(open)?;
        placer.in_order(spans, rest)?;
    } else {
        placer.by_pools(open)?;
    }
    Ok(placer.made)
}

/// A parameter without a place.
struct Wanted {
    name: String,
    system: Option<SystemParameter>,
    file: File,
    size: u16,
    pool: Pool,
    discardable: bool,
}

impl Wanted {
    /// What the order of placing goes by: parameters that fill aligned runs whole come first.
    fn order(&self) -> u16 {
        match self.size {
            n if n % 4 == 0 => 4,
            n if n % 2 == 0 => 2,
            _ => 1,
        }
    }

    /// Multiples at which the registers may begin.
    fn alignment(&self) -> u16 {
        match (self.file, self.size) {
            (File::Vgpr, _) => 1,
            (File::Sgpr, 3..) => 4,
            (File::Sgpr, size) => size.max(1),
        }
    }
}

/// What is to be placed by rule, in the order in which it is: those of the system first.
fn wanted(convention: &Convention, pools: &Partition, signature: &Signature, wave: u8) -> Vec<Wanted> {
    let keeps = File::BOTH.iter().any(|file| pools.of(*file).contains(&Pool::Preserved));
    let kept = if keeps { Pool::Preserved } else { Pool::Clobbered };
    let mut all: Vec<Wanted> = Vec::new();
    for parameter in SystemParameter::ALL {
        if convention.system.seat(parameter) != Seat::Placed {
            continue;
        }
        // The caller keeps the stack pointer, the others are used up by the call.
        let stays = parameter == SystemParameter::StackPointer;
        all.push(Wanted {
            name: parameter.name().to_owned(),
            system: Some(parameter),
            file: if parameter.is_divergent() { File::Vgpr } else { File::Sgpr },
            size: parameter.size(),
            pool: if stays { kept } else { Pool::Clobbered },
            discardable: !stays,
        });
    }
    let system = all.len();
    // A parameter that is named as one of the system's is that one.
    let is_own = |p: &&Parameter| SystemParameter::ALL.iter().all(|system| system.name() != p.name);
    for parameter in signature.parameters.iter().filter(is_own) {
        let (file, size) = parameter.registers(wave);
        let discardable = parameter.is_given_away();
        let pool = if discardable { Pool::Clobbered } else { kept };
        all.push(Wanted { name: parameter.name.clone(), system: None, file, size, pool, discardable });
    }
    if convention.arguments == Arguments::Placed {
        all[system..].sort_by_key(|wanted| std::cmp::Reverse(wanted.order()));
    }
    all
}

/// The state of placing.
struct Placer<'a> {
    convention: &'a Convention,
    pools: Partition,
    free: Files<Vec<bool>>,
    hints: &'a Hints,
    made: Placement,
}

impl Placement {
    fn empty() -> Placement {
        Placement { parameters: Vec::new(), stack_bytes: 0, demand: Files::default() }
    }
}

impl Placer<'_> {
    /// Those of the system whose registers the convention names.
    fn fixed(&mut self) {
        for parameter in SystemParameter::ALL {
            let Seat::Fixed(first) = self.convention.system.seat(parameter) else { continue };
            let file = if parameter.is_divergent() { File::Vgpr } else { File::Sgpr };
            let pool = self.pools.of(file).get(usize::from(first)).copied().unwrap_or(Pool::Clobbered);
            let wanted = Wanted {
                name: parameter.name().to_owned(),
                system: Some(parameter),
                file,
                size: parameter.size(),
                pool,
                discardable: false,
            };
            self.take(wanted, first, Reason::Fixed);
        }
    }

    /// Placement by pools, the parameters in their order.
    fn by_pools(&mut self, open: Vec<Wanted>) -> Result<(), NoPlace> {
        let mut open = std::collections::VecDeque::from(open);
        while let Some(wanted) = open.pop_front() {
            if let Some(first) = self.hinted(&wanted) {
                self.take(wanted, first, Reason::Hint);
                continue;
            }
            match self.spot(&wanted) {
                Ok((first, 0)) => self.take(wanted, first, Reason::FirstFit),
                Ok((first, pad)) => {
                    if self.convention.gaps == Gaps::Upstream {
                        self.fill(first - pad, pad, &wanted, &mut open);
                    }
                    self.take(wanted, first, Reason::Aligned(pad));
                }
                Err(reason) => self.on_stack(wanted, reason)?,
            }
        }
        Ok(())
    }

    /// The first of the registers that a parameter gets, and how many free ones stay below it.
    fn spot(&self, wanted: &Wanted) -> Result<(u16, u16), Reason> {
        let (file, size, alignment) = (wanted.file, wanted.size, wanted.alignment());
        let lowest = self.run(file, wanted.pool, size, 1).ok_or(Reason::PoolFull(wanted.pool))?;
        if let Some(most) = &self.convention.most {
            let most = *most.of(file);
            if self.made.demand.of(file) + size > most {
                return Err(Reason::Demand(most));
            }
        }
        if self.convention.gaps == Gaps::Upstream {
            let pad = lowest.next_multiple_of(alignment) - lowest;
            let whole = self.is_free(file, wanted.pool, lowest, size + pad);
            return if whole { Ok((lowest + pad, pad)) } else { Err(Reason::Misaligned) };
        }
        let first = self.run(file, wanted.pool, size, alignment).ok_or(Reason::Misaligned)?;
        Ok((first, first.saturating_sub(lowest)))
    }

    /// The lowest free run that is aligned, those first that nobody wants to be spared.
    fn run(&self, file: File, pool: Pool, size: u16, alignment: u16) -> Option<u16> {
        let last = (self.free.of(file).len() as u16).checked_sub(size)?;
        let all = || (0..=last).step_by(alignment.into()).filter(|n| self.is_free(file, pool, *n, size));
        let avoided = self.hints.avoided.of(file);
        let is_spared =
            |first: u16| avoided.iter().any(|span| first <= span.last && span.first < first + size);
        all().find(|first| !is_spared(*first)).or_else(|| all().next())
    }

    /// Whether registers are there, free, and of a pool. A convention that keeps nothing has one pool.
    fn is_free(&self, file: File, pool: Pool, first: u16, size: u16) -> bool {
        let range = usize::from(first)..usize::from(first) + usize::from(size);
        let free = self.free.of(file).get(range.clone()).is_some_and(|run| run.iter().all(|free| *free));
        free && self.pools.of(file)[range].iter().all(|of| *of == pool)
    }

    /// The registers that somebody wants a parameter in, if it can have them.
    fn hinted(&self, wanted: &Wanted) -> Option<u16> {
        let (_, first) = self.hints.wanted.iter().find(|(name, _)| *name == wanted.name)?;
        let room = self
            .convention
            .most
            .is_none_or(|most| self.made.demand.of(wanted.file) + wanted.size <= *most.of(wanted.file));
        let fits = first.is_multiple_of(wanted.alignment())
            && self.is_free(wanted.file, wanted.pool, *first, wanted.size);
        (room && fits).then_some(*first)
    }

    /// Lets one later parameter fill a gap, as drivers choose it: its alignment has to be a multiple of the misaligned
    /// register's number, where the reverse is meant.
    fn fill(&mut self, gap: u16, size: u16, before: &Wanted, open: &mut std::collections::VecDeque<Wanted>) {
        let fits = |other: &Wanted| {
            let reversed = other.alignment().checked_rem(gap).is_none_or(|rest| rest == 0);
            other.file == before.file
                && other.discardable == before.discardable
                && other.size <= size
                && reversed
        };
        if let Some(found) = open.iter().position(fits).and_then(|at| open.remove(at)) {
            self.take(found, gap, Reason::FillsGap);
        }
    }

    fn take(&mut self, wanted: Wanted, first: u16, reason: Reason) {
        let Wanted { name, system, file, size, pool, .. } = wanted;
        let range = usize::from(first)..usize::from(first + size);
        if let Some(run) = self.free.of_mut(file).get_mut(range) {
            run.fill(false);
        }
        *self.made.demand.of_mut(file) += size;
        let place = Place::Register { first, pool };
        self.made.parameters.push(Placed { name, system, file, size, place, reason });
    }

    fn on_stack(&mut self, wanted: Wanted, reason: Reason) -> Result<(), NoPlace> {
        let Wanted { name, system, file, size, pool, .. } = wanted;
        if let Some(parameter) = system {
            let pools = self.pools.of(file).iter().zip(self.free.of(file));
            let free = pools.filter(|(of, free)| **of == pool && **free).count() as u16;
            let most = match reason {
                Reason::Demand(most) => Some(most),
                _ => None,
            };
            return Err(NoPlace::System { parameter, pool, free, most });
        }
        let place = Place::Stack(self.made.stack_bytes);
        self.made.stack_bytes += u32::from(size) * 4;
        self.made.parameters.push(Placed { name, system, file, size, place, reason });
        Ok(())
    }

    /// Placement in the order of the signature.
    fn in_order(&mut self, spans: &Files<Vec<Span>>, open: Vec<Wanted>) -> Result<(), NoPlace> {
        let mut left = Files::each(|file| {
            spans.of(file).iter().flat_map(|span| span.first..=span.last).collect::<Vec<u16>>()
        });
        for mut wanted in open {
            let (file, size) = (wanted.file, usize::from(wanted.size));
            let registers = left.of_mut(file);
            let run = registers.get(..size).filter(|run| run.windows(2).all(|two| two[0] + 1 == two[1]));
            if let Some(first) = run.and_then(|run| run.first().copied()) {
                registers.drain(..size);
                wanted.pool = self.pools.of(file).get(usize::from(first)).copied().unwrap_or(wanted.pool);
                self.take(wanted, first, Reason::Fixed);
            } else if registers.is_empty() {
                self.on_stack(wanted, Reason::PoolFull(Pool::Clobbered))?;
            } else {
                let free = registers.len().min(size) as u16;
                return Err(NoPlace::Parted { parameter: wanted.name, size: wanted.size, free });
            }
        }
        Ok(())
    }
}
