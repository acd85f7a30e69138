//! One source with the command that reads it.

/// What is tried.
pub(crate) struct Case {
    /// Its name among those of its kind.
    pub(crate) name: String,
    /// Names and texts.
    pub(crate) files: Vec<(String, String)>,
    /// Of the command.
    pub(crate) arguments: String,
    /// Whether exit code 1 is expected.
    pub(crate) is_refused: bool,
    /// What the message has to say, if it is refused.
    pub(crate) told: &'static [&'static str],
}

impl Case {
    fn new(name: &str, file: &str, text: String, arguments: &str) -> Case {
        let files = vec![(file.to_owned(), text)];
        let arguments = format!("compile {file} {arguments}");
        Case { name: name.replace([' ', '/'], "-"), files, arguments, is_refused: false, told: &[] }
    }

    /// A vertex shader of OpenGL ES 3.00 for a target.
    pub(crate) fn vertex(name: &str, target: &str, text: String) -> Case {
        let text = format!("#version 300 es\nin vec4 a;\nuniform vec4 u;\n{text}");
        Case::new(name, "a.vert", text, &format!("--target {target}"))
    }

    /// A vertex shader of desktop GLSL that becomes IR.
    pub(crate) fn glsl(name: &str, text: String) -> Case {
        Case::new(name, "a.vert", text, "--emit ir")
    }

    /// WGSL that becomes IR.
    pub(crate) fn wgsl(name: &str, text: String) -> Case {
        Case::new(name, "a.wgsl", text, "--emit ir")
    }

    /// A source with a line of arguments of its own.
    pub(crate) fn line(name: &str, file: &str, text: &str, arguments: &str) -> Case {
        Case { arguments: arguments.to_owned(), ..Case::new(name, file, text.to_owned(), "") }
    }

    /// Another file beside it.
    pub(crate) fn with(mut self, file: &str, text: String) -> Case {
        self.files.push((file.to_owned(), text));
        self
    }

    /// More arguments.
    pub(crate) fn and(mut self, arguments: &str) -> Case {
        self.arguments = format!("{} {arguments}", self.arguments);
        self
    }

    /// It has to be refused with these words.
    pub(crate) fn refused(self, told: &'static [&'static str]) -> Case {
        Case { is_refused: true, told, ..self }
    }
}

/// A text for each number.
pub(crate) fn each(count: usize, text: impl Fn(usize) -> String) -> String {
    (0..count).map(text).collect()
}
