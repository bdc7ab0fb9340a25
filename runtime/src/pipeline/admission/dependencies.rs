//! The dependencies of functions that review writes: one value, or a tuple in the order of the functions and their parameters.

/// The dependencies of all functions, as the list `L`: `(A, (B, ()))`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` are not the dependencies of these functions",
    label = "the functions take, in this order: `{L}`",
    note = "pass one value, or a tuple in the order of the functions and their parameters; `()` if there are none"
)]
#[doc(hidden)]
pub trait DependencyList<L> {
    /// The list.
    fn into_list(self) -> L;
}

macro_rules! list {
    () => { () };
    ($first:ident $($rest:ident)*) => { ($first, list!($($rest)*)) };
}

macro_rules! tuples {
    ($([$($item:ident)*])*) => {
        $(#[diagnostic::do_not_recommend]
        impl<$($item),*> DependencyList<list!($($item)*)> for ($($item,)*) {
            #[allow(non_snake_case, clippy::unused_unit, reason = "printed for each length")]
            fn into_list(self) -> list!($($item)*) {
                let ($($item,)*) = self;
                list!($($item)*)
            }
        })*
    };
}

tuples!([] [A B] [A B C] [A B C D] [A B C D E] [A B C D E F] [A B C D E F G] [A B C D E F G H]);

#[diagnostic::do_not_recommend]
impl<A> DependencyList<(A, ())> for A {
    fn into_list(self) -> (A, ()) {
        (self, ())
    }
}
