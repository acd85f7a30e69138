//! Default precisions by type and scope.

use crate::qualifier::Precision;
use crate::source::{Stage, Version};
use crate::ty::{Access, Dim, Opaque, Scalar, Type};

/// Defaults of one scope.
#[derive(Clone, Debug, Default)]
pub(crate) struct Defaults {
    pub(crate) float: Option<Precision>,
    pub(crate) int: Option<Precision>,
    pub(crate) opaque: Vec<(Opaque, Precision)>,
}

/// Defaults of all scopes that are open, the innermost last.
#[derive(Debug)]
pub(crate) struct Precisions {
    /// Whether the language has precisions.
    pub(crate) counts: bool,
    pub(crate) scopes: Vec<Defaults>,
}

impl Precisions {
    /// What holds before the source says anything.
    pub(crate) fn of(version: Version, stage: Stage) -> Precisions {
        let fragment = stage == Stage::Fragment;
        let sampler = |dim, external| Opaque::Texture {
            scalar: Scalar::Float,
            dim,
            arrayed: false,
            multisampled: false,
            shadow: false,
            access: Access::Sampled,
            external,
        };
        let start = Defaults {
            float: (!fragment).then_some(Precision::High),
            int: Some(if fragment { Precision::Medium } else { Precision::High }),
            opaque: vec![
                (sampler(Dim::D2, false), Precision::Low),
                (sampler(Dim::Cube, false), Precision::Low),
                (sampler(Dim::D2, true), Precision::Low),
                (Opaque::AtomicCounter, Precision::High),
            ],
        };
        Precisions { counts: version.is_es(), scopes: vec![start] }
    }

    pub(crate) fn enter(&mut self) {
        self.scopes.push(Defaults::default());
    }

    pub(crate) fn leave(&mut self) {
        self.scopes.pop();
    }

    /// The default for a type; the type is no array.
    pub(crate) fn default(&self, ty: &Type) -> Option<Precision> {
        let mut scopes = self.scopes.iter().rev();
        match ty {
            Type::Scalar(scalar) | Type::Vector(scalar, _) | Type::Matrix { scalar, .. } => match scalar {
                Scalar::Float => scopes.find_map(|defaults| defaults.float),
                Scalar::Int | Scalar::Uint => scopes.find_map(|defaults| defaults.int),
                _ => None,
            },
            Type::Opaque(opaque) => scopes
                .find_map(|d| d.opaque.iter().rev().find(|(known, _)| known == opaque).map(|found| found.1)),
            _ => None,
        }
    }
}
