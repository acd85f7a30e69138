//! Kernel descriptors: the 64 bytes from which hardware and runtime start a kernel, and the
//! directives that they are written with (spec 19.3).

/// Dwords of a descriptor.
const DWORDS: usize = 16;
/// Dwords of the entry's distance from the descriptor.
const ENTRY: usize = 4;
const RSRC3: usize = 11;
const RSRC1: usize = 12;
const RSRC2: usize = 13;
const PROPERTIES: usize = 14;

/// A kernel descriptor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Descriptor {
    dwords: [u32; DWORDS],
}

/// A field: directive without `.amdhsa_`, dword, lowest bit, width, what it is if nobody says.
struct Field(&'static str, usize, u32, u32, u32);

/// Fields that a directive names, in LLVM's order.
static FIELDS: [Field; 39] = [
    Field("group_segment_fixed_size", 0, 0, 32, 0),
    Field("private_segment_fixed_size", 1, 0, 32, 0),
    Field("kernarg_size", 2, 0, 32, 0),
    Field("user_sgpr_count", RSRC2, 1, 5, 0),
    Field("user_sgpr_private_segment_buffer", PROPERTIES, 0, 1, 0),
    Field("user_sgpr_dispatch_ptr", PROPERTIES, 1, 1, 0),
    Field("user_sgpr_queue_ptr", PROPERTIES, 2, 1, 0),
    Field("user_sgpr_kernarg_segment_ptr", PROPERTIES, 3, 1, 0),
    Field("user_sgpr_dispatch_id", PROPERTIES, 4, 1, 0),
    Field("user_sgpr_flat_scratch_init", PROPERTIES, 5, 1, 0),
    Field("user_sgpr_private_segment_size", PROPERTIES, 6, 1, 0),
    Field("wavefront_size32", PROPERTIES, 10, 1, 1),
    Field("uses_dynamic_stack", PROPERTIES, 11, 1, 0),
    Field("system_sgpr_private_segment_wavefront_offset", RSRC2, 0, 1, 0),
    Field("enable_private_segment", RSRC2, 0, 1, 0),
    Field("system_sgpr_workgroup_id_x", RSRC2, 7, 1, 1),
    Field("system_sgpr_workgroup_id_y", RSRC2, 8, 1, 0),
    Field("system_sgpr_workgroup_id_z", RSRC2, 9, 1, 0),
    Field("system_sgpr_workgroup_info", RSRC2, 10, 1, 0),
    Field("system_vgpr_workitem_id", RSRC2, 11, 2, 0),
    Field("float_round_mode_32", RSRC1, 12, 2, 0),
    Field("float_round_mode_16_64", RSRC1, 14, 2, 0),
    Field("float_denorm_mode_32", RSRC1, 16, 2, 0),
    Field("float_denorm_mode_16_64", RSRC1, 18, 2, 3),
    Field("dx10_clamp", RSRC1, 21, 1, 1),
    Field("ieee_mode", RSRC1, 23, 1, 1),
    Field("fp16_overflow", RSRC1, 26, 1, 0),
    Field("workgroup_processor_mode", RSRC1, 29, 1, 1),
    Field("memory_ordered", RSRC1, 30, 1, 1),
    Field("forward_progress", RSRC1, 31, 1, 0),
    Field("shared_vgpr_count", RSRC3, 0, 4, 0),
    Field("exception_fp_ieee_invalid_op", RSRC2, 24, 1, 0),
    Field("exception_fp_denorm_src", RSRC2, 25, 1, 0),
    Field("exception_fp_ieee_div_zero", RSRC2, 26, 1, 0),
    Field("exception_fp_ieee_overflow", RSRC2, 27, 1, 0),
    Field("exception_fp_ieee_underflow", RSRC2, 28, 1, 0),
    Field("exception_fp_ieee_inexact", RSRC2, 29, 1, 0),
    Field("exception_int_div_zero", RSRC2, 30, 1, 0),
    BLOCKS,
];

/// Blocks of vector registers, less one; its directive counts registers.
const BLOCKS: Field = Field("", RSRC1, 0, 6, 0);
/// Another name of the flag that scratch is used: read, not written.
const SYNONYM: &str = "enable_private_segment";

/// User registers by property bit, scalars each.
const USER_SGPRS: [u32; 7] = [4, 2, 2, 2, 2, 2, 1];
/// More than these are not loaded.
const MOST_USER_SGPRS: u32 = 16;

impl Field {
    fn mask(&self) -> u32 {
        u32::MAX >> (32 - self.3) << self.2
    }

    fn get(&self, d: &Descriptor) -> u32 {
        (d.dwords[self.1] & self.mask()) >> self.2
    }

    fn put(&self, d: &mut Descriptor, n: u32) {
        d.dwords[self.1] = d.dwords[self.1] & !self.mask() | n << self.2 & self.mask();
    }
}

/// Why a directive is not taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DirectiveError {
    /// There is no such directive.
    Unknown,
    /// Its number is above this.
    Range(u64),
    /// It is there twice.
    Again,
    /// This one must be there.
    Missing(&'static str),
}

impl std::fmt::Display for DirectiveError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            DirectiveError::Unknown => write!(f, "there is no such directive"),
            DirectiveError::Range(most) => write!(f, "the number can only be 0 to {most}"),
            DirectiveError::Again => write!(f, "the directive is there twice"),
            DirectiveError::Missing(name) => write!(f, ".amdhsa_{name} is missing"),
        }
    }
}

