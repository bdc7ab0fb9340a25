//! The list of all variants is a constant, which cannot depend on a parameter.
use evenkeel::prelude::*;

#[derive(Debug, thiserror::Error, ReconcileError)]
enum Failed<E: ReconcileError + std::error::Error + 'static> {
    #[error(transparent)]
    #[class(transparent)]
    Inner(E),
}

fn main() {
    let _: fn(&Failed<evenkeel::ApiError>) -> &'static str = Failed::reason;
}
