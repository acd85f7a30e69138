//! Variables of the module and entry points.

use crate::error::{Fault, Res, fail};
use crate::ids::Id;
use crate::reader::Reader;
use crate::type_info::{Kind, TypeId};
use crate::words::Inst;
use chiaro_ir::{Binding, EntryPoint, Global, GlobalRef, Interpolation, Space, Stage};
use spirv::{AddressingModel, Decoration, ExecutionMode, ExecutionModel, MemoryModel};

impl Reader<'_> {
    /// Takes `OpVariable` outside of functions.
    pub(crate) fn declare_variable(&mut self, inst: &Inst<'_>) -> Res<()> {
        let (pointer, id) = (self.type_of_id(inst.word(0)?)?, inst.word(1)?);
        let (space, ty) = self.pointee(pointer)?;
        if space == Space::Function {
            return fail("a variable of a function stands outside of functions");
        }
        self.lines.at(inst.at);
        let init = inst.word(3).ok().map(|id| self.constant(id)).transpose()?;
        let global = Global {
            name: self.unique_name(id),
            space,
            ty: self.place_ty(space, ty),
            init,
            binding: self.binding(id),
            members: self.member_bindings(ty),
            coherent: self.variable_or_members(id, ty, Decoration::Coherent)
                || self.variable_or_members(id, ty, Decoration::Volatile),
            read_only: self.read_only(id, space, ty),
            span: self.lines.span(),
        };
        self.module.globals.push(global);
        self.variables.push(id);
        let global = GlobalRef(self.module.globals.len() as u32 - 1);
        let address = self.module.address(global);
        self.define(id, Id::Global(address, pointer, global))
    }

    /// A variable's name; a second one of the same name, or one of another's shape, gets its
    /// id behind it.
    fn unique_name(&mut self, id: u32) -> String {
        let name = self.name(id);
        if name.is_empty() || self.names_taken.insert(name.clone()) { name } else { format!("{name}.{id}") }
    }

    /// The structure that a type is, or is an array of.
    pub(crate) fn block(&self, mut ty: TypeId) -> Option<(TypeId, u32, u32)> {
        while let Kind::Array(elem, ..) = self.info(ty).kind {
            ty = elem;
        }
        match self.info(ty).kind {
            Kind::Struct { count, id, .. } => Some((ty, id, count)),
            _ => None,
        }
    }

    fn variable_or_members(&self, id: u32, ty: TypeId, kind: Decoration) -> bool {
        self.notes.has(id, kind)
            || self.block(ty).is_some_and(|(_, block, _)| self.notes.some_member_has(block, kind))
    }

    fn read_only(&self, id: u32, space: Space, ty: TypeId) -> bool {
        let not_written = || {
            let members =
                |(_, block, count)| self.notes.all_members_have(block, count, Decoration::NonWritable);
            self.notes.has(id, Decoration::NonWritable) || self.block(ty).is_some_and(members)
        };
        matches!(space, Space::Uniform | Space::PushConstant | Space::Input) || not_written()
    }

    /// How a variable meets the outside.
    fn binding(&self, id: u32) -> Binding {
        binding(self.notes.each(self.words.all, id))
    }

    /// The same for the members of a block; none when no member has a decoration that counts.
    fn member_bindings(&self, ty: TypeId) -> Vec<Binding> {
        let Some((_, id, count)) = self.block(ty) else { return Vec::new() };
        let all: Vec<Binding> =
            (0..count).map(|i| binding(self.notes.each_of_member(self.words.all, id, i))).collect();
        if all.iter().all(|b| *b == Binding::default()) { Vec::new() } else { all }
    }
}

fn binding<'w>(notes: impl Iterator<Item = (u32, &'w [u32])>) -> Binding {
    let mut b = Binding::default();
    for (kind, operands) in notes {
        let first = operands.first().copied();
        match Decoration::from_u32(kind) {
            Some(Decoration::Location) => b.location = first,
            Some(Decoration::Component) => b.component = first.unwrap_or(0),
            Some(Decoration::Index) => b.index = first.unwrap_or(0),
            Some(Decoration::BuiltIn) => b.builtin = first,
            Some(Decoration::DescriptorSet) => b.set = first,
            Some(Decoration::Binding) => b.binding = first,
            Some(Decoration::Flat) => b.interpolation = Interpolation::Flat,
            Some(Decoration::NoPerspective) => b.interpolation = Interpolation::Linear,
            Some(Decoration::Centroid) => b.centroid = true,
            Some(Decoration::Sample) => b.sample = true,
            Some(Decoration::Invariant) => b.invariant = true,
            Some(Decoration::Patch) => b.patch = true,
            _ => {}
        }
    }
    b
}

