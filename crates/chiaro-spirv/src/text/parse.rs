//! Text to words, line by line.

use std::collections::HashMap;
use std::ops::Range;

use chiaro_diag::{Diagnostic, FileId};
use rspirv::binary::Assemble;
use rspirv::dr::{Instruction, Operand};
use rspirv::grammar::{
    INSTRUCTION_TABLE, Instruction as Row, LogicalOperand, OperandKind as Kind, OperandQuantifier as Often,
    ext_inst_table,
};
use rspirv::spirv::{self, Op};

use super::operand::named;

/// Version 1.5 unless the text says otherwise: `; Version: 1.3`.
const VERSION: u32 = 0x0001_0500;

/// Reads a module.
///
/// # Errors
/// The first mistake of each line.
pub fn parse(text: &str, file: FileId) -> Result<Vec<u32>, Vec<Diagnostic>> {
    let (mut reader, mut errors, mut body) = (Reader::new(text, file), Vec::new(), Vec::new());
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        match reader.line(line, at) {
            Ok(Some(instruction)) => instruction.assemble_into(&mut body),
            Ok(None) => {}
            Err(error) => errors.push(*error),
        }
        at += line.len();
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let mut words = vec![crate::MAGIC, reader.version, 0, reader.next, 0];
    words.append(&mut body);
    Ok(words)
}

/// A number's type, for literals whose form hangs on it.
#[derive(Clone, Copy)]
enum Number {
    Int(u32),
    Float(u32),
}

/// What lines before have said.
struct Reader<'t> {
    file: FileId,
    version: u32,
    /// The number for the next name.
    next: u32,
    ids: HashMap<&'t str, u32>,
    numbers: HashMap<u32, Number>,
    /// The type of each result.
    types: HashMap<u32, u32>,
    /// Names of imported sets.
    sets: HashMap<u32, String>,
}

/// A word of the text, and where it stands in it.
type Token<'t> = (&'t str, Range<usize>);

type Result_<T> = Result<T, Box<Diagnostic>>;

/// The rest of a line.
struct Rest<'t> {
    op: &'static str,
    place: Range<usize>,
    tokens: std::iter::Peekable<std::vec::IntoIter<Token<'t>>>,
}

