//! Parts joined to a program (spec 15): bytes are copied, nothing inside of them is moved or read.
//!
//! A program is prolog, sample loop header, main part, epilog, and the loop's footer or a stop. Branches
//! stay inside their part, so there is nothing to relocate.

use super::usc;
use crate::regs::{GPR_HALVES, scratch_bucket};

/// Code and what a driver has to know of it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Part<'a> {
    /// The code; without a stop where something follows it.
    pub code: &'a [u8],
    /// Halves of general registers.
    pub halves: u16,
    /// Words of the stack.
    pub scratch: u32,
    /// What it does.
    pub flags: Flags,
    /// What its coefficient registers hold.
    pub bindings: &'a [Binding],
}

/// What a part does to pixels, and what it needs of the driver.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Flags {
    /// Reads the tilebuffer.
    pub reads_tib: bool,
    /// Kills samples, or tests them itself.
    pub writes_sample_mask: bool,
    /// Triangles must not share quads.
    pub disable_tri_merging: bool,
    /// Writes no colour that counts.
    pub tag_write_disable: bool,
    /// Reads base vertex or base instance.
    pub uses_base_param: bool,
    /// Fetches texels, for which there is a sampler.
    pub uses_txf: bool,
}

/// What some coefficient registers hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Binding {
    /// Slot of the varying; 0 is the position.
    pub slot: u8,
    /// Its first component; of the position 2 is depth, 3 is 1/W.
    pub offset: u8,
    /// How many components.
    pub count: u8,
    /// First coefficient register.
    pub base: u16,
    /// Whether it is interpolated, and not of one vertex.
    pub smooth: bool,
    /// Whether with perspective.
    pub perspective: bool,
}

/// A linked program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Linked {
    /// The code.
    pub code: Vec<u8>,
    /// Halves of general registers.
    pub halves: u16,
    /// Words of the stack.
    pub scratch: u32,
    /// What it does.
    pub flags: Flags,
    /// What coefficient registers hold: the main part's, then the prolog's.
    pub bindings: Vec<Binding>,
    /// Whether it is a fragment program.
    pub is_fragment: bool,
}

/// The slot of the place within a point (spec 27.2).
pub const POINT: u8 = 25;
/// The first slot of what has a location (spec 27.1).
pub const GENERIC: u8 = 32;

/// `mov_imm r0l, 0`, `mov_imm r1l, 1`.
const HEADER: [u8; 8] = [0x62, 0, 0, 0, 0x62, 4, 1, 0];
/// `stop` and eight traps.
pub const STOP: [u8; 18] = [0x88, 0, 8, 0, 8, 0, 8, 0, 8, 0, 8, 0, 8, 0, 8, 0, 8, 0];
/// `iadd r1l, 0, r1l, lsl 1`; `while_icmp r0l, ult, r1l, E, 1`, E in its last byte but two; the opcode of
/// `jmp_exec_any`.
const NEXT: [u8; 16] = [0x0e, 4, 0, 0x20, 0x84, 0, 0, 0, 0x52, 0x2c, 0x42, 0, 0, 0, 0, 0xc0];
/// Where E is.
const LIMIT: usize = 11;
/// Bytes of the footer before the jump, which is counted from there.
const BEFORE_JUMP: i64 = 14;
/// `pop_exec r0l, 1`.
const POP: [u8; 6] = [0x52, 0x0e, 0, 0, 0, 0];

/// Joins a fragment program whose main part runs once for each of so many samples; 0 is no sample
/// shading, and then the epilog ends with a stop of its own.
///
/// # Errors
/// A number of samples that there cannot be, or a loop that is too long for its jump.
pub fn fragment(
    prolog: Option<Part<'_>>,
    main: Part<'_>,
    epilog: Option<Part<'_>>,
    samples: u8,
) -> Result<Linked, String> {
    if !matches!(samples, 0 | 1 | 2 | 4) {
        return Err(format!(
            "{samples} samples are shaded; there may be 1, 2 or 4, or 0 for no sample shading"
        ));
    }
    let body = main.code.len() + epilog.map_or(0, |part| part.code.len());
    let mut code = Vec::with_capacity(prolog.map_or(0, |part| part.code.len()) + body + 52);
    code.extend_from_slice(prolog.map_or(&[], |part| part.code));
    code.extend_from_slice(if samples > 0 { &HEADER } else { &[] });
    code.extend_from_slice(main.code);
    code.extend_from_slice(epilog.map_or(&[], |part| part.code));
    if samples > 1 {
        footer(samples, body, &mut code)?;
    }
    code.extend_from_slice(if samples > 0 { &STOP } else { &[] });
    Ok(joined(code, [prolog, Some(main), epilog], true))
}

