//! What public sources leave open: each of it is a setting that changes what it says, or has a reason why not.

use std::collections::BTreeSet;
use std::sync::Arc;

use chiaro_rdna::isa::isa;
use chiaro_rdna::machine::{ASSUMPTIONS, Config, FaultKind, Group, Program};
use chiaro_sim::mapped::{Mapped, Range};
use chiaro_sim::{Engine, Lanes};

const BUFFER: u64 = 0x1_0000_0000;

/// What lane 0 has in v4 to v7 at the end, and the faults.
type End = ([u32; 4], Vec<FaultKind>);

fn words(text: &str) -> Vec<u8> {
    let isa = isa(32);
    let word = |line: &str| {
        let parsed = isa.parse(line, &isa.cx()).unwrap_or_else(|e| panic!("{line}: {e:?}"));
        parsed.inst.to_bytes()[..usize::from(parsed.inst.length)].to_vec()
    };
    text.split(';').map(str::trim).chain(["s_endpgm"]).flat_map(word).collect()
}

/// Runs a wave with `first` in v1 and so on, and a tree of this node in s[4:7].
fn end(text: &str, first: &[u32], node: &[u32], config: &Config) -> End {
    let program = Arc::new(Program::new(&words(text), 32));
    let mut group = Group::new(&program, config, 1, 1024, 16);
    for (register, value) in (1..).zip(first) {
        group.waves[0].set_vector(register, &[Lanes::splat(*value); 2]);
    }
    // Triangles give coordinates.
    for (register, value) in (4..).zip([(BUFFER >> 8) as u32, 0, 16, 8 << 28 | 1 << 24]) {
        group.waves[0].set_scalar(register, value);
    }
    let mut memory = Mapped::default();
    let bytes = node.iter().copied().chain([0; 64]).flat_map(u32::to_le_bytes).collect();
    memory.map(Range { name: "tree".to_owned(), base: BUFFER, bytes }).expect("room");
    let outcome = group.run(&mut memory);
    let kinds = outcome.faults.into_iter().map(|fault| fault.kind).collect();
    ([4, 5, 6, 7].map(|n| group.waves[0].vector(n, 0)), kinds)
}

/// The same by default and with a setting, which both engines agree about.
fn both(name: &str, value: &str, text: &str, first: &[u32], node: &[u32]) -> [End; 2] {
    let engines = [None, Some(Engine::Portable), Some(Engine::best())];
    let mut found = engines.map(|engine| {
        let default = Config { engine, ..Config::default() };
        let mut other = default;
        other.set(name, value).expect("a setting");
        [default, other].map(|config| end(text, first, node, &config))
    });
    assert_eq!(found[0][1], found[1][1], "{name}={value}: the portable engine");
    assert_eq!(found[0][1], found[2][1], "{name}={value}: the best engine");
    std::mem::take(&mut found[2])
}

/// A setting, its other value, code, the registers that it reads, and v4 by default and with the other value.
type Row<'a> = (&'a str, &'a str, &'a str, &'a [u32], [u32; 2]);

