//! Declarations of a file: inputs, outputs, the entry point, the kind of shader.
//! Spec sections 15, 16, 20.6. [picasso]

use super::Assembler;
use super::names::plain;
use super::number;
use super::source::Args;
use super::uniform::Uniform;
use crate::asm::report::Outcome;
use crate::container::{Constant, Output};
use crate::operand::{NEGATE, REORDERED, selector};
use crate::regs::{BANKS, IDENTITY, bank, is_reordered};
use chiaro_diag::{Diagnostic, Span, did_you_mean};
use chiaro_isa::Reg;

/// Rows that an output table may have. [picasso]
const MOST_OUTPUTS: usize = 16;

/// The property that is no property: passed on to the geometry program.
const DUMMY: u16 = 9;

/// Properties by all their names (spec section 15).
const PROPERTIES: &[(&str, u16)] = &[
    ("position", 0),
    ("pos", 0),
    ("normalquat", 1),
    ("nquat", 1),
    ("color", 2),
    ("clr", 2),
    ("texcoord0", 3),
    ("tcoord0", 3),
    ("texcoord0w", 4),
    ("tcoord0w", 4),
    ("texcoord1", 5),
    ("tcoord1", 5),
    ("texcoord2", 6),
    ("tcoord2", 6),
    ("view", 8),
    ("dummy", DUMMY),
];

/// Geometry modes by all their names (spec section 16).
const MODES: &[(&str, u8)] =
    &[("point", 0), ("variable", 1), ("subdivision", 1), ("fixed", 2), ("particle", 2)];

/// One file's executable while it is made.
pub(super) struct Unit<'a> {
    pub(super) entry: Option<(&'a str, Span)>,
    /// Whether there will be a DVLE.
    pub(super) listed: bool,
    /// The file's first line.
    pub(super) top: Span,
    /// The first word that does not fit the vertex program memory.
    pub(super) overflow: Option<Span>,
    pub(super) geometry: bool,
    /// Geometry in the old style shares the vertex uniforms.
    old_style: bool,
    /// Bytes 0x14-0x17 of the header.
    pub(super) modes: [u8; 4],
    pub(super) merge: bool,
    pub(super) inputs: u16,
    pub(super) output_mask: u16,
    /// Components of outputs that have a property, four bits a register.
    claimed: u64,
    pub(super) constants: Vec<Constant>,
    pub(super) outputs: Vec<Output>,
    pub(super) uniforms: Vec<Uniform<'a>>,
    /// The uniform table is as the file has it, not by register.
    pub(super) keeps_order: bool,
}

impl Unit<'_> {
    pub(super) fn new(top: Span) -> Self {
        Unit {
            entry: None,
            listed: true,
            top,
            overflow: None,
            geometry: false,
            old_style: false,
            modes: [0; 4],
            merge: false,
            inputs: 0,
            output_mask: 0,
            claimed: 0,
            constants: Vec::new(),
            outputs: Vec::new(),
            uniforms: Vec::new(),
            keeps_order: false,
        }
    }

    /// Whether the uniforms are this file's alone.
    pub(super) fn has_own_space(&self) -> bool {
        self.geometry && !self.old_style
    }

    /// SETEMIT makes a geometry program of a file that has no `.gsh`.
    pub(super) fn mark_geometry(&mut self) {
        if !self.geometry {
            (self.geometry, self.old_style) = (true, true);
        }
    }

    /// How many output registers there are.
    pub(super) fn output_registers(&self) -> u16 {
        if self.geometry { 7 } else { 16 }
    }

    fn declares(&self) -> bool {
        !self.constants.is_empty() || !self.uniforms.is_empty() || self.output_mask != 0
    }
}

impl<'a> Assembler<'a> {
    /// `.in name [register]`.
    pub(super) fn input(&mut self, args: &mut Args<'a>) -> Outcome {
        self.unit();
        let name = self.word(args)?;
        let register = args.word();
        self.no_more(args)?;
        self.check_identifier(name, "input")?;
        self.check_unused(name)?;
        let number = match self.input_register(register) {
            Ok(number) => number,
            Err(error) => {
                self.poison(name);
                return Err(error);
            }
        };
        let unit = self.unit();
        let again = unit.inputs >> number & 1 != 0;
        unit.inputs |= 1 << number;
        if again && self.strict() {
            self.warn(name, format!("v{number} has a name already"), "both names go into the uniform table");
        }
        self.list_input(name, number);
        let span = self.span(name);
        self.define(name, plain(bank::INPUT, number), span);
        Ok(())
    }

    fn input_register(&mut self, text: Option<&'a str>) -> Outcome<u16> {
        let Some(text) = text else {
            let taken = self.unit().inputs;
            let free = taken.trailing_ones() as u16;
            if free == 16 {
                return Err(
                    Diagnostic::error(self.line_span(), "there are 16 inputs, this is one more").into()
                );
            }
            return Ok(free);
        };
        let reg = self.register(text)?;
        if number_of(reg) >= 16 || self.strict() && reg != plain(bank::INPUT, reg.index) {
            return Err(Diagnostic::error(self.span(text), format!("`{text}` is not an input register"))
                .help("name one of v0..v14, or v14[1] for v15, without swizzle and sign")
                .into());
        }
        Ok(reg.index)
    }

