//! What register files ask of allocation: flags that are parked, scalars that leave for lanes and then for
//! memory, limits of a function, occupancy, and constants that are made again.

use chiaro_mach::toy::{self, MACHINES, Shape, generate};
use chiaro_mach::{AllocateError, Code, RegFile, Totals, allocate, check_allocation, lower_copies, verify};

/// The machine with 256 lane units.
const WIDE: &[RegFile] = &MACHINES[2];

fn allocated(text: &str, files: &[RegFile]) -> Result<(Code, Totals), AllocateError> {
    let mut code = toy::read(text, files).unwrap_or_else(|error| panic!("{error}\n{text}"));
    verify(&code, files).unwrap_or_else(|found| panic!("{}", found[0]));
    let totals = allocate(&mut code, files)?;
    let check = |code: &Code| {
        let checked = verify(code, files).and_then(|()| check_allocation(code, files));
        checked.unwrap_or_else(|found| panic!("{}\n{}", found[0], toy::text(code, files)));
    };
    check(&code);
    lower_copies(&mut code, files).unwrap();
    check(&code);
    Ok((code, totals))
}

/// So many scalars that are all read in the end.
fn scalars(count: usize, between: &str) -> String {
    let numbers = || 1..=count;
    let defs: String = numbers().map(|v| format!("    v{v}:s.2 = mix_wave v0, {v}\n")).collect();
    let uses: String = numbers().map(|v| format!("    store v{v} reads exec writes global\n")).collect();
    format!("function f\nb0:\n    v0:s !s0 = start\n{defs}{between}{uses}    return writes control\n")
}

#[test]
fn a_scalar_lives_across_a_call_that_destroys_everything() {
    let call = "    call fn1 reads exec writes global kills s0..64 v0..256\n";
    let (code, totals) = allocated(&scalars(3, call), WIDE).unwrap();
    assert_eq!(totals.spills, 3);
    // Lanes would be destroyed as well; memory is not.
    let text = toy::text(&code, WIDE);
    assert!(text.contains("v1@w0..2 = spill v1@s") && !text.contains("@l"), "{text}");
}

#[test]
fn a_flag_file_of_one_unit_serves_two_live_values() {
    let text = "function flags
b0: to b1 b2
    v0:s !s0 = start
    v1:f = compare v0
    v2:f = compare v0, 5
    v3:s = mix_wave v0, v2
    v4:s = mix_wave v3, v1
    branch v4, b1, b2 writes control
b1: from b0, to b3
    jump b3 writes control
b2: from b0, to b3
    v5:f = number 7 remat
    v6:f = compare v4
    v7:s = mix_wave v6, v4
    v8:s = mix_wave v5, v7
    jump b3 writes control
b3: from b1 b2
    v9:f = phi v1, v2
    v10:f = phi v2, v1
    v11:s = mix_wave v9, v4
    v12:s = mix_wave v10, v11
    return v12 !s0 writes control
";
    let (code, totals) = allocated(text, WIDE).unwrap();
    let text = toy::text(&code, WIDE);
    assert_eq!(totals.parked, 5, "{text}");
    // The constant is made again, the compared ones come back from the wave file.
    assert_eq!(text.matches("= number 7").count(), 2, "{text}");
    assert!(text.matches("= reload").count() >= 3, "{text}");
}

#[test]
fn a_few_spilled_scalars_cost_no_occupancy() {
    // One more pair than there is room for beside the scratch unit and the reserved one.
    let (code, totals) = allocated(&scalars(32, ""), WIDE).unwrap();
    assert!(totals.spills > 0 && totals.spills < 6, "{totals:?}");
    let text = toy::text(&code, WIDE);
    assert!(text.contains("@l0..2"), "borrowed from the first lane unit on: {text}");
    assert!(totals.used[usize::from(toy::LANE.0)] <= 3 && totals.waves == Some(8), "{totals:?}");
}

#[test]
fn lanes_are_borrowed_behind_what_the_lanes_need() {
    let between =
        "    v90:v.4 = mix v0, 1\n    v91:v.4 = mix v0, 2\n    store v90, v91 reads exec writes global\n";
    let (code, _) = allocated(&scalars(32, between), WIDE).unwrap();
    let text = toy::text(&code, WIDE);
    assert!(text.contains("@l32..34") && !text.contains("@l0.."), "eight units are in front of them: {text}");
}

