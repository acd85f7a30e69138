//! Needs `front` inside a macro call.
pub struct Passed;
pub fn back() -> bool {
    matches!(crate::front::Front, _)
}
#[cfg(test)]
mod tests {
    use crate::parent::Parent;
}
