//! The targets as data.

use serde_json::{Value as Json, json};

use crate::{Role, TARGETS, Target};

/// All targets with what there is to say of them: names, stages, what can be asked, languages, choices.
#[must_use]
pub fn targets() -> Json {
    TARGETS.iter().map(about).collect()
}

fn about(target: &dyn Target) -> Json {
    let about = target.about();
    let formats = about.formats.iter().filter(|format| format.role != Role::Foreign);
    let formats = formats.map(|format| json!({ "name": format.name, "endings": format.endings }));
    let pairs = |all: &[(&str, &str)]| -> Json {
        all.iter().map(|(name, about)| json!({ "name": name, "about": about })).collect()
    };
    let settings: Vec<(&str, &str)> = about.settings.iter().map(|s| (s.name, s.about)).collect();
    let open = target.assumptions().iter();
    json!({
        "name": about.name,
        "aliases": about.aliases,
        "machine": about.machine,
        "stages": about.stages.iter().map(|stage| stage.name()).collect::<Vec<_>>(),
        "offers": about.offers.iter().map(|offer| offer.verb()).collect::<Vec<_>>(),
        "formats": formats.collect::<Vec<_>>(),
        "dialects": about.dialects.iter().map(|dialect| dialect.name).collect::<Vec<_>>(),
        "modes": pairs(about.modes),
        "settings": pairs(&settings),
        "assumptions": open.map(|o| json!({ "name": o.name, "values": o.values, "about": o.about })).collect::<Vec<_>>(),
        "limits": about.limits.iter().map(|(what, limit)| json!({ "name": what, "limit": limit })).collect::<Vec<_>>(),
    })
}
