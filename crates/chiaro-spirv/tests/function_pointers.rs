//! `SPV_INTEL_function_pointers`: what is read, and what is refused.

use chiaro_diag::SourceMap;

const HEAD: &str = "
               OpCapability Shader
               OpCapability FunctionPointersINTEL
               OpMemoryModel Logical GLSL450
               OpEntryPoint GLCompute %main \"main\"
               OpExecutionMode %main LocalSize 1 1 1
       %void = OpTypeVoid
       %uint = OpTypeInt 32 0
     %kernel = OpTypeFunction %void
     %filter = OpTypeFunction %uint %uint
       %code = OpTypePointer CodeSectionINTEL %filter
    %of_code = OpTypePointer Private %code
          %1 = OpConstant %uint 1
";

/// The IR of a module by what stands in it before functions and in `main`, or what is wrong with it.
fn read(head: &str, body: &str) -> Result<String, String> {
    let text = format!(
        "{HEAD}{head}
          %f = OpFunction %uint None %filter
         %f1 = OpFunctionParameter %uint
         %f2 = OpLabel
               OpReturnValue %f1
               OpFunctionEnd
       %main = OpFunction %void None %kernel
      %start = OpLabel
{body}
               OpReturn
               OpFunctionEnd
"
    );
    let mut sources = SourceMap::new();
    let file = sources.add("test.spvasm", text);
    let words = chiaro_spirv::text::parse(sources.text(file), file).map_err(|e| e[0].message.clone())?;
    let reading = chiaro_spirv::read(&words, &Default::default(), &mut sources).map_err(|e| e.to_string())?;
    chiaro_ir::verify(&reading.module).map_err(|breaches| breaches[0].message.clone())?;
    Ok(chiaro_ir::print(&reading.module))
}

#[test]
fn a_pointer_is_a_number_until_it_is_called() {
    let head = "  %at = OpConstantFunctionPointerINTEL %code %f
                  %place = OpVariable %of_code Private %at";
    let body = "  %now = OpLoad %code %place
                  %r = OpFunctionPointerCallINTEL %uint %now %1";
    let text = read(head, body).expect("it is read");
    for part in ["private i64 = i64(@f", "= bitcast", "call_indirect", "fn(i32) -> i32"] {
        assert!(text.contains(part), "no `{part}` in\n{text}");
    }
}

#[test]
fn what_is_no_pointer_to_a_function_is_refused() {
    let at = "%at = OpConstantFunctionPointerINTEL %code %f";
    let cases = [
        ("%at = OpConstantFunctionPointerINTEL %code %1", "", "is no function"),
        ("%at = OpConstantFunctionPointerINTEL %uint %f", "", "pointers into the code section"),
        ("%at = OpConstantFunctionPointerINTEL %code %main", "", "another type than its pointer says"),
        ("%bad = OpTypePointer CodeSectionINTEL %uint", "", "no type of functions"),
        ("", "%r = OpFunctionPointerCallINTEL %uint %1 %1", "a pointer to a function is expected"),
        (at, "%r = OpFunctionPointerCallINTEL %void %at %1", "not the function's result"),
        (at, "%r = OpFunctionPointerCallINTEL %uint %at", "takes 2 operands, not 1"),
    ];
    for (head, body, message) in cases {
        let told = read(head, body).expect_err("it is refused");
        assert!(told.contains(message), "{told}, not {message}");
    }
}
