//! The type argument of `Operator::admission`: one function, or a tuple of several.

use super::erased::Function;
use crate::pipeline::admission::Admits;

/// Functions that review writes.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not review writes",
    label = "neither a function with `#[validate]` or `#[mutate]`, nor a tuple of up to eight",
    note = "mark the function with `#[validate]`, or with `#[mutate]` if it changes the object"
)]
#[doc(hidden)]
pub trait AdmissionSet {
    /// The dependencies of all of them: `(A, (B, ()))`.
    type List;
    /// The functions in their order.
    fn functions(list: Self::List) -> Vec<Function>;
}

#[diagnostic::do_not_recommend]
impl<F: Admits> AdmissionSet for F {
    type List = F::With<()>;

    fn functions(list: Self::List) -> Vec<Function> {
        vec![Function::new::<F>(F::take(list).0)]
    }
}

macro_rules! list {
    () => { () };
    ($first:ident $($rest:ident)*) => { $first::With<list!($($rest)*)> };
}

macro_rules! tuples {
    ($([$($item:ident)*])*) => {
        $(#[diagnostic::do_not_recommend]
        impl<$($item: Admits),*> AdmissionSet for ($($item,)*) {
            type List = list!($($item)*);

            fn functions(list: Self::List) -> Vec<Function> {
                let mut functions = Vec::new();
                $(let (dependencies, list) = $item::take(list);
                functions.push(Function::new::<$item>(dependencies));)*
                let () = list;
                functions
            }
        })*
    };
}

tuples!([A] [A B] [A B C] [A B C D] [A B C D E] [A B C D E F] [A B C D E F G] [A B C D E F G H]);