/// Joins a vertex program: its prolog fetches the attributes that the main part reads.
pub fn vertex(prolog: Option<Part<'_>>, main: Part<'_>) -> Linked {
    let code = [prolog.map_or(&[][..], |part| part.code), main.code].concat();
    joined(code, [prolog, Some(main), None], false)
}

/// What parts come to together that stand in code already: prolog, main part, epilog. Prologs have no
/// coefficients in front of those of the main part.
pub fn joined(code: Vec<u8>, all: [Option<Part<'_>>; 3], is_fragment: bool) -> Linked {
    let parts = || all.iter().flatten();
    let halves = parts().map(|part| part.halves).max().unwrap_or(0);
    let scratch = parts().map(|part| part.scratch).max().unwrap_or(0);
    let flags = parts().map(|part| part.flags).reduce(Flags::and_then).unwrap_or_default();
    let [prolog, main, epilog] = all.map(|part| part.map_or(&[][..], |part| part.bindings));
    Linked { code, halves, scratch, flags, bindings: [main, prolog, epilog].concat(), is_fragment }
}

/// Back to the start of the loop's body while samples are left.
fn footer(samples: u8, body: usize, code: &mut Vec<u8>) -> Result<(), String> {
    let back = i32::try_from(-BEFORE_JUMP - body as i64).map_err(|_| "the loop over samples is too long")?;
    let start = code.len();
    code.extend_from_slice(&NEXT);
    code[start + LIMIT] = ((1 << samples) - 1) << 4;
    code.extend_from_slice(&back.to_le_bytes());
    code.extend_from_slice(&POP);
    Ok(())
}

impl Flags {
    /// What parts do together: everything that one does, but colours count if they count for one.
    fn and_then(self, other: Flags) -> Flags {
        Flags {
            reads_tib: self.reads_tib | other.reads_tib,
            writes_sample_mask: self.writes_sample_mask | other.writes_sample_mask,
            disable_tri_merging: self.disable_tri_merging | other.disable_tri_merging,
            tag_write_disable: self.tag_write_disable & other.tag_write_disable,
            uses_base_param: self.uses_base_param | other.uses_base_param,
            uses_txf: self.uses_txf | other.uses_txf,
        }
    }
}

/// Fragment control: what is always set, then the places of the others, as the rows of `link.jsonl` have
/// them.
const CONTROL: u32 = 1 << 9;
const NO_TAG_WRITE: u32 = 1 << 21;
const NO_TRI_MERGING: u32 = 1 << 26;
const TRANSLUCENT: u32 = 1 << 29;
const PUNCH_THROUGH: u32 = 1 << 30;
/// Output select (spec 27.1).
const VARYINGS: u32 = 1 << 16;
const DEPTH: u32 = 1 << 21;

/// What stands in fields of USC words whose meaning nobody knows: what drivers write by default (spec 16.1, 21).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Constants {
    /// `unk2` of the program of fragments, and of others.
    pub shader: [u8; 2],
    /// `unk1` of the registers of fragments, and of others.
    pub registers: [u8; 2],
    /// `unk4` of the registers.
    pub linked: u8,
    /// `unk2`, `unk3`, `unk4` and `unk5` of the properties of fragments.
    pub fragment: [u8; 4],
}

impl Default for Constants {
    fn default() -> Constants {
        Constants { shader: [2, 3], registers: [1, 0], linked: 1, fragment: [1, 15, 2, 0] }
    }
}

