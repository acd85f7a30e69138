//! The engine's laws, for every generation.

use chiaro_a3xx::isa;
use chiaro_isa::laws;

#[test]
fn laws_hold() {
    for generation in 0..4 {
        let failures = laws::of(isa::isa(generation), 40);
        assert!(failures.is_empty(), "generation {generation}:\n{}", failures.join("\n"));
    }
}
