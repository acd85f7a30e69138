//! Catches panics, and inputs on which nothing comes back.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::subject::Subject;

/// An input that takes longer than this counts as a hang.
const PATIENCE: Duration = Duration::from_secs(10);

/// The input that is being tried, and since when.
type Current = Option<(Instant, Vec<u8>)>;

/// A thread that looks at the clock while another works.
pub struct Watch(Arc<Mutex<Current>>);

impl Watch {
    /// Starts watching; the process ends with exit code 1 on a hang.
    pub fn start(subject: &'static Subject) -> Self {
        let watch = Watch(Arc::default());
        let current = Arc::clone(&watch.0);
        thread::spawn(move || {
            loop {
                thread::sleep(Duration::from_millis(500));
                let current = current.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some((_, input)) = current.as_ref().filter(|(since, _)| since.elapsed() > PATIENCE) {
                    println!("{}: no end after {PATIENCE:?} on this input:", subject.name);
                    println!("{}", (subject.show)(input));
                    std::process::exit(1);
                }
            }
        });
        watch
    }

    /// An input is about to be tried.
    pub fn begin(&self, input: &[u8]) {
        let mut current = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match current.as_mut() {
            // The buffer is used again: millions of inputs go by here.
            Some((since, bytes)) => {
                *since = Instant::now();
                bytes.clear();
                bytes.extend_from_slice(input);
            }
            None => *current = Some((Instant::now(), input.to_vec())),
        }
    }

    /// Nothing is being tried now.
    pub fn pause(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// Tries an input; the text of the panic if there is one.
pub fn attempt(subject: &Subject, input: &[u8]) -> Result<(), String> {
    catch_unwind(AssertUnwindSafe(|| (subject.run)(input))).map_err(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("no message").to_owned()
    })
}

/// The most memory that this process ever had, in MiB; 0 where the system does not tell.
pub fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0) / 1024
}
