//! What rays are traced against: meshes, and structures of instances.

use crate::bounds::{self, Bounds};
use crate::flaw::Flaw;
use crate::matrix::Affine;
use crate::shape::Shape;

/// Flags of an instance, with Vulkan's numbers.
pub mod instance_flags {
    /// Rays see both faces, whatever they cull.
    pub const FACING_CULL_DISABLE: u8 = 1;
    /// Front and back change places.
    pub const FLIP_FACING: u8 = 2;
    /// All geometry is opaque.
    pub const FORCE_OPAQUE: u8 = 4;
    /// No geometry is opaque.
    pub const FORCE_NO_OPAQUE: u8 = 8;
}

/// A part of a mesh.
#[derive(Clone, PartialEq, Debug)]
pub struct Geometry {
    /// Its primitives.
    pub shape: Shape,
    /// Whether hits need no any-hit stage.
    pub opaque: bool,
}

/// What instances show: geometries, by which records of the table are told apart.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Mesh {
    /// The parts.
    pub geometries: Vec<Geometry>,
    /// What messages call it; without a name it is called by its number.
    pub name: String,
}

/// A mesh at a place.
#[derive(Clone, PartialEq, Debug)]
pub struct Instance {
    /// Number of the mesh.
    pub mesh: usize,
    /// From the mesh to the world.
    pub transform: Affine,
    /// 24 bits that stages read.
    pub custom_index: u32,
    /// Eight bits: rays whose mask has none of them pass.
    pub mask: u8,
    /// First record of the hit table, 24 bits.
    pub offset: u32,
    /// [`instance_flags`].
    pub flags: u8,
}

impl Default for Instance {
    fn default() -> Instance {
        Instance { mesh: 0, transform: Affine::default(), custom_index: 0, mask: 255, offset: 0, flags: 0 }
    }
}

/// An instance, ready.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Placed {
    pub instance: Instance,
    pub to_object: Affine,
}

/// Meshes and structures, ready to be traced.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Scene {
    meshes: Vec<Mesh>,
    structures: Vec<Vec<Placed>>,
    /// By mesh and geometry.
    bounds: Vec<Vec<(Bounds, Vec<Bounds>)>>,
}

impl Scene {
    /// Makes it ready; answers what is odd but harmless, too: a triangle without area is never met, nor is what has
    /// NaN for an X ([`Shape::is_absent`]), as the API says, and neither is what is empty.
    ///
    /// # Errors
    /// What no API allows: coordinates that are no numbers, instances without a mesh, transforms that make flat,
    /// numbers beyond 24 bits.
    pub fn new(meshes: Vec<Mesh>, structures: Vec<Vec<Instance>>) -> Result<(Scene, Vec<Flaw>), Vec<Flaw>> {
        let mut flaws = Vec::new();
        for (m, mesh) in meshes.iter().enumerate() {
            check_mesh(m, mesh, &mut flaws);
        }
        let mut placed = Vec::new();
        for (s, structure) in structures.into_iter().enumerate() {
            if structure.is_empty() {
                flaws.push(Flaw::odd(format!("structure {s}"), "has no instance: every ray misses it"));
            }
            let ready = structure.into_iter().enumerate();
            placed.push(ready.filter_map(|(n, i)| place(i, meshes.len(), (s, n), &mut flaws)).collect());
        }
        if flaws.iter().any(|flaw| !flaw.harmless) {
            return Err(flaws);
        }
        let bounds = meshes.iter().map(|m| m.geometries.iter().map(|g| bounds::of(&g.shape)).collect());
        let bounds = bounds.collect();
        Ok((Scene { meshes, structures: placed, bounds }, flaws))
    }

    /// How many structures there are.
    #[must_use]
    pub fn structures(&self) -> usize {
        self.structures.len()
    }

    /// All meshes.
    #[must_use]
    pub fn meshes(&self) -> &[Mesh] {
        &self.meshes
    }

    /// The instances of a structure, each with its transform back.
    pub fn instances(&self, structure: usize) -> impl Iterator<Item = (&Instance, &Affine)> {
        self.structures.get(structure).into_iter().flatten().map(|p| (&p.instance, &p.to_object))
    }

    /// An instance of a structure, with its transform back.
    #[must_use]
    pub fn instance(&self, structure: usize, n: u32) -> Option<(&Instance, &Affine)> {
        let placed = self.structures.get(structure)?.get(n as usize)?;
        Some((&placed.instance, &placed.to_object))
    }

