//! Numbers that the instruction itself holds: plain ones, wait counts, hardware registers,
//! messages.

use chiaro_isa::{Cursor, Cx, Kind, Out, Partial, Value};

/// Sixteen bits in hexadecimal; negative numbers are read as well.
pub struct Hex16;

/// Sixteen bits, decimal up to 64 and hexadecimal above.
pub struct Small16;

/// `bound_ctrl:1`; the old spelling `bound_ctrl:0` sets the bit too [LLVM].
pub struct BoundControl;

/// Counts of `s_waitcnt`; a count at its maximum waits for nothing.
pub struct WaitCounts;

/// Fields of `s_waitcnt_depctr`.
pub struct DependencyCounts;

/// A hardware register, first bit and width.
pub struct HardwareRegister;

/// A message to the rest of the chip.
pub struct Message;

/// What `s_version` marks a program with.
pub struct Version;

/// The number of an expression or an immediate, -32768 to 65535.
fn sixteen(value: Value) -> Option<u64> {
    let n = value.int()?;
    u16::try_from(n).ok().or_else(|| i16::try_from(n).ok().map(|n| n as u16)).map(u64::from)
}

fn hex(n: u64, out: &mut Out) {
    out.push_str("0x");
    out.push_hex(n, 1);
}

/// Kinds of sixteen bits that every number is valid for.
macro_rules! sixteen_bits {
    ($($kind:ident: print |$n:ident, $out:ident| $print:expr, parse |$s:ident| $parse:expr;)*) => { $(
        impl Kind for $kind {
            fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
                Some(Value::Int(raw as i64))
            }
            fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
                Partial::full(sixteen(value)?)
            }
            fn print(&self, value: Value, $out: &mut Out, _: &Cx) {
                let $n = value.int().unwrap_or(0) as u64;
                $print
            }
            fn parse(&self, $s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
                $parse
            }
            fn range(&self, _: u8) -> Option<(i64, i64)> {
                Some((-0x8000, 0xffff))
            }
        }
    )* };
}

sixteen_bits! {
    Hex16: print |n, out| hex(n, out), parse |s| number(s);
    Small16: print |n, out| small(n, out), parse |s| number(s);
    WaitCounts: print |n, out| print_waits(n, out), parse |s| parse_waits(s);
    DependencyCounts: print |n, out| print_dependencies(n, out), parse |s| parse_dependencies(s);
    HardwareRegister: print |n, out| print_hwreg(n, out), parse |s| parse_hwreg(s);
    Message: print |n, out| print_message(n, out), parse |s| parse_message(s);
    Version: print |n, out| print_version(n, out), parse |s| parse_version(s);
}

fn small(n: u64, out: &mut Out) {
    if n <= 64 { out.push_int(n as i64) } else { hex(n, out) }
}

/// Reads a number, normalised to sixteen bits.
fn number(s: &mut Cursor<'_>) -> Option<Value> {
    let before = s.at();
    let n = s.int().or_else(|| s.fail("expected a number"))?;
    match sixteen(Value::Int(n)) {
        Some(n) => Some(Value::Int(n as i64)),
        None => s.fail_at(before..s.at(), "the number needs more than 16 bits"),
    }
}

impl Kind for BoundControl {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        Some(Value::Int(raw as i64))
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        Partial::full(u64::try_from(value.int()?).ok()?)
    }
    fn print(&self, value: Value, out: &mut Out, _: &Cx) {
        out.push_str(if value == Value::Int(1) { " bound_ctrl:1" } else { "" });
    }
    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        let set = s.eat("bound_ctrl:") && s.int().is_some_and(|n| (0..2).contains(&n));
        Some(Value::Int(set.into()))
    }
}

/// A field of a word of sixteen bits: name, lowest bit, width; and, split off, the lowest
/// bit and width of its upper part.
struct Part {
    name: &'static str,
    low: u32,
    width: u32,
    upper: Option<(u32, u32)>,
}

impl Part {
    const fn new(name: &'static str, low: u32, width: u32) -> Part {
        Part { name, low, width, upper: None }
    }

    fn most(&self) -> u64 {
        (1 << (self.width + self.upper.map_or(0, |(_, width)| width))) - 1
    }

    fn get(&self, word: u64) -> u64 {
        let upper = self.upper.map_or(0, |(low, width)| (word >> low & ((1 << width) - 1)) << self.width);
        word >> self.low & ((1 << self.width) - 1) | upper
    }

