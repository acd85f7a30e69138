//! What pages and pictures have in common: text that is no markup, and colours.

use chiaro::Cause;

/// The colour of a cause.
pub fn colour(cause: Cause) -> &'static str {
    match cause {
        Cause::Arithmetic => "#3b6fb6",
        Cause::Move => "#8a94a6",
        Cause::Constant => "#b0a18a",
        Cause::Wait => "#c9ccd1",
        Cause::Spill => "#c0392b",
        Cause::Address => "#7a5fb0",
        Cause::Texture => "#2a9d6f",
        Cause::Memory => "#d98324",
        Cause::Control => "#333b4d",
    }
}

/// Text that is no markup.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // Neither browsers nor readers of SVG take these.
            c if c.is_control() && !matches!(c, '\n' | '\t') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}
