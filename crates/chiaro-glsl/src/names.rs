//! The names of a source as an editor asks for them: where each is declared, as what, and where it
//! is used. Sources may be wrong or unfinished: what can be understood has its names.
//!
//! Names are those of one file. What comes out of a macro counts where its tokens are spelled, if
//! they are spelled there as the name is.

mod build;
mod name;
mod types;
mod walk;

use std::ops::Range;

use chiaro_diag::{FileId, SourceMap};

use crate::parse::parse;
use crate::preprocess::preprocess;
use crate::source::{Include, Options, Version};
use crate::symbol::Symbols;
use build::Builder;
pub use name::{Name, NameKind};

/// All names of a source.
#[derive(Clone, Debug)]
pub struct Names {
    /// In the order of their declarations.
    pub list: Vec<Name>,
    /// Places with the number of the name, declarations included, in the order of the text.
    pub uses: Vec<(Range<usize>, usize)>,
    /// The version that the source is of.
    pub version: Version,
    /// Extensions that are on somewhere.
    pub extensions: Vec<String>,
}

/// The names of a file of the map.
pub fn names(file: FileId, sources: &mut SourceMap, options: &Options, include: &mut Include<'_>) -> Names {
    let (mut symbols, mut found) = (Symbols::default(), Vec::new());
    let pre = preprocess(file, sources, options, include, &mut symbols, &mut found);
    let ast = parse(&pre, &symbols, &mut found);
    let mut builder = Builder::new(file, sources, &pre.tokens, &symbols);
    builder.macros();
    walk::source(&ast, &mut builder);
    let (list, uses) = builder.finish();
    let extensions = pre.extensions.used().map(|row| row.name.to_owned()).collect();
    Names { list, uses, version: pre.version, extensions }
}

impl Names {
    /// The name at a byte of the text, and its place there.
    #[must_use]
    pub fn at(&self, byte: usize) -> Option<(Range<usize>, usize)> {
        let behind = self.uses.partition_point(|(place, _)| place.start <= byte);
        let (place, name) = self.uses.get(behind.checked_sub(1)?)?;
        (byte <= place.end).then(|| (place.clone(), *name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Stage;

    fn of(text: &str) -> Names {
        let mut sources = SourceMap::new();
        let file = sources.add("a.frag", text);
        names(file, &mut sources, &Options::new(Stage::Fragment), &mut |_, _, _| None)
    }

    /// The text with the number of the name behind each place.
    fn shown(text: &str) -> String {
        let names = of(text);
        let (mut out, mut at) = (String::new(), 0);
        for (place, name) in &names.uses {
            out.push_str(&text[at..place.end]);
            out.push_str(&format!("#{name}"));
            at = place.end;
        }
        out + &text[at..]
    }

    #[test]
    fn inner_names_hide_outer_ones() {
        let text = "#version 300 es\nprecision highp float;\nuniform float x; out float o;\n\
                    float f(float x) { { float x = x; o = x; } return x; }\n\
                    void main() { for (int x = 0; x < 2; x++) o += f(float(x)); o *= x; }\n";
        let wanted = "#version 300 es\nprecision highp float;\nuniform float x#0; out float o#1;\n\
                      float f#2(float x#3) { { float x#4 = x#3; o#1 = x#4; } return x#3; }\n\
                      void main#5() { for (int x#6 = 0; x#6 < 2; x#6++) o#1 += f#2(float(x#6)); o#1 *= x#0; }\n";
        assert_eq!(shown(text), wanted);
    }

    #[test]
    fn members_belong_to_their_structures() {
        let text = "#version 450\nstruct S { vec4 a; }; struct T { S a[2]; };\n\
                    layout(std140) uniform B { T t; } b; uniform C { S s; };\n\
                    S g() { return s; } out vec4 o;\nvoid main() { o = b.t.a[1].a + g().a + S(o).a + s.a.xyzw; }\n";
        let shown = shown(text);
        assert!(shown.contains("struct S#0 { vec4 a#1; }; struct T#2 { S#0 a#3[2]; }"), "{shown}");
        let last = "o#12 = b#4.t#6.a#3[1].a#1 + g#10().a#1 + S#0(o#12).a#1 + s#8.a#1.xyzw";
        let digits = |text: &str| text.replace(|c: char| c.is_ascii_digit(), "");
        assert!(digits(&shown).contains(&digits(last)), "{shown}");
        let of_members = shown.matches(".a#1").count();
        assert_eq!(of_members, 4, "{shown}");
    }

    #[test]
    fn overloads_and_prototypes_are_one_name() {
        let names =
            of("float f(int a);\nfloat f(float a) { return a; }\nfloat f(int a) { return f(1.0); }\n");
        let f = &names.list[0];
        assert_eq!((f.text.as_str(), f.declared.len(), f.written.len()), ("f", 3, 3));
        assert_eq!(names.uses.iter().filter(|(_, name)| *name == 0).count(), 4);
        assert_eq!(f.written[1], "float f(float a)");
    }

    #[test]
    fn declarations_are_written_without_their_values() {
        let names = of("uniform vec4 tint;\nconst float list[2] = float[2](1.0, 2.0);\n\
                        struct Light { vec3 at; } light;\nvoid main() { int n = 3; }\n");
        let written = |name: &str| {
            let known = names.list.iter().find(|known| known.text == name).expect(name);
            known.written.join("; ")
        };
        let all = ["tint", "list", "light", "at", "n"].map(written);
        assert_eq!(all, ["uniform vec4 tint", "const float list[2]", "struct light", "vec3 at", "int n"]);
    }

    #[test]
    fn macros_are_names_and_what_they_are_made_of_counts_where_it_is_spelled() {
        let text = "#define TWICE(a) (a * k)\nuniform float k;\nvoid main() { float m = k; gl_FragColor = vec4(TWICE(m)); }\n";
        let names = of(text);
        let count = |name: &str| {
            let n = names.list.iter().position(|known| known.text == name).expect(name);
            names
                .uses
                .iter()
                .filter(|(_, used)| *used == n)
                .map(|(place, _)| &text[place.clone()])
                .collect::<Vec<_>>()
        };
        assert_eq!(count("TWICE"), ["TWICE", "TWICE"]);
        assert_eq!(count("k"), ["k", "k", "k"]);
        assert_eq!(count("m"), ["m", "m"]);
    }

    #[test]
    fn what_is_unfinished_has_names_as_far_as_it_goes() {
        let names = of("uniform vec4 tint;\nvoid main() { vec4 c = tint +\n");
        assert!(names.uses.iter().filter(|(_, name)| *name == 0).count() >= 1);
        assert_eq!(names.at(15).map(|(place, _)| place), Some(13..17));
        assert_eq!(names.at(12), None);
        of("}}}{{{");
        of("struct { int a; } b; void main() { b.a.c.d(); }");
    }
}
