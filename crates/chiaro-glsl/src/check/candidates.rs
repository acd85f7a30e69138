//! Why no function fits a call, and what would help.

use super::checker::Checker;
use super::overload::Param;
use super::scope::Entity;
use crate::builtin::Absence;
use crate::builtin::functions::{self as rows, Row};
use crate::builtin::pattern::bind;
use crate::hir::Passing;
use crate::token::{At, Symbol};
use crate::ty::Ty;

/// Candidates that a message lists at most.
const LISTED: usize = 6;
impl Checker<'_> {
    /// Reports that no function fits, why, and what may help.
    pub(super) fn no_candidate(&mut self, name: Symbol, at: At, own: Option<u32>, types: &[Ty]) {
        let text = self.text(name).to_owned();
        let all = rows::named(&text);
        if own.is_none() && self.rows(name).is_empty() {
            self.unknown_function(name, at, all);
            return;
        }
        let given: Vec<String> = types.iter().map(|&ty| self.name_of(ty)).collect();
        let mut notes = self.own_candidates(name, own, types);
        let unlisted = own.map_or(0, |set| self.overloads[set as usize].len()) - notes.len();
        notes.extend(self.language_candidates(name, types));
        let hidden = unlisted + notes.len().saturating_sub(LISTED);
        notes.truncate(LISTED);
        if hidden > 0 {
            notes.push(format!("and {hidden} more"));
        }
        let mut help = None;
        for &row in all {
            if let Err(absence) = row.when.check(self.version, self.stage, &self.enabled)
                && help.is_none()
                && self.would_fit(row, types)
            {
                let advice = absence.advice(self.version, self.head);
                help = Some(advice.after("there is one that takes these: "));
            }
        }
        let error = self.error(at, format!("no `{text}` takes ({})", given.join(", ")));
        error.notes.extend(notes);
        error.advised(help);
    }

    /// Whether some form of a row takes these types.
    fn would_fit(&mut self, row: &'static Row, types: &[Ty]) -> bool {
        row.forms.iter().any(|form| {
            self.instance(form, types).is_some_and(|(params, _)| {
                params.iter().zip(types).all(|(param, &ty)| self.fits(ty, param.ty))
            })
        })
    }

    fn unknown_function(&mut self, name: Symbol, at: At, all: &[&'static Row]) {
        let text = self.text(name).to_owned();
        let absence =
            all.iter().filter_map(|row| row.when.check(self.version, self.stage, &self.enabled).err()).next();
        let meant = self.meant(name, true);
        let (version, head) = (self.version, self.head);
        // Some functions of ES 1.00 have a suffix where an extension brings them to a stage.
        let extended = rows::named(&format!("{text}EXT"))
            .iter()
            .filter_map(|row| row.when.check(self.version, self.stage, &self.enabled).err())
            .find(|absence| matches!(absence, Absence::Extension(_)) && version.is_es());
        match absence {
            Some(absence) => {
                let error = self.error(at, format!("the function `{text}` is not available here"));
                error.advised(Some(absence.advice(version, head)));
                if let Some(absence) = extended {
                    let words = absence.advice(version, head).words;
                    error.help.push(format!("or use `{text}EXT`: {words}"));
                }
                if let (Some(new), Absence::Removed(_)) = (modern(&text), absence) {
                    error.instead(format!("use `{new}`"), &[new]);
                }
            }
            None => {
                let error = self.error(at, format!("there is no function `{text}`"));
                match of_hlsl(&text) {
                    Some((words, new)) => {
                        error.instead(format!("GLSL has {words} for it"), new.as_slice());
                    }
                    None => error.mean(meant),
                }
            }
        }
        self.scopes.bind(name, Entity::Poison, Some(at));
    }

    /// The first of the source's own functions, as many as are listed.
    fn own_candidates(&self, name: Symbol, own: Option<u32>, types: &[Ty]) -> Vec<String> {
        let ids = own.map_or(&[][..], |set| &self.overloads[set as usize]);
        let why_not = |&id: &u32| self.why_not(name, &self.functions[id as usize].params, types);
        ids.iter().take(LISTED).map(why_not).collect()
    }

    fn language_candidates(&mut self, name: Symbol, types: &[Ty]) -> Vec<String> {
        let mut notes = Vec::new();
        let found = self.rows(name);
        for form in found.iter().flat_map(|row| row.forms) {
            let Some((_, patterns)) = form.split_first() else { continue };
            let params: Vec<Param> = match bind(patterns, types, &self.types) {
                Some(binding) => patterns.iter().map(|&p| self.param_of(&binding, p)).collect(),
                None => continue,
            };
            let note = self.why_not(name, &params, types);
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
        notes
    }

    /// A candidate, and which argument it does not take.
    fn why_not(&self, name: Symbol, params: &[Param], types: &[Ty]) -> String {
        let head = self.head(name, params);
        if params.len() != types.len() {
            let plural = if params.len() == 1 { "argument" } else { "arguments" };
            return format!("`{head}` takes {} {plural}", params.len());
        }
        let fits = |(param, &ty): (&Param, &Ty)| match param.passing {
            Passing::Out => self.fits(param.ty, ty),
            Passing::Inout => param.ty == ty,
            _ => self.fits(ty, param.ty),
        };
        match params.iter().zip(types).position(|pair| !fits(pair)) {
            Some(n) => {
                let (expected, found) = (self.name_of(params[n].ty), self.name_of(types[n]));
                format!("`{head}`: argument {} is `{found}`, not `{expected}`", n + 1)
            }
            None => format!("`{head}`"),
        }
    }

    /// `name(float, out int)`
    pub(super) fn head(&self, name: Symbol, params: &[Param]) -> String {
        let list: Vec<String> = params
            .iter()
            .map(|param| {
                let word = match param.passing {
                    Passing::Out => "out ",
                    Passing::Inout => "inout ",
                    _ => "",
                };
                format!("{word}{}", self.name_of(param.ty))
            })
            .collect();
        format!("{}({})", self.text(name), list.join(", "))
    }
}

/// What replaced an old function of textures.
fn modern(old: &str) -> Option<&'static str> {
    let base = old.strip_prefix("texture").or_else(|| old.strip_prefix("shadow"))?;
    let base = base.trim_end_matches("EXT").trim_end_matches("ARB");
    Some(match (base.contains("Proj"), base.contains("Lod"), base.contains("Grad")) {
        (false, false, false) => "texture",
        (true, false, false) => "textureProj",
        (false, true, _) => "textureLod",
        (true, true, _) => "textureProjLod",
        (false, _, true) => "textureGrad",
        (true, _, true) => "textureProjGrad",
    })
}

/// What GLSL has for a function of HLSL, and its name if that takes the same arguments and means the same.
fn of_hlsl(name: &str) -> Option<(&'static str, Option<&'static str>)> {
    Some(match name {
        "lerp" => ("`mix(a, b, t)`", Some("mix")),
        "saturate" => ("`clamp(x, 0.0, 1.0)`", None),
        "mul" => ("the operator `*`", None),
        "frac" => ("`fract(x)`", Some("fract")),
        "rsqrt" => ("`inversesqrt(x)`", Some("inversesqrt")),
        "fmod" => ("`mod(x, y)`, which takes the sign of `y`", None),
        "atan2" => ("`atan(y, x)`", Some("atan")),
        "ddx" => ("`dFdx(x)`", Some("dFdx")),
        "ddy" => ("`dFdy(x)`", Some("dFdy")),
        "clip" => ("`if (x < 0.0) discard;`", None),
        "mad" => ("`fma(a, b, c)`, or `a * b + c`", Some("fma")),
        "tex2D" => ("`texture(sampler, coordinate)`", Some("texture")),
        "rcp" => ("`1.0 / x`", None),
        _ => return None,
    })
}
