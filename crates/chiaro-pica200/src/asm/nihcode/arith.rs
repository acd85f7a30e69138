//! Instructions that compute: which operand goes where, and their descriptors.
//!
//! Descriptors are written as nihstro writes them, bits that do not matter included, so
//! that files stay the same byte for byte.

use super::assembler::misfit;
use super::operand::{Atom, evaluate};
use super::statement::{Compare, Expression, Swizzle};
use super::{Assembler, Once};
use crate::asm::report::Outcome;
use crate::isa::{Op, PICA200, halves};
use crate::regs::{NARROW, bank, source};
use chiaro_diag::{Diagnostic, Span};
use chiaro_isa::{Inst, Reg, Value};

/// The field names of sources.
const SOURCES: [&str; 3] = ["src1", "src2", "src3"];

fn fail<T>(span: Span, message: impl Into<String>) -> Outcome<T> {
    Err(Box::new(Diagnostic::error(span, message)))
}

/// A selector from a component per place; places without one select x.
fn selector(places: [u8; 4]) -> u16 {
    places.iter().fold(0, |all, &component| all << 2 | u16::from(component & 3))
}

/// The components in the places that a mask enables, in order.
fn aligned(swizzle: Swizzle, mask: u16) -> u16 {
    let mut next = swizzle.letters.into_iter();
    let place = |i: usize| if mask >> (3 - i) & 1 == 1 { next.next().unwrap_or(0) } else { 0 };
    let mut place = place;
    selector([place(0), place(1), place(2), place(3)])
}

/// The components from the first place on.
fn expanded(swizzle: Swizzle) -> u16 {
    selector(swizzle.letters)
}

fn is_scalar(op: Op) -> bool {
    matches!(op, Op::Ex2 | Op::Lg2 | Op::Rcp | Op::Rsq)
}

fn commutes(op: Op) -> bool {
    matches!(op, Op::Add | Op::Dp3 | Op::Dp4 | Op::Mul | Op::Max | Op::Min)
}

