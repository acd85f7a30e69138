//! SPIR-V as text, both directions: what `spirv-as` and `spirv-dis` read and write.
//!
//! The grammar is Khronos's, by the tables of rspirv; names of ids, places of mistakes and the types of literals are
//! ours.

mod operand;
mod parse;

use rspirv::binary::Disassemble;

pub use parse::parse;

/// The text of words.
///
/// # Errors
/// Why they are no module.
pub fn print(words: &[u32]) -> Result<String, String> {
    let module = rspirv::dr::load_words(words).map_err(|error| error.to_string())?;
    let mut text = module.disassemble();
    // The tables call dimensions what Rust lets them be called.
    for dim in ["1D", "2D", "3D"] {
        text = text.replace(&format!(" Dim{dim}"), &format!(" {dim}"));
    }
    Ok(text + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use chiaro_diag::SourceMap;

    const PLAIN: &str = "\
; a fragment shader of one colour
OpCapability Shader
%std = OpExtInstImport \"GLSL.std.450\"
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main \"main\" %colour
OpExecutionMode %main OriginUpperLeft
OpDecorate %colour Location 0
%void = OpTypeVoid
%nothing = OpTypeFunction %void
%float = OpTypeFloat 32
%vec4 = OpTypeVector %float 4
%pointer = OpTypePointer Output %vec4
%colour = OpVariable %pointer Output
%half = OpConstant %float 0.5
%main = OpFunction %void None %nothing
%start = OpLabel
%root = OpExtInst %float %std Sqrt %half
%all = OpCompositeConstruct %vec4 %root %root %half %half
OpStore %colour %all Aligned 16
OpReturn
OpFunctionEnd
";

    fn words(text: &str) -> Result<Vec<u32>, String> {
        let mut sources = SourceMap::new();
        let file = sources.add("a.spvasm", text);
        parse(text, file).map_err(|all| {
            let span = all[0].span.map(|span| sources.locate(span).start);
            format!("{:?} {}", span.map(|at| (at.line, at.column)), all[0].message)
        })
    }

    #[test]
    fn what_is_printed_reads_back() {
        let made = words(PLAIN).unwrap();
        let text = print(&made).unwrap();
        assert!(text.contains("Sqrt") && text.contains("Aligned 16"), "{text}");
        assert_eq!(words(&text).unwrap(), made);
    }

    #[test]
    fn mistakes_have_their_places() {
        for (from, to, wanted) in [
            ("OpTypeVoid", "OpTypeVoit", "Some((8, 9)) there is no instruction `OpTypeVoit`"),
            ("Fragment %main", "Fragmant %main", "Some((5, 14)) `Fragmant` is no ExecutionModel"),
            (
                "OpTypeVector %float 4",
                "OpTypeVector %float",
                "Some((11, 9)) `OpTypeVector` lacks an operand: LiteralInteger",
            ),
            ("OpReturn\n", "OpReturn 7\n", "Some((20, 10)) `OpReturn` has no operand here"),
            ("float 0.5", "float one", "Some((14, 27)) `one` is no number of 32 bits"),
            ("\"main\" ", "\"main ", "Some((5, 29)) this text does not end on its line"),
        ] {
            assert_eq!(words(&PLAIN.replacen(from, to, 1)).unwrap_err(), wanted);
        }
    }

    #[test]
    fn words_that_are_no_module_are_refused() {
        assert!(print(&[1, 2, 3]).is_err());
        assert!(words("%1 = OpConstant 2 1").is_err());
    }
}
