//! Parts and programs that were made before, in memory of the caller's.
//!
//! A driver makes the same small parts again and again, and links them to the same programs. What a question gave is
//! found by all that it hangs on: what is made, target, options, names and bytes of all files. Sources must not include
//! what the question does not have.
//!
//! The memory begins with a head: a mark, numbers, and for each of [`BUCKETS`] the place of its newest entry. Entries
//! follow one another; when the next finds no room, the cache begins again. All numbers are read as bytes and
//! checked, so memory that somebody has written over is a cache that knows nothing, and no fault.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::slice;

use sha2::{Digest, Sha256};

use crate::answer::{Answer, Buffer, copied};
use crate::ask::made;
use crate::question::{Asked, Question};
use crate::status::Status;

/// Memory of the caller's, for one thread at a time. It may be kept, copied and mapped by other processes.
#[repr(C)]
pub struct Cache {
    /// The memory, of any alignment.
    pub memory: *mut u8,
    /// Its bytes: 1,068 and the results, with 40 for each of them.
    pub size: usize,
}

const MARK: &[u8; 8] = b"chiaro-1";
const BUCKETS: usize = 256;
/// Where the head has how many bytes are used, questions that were known, and questions that were not.
const USED: usize = 8;
const KNOWN: usize = 12;
const NEW: usize = 16;
const FIRST: usize = 20;
const HEAD: usize = FIRST + 4 * BUCKETS;
/// Before the bytes of an entry: its key, the next of its bucket, its length.
const ENTRY: usize = 40;

/// A cache in some memory.
pub(crate) struct Entries<'a>(&'a mut [u8]);

impl<'a> Entries<'a> {
    /// Memory that has a head or gets one; `None` if it is too short.
    pub(crate) fn of(memory: &'a mut [u8]) -> Option<Entries<'a>> {
        let is_begun = memory.len() >= HEAD && memory.starts_with(MARK);
        let mut entries = (memory.len() >= HEAD).then_some(Entries(memory))?;
        if !is_begun {
            entries.begin();
        }
        Some(entries)
    }

    /// Forgets everything.
    pub(crate) fn begin(&mut self) {
        self.0[..HEAD].fill(0);
        self.0[..MARK.len()].copy_from_slice(MARK);
        self.set(USED, HEAD as u32);
    }

    fn number(&self, at: usize) -> Option<u32> {
        let bytes = self.0.get(at..at.checked_add(4)?)?;
        bytes.try_into().ok().map(u32::from_le_bytes)
    }

    fn set(&mut self, at: usize, number: u32) {
        if let Some(place) = self.0.get_mut(at..at + 4) {
            place.copy_from_slice(&number.to_le_bytes());
        }
    }

    fn count(&mut self, at: usize) {
        let n = self.number(at).unwrap_or(0);
        self.set(at, n.wrapping_add(1));
    }

    /// What came of a question before.
    pub(crate) fn find(&self, key: &[u8; 32]) -> Option<&[u8]> {
        let mut at = self.number(bucket(key))? as usize;
        // Entries point at older ones: whatever the memory holds, this ends.
        while at >= HEAD {
            let size = self.number(at + 36)? as usize;
            let next = self.number(at + 32)? as usize;
            if self.0.get(at..at + 32)? == key {
                return self.0.get(at + ENTRY..(at + ENTRY).checked_add(size)?);
            }
            at = if next < at { next } else { 0 };
        }
        None
    }

    /// Keeps what came of a question, if there is room for it at all.
    pub(crate) fn keep(&mut self, key: &[u8; 32], bytes: &[u8]) {
        let Some(whole) = bytes.len().checked_add(ENTRY) else { return };
        if whole > self.0.len() - HEAD || u32::try_from(self.0.len()).is_err() {
            return;
        }
        let mut at = self.number(USED).unwrap_or(0) as usize;
        if at < HEAD || at.saturating_add(whole) > self.0.len() {
            self.begin();
            at = HEAD;
        }
        let next = self.number(bucket(key)).unwrap_or(0);
        self.0[at..at + 32].copy_from_slice(key);
        self.set(at + 32, next);
        self.set(at + 36, bytes.len() as u32);
        self.0[at + ENTRY..at + whole].copy_from_slice(bytes);
        self.set(bucket(key), at as u32);
        self.set(USED, (at + whole) as u32);
    }
}

fn bucket(key: &[u8; 32]) -> usize {
    FIRST + 4 * usize::from(key[0])
}

/// Everything that an answer hangs on, each piece with its length.
fn key(kind: u32, asked: &Asked) -> [u8; 32] {
    let mut all = Sha256::new();
    let mut add = |bytes: &[u8]| {
        all.update((bytes.len() as u64).to_le_bytes());
        all.update(bytes);
    };
    add(env!("CARGO_PKG_VERSION").as_bytes());
    add(&kind.to_le_bytes());
    add(asked.target.as_deref().unwrap_or_default().as_bytes());
    add(&(asked.subjects as u64).to_le_bytes());
    asked.options.iter().for_each(|option| add(option.as_bytes()));
    add(b"files");
    for (name, bytes) in &asked.files {
        add(name.as_bytes());
        add(bytes);
    }
    all.finalize().into()
}

/// Makes a part or a program (`CHIARO_COMPILED`, `CHIARO_ASSEMBLED`, `CHIARO_LINKED`) in the caller's buffer, or takes
/// it from the cache; `cache` may be null. The buffer is told how long it is, also if it is too short: then it is kept
/// all the same, and the next call has it. `answer` may be null; it has the messages of what was made, and is null for what
/// was known.
///
/// # Safety
/// As `chiaro_link`; `buffer` is null or has its capacity, `cache` is null or memory that nobody else uses meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chiaro_make(
    kind: u32,
    question: *const Question,
    cache: *const Cache,
    buffer: *mut Buffer,
    answer: *mut *mut Answer,
) -> Status {
    let (mut own, mut status) = (std::ptr::null_mut(), Status::ChiaroBug);
    // SAFETY: all of them are handed on as the contract has them.
    let _ = catch_unwind(AssertUnwindSafe(|| unsafe {
        status = Making { kind, question, buffer }.all(memory(cache), &raw mut own);
    }));
    // SAFETY: null or a place to write, by the contract; what is made here belongs to nobody.
    unsafe { hand_over(own, answer) };
    status
}

