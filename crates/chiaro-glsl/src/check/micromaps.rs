//! Whether ray queries look at opacity micromaps: a constant of the language that a source may set
//! itself, or leave to the host. [GL_EXT_opacity_micromap_ray_query_mode]

use super::checker::Checker;
use super::scope::Entity;
use super::state::Qualifiers;
use crate::ast::Declarator;
use crate::hir::Switch;
use crate::ty::Ty;

const NAME: &str = "gl_EnableOpacityMicromapEXT";
const EXTENSION: &str = "GL_EXT_opacity_micromap_ray_query_mode";

impl<'a> Checker<'a> {
    /// `const bool gl_EnableOpacityMicromapEXT = true;`. False if another constant of the language
    /// is meant, which nobody may declare.
    pub(super) fn redeclare_switch(&mut self, declarator: &'a Declarator, ty: Ty, all: &Qualifiers) -> bool {
        if self.text(declarator.name) != NAME {
            return false;
        }
        if all.numbers.constant_id.is_some() {
            self.error(
                declarator.at,
                format!("as a specialisation constant `{NAME}` takes no type and no value"),
            )
            .help
            .push(format!("write `layout(constant_id = 0) {NAME};`"));
        } else if all.constant.is_none() || ty != self.known.bool || declarator.init.is_none() {
            self.error(
                declarator.at,
                format!("`{NAME}` is declared as a constant `bool` with a value, or left alone"),
            )
            .help
            .push(format!("write `const bool {NAME} = true;`"));
        } else {
            self.constant_variable(declarator, ty, all);
        }
        true
    }

    /// What the source makes of it, once everything is declared.
    pub(super) fn settle_micromaps(&mut self) {
        if !self.enabled.has(EXTENSION) {
            return;
        }
        let name = self.symbols.intern(NAME);
        let entity = self.scopes.find(name).map(|binding| binding.entity);
        self.modes.opacity_micromaps = Some(match entity {
            Some(Entity::Spec(spec)) => Switch::Spec(spec),
            Some(Entity::Constant(value)) => Switch::Fixed(self.bits(value) == Some(&[1])),
            _ => Switch::Fixed(false),
        });
    }
}
