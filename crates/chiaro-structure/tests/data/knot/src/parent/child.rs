//! Names its parent's type.
use super::Parent;
pub fn child() -> Parent {
    Parent
}
