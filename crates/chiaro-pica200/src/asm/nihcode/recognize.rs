//! Telling nihcode from picasso's language: both are found in files `.vsh`.

/// Whether a text is nihcode and cannot be picasso's: it has no procedure, without which picasso
/// takes no instruction, but something that only nihcode knows.
pub fn is(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim);
    let has_procedure = lines.clone().any(|line| word_of(line).eq_ignore_ascii_case(".proc"));
    !has_procedure && lines.any(is_of_nihcode)
}

fn is_of_nihcode(line: &str) -> bool {
    let mut words = line.split_ascii_whitespace();
    match words.next().unwrap_or_default().to_ascii_lowercase().as_str() {
        ".include" | "endif" | "endloop" => true,
        ".alias" => words.nth(2) == Some("as"),
        first => first.starts_with("//"),
    }
}

fn word_of(line: &str) -> &str {
    line.split_ascii_whitespace().next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::is;

    #[test]
    fn what_only_nihcode_has_tells_it() {
        assert!(is("// scene\nmain:\n  mov o0, v0\n  end\n"));
        assert!(is("  .ALIAS p o0 as position\nmain:\nend"));
        assert!(is("main:\n  if b0\n  nop\n  endif\n  end\n"));
    }

    #[test]
    fn what_picasso_reads_is_picassos() {
        assert!(!is("; no // here\n.out p position\n.proc main\n  end\n.end\n"));
        assert!(!is(".alias as c0\nmov r0, v0\n"));
        assert!(!is("// a mistake\n.PROC main\nend\n.end\n"));
        assert!(!is(""));
    }
}
