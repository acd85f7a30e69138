//! Names to arguments, registers and memory.

use chiaro_diag::{Diagnostic, did_you_mean};
use chiaro_sim::Lanes;
use chiaro_sim::mapped::{Mapped, Range};
use chiaro_target::blocks::{Given, by_member, fill, firsts};
use chiaro_target::simulate::unset;
use chiaro_target::value::Image;
use chiaro_target::{Kind, Value};

use super::images;
use super::kernel::{Argument, Kernel};
use super::printf;
use super::sets::Sets;
use crate::abi::{Dispatch, Places};
use crate::machine::{Wave, raw_buffer};
use crate::regs::SGPRS;

/// Where arguments, packets and buffers lie: far enough apart that no small mistake leads from
/// one to the other.
const KERNARG: u64 = 0x20_0000_0000;
const PACKET: u64 = 0x30_0000_0000;
pub(super) const PRINTS: u64 = 0x40_0000_0000;
const HANDLES: u64 = 0x50_0000_0000;
const BUFFERS: u64 = 0x100_0000_0000;
const APART: u64 = 0x1_0000_0000;

/// Bytes of descriptors of images, alone and with a sampler, which stands at a byte of them (spec section 17).
const ALONE: usize = 32;
const COMBINED: usize = 96;
const SAMPLER: usize = 80;

/// Memory and registers at the start of a run.
pub(super) struct Bound {
    pub(super) memory: Mapped,
    pub(super) places: Places,
    pub(super) remarks: Vec<Diagnostic>,
    /// First register, and words.
    scalars: Vec<(u16, Vec<u32>)>,
    /// A register, and a word for each thread of a group, or one for all.
    vectors: Vec<(u16, Vec<u32>)>,
    kernarg: Vec<u8>,
    /// Descriptors that arguments are addresses of.
    handles: Vec<u8>,
    buffers: Vec<String>,
    sets: Sets,
    images: Vec<Pictured>,
    /// The sampler of the last image that is given, for samplers that stand alone.
    sampler: Option<[u32; 4]>,
    /// Arguments whose members are given one by one, with their bytes so far.
    blocks: Vec<(String, Vec<u8>)>,
}

/// An image that is given.
struct Pictured {
    /// The argument, and the number among its elements behind the first.
    name: String,
    image: Image,
    /// Whether its numbers are integers.
    integer: bool,
    /// Its bytes before the run.
    bytes: Vec<u8>,
}

impl Pictured {
    /// The image that a run left; nothing of one that is as it was given.
    fn left(&self, bytes: &[u8]) -> Option<Value> {
        (bytes != self.bytes).then(|| Value::Image(images::read(&self.image, bytes, self.integer)))
    }
}

/// Sets up what is given; what is `shared` with other programs may have names that this one does not know.
pub(super) fn bind(
    kernel: &Kernel,
    given: &[(String, Value)],
    shared: bool,
    dispatch: &Dispatch,
) -> Result<Bound, Vec<Diagnostic>> {
    let declared = kernel.descriptor.and_then(|d| d.get("kernarg_size")).unwrap_or(0) as usize;
    let ends = kernel.arguments.iter().map(|a| a.offset.saturating_add(a.size));
    let size = ends.max().unwrap_or(0).max(declared).min(MOST_ARGUMENTS);
    let mut bound = Bound {
        memory: Mapped::default(),
        places: Places { kernarg: KERNARG, packet: PACKET },
        remarks: Vec::new(),
        scalars: Vec::new(),
        vectors: Vec::new(),
        kernarg: vec![0; size],
        handles: Vec::new(),
        buffers: Vec::new(),
        sets: Sets::default(),
        images: Vec::new(),
        sampler: None,
        blocks: Vec::new(),
    };
    bound.hidden(kernel, dispatch);
    let mut errors = Vec::new();
    for (name, value) in given {
        errors.extend(bound.resource(kernel, name, value, shared).err().map(|error| *error));
    }
    errors.extend(bound.place_blocks(kernel).err().map(|error| *error));
    bound.place_samplers(kernel);
    let is_open =
        |a: &&Argument| !a.is_hidden() && !a.is_sampler() && !given.iter().any(|(name, _)| a.takes(name));
    let open: Vec<&str> = kernel.arguments.iter().filter(is_open).map(|a| a.name.as_str()).collect();
    bound.remarks.extend(unset("argument", &open, "0"));
    bound.finish(kernel, dispatch, &mut errors);
    if errors.is_empty() { Ok(bound) } else { Err(errors) }
}

