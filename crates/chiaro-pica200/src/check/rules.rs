//! Every rule that `chiaro check` knows, in one declaration: the checks name a row, the
//! documentation prints the table.

pub use chiaro_isa::finding::{Rule, Severity};

macro_rules! rules {
    ($($name:ident $id:literal $severity:ident [$source:literal] $text:literal $advice:literal;)*) => {
        $(
            #[doc = $text]
            pub static $name: Rule = Rule {
                id: $id, severity: Severity::$severity, text: $text, advice: $advice, source: $source,
            };
        )*

        /// All rules: outputs, instructions, control flow, limits, tables.
        pub static RULES: &[&Rule] = &[$(&$name),*];
    };
}

rules! {
    OUTPUT_UNWRITTEN "output-unwritten" Error ["3dbrew"]
        "Every component that the output map enables is written before END."
        "write the component once on every path, or take it out of the output table";
    OUTPUT_MAYBE_UNWRITTEN "output-maybe-unwritten" Warning ["3dbrew"]
        "An enabled output component is written on every path, not only on some."
        "write the component on the other paths too";
    EMIT_UNWRITTEN "emit-unwritten" Warning ["azahar, measured on a console"]
        "A geometry program writes every enabled component before each EMIT; one that it does not write shows the value from two EMITs ago."
        "write the component for each vertex, or take it out of the output table";
    GENERIC_UNWRITTEN "generic-unwritten" Warning ["3dbrew"]
        "Every component of an output that is passed on unnamed (dummy) is written."
        "write all components, or give the output a mask";
    OUTPUT_REWRITTEN "output-rewritten" Error ["3dbrew"]
        "A vertex program writes an enabled output component once only; the second write hangs the GPU."
        "compute in a temporary register and copy it to the output once";
    EMIT_REWRITTEN "emit-rewritten" Warning ["3dbrew; programs that shipped do it"]
        "A geometry program writes an enabled output component once between two EMITs."
        "compute in a temporary register and copy it to the output once";
    OUTPUT_MAYBE_REWRITTEN "output-maybe-rewritten" Warning ["3dbrew"]
        "No path writes an enabled output component twice."
        "compute in a temporary register and copy it to the output once, behind the branch or loop";
    OUTPUT_UNMAPPED "output-unmapped" Warning ["libctru"]
        "A program writes only outputs that its output table enables; other values go nowhere."
        "declare the output, or write to a temporary register";
    NO_OUTPUTS "no-outputs" Warning ["libctru"]
        "An executable has an output table; without one no output is enabled."
        "declare the outputs";

    UNKNOWN_OPCODE "unknown-opcode" Error ["3dbrew"]
        "A word that is executed has a known opcode."
        "check the entry point and the jump that leads here";
    RESERVED_BITS "reserved-bits" Warning ["3dbrew"]
        "Bits that no format gives a meaning are 0."
        "clear the bits; what they do is unknown";
    NUM_RANGE "num-range" Error ["3dbrew, nihstro"]
        "An else part or a procedure has at most 255 words; the field has 8 bits."
        "split the part into procedures or shorten it";
    TWO_INPUTS "two-inputs" Error ["picasso manual"]
        "An instruction, CMP included, reads at most one distinct input register."
        "copy one of the inputs to a temporary register first";
    DESCRIPTOR_MISSING "descriptor-missing" Error ["3dbrew"]
        "The descriptor that an instruction names is in the table."
        "add the descriptor, or correct the index";
    DESCRIPTOR_BITS "descriptor-bits" Note ["3dbrew"]
        "Bit 31 and the second word of a descriptor are 0; their meaning is unknown."
        "keep them as they are if the file is a foreign one";
    CMP_OPERATOR "cmp-operator" Warning ["3dbrew"]
        "CMP uses operators 0 to 5; 6 and 7 seem to be always true."
        "use a documented operator";
    NO_EFFECT "no-effect" Warning ["3dbrew"]
        "An instruction that computes enables at least one component."
        "set the write mask of the descriptor; nihstro writes MOVA like this";
    MOVA_PAIR "mova-pair" Error ["3dbrew, picasso manual"]
        "Two MOVA never run one after the other; that hangs the GPU."
        "put another instruction or a NOP between them, or load a0.xy with one MOVA";
    READ_UNWRITTEN "read-unwritten" Warning ["azahar"]
        "A register is written before it is read; its value at the start is unknown."
        "initialise the register";
    SETEMIT_SLOT "setemit-slot" Warning ["3dbrew, azahar"]
        "SETEMIT names vertex slot 0, 1 or 2; what slot 3 does is unknown."
        "use a slot from 0 to 2";
    EMIT_IN_VERTEX "emit-in-vertex" Error ["3dbrew"]
        "EMIT and SETEMIT occur in geometry programs only."
        "make the executable a geometry program, or remove the instruction";

    NO_END "no-end" Error ["picasso"]
        "Every program reaches END."
        "put an END where the program is done";
    PAST_END "past-end" Error ["picasso"]
        "Execution does not run past the end of the entry procedure or of the code."
        "put an END at the end of the entry procedure";
    TARGET_OUTSIDE "target-outside" Error ["3dbrew"]
        "Jumps, calls and blocks stay within the code."
        "correct the target";
    RECURSION "recursion" Error ["3dbrew"]
        "A procedure does not call itself, not even through others; the hardware keeps 4 return addresses."
        "turn the recursion into a loop";
    CALL_DEPTH "call-depth" Error ["3dbrew"]
        "At most 4 calls are open at a time; a fifth makes the first forget to return."
        "inline a procedure";
    IF_DEPTH "if-depth" Error ["3dbrew"]
        "At most 8 IFs are open at a time, those of callers included."
        "join conditions or compute them as 0 and 1";
    LOOP_DEPTH "loop-depth" Error ["3dbrew"]
        "At most 4 LOOPs are open at a time, those of callers included."
        "join loops";
    EMPTY_BLOCK "empty-block" Error ["picasso"]
        "A then part, loop body or procedure has at least one word."
        "put a NOP into the block";
    BACKWARD_BLOCK "backward-block" Error ["3dbrew"]
        "A block ends behind the instruction that opens it."
        "correct the target";
    BLOCKS_END_TOGETHER "blocks-end-together" Error ["3dbrew, picasso"]
        "A block does not end exactly where the block around it ends; the outer one would miss its end."
        "put a NOP between the two ends";
    BLOCKS_CROSS "blocks-cross" Error ["3dbrew"]
        "A block lies within the block or procedure around it."
        "correct the targets so that blocks nest";
    JUMP_AT_BLOCK_END "jump-at-block-end" Error ["3dbrew, picasso"]
        "A jump is not the last word of a block or procedure; there it is never taken."
        "put a NOP behind the jump";
    CALL_AT_BLOCK_END "call-at-block-end" Error ["3dbrew, picasso"]
        "A call is not the last word of an IF or LOOP; the end of the block would win."
        "put a NOP behind the call";
    BREAK_AT_LOOP_END "break-at-loop-end" Warning ["picasso"]
        "A LOOP does not end right after BREAK or BREAKC."
        "put a NOP behind the break";
    BREAK_OUTSIDE "break-outside" Error ["3dbrew"]
        "BREAK and BREAKC run inside a LOOP of the same procedure; without one the GPU hangs."
        "remove the break or put a loop around it";
    BREAK_IN_IF "break-in-if" Warning ["3dbrew"]
        "A loop is not left from within an IF; the IF would stay open."
        "set a flag in the IF and test it with BREAKC behind it";
    JUMP_OUT "jump-out" Warning ["3dbrew"]
        "A jump does not leave a block or procedure; that would stay open and end at its address later."
        "let the block end first, or use BREAKC";
    JUMP_INTO "jump-into" Warning ["3dbrew"]
        "A jump does not enter a block from outside; the block's end would not be seen."
        "jump to the instruction that opens the block";
    UNREACHABLE "unreachable" Note ["3dbrew"]
        "Every word can be reached from an entry point."
        "remove the words if nothing else uses them; they take program memory";
    UNREACHABLE_END "unreachable-end" Warning ["picasso"]
        "An END can be reached."
        "check the block, loop or jump before it";
    TOO_COMPLEX "too-complex" Note ["chiaro"]
        "Control flow is regular enough to be followed completely."
        "other findings of this executable may be missing; make blocks nest";

    CODE_SIZE "code-size" Error ["picasso, libctru, azahar"]
        "A vertex program has at most 512 words, a geometry program at most 4096."
        "shorten the program, or move common code into procedures";
    DESCRIPTOR_COUNT "descriptor-count" Error ["3dbrew"]
        "The descriptor table has at most 128 entries."
        "share descriptors: use the same masks and swizzles";
    ENTRY_OUTSIDE "entry-outside" Error ["libctru"]
        "The entry point is a word of the code."
        "correct the entry point; nihstro writes a wrong one unless the entry label comes first";
    END_OUTSIDE "end-outside" Warning ["libctru"]
        "The end of the entry procedure lies behind the entry point and within the code."
        "correct the end";
    NO_EXECUTABLE "no-executable" Warning ["libctru"]
        "A file has an executable."
        "assemble at least one file without .nodvle";
    STAGE "stage" Warning ["3dbrew"]
        "An executable is a vertex (0) or geometry (1) program."
        "correct the type byte";
    GEOMETRY_MODE "geometry-mode" Warning ["3dbrew, libctru"]
        "The geometry bytes hold a mode from 0 to 2 and registers that exist, in geometry programs only."
        "correct the bytes at 0x14 to 0x17 of the DVLE";
    UNALIGNED "unaligned" Warning ["libctru"]
        "Sections and tables start at multiples of four; libctru divides offsets by four."
        "write the file anew in picasso's layout";
    OUTPUT_REGISTER "output-register" Error ["3dbrew"]
        "An output entry names a register from o0 to o15, in geometry programs to o6."
        "use a lower register";
    OUTPUT_HIGH "output-high" Warning ["libctru"]
        "An output entry names a register up to o7; libctru's mask has eight bits and never enables the others."
        "use o0 to o7";
    OUTPUT_SLOT "output-slot" Warning ["libctru, 3dbrew"]
        "An output with a property lies in o0 to o6; the map has seven slots."
        "move the property to a lower register";
    OUTPUT_GAP "output-gap" Warning ["3dbrew, libctru"]
        "Outputs are used without gaps from o0 on; the hardware counts enabled outputs only, libctru does not."
        "use the lowest registers";
    OUTPUT_MASK "output-mask" Warning ["3dbrew"]
        "An output entry has a mask of the components x, y, z and w."
        "correct the mask";
    OUTPUT_KIND "output-kind" Warning ["3dbrew"]
        "An output entry has a known property (0 to 6, 8, 9)."
        "correct the property";
    OUTPUT_TWICE "output-twice" Warning ["libctru"]
        "An output component has one property, and a property one place."
        "remove one of the entries";
    OUTPUTS_USED "outputs-used" Note ["picasso"]
        "The mask of used outputs in the DVLE agrees with the output table."
        "correct the mask at 0x12 of the DVLE";

    UNIFORM_RANGE "uniform-range" Error ["3dbrew, libctru"]
        "A uniform entry covers registers of one bank, the first not above the last."
        "correct the register numbers of the entry";
    UNIFORM_CONSTANT "uniform-constant" Warning ["libctru"]
        "A named uniform and a constant do not share a register; binding the program overwrites it."
        "move the constant or the uniform";
    CONSTANT_REGISTER "constant-register" Error ["3dbrew"]
        "A constant names a register of its bank."
        "correct the register number";
    CONSTANT_TWICE "constant-twice" Warning ["libctru"]
        "A register has one constant; the last one wins."
        "remove one of the constants";
    CONSTANT_KIND "constant-kind" Warning ["3dbrew"]
        "A constant is a boolean (0), an integer vector (1) or a float vector (2)."
        "correct the type";
    CONSTANT_BITS "constant-bits" Note ["3dbrew"]
        "A constant has only the bits set that its type uses."
        "clear the other bits; what they do is unknown";
    LABEL_OUTSIDE "label-outside" Warning ["3dbrew"]
        "A label and its size lie within the code."
        "correct the label";
    NAME_BROKEN "name-broken" Error ["libctru"]
        "A name starts within the symbols and ends with a zero there."
        "correct the offset, or end the symbols with a zero byte";
    NAME_TWICE "name-twice" Warning ["libctru"]
        "Uniforms of an executable have different names; a loader finds the first only."
        "rename one of them";
}
