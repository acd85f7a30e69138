//! The register statistics behind a listing of pgmdump, in its way of counting: what is
//! read before it is written is an input, what is written and not read again an output.

use crate::isa;
use crate::regs::{A0, file, mods, size};
use chiaro_isa::{Inst, Out, Reg, Role, Value};

/// Sets of registers of one size.
#[derive(Default)]
struct Sets {
    used: Set,
    input: Set,
    constant: Set,
    output: Set,
}

/// Registers by number.
#[derive(Default)]
struct Set([u64; 32]);

/// All that is counted while a program is printed.
#[derive(Default)]
pub(super) struct Registers {
    /// Full, then half.
    sets: [Sets; 2],
    instructions: u32,
    length: u32,
    ss: u32,
    sy: u32,
    /// Whether repetitions have their own lines.
    expand: bool,
    /// Repetitions of the ALU operation before, where the tool forgets to reset them.
    before: u16,
}

impl Set {
    fn put(&mut self, n: u16, set: bool) {
        let (limb, bit) = (usize::from(n / 64) % 32, 1 << (n % 64));
        self.0[limb] = if set { self.0[limb] | bit } else { self.0[limb] & !bit };
    }

    fn has(&self, n: u16) -> bool {
        self.0[usize::from(n / 64) % 32] >> (n % 64) & 1 == 1
    }

    /// Runs, count and greatest, as the tool writes them.
    fn print(&self, out: &mut Out) {
        let (mut count, mut most, mut n) = (0, 0, 0);
        while n < 2048 {
            if !self.has(n) {
                n += 1;
                continue;
            }
            let first = n;
            while n < 2048 && self.has(n) {
                n += 1;
            }
            (count, most) = (count + i64::from(n - first), i64::from(n - 1));
            out.push(' ');
            out.push_int(i64::from(first));
            if n - first > 1 {
                out.push('-');
                out.push_int(most);
            }
        }
        out.push_str(" (cnt=");
        out.push_int(count);
        out.push_str(", max=");
        out.push_int(most);
        out.push(')');
    }

    fn greatest(&self) -> i64 {
        (0..2048).rev().find(|n| self.has(*n)).map_or(0, i64::from)
    }
}

impl Registers {
    /// Nothing counted yet.
    pub(super) fn new(expand: bool) -> Registers {
        Registers { expand, ..Registers::default() }
    }

    /// Counts an instruction, or with `step` above 0 a line that repeats it.
    pub(super) fn instruction(&mut self, inst: &Inst, repeat: u16, step: u16) {
        let isa = isa::a3xx();
        let cx = isa.cx();
        for field in isa.form(inst).format.fields.iter().filter(|f| f.role == Role::Use && !f.view) {
            if let Some(Value::Reg(r)) = isa.value(inst, field.name, &cx) {
                self.read(r, repeat, step);
            }
        }
        if step > 0 {
            return;
        }
        self.length += 1;
        self.instructions += 1 + u32::from(repeat);
        let flag = |name: &str| u32::from(isa.value(inst, name, &cx) == Some(Value::Int(1)));
        self.ss += flag("ss");
        self.sy += flag("sy");
        if let Some(Value::Reg(r)) = isa.value(inst, "dst", &cx)
            && isa.field(inst, "dst").is_some_and(|f| f.role == Role::Def)
        {
            let category = inst.word.0[0] >> 61;
            // The tool counts one register of a texture result; where it expands, as many as
            // the ALU operation before wrote.
            let count = if category < 5 { repeat } else { self.before };
            self.write(r, count);
            self.before = if self.expand && category < 5 { repeat } else { self.before };
        }
    }

    fn read(&mut self, r: Reg, repeat: u16, step: u16) {
        let steps = r.mods & mods::STEP != 0;
        let sets = &mut self.sets[usize::from(r.size == size::HALF)];
        // A line that repeats counts its own registers, after the first counted all.
        let first = r.index + if steps { step } else { 0 };
        for n in first..=first + if steps && step == 0 { repeat } else { 0 } {
            match r.file {
                file::CONST => sets.constant.put(n, true),
                file::GPR if r.index < A0 => {
                    if !sets.used.has(n) {
                        sets.input.put(n, true);
                    }
                    sets.output.put(n, false);
                    sets.used.put(n, true);
                }
                _ => {}
            }
        }
    }

    fn write(&mut self, r: Reg, repeat: u16) {
        if r.file != file::GPR || (A0..A0 + 8).contains(&r.index) {
            return;
        }
        let sets = &mut self.sets[usize::from(r.size == size::HALF)];
        for i in 0..=repeat {
            sets.output.put(r.index + i, true);
            sets.used.put(r.index + i, true);
        }
    }

    /// The footer; the tool of 2013 has no merged registers and no last two lines.
    pub(super) fn print(&self, merged: bool, out: &mut Out) {
        let [full, half] = &self.sets;
        out.push_str("Register Stats:\n");
        let mut row = |name: &str, set: &Set, tail: &str| {
            out.push_str("- ");
            out.push_str(name);
            out.push(':');
            set.print(out);
            out.push_str(tail);
            out.push('\n');
        };
        row("used (half)", &half.used, "");
        row("used (full)", &full.used, "");
        let both = self.merged();
        if merged {
            row("used (merged)", &both, "");
        }
        row("input (half)", &half.input, "");
        row("input (full)", &full.input, "");
        row("const (half)", &half.constant, "");
        row("const (full)", &full.constant, "");
        row("output (half)", &half.output, "  (estimated)");
        row("output (full)", &full.output, "  (estimated)");
        if merged {
            self.statistics(&both, out);
        }
    }

    /// Half registers as they are, full ones as two.
    fn merged(&self) -> Set {
        let [full, half] = &self.sets;
        let mut both = Set::default();
        (0..2048).filter(|n| half.used.has(*n)).for_each(|n| both.put(n, true));
        for n in (0..1024).filter(|n| full.used.has(*n)) {
            both.put(2 * n, true);
            both.put(2 * n + 1, true);
        }
        both
    }

    fn statistics(&self, both: &Set, out: &mut Out) {
        let rounded = |set: &Set| (set.greatest() + 3) / 4;
        let numbers = [
            ("- shaderdb: ", i64::from(self.instructions)),
            (" instructions (", i64::from(self.length)),
            (" instlen), ", rounded(both)),
            (" half, ", rounded(&self.sets[0].used)),
            (" full\n- shaderdb: ", i64::from(self.ss)),
            (" (ss), ", i64::from(self.sy)),
        ];
        for (text, n) in numbers {
            out.push_str(text);
            out.push_int(n);
        }
        out.push_str(" (sy)\n");
    }
}
