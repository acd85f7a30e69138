//! A container's contents for machines.
//!
//! Numbers are numbers; register values that are bit patterns are hexadecimal texts.

use crate::container::outmap::OutputMap;
use crate::container::{Constant, ConstantValue, Dvle, Label, Output, Shbin, Stage, Uniform};
use crate::isa::{PICA200, descriptor_index, fetch};
use chiaro_num::F24;
use chiaro_target::value::number;
use serde_json::{Map, Value, json};

/// The whole file.
pub(super) fn describe(shbin: &Shbin) -> Value {
    let parts = shbin.parts().into_iter().map(
        |placed| json!({"part": format!("{:?}", placed.part), "offset": placed.offset, "size": placed.size}),
    );
    json!({
        "layout": shbin.layout.tool(),
        "version": shbin.program.version,
        "code": words(&shbin.program.code),
        "descriptors": shbin.program.descriptors.iter().map(|pair| words(pair)).collect::<Vec<_>>(),
        "executables": shbin.executables.iter().map(executable).collect::<Vec<_>>(),
        "parts": parts.collect::<Vec<_>>(),
    })
}

fn words(words: &[u32]) -> Vec<String> {
    words.iter().map(|word| format!("{word:08x}")).collect()
}

fn executable(dvle: &Dvle) -> Value {
    let [mode, first, full, count] = dvle.geometry;
    json!({
        "stage": stage(dvle.stage),
        "version": dvle.version,
        "entry": dvle.entry,
        "end": dvle.end,
        "merge": dvle.merge,
        "inputs": dvle.inputs,
        "outputs_used": dvle.outputs_used,
        "geometry": {"mode": mode, "fixed_first": first, "variable_full": full, "fixed_count": count},
        "uniforms": dvle.uniforms.iter().map(|u| uniform(dvle, u)).collect::<Vec<_>>(),
        "constants": dvle.constants.iter().map(constant).collect::<Vec<_>>(),
        "outputs": dvle.outputs.iter().map(output).collect::<Vec<_>>(),
        "labels": dvle.labels.iter().map(|l| label(dvle, l)).collect::<Vec<_>>(),
        "output_map": output_map(&OutputMap::libctru(&dvle.outputs)),
    })
}

fn stage(stage: Stage) -> Value {
    match stage {
        Stage::Vertex => json!("vertex"),
        Stage::Geometry => json!("geometry"),
        Stage::Other(byte) => json!(byte),
    }
}

fn uniform(dvle: &Dvle, uniform: &Uniform) -> Value {
    let registers = uniform.registers().map(|(first, last)| [first.to_string(), last.to_string()]);
    json!({
        "name": dvle.name(uniform.name),
        "registers": registers,
        "first": uniform.first,
        "last": uniform.last,
    })
}

fn constant(constant: &Constant) -> Value {
    let register = constant.target().map(|register| register.to_string());
    let value = match constant.value() {
        Some(ConstantValue::Bool(on)) => json!(on),
        Some(ConstantValue::Int(bytes)) => json!(bytes),
        Some(ConstantValue::Float(raw)) => json!(raw.map(|raw| number(F24.decode_f32(raw)))),
        None => Value::Null,
    };
    json!({"register": register, "kind": constant.kind, "value": value, "words": words(&constant.words)})
}

fn output(output: &Output) -> Value {
    let property = output.property().map(|property| property.name);
    json!({"property": property, "kind": output.kind, "register": output.register, "mask": output.mask})
}

fn label(dvle: &Dvle, label: &Label) -> Value {
    let size = (label.size != u32::MAX).then_some(label.size);
    json!({"name": dvle.name(label.name), "offset": label.offset, "size": size, "id": label.id})
}

fn output_map(map: &OutputMap) -> Value {
    json!({
        "mask": map.mask,
        "total": map.total,
        "words": words(&map.words),
        "mode": map.mode,
        "clock": map.clock,
    })
}

/// Every word taken apart.
pub(super) fn instructions(shbin: &Shbin) -> Value {
    let code = shbin.program.code.iter().enumerate();
    code.map(|(at, &word)| instruction(at, word, shbin)).collect()
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
