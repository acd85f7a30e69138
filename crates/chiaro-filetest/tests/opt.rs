//! The optimiser keeps the outputs of the corpora in the folder that `CHIARO_VECTORS` names.

use std::path::Path;

use chiaro_filetest::opt::check;

#[test]
fn optimised_shaders_give_the_same_outputs() {
    let Some(folder) = std::env::var_os("CHIARO_VECTORS") else {
        println!("skipped: CHIARO_VECTORS names no folder");
        return;
    };
    let report = check(Path::new(&folder)).unwrap();
    println!("{report}");
    assert!(report.passed(), "\n{report}");
}
