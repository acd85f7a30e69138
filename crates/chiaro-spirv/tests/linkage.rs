//! Functions that other modules have or call: `LinkageAttributes`, read where a module may be a part.

use chiaro_diag::SourceMap;
use chiaro_spirv::Options;

const TYPES: &str = "
       %uint = OpTypeInt 32 0
     %filter = OpTypeFunction %uint %uint
";

/// A function whose body does nothing, or is elsewhere.
fn function(name: &str, has_body: bool) -> String {
    let body = if has_body { format!("%l{name} = OpLabel\nOpReturnValue %p{name}\n") } else { String::new() };
    format!(
        "%{name} = OpFunction %uint None %filter\n%p{name} = OpFunctionParameter %uint\n{body}OpFunctionEnd\n"
    )
}

/// The IR of a module by its decorations and its functions, or what is wrong with it.
fn read(decorations: &str, functions: &[String], parts: bool) -> Result<String, String> {
    let text = format!(
        "OpCapability Shader\nOpCapability Linkage\nOpMemoryModel Logical GLSL450\n{decorations}\n{TYPES}{}",
        functions.concat()
    );
    let mut sources = SourceMap::new();
    let file = sources.add("test.spvasm", text);
    let words = chiaro_spirv::text::parse(sources.text(file), file).map_err(|e| e[0].message.clone())?;
    let options = Options { parts, ..Options::default() };
    let reading = chiaro_spirv::read(&words, &options, &mut sources).map_err(|e| e.to_string())?;
    chiaro_ir::verify(&reading.module).map_err(|breaches| breaches[0].message.clone())?;
    Ok(chiaro_ir::print(&reading.module))
}

#[test]
fn functions_have_the_names_that_linkers_know() {
    let decorations = "OpName %f \"inner\"\nOpDecorate %f LinkageAttributes \"seen\" Export\n\
                       OpDecorate %g LinkageAttributes \"far_away\" Import";
    let functions = [function("f", true), function("g", false), function("h", true)];
    let text = read(decorations, &functions, true).expect("it is read");
    for part in ["export fn @seen(%0: i32) -> i32 {", "import fn @far_away(%0: i32) -> i32\n", "\nfn @"] {
        assert!(text.contains(part), "no `{part}` in\n{text}");
    }
    let whole = read("OpDecorate %f LinkageAttributes \"seen\" Export", &functions[..1], false);
    assert!(!whole.expect("it is read").contains("export"), "a whole program exports nothing");
}

#[test]
fn bodies_are_where_the_linkage_says() {
    let import = "OpDecorate %g LinkageAttributes \"g\" Import";
    let cases = [
        (import, function("g", true), true, "the function `g` is imported and has a body"),
        ("OpName %g \"g\"", function("g", false), true, "the function `g` has no body, and is not imported"),
        (import, function("g", false), false, "has no body; targets that link parts may import it"),
        (
            "OpDecorate %g LinkageAttributes \"g\" LinkOnceODR",
            function("g", true),
            true,
            "neither Export nor Import",
        ),
    ];
    for (decorations, function, parts, message) in cases {
        let why = read(decorations, &[function], parts).expect_err(message);
        assert!(why.contains(message), "{why}");
    }
}
