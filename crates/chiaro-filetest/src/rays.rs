//! Ray queries in random scenes: one kernel traces rays with all flags through triangles and boxes of moved, mirrored and
//! masked instances, and writes down all that a query tells. What a driver found is judged by what the interpreter finds.
//!
//! `chiaro-filetest rays` asks a driver (see `lavapipe/rays.rs`); rows of what it found stay in `tests/rays`, and a test
//! asks the interpreter about them.

mod found;
mod judge;
mod random;
pub mod rows;

use std::collections::HashMap;

use chiaro_ir::interp::{Interpreter, NoImages, World};
use chiaro_trace::{Instance, Mesh, Ray, Scene, Shape};

use crate::stages::Shader;

pub use found::Found;
pub use judge::{Verdict, judge};
#[cfg(feature = "lavapipe")]
pub(crate) use random::between;

/// Invocations of a workgroup of the kernel.
const LANES: usize = 64;
/// Words of a ray.
const ASKED: usize = 12;
/// How far beside a ray others begin that show what rounding may change: a part of the largest coordinate of its origin.
const BESIDE: f32 = 1.0 / (1 << 17) as f32;

/// What the kernel takes of the candidates that are triangles. Boxes are taken where the ray is nearest to their middle,
/// if that is within them; those of odd numbers only where all is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rule {
    /// All.
    All,
    /// Those whose number and salt are even together.
    Even,
    /// Those met in every second square of a pattern.
    Checked,
    /// None; they are counted.
    None,
    /// Those of even numbers seen from the front, others from behind.
    Front,
    /// As `Even`; the first that is taken ends the search.
    End,
}

impl Rule {
    /// All of them, in the order of the kernel's numbers.
    pub const EACH: [Rule; 6] = [Rule::All, Rule::Even, Rule::Checked, Rule::None, Rule::Front, Rule::End];
}

/// A ray, and what is taken of what it meets.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Asked {
    /// The ray.
    pub ray: Ray,
    /// What is taken.
    pub rule: Rule,
    /// Even or odd.
    pub salt: u32,
}

impl Asked {
    /// As the kernel reads it.
    #[must_use]
    pub fn words(&self) -> [u32; ASKED] {
        let Ray { origin: o, direction: d, least, most, flags, mask } = self.ray;
        let [a, b, c, e, f, g, h, i] = [o[0], o[1], o[2], least, d[0], d[1], d[2], most].map(f32::to_bits);
        [a, b, c, e, f, g, h, i, flags, mask, self.rule as u32, self.salt]
    }

    /// What [`Asked::words`] wrote; `None` of a rule that there is not.
    #[must_use]
    pub fn of_words(words: [u32; ASKED]) -> Option<Asked> {
        let at = |n: usize| f32::from_bits(words[n]);
        let ray = Ray {
            origin: [0, 1, 2].map(at),
            least: at(3),
            direction: [4, 5, 6].map(at),
            most: at(7),
            flags: words[8],
            mask: words[9],
        };
        Some(Asked { ray, rule: *Rule::EACH.get(words[10] as usize)?, salt: words[11] })
    }
}

/// A scene and rays through it.
#[derive(Clone, PartialEq, Debug)]
pub struct Case {
    /// Meshes; an empty one stands for an instance that refers to nothing.
    pub meshes: Vec<Mesh>,
    /// Instances. The first record of each is the number of its mesh's first geometry among those of all meshes, by
    /// which the kernel finds boxes.
    pub instances: Vec<Instance>,
    /// The rays.
    pub rays: Vec<Asked>,
}

impl Case {
    /// The kernel, as our front end compiles it.
    ///
    /// # Errors
    /// What the front end says.
    pub fn kernel() -> Result<Shader, String> {
        Shader::of_text("kernel.comp".to_owned(), include_str!("rays/kernel.comp").to_owned())
    }

    /// The buffer by which the kernel knows boxes: for each geometry where its boxes begin, then their corners.
    #[must_use]
    pub fn boxes(&self) -> Vec<u32> {
        let geometries: Vec<_> = self.meshes.iter().flat_map(|mesh| &mesh.geometries).collect();
        let (mut starts, mut corners) = (Vec::new(), Vec::new());
        for geometry in &geometries {
            starts.push((geometries.len() + corners.len()) as u32);
            if let Shape::Boxes(all) = &geometry.shape {
                corners.extend(all.as_flattened().as_flattened().iter().map(|x| x.to_bits()));
            }
        }
        starts.extend(corners);
        starts
    }

    /// The scene, ready.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn scene(&self) -> Result<Scene, String> {
        let made = Scene::new(self.meshes.clone(), vec![self.instances.clone()]);
        made.map(|(scene, _)| scene).map_err(|flaws| flaws.iter().map(|flaw| format!("{flaw}; ")).collect())
    }

    /// What the interpreter finds for some rays in the scene.
    ///
    /// # Errors
    /// A scene that is none, and what stops the run.
    pub fn trace(&self, kernel: &Shader, rays: &[Asked]) -> Result<Vec<Found>, String> {
        let scene = self.scene()?;
        let mut run = Interpreter::new(&kernel.module, &kernel.module.entries[0]);
        let bound = |run: &Interpreter<'_, _>, n| run.bound(0, n).ok_or("a buffer is gone");
        let given: Vec<u32> = rays.iter().flat_map(Asked::words).collect();
        let found = bound(&run, 3)?;
        for (n, words) in [(1, given), (2, self.boxes()), (3, vec![0; rays.len() * Found::WORDS])] {
            let buffer = bound(&run, n)?;
            run.set(buffer, words.into_iter().flat_map(u32::to_le_bytes).collect());
        }
        run.world = Some(World { scene: &scene, structures: HashMap::new(), stages: None });
        let groups = [Case::groups(rays), 1, 1];
        run.dispatch(groups, &mut NoImages).map_err(|fault| fault.to_string())?;
        let bytes = run.bytes(found).ok_or("nothing was left")?;
        let words: Vec<u32> = bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
        Ok(Found::all(&words))
    }

    /// Workgroups for so many rays.
    #[must_use]
    pub fn groups(rays: &[Asked]) -> u32 {
        rays.len().div_ceil(LANES) as u32
    }
}

/// The largest coordinate.
fn largest(v: &[f32; 3]) -> f32 {
    v.iter().fold(0.0, |most, x| x.abs().max(most))
}
