//! Whether what was found may be found.
//!
//! The API leaves open what rounding decides: which of two triangles has the edge that they share, whether a ray that
//! grazes meets, what is nearer of two at nearly one distance. So what differs from the interpreter's row has to be what
//! the interpreter finds where the ray begins a little beside; or what it finds so in a scene without all else, if such a
//! ray finds nothing nearer in the whole scene. The API leaves open, too, which hit ends a search that the first one ends:
//! it has to be one that is found where nothing else is.

use chiaro_isa::Rng;
use chiaro_trace::{Ray, Shape, flags};

use super::random::between;
use super::{Asked, BESIDE, Case, Found, Rule, largest};
use crate::stages::Shader;

/// Rays that begin beside.
const RAYS: usize = 512;

/// What is to be said of a row.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// As the interpreter has it.
    Same,
    /// Another hit ended the search.
    First,
    /// Rounding decides.
    Edge,
    /// Neither; both rows in words.
    Different(String),
}

/// Judges what was found for the rays of a case.
///
/// # Errors
/// What stops the interpreter.
pub fn judge(case: &Case, kernel: &Shader, found: &[Found]) -> Result<Vec<Verdict>, String> {
    let ours = case.trace(kernel, &case.rays)?;
    let pairs: Vec<(&Found, &Found)> = found.iter().zip(&ours).collect();
    let open = |n: &usize| !close(&case.rays[*n], pairs[*n].0, std::slice::from_ref(pairs[*n].1));
    let open: Vec<usize> = (0..pairs.len()).filter(open).collect();
    let mut verdicts = vec![Verdict::Same; pairs.len()];
    for n in open {
        let (asked, (theirs, ours)) = (&case.rays[n], pairs[n]);
        verdicts[n] = match explain(case, kernel, asked, theirs)? {
            Some(verdict) => verdict,
            None => Verdict::Different(format!(
                "{asked:?}\n    {theirs}\n    instead of {ours}\n    differs: {}",
                theirs.apart(ours, asked)
            )),
        };
    }
    Ok(verdicts)
}

/// Why a row may differ, if it may.
fn explain(case: &Case, kernel: &Shader, asked: &Asked, theirs: &Found) -> Result<Option<Verdict>, String> {
    let is_there = theirs.is_hit() && is_found(&alone(case, theirs), kernel, asked, theirs)?;
    let ends = asked.ray.has(flags::TERMINATE_ON_FIRST_HIT) || asked.rule == Rule::End;
    if is_there && ends {
        return Ok(Some(Verdict::First));
    }
    let near = case.trace(kernel, &beside(asked))?;
    let is_edge = match asked.rule {
        // Whether all triangles at an edge are counted, or one, is left open; a count that is not on an edge is the same.
        Rule::None => near.iter().any(|row| !row.names(&near[0])),
        _ => close(asked, theirs, &near) || is_there && near.iter().any(|row| !is_nearer(asked, row, theirs)),
    };
    Ok(is_edge.then_some(Verdict::Edge))
}

/// The scene with nothing in it but the primitive that was hit.
fn alone(case: &Case, hit: &Found) -> Case {
    let [instance, geometry, primitive] = hit.place();
    let mut case = Case { rays: Vec::new(), ..case.clone() };
    let all = case.instances.iter_mut().enumerate();
    all.filter(|(n, _)| *n != instance).for_each(|(_, other)| other.mask = 0);
    let Some(shown) = case.instances.get(instance) else { return case };
    for (g, part) in case.meshes[shown.mesh].geometries.iter_mut().enumerate() {
        let others = |n: &usize| (g, *n) != (geometry, primitive);
        match &mut part.shape {
            Shape::Triangles(all) => (0..all.len()).filter(others).for_each(|n| all[n] = [[f32::NAN; 3]; 3]),
            Shape::Boxes(all) => (0..all.len()).filter(others).for_each(|n| all[n] = [[f32::NAN; 3]; 2]),
        }
    }
    case
}

/// Whether a ray finds this where it begins a little beside.
fn is_found(case: &Case, kernel: &Shader, asked: &Asked, theirs: &Found) -> Result<bool, String> {
    Ok(close(asked, theirs, &case.trace(kernel, &beside(asked))?))
}

fn is_nearer(asked: &Asked, row: &Found, other: &Found) -> bool {
    row.is_hit() && row.distance() + row.distance_slack(asked) < other.distance()
}

/// Whether a row names what some of others name, with numbers about theirs: others may lie on one side, so as far again.
fn close(asked: &Asked, theirs: &Found, others: &[Found]) -> bool {
    let named: Vec<&Found> = others.iter().filter(|row| row.names(theirs)).collect();
    let numbers: Vec<Vec<(f32, f32)>> = named.iter().map(|row| row.computed(asked).collect()).collect();
    let within = |(n, (number, slack)): (usize, (f32, f32))| {
        let least = numbers.iter().map(|row| row[n].0).fold(f32::INFINITY, f32::min);
        let most = numbers.iter().map(|row| row[n].0).fold(f32::NEG_INFINITY, f32::max);
        let slack = slack + (most - least);
        number >= least - slack && number <= most + slack
    };
    !named.is_empty() && theirs.computed(asked).enumerate().all(within)
}

/// The ray, and rays that begin beside it, everywhere in cubes of several sizes.
fn beside(asked: &Asked) -> Vec<Asked> {
    let far = largest(&asked.ray.origin).max(1.0) * BESIDE;
    let mut rng = Rng(0);
    let moved = |n: usize| {
        let far = far * [1.0, 0.25, 0.0625][n % 3];
        let origin = asked.ray.origin.map(|x| x + between(&mut rng, -far, far));
        Asked { ray: Ray { origin, ..asked.ray }, ..*asked }
    };
    std::iter::once(*asked).chain((1..RAYS).map(moved)).collect()
}