/// Reads entry points and execution modes; a fault comes with its word.
pub(crate) fn finish(r: &mut Reader<'_>) -> Result<(), (usize, Fault)> {
    let mut functions = Vec::new();
    for at in std::mem::take(&mut r.entries) {
        let id = entry_point(r, at).map_err(|fault| (at, fault))?;
        functions.push(id);
    }
    for at in std::mem::take(&mut r.modes) {
        execution_mode(r, at, &functions).map_err(|fault| (at, fault))?;
    }
    if let Some(size) = r.workgroup {
        let sizes = [0, 1, 2].map(|i| r.constant_part(size, i).ok().and_then(|c| r.module.constants.bits(c)));
        if let [Some(x), Some(y), Some(z)] = sizes {
            r.module.entries.iter_mut().for_each(|e| e.workgroup = [x as u32, y as u32, z as u32]);
        }
    }
    Ok(())
}

fn entry_point(r: &mut Reader<'_>, at: usize) -> Res<u32> {
    let Some(inst) = r.words.from(at).step()? else { return fail("an instruction is missing") };
    let id = inst.word(1)?;
    let Id::Function(function, _) = r.id(id)? else { return fail(format!("id %{id} is no function")) };
    let (name, words) = inst.text(2)?;
    let mut interface: Vec<GlobalRef> = Vec::new();
    for &variable in inst.rest(2 + words) {
        match r.id(variable)? {
            Id::Global(_, _, global) => interface.push(global),
            _ => return fail(format!("id %{variable} of the interface is no variable")),
        }
    }
    interface.sort_unstable();
    interface.dedup();
    let entry = EntryPoint {
        name,
        stage: stage(inst.word(0)?)?,
        function,
        interface,
        workgroup: [1; 3],
        modes: Vec::new(),
    };
    r.module.entries.push(entry);
    Ok(id)
}

/// Refuses OpenCL's flavour, whose pointers and kernels' arguments the IR has nothing for: said before anything that follows
/// from it.
pub(crate) fn check_model(addressing: u32, memory: u32) -> Res<()> {
    let addressing = AddressingModel::from_u32(addressing);
    let is_physical = matches!(addressing, Some(AddressingModel::Physical32 | AddressingModel::Physical64));
    if !is_physical && memory != MemoryModel::OpenCL as u32 {
        return Ok(());
    }
    let addressing = addressing.unwrap_or(AddressingModel::Logical);
    Err(opencl(format!("memory model {addressing:?} OpenCL")))
}

/// That a module is OpenCL's, and by what.
fn opencl(sign: String) -> Fault {
    let help = "make a Vulkan module of the OpenCL C with clspv, or write the kernel in GLSL or WGSL: there its arguments are buffers and push constants";
    Fault {
        help: Some(help),
        ..Fault::from(format!("OpenCL kernels are not compiled: this module has {sign}"))
    }
}

/// Refuses stages that the IR has nothing for: said before anything that follows from it.
pub(crate) fn check_stage(model: u32) -> Res<()> {
    use ExecutionModel as M;
    let stage = match M::from_u32(model) {
        Some(M::TaskEXT | M::TaskNV) => "task",
        Some(M::MeshEXT | M::MeshNV) => "mesh",
        Some(M::Kernel) => return Err(opencl("the execution model Kernel".to_owned())),
        _ => return Ok(()),
    };
    fail(format!(
        "a {stage} shader has no form in the IR, and no target has the stage: it becomes SPIR-V only"
    ))
}

fn stage(model: u32) -> Res<Stage> {
    use ExecutionModel as M;
    Ok(match M::from_u32(model) {
        Some(M::Vertex) => Stage::Vertex,
        Some(M::TessellationControl) => Stage::TessControl,
        Some(M::TessellationEvaluation) => Stage::TessEvaluation,
        Some(M::Geometry) => Stage::Geometry,
        Some(M::Fragment) => Stage::Fragment,
        Some(M::GLCompute) => Stage::Compute,
        Some(M::RayGenerationKHR) => Stage::RayGeneration,
        Some(M::IntersectionKHR) => Stage::Intersection,
        Some(M::AnyHitKHR) => Stage::AnyHit,
        Some(M::ClosestHitKHR) => Stage::ClosestHit,
        Some(M::MissKHR) => Stage::Miss,
        Some(M::CallableKHR) => Stage::Callable,
        Some(other) => return fail(format!("the execution model {other:?} is not supported")),
        None => return fail(format!("the execution model {model} is unknown")),
    })
}

fn execution_mode(r: &mut Reader<'_>, at: usize, functions: &[u32]) -> Res<()> {
    let Some(inst) = r.words.from(at).step()? else { return fail("an instruction is missing") };
    let (id, mode) = (inst.word(0)?, inst.word(1)?);
    let mut operands = inst.rest(2).to_vec();
    let by_id = inst.opcode() == Some(spirv::Op::ExecutionModeId);
    if by_id && ExecutionMode::from_u32(mode) == Some(ExecutionMode::LocalSizeId) {
        for operand in &mut operands {
            *operand = r.constant_u32(*operand)?;
        }
    }
    let size =
        matches!(ExecutionMode::from_u32(mode), Some(ExecutionMode::LocalSize | ExecutionMode::LocalSizeId));
    for (i, _) in functions.iter().enumerate().filter(|(_, f)| **f == id) {
        let entry = &mut r.module.entries[i];
        match operands[..] {
            [x, y, z] if size => entry.workgroup = [x, y, z],
            _ => entry.modes.push((mode, operands.clone())),
        }
    }
    Ok(())
}
