//! What came of programs before, by everything that it hangs on: the text of all files that were read, those that
//! were looked for in vain, options, and this chiaro itself.
//!
//! An entry is one file, written under another name and renamed: a run that is killed leaves whole entries or
//! none, and several runs may share a folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::UNIX_EPOCH;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// A folder of entries.
pub struct Cache {
    folder: PathBuf,
    /// What every entry hangs on.
    always: String,
    /// Entries that this run has begun, so that threads write under different names.
    begun: AtomicU32,
}

impl Cache {
    /// The entries of a folder, which is made if it is not there.
    ///
    /// # Errors
    /// Why it cannot be made.
    pub fn new(folder: &Path, options: &str) -> Result<Cache, std::io::Error> {
        fs::create_dir_all(folder)?;
        Ok(Cache {
            folder: folder.to_owned(),
            always: format!("{} {options}", this_chiaro()),
            begun: AtomicU32::new(0),
        })
    }

    /// What came of something before, if nothing that it hangs on has changed.
    pub fn find(&self, what: &str) -> Option<String> {
        let mut entry = fs::read_to_string(self.path(what)).ok()?;
        let border = entry.find('\n')? + 1;
        let head: Value = serde_json::from_str(&entry[..border]).ok()?;
        let is_whole = head["bytes"].as_u64() == Some((entry.len() - border) as u64);
        let is_same = |input: &Value| {
            let path = input[0].as_str()?;
            Some(state_of(Path::new(path)).as_deref() == input[1].as_str())
        };
        let is_settled = head["inputs"].as_array()?.iter().all(|input| is_same(input) == Some(true));
        (is_whole && is_settled).then(|| {
            entry.drain(..border);
            entry
        })
    }

    /// Keeps what came of something: a line of JSON with what it hangs on, and the text behind it as it is.
    ///
    /// # Errors
    /// Why an entry cannot be written; that is no loss but of time.
    pub fn keep<'p>(
        &self,
        what: &str,
        inputs: impl Iterator<Item = &'p Path>,
        text: &str,
    ) -> Result<(), std::io::Error> {
        // Another file may have a name that looks the same: what has none in UTF-8 is made each time.
        let input = |path: &'p Path| Some(json!([path.to_str()?, state_of(path)]));
        let Some(inputs) = inputs.map(input).collect::<Option<Vec<Value>>>() else { return Ok(()) };
        let path = self.path(what);
        let number = self.begun.fetch_add(1, Ordering::Relaxed);
        let temporary = path.with_extension(format!("{}-{number}.tmp", std::process::id()));
        let head = json!({ "inputs": inputs, "bytes": text.len() });
        let written = fs::write(&temporary, format!("{head}\n{text}"));
        written.and_then(|()| fs::rename(&temporary, &path)).inspect_err(|_| {
            let _ = fs::remove_file(&temporary);
        })
    }

    fn path(&self, what: &str) -> PathBuf {
        self.folder.join(digest(format!("{}\0{what}", self.always).as_bytes()) + ".entry")
    }
}

/// The content of a file as a number; `None` of one that is not there.
fn state_of(path: &Path) -> Option<String> {
    fs::read(path).ok().map(|bytes| digest(&bytes))
}

fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The version, and which build of it.
fn this_chiaro() -> String {
    let about = std::env::current_exe().and_then(fs::metadata);
    let built = about.and_then(|about| Ok((about.len(), about.modified()?)));
    let built =
        built.map(|(size, time)| (size, time.duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos()));
    format!("{} {built:?}", env!("CARGO_PKG_VERSION"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Another version finds nothing of what this one kept, nor does another build of it.
    #[test]
    fn the_cache_is_of_one_build() {
        let named = this_chiaro();
        let built =
            named.strip_prefix(concat!(env!("CARGO_PKG_VERSION"), " Ok((")).expect("version and build");
        let size = std::env::current_exe().and_then(fs::metadata).expect("a program").len();
        assert!(built.starts_with(&format!("{size}, ")), "{named}");
    }

    #[test]
    fn what_changes_is_made_again() {
        let folder = std::env::temp_dir().join(format!("chiaro-cache-{}", std::process::id()));
        let cache = Cache::new(&folder.join("cache"), "options").expect("a folder");
        let (source, missing) = (folder.join("a.vert"), folder.join("inc.glsl"));
        fs::write(&source, "one").expect("a file");
        let text = "{}\n{}\n".to_owned();
        cache.keep("a", [source.as_path(), missing.as_path()].into_iter(), &text).expect("it is kept");
        assert_eq!(cache.find("a"), Some(text.clone()));
        assert_eq!(cache.find("b"), None);
        let other = Cache::new(&folder.join("cache"), "other options").expect("a folder");
        assert_eq!(other.find("a"), None);
        // A file that was looked for in vain counts.
        fs::write(&missing, "").expect("a file");
        assert_eq!(cache.find("a"), None);
        fs::remove_file(&missing).expect("it goes");
        assert_eq!(cache.find("a"), Some(text));
        fs::write(&source, "two").expect("a file");
        assert_eq!(cache.find("a"), None);
        // A broken entry is none, wherever it ends.
        cache.keep("a", [source.as_path()].into_iter(), "{}\n{}\n").expect("it is kept");
        let whole = fs::read(cache.path("a")).expect("an entry");
        assert!(cache.find("a").is_some());
        for length in 0..whole.len() {
            fs::write(cache.path("a"), &whole[..length]).expect("a file");
            assert_eq!(cache.find("a"), None, "{length} bytes");
        }
        fs::remove_dir_all(&folder).expect("it goes");
    }
}
