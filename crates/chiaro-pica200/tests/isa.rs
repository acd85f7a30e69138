//! The instruction set against its laws; picasso's encodings are golden vectors, which
//! `chiaro-filetest` checks.

use chiaro_isa::laws;
use chiaro_pica200::isa::PICA200;

/// A destination without components: a word of the machine, which one dialect cannot write.
#[test]
fn destinations_without_components_are_not_of_picasso() {
    use chiaro_isa::Cx;
    use chiaro_isa::Kind;
    use chiaro_pica200::operand::{Dst, PICASSO, PLAIN};
    let read = |raw: u64, dialect: u8| Dst.decode(raw, &Cx { dialect, ..Cx::default() }).is_some();
    assert!(read(0x30, PLAIN) && !read(0x30, PICASSO));
    assert!(read(0x3f, PLAIN) && read(0x3f, PICASSO) && read(0x01, PICASSO));
}

#[test]
fn the_laws_hold() {
    assert_eq!(laws::of(&PICA200, 500), Vec::<String>::new());
}
