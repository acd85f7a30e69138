//! The laws, on toys that are modelled on the targets.

#[path = "toys/synthetic.rs"]
mod synthetic;

use chiaro_isa::{Isa, laws};

const NONE: Vec<String> = Vec::new();

#[test]
fn a_set_of_1500_operations() {
    let isa = Isa::new(&synthetic::SET, 0);
    assert_eq!(laws::of(&isa, 10), NONE);
    let program = synthetic::ordinary(&isa, 1_000);
    assert!(program.iter().all(|inst| isa.text(inst, &isa.cx()).is_some()));
}