    /// The corners of a triangle of an instance, as its mesh has them.
    #[must_use]
    pub fn corners(
        &self,
        structure: usize,
        [instance, geometry, primitive]: [u32; 3],
    ) -> Option<[[f32; 3]; 3]> {
        let mesh = self.meshes.get(self.instance(structure, instance)?.0.mesh)?;
        match &mesh.geometries.get(geometry as usize)?.shape {
            Shape::Triangles(all) => all.get(primitive as usize).copied(),
            Shape::Boxes(_) => None,
        }
    }

    pub(crate) fn placed(&self, structure: usize) -> &[Placed] {
        self.structures.get(structure).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn bounds(&self, mesh: usize, geometry: usize) -> &(Bounds, Vec<Bounds>) {
        &self.bounds[mesh][geometry]
    }
}

fn check_mesh(m: usize, mesh: &Mesh, flaws: &mut Vec<Flaw>) {
    let called = if mesh.name.is_empty() { format!("mesh {m}") } else { format!("mesh `{}`", mesh.name) };
    if mesh.geometries.iter().all(|g| g.shape.is_empty()) {
        flaws.push(Flaw::odd(called.clone(), "is empty: every ray misses it"));
    }
    for (g, geometry) in mesh.geometries.iter().enumerate() {
        for Oddity { message, is_harmless, first, count } in oddities(&geometry.shape) {
            let place = format!("{called}, geometry {g}, primitive {first}");
            let message = match count {
                1 => message.to_owned(),
                _ => format!("{message} (the first of {count})"),
            };
            flaws.push(if is_harmless { Flaw::odd(place, message) } else { Flaw::wrong(place, message) });
        }
    }
}

/// What primitives of a geometry have in common that is odd.
struct Oddity {
    message: &'static str,
    is_harmless: bool,
    /// The first primitive that has it, and how many have.
    first: usize,
    count: usize,
}

/// What is odd, each kind once: meshes of tools have many triangles without area.
fn oddities(shape: &Shape) -> Vec<Oddity> {
    let mut found: Vec<Oddity> = Vec::new();
    for first in 0..shape.len() {
        let Some((message, is_harmless)) = oddity(shape, first) else { continue };
        match found.iter_mut().find(|known| known.message == message) {
            Some(known) => known.count += 1,
            None => found.push(Oddity { message, is_harmless, first, count: 1 }),
        }
    }
    found
}

/// What is odd about a primitive, and whether it is harmless.
fn oddity(shape: &Shape, n: usize) -> Option<(&'static str, bool)> {
    if shape.is_absent(n) {
        return Some(("has NaN for an X, so it is not there", true));
    }
    if shape.corners(n).iter().flatten().any(|x| !x.is_finite()) {
        return Some((
            "has a coordinate that is no number; give numbers, or NaN for the first X to leave it out",
            false,
        ));
    }
    match shape {
        Shape::Boxes(all) => {
            let [least, most] = all[n];
            let reversed = least.iter().zip(most).any(|(a, b)| *a > b);
            reversed.then_some(("has a least corner above the greatest; give the least first", false))
        }
        Shape::Triangles(all) => is_flat(&all[n]).then_some(("has no area, so it is never met", true)),
    }
}

fn is_flat(corners: &[[f32; 3]; 3]) -> bool {
    let edge = |n: usize| -> [f64; 3] {
        std::array::from_fn(|axis| f64::from(corners[n][axis]) - f64::from(corners[0][axis]))
    };
    let (a, b) = (edge(1), edge(2));
    (0..3).all(|n| a[(n + 1) % 3] * b[(n + 2) % 3] == a[(n + 2) % 3] * b[(n + 1) % 3])
}

fn place(instance: Instance, meshes: usize, (s, n): (usize, usize), flaws: &mut Vec<Flaw>) -> Option<Placed> {
    let at = || format!("structure {s}, instance {n}");
    if instance.mesh >= meshes {
        flaws.push(Flaw::wrong(at(), format!("shows mesh {}, and there are {meshes}", instance.mesh)));
        return None;
    }
    let numbers = [("custom index", instance.custom_index), ("offset", instance.offset)];
    for (name, _) in numbers.iter().filter(|(_, number)| *number >= 1 << 24) {
        flaws.push(Flaw::wrong(at(), format!("has a {name} of more than 24 bits; the most is 16777215")));
    }
    let Some(to_object) = instance.transform.inverse() else {
        flaws.push(Flaw::wrong(at(), "has a transform that makes it flat; it has to have an inverse"));
        return None;
    };
    Some(Placed { instance, to_object })
}
