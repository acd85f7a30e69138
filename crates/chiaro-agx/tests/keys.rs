//! Keys of parts: JSON both ways, what is normalised, what is refused.

use chiaro_agx::abi::key::{FragmentProlog, Key, PartCache};
use serde_json::{Value, json};

/// The keys of a file of vectors.
fn keys(file: &str) -> Vec<Value> {
    let path = format!("{}/tests/vectors/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).expect("the file is there");
    let rows = text.lines().filter(|line| !line.starts_with('#'));
    rows.map(|row| serde_json::from_str::<Value>(row).expect("JSON")["key"].clone()).collect()
}

#[test]
fn keys_come_back() {
    for value in ["vs_prolog.jsonl", "fs_prolog.jsonl", "fs_epilog.jsonl"].iter().flat_map(|file| keys(file))
    {
        let key = Key::of_json(&value).unwrap_or_else(|why| panic!("{value}: {why}"));
        assert_eq!(key.to_json(), value);
        let normal = key.normalised();
        assert_eq!(normal.normalised(), normal, "{value}");
    }
}

fn prolog(changes: &[(&str, u64)]) -> Key {
    let mut value = json!({"api_sample_mask": 255, "cull_distance_size": 0, "statistics": 0,
        "polygon_stipple": 0, "run_zs_tests": 0, "cf_base": 0});
    changes.iter().for_each(|(name, n)| value[*name] = json!(n));
    Key::of_json(&value).expect("legal")
}

fn epilog(samples: u64, link: &[(&str, u64)], blend: &str) -> Key {
    let mut value = json!({"nr_samples": samples, "force_small_tile": 0, "logicop": "copy",
        "alpha_to_coverage": 1, "alpha_to_one": 0,
        "link": {"rt_spill_base": 0, "size_32": 1, "loc_written": 1, "sample_shading": 0, "broadcast_rt0": 0,
            "loc0_w_1": 0, "write_z": 0, "write_s": 0, "already_ran_zs": 0, "sample_mask_after_force_early": 0},
        "rts": [{"i": 0, "format": "PIPE_FORMAT_R8G8B8A8_UNORM", "loc": 0, "colormask": 15, "rgb": blend,
            "alpha": "add one zero"}]});
    link.iter().for_each(|(name, n)| value["link"][*name] = json!(n));
    Key::of_json(&value).expect("legal")
}

#[test]
fn equal_work_has_equal_keys() {
    let same = |a: &Key, b: &Key| a.normalised().bytes() == b.normalised().bytes();
    // Nothing is killed: who tests does not matter, nor which coefficients are free.
    assert!(same(&prolog(&[("run_zs_tests", 1), ("cf_base", 9)]), &prolog(&[])));
    let kills = prolog(&[("run_zs_tests", 1), ("api_sample_mask", 3)]);
    assert!(!same(&kills, &prolog(&[("api_sample_mask", 3)])));
    assert!(!same(
        &prolog(&[("cull_distance_size", 1), ("cf_base", 9)]),
        &prolog(&[("cull_distance_size", 1)])
    ));
    // Alpha kills samples where there are several.
    assert_eq!(epilog(1, &[], "add one zero").normalised().to_json()["alpha_to_coverage"], 0);
    assert_eq!(epilog(4, &[], "add one zero").normalised().to_json()["alpha_to_coverage"], 1);
    // Nothing spills; alpha is 1.
    assert!(same(&epilog(1, &[("rt_spill_base", 7)], "add one zero"), &epilog(1, &[], "add one zero")));
    let opaque = [("loc0_w_1", 1)];
    assert!(same(&epilog(1, &opaque, "add src_alpha inv_src_alpha"), &epilog(1, &opaque, "add one zero")));
    assert!(!same(&epilog(1, &[], "add src_alpha inv_src_alpha"), &epilog(1, &[], "add one zero")));
    assert_eq!(
        [(15, 4), (7, 4), (1, 1)].map(|(mask, n)| FragmentProlog::sample_mask(mask, n)),
        [255, 7, 255]
    );
}

/// The hardware numbers vertices, but those of primitives with adjacency are looked up by the prolog.
#[test]
fn an_index_counts_where_the_prolog_looks_it_up() {
    let of = |hw: u64, adjacency: u64| {
        let value = json!({"hw": hw, "index_size": 2, "adjacency": adjacency, "robustness": 0, "soft_fault": 1,
            "attribs": []});
        let key = Key::of_json(&value).expect("legal").normalised().to_json();
        [key["index_size"].as_u64(), key["adjacency"].as_u64()].map(Option::unwrap_or_default)
    };
    assert_eq!([of(1, 0), of(1, 12), of(0, 0), of(0, 12)], [[0, 0], [2, 12], [2, 0], [2, 0]]);
}

#[test]
fn bytes_are_stable() {
    let bytes = prolog(&[("api_sample_mask", 3), ("cf_base", 0)]).bytes();
    assert_eq!(bytes[..10], [1, 1, 3, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(bytes.len(), 2 + 6 * 8);
}

#[test]
fn what_a_key_cannot_hold_is_told() {
    let refused = |value: Value| Key::of_json(&value).expect_err("it is wrong");
    let mut value = prolog(&[]).to_json();
    value["statistics"] = json!(2);
    assert_eq!(refused(value.clone()), "the fragment prolog: `statistics` is 2; it is 0 to 1");
    value["statistics"] = json!(1);
    value["colour"] = json!(2);
    assert!(
        refused(value).starts_with("the fragment prolog has no field `colour`; there are api_sample_mask")
    );
    assert!(refused(json!({})).starts_with("a key has `attribs`"));
    assert!(refused(json!({ "zoom": 1 })).starts_with("`zoom` is no field of a key, which has `attribs`"));
    assert_eq!(refused(json!({ "nr_samples": 1 })), "the fragment epilog lacks `force_small_tile`");
    let mut value = epilog(1, &[], "add one zero").to_json();
    value["rts"] = json!([value["rts"][0], value["rts"][0]]);
    assert!(refused(value.clone()).starts_with("target 1: `i` is 0, and target 0 is that one"));
    value["rts"][1]["i"] = json!(1);
    value["rts"][1]["alpha"] = json!("add one src1_alpha");
    let said = refused(value.clone());
    assert_eq!(said, "target 1: `alpha` names a second source, and there are 2 targets; 1 is allowed");
    value["rts"] = json!([value["rts"][1]]);
    assert!(refused(value).ends_with("the main part leaves none: bit 1 of `loc_written` is 0"));
    let mut value = epilog(4, &[], "add one zero").to_json();
    value["rts"][0]["rgb"] = json!("add one two");
    assert!(refused(value.clone()).starts_with("target 0: `rgb` is one of one, zero"));
    value["rts"][0]["rgb"] = json!("add");
    assert!(refused(value.clone()).contains("is a function and two factors"));
    value["rts"][0] = json!({"i": 0, "format": "DXT1_RGB"});
    assert_eq!(refused(value.clone()), "target 0: `DXT1_RGB` cannot be rendered to");
    value["nr_samples"] = json!(3);
    assert_eq!(refused(value), "the fragment epilog: `nr_samples` is 3; it is 1, 2 or 4");
}

/// What is asked for again is not made again.
#[test]
fn a_part_is_made_once() {
    let mut cache = PartCache::default();
    let mut made = 0;
    for key in [prolog(&[]), prolog(&[("run_zs_tests", 1)]), prolog(&[("api_sample_mask", 3)])] {
        let part: Result<&u32, ()> = cache.get(&key, |_| {
            made += 1;
            Ok(made)
        });
        assert!(part.is_ok());
    }
    assert_eq!((made, cache.len(), cache.is_empty()), (2, 2, false));
    assert_eq!(cache.get(&prolog(&[("api_sample_mask", 5)]), |_| Err("no")), Err("no"));
    assert_eq!(cache.len(), 2);
}
