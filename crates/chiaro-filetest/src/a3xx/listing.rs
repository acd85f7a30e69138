//! `pgmdump_listings.jsonl`: whole listings, byte for byte.

use super::{is_comment, quirks, strings, words};
use crate::suite::{Miss, Row};
use chiaro_a3xx::listing::pgmdump::{self, Options};

/// Listings whose statistics depend on what the tool had left over from a line before.
const LEFT_OVER: [&str; 3] = ["f_loop_break_continue", "f_blur9h", "f_radial_blur"];

/// A listing: text and register statistics.
pub(super) fn pgmdump(row: &Row<'_>) -> Result<(), Miss> {
    let row = row.json()?;
    if is_comment(&row) {
        return Ok(());
    }
    let args = strings(&row["args"]);
    let options = Options { old: row["tool"] == "pgmdump-2013", expand: args.contains(&"--expand") };
    let ours = pgmdump::listing(&words(&row["words"])?, options);
    let want = strings(&row["out"]).join("\n");
    if ours == want {
        return Ok(());
    }
    let name = row["name"].as_str().unwrap_or_default();
    let code = |text: &str| text.split("Register Stats:").next().unwrap_or_default().to_owned();
    if !options.old && code(&quirks::modulo(&ours)) == code(&want) && code(&ours) != code(&want) {
        return Err(Miss::Skipped("pgmdump 2018 prints and counts constants modulo 64".to_owned()));
    }
    if options.expand && LEFT_OVER.contains(&name) && code(&ours) == code(&want) {
        let reason = "the statistics of --expand count what an earlier line left over; all other lines agree";
        return Err(Miss::Skipped(reason.to_owned()));
    }
    let differs = ours.lines().zip(want.lines()).find(|(ours, want)| ours != want);
    Err(Miss::Failed(format!("{name} {args:?}: {differs:?}")))
}