/// Bytes of arguments that a kernel can have here; metadata may say anything.
const MOST_ARGUMENTS: usize = 1 << 16;

impl Argument {
    fn is_hidden(&self) -> bool {
        self.kind.starts_with("hidden_")
    }

    fn is_buffer(&self) -> bool {
        matches!(&*self.kind, "global_buffer" | "dynamic_shared_pointer")
    }

    fn is_sampler(&self) -> bool {
        self.kind == "sampler"
    }

    /// Whether it is the address of an image's descriptor.
    fn is_handle(&self) -> bool {
        self.kind == "image" && self.descriptor.is_none()
    }

    /// Whether a name is that of the argument, of one of its elements or of its members.
    fn takes(&self, name: &str) -> bool {
        let is_own =
            name.strip_prefix(&*self.name).is_some_and(|rest| rest.is_empty() || rest.starts_with('['));
        is_own || self.name.strip_suffix("[0]") == Some(name) || firsts(&self.members).contains(&name)
    }

    /// The bytes of a value that has names or nests, by the members.
    fn whole(&self, value: &Value) -> Result<Option<Value>, Box<Diagnostic>> {
        let Some(given) = by_member(&self.members, value) else { return Ok(None) };
        if self.members.is_empty() {
            let name = &self.name;
            let flat = "give its numbers one behind the other, with the room between them";
            return Err(misfit(format!("nobody says what `{name}` consists of: {flat}")));
        }
        let mut bytes = Vec::new();
        fill(&self.name, &self.members, &given, &mut bytes).map_err(misfit)?;
        Ok(Some(self.padded(bytes)))
    }

    /// Bytes of members: what comes by value is as long as it is.
    fn padded(&self, mut bytes: Vec<u8>) -> Value {
        if !self.is_buffer() && self.descriptor.is_none() {
            bytes.resize(self.size, 0);
        }
        Value::Bytes(bytes)
    }

    fn kind(&self) -> Kind {
        if self.integer { Kind::Int(32) } else { Kind::Float(32) }
    }
}

impl Bound {
    /// Buffers as the run left them.
    pub(super) fn written(&self) -> Vec<(String, Value)> {
        let left = |name: &String| {
            let bytes = &self.memory.named(name)?.bytes;
            let value = match self.images.iter().find(|image| image.name == *name) {
                Some(image) => image.left(bytes)?,
                None => Value::Bytes(bytes.clone()),
            };
            Some((name.clone(), value))
        };
        self.buffers.iter().filter_map(left).collect()
    }

    /// Sets the registers of a wave that are given by name.
    pub(super) fn enter(&self, wave: &mut Wave) {
        for (first, words) in &self.scalars {
            (*first..).zip(words).for_each(|(register, word)| wave.set_scalar(register, *word));
        }
        let first = wave.index() as usize * usize::from(wave.lanes());
        for (register, words) in &self.vectors {
            let word = |lane: usize| match words[..] {
                [one] => one,
                _ => words.get(first + lane).copied().unwrap_or(0),
            };
            let halves = [0, 32].map(|half| Lanes(std::array::from_fn(|lane| word(half + lane))));
            wave.set_vector(*register, &halves);
        }
    }

