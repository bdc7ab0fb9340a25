//! A function that answers requests of users: what it declares, and how it is called.

use std::future::Future;

use super::call::Call;
use super::reply::Reply;
use crate::wiring::Kind;
use crate::wiring::route::RouteWiring;

/// A function that answers requests about an object. `#[route]` implements it on a type with the name of the function.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a route",
    label = "not a function with `#[route]`",
    note = "mark the function with `#[route(get, \"/path\", of = Kind)]`"
)]
pub trait RouteFunction: Sized + Send + Sync + 'static {
    /// The kind of the object.
    type Object: Kind;
    /// Its declarations.
    const WIRING: RouteWiring;
}

/// A route with its dependencies.
#[doc(hidden)]
pub trait Answers: RouteFunction {
    /// Its dependencies, as a tuple.
    type Dependencies: Send + Sync + 'static;
    /// The list of its dependencies, and after them those of further functions.
    type With<Rest>;
    /// Takes its dependencies from the list.
    fn take<Rest>(list: Self::With<Rest>) -> (Self::Dependencies, Rest);
    /// Calls the function.
    fn answer(
        object: &Self::Object,
        dependencies: &Self::Dependencies,
        call: Call<'_>,
    ) -> impl Future<Output = Reply> + Send;
}

/// What a route returns: `Reply`, or a `Result` of it.
#[diagnostic::on_unimplemented(
    message = "a route returns `Reply` or `Result<Reply, E>`, not `{Self}`",
    label = "neither `Reply` nor `Result<Reply, E>`",
    note = "`E` is `Reply`, `ApiError`, or a type with `impl From<E> for Reply`; `Reply::json(&value)` makes a reply of a value"
)]
#[doc(hidden)]
pub trait RouteOutput {
    /// The reply.
    fn into_reply(self) -> Reply;
}

#[diagnostic::do_not_recommend]
impl RouteOutput for Reply {
    fn into_reply(self) -> Self {
        self
    }
}

#[diagnostic::do_not_recommend]
impl<E: Into<Reply>> RouteOutput for Result<Reply, E> {
    fn into_reply(self) -> Reply {
        self.unwrap_or_else(Into::into)
    }
}

/// The reply of a route.
#[doc(hidden)]
pub fn answered<T: RouteOutput>(returned: T) -> Reply {
    returned.into_reply()
}
