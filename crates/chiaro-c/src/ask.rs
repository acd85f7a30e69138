//! The questions, one function each.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;

use chiaro::host::{self, result_for};

use crate::answer::{Answer, Part};
use crate::question::{Asked, Question};
use crate::status::Status;

/// Where results go that are not those of standard output.
const FILE: &str = "result";

/// Reads the question, asks, and hands over what comes back. `answer` is null after everything that gives none.
///
/// # Safety
/// The pointers are null or what they are said to be.
pub(crate) unsafe fn asked(
    question: *const Question,
    answer: *mut *mut Answer,
    ask: impl FnOnce(Asked) -> (Status, Answer),
) -> Status {
    // SAFETY: null or a place to write, by the contract.
    let Some(place) = (unsafe { answer.as_mut() }) else { return Status::ChiaroNull };
    *place = ptr::null_mut();
    // SAFETY: null or a question, by the contract.
    let made = catch_unwind(AssertUnwindSafe(|| unsafe { Asked::read(question) }.map(ask)));
    match made {
        Ok(Ok((status, made))) => {
            *place = Box::into_raw(Box::new(made));
            status
        }
        Ok(Err(status)) => status,
        Err(_) => Status::ChiaroBug,
    }
}

/// Runs a command whose result is a file or text.
fn run(asked: Asked, command: &str, more: &[&str]) -> (Status, Answer) {
    let file = more.contains(&FILE).then_some(FILE);
    let made = host::call(asked.call(command, more));
    Answer::of(made, |results| {
        let bytes = result_for(&results, file).map(<[u8]>::to_vec);
        bytes.into_iter().map(|bytes| (Part::ChiaroResult, bytes)).collect()
    })
}

fn compiled(asked: Asked) -> (Status, Answer) {
    Answer::of(host::compile(asked.call("compile", &[])), Answer::of_compilation)
}

fn explained(mut asked: Asked) -> (Status, Answer) {
    let words = asked.files.first().map(|(_, bytes)| bytes.chunks(4).map(word).collect::<Vec<String>>());
    asked.files.clear();
    asked.subjects = 0;
    let target = asked.target.take().unwrap_or_default();
    let mut call = asked.call("explain", &[]);
    call.args.push(target);
    call.args.extend(words.unwrap_or_default());
    Answer::of(host::call(call), |results| {
        let bytes = result_for(&results, None).map(<[u8]>::to_vec).unwrap_or_default();
        vec![(Part::ChiaroResult, bytes)]
    })
}

/// Four bytes as a word in hexadecimal; bytes that are missing are 0.
fn word(bytes: &[u8]) -> String {
    let number = bytes.iter().rev().fold(0u32, |all, byte| all << 8 | u32::from(*byte));
    format!("{number:08x}")
}

/// What can be made and kept.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Made {
    /// As `chiaro_compile`.
    ChiaroCompiled = 0,
    /// As `chiaro_assemble`.
    ChiaroAssembled = 1,
    /// As `chiaro_link`.
    ChiaroLinked = 2,
}

/// Makes something that a cache can keep.
pub(crate) fn made(kind: u32, asked: Asked) -> Option<(Status, Answer)> {
    match kind {
        0 => Some(compiled(asked)),
        1 => Some(run(asked, "asm", &["-o", FILE])),
        2 => Some(run(asked, "link", &["-o", FILE])),
        _ => None,
    }
}

/// Compiles sources for the target. The result is the container; code, listing, header, IR and report are parts beside it.
///
/// # Safety
/// `question` is null or a question whose fields are what they say, `answer` null or a place to write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chiaro_compile(question: *const Question, answer: *mut *mut Answer) -> Status {
    // SAFETY: handed on as the contract has it.
    unsafe { asked(question, answer, compiled) }
}

/// What a source takes of the machine once it is compiled, or a container as it is: JSON of docs/report.schema.json.
///
/// # Safety
/// `question` is null or a question whose fields are what they say, `answer` null or a place to write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chiaro_report(question: *const Question, answer: *mut *mut Answer) -> Status {
    // SAFETY: handed on as the contract has it.
    unsafe { asked(question, answer, |asked| run(asked, "report", &["-o", FILE, "--json"])) }
}

/// What differs between two sources or containers, and why: JSON of docs/diff.schema.json. Of one file it is what options
/// such as `--after-define` make of it.
///
/// # Safety
/// `question` is null or a question whose fields are what they say, `answer` null or a place to write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chiaro_diff(question: *const Question, answer: *mut *mut Answer) -> Status {
    // SAFETY: handed on as the contract has it.
    unsafe { asked(question, answer, |asked| run(asked, "diff", &["-o", FILE, "--format", "json"])) }
}

