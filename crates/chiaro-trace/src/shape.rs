//! Primitives: what a geometry consists of.

/// Primitives of one kind, in the order in which they are numbered.
#[derive(Clone, PartialEq, Debug)]
pub enum Shape {
    /// Three corners each.
    Triangles(Vec<[[f32; 3]; 3]>),
    /// Least and greatest corner each: an intersection stage says what is within.
    Boxes(Vec<[[f32; 3]; 2]>),
}

impl Shape {
    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Shape::Triangles(all) => all.len(),
            Shape::Boxes(all) => all.len(),
        }
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether a primitive is not there: what the API calls inactive. NaN says so, as the X of any corner of a triangle, or
    /// of a box's least corner [Vulkan, Inactive Primitives and Instances].
    #[must_use]
    pub fn is_absent(&self, n: usize) -> bool {
        match self {
            Shape::Triangles(all) => all[n].iter().any(|corner| corner[0].is_nan()),
            Shape::Boxes(all) => all[n][0][0].is_nan(),
        }
    }

    /// The coordinates of a primitive.
    pub(crate) fn corners(&self, n: usize) -> &[[f32; 3]] {
        match self {
            Shape::Triangles(all) => &all[n],
            Shape::Boxes(all) => &all[n],
        }
    }
}
