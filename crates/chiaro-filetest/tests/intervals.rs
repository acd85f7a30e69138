//! Stored outputs of floats lie within the intervals that the interpreter computes.
//!
//! The rows are those of the folder that `CHIARO_VECTORS` names; without one nothing is run.

use std::path::Path;

use chiaro_diag::SourceMap;
use chiaro_filetest::compute::{jobs, module, within};
use chiaro_ir::interp::compare::Tolerance;

#[test]
fn stored_floats_lie_within_the_intervals() {
    let Some(folder) = std::env::var_os("CHIARO_VECTORS") else {
        println!("skipped: CHIARO_VECTORS names no folder");
        return;
    };
    let folder = Path::new(&folder).join("rdna");
    let text = std::fs::read_to_string(folder.join("lavapipe_outputs.jsonl")).unwrap();
    let (mut outside, mut equal, mut inconclusive) = (Vec::new(), 0, 0);
    for (_, job) in jobs(&text).unwrap() {
        // Rows of integers are exact; the others are about floats.
        if !matches!(job.tolerance, Tolerance::Relative(_)) {
            continue;
        }
        let words = module(&folder.join("shaders"), &job.shader).unwrap();
        let read = chiaro_spirv::read(&words, &chiaro_spirv::Options::default(), &mut SourceMap::new());
        let found = within(&read.unwrap().module, &job).unwrap();
        println!("{}: {found}", job.shader);
        equal += found.equal;
        inconclusive += found.inconclusive;
        if !found.differences.is_empty() {
            outside.push(format!("{}: {found}", job.shader));
        }
    }
    println!("{equal} words within, {inconclusive} inconclusive");
    assert!(outside.is_empty(), "{}", outside.join("\n"));
    assert!(equal > 0 && inconclusive * 5 <= equal + inconclusive);
}