/// When each instruction of a program issues and what it waits for: JSON of docs/timeline.schema.json.
///
/// # Safety
/// `question` is null or a question whose fields are what they say, `answer` null or a place to write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chiaro_timeline(question: *const Question, answer: *mut *mut Answer) -> Status {
    // SAFETY: handed on as the contract has it.
    unsafe { asked(question, answer, |asked| run(asked, "timeline", &["-o", FILE, "--format", "json"])) }
}

/// Where a host program finds what a shader reads and writes, as JSON: of sources the variables and their places, of a
/// container what it says itself.
///
/// # Safety
/// `question` is null or a question whose fields are what they say, `answer` null or a place to write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chiaro_abi(question: *const Question, answer: *mut *mut Answer) -> Status {
    // SAFETY: handed on as the contract has it.
    unsafe {
        asked(question, answer, |asked| {
            Answer::of(host::abi(asked.call("compile", &["--emit", "json"])), json)
        })
    }
}

/// Assembles sources to a container.
///
/// # Safety
/// `question` is null or a question whose fields are what they say, `answer` null or a place to write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chiaro_assemble(question: *const Question, answer: *mut *mut Answer) -> Status {
    // SAFETY: handed on as the contract has it.
    unsafe { asked(question, answer, |asked| run(asked, "asm", &["-o", FILE])) }
}

/// Lists a container; the listing assembles to the same bytes. `--raw` lists code alone.
///
/// # Safety
/// `question` is null or a question whose fields are what they say, `answer` null or a place to write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chiaro_disassemble(question: *const Question, answer: *mut *mut Answer) -> Status {
    // SAFETY: handed on as the contract has it.
    unsafe { asked(question, answer, |asked| run(asked, "dis", &[])) }
}

/// Checks a source or a container by the rules of the hardware: what is found are the messages.
///
/// # Safety
/// `question` is null or a question whose fields are what they say, `answer` null or a place to write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chiaro_check(question: *const Question, answer: *mut *mut Answer) -> Status {
    // SAFETY: handed on as the contract has it.
    unsafe { asked(question, answer, |asked| run(asked, "check", &[])) }
}

/// Takes an instruction apart field by field, with the sources of what is said. The bytes are those of the first file.
///
/// # Safety
/// `question` is null or a question whose fields are what they say, `answer` null or a place to write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chiaro_explain(question: *const Question, answer: *mut *mut Answer) -> Status {
    // SAFETY: handed on as the contract has it.
    unsafe { asked(question, answer, explained) }
}

/// What a container holds, as JSON.
///
/// # Safety
/// `question` is null or a question whose fields are what they say, `answer` null or a place to write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chiaro_info(question: *const Question, answer: *mut *mut Answer) -> Status {
    // SAFETY: handed on as the contract has it.
    unsafe { asked(question, answer, |asked| run(asked, "info", &["--json"])) }
}

/// Links parts that were made separately to a container.
///
/// # Safety
/// `question` is null or a question whose fields are what they say, `answer` null or a place to write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chiaro_link(question: *const Question, answer: *mut *mut Answer) -> Status {
    // SAFETY: handed on as the contract has it.
    unsafe { asked(question, answer, |asked| run(asked, "link", &["-o", FILE])) }
}

/// Runs a source or a container on the simulator; without a target, a shader on the interpreter. The result is JSON with
/// values and bits. `--inputs NAME` names a file of JSON with uniforms and vertices, fragments or groups.
///
/// # Safety
/// `question` is null or a question whose fields are what they say, `answer` null or a place to write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chiaro_simulate(question: *const Question, answer: *mut *mut Answer) -> Status {
    // SAFETY: handed on as the contract has it.
    unsafe { asked(question, answer, |asked| run(asked, "run", &["-o", FILE])) }
}

fn json(value: serde_json::Value) -> Vec<(Part, Vec<u8>)> {
    vec![(Part::ChiaroResult, value.to_string().into_bytes())]
}

/// The targets, as JSON: their names, stages, what can be asked of them, options. Nothing is read of the caller.
///
/// # Safety
/// `answer` is null or a place to write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chiaro_targets(answer: *mut *mut Answer) -> Status {
    // SAFETY: a place to write or null, by the contract.
    let Some(place) = (unsafe { answer.as_mut() }) else { return Status::ChiaroNull };
    *place = ptr::null_mut();
    let made = catch_unwind(|| Answer::of(host::done(host::targets()), json));
    let Ok((status, made)) = made else { return Status::ChiaroBug };
    *place = Box::into_raw(Box::new(made));
    status
}