impl<'t> Reader<'t> {
    fn new(text: &'t str, file: FileId) -> Reader<'t> {
        // Numbers stay what they are; names get those behind them.
        let numbers = text.split(['%', '\n']).filter_map(|part| {
            let digits = part.split(|c: char| !c.is_ascii_digit()).next()?;
            digits.parse::<u32>().ok().filter(|n| *n < 1 << 22)
        });
        Reader {
            file,
            version: VERSION,
            next: numbers.max().map_or(1, |most| most + 1),
            ids: HashMap::new(),
            numbers: HashMap::new(),
            types: HashMap::new(),
            sets: HashMap::new(),
        }
    }

    fn wrong<T>(&self, place: &Range<usize>, message: impl Into<String>) -> Result_<T> {
        Err(Box::new(Diagnostic::error(self.file.span(place.clone()), message)))
    }

    fn line(&mut self, line: &'t str, at: usize) -> Result_<Option<Instruction>> {
        if let Some(version) = line.trim().strip_prefix("; Version:") {
            let mut parts = version.trim().split('.').map(|part| part.parse::<u32>().unwrap_or(0).min(255));
            self.version = parts.next().unwrap_or(1) << 16 | parts.next().unwrap_or(0) << 8;
        }
        let mut tokens = self.tokens(line, at)?;
        let result = match &tokens[..] {
            [(id, _), (equals, _), ..] if *equals == "=" => Some((*id, tokens[0].1.clone())),
            _ => None,
        };
        if result.is_some() {
            tokens.drain(..2);
        }
        let Some((op, place)) = tokens.first().cloned() else { return Ok(None) };
        let Some(row) = INSTRUCTION_TABLE.iter().find(|row| op.strip_prefix("Op") == Some(row.opname)) else {
            return self.wrong(&place, format!("there is no instruction `{op}`"));
        };
        tokens.remove(0);
        let rest = Rest { op: row.opname, place, tokens: tokens.into_iter().peekable() };
        self.instruction(row, result, rest).map(Some)
    }

    fn instruction(
        &mut self,
        row: &'static Row<'static>,
        result: Option<Token<'t>>,
        mut rest: Rest<'t>,
    ) -> Result_<Instruction> {
        let (mut ty, mut id, mut operands) = (None, None, Vec::new());
        for logical in row.operands {
            match (logical.kind, &result) {
                (Kind::IdResult, Some((name, place))) => id = Some(self.id(name, place)?),
                (Kind::IdResult, None) => {
                    return self.wrong(
                        &rest.place,
                        format!("`Op{}` has a result: `%name = Op{}`", rest.op, rest.op),
                    );
                }
                (Kind::IdResultType, _) => match self.one(Kind::IdRef, &mut rest, &operands, ty)?[..] {
                    [Operand::IdRef(found)] => ty = Some(found),
                    _ => return self.wrong(&rest.place, "the type of the result is missing"),
                },
                _ => self.often(logical, &mut rest, &mut operands, ty)?,
            }
        }
        if let (None, Some((_, place))) = (id, &result) {
            return self.wrong(place, format!("`Op{}` has no result", rest.op));
        }
        if let Some((_, place)) = rest.tokens.next() {
            return self.wrong(&place, format!("`Op{}` has no operand here", rest.op));
        }
        self.note(row.opcode, id, ty, &operands);
        Ok(Instruction::new(row.opcode, ty, id, operands))
    }

    /// An operand as often as the grammar lets it stand.
    fn often(
        &mut self,
        logical: &LogicalOperand,
        rest: &mut Rest<'t>,
        operands: &mut Vec<Operand>,
        ty: Option<u32>,
    ) -> Result_<()> {
        loop {
            if rest.tokens.peek().is_none() {
                return match logical.quantifier {
                    Often::One => {
                        let message = format!("`Op{}` lacks an operand: {:?}", rest.op, logical.kind);
                        self.wrong(&rest.place, message)
                    }
                    _ => Ok(()),
                };
            }
            let made = self.one(logical.kind, rest, operands, ty)?;
            let more: Vec<LogicalOperand> = made.iter().flat_map(Operand::additional_operands).collect();
            operands.extend(made);
            for logical in &more {
                self.often(logical, rest, operands, ty)?;
            }
            if logical.quantifier != Often::ZeroOrMore {
                return Ok(());
            }
        }
    }

    /// One operand, or the two of a pair, or an instruction within.
    fn one(
        &mut self,
        kind: Kind,
        rest: &mut Rest<'t>,
        before: &[Operand],
        ty: Option<u32>,
    ) -> Result_<Vec<Operand>> {
        let pair = match kind {
            Kind::PairLiteralIntegerIdRef => Some([Kind::LiteralContextDependentNumber, Kind::IdRef]),
            Kind::PairIdRefLiteralInteger => Some([Kind::IdRef, Kind::LiteralInteger]),
            Kind::PairIdRefIdRef => Some([Kind::IdRef, Kind::IdRef]),
            _ => None,
        };
        if let Some([first, second]) = pair {
            let mut all = self.one(first, rest, before, ty)?;
            all.extend(self.one(second, rest, before, ty)?);
            return Ok(all);
        }
        let Some((text, place)) = rest.tokens.next() else {
            return self.wrong(&rest.place, format!("`Op{}` lacks an operand: {kind:?}", rest.op));
        };
        match kind {
            Kind::IdRef => self.id(text, &place).map(|id| vec![Operand::IdRef(id)]),
            Kind::IdScope => self.id(text, &place).map(|id| vec![Operand::IdScope(id)]),
            Kind::IdMemorySemantics => self.id(text, &place).map(|id| vec![Operand::IdMemorySemantics(id)]),
            Kind::LiteralString => self.string(text, &place).map(|text| vec![Operand::LiteralString(text)]),
            Kind::LiteralInteger => self.number(text, &place, Number::Int(32)),
            Kind::LiteralFloat => self.number(text, &place, Number::Float(32)),
            Kind::LiteralContextDependentNumber => {
                let number = self.number_type(ty, before);
                self.number(text, &place, number)
            }
            Kind::LiteralExtInstInteger => self.extended(text, &place, before),
            Kind::LiteralSpecConstantOpInteger => self.inner(text, &place, rest),
            _ => match named(kind, text) {
                Some(operand) => Ok(vec![operand]),
                None => self.wrong(&place, format!("`{text}` is no {kind:?}")),
            },
        }
    }

    fn id(&mut self, text: &'t str, place: &Range<usize>) -> Result_<u32> {
        let Some(name) = text.strip_prefix('%').filter(|name| !name.is_empty()) else {
            return self.wrong(place, format!("`{text}` is no id: ids begin with %"));
        };
        if let Ok(number) = name.parse::<u32>()
            && (1..1 << 22).contains(&number)
        {
            return Ok(number);
        }
        let next = &mut self.next;
        Ok(*self.ids.entry(name).or_insert_with(|| {
            *next += 1;
            *next - 1
        }))
    }

    fn string(&self, text: &str, place: &Range<usize>) -> Result_<String> {
        let Some(inner) = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')) else {
            return self.wrong(place, format!("`{text}` is no text in quotes"));
        };
        let mut out = String::new();
        let mut all = inner.chars();
        while let Some(c) = all.next() {
            out.extend(if c == '\\' { all.next() } else { Some(c) });
        }
        Ok(out)
    }

