//! The functions as C calls them, with what C can do wrong.

use std::ffi::{CStr, CString, c_char};
use std::ptr;

use crate::answer::*;
use crate::ask::*;
use crate::cache::*;
use crate::columns::*;
use crate::question::{File, Question};
use crate::status::*;

const TWICE: &str = ".in x\n.out y position\n.proc main\nadd y, x, x\nend\n.end\n";

/// A question with everything that it points at.
struct Owner {
    target: Option<CString>,
    files: Vec<File>,
    options: Vec<*const c_char>,
    _texts: Vec<CString>,
    _bytes: Vec<Vec<u8>>,
}

fn owner(target: Option<&str>, files: &[(&str, &[u8])], options: &[&str]) -> Owner {
    let text = |s: &str| CString::new(s).unwrap();
    let names: Vec<CString> = files.iter().map(|(name, _)| text(name)).collect();
    let bytes: Vec<Vec<u8>> = files.iter().map(|(_, bytes)| bytes.to_vec()).collect();
    let file = |(name, bytes): (&CString, &Vec<u8>)| File {
        name: name.as_ptr(),
        bytes: bytes.as_ptr(),
        size: bytes.len(),
    };
    let files = names.iter().zip(&bytes).map(file).collect();
    let given: Vec<CString> = options.iter().map(|option| text(option)).collect();
    let options = given.iter().map(|option| option.as_ptr()).collect();
    let texts = names.into_iter().chain(given).collect();
    Owner { target: target.map(text), files, options, _texts: texts, _bytes: bytes }
}

impl Owner {
    fn question(&self) -> Question {
        Question {
            target: self.target.as_ref().map_or(ptr::null(), |target| target.as_ptr()),
            files: self.files.as_ptr(),
            file_count: self.files.len(),
            subject_count: 0,
            options: self.options.as_ptr(),
            option_count: self.options.len(),
        }
    }
}

type Function = unsafe extern "C" fn(*const Question, *mut *mut Answer) -> Status;

const ALL: [Function; 12] = [
    chiaro_compile,
    chiaro_report,
    chiaro_diff,
    chiaro_timeline,
    chiaro_abi,
    chiaro_assemble,
    chiaro_disassemble,
    chiaro_check,
    chiaro_explain,
    chiaro_info,
    chiaro_link,
    chiaro_simulate,
];

/// Asks, and gives status, result and messages.
fn ask(function: Function, owner: &Owner) -> (Status, Option<Vec<u8>>, String) {
    let mut answer = ptr::null_mut();
    // SAFETY: everything is there, and freed once.
    unsafe {
        let status = function(&owner.question(), &mut answer);
        let mut size = 0;
        let bytes = chiaro_answer_part(answer, 0, &mut size);
        let result = (!bytes.is_null()).then(|| std::slice::from_raw_parts(bytes, size).to_vec());
        let text = CStr::from_ptr(chiaro_answer_text(answer)).to_str().unwrap().to_owned();
        chiaro_answer_free(answer);
        (status, result, text)
    }
}

fn assembled() -> Vec<u8> {
    let made = ask(chiaro_assemble, &owner(None, &[("twice.v.pica", TWICE.as_bytes())], &[]));
    assert_eq!((made.0, made.2.as_str()), (Status::ChiaroDone, ""));
    made.1.expect("a container")
}

