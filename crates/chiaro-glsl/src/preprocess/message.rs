//! Texts in quotes, as messages of GL_EXT_debug_printf and GL_EXT_abort have them.

/// What a text stands for: escapes as C has them, by letter, octal and hexadecimal.
pub(super) fn unescaped(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        rest = tail;
        match (first, tail) {
            (b'\\', [escape, behind @ ..]) => {
                let (byte, used) = escaped(*escape, behind);
                bytes.extend(byte);
                rest = &behind[used..];
            }
            _ => bytes.push(*first),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The byte of an escape, given its letter and what follows, and how much of that belongs to it.
fn escaped(letter: u8, behind: &[u8]) -> (Option<u8>, usize) {
    let digits = |digits: &[u8], base: u32| {
        let value = digits.iter().filter_map(|&d| char::from(d).to_digit(base));
        value.fold(0u32, |all, digit| all.wrapping_mul(base).wrapping_add(digit)) as u8
    };
    match letter {
        b'x' => {
            let used = behind.iter().take_while(|b| b.is_ascii_hexdigit()).count();
            (Some(digits(&behind[..used], 16)), used)
        }
        b'0'..=b'7' => {
            let used = behind.iter().take(2).take_while(|b| (b'0'..=b'7').contains(b)).count();
            let all: Vec<u8> = std::iter::once(letter).chain(behind[..used].iter().copied()).collect();
            (Some(digits(&all, 8)), used)
        }
        b'n' => (Some(b'\n'), 0),
        b't' => (Some(b'\t'), 0),
        b'r' => (Some(b'\r'), 0),
        b'a' => (Some(7), 0),
        b'b' => (Some(8), 0),
        b'v' => (Some(11), 0),
        b'f' => (Some(12), 0),
        other => (Some(other), 0),
    }
}

#[cfg(test)]
mod tests {
    use super::unescaped;

    #[test]
    fn escapes_are_those_of_c() {
        assert_eq!(unescaped(r"a\\b\?\x5c\"), "a\\b?\\\\");
        assert_eq!(unescaped(r"\102\043\44\7\1021"), "B#$\u{7}B1");
        assert_eq!(unescaped(r"\x41\n%d"), "A\n%d");
    }
}
