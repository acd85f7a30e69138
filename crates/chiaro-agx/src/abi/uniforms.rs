//! Uniforms that the vertex ABI reserves (spec 14.2), in halves.
//!
//! `n` attributes are those up to the highest that the main part reads; gaps count. Prologs have no
//! uniforms of their own.

/// Most attributes: beyond them there would be no room for anything else worth having.
pub const MOST_ATTRIBUTES: u16 = 32;

/// The uniforms of a vertex program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Vertex {
    attributes: u16,
    software: bool,
}

/// What stands at a half.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Held {
    /// A part of the 64-bit base address of this attribute.
    Base(u16),
    /// A part of the largest valid element of this attribute.
    Clamp(u16),
    /// A part of the base vertex.
    BaseVertex,
    /// A part of the base instance.
    BaseInstance,
    /// The number of the draw.
    DrawId,
    /// Nothing, so that what follows is aligned.
    Padding,
    /// A part of the address of the input assembly's state.
    InputAssembly,
    /// What the main part puts there.
    Free,
}

impl Vertex {
    /// A hardware vertex program, or one that runs as compute.
    ///
    /// # Errors
    /// How many attributes were asked for, and how many there may be.
    pub fn new(attributes: u16, software: bool) -> Result<Vertex, String> {
        match attributes {
            0..=MOST_ATTRIBUTES => Ok(Vertex { attributes, software }),
            n => Err(format!(
                "{n} attributes, {MOST_ATTRIBUTES} allowed: read fewer, or pack several into one"
            )),
        }
    }

    /// Base address of an attribute.
    pub fn base(self, attribute: u16) -> u16 {
        4 * attribute
    }

    /// Largest valid element of an attribute.
    pub fn clamp(self, attribute: u16) -> u16 {
        4 * self.attributes + 2 * attribute
    }

    /// Base vertex.
    pub fn base_vertex(self) -> u16 {
        6 * self.attributes
    }

    /// Base instance.
    pub fn base_instance(self) -> u16 {
        self.base_vertex() + 2
    }

    /// Number of the draw.
    pub fn draw_id(self) -> u16 {
        self.base_vertex() + 4
    }

    /// Address of the input assembly's state, where the program runs as compute.
    pub fn input_assembly(self) -> Option<u16> {
        self.software.then(|| self.base_vertex() + 8)
    }

    /// The first half that is the main part's.
    pub fn first_free(self) -> u16 {
        self.base_vertex() + if self.software { 12 } else { 5 }
    }

    /// The first half that Mesa's OpenGL driver gives the main part: it has no place for the number of
    /// the draw (spec 13).
    pub fn first_free_opengl(self) -> u16 {
        if self.software { self.first_free() } else { self.draw_id() }
    }

    /// What stands at a half.
    pub fn at(self, half: u16) -> Held {
        let behind = half.wrapping_sub(self.base_vertex());
        match half {
            _ if half < 4 * self.attributes => Held::Base(half / 4),
            _ if half < self.base_vertex() => Held::Clamp((half - 4 * self.attributes) / 2),
            _ if half >= self.first_free() => Held::Free,
            _ => match behind {
                0 | 1 => Held::BaseVertex,
                2 | 3 => Held::BaseInstance,
                4 => Held::DrawId,
                5..=7 => Held::Padding,
                _ => Held::InputAssembly,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_and_what_stands_there_agree() {
        for (n, software) in (0..=MOST_ATTRIBUTES).flat_map(|n| [(n, false), (n, true)]) {
            let v = Vertex::new(n, software).expect("few enough");
            for a in 0..n {
                assert_eq!((v.at(v.base(a)), v.at(v.base(a) + 3)), (Held::Base(a), Held::Base(a)));
                assert_eq!((v.at(v.clamp(a)), v.at(v.clamp(a) + 1)), (Held::Clamp(a), Held::Clamp(a)));
            }
            assert_eq!(v.at(v.base_vertex()), Held::BaseVertex);
            assert_eq!(v.at(v.base_instance() + 1), Held::BaseInstance);
            assert_eq!(v.at(v.draw_id()), Held::DrawId);
            assert!(v.input_assembly().is_none_or(|at| v.at(at + 3) == Held::InputAssembly));
            assert_eq!(v.at(v.first_free()), Held::Free);
            assert_ne!(v.at(v.first_free() - 1), Held::Free);
        }
        assert!(Vertex::new(33, false).is_err_and(|e| e.contains("33 attributes, 32 allowed")));
    }
}
