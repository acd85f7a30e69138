//! Small pipelines of GLSL, on the interpreter and in words.

use chiaro::trace::kernel::{Choice, Form, GROUP, Kernel, LAUNCH, kernel, name_of};
use chiaro::trace::{Joined, check, join, kind_of};
use chiaro::{
    GlslOptions, GlslStage, Inputs, LoadedModule, ModuleOptions, SimulateOptions, TARGETS, Trap, Value, Work,
    load_glsl,
};
use chiaro_diag::SourceMap;
use chiaro_ir::Module;
use chiaro_ir::interp::{Counts, Interpreter, NoImages, Stages, World};
use chiaro_opt::Cx;
use chiaro_rdna::abi::tree;
use chiaro_rdna::check::Config;
use chiaro_rdna::compile::finish::object;
use chiaro_rdna::compile::{Callables, Compiled, Options, compile_with};
use chiaro_rdna::container;
use chiaro_trace::{Geometry, Group, Instance, Mesh, Pipeline, Record, Scene, Shape, Table};
use std::collections::HashMap;

const HEAD: &str = "#version 460
#extension GL_EXT_ray_tracing : require
#extension GL_EXT_ray_query : require
#extension GL_EXT_ray_cull_mask : require
#extension GL_EXT_ray_tracing_position_fetch : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(set = 0, binding = 0) uniform accelerationStructureEXT world;
layout(set = 0, binding = 1) buffer Out { float words[]; };
";

/// A stage of a text behind the common head.
fn stage(kind: GlslStage, text: &str) -> LoadedModule {
    let mut sources = SourceMap::new();
    let file = sources.add("test", format!("{HEAD}{text}"));
    let (glsl, options) = (GlslOptions::default(), ModuleOptions::default());
    let loaded = load_glsl(&[(file, kind)], &glsl, &options, &mut sources, &mut |_, _, _| None);
    loaded.unwrap_or_else(|why| panic!("{why:?}")).remove(0)
}

/// Two walls across z = 1 and z = 3 from -1 to 1, and a box between them; the walls are no opaque ones.
fn walls() -> Mesh {
    let wall = |z: f32| {
        let [a, b, c, d] = [[-1.0, -1.0, z], [1.0, -1.0, z], [1.0, 1.0, z], [-1.0, 1.0, z]];
        Geometry { shape: Shape::Triangles(vec![[a, b, c], [a, c, d]]), opaque: false }
    };
    Mesh { geometries: vec![wall(3.0), wall(1.0)], ..Mesh::default() }
}

fn boxed() -> Mesh {
    let shape = Shape::Boxes(vec![[[-1.0, -1.0, 2.0], [1.0, 1.0, 2.5]]]);
    Mesh { geometries: vec![Geometry { shape, opaque: false }], ..Mesh::default() }
}

pub(crate) fn scene(instances: Vec<Instance>) -> Scene {
    Scene::new(vec![walls(), boxed()], vec![instances]).expect("the scene is sound").0
}

/// What words of the machine came to.
pub(crate) struct Words {
    pub floats: Vec<f32>,
    /// What is not proven of the contracts of functions.
    pub unproved: Vec<String>,
    /// What stages say of themselves.
    pub traps: Vec<Trap>,
    pub functions: usize,
}

/// A program in the making.
pub(crate) struct Program {
    stages: Vec<LoadedModule>,
    groups: Vec<Group>,
    pub table: Table,
    pub depth: u32,
}

impl Program {
    pub(crate) fn new(raygen: &str) -> Program {
        let table = Table { raygen: Record { group: Some(0), data: Vec::new() }, ..Table::default() };
        let stages = vec![stage(GlslStage::RayGeneration, raygen)];
        Program { stages, groups: vec![Group::General(0)], table, depth: 1 }
    }

    fn add(&mut self, kind: GlslStage, text: &str) -> usize {
        self.stages.push(stage(kind, text));
        self.stages.len() - 1
    }

