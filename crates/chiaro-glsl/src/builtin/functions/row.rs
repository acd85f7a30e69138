//! A row of the table of functions.

use crate::builtin::available::When;
use crate::builtin::pattern::Form;
use crate::intrinsic::Intrinsic;

/// Functions of one name that do the same and are there at the same time.
#[derive(Debug)]
pub struct Row {
    /// The name.
    pub name: &'static str,
    /// What they do.
    pub what: Intrinsic,
    /// When they are there.
    pub when: When,
    /// Result and parameters of each.
    pub forms: &'static [Form],
}

/// A list of rows: `when => { "name" What : Result(Params) | Result(Params); }`.
macro_rules! functions {
    ($( $when:expr => { $( $name:literal $what:expr => $( $result:ident ( $($param:ident),* ) )|+ ; )* } )*) => {
        &[ $( $( Row {
            name: $name,
            what: $what,
            when: $when,
            forms: &[ $( &[ $result, $($param),* ] ),+ ],
        } ),* ),* ]
    };
}
pub(super) use functions;