#[test]
fn every_question_has_its_answer() {
    let container = assembled();
    let file = [("twice.shbin", container.as_slice())];
    let text = |made: (Status, Option<Vec<u8>>, String)| {
        assert_eq!(made.0, Status::ChiaroDone, "{}", made.2);
        String::from_utf8(made.1.unwrap_or_default()).unwrap()
    };
    assert!(text(ask(chiaro_disassemble, &owner(None, &file, &[]))).contains("add"));
    assert!(text(ask(chiaro_info, &owner(None, &file, &[]))).starts_with('{'));
    assert!(text(ask(chiaro_abi, &owner(None, &file, &[]))).contains("position"));
    assert!(text(ask(chiaro_check, &owner(None, &file, &[]))).contains("nothing found"));
    let inputs = br#"{"vertices": [{"x": [1, 2, 3, 4]}]}"#;
    let files = [file[0], ("in.json", inputs.as_slice())];
    let owner_ = owner(None, &files, &["--inputs", "in.json"]);
    let mut question = owner_.question();
    question.subject_count = 1;
    let mut answer = ptr::null_mut();
    // SAFETY: everything is there, and freed once.
    unsafe {
        assert_eq!(chiaro_simulate(&question, &mut answer), Status::ChiaroDone);
        let mut size = 0;
        let bytes = chiaro_answer_part(answer, 0, &mut size);
        let json = std::str::from_utf8(std::slice::from_raw_parts(bytes, size)).unwrap();
        assert!(json.contains("[2.0,4.0,6.0,8.0]"), "{json}");
        chiaro_answer_free(answer);
    }
    let word = 0x4c01_0000u32.to_le_bytes();
    let words = [word, 0x0000_036fu32.to_le_bytes()].concat();
    assert!(text(ask(chiaro_explain, &owner(Some("pica200"), &[("w", &words)], &[]))).contains("mov"));
    let shader = b"attribute vec4 p; uniform mat4 m; void main() { gl_Position = m * p; }";
    let made = owner(Some("pica200"), &[("a.vert", shader)], &[]);
    assert!(text(ask(chiaro_report, &made)).contains("\"reports\""));
    assert!(text(ask(chiaro_timeline, &made)).contains("\"events\""));
    let other = b"attribute vec4 p; void main() { gl_Position = p + p; }";
    let two = owner(Some("pica200"), &[("a.vert", shader), ("b.vert", other)], &[]);
    assert!(text(ask(chiaro_diff, &two)).contains("\"after_program\""));
    assert!(text(ask(chiaro_abi, &made)).contains("\"uniform\""));
    assert!(ask(chiaro_compile, &made).1.is_some_and(|bytes| bytes.starts_with(b"DVLB")));
}

#[test]
fn what_c_can_do_wrong_is_a_code() {
    let good = owner(None, &[("twice.v.pica", TWICE.as_bytes())], &[]);
    let mut answer = ptr::null_mut();
    for function in ALL {
        // SAFETY: null is what is tried.
        unsafe {
            assert_eq!(function(ptr::null(), &mut answer), Status::ChiaroNull);
            assert!(answer.is_null());
            assert_eq!(function(&good.question(), ptr::null_mut()), Status::ChiaroNull);
            let null = Question { files: ptr::null(), ..good.question() };
            assert_eq!(function(&null, &mut answer), Status::ChiaroNull);
            let none = Question { file_count: 0, ..good.question() };
            assert_ne!(function(&none, &mut answer), Status::ChiaroDone);
            chiaro_answer_free(answer);
        }
        let unknown = owner(Some("voodoo"), &[("a", b"x")], &[]);
        assert_eq!(ask(function, &unknown).0, Status::ChiaroUnknownTarget);
        let wrong = owner(Some("pica200"), &[("a.v.pica", b"x")], &["--no-such-option"]);
        assert_eq!(ask(function, &wrong).0, Status::ChiaroWrongUsage);
        let empty = owner(Some("pica200"), &[("a.vert", b"")], &[]);
        assert_ne!(ask(function, &empty).0, Status::ChiaroDone);
        let latin = c"\xff.vert";
        let file = File { name: latin.as_ptr(), bytes: b"x".as_ptr(), size: 1 };
        let question = Question { files: &raw const file, file_count: 1, ..good.question() };
        // SAFETY: the file lives.
        assert_eq!(unsafe { function(&question, &mut answer) }, Status::ChiaroNotUtf8);
    }
}

