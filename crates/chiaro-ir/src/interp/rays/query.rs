//! Ray queries: a traversal that the stage itself drives. What a query is stands beside memory, by the place of its
//! variable; one that was never begun has nothing to tell.

use chiaro_trace::{Affine, Hit, Traversal};

use super::builtin::floats;
use crate::Inst;
use crate::interp::domain::Domain;
use crate::interp::exec::{Outcome, Walk};
use crate::interp::frame::Frame;
use crate::interp::layout::Leaf;
use crate::rays::query as q;

impl<'m, D: Domain> Walk<'m, D> {
    /// An operation on a query, by SPIR-V's number.
    pub(super) fn ray_query(
        &mut self,
        fr: &mut Frame<'m, D>,
        inst: Inst,
        code: u16,
        here: &[u32],
    ) -> Outcome {
        let args = fr.f.args(inst);
        let Some(scene) = self.scene() else { return Ok(()) };
        for &lane in here {
            let key = (self.domain.bits(fr.get(args[0], 0, lane)), lane);
            if code == q::BEGIN {
                let ray = self.ray(fr, [args[2], args[3], args[4], args[5], args[6], args[7]], lane);
                let begun = Traversal::new(ray, self.structure(fr, args[1], lane));
                self.rays.queries.insert(key, begun);
                self.rays.counts.queries += 1;
                continue;
            }
            let distance = if code == q::GENERATE { self.float_of(fr, args[1], 0, lane) } else { 0.0 };
            let query = self.rays.queries.get_mut(&key);
            let more = match (code, query) {
                (q::END, Some(query)) => {
                    query.end();
                    continue;
                }
                (q::GENERATE, Some(query)) => {
                    if let Some(hit) = query.within(distance, 0) {
                        query.take(hit);
                    }
                    continue;
                }
                (q::CONFIRM, Some(query)) => {
                    query.confirm();
                    continue;
                }
                (q::END | q::GENERATE | q::CONFIRM, None) => continue,
                (q::PROCEED, query) => query.is_some_and(|query| query.proceed(scene)),
                _ => {
                    let which = args.get(1).map_or(0, |&v| self.whole(fr, v, lane));
                    let Some(words) = self.told(key, code, which) else {
                        return Err(self.not_interpreted(fr, inst, "ray_query"));
                    };
                    self.tell(fr, inst, lane, &words);
                    continue;
                }
            };
            self.tell(fr, inst, lane, &[u32::from(more)]);
        }
        Ok(())
    }

    /// Words as the leaves of a result; what is not told is 0.
    fn tell(&self, fr: &mut Frame<'m, D>, inst: Inst, lane: u32, words: &[u32]) {
        let Some(result) = fr.f.result_of(inst) else { return };
        let leaves: &'m [(Leaf, u32)] = &fr.layout(result).leaves;
        for (n, &(leaf, _)) in leaves.iter().enumerate() {
            let word = words.get(n).copied().unwrap_or(0);
            fr.set(result, n, lane, self.scalar(leaf, word.into()));
        }
    }

    /// What a query tells; `which` is 0 for the candidate, 1 for the hit that was taken. `None` for a question that is
    /// not known.
    fn told(&self, key: (u64, u32), code: u16, which: u32) -> Option<Vec<u32>> {
        let Some(query) = self.rays.queries.get(&key) else { return Some(Vec::new()) };
        let ray = &query.ray;
        let hit = if which == 1 { query.committed } else { query.candidate };
        Some(match code {
            q::KIND => vec![kind(hit, which == 1)],
            q::LEAST => floats(&[ray.least]),
            q::FLAGS => vec![ray.flags],
            q::DIRECTION => floats(&ray.direction),
            q::ORIGIN => floats(&ray.origin),
            q::CORNERS | q::DISTANCE..=q::TO_OBJECT => {
                hit.map_or(Vec::new(), |hit| self.told_of_hit(query, &hit, code))
            }
            _ => return None,
        })
    }

    /// What there is to know of a hit; nothing for a question about anything else.
    pub(super) fn told_of_hit(&self, query: &Traversal, hit: &Hit, code: u16) -> Vec<u32> {
        let Some((scene, (instance, to_object))) =
            self.scene().and_then(|scene| Some((scene, scene.instance(query.structure, hit.instance)?)))
        else {
            return Vec::new();
        };
        match code {
            q::DISTANCE => floats(&[hit.t]),
            q::CUSTOM_INDEX => vec![instance.custom_index],
            q::INSTANCE => vec![hit.instance],
            q::RECORD => vec![instance.offset],
            q::GEOMETRY => vec![hit.geometry],
            q::PRIMITIVE => vec![hit.primitive],
            q::SHARES => floats(&hit.shares),
            q::FRONT => vec![u32::from(hit.kind == Hit::FRONT)],
            q::OPAQUE => vec![u32::from(hit.opaque)],
            q::OBJECT_DIRECTION => floats(&direction(to_object, query.ray.direction)),
            q::OBJECT_ORIGIN => floats(&point(to_object, query.ray.origin)),
            q::TO_WORLD => floats(&instance.transform.columns()),
            q::TO_OBJECT => floats(&to_object.columns()),
            q::CORNERS => {
                let corners = scene.corners(query.structure, [hit.instance, hit.geometry, hit.primitive]);
                floats(corners.unwrap_or_default().as_flattened())
            }
            _ => Vec::new(),
        }
    }
}

/// Candidates: 0 a triangle, 1 a box. Taken hits: 0 none, 1 a triangle, 2 what was made within a box.
fn kind(hit: Option<Hit>, taken: bool) -> u32 {
    match (hit, taken) {
        (None, _) => 0,
        (Some(hit), true) => 1 + u32::from(hit.procedural),
        (Some(hit), false) => u32::from(hit.procedural),
    }
}

/// A point in the space of an instance.
fn point(to_object: &Affine, p: [f32; 3]) -> [f32; 3] {
    to_object.point(p.map(f64::from)).map(|x| x as f32)
}

/// A direction in the space of an instance.
fn direction(to_object: &Affine, d: [f32; 3]) -> [f32; 3] {
    to_object.direction(d.map(f64::from)).map(|x| x as f32)
}
