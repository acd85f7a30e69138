//! Rules of extensions about devices: barriers in two halves, clusters of subgroups, groups of
//! derivatives, coverage after depth.

use super::checker::Checker;
use crate::builtin::functions::Row;
use crate::hir::ExprId;
use crate::intrinsic::Intrinsic;
use crate::source::Client;
use crate::token::At;
use spirv::{ExecutionMode, GroupOperation, Op};

/// Orders of memory, by their bits.
const ACQUIRE: u64 = 0x2;
const RELEASE: u64 = 0x4;
const ORDERS: u64 = 0x2 | 0x4 | 0x8;
const VOLATILE: u64 = 0x8000;

impl Checker<'_> {
    /// Rules of single functions.
    pub(super) fn check_device_function(&mut self, row: &'static Row, args: &[ExprId], at: At) {
        match row.what {
            Intrinsic::Subgroup(op, operation) => self.check_subgroup(op, operation, args),
            Intrinsic::ControlArrive => self.check_half(row.name, args, RELEASE, "gl_SemanticsRelease", at),
            Intrinsic::ControlWait => self.check_half(row.name, args, ACQUIRE, "gl_SemanticsAcquire", at),
            Intrinsic::RayQuery(_) | Intrinsic::RayParts(_) => self.check_intersection(args),
            _ => {}
        }
    }

    /// The size of a cluster is a constant power of two; who broadcasts is a constant.
    fn check_subgroup(&mut self, op: Op, operation: Option<GroupOperation>, args: &[ExprId]) {
        let clustered = operation == Some(GroupOperation::ClusteredReduce)
            || op == Op::GroupNonUniformRotateKHR && args.len() == 3;
        let Some(&last) = args.last() else { return };
        let at = self.at(last).at;
        if clustered {
            match self.first_bits(last) {
                None if self.is_spec(last) => {}
                None => _ = self.error(at, "the size of a cluster must be a constant expression"),
                Some(size) if !(1..=1 << 30).contains(&size) => {
                    self.error(at, "a cluster has at least one invocation");
                }
                Some(size) if !size.is_power_of_two() => {
                    self.error(at, format!("the size of a cluster must be a power of two, found {size}"));
                }
                Some(_) => {}
            }
        }
        let fixed = matches!(op, Op::GroupNonUniformBroadcast | Op::GroupNonUniformQuadBroadcast);
        // From SPIR-V 1.5 on it need not be known, if all agree.
        let old = matches!(self.client, Client::Vulkan { minor } if minor < 5);
        if fixed && old && self.first_bits(last).is_none() && !self.is_spec(last) {
            self.error(at, "which invocation broadcasts must be a constant expression")
                .help
                .push("`subgroupShuffle` takes the value of any invocation".into());
        }
    }

    /// Arrival releases what was written, waiting acquires it; nothing is volatile.
    fn check_half(&mut self, name: &str, args: &[ExprId], order: u64, word: &str, at: At) {
        let [_, _, storage, semantics] = *args else { return };
        let (Some(storage), Some(semantics)) = (self.first_bits(storage), self.first_bits(semantics)) else {
            self.error(at, format!("the scopes and semantics of `{name}` must be constants"));
            return;
        };
        if semantics & VOLATILE != 0 {
            self.error(at, format!("`{name}` cannot be volatile"));
        } else if storage == 0 && semantics & ORDERS != 0 {
            self.error(at, format!("`{name}` orders memory, and must say which: no storage is given"));
        } else if storage != 0 && semantics & ORDERS != order {
            self.error(at, format!("`{name}` with a storage takes the order `{word}`"));
        }
    }

    /// Which intersection is meant is known at once.
    fn check_intersection(&mut self, args: &[ExprId]) {
        let Some(&which) = args.get(1) else { return };
        if self.ty_of(which) == self.known.bool && self.bits(which).is_none() {
            let at = self.at(which).at;
            self.error(at, "which intersection is meant must be a constant: `false` is the candidate")
                .help
                .push("write `true` for the committed intersection, `false` for the candidate".into());
        }
    }

    fn is_grouped(&self) -> bool {
        use ExecutionMode::{DerivativeGroupLinearKHR, DerivativeGroupQuadsKHR};
        let group = |mode: &_| matches!(mode, DerivativeGroupLinearKHR | DerivativeGroupQuadsKHR);
        self.modes.others.iter().any(group)
    }

    /// What only the whole source shows of modes.
    pub(super) fn check_modes(&mut self) {
        use ExecutionMode::{DerivativeGroupLinearKHR, DerivativeGroupQuadsKHR, PostDepthCoverage};
        if self.enabled.has("GL_KHR_compute_shader_derivatives") && !self.is_grouped() {
            let at = self.declared_size_at.unwrap_or_default();
            self.error(at, "`GL_KHR_compute_shader_derivatives` needs invocations that are grouped")
                .help
                .push("write `layout(derivative_group_quadsKHR) in;`".into());
        }
        let Some(at) = self.modes_at else { return };
        let has = |mode| self.modes.others.contains(&mode);
        let (quads, linear) = (has(DerivativeGroupQuadsKHR), has(DerivativeGroupLinearKHR));
        let size = self.modes.local_size.map(u64::from);
        let fixed = self.modes.local_size_id.iter().all(Option::is_none);
        let needs_early = has(PostDepthCoverage)
            && !self.modes.early_fragment_tests
            && !self.enabled.has("GL_ARB_post_depth_coverage");
        if quads && linear {
            self.error(at, "derivatives are of quads or of a line, not of both");
        } else if quads && fixed && (!size[0].is_multiple_of(2) || !size[1].is_multiple_of(2)) {
            self.error(at, "groups of quads need even `local_size_x` and `local_size_y`");
        } else if linear && fixed && !(size[0] * size[1] * size[2]).is_multiple_of(4) {
            self.error(at, "groups in a line need a workgroup whose size is a multiple of four");
        }
        if needs_early {
            self.error(at, "`post_depth_coverage` needs `early_fragment_tests` beside it");
        }
    }

    fn first_bits(&self, id: ExprId) -> Option<u64> {
        self.bits(id).and_then(<[u64]>::first).copied()
    }
}
