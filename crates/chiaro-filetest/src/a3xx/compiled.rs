//! `shader_io.jsonl` with the words of our compiler, on the simulator: both ways of running agree
//! bit for bit without a fault, and values are within the row's tolerance.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use chiaro_a3xx::abi::{Interface, Sink, Source};
use chiaro_a3xx::asm::padded;
use chiaro_a3xx::compile::{Compiled, Options, compile};
use chiaro_a3xx::machine::{Binding, Config, Machine, Mode, Program};
use chiaro_ir::{Global, Module};
use chiaro_opt::Cx;
use chiaro_sim::LANES;
use serde_json::Value;

use super::driver::{BLOCK_ADDRESS, BLOCK_STRIDE, Driver, Input, Place, uniform};
use super::is_comment;
use super::shader_io::{QUAD, run};
use crate::stages::a3xx::{numbers, samples};
use crate::stages::texture::{image_of, make};
use crate::stages::{Shader, judge};
use crate::suite::{Miss, Row};

/// A row with our words.
pub(super) fn on_simulator(row: &Row<'_>) -> Result<(), Miss> {
    let values = row.json()?;
    if is_comment(&values) {
        return Err(Miss::Skipped("the head of the file".into()));
    }
    let name = values["name"].as_str().ok_or("the row has no `name`")?;
    check(&values, row.folder, name).map_err(|miss| match miss {
        Miss::Failed(reason) => Miss::Failed(format!("{name}: {reason}")),
        skipped => skipped,
    })
}

fn check(row: &Value, folder: &Path, name: &str) -> Result<(), Miss> {
    let (shader, made) = made(row, folder, name)?;
    let words = padded(&made.words);
    let driver = driver(&made.interface, row, &shader.module)?;
    let found = run(&driver, row, &words, Mode::Functional)?;
    let timed = run(&driver, row, &words, Mode::Timed)?;
    if timed != found {
        return Err(Miss::Failed("both ways of running differ".to_owned()));
    }
    Ok(judge::judge(row, &shader, found)?)
}

/// The shader of a row, and what the compiler makes of it.
fn made(row: &Value, folder: &Path, name: &str) -> Result<(Shader, Compiled), Miss> {
    let stage = row["stage"].as_str().unwrap_or_default();
    let shader = Shader::compile(&folder.join("shaders").join(format!("{name}.{stage}")))?;
    let mut cx = Cx { verify: true, ..Cx::default() };
    let entry = shader.module.entries.first().map_or_else(String::new, |entry| entry.name.clone());
    let made = compile(&mut shader.module.clone(), &entry, Options::default(), &mut cx);
    let made = made.map_err(|errors| {
        let why = errors.first().map_or("no reason given", |error| &error.message);
        Miss::Skipped(format!("the compiler refuses it: {why}"))
    })?;
    Ok((shader, made))
}

/// Fiber-instructions of a row's program, and the seconds of its fastest run.
pub(crate) struct Speed {
    pub(crate) executed: u64,
    pub(crate) seconds: f64,
}

/// Runs the programs of all rows on full waves, each so many times. What the compiler refuses is left out.
pub(crate) fn speeds(folder: &Path, runs: usize) -> Result<Vec<Speed>, Miss> {
    let path = folder.join("shader_io.jsonl");
    let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let rows = text.lines().enumerate().filter(|(_, text)| text.starts_with('{'));
    let mut all = Vec::new();
    for (n, text) in rows {
        let values = Row { folder, line: n + 1, text }.json()?;
        let Some(name) = values["name"].as_str() else { continue };
        if let Ok((shader, made)) = made(&values, folder, name) {
            let driver = driver(&made.interface, &values, &shader.module)?;
            all.push(speed(&driver, &values, &padded(&made.words), runs)?);
        }
    }
    Ok(all)
}

/// Samples are taken in turns until the wave is full; registers are loaded anew before each run.
fn speed(driver: &Driver, row: &Value, words: &[u64], runs: usize) -> Result<Speed, Miss> {
    let (count, quad) = (samples(row)?.len(), if row["stage"] == "frag" { QUAD } else { 1 });
    let config = Config { mode: Mode::Functional, ..Config::default() };
    let mut machine = Machine::new(Arc::new(Program::new(words, &config)));
    let mut world = driver.world();
    machine.load_constants(&world);
    let mut speed = Speed { executed: 0, seconds: f64::INFINITY };
    for _ in 0..runs {
        machine.clear();
        for lane in 0..LANES {
            driver.load(&mut machine, row, lane / quad % count.max(1), lane, lane % quad);
        }
        machine.start(LANES);
        let start = Instant::now();
        machine.run(&mut world);
        speed.seconds = speed.seconds.min(start.elapsed().as_secs_f64());
        speed.executed = machine.issued();
    }
    Ok(speed)
}

