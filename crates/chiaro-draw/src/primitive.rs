//! Which vertices form a point, line or triangle. [OpenGL ES 3.2, 10.1]

/// How vertices form primitives.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[allow(missing_docs, reason = "the names are those of the interfaces")]
pub enum Topology {
    Points,
    Lines,
    LineStrip,
    #[default]
    Triangles,
    TriangleStrip,
    TriangleFan,
}

/// Up to three vertices by number; flat values are those of the last.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Primitive {
    /// A vertex.
    Point(usize),
    /// Two vertices.
    Line([usize; 2]),
    /// Three vertices, in the order of their winding.
    Triangle {
        /// The corners.
        corners: [usize; 3],
        /// The vertex whose flat values count.
        provoking: usize,
    },
}

impl Primitive {
    /// The vertex whose flat values count.
    #[must_use]
    pub fn provoking(&self) -> usize {
        match *self {
            Primitive::Point(only) => only,
            Primitive::Line([_, last]) => last,
            Primitive::Triangle { provoking, .. } => provoking,
        }
    }

    /// Its vertices; the last one stands for those that it lacks.
    #[must_use]
    pub fn corners(&self) -> [usize; 3] {
        match *self {
            Primitive::Point(a) => [a; 3],
            Primitive::Line([a, b]) => [a, b, b],
            Primitive::Triangle { corners, .. } => corners,
        }
    }
}

/// The primitives of a sequence of vertices; incomplete ones are left out.
#[must_use]
pub fn primitives(topology: Topology, vertices: &[usize]) -> Vec<Primitive> {
    let inner = vertices.len().saturating_sub(2);
    let triangle = |a: usize, b: usize, c: usize, provoking: usize| Primitive::Triangle {
        corners: [a, b, c].map(|n| vertices[n]),
        provoking: vertices[provoking],
    };
    match topology {
        Topology::Points => vertices.iter().map(|v| Primitive::Point(*v)).collect(),
        Topology::Lines => vertices.as_chunks::<2>().0.iter().map(|pair| Primitive::Line(*pair)).collect(),
        Topology::LineStrip => vertices.array_windows::<2>().map(|pair| Primitive::Line(*pair)).collect(),
        Topology::Triangles => {
            (0..vertices.len() / 3).map(|i| triangle(3 * i, 3 * i + 1, 3 * i + 2, 3 * i + 2)).collect()
        }
        // Every other triangle of a strip is wound the other way.
        Topology::TriangleStrip => {
            (0..inner).map(|i| triangle(i + i % 2, i + 1 - i % 2, i + 2, i + 2)).collect()
        }
        Topology::TriangleFan => (0..inner).map(|i| triangle(0, i + 1, i + 2, i + 2)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strips_and_fans() {
        let corners = |topology, n: usize| -> Vec<[usize; 3]> {
            primitives(topology, &(0..n).collect::<Vec<_>>()).iter().map(Primitive::corners).collect()
        };
        assert_eq!(corners(Topology::TriangleStrip, 5), [[0, 1, 2], [2, 1, 3], [2, 3, 4]]);
        assert_eq!(corners(Topology::TriangleFan, 4), [[0, 1, 2], [0, 2, 3]]);
        assert_eq!(corners(Topology::Triangles, 5), [[0, 1, 2]]);
        assert_eq!(corners(Topology::LineStrip, 3), [[0, 1, 1], [1, 2, 2]]);
        assert_eq!(corners(Topology::Lines, 3), [[0, 1, 1]]);
    }
}