    fn put(&self, n: u64) -> u64 {
        let upper = self.upper.map_or(0, |(low, _)| (n >> self.width) << low);
        (n & ((1 << self.width) - 1)) << self.low | upper
    }
}

/// Counters of `s_waitcnt` (spec 10.2).
static WAITS: [Part; 3] = [
    Part { name: "vmcnt", low: 0, width: 4, upper: Some((14, 2)) },
    Part::new("expcnt", 4, 3),
    Part::new("lgkmcnt", 8, 6),
];

/// What `s_waitcnt` waits for: loads, exports, scalar memory and LDS; each the highest
/// count that may be left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Waits {
    /// Vector loads.
    pub vm: u8,
    /// Exports and GDS.
    pub exp: u8,
    /// LDS, scalar memory, messages.
    pub lgkm: u8,
}

impl Waits {
    /// The counts of an immediate.
    pub fn of(imm: u16) -> Waits {
        let [vm, exp, lgkm] = [0, 1, 2].map(|i| WAITS[i].get(imm.into()) as u8);
        Waits { vm, exp, lgkm }
    }
}

/// Fields of `s_waitcnt_depctr`, in LLVM's order (spec 10.5).
static DEPENDENCIES: [Part; 7] = [
    Part::new("depctr_hold_cnt", 7, 1),
    Part::new("depctr_sa_sdst", 0, 1),
    Part::new("depctr_va_vdst", 12, 4),
    Part::new("depctr_va_sdst", 9, 3),
    Part::new("depctr_va_ssrc", 8, 1),
    Part::new("depctr_vm_vsrc", 2, 3),
    Part::new("depctr_va_vcc", 1, 1),
];

/// Every bit that a part has.
fn all(parts: &[Part]) -> u64 {
    parts.iter().fold(0, |word, part| word | part.put(part.most()))
}

/// `a(1) b(2)` for the parts that are not at their maximum, or all if every one is; plain
/// hexadecimal where other bits are set.
fn print_parts(parts: &[Part], word: u64, out: &mut Out) {
    if word & !all(parts) != 0 {
        return hex(word, out);
    }
    let every = word == all(parts);
    let mut first = true;
    for part in parts.iter().filter(|part| every || part.get(word) != part.most()) {
        out.push_str(if first { "" } else { " " });
        first = false;
        out.push_str(part.name);
        out.push('(');
        out.push_int(part.get(word) as i64);
        out.push(')');
    }
}

/// Reads what [`print_parts`] writes; parts may be joined by `&` or commas.
fn parse_parts(parts: &[Part], s: &mut Cursor<'_>, expected: &'static str) -> Option<Value> {
    let mut word = all(parts);
    let mut some = false;
    while !s.at_end() {
        let _ = some && (s.eat("&") || s.eat(","));
        let Some(part) = parts.iter().find(|part| s.eat(part.name)) else { break };
        let saturates = s.eat_here("_sat");
        let n = s.eat("(").then(|| s.int()).flatten().and_then(|n| u64::try_from(n).ok());
        let n = n.map(|n| if saturates { n.min(part.most()) } else { n }).filter(|n| *n <= part.most());
        let Some(n) = n.filter(|_| s.eat(")")) else {
            return s.fail_last(match part.most() {
                63 => "this counter counts from 0 to 63",
                7 => "this counter counts from 0 to 7",
                1 => "this is 0 or 1",
                _ => "the counter cannot count to this number",
            });
        };
        word = word & !part.put(part.most()) | part.put(n);
        some = true;
    }
    if some {
        return Some(Value::Int(word as i64));
    }
    s.skip_blanks();
    match s.peek() {
        Some(c) if c.is_ascii_alphabetic() => s.fail(expected),
        _ => number(s),
    }
}

fn print_waits(n: u64, out: &mut Out) {
    print_parts(&WAITS, n, out);
}

fn parse_waits(s: &mut Cursor<'_>) -> Option<Value> {
    parse_parts(&WAITS, s, "the counters are vmcnt, expcnt and lgkmcnt, as in vmcnt(0)")
}

fn print_dependencies(n: u64, out: &mut Out) {
    print_parts(&DEPENDENCIES, n, out);
}

fn parse_dependencies(s: &mut Cursor<'_>) -> Option<Value> {
    parse_parts(&DEPENDENCIES, s, "the counters are depctr_va_vdst and its like, as in depctr_va_vdst(0)")
}

