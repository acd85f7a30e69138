//! Calls its child.
mod child;
pub struct Parent;
pub fn parent() {
    child::child();
}
