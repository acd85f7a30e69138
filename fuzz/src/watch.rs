//! Catches panics, inputs that take too long, and those on which nothing comes back.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use cpu_time::{ProcessTime, ThreadTime};

use crate::subject::Subject;

/// Time of a processor that an input may take. The clock on the wall would blame an input for a
/// machine that is busy with something else.
pub const MOST_TIME: Duration = Duration::from_secs(1);
/// What takes more than this counts as a hang, and ends the process.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often that is looked at.
const PERIOD: Duration = Duration::from_millis(500);

/// The input that is being tried, and how many were before it.
#[derive(Default)]
struct Current {
    number: u64,
    input: Option<Vec<u8>>,
}

/// A thread that looks at the time while another works.
pub struct Watch(Arc<Mutex<Current>>);

impl Watch {
    /// Starts watching; the process ends with exit code 1 on a hang.
    pub fn start(subject: &'static Subject) -> Self {
        let watch = Watch(Arc::default());
        let current = Arc::clone(&watch.0);
        thread::spawn(move || watch_over(subject, &current));
        watch
    }

    /// An input is about to be tried.
    pub fn begin(&self, input: &[u8]) {
        let mut current = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        current.number += 1;
        // The buffer is used again: millions of inputs go by here.
        let bytes = current.input.get_or_insert_default();
        bytes.clear();
        bytes.extend_from_slice(input);
    }

    /// Nothing is being tried now.
    pub fn pause(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).input = None;
    }
}

/// Ends the process when one input takes too long.
fn watch_over(subject: &Subject, current: &Mutex<Current>) {
    let mut seen = (0, ProcessTime::now());
    loop {
        thread::sleep(PERIOD);
        let current = current.lock().unwrap_or_else(PoisonError::into_inner);
        if current.number != seen.0 {
            seen = (current.number, ProcessTime::now());
        }
        let Some(input) = current.input.as_ref().filter(|_| seen.1.elapsed() > PATIENCE) else { continue };
        println!("{}: no end after {PATIENCE:?} of processor time on this input:", subject.name);
        println!("{}", (subject.show)(input));
        std::process::exit(1);
    }
}

/// Tries an input; what is wrong if it panics or takes too long, else the time that it took of this
/// thread's processor.
pub fn attempt(subject: &Subject, input: &[u8]) -> Result<Duration, String> {
    let start = ThreadTime::now();
    let outcome = catch_unwind(AssertUnwindSafe(|| (subject.run)(input)));
    let time = start.elapsed();
    match outcome {
        Ok(()) if time > MOST_TIME => {
            Err(format!("took {time:.1?} of a processor, {MOST_TIME:?} is allowed"))
        }
        Ok(()) => Ok(time),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
            Err(format!("panicked: {text}"))
        }
    }
}

/// The most memory that this process ever had, in MiB; 0 where the system does not say.
pub fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0) / 1024
}
