//! Composites: put together, taken apart, changed, copied into another type.

use crate::body::Body;
use crate::error::{Res, fail};
use crate::ids::Id;
use crate::words::Inst;
use chiaro_ir::{ConstantKind, Op, Value};
use spirv::Op as S;

/// Parts that one part is replicated into.
const MANY: u32 = 1024;

impl Body<'_, '_> {
    /// Emits an instruction on composites.
    pub(crate) fn composite(&mut self, inst: &Inst<'_>, op: S) -> Res<()> {
        let (ty, value) = self.result_ty(inst)?;
        let v = match op {
            S::CompositeConstruct => {
                let parts = self.operands(inst, 2)?;
                self.construct(&parts, value)
            }
            S::CompositeConstructReplicateEXT => self.replicate(inst, value)?,
            S::CompositeExtract => {
                let mut v = self.operand(inst, 2)?;
                for &i in inst.rest(3) {
                    v = self.extract(v, i)?;
                }
                v
            }
            S::CompositeInsert => {
                let (part, whole) = (self.operand(inst, 2)?, self.operand(inst, 3)?);
                self.inserted(whole, part, inst.rest(4))?
            }
            S::VectorShuffle => self.shuffle(inst, value)?,
            _ => {
                let v = self.operand(inst, 2)?;
                self.copied(v, value)?
            }
        };
        self.define(inst.word(1)?, Id::Value(v, ty, false))
    }

    fn replicate(&mut self, inst: &Inst<'_>, ty: chiaro_ir::Ty) -> Res<Value> {
        let part = self.operand(inst, 2)?;
        match self.r.module.types.part_count(ty) {
            Some(n @ 1..=MANY) => Ok(self.op(Op::Construct, &vec![part; n as usize], ty)),
            _ => fail("replicating so many parts is not supported"),
        }
    }

    /// A composite with the part at the end of a path replaced.
    fn inserted(&mut self, whole: Value, part: Value, path: &[u32]) -> Res<Value> {
        let mut around = vec![whole];
        let Some((_, outer)) = path.split_last() else { return Ok(part) };
        for &i in outer {
            let inner = self.extract(around[around.len() - 1], i)?;
            around.push(inner);
        }
        let mut v = part;
        for (&whole, &i) in around.iter().zip(path).rev() {
            v = self.same(Op::Insert(i), &[whole, v]);
        }
        Ok(v)
    }

    fn shuffle(&mut self, inst: &Inst<'_>, ty: chiaro_ir::Ty) -> Res<Value> {
        let (a, b) = (self.operand(inst, 2)?, self.operand(inst, 3)?);
        let count = u32::from(self.components(a)) + u32::from(self.components(b));
        let mut lanes = [255; 4];
        let picks = inst.rest(4);
        let Some(lanes_used) = lanes.get_mut(..picks.len()) else { return fail("too many components") };
        for (lane, &pick) in lanes_used.iter_mut().zip(picks) {
            *lane = match pick {
                u32::MAX => 255,
                _ if pick < count => pick as u8,
                _ => return fail(format!("there is no component {pick}")),
            };
        }
        Ok(self.op(Op::Shuffle(lanes), &[a, b], ty))
    }

    /// The same parts as another type of the same shape.
    fn copied(&mut self, v: Value, ty: chiaro_ir::Ty) -> Res<Value> {
        if self.f.ty(v) == ty {
            return Ok(v);
        }
        self.check_growth()?;
        let mut parts = self.parts(v)?;
        for (i, part) in parts.iter_mut().enumerate() {
            let Some(wanted) = self.r.module.types.part(ty, i as u32) else {
                return fail("the shapes differ");
            };
            *part = self.copied(*part, wanted)?;
        }
        if parts.is_empty() {
            let c = self.r.module.constants.intern(ty, ConstantKind::Zero);
            return Ok(self.known(c));
        }
        Ok(self.op(Op::Construct, &parts, ty))
    }
}
