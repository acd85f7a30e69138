//! A scene of JSON: meshes, instances and assemblies of them.

use chiaro_trace::{Affine, Geometry, Instance, Mesh, Shape, instance_flags};
use serde_json::Value as Json;

use super::fields::{Fields, exactly, numbers};

/// What is traced, before it is checked.
#[derive(Default)]
pub struct Bodies {
    /// Meshes, in the order of their names.
    pub meshes: Vec<Mesh>,
    /// Instances by the name of the variable; of the empty name those that every variable has.
    pub structures: Vec<(String, Vec<Instance>)>,
}

/// Keys of a geometry; a mesh may be one.
const GEOMETRY: [&str; 5] = ["vertices", "indices", "boxes", "spheres", "opaque"];
/// Keys of an instance.
const INSTANCE: [&str; 8] = ["mesh", "assembly", "transform", "place", "custom", "mask", "offset", "flags"];
/// Assemblies within assemblies, and instances of all of them.
const DEEPEST: usize = 16;
const MOST: usize = 1 << 20;

/// Reads meshes and structures.
///
/// # Errors
/// A sentence that names the place.
pub fn read(top: &Fields<'_>) -> Result<Bodies, String> {
    let mut bodies = Bodies::default();
    for (name, value) in top.pairs("meshes")? {
        let mesh = mesh(value, &format!("meshes.{name}"))?;
        bodies.meshes.push(Mesh { name: name.clone(), ..mesh });
    }
    let assemblies = top.pairs("assemblies")?;
    let reader = Reader { meshes: &bodies.meshes, assemblies: &assemblies };
    let mut structures = Vec::new();
    for (name, value) in top.pairs("structures")? {
        structures.push((name.clone(), reader.instances(value, &format!("structures.{name}"))?));
    }
    if let Some(value) = top.get("instances") {
        structures.insert(0, (String::new(), reader.instances(value, "instances")?));
    }
    if structures.is_empty() {
        // Every mesh once, where it is.
        let all = (0..bodies.meshes.len()).map(|mesh| Instance { mesh, ..Instance::default() });
        structures.push((String::new(), all.collect()));
    }
    bodies.structures = structures;
    Ok(bodies)
}

fn mesh(json: &Json, place: &str) -> Result<Mesh, String> {
    if json.get("geometries").is_none() {
        return Ok(Mesh { geometries: vec![geometry(json, place)?], ..Mesh::default() });
    }
    let fields = Fields::of(json, place, &["geometries"])?;
    let all = fields.items("geometries")?.iter().enumerate();
    let geometries = all.map(|(n, json)| geometry(json, &format!("{place}.geometries[{n}]")));
    Ok(Mesh { geometries: geometries.collect::<Result<_, _>>()?, ..Mesh::default() })
}

fn geometry(json: &Json, place: &str) -> Result<Geometry, String> {
    let fields = Fields::of(json, place, &GEOMETRY)?;
    let opaque = fields.flag("opaque", true)?;
    let shape = match (fields.get("vertices"), fields.get("boxes"), fields.get("spheres")) {
        (Some(vertices), None, None) => triangles(vertices, fields.get("indices"), place)?,
        (None, Some(boxes), None) => {
            Shape::Boxes(tuples::<6>(boxes, &format!("{place}.boxes"))?.into_iter().map(corners).collect())
        }
        (None, None, Some(all)) => {
            Shape::Boxes(tuples::<4>(all, &format!("{place}.spheres"))?.into_iter().map(around).collect())
        }
        _ => return Err(format!("`{place}` must have one of `vertices`, `boxes` and `spheres`")),
    };
    Ok(Geometry { shape, opaque })
}

/// Numbers so many at a time.
fn tuples<const N: usize>(json: &Json, place: &str) -> Result<Vec<[f32; N]>, String> {
    let all = numbers(json, place)?;
    if all.len() % N != 0 {
        return Err(format!("`{place}` has {} numbers, and takes {N} for each", all.len()));
    }
    let (all, _) = all.as_chunks::<N>();
    Ok(all.to_vec())
}

