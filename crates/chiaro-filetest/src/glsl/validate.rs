//! Words judged by `spirv-val`.

use std::io::Write;
use std::process::{Command, Stdio};

/// What the validator says of a module in Vulkan's flavour; `None` where there is none.
pub fn validate(words: &[u32]) -> Option<Result<(), String>> {
    validate_for(vulkan_of(words), &[], words)
}

/// The first environment of Vulkan that has a module's version: rays ask for 1.4.
pub fn vulkan_of(words: &[u32]) -> &'static str {
    match words.get(1).copied().unwrap_or(0) {
        0x0001_0500.. => "vulkan1.2",
        0x0001_0400.. => "vulkan1.1spv1.4",
        _ => "vulkan1.1",
    }
}

/// The same for a named environment (`opengl4.5`), with further options of the validator.
pub fn validate_for(environment: &str, options: &[&str], words: &[u32]) -> Option<Result<(), String>> {
    let mut command = Command::new("spirv-val");
    command.args(options).args(["--target-env", environment, "-"]);
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().ok()?;
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    // A validator that stops reading says why.
    let _ = child.stdin.take()?.write_all(&bytes);
    let output = child.wait_with_output().ok()?;
    Some(if output.status.success() {
        Ok(())
    } else {
        Err(String::from_utf8_lossy(&output.stderr).into_owned())
    })
}
