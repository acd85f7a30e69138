//! A million vertices through the door, as tests/test_speed.py does from Python: prints the seconds.

use std::sync::Arc;
use std::time::Instant;

use chiaro::{Attributes, Column, Floats, Inputs, SimulateOptions, TARGETS, Value, Work, simulate};

const COUNT: usize = 1_000_000;

fn main() {
    let path = std::env::args().nth(1).expect("a container");
    let container = std::fs::read(path).expect("the container can be read");
    let rows: Vec<f32> = (0..COUNT * 4).map(|n| n as f32 * 1e-6).collect();
    let row = |n: usize| Value::from(std::array::from_fn::<f32, 4, _>(|k| f32::from(u8::from(n == k))));
    let resources = vec![("mvp".to_owned(), Value::List((0..4).map(row).collect()))];
    let column = Column::Floats(Floats::new(4, Arc::new(rows)).expect("whole rows"));
    let columns = vec![("position".to_owned(), column)];
    let inputs = Inputs { resources, work: Work::Vertices(Attributes { count: COUNT, columns }) };
    let target = TARGETS.of_container(&container).expect("a target's container");
    let begin = Instant::now();
    let made = simulate(target, &container, &inputs, &SimulateOptions::default()).expect("it runs");
    let seconds = begin.elapsed().as_secs_f64();
    assert_eq!(made.outputs[0].of(1)[0], u64::from(4e-6f32.to_bits()));
    println!("{seconds}");
}