/// A descriptor under construction.
#[derive(Clone, Debug)]
pub struct Builder {
    descriptor: Descriptor,
    seen: Vec<String>,
    vgprs: Option<u32>,
    users: Option<u32>,
}

impl Builder {
    /// What an assembler starts from, in waves of 32 or 64.
    pub fn new(wave: u8) -> Builder {
        let mut descriptor = Descriptor { dwords: [0; DWORDS] };
        FIELDS.iter().filter(|f| f.4 != 0).for_each(|f| f.put(&mut descriptor, f.4));
        let mut builder = Builder { descriptor, seen: Vec::new(), vgprs: None, users: None };
        builder.put("wavefront_size32", u32::from(wave != 64));
        builder
    }

    fn put(&mut self, name: &str, n: u32) {
        if let Some(field) = FIELDS.iter().find(|f| f.0 == name) {
            field.put(&mut self.descriptor, n);
        }
    }

    /// Takes a directive, without `.amdhsa_`.
    ///
    /// # Errors
    /// If there is none of this name, it is there twice, or the number does not fit.
    pub fn set(&mut self, name: &str, n: u64) -> Result<(), DirectiveError> {
        if self.seen.iter().any(|seen| seen == name) {
            return Err(DirectiveError::Again);
        }
        let most = match name {
            "next_free_vgpr" => 256,
            "next_free_sgpr" => 106,
            "reserve_vcc" | "reserve_flat_scratch" | "reserve_xnack_mask" => 1,
            "user_sgpr_count" => MOST_USER_SGPRS.into(),
            _ => {
                let field = FIELDS.iter().find(|f| f.0 == name && !name.is_empty());
                u64::from(u32::MAX >> (32 - field.ok_or(DirectiveError::Unknown)?.3))
            }
        };
        if n > most {
            return Err(DirectiveError::Range(most));
        }
        self.seen.push(name.to_owned());
        match name {
            "next_free_vgpr" => self.vgprs = Some(n as u32),
            // A fixed block of scalars is allocated; the numbers are for older machines.
            "next_free_sgpr" | "reserve_vcc" | "reserve_flat_scratch" | "reserve_xnack_mask" => {}
            "user_sgpr_count" => self.users = Some(n as u32),
            name => self.put(name, n as u32),
        }
        Ok(())
    }

    /// The descriptor.
    ///
    /// # Errors
    /// If a directive is missing, or the user registers are more than are loaded.
    pub fn finish(mut self) -> Result<Descriptor, DirectiveError> {
        let vgprs = self.vgprs.ok_or(DirectiveError::Missing("next_free_vgpr"))?;
        if !self.seen.iter().any(|seen| seen == "next_free_sgpr") {
            return Err(DirectiveError::Missing("next_free_sgpr"));
        }
        let blocks = vgprs.max(1).div_ceil(self.descriptor.granule()) - 1;
        BLOCKS.put(&mut self.descriptor, blocks);
        let needed = self.descriptor.user_sgprs();
        let users = self.users.unwrap_or(needed);
        if users > MOST_USER_SGPRS || users < needed {
            return Err(DirectiveError::Range(MOST_USER_SGPRS.into()));
        }
        self.put("user_sgpr_count", users);
        Ok(self.descriptor)
    }
}