impl Assembler<'_> {
    /// An instruction with a destination, and MOVA.
    pub(super) fn arithmetic(&mut self, op: Op, operands: &[Expression<'_>], span: Span) -> Outcome {
        let mut atoms = Vec::with_capacity(operands.len());
        for operand in operands {
            atoms.push(evaluate(operand, &self.names)?);
        }
        match (op, atoms.as_mut_slice()) {
            (Op::Mova, [source]) => self.mova(source, span),
            (Op::Mad, [dst, sources @ ..]) => self.mad(dst, sources, span),
            (_, [dst, sources @ ..]) => self.ordinary(op, dst, sources, span),
            _ => Ok(()),
        }
    }

    fn mova(&mut self, source: &Atom, span: Span) -> Outcome {
        readable(source)?;
        self.count(source, 2, "`mova` reads two components")?;
        // nihstro enables no component, so that the hardware writes nothing.
        let mask = if self.tool { 0 } else { 0b11 };
        self.remark(Once::Mova, span, "nihstro lets `mova` write no component; here it writes a0 and a1");
        let source = Value::Reg(source.source(expanded(source.swizzle)));
        let inst = self.encode(Op::Mova, &[("mask", Value::Int(mask)), ("src1", source)], span)?;
        self.push_described(inst, halves(inst.word).1, span)
    }

    fn ordinary(&mut self, op: Op, dst: &Atom, sources: &mut [Atom], span: Span) -> Outcome {
        self.writable(dst)?;
        sources.iter().try_for_each(readable)?;
        self.check_wide(sources, span)?;
        if let [first, second] = sources
            && second.is_wide()
        {
            if commutes(op) {
                std::mem::swap(first, second);
            } else if op == Op::Dst && self.tool {
                return fail(span, "nihstro does not take a float uniform in second place here");
            }
        }
        let selectors = self.selectors(op, dst, sources, span)?;
        self.note_output(dst, span);
        let operands: Vec<(&str, Value)> = destination(dst).chain(fields(sources, &selectors)).collect();
        let inst = self.encode(op, &operands, span)?;
        let descriptor = match sources {
            [only] => self.descriptor_as_for_two(dst, only, &selectors, span)?,
            _ => halves(inst.word).1,
        };
        self.push_described(inst, descriptor, span)
    }

    /// What each source selects; of one source also what a second one would.
    fn selectors(&mut self, op: Op, dst: &Atom, sources: &mut [Atom], span: Span) -> Outcome<[u16; 2]> {
        let dot = match op {
            Op::Dp3 => Some([3, 3]),
            Op::Dp4 => Some([4, 4]),
            // Where nihstro takes the inverted form it knows no dot product any more.
            Op::Dph if !(self.tool && sources[1].is_wide()) => Some([4, 3]),
            _ => None,
        };
        match (dot, &mut *sources) {
            (Some(_), [first, second]) if op == Op::Dph && !self.tool => {
                self.order_dph(first, second, span)?;
                Ok([expanded(first.swizzle), expanded(second.swizzle)])
            }
            (Some(counts), [first, second]) => {
                for (source, count) in [&*first, &*second].into_iter().zip(counts) {
                    let message = format!("this dot product reads {count} components here");
                    self.count(source, count, &message)?;
                }
                Ok([expanded(first.swizzle), expanded(second.swizzle)])
            }
            _ => {
                self.check_counts(dst, sources)?;
                let mask = dst.mask();
                let second = sources.get(1).map_or(Swizzle::FULL, |second| second.swizzle);
                let first = aligned(sources[0].swizzle, mask);
                let first = if is_scalar(op) { self.scalar(first, &sources[0]) } else { first };
                Ok([first, aligned(second, mask)])
            }
        }
    }

    /// DPH puts 1 in place of its first source's w, so the shorter vector belongs there.
    /// nihcode's has it in second place, and nihstro leaves it there.
    fn order_dph(&mut self, first: &mut Atom, second: &mut Atom, span: Span) -> Outcome {
        match [first.swizzle.count, second.swizzle.count] {
            [4, 3] => {
                std::mem::swap(first, second);
                let message = "nihstro would leave the sources of `dph` as they are, so that the second one's x \
                               is added instead of the first one's w; here they are exchanged";
                self.remark(Once::Dph, span, message);
                Ok(())
            }
            // The hardware's own order; the first one's w does not matter.
            [3 | 4, 4] => Ok(()),
            _ => fail(span, "`dph` reads three components of one source and four of the other"),
        }
    }

    /// The selector of an operation that reads one component: the first. nihstro leaves x
    /// in its place unless the destination has an x.
    fn scalar(&mut self, aligned: u16, source: &Atom) -> u16 {
        let Some(&component) = source.swizzle.used().first().filter(|_| !self.tool) else { return aligned };
        if source.swizzle.used().iter().any(|&other| other != component) {
            let letter = char::from(b"xyzw"[usize::from(component & 3)]);
            let message = format!("this instruction reads one component only; {letter} is taken for all");
            self.report.add(Diagnostic::warning(source.span, message));
        }
        aligned & 0x3f | u16::from(component & 3) << 6
    }

    /// nihstro makes the descriptor of an instruction with one source as if there were
    /// another, not negated, with all its components.
    fn descriptor_as_for_two(
        &self,
        dst: &Atom,
        only: &Atom,
        selectors: &[u16; 2],
        span: Span,
    ) -> Outcome<u32> {
        let first = only.source(selectors[0]);
        let second = Reg { file: bank::TEMP, swizzle: selectors[1], ..Reg::default() };
        let sources = [("src1", Value::Reg(first)), ("src2", Value::Reg(second))];
        let operands: Vec<(&str, Value)> = destination(dst).chain(sources).collect();
        Ok(halves(self.encode(Op::Add, &operands, span)?.word).1)
    }

    fn mad(&mut self, dst: &Atom, sources: &mut [Atom], span: Span) -> Outcome {
        self.writable(dst)?;
        sources.iter().try_for_each(readable)?;
        let form = self.place_mad(sources, span)?;
        self.check_counts(dst, sources)?;
        self.note_output(dst, span);
        let mask = dst.mask();
        let selectors: Vec<u16> = sources.iter().map(|source| aligned(source.swizzle, mask)).collect();
        let fields = destination(dst).chain(fields(sources, &selectors));
        let mut values: Vec<Option<Value>> = fields.map(|(_, value)| Some(value)).collect();
        values.push(None); // the descriptor's index
        let form = PICA200.forms_of(Op::Mad as u16).nth(form).unwrap_or_default();
        let inst = PICA200.encode_given(form, &values, &self.cx()).map_err(|e| misfit(span, e))?;
        self.push_described(inst, halves(inst.word).1, span)
    }

    /// Brings the wide source of a MAD to where a form has room: MAD in the middle, MADI
    /// at the end. The number of the form.
    fn place_mad(&mut self, sources: &mut [Atom], span: Span) -> Outcome<usize> {
        let [first, second, third] = sources else { return Ok(0) };
        if self.tool {
            return Ok(place_mad_as_tool(first, second, third));
        }
        let wide = [&*first, &*second, &*third].into_iter().filter(|source| source.is_wide()).count();
        if wide > 1 {
            let error = Diagnostic::error(span, "only one source can be a float uniform");
            let help = "copy one to a temporary first";
            return Err(Box::new(error.help(help).note("nihstro would read another register in its place")));
        }
        let index = [&*first, &*second, &*third].into_iter().find(|source| source.indexed != 0);
        if let Some(source) = index {
            self.report.add(Diagnostic::remark(source.span, "nihstro would drop the index register here"));
        }
        if first.is_wide() {
            self.report.add(Diagnostic::remark(first.span, "nihstro would read another register here"));
            std::mem::swap(first, second);
        }
        Ok(usize::from(third.is_wide()))
    }

    pub(super) fn compare(&mut self, compare: &Compare<'_>, span: Span) -> Outcome {
        let [first, second] = &compare.sources;
        let mut sources = [evaluate(first, &self.names)?, evaluate(second, &self.names)?];
        sources.iter().try_for_each(readable)?;
        self.check_wide(&sources, span)?;
        let mut relations = compare.relations;
        if sources[1].is_wide() {
            sources.swap(0, 1);
            relations = relations.map(mirrored);
        }
        for source in &sources {
            self.count(source, 2, "`cmp` reads two components")?;
        }
        let selectors = [expanded(sources[0].swizzle), expanded(sources[1].swizzle)];
        let [x, y] = relations.map(|relation| Value::Int(relation.into()));
        let operands: Vec<(&str, Value)> =
            [("x", x), ("y", y)].into_iter().chain(fields(&sources, &selectors)).collect();
        let inst = self.encode(Op::Cmp, &operands, span)?;
        self.push_described(inst, halves(inst.word).1, span)
    }

    fn encode(&self, op: Op, operands: &[(&str, Value)], span: Span) -> Outcome<Inst> {
        PICA200.encode_op(op as u16, operands, &self.cx()).map_err(|e| misfit(span, e))
    }

    fn count(&self, source: &Atom, count: u8, message: &str) -> Outcome {
        let found = source.swizzle.count;
        if found == count {
            return Ok(());
        }
        fail(source.span, format!("{message}, not {found}"))
    }

    /// All operands name as many components as the destination.
    fn check_counts(&self, dst: &Atom, sources: &[Atom]) -> Outcome {
        let wanted = dst.swizzle.count;
        for source in sources {
            self.count(source, wanted, &format!("the destination has components for {wanted}"))?;
        }
        Ok(())
    }

    /// One of two sources at most needs the wide field.
    fn check_wide(&self, sources: &[Atom], span: Span) -> Outcome {
        if sources.len() == 2 && sources.iter().all(Atom::is_wide) {
            let error = Diagnostic::error(span, "only one source can be a float uniform");
            return Err(Box::new(error.help("copy one to a temporary first")));
        }
        Ok(())
    }

    fn writable(&self, dst: &Atom) -> Outcome {
        if !matches!(dst.file, bank::OUTPUT | bank::TEMP) {
            return fail(dst.span, "only outputs (o) and temporaries (r) can be written");
        }
        if self.tool {
            return Ok(());
        }
        let fail = |message: &str, tool: &str| Err(Box::new(Diagnostic::error(dst.span, message).note(tool)));
        if dst.indexed != 0 {
            return fail(
                "a destination cannot be indexed by a register",
                "nihstro ignores the index register",
            );
        }
        if dst.negative {
            return fail("a destination cannot be negated", "nihstro ignores the sign");
        }
        if !dst.swizzle.used().is_sorted_by(|a, b| a < b) {
            let message = "the components of a destination are given in the order x, y, z, w, each once";
            return fail(
                message,
                "nihstro ignores the order: the first component of a source goes to the first of these letters",
            );
        }
        Ok(())
    }

    fn note_output(&mut self, dst: &Atom, span: Span) {
        if dst.file == bank::OUTPUT
            && let Some(first) = self.written.get_mut(usize::from(dst.index))
        {
            first.get_or_insert(span);
        }
    }
}

