//! What code takes of the machine: ACO's statistics, occupancy, stalls, cycles by path.

use chiaro_diag::Diagnostic;
use chiaro_target::{Report, Resource, Settings};

use super::{code_of, read};
use crate::Rdna;
use crate::regs::{LDS, VGPRS};
use crate::report::{Latencies, Launch, Limit, Statistics, WAVES};

/// The report of a code object's first kernel, or of code alone.
pub(super) fn report(bytes: &[u8], settings: &Settings) -> Result<Report, Box<Diagnostic>> {
    let (code, wave) = code_of(bytes, settings)?;
    let (latencies, threads) = choices(settings, wave)?;
    let mut launch = Launch { wave, threads, lds: 0, vgprs: None, older: false };
    let mut entry = String::from("code");
    if chiaro_target::Target::has_container(&Rdna, bytes) {
        let object = read(bytes)?;
        if let Some((name, descriptor)) = object.kernels().next() {
            name.clone_into(&mut entry);
            launch.lds = descriptor.get("group_segment_fixed_size").unwrap_or(0);
            launch.vgprs = Some(descriptor.vgprs());
        }
    }
    let made = Statistics::of(&code, &launch, &latencies);
    let stalls =
        made.stalls.by_cause().map(|(name, cycles)| (name, u32::try_from(cycles).unwrap_or(u32::MAX)));
    let resource = |name, used, allowed| Resource { name, used, allowed };
    Ok(Report {
        target: "rdna",
        entry,
        resources: vec![
            resource("vector registers", made.vgprs, VGPRS.into()),
            resource("bytes of LDS", made.lds, LDS),
            resource(limited_by(made.occupancy.limit), made.occupancy.waves, WAVES),
        ],
        counts: made.named().into_iter().chain(stalls).collect(),
        cycles: Some((made.paths.0.into(), made.paths.1.into())),
        assumptions: latencies.named().to_vec(),
        ports: made.stalls.work().map(|(name, work)| resource(name, work, made.latency)).collect(),
        ..Report::default()
    })
}

fn limited_by(limit: Limit) -> &'static str {
    match limit {
        Limit::Slots => "waves of a SIMD",
        Limit::Vgprs => "waves (by registers)",
        Limit::Lds => "waves (by LDS)",
        Limit::Groups => "waves (by groups)",
    }
}

/// Latencies, and threads of a group: one wave if nobody says.
fn choices(settings: &Settings, wave: u8) -> Result<(Latencies, u32), Box<Diagnostic>> {
    let (mut latencies, mut threads) = (Latencies::default(), wave.into());
    for (key, value) in settings.iter().filter(|(key, _)| key != "wave") {
        let wrong = || {
            Box::new(Diagnostic::error(None, format!("`{key}` does not take `{value}`: it takes 1 to 65535")))
        };
        let number = value.parse::<u32>().ok().filter(|n| (1..=0xffff).contains(n)).ok_or_else(wrong)?;
        match latencies.by_name(key) {
            Some(latency) => *latency = number,
            None => threads = number,
        }
    }
    Ok((latencies, threads))
}
