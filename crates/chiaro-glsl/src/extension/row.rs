//! A row of the table of extensions.

use crate::source::{Stage, Version};

/// An extension that is known.
#[derive(Clone, Copy, Debug)]
pub struct Extension {
    /// Its whole name.
    pub name: &'static str,
    /// First version of ES that may have it; 0 is none.
    pub es: u16,
    /// First version of desktop GLSL that may have it; 0 is none.
    pub desktop: u16,
    /// The only stage that has it.
    pub stage: Option<Stage>,
    /// What it turns on beside itself.
    pub implies: &'static [&'static str],
}

impl Extension {
    /// Whether a source of this version and stage may ask for it.
    #[must_use]
    pub fn exists(&self, version: Version, stage: Stage) -> bool {
        version.at_least(self.es, self.desktop) && self.stage.is_none_or(|only| only == stage)
    }
}

pub(crate) const fn both(name: &'static str, es: u16, desktop: u16) -> Extension {
    Extension { name, es, desktop, stage: None, implies: &[] }
}

pub(crate) const fn es(name: &'static str, from: u16) -> Extension {
    both(name, from, 0)
}

pub(crate) const fn desktop(name: &'static str, from: u16) -> Extension {
    both(name, 0, from)
}

impl Extension {
    pub(crate) const fn only(mut self, stage: Stage) -> Extension {
        self.stage = Some(stage);
        self
    }

    pub(crate) const fn implies(mut self, others: &'static [&'static str]) -> Extension {
        self.implies = others;
        self
    }
}
