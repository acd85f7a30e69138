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
    pub fn find(&self, what: &str) -> Option<Vec<String>> {
        let entry: Value = serde_json::from_slice(&fs::read(self.path(what)).ok()?).ok()?;
        let inputs = entry["inputs"].as_array()?.iter().map(|input| {
            let path = Path::new(input[0].as_str()?);
            (state_of(path).as_deref() == input[1].as_str()).then_some(())
        });
        inputs.collect::<Option<Vec<()>>>()?;
        entry["lines"].as_array()?.iter().map(|line| line.as_str().map(str::to_owned)).collect()
    }

    /// Keeps what came of something. An entry that cannot be written is no loss but of time.
    pub fn keep<'p>(&self, what: &str, inputs: impl Iterator<Item = &'p Path>, lines: &[String]) {
        let inputs: Vec<Value> = inputs.map(|path| json!([path.to_string_lossy(), state_of(path)])).collect();
        let path = self.path(what);
        let number = self.begun.fetch_add(1, Ordering::Relaxed);
        let temporary = path.with_extension(format!("{}-{number}.tmp", std::process::id()));
        let written = fs::write(&temporary, json!({ "inputs": inputs, "lines": lines }).to_string());
        if written.and_then(|()| fs::rename(&temporary, &path)).is_err() {
            let _ = fs::remove_file(&temporary);
        }
    }

    fn path(&self, what: &str) -> PathBuf {
        self.folder.join(digest(format!("{}\0{what}", self.always).as_bytes()) + ".json")
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

    #[test]
    fn what_changes_is_made_again() {
        let folder = std::env::temp_dir().join(format!("chiaro-cache-{}", std::process::id()));
        let cache = Cache::new(&folder.join("cache"), "options").expect("a folder");
        let (source, missing) = (folder.join("a.vert"), folder.join("inc.glsl"));
        fs::write(&source, "one").expect("a file");
        let lines = vec!["{}".to_owned()];
        cache.keep("a", [source.as_path(), missing.as_path()].into_iter(), &lines);
        assert_eq!(cache.find("a"), Some(lines.clone()));
        assert_eq!(cache.find("b"), None);
        let other = Cache::new(&folder.join("cache"), "other options").expect("a folder");
        assert_eq!(other.find("a"), None);
        // A file that was looked for in vain counts.
        fs::write(&missing, "").expect("a file");
        assert_eq!(cache.find("a"), None);
        fs::remove_file(&missing).expect("it goes");
        assert_eq!(cache.find("a"), Some(lines));
        fs::write(&source, "two").expect("a file");
        assert_eq!(cache.find("a"), None);
        // A broken entry is none.
        fs::write(cache.path("a"), "{\"inputs\": [").expect("a file");
        assert_eq!(cache.find("a"), None);
        fs::remove_dir_all(&folder).expect("it goes");
    }
}