/// What a driver does by the interface.
fn driver(interface: &Interface, row: &Value, module: &Module) -> Result<Driver, String> {
    let mut driver = Driver::default();
    constants(&mut driver, interface, row);
    for texture in &interface.textures {
        let global = named(module, &texture.name).ok_or("a texture that the source lacks")?;
        let (image, _) = image_of(module, global.ty).ok_or("a texture of another type")?;
        let units = uniform(row, &texture.name).map(|u| numbers(&u["unit"])).unwrap_or_default();
        for unit in units {
            let (texture, sampler) = make(unit as u32, &image);
            driver.textures.push(Binding { texture: Arc::new(texture), shape: (&image).into() });
            driver.samplers.push(sampler);
        }
    }
    inputs(&mut driver, interface, module);
    outputs(&mut driver, interface, row);
    Ok(driver)
}

fn named<'m>(module: &'m Module, name: &str) -> Option<&'m Global> {
    module.globals.iter().find(|global| global.name == name)
}

/// The bits of a uniform's values.
fn bits(found: &Value) -> Vec<u32> {
    let integer = found["type"].as_str().is_some_and(|t| t.starts_with(['i', 'u']));
    let word = |v: f64| if integer { v as i64 as u32 } else { (v as f32).to_bits() };
    numbers(&found["v"]).into_iter().map(word).collect()
}

fn constants(driver: &mut Driver, interface: &Interface, row: &Value) {
    for u in &interface.uniforms {
        match &u.block {
            Some(block) => {
                let first = interface.uniforms.iter().filter(|o| o.block == u.block).map(|o| o.at).min();
                if let Some(found) = uniform(row, block).filter(|_| first == Some(u.at)) {
                    driver.constants.push((u.at.into(), bits(found)));
                }
            }
            None => {
                let Some(found) = uniform(row, &u.name) else { continue };
                for (n, entry) in bits(found).chunks(usize::from(u.components)).enumerate() {
                    driver.constants.push((usize::from(u.at) + n * usize::from(u.stride), entry.to_vec()));
                }
            }
        }
    }
    for (n, buffer) in interface.buffers.iter().enumerate() {
        let address = BLOCK_ADDRESS + n as u32 * BLOCK_STRIDE;
        driver.constants.push((buffer.pointer.into(), vec![address]));
        let words = uniform(row, &buffer.name).map(bits).unwrap_or_default();
        driver.blocks.push((address, words.iter().flat_map(|w| w.to_le_bytes()).collect()));
    }
    let immediates = interface.immediates.iter().map(|&(at, bits)| (usize::from(at), vec![bits]));
    driver.constants.extend(immediates);
}

/// Values of a variable before those of a column or element.
fn before(module: &Module, name: &str, part: u16) -> usize {
    let Some(global) = named(module, name).filter(|_| part > 0) else { return 0 };
    let column = module.types.part(global.ty, 0).map_or(1, |ty| module.types.components(ty));
    usize::from(part) * usize::from(column)
}

fn inputs(driver: &mut Driver, interface: &Interface, module: &Module) {
    for i in &interface.inputs {
        let first = i.register.unwrap_or(0);
        let skip = before(module, &i.name, i.part);
        driver.inputs.push(match i.source {
            Source::Attribute(_) => {
                Input::Registers { name: i.name.clone(), first, width: i.components.into(), skip }
            }
            Source::Vertex => Input::VertexId(first),
            Source::Varying { slot, .. } => {
                let own = (0..u16::from(i.components)).map(|n| u16::from(slot) + n);
                let locations = std::iter::repeat_n(u16::MAX, skip).chain(own).collect();
                Input::Varying { name: i.name.clone(), locations }
            }
            Source::PointCoordinate(slot) => Input::PointCoord(slot.into()),
            Source::Barycentric => Input::Barycentric(first),
            Source::FragCoord => Input::FragCoord(first),
            // The first instance, and the front, are 0.
            Source::Instance | Source::Facing | Source::LocalId | Source::GroupId => continue,
        });
    }
}

fn outputs(driver: &mut Driver, interface: &Interface, row: &Value) {
    let places = |o: &chiaro_a3xx::abi::Output| -> Vec<Place> {
        (0..u16::from(o.components)).map(|n| Place { register: o.register + n, half: o.half }).collect()
    };
    if row["stage"] == "frag" {
        let mut colours: Vec<(u8, Vec<Place>)> = Vec::new();
        for o in &interface.outputs {
            if let Sink::Colour(n) = o.sink {
                colours.push((n, places(o)));
            }
        }
        colours.sort_by_key(|(n, _)| *n);
        driver.outputs.extend(colours.into_iter().flat_map(|(_, places)| places));
        return;
    }
    for name in row["outputs"].as_str().unwrap_or_default().split(',') {
        let parts = interface.outputs.iter().filter(|o| o.name == name);
        driver.outputs.extend(parts.flat_map(places));
    }
}
