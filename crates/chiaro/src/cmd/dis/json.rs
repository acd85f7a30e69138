//! A disassembled container for machines: what `info --json` tells, and every instruction.

use chiaro_pica200::container::Shbin;
use chiaro_pica200::isa::{PICA200, descriptor_index, fetch};
use chiaro_utgard::isa::word::FIELDS;
use serde_json::{Map, Value, json};

use crate::cmd::info::Container;

/// The whole file.
pub fn describe(container: &Container) -> Value {
    let mut all = container.to_json();
    all["instructions"] = match container {
        Container::Shbin(shbin) => {
            let code = shbin.program.code.iter().enumerate();
            code.map(|(at, &word)| instruction(at, word, shbin)).collect()
        }
        Container::Mbs(mbs) => {
            mbs.program().iter().enumerate().map(|(at, &word)| wide_instruction(at, word)).collect()
        }
    };
    all
}

/// A word of Utgard GP: every field that is not idle.
fn wide_instruction(at: usize, word: chiaro_utgard::isa::word::Word) -> Value {
    let busy = FIELDS.iter().filter(|field| word.get(**field) != field.idle);
    let fields: Map<String, Value> =
        busy.map(|field| (field.name.to_owned(), word.get(*field).into())).collect();
    json!({
        "at": at,
        "words": word.words().map(|word| format!("{word:08x}")),
        "text": chiaro_utgard::explain::text(word),
        "fields": fields,
    })
}

/// A word; `op` is null where no instruction has these bits.
fn instruction(at: usize, word: u32, shbin: &Shbin) -> Value {
    let table = &shbin.program.descriptors;
    let index = descriptor_index(word);
    let descriptor = index.and_then(|index| table.get(index)).map(|entry| format!("{:08x}", entry[0]));
    let (mut op, mut text, mut fields) = (Value::Null, Value::Null, Map::new());
    if let Ok(inst) = PICA200.decode_word(&fetch(word, table), 8) {
        let explained = PICA200.explain(&inst, &PICA200.cx());
        op = PICA200.form(&inst).operation.name.into();
        text = explained.text.into();
        let operands = explained.fields.into_iter().filter(|field| field.name != "opcode");
        fields = operands.map(|field| (field.name.to_owned(), field.text.into())).collect();
    }
    json!({
        "at": at,
        "word": format!("{word:08x}"),
        "descriptor_index": index,
        "descriptor": descriptor,
        "op": op,
        "text": text,
        "fields": fields,
    })
}