    fn resource(
        &mut self,
        kernel: &Kernel,
        name: &str,
        value: &Value,
        shared: bool,
    ) -> Result<(), Box<Diagnostic>> {
        if let Value::Image(image) = value {
            let first = format!("{name}[0]");
            let mut own = kernel.arguments.iter().filter(|a| a.is_handle());
            if let Some(argument) = own.find(|a| a.name == name || a.name == first) {
                return self.handle(kernel, argument, image);
            }
            let (stem, element) = match name.strip_suffix(']').and_then(|name| name.rsplit_once('[')) {
                Some((stem, number)) => (stem, number.parse().unwrap_or(usize::MAX >> 8)),
                None => (name, 0),
            };
            return match kernel.arguments.iter().find(|a| a.name == stem && !a.is_hidden()) {
                Some(argument) => self.image(argument, element, image),
                None if shared => Ok(()),
                None => Err(missing(name, kernel)),
            };
        }
        if let Some(argument) = kernel.arguments.iter().find(|a| a.name == name && !a.is_hidden()) {
            let whole = argument.whole(value)?;
            let value = whole.as_ref().unwrap_or(value);
            if !kernel.registers.is_empty() {
                return self.bound_resource(argument, value);
            }
            return self.argument(argument, value);
        }
        if self.member(kernel, name, value)? {
            return Ok(());
        }
        match place(name) {
            Some(Place::Scalars { first, count }) => {
                let words = words(value, name, Kind::Float(32))?;
                let room = count.unwrap_or(1);
                fits(name, words.len(), room.into(), "words")?;
                self.scalars.push((first, words));
            }
            Some(Place::Vector(register)) => {
                self.vectors.push((register, words(value, name, Kind::Float(32))?));
            }
            Some(Place::Buffer(first)) => {
                let bytes = bytes(value, name, Kind::Float(32))?;
                let size = bytes.len() as u32;
                let base = self.map(name, bytes)?;
                self.scalars.push((first, raw_buffer(base, size).to_vec()));
            }
            Some(Place::Pointer(first)) => {
                let base = self.map(name, bytes(value, name, Kind::Float(32))?)?;
                self.scalars.push((first, vec![base as u32, (base >> 32) as u32]));
            }
            Some(Place::Memory(base)) => self.map_at(name, base, bytes(value, name, Kind::Float(32))?)?,
            None if shared => {}
            None => return Err(missing(name, kernel)),
        }
        Ok(())
    }

    /// A member of a buffer or of the push constants, which the source sees without a name before it; whether the name
    /// is one. Others of the same buffer may come later.
    fn member(&mut self, kernel: &Kernel, name: &str, value: &Value) -> Result<bool, Box<Diagnostic>> {
        let has = |argument: &&Argument| firsts(&argument.members).contains(&name);
        let Some(argument) = kernel.arguments.iter().find(has) else { return Ok(false) };
        let known = self.blocks.iter().position(|(other, _)| *other == argument.name);
        let n = known.unwrap_or_else(|| {
            self.blocks.push((argument.name.clone(), Vec::new()));
            self.blocks.len() - 1
        });
        let given = Given::Named(vec![(name.to_owned(), value.clone())]);
        fill(&argument.name, &argument.members, &given, &mut self.blocks[n].1).map_err(misfit)?;
        Ok(true)
    }

    /// Buffers of which members were given one by one.
    fn place_blocks(&mut self, kernel: &Kernel) -> Result<(), Box<Diagnostic>> {
        for (name, bytes) in std::mem::take(&mut self.blocks) {
            let Some(argument) = kernel.arguments.iter().find(|argument| argument.name == name) else {
                continue;
            };
            let value = argument.padded(bytes);
            match kernel.registers.is_empty() {
                true => self.argument(argument, &value)?,
                false => self.bound_resource(argument, &value)?,
            }
        }
        Ok(())
    }

