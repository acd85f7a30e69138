//! What linking says of stages: `tests/link/*.stages`, one source behind each line `--- vert` and so
//! on. `CHIARO_BLESS=1` writes the expectations: messages, or nothing for stages that fit.

use chiaro_diag::{Printer, SourceMap};
use chiaro_glsl::compile_program;

use crate::data;

#[test]
fn stages_give_their_messages() {
    data::check("link", |name, text| {
        let mut sources = SourceMap::new();
        let mut stages = Vec::new();
        for part in text.split("--- ").skip(1) {
            let (ending, source) = part.split_once('\n').unwrap_or((part, ""));
            let name = format!("{}.{ending}", name.trim_end_matches(".stages"));
            let options = data::options(&name, source);
            stages.push((sources.add(name, source), options));
        }
        let (modules, found) = compile_program(&stages, false, &mut sources, &mut |_, _, _| None);
        assert!(modules.len() == stages.len() || !found.is_empty(), "{name}: no words and no message");
        Printer::plain().print(&found, &sources)
    });
}
