//! From bytes to a [`Shbin`]: first every claim of the headers is checked against the file, then
//! the parts are read. Parts may not overlap, so what is allocated is bounded by the file.

use super::layout::{self, DVLE_SIZE, DVLP_LONG, DVLP_SHORT, DvlpHeader, Layout};
use super::part::{Claim, Part};
use super::{Constant, Dvle, Dvlp, Label, Output, Problem, ReadError, Shbin, Stage, Uniform};

impl Shbin {
    /// Reads a file. Any input is safe; the error names the field at fault.
    pub fn read(bytes: &[u8]) -> Result<Shbin, ReadError> {
        let file = File { bytes };
        let (claims, header) = file.claims()?;
        let layout = layout::of_file(bytes, header, &claims)?;
        Ok(file.content(&claims, layout).with_known_layout(bytes))
    }

    /// Prefers the name of a tool's layout where it gives the same bytes: it knows better where
    /// tables belong that are empty in this file.
    fn with_known_layout(mut self, bytes: &[u8]) -> Shbin {
        for known in [Layout::picasso(), Layout::nihstro()] {
            let read = std::mem::replace(&mut self.layout, known);
            if self.write() == bytes {
                break;
            }
            self.layout = read;
        }
        self
    }
}

/// The bytes of a file, with reads that were checked before.
struct File<'a> {
    bytes: &'a [u8],
}

impl File<'_> {
    /// Everything that the headers claim, checked to lie within the file.
    fn claims(&self) -> Result<(Vec<Claim>, DvlpHeader), ReadError> {
        let count = self.executable_count()?;
        let dvlp = 8 + 4 * count;
        self.magic(Part::Dvlp, *b"DVLP", dvlp)?;

        let code = self.table(Part::Code, dvlp, DVLP_SHORT, 0x08)?;
        let descriptors = self.table(Part::Descriptors, dvlp, DVLP_SHORT, 0x10)?;
        let mut claims = vec![header_claim(Part::Dvlb, 0, 4, dvlp), code, descriptors];
        for n in 0..count {
            self.executable_claims(n, &mut claims)?;
        }
        let header = self.dvlp_header(dvlp, descriptors.end(), &claims);
        if header.long {
            claims.push(self.table(Part::FileNames, dvlp, DVLP_LONG, 0x20)?);
        }
        let size = if header.long { DVLP_LONG } else { DVLP_SHORT };
        claims.push(header_claim(Part::Dvlp, dvlp, dvlp, size));
        Ok((claims, header))
    }

    /// Checks the DVLB and that the file has room for all the headers it promises.
    fn executable_count(&self) -> Result<usize, ReadError> {
        self.header(Part::Dvlb, 0, 0, 8)?;
        self.magic(Part::Dvlb, *b"DVLB", 0)?;
        let claimed = self.word(4);
        let room = self.bytes.len().saturating_sub(8 + DVLP_SHORT) / (4 + DVLE_SIZE);
        if claimed as usize > room {
            let problem = Problem::TooManyExecutables { claimed, room };
            return Err(ReadError { offset: 4, part: Part::Dvlb, problem });
        }
        let dvlp = 8 + 4 * claimed as usize;
        self.header(Part::Dvlp, 4, dvlp as u64, DVLP_SHORT)?;
        Ok(claimed as usize)
    }

    /// The header and tables of executable `n`.
    fn executable_claims(&self, n: usize, claims: &mut Vec<Claim>) -> Result<(), ReadError> {
        let field = 8 + 4 * n;
        let start = self.word(field) as usize;
        self.header(Part::Dvle(n), field, start as u64, DVLE_SIZE)?;
        self.magic(Part::Dvle(n), *b"DVLE", start)?;
        claims.push(header_claim(Part::Dvle(n), start, field, DVLE_SIZE));
        let tables: [(Part, usize); 5] = [
            (Part::Constants(n), 0x18),
            (Part::Labels(n), 0x20),
            (Part::Outputs(n), 0x28),
            (Part::Uniforms(n), 0x30),
            (Part::Symbols(n), 0x38),
        ];
        for (part, at) in tables {
            claims.push(self.table(part, start, DVLE_SIZE, at)?);
        }
        Ok(())
    }

    /// The claim of the offset and count at `at` in the header at `base`.
    fn table(&self, part: Part, base: usize, header: usize, at: usize) -> Result<Claim, ReadError> {
        let field = base + at;
        let (value, count) = (self.word(field), self.word(field + 4));
        let start = base as u64 + u64::from(value);
        let claim = Claim { part, field, value, start, body: (base + header) as u64, count };
        if count > 0 && claim.end() > self.bytes.len() as u64 {
            let problem = Problem::PastEnd { start, count, unit: part.unit(), file: self.bytes.len() };
            return Err(ReadError { offset: field, part, problem });
        }
        Ok(claim)
    }

    /// The long header is the rule; the short one is seen by what follows it directly.
    fn dvlp_header(&self, dvlp: usize, descriptors_end: u64, claims: &[Claim]) -> DvlpHeader {
        let end = dvlp + DVLP_LONG;
        let taken = (dvlp + DVLP_SHORT) as u64..end as u64;
        let long = end <= self.bytes.len() && !claims.iter().any(|c| c.count > 0 && taken.contains(&c.start));
        let word18 = self.word(dvlp + 0x18);
        DvlpHeader {
            long,
            word18: (dvlp as u64 + u64::from(word18) != descriptors_end).then_some(word18),
            word1c: if long { self.word(dvlp + 0x1c) } else { 0 },
        }
    }

    fn header(&self, part: Part, field: usize, start: u64, size: usize) -> Result<(), ReadError> {
        if start + size as u64 <= self.bytes.len() as u64 {
            return Ok(());
        }
        let problem = Problem::Truncated { start, needed: size as u64, file: self.bytes.len() };
        Err(ReadError { offset: field, part, problem })
    }

    fn magic(&self, part: Part, expected: [u8; 4], offset: usize) -> Result<(), ReadError> {
        let found = self.word(offset).to_le_bytes();
        if found == expected {
            return Ok(());
        }
        Err(ReadError { offset, part, problem: Problem::Magic { found, expected } })
    }

    /// The content of a file whose claims are sound.
    fn content(&self, claims: &[Claim], layout: Layout) -> Shbin {
        let dvlp = claims[0].end() as usize;
        let mut program = Dvlp { version: self.word(dvlp + 4), ..Dvlp::default() };
        let mut executables: Vec<Dvle> = Vec::new();
        for claim in claims {
            match claim.part {
                Part::Code => program.code = self.items(claim, |item| item.word(0)),
                Part::Descriptors => {
                    program.descriptors = self.items(claim, |item| [item.word(0), item.word(4)]);
                }
                Part::FileNames => program.file_names = self.items(claim, |item| item.bytes[0]),
                Part::Dvle(_) => executables.push(executable(&self.slice(claim))),
                // Tables follow the header of their executable in the list of claims.
                _ => executables.iter_mut().last().into_iter().for_each(|dvle| self.read_table(dvle, claim)),
            }
        }
        Shbin { program, executables, layout }
    }

    fn read_table(&self, dvle: &mut Dvle, claim: &Claim) {
        match claim.part {
            Part::Constants(_) => dvle.constants = self.items(claim, constant),
            Part::Labels(_) => dvle.labels = self.items(claim, label),
            Part::Outputs(_) => dvle.outputs = self.items(claim, output),
            Part::Uniforms(_) => dvle.uniforms = self.items(claim, uniform),
            Part::Symbols(_) => dvle.symbols = self.items(claim, |item| item.bytes[0]),
            _ => {}
        }
    }

    fn items<T>(&self, claim: &Claim, read: impl Fn(&File) -> T) -> Vec<T> {
        self.slice(claim).bytes.chunks_exact(claim.part.unit()).map(|bytes| read(&File { bytes })).collect()
    }

    /// The bytes of a claim; nothing if it is empty, wherever it points.
    fn slice(&self, claim: &Claim) -> File<'_> {
        let range = claim.start as usize..claim.end() as usize;
        File { bytes: if claim.count == 0 { &[] } else { &self.bytes[range] } }
    }

    fn word(&self, at: usize) -> u32 {
        u32::from_le_bytes(self.bytes[at..at + 4].try_into().expect("four bytes"))
    }

    fn half(&self, at: usize) -> u16 {
        u16::from_le_bytes(self.bytes[at..at + 2].try_into().expect("two bytes"))
    }
}

