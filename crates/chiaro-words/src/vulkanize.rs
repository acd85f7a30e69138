//! From the OpenGL flavour of SPIR-V to the Vulkan one, as a pass over words.
//!
//! Before: `UniformConstant` variables may be of any type, structures may hold samplers, sets,
//! bindings and locations may be missing.
//!
//! ```text
//! %lights = OpVariable %_ptr_UniformConstant__arr_Light UniformConstant   ; { sampler2D tex; vec4 color; }
//! %scale  = OpVariable %_ptr_UniformConstant_float UniformConstant
//! %p      = OpAccessChain %_ptr_UniformConstant_v4float %lights %i %int_1
//! %c      = OpLoad %v4float %p
//! ```
//!
//! After: these variables are members of one std140 block, the samplers are variables of their
//! own (arrays of arrays laid flat), and every variable of the interface has its numbers.
//!
//! ```text
//! %u   = OpVariable %_ptr_Uniform_Uniforms Uniform    ; { struct { vec4 color; } lights[]; float scale; }
//! %tex = OpVariable %_ptr_UniformConstant__arr_sampler2D UniformConstant
//! %p   = OpAccessChain %_ptr_Uniform_v4float %u %uint_0 %i %uint_0
//! %c   = OpLoad %v4float %p
//! ```
//!
//! - Truth values become 32-bit numbers in the block; loads compare with zero.
//! - Sets and bindings that are given stay, without a set in set 0, unless something of
//!   another kind is there: in OpenGL, buffers and samplers count apart. The block of loose
//!   uniforms comes first among the rest, which take the lowest free numbers.
//! - The stages of a program share one table of bindings ([`Bindings`]): blocks and samplers of
//!   one name get one number, different ones different numbers.
//! - Locations that are missing are the lowest free ones, in the order of declaration. OpenGL
//!   matches stages by name; who links stages has to give locations before.
//! - The origin of fragments moves from the lower left to the upper left. Clip coordinates
//!   pass through as they are, so +y changes its side too and each fragment keeps its place in
//!   memory; the built-ins for vertex and instance numbers get Vulkan's names.
//! - Initial values of uniforms are the host program's to set.

mod bind;
mod carry;
mod head;
mod layout;
mod place;
mod split;

use std::collections::{HashMap, HashSet};

use chiaro_diag::{Diagnostic, Span};
use spirv::{Decoration, Op, StorageClass};

use crate::derive::derive;
use crate::grammar::{Role, Roles};
use crate::instruction::{Instruction, Malformed, header, instructions};
use crate::module::Module;
use crate::scan::{Global, Scan, Shape};
use crate::small;
use crate::write::{Builder, Id, Part};
pub use bind::Bindings;
use carry::carry_over;
use layout::Laid;
use place::Place;
use split::Split;

/// Loads of parts that all copies of whole structures and arrays may take together.
const MOST_PARTS: usize = 1 << 16;

/// The module as Vulkan takes it.
///
/// # Errors
/// Words that cannot be read, and uses of loose uniforms that Vulkan has nothing for, such as
/// a copy of a whole structure that holds samplers.
pub fn vulkanize(module: &Module) -> Result<Module, Box<Diagnostic>> {
    vulkanize_stage(module, &mut Bindings::default())
}

/// A stage of a program as Vulkan takes it: what the stages before it bind stays bound, and what
/// they share has one number.
///
/// # Errors
/// As [`vulkanize`].
pub fn vulkanize_stage(module: &Module, bindings: &mut Bindings) -> Result<Module, Box<Diagnostic>> {
    let scan = Scan::of(&module.words);
    let mut pass = Pass::new(module, &scan)?;
    pass.reject_nested_blocks()?;
    pass.collect_places()?;
    pass.split_samplers()?;
    pass.assign_numbers(bindings);
    pass.copy_head()?;
    pass.declare()?;
    pass.copy_functions()?;
    pass.finish()
}

/// A variable that moves into the block, or whose samplers leave it, or both.
struct Loose {
    global: Global,
    /// Its place in the block, if anything of it goes there.
    member: Option<u32>,
}

