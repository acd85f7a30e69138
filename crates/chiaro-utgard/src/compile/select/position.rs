//! The position and the point size: collected until the end, then transformed. spec section 10.4.

use super::{Answer, Part, Position, Select};
use crate::compile::graph::{Op, Operand, Place, Source};
use crate::regs::BANK_MASK;

impl Select<'_> {
    /// The position and the point size are transformed at the end. What is written once stays a
    /// value until then; what is written in several places goes through a register.
    pub(super) fn collect(&mut self, start: usize, parts: &[Operand]) -> Answer<()> {
        for (i, &operand) in parts.iter().enumerate() {
            let Some(&position) = self.position.get(start + i) else { break };
            let Some(first) = position.part else {
                self.position[start + i].part = Some(Part { block: self.current(), operand });
                continue;
            };
            let home = match position.home {
                Some(home) => home,
                None if first.block == self.current() => {
                    self.position[start + i].part = Some(Part { operand, ..first });
                    continue;
                }
                None => {
                    let home = self.register()?;
                    self.position[start + i].home = Some(home);
                    let graph = &mut self.blocks[first.block as usize].graph;
                    let plain = graph.plain(first.operand);
                    graph.make(Op::Store(Place::Register(home.0, home.1)), &[plain]);
                    home
                }
            };
            self.write_register(home, operand);
        }
        Ok(())
    }

    fn collected(&mut self, i: usize) -> Answer<Option<Operand>> {
        Ok(match self.position[i] {
            Position { home: Some(home), .. } => Some(self.read_register(home)),
            Position { part: Some(part), .. } => Some(self.here(part)?),
            _ => None,
        })
    }

    /// Clip space to the screen: xyz * scale / w + offset, and 1 / w between limits; the point
    /// size between its limits. The scale is multiplied while the reciprocal is in flight, as
    /// ARM's compiler does. spec section 10.4.
    pub(super) fn transform(&mut self) -> Answer<()> {
        let [x, y, z, w] = [0, 1, 2, 3].map(|i| self.collected(i));
        if let (Some(x), Some(y), Some(z), Some(w)) = (x?, y?, z?, w?) {
            self.transform_position([x, y, z, w]);
        }
        if let Some(size) = self.collected(4)? {
            let output = self.abi.point_size.unwrap_or(1);
            let (low, high) = self.options.point_size;
            let plain = self.graph().plain(size);
            let clamped = self.graph().make(Op::Clamp(low.to_bits(), high.to_bits()), &[plain]);
            self.store(Place::Output(output as u8 & BANK_MASK, 0), clamped);
        }
        Ok(())
    }

    fn transform_position(&mut self, [x, y, z, w]: [Operand; 4]) {
        let limit = self.options.reciprocal_limit;
        let [scale, offset] = self.abi.viewport();
        let is_one = self.graph().constant(w) == Some(1.0);
        let inverse = if is_one {
            w
        } else {
            let inverse = self.graph().function(Op::Rcp, w);
            self.graph().make(Op::Clamp((-limit).to_bits(), limit.to_bits()), &[inverse])
        };
        for (i, part) in [x, y, z].into_iter().enumerate() {
            let factor = self.graph().load(Source::Uniform(scale, i as u8));
            let scaled = self.graph().mul(part, factor);
            let divided = self.graph().mul(scaled, inverse);
            let origin = self.graph().load(Source::Uniform(offset, i as u8));
            let placed = self.graph().add(divided, origin);
            self.store(Place::Output(0, i as u8), placed);
        }
        self.store(Place::Output(0, 3), inverse);
    }
}