#[test]
fn a_function_may_have_less_than_the_file() {
    let text = scalars(4, "").replace("function f\n", "function f\nroom s9 but 2..4\n");
    let (code, totals) = allocated(&text, WIDE).unwrap();
    let text = toy::text(&code, WIDE);
    assert!(totals.spills > 0 && totals.used[0] <= 9, "{text}");
    let pair =
        |o: &chiaro_mach::Operand| o.file == toy::WAVE && o.reg.is_some_and(|r| r < 4 && r + o.size > 2);
    let insts = code.blocks().flat_map(|b| code.insts(b)).flat_map(|&inst| code.operands(inst));
    assert_eq!(insts.filter(|o| pair(o)).count(), 0, "{text}");
}

/// The unit that turns cycles of copies is none that an operand asks for by number, be it the last one.
#[test]
fn the_last_unit_may_be_asked_for() {
    let call = "    call fn1, v0 !s62, v1 !s60 reads exec writes global kills s0..8\n";
    let text = scalars(4, call).replace("v0:s !s0 = start", "v0:s !s63 = start");
    let (code, _) = allocated(&text, WIDE).unwrap();
    let text = toy::text(&code, WIDE);
    assert!(text.contains("v0:s@s63 !s63 = start"), "{text}");
}

#[test]
fn constants_are_made_again_and_not_stored() {
    let text = scalars(40, "").replace("    v1:s.2 = mix_wave v0, 1\n", "    v1:s.2 = number 1 remat\n");
    let (code, totals) = allocated(&text, WIDE).unwrap();
    let text = toy::text(&code, WIDE);
    assert_eq!(totals.remats, 1, "{totals:?}");
    assert!(text.matches("= number 1 remat").count() == 2 && !text.contains("spill v1@"), "{text}");
}

/// However little room there is to spill to: code finds its places, or it is said that they are too few.
#[test]
fn little_room_is_enough_or_told() {
    let (mut fits, mut told) = (0, 0);
    for room in (0..24).step_by(3) {
        let files: Vec<RegFile> =
            MACHINES[0].iter().map(|f| RegFile { count: f.count.min(20 + room), ..f.clone() }).collect();
        for seed in 0..40 {
            let shape = Shape { insts: 60, depth: 3, alive: 24 };
            let text = toy::text(&generate(seed, shape), &files);
            match allocated(&text, &files) {
                Ok(_) => fits += 1,
                Err(AllocateError::SpillSpace { .. }) => told += 1,
                Err(error) => panic!("{room}, {seed}: {error}"),
            }
        }
    }
    assert!(fits > 20 && told > 20, "{fits} fit, {told} do not");
}

#[test]
fn what_fits_nowhere_says_how_much_is_needed() {
    let files: Vec<RegFile> =
        MACHINES[0].iter().map(|f| RegFile { count: f.count.min(20), ..f.clone() }).collect();
    let error = allocated(&scalars(60, ""), &files).map(|_| ()).unwrap_err().to_string();
    assert!(error.starts_with("spilling register file 0 takes ") && error.ends_with(" exist"), "{error}");
}

/// What no search could place is refused before one begins: more than twice what is behind the registers. Up to that it
/// is tried, since constants may be made again and then need no place.
#[test]
fn what_can_never_fit_is_refused_at_once() {
    let files: Vec<RegFile> =
        MACHINES[0].iter().map(|f| RegFile { count: f.count.min(20), ..f.clone() }).collect();
    let constants = |pairs: u32, single: &str| {
        let all = || 1..=pairs;
        let defs: String = all().map(|v| format!("    v{v}:s.2 = number {v} remat\n")).collect();
        let uses: String = all().map(|v| format!("    store v{v} reads exec writes global\n")).collect();
        format!("function f\nb0:\n{defs}{single}{uses}    return writes control\n")
    };
    // 18 units of 20 are for values, one of them is reserved and one turns cycles; twice 20 are behind them.
    let (_, totals) = allocated(&constants(49, ""), &files).unwrap();
    assert!(totals.remats > 0, "{totals:?}");
    let one_more = constants(49, "    v50:s = number 50 remat\n    store v50 reads exec writes global\n");
    let refused = allocated(&one_more, &files).map(|_| ()).unwrap_err();
    assert_eq!(refused, AllocateError::SpillSpace { file: toy::WAVE, needed: 81, allowed: 40 });
}