/// Names of hardware registers by number, without `HW_REG_` (spec 2).
const HWREGS: [(u64, &str); 18] = [
    (1, "MODE"),
    (2, "STATUS"),
    (3, "TRAPSTS"),
    (5, "GPR_ALLOC"),
    (6, "LDS_ALLOC"),
    (7, "IB_STS"),
    (15, "SH_MEM_BASES"),
    (16, "TBA_LO"),
    (17, "TBA_HI"),
    (18, "TMA_LO"),
    (19, "TMA_HI"),
    (20, "FLAT_SCR_LO"),
    (21, "FLAT_SCR_HI"),
    (22, "XNACK_MASK"),
    (23, "HW_ID1"),
    (24, "HW_ID2"),
    (25, "POPS_PACKER"),
    (29, "SHADER_CYCLES"),
];

/// The names of all hardware registers, as they are written.
#[cfg(feature = "asm")]
pub(crate) fn hardware_registers() -> Vec<String> {
    HWREGS.iter().map(|(_, name)| format!("HW_REG_{name}")).collect()
}

/// The names of all messages, as they are written.
#[cfg(feature = "asm")]
pub(crate) fn messages() -> Vec<String> {
    MESSAGES.iter().map(|(_, name)| format!("MSG_{name}")).collect()
}

/// Bits of a hardware register: its number, the first bit, and how many (spec 2).
pub(crate) const fn hardware_bits(n: u32) -> [u32; 3] {
    [n & 63, n >> 6 & 31, (n >> 11 & 31) + 1]
}

fn print_hwreg(n: u64, out: &mut Out) {
    let [id, offset, size] = hardware_bits(n as u32);
    out.push_str("hwreg(");
    match HWREGS.iter().find(|(known, _)| *known == u64::from(id)) {
        Some((_, name)) => {
            out.push_str("HW_REG_");
            out.push_str(name);
        }
        None => out.push_int(id.into()),
    }
    if (offset, size) != (0, 32) {
        for n in [offset, size] {
            out.push_str(", ");
            out.push_int(n.into());
        }
    }
    out.push(')');
}

fn parse_hwreg(s: &mut Cursor<'_>) -> Option<Value> {
    if !s.eat("hwreg(") {
        return number(s);
    }
    let id = match s.eat("HW_REG_") {
        true => {
            let name = s.take_here(|c| c.is_ascii_alphanumeric() || c == b'_');
            HWREGS.iter().find(|(_, known)| Some(*known) == name).map(|(id, _)| *id as i64)
        }
        false => s.int().filter(|n| (0..64).contains(n)),
    };
    let Some(id) = id else { return s.fail_last("there is no such hardware register") };
    let (mut offset, mut size) = (0, 32);
    if s.eat(",") {
        offset = s.int().filter(|n| (0..32).contains(n)).or_else(|| s.fail("a first bit is 0 to 31"))?;
        let width = s.eat(",").then(|| s.int()).flatten().filter(|n| (1..33).contains(n));
        size = width.or_else(|| s.fail("a width is 1 to 32"))?;
    }
    if s.eat(")") { Some(Value::Int(id | offset << 6 | (size - 1) << 11)) } else { s.fail("expected `)`") }
}

/// Names of messages by number, without `MSG_` (spec 2).
const MESSAGES: [(u64, &str); 12] = [
    (1, "INTERRUPT"),
    (2, "GS"),
    (3, "GS_DONE"),
    (4, "SAVEWAVE"),
    (5, "STALL_WAVE_GEN"),
    (6, "HALT_WAVES"),
    (7, "ORDERED_PS_DONE"),
    (8, "EARLY_PRIM_DEALLOC"),
    (9, "GS_ALLOC_REQ"),
    (10, "GET_DOORBELL"),
    (11, "GET_DDID"),
    (15, "SYSMSG"),
];
const GS: u64 = 2;
const GS_DONE: u64 = 3;
const SYSMSG: u64 = 15;
const GS_OPS: [&str; 4] = ["GS_OP_NOP", "GS_OP_CUT", "GS_OP_EMIT", "GS_OP_EMIT_CUT"];
const SYS_OPS: [&str; 5] =
    ["", "SYSMSG_OP_ECC_ERR_INTERRUPT", "SYSMSG_OP_REG_RD", "SYSMSG_OP_HOST_TRAP_ACK", "SYSMSG_OP_TTRACE_PC"];

