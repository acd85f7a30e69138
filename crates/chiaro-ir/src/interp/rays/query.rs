//! Ray queries: a traversal that the stage itself drives. What a query is stands beside memory, by the place of its
//! variable; one that was never begun has nothing to tell.

use chiaro_trace::{Hit, Traversal};

use super::builtin::{direction, floats, point};
use crate::Inst;
use crate::interp::domain::Domain;
use crate::interp::exec::{Outcome, Walk};
use crate::interp::frame::Frame;
use crate::interp::layout::Leaf;

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
            if code == 4473 {
                let ray = self.ray(fr, [args[2], args[3], args[4], args[5], args[6], args[7]], lane);
                let begun = Traversal::new(ray, self.structure(fr, args[1], lane));
                self.rays.queries.insert(key, begun);
                self.rays.counts.queries += 1;
                continue;
            }
            let distance = if code == 4475 { self.float_of(fr, args[1], 0, lane) } else { 0.0 };
            let query = self.rays.queries.get_mut(&key);
            let more = match (code, query) {
                (4474, Some(query)) => {
                    query.end();
                    continue;
                }
                (4475, Some(query)) => {
                    if let Some(hit) = query.within(distance, 0) {
                        query.take(hit);
                    }
                    continue;
                }
                (4476, Some(query)) => {
                    query.confirm();
                    continue;
                }
                (4474..=4476, None) => continue,
                (4477, query) => query.is_some_and(|query| query.proceed(scene)),
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
            4479 => vec![kind(hit, which == 1)],
            6016 => floats(&[ray.least]),
            6017 => vec![ray.flags],
            6029 => floats(&ray.direction),
            6030 => floats(&ray.origin),
            5340 | 6018..=6032 => hit.map_or(Vec::new(), |hit| self.told_of_hit(query, &hit, code)),
            _ => return None,
        })
    }

    fn told_of_hit(&self, query: &Traversal, hit: &Hit, code: u16) -> Vec<u32> {
        let Some((scene, (instance, to_object))) =
            self.scene().and_then(|scene| Some((scene, scene.instance(query.structure, hit.instance)?)))
        else {
            return Vec::new();
        };
        match code {
            6018 => floats(&[hit.t]),
            6019 => vec![instance.custom_index],
            6020 => vec![hit.instance],
            6021 => vec![instance.offset],
            6022 => vec![hit.geometry],
            6023 => vec![hit.primitive],
            6024 => floats(&hit.shares),
            6025 => vec![u32::from(hit.kind == Hit::FRONT)],
            6026 => vec![u32::from(hit.opaque)],
            6027 => floats(&direction(to_object, query.ray.direction)),
            6028 => floats(&point(to_object, query.ray.origin)),
            6031 => floats(&instance.transform.columns()),
            6032 => floats(&to_object.columns()),
            5340 => {
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