    /// An image and its sampler at their places in a descriptor set.
    fn image(&mut self, argument: &Argument, element: usize, image: &Image) -> Result<(), Box<Diagnostic>> {
        let name = &argument.name;
        let Some((set, kind)) = &argument.descriptor else {
            return Err(misfit(format!("`{name}` is no image")));
        };
        let each = if kind == "combined_image_sampler" { COMBINED } else { ALONE };
        let is_image = matches!(kind.as_str(), "combined_image_sampler" | "storage_image");
        // Of arrays without a number there is what is given.
        let is_there = argument.size == 0 || each * element < argument.size;
        if !is_image || !is_there {
            return Err(misfit(format!("`{name}` has no image number {element}")));
        }
        let base = BUFFERS + self.buffers.len() as u64 * APART;
        let made = images::of(image, base, argument.integer).map_err(misfit)?;
        let label = if element == 0 { name.clone() } else { format!("{name}[{element}]") };
        self.map(&label, made.bytes.clone())?;
        let at = argument.offset + each * element;
        self.sets.put(*set, at, &made.image);
        if each == COMBINED {
            self.sets.put(*set, at + SAMPLER, &made.sampler);
        }
        self.sampler = Some(made.sampler);
        let (image, integer) = (image.clone(), argument.integer);
        self.images.push(Pictured { name: label, image, integer, bytes: made.bytes });
        Ok(())
    }

    /// An image whose descriptor is found by an address, and its sampler, which is an argument beside it.
    fn handle(&mut self, kernel: &Kernel, argument: &Argument, image: &Image) -> Result<(), Box<Diagnostic>> {
        let base = BUFFERS + self.buffers.len() as u64 * APART;
        let made = images::of(image, base, argument.integer).map_err(misfit)?;
        self.map(&argument.name, made.bytes.clone())?;
        self.place_handle(argument, &made.image);
        let beside = format!("{}.sampler", argument.name);
        if let Some(sampler) = kernel.arguments.iter().find(|a| a.name == beside) {
            self.place_handle(sampler, &made.sampler);
        }
        self.sampler = Some(made.sampler);
        let (name, integer) = (argument.name.clone(), argument.integer);
        self.images.push(Pictured { name, image: image.clone(), integer, bytes: made.bytes });
        Ok(())
    }

    /// Puts a descriptor into memory, and its address among the arguments.
    fn place_handle(&mut self, argument: &Argument, words: &[u32]) {
        let address = HANDLES + self.handles.len() as u64;
        self.handles.extend(words.iter().flat_map(|word| word.to_le_bytes()));
        self.handles.resize(self.handles.len().next_multiple_of(ALONE), 0);
        let room = self.kernarg.get_mut(argument.offset..).unwrap_or_default();
        room.iter_mut().zip(address.to_le_bytes()).for_each(|(to, byte)| *to = byte);
    }

    /// Samplers that stand alone are that of the last image that is given.
    fn place_samplers(&mut self, kernel: &Kernel) {
        let Some(words) = self.sampler else { return };
        for argument in kernel.arguments.iter().filter(|a| a.is_sampler()) {
            match argument.descriptor {
                Some((set, _)) => self.sets.put(set, argument.offset, &words),
                None if argument.name.ends_with(".sampler") => {}
                None => self.place_handle(argument, &words),
            }
        }
    }

    /// A resource of a descriptor set, or the push constants.
    fn bound_resource(&mut self, argument: &Argument, value: &Value) -> Result<(), Box<Diagnostic>> {
        let bytes = bytes(value, &argument.name, argument.kind())?;
        let Some((set, kind)) = &argument.descriptor else {
            self.sets.push = bytes;
            return Ok(());
        };
        let (what, help) = match kind.as_str() {
            "storage_buffer" | "uniform_buffer" => ("", ""),
            texels if texels.ends_with("buffer") => {
                ("a buffer of texels", "runs by name have no buffers of texels yet")
            }
            _ => ("an image", "give it under `images`, as a file or as size and texels"),
        };
        if !what.is_empty() {
            let message = format!("`{}` is {what}, and numbers are given", argument.name);
            return Err(Box::new(Diagnostic::error(None, message).help(help)));
        }
        let size = bytes.len() as u32;
        let base = self.map(&argument.name, bytes)?;
        self.sets.put(*set, argument.offset, &raw_buffer(base, size));
        Ok(())
    }

