//! The type argument of `Operator::routes`: one function, or a tuple of several.

use super::erased::Route;
use crate::pipeline::route::Answers;

/// Functions that answer requests.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a route",
    label = "neither a function with `#[route]`, nor a tuple of up to eight",
    note = "mark the function with `#[route(get, \"/path\", of = Kind)]`"
)]
#[doc(hidden)]
pub trait RouteSet {
    /// The dependencies of all of them: `(A, (B, ()))`.
    type List;
    /// The functions in their order.
    fn routes(list: Self::List) -> Vec<Route>;
}

#[diagnostic::do_not_recommend]
impl<F: Answers> RouteSet for F {
    type List = F::With<()>;

    fn routes(list: Self::List) -> Vec<Route> {
        vec![Route::new::<F>(F::take(list).0)]
    }
}

macro_rules! list {
    () => { () };
    ($first:ident $($rest:ident)*) => { $first::With<list!($($rest)*)> };
}

macro_rules! tuples {
    ($([$($item:ident)*])*) => {
        $(#[diagnostic::do_not_recommend]
        impl<$($item: Answers),*> RouteSet for ($($item,)*) {
            type List = list!($($item)*);

            fn routes(list: Self::List) -> Vec<Route> {
                let mut functions = Vec::new();
                $(let (dependencies, list) = $item::take(list);
                functions.push(Route::new::<$item>(dependencies));)*
                let () = list;
                functions
            }
        })*
    };
}

tuples!([A] [A B] [A B C] [A B C D] [A B C D E] [A B C D E F] [A B C D E F G] [A B C D E F G H]);