impl Linked {
    /// The texts of the USC words that start it: program, registers, and of a fragment program depth
    /// (spec 16.1).
    ///
    /// # Errors
    /// More registers than there are.
    pub fn words(&self, code: u32) -> Result<Vec<String>, String> {
        self.words_with(code, Constants::default())
    }

    /// The same with other numbers in the fields that nobody knows.
    ///
    /// # Errors
    /// As [`words`](Linked::words).
    pub fn words_with(&self, code: u32, constants: Constants) -> Result<Vec<String>, String> {
        if self.halves > GPR_HALVES {
            return Err(format!("{} halves of registers, {GPR_HALVES} allowed", self.halves));
        }
        let (count, spill) = (self.halves, scratch_bucket(self.scratch));
        let n = usize::from(!self.is_fragment);
        let (kind, registers, linked) = (constants.shader[n], constants.registers[n], constants.linked);
        let mut words = vec![
            format!("shader loads_varyings=0 unk1=0 unk2={kind} code={code:#x}"),
            format!("registers count={count} unk1={registers} spill={spill} unk4={linked}"),
        ];
        if self.is_fragment {
            let early = u8::from(!self.flags.writes_sample_mask);
            let [unk2, unk3, unk4, unk5] = constants.fragment;
            words.push(format!(
                "fragment_properties early_z={early} unk2={unk2} discard1=0 discard2=0 unk3={unk3} unk4={unk4} unk5={unk5}"
            ));
        }
        Ok(words)
    }

    /// The bytes of those words.
    ///
    /// # Errors
    /// As [`words`](Linked::words).
    pub fn packed(&self, code: u32) -> Result<Vec<Vec<u8>>, String> {
        self.words(code)?.iter().map(|word| usc::pack(word)).collect()
    }

    /// What the vertex outputs have to hold for it.
    pub fn output_select(&self) -> u32 {
        let depth = self.bindings.iter().any(|binding| binding.slot == 0 && binding.offset == 2);
        let bit = |set: bool, bit: u32| if set { bit } else { 0 };
        bit(!self.bindings.is_empty(), VARYINGS) | bit(depth, DEPTH)
    }

    /// How many coefficient registers it has.
    pub fn coefficients(&self) -> u16 {
        self.bindings.iter().map(|binding| binding.base + u16::from(binding.count)).max().unwrap_or(0)
    }

    /// The fragment control word: pass type, and what the rasteriser may not do.
    pub fn control(&self) -> u32 {
        let Flags { reads_tib, writes_sample_mask, disable_tri_merging, tag_write_disable, .. } = self.flags;
        let bit = |set: bool, bit: u32| if set { bit } else { 0 };
        CONTROL
            | bit(reads_tib, TRANSLUCENT)
            | bit(writes_sample_mask, PUNCH_THROUGH)
            | bit(disable_tri_merging, NO_TRI_MERGING)
            | bit(tag_write_disable, NO_TAG_WRITE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::listing::{self, Style};

    /// The inserted bytes are the instructions that the specification names.
    #[test]
    fn the_loop_is_what_it_says() {
        let linked = fragment(None, Part { code: &[0x38, 0], ..Part::default() }, None, 4).expect("legal");
        let text = listing::code(&linked.code, Style::default());
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        let head = ["mov_imm r0l, 0", "mov_imm r1l, 1", "L0:", "wait 0", "iadd r1l, 0, r1l, lsl 1"];
        assert_eq!(&lines[..5], head);
        assert_eq!(
            &lines[5..9],
            ["while_icmp r0l, ult, r1l, 15, 1", "jmp_exec_any L0", "pop_exec r0l, 1", "stop"]
        );
        assert_eq!(lines[9..], ["trap"; 8]);
    }

    #[test]
    fn what_cannot_be_linked_is_told() {
        let three = fragment(None, Part::default(), None, 3);
        assert!(three.is_err_and(|e| e.contains("3 samples are shaded")));
        let linked = fragment(None, Part { halves: 300, ..Part::default() }, None, 0).expect("legal");
        assert!(linked.words(0).is_err_and(|e| e.contains("300 halves of registers, 256 allowed")));
    }
}