    fn argument(&mut self, argument: &Argument, value: &Value) -> Result<(), Box<Diagnostic>> {
        let name = &argument.name;
        let bytes = if argument.is_buffer() {
            let base = self.map(name, bytes(value, name, argument.kind())?)?;
            base.to_le_bytes().to_vec()
        } else if let (8, Value::Number(number)) = (argument.size, value) {
            let whole = (*number as i64).to_le_bytes();
            if argument.integer { whole.to_vec() } else { number.to_le_bytes().to_vec() }
        } else if let Value::Bits(bits) = value {
            bits.to_le_bytes()[..argument.size.min(8)].to_vec()
        } else {
            bytes(value, name, argument.kind())?
        };
        // A number of fewer bytes comes as a word.
        let bytes = if argument.size < 4 { &bytes[..argument.size.min(bytes.len())] } else { &bytes[..] };
        fits(name, bytes.len(), argument.size, "bytes")?;
        let room = self.kernarg.get_mut(argument.offset..).unwrap_or_default();
        room.iter_mut().zip(bytes).for_each(|(to, byte)| *to = *byte);
        Ok(())
    }

    /// Arguments that the runtime gives, as far as a run without a queue has them.
    fn hidden(&mut self, kernel: &Kernel, dispatch: &Dispatch) {
        let axis = |kind: &str| "xyz".find(kind.chars().last().unwrap_or('x')).unwrap_or(0);
        for argument in kernel.arguments.iter().filter(|a| a.is_hidden()) {
            let n = axis(&argument.kind);
            let value = match argument.kind.trim_end_matches(['x', 'y', 'z']) {
                "hidden_block_count_" => dispatch.groups[n].into(),
                "hidden_group_size_" => dispatch.size[n].into(),
                "hidden_printf_buffer" => match (self.prints(), &argument.descriptor) {
                    (base, Some((set, _))) => {
                        self.sets.put(*set, argument.offset, &raw_buffer(base, printf::BYTES as u32));
                        continue;
                    }
                    (base, None) => base,
                },
                "hidden_grid_dims" => 3,
                _ => 0,
            };
            let room = self.kernarg.get_mut(argument.offset..).unwrap_or_default();
            let bytes = u64::to_le_bytes(value);
            room.iter_mut().zip(bytes).take(argument.size).for_each(|(to, byte)| *to = byte);
        }
    }

    /// Maps the buffer that prints go to: its words and how many bytes are taken.
    fn prints(&mut self) -> u64 {
        let range = Range { name: printf::BUFFER.to_owned(), base: PRINTS, bytes: printf::buffer() };
        self.memory.map(range).map_or(0, |()| PRINTS)
    }

    /// Maps what every run has: code, constants, arguments, the packet.
    fn finish(&mut self, kernel: &Kernel, dispatch: &Dispatch, errors: &mut Vec<Diagnostic>) {
        let mut own = vec![("the code", kernel.code_base, kernel.code.clone())];
        self.scalars.extend(self.sets.registers(&kernel.registers, dispatch));
        own.extend(self.sets.memory(kernel));
        own.push(("the constants", kernel.constants.0, kernel.constants.1.clone()));
        own.push(("the arguments", KERNARG, std::mem::take(&mut self.kernarg)));
        own.push(("descriptors", HANDLES, std::mem::take(&mut self.handles)));
        if let Some(descriptor) = &kernel.descriptor {
            own.push(("the packet", PACKET, dispatch.packet(descriptor, KERNARG).to_vec()));
        }
        for (name, base, bytes) in own.into_iter().filter(|(_, _, bytes)| !bytes.is_empty()) {
            let range = Range { name: name.to_owned(), base, bytes };
            if let Err(other) = self.memory.map(range) {
                errors.push(Diagnostic::error(None, format!("`{other}` lies over {name}, at {base:#x}")));
            }
        }
    }

    fn map(&mut self, name: &str, bytes: Vec<u8>) -> Result<u64, Box<Diagnostic>> {
        let base = BUFFERS + self.buffers.len() as u64 * APART;
        self.map_at(name, base, bytes).map(|()| base)
    }

