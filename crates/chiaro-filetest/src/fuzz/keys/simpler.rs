//! Keys that are plainer and fail all the same.

use serde_json::Value as Json;

/// The plainest keys for which something still holds: fields 0, colours that are copied, lists shorter, one part.
pub(super) fn simplest(keys: &Json, mut holds: impl FnMut(&Json) -> bool) -> Json {
    let mut best = keys.clone();
    loop {
        let plainer = candidates(&best).into_iter().find(|keys| holds(keys));
        match plainer {
            Some(keys) => best = keys,
            None => return best,
        }
    }
}

/// The keys with one thing plainer.
fn candidates(keys: &Json) -> Vec<Json> {
    let mut all = Vec::new();
    if let (Some(_), Some(_)) = (keys.get("prolog"), keys.get("epilog")) {
        all.push(without(keys, "prolog"));
    }
    let mut places = Vec::new();
    walk(keys, String::new(), &mut places);
    for (place, value) in places {
        let plain = match (&value, place.rsplit('/').next().unwrap_or_default()) {
            (Json::Array(list), _) if list.len() > 1 => Json::from(list[..list.len() - 1].to_vec()),
            (_, "rgb" | "alpha") => "add one zero".into(),
            (_, "logicop") => "copy".into(),
            (Json::Number(n), "colormask" | "mask") if n.as_u64() != Some(15) => 15.into(),
            (Json::Number(n), "api_sample_mask") if n.as_u64() != Some(255) => 255.into(),
            (
                _,
                "i" | "loc" | "mask" | "colormask" | "nr_samples" | "hw" | "stride" | "format"
                | "api_sample_mask",
            ) => continue,
            (Json::Number(n), _) if n.as_u64() != Some(0) => 0.into(),
            _ => continue,
        };
        let mut plainer = keys.clone();
        if let Some(room) = plainer.pointer_mut(&place).filter(|_| plain != value) {
            *room = plain;
            all.push(plainer);
        }
    }
    all
}

fn without(keys: &Json, name: &str) -> Json {
    let mut keys = keys.clone();
    if let Some(fields) = keys.as_object_mut() {
        fields.remove(name);
    }
    keys
}

/// Every value with its place.
fn walk(value: &Json, place: String, found: &mut Vec<(String, Json)>) {
    found.push((place.clone(), value.clone()));
    match value {
        Json::Object(fields) => {
            fields.iter().for_each(|(name, value)| walk(value, format!("{place}/{name}"), found));
        }
        Json::Array(list) => {
            list.iter().enumerate().for_each(|(n, value)| walk(value, format!("{place}/{n}"), found));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_makes_it_fail_is_left() {
        let keys = json!({ "prolog": { "statistics": 1 }, "epilog": { "logicop": "xor", "alpha_to_one": 1,
            "rts": [{ "colormask": 3, "rgb": "min one one" }, { "colormask": 15 }] } });
        let left = simplest(&keys, |keys| keys["epilog"]["rts"][0]["colormask"] == 3);
        let plain = json!({ "epilog": { "logicop": "copy", "alpha_to_one": 0,
            "rts": [{ "colormask": 3, "rgb": "add one zero" }] } });
        assert_eq!(left, plain);
    }
}
