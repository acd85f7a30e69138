//! Words judged by `spirv-val`.

use std::io::Write;
use std::process::{Command, Stdio};

/// The version word of SPIR-V 1.4.
const VERSION_1_4: u32 = 0x0001_0400;

/// What the validator says of a module in Vulkan's flavour; `None` where there is none.
pub fn validate(words: &[u32]) -> Option<Result<(), String>> {
    // Rays, and whatever else asks for 1.4, are of the environment that has it.
    let newer = words.get(1).is_some_and(|&version| version >= VERSION_1_4);
    validate_for(if newer { "vulkan1.1spv1.4" } else { "vulkan1.1" }, words)
}

/// The same for a named environment (`opengl4.5`).
pub fn validate_for(environment: &str, words: &[u32]) -> Option<Result<(), String>> {
    let mut command = Command::new("spirv-val");
    command.args(["--target-env", environment, "-"]);
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
