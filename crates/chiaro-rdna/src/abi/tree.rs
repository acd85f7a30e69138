//! Acceleration structures as this machine's instruction reads them (spec section 8.6): a tree of nodes in a buffer.
//!
//! | node | bytes | what |
//! |---|---|---|
//! | header | 64 | word 0: pointer to the root of the instances, all ones if there is none |
//! | box, type 5 | 128 | four pointers, then four boxes of least and greatest corner |
//! | triangle, type 0 | 64 | corners, three words, number of the primitive, geometry |
//! | instance, type 6 | 128 | pointer to the root of its mesh (two words), custom index and mask, offset and flags, world to object, number, three words, object to world |
//! | procedural, type 7 | 64 | number of the primitive, geometry |
//!
//! A pointer is `address / 64 << 3 | type`, and addresses count from the start of the buffer, which lies at a multiple of
//! 256 bytes. A geometry is its number, with bit 31 if it is opaque. Instances and procedural nodes are types that the
//! instruction leaves to the program. Boxes are a little larger than what is in them, since the arithmetic of the instruction
//! rounds: a ray that meets a triangle has to get there.

use chiaro_trace::{Affine, Instance, Mesh, Scene, Shape};

/// A pointer to nothing.
pub const NOTHING: u32 = u32::MAX;
/// Pointers that the search can put aside; each box puts aside three at most.
pub const STACK: usize = 64;

const TRIANGLE: u32 = 0;
const BOX: u32 = 5;
const INSTANCE: u32 = 6;
const PROCEDURAL: u32 = 7;
/// Words of the unit that pointers count.
const UNIT: usize = 16;
const OPAQUE: u32 = 1 << 31;

/// The bytes of a structure of a scene.
///
/// # Errors
/// It is so deep that the search has no room, or larger than pointers reach.
pub fn build(scene: &Scene, structure: usize) -> Result<Vec<u8>, String> {
    let mut tree = Tree { words: vec![0; UNIT], deepest: 0 };
    let meshes: Vec<Option<Part>> = scene.meshes().iter().map(|mesh| tree.mesh(mesh)).collect();
    let inside = tree.deepest;
    let mut parts = Vec::new();
    for (number, (instance, to_object)) in (0..).zip(scene.instances(structure)) {
        if let Some(part) = meshes.get(instance.mesh).copied().flatten() {
            parts.push(tree.instance(number, (instance, to_object), part));
        }
    }
    tree.deepest = 0;
    let root = tree.boxes(parts, 1);
    tree.words[0] = root.map_or(NOTHING, |part| part.pointer);
    let needed = 3 * (inside + tree.deepest);
    if needed > STACK {
        return Err(format!("the tree puts {needed} nodes aside, and there is room for {STACK}"));
    }
    if tree.words.len() / UNIT >= 1 << 29 {
        return Err("the tree is larger than its pointers reach".to_owned());
    }
    Ok(tree.words.iter().flat_map(|word| word.to_le_bytes()).collect())
}

type Corners = [[f32; 3]; 2];

/// A node with the box around it.
#[derive(Clone, Copy, Debug)]
struct Part {
    bounds: Corners,
    pointer: u32,
}

impl Part {
    fn centre(&self, axis: usize) -> f32 {
        self.bounds[0][axis] * 0.5 + self.bounds[1][axis] * 0.5
    }
}

/// Nodes so far.
struct Tree {
    words: Vec<u32>,
    /// Boxes within boxes.
    deepest: usize,
}

impl Tree {
    /// Adds words as a node, and answers its pointer.
    fn add(&mut self, words: &[u32], kind: u32) -> u32 {
        let at = self.words.len() / UNIT;
        self.words.extend_from_slice(words);
        self.words.resize(self.words.len().next_multiple_of(UNIT), 0);
        (at as u32) << 3 | kind
    }

    /// The tree of a mesh; nothing of an empty one. Triangles that are never met are left out.
    fn mesh(&mut self, mesh: &Mesh) -> Option<Part> {
        let mut parts = Vec::new();
        for (number, geometry) in (0_u32..).zip(&mesh.geometries) {
            let named = number | if geometry.opaque { OPAQUE } else { 0 };
            let is_there = |n: u32| !geometry.shape.is_absent(n as usize);
            match &geometry.shape {
                Shape::Triangles(all) => {
                    let there = (0..).zip(all).filter(|(n, _)| is_there(*n));
                    let nodes = there.map(|(n, corners)| self.triangle(n, named, corners));
                    parts.extend(nodes.collect::<Vec<_>>());
                }
                Shape::Boxes(all) => {
                    let there = (0..).zip(all).filter(|(n, _)| is_there(*n));
                    let nodes = there.map(|(n, corners)| Part {
                        bounds: *corners,
                        pointer: self.add(&[n, named], PROCEDURAL),
                    });
                    parts.extend(nodes.collect::<Vec<_>>());
                }
            }
        }
        self.boxes(parts, 1)
    }

    fn triangle(&mut self, number: u32, geometry: u32, corners: &[[f32; 3]; 3]) -> Part {
        let mut words: Vec<u32> = corners.iter().flatten().map(|x| x.to_bits()).collect();
        words.extend([0, 0, 0, number, geometry]);
        Part { bounds: around(corners), pointer: self.add(&words, TRIANGLE) }
    }

    fn instance(&mut self, number: u32, (instance, to_object): (&Instance, &Affine), mesh: Part) -> Part {
        let mut words = vec![
            mesh.pointer,
            0,
            instance.custom_index | u32::from(instance.mask) << 24,
            instance.offset | u32::from(instance.flags) << 24,
        ];
        words.extend(to_object.0.iter().flatten().map(|x| x.to_bits()));
        words.extend([number, 0, 0, 0]);
        words.extend(instance.transform.0.iter().flatten().map(|x| x.to_bits()));
        let moved: Vec<[f32; 3]> = corners(mesh.bounds)
            .map(|corner| instance.transform.point(corner.map(f64::from)).map(|x| x as f32))
            .collect();
        Part { bounds: around(&moved), pointer: self.add(&words, INSTANCE) }
    }

