//! The disassembler: the most readable listing that assembles to the identical file.
//!
//! Nothing is believed: each listing is assembled again, and what differs decides what
//! the next one spells out (padding, the descriptor table, single words). What the
//! language cannot say at all becomes an [`exact`] listing, which always can.

use crate::asm::picasso::{self, Source};
use crate::container::Shbin;
use crate::isa::descriptor_index;
use crate::listing::exact;
use crate::listing::{Options, listing};
use chiaro_diag::FileId;

/// A listing and what kind it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Disassembly {
    /// The text.
    pub text: String,
    /// Why the file had to be spelled out, if it had.
    pub exact: Option<String>,
}

/// How often a listing is refined before the file is spelled out: padding, table,
/// named descriptors and raw words each take a round.
const ROUNDS: usize = 6;

/// Lists a file. The text assembles (picasso's language in the default mode, or the
/// exact format that it then begins with) to the bytes that [`Shbin::write`] gives.
pub fn disassemble(file: &Shbin) -> Disassembly {
    let bytes = file.write();
    let mut options = Options::default();
    let mut reason = "its words cannot be arranged as procedures and blocks".to_owned();
    for _ in 0..ROUNDS {
        let text = match listing(file, &options) {
            Ok(text) => text,
            Err(unlisted) => {
                reason = unlisted.to_string();
                break;
            }
        };
        let source = Source { name: "listing", text: &text, file: FileId(0) };
        match picasso::assemble(&[source], &picasso::Options::default()) {
            Ok(assembly) if assembly.shbin.write() == bytes => return Disassembly { text, exact: None },
            Ok(assembly) => {
                if !refine(&mut options, file, &assembly.shbin) {
                    reason = "its tables are not what an assembler would write".to_owned();
                    break;
                }
            }
            Err(errors) => {
                reason = errors.first().map_or(reason, |e| e.message.clone());
                break;
            }
        }
    }
    Disassembly { text: exact::print(file), exact: Some(reason) }
}

/// Turns on what the difference asks for; whether there was something left to turn on.
fn refine(options: &mut Options, want: &Shbin, got: &Shbin) -> bool {
    let (want, got) = (&want.program, &got.program);
    if want.code.len() != got.code.len() {
        return !std::mem::replace(&mut options.no_nop, true);
    }
    if want.descriptors != got.descriptors && !options.table {
        options.table = true;
        return true;
    }
    let mut changed = false;
    for (at, (&want, &got)) in
        want.code.iter().zip(&got.code).enumerate().filter(|(_, (want, got))| want != got)
    {
        let at = at as u32;
        let named = descriptor_index(want) != descriptor_index(got) && options.chosen.insert(at);
        changed |= named || options.raw.insert(at);
    }
    // A descriptor that differs while the table is off shows in the words first.
    changed || !std::mem::replace(&mut options.table, true)
}