fn corners([a, b, c, d, e, f]: [f32; 6]) -> [[f32; 3]; 2] {
    [[a, b, c], [d, e, f]]
}

/// The box around a sphere of centre and radius.
fn around([x, y, z, r]: [f32; 4]) -> [[f32; 3]; 2] {
    [[x - r, y - r, z - r], [x + r, y + r, z + r]]
}

fn triangles(vertices: &Json, indices: Option<&Json>, place: &str) -> Result<Shape, String> {
    let vertices: Vec<[f32; 3]> = tuples(vertices, &format!("{place}.vertices"))?;
    let indices: Vec<usize> = match indices {
        None => (0..vertices.len()).collect(),
        Some(json) => numbers(json, &format!("{place}.indices"))?.iter().map(|n| *n as usize).collect(),
    };
    if let Some(index) = indices.iter().find(|n| **n >= vertices.len()) {
        return Err(format!("`{place}.indices` has {index}, and there are {} vertices", vertices.len()));
    }
    let (all, rest) = indices.as_chunks::<3>();
    if !rest.is_empty() {
        return Err(format!("`{place}` has {} corners, and a triangle takes three", indices.len()));
    }
    Ok(Shape::Triangles(all.iter().map(|corners| corners.map(|n| vertices[n])).collect()))
}

/// Names that instances may use.
struct Reader<'j> {
    meshes: &'j [Mesh],
    assemblies: &'j [(&'j String, &'j Json)],
}

/// What an instance within an assembly gets from those around it.
#[derive(Clone, Default)]
struct Around {
    transform: Affine,
    assemblies: Vec<String>,
}

impl Reader<'_> {
    fn instances(&self, json: &Json, place: &str) -> Result<Vec<Instance>, String> {
        let mut all = Vec::new();
        self.add(json, place, &Around::default(), &mut all)?;
        Ok(all)
    }

    fn add(&self, json: &Json, place: &str, around: &Around, all: &mut Vec<Instance>) -> Result<(), String> {
        let list = json.as_array().ok_or_else(|| format!("`{place}` must be a list"))?;
        for (n, json) in list.iter().enumerate() {
            self.add_one(json, &format!("{place}[{n}]"), around, all)?;
        }
        match all.len() > MOST {
            true => Err(format!("`{place}` makes more than {MOST} instances")),
            false => Ok(()),
        }
    }

    fn add_one(
        &self,
        json: &Json,
        place: &str,
        around: &Around,
        all: &mut Vec<Instance>,
    ) -> Result<(), String> {
        let fields = Fields::of(json, place, &INSTANCE)?;
        let transform = around.transform.after(&transform(&fields, place)?);
        match (fields.text("mesh")?, fields.text("assembly")?) {
            (Some(name), None) => {
                let mesh = self.meshes.iter().position(|known| known.name == name);
                let mesh =
                    mesh.ok_or_else(|| format!("`{place}` shows `{name}`, and there is no such mesh"))?;
                all.push(Instance { mesh, transform, ..instance(&fields, place)? });
                Ok(())
            }
            (None, Some(name)) => self.add_assembly(name, (place, transform), around, all),
            _ => Err(format!("`{place}` must have either `mesh` or `assembly`")),
        }
    }

    /// All that an assembly holds. One that holds itself would never end.
    fn add_assembly(
        &self,
        name: &str,
        (place, transform): (&str, Affine),
        around: &Around,
        all: &mut Vec<Instance>,
    ) -> Result<(), String> {
        let found = self.assemblies.iter().find(|(known, _)| *known == name);
        let (_, inside) =
            found.ok_or_else(|| format!("`{place}` shows `{name}`, and there is no such assembly"))?;
        let mut assemblies = around.assemblies.clone();
        if assemblies.iter().any(|known| known == name) {
            let chain = assemblies.join(" > ");
            return Err(format!(
                "the assembly `{name}` holds itself: {chain} > {name}; leave it out of itself"
            ));
        }
        assemblies.push(name.to_owned());
        if assemblies.len() > DEEPEST {
            return Err(format!("`{place}` is more than {DEEPEST} assemblies deep"));
        }
        self.add(inside, &format!("assemblies.{name}"), &Around { transform, assemblies }, all)
    }
}

