//! The geometry stage: primitives of vertices to triangles of new ones.

use chiaro_ir::interp::Exact;
use chiaro_ir::{Space, Type};
use spirv::{BuiltIn, ExecutionMode};

use super::program::{Program, Uniforms, Vertices, set_uniforms};
use super::raster::{Triangle, triangles};
use crate::stages::scene::{Scene, block_name};

/// The primitives of `count` vertices from `first` on. `None` for kinds that are not known.
pub(super) fn primitives(kind: &str, first: usize, count: usize) -> Option<Vec<Vec<usize>>> {
    let runs = |size: usize, step: usize| -> Vec<Vec<usize>> {
        let last = count.checked_sub(size).map_or(0, |rest| rest / step + 1);
        (0..last).map(|i| (0..size).map(|k| first + i * step + k).collect()).collect()
    };
    Some(match kind {
        "GL_POINTS" => runs(1, 1),
        "GL_LINES" => runs(2, 2),
        "GL_LINE_STRIP" => runs(2, 1),
        "GL_LINE_LOOP" => {
            let mut all = runs(2, 1);
            all.extend((count > 1).then(|| vec![first + count - 1, first]));
            all
        }
        "GL_LINES_ADJACENCY" => runs(4, 4),
        "GL_LINE_STRIP_ADJACENCY" => runs(4, 1),
        "GL_TRIANGLES_ADJACENCY" => runs(6, 6),
        "GL_TRIANGLE_STRIP_ADJACENCY" => adjacent_strip(first, count),
        _ => triangles(kind, first, count)?.iter().map(|t| t.corners.to_vec()).collect(),
    })
}

/// [OpenGL 4.6, table 10.1]
fn adjacent_strip(first: usize, count: usize) -> Vec<Vec<usize>> {
    let n = count.saturating_sub(4) / 2;
    let one = |i: usize| {
        let (is_first, is_last) = (i == 0, i + 1 == n);
        let beyond = if is_last { 2 * i + 5 } else { 2 * i + 6 };
        let before = if is_first { 1 } else { 2 * i - 2 };
        match i % 2 {
            0 => [2 * i, before, 2 * i + 2, beyond, 2 * i + 4, 2 * i + 3],
            _ => [2 * i + 2, before, 2 * i, 2 * i + 3, 2 * i + 4, beyond],
        }
    };
    (0..n).map(|i| one(i).iter().map(|k| first + k).collect()).collect()
}

impl Program {
    /// Runs the geometry shader on primitives: the vertices that it emits, and their triangles.
    pub(super) fn primitives(
        &self,
        uniforms: &Uniforms,
        vertices: &Vertices,
        primitives: &[Vec<usize>],
    ) -> Result<(Vertices, Vec<Triangle>), String> {
        let reading = self.geometry.as_ref().ok_or("there is no geometry shader")?;
        let module = &reading.module;
        let entry = module.entries.first().ok_or("the module has no entry point")?;
        let mode = |wanted: ExecutionMode| entry.modes.iter().find(|(mode, _)| *mode == wanted as u32);
        let number = |wanted| mode(wanted).and_then(|(_, numbers)| numbers.first()).map(|&n| n as usize);
        let times = number(ExecutionMode::Invocations).unwrap_or(1).max(1);
        let most = number(ExecutionMode::OutputVertices).unwrap_or(usize::MAX);
        if mode(ExecutionMode::OutputTriangleStrip).is_none() {
            return Err("SKIP points and lines".to_owned());
        }
        let mut scene = Scene::new(module, Exact, primitives.len() * times)?;
        set_uniforms(&mut scene, reading, uniforms);
        for (i, vertices_of) in primitives.iter().enumerate() {
            for time in 0..times {
                let lane = i * times + time;
                scene.builtin(BuiltIn::PrimitiveId as u32, lane, &[i as f64]);
                scene.builtin(BuiltIn::InvocationId as u32, lane, &[time as f64]);
                for global in module.globals.iter().filter(|g| g.space == Space::Input) {
                    if let Type::Array(elem, ..) = *module.types.get(global.ty) {
                        let words = gathered(module, global, elem, vertices, vertices_of);
                        scene.input_words(&global.name, lane, &words);
                    }
                }
            }
        }
        let lanes = primitives.len() * times;
        let outcome = scene.run()?;
        let (mut rows, mut found) = (Vec::new(), Vec::new());
        for lane in 0..lanes {
            let mut strip = Vec::new();
            let own = outcome.report.emitted.iter().filter(|event| event.lane as usize == lane);
            let mut emitted = 0;
            for event in own.filter(|event| event.stream == 0) {
                if event.ends {
                    close(&mut strip, &mut found);
                } else if emitted < most {
                    emitted += 1;
                    strip.push(rows.len());
                    rows.push(outcome.emitted(event));
                }
            }
            close(&mut strip, &mut found);
        }
        Ok((Vertices::of(rows.into_iter()), found))
    }
}

/// The triangles of a strip that is complete.
fn close(strip: &mut Vec<usize>, found: &mut Vec<Triangle>) {
    if let Some(&first) = strip.first() {
        found.extend(triangles("GL_TRIANGLE_STRIP", first, strip.len()).unwrap_or_default());
    }
    strip.clear();
}

/// The words of an input, vertex by vertex; members of `gl_in` come from outputs of their names.
fn gathered(
    module: &chiaro_ir::Module,
    global: &chiaro_ir::Global,
    elem: chiaro_ir::Ty,
    vertices: &Vertices,
    of: &[usize],
) -> Vec<u32> {
    let size = |ty| module.types.scalars(ty) as usize;
    let mut words = Vec::new();
    for &vertex in of {
        let mut take = |name: &str, size: usize| {
            let given = vertices.words(name, vertex).unwrap_or_default();
            words.extend((0..size).map(|k| given.get(k).copied().unwrap_or(0)));
        };
        match module.types.get(elem) {
            Type::Struct(_, members) if global.members.iter().any(|m| m.builtin.is_some()) => {
                members.iter().for_each(|member| take(&member.name, size(member.ty)));
            }
            Type::Struct(..) => take(block_name(module, elem), size(elem)),
            _ => take(&global.name, size(elem)),
        }
    }
    words
}