struct Pass<'a> {
    module: &'a Module,
    scan: &'a Scan<'a>,
    out: Builder,
    /// Whether there is an entry point for vertices.
    is_vertex: bool,
    loose: Vec<Loose>,
    roots: HashMap<Id, usize>,
    splits: Vec<Split>,
    by_path: HashMap<(Id, Vec<u32>), usize>,
    block: Option<Id>,
    laid: HashMap<Id, Option<Laid>>,
    /// Pointers into loose variables, by the id of their access chain.
    places: HashMap<Id, Place>,
    /// Samplers and images that stay what they are.
    samplers: HashSet<Id>,
    sets: HashMap<Id, (u32, u32)>,
    locations: HashMap<Id, u32>,
    parts: usize,
    span: Option<Span>,
}

impl<'a> Pass<'a> {
    fn new(module: &'a Module, scan: &'a Scan) -> Result<Self, Box<Diagnostic>> {
        let (version, bound) = header(&module.words).map_err(broken)?;
        let mut out = Builder::resume(version, bound);
        let mut loose = Vec::new();
        for global in scan.globals.iter().filter(|g| is_loose(scan, g)) {
            loose.push(Loose { global: *global, member: None });
        }
        let mut members = 0;
        for variable in &mut loose {
            if has_plain(scan, variable.global.ty) {
                variable.member = Some(members);
                members += 1;
            }
        }
        Ok(Pass {
            module,
            is_vertex: false,
            scan,
            block: (members > 0).then(|| out.fresh()),
            out,
            roots: loose.iter().enumerate().map(|(i, l)| (l.global.id, i)).collect(),
            loose,
            splits: Vec::new(),
            by_path: HashMap::new(),
            laid: HashMap::new(),
            places: HashMap::new(),
            samplers: scan
                .globals
                .iter()
                .filter(|g| g.class == StorageClass::UniformConstant)
                .map(|g| g.id)
                .collect(),
            sets: HashMap::new(),
            locations: HashMap::new(),
            parts: 0,
            span: None,
        })
    }

    fn error(&self, message: impl Into<String>) -> Box<Diagnostic> {
        Box::new(Diagnostic::error(self.span, message))
    }

    /// Whether an id is a loose variable, a pointer into one, or a type that Vulkan does not
    /// have.
    fn is_gone(&self, id: Id) -> bool {
        self.roots.contains_key(&id) || self.places.contains_key(&id) || self.is_mixed(id)
    }

    /// Whether a type is a structure with something opaque inside, or made of such ones.
    fn is_mixed(&self, mut ty: Id) -> bool {
        if let Shape::Pointer(_, to) = self.scan.shape(ty) {
            ty = to;
        }
        let inner = self.scan.without_arrays(ty).0;
        matches!(self.scan.shape(inner), Shape::Struct(_))
            && self.scan.holds_opaque(ty)
            && !self.scan.is_in_heap(inner)
    }

    /// The block, the samplers that left structures, and the numbers of all variables.
    fn declare(&mut self) -> Result<(), Box<Diagnostic>> {
        self.declare_block()?;
        for i in 0..self.splits.len() {
            let Split { id, ty, ref dims, .. } = self.splits[i];
            let count = dims.iter().try_fold(1u32, |n, &d| n.checked_mul(d));
            let count = count.ok_or_else(|| self.error("an array of samplers is too large"))?;
            let ty = if dims.is_empty() { ty } else { self.array(ty, count) };
            let pointer = self.out.pointer(StorageClass::UniformConstant, ty);
            let class = StorageClass::UniformConstant as u32;
            self.out.push(Part::Declaration, Op::Variable, &[pointer, id, class]);
            self.out.name(id, &self.split_name(i));
        }
        let mut sets: Vec<_> = self.sets.iter().map(|(&id, &at)| (id, at)).collect();
        sets.sort_unstable();
        for (id, (set, binding)) in sets {
            self.out.decorate(id, Decoration::DescriptorSet, &[set]);
            self.out.decorate(id, Decoration::Binding, &[binding]);
        }
        let mut locations: Vec<_> = self.locations.iter().map(|(&id, &at)| (id, at)).collect();
        locations.sort_unstable();
        for (id, location) in locations {
            self.out.decorate(id, Decoration::Location, &[location]);
        }
        Ok(())
    }

    /// An array type of samplers; strides make others differ.
    fn array(&mut self, elem: Id, count: u32) -> Id {
        let count = self.out.uint(count);
        self.out.ty(Op::TypeArray, &[elem, count])
    }

