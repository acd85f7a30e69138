//! What the benchmarks and the whole-tool figures measure: the same programs, vertices
//! and sources, so that both say the same.
#![allow(dead_code, reason = "each benchmark uses a part")]

use std::sync::Arc;

use chiaro_pica200::machine::{Config, Layout, LoadError, Machine, Program};

/// Programs of usual sizes as picasso assembles them: name, words, descriptors, inputs,
/// outputs.
const PROGRAMS: &str = include_str!("../programs.tsv");
/// Vertices in a run: inputs and outputs stay in the second-level cache.
pub(crate) const VERTICES: usize = 1024;

/// A row of the list of programs.
pub(crate) struct Sample {
    pub(crate) name: &'static str,
    pub(crate) code: Vec<u32>,
    pub(crate) descriptors: Vec<[u32; 2]>,
    pub(crate) layout: Layout,
}

/// All programs.
///
/// # Panics
/// If a row of the list is damaged.
pub(crate) fn programs() -> Vec<Sample> {
    let rows = PROGRAMS.lines().filter(|row| !row.is_empty() && !row.starts_with('#'));
    rows.map(|row| sample(row).unwrap_or_else(|| panic!("not a row of a program: {row}"))).collect()
}

fn sample(row: &'static str) -> Option<Sample> {
    let [name, code, descriptors, inputs, outputs] = row.split('\t').collect::<Vec<_>>().try_into().ok()?;
    let words = |text: &str| {
        text.split(' ').map(|word| u32::from_str_radix(word, 16).ok()).collect::<Option<Vec<_>>>()
    };
    let numbers = |text: &str| text.split(' ').map(|n| n.parse().ok()).collect::<Option<Vec<u8>>>();
    Some(Sample {
        name,
        code: words(code)?,
        descriptors: words(descriptors)?.into_iter().map(|d| [d, 0]).collect(),
        layout: Layout { inputs: numbers(inputs)?, outputs: numbers(outputs)? },
    })
}

impl Sample {
    /// A machine with the program and the uniforms that it reads.
    pub(crate) fn machine(&self, config: &Config) -> Result<Machine, LoadError> {
        let program = Program::load(&self.code, &self.descriptors, 0, config)?;
        let mut machine = Arc::new(program).machine();
        for n in 0..96 {
            let x = f32::from(n);
            machine.set_float(n, [0.5 + 0.01 * x, 0.25 - 0.02 * x, 0.125 * x, 1.0]);
        }
        // Constants of the programs: zeros and ones, and the loop of the skinning program.
        machine.set_float(95, [0.0, 1.0, 0.5, 16.0]);
        machine.set_float(94, [1.0, 0.0, 0.0, 0.0]);
        machine.set_int(3, [3, 0, 1, 0]);
        Ok(machine)
    }

    /// The inputs of all vertices: ordinary positive values; the fifth row of a vertex
    /// holds bone indices.
    pub(crate) fn vertices(&self) -> Vec<[f32; 4]> {
        let rows = self.layout.inputs.len();
        let value = |vertex: usize, row: usize, k: usize| match row {
            4 => ((vertex * 7 + k * 5) % 20 * 3) as f32,
            _ => ((vertex * 37 + row * 11 + k * 3) % 100) as f32 * 0.01 + 0.1,
        };
        let row = |i: usize| [0, 1, 2, 3].map(|k| value(i / rows, i % rows, k));
        (0..VERTICES * rows).map(row).collect()
    }

    /// Room for the outputs of all vertices.
    pub(crate) fn outputs(&self) -> Vec<[f32; 4]> {
        vec![[0.0; 4]; VERTICES * self.layout.outputs.len()]
    }
}

/// The source of a geometry program, which may be long, with `count` instructions of all
/// formats.
pub(crate) fn source(count: usize) -> String {
    let head = ".gsh point c0\n.fvec proj[4], light\n.in inpos\n.out pos position\n.proc main\n";
    let lines = [
        "\tdp4 r0.x, proj[0], inpos ; row\n",
        "\tmul r1.xyz, light.xxyz, -r0\n",
        "\tmad r2, r1, light, r0.wzyx\n",
        "\tmov r6, r2\n",
        "\tadd r3, c90[aL+1], r2\n",
        "\trsq r4.w, r3.x\n",
        "\tcmp r4, ge, lt, r3\n",
        "\tmax r5, c7, r4\n",
    ];
    let body: String = lines.into_iter().cycle().take(count - 2).collect();
    format!("{head}{body}\tmov pos, r6\n\tend\n.end\n")
}
