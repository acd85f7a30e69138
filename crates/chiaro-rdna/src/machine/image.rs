//! Images and samplers by descriptor (spec section 8.5).

use super::fault::FaultKind;
use super::group::Shared;
use super::program::Step;
use super::wave::Wave;
use crate::isa::mimg::Mimg;

impl Wave {
    /// Image descriptors are not read yet: an image instruction is a fault that names it.
    pub(super) fn image(&mut self, _: Mimg, step: &Step, _: &mut Shared<'_>) {
        let text = self.text(step);
        self.stop(FaultKind::Unknown(text));
    }
}
