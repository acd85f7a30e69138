//! The folder of the VS Code extension: grammars and lists of languages are those that the rows give.
//! `CHIARO_BLESS=1` writes them.

use std::fs;
use std::path::{Path, PathBuf};

use chiaro::{Offer, TARGETS};
use chiaro_lsp::grammar::{Grammar, grammars};
use serde_json::{Value, json};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../editors/vscode")
}

/// Compares a file with what it has to be, or writes it.
fn held(name: &str, wanted: &Value) {
    let path = folder().join(name);
    let text = serde_json::to_string_pretty(wanted).expect("JSON") + "\n";
    if std::env::var_os("CHIARO_BLESS").is_some() {
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(&path, &text).expect("written");
    }
    let there = fs::read_to_string(&path).unwrap_or_default();
    assert!(there == text, "{name} is not what the rows give: write it with CHIARO_BLESS=1");
}

fn language(grammar: &Grammar) -> Value {
    let mut language = json!({ "id": grammar.id, "aliases": [grammar.title], "configuration": format!("./syntaxes/{}.configuration.json", grammar.id) });
    // `.s` is everybody's: such files are opened in this language by choice.
    let endings: Vec<&String> = grammar.endings.iter().filter(|ending| *ending != ".s").collect();
    if !endings.is_empty() {
        language["extensions"] = json!(endings);
    }
    language
}

#[test]
fn the_extension_knows_every_language() {
    let all = grammars(TARGETS);
    for grammar in &all {
        held(&format!("syntaxes/{}.tmLanguage.json", grammar.id), &grammar.patterns);
        let mut configuration = json!({
            "comments": { "lineComment": grammar.comment },
            "brackets": [["{", "}"], ["[", "]"], ["(", ")"]],
            "autoClosingPairs": [["{", "}"], ["[", "]"], ["(", ")"]]
        });
        if ["glsl", "wgsl"].contains(&grammar.id.as_str()) {
            configuration["comments"]["blockComment"] = json!(["/*", "*/"]);
        }
        held(&format!("syntaxes/{}.configuration.json", grammar.id), &configuration);
    }
    let manifest = fs::read_to_string(folder().join("package.json")).expect("the manifest");
    let mut manifest: Value = serde_json::from_str(&manifest).expect("JSON");
    let grammar = |one: &Grammar| json!({ "language": one.id, "scopeName": format!("source.{}", one.id), "path": format!("./syntaxes/{}.tmLanguage.json", one.id) });
    let contributes = &mut manifest["contributes"];
    contributes["languages"] = all.iter().map(language).collect();
    contributes["grammars"] = all.iter().map(grammar).collect();
    let breakpoints: Value = all.iter().map(|one| json!({ "language": one.id })).collect();
    contributes["breakpoints"] = breakpoints;
    contributes["debuggers"][0]["languages"] = all.iter().map(|one| one.id.as_str()).collect();
    let targets: Vec<&str> = TARGETS
        .iter()
        .filter(|target| target.about().has(Offer::Compile))
        .map(|target| target.about().name)
        .collect();
    contributes["configuration"]["properties"]["chiaro.targets"]["items"]["enum"] = json!(targets);
    contributes["debuggers"][0]["configurationAttributes"]["launch"]["properties"]["target"]["enum"] =
        json!(TARGETS.names());
    held("package.json", &manifest);
}

/// What an assembler says of a text that has a directive and nothing else.
fn said(target: &dyn chiaro::Target, dialect: &'static str, text: &str) -> Vec<String> {
    let mut sources = chiaro_diag::SourceMap::new();
    sources.add("text", text);
    let options = chiaro::AssembleOptions { dialect: Some(dialect), ..Default::default() };
    let errors = target.assemble(&mut sources, &options, &mut chiaro::no_files).err().unwrap_or_default();
    errors.into_iter().map(|error| error.message).collect()
}

#[test]
fn directives_are_those_of_the_assemblers() {
    let is_unknown = |message: &String| message.contains("no directive") || message.contains("no header");
    for target in TARGETS.iter() {
        for dialect in target.about().dialects {
            for usage in dialect.lexis.directives {
                // What ends a block is known behind what begins it.
                let begin = usage.strip_prefix(".end_").map_or(String::new(), |name| format!(".{name} x\n"));
                let found = said(target, dialect.name, &format!("{begin}{usage}\n"));
                let unknown = found.iter().find(|message| is_unknown(message));
                assert_eq!(unknown, None, "{} {}: {usage}", target.about().name, dialect.name);
            }
            let mark = if dialect.lexis.directives[0].starts_with('@') { '@' } else { '.' };
            let found = said(target, dialect.name, &format!("{mark}nosuchthing x\n"));
            assert!(found.iter().any(is_unknown), "{} {}: {found:?}", target.about().name, dialect.name);
        }
    }
}

/// The blocks of a language in the page about editors.
fn blocks(language: &str) -> Vec<String> {
    let page = fs::read_to_string(folder().join("../../docs/editors.md")).expect("the page");
    let begin = format!("```{language}\n");
    page.split(&begin).skip(1).map(|rest| rest.split("```").next().unwrap_or_default().to_owned()).collect()
}

#[test]
fn instructions_for_editors_can_be_read_and_name_languages_that_there_are() {
    let known: Vec<String> = grammars(TARGETS).into_iter().map(|grammar| grammar.id).collect();
    let is_known = |name: &str| known.iter().any(|id| id == name);
    let helix = blocks("toml");
    assert_eq!(helix.len(), 1);
    let helix: toml::Table = helix[0].parse().expect("TOML");
    assert_eq!(helix["language-server"]["chiaro"]["command"].as_str(), Some("chiaro"));
    for language in helix["language"].as_array().expect("a list") {
        assert!(is_known(language["name"].as_str().expect("a name")), "{language}");
        let servers = language["language-servers"].as_array().expect("a list");
        assert!(servers.iter().all(|server| server.as_str() == Some("chiaro")), "{language}");
    }
    for launch in blocks("json") {
        let launch: Value = serde_json::from_str(&launch).expect("JSON");
        for name in ["program", "inputs"] {
            let file = launch[name].as_str().expect("a path");
            assert!(folder().join("../..").join(file).exists(), "{file}");
        }
        assert!(TARGETS.named(launch["target"].as_str().expect("a name")).is_some(), "{launch}");
    }
    // What stands in quotes behind `filetypes` in Neovim's configuration.
    let neovim = blocks("lua").concat();
    let types = neovim.split("filetypes = {").nth(1).and_then(|rest| rest.split('}').next()).expect("a list");
    let types: Vec<&str> = types.split('\'').skip(1).step_by(2).collect();
    assert!(types.len() > 5 && types.iter().all(|name| is_known(name)), "{types:?}");
}
