//! The words of WGSL, as naga has them.

/// Keywords of the language.
pub const KEYWORDS: &[&str] = {
    let (mut count, all) = (0, naga::keywords::wgsl::RESERVED);
    // Reserved words come behind the keywords, and begin with this one.
    while all[count].as_bytes()[0] != b'N' {
        count += 1;
    }
    all.split_at(count).0
};

/// Types and functions that the language declares.
#[must_use]
pub fn predeclared() -> &'static [&'static str] {
    naga::keywords::wgsl::BUILTIN_IDENTIFIERS
}

#[cfg(test)]
mod tests {
    #[test]
    fn keywords_are_not_what_is_reserved() {
        let keywords = super::KEYWORDS;
        assert!(keywords.contains(&"fn") && keywords.contains(&"while") && !keywords.contains(&"NULL"));
        assert!(super::predeclared().contains(&"vec4") && super::predeclared().contains(&"dot"));
    }
}
