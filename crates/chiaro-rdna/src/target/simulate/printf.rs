//! What kernels print, lane by lane, as OpenCL's runtime has it: a lane takes room in a buffer by
//! counting up its first word, and leaves a number and values there; `amdhsa.printf` in the metadata says
//! what text the number stands for. [LLVM: AMDGPUUsage, AMDGPUPrintfRuntimeBinding]

use chiaro_sim::mapped::{Mapped, number};
use chiaro_sim::printf::{self, Argument};

/// How the buffer is called among the ranges of memory.
pub(super) const BUFFER: &str = "what is printed";
/// Bytes of it.
pub(super) const BYTES: usize = 1 << 20;
/// Bytes before the first record: those that are taken, and those that there are.
const HEAD: usize = 8;

/// An empty buffer.
pub(super) fn buffer() -> Vec<u8> {
    let mut bytes = vec![0; BYTES];
    bytes[4..HEAD].copy_from_slice(&((BYTES - HEAD) as u32).to_le_bytes());
    bytes
}

/// A text, and how many bytes each of its values takes.
pub(super) struct Format {
    number: u32,
    sizes: Vec<usize>,
    text: String,
}

impl Format {
    /// Reads `1:2:4:8:text`: number, count of values, their bytes, the text.
    pub(super) fn read(described: &str) -> Option<Format> {
        let (number, rest) = described.split_once(':')?;
        let (count, mut rest) = rest.split_once(':')?;
        let mut sizes = Vec::new();
        for _ in 0..count.parse::<u8>().ok()? {
            let (size, behind) = rest.split_once(':')?;
            sizes.push(size.parse().ok()?);
            rest = behind;
        }
        Some(Format { number: number.parse().ok()?, sizes, text: unescaped(rest) })
    }

    /// The values of a record, behind its number.
    fn values(&self, record: &[u8]) -> Vec<Argument> {
        let (mut values, mut rest) = (Vec::new(), record);
        let letters = printf::letters(&self.text);
        for (n, size) in self.sizes.iter().enumerate() {
            let Some(bytes) = rest.get(..*size) else { break };
            rest = rest.get(size.next_multiple_of(4)..).unwrap_or_default();
            if letters.get(n) == Some(&'s') {
                let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(*size);
                values.push(Argument::Text(String::from_utf8_lossy(&bytes[..end]).into_owned()));
                continue;
            }
            // What is longer than a number is a vector of words.
            let part = if *size <= 8 { *size } else { 4 };
            let parts = bytes.chunks(part.max(1));
            values.extend(parts.map(|b| Argument::Bits(number(b), 8 * b.len() as u8)));
        }
        values
    }
}

/// The text that a lane printed into the room that it took; nothing if the metadata does not know it.
pub(super) fn printed(formats: &[Format], memory: &Mapped, taken: u32) -> Option<String> {
    let record = memory.named(BUFFER)?.bytes.get((taken as usize).checked_add(HEAD)?..)?;
    let number = u32::from_le_bytes(*record.first_chunk()?);
    let format = formats.iter().find(|format| format.number == number)?;
    Some(printf::format(&format.text, format.values(&record[4..])))
}

/// The text with what LLVM escapes: ends of lines, and the colons that part the fields.
fn unescaped(text: &str) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some((before, behind)) = rest.split_once('\\') {
        out.push_str(before);
        let octal = behind.bytes().take(3).take_while(|c| (b'0'..=b'7').contains(c)).count();
        let (c, length) = match behind.chars().next() {
            _ if octal > 0 => (u8::from_str_radix(&behind[..octal], 8).ok().map(char::from), octal),
            Some('n') => (Some('\n'), 1),
            Some('t') => (Some('\t'), 1),
            Some('r') => (Some('\r'), 1),
            Some(c) => (Some(c), c.len_utf8()),
            None => (Some('\\'), 0),
        };
        out.extend(c);
        rest = &behind[length..];
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Rdna, asm, container};
    use chiaro_diag::FileId;
    use chiaro_target::{Inputs, SimulateOptions, Target, Work};

    const KERNEL: &str = r#"
        .text
        tell:
          s_load_dwordx2 s[2:3], s[0:1], 0x0
          v_mov_b32 v1, 20
          v_mov_b32 v2, 0
          s_waitcnt lgkmcnt(0)
          global_atomic_add v3, v2, v1, s[2:3] glc
          s_waitcnt vmcnt(0)
          v_mov_b32 v4, 7
          v_mov_b32 v5, v0
          v_mov_b32 v6, 0
          v_mov_b32 v7, 0x3ff80000
          v_mov_b32 v8, 0x6968
          global_store_dwordx4 v3, v[4:7], s[2:3] offset:8
          global_store_dword v3, v8, s[2:3] offset:24
          s_endpgm
        .amdhsa_kernel tell
          .amdhsa_user_sgpr_kernarg_segment_ptr 1
          .amdhsa_next_free_vgpr 9
          .amdhsa_next_free_sgpr 4
        .end_amdhsa_kernel
        .amdgpu_metadata
        ---
        amdhsa.printf:
          - '7:3:4:8:3:%d\72 %f, %s\n'
        amdhsa.kernels:
          - .name: tell
            .args:
              - .offset: 0
                .size: 8
                .value_kind: hidden_printf_buffer
        ...
        .end_amdgpu_metadata
    "#;

    #[test]
    fn lanes_print_in_their_order() {
        let lines: Vec<&str> =
            KERNEL.lines().map(|line| line.strip_prefix("        ").unwrap_or(line)).collect();
        let object = asm::assemble(&lines.join("\n"), FileId::default(), None).expect("a kernel");
        let bytes = container::write(&object).expect("an object");
        let inputs = Inputs { resources: Vec::new(), work: Work::Dispatch([2, 1, 1]) };
        let assumptions = vec![("local-size".to_owned(), "2".to_owned())];
        let options = SimulateOptions { assumptions, ..SimulateOptions::default() };
        let made = Rdna.simulate(&bytes, &inputs, &options).expect("a run");
        assert_eq!(made.faults, []);
        let told: Vec<_> = made.printed.iter().map(|p| (p.invocation, p.text.as_str())).collect();
        let [first, second] = ["0: 1.500000, hi\n", "1: 1.500000, hi\n"];
        assert_eq!(told, [(0, first), (1, second), (2, first), (3, second)]);
    }

    #[test]
    fn what_is_described_wrongly_is_nothing() {
        let mut memory = Mapped::default();
        let mut bytes = buffer();
        bytes[8] = 1;
        let range = chiaro_sim::mapped::Range { name: BUFFER.to_owned(), base: 0x1000, bytes };
        memory.map(range).expect("room");
        for described in ["", "1", "1:", "1:2:4:x", "1:300:x", "x:0:text", "2:0:text"] {
            let formats: Vec<Format> = Format::read(described).into_iter().collect();
            assert_eq!(printed(&formats, &memory, 0), None, "{described}");
        }
        let format = Format::read("1:1:99999999:%d\\").expect("a format");
        let whole = |taken| printed(std::slice::from_ref(&format), &memory, taken);
        assert_eq!(whole(0).as_deref(), Some("%d\\"));
        assert_eq!([whole(BYTES as u32 - 9), whole(u32::MAX)], [None, None]);
    }
}