    /// `.out name property[.mask] [register[.mask]]`.
    pub(super) fn output(&mut self, args: &mut Args<'a>) -> Outcome {
        self.unit();
        let name = self.word(args)?;
        let property = self.word(args)?;
        let register = args.word();
        self.no_more(args)?;
        let name = Some(name).filter(|name| *name != "-");
        if let Some(name) = name {
            self.check_identifier(name, "output")?;
        }
        let row = self.output_row(name, property, register);
        let (Ok(number), Some(name)) = (&row, name) else {
            if let Some(name) = name {
                self.poison(name);
            }
            return row.map(drop);
        };
        let span = self.span(name);
        self.define(name, plain(bank::OUTPUT, *number), span);
        Ok(())
    }

    /// Adds a row to the output table and answers its register.
    fn output_row(
        &mut self,
        name: Option<&'a str>,
        property: &'a str,
        register: Option<&'a str>,
    ) -> Outcome<u16> {
        let (kind_text, given) = self.output_place(property, register)?;
        let kind = self.property(kind_text)?;
        let (number, selector) = match given {
            (Some(number), selector) => (number, selector),
            (None, selector) => (self.free_output()?, selector),
        };
        if is_reordered(selector) {
            let span = self.span(register.unwrap_or(property));
            self.report.add(Diagnostic::warning(span, REORDERED));
        }
        let mask = mask_of(selector);
        if register.is_some() {
            self.check_collision(number, mask)?;
        }
        if self.unit().outputs.len() >= MOST_OUTPUTS {
            return Err(Diagnostic::error(
                self.line_span(),
                format!("there are at most {MOST_OUTPUTS} `.out`, this is one more"),
            )
            .into());
        }
        if let Some(name) = name {
            self.check_unused(name)?;
        }
        if number >= 7 && kind != DUMMY {
            return Err(Diagnostic::error(self.line_span(), format!("o{number} cannot carry a property"))
                .note("only o0..o6 reach the rasteriser")
                .help("use `dummy` for outputs that a geometry program reads")
                .into());
        }
        let shift = self.component_shift(number);
        let unit = self.unit();
        unit.outputs.push(Output { kind, register: number, mask, unknown: 0 });
        unit.output_mask |= 1 << number;
        unit.claimed |= u64::from(mask) << shift;
        unit.merge |= kind == DUMMY && unit.has_own_space();
        Ok(number)
    }

    /// The property's name, the register if one is given, and the components: those
    /// of the register if there is one, else those of the property.
    fn output_place(
        &mut self,
        property: &'a str,
        register: Option<&'a str>,
    ) -> Outcome<(&'a str, (Option<u16>, u16))> {
        if let Some(text) = register {
            let reg = self.output_register(text)?;
            return Ok((property, (Some(number_of(reg)), reg.swizzle)));
        }
        let Some((kind, mask)) = property.split_once('.') else {
            return Ok((property, (None, IDENTITY)));
        };
        match components(mask, self.strict()) {
            Some(selector) => Ok((kind, (None, selector))),
            None => Err(Diagnostic::error(self.span(mask), format!("`{mask}` names no components"))
                .help("write one to four of x y z w")
                .into()),
        }
    }

    fn output_register(&mut self, text: &'a str) -> Outcome<Reg> {
        let reg = self.register(text)?;
        let registers = self.unit().output_registers();
        let meant = reg.file == bank::OUTPUT && reg.mods & NEGATE == 0;
        if number_of(reg) >= registers || self.strict() && !meant {
            return Err(Diagnostic::error(self.span(text), format!("`{text}` is not an output register"))
                .help(format!("name one of o0..o{}", registers - 1))
                .into());
        }
        Ok(reg)
    }

    fn property(&self, text: &str) -> Outcome<u16> {
        if let Some((_, kind)) = PROPERTIES.iter().find(|(name, _)| name.eq_ignore_ascii_case(text)) {
            return Ok(*kind);
        }
        let mut error = Diagnostic::error(self.span(text), format!("`{text}` is not a property of outputs"));
        if text.contains('.') {
            error = error.help("put the mask behind the register, not behind the property");
        } else if let Some(name) = did_you_mean(text, PROPERTIES.iter().map(|(name, _)| *name)) {
            error = error.meant(name);
        } else {
            error = error.help("one of position, normalquat, color, texcoord0, texcoord0w, texcoord1, texcoord2, view, dummy");
        }
        Err(error.into())
    }

    fn free_output(&mut self) -> Outcome<u16> {
        let unit = self.unit();
        let (free, registers) = (unit.output_mask.trailing_ones() as u16, unit.output_registers());
        if free < registers {
            return Ok(free);
        }
        Err(Diagnostic::error(
            self.line_span(),
            format!("there are {registers} output registers, this is one more"),
        )
        .into())
    }

    /// Where a register's components are among the claimed ones. picasso counts in 32
    /// bits, so that o8 and o0 are one to it.
    fn component_shift(&self, number: u16) -> u32 {
        let shift = 4 * u32::from(number);
        if self.strict() { shift } else { shift % 32 }
    }

