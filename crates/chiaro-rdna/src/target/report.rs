//! What code takes of the machine: ACO's statistics, occupancy, stalls, cycles by path.

use chiaro_diag::Diagnostic;
use chiaro_target::{Report, Resource, Settings};

use super::simulate::chosen;
use super::{KERNEL, THREADS, code_of, read, wave_of};
use crate::Rdna;
use crate::container::{CodeObject, Section};
use crate::regs::{LDS, VGPRS};
use crate::report::{Latencies, Launch, Limit, Statistics, WAVES};

/// The report of a code object's kernel, the first one if nobody says which, or of code alone.
pub(super) fn report(bytes: &[u8], settings: &Settings) -> Result<Report, Box<Diagnostic>> {
    let part = part(bytes, settings)?;
    let (latencies, threads) = choices(settings, part.wave)?;
    let launch = Launch { wave: part.wave, threads, lds: part.lds, vgprs: part.vgprs, older: false };
    let made = Statistics::of(&part.code, &launch, &latencies);
    let resource = |name, used, allowed| Resource { name, used, allowed };
    let resources = vec![
        resource("vector registers", made.vgprs, VGPRS.into()),
        resource("bytes of LDS", made.lds, LDS),
        resource(limited_by(made.occupancy.limit), made.occupancy.waves, WAVES),
    ];
    Ok(Report { entry: part.entry, resources, ..of(&made, &latencies) })
}

/// What statistics say: counts, stalls by cause, cycles by path, the work of units.
pub(super) fn of(made: &Statistics, latencies: &Latencies) -> Report {
    let stalls =
        made.stalls.by_cause().map(|(name, cycles)| (name, u32::try_from(cycles).unwrap_or(u32::MAX)));
    let port = |(name, work)| Resource { name, used: work, allowed: made.latency };
    Report {
        target: "rdna",
        better: BETTER,
        counts: made.named().into_iter().chain(stalls).collect(),
        cycles: Some((made.paths.0.into(), made.paths.1.into())),
        assumptions: latencies.named().to_vec(),
        ports: made.stalls.work().map(port).collect(),
        ..Report::default()
    }
}

/// Resources and statistics of which more is better.
pub(super) const BETTER: &[&str] =
    &["waves of a SIMD", "waves (by registers)", "waves (by LDS)", "waves (by groups)", "Subgroups_per_SIMD"];

/// What is reported on.
pub(super) struct Part {
    entry: String,
    pub(super) code: Vec<u8>,
    pub(super) wave: u8,
    pub(super) lds: u32,
    pub(super) vgprs: Option<u32>,
}

/// The kernel that the settings name, or the first one; code alone has none.
pub(super) fn part(bytes: &[u8], settings: &Settings) -> Result<Part, Box<Diagnostic>> {
    let (code, wave) = code_of(bytes, settings)?;
    let mut part = Part { entry: "code".to_owned(), code, wave, lds: 0, vgprs: None };
    let wanted = settings.iter().rfind(|(key, _)| key == KERNEL).map(|(_, name)| &**name);
    if !chiaro_target::Target::has_container(&Rdna, bytes) {
        let alone = |name: &str| format!("there is no kernel `{name}`: this is code alone");
        return wanted.map_or(Ok(part), |name| Err(Box::new(Diagnostic::error(None, alone(name)))));
    }
    let object = read(bytes)?;
    let Some((name, descriptor)) = chosen(&object, wanted)? else { return Ok(part) };
    name.clone_into(&mut part.entry);
    part.wave = wave_of(settings)?.unwrap_or(descriptor.wave());
    part.lds = descriptor.get("group_segment_fixed_size").unwrap_or(0);
    part.vgprs = Some(descriptor.vgprs());
    // Among several kernels its own code counts, alone it has all there is: functions belong to it.
    if object.kernels().nth(1).is_some() {
        part.code = own_code(&object, name).unwrap_or(part.code);
    }
    Ok(part)
}

/// The code that a kernel's symbol covers.
fn own_code(object: &CodeObject, name: &str) -> Option<Vec<u8>> {
    let symbol =
        object.symbols.iter().find(|s| s.section == Section::Text && s.name == name && s.size > 0)?;
    let first = usize::try_from(symbol.value).ok()?;
    let end = first.checked_add(usize::try_from(symbol.size).ok()?)?;
    object.text.get(first..end).map(<[u8]>::to_vec)
}

pub(super) fn limited_by(limit: Limit) -> &'static str {
    match limit {
        Limit::Slots => "waves of a SIMD",
        Limit::Vgprs => "waves (by registers)",
        Limit::Lds => "waves (by LDS)",
        Limit::Groups => "waves (by groups)",
    }
}

/// Latencies, and threads of a group: one wave if nobody says.
pub(super) fn choices(settings: &Settings, wave: u8) -> Result<(Latencies, u32), Box<Diagnostic>> {
    let (mut latencies, mut threads) = (Latencies::default(), wave.into());
    for (key, value) in settings {
        let place = match latencies.by_name(key) {
            None if key != THREADS => continue,
            place => place.unwrap_or(&mut threads),
        };
        let wrong = || {
            Box::new(Diagnostic::error(None, format!("`{key}` does not take `{value}`: it takes 1 to 65535")))
        };
        let number = value.parse::<u32>().ok().filter(|n| (1..=0xffff).contains(n)).ok_or_else(wrong)?;
        *place = number;
    }
    Ok((latencies, threads))
}

#[cfg(test)]
mod tests {
    use super::report;
    use crate::{asm, container};
    use chiaro_diag::FileId;

    fn kernel(name: &str, vgprs: u32, body: &str) -> String {
        format!(
            ".text\n{name}:\n{body}s_endpgm\n.L{name}:\n.size {name}, .L{name}-{name}\n\
             .amdhsa_kernel {name}\n.amdhsa_next_free_vgpr {vgprs}\n.amdhsa_next_free_sgpr 4\n.end_amdhsa_kernel\n"
        )
    }

    #[test]
    fn each_kernel_has_its_own_report() {
        let text = kernel("small", 8, "") + &kernel("large", 64, "v_mov_b32 v60, v0\n");
        let object = asm::assemble(&text, FileId::default(), None).expect("two kernels");
        let bytes = container::write(&object).expect("an object");
        let of = |settings: &[(String, String)]| report(&bytes, settings);
        let named = |name: &str| of(&[("kernel".to_owned(), name.to_owned())]);
        let told = |name: &str| {
            let report = named(name).expect("a report");
            (report.entry, report.resources[0].used, report.counts[0].1)
        };
        assert_eq!(told("small"), ("small".to_owned(), 16, 1));
        assert_eq!(told("large"), ("large".to_owned(), 64, 2));
        assert_eq!(of(&[]), named("small"));
        assert!(named("lage").expect_err("a slip").message.contains("there is no kernel or label `lage`"));
        let alone = report(&[0, 0, 0x81, 0xbf], &[("kernel".to_owned(), "x".to_owned())]);
        assert!(alone.expect_err("code alone").message.contains("this is code alone"));
    }
}