/// What is made, and for whom.
struct Making {
    kind: u32,
    question: *const Question,
    buffer: *mut Buffer,
}

impl Making {
    /// Takes it from the cache, or makes it.
    ///
    /// # Safety
    /// As `chiaro_make`.
    unsafe fn all(self, entries: Result<Option<Entries<'_>>, Status>, own: *mut *mut Answer) -> Status {
        // SAFETY: handed on as the contract has it.
        let read = unsafe { Asked::read(self.question) };
        let (mut entries, asked) = match (entries, read) {
            (Ok(entries), Ok(asked)) => (entries, asked),
            (Err(status), _) | (_, Err(status)) => return status,
        };
        let key = key(self.kind, &asked);
        if let Some(known) = entries.as_ref().and_then(|entries| entries.find(&key)) {
            // SAFETY: handed on as the contract has it.
            let status = unsafe { copied(known, self.buffer) };
            entries.iter_mut().for_each(|entries| entries.count(KNOWN));
            return status;
        }
        let ask = |asked| made(self.kind, asked).unwrap_or((Status::ChiaroWrongUsage, Answer::empty()));
        // SAFETY: as above.
        let status = unsafe { crate::ask::asked(self.question, own, ask) };
        // SAFETY: null, or the answer that was just made.
        let bytes = unsafe { (*own).as_ref() }.and_then(|answer| answer.parts.get(&0));
        match (status, bytes) {
            (Status::ChiaroDone, Some(bytes)) => {
                if let Some(entries) = &mut entries {
                    entries.keep(&key, bytes);
                    entries.count(NEW);
                }
                // SAFETY: as above.
                unsafe { copied(bytes, self.buffer) }
            }
            (Status::ChiaroDone, None) => Status::ChiaroNoSuchPart,
            (status, _) => status,
        }
    }
}

/// The entries of a cache, if there is one.
///
/// # Safety
/// `cache` is null or a cache whose memory is what it says.
unsafe fn memory<'a>(cache: *const Cache) -> Result<Option<Entries<'a>>, Status> {
    // SAFETY: null or a cache, by the contract.
    let Some(cache) = (unsafe { cache.as_ref() }) else { return Ok(None) };
    if cache.memory.is_null() {
        return Err(Status::ChiaroNull);
    }
    // SAFETY: not null, so long by the contract, and nobody else uses it.
    let memory = unsafe { slice::from_raw_parts_mut(cache.memory, cache.size) };
    Entries::of(memory).map(Some).ok_or(Status::ChiaroShortBuffer)
}

/// Gives the caller an answer, or frees it if the caller does not want it.
///
/// # Safety
/// `own` is null or an answer of nobody's, `answer` null or a place to write.
unsafe fn hand_over(own: *mut Answer, answer: *mut *mut Answer) {
    // SAFETY: null or a place to write; the answer is handed on once.
    unsafe {
        match answer.as_mut() {
            Some(place) => *place = own,
            None => crate::answer::chiaro_answer_free(own),
        }
    }
}

/// How many questions were known and how many were not, and how many bytes are used, since the cache began.
///
/// # Safety
/// `cache` is null or memory that nobody else uses meanwhile; the others are null or places to write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chiaro_cache_counts(
    cache: *const Cache,
    known: *mut u32,
    made: *mut u32,
    used: *mut u32,
) -> Status {
    // SAFETY: null or a cache, and null or places to write, by the contract.
    unsafe {
        let entries = match memory(cache) {
            Ok(Some(entries)) => entries,
            Ok(None) => return Status::ChiaroNull,
            Err(status) => return status,
        };
        for (place, at) in [(known, KNOWN), (made, NEW), (used, USED)] {
            if let Some(place) = place.as_mut() {
                *place = entries.number(at).unwrap_or(0);
            }
        }
    }
    Status::ChiaroDone
}