#[test]
fn arithmetic_follows_its_settings() {
    let rndne = "v_rndne_f32_e32 v4, v1";
    let add = "v_add_f32_e32 v4, v1, v2";
    let sums = "v_dot2_f32_f16 v4, v1, v2, v3";
    // 1 - 2^24 + 2^24, where 1 + 2^24 is no word.
    let factors: &[u32] = &[0x6c00_ec00, 0x6c00_6c00, 0x3f80_0000];
    let max = "s_mov_b32 s0, 5; s_max_i32 s1, s0, 5; s_cselect_b32 s9, 1, 0; v_mov_b32_e32 v4, s9";
    let max_u = "s_mov_b32 s0, 5; s_max_u32 s1, s0, 5; s_cselect_b32 s9, 1, 0; v_mov_b32_e32 v4, s9";
    let nans: &[u32] = &[0x7fc0_0001, 0xffc0_0002];
    let one = 0x3f80_0000;
    let rows: [Row<'_>; 16] = [
        (
            "div-fmas-scale",
            "64",
            "s_mov_b32 vcc_lo, -1; v_div_fmas_f32 v4, v1, v1, v2",
            &[one, 0],
            [0x4f80_0000, 0x5f80_0000],
        ),
        ("s-max-scc", "greater", max, &[], [1, 0]),
        ("s-max-scc", "greater", max_u, &[], [1, 0]),
        ("rndne-zero", "positive", rndne, &[0xbe80_0000], [0x8000_0000, 0]),
        ("rndne-zero", "positive", rndne, &[0xbf80_0000], [0xbf80_0000; 2]),
        ("rndne-zero", "positive", "v_rndne_f16_e32 v4, v1", &[0xb400], [0x8000, 0]),
        ("rndne-zero", "positive", "v_rndne_f64_e32 v[3:4], v[1:2]", &[0, 0xbfd0_0000], [0x8000_0000, 0]),
        ("rndne-zero", "positive", "v_rndne_f64_e32 v[3:4], v[1:2]", &[0, 0xbff0_0000], [0xbff0_0000; 2]),
        ("estimate-bits", "3", "v_rcp_f32_e32 v4, v1", &[0x4040_0000], [0x3eaa_aaab, 0x3ea0_0000]),
        ("estimate-bits", "3", "v_rcp_f16_e32 v4, v1", &[0x4200], [0x3555, 0x3500]),
        (
            "double-estimates",
            "exact",
            "v_rcp_f64_e32 v[4:5], v[1:2]",
            &[0, 0x4008_0000],
            [0x5500_0000, 0x5555_5555],
        ),
        ("nan-operand", "first", add, nans, [0x7fc0_0001; 2]),
        ("nan-operand", "last", add, nans, [0x7fc0_0001, 0xffc0_0002]),
        ("nan-operand", "canonical", add, nans, [0x7fc0_0001, 0x7fc0_0000]),
        ("dot2-sums", "first", sums, factors, [0, one]),
        ("dot2-sums", "once", sums, factors, [0, one]),
    ];
    for (name, value, text, first, wanted) in rows {
        let found = both(name, value, text, first, &[]);
        assert!(found.iter().all(|(_, faults)| faults.is_empty()), "{name}={value}: {found:?}");
        let found = found.map(|(registers, _)| registers[0]);
        assert_eq!(found, wanted, "{name}={value}: {text}: {found:#x?}");
    }
}

/// Whether a text is a fault by default, and with a setting.
fn faults(name: &str, value: &str, text: &str) -> [bool; 2] {
    both(name, value, text, &[0; 32], &[]).map(|(_, faults)| match &faults[..] {
        [] => false,
        [FaultKind::TooEarly(..)] => true,
        other => panic!("{name}={value}: {other:?}"),
    })
}

#[test]
fn loads_come_in_the_order_that_is_asked_for() {
    let node = "v_mov_b32_e32 v10, -1; v_mov_b32_e32 v11, -1";
    let lines = |first: &str| {
        format!(
            "{node}; s_mov_b32 s2, 0; s_mov_b32 s3, 1; {first}; global_load_dword v30, v1, s[2:3]; s_waitcnt vmcnt(1); \
             v_mov_b32_e32 v4, v20; s_waitcnt vmcnt(0)"
        )
    };
    let tree = lines("image_bvh_intersect_ray v[20:23], v[10:20], s[4:7]");
    let wide = lines("image_bvh64_intersect_ray v[20:23], v[10:21], s[4:7]");
    let plain = lines("global_load_dword v20, v1, s[2:3]");
    assert_eq!(faults("bvh-order", "apart", &tree), [false, true]);
    assert_eq!(faults("vmem-order", "none", &plain), [false, true]);
    assert_eq!(faults("vmem-order", "none", &tree), [false, true]);
    assert_eq!(faults("vmem-order", "all", &wide), [true, false]);
}