    /// A box of boxes: four groups of neighbours, until a group is one node.
    fn boxes(&mut self, parts: Vec<Part>, depth: usize) -> Option<Part> {
        if parts.is_empty() {
            return None;
        }
        self.deepest = self.deepest.max(depth);
        let [a, b] = halves(parts);
        let groups = [halves(a), halves(b)].concat();
        let mut children = Vec::new();
        for group in groups {
            match group[..] {
                [] => {}
                [one] => children.push(one),
                _ => children.extend(self.boxes(group, depth + 1)),
            }
        }
        let mut words = vec![NOTHING; 4];
        words.iter_mut().zip(&children).for_each(|(word, child)| *word = child.pointer);
        for n in 0..4 {
            let bounds = children.get(n).map_or([[0.0; 3]; 2], |child| grown(child.bounds));
            words.extend(bounds.iter().flatten().map(|x| x.to_bits()));
        }
        words.extend([0; 4]);
        let all: Vec<[f32; 3]> = children.iter().flat_map(|child| child.bounds).collect();
        Some(Part { bounds: around(&all), pointer: self.add(&words, BOX) })
    }
}

/// Two halves of neighbours, along the axis on which they are farthest apart.
fn halves(mut parts: Vec<Part>) -> [Vec<Part>; 2] {
    if parts.len() < 2 {
        return [parts, Vec::new()];
    }
    let reach = |axis: usize| {
        let centres = parts.iter().map(|part| part.centre(axis));
        let least = centres.clone().fold(f32::INFINITY, f32::min);
        centres.fold(f32::NEG_INFINITY, f32::max) - least
    };
    let axis = (0..3).max_by(|a, b| reach(*a).total_cmp(&reach(*b))).unwrap_or(0);
    parts.sort_by(|a, b| a.centre(axis).total_cmp(&b.centre(axis)));
    let second = parts.split_off(parts.len().div_ceil(2));
    [parts, second]
}

fn around(points: &[[f32; 3]]) -> Corners {
    let mut bounds = [[f32::INFINITY; 3], [f32::NEG_INFINITY; 3]];
    for point in points {
        for (axis, x) in point.iter().enumerate() {
            bounds[0][axis] = bounds[0][axis].min(*x);
            bounds[1][axis] = bounds[1][axis].max(*x);
        }
    }
    bounds
}

fn corners([least, most]: Corners) -> impl Iterator<Item = [f32; 3]> {
    (0..8).map(move |n| std::array::from_fn(|axis| if n >> axis & 1 == 0 { least[axis] } else { most[axis] }))
}

/// Larger by what the arithmetic of a box may err, and never flat.
fn grown([least, most]: Corners) -> Corners {
    let extent = least.iter().chain(&most).fold(0.0_f32, |all, x| all.max(x.abs()));
    let slack = extent * 4e-6 + 1e-20;
    [least.map(|x| x - slack), most.map(|x| x + slack)]
}

#[cfg(test)]
mod tests {
    use super::{NOTHING, build};
    use chiaro_trace::{Geometry, Instance, Mesh, Scene, Shape};

    fn words(bytes: &[u8]) -> Vec<u32> {
        bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect()
    }

    #[test]
    fn a_triangle_stands_behind_two_boxes_and_an_instance() {
        let corners = [[0.0, 0.0, 1.0], [1.0, 0.0, 1.0], [0.0, 1.0, 1.0]];
        let geometry = Geometry { shape: Shape::Triangles(vec![corners]), opaque: true };
        let instance = Instance { custom_index: 5, mask: 3, offset: 7, flags: 2, ..Instance::default() };
        let scene =
            Scene::new(vec![Mesh { geometries: vec![geometry], ..Mesh::default() }], vec![vec![instance]]);
        let words = words(&build(&scene.expect("it is sound").0, 0).expect("it is small"));
        // Header, triangle, box of the mesh (two units), instance (two units), box of the instances.
        assert_eq!(words.len(), 16 * 8);
        let triangle = &words[16..32];
        assert_eq!((triangle[3], triangle[12], triangle[13]), (1.0_f32.to_bits(), 0, 1 << 31));
        let boxes = &words[32..64];
        assert_eq!(boxes[..4], [1 << 3, NOTHING, NOTHING, NOTHING]);
        assert!(f32::from_bits(boxes[4]) < 0.0 && f32::from_bits(boxes[9]) > 1.0);
        let instance = &words[64..96];
        assert_eq!(instance[..4], [2 << 3 | 5, 0, 5 | 3 << 24, 7 | 2 << 24]);
        assert_eq!((instance[4], instance[16], instance[20]), (1.0_f32.to_bits(), 0, 1.0_f32.to_bits()));
        assert_eq!(words[96], 4 << 3 | 6);
        assert_eq!(words[0], 6 << 3 | 5);
    }

    #[test]
    fn what_is_empty_has_no_root() {
        let absent = Shape::Triangles(vec![[[0.0; 3], [1.0, 0.0, 0.0], [f32::NAN, 1.0, 0.0]]]);
        let absent = Mesh { geometries: vec![Geometry { shape: absent, opaque: true }], ..Mesh::default() };
        for mesh in [Mesh::default(), absent] {
            let scene = Scene::new(vec![mesh], vec![vec![Instance::default()]]).expect("it is sound").0;
            assert_eq!(words(&build(&scene, 0).expect("it is small"))[0], NOTHING);
        }
    }
}
