//! Cases with what a driver found, a line each: words in hexadecimal, since bits count.

use chiaro_trace::{Affine, Geometry, Instance, Mesh, Shape};
use serde_json::{Value as Json, json};

use super::{Asked, Case, Found};

/// A case as a line, with what was found for its rays. Zeros at the end of a row are left out.
#[must_use]
pub fn line(case: &Case, found: &[Found]) -> String {
    let geometry = |geometry: &Geometry| {
        let (name, corners) = match &geometry.shape {
            Shape::Triangles(all) => ("triangles", all.as_flattened()),
            Shape::Boxes(all) => ("boxes", all.as_flattened()),
        };
        json!({ name: floats(corners.as_flattened()), "opaque": geometry.opaque })
    };
    let meshes: Vec<Vec<Json>> =
        case.meshes.iter().map(|m| m.geometries.iter().map(geometry).collect()).collect();
    let instance = |i: &Instance| {
        json!([i.mesh, i.custom_index, i.mask, i.offset, i.flags, floats(i.transform.0.as_flattened())])
    };
    let instances: Vec<Json> = case.instances.iter().map(instance).collect();
    let ray = |(asked, found): (&Asked, &Found)| {
        let kept = found.0.iter().rposition(|word| *word != 0).map_or(0, |last| last + 1);
        json!([hex(&asked.words()), hex(&found.0[..kept])])
    };
    let rays: Vec<Json> = case.rays.iter().zip(found).map(ray).collect();
    json!({ "meshes": meshes, "instances": instances, "rays": rays }).to_string()
}

/// What [`line`] wrote; `None` of what it cannot have written.
#[must_use]
pub fn read(line: &str) -> Option<(Case, Vec<Found>)> {
    let json: Json = serde_json::from_str(line).ok()?;
    let list = |json: &Json| json.as_array().cloned();
    let mesh = |json: &Json| {
        let geometries = list(json)?.iter().map(geometry).collect::<Option<_>>()?;
        Some(Mesh { geometries, ..Mesh::default() })
    };
    let meshes = list(&json["meshes"])?.iter().map(mesh).collect::<Option<_>>()?;
    let instances = list(&json["instances"])?.iter().map(instance).collect::<Option<_>>()?;
    let pairs = list(&json["rays"])?.iter().map(ray).collect::<Option<Vec<_>>>()?;
    let (rays, found) = pairs.into_iter().unzip();
    Some((Case { meshes, instances, rays }, found))
}

fn geometry(json: &Json) -> Option<Geometry> {
    let points = |name: &str| Some(numbers(json[name].as_str()?)?.as_chunks().0.to_vec());
    let shape = match points("triangles") {
        Some(corners) => Shape::Triangles(corners.as_chunks().0.to_vec()),
        None => Shape::Boxes(points("boxes")?.as_chunks().0.to_vec()),
    };
    Some(Geometry { shape, opaque: json["opaque"].as_bool()? })
}

fn instance(json: &Json) -> Option<Instance> {
    let number = |n: usize| json[n].as_u64();
    let rows = numbers(json[5].as_str()?)?;
    Some(Instance {
        mesh: number(0)? as usize,
        custom_index: number(1)? as u32,
        mask: number(2)? as u8,
        offset: number(3)? as u32,
        flags: number(4)? as u8,
        transform: Affine(rows.as_chunks().0.try_into().ok()?),
    })
}

fn ray(json: &Json) -> Option<(Asked, Found)> {
    let words = |n: usize| words(json[n].as_str()?);
    let mut row = words(1)?;
    row.resize(Found::WORDS, 0);
    Some((Asked::of_words(words(0)?.try_into().ok()?)?, Found(row.try_into().ok()?)))
}

fn hex(words: &[u32]) -> String {
    words.iter().map(|word| format!("{word:08x}")).collect()
}

fn floats(numbers: &[f32]) -> String {
    hex(&numbers.iter().map(|x| x.to_bits()).collect::<Vec<_>>())
}

fn words(hex: &str) -> Option<Vec<u32>> {
    let digits = hex.as_bytes().chunks(8).map(|digits| std::str::from_utf8(digits).ok());
    digits.map(|digits| u32::from_str_radix(digits?, 16).ok()).collect()
}

fn numbers(hex: &str) -> Option<Vec<f32>> {
    Some(words(hex)?.into_iter().map(f32::from_bits).collect())
}