    fn copy_functions(&mut self) -> Result<(), Box<Diagnostic>> {
        let mut roles = Roles::new();
        let mut in_functions = false;
        for (i, inst) in instructions(&self.module.words).enumerate() {
            let inst = inst.map_err(broken)?;
            in_functions |= inst.op == Op::Function;
            if self.loose.is_empty() && !in_functions {
                continue;
            }
            self.span = self.module.spans.get(i).copied().flatten();
            self.out.at(self.span);
            if self.loose.is_empty() {
                self.out.copy(inst.op, inst.operands);
                continue;
            }
            let roles = roles.of(&inst).map_err(broken)?;
            if in_functions {
                self.instruction(&inst, roles)?;
            }
        }
        self.span = None;
        Ok(())
    }

    fn instruction(&mut self, inst: &Instruction<'_>, roles: &[Role]) -> Result<(), Box<Diagnostic>> {
        let is_loose = |id: Id| self.roots.contains_key(&id) || self.places.contains_key(&id);
        let is_used = |(&word, role): (&Id, &Role)| *role == Role::Id && is_loose(word);
        if roles.first() == Some(&Role::Type) {
            if self.places.contains_key(&inst.word(1)) {
                return Ok(());
            }
            if self.is_mixed(inst.word(0)) {
                return Err(
                    self.error("structures that hold samplers cannot be copied or passed on in Vulkan")
                );
            }
        }
        if !inst.operands.iter().zip(roles).any(is_used) {
            self.out.copy(inst.op, inst.operands);
            return Ok(());
        }
        if inst.op == Op::Load {
            return self.load(inst);
        }
        let mut operands = inst.operands.to_vec();
        for (word, role) in operands.iter_mut().zip(roles) {
            if *role == Role::Id && (self.roots.contains_key(word) || self.places.contains_key(word)) {
                *word = self.opaque_pointer(*word)?;
            }
        }
        self.out.copy(inst.op, &operands);
        Ok(())
    }

    /// Arrays of blocks are flat in Vulkan. [Vulkan, VUID-StandaloneSpirv-Uniform-06807]
    fn reject_nested_blocks(&self) -> Result<(), Box<Diagnostic>> {
        let nested = |global: &&Global| {
            matches!(global.class, StorageClass::Uniform | StorageClass::StorageBuffer)
                && self.scan.without_arrays(global.ty).1.len() > 1
        };
        match self.scan.globals.iter().find(nested) {
            None => Ok(()),
            Some(global) => {
                let name = self.scan.name(global.id);
                let message = format!("`{name}` is an array of arrays of blocks, which Vulkan does not have");
                let error = *self.error(message);
                Err(Box::new(error.help("declare a flat array and compute its index")))
            }
        }
    }

    fn finish(self) -> Result<Module, Box<Diagnostic>> {
        let names: Vec<(Id, Vec<String>)> =
            (0..self.splits.len()).map(|i| (self.splits[i].id, self.leaf_names(i))).collect();
        let too_long = |e: crate::write::TooLong| Box::new(Diagnostic::error(e.span, e.to_string()));
        let mut module = self.out.finish().map_err(too_long)?;
        // Small numbers among loose uniforms are in a block now.
        small::settle(&mut module);
        module.interface = carry_over(&self.module.interface, derive(&module.words), &names);
        Ok(module)
    }
}

/// Whether a variable is none that Vulkan has: not a single sampler or image, nor a plain
/// array of these.
fn is_loose(scan: &Scan, global: &Global) -> bool {
    let (ty, sizes) = scan.without_arrays(global.ty);
    let is_single = scan.shape(ty) == Shape::Opaque && sizes.len() <= 1;
    global.class == StorageClass::UniformConstant && !is_single && scan.shape(ty) != Shape::Other
}

/// Whether anything in a type is not opaque. Types nest without end only through
/// [`Scan`]'s limits, but may double at each level, hence the early exit.
fn has_plain(scan: &Scan, ty: Id) -> bool {
    fn visit(scan: &Scan, ty: Id, seen: &mut HashSet<Id>) -> bool {
        seen.insert(ty)
            && match scan.shape(ty) {
                Shape::Opaque | Shape::Other | Shape::Pointer(..) => false,
                Shape::Array(inner, _) | Shape::Matrix(inner, _) | Shape::Vector(inner, _) => {
                    visit(scan, inner, seen)
                }
                Shape::Struct(members) => members.iter().any(|&m| visit(scan, m, seen)),
                Shape::Bool | Shape::Number(_) => true,
            }
    }
    visit(scan, ty, &mut HashSet::new())
}

fn broken(error: Malformed) -> Box<Diagnostic> {
    Box::new(Diagnostic::error(None, format!("the module cannot be read: {error}")))
}
