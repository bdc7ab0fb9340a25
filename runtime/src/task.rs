//! Futures for tasks of their own.

use std::future::Future;

use futures::FutureExt;
use futures::future::BoxFuture;
use tracing::Span;
use tracing::instrument::{Instrument, Instrumented};

/// A future for a task in the current span. Boxed, since each type of future that tokio runs adds 5 KB to the program.
pub(crate) fn task<T>(run: impl Future<Output = T> + Send + 'static) -> Instrumented<BoxFuture<'static, T>> {
    task_in(Span::current(), run)
}

/// The same in another span, which may be one around the current one.
pub(crate) fn task_in<T>(
    span: Span,
    run: impl Future<Output = T> + Send + 'static,
) -> Instrumented<BoxFuture<'static, T>> {
    run.boxed().instrument(span)
}
