//! The rules, one row each.

pub use chiaro_isa::finding::Rule;
use chiaro_isa::finding::Severity;

macro_rules! rules {
    ($($constant:ident $id:literal $source:literal $text:literal;)*) => {
        $(pub(super) static $constant: Rule = Rule {
            id: $id, severity: Severity::Error, text: $text, advice: "", source: $source,
        };)*
        /// Every rule.
        pub static ALL: &[&Rule] = &[$(&$constant),*];
    };
}

rules! {
    TOO_LONG "too-long" "ARM" "A program has at most 512 instructions.";
    TOO_FAR "uniform-range" "Mesa" "Uniform memory has 304 vec4.";
    UNKNOWN "unknown-encoding" "unknown" "Operations, selectors and offsets whose meaning nobody knows are not to be used.";
    BEFORE_START "bypass-before-start" "Mesa" "An operand reads a result of one or two instructions before, so there must be such an instruction.";
    ACROSS_BLOCKS "bypass-across-blocks" "unknown" "Results are read within their block: whether they survive a branch is not known.";
    IDLE_UNIT "idle-unit" "Mesa" "A unit whose result is read must have computed one.";
    WIDE_RESULT "wide-result" "Mesa" "Operations that take both multipliers have their result on multiplier 0.";
    COMPLEX1_DISTANCE "complex1-distance" "Mesa" "The result of complex1 is read exactly two instructions later.";
    RAW_VALUE "raw-value" "Mesa" "First approximations, complex2's and preexp2's results are no ordinary floats: only the next steps of their function read them.";
    PATTERN "function-pattern" "Mesa" "complex1 takes the complex unit's result, complex2's result, the first again, and the argument, all of one function.";
    ARGUMENT "function-argument" "Mesa" "All steps of a function take the same argument.";
    ADDRESS_RESULT "address-result" "unknown" "Whether writing an address register has a readable result is not known.";
    SELECT_FIELDS "select-fields" "Mesa" "select leaves operand D unused and negates nothing.";
    STORE_SOURCE "store-source" "Mesa" "A store takes the result of a busy unit of its own instruction, and not complex1's.";
    TEMPORARY "temporary-store" "Mesa" "A temporary store comes with complex.addr0 and the number 12, and not with a branch.";
    BRANCH_FORM "branch-form" "Mesa" "A branch takes its condition from pass.mov and comes with the number 13.";
    TARGET "branch-target" "Mesa" "A branch leads to an instruction of the program.";
    REGISTER_LATENCY "register-latency" "Mesa" "A register is read three or more instructions after it is stored.";
    TEMPORARY_LATENCY "temporary-latency" "ISA notes" "A temporary is read four or more instructions after it is stored.";
    OUTPUT_REPEATED "output-repeated" "unknown" "Each component of an output is stored at most once on every path: which of two stores counts is not known.";
    REGISTER_UNDEFINED "register-undefined" "Mesa" "A register that is read has been stored on some path before.";
    ADDRESS_LATENCY "address-latency" "ISA notes" "An address register is used four or more instructions after it is set.";
    ADDRESS_UNDEFINED "address-undefined" "ISA notes" "An address register that is used has been set on some path before.";
}