#[test]
fn dwords_of_scratch_lie_where_they_are_said_to() {
    let two = "s_mov_b32 exec_lo, 1; scratch_store_dwordx2 off, v[1:2], s8; s_waitcnt_vscnt null, 0x0; \
        scratch_load_dword v4, off, s8 offset:4; s_waitcnt vmcnt(0)";
    // The lane's second dword is the next lane's first one then.
    let found = both("scratch-dwords", "together", two, &[7, 77], &[]);
    assert_eq!(found.map(|(registers, faults)| (registers[0], faults.len())), [(77, 0), (0, 0)]);
    let odd = "scratch_store_dword off, v1, s8 offset:2; s_waitcnt_vscnt null, 0x0; \
        scratch_load_dword v4, off, s8; s_waitcnt vmcnt(0)";
    let found = both("scratch-misaligned", "aligned", odd, &[0x1234_5678], &[]);
    assert_eq!(found.map(|(registers, _)| registers[0]), [0x5678_0000, 0x1234_5678]);
    let [default, other] = both("scratch-misaligned", "fault", odd, &[1], &[]);
    assert_eq!((default.1, other.1), (vec![], vec![FaultKind::Misaligned(2)]));
}

#[test]
fn rays_follow_their_settings() {
    let text = "image_bvh_intersect_ray v[4:7], v[10:20], s[4:7]; s_waitcnt vmcnt(0)";
    let ray = |node: u32, rest: [f32; 10]| {
        let mut registers = vec![0; 9];
        registers.push(node);
        registers.extend(rest.map(f32::to_bits));
        registers
    };
    // Into x two steps behind where y is left.
    let after = f32::from_bits(1.0_f32.to_bits() + 2);
    let bounds = [after, 0.0, -1.0, 2.0, 1.0, 1.0].map(f32::to_bits);
    let node: Vec<u32> =
        [0x10, u32::MAX, u32::MAX, u32::MAX].into_iter().chain(bounds).chain([0; 18]).collect();
    let straight = ray(5, [9.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]);
    for (steps, wanted) in [("1", u32::MAX), ("2", 0x10)] {
        let found = both("bvh-grow", steps, text, &straight, &node);
        assert_eq!(found.map(|(registers, _)| registers[0]), [u32::MAX, wanted]);
    }
    let corners = [0.1_f32, 0.7, 2.3, 1.9, 0.3, 2.1, 0.3, 1.7, 1.9].map(f32::to_bits);
    let slanted = ray(0, [9.0, 0.33, 0.51, 0.07, 0.11, 0.13, 0.97, 9.0, 7.0, 1.0]);
    let [rounded, fused] = both("bvh-arithmetic", "fused", text, &slanted, &corners);
    assert_ne!(rounded.0[0], f32::INFINITY.to_bits(), "it hits");
    assert_ne!(rounded, fused);
    let far = rounded.0.iter().zip(fused.0).any(|(a, b)| a.abs_diff(b) > 64);
    assert!(!far, "{rounded:x?} {fused:x?}");
}

/// Every row of the list names settings that exist or gives a reason, and nothing is set that no row names.
#[test]
fn what_is_open_has_a_setting_or_a_reason() {
    let rows = include_str!("open.tsv").lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    let mut named = BTreeSet::new();
    for row in rows {
        let columns: Vec<&str> = row.split('\t').collect();
        let [subject, settings, reason] = columns[..] else { panic!("{row}") };
        assert_ne!((settings, reason), ("-", "-"), "{subject} has neither a setting nor a reason");
        named.extend(settings.split(' ').filter(|name| *name != "-"));
    }
    let known: BTreeSet<&str> = ASSUMPTIONS.iter().map(|assumption| assumption.name).collect();
    assert_eq!(named, known);
}

#[test]
fn values_that_are_none_are_refused() {
    for (name, value) in [
        ("div-fmas-scale", "33"),
        ("estimate-bits", "0"),
        ("estimate-bits", "24"),
        ("nan-operand", "second"),
        ("bvh-grow", "few"),
    ] {
        let refused = Config::default().set(name, value).expect_err("no such value");
        assert!(refused.contains("does not take"), "{refused}");
    }
}
