//! Scenes of rays as files: what can be read is made ready, traced with a few rays, and becomes a tree.

use std::fs;
use std::path::{Path, PathBuf};

use chiaro::TARGETS;
use chiaro::trace::fields::Fields;
use chiaro::trace::scene;
use chiaro_trace::{Ray, Scene, Traversal};
use serde_json::Value as Json;

use crate::door::damaged_json;
use crate::subject::{Subject, lossy};

/// Keys of a scene; the others are about what stages are given.
const KEYS: [&str; 12] = [
    "pipeline",
    "size",
    "output",
    "meshes",
    "assemblies",
    "instances",
    "structures",
    "uniforms",
    "buffers",
    "push",
    "images",
    "memory",
];
/// Halts of a ray that are gone through.
const HALTS: usize = 64;
/// Primitives of a mesh that becomes a tree here: making one takes longer than all the rest.
const SMALL: usize = 1 << 12;

/// The scenes of the examples, damaged.
pub fn subject() -> Subject {
    Subject::new("scene", scenes, damaged_json, read, lossy)
}

fn scenes() -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/rdna/rt");
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path().join("scene.json")).collect();
    paths.sort();
    paths.iter().filter_map(|path| fs::read(path).ok()).collect()
}

fn read(input: &[u8]) {
    let Ok(json) = serde_json::from_slice::<Json>(input) else { return };
    let Ok(top) = Fields::of(&json, "scene", &KEYS) else { return };
    let bodies = match scene::read(&top) {
        Ok(bodies) => bodies,
        Err(why) => return assert!(!why.is_empty(), "refused, and nothing is said"),
    };
    let structures: Vec<_> = bodies.structures.into_iter().map(|(_, instances)| instances).collect();
    let count: usize = structures.iter().map(Vec::len).sum();
    match Scene::new(bodies.meshes, structures) {
        Err(flaws) => assert!(flaws.iter().any(|flaw| !flaw.harmless), "refused without a flaw"),
        Ok((scene, _)) if count <= SMALL => trace(&scene),
        Ok(_) => {}
    }
}

/// Rays that go everywhere, and the tree.
fn trace(scene: &Scene) {
    for direction in [[0.0, -0.3, 1.0], [f32::NAN, 0.0, 0.0], [0.0, 0.0, 0.0], [1e38, -1e38, 3.0]] {
        let ray = Ray { flags: 0, mask: 255, origin: [0.0, 1.0, -3.0], least: 0.0, direction, most: 1e9 };
        let mut traversal = Traversal::new(ray, 0);
        (0..HALTS).take_while(|_| traversal.proceed(scene)).count();
    }
    for target in TARGETS.iter() {
        let _ = target.structure(scene, 0);
    }
}