    fn check_collision(&mut self, number: u16, mask: u16) -> Outcome {
        let shift = self.component_shift(number);
        if self.unit().claimed >> shift & u64::from(mask) == 0 {
            return Ok(());
        }
        Err(Diagnostic::error(self.line_span(), format!("a component of o{number} has a property already"))
            .help("give each component one property")
            .into())
    }

    /// `.entry name`.
    pub(super) fn entry(&mut self, args: &mut Args<'a>) -> Outcome {
        self.unit();
        let name = self.word(args)?;
        self.no_more(args)?;
        self.check_identifier(name, "procedure")?;
        let span = self.span(name);
        let earlier = self.unit().entry.replace((name, span));
        if let (Some((_, first)), true) = (earlier, self.strict()) {
            let warning = Diagnostic::warning(span, "this file has two entry points; the last counts");
            self.report.add(warning.related(first, "the first one"));
        }
        Ok(())
    }

    /// `.nodvle`.
    pub(super) fn no_executable(&mut self, args: &mut Args<'a>) -> Outcome {
        self.unit();
        self.no_more(args)?;
        self.unit().listed = false;
        Ok(())
    }

    /// `.gsh`, alone or with a mode and its registers.
    pub(super) fn geometry(&mut self, args: &mut Args<'a>) -> Outcome {
        self.unit();
        let Some(mode) = args.word() else { return self.old_geometry() };
        if self.unit().geometry {
            return Err(Diagnostic::error(self.line_span(), "this is a geometry program already")
                .help("write one `.gsh`, in front of everything else")
                .into());
        }
        if self.unit().declares() {
            return Err(Diagnostic::error(
                self.line_span(),
                "`.gsh` must come before constants, uniforms, inputs and outputs",
            )
            .into());
        }
        let Some((_, mode)) = MODES.iter().find(|(name, _)| name.eq_ignore_ascii_case(mode)) else {
            return Err(Diagnostic::error(self.span(mode), format!("`{mode}` is not a geometry mode"))
                .help("one of point, variable, fixed")
                .into());
        };
        let text = self.word(args)?;
        let first = self.float_register(text)?;
        (self.unit().geometry, self.unit().modes[0]) = (true, *mode);
        self.spaces.start_geometry(first);
        match mode {
            1 => self.unit().modes[2] = self.vertices(args)?,
            2 => self.fixed_vertices(args, first)?,
            _ => {}
        }
        self.no_more(args)
    }

    fn old_geometry(&mut self) -> Outcome {
        if self.unit().has_own_space() && self.strict() {
            return Err(Diagnostic::error(
                self.line_span(),
                "this is a geometry program with a mode already",
            )
            .note("picasso would make it share the vertex uniforms from here on")
            .into());
        }
        let unit = self.unit();
        (unit.geometry, unit.old_style) = (true, true);
        Ok(())
    }

    /// `register count` of the fixed mode; the vertices arrive below the uniforms.
    fn fixed_vertices(&mut self, args: &mut Args<'a>, first: u16) -> Outcome {
        let text = self.word(args)?;
        let count = self.vertices(args)?;
        let start = self.float_register(text)?;
        if start >= first {
            return Err(Diagnostic::error(
                self.span(text),
                format!("the vertices at `{text}` would overwrite uniforms"),
            )
            .help("let them arrive below the first register for uniforms")
            .into());
        }
        let unit = self.unit();
        (unit.modes[1], unit.modes[3]) = (start as u8, count);
        Ok(())
    }

    fn float_register(&mut self, text: &'a str) -> Outcome<u16> {
        let reg = self.register(text)?;
        if reg.file == bank::FLOAT {
            return Ok(reg.index);
        }
        Err(Diagnostic::error(self.span(text), format!("`{text}` is not a float uniform"))
            .help("name one of c0..c95")
            .into())
    }

    /// A number of vertices, 0..255.
    fn vertices(&mut self, args: &mut Args<'a>) -> Outcome<u8> {
        let text = self.word(args)?;
        let Some((value, length)) =
            number::c_integer(text, 0).filter(|(_, n)| *n == text.len() || !self.strict())
        else {
            return Err(
                Diagnostic::error(self.span(text), format!("`{text}` is not a number of vertices")).into()
            );
        };
        debug_assert!(length <= text.len());
        u8::try_from(value)
            .map_err(|_| Diagnostic::error(self.span(text), format!("{value} is not in 0..255")).into())
    }
}

/// A register's number as picasso has them all, v and o from 0. [picasso]
fn number_of(reg: Reg) -> u16 {
    BANKS[usize::from(reg.file)].base + reg.index
}

/// The selector of a property's mask; picasso takes none at all for x. [picasso]
fn components(mask: &str, strict: bool) -> Option<u16> {
    if mask.is_empty() && !strict { Some(0) } else { selector(mask) }
}

/// The components that occur in a selector, bit 0 is x.
fn mask_of(selector: u16) -> u16 {
    (0..4).fold(0, |mask, i| mask | 1 << (selector >> (2 * i) & 3))
}
