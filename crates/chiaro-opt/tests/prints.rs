//! What shaders print, as stores and as nothing.

use chiaro_diag::FileId;
use chiaro_ir::interp::Interpreter;
use chiaro_ir::{Module, parse, verify};

use chiaro_opt::{Changed, Cx, PrintFormat, Prints, drop_prints, inline, prints_to_buffer, warn_of_prints};

const MODULE: &str = r#"
    text "at %u"
    text "%v2f, %lu"
    global @id: input i32 builtin(29)
    entry compute "main" = @main workgroup(4, 1, 1) interface(@id)
    fn @main() {
      %0: i32 = load @id
      %1: i32 = and %0, 1
      %2: bool = ieq %1, 1
      if %2 {
        print.0 %0
        exit
      } else {
        exit
      }
      %3: f32 = utof %0
      %4: vec2<f32> = construct %3, 0.5
      %5: i64 = zext %0
      print.1 %4, %5
      return
    }
"#;

fn read() -> Module {
    let module = parse(MODULE, FileId(0)).unwrap_or_else(|found| panic!("{found:?}"));
    assert!(verify(&module).is_ok());
    module
}

/// Runs with so many bytes behind the head; words of the buffer.
fn run(module: &Module, prints: &Prints, room: u32) -> Vec<u32> {
    let mut interpreter = Interpreter::new(module, &module.entries[0]);
    let mut bytes = vec![0; 8 + room as usize];
    bytes[4..8].copy_from_slice(&room.to_le_bytes());
    interpreter.set(prints.buffer, bytes);
    interpreter.dispatch([1, 1, 1], &mut chiaro_ir::interp::NoImages).expect("a run");
    let left = interpreter.bytes(prints.buffer).expect("the buffer");
    left.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

#[test]
fn records_are_number_and_scalars() {
    let mut module = read();
    let main = module.entries[0].function;
    let prints = prints_to_buffer(&mut module, main).expect("it prints");
    assert!(verify(&module).is_ok(), "{}", chiaro_ir::print(&module));
    let format = |text: &str, sizes: &[u8]| PrintFormat { text: text.to_owned(), sizes: sizes.to_vec() };
    assert_eq!(prints.formats, [format("at %u", &[4]), format("%v2f, %lu", &[4, 4, 8])]);
    let half = 0.5f32.to_bits();
    let one = |n: u32| [2, (n as f32).to_bits(), half, n, 0];
    let mut wanted = vec![2 * 8 + 4 * 20, 200, 1, 1, 1, 3];
    wanted.extend((0..4).flat_map(one));
    wanted.resize(52, 0);
    assert_eq!(run(&module, &prints, 200), wanted);
    // The same when calls are written out.
    let _ = inline(&mut module, main, &mut Cx::default());
    assert_eq!(run(&module, &prints, 200), wanted);
}

#[test]
fn what_finds_no_room_is_counted_alone() {
    let mut module = read();
    let main = module.entries[0].function;
    let prints = prints_to_buffer(&mut module, main).expect("it prints");
    let full = run(&module, &prints, 16 + 20 + 12);
    assert_eq!(full[..2], [96, 48]);
    assert_eq!(full[6..11], [2, 0, 0.5f32.to_bits(), 0, 0]);
    assert_eq!(full[11..], [0, 0, 0]);
}

#[test]
fn who_prints_nothing_gets_no_buffer() {
    let mut module = read();
    let main = module.entries[0].function;
    assert_eq!(drop_prints(&mut module, main, &mut Cx::default()), Changed::Yes);
    let before = module.globals.len();
    assert_eq!(prints_to_buffer(&mut module, main), None);
    assert_eq!(module.globals.len(), before);
}

/// Who leaves prints out says so, where there are some.
#[test]
fn what_is_left_out_is_told() {
    let mut module = read();
    let told = warn_of_prints(&module, &module.entries[0], "A machine").expect("a warning");
    assert!(told.message.contains("A machine prints nothing"), "{}", told.message);
    let main = module.entries[0].function;
    assert_eq!(drop_prints(&mut module, main, &mut Cx::default()), Changed::Yes);
    assert!(warn_of_prints(&module, &module.entries[0], "A machine").is_none());
}
