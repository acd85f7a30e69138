//! Rays: what they are traced against, what they call, and the search for what they meet.
//!
//! A [`Scene`] is what the API calls acceleration structures, without any acceleration that could be seen: meshes of
//! triangles or boxes, and structures of instances. A [`Pipeline`] says which stages a ray calls: groups, and the table
//! by which numbers name them. A [`Traversal`] tries all primitives of a structure in order and stops where a shader
//! has to be asked; it is the ray query of the API, and a traced ray is one with stages for answers.
//!
//! Whoever runs the stages may look at what lies here; so the interpreter and a machine meet the same scene.

#![forbid(unsafe_code)]

mod bounds;
mod flaw;
mod intersect;
mod matrix;
mod pipeline;
mod ray;
mod scene;
mod shape;
mod traversal;

pub use flaw::Flaw;
pub use matrix::Affine;
pub use pipeline::{Group, Kind, Pipeline, Record, Table};
pub use ray::{Ray, flags};
pub use scene::{Geometry, Instance, Mesh, Scene, instance_flags};
pub use shape::Shape;
pub use traversal::{Hit, Traversal};