/// MADI where the last source is wide, which of the first two then goes to a field of 5
/// bits; nihstro cuts what does not fit and never writes an index register.
fn place_mad_as_tool(first: &mut Atom, second: &mut Atom, third: &mut Atom) -> usize {
    let inverted = third.is_wide();
    if inverted && second.is_wide() {
        std::mem::swap(first, second);
    }
    if first.file == bank::FLOAT {
        // Float uniforms follow inputs and temporaries.
        (first.file, first.index) = source((NARROW + first.index) % NARROW);
    }
    for source in [first, second, third] {
        source.indexed = 0;
    }
    usize::from(inverted)
}

fn destination(dst: &Atom) -> impl Iterator<Item = (&'static str, Value)> {
    std::iter::once(("dst", Value::Reg(dst.destination())))
}

/// Sources by the names of their fields.
fn fields(sources: &[Atom], selectors: &[u16]) -> impl Iterator<Item = (&'static str, Value)> {
    let values = sources.iter().zip(selectors).map(|(source, &selector)| Value::Reg(source.source(selector)));
    SOURCES.into_iter().zip(values)
}

fn readable(source: &Atom) -> Outcome {
    match source.file {
        bank::INPUT | bank::TEMP | bank::FLOAT => Ok(()),
        _ => fail(source.span, "only inputs (v), temporaries (r) and float uniforms (c) can be read"),
    }
}

/// The comparison with its sides exchanged.
fn mirrored(relation: u8) -> u8 {
    match relation {
        2 => 4,
        3 => 5,
        4 => 2,
        5 => 3,
        same => same,
    }
}