fn instance(fields: &Fields<'_>, place: &str) -> Result<Instance, String> {
    const WIDE: u32 = (1 << 24) - 1;
    Ok(Instance {
        custom_index: fields.count("custom", WIDE, 0)?,
        mask: fields.count("mask", 255, 255)? as u8,
        offset: fields.count("offset", WIDE, 0)?,
        flags: flags(fields, place)?,
        ..Instance::default()
    })
}

fn flags(fields: &Fields<'_>, place: &str) -> Result<u8, String> {
    const NAMES: [(&str, u8); 4] = [
        ("no-cull", instance_flags::FACING_CULL_DISABLE),
        ("flip", instance_flags::FLIP_FACING),
        ("opaque", instance_flags::FORCE_OPAQUE),
        ("no-opaque", instance_flags::FORCE_NO_OPAQUE),
    ];
    fields.items("flags")?.iter().try_fold(0, |all, flag| {
        let found = NAMES.iter().find(|(name, _)| flag.as_str() == Some(*name));
        found.map(|(_, bit)| all | bit).ok_or_else(|| {
            let names = NAMES.map(|(name, _)| name).join(", ");
            format!("`{place}.flags` cannot have {flag}; known are {names}")
        })
    })
}

/// Three rows of four, or what `place` says: first the scale, then the turn, then the way.
fn transform(fields: &Fields<'_>, place: &str) -> Result<Affine, String> {
    if let Some(rows) = fields.get("transform") {
        let all: [f32; 12] = exactly(rows, &format!("{place}.transform"))?;
        let (rows, _) = all.as_chunks::<4>();
        return Ok(Affine(std::array::from_fn(|n| rows[n])));
    }
    let Some(json) = fields.get("place") else { return Ok(Affine::default()) };
    let at = format!("{place}.place");
    let fields = Fields::of(json, &at, &["at", "turn", "scale"])?;
    let way: [f32; 3] = fields.get("at").map_or(Ok([0.0; 3]), |json| exactly(json, &at))?;
    let scale = match fields.get("scale") {
        Some(Json::Number(n)) => [n.as_f64().unwrap_or(1.0) as f32; 3],
        Some(json) => exactly(json, &at)?,
        None => [1.0; 3],
    };
    let turn = fields.get("turn").map_or(Ok([0.0, 1.0, 0.0, 0.0]), |json| exactly(json, &at))?;
    let turn =
        turned(turn).ok_or_else(|| format!("`{at}.turn` must be an axis that is not 0, and degrees"))?;
    let rows = std::array::from_fn(|row| {
        let [x, y, z]: [f32; 3] = std::array::from_fn(|column| turn[row][column] * scale[column]);
        [x, y, z, way[row]]
    });
    Ok(Affine(rows))
}

/// A turn about an axis by degrees.
fn turned([x, y, z, degrees]: [f32; 4]) -> Option<[[f32; 3]; 3]> {
    let axis = [x, y, z].map(f64::from);
    let length = axis.iter().map(|n| n * n).sum::<f64>().sqrt();
    if !(length > 0.0 && length.is_finite()) {
        return None;
    }
    let [x, y, z] = axis.map(|n| n / length);
    let (s, c) = f64::from(degrees).to_radians().sin_cos();
    let t = 1.0 - c;
    let rows = [
        [t * x * x + c, t * x * y - s * z, t * x * z + s * y],
        [t * x * y + s * z, t * y * y + c, t * y * z - s * x],
        [t * x * z - s * y, t * y * z + s * x, t * z * z + c],
    ];
    Some(rows.map(|row| row.map(|n| n as f32)))
}
