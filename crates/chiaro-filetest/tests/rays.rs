//! Ray queries: what lavapipe found in random scenes (`tests/rays/lavapipe.jsonl`) is what the interpreter finds, but on
//! edges.

use std::fs;
use std::path::Path;

use chiaro_filetest::rays::{Asked, Case, Found, Rule, Verdict, judge, rows};
use chiaro_trace::{Instance, flags, instance_flags};

/// All lines with a case.
fn lines() -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rays/lavapipe.jsonl");
    let text = fs::read_to_string(path).expect("the rows are there");
    text.lines().filter(|line| line.starts_with('{')).map(str::to_owned).collect()
}

fn cases() -> Vec<(Case, Vec<Found>)> {
    lines().iter().map(|line| rows::read(line).expect("a row")).collect()
}

#[test]
fn the_interpreter_finds_what_lavapipe_found() {
    let kernel = Case::kernel().expect("it compiles");
    let mut verdicts = Vec::new();
    for (case, found) in cases() {
        verdicts.extend(judge(&case, &kernel, &found).expect("it runs"));
    }
    let count = |wanted: &Verdict| verdicts.iter().filter(|verdict| *verdict == wanted).count();
    let different: Vec<&Verdict> = verdicts.iter().filter(|v| matches!(v, Verdict::Different(_))).collect();
    assert!(different.is_empty(), "{different:#?}");
    // Few lie on edges, although one ray in four aims at one.
    let [same, first, edge] = [Verdict::Same, Verdict::First, Verdict::Edge].map(|verdict| count(&verdict));
    assert!(same * 10 > verdicts.len() * 9 && first > 0 && edge > 0, "{same}, {first}, {edge}");
}

/// Whatever is altered in a row, the judge sees it.
#[test]
fn other_rows_are_refused() {
    let kernel = Case::kernel().expect("it compiles");
    let (mut case, mut found) = cases().swap_remove(0);
    let verdicts = judge(&case, &kernel, &found).expect("it runs");
    // Every few hits, to be quick: what differs is looked into.
    let wanted = |n: &usize| verdicts[*n] == Verdict::Same && found[*n].is_hit();
    let some: Vec<usize> = (0..found.len()).filter(wanted).step_by(11).collect();
    assert!(some.len() > 2, "{some:?}");
    case.rays = some.iter().map(|&n| case.rays[n]).collect();
    found = some.iter().map(|&n| found[n]).collect();
    for word in 0..Found::WORDS {
        let mut altered = found.clone();
        for row in &mut altered {
            // Numbers change by a hundredth of what they are, or by a hundredth.
            let number = f32::from_bits(row.0[word]);
            let is_whole = word < 10;
            row.0[word] =
                if is_whole { row.0[word] ^ 1 } else { (number + number.abs().max(1.0) * 1e-2).to_bits() };
        }
        let verdicts = judge(&case, &kernel, &altered).expect("it runs");
        let is_refused = |verdict: &Verdict| matches!(verdict, Verdict::Different(_));
        assert!(verdicts.iter().all(is_refused), "word {word}: {verdicts:?}");
    }
}

#[test]
fn what_is_read_is_written_the_same() {
    for line in lines() {
        let (case, found) = rows::read(&line).expect("a row");
        assert_eq!(rows::line(&case, &found), line);
    }
    for wrong in ["", "{}", "[]", "{\"meshes\":[[{\"boxes\":\"0\"}]],\"instances\":[],\"rays\":[]}"] {
        assert!(rows::read(wrong).is_none(), "{wrong}");
    }
}

/// The rows hold all that a ray or an instance can say.
#[test]
fn the_rows_have_everything() {
    let cases = cases();
    let rays: Vec<&Asked> = cases.iter().flat_map(|(case, _)| &case.rays).collect();
    for flag in (0..10).map(|bit| 1 << bit) {
        assert!(rays.iter().any(|asked| asked.ray.has(flag)), "flag {flag}");
    }
    for rule in Rule::EACH {
        assert!(rays.iter().any(|asked| asked.rule == rule), "{rule:?}");
    }
    assert!(rays.iter().any(|asked| asked.ray.has(flags::SKIP_BOXES | flags::CULL_BACK)));
    let instances: Vec<&Instance> = cases.iter().flat_map(|(case, _)| &case.instances).collect();
    use instance_flags::{FACING_CULL_DISABLE, FLIP_FACING, FORCE_NO_OPAQUE, FORCE_OPAQUE};
    for flag in [FACING_CULL_DISABLE, FLIP_FACING, FORCE_OPAQUE, FORCE_NO_OPAQUE] {
        assert!(instances.iter().any(|instance| instance.flags & flag != 0), "flag {flag}");
    }
    let inactive = cases.iter().flat_map(|(case, _)| case.instances.iter().map(|i| &case.meshes[i.mesh]));
    assert!(inactive.into_iter().any(|mesh| mesh.geometries.is_empty()));
    let mirrors = |i: &&Instance| {
        let m = i.transform.0;
        let minor = |a: usize, b: usize| m[1][a] * m[2][b] - m[1][b] * m[2][a];
        m[0][0] * minor(1, 2) - m[0][1] * minor(0, 2) + m[0][2] * minor(0, 1) < 0.0
    };
    assert!(instances.iter().any(mirrors));
}