    fn number(&self, text: &str, place: &Range<usize>, number: Number) -> Result_<Vec<Operand>> {
        let (bits, width) = match number {
            Number::Float(width) => (float(text, width), width),
            Number::Int(width) => (integer(text, width), width),
        };
        match bits {
            Some(bits) if width > 32 => Ok(vec![Operand::LiteralBit64(bits)]),
            Some(bits) => Ok(vec![Operand::LiteralBit32(bits as u32)]),
            None => self.wrong(place, format!("`{text}` is no number of {width} bits")),
        }
    }

    /// The type of a literal: that of the result, or that of what a switch is on.
    fn number_type(&self, ty: Option<u32>, before: &[Operand]) -> Number {
        let of_selector = match before.first() {
            Some(Operand::IdRef(id)) => self.types.get(id).copied(),
            _ => None,
        };
        ty.or(of_selector).and_then(|ty| self.numbers.get(&ty).copied()).unwrap_or(Number::Int(32))
    }

    fn extended(&self, text: &str, place: &Range<usize>, before: &[Operand]) -> Result_<Vec<Operand>> {
        let set = match before.last() {
            Some(Operand::IdRef(id)) => self.sets.get(id).map_or("", String::as_str),
            _ => "",
        };
        let known = ext_inst_table(set).and_then(|table| table.iter().find(|row| row.opname == text));
        let number = known.map(|row| spirv::Word::from(row.opcode)).or_else(|| text.parse().ok());
        match number {
            Some(number) => Ok(vec![Operand::LiteralExtInstInteger(number)]),
            None => self.wrong(place, format!("`{set}` has no instruction `{text}`")),
        }
    }

    /// The instruction of a specialisation constant: its name without `Op`, then its operands.
    fn inner(&mut self, text: &str, place: &Range<usize>, rest: &mut Rest<'t>) -> Result_<Vec<Operand>> {
        let Some(row) = INSTRUCTION_TABLE.iter().find(|row| row.opname == text) else {
            return self.wrong(place, format!("there is no instruction `{text}`"));
        };
        let mut operands = vec![Operand::LiteralSpecConstantOpInteger(row.opcode)];
        for logical in
            row.operands.iter().filter(|one| !matches!(one.kind, Kind::IdResult | Kind::IdResultType))
        {
            self.often(logical, rest, &mut operands, None)?;
        }
        Ok(operands)
    }

    /// Keeps what later lines need to know.
    fn note(&mut self, op: Op, id: Option<u32>, ty: Option<u32>, operands: &[Operand]) {
        let Some(id) = id else { return };
        self.types.extend(ty.map(|ty| (id, ty)));
        match (op, operands) {
            (Op::TypeInt, [Operand::LiteralBit32(width), ..]) => {
                self.numbers.insert(id, Number::Int(*width));
            }
            (Op::TypeFloat, [Operand::LiteralBit32(width), ..]) => {
                self.numbers.insert(id, Number::Float(*width));
            }
            (Op::ExtInstImport, [Operand::LiteralString(name)]) => {
                self.sets.insert(id, name.clone());
            }
            _ => {}
        }
    }

    /// The words of a line; texts in quotes are one.
    fn tokens(&self, line: &'t str, at: usize) -> Result_<Vec<Token<'t>>> {
        let (mut all, mut from) = (Vec::new(), 0);
        loop {
            from += line[from..].len() - line[from..].trim_start().len();
            let rest = &line[from..];
            if rest.is_empty() || rest.starts_with(';') {
                return Ok(all);
            }
            let end = match rest.strip_prefix('"') {
                None => rest.find(|c: char| c.is_whitespace() || c == ';').unwrap_or(rest.len()),
                Some(text) => match closing(text) {
                    Some(end) => end + 2,
                    None => {
                        return self.wrong(&(at + from..at + from + 1), "this text does not end on its line");
                    }
                },
            };
            all.push((&rest[..end], at + from..at + from + end));
            from += end;
        }
    }
}

/// Where the quote is that ends a text.
fn closing(text: &str) -> Option<usize> {
    let mut escaped = false;
    text.char_indices().find_map(|(at, c)| {
        let ends = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        ends.then_some(at)
    })
}

fn integer(text: &str, width: u32) -> Option<u64> {
    let (negative, digits) = text.strip_prefix('-').map_or((false, text), |digits| (true, digits));
    let size = match digits.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok()?,
        None => digits.parse().ok()?,
    };
    let most = if width >= 64 { u64::MAX } else { (1 << width) - 1 };
    if negative {
        (size <= most / 2 + 1).then(|| size.wrapping_neg() & most.max(0xffff_ffff))
    } else {
        (size <= most).then_some(size)
    }
}

fn float(text: &str, width: u32) -> Option<u64> {
    let value: f64 = text.parse().ok()?;
    Some(match width {
        64 => value.to_bits(),
        16 => chiaro_ir::interp::float_bits(value, 16),
        _ => text.parse::<f32>().ok()?.to_bits().into(),
    })
}