/// The fields of a DVLE header (spec section 18.3), without its tables.
fn executable(item: &File) -> Dvle {
    Dvle {
        version: item.half(0x04),
        stage: Stage::from_byte(item.bytes[0x06]),
        merge: item.bytes[0x07],
        entry: item.word(0x08),
        end: item.word(0x0c),
        inputs: item.half(0x10),
        outputs_used: item.half(0x12),
        geometry: item.word(0x14).to_le_bytes(),
        constants: Vec::new(),
        labels: Vec::new(),
        outputs: Vec::new(),
        uniforms: Vec::new(),
        symbols: Vec::new(),
    }
}

fn constant(item: &File) -> Constant {
    let words = [4, 8, 12, 16].map(|at| item.word(at));
    Constant { kind: item.half(0), register: item.half(2), words }
}

fn label(item: &File) -> Label {
    Label {
        id: item.half(0),
        unknown: item.half(2),
        offset: item.word(4),
        size: item.word(8),
        name: item.word(12),
    }
}

fn output(item: &File) -> Output {
    let [kind, register, mask, unknown] = [0, 2, 4, 6].map(|at| item.half(at));
    Output { kind, register, mask, unknown }
}

fn uniform(item: &File) -> Uniform {
    Uniform { name: item.word(0), first: item.half(4), last: item.half(6) }
}

fn header_claim(part: Part, start: usize, field: usize, size: usize) -> Claim {
    Claim { part, field, value: 0, start: start as u64, body: 0, count: size as u32 }
}