    fn group(&mut self, group: Group) -> Record {
        self.groups.push(group);
        Record { group: Some(self.groups.len() - 1), data: Vec::new() }
    }

    pub(crate) fn miss(mut self, text: &str) -> Program {
        let stage = self.add(GlslStage::Miss, text);
        let record = self.group(Group::General(stage));
        self.table.miss.push(record);
        self
    }

    pub(crate) fn callable(mut self, text: &str) -> Program {
        let stage = self.add(GlslStage::Callable, text);
        let record = self.group(Group::General(stage));
        self.table.callable.push(record);
        self
    }

    /// A hit group with the stages that have a text: closest hit, any hit, intersection.
    pub(crate) fn hit(mut self, [closest, any, intersection]: [&str; 3]) -> Program {
        let kinds = [GlslStage::ClosestHit, GlslStage::AnyHit, GlslStage::Intersection];
        let [closest, any, intersection] = [(closest, kinds[0]), (any, kinds[1]), (intersection, kinds[2])]
            .map(|(text, kind)| (!text.is_empty()).then(|| self.add(kind, text)));
        let group = match intersection {
            Some(intersection) => Group::Procedural { closest, any, intersection },
            None => Group::Triangles { closest, any },
        };
        let record = self.group(group);
        self.table.hit.push(record);
        self
    }

    fn pipeline(&self) -> Pipeline {
        let kind = |loaded: &LoadedModule| kind_of(loaded.module.entries[0].stage).expect("a stage of rays");
        Pipeline {
            stages: self.stages.iter().map(kind).collect(),
            names: Vec::new(),
            groups: self.groups.clone(),
            table: self.table.clone(),
            depth: self.depth,
        }
    }

    fn joined(&self, pipeline: &Pipeline) -> Joined {
        assert_eq!(pipeline.check(), []);
        let names: Vec<String> = (0..self.stages.len()).map(|n| format!("stage{n}")).collect();
        let modules = self.stages.iter().map(|stage| &stage.module);
        let named: Vec<(&str, &Module)> = names.iter().map(String::as_str).zip(modules).collect();
        let joined = join(&named);
        assert_eq!(chiaro_ir::verify(&joined.module), Ok(()));
        joined
    }

    /// What a launch leaves in words of RDNA2, and what is not proven of the contracts of its functions.
    pub(crate) fn words(
        &self,
        form: Form,
        scene: &Scene,
        (size, floats, wave): ([u32; 3], usize, u8),
    ) -> Words {
        let pipeline = self.pipeline();
        let joined = self.joined(&pipeline);
        assert!(check(&joined, &pipeline).is_empty());
        let made =
            kernel(&joined, &pipeline, Choice { form: Some(form), recursion: None }, &mut Cx::default());
        let compiled = compiled(made.unwrap_or_else(|why| panic!("{why:?}")), wave);
        let unproved = compiled.contracts(Config { wave, group: None }).into_iter();
        let unproved = unproved.map(|(of, found)| format!("{of}: {}", found.finding.message)).collect();
        let (floats, traps) = simulated(&compiled, &joined.module, scene, (size, floats));
        Words { floats, unproved, traps, functions: compiled.functions.len() }
    }

    /// The floats that one launch of so many leaves, and what rays did.
    pub(crate) fn launch(
        &self,
        scene: &Scene,
        size: [u32; 3],
        floats: usize,
    ) -> Result<(Vec<f32>, Counts), String> {
        let pipeline = self.pipeline();
        let joined = self.joined(&pipeline);
        if let Some(wrong) = check(&joined, &pipeline).first() {
            return Err(wrong.message.clone());
        }
        let mut interpreter = Interpreter::new(&joined.module, &joined.module.entries[0]);
        interpreter.aliases.clone_from(&joined.aliases);
        interpreter.options.depth = 256;
        let out = interpreter.bound(0, 1).expect("the common head has it");
        interpreter.set(out, vec![0; floats * 4]);
        assert_eq!(interpreter.add_block(memory()), MEMORY);
        let stages = Some(Stages { pipeline: &pipeline, parts: joined.parts.clone() });
        interpreter.world = Some(World { scene, structures: HashMap::new(), stages });
        let report = interpreter.trace(size, &mut NoImages).map_err(|fault| fault.to_string())?;
        let bytes = interpreter.bytes(out).expect("it was set");
        let (words, _) = bytes.as_chunks::<4>();
        Ok((words.iter().map(|word| f32::from_le_bytes(*word)).collect(), report.rays))
    }