#[test]
fn damage_is_the_input_s_fault() {
    let container = assembled();
    let mut rng = 1u64;
    for round in 0..200 {
        let mut bytes = container.clone();
        for _ in 0..=round % 4 {
            rng = rng.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let at = (rng >> 33) as usize % bytes.len();
            bytes[at] = (rng >> 24) as u8;
        }
        bytes.truncate(if round % 5 == 0 { (rng >> 40) as usize % bytes.len() } else { bytes.len() });
        let damaged = owner(Some("pica200"), &[("damaged.shbin", &bytes)], &[]);
        for function in ALL {
            let (status, _, text) = ask(function, &damaged);
            assert_ne!(status, Status::ChiaroBug, "round {round}: {text}");
        }
    }
}

#[test]
fn errors_have_a_place() {
    let made = ask(chiaro_assemble, &owner(None, &[("a.v.pica", b".proc main\nmvo r0, r1\n.end\n")], &[]));
    assert_eq!((made.0, made.1), (Status::ChiaroWrongInput, None));
    assert!(made.2.contains("a.v.pica:2:1"), "{}", made.2);
    // SAFETY: texts for ever.
    let text = |status| unsafe { CStr::from_ptr(chiaro_status_text(status)) }.to_str().unwrap();
    assert!([0, 1, 2, 3, 4, 5, 6, 7, 101].iter().all(|n| !text(*n).starts_with("no status")));
    assert!(text(55).starts_with("no status"));
}

#[test]
fn parts_are_looked_at_or_copied() {
    let owner = owner(None, &[("twice.v.pica", TWICE.as_bytes())], &[]);
    let mut answer = ptr::null_mut();
    let mut bytes = vec![0xaa; 4096];
    // SAFETY: everything is there, and freed once.
    unsafe {
        assert_eq!(chiaro_assemble(&owner.question(), &mut answer), Status::ChiaroDone);
        let mut short = Buffer { bytes: bytes.as_mut_ptr(), capacity: 7, size: 0 };
        assert_eq!(chiaro_answer_copy(answer, 0, &mut short), Status::ChiaroShortBuffer);
        assert!(short.size > 7 && bytes.iter().all(|byte| *byte == 0xaa));
        let mut long = Buffer { bytes: bytes.as_mut_ptr(), capacity: bytes.len(), size: 0 };
        assert_eq!(chiaro_answer_copy(answer, 0, &mut long), Status::ChiaroDone);
        assert!(long.size == short.size && bytes.starts_with(b"DVLB") && bytes[long.size] == 0xaa);
        let mut none = Buffer { bytes: ptr::null_mut(), capacity: 9999, size: 0 };
        assert_eq!(chiaro_answer_copy(answer, 0, &mut none), Status::ChiaroNull);
        assert_eq!(chiaro_answer_copy(answer, 0, ptr::null_mut()), Status::ChiaroNull);
        assert_eq!(chiaro_answer_copy(answer, 4, &mut long), Status::ChiaroNoSuchPart);
        assert_eq!(chiaro_answer_copy(ptr::null(), 0, &mut long), Status::ChiaroNull);
        assert!(chiaro_answer_part(answer, 99, ptr::null_mut()).is_null());
        chiaro_answer_free(answer);
        chiaro_answer_free(ptr::null_mut());
    }
}