/// The names of a message's operations, if it has any.
fn operations(id: u64) -> &'static [&'static str] {
    match id {
        GS | GS_DONE => &GS_OPS,
        SYSMSG => &SYS_OPS,
        _ => &[],
    }
}

/// Whether the operation and stream belong to the message.
fn is_message(id: u64, op: u64, stream: u64) -> bool {
    match id {
        GS => (1..4).contains(&op),
        GS_DONE => op < 4 && (op != 0 || stream == 0),
        SYSMSG => (1..5).contains(&op) && stream == 0,
        _ => op == 0 && stream == 0,
    }
}

fn print_message(n: u64, out: &mut Out) {
    let (id, op, stream) = (n & 15, n >> 4 & 7, n >> 8 & 3);
    let name = MESSAGES.iter().find(|(known, _)| *known == id);
    if n != id | op << 4 | stream << 8 {
        return out.push_int(n as i64);
    }
    out.push_str("sendmsg(");
    match name.filter(|_| is_message(id, op, stream)) {
        Some((_, name)) => {
            out.push_str("MSG_");
            out.push_str(name);
            if let Some(op_name) = operations(id).get(op as usize) {
                out.push_str(", ");
                out.push_str(op_name);
            }
            if id == GS || id == GS_DONE && op != 0 {
                out.push_str(", ");
                out.push_int(stream as i64);
            }
        }
        None => {
            for (i, n) in [id, op, stream].into_iter().enumerate() {
                out.push_str(if i > 0 { ", " } else { "" });
                out.push_int(n as i64);
            }
        }
    }
    out.push(')');
}

fn parse_message(s: &mut Cursor<'_>) -> Option<Value> {
    if !s.eat("sendmsg(") {
        return number(s);
    }
    let id = match s.eat("MSG_") {
        true => {
            let name = s.take_here(|c| c.is_ascii_alphanumeric() || c == b'_');
            MESSAGES.iter().find(|(_, known)| Some(*known) == name).map(|(id, _)| *id)
        }
        false => s.int().and_then(|n| u64::try_from(n).ok()).filter(|n| *n < 16),
    };
    let Some(id) = id else { return s.fail_last("there is no such message") };
    let op = match s.eat(",") {
        true => match s.name_in(operations(id)) {
            Some(op) => Some(op as u64),
            None => s.int().and_then(|n| u64::try_from(n).ok()).filter(|n| *n < 8),
        },
        false => Some(0),
    };
    let stream = match s.eat(",") {
        true => s.int().and_then(|n| u64::try_from(n).ok()).filter(|n| *n < 4),
        false => Some(0),
    };
    match (op, stream) {
        (Some(op), Some(stream)) if s.eat(")") => Some(Value::Int((id | op << 4 | stream << 8) as i64)),
        _ => s.fail_last("the message has no such operation or stream"),
    }
}

/// Flags of `s_version` above the code.
const VERSION_FLAGS: [(&str, u64); 3] =
    [("UC_VERSION_W64_BIT", 0x2000), ("UC_VERSION_W32_BIT", 0x4000), ("UC_VERSION_MDP_BIT", 0x8000)];
/// Codes with names.
const VERSIONS: [(&str, u64); 6] = [
    ("UC_VERSION_GFX7", 0),
    ("UC_VERSION_GFX8", 1),
    ("UC_VERSION_GFX9", 2),
    ("UC_VERSION_GFX10", 4),
    ("UC_VERSION_GFX11", 6),
    ("UC_VERSION_GFX12", 9),
];

fn print_version(n: u64, out: &mut Out) {
    if n & 0x1f00 != 0 {
        return hex(n, out);
    }
    match VERSIONS.iter().find(|(_, code)| *code == n & 0xff) {
        Some((name, _)) => out.push_str(name),
        None => out.push_int((n & 0xff) as i64),
    }
    for (name, _) in VERSION_FLAGS.iter().filter(|(_, flag)| n & flag != 0) {
        out.push('|');
        out.push_str(name);
    }
}

fn parse_version(s: &mut Cursor<'_>) -> Option<Value> {
    let mut word = 0;
    loop {
        let names = VERSIONS.iter().chain(&VERSION_FLAGS);
        let longest =
            names.filter(|(name, _)| s.rest().trim_start().starts_with(name)).max_by_key(|(n, _)| n.len());
        word |= match longest {
            Some((name, bits)) => {
                s.eat(name);
                *bits as i64
            }
            None => number(s)?.int()?,
        };
        if !s.eat("|") {
            return Some(Value::Int(word));
        }
    }
}
