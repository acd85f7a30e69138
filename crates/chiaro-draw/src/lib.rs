//! One rasteriser for all machines: vertices to primitives, to quads of fragments, to pixels.
//!
//! | module | is |
//! |---|---|
//! | [`primitive`] | which vertices form a point, line or triangle |
//! | `clip` | what of a triangle lies before the viewer |
//! | `setup` | a triangle on the grid of the screen: edges, fill rule, weights |
//! | `raster` | quads of fragments with their coverage |
//! | [`pixels`] | depth, samples, the picture |
//!
//! [`draw`] hands quads to whoever shades them: a target's machine or the interpreter. What is
//! interpolated is given as weights of the primitive's vertices, so that it does not matter who
//! computes the sums. Conventions are OpenGL's: the origin is below on the left, depth goes from
//! -w to w. No shader, target or file is known here.
//!
//! ```
//! use chiaro_draw::{Call, Fragment, Shaded, Topology, draw};
//!
//! let corner = |x: f32, y: f32| [x, y, 0.0, 1.0];
//! let positions = [corner(-1.0, -1.0), corner(1.0, -1.0), corner(-1.0, 1.0)];
//! let call = Call { positions: &positions, size: [2, 2], ..Call::default() };
//! let white = |quads: &[Fragment], _: &_| Ok::<_, ()>(quads.iter().map(|_| Shaded::of([1.0; 4])).collect());
//! let pixels = draw(&call, white).unwrap();
//! // The diagonal belongs to the triangle above it.
//! assert_eq!(pixels.rows().map(|row| row.iter().filter(|p| p[0] == 1.0).count()).collect::<Vec<_>>(), [0, 1]);
//! ```

#![forbid(unsafe_code)]

mod clip;
pub mod pixels;
pub mod primitive;
mod raster;
mod setup;

pub use pixels::{Compare, Pixels};
pub use primitive::Topology;
pub use raster::{Fragment, MOST_SAMPLES, Shaded, draw};
pub use setup::Weights;

/// Which triangles are left out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Cull {
    /// None.
    #[default]
    None,
    /// Those whose back is seen.
    Back,
    /// Those whose front is seen.
    Front,
}

/// What is drawn.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// Positions of the vertices in clip coordinates.
    pub positions: &'a [[f32; 4]],
    /// Sizes of points in pixels; 1 where there is none.
    pub point_sizes: &'a [f32],
    /// Numbers of the vertices, in the order in which they form primitives; all of them if empty.
    pub indices: &'a [u32],
    /// What they form.
    pub topology: Topology,
    /// Width and height in pixels, at most 16,384 each.
    pub size: [u32; 2],
    /// Samples of a pixel: 1, 2 or 4.
    pub samples: u32,
    /// Whether shading looks at what lies below, so that fragments of one pixel are shaded one behind the other.
    pub ordered: bool,
    /// Triangles that are left out.
    pub cull: Cull,
    /// Fronts are wound clockwise.
    pub clockwise: bool,
    /// Which fragments pass, new depth first.
    pub depth: Compare,
    /// Colour of what nothing covers.
    pub clear: [f32; 4],
}

impl Default for Call<'_> {
    fn default() -> Self {
        Call {
            positions: &[],
            point_sizes: &[],
            indices: &[],
            topology: Topology::Triangles,
            size: [64, 64],
            samples: 1,
            ordered: false,
            cull: Cull::None,
            clockwise: false,
            depth: Compare::Less,
            clear: [0.0; 4],
        }
    }
}