#[test]
fn columns_are_read_where_they_are() {
    let owner = owner(None, &[("twice.v.pica", TWICE.as_bytes())], &[]);
    let rows: Vec<f32> = (0..300).map(|n| n as f32).collect();
    let column = |rows: *const f32, width| Column { name: c"x".as_ptr(), rows, width };
    let run = |column: Column, count| {
        let mut answer = ptr::null_mut();
        let mut output = Output {
            name: ptr::null(),
            bits: ptr::null(),
            size: 0,
            width: 0,
            kind: ComponentKind::ChiaroBool,
            kind_bits: 0,
        };
        // SAFETY: everything is there, and freed once.
        unsafe {
            let status = chiaro_simulate_columns(&owner.question(), &column, 1, count, 0, &mut answer);
            let behind = chiaro_answer_output(answer, 7, &mut output);
            let found = chiaro_answer_output(answer, 0, &mut output);
            let bits = match found {
                Status::ChiaroDone => std::slice::from_raw_parts(output.bits, output.size).to_vec(),
                _ => Vec::new(),
            };
            chiaro_answer_free(answer);
            (status, behind, output.width, bits)
        }
    };
    let (status, behind, width, bits) = run(column(rows.as_ptr(), 3), 100);
    assert_eq!((status, behind, width), (Status::ChiaroDone, Status::ChiaroNoSuchPart, 4));
    assert_eq!(bits[4 * 99], u64::from((297.0f32 * 2.0).to_bits()));
    assert_eq!(run(column(ptr::null(), 3), 100).0, Status::ChiaroNull);
    assert_eq!(run(column(rows.as_ptr(), 5), 10).0, Status::ChiaroWrongUsage);
    for count in [usize::MAX / 2, usize::MAX / 8] {
        assert_eq!(run(column(rows.as_ptr(), 4), count).0, Status::ChiaroWrongUsage);
    }
}

#[test]
fn what_was_made_is_known() {
    let mut memory = vec![0u8; 8192];
    let cache = Cache { memory: memory.as_mut_ptr(), size: memory.len() };
    let mut bytes = vec![0; 4096];
    let wanted = assembled();
    let mut make = |source: &str, capacity: usize| {
        let owner = owner(None, &[("twice.v.pica", source.as_bytes())], &[]);
        let mut buffer = Buffer { bytes: bytes.as_mut_ptr(), capacity, size: 0 };
        // SAFETY: everything is there.
        let status = unsafe { chiaro_make(1, &owner.question(), &cache, &mut buffer, ptr::null_mut()) };
        (status, buffer.size, bytes[..buffer.size.min(capacity)].to_vec())
    };
    let counts = || {
        let mut counts = [0; 3];
        let [known, made, used] = &mut counts;
        // SAFETY: everything is there.
        assert_eq!(unsafe { chiaro_cache_counts(&cache, known, made, used) }, Status::ChiaroDone);
        counts
    };
    assert_eq!(make(TWICE, 10).0, Status::ChiaroShortBuffer);
    assert_eq!(make(TWICE, 4096), (Status::ChiaroDone, wanted.len(), wanted.clone()));
    assert_eq!(counts()[..2], [1, 1]);
    let other = TWICE.replace("add", "mul");
    assert_ne!(make(&other, 4096).2, wanted);
    assert_eq!(make(".proc", 4096).0, Status::ChiaroWrongInput);
    assert_eq!(counts()[..2], [1, 2]);
    // More than there is room for: it begins again, and goes on being right.
    for n in 0..100 {
        let source = format!("; {n}\n{TWICE}");
        assert_eq!(make(&source, 4096).2, wanted);
    }
    assert!(counts()[2] <= 8192);
    let mut rng = 1u64;
    for _ in 0..200 {
        for _ in 0..40 {
            rng = rng.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            memory[8 + (rng >> 33) as usize % 8184] = (rng >> 24) as u8;
        }
        // Whatever stands there: an answer or none, and no fault.
        let mut entries = Entries::of(&mut memory).expect("a head");
        let key = [(rng >> 16) as u8; 32];
        let _ = entries.find(&key);
        entries.keep(&key, b"kept");
        assert_eq!(entries.find(&key), Some(&b"kept"[..]));
    }
    assert!(Entries::of(&mut memory[..1000]).is_none());
}

#[test]
fn targets_are_told() {
    let mut answer = ptr::null_mut();
    // SAFETY: a place to write, and freed once.
    unsafe {
        assert_eq!(chiaro_targets(ptr::null_mut()), Status::ChiaroNull);
        assert_eq!(chiaro_targets(&mut answer), Status::ChiaroDone);
        assert!(!chiaro_answer_part(answer, 0, ptr::null_mut()).is_null());
        chiaro_answer_free(answer);
        assert!(!CStr::from_ptr(chiaro_version()).to_bytes().is_empty());
    }
}