impl Descriptor {
    /// The descriptor in 64 bytes.
    pub fn read(bytes: &[u8; 64]) -> Descriptor {
        let mut dwords = [0; DWORDS];
        dwords.iter_mut().zip(chiaro_isa::dwords(bytes)).for_each(|(to, dword)| *to = dword);
        Descriptor { dwords }
    }

    /// Its 64 bytes.
    pub fn write(&self) -> [u8; 64] {
        let mut bytes = [0; 64];
        for (chunk, dword) in bytes.chunks_exact_mut(4).zip(self.dwords) {
            chunk.copy_from_slice(&dword.to_le_bytes());
        }
        bytes
    }

    /// A field by its directive, without `.amdhsa_`.
    pub fn get(&self, name: &str) -> Option<u32> {
        FIELDS.iter().find(|f| f.0 == name && !name.is_empty()).map(|f| f.get(self))
    }

    /// Every field that a directive names, without `.amdhsa_`.
    pub fn fields(&self) -> impl Iterator<Item = (&'static str, u32)> + '_ {
        FIELDS.iter().filter(|f| !f.0.is_empty() && f.0 != SYNONYM).map(|f| (f.0, f.get(self)))
    }

    /// Lanes in a wave.
    pub fn wave(&self) -> u8 {
        if self.get("wavefront_size32") == Some(1) { 32 } else { 64 }
    }

    /// MODE at the start of the kernel.
    pub fn mode(&self) -> u32 {
        let bits = [
            ("float_round_mode_32", 0),
            ("float_round_mode_16_64", 2),
            ("float_denorm_mode_32", 4),
            ("float_denorm_mode_16_64", 6),
            ("dx10_clamp", 8),
            ("ieee_mode", 9),
            ("fp16_overflow", 23),
        ];
        bits.iter().fold(0, |mode, (name, at)| mode | self.get(name).unwrap_or(0) << at)
    }

    /// Vector registers that a wave is given.
    pub fn vgprs(&self) -> u32 {
        (BLOCKS.get(self) + 1) * self.granule()
    }

    /// Distance of the code from the descriptor, in bytes.
    pub fn entry(&self) -> i64 {
        (u64::from(self.dwords[ENTRY + 1]) << 32 | u64::from(self.dwords[ENTRY])) as i64
    }

    /// The same with another distance.
    #[must_use]
    pub fn with_entry(mut self, bytes: i64) -> Descriptor {
        self.dwords[ENTRY] = bytes as u32;
        self.dwords[ENTRY + 1] = (bytes >> 32) as u32;
        self
    }

    /// The same with other bytes of scratch for a lane, other bytes of LDS for a group, and other vector registers.
    #[must_use]
    pub fn with_needs(mut self, scratch: u32, lds: u32, vgprs: u32) -> Descriptor {
        (self.dwords[0], self.dwords[1]) = (lds, scratch);
        let blocks = vgprs.max(1).div_ceil(self.granule()) - 1;
        BLOCKS.put(&mut self, blocks);
        self
    }

    /// Registers by which the allocation is counted in the descriptor.
    fn granule(&self) -> u32 {
        if self.wave() == 32 { 8 } else { 4 }
    }

    /// Scalars that the flags ask for.
    fn user_sgprs(&self) -> u32 {
        let flags = self.dwords[PROPERTIES];
        USER_SGPRS.iter().enumerate().map(|(bit, count)| (flags >> bit & 1) * count).sum()
    }

    /// The directives that make this descriptor but for its entry, without `.amdhsa_`; `None` if
    /// there are none, as of bits that no directive sets or of too few user registers.
    pub fn directives(&self) -> Option<Vec<(&'static str, u32)>> {
        let mut all: Vec<_> = self.fields().collect();
        all.extend([("next_free_vgpr", self.vgprs()), ("next_free_sgpr", 8)]);
        let mut builder = Builder::new(self.wave());
        let is_taken = all.iter().all(|(name, n)| builder.set(name, u64::from(*n)).is_ok());
        (is_taken && builder.finish() == Ok(self.with_entry(0))).then_some(all)
    }
}