    pub(crate) fn one(&self, scene: &Scene, floats: usize) -> Vec<f32> {
        self.launch(scene, [1, 1, 1], floats).expect("it runs").0
    }
}

/// Where memory without a variable begins.
const MEMORY: u64 = 1 << 32;

/// Sixteen numbers that an address leads to: 0, 10, 20 and so on.
fn memory() -> Vec<u8> {
    (0..16).flat_map(|n| (n as f32 * 10.0).to_le_bytes()).collect()
}

fn compiled(Kernel { module, kept, depth, together, .. }: Kernel, wave: u8) -> Compiled {
    // Variables of one binding have one name.
    let found = chiaro_ir::verify(&module).err().unwrap_or_default();
    assert!(found.iter().all(|breach| breach.message.starts_with("there are two variables")), "{found:?}");
    let options = Options { wave, ..Options::default() };
    let recursion = (!kept.is_empty()).then_some(depth);
    let together = together.into_iter().collect();
    let callables = Callables { names: kept, recursion, together, ..Callables::default() };
    let made = compile_with(&mut module.clone(), "main", options, &callables, &mut Cx::default());
    made.unwrap_or_else(|why| panic!("{why:?}"))
}

/// The floats that a launch of a kernel leaves, of the variables of these stages.
fn simulated(
    compiled: &Compiled,
    stages: &Module,
    scene: &Scene,
    (size, floats): ([u32; 3], usize),
) -> (Vec<f32>, Vec<Trap>) {
    let bound = |n: u32| stages.globals.iter().filter(move |global| global.binding.binding == Some(n));
    let tree = tree::build(scene, 0).expect("a tree");
    let mut resources: Vec<(String, Value)> =
        bound(0).map(|global| (name_of(global), Value::Bytes(tree.clone()))).collect();
    let bytes = |words: &[u32]| Value::Bytes(words.iter().flat_map(|word| word.to_le_bytes()).collect());
    let out = name_of(bound(1).next().expect("the common head has it"));
    resources.push((LAUNCH.to_owned(), bytes(&size)));
    resources.push((format!("memory:{MEMORY:#x}"), Value::Bytes(memory())));
    resources.push((out.clone(), bytes(&vec![0; floats])));
    let work = Work::Dispatch(std::array::from_fn(|n| size[n].div_ceil(GROUP[n])));
    let container = container::write(&object(compiled, "main")).expect("it can be written");
    let options = SimulateOptions { shared: true, ..SimulateOptions::default() };
    let target = TARGETS.named("rdna").expect("it is there");
    let made = target.simulate(&container, &Inputs { resources, work }, &options);
    let made = made.unwrap_or_else(|why| panic!("{why:?}"));
    let other = made.faults.iter().find(|fault| fault.trap.is_none());
    assert_eq!(other.map(|fault| &fault.cause), None);
    let traps = made.faults.into_iter().filter_map(|fault| fault.trap).collect();
    let left = made.resources.into_iter().find_map(|(name, value)| match value {
        Value::Bytes(bytes) if name == out => Some(bytes),
        _ => None,
    });
    let left = left.expect("the buffer is written");
    (left.as_chunks::<4>().0.iter().map(|word| f32::from_le_bytes(*word)).collect(), traps)
}