    fn map_at(&mut self, name: &str, base: u64, bytes: Vec<u8>) -> Result<(), Box<Diagnostic>> {
        let range = Range { name: name.to_owned(), base, bytes };
        self.memory.map(range).map_err(|other| {
            Box::new(Diagnostic::error(
                None,
                format!("`{name}` lies over `{other}`, or beyond the last address"),
            ))
        })?;
        self.buffers.push(name.to_owned());
        Ok(())
    }
}

/// What a name means that is no argument.
enum Place {
    Scalars {
        first: u16,
        count: Option<u16>,
    },
    Vector(u16),
    /// First register of a descriptor.
    Buffer(u16),
    /// First register of an address.
    Pointer(u16),
    Memory(u64),
}

fn place(name: &str) -> Option<Place> {
    if let Some(base) = name.strip_prefix("memory:0x") {
        return u64::from_str_radix(base, 16).ok().map(Place::Memory);
    }
    if let Some((first, 4)) = name.strip_prefix("buffer:").and_then(scalars) {
        return (first % 4 == 0).then_some(Place::Buffer(first));
    }
    if let Some((first, 2)) = name.strip_prefix("pointer:").and_then(scalars) {
        return (first % 2 == 0).then_some(Place::Pointer(first));
    }
    if let Some((first, count)) = scalars(name) {
        return Some(Place::Scalars { first, count: Some(count) });
    }
    name.strip_prefix('v')?.parse().ok().filter(|n| *n < 256).map(Place::Vector)
}

/// `s4` or `s[4:7]`: the first register and how many there are.
fn scalars(name: &str) -> Option<(u16, u16)> {
    let rest = name.strip_prefix('s')?;
    let (first, last) = match rest.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        Some(range) => range.split_once(':')?,
        None => (rest, rest),
    };
    let (first, last): (u16, u16) = (first.parse().ok()?, last.parse().ok()?);
    (first <= last && last < SGPRS).then(|| (first, last - first + 1))
}

fn words(value: &Value, name: &str, kind: Kind) -> Result<Vec<u32>, Box<Diagnostic>> {
    value.words(name, kind).map_err(|why| Box::new(Diagnostic::error(None, why)))
}

fn bytes(value: &Value, name: &str, kind: Kind) -> Result<Vec<u8>, Box<Diagnostic>> {
    match value {
        Value::Bytes(bytes) => Ok(bytes.clone()),
        other => Ok(words(other, name, kind)?.iter().flat_map(|word| word.to_le_bytes()).collect()),
    }
}

fn misfit(why: String) -> Box<Diagnostic> {
    Box::new(Diagnostic::error(None, why))
}

fn fits(name: &str, given: usize, room: usize, unit: &str) -> Result<(), Box<Diagnostic>> {
    if given == room {
        return Ok(());
    }
    Err(Box::new(Diagnostic::error(None, format!("`{name}` has {room} {unit}, but {given} are given"))))
}

fn missing(name: &str, kernel: &Kernel) -> Box<Diagnostic> {
    let open = kernel.arguments.iter().filter(|a| !a.is_hidden());
    let known: Vec<&str> = open.map(|a| a.name.as_str()).collect();
    let error = Diagnostic::error(None, format!("the program has no argument or register `{name}`"));
    Box::new(match did_you_mean(name, known.iter().copied()) {
        Some(guess) => error.meant(guess),
        None if known.is_empty() => error.help(
            "it has no names; use registers: s4, s[4:7], v0, buffer:s[4:7] for a buffer by descriptor, \
             pointer:s[2:3] for one by address, memory:0x1000 for one at an address",
        ),
        None => error.help(format!("its arguments are {}", known.join(", "))),
    })
}

#[cfg(test)]
mod tests {
    use super::scalars;

    #[test]
    fn scalars_are_one_or_a_run() {
        assert_eq!(["s4", "s[4:7]", "s[5:5]"].map(scalars), [Some((4, 1)), Some((4, 4)), Some((5, 1))]);
        for wrong in ["v4", "s", "s[7:4]", "s[4]", "s[4:", "s106", "s[104:106]", "s-1"] {
            assert_eq!(scalars(wrong), None, "{wrong}");
        }
    }
}
