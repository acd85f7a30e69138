//! The instruction set against its laws; picasso's encodings are golden vectors, which
//! `chiaro-filetest` checks.

use chiaro_isa::laws;
use chiaro_pica200::isa::PICA200;

#[test]
fn the_laws_hold() {
    assert_eq!(laws::of(&PICA200, 500), Vec::<String>::new());
}
