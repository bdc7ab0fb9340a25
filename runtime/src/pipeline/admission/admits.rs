//! The call of a function that reviews writes: its dependencies, and what it returns.

use std::future::Future;

use super::denial::Denial;
use super::function::AdmissionFunction;
use super::review::Review;

/// A function that reviews writes, with its dependencies.
#[doc(hidden)]
pub trait Admits: AdmissionFunction {
    /// Its dependencies, as a tuple.
    type Dependencies: Send + Sync + 'static;
    /// The list of its dependencies, and after them those of further functions.
    type With<Rest>;
    /// Takes its dependencies from the list.
    fn take<Rest>(list: Self::With<Rest>) -> (Self::Dependencies, Rest);
    /// Calls the function.
    fn admit(
        object: &mut Self::Object,
        old: Option<&Self::Object>,
        dependencies: &Self::Dependencies,
        cx: &mut Review<'_, Self>,
    ) -> impl Future<Output = Result<(), Denial>> + Send;
}

/// What a review returns: `Result<(), Denial>`.
#[diagnostic::on_unimplemented(
    message = "a review returns `Result<(), Denial>`, not `{Self}`",
    label = "not `Result<(), Denial>`",
    note = "`Denial::new(\"..\")` makes a refusal of any text, and `?` turns an `ApiError` into a `Denial`"
)]
#[doc(hidden)]
pub trait ReviewOutput {
    /// The result.
    fn into_result(self) -> Result<(), Denial>;
}

#[diagnostic::do_not_recommend]
impl ReviewOutput for Result<(), Denial> {
    fn into_result(self) -> Self {
        self
    }
}

/// The result of a review.
///
/// # Errors
/// The review refuses the write.
#[doc(hidden)]
pub fn returned<T: ReviewOutput>(returned: T) -> Result<(), Denial> {
    returned.into_result()
}
